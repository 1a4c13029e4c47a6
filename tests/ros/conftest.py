"""Fixtures: a server for the tests, one at a time, in a ROS domain of its own."""

import os

import pytest

from domain import reserve_domain

# Before any participant exists.
if "ROS_DOMAIN_ID" not in os.environ:
    DOMAIN_LOCK = reserve_domain()
os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")

import scenes  # noqa: E402
from server import Server  # noqa: E402
from sim import Sim  # noqa: E402

# What most tests run with: 20 ms have an exact number of nanoseconds and divide 0.1 s.
DT = 0.02
SHARED = {"physics_dt": DT, "paused": True}


class Servers:
    """The one server that runs at a time, with its client; restarted when other parameters are wanted."""

    def __init__(self):
        self.server = None
        self.sim = None
        self.spoiled = False
        self._extra = []

    def start(self, *arguments, **parameters):
        """Starts a new server with these on its command line, and a client that has found it."""
        self.stop()
        self.spoiled = False
        self.server = Server(*arguments, **parameters)
        self.sim = Sim()
        self.sim.server = self.server
        self.sim.wait_for_server()
        return self.sim

    def shared(self):
        """A server with the usual parameters and an empty world: the running one if it is such."""
        fits = self.server is not None and self.server.parameters == SHARED
        if not fits or self.spoiled or not self.server.alive():
            return self.start(**SHARED)
        self.sim.clean()
        return self.sim

    def another_client(self):
        """A second client of the running server, in a context of its own; it ends with the test."""
        sim = Sim("second_probe")
        self._extra.append(sim)
        sim.wait_for_server()
        return sim

    def close_others(self):
        """Ends all clients but the first."""
        others, self._extra = self._extra, []
        for sim in others:
            sim.close()

    def stop(self):
        """Ends the server and its clients. Returns the server's exit code."""
        self.close_others()
        sim, self.sim = self.sim, None
        if sim:
            sim.close()
        server, self.server = self.server, None
        return server.stop() if server else None


@pytest.fixture(scope="session")
def servers():
    manager = Servers()
    try:
        yield manager
    finally:
        manager.stop()


@pytest.fixture
def sim(servers):
    """A client of a paused server (dt 20 ms) with an empty world."""
    sim = servers.shared()
    yield sim
    servers.close_others()
    sim.release()


@pytest.fixture
def start_server(servers):
    """Starts a server with the given parameters; it is gone after the test."""
    yield servers.start
    servers.stop()


@pytest.fixture
def scene(sim):
    """A small world for bad requests; afterwards it must still be there as it was, and step without harm."""
    sim.ok("add_floors", floors=[{"name": "ground", "z": 0.0}])
    sim.ok("add_outlines", outlines=[scenes.square_room("room", 5.0)])
    sim.ok("spawn_boxes", boxes=[scenes.box("crate", 2.0)])
    sim.ok("control_world", discs=[scenes.disc("walker", -2.0)])
    sim.spawn_bot(sensors=[scenes.laser()])
    before = sim.existing()
    yield sim
    assert sim.server.alive(), "the server is gone"
    assert sim.existing() == before, "what was refused has changed the world"
    start = sim.robot().pose.position.x
    state = sim.step(10, commands=[sim.drive(linear=0.5)], report=True).robots[0]
    scenes.assert_near(state.pose.position.x, start + 0.1, 1e-9, "the robot still drives")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """Puts the server's log into the report of a test that failed, and gives the next test a new server."""
    outcome = yield
    report = outcome.get_result()
    servers = item.funcargs.get("servers") if hasattr(item, "funcargs") else None
    if report.failed and servers and servers.server:
        server = servers.server
        state = "running" if server.alive() else f"ended with {server.process.returncode}"
        report.sections.append((f"log of the server (pid {server.pid}, {state})", server.log()[-8000:]))
        # Also by a fixture that did not get through, or found the world damaged.
        servers.spoiled = True
