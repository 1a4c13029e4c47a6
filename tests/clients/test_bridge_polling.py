"""The bridge's way of polling, from 20 threads: no error, nothing twice, and no result missed.

scripts/soak runs the same for minutes.
"""

import grpc
import pytest
from harness.bridge import TOPICS, Bridge
from harness.soak import Soak

POLLS = 2000


def test_polls_of_a_bridge(robot):
    assert len(TOPICS) == 20
    bridge = Bridge(robot.target)
    try:
        soak = Soak(robot, bridge)
        while bridge.polls < POLLS:
            soak.one_command()
    finally:
        bridge.stop()
    soak.check()
    assert soak.commands >= 5, soak.commands
    # Each scan, odometry and IMU value that the polls could see is new; between them nothing was silent for long.
    for rpc in ("GetRosLaserScan", "GetRosOdometry", "GetRosImu", "GetRobotPose"):
        assert bridge[rpc].values > 50, f"{rpc}: {bridge[rpc]}"


def test_a_poll_ends_with_its_own_deadline(robot):
    cursor = robot.stub.get("GetSpeakerVolume").metadata.cursor
    # The client counts, and so does the adapter: whoever is first says the same.
    for timeout in (0.005, 0.02, 0.05) * 20:
        with pytest.raises(grpc.RpcError) as ended:
            robot.stub.get("GetSpeakerVolume", cursor, timeout)
        assert ended.value.code() == grpc.StatusCode.DEADLINE_EXCEEDED, ended.value
