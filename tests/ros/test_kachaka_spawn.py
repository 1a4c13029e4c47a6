"""Spawning Kachakas: what is refused, several at once, and what is left when they go."""

import pytest
from geometry_msgs.msg import Twist

import kachaka
import scenes
from conftest import SHARED
from kachaka_interfaces.action import ExecKachakaCommand
from tatami_msgs.msg import CommandHistory
from test_kachaka_commands import SPEAK, outcome, send_goal


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"onboard": "roomba"}, ("onboard", '"roomba"', '"kachaka"')),
        ({"onboard": "", "onboard_config": "drive: {}"}, ("onboard_config", "onboard is empty")),
        ({"world_frame": "world"}, ("world_frame", "map")),
        ({"stamped": True}, ("stamped",)),
        ({"onboard_config": "drive: ["}, ("onboard_config", "1:")),
        ({"onboard_config": "drive:\n  manual_liner: 0.2\n"}, ("onboard_config:2:3", "manual_liner", "manual_linear")),
        ({"onboard_config": "speaker: {volume: 11}"}, ("onboard_config", "speaker.volume", "11", "10")),
        ({"onboard_config": "navigator: nav2"}, ("navigator", "nav2")),
        ({"onboard_config": "locations: [{id: odom, name: a}]"}, ("location", "odom")),
        ({"onboard_config": "locations: [{id: 'L 1', name: a}]"}, ("location", "L 1")),
        ({"tf_topic": "sim/state"}, ("sim/state", "tf_topic")),
    ],
)
def test_what_can_not_be_is_refused(sim, fields, words):
    sim.refused("spawn_robot", *words, **kachaka.spawn_request(**fields))
    assert sim.robots() == {}


def test_sensors_can_not_take_a_name_of_the_surface(sim):
    request = kachaka.spawn_request()
    request["sensors"] = [scenes.laser(topic="odometry/odometry", frame="laser_frame")]
    sim.refused("spawn_robot", "odometry/odometry", "sensors[0]", **request)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"frame_prefix": "b/"}, ("/kachaka/", 'robot "kachaka"')),
        ({"robot_namespace": "/b"}, ("frame_prefix", 'robot "kachaka"')),
    ],
)
def test_two_in_one_namespace_or_prefix_are_refused(sim, fields, words):
    robot = kachaka.spawn(sim)
    request = kachaka.spawn_request("second", robot_namespace="/kachaka", y=2.0) | fields
    sim.refused("spawn_robot", *words, **request)
    assert list(sim.robots()) == ["kachaka"]
    robot.now()


def test_two_side_by_side_do_not_hear_each_other(sim):
    robots = [kachaka.spawn(sim, name, frame_prefix=f"{name}/", y=y) for name, y in (("a", 0.0), ("b", 2.0))]
    a, b = robots
    first = a.start("MOVE_FORWARD", distance=0.3)
    second = b.start("MOVE_FORWARD", distance=-0.2)
    assert first != second
    sim.step(200)
    assert a.result(first).success and b.result(second).success
    assert list(a.results()) == [first] and list(b.results()) == [second]
    scenes.assert_near((a.pose()[0], b.pose()[0]), (0.3, -0.2), 0.002, "both drove their own way")
    a.ok("sim/emergency_stop")
    assert a.now().emergency_stopped and not b.now().emergency_stopped
    handle = send_goal(b, b.action(), SPEAK, speak_command_text="hello")
    assert outcome(b, handle)[1].success
    sim.ok("add_locations", robot="a", locations=[{"id": "L01"}])
    assert b.call("sim/command/start", command={"type": 7, "location_id": "L01"}).error_code == 10253


def graph(sim):
    """Everything below the robot's namespace and every node but the server and this test."""
    services = {name for name, _ in sim.node.get_service_names_and_types() if name.startswith("/kachaka")}
    topics = {name for name, _ in sim.node.get_topic_names_and_types() if name.startswith("/kachaka")}
    nodes = {name for name, _ in sim.node.get_node_names_and_namespaces()} - {"tatami", "probe"}
    return services | topics | nodes


def test_a_deleted_kachaka_leaves_the_graph(sim):
    robot = kachaka.spawn(sim)
    robot.now()
    sim.spin_until(lambda: len(graph(sim)) > 50, lambda: f"its names: {graph(sim)}")
    robot.close()
    sim.release()
    sim.ok("delete_robot", name="kachaka")
    sim.spin_until(lambda: not graph(sim), lambda: f"nothing of the robot, have {sorted(graph(sim))}")


def test_rounds_of_spawn_and_delete_leave_nothing_behind(start_server):
    # Of its own, since how much memory a server holds depends on what it has had to hold.
    sim = start_server(**SHARED)

    def rounds(count):
        for _ in range(count):
            sim.ok("spawn_robot", **kachaka.spawn_request())
            sim.step(2)
            sim.ok("delete_robot", name="kachaka")

    rounds(20)
    before = sim.server.resident_kilobytes()
    rounds(50)
    after = sim.server.resident_kilobytes()
    sim.spin_until(lambda: not graph(sim), lambda: f"nothing of the robot, have {sorted(graph(sim))}")
    assert sim.ok("get_world").robots == []
    assert after - before < 4096, f"{before} kB before 50 rounds, {after} kB after"


def history_writers(sim):
    """Who publishes results: the ids of the publishers."""
    return {bytes(info.endpoint_gid) for info in sim.node.get_publishers_info_by_topic("/kachaka/sim/command/history")}


def test_a_kachaka_that_is_replaced_answers_as_before(sim):
    robot = kachaka.spawn(sim)
    for x in (0.5, 1.0):
        old = robot.start("LOCK", duration=9.0)
        sim.ok("spawn_robot", **kachaka.spawn_request(x=x))
        # The last history of the one before says how its command ended.
        sim.spin_until(
            lambda: any(result.id == old for history in robot.histories.messages for result in history.results),
            "the result of the command of the old one",
        )
        sim.spin_until(lambda: not robot.states.messages[-1].command_id, "the new one's state")
        assert robot.call("sim/emergency_stop").success
        sim.spin_until(lambda: robot.states.messages[-1].emergency_stopped, "its pause")
    scenes.assert_near(robot.pose()[0], 1.0, 1e-12, "m")


@pytest.mark.parametrize("deleted", [False, True], ids=["replaced", "deleted"])
def test_the_results_of_a_robot_that_goes_are_told_and_then_forgotten(sim, deleted):
    """By the publisher that readers are connected with, for else a busy one could miss them."""
    robot = kachaka.spawn(sim)
    ids = [robot.start("LOCK", duration=9.0) for _ in range(3)]
    before = history_writers(sim)
    assert len(before) == 1
    if deleted:
        sim.ok("delete_robot", name="kachaka")
    sim.ok("spawn_robot", **kachaka.spawn_request())
    assert history_writers(sim) == before, "the results went with their publisher"
    told = lambda: {result.id: result.error_code for h in robot.histories.messages for result in h.results}  # noqa: E731
    sim.spin_until(lambda: len(told()) == len(ids), "all results")
    assert told() == dict.fromkeys(ids, 90010)
    command = robot.start("LOCK", duration=0.1)
    sim.step(10)
    assert robot.result(command).success and list(robot.results()) == [command]
    sim.spin_until(lambda: len(history_writers(sim) - before) == 1 == len(history_writers(sim)), "another publisher")
    late = robot.latched("sim/command/history", CommandHistory)
    late.wait()
    assert [[result.id for result in history.results] for history in late.messages] == [[command]]


def test_the_next_robot_is_not_asked_what_the_last_one_was(sim):
    """Neither by a request that was in flight, nor by what the server ends its services with."""
    robot = kachaka.spawn(sim)
    robot.call("sim/power_button")
    robot.call("sim/power_button")
    for _ in range(5):
        robot.send("sim/command/proceed")
        sim.ok("delete_robot", name="kachaka")
        sim.ok("spawn_robot", **kachaka.spawn_request())
        sim.step(5)
    robot.close()
    last = kachaka.Kachaka(sim)
    state = last.state()
    assert not state.emergency_stopped, state
    sim.step(5)
    assert last.now().sequence == state.sequence, "nobody has asked for anything"


def test_a_plain_robot_takes_its_place_and_it_the_plain_ones(sim):
    for _ in range(3):
        robot = kachaka.spawn(sim)
        robot.now()
        robot.close()
        sim.spawn_bot("kachaka")
        publisher = sim.publisher(Twist, "/kachaka/cmd_vel")

        def drives():
            publisher.publish(Twist())
            return sim.step(1, commands=[sim.drive("kachaka", linear=0.5)], report=True).robots[0].twist.linear.x == 0.5

        sim.spin_until(drives, "the plain robot to drive")
    sim.release()
    sim.ok("delete_prefix", prefix="kach")
    sim.spin_until(lambda: not graph(sim), lambda: f"nothing of the robot, have {sorted(graph(sim))}")


def test_many_goals_do_not_make_the_server_busy(sim):
    """Each is refused at once; an action server that keeps them for ever would get slower and slower."""
    robot = kachaka.spawn(sim)
    action = robot.action()
    before = sim.server.resident_kilobytes()
    for _ in range(100):
        # As many at once as an action server's queue takes.
        goals = [action.send_goal_async(ExecKachakaCommand.Goal()) for _ in range(5)]
        for goal in goals:
            handle = sim.reply(goal, "the answer to a goal")
            assert handle.accepted
    after = sim.server.resident_kilobytes()
    assert after - before < 4096, f"{before} kB before 500 goals, {after} kB after"
