"""What stops a Kachaka and what does not, as kachaka-sdk-toolkit measured it on real robots."""

import pytest
from harness.waiting import eventually
from kachaka_api import pb2



def driving(robot, commands, distance=1.8):
    """Starts a long way and lets it get up to speed. Returns the id of the command."""
    answer = commands.move_forward(distance, speed=0.3)
    assert answer["ok"], answer
    robot.world.seconds(1.0)
    assert robot.speed()[0] == pytest.approx(0.3, abs=0.01)
    return answer["command_id"]


@pytest.fixture
def latched(robot, commands):
    """The robot after an emergency stop."""
    answer = commands.set_emergency_stop()
    assert answer["ok"] and answer["recovery_hint"] == "press_power_button", answer
    assert robot.errors() == [21051]
    return robot


def still_latched(robot):
    robot.world.seconds(2.0)
    assert robot.errors() == [21051]
    assert robot.state(["emergency_stopped", "==", True])["errors"] == [21051]
    before = robot.truth()
    robot.world.seconds(1.0)
    assert robot.truth().distance(before) == 0.0


# Cancelling


def test_cancel_command_stops_within_half_a_metre(robot, commands):
    command_id = driving(robot, commands)
    at_cancel = robot.truth()
    answer = commands.cancel_command()
    assert answer["ok"] and "move_forward_command" in answer["cancelled_command"], answer
    robot.come_to_rest()
    assert robot.truth().distance(at_cancel) < 0.5
    result = robot.result_of(command_id)
    assert (result.success, result.error_code) == (False, 10001)


def test_cancel_of_nothing_is_no_success(commands):
    answer = commands.cancel_command()
    assert (answer["ok"], answer["error_code"]) == (False, 90002), answer


def test_a_new_command_ends_the_old_one_with_10001(robot, commands):
    first = driving(robot, commands)
    second = commands.rotate_in_place(0.5)
    assert second["ok"], second
    last = eventually(
        lambda: robot.stub.get("GetLastCommandResult"), lambda last: last.command_id == first, "the first one's result"
    )
    assert (last.result.success, last.result.error_code) == (False, 10001)
    assert robot.result_of(second["command_id"]).success


# Manual control


def test_stop_manual_drive_does_not_stop_a_command(robot, commands):
    command_id = driving(robot, commands)
    assert commands.stop_manual_drive()["ok"]
    robot.world.seconds(1.0)
    assert robot.speed()[0] == pytest.approx(0.3, abs=0.01)
    assert robot.result_of(command_id).success
    assert robot.truth().x == pytest.approx(1.8, abs=1e-3)


def test_stop_manual_drive_stops_manual_driving(robot, commands, queries):
    assert commands.set_manual_control(True)["ok"]
    assert commands.set_velocity(0.3, 0.0)["ok"]
    robot.world.seconds(0.25)
    assert robot.speed()[0] == pytest.approx(0.3, abs=0.01)
    assert commands.stop_manual_drive()["ok"]
    assert queries.get_manual_control_enabled()["enabled"] is False
    at_stop = robot.truth()
    robot.come_to_rest()
    # Down from 0.3 m/s by 2 m/s2.
    assert robot.truth().distance(at_stop) < 0.05


def test_stop_manual_drive_outside_manual_control_leaves_it_off(robot, commands, queries):
    assert commands.stop_manual_drive()["ok"]
    assert queries.get_manual_control_enabled()["enabled"] is False
    robot.world.seconds(0.5)
    assert robot.truth().x == 0.0


def test_the_old_name_of_it_still_works(commands):
    with pytest.warns(DeprecationWarning):
        assert commands.stop()["ok"]


def test_manual_control_with_shelf_registration(commands, queries):
    assert commands.set_manual_control(True, use_shelf_registration=True)["ok"]
    assert queries.get_manual_control_enabled()["enabled"]


# Emergency stop


def test_emergency_stop_ends_a_command_and_stops(robot, commands):
    command_id = driving(robot, commands)
    at_stop = robot.truth()
    assert commands.set_emergency_stop()["ok"]
    robot.come_to_rest()
    assert robot.truth().distance(at_stop) < 0.1
    result = robot.result_of(command_id)
    assert (result.success, result.error_code) == (False, 10105)


def test_emergency_stop_ends_manual_driving(robot, commands):
    assert commands.set_manual_control(True)["ok"]
    assert commands.set_velocity(0.3, 0.0)["ok"]
    robot.world.seconds(0.2)
    assert commands.set_emergency_stop()["ok"]
    at_stop = robot.truth()
    robot.come_to_rest()
    assert robot.truth().distance(at_stop) < 0.05


def test_latched_robot_is_not_ready(latched, queries):
    answer = queries.is_ready()
    assert (answer["ready"], answer["category"], answer["recovery_hint"]) == (False, "paused", "press_power_button")
    assert answer["fatal_codes"] == [21051]


def test_cancel_does_not_release_it(latched, commands):
    assert not commands.cancel_command()["ok"]
    still_latched(latched)


def test_proceed_does_not_release_it(latched, commands):
    assert not commands.proceed()["ok"]
    still_latched(latched)


def test_manual_control_is_refused_and_does_not_release_it(latched, commands):
    answer = commands.set_manual_control(True)
    assert (answer["ok"], answer["error_code"]) == (False, 12401), answer
    assert answer["underlying_errors"] == [21051] and answer["category"] == "paused"
    still_latched(latched)


def test_manual_control_off_does_not_release_it(latched, commands):
    commands.set_manual_control(False)
    still_latched(latched)


def test_stop_manual_drive_does_not_release_it(latched, commands):
    commands.stop_manual_drive()
    still_latched(latched)


def test_a_new_command_is_accepted_and_fails_later(latched, commands):
    answer = commands.move_forward(0.5)
    assert answer["ok"] and answer["command_id"], answer
    result = latched.result_of(answer["command_id"])
    assert (result.success, result.error_code) == (False, 10107)
    still_latched(latched)


def test_restart_does_not_release_it(latched, commands):
    assert commands.restart_robot()["ok"]
    latched.world.seconds(31.0)
    still_latched(latched)


def test_a_second_emergency_stop_does_not_release_it(latched, commands):
    commands.set_emergency_stop()
    still_latched(latched)


def test_the_firmwares_own_is_ready_still_says_yes(latched):
    """Which is why the toolkit does not ask it."""
    assert latched.stub.IsReady(pb2.EmptyRequest()).ready


def test_the_power_button_releases_it(latched, commands, queries):
    latched.press_power_button()
    eventually(latched.errors, lambda errors: errors == [], "no errors")
    assert queries.is_ready()["ready"]
    before = latched.truth()
    answer = commands.move_forward(0.3, speed=0.3)
    assert latched.result_of(answer["command_id"]).success
    assert latched.truth().distance(before) == pytest.approx(0.3, abs=1e-3)


def test_the_power_button_pauses_too(robot, commands):
    command_id = driving(robot, commands)
    robot.press_power_button()
    robot.come_to_rest()
    assert robot.result_of(command_id).error_code == 10105
    assert robot.errors() == [21051]
    robot.press_power_button()
    eventually(robot.errors, lambda errors: errors == [], "no errors")


# Idle


def test_idle_is_pending_without_an_id_and_a_command(robot, commands):
    answer = commands.rotate_in_place(0.2)
    assert robot.result_of(answer["command_id"]).success
    robot.idle()
    state = robot.stub.get("GetCommandState")
    assert (state.state, state.command_id, state.HasField("command")) == (pb2.COMMAND_STATE_PENDING, "", False)
