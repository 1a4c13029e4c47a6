"""Server and adapter end, are killed and come back under load: clients get a clear code, and then the robot again."""

import itertools
import threading
import time

import grpc
import pytest
from harness.bridge import Bridge
from harness.robot import Robot
from harness.waiting import DEADLINE, eventually
from kachaka_api import pb2


@pytest.fixture
def mine(start_world):
    """A robot whose world a test may break."""
    robot = Robot(start_world(), grace=1.0)
    robot.world.step()
    robot.settled()
    return robot


def code_of(call, *arguments, **keywords):
    """The status that a call ends with; None when it succeeds."""
    try:
        call(*arguments, **keywords)
    except grpc.RpcError as error:
        return error.code()
    return None


def test_the_adapter_ends_cleanly_with_open_polls(mine):
    """SIGINT while clients wait: they are told, and the program ends with 0."""
    cursor = mine.stub.get("GetError").metadata.cursor
    waiting = mine.world.start(code_of, mine.stub.get, "GetError", cursor)
    stream = mine.stub.GetDynamicTransform(pb2.EmptyRequest())
    next(stream)
    assert mine.adapter.stop() == 0
    assert waiting.result(DEADLINE) in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED)
    # A stream may end as one that is over does, but it ends.
    assert code_of(list, stream) != grpc.StatusCode.DEADLINE_EXCEEDED


def test_the_adapter_is_killed_and_started_again(mine):
    bridge = Bridge(mine.target)
    try:
        eventually(lambda: bridge.polls, lambda polls: polls > 100, "polls")
        mine.adapter.kill()
        eventually(bridge.errors, bool, "errors of the bridge")
        port = mine.adapter.port
        mine.world.adapters.remove(mine.adapter)
        mine.adapter = mine.world.adapter(mine.namespace, port=port)
        mine.wait_for_adapter()
        before = bridge["GetRobotPose"].values
        mine.place(0.5, 0.5, 0.5)
        mine.world.step()
        eventually(lambda: bridge["GetRobotPose"].values, lambda now: now > before, "poses after the restart")
    finally:
        bridge.stop()
    mine.pose_shown(mine.truth())


def test_the_server_is_killed_and_started_again(mine):
    """Last values for the grace time, then UNAVAILABLE; writes UNAVAILABLE at once; then all is as new."""
    world = mine.world
    bridge = Bridge(mine.target)
    try:
        eventually(lambda: bridge.polls, lambda polls: polls > 100, "polls")
        world.server.kill()
        killed = time.monotonic()
        start = pb2.SetSpeakerVolumeRequest(volume=1)
        eventually(
            lambda: code_of(mine.stub.SetSpeakerVolume, start),
            lambda code: code == grpc.StatusCode.UNAVAILABLE,
            "UNAVAILABLE for a write",
        )
        eventually(
            lambda: code_of(mine.stub.get, "GetRobotPose"),
            lambda code: code == grpc.StatusCode.UNAVAILABLE,
            "UNAVAILABLE for a read",
        )
        assert time.monotonic() - killed > 1.0, "the last values were not kept for the grace time"
        assert mine.adapter.alive()
        world.start_server()
        world.step()
        mine.wait_for_adapter()
        mine.subscribe("sim/state", "tatami_msgs/msg/OnboardState", "latched", depth=10)
        mine.settled()
        command = mine.stub.start(move_forward_command=pb2.MoveForwardCommand(distance_meter=0.3))
        assert mine.result_of(command.command_id).success
        assert mine.truth().x == pytest.approx(0.3, abs=1e-3)
        mine.pose_shown(mine.truth())
    finally:
        bridge.stop()


def test_a_client_that_waits_gets_its_result_when_the_server_dies(mine):
    """A command that was running is lost with the server: whoever waits for it is not left hanging."""
    command = mine.stub.start(lock_command=pb2.LockCommand(duration_sec=1000))
    assert command.result.success
    cursor = mine.stub.get("GetLastCommandResult").metadata.cursor
    waiting = mine.world.start(code_of, mine.stub.get, "GetLastCommandResult", cursor)
    mine.world.server.kill()
    assert waiting.result(DEADLINE) in (None, grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED)


def test_a_robot_that_comes_later_is_served(start_world):
    """The adapter was there first: writes are UNAVAILABLE and reads wait, until the robot is spawned."""
    world = start_world("two_robots.yaml")
    response = world.ros.call("/tatami/delete_robot", "tatami_msgs/srv/DeleteRobot", name="k2")
    assert response["success"], response
    robot = Robot(world, "k2", there=False, grace=0.1)
    assert code_of(robot.stub.StopSound, pb2.StopSoundRequest()) == grpc.StatusCode.UNAVAILABLE
    assert code_of(robot.stub.get, "GetRobotPose", timeout=0.5) == grpc.StatusCode.DEADLINE_EXCEEDED
    waiting = world.start(robot.stub.get, "GetRobotPose", timeout=DEADLINE)
    world.fill()
    world.step()
    pose, truth = waiting.result(DEADLINE).pose, robot.truth()
    assert (pose.x, pose.y, pose.theta) == pytest.approx((truth.x, truth.y, truth.yaw), abs=1e-3)
    robot.wait_for_adapter()
    robot.settled()
    robot.pose_shown(robot.truth())


def test_a_command_that_failed_was_not_carried_out(mine):
    """The robot is replaced under the calls of its clients: what they are told to have failed has not run."""
    history = mine.topic("sim/command/history")
    mine.subscribe("sim/command/history", "tatami_msgs/msg/CommandHistory", "latched", depth=100)
    # Each command has a duration of its own, by which its result is known even if no client was told its id.
    durations = itertools.count(1000)
    stop, accepted, failed = threading.Event(), {}, {}

    def start_command():
        """Whether it was accepted."""
        duration = float(next(durations))
        try:
            reply = mine.stub.start(lock_command=pb2.LockCommand(duration_sec=duration))
        except grpc.RpcError as error:
            failed[duration] = error.code()
            return False
        if reply.result.success:
            accepted[duration] = reply.command_id
        else:
            failed[duration] = reply.result.error_code
        return reply.result.success

    def start_commands():
        while not stop.is_set():
            if not start_command():
                # While the robot is known to be away, they are refused at once.
                time.sleep(0.005)

    def results():
        """What has ended: ids and codes by duration."""
        ended = {}
        for message in mine.world.ros.kept(history):
            for result in message["results"]:
                found = ended.setdefault(result["command"]["duration"], set())
                found.add((result["id"], result["error_code"]))
        return ended

    clients = [mine.world.start(start_commands) for _ in range(4)]
    try:
        for _ in range(15):
            before = len(accepted)
            eventually(lambda: len(accepted), lambda now: now >= before + 8, "commands that the robot has taken")
            mine.world.replace()
    finally:
        stop.set()
    for client in clients:
        client.result(DEADLINE)
    # The result of one more is behind all others.
    eventually(start_command, bool, "a last command")
    mine.world.replace()
    ended = eventually(results, lambda ended: accepted.keys() <= ended.keys(), "a result of each accepted command")
    carried_out = {duration: (failed[duration], ended[duration]) for duration in failed.keys() & ended.keys()}
    assert not carried_out
    assert {duration: {id for id, _ in found} for duration, found in ended.items()} == {
        duration: {id} for duration, id in accepted.items()
    }
    doubled = {duration: found for duration, found in ended.items() if len(found) > 1}
    assert not doubled
