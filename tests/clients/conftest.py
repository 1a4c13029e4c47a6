"""Fixtures: a world with a Kachaka and its adapter, one at a time, in a ROS domain of its own."""

import os

import harness  # noqa: F401  (makes the modules of tests/ros importable)
import pytest
from domain import reserve_domain

# Before any participant exists.
if "ROS_DOMAIN_ID" not in os.environ:
    DOMAIN_LOCK = reserve_domain()
os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")

from harness.clients import CLIENTS  # noqa: E402
from harness.robot import Robot  # noqa: E402
from harness.world import World  # noqa: E402
from kachaka_core.commands import KachakaCommands  # noqa: E402
from kachaka_core.connection import KachakaConnection  # noqa: E402
from kachaka_core.queries import KachakaQueries  # noqa: E402


class Worlds:
    """The one world that runs at a time."""

    def __init__(self):
        self.world = None
        self.robot = None
        self.spoiled = True

    def start(self, *arguments, **keywords):
        """Starts a new world; the one before ends."""
        self.stop()
        self.world = World(*arguments, **keywords)
        return self.world

    def shared(self):
        """The Kachaka in the test room as it was spawned: the running one if nothing is wrong with it."""
        fits = not self.spoiled and self.robot and all(process.alive() for process in self.world.processes())
        if not fits:
            self.robot = Robot(self.start())
            self.spoiled = False
        self.world.reset()
        # A robot ignores velocities for a second after a reset.
        self.world.seconds(1.1)
        self.robot.settled()
        return self.robot

    def stop(self):
        """Ends the world. Returns the exit codes of its programs."""
        world, self.world, self.robot = self.world, None, None
        self.spoiled = True
        return world.close() if world else []


@pytest.fixture(scope="session")
def worlds():
    manager = Worlds()
    try:
        yield manager
    finally:
        manager.stop()


@pytest.fixture
def robot(worlds):
    """A Kachaka in the test room, paused (dt 20 ms), as it was spawned."""
    return worlds.shared()


@pytest.fixture
def start_world(worlds):
    """Starts a world of one's own; it is gone after the test."""
    yield worlds.start
    worlds.stop()


@pytest.fixture(params=sorted(CLIENTS))
def client(request, robot):
    """Each of the two clients of kachaka-api. A test that is marked with `calls` must call these methods."""
    client = CLIENTS[request.param](robot.target)
    yield client
    client.close()
    marked = {name for mark in request.node.iter_markers("calls") for name in mark.args}
    report = getattr(request.node, "call_report", None)
    if report and report.passed:
        assert marked <= client.called, f"the test never called {sorted(marked - client.called)}"


@pytest.fixture
def connection(robot):
    """A connection of kachaka-sdk-toolkit, with the health check that it has from the start."""
    yield KachakaConnection.get(robot.target, monitor_interval=0.2)
    KachakaConnection.clear_pool()


@pytest.fixture
def commands(connection):
    return KachakaCommands(connection)


@pytest.fixture
def queries(connection):
    return KachakaQueries(connection)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """Puts the programs' logs into the report of a test that failed, and gives the next test a new world."""
    outcome = yield
    report = outcome.get_result()
    if call.when == "call":
        item.call_report = report
    worlds = item.funcargs.get("worlds") if hasattr(item, "funcargs") else None
    if report.failed and worlds and worlds.world:
        report.sections.append(("logs of the programs", worlds.world.log()))
        worlds.spoiled = True
