"""What a Kachaka tells of what requests have changed: all of it, once, before the reply, also while the world is paused."""

import math
import time

import pytest
from action_msgs.msg import GoalStatus, GoalStatusArray
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import PoseStamped, PoseWithCovarianceStamped, Twist
from kachaka_interfaces.action import ExecKachakaCommand
from nav_msgs.msg import OccupancyGrid, Odometry
from sensor_msgs.msg import BatteryState
from std_msgs.msg import Bool, String
from tatami_msgs.msg import (
    CommandHistory,
    EntityPoses,
    ErrorCodes,
    Locations,
    OnboardInfo,
    OnboardState,
    Torches,
)
from tf2_msgs.msg import TFMessage

import kachaka
import scenes
from messages import build, fill, message_class
from sim import best_effort, ns, reliable
from test_kachaka_commands import SPEAK, number, send_goal

ROBOT_REMOVED = 90010
FLOOR = {"name": "kafloor", "z": 3.0}


@pytest.fixture
def robot(sim):
    return kachaka.spawn(sim)


def fresh(inbox):
    """Forgets what has come, and what was on its way."""
    inbox.sim.ok("get_world")
    inbox.clear()
    return inbox


# Deleting


def test_a_deletion_that_is_refused_ends_no_command(robot):
    sim = robot.sim
    sim.ok("add_floors", floors=[FLOOR])
    sim.spawn_bot(floor="kafloor")
    command = robot.start("LOCK", duration=100.0)
    before = robot.now()
    sim.refused("delete_prefix", "kafloor", prefix="ka")
    state = robot.now()
    assert (state.command_id, state.sequence) == (command, before.sequence)
    assert command not in robot.results()
    sim.refused("delete_prefix", "prefix", prefix="")
    assert robot.now().command_id == command


# Maps


def shows_box(grid, x):
    """Whether the map has the near face of a box of 0.2 m at (x, 0); None if that is not on it."""
    info = grid.info
    row = math.floor((0.01 - info.origin.position.y) / info.resolution)
    columns = [math.floor((x - 0.1 + shift - info.origin.position.x) / info.resolution) for shift in (-0.02, 0.0, 0.02)]
    if not (0 <= row < info.height and all(0 <= column < info.width for column in columns)):
        return None
    return any(grid.data[row * info.width + column] == 100 for column in columns)


def test_the_map_follows_requests_while_time_stands_still(robot):
    sim = robot.sim
    # Whatever comes next is nearer to this than the period of maps.
    sim.ok("add_outlines", outlines=[scenes.square_room("room", 4.0)])
    maps = robot.latched("mapping/map", OccupancyGrid)

    def wait_for(x, wanted):
        def found():
            return shows_box(maps.messages[-1], x) if maps.messages else "no map"

        sim.spin_until(lambda: found() is wanted, lambda: f"{wanted} for a box at {x}, have {found()}")

    def shows(x):
        wait_for(x, True)

    def is_free(x):
        wait_for(x, False)

    sim.ok("spawn_boxes", boxes=[scenes.box("crate", 2.0)])
    shows(2.0)
    sim.ok("control_world", poses=[{"name": "crate", "x": -2.0}])
    shows(-2.0)
    is_free(2.0)
    sim.ok("reset")
    shows(2.0)
    is_free(-2.0)
    sim.ok("delete_entities", names=["crate"])
    is_free(2.0)
    sim.ok("spawn_boxes", boxes=[scenes.box("crate", 2.0)])
    shows(2.0)
    sim.ok("delete_prefix", prefix="crate")
    is_free(2.0)
    # Walls as well, also when one takes the place of another.
    edge = {x: [(x - 0.1, -0.1), (x + 0.1, -0.1), (x + 0.1, 0.1), (x - 0.1, 0.1)] for x in (2.0, -2.0)}
    for x in (2.0, -2.0):
        wall = scenes.square_room("wall") | {"points": scenes.points(*edge[x])}
        sim.ok("add_outlines", outlines=[wall])
        shows(x)
        is_free(-x)
    sim.ok("delete_entities", names=["wall"])
    is_free(-2.0)


def test_republishing_shows_what_a_topic_has_moved(robot):
    sim = robot.sim
    sim.ok("add_outlines", outlines=[scenes.square_room("room", 4.0)])
    sim.ok("spawn_boxes", boxes=[scenes.box("crate", 2.0)])
    maps = robot.latched("mapping/map", OccupancyGrid)
    poses = sim.publisher(EntityPoses, "/tatami/poses")
    pose = {"name": "crate", "x": -2.0}
    poses.publish(build("tatami_msgs/EntityPoses", poses=[pose]))
    sim.spin_until(lambda: sim.entities()["crate"].x == -2.0, "the box over there")
    sim.ok("republish", prefix="kachaka")
    sim.spin_until(lambda: maps.messages and shows_box(maps.messages[-1], -2.0), "the box on the map")


def test_a_teleport_to_another_storey_shows_its_map(robot):
    sim = robot.sim
    sim.ok("add_floors", floors=[FLOOR])
    before = robot.now()
    sim.ok("set_robot_pose", name="kachaka", floor="kafloor")
    state = robot.now()
    assert state.sequence > before.sequence and state.current_map_id != before.current_map_id
    assert [map_.name for map_ in state.maps] == ["kafloor"]


# Where it is


def placed(robot, request):
    """What is sent of a place by a request: the latest pose of `sim/pose` and of the transforms from map to base."""
    pose = robot.latched("sim/pose", PoseStamped)
    tf = robot.sim.subscribe(TFMessage, "/tf")
    pose.wait()
    for inbox in (pose, tf):
        fresh(inbox)
    future = request()
    response = robot.sim.reply(future)
    assert response.success, response
    pose.wait()
    tf.wait()
    # By the server's own clock.
    for inbox in (pose, tf):
        assert inbox.received[0].sent_ns <= future.sent_ns, f"{inbox.topic} came after the reply"
        assert len(inbox.received) == 1, f"{len(inbox.received)} messages on {inbox.topic}"
    transforms = {t.child_frame_id: scenes.planar(t.transform) for t in tf.messages[-1].transforms}
    return scenes.planar(pose.messages[-1].pose), scenes.compose(transforms["odom"], transforms["base_footprint"])


@pytest.mark.parametrize("times", [1, 2])
def test_an_estimate_is_told_with_the_transforms_be_it_new_or_not(robot, times):
    for _ in range(times):
        found = placed(robot, lambda: robot.send("sim/pose_estimate", x=1.0, y=2.0, yaw=0.5))
    for kind, place in zip(("sim/pose", "tf"), found):
        scenes.assert_near(place, (1.0, 2.0, 0.5), 1e-9, kind)


def test_a_pose_on_another_map_is_told_with_the_transforms(robot):
    grid = {"info": {"width": 2, "height": 1, "resolution": 0.5}, "data": [0, 100]}
    map_id = robot.ok("sim/map/add", name="other", map=grid).map_id
    fields = {"map_id": map_id, "has_initial_pose": True, "x": 0.5, "y": 0.25, "yaw": 1.0}
    for kind, place in zip(("sim/pose", "tf"), placed(robot, lambda: robot.send("sim/map/switch", **fields))):
        scenes.assert_near(place, (0.5, 0.25, 1.0), 1e-9, kind)


@pytest.mark.parametrize("times", [1, 2])
def test_a_teleport_is_told_by_pose_and_transforms_be_it_new_or_not(robot, times):
    sim = robot.sim
    for _ in range(times):
        found = placed(robot, lambda: sim.send("set_robot_pose", name="kachaka", x=1.0, y=-1.0, yaw=0.5))
    for kind, place in zip(("sim/pose", "tf"), found):
        scenes.assert_near(place, (1.0, -1.0, 0.5), 1e-9, kind)


def test_a_reset_is_told_by_pose_and_transforms(robot):
    found = placed(robot, lambda: robot.send("sim/reset", data=False))
    for kind, place in zip(("sim/pose", "tf"), found):
        scenes.assert_near(place, (0.0, 0.0, 0.0), 1e-9, kind)


def test_the_pose_comes_every_step(robot):
    """Also while it stands, for readers that wait for one of a stamp."""
    pose = robot.latched("sim/pose", PoseStamped)
    pose.wait()
    start = robot.sim.now()
    told = []
    # One by one: only the last of a burst is kept for a reader that is slow.
    for _ in range(20):
        told.append(ns(robot.sim.step().sim_time))
        pose.entry(told[-1])
    assert pose.stamps(after=start) == told


# Somebody else localizes


def test_an_estimate_is_passed_on_to_who_localizes_it(sim):
    robot = kachaka.spawn(sim, config={"localization": {"mode": "external"}}, frame_prefix="k/")
    inbox = sim.subscribe(PoseWithCovarianceStamped, "/initialpose", reliable(), ready=False)
    sim.spin_until(lambda: sim.node.count_publishers("/initialpose") == 1, "a publisher of estimates")

    def told():
        robot.ok("sim/pose_estimate", x=1.0, y=2.0, yaw=0.5)
        return inbox.received

    sim.spin_until(told, "the estimate")
    message = inbox.messages[0]
    assert message.header.frame_id == "k/map" and ns(message.header.stamp) == sim.now()
    scenes.assert_near(scenes.planar(message.pose.pose), (1.0, 2.0, 0.5), 1e-9, "the estimate")
    variances = [message.pose.covariance[7 * axis] for axis in (0, 1, 5)]
    scenes.assert_near(variances, [0.25, 0.25, math.radians(15) ** 2], 1e-9, "as rviz2 has them")
    inbox.clear()
    robot.refused("sim/pose_estimate", 90001, "x", x=math.nan)
    sim.ok("get_world")
    assert inbox.messages == []


def test_nobody_else_is_told_of_an_estimate_that_it_takes_itself(robot):
    # What it opens behind it is there.
    last = robot.topic("sim/reset/event")
    robot.sim.spin_until(lambda: robot.sim.node.count_publishers(last) == 1, last)
    assert robot.sim.node.count_publishers("/initialpose") == 0


# Republishing


EVERYTHING = [
    ("mapping/map", OccupancyGrid),
    ("robot_info/version", String),
    ("sim/state", OnboardState),
    ("sim/command/history", CommandHistory),
    ("sim/info", OnboardInfo),
    ("sim/locations", Locations),
    ("sim/errors", ErrorCodes),
    ("sim/torch", Torches),
    ("sim/shelf_docked", Bool),
    ("sim/pose", PoseStamped),
]
PASSING = [
    ("robot_info/battery_state", BatteryState, best_effort()),
    ("diagnostics/error_status", DiagnosticArray, reliable()),
    ("odometry/odometry", Odometry, best_effort()),
    ("wheel_odometry/wheel_odometry", Odometry, best_effort()),
]


def test_republishing_tells_everything_again_of_the_named_robot_alone(sim):
    """Of the robot of exactly this name, though another name begins with it."""
    robots = {
        name: kachaka.spawn(sim, name, frame_prefix=f"{name}/", tf_topic=f"/{name}/tf", y=y)
        for name, y in (("k1", 0.0), ("k10", 2.0))
    }
    inboxes = {}
    for name, robot in robots.items():
        inboxes[name] = [robot.latched(*row) for row in EVERYTHING]
        inboxes[name] += [sim.subscribe(kind, robot.topic(topic), qos, ready=False) for topic, kind, qos in PASSING]
        inboxes[name].append(robot.latched(f"/{name}/tf_static", TFMessage))
        sim.make_ready(*inboxes[name])
    sequence = robots["k1"].now().sequence
    for inbox in inboxes["k1"] + inboxes["k10"]:
        fresh(inbox)
    assert sim.ok("republish", prefix="k1").count == 1
    for inbox in inboxes["k1"]:
        inbox.wait()
    assert inboxes["k1"][2].messages[-1].sequence == sequence, "it is the same state"
    assert sim.ok("republish", prefix="k").count == 2
    for inbox in inboxes["k10"]:
        inbox.wait()
        assert len(inbox.received) == 1, f"{inbox.topic} was told by republish of k1"


# Many requests


def test_a_burst_of_requests_is_not_a_burst_of_messages(robot):
    """Each is answered, none of its results is missed, and each reply is behind a state that shows it."""
    sim = robot.sim
    lock = {"type": number("LOCK"), "duration": 100.0}
    robot.state()
    # With room for all of them.
    kind = message_class("tatami_msgs/srv/StartCommand")
    client = sim.node.create_client(kind, robot.topic("sim/command/start"), qos_profile=reliable(2000))
    sim.release_later(lambda: sim.node.destroy_client(client))
    sim.spin_until(client.service_is_ready, "the service")
    for inbox in (robot.states, robot.histories):
        fresh(inbox)
    request = fill(kind.Request(), {"command": lock, "cancel_all": True})
    futures = [client.call_async(request) for _ in range(1000)]
    replies = [sim.reply(future, "a reply of the burst") for future in futures]
    ids = [reply.command_id for reply in replies]
    assert len(set(ids)) == 1000
    robot.now()
    states, histories = robot.states.received, robot.histories.received
    numbers = {}
    for history in histories:
        numbers |= {result.number: result.id for result in history.message.results}
    assert [numbers[number_] for number_ in sorted(numbers)] == ids[:-1], "each but the last was pre-empted"
    # The client sends them one by one, so they come in turns of some.
    assert len(histories) <= 500 and len(states) <= 500, f"{len(histories)} histories and {len(states)} states"
    for future, reply in zip(futures, replies):
        shown = [state for state in states if state.message.sequence >= reply.sequence]
        assert shown[0].sent_ns <= future.sent_ns, "the reply came before the state"


def test_what_ends_no_command_sends_no_history(robot):
    robot.start("LOCK", duration=100.0)
    robot.ok("sim/command/cancel")
    robot.now()
    robot.results()
    fresh(robot.histories)
    for brightness in range(20):
        robot.after("sim/torch/front", data=float(brightness))
    robot.now()
    assert robot.histories.received == []
    robot.start("LOCK", duration=100.0)
    robot.ok("sim/command/cancel")
    robot.now()
    assert len(robot.histories.wait()) == 1


def test_refused_velocities_do_not_flood_the_log(robot):
    sim = robot.sim
    velocity = robot.publisher("sim/autonomous/cmd_vel", Twist, best_effort())
    manual = robot.publisher("manual_control/cmd_vel", Twist, best_effort())
    broken = build("geometry_msgs/Twist", linear={"x": math.nan})
    lines = lambda: [line for line in sim.server.log().splitlines() if "linear is NaN" in line]  # noqa: E731
    before = len(lines())

    def warned():
        velocity.publish(broken)
        manual.publish(broken)
        return len(lines()) > before

    sim.spin_until(warned, "a warning")
    first = sim.now()
    for _ in range(50):
        velocity.publish(broken)
        manual.publish(broken)
        sim.ok("get_world")
    assert sim.now() == first
    # A second each; how long the fifty took is not known, but not ten seconds.
    assert len(lines()) - before <= 10, lines()


# Coming and going


def test_the_result_of_a_goal_is_there_for_a_while_after_its_robot(robot):
    handle = send_goal(robot, robot.action(), SPEAK, speak_command_text="a" * 500)
    robot.sim.ok("delete_robot", name="kachaka")
    result = robot.sim.reply(handle.get_result_async(), "the result of the goal")
    assert result.status == GoalStatus.STATUS_ABORTED
    assert not result.result.success and result.result.error_code == ROBOT_REMOVED, result


def test_a_robot_in_the_place_of_one_that_went_answers_its_clients(robot):
    """At once, without any look at what is offered."""
    sim = robot.sim
    action = robot.action()
    for x in (0.25, 0.5, 0.75):
        sim.ok("delete_robot", name="kachaka")
        sim.ok("spawn_robot", **kachaka.spawn_request(x=x))
        future = robot.client("sim/emergency_stop").call_async(robot.client("sim/emergency_stop").srv_type.Request())
        assert sim.reply(future, "the reply of the next robot").success
        handle = send_goal(robot, action, SPEAK, speak_command_text="hello")
        assert handle.accepted
        result = sim.reply(handle.get_result_async(), "the result of the next robot")
        assert result.result.error_code == 10107, "it is paused"


def test_a_robot_that_is_gone_refuses(robot):
    sim = robot.sim
    client = robot.client("sim/command/proceed")
    sim.spin_until(client.service_is_ready, "the service")
    sim.ok("delete_robot", name="kachaka")
    response = sim.reply(client.call_async(client.srv_type.Request()), "a refusal")
    assert (response.success, response.error_code) == (False, ROBOT_REMOVED), response


def test_requests_to_a_robot_that_goes_are_all_answered(robot):
    """Those that are on their way, and those of a client that asks on and on: its service stays for that long."""
    sim = robot.sim
    clients = [robot.client(name) for name in ("sim/command/proceed", "sim/torch/front", "sim/map/get", "sim/reset")]
    for client in clients:
        sim.spin_until(client.service_is_ready, "the services")
    ask = lambda client: client.call_async(client.srv_type.Request())  # noqa: E731
    futures = [ask(client) for _ in range(20) for client in clients]
    gone = sim.send("delete_robot", name="kachaka")
    futures += [ask(client) for _ in range(20) for client in clients]
    for future in futures:
        sim.reply(future, "a reply to what was on its way")
    assert sim.reply(gone).success
    # Beyond the second for which the services stay in any case.
    end = time.monotonic() + 2.0
    while time.monotonic() < end:
        response = sim.reply(ask(clients[0]), "a refusal")
        assert (response.success, response.error_code) == (False, ROBOT_REMOVED), response
        assert "taken out of the world" in response.message


def test_the_action_forgets_the_oldest_of_many_goals(robot):
    """Else each goal would be told of with all before it, and none ever forgotten."""
    sim = robot.sim
    robot.ok("sim/emergency_stop")
    action = robot.action()
    statuses = robot.latched("kachaka_command/execute/_action/status", GoalStatusArray)
    goal = ExecKachakaCommand.Goal()
    goal.kachaka_command.command_type = SPEAK
    handles = []
    for _ in range(101):
        handles += [sim.reply(future) for future in [action.send_goal_async(goal) for _ in range(10)]]
    assert all(handle.accepted for handle in handles)
    results = [sim.reply(handle.get_result_async(), "a result") for handle in (handles[0], handles[10], handles[-1])]
    unknown, aborted = GoalStatus.STATUS_UNKNOWN, GoalStatus.STATUS_ABORTED
    assert [result.status for result in results] == [unknown, aborted, aborted], "the last 1,000 are known"
    told = lambda: [bytes(status.goal_info.goal_id.uuid) for status in statuses.messages[-1].status_list]  # noqa: E731
    latest = [bytes(handle.goal_id.uuid) for handle in handles[-100:]]
    sim.spin_until(lambda: statuses.messages and told() == latest, "the statuses of the last hundred")
