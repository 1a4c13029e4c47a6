"""Commands of a Kachaka: the queue, its results, and the action and the goal topic in front of it."""

import math

import pytest
from action_msgs.msg import GoalStatus
from action_msgs.srv import CancelGoal
from geometry_msgs.msg import PoseStamped
from kachaka_interfaces.action import ExecKachakaCommand
from nav_msgs.msg import Odometry
from rclpy.action import ActionClient
from std_msgs.msg import String
from unique_identifier_msgs.msg import UUID

import kachaka
import scenes
from messages import build, fill
from sim import reliable

COMMANDS = kachaka.MODEL["onboard_config"]["commands"]
BAD_VALUE, NOTHING_TO_CANCEL, NOTHING_TO_PROCEED, UNKNOWN_SHORTCUT = 90001, 90002, 90003, 90004
NEGATIVE_SPEED = 15508
PLACES = {"locations": [{"id": "L01", "name": "Desk", "x": 1.0, "y": 0.5, "yaw": math.pi / 2}]}


@pytest.fixture
def robot(sim):
    return kachaka.spawn(sim, config=PLACES)


def number(name):
    return getattr(build("tatami_msgs/OnboardCommand"), name)


# What each does


@pytest.mark.parametrize("distance", [0.5, -0.3])
def test_a_way_forward_ends_where_wheel_odometry_says_so(robot, distance):
    wheels = robot.subscribe("wheel_odometry/wheel_odometry", Odometry)
    result = robot.run("MOVE_FORWARD", distance=distance)
    assert (result.success, result.error_code, result.message) == (True, 0, "")
    odometry = robot.present(wheels)
    scenes.assert_near(odometry.pose.pose.position.x, distance, 0.001, "by the wheels")
    assert odometry.twist.twist.linear.x == 0.0
    scenes.assert_near(robot.pose(), (distance, 0.0, 0.0), 0.002, "in truth")


def test_a_way_forward_keeps_to_its_speed(robot):
    robot.start("MOVE_FORWARD", distance=1.0, speed=0.1)
    robot.sim.step(50)
    scenes.assert_near(robot.sim.robot("kachaka").twist.linear.x, 0.1, 1e-6, "m/s")


@pytest.mark.parametrize("angle", [math.pi / 2, -1.0, 4.0])
def test_a_turn_ends_where_wheel_odometry_says_so(robot, angle):
    assert robot.run("ROTATE_IN_PLACE", angle=angle).success
    x, y, yaw = robot.pose()
    scenes.assert_near(scenes.turned(yaw - angle), 0.0, 0.002, "rad")
    assert math.hypot(x, y) < 0.001


def test_a_move_to_a_pose_ends_there(robot):
    assert robot.run("MOVE_TO_POSE", x=0.8, y=-0.4, yaw=1.0).success
    scenes.assert_near(robot.pose(), (0.8, -0.4, 1.0), 0.03, "pose")


def test_a_move_to_a_location_ends_there(robot):
    result = robot.run("MOVE_TO_LOCATION", location_id="L01")
    assert result.success and result.command.location_id == "L01", result
    scenes.assert_near(robot.pose(), (1.0, 0.5, math.pi / 2), 0.03, "pose")


def test_an_unregistered_location_is_refused_at_once(robot):
    refused = robot.call("sim/command/start", command={"type": number("MOVE_TO_LOCATION"), "location_id": "L99"})
    assert (refused.success, refused.error_code, refused.command_id) == (False, 10253, ""), refused
    assert "L99" in refused.message
    assert robot.results() == {}


def test_speech_is_told_and_lasts_by_its_length(robot):
    speech = robot.listen("sim/speech", String)
    robot.sim.spin_until(lambda: robot.sim.node.count_publishers(speech.topic), "a publisher of speech")
    text = "Hello there, this is a Kachaka."
    result = robot.run("SPEAK", text=text, tts_on_success="done")
    assert result.success
    assert [message.data for message in speech.wait(2)] == [text, "done"]
    seconds = kachaka.ns(result.finished) / 1e9 - kachaka.ns(result.started) / 1e9
    wanted = max(COMMANDS["speech_min"], COMMANDS["speech_per_letter"] * len(text))
    scenes.assert_near(seconds, wanted, 0.021, "s")


def test_a_lock_ends_in_time_or_by_proceed(robot):
    result = robot.run("LOCK", duration=2.0)
    assert result.success
    scenes.assert_near(kachaka.ns(result.finished) - kachaka.ns(result.started), 2_000_000_000, 20_000_001, "ns")
    command = robot.start("LOCK", duration=100.0)
    robot.sim.step(5)
    assert robot.now().command_id == command
    state = robot.after("sim/command/proceed")
    assert state.command_id == "" and robot.result(command).success


def test_lock_on_end_holds_the_robot_after_success(robot):
    first = robot.start("SPEAK", text="a", lock_on_end=50.0)
    second = robot.start("SPEAK", text="b")
    robot.sim.step(200)
    assert second not in robot.results()
    robot.ok("sim/command/proceed")
    robot.step_until(lambda: second in robot.results(), "end of the second")
    assert robot.result(first).success and robot.result(second).success


def test_the_muted_move_drives_by_time(robot):
    robot.sim.ok("spawn_boxes", boxes=[scenes.wall(x=2.0)])
    assert robot.run("MOVE_BY_VELOCITY_WITH_MUTED_SENSORS", speed=0.2, duration=2.0).success
    # 0.2 m/s for 2 s; the ramps up and down take 0.1 s each.
    scenes.assert_near(robot.pose()[0], 0.4, 0.02, "m")


def test_localize_is_one_turn(robot):
    robot.ok("sim/pose_estimate", x=1.0, y=1.0, yaw=1.0)
    assert robot.run("LOCALIZE").success
    pose = robot.latched("sim/pose", PoseStamped).wait()[-1]
    scenes.assert_near(scenes.planar(pose.pose), robot.pose(), 1e-9, "the estimate is the truth again")


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"type": "MOVE_SHELF", "target_shelf_id": "S01", "location_id": "L01"}, 10250),
        ({"type": "RETURN_SHELF", "target_shelf_id": "S01"}, 10252),
        ({"type": "RETURN_SHELF"}, 10254),
        ({"type": "UNDOCK_SHELF"}, 10254),
        ({"type": "RETURN_HOME"}, 10251),
    ],
)
def test_what_has_no_source_yet_has_a_code_of_the_real_robot(robot, fields, code):
    command = fields | {"type": number(fields["type"])}
    robot.refused("sim/command/start", code, command=command)


# The queue


def test_a_read_sees_the_write_before_it_while_time_stands_still(robot):
    first = robot.start("LOCK", duration=5.0, title="first")
    state = robot.now()
    assert (state.command_id, state.command_state, state.queue_length) == (first, state.RUNNING, 0)
    assert state.command.type == number("LOCK") and state.command.duration == 5.0
    robot.start("LOCK", duration=5.0)
    assert robot.now().queue_length == 1
    assert robot.sim.robot("kachaka").pose.position.x == 0.0


def test_results_are_numbered_and_keep_what_was_asked_for(robot):
    ids = [robot.start("SPEAK", text=str(index), title=f"title {index}") for index in range(3)]
    robot.step_until(lambda: len(robot.results()) == 3, "three results")
    results = robot.results()
    # Numbers go on from those of robots of this name before.
    first = results[ids[0]].number
    assert first >= 1 and [results[id_].number for id_ in ids] == [first, first + 1, first + 2]
    assert [results[id_].title for id_ in ids] == ["title 0", "title 1", "title 2"]
    assert [results[id_].command.text for id_ in ids] == ["0", "1", "2"]
    last = robot.now().last_result
    assert [result.id for result in last] == [ids[2]]
    assert [result.number for result in robot.histories.messages[-1].results] == [first + 2, first + 1, first], "newest first"


def test_cancel_all_ends_what_runs_and_drops_what_waits(robot):
    old = [robot.start("LOCK", duration=5.0) for _ in range(3)]
    new = robot.start("LOCK", duration=1.0, cancel_all=True)
    results = robot.results()
    assert {id_: results[id_].error_code for id_ in old} == dict.fromkeys(old, 10001)
    assert robot.now().command_id == new and robot.now().queue_length == 0


def test_cancel_gives_the_command_and_lets_the_next_one_run(robot):
    first = robot.start("LOCK", duration=5.0)
    second = robot.start("SPEAK", text="later")
    third = robot.start("SPEAK", text="last")
    response = robot.ok("sim/command/cancel")
    assert response.command.type == number("LOCK")
    assert robot.result(first).error_code == 10001
    assert robot.state(response.sequence).command_id == second
    response = robot.ok("sim/command/cancel", queued=True)
    assert response.command.text == "later"
    assert robot.now().command_id == ""
    assert [robot.result(id_).error_code for id_ in (second, third)] == [10001, 10001]
    robot.refused("sim/command/cancel", NOTHING_TO_CANCEL)


def test_cancelling_a_drive_stops_within_half_a_metre(robot):
    robot.start("MOVE_FORWARD", distance=5.0, speed=0.8)
    robot.sim.step(100)
    x = robot.pose()[0]
    robot.ok("sim/command/cancel")
    robot.sim.step(100)
    assert robot.sim.robot("kachaka").twist.linear.x == 0.0
    assert robot.pose()[0] - x < 0.5


def test_there_is_nothing_to_proceed(robot):
    robot.refused("sim/command/proceed", NOTHING_TO_PROCEED)


def test_the_queue_is_bounded(robot):
    limit = COMMANDS["queue_limit"]
    ids = [robot.start("LOCK", duration=9.0) for _ in range(limit + 1)]
    robot.refused("sim/command/start", 13003, str(limit), command={"type": number("LOCK"), "duration": 1.0})
    assert robot.now().queue_length == limit
    robot.ok("sim/command/cancel", queued=True)
    results = robot.results()
    assert sorted(results) == sorted(ids) and len(set(ids)) == limit + 1


def test_history_keeps_the_last_hundred(robot):
    limit = COMMANDS["history_limit"]
    ids = []
    for _ in range(limit // 25 + 1):
        ids += [robot.start("LOCK", duration=9.0) for _ in range(25)]
        robot.ok("sim/command/cancel", queued=True)
    results = robot.results()
    assert set(results) == set(ids[-limit:])
    numbers = sorted(result.number for result in results.values())
    assert numbers == list(range(numbers[0], numbers[0] + limit))


def test_shortcuts_run_one_after_the_other(sim):
    commands = [{"type": "speak", "text": "go"}, {"type": "move_forward", "distance": 0.2}]
    robot = kachaka.spawn(sim, config={"shortcuts": [{"id": "s1", "name": "Go", "commands": commands}]})
    response = robot.ok("sim/shortcut/start", shortcut_id="s1")
    assert len(response.command_ids) == 2
    robot.step_until(lambda: len(robot.results()) == 2, "both results")
    assert all(robot.result(id_).success for id_ in response.command_ids)
    scenes.assert_near(robot.pose()[0], 0.2, 0.002, "m")
    robot.refused("sim/shortcut/start", UNKNOWN_SHORTCUT, "s2", shortcut_id="s2")


@pytest.mark.parametrize(
    ("type_", "field", "values"),
    [
        ("LOCK", "duration", [*scenes.SPECIAL, -1.0, 86_401.0]),
        ("MOVE_FORWARD", "distance", [*scenes.SPECIAL, 101.0, -101.0]),
        ("MOVE_FORWARD", "speed", [*scenes.SPECIAL, -0.1]),
        ("ROTATE_IN_PLACE", "angle", [*scenes.SPECIAL, 1e9]),
        ("MOVE_TO_POSE", "x", [*scenes.SPECIAL, 1e7]),
        ("MOVE_TO_POSE", "y", [*scenes.SPECIAL]),
        ("MOVE_TO_POSE", "yaw", [*scenes.SPECIAL]),
        ("MOVE_BY_VELOCITY_WITH_MUTED_SENSORS", "speed", [*scenes.SPECIAL]),
        ("SPEAK", "text", ["x" * 1001, "x" * 1_000_000]),
        ("MOVE_TO_LOCATION", "location_id", ["x" * 1_000_000]),
        ("MOVE_SHELF", "target_shelf_id", ["x" * 1_000_000]),
    ],
)
def test_bad_values_of_commands_are_refused_by_field(robot, type_, field, values):
    for value in values:
        # Of the real robot, for this alone.
        code = NEGATIVE_SPEED if (type_, field) == ("MOVE_FORWARD", "speed") and value < 0 else BAD_VALUE
        response = robot.refused("sim/command/start", code, field, command={"type": number(type_), field: value})
        assert len(response.message) < 500 and response.command_id == ""


@pytest.mark.parametrize(
    ("field", "value"),
    [("title", "x" * 1001), ("tts_on_success", "x" * 1001), ("lock_on_end", math.nan), ("lock_on_end", -1.0)],
)
def test_bad_values_around_commands_are_refused_by_field(robot, field, value):
    fields = {"command": {"type": number("LOCALIZE")}, field: value}
    robot.refused("sim/command/start", BAD_VALUE, field, **fields)


@pytest.mark.parametrize("type_", [0, 3, 20, 255])
def test_unknown_commands_are_refused(robot, type_):
    robot.refused("sim/command/start", BAD_VALUE, "type", str(type_), command={"type": type_})


# The action and the goal topic


def send_goal(robot, action, type_, cancel_all=False, tts_on_success="", **fields):
    """Sends a goal, which is accepted. Returns its handle."""
    goal = ExecKachakaCommand.Goal(cancel_all=cancel_all, tts_on_success=tts_on_success)
    fill(goal.kachaka_command, {"command_type": type_} | fields)
    handle = robot.sim.reply(action.send_goal_async(goal), "the answer to a goal")
    assert handle.accepted
    return handle


def outcome(robot, handle, steps=True):
    """Steps until the goal has ended. Returns its status and result."""
    future = handle.get_result_async()
    if steps:
        def done():
            if not future.done():
                robot.sim.step(10)
            return future.done()

        robot.sim.spin_until(done, "the result of a goal")
    response = robot.sim.reply(future, "the result of a goal")
    return response.status, response.result


SPEAK, MOVE_TO_POSE, MOVE_TO_LOCATION, MOVE_SHELF = 12, 13, 7, 1


def test_goals_of_the_action_go_through_the_queue(robot):
    action = robot.action()
    handle = send_goal(robot, action, SPEAK, speak_command_text="hello", tts_on_success="bye")
    running = robot.now()
    assert running.command.text == "hello" and running.command_state == running.RUNNING
    status, result = outcome(robot, handle)
    assert (status, result.success, result.error_code) == (GoalStatus.STATUS_SUCCEEDED, True, 0)
    assert robot.result(running.command_id).title == ""
    pose = {f"move_to_pose_command_{axis}": value for axis, value in (("x", 0.4), ("y", 0.2), ("yaw", 0.5))}
    status, result = outcome(robot, send_goal(robot, action, MOVE_TO_POSE, **pose))
    assert (status, result.success) == (GoalStatus.STATUS_SUCCEEDED, True), result
    scenes.assert_near(robot.pose(), (0.4, 0.2, 0.5), 0.03, "pose")


@pytest.mark.parametrize(
    ("type_", "fields", "code"),
    [
        (99, {}, BAD_VALUE),
        (0, {}, BAD_VALUE),
        (MOVE_TO_LOCATION, {"move_to_location_command_target_location_id": "L99"}, 10253),
        (MOVE_SHELF, {"move_shelf_command_target_shelf_id": "S01"}, 10250),
        (MOVE_TO_POSE, {"move_to_pose_command_x": math.nan}, BAD_VALUE),
        (SPEAK, {"speak_command_text": "x" * 1001}, BAD_VALUE),
    ],
)
def test_goals_that_are_refused_are_aborted_with_the_code(robot, type_, fields, code):
    """Accepted first, as by the bridge, and while time stands still."""
    handle = send_goal(robot, robot.action(), type_, **fields)
    status, result = outcome(robot, handle, steps=False)
    assert (status, result.success, result.error_code) == (GoalStatus.STATUS_ABORTED, False, code)
    assert result.message


def test_a_goal_that_is_cancelled_ends_its_command_alone(robot):
    action = robot.action()
    first = send_goal(robot, action, SPEAK, speak_command_text="a" * 500)
    second = send_goal(robot, action, SPEAK, speak_command_text="b" * 500)
    third = send_goal(robot, action, SPEAK, speak_command_text="c" * 500)
    assert robot.now().queue_length == 2
    response = robot.sim.reply(second.cancel_goal_async(), "the answer to a cancel")
    assert len(response.goals_canceling) == 1, response
    status, result = outcome(robot, second, steps=False)
    assert (status, result.success, result.error_code) == (GoalStatus.STATUS_CANCELED, False, 10001)
    assert robot.now().command.text == "a" * 500 and robot.now().queue_length == 1
    robot.sim.reply(first.cancel_goal_async(), "the answer to a cancel")
    assert outcome(robot, first, steps=False)[0] == GoalStatus.STATUS_CANCELED
    assert robot.now().command.text == "c" * 500
    robot.ok("sim/command/cancel")
    status, result = outcome(robot, third, steps=False)
    assert (status, result.error_code) == (GoalStatus.STATUS_ABORTED, 10001), "cancelled by somebody else"


def test_a_goal_is_pre_empted_by_cancel_all(robot):
    action = robot.action()
    old = send_goal(robot, action, SPEAK, speak_command_text="a" * 500)
    new = send_goal(robot, action, SPEAK, speak_command_text="b", cancel_all=True)
    status, result = outcome(robot, old, steps=False)
    assert (status, result.success, result.error_code) == (GoalStatus.STATUS_ABORTED, False, 10001)
    assert outcome(robot, new)[0] == GoalStatus.STATUS_SUCCEEDED


def test_goals_end_when_their_robot_goes(robot):
    handles = [send_goal(robot, robot.action(), SPEAK, speak_command_text="a" * 500)]
    futures = [handle.get_result_async() for handle in handles]
    # The server has the request for the result once another goal sent behind it is answered.
    send_goal(robot, robot.action(), SPEAK, speak_command_text="b")
    robot.sim.ok("delete_robot", name="kachaka")
    response = robot.sim.reply(futures[0], "the result of a goal")
    assert (response.status, response.result.success) == (GoalStatus.STATUS_ABORTED, False), response


def burst_action(robot):
    """A client that itself loses nothing."""
    qos = {f"{service}_service_qos_profile": reliable(1000) for service in ("goal", "result", "cancel")}
    action = ActionClient(robot.sim.node, ExecKachakaCommand, robot.topic("kachaka_command/execute"), **qos)
    robot.sim.spin_until(action.server_is_ready, "the action server")
    return action


def test_bursts_of_goals_cancels_and_results_are_all_answered(robot):
    """While time stands still: nobody looks at the action for 50 ms then."""
    action = burst_action(robot)
    try:
        goal = ExecKachakaCommand.Goal()
        fill(goal.kachaka_command, {"command_type": SPEAK, "speak_command_text": "a" * 500})
        goals = [action.send_goal_async(goal) for _ in range(40)]
        handles = [robot.sim.reply(future, "the answer to a goal") for future in goals]
        assert all(handle.accepted for handle in handles)
        assert robot.now().queue_length == 32, "one runs, and the queue is full"
        results = [handle.get_result_async() for handle in handles]
        refused = [robot.sim.reply(future, "the result of a goal").result.error_code for future in results[33:]]
        assert refused == [13003] * 7, refused
        cancels = [handle.cancel_goal_async() for handle in handles[:30]]
        for future, handle in zip(cancels, handles):
            (cancelled,) = robot.sim.reply(future, "the answer to a cancel").goals_canceling
            assert cancelled.goal_id == handle.goal_id
        ended = [robot.sim.reply(future, "the result of a goal").status for future in results[:30]]
        assert ended == [GoalStatus.STATUS_CANCELED] * 30, ended
        assert robot.now().queue_length == 2, "three goals are left"
    finally:
        action.destroy()


def test_an_id_is_that_of_one_goal_alone(robot):
    """Also when that goal has ended: the second one would get its result."""
    action = robot.action()
    goal = ExecKachakaCommand.Goal()
    fill(goal.kachaka_command, {"command_type": SPEAK, "speak_command_text": "first"})
    same = UUID(uuid=[7] * 16)
    first = robot.sim.reply(action.send_goal_async(goal, goal_uuid=same))
    goal.kachaka_command.speak_command_text = "second"
    second = robot.sim.reply(action.send_goal_async(goal, goal_uuid=same))
    assert (first.accepted, second.accepted) == (True, False)
    assert (robot.now().command.text, robot.now().queue_length) == ("first", 0)
    assert outcome(robot, first)[0] == GoalStatus.STATUS_SUCCEEDED
    third = robot.sim.reply(action.send_goal_async(goal, goal_uuid=same))
    assert not third.accepted
    assert robot.now().command_state == robot.now().PENDING


@pytest.mark.parametrize(
    ("named", "timed", "ended"), [(False, False, 3), (False, True, 2), (True, True, 3), (True, False, 1)]
)
def test_a_cancel_means_goals_by_id_and_time(robot, named, timed, ended):
    action = robot.action()
    handles = [send_goal(robot, action, SPEAK, speak_command_text="a" * 500)]
    robot.sim.step(1)
    handles += [send_goal(robot, action, SPEAK, speak_command_text="a" * 500)]
    until = robot.sim.ok("get_world").sim_time
    robot.sim.step(1)
    handles += [send_goal(robot, action, SPEAK, speak_command_text="a" * 500)]
    name = robot.topic("kachaka_command/execute/_action/cancel_goal")
    cancels = robot.sim.node.create_client(CancelGoal, name)
    try:
        robot.sim.spin_until(cancels.service_is_ready, "the service")
        request = CancelGoal.Request()
        if named:
            request.goal_info.goal_id = handles[2].goal_id
        if timed:
            request.goal_info.stamp = until
        response = robot.sim.reply(cancels.call_async(request))
        assert (response.return_code, len(response.goals_canceling)) == (CancelGoal.Response.ERROR_NONE, ended), response
        if named and not timed:
            again = robot.sim.reply(cancels.call_async(request))
            assert again.return_code == CancelGoal.Response.ERROR_GOAL_TERMINATED
            request.goal_info.goal_id = UUID(uuid=[9] * 16)
            unknown = robot.sim.reply(cancels.call_async(request))
            assert unknown.return_code == CancelGoal.Response.ERROR_UNKNOWN_GOAL_ID
    finally:
        robot.sim.node.destroy_client(cancels)


def test_a_goal_pose_is_queued_as_a_command(robot):
    publisher = robot.publisher("goal_pose", PoseStamped, reliable(5))
    first = robot.start("LOCK", duration=1.0)
    pose = build(
        "geometry_msgs/PoseStamped",
        header={"frame_id": "somewhere"},
        pose={"position": {"x": 0.5, "y": 0.3}, "orientation": {"z": math.sin(0.25), "w": math.cos(0.25)}},
    )
    publisher.publish(pose)
    robot.sim.spin_until(lambda: robot.states.messages[-1].queue_length == 1, "the goal in the queue")
    robot.step_until(lambda: len(robot.results()) == 2, "both results")
    results = robot.results()
    assert results[first].success
    (moved,) = (result for result in results.values() if result.id != first)
    assert moved.success and moved.command.type == number("MOVE_TO_POSE"), moved
    scenes.assert_near((moved.command.x, moved.command.y, moved.command.yaw), (0.5, 0.3, 0.5), 1e-9, "command")
    scenes.assert_near(robot.pose(), (0.5, 0.3, 0.5), 0.03, "pose")
