"""What the server takes of the machine."""

import os

import pytest
from rosgraph_msgs.msg import Clock

import scenes
from conftest import SHARED
from test_graph import full_bot


@pytest.fixture
def fresh(start_server):
    """A client of a server that nothing has run on: how much memory one holds depends on what it has had to hold."""
    return start_server(**SHARED)


def test_rounds_of_spawn_and_delete_leave_nothing_behind(fresh):
    sim = fresh

    def rounds(count):
        for _ in range(count):
            sim.ok("spawn_robot", **full_bot("bot"))
            sim.step(2)
            sim.ok("delete_robot", name="bot")

    def topics():
        return [name for name, _ in sim.node.get_topic_names_and_types() if name.startswith("/bot")]

    rounds(50)
    before = sim.server.resident_kilobytes()
    rounds(150)
    after = sim.server.resident_kilobytes()
    sim.spin_until(lambda: not topics(), lambda: f"no topic of the robot, have {topics()}")
    assert sim.ok("get_world").robots == []
    assert after - before < 4096, f"{before} kB before 150 rounds, {after} kB after"
    assert after < 100_000, f"{after} kB"


def test_rounds_of_entities_leave_nothing_behind(fresh):
    sim = fresh

    def rounds(count):
        for _ in range(count):
            sim.ok("spawn_boxes", boxes=[scenes.box(f"b{i}", float(i)) for i in range(200)])
            sim.ok("add_outlines", outlines=[scenes.square_room(f"o{i}", 1.0 + i) for i in range(50)])
            sim.step(2, discs=[scenes.disc(f"d{i}", float(i)) for i in range(50)])
            sim.ok("delete_entities", names=list(sim.entities()))

    rounds(10)
    before = sim.server.resident_kilobytes()
    rounds(30)
    after = sim.server.resident_kilobytes()
    assert after - before < 4096, f"{before} kB before 30 rounds, {after} kB after"


def processor_seconds(pid):
    with open(f"/proc/{pid}/stat") as file:
        # Behind the name, which is in brackets and may hold anything: fields 14 and 15.
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.parametrize("robots", [0, 1])
def test_a_paused_server_rests(sim, robots):
    """Under 5 % of a core while it keeps the clock going out (C-10)."""
    for i in range(robots):
        sim.ok("spawn_robot", **full_bot(f"bot{i}"))
    clock = sim.subscribe(Clock, "/clock", ready=False)
    clock.wait(10)
    first = clock.received[-1]
    used = processor_seconds(sim.server.pid)
    # The server's own stamps of writing measure the wall time.
    sim.spin_until(lambda: clock.received[-1].sent_ns > first.sent_ns + 3_000_000_000, "3 s of wall time")
    used = processor_seconds(sim.server.pid) - used
    wall = (clock.received[-1].sent_ns - first.sent_ns) / 1e9
    assert used < 0.05 * wall, f"{used} s of processor time in {wall} s"
