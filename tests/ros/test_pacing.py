"""Wall time against sim time, and servers that die."""

import pytest
from rosgraph_msgs.msg import Clock

from server import Server
from sim import reliable

DT_NS = 20_000_000


def wall_of_steps(sim, steps):
    """Wall seconds, by the server's own clock, in which at least that many steps passed; per step."""
    inbox = sim.subscribe(Clock, "/clock", reliable(1000), ready=False)
    # The first one may still be from before a change.
    inbox.wait(2)
    inbox.clear()
    inbox.wait(1)
    first = inbox.received[0]
    sim.spin_until(lambda: inbox.received[-1].stamp >= first.stamp + steps * DT_NS, f"{steps} steps")
    last = inbox.received[-1]
    return (last.sent_ns - first.sent_ns) / 1e9 / ((last.stamp - first.stamp) / DT_NS)


@pytest.fixture
def running(sim):
    """The shared server, running; its parameters are as at start again after the test."""
    sim.ok("control_world", pause=False)
    yield sim
    for name, value in (("real_time_factor", 1.0), ("clock_rate", 0.0), ("paused_clock_period", 0.01)):
        assert sim.set_parameter(name, value).successful
    sim.ok("control_world", pause=True)


@pytest.mark.parametrize("factor", [0.2, 1.0, 4.0])
def test_steps_are_not_taken_faster_than_the_factor_says(running, factor):
    assert running.set_parameter("real_time_factor", factor).successful
    wall = wall_of_steps(running, max(5, int(20 * factor)))
    # A late step is made up for, by at most one step in so many.
    assert wall >= 0.75 * 0.02 / factor, f"{wall} s per step at a factor of {factor}"


def test_factor_zero_runs_as_fast_as_it_can(running):
    assert running.set_parameter("real_time_factor", 0.2).successful
    slow = wall_of_steps(running, 5)
    # A message of each step would be a flood, in which the reply may be late.
    assert running.set_parameter("clock_rate", 1.0).successful
    assert running.set_parameter("real_time_factor", 0.0).successful
    fast = wall_of_steps(running, 2000)
    # Alone an empty world takes some microseconds per step; real time would be 20 ms.
    assert fast < 0.01 < slow, f"{fast} s per step without a limit, {slow} s with 0.2"


def test_get_world_tells_the_measured_factor(running):
    assert running.set_parameter("real_time_factor", 0.5).successful
    running.spin_until(lambda: running.ok("get_world").real_time_factor > 0.0, "a measured factor")
    wall_of_steps(running, 60)
    # Later than asked for on a busy machine, hardly ever sooner.
    measured = running.ok("get_world").real_time_factor
    assert 0.0 < measured < 0.6, measured
    running.ok("control_world", pause=True)
    assert running.ok("get_world").real_time_factor == 0.0


def test_clock_rate_divides_the_clock(running):
    assert running.set_parameter("clock_rate", 10.0).successful
    inbox = running.subscribe(Clock, "/clock", reliable(200), ready=False)
    inbox.wait(2)
    inbox.clear()
    inbox.wait(6)
    stamps = inbox.stamps()
    gaps = [b - a for a, b in zip(stamps, stamps[1:])]
    # Depth 1: one that was overwritten leaves a gap of two.
    assert all(gap > 0 and gap % (5 * DT_NS) == 0 for gap in gaps), gaps
    assert running.set_parameter("clock_rate", 0.0).successful
    running.spin_until(
        lambda: any(b - a == DT_NS for a, b in zip(inbox.stamps(), inbox.stamps()[1:])),
        "a clock that shows every step again",
    )


def test_paused_clock_period_can_be_set(running):
    running.ok("control_world", pause=True)
    inbox = running.subscribe(Clock, "/clock", reliable(200), ready=False)
    inbox.wait(10)
    assert running.set_parameter("paused_clock_period", 0.2).successful
    # What was on its way still comes at the old pace.
    inbox.wait(len(inbox.received) + 2)
    inbox.clear()
    inbox.wait(7)
    # One that is late takes from the gap behind it, but what was missed is never made up for: six take 1 s at least.
    span = (inbox.received[6].sent_ns - inbox.received[0].sent_ns) / 1e9
    assert span > 0.6, f"six periods of 0.2 s took {span} s"


def test_a_shorter_paused_clock_period_holds_at_once(running):
    """Not only after the long one that is under way."""
    running.ok("control_world", pause=True)
    inbox = running.subscribe(Clock, "/clock", reliable(200), ready=False)
    inbox.wait(10)

    def first_after(name, value):
        """The first message that was written after the reply to this change, with the time of that one."""
        future = running.send_parameter(name, value)
        assert running.reply(future).results[0].successful
        later = lambda: [r for r in inbox.received if r.sent_ns > future.sent_ns]  # noqa: E731
        running.spin_until(later, f"a message after {name} was set to {value}")
        return (later()[0].sent_ns - future.sent_ns) / 1e9

    # The next one was due already; from then on it is the long period.
    first_after("paused_clock_period", 10.0)
    wait = first_after("paused_clock_period", 0.02)
    assert wait < 5.0, f"{wait} s after the period was set to 0.02 s"


def test_clients_outlive_a_server_that_was_killed(start_server, servers):
    sim = start_server(physics_dt=0.02, paused=True)
    clock = sim.subscribe(Clock, "/clock", reliable(200), ready=False)
    sim.step(50)
    sim.spawn_bot()
    before = sim.now()
    clock.entry(before)
    sim.server.kill()
    servers.server = sim.server = Server(physics_dt=0.02, paused=True)
    # The same client finds the new server: an empty world near time 0.
    answered = []

    def new_server_answers():
        future = sim.send("get_world")
        try:
            world = sim.reply(future, deadline=1.0)
        except AssertionError:
            return False
        answered.append(world)
        return True

    sim.spin_until(new_server_answers, "an answer of the new server", deadline=60.0)
    assert answered[-1].step < 50
    assert len(answered[-1].robots) == 0
    assert sim.step(2).steps_taken == 2
    clock.clear()
    clock.wait(1)
    assert clock.received[-1].stamp < before
