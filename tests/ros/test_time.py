"""The clock and who may move it."""

import signal

import pytest
from rosgraph_msgs.msg import Clock
from rclpy.clock import ClockType
from rclpy.node import Node
from rclpy.parameter import Parameter

import scenes
from conftest import DT
from sim import ns, reliable

DT_NS = 20_000_000


def clock_inbox(sim):
    """What comes on /clock, from the first message on."""
    inbox = sim.subscribe(Clock, "/clock", reliable(200), ready=False)
    inbox.wait(1)
    return inbox


def assert_frozen(sim, stamp):
    """The frozen time keeps going out, and nothing else does."""
    clock = clock_inbox(sim)
    clock.wait(20)
    assert clock.stamps() == [stamp], f"the clock shows {clock.stamps()}, expected only {stamp}"
    world = sim.ok("get_world")
    assert world.paused
    assert ns(world.sim_time) == stamp


def assert_running(sim):
    clock = clock_inbox(sim)
    sim.spin_until(lambda: len(clock.stamps()) > 3, "the clock to run")
    assert not sim.ok("get_world").paused


def test_time_is_whole_steps(sim):
    before = sim.ok("get_world")
    assert before.physics_dt_ns == DT_NS
    assert before.physics_dt == DT
    after = sim.step(7)
    assert after.step == before.step + 7
    assert ns(after.sim_time) == after.step * DT_NS


def test_step_is_rounded_to_nanoseconds_once(start_server):
    sim = start_server(physics_dt=1.0 / 3.0, paused=True)
    world = sim.ok("get_world")
    assert world.physics_dt_ns == 333_333_333
    after = sim.step(1000)
    assert ns(after.sim_time) == after.step * 333_333_333


def test_a_late_node_gets_the_time_of_a_world_that_was_started_paused(start_server):
    sim = start_server(physics_dt=DT, paused=True)
    late = Node(
        "late",
        context=sim.context,
        use_global_arguments=False,
        parameter_overrides=[Parameter("use_sim_time", value=True)],
    )
    sim.executor.add_node(late)
    try:
        clock = late.get_clock()
        assert clock.clock_type == ClockType.ROS_TIME
        # Ten times the second that it may take, for busy machines.
        sim.spin_until(lambda: clock.now().nanoseconds != 0, "a time that is not 0", deadline=10.0)
        assert clock.now().nanoseconds == sim.now()
        assert clock.now().nanoseconds % DT_NS == 0
    finally:
        sim.executor.remove_node(late)
        late.destroy_node()


def test_no_stamp_is_zero(start_server):
    sim = start_server(physics_dt=DT, paused=True)
    sim.spawn_bot(sensors=[scenes.laser()])
    clock = clock_inbox(sim)
    sim.step(3)
    clock.entry(sim.now())
    assert min(clock.stamps()) >= DT_NS, clock.stamps()


def test_the_paused_clock_is_frozen_and_keeps_going_out(sim):
    reached = sim.step(3)
    assert_frozen(sim, ns(reached.sim_time))


@pytest.mark.parametrize("pause", [True, False])
def test_multi_step_while_paused_takes_exactly_that_many_and_stays_paused(sim, pause):
    start = sim.now()
    response = sim.ok("control_world", pause=pause, multi_step=10)
    assert response.steps_taken == 10
    assert ns(response.sim_time) == start + 10 * DT_NS
    assert_frozen(sim, start + 10 * DT_NS)


def test_multi_step_with_pause_false_while_running_is_refused(sim):
    sim.spawn_bot()
    sim.ok("control_world", pause=False)
    response = sim.refused(
        "control_world",
        "pause",
        pause=False,
        multi_step=10,
        commands=[sim.drive(linear=1.0)],
        poses=[],
        discs=[scenes.disc("stranger", 5.0)],
    )
    assert response.steps_taken == 0
    assert_running(sim)
    assert "stranger" not in sim.entities()
    assert sim.robot().twist.linear.x == 0.0


def test_multi_step_with_pause_true_while_running_pauses_and_steps(sim):
    sim.ok("control_world", pause=False)
    assert_running(sim)
    response = sim.ok("control_world", pause=True, multi_step=10)
    assert response.steps_taken == 10
    assert_frozen(sim, ns(response.sim_time))


def test_pause_and_unpause(sim):
    sim.ok("control_world", pause=False)
    assert_running(sim)
    response = sim.ok("control_world", pause=True)
    assert response.steps_taken == 0
    assert_frozen(sim, ns(response.sim_time))


@pytest.mark.parametrize("paused", [True, False])
@pytest.mark.parametrize("pause", [True, False])
def test_a_report_only_reads(sim, paused, pause):
    sim.spawn_bot("b")
    sim.spawn_bot("a", x=1.5, yaw=0.5)
    sim.ok("control_world", pause=paused)
    response = sim.ok("control_world", pause=pause, report=True)
    assert response.steps_taken == 0
    assert [state.name for state in response.robots] == ["a", "b"]
    first = response.robots[0]
    assert (first.pose.position.x, first.yaw) == (1.5, 0.5)
    assert sim.ok("get_world").paused == paused


@pytest.mark.parametrize("paused", [True, False])
@pytest.mark.parametrize("pause", [True, False])
def test_inputs_without_steps_are_applied_and_leave_the_pause_state(sim, paused, pause):
    sim.ok("spawn_boxes", boxes=[scenes.box("crate", 5.0)])
    sim.ok("control_world", pause=paused)
    response = sim.ok(
        "control_world",
        pause=pause,
        poses=[{"name": "crate", "x": 6.0, "y": 1.0, "yaw": 0.25}],
        discs=[scenes.disc("walker", 8.0)],
    )
    assert response.steps_taken == 0
    assert sim.ok("get_world").paused == paused
    entities = sim.entities()
    crate = entities["crate"]
    assert (crate.x, crate.y, crate.yaw) == (6.0, 1.0, 0.25)
    assert "walker" in entities


def test_commands_without_steps_wait_for_the_next_step(sim):
    sim.spawn_bot()
    sim.ok("control_world", commands=[sim.drive(linear=0.5)])
    assert sim.robot().pose.position.x == 0.0
    sim.step(10)
    scenes.assert_near(sim.robot().pose.position.x, 0.5 * 10 * DT, 1e-9, "x after 10 steps")


def test_inputs_count_from_the_first_step_of_their_request(sim):
    sim.spawn_bot()
    response = sim.step(10, commands=[sim.drive(linear=0.5)], report=True)
    scenes.assert_near(response.robots[0].pose.position.x, 0.5 * 10 * DT, 1e-9, "x")


def test_without_report_no_robot_is_told(sim):
    sim.spawn_bot()
    assert sim.step(1).robots == []


def test_two_clients_that_step_at_once_get_their_steps(servers, sim):
    other = servers.another_client()
    start = sim.ok("get_world").step
    futures = [
        client.send("control_world", pause=True, multi_step=3) for _ in range(25) for client in (sim, other)
    ]
    for future, client in zip(futures, [sim, other] * 25):
        client.reply(future)
    responses = [future.result() for future in futures]
    assert [r.success for r in responses] == [True] * 50, [r.message for r in responses]
    assert [r.steps_taken for r in responses] == [3] * 50
    reached = sorted(r.step - start for r in responses)
    assert reached == list(range(3, 151, 3)), reached
    assert sim.ok("get_world").step == start + 150


@pytest.mark.parametrize("paused", [True, False])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_server(start_server, paused, number):
    sim = start_server(paused=paused, real_time_factor=0.0)
    sim.spawn_bot()
    sim.server.process.send_signal(number)
    assert sim.server.wait(10.0) == 0, sim.server.log()
