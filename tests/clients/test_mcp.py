"""The tools of kachaka-sdk-toolkit through its real MCP server: each one that has something behind it here.

docs/kachaka_sdk_toolkit.md lists all tools; a test compares it with the server and with this file.
"""

import base64
import json
import math
import pathlib
import re

import pytest
from harness import room
from harness.mcp_server import McpServer
from harness.waiting import eventually

from test_client_commands import moved
from test_client_settings import beep

DOCUMENT = pathlib.Path(__file__).resolve().parents[2] / "docs" / "kachaka_sdk_toolkit.md"
ROW = re.compile(r"^\| `(?P<tool>\w+)` \| (?P<answer>works|refused|no source|not there) \|", re.MULTILINE)


@pytest.fixture(scope="module")
def server():
    server = McpServer()
    yield server
    server.close()


@pytest.fixture
def tools(server, robot):
    """Calls a tool for the robot of the test."""

    def call(tool, **arguments):
        return server.call(tool, ip=robot.target, **arguments)

    return call


def ok(answer):
    assert answer["ok"], answer
    return answer


# Tools that are asked once: their arguments, and what must hold for the answer.
READS = {
    "ping_robot": lambda answer: answer["serial"] == room.SERIAL_NUMBER,
    "get_connection_state": lambda answer: answer["state"] == "connected",
    "get_robot_status": lambda answer: answer["errors"] == [] and answer["battery"]["power_status"] == "2",
    "get_robot_pose": lambda answer: (answer["x"], answer["y"], answer["theta"]) == (0.0, 0.0, 0.0),
    "get_battery": lambda answer: 0 < answer["percentage"] <= 100,
    "get_errors": lambda answer: answer["errors"] == [],
    "get_error_definitions": lambda answer: answer["definitions"]["21051"]["error_type"] == "Warn",
    "get_robot_info": lambda answer: (answer["serial"], answer["version"]) == (room.SERIAL_NUMBER, "3.17.5"),
    "list_locations": lambda answer: {place["id"]: place["name"] for place in answer["locations"]}
    == {key: value[0] for key, value in room.LOCATIONS.items()},
    "list_locations_digest": lambda answer: {place["id"] for place in answer["locations"]} == set(room.LOCATIONS),
    "list_shelves": lambda answer: answer["shelves"] == [],
    "list_shelves_digest": lambda answer: answer["shelves"] == [],
    "get_moving_shelf": lambda answer: answer["shelf_id"] is None,
    "get_volume": lambda answer: answer["volume"] == 5,
    "list_sounds": lambda answer: answer["sounds"] == [],
    "get_command_state": lambda answer: answer["is_running"] is False,
    "get_last_result": lambda answer: "error_code" in answer,
    "get_object_detection": lambda answer: answer["objects"] == [],
    "list_maps": lambda answer: answer["current_map_id"] in {entry["id"] for entry in answer["maps"]},
    "list_shortcuts": lambda answer: answer["shortcuts"] == room.SHORTCUTS,
    "get_history": lambda answer: isinstance(answer["history"], list),
    "get_manual_control": lambda answer: answer["enabled"] is False,
    "get_auto_homing": lambda answer: answer["enabled"] in (True, False),
    "is_ready": lambda answer: answer["ready"] is True,
    "get_static_transform": lambda answer: "laser_frame" in {t["child_frame_id"] for t in answer["transforms"]},
    "stop_camera_stream": lambda answer: answer["message"] == "no stream to stop",
    "disconnect_robot": lambda answer: answer["message"].startswith("Removed"),
}

# What the robot refuses or fails as the real one would: arguments, codes.
REFUSED = {
    "return_home": ({}, {10251}),
    "move_shelf": ({"shelf_name": "S01", "location_name": "L01"}, {10250}),
    "return_shelf": ({"shelf_name": "S01"}, {10252}),
    "dock_shelf": ({}, {11201, 11301}),
    "undock_shelf": ({}, {10254}),
    "dock_any_shelf_with_registration": ({"location_name": "L01"}, {11201, 11301}),
    "controller_move_shelf": ({"shelf_name": "S01", "location_name": "L01"}, {10250}),
    "controller_return_shelf": ({"shelf_name": "S01"}, {10252}),
    "controller_dock_any_shelf": ({"location_name": "L01"}, {11201, 11301}),
}

# What has no source yet: arguments, words of the answer.
NO_SOURCE = {
    "capture_front_camera": ({"fresh": False}, "CANCELLED"),
    "capture_back_camera": ({"fresh": False}, "CANCELLED"),
    "capture_with_detection": ({}, "CANCELLED"),
    "get_camera_intrinsics": ({}, "CANCELLED"),
    "get_camera_frame": ({}, "stream not started"),
    "get_camera_stats": ({}, "no stream active"),
    "get_tof_image": ({}, "not available"),
    "start_camera_stream": ({}, None),
    "depart_from_charger": ({}, "requires kachaka-api"),
}

# The robot's container for programs is no part of the simulator.
NOT_THERE = {"playground_upload", "playground_run", "playground_stop", "playground_log", "playground_status"}

# Tools that move or change something, each in a test below.
CHANGES = {
    "move_forward", "rotate", "move_to_pose", "move_to_location", "move_by_velocity_muted", "cancel_command", "proceed",
    "start_controller", "stop_controller", "get_controller_state", "controller_rotate", "controller_move_to_location",
    "speak", "set_volume", "add_sound", "play_sound", "stop_sound", "delete_sound", "get_map", "export_map",
    "import_map", "import_image_as_map", "switch_map", "start_shortcut", "enable_manual_control", "set_velocity",
    "stop_manual_drive", "set_front_torch", "set_back_torch", "activate_laser_scan", "set_auto_homing", "localize",
    "set_robot_pose", "restart_robot", "reset_shelf_pose", "start_transform_stream", "get_dynamic_transform",
    "stop_transform_stream",
}  # fmt: skip
WORKS = set(READS) | CHANGES


def test_no_tool_is_left_out(server):
    assert server.tools() == WORKS | set(REFUSED) | set(NO_SOURCE) | NOT_THERE


def test_the_document_lists_every_tool():
    rows = {match["tool"]: match["answer"] for match in ROW.finditer(DOCUMENT.read_text())}
    wanted = dict.fromkeys(WORKS, "works") | dict.fromkeys(REFUSED, "refused")
    wanted |= dict.fromkeys(NO_SOURCE, "no source") | dict.fromkeys(NOT_THERE, "not there")
    assert rows == wanted


@pytest.mark.parametrize("name", sorted(READS))
def test_read(tools, name):
    answer = ok(tools(name))
    assert READS[name](answer), f"{name}: {str(answer)[:1000]}"


def end_of(robot, tools, answer):
    """How a command that a tool started has ended."""
    return robot.result_of(ok(answer)["command_id"])


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_refused(robot, server, tools, name):
    arguments, codes = REFUSED[name]
    if name.startswith("controller_"):
        ok(tools("start_controller"))
        answer = robot.world.finish(server.start(name, ip=robot.target, **arguments))
        tools("stop_controller")
    else:
        answer = tools(name, **arguments)
    if answer["ok"]:
        assert end_of(robot, tools, answer).error_code in codes
    else:
        assert answer["error_code"] in codes, answer
        assert ": " in answer["error"], answer


@pytest.mark.parametrize("name", sorted(NO_SOURCE))
def test_no_source(tools, name):
    arguments, words = NO_SOURCE[name]
    answer = tools(name, **arguments)
    if words is None:
        ok(answer)
        ok(tools("stop_camera_stream"))
    else:
        assert not answer["ok"] and words in answer["error"], answer


def test_moves(robot, tools):
    before = robot.truth()
    assert end_of(robot, tools, tools("move_forward", distance_meter=0.3)).success
    assert moved(before, robot.truth()) == pytest.approx((0.3, 0.0, 0.0), abs=1e-3)
    before = robot.truth()
    assert end_of(robot, tools, tools("rotate", angle_radian=1.0)).success
    assert moved(before, robot.truth()) == pytest.approx((0.0, 0.0, 1.0), abs=1e-3)
    assert end_of(robot, tools, tools("move_to_pose", x=0.5, y=0.5, yaw=0.0)).success
    assert tuple(vars(robot.truth()).values()) == pytest.approx((0.5, 0.5, 0.0), abs=0.02)
    assert end_of(robot, tools, tools("move_to_location", location_name="Kitchen")).success
    assert tuple(vars(robot.truth()).values()) == pytest.approx((1.5, 0.5, 0.0), abs=0.02)
    before = robot.truth()
    assert end_of(robot, tools, tools("move_by_velocity_muted", signed_velocity=-0.2, duration_sec=1.0)).success
    robot.come_to_rest()
    assert moved(before, robot.truth())[0] == pytest.approx(-0.2, abs=0.03)


def test_cancel_and_proceed(robot, tools):
    answer = ok(tools("move_forward", distance_meter=1.5))
    robot.world.seconds(0.5)
    ok(tools("cancel_command"))
    assert robot.result_of(answer["command_id"]).error_code == 10001
    refused = tools("proceed")
    assert (refused["ok"], refused["error_code"]) == (False, 90003), refused


def test_controller(robot, server, tools):
    ok(tools("start_controller"))
    before = robot.truth()
    ok(robot.world.finish(server.start("controller_rotate", ip=robot.target, angle_radian=-1.0)))
    assert moved(before, robot.truth()) == pytest.approx((0.0, 0.0, -1.0), abs=1e-3)
    ok(robot.world.finish(server.start("controller_move_to_location", ip=robot.target, location_name="L02")))
    truth = robot.truth()
    assert tuple(vars(truth).values()) == pytest.approx((0.0, -1.0, 1.5), abs=0.02)
    eventually(
        lambda: ok(tools("get_controller_state")),
        lambda state: math.dist((state["pose_x"], state["pose_y"]), (truth.x, truth.y)) < 1e-3,
        f"the pose {truth} in the controller",
    )
    assert tools("stop_controller")["message"] == "controller stopped"


def test_speak(robot, server):
    assert ok(robot.world.finish(server.start("speak", ip=robot.target, text="hello")))


def test_settings(robot, tools):
    ok(tools("set_volume", volume=8))
    assert tools("get_volume")["volume"] == 8
    ok(tools("set_front_torch", intensity=10))
    ok(tools("set_back_torch", intensity=20))
    robot.state(["front_torch", "==", 10], ["back_torch", "==", 20])
    ok(tools("set_auto_homing", enabled=True))
    assert tools("get_auto_homing")["enabled"] is True
    ok(tools("activate_laser_scan", duration_sec=3.0))
    ok(tools("reset_shelf_pose", shelf_name=""))


def test_sounds(tools):
    sound = ok(tools("add_sound", name="beep", data_base64=base64.b64encode(beep()).decode()))["sound_id"]
    assert tools("list_sounds")["sounds"] == [{"id": sound, "name": "beep"}]
    ok(tools("play_sound", sound_id=sound, loop=True))
    ok(tools("stop_sound"))
    ok(tools("delete_sound", sound_id=sound))


def test_maps(robot, tools, tmp_path):
    picture, facts = tools("get_map")
    facts = json.loads(facts.text)
    assert base64.b64decode(picture.data).startswith(b"\x89PNG") and facts["resolution"] == pytest.approx(0.025)
    file, png = tmp_path / "room.map", tmp_path / "room.png"
    ok(tools("export_map", map_id=tools("list_maps")["current_map_id"], output_path=str(file)))
    map_id = ok(tools("import_map", file_path=str(file)))["map_id"]
    png.write_bytes(base64.b64decode(picture.data))
    charger = {"charger_x": 0.5, "charger_y": 0.0}
    assert ok(tools("import_image_as_map", image_path=str(png), resolution=0.025, **charger))["map_id"]
    ok(tools("switch_map", map_id=map_id, pose_x=0.0, pose_y=0.0, pose_theta=0.0))
    assert tools("list_maps")["current_map_id"] == map_id


def test_shortcut(robot, tools):
    ok(tools("start_shortcut", shortcut_id="dance"))
    robot.world.seconds(6.0)
    assert robot.truth().yaw == pytest.approx(0.5, abs=2e-3)


def test_manual_control(robot, tools):
    ok(tools("enable_manual_control", enabled=True))
    assert tools("get_manual_control")["enabled"] is True
    ok(tools("set_velocity", linear=0.3, angular=0.0))
    robot.world.seconds(0.25)
    assert robot.speed()[0] == pytest.approx(0.3, abs=0.01)
    ok(tools("stop_manual_drive"))
    robot.come_to_rest()
    assert tools("get_manual_control")["enabled"] is False


def test_localization(robot, tools):
    ok(tools("set_robot_pose", x=1.0, y=0.5, theta=0.25))
    shown = eventually(lambda: tools("get_robot_pose"), lambda pose: pose["x"] > 0.5, "the estimate")
    assert (shown["x"], shown["y"], shown["theta"]) == pytest.approx((1.0, 0.5, 0.25))
    assert end_of(robot, tools, tools("localize")).success
    robot.pose_shown(robot.truth())


def test_restart(robot, tools):
    ok(tools("restart_robot"))
    robot.world.seconds(31.0)
    assert end_of(robot, tools, tools("rotate", angle_radian=0.2)).success


def test_transforms(tools):
    ok(tools("start_transform_stream"))
    answer = eventually(lambda: tools("get_dynamic_transform"), lambda answer: answer["ok"], "transforms")
    assert {"odom", "base_footprint"} <= {transform["child_frame_id"] for transform in answer["transforms"]}
    assert ok(tools("stop_transform_stream"))["stats"]["errors"] == 0
