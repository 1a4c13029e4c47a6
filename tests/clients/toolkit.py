"""Fixtures of kachaka-sdk-toolkit, which pools its connections."""

import pytest
from kachaka_core.commands import KachakaCommands
from kachaka_core.connection import KachakaConnection
from kachaka_core.queries import KachakaQueries


@pytest.fixture
def connection(robot):
    """A connection whose health check pings, as programs get it."""
    yield KachakaConnection.get(robot.target, monitor_interval=0.2)
    KachakaConnection.clear_pool()


@pytest.fixture
def commands(connection):
    return KachakaCommands(connection)


@pytest.fixture
def queries(connection):
    return KachakaQueries(connection)
