"""Settings, manual control and the pose estimate through the clients of kachaka-api."""

import math
import wave
from io import BytesIO

import pytest
from harness.waiting import eventually
from kachaka_api import pb2

from test_client_commands import failed, succeeded


@pytest.mark.calls("set_speaker_volume", "get_speaker_volume")
def test_speaker_volume(robot, client):
    assert client.get_speaker_volume() == 5
    for volume in (0, 10, 3):
        succeeded(client.set_speaker_volume(volume))
        # Reads see writes.
        assert client.get_speaker_volume() == volume
        assert robot.state(["speaker_volume", "==", volume])
    for wrong in (11, -1, 2**31 - 1):
        failed(client.set_speaker_volume(wrong), 90001)
        assert client.get_speaker_volume() == 3


@pytest.mark.calls("set_auto_homing_enabled", "get_auto_homing_enabled")
def test_auto_homing(client):
    for enabled in (True, False, True):
        succeeded(client.set_auto_homing_enabled(enabled))
        assert client.get_auto_homing_enabled() is enabled


@pytest.mark.calls("set_manual_control_enabled", "get_manual_control_enabled")
def test_manual_control_ends_after_a_minute(robot, client):
    assert client.get_manual_control_enabled() is False
    succeeded(client.set_manual_control_enabled(True))
    assert client.get_manual_control_enabled() is True
    robot.world.seconds(59.0)
    assert robot.state()["manual_control_enabled"]
    robot.world.seconds(1.2)
    eventually(client.get_manual_control_enabled, lambda enabled: not enabled, "the end of manual control")


@pytest.mark.calls("set_robot_velocity", "set_robot_stop", "get_manual_control_enabled")
def test_velocity_turns_manual_control_on(robot, client):
    """The client does so by itself when it is refused."""
    succeeded(client.set_robot_velocity(0.3, 0.0))
    assert client.get_manual_control_enabled() is True
    robot.world.seconds(0.2)
    assert robot.speed()[0] == pytest.approx(0.3, abs=1e-3)
    client.set_robot_stop()
    assert client.get_manual_control_enabled() is False
    robot.come_to_rest()


@pytest.mark.calls("set_manual_control_enabled", "set_robot_velocity")
def test_two_seconds_at_full_speed_are_60_cm(robot, client):
    succeeded(client.set_manual_control_enabled(True))
    before = robot.truth()
    for _ in range(20):
        succeeded(client.set_robot_velocity(0.3, 0.0))
        robot.world.seconds(0.1)
    succeeded(client.set_robot_velocity(0.0, 0.0))
    robot.come_to_rest()
    after = robot.truth()
    assert after.x - before.x == pytest.approx(0.600, abs=0.005)
    assert (after.y, after.yaw) == pytest.approx((0.0, 0.0), abs=1e-6)


@pytest.mark.calls("set_robot_velocity", "set_manual_control_enabled")
def test_a_velocity_lasts_three_tenths_of_a_second(robot, client):
    succeeded(client.set_manual_control_enabled(True))
    succeeded(client.set_robot_velocity(0.0, 1.0))
    robot.world.seconds(0.28)
    assert robot.speed()[1] > 0.8
    robot.come_to_rest()
    # It turns with 3 rad/s2 up to 1 rad/s, until 0.3 s are over, and down again: 0.3 s of 1 rad/s in all.
    assert robot.truth().yaw == pytest.approx(0.3, abs=0.03)


@pytest.mark.calls("set_robot_velocity", "set_manual_control_enabled")
def test_velocities_above_full_scale_are_clamped(robot, client):
    succeeded(client.set_manual_control_enabled(True))
    for _ in range(5):
        succeeded(client.set_robot_velocity(0.5, 0.0))
        robot.world.seconds(0.1)
    assert robot.speed()[0] == pytest.approx(0.3, abs=1e-6)


def test_the_bare_rpc_needs_manual_control(robot):
    response = robot.stub.SetRobotVelocity(pb2.SetRobotVelocityRequest(linear=1.0))
    failed(response.result, 13151)
    robot.world.seconds(0.5)
    assert robot.truth().x == 0.0


def test_velocities_that_are_no_numbers_are_refused(robot):
    robot.stub.SetManualControlEnabled(pb2.SetManualControlEnabledRequest(enable=True))
    for wrong in (math.nan, math.inf, -math.inf):
        response = robot.stub.SetRobotVelocity(pb2.SetRobotVelocityRequest(linear=wrong))
        failed(response.result, 90001)
        response = robot.stub.SetRobotVelocity(pb2.SetRobotVelocityRequest(angular=wrong))
        failed(response.result, 90001)
    robot.world.seconds(0.5)
    truth = robot.truth()
    assert (truth.x, truth.y, truth.yaw) == (0.0, 0.0, 0.0)


@pytest.mark.calls("set_emergency_stop", "get_error")
def test_emergency_stop(robot, client):
    assert client.set_emergency_stop() == 0
    assert list(client.get_error()) == [21051]
    robot.press_power_button()
    eventually(client.get_error, lambda errors: list(errors) == [], "no errors")


@pytest.mark.calls("set_robot_pose", "get_robot_pose", "localize")
def test_pose_estimate_moves_no_body(robot, client):
    before = robot.truth()
    succeeded(client.set_robot_pose({"x": 0.5, "y": -0.25, "theta": 0.75}))
    eventually(client.get_robot_pose, lambda pose: abs(pose.x - 0.5) < 1e-6, "the estimate")
    pose = client.get_robot_pose()
    assert (pose.x, pose.y, pose.theta) == pytest.approx((0.5, -0.25, 0.75))
    robot.world.seconds(1.0)
    assert robot.truth().distance(before) == 0.0
    # Localizing takes the shift away.
    succeeded(robot.world.run(client.localize))
    robot.pose_shown(robot.truth())


@pytest.mark.calls("reset_shelf_pose")
def test_reset_of_unknown_shelves(client):
    result = client.reset_shelf_pose("S01")
    assert not result.success and result.error_code in client.get_robot_error_code(), result
    # All shelves: there are none, and all of them are where they belong.
    succeeded(client.reset_shelf_pose(""))


def test_torches(robot):
    robot.subscribe("sim/torch", "tatami_msgs/msg/Torches", "latched")
    succeeded(robot.stub.SetFrontTorchIntensity(pb2.SetFrontTorchIntensityRequest(intensity=200)).result)
    succeeded(robot.stub.SetBackTorchIntensity(pb2.SetBackTorchIntensityRequest(intensity=255)).result)
    robot.message("sim/torch", where=[["front", "==", 200], ["back", "==", 255]])
    for wrong in (256, 300, -1):
        failed(robot.stub.SetFrontTorchIntensity(pb2.SetFrontTorchIntensityRequest(intensity=wrong)).result, 90001)
        failed(robot.stub.SetBackTorchIntensity(pb2.SetBackTorchIntensityRequest(intensity=wrong)).result, 90001)
    robot.state(["front_torch", "==", 200], ["back_torch", "==", 255])


def test_activate_laser_scan(robot):
    succeeded(robot.stub.ActivateLaserScan(pb2.ActivateLaserScanRequest(duration_sec=5.0)).result)
    failed(robot.stub.ActivateLaserScan(pb2.ActivateLaserScanRequest(duration_sec=math.nan)).result, 90001)


def beep():
    """A tenth of a second of sound in a WAV file."""
    file = BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(8000)
        sound.writeframes(bytes(1600))
    return file.getvalue()


def test_sounds(robot):
    stub = robot.stub
    added = stub.AddSound(pb2.AddSoundRequest(name="beep", data=beep()))
    succeeded(added.result)
    listed = {sound.id: sound.name for sound in stub.get("GetSoundList").sounds}
    assert listed[added.sound_id] == "beep"
    succeeded(stub.PlaySound(pb2.PlaySoundRequest(sound_id=added.sound_id, loop=True)).result)
    robot.state(["playing_sound_id", "==", added.sound_id])
    succeeded(stub.StopSound(pb2.StopSoundRequest()).result)
    robot.state(["playing_sound_id", "==", ""])
    failed(stub.PlaySound(pb2.PlaySoundRequest(sound_id="no such sound")).result, 90005)
    failed(stub.AddSound(pb2.AddSoundRequest(name="noise", data=b"not a sound")).result, 90006)
    succeeded(stub.DeleteSound(pb2.DeleteSoundRequest(sound_id=added.sound_id)).result)
    assert added.sound_id not in {sound.id for sound in stub.get("GetSoundList").sounds}
    failed(stub.DeleteSound(pb2.DeleteSoundRequest(sound_id=added.sound_id)).result, 90005)
