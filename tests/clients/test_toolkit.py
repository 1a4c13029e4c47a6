"""kachaka-sdk-toolkit as it is: its connection, its queries, its commands and its controller."""

import ast
import base64
import inspect
import math
import pathlib
import threading

import pytest
from harness import room
from harness.waiting import DEADLINE, eventually
from kachaka_core.commands import KachakaCommands
from kachaka_core.connection import ConnectionState, KachakaConnection
from kachaka_core.controller import RobotController
from kachaka_core.queries import KachakaQueries
from kachaka_core.transform import TransformStreamer

from test_client_commands import moved
from test_client_settings import beep


def public(of_class):
    return {name for name, _ in inspect.getmembers(of_class, inspect.isfunction) if not name.startswith("_")}


# Connection


def test_ping(robot, connection):
    robot.place(0.25, 0.5, -1.0)
    robot.world.step()
    robot.pose_shown(robot.truth())
    answer = connection.ping()
    assert answer["ok"] and answer["serial"] == room.SERIAL_NUMBER
    assert answer["pose"] == pytest.approx({"x": 0.25, "y": 0.5, "theta": -1.0}, abs=1e-3)


def test_monitoring_says_connected(connection):
    assert connection.wait_for_state(ConnectionState.CONNECTED, timeout=DEADLINE)
    info = connection.connection_info()
    assert (info["state"], info["monitoring"]) == ("connected", True)


def test_monitoring_sees_the_adapter_go_and_come(robot, connection):
    heard = []
    changed = threading.Condition()

    def on_state_change(state):
        with changed:
            heard.append(state)
            changed.notify_all()

    connection.start_monitoring(interval=0.2, on_state_change=on_state_change)
    assert connection.wait_for_state(ConnectionState.CONNECTED, timeout=DEADLINE)
    port = robot.adapter.port
    robot.adapter.stop()
    assert connection.wait_for_state(ConnectionState.DISCONNECTED, timeout=DEADLINE)
    robot.world.adapters.remove(robot.adapter)
    robot.adapter = robot.world.adapter(robot.namespace, port=port)
    assert connection.wait_for_state(ConnectionState.CONNECTED, timeout=DEADLINE)
    with changed:
        assert changed.wait_for(lambda: heard[-1:] == [ConnectionState.CONNECTED], DEADLINE), heard


def test_cached_facts(connection):
    assert connection.serial == room.SERIAL_NUMBER
    assert connection.version == "3.17.5"
    assert connection.error_definitions[21051]["title"]
    assert connection.current_map_id in {entry["id"] for entry in connection.map_list}
    assert connection.map_image["png_bytes"].startswith(b"\x89PNG")


def test_names_are_resolved(connection):
    assert connection.ensure_resolver()
    assert connection.resolve_location("Kitchen") == "L01"
    assert connection.resolve_location("L02") == "L02"


# Queries. Each has its test or its line here; cameras come when they have a source.

QUERIES = {
    "get_status": lambda answer: answer["errors"] == [] and answer["moving_shelf_id"] is None,
    "get_pose": lambda answer: (answer["x"], answer["y"], answer["theta"]) == (0.0, 0.0, 0.0),
    "get_battery": lambda answer: 0 < answer["percentage"] <= 100 and answer["power_status"] == "2",
    "list_locations": lambda answer: {place["id"]: place["name"] for place in answer["locations"]}
    == {key: value[0] for key, value in room.LOCATIONS.items()},
    "list_locations_digest": lambda answer: {place["id"]: place["type"] for place in answer["locations"]}
    == {key: str(value[1]) for key, value in room.LOCATIONS.items()},
    "list_shelves": lambda answer: answer["shelves"] == [],
    "list_shelves_digest": lambda answer: answer["shelves"] == [],
    "get_moving_shelf": lambda answer: answer["shelf_id"] is None,
    "get_command_state": lambda answer: answer["state"] == "1" and answer["is_running"] is False,
    "get_last_command_result": lambda answer: "success" in answer,
    "get_map": lambda answer: base64.b64decode(answer["image_base64"]).startswith(b"\x89PNG"),
    "list_maps": lambda answer: answer["current_map_id"] in {entry["id"] for entry in answer["maps"]},
    "get_errors": lambda answer: list(answer["errors"]) == [],
    "get_error_definitions": lambda answer: answer["definitions"][21051]["error_type"] == "Warn",
    "get_serial_number": lambda answer: answer["serial"] == room.SERIAL_NUMBER,
    "get_version": lambda answer: answer["version"] == "3.17.5",
    "get_speaker_volume": lambda answer: answer["volume"] == 5,
    "list_shortcuts": lambda answer: answer["shortcuts"] == room.SHORTCUTS,
    "get_history": lambda answer: isinstance(answer["history"], list),
    "is_ready": lambda answer: answer["ready"] is True and answer["fatal_codes"] == [],
    "get_auto_homing_enabled": lambda answer: answer["enabled"] in (True, False),
    "get_manual_control_enabled": lambda answer: answer["enabled"] is False,
    "get_static_transform": lambda answer: {"laser_frame", "L01"}
    <= {transform["child_frame_id"] for transform in answer["transforms"]},
    "list_sounds": lambda answer: answer["sounds"] == [],
    "fingerprint": lambda answer: answer["partial"] == [] and answer["fingerprint"]["fw"] == "3.17.5",
}
# What has no source yet, with the words of the toolkit for it.
WITHOUT_SOURCE = {
    "get_front_camera_image": "CANCELLED",
    "get_back_camera_image": "CANCELLED",
    "get_camera_intrinsics": "CANCELLED",
    "get_tof_image": "not available",
}


def test_no_query_is_left_out():
    assert public(KachakaQueries) == set(QUERIES) | set(WITHOUT_SOURCE)


@pytest.mark.parametrize("name", sorted(QUERIES))
def test_query(queries, name):
    answer = getattr(queries, name)()
    assert answer["ok"], answer
    assert QUERIES[name](answer), f"{name}: {str(answer)[:1000]}"


@pytest.mark.parametrize("name", sorted(WITHOUT_SOURCE))
def test_query_without_a_source(queries, name):
    answer = getattr(queries, name)()
    assert not answer["ok"] and WITHOUT_SOURCE[name] in answer["error"], answer


def test_fingerprint_tells_settings_apart(queries, commands):
    before = queries.fingerprint()
    assert queries.fingerprint()["digest"] == before["digest"]
    assert commands.set_speaker_volume(9)["ok"]
    assert queries.fingerprint()["digest"] != before["digest"]


# Commands


def accepted(answer):
    assert answer["ok"], answer
    return answer


def complete(robot, commands, answer):
    """Has the toolkit wait for a command that it has started."""
    accepted(answer)
    return robot.world.run(commands.poll_until_complete, timeout=DEADLINE, interval=0.05)


def test_move_forward_to_its_end(robot, commands):
    before = robot.truth()
    end = complete(robot, commands, commands.move_forward(0.4, speed=0.3))
    assert end["ok"], end
    assert moved(before, robot.truth()) == pytest.approx((0.4, 0.0, 0.0), abs=1e-3)


def test_rotate_in_place_to_its_end(robot, commands):
    before = robot.truth()
    assert complete(robot, commands, commands.rotate_in_place(-1.0))["ok"]
    assert moved(before, robot.truth()) == pytest.approx((0.0, 0.0, -1.0), abs=1e-3)


def test_move_by_velocity_muted(robot, commands):
    """0.2 m/s for 2 s, but for speeding up and the way to stand."""
    before = robot.truth()
    assert complete(robot, commands, commands.move_by_velocity_muted(0.2, 2.0))["ok"]
    robot.come_to_rest()
    assert moved(before, robot.truth())[0] == pytest.approx(0.4, abs=0.03)


def test_move_to_location_and_pose(robot, commands):
    assert complete(robot, commands, commands.move_to_location("Desk"))["ok"]
    truth = robot.truth()
    assert (truth.x, truth.y, truth.yaw) == pytest.approx((0.0, -1.0, 1.5), abs=0.02)
    assert complete(robot, commands, commands.move_to_pose(-0.5, 0.0, 0.0))["ok"]
    truth = robot.truth()
    assert (truth.x, truth.y, truth.yaw) == pytest.approx((-0.5, 0.0, 0.0), abs=0.02)


def test_localize(robot, commands):
    assert accepted(commands.set_robot_pose(1.0, 1.0, 1.0))
    assert complete(robot, commands, commands.localize())["ok"]
    robot.pose_shown(robot.truth())


# Commands that a robot without shelves and charger refuses or fails, and mistakes: arguments, codes.
FAILING = {
    "move_to_location": (("nowhere",), {10253}),
    "return_home": ((), {10251}),
    "move_shelf": (("S01", "L01"), {10250}),
    "return_shelf": (("S01",), {10252}),
    "undock_shelf": ((), {10254}),
    "dock_shelf": ((), {11201, 11301}),
    "dock_any_shelf_with_registration": (("L01",), {11201, 11301}),
    "proceed": ((), {90003}),
    "play_sound": (("no such sound",), {90005}),
    "delete_sound": (("no such sound",), {90005}),
    "start_shortcut": (("no such shortcut",), {90004}),
}


@pytest.mark.parametrize("name", sorted(FAILING))
def test_what_fails_says_why(robot, commands, name):
    arguments, codes = FAILING[name]
    answer = getattr(commands, name)(*arguments)
    if answer["ok"]:
        answer = complete(robot, commands, answer)
    assert not answer["ok"] and answer["error_code"] in codes, answer
    # The title comes from the robot's own table.
    assert answer["error"].startswith(f"error_code={answer['error_code']}: "), answer


def test_commands_of_later_software_say_so(commands):
    assert "requires kachaka-api" in commands.depart_from_charger()["error"]


def test_settings(robot, commands, queries):
    accepted(commands.set_speaker_volume(7))
    assert queries.get_speaker_volume()["volume"] == 7
    accepted(commands.set_front_torch(120))
    accepted(commands.set_back_torch(30))
    robot.state(["front_torch", "==", 120], ["back_torch", "==", 30])
    accepted(commands.set_auto_homing(True))
    assert queries.get_auto_homing_enabled()["enabled"]
    accepted(commands.activate_laser_scan(5.0))
    accepted(commands.reset_shelf_pose(""))


def test_speak(robot, commands):
    """It waits in the client of kachaka-api until it has spoken."""
    assert robot.world.run(commands.speak, "good evening")["ok"]


def test_sounds(commands, queries):
    sound = accepted(commands.add_sound("beep", data=beep()))["sound_id"]
    assert queries.list_sounds()["sounds"] == [{"id": sound, "name": "beep"}]
    accepted(commands.play_sound(sound, loop=True))
    accepted(commands.stop_sound())
    accepted(commands.delete_sound(sound))
    assert queries.list_sounds()["sounds"] == []


def test_shortcut(robot, commands):
    accepted(commands.start_shortcut("dance"))
    robot.world.seconds(6.0)
    assert robot.truth().yaw == pytest.approx(0.5, abs=2e-3)


def test_maps(connection, commands, queries, tmp_path):
    current = queries.list_maps()["current_map_id"]
    file = tmp_path / "room.map"
    assert accepted(commands.export_map(current, str(file)))["size_bytes"] > 0
    new = accepted(commands.import_map(str(file), chunk_size=64 * 1024))["map_id"]
    accepted(commands.switch_map(new, pose_x=0.5, pose_y=0.0))
    assert connection.current_map_id == new
    png = tmp_path / "map.png"
    png.write_bytes(base64.b64decode(queries.get_map()["image_base64"]))
    assert accepted(commands.import_image_as_map(str(png), 0.025, 0.0, 0.0))["map_id"]


def test_restart(robot, commands, queries):
    accepted(commands.restart_robot())
    answer = commands.move_forward(0.2)
    assert (answer["ok"], answer["error_code"]) == (False, 13208), answer
    robot.world.seconds(31.0)
    assert complete(robot, commands, commands.move_forward(0.2))["ok"]


def test_no_command_is_left_out():
    """Every method of the commands is in a table above, or used in a test here or in test_stop_semantics.py."""
    used = set(FAILING)
    for name in ("test_toolkit.py", "test_stop_semantics.py"):
        for node in ast.walk(ast.parse((pathlib.Path(__file__).parent / name).read_text())):
            if isinstance(node, ast.Attribute) and getattr(node.value, "id", None) == "commands":
                used.add(node.attr)
    assert used == public(KachakaCommands)


# Controller


@pytest.fixture
def controller(connection):
    controller = RobotController(connection, fast_interval=0.1, poll_interval=0.05)
    controller.start()
    yield controller
    controller.stop()


def test_controller_moves_forward(robot, controller):
    before = robot.truth()
    answer = robot.world.run(controller.move_forward, 0.5, speed=0.3)
    assert answer["ok"], answer
    assert moved(before, robot.truth()) == pytest.approx((0.5, 0.0, 0.0), abs=1e-3)
    assert controller.metrics.poll_failure_count == 0


def test_controller_rotates(robot, controller):
    before = robot.truth()
    answer = robot.world.run(controller.rotate_in_place, math.pi / 2)
    assert answer["ok"], answer
    assert moved(before, robot.truth()) == pytest.approx((0.0, 0.0, math.pi / 2), abs=1e-3)


def test_controller_says_what_failed(robot, controller):
    answer = robot.world.run(controller.move_to_location, "nowhere")
    assert (answer["ok"], answer["error_code"]) == (False, 10253), answer


def test_controller_state_follows_the_robot(robot, controller):
    robot.place(0.5, 0.25, 1.0)
    robot.world.step()
    eventually(lambda: controller.state.pose_x, lambda x: abs(x - 0.5) < 1e-3, "the pose in the controller")
    state = controller.state
    assert (state.pose_y, state.pose_theta) == pytest.approx((0.25, 1.0), abs=1e-3)
    eventually(lambda: controller.state.connection_state, lambda state: state == "connected", "a connection")
    assert state.errors == [] and not state.is_command_running
    assert 0 < eventually(lambda: controller.state.battery_pct, bool, "the battery") <= 100


# Transforms


def test_dynamic_transforms(robot, connection):
    streamer = TransformStreamer(connection, reconnect_delay=0.1)
    streamer.start()
    try:
        robot.place(0.5, -0.5, 0.25)
        robot.world.seconds(0.2)

        def chain():
            found = {t["child_frame_id"]: t for t in streamer.latest_transforms or []}
            if not {"odom", "base_footprint"} <= set(found):
                return None
            map_to_odom, odom_to_base = found["odom"], found["base_footprint"]
            yaw = map_to_odom["theta"]
            x, y = (odom_to_base["translation"][axis] for axis in "xy")
            return (
                map_to_odom["translation"]["x"] + x * math.cos(yaw) - y * math.sin(yaw),
                map_to_odom["translation"]["y"] + x * math.sin(yaw) + y * math.cos(yaw),
                yaw + odom_to_base["theta"],
            )

        truth = robot.truth()
        eventually(
            chain,
            lambda pose: pose and math.dist(pose, (truth.x, truth.y, truth.yaw)) < 1e-3,
            f"map to base at {truth}",
        )
        assert streamer.stats["errors"] == 0
        # The whole set in every message, at least once a second also while time stands still.
        count = streamer.stats["total_updates"]
        eventually(lambda: streamer.stats["total_updates"], lambda now: now > count + 1, "more while paused")
        assert {"odom", "base_footprint"} <= {t["child_frame_id"] for t in streamer.latest_transforms}
    finally:
        streamer.stop()


def test_the_pool_gives_one_connection(robot, connection):
    assert KachakaConnection.get(robot.target) is connection
