"""Putting a Kachaka back: by `sim/reset`, and with the whole world."""

import pytest
from nav_msgs.msg import Odometry
from tatami_msgs.msg import ResetEvent
from tf2_msgs.msg import TFMessage

import kachaka
import scenes
from action_msgs.msg import GoalStatus
from conftest import DT
from sim import ns
from test_kachaka_commands import SPEAK, outcome, send_goal

SPAWN = (1.0, -0.5, 0.4)
IGNORED = kachaka.MODEL["onboard_config"]["reset"]["ignore_velocity"]


@pytest.fixture
def robot(sim):
    x, y, yaw = SPAWN
    return kachaka.spawn(sim, x=x, y=y, yaw=yaw)


def use(robot):
    """Leaves traces everywhere."""
    robot.run("MOVE_FORWARD", distance=0.4)
    robot.ok("sim/torch/front", data=9.0)
    robot.ok("sim/speaker_volume", data=1.0)
    robot.ok("sim/pose_estimate", x=9.0)
    assert robot.call("sim/front_stop/mute", data=True).success
    robot.ok("sim/manual_control", enable=True)
    return robot.start("LOCK", duration=500.0), robot.start("SPEAK", text="later")


@pytest.mark.parametrize("clear_map", [False, True])
def test_reset_puts_the_robot_back(robot, clear_map):
    events = robot.listen("sim/reset/event", ResetEvent)
    robot.sim.spin_until(lambda: robot.sim.node.count_publishers(events.topic), "a publisher of events")
    old = use(robot)
    assert robot.call("sim/reset", data=clear_map).success
    scenes.assert_near(robot.pose(), SPAWN, 1e-12, "the spawn pose")
    event = events.wait()[-1]
    # Numbers go on from those of robots of this name before.
    assert event.id >= 1 and event.clear_map == clear_map
    assert robot.call("sim/reset", data=clear_map).success
    assert events.wait(2)[-1].id == event.id + 1
    state = robot.now()
    assert state.command_id == "" and state.queue_length == 0
    assert not state.manual_control_enabled and not state.front_stop_muted
    assert (state.front_torch, state.speaker_volume) == (0, kachaka.MODEL["onboard_config"]["speaker"]["volume"])
    ended = {}
    for history in robot.histories.messages:
        ended |= {result.id: result for result in history.results}
    assert set(old) <= set(ended), "each accepted command has a result"
    assert not any(ended[id_].success for id_ in old)
    pose = robot.latched("sim/pose", "geometry_msgs/msg/PoseStamped").wait()[-1]
    scenes.assert_near(scenes.planar(pose.pose), SPAWN, 1e-9, "the shift of the estimate is forgotten")


def test_velocities_right_after_a_reset_are_ignored(robot):
    sim = robot.sim
    assert robot.call("sim/reset", data=False).success
    for _ in range(round(IGNORED / DT) - 1):
        sim.step(1, commands=[sim.drive("kachaka", linear=0.5)])
    scenes.assert_near(robot.pose(), SPAWN, 1e-12, "still there")
    for _ in range(10):
        sim.step(2, commands=[sim.drive("kachaka", linear=0.5)])
    assert kachaka.distance(robot.pose(), SPAWN) > 0.01


def test_a_reset_ends_goals(robot):
    handle = send_goal(robot, robot.action(), SPEAK, speak_command_text="a" * 500)
    assert robot.call("sim/reset", data=False).success
    status, result = outcome(robot, handle, steps=False)
    assert (status, result.success) == (GoalStatus.STATUS_ABORTED, False), result


def test_the_transforms_follow_at_once(robot):
    tf = robot.sim.subscribe(TFMessage, "/tf")
    robot.run("MOVE_FORWARD", distance=0.4)
    assert robot.call("sim/reset", data=False).success

    def place():
        transforms = {t.child_frame_id: scenes.planar(t.transform) for t in tf.wait()[-1].transforms}
        return scenes.compose(transforms["odom"], transforms["base_footprint"])

    robot.sim.spin_until(lambda: kachaka.distance(place(), SPAWN) < 1e-9, lambda: f"{SPAWN}, have {place()}")
    scenes.assert_near(place(), SPAWN, 1e-9, "map to base")


@pytest.mark.parametrize("time", [False, True])
def test_a_reset_of_the_world_makes_it_as_spawned(robot, time):
    sim = robot.sim
    use(robot)
    robot.ok("sim/emergency_stop")
    first = robot.now()
    sim.ok("reset", time=time)
    scenes.assert_near(robot.pose(), SPAWN, 1e-12, "the spawn pose")
    state = robot.now()
    assert state.sequence > first.sequence
    assert list(state.errors) == [] and not state.emergency_stopped
    assert (state.front_torch, state.queue_length, state.command_id) == (0, 0, "")
    fused = robot.subscribe("odometry/odometry", Odometry)
    message = fused.at(ns(sim.step().sim_time))
    scenes.assert_near(scenes.planar(message.pose.pose), (0.0, 0.0, 0.0), 1e-12, "fused odometry")
    assert robot.run("MOVE_FORWARD", distance=0.1).success


def test_the_same_requests_after_a_reset_give_the_same(robot):
    sim = robot.sim

    def mission():
        sim.ok("reset", time=True)
        fused = robot.subscribe("odometry/odometry", Odometry)
        results = [robot.run("MOVE_FORWARD", distance=0.5), robot.run("ROTATE_IN_PLACE", angle=1.0)]
        stamp = ns(sim.step().sim_time)
        times = [(ns(result.started), ns(result.finished), result.error_code) for result in results]
        return robot.pose(), times, fused.entry(stamp).bits

    assert mission() == mission()
