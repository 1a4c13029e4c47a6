"""Two Kachakas in two namespaces, each with an adapter of its own, side by side."""

import pytest
from harness.robot import Robot
from kachaka_api import KachakaApiClient, pb2

from test_client_commands import moved


@pytest.fixture
def pair(start_world):
    world = start_world("two_robots.yaml")
    robots = Robot(world, "k1"), Robot(world, "k2")
    world.step()
    for robot in robots:
        robot.settled()
    return robots


def test_each_client_has_its_own_robot(pair):
    first, second = pair
    assert first.adapter.port != second.adapter.port
    clients = [KachakaApiClient(robot.target) for robot in pair]
    assert [client.get_robot_serial_number() for client in clients] == ["KCK-1", "KCK-2"]
    for robot in pair:
        robot.pose_shown(robot.truth())
    before = [robot.truth() for robot in pair]
    # Both at once: one drives, the other turns.
    world = first.world
    drive = world.start(clients[0].move_forward, 0.6)
    turn = world.start(clients[1].rotate_in_place, 1.2)
    assert world.finish(drive).success and world.finish(turn).success
    assert moved(before[0], first.truth()) == pytest.approx((0.6, 0.0, 0.0), abs=1e-3)
    assert moved(before[1], second.truth()) == pytest.approx((0.0, 0.0, 1.2), abs=1e-3)
    for robot in pair:
        robot.pose_shown(robot.truth())


def test_a_stop_of_one_does_not_touch_the_other(pair):
    first, second = pair
    first.stub.SetEmergencyStop(pb2.EmptyRequest())
    assert (first.errors(), second.errors()) == ([21051], [])
    before = second.truth()
    command = second.stub.start(move_forward_command=pb2.MoveForwardCommand(distance_meter=0.3))
    assert second.result_of(command.command_id).success
    assert moved(before, second.truth())[0] == pytest.approx(0.3, abs=1e-3)
    first.press_power_button()
    assert second.errors() == []


@pytest.mark.parametrize("name", ["k1", "k2"])
def test_frames_have_no_prefix(pair, name):
    """The bridge puts its own before them."""
    robot = next(robot for robot in pair if robot.name == name)
    robot.world.seconds(0.2)
    frames = {transform.child_frame_id for transform in robot.stub.get("GetStaticTransform").transforms}
    frames |= {robot.stub.get("GetRosLaserScan").scan.header.frame_id}
    frames |= {robot.stub.get("GetRosOdometry").odometry.child_frame_id}
    stream = robot.stub.GetDynamicTransform(pb2.EmptyRequest())
    message = next(stream)
    stream.cancel()
    frames |= {transform.child_frame_id for transform in message.transforms}
    frames |= {transform.header.frame_id for transform in message.transforms}
    assert {"laser_frame", "base_footprint", "odom", "map"} <= frames
    assert not [frame for frame in frames if "/" in frame or "k1" in frame or "k2" in frame], frames


def test_one_adapter_ends_and_the_other_stays(pair):
    first, second = pair
    assert first.close() == 0
    second.world.seconds(0.2)
    second.pose_shown(second.truth())
