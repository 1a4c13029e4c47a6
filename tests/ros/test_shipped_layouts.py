"""Every layout that ships loads through the services, the same each time, with nothing inside anything else."""

import subprocess

import pytest

from process import ROOT, binary

LAYOUTS = sorted((ROOT / "config" / "layouts").glob("*.yaml"))


def load(layout, *arguments):
    """What the program says when it puts a layout into the world."""
    command = [binary("tatami_layout"), layout, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.stem)
def test_it_loads_alike_each_time_and_runs(sim, layout):
    said = load(layout, "--seed", "3")
    # What is indented are remarks of the server, such as that a robot stands in something.
    assert not [line for line in said.splitlines() if line.startswith(" ")], said
    first = sim.existing()
    assert "kachaka" in first
    for name in list(sim.robots()):
        sim.ok("delete_robot", name=name)
    sim.ok("delete_entities", names=list(sim.entities()))
    load(layout, "--seed", "3")
    assert sim.existing() == first
    sim.step(50)
    contacts = sim.ok("control_world", report=True).robots
    assert [list(robot.contacts) for robot in contacts] == [[] for _ in contacts]
