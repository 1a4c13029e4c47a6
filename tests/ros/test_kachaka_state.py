"""The state of a Kachaka and everything that is not driving, in lock-step."""

import math
import struct

import pytest
from action_msgs.msg import GoalStatus
from std_msgs.msg import String
from tatami_msgs.msg import CommandHistory, OnboardState

import kachaka
import scenes
from conftest import DT
from messages import build
from test_kachaka_commands import SPEAK, number, outcome, send_goal

BAD_VALUE, UNKNOWN_SOUND, BAD_SOUND, UNKNOWN_MAP, NO_POSE_ON_MAP = 90001, 90005, 90006, 90007, 90008
RESTART = kachaka.MODEL["onboard_config"]["restart"]["duration"]
SPEAKER = kachaka.MODEL["onboard_config"]["speaker"]["volume"]


@pytest.fixture
def robot(sim):
    return kachaka.spawn(sim)


def wave(seconds):
    """A WAV file of silence: 8 bit, mono, 8 kHz."""
    data = bytes([128]) * round(8000 * seconds)
    header = b"RIFF" + struct.pack("<I", 36 + len(data)) + b"WAVEfmt "
    header += struct.pack("<IHHIIHH", 16, 1, 1, 8000, 8000, 1, 8) + b"data" + struct.pack("<I", len(data))
    return list(header + data)


# Sequences


def test_the_state_that_a_reply_names_was_sent_before_it(robot):
    """By the server's own clock; and it is the only state of that sequence, one more than the one before."""
    robot.state()
    for round_ in range(20):
        for name, fields in (
            ("sim/torch/front", {"data": float(round_)}),
            ("sim/command/start", {"command": {"type": number("LOCK"), "duration": 9.0}, "cancel_all": True}),
            ("sim/manual_control", {"enable": round_ % 2 == 0}),
            ("sim/command/cancel", {}),
        ):
            future = robot.send(name, **fields)
            response = robot.sim.reply(future)
            robot.state(response.sequence)
            sent = [r for r in robot.states.received if r.message.sequence == response.sequence]
            assert len(sent) == 1, f"{len(sent)} states of sequence {response.sequence}"
            assert sent[0].sent_ns <= future.sent_ns, f"{name}: the state came after the reply"
    sequences = [message.sequence for message in robot.states.messages]
    assert sequences == sorted(set(sequences))
    assert sequences[-1] - sequences[0] == len(sequences) - 1, "no state in between is left out"


def test_results_are_sent_before_the_state_that_follows_from_them(robot):
    robot.start("SPEAK", text="a")
    robot.step_until(lambda: robot.results(), "a result")
    first = {}
    for received in robot.histories.received:
        for result in received.message.results:
            first.setdefault(result.id, received)
    for received in robot.states.received:
        for result in received.message.last_result:
            assert first[result.id].sent_ns <= received.sent_ns
            assert first[result.id].message.sequence <= received.message.sequence


def test_nothing_new_is_no_new_state(robot):
    before = robot.now()
    robot.sim.step(200)
    assert robot.now().sequence == before.sequence
    robot.ok("sim/torch/front", data=0.0)
    assert robot.now().sequence == before.sequence


def test_a_fresh_state(robot):
    state = robot.now()
    assert (state.command_state, state.command_id, state.queue_length) == (OnboardState.PENDING, "", 0)
    assert list(state.last_result) == [] and list(state.errors) == []
    assert state.ready and state.lidar_active
    for flag in ("emergency_stopped", "step_detected", "manual_control_enabled", "front_stop_muted"):
        assert not getattr(state, flag), flag
    assert (state.speaker_volume, state.front_torch, state.back_torch) == (SPEAKER, 0, 0)
    assert state.moving_shelf_id == "" and state.playing_sound_id == "" and list(state.sounds) == []
    assert state.power_supply_status == OnboardState.DISCHARGING
    assert 99.0 < state.battery_percentage <= 100.0 and state.collisions == 0
    assert [map_.id for map_ in state.maps] == [state.current_map_id] != [""]


# Pauses


def paused_by(robot, how):
    """Pauses the robot; returns the state."""
    if how == "sim/power_button":
        response = robot.call(how)
        assert response.success, response
        return robot.now()
    return robot.after(how)


@pytest.mark.parametrize("how", ["sim/emergency_stop", "sim/power_button"])
def test_a_pause_ends_what_runs_and_waits_and_stops_the_wheels(robot, how):
    running = robot.start("MOVE_FORWARD", distance=5.0)
    waiting = robot.start("SPEAK", text="later")
    robot.sim.step(50)
    before = robot.pose()[0]
    state = paused_by(robot, how)
    assert state.emergency_stopped and list(state.errors) == [21051] and state.command_id == ""
    assert [robot.result(id_).error_code for id_ in (running, waiting)] == [10105, 10105]
    robot.sim.step(50)
    # From 0.3 m/s, with what both motors brake with at most: some 8 m/s2.
    assert robot.sim.robot("kachaka").twist.linear.x == 0.0
    assert 0.0 <= robot.pose()[0] - before < 0.02


def test_commands_while_paused_get_an_id_and_end_at_once(robot):
    robot.ok("sim/emergency_stop")
    command = robot.start("MOVE_FORWARD", distance=1.0)
    assert robot.result(command).error_code == 10107
    handle = send_goal(robot, robot.action(), SPEAK, speak_command_text="hello")
    status, result = outcome(robot, handle, steps=False)
    assert (status, result.error_code) == (GoalStatus.STATUS_ABORTED, 10107)
    robot.sim.step(50)
    assert robot.pose() == (0.0, 0.0, 0.0)


def test_only_the_power_button_ends_a_pause(robot):
    robot.ok("sim/emergency_stop")
    robot.refused("sim/manual_control", 12401, enable=True)
    robot.refused("sim/velocity", 12401, linear=0.3)
    robot.refused("sim/command/cancel", 90002)
    robot.refused("sim/command/proceed", 90003)
    robot.ok("sim/manual_control", enable=False)
    robot.ok("sim/emergency_stop")
    robot.ok("sim/restart")
    robot.sim.step(round((RESTART + 1.0) / DT))
    state = robot.now()
    assert state.ready and state.emergency_stopped and list(state.errors) == [21051]
    response = robot.call("sim/power_button")
    assert response.success
    state = robot.now()
    assert not state.emergency_stopped and list(state.errors) == []
    assert robot.run("MOVE_FORWARD", distance=0.1).success


def test_a_pause_holds_against_every_driver(robot):
    sim = robot.sim
    robot.ok("sim/manual_control", enable=True)
    robot.ok("sim/emergency_stop")
    assert not robot.now().manual_control_enabled
    for _ in range(10):
        sim.step(5, commands=[sim.drive("kachaka", linear=0.5)])
    assert robot.pose() == (0.0, 0.0, 0.0)


# Restart and reset of what it is about


def test_a_restart_takes_its_time(robot):
    command = robot.start("LOCK", duration=50.0)
    state = robot.after("sim/restart")
    assert not state.ready
    assert robot.result(command).error_code == 10002
    robot.refused("sim/command/start", 13208, command={"type": number("LOCK"), "duration": 1.0})
    robot.refused("sim/manual_control", 13208, enable=True)
    robot.sim.step(round(RESTART / DT) - 1)
    assert not robot.now().ready
    robot.sim.step(2)
    assert robot.now().ready
    robot.start("LOCK", duration=1.0)


# Numbers and switches


@pytest.mark.parametrize(
    ("name", "field", "good", "bad"),
    [
        ("sim/speaker_volume", "speaker_volume", [0, 10], [11, -1, 2.5, *scenes.SPECIAL]),
        ("sim/torch/front", "front_torch", [0, 255], [300, 256, -1, 0.5, *scenes.SPECIAL]),
        ("sim/torch/back", "back_torch", [255, 1], [300, -1, *scenes.SPECIAL]),
    ],
)
def test_whole_numbers(robot, name, field, good, bad):
    for value in good:
        assert getattr(robot.after(name, data=float(value)), field) == value
    for value in bad:
        robot.refused(name, BAD_VALUE, data=float(value))
    assert getattr(robot.now(), field) == good[-1]


def test_auto_homing_by_both_services(robot):
    assert robot.after("sim/auto_homing", data=True).auto_homing_enabled
    assert robot.call("auto_homing/set_enabled", data=False).success
    assert not robot.now().auto_homing_enabled


def test_the_lidar_rests_when_it_may_and_wakes_up_when_asked(sim):
    robot = kachaka.spawn(sim, config={"lidar": {"rest_after": 2.0}})
    assert robot.now().lidar_active
    sim.step(round(3.0 / DT))
    assert not robot.now().lidar_active
    state = robot.after("sim/laser_scan/activate", data=5.0)
    assert state.lidar_active
    sim.step(round(4.0 / DT))
    assert robot.now().lidar_active
    sim.step(round(4.0 / DT))
    assert not robot.now().lidar_active
    for value in [*scenes.SPECIAL, -1.0, 1e9]:
        robot.refused("sim/laser_scan/activate", BAD_VALUE, "duration", data=value)


def test_the_estimate_shifts_and_the_body_stays(robot):
    robot.ok("sim/pose_estimate", x=1.0, y=2.0, yaw=0.5)
    pose = robot.latched("sim/pose", "geometry_msgs/msg/PoseStamped")
    scenes.assert_near(scenes.planar(pose.wait()[-1].pose), (1.0, 2.0, 0.5), 1e-9, "the estimate")
    assert robot.pose() == (0.0, 0.0, 0.0)
    for field in ("x", "y", "yaw"):
        for value in scenes.SPECIAL:
            robot.refused("sim/pose_estimate", BAD_VALUE, field, **{field: value})


def test_shelves_have_no_source_yet(robot):
    robot.ok("sim/shelf/reset_pose", data="")
    robot.refused("sim/shelf/reset_pose", 10250, "S01", data="S01")
    robot.refused("sim/shelf/reset_pose", BAD_VALUE, data="x" * 1_000_000)
    assert not robot.call("sim/shelf_dock", data=True).success


# Sounds and maps


def test_sounds_are_added_played_and_told(robot):
    sounds = robot.listen("sim/sound", String)
    robot.sim.spin_until(lambda: robot.sim.node.count_publishers(sounds.topic), "a publisher of sounds")
    response = robot.ok("sim/sound/add", name="Bell", data=wave(1.0))
    state = robot.state(response.sequence)
    assert [(s.id, s.name) for s in state.sounds] == [(response.sound_id, "Bell")]
    assert robot.after("sim/sound/play", sound_id=response.sound_id).playing_sound_id == response.sound_id
    robot.sim.step(round(1.1 / DT))
    assert robot.now().playing_sound_id == ""
    robot.ok("sim/sound/play", sound_id=response.sound_id, loop=True)
    robot.sim.step(round(5.0 / DT))
    assert robot.now().playing_sound_id == response.sound_id
    assert robot.after("sim/sound/stop").playing_sound_id == ""
    told = [message.data for message in sounds.wait(4)]
    assert told == [response.sound_id, "", response.sound_id, ""]
    assert list(robot.after("sim/sound/delete", data=response.sound_id).sounds) == []
    robot.refused("sim/sound/delete", UNKNOWN_SOUND, data=response.sound_id)
    robot.refused("sim/sound/play", UNKNOWN_SOUND, sound_id="nothing")
    robot.refused("sim/sound/add", BAD_SOUND, name="Noise", data=list(range(100)))
    robot.refused("sim/sound/add", BAD_VALUE, "name", name="x" * 1001, data=wave(0.1))


def grid(width=3, height=2, resolution=0.5, cells=None):
    data = cells if cells is not None else [0] * (width * height)
    return {"info": {"width": width, "height": height, "resolution": resolution}, "data": data}


def test_maps_are_kept_given_and_switched_to(robot):
    first = robot.now().current_map_id
    cells = [0, 100, -1, 100, 0, 0]
    response = robot.ok("sim/map/add", name="Other floor", map=grid(cells=cells))
    state = robot.state(response.sequence)
    assert [(m.id, m.name) for m in state.maps][-1] == (response.map_id, "Other floor")
    assert state.current_map_id == first
    given = robot.ok("sim/map/get", map_id=response.map_id)
    assert (given.name, list(given.map.data), given.map.header.frame_id) == ("Other floor", cells, "map")
    robot.refused("sim/map/switch", NO_POSE_ON_MAP, map_id=response.map_id)
    mapping = robot.latched("mapping/map", "nav_msgs/msg/OccupancyGrid")
    state = robot.after("sim/map/switch", map_id=response.map_id, has_initial_pose=True, x=0.5, y=0.25, yaw=1.0)
    assert state.current_map_id == response.map_id
    robot.sim.spin_until(lambda: mapping.messages and list(mapping.messages[-1].data) == cells, "the other map")
    pose = robot.latched("sim/pose", "geometry_msgs/msg/PoseStamped").wait()[-1]
    scenes.assert_near(scenes.planar(pose.pose), (0.5, 0.25, 1.0), 1e-9, "pose on the other map")
    robot.ok("sim/map/switch", map_id=first, has_initial_pose=True)


@pytest.mark.parametrize(
    ("fields", "word"),
    [
        ({"map": grid(width=0)}, "0 by"),
        ({"map": grid(cells=[0])}, "map.data"),
        ({"map": grid(resolution=0.0)}, "resolution"),
        ({"map": grid(resolution=math.nan)}, "resolution"),
        ({"map": grid(width=100_000, height=100_000, cells=[0])}, "cells"),
        ({"map": grid(), "has_charger_pose": True, "charger_x": math.nan}, "charger_x"),
        ({"map": grid(), "name": "x" * 1001}, "name"),
    ],
)
def test_bad_maps_are_refused(robot, fields, word):
    robot.refused("sim/map/add", BAD_VALUE, word, **fields)


def test_unknown_maps_are_refused(robot):
    robot.refused("sim/map/get", UNKNOWN_MAP, "nowhere", map_id="nowhere")
    robot.refused("sim/map/switch", UNKNOWN_MAP, map_id="nowhere", has_initial_pose=True)
    robot.refused("sim/map/get", BAD_VALUE, "map_id", map_id="x" * 1_000_000)


def test_a_history_comes_to_late_readers(robot):
    command = robot.start("LOCK", duration=9.0)
    robot.ok("sim/command/cancel")
    late = robot.latched("sim/command/history", CommandHistory)
    ended = lambda: {result.id for history in late.messages for result in history.results}  # noqa: E731
    robot.sim.spin_until(lambda: command in ended(), lambda: f"the result of {command}, have {ended()}")


def test_requests_while_the_world_runs_are_shown_by_what_is_read_after(start_server):
    sim = start_server(physics_dt=DT)
    robot = kachaka.spawn(sim)
    for brightness in range(50):
        assert robot.after("sim/torch/back", data=float(brightness)).back_torch == brightness
    assert build("tatami_msgs/OnboardState").PENDING == robot.now().command_state
