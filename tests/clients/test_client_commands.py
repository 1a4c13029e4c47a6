"""Commands through the clients of kachaka-api do what they say, and end as the real robot says."""

import math

import pytest
from harness.waiting import eventually
from kachaka_api import pb2


def succeeded(result):
    assert (result.success, result.error_code) == (True, 0), result


def failed(result, code):
    assert (result.success, result.error_code) == (False, code), result


def moved(before, after):
    """How far a robot has come along its first heading, how far aside, and its turn."""
    x, y = after.x - before.x, after.y - before.y
    along = x * math.cos(before.yaw) + y * math.sin(before.yaw)
    aside = -x * math.sin(before.yaw) + y * math.cos(before.yaw)
    return along, aside, before.turn(after)


@pytest.mark.calls("move_forward", "get_last_command_result", "get_history_list")
@pytest.mark.parametrize("distance, speed", [(0.5, 0.0), (-0.3, 0.2), (0.25, 0.1)])
def test_move_forward(robot, client, distance, speed):
    robot.place(-0.5, -0.5, 0.4)
    before = robot.truth()
    succeeded(robot.world.run(client.move_forward, distance, speed=speed))
    assert moved(before, robot.truth()) == pytest.approx((distance, 0.0, 0.0), abs=1e-3)
    assert robot.speed() == (0.0, 0.0)
    result, command = client.get_last_command_result()
    succeeded(result)
    assert command.move_forward_command.distance_meter == distance
    last = client.get_history_list()[0]
    assert (last.success, last.error_code) == (True, 0)
    assert last.command == command and last.id


@pytest.mark.calls("start_command")
def test_move_forward_keeps_its_speed(robot, client):
    command = pb2.Command(move_forward_command=pb2.MoveForwardCommand(distance_meter=0.5, speed=0.1))
    succeeded(client.start_command(command, wait_for_completion=False))
    fastest = 0.0
    for _ in range(100):
        robot.world.step()
        fastest = max(fastest, robot.speed()[0])
    assert fastest == pytest.approx(0.1, abs=1e-6)


@pytest.mark.calls("rotate_in_place")
@pytest.mark.parametrize("angle", [math.pi / 2, -2.0])
def test_rotate_in_place(robot, client, angle):
    before = robot.truth()
    succeeded(robot.world.run(client.rotate_in_place, angle))
    assert moved(before, robot.truth()) == pytest.approx((0.0, 0.0, angle), abs=1e-3)


@pytest.mark.calls("move_to_pose")
def test_move_to_pose(robot, client):
    succeeded(robot.world.run(client.move_to_pose, 0.8, -0.6, 2.0))
    truth = robot.truth()
    assert (truth.x, truth.y, truth.yaw) == pytest.approx((0.8, -0.6, 2.0), abs=0.02)


@pytest.mark.calls("move_to_location", "update_resolver")
@pytest.mark.parametrize("place", ["L01", "Kitchen"])
def test_move_to_location(robot, client, place):
    client.update_resolver()
    succeeded(robot.world.run(client.move_to_location, place))
    truth = robot.truth()
    assert (truth.x, truth.y, truth.yaw) == pytest.approx((1.5, 0.5, 0.0), abs=0.02)


@pytest.mark.calls("move_to_location")
def test_unknown_location_fails_at_once(robot, client):
    failed(client.move_to_location("nowhere"), 10253)
    assert robot.is_idle()


@pytest.mark.calls("speak")
def test_speak(robot, client):
    robot.subscribe("sim/speech", "std_msgs/msg/String", "reliable")
    # A reader is matched some time after it was made.
    eventually(
        lambda: (robot.world.run(client.speak, "good morning"), robot.world.ros.kept(robot.topic("sim/speech")))[1],
        bool,
        "a speech",
    )
    assert {"data": "good morning"} in robot.world.ros.kept(robot.topic("sim/speech"))


@pytest.mark.calls("start_command", "get_history_list")
def test_tts_on_success_is_spoken(robot, client):
    robot.subscribe("sim/speech", "std_msgs/msg/String", "reliable")
    command = pb2.Command(lock_command=pb2.LockCommand(duration_sec=0.1))

    def spoken():
        robot.world.run(client.start_command, command, tts_on_success="done", title="a title")
        robot.world.step()
        return robot.world.ros.kept(robot.topic("sim/speech"))

    assert eventually(spoken, bool, "a speech")[0] == {"data": "done"}
    assert client.get_history_list()[0].success


@pytest.mark.calls("lock", "is_command_running", "get_running_command", "get_command_state")
def test_lock_lasts_its_time_and_holds_still(robot, client):
    succeeded(client.lock(2.0, wait_for_completion=False))
    assert client.is_command_running()
    assert client.get_running_command().lock_command.duration_sec == 2.0
    state, command = client.get_command_state()
    assert state == pb2.COMMAND_STATE_RUNNING and command.HasField("lock_command")
    robot.world.seconds(1.9)
    assert robot.state()["command_state"] == 2
    robot.world.seconds(0.2)
    robot.state(["command_state", "==", 1])
    robot.idle()
    assert not client.is_command_running()
    assert client.get_running_command() is None
    assert (robot.truth().x, robot.truth().y) == (0.0, 0.0)


@pytest.mark.calls("lock", "proceed", "get_last_command_result")
def test_proceed_ends_a_lock(robot, client):
    failed(client.proceed(), 90003)
    succeeded(client.lock(3600.0, wait_for_completion=False))
    robot.world.seconds(1.0)
    succeeded(client.proceed())
    robot.idle()
    result, command = client.get_last_command_result()
    succeeded(result)
    assert command.lock_command.duration_sec == 3600.0


@pytest.mark.calls("cancel_command", "move_forward", "get_last_command_result")
def test_cancel(robot, client):
    result, command = client.cancel_command()
    failed(result, 90002)
    succeeded(client.move_forward(1.5, wait_for_completion=False))
    robot.world.seconds(1.0)
    at_cancel = robot.truth()
    result, command = client.cancel_command()
    succeeded(result)
    assert command.move_forward_command.distance_meter == 1.5
    robot.come_to_rest()
    assert robot.truth().distance(at_cancel) < 0.5
    result, command = eventually(client.get_last_command_result, lambda last: last[0].error_code, "the result")
    failed(result, 10001)
    assert command.move_forward_command.distance_meter == 1.5


@pytest.mark.calls("move_forward", "lock", "get_history_list")
def test_a_new_command_ends_the_one_that_runs(robot, client):
    succeeded(client.move_forward(1.5, wait_for_completion=False))
    robot.world.seconds(0.5)
    succeeded(robot.world.run(client.lock, 0.5))
    histories = client.get_history_list()
    assert [bool(entry.success) for entry in histories[:2]] == [True, False]
    assert histories[1].error_code == 10001
    assert histories[1].command.HasField("move_forward_command")
    assert robot.truth().x < 0.5


@pytest.mark.calls("lock", "rotate_in_place")
def test_without_cancel_all_a_command_waits(robot, client):
    succeeded(client.lock(1.0, wait_for_completion=False))
    succeeded(client.rotate_in_place(0.5, cancel_all=False, wait_for_completion=False))
    assert robot.state(["queue_length", "==", 1])["command"]["type"] == 15
    robot.world.seconds(0.9)
    assert robot.truth().yaw == 0.0
    robot.world.seconds(3.0)
    assert robot.truth().yaw == pytest.approx(0.5, abs=1e-3)


@pytest.mark.calls("localize")
def test_localize_turns_once(robot, client):
    before = robot.truth()
    succeeded(client.localize(wait_for_completion=False))
    robot.world.seconds(2.0)
    assert abs(before.turn(robot.truth())) > 0.5
    robot.world.finish(robot.world.start(robot.idle))
    assert moved(before, robot.truth()) == pytest.approx((0.0, 0.0, 0.0), abs=2e-3)
    robot.pose_shown(robot.truth())


# What a robot without shelves and charger says, at once or as the command's result.
@pytest.mark.calls(
    "move_shelf", "return_shelf", "undock_shelf", "dock_shelf", "dock_any_shelf_with_registration", "return_home"
)
def test_commands_for_shelves_and_charger_fail_with_real_codes(robot, client):
    cases = {
        "move_shelf": (("S01", "L01"), {10250}),
        "return_shelf": (("S01",), {10252}),
        "undock_shelf": ((), {10254}),
        "dock_shelf": ((), {11201, 11301}),
        "dock_any_shelf_with_registration": (("L01",), {11201, 11301}),
        "return_home": ((), {10251}),
    }
    for name, (arguments, codes) in cases.items():
        result = robot.world.run(getattr(client, name), *arguments)
        assert not result.success and result.error_code in codes, f"{name}: {result}"
        assert result.error_code in client.get_robot_error_code()


@pytest.mark.calls("return_shelf")
def test_return_shelf_without_one(robot, client):
    failed(robot.world.run(client.return_shelf), 10254)


@pytest.mark.calls("get_shortcuts", "start_shortcut_command")
def test_shortcuts(robot, client):
    assert client.get_shortcuts() == {"greet": "Say hello", "dance": "Dance"}
    before = robot.truth()
    succeeded(client.start_shortcut_command("dance"))
    robot.world.seconds(6.0)
    robot.world.finish(robot.world.start(robot.idle))
    along = moved(before, robot.truth())
    assert along[2] == pytest.approx(0.5, abs=2e-3)
    assert math.hypot(along[0], along[1]) == pytest.approx(0.2, abs=2e-3)
    result = client.start_shortcut_command("no such shortcut")
    failed(result, 90004)


@pytest.mark.calls("restart_robot", "lock", "set_manual_control_enabled")
def test_restart(robot, client):
    succeeded(client.lock(60.0, wait_for_completion=False))
    succeeded(client.restart_robot())
    assert not robot.stub.IsReady(pb2.EmptyRequest()).ready
    eventually(
        lambda: robot.stub.get("GetLastCommandResult").result.error_code, lambda code: code == 10002, "result 10002"
    )
    failed(client.lock(1.0), 13208)
    failed(client.set_manual_control_enabled(True), 13208)
    robot.world.seconds(31.0)
    eventually(lambda: robot.stub.IsReady(pb2.EmptyRequest()).ready, bool, "a robot that is ready")
    succeeded(robot.world.run(client.lock, 0.5))


def test_commands_past_the_bound_are_refused(robot):
    first = robot.stub.start(lock_command=pb2.LockCommand(duration_sec=1000))
    ids = {first.command_id}
    for _ in range(32):
        response = robot.stub.start(cancel_all=False, lock_command=pb2.LockCommand(duration_sec=0.1))
        succeeded(response.result)
        ids.add(response.command_id)
    assert len(ids) == 33
    refused = robot.stub.start(cancel_all=False, lock_command=pb2.LockCommand(duration_sec=0.1))
    failed(refused.result, 13003)
    assert refused.command_id == ""
