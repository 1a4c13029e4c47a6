"""Requests that can't be: refused with the entity, the field and what would be right, and nothing changes."""

import math

import pytest
from geometry_msgs.msg import Twist
from rclpy.serialization import serialize_message
from tatami_msgs.msg import Discs, EntityPoses

import scenes
from conftest import DT
from messages import build
from scenes import SPECIAL, points, with_field

BOX_FIELDS = [("size_x",), ("size_y",), ("x",), ("y",), ("yaw",), ("z_min",), ("z_max",)]


@pytest.mark.parametrize("value", SPECIAL)
@pytest.mark.parametrize("path", BOX_FIELDS)
def test_boxes_with_numbers_that_are_none(scene, path, value):
    bad = with_field(scenes.box("bad", 1.0), path, value)
    scene.refused("spawn_boxes", "bad", path[0], boxes=[bad])


@pytest.mark.parametrize(
    ("field", "value"), [("size_x", 0.0), ("size_x", -1.0), ("size_y", 0.0), ("z_max", 0.0), ("z_max", -1.0)]
)
def test_boxes_without_extent(scene, field, value):
    bad = with_field(scenes.box("bad", 1.0), (field,), value)
    scene.refused("spawn_boxes", "bad", field, boxes=[bad])


@pytest.mark.parametrize("value", SPECIAL)
@pytest.mark.parametrize("path", [("points", 1, "x"), ("points", 3, "y"), ("z_min",), ("z_max",)])
def test_outlines_with_numbers_that_are_none(scene, path, value):
    bad = with_field(scenes.square_room("bad"), path, value)
    scene.refused("add_outlines", "bad", path[0], outlines=[bad])


@pytest.mark.parametrize(
    "ring",
    [
        [],
        points((1, 1)),
        points((1, 1), (1, 1), (1, 1)),
    ],
)
def test_outlines_that_are_no_ring(scene, ring):
    bad = scenes.square_room("bad") | {"points": ring}
    scene.refused("add_outlines", "bad", "points", outlines=[bad])


def test_a_ring_that_crosses_itself_is_fine(sim):
    """Walls are segments."""
    bow = scenes.square_room("bow") | {"points": points((1, -1), (1, 1), (3, -1), (3, 1))}
    sim.ok("add_outlines", outlines=[bow])
    assert "bow" in sim.entities()
    sim.step(3)


@pytest.mark.parametrize("value", SPECIAL)
def test_floors_with_heights_that_are_none(scene, value):
    scene.refused("add_floors", "bad", "z", floors=[{"name": "bad", "z": value}])


@pytest.mark.parametrize("value", SPECIAL)
@pytest.mark.parametrize("field", ["radius", "x", "y", "vx", "vy", "z_min", "z_max"])
def test_discs_with_numbers_that_are_none(scene, field, value):
    bad = with_field(scenes.disc("bad", 1.0), (field,), value)
    step = scene.ok("get_world").step
    scene.refused("control_world", "bad", field, discs=[scenes.disc("good", 1.0), bad], pause=True, multi_step=5)
    assert scene.ok("get_world").step == step


@pytest.mark.parametrize(("field", "value"), [("radius", 0.0), ("radius", -0.1), ("z_max", 0.0)])
def test_discs_without_extent(scene, field, value):
    bad = with_field(scenes.disc("bad", 1.0), (field,), value)
    scene.refused("control_world", "bad", field, discs=[bad])


@pytest.mark.parametrize("value", SPECIAL)
@pytest.mark.parametrize("field", ["x", "y", "yaw"])
def test_poses_with_numbers_that_are_none(scene, field, value):
    good = {"name": "walker", "x": 1.0}
    bad = {"name": "crate", "x": 1.0, "y": 1.0, "yaw": 0.0} | {field: value}
    scene.refused("control_world", "crate", field, poses=[good, bad])


@pytest.mark.parametrize("value", SPECIAL)
@pytest.mark.parametrize("axis", [("linear", "x"), ("linear", "y"), ("angular", "z")])
def test_commands_with_numbers_that_are_none(scene, axis, value):
    bad = {"robot": "bot", "twist": {axis[0]: {axis[1]: value}}}
    scene.refused("control_world", "bot", commands=[bad], pause=True, multi_step=3)


def test_inputs_for_what_does_not_exist(scene):
    scene.refused("control_world", "nobody", commands=[scene.drive("nobody", linear=1.0)])
    scene.refused("control_world", "nothing", poses=[{"name": "nothing"}])
    scene.refused("control_world", "room", poses=[{"name": "room"}])


@pytest.mark.parametrize("value", SPECIAL)
@pytest.mark.parametrize("field", ["x", "y", "yaw"])
def test_teleports_with_numbers_that_are_none(scene, field, value):
    scene.refused("set_robot_pose", "bot", field, name="bot", **{field: value})


def test_teleports_to_nowhere(scene):
    scene.refused("set_robot_pose", "attic", name="bot", floor="attic")
    scene.refused("set_robot_pose", "nobody", name="nobody")
    scene.refused("set_robot_pose", "crate", name="crate")


def test_names_that_are_empty_or_twice(scene):
    scene.refused("spawn_boxes", "name", boxes=[scenes.box("", 1.0)])
    scene.refused("add_outlines", "name", outlines=[scenes.square_room("")])
    scene.refused("add_floors", "name", floors=[{"name": "", "z": 9.0}])
    scene.refused("control_world", "name", discs=[scenes.disc("", 1.0)])
    scene.refused("spawn_robot", "name", **scenes.bot("", robot_namespace="/x", frame_prefix="x/"))
    scene.refused("spawn_boxes", "twin", boxes=[scenes.box("twin", 1.0), scenes.box("twin", 2.0)])


def test_deleting_what_is_not_there(scene):
    scene.refused("delete_entities", "nobody", names=["nobody"])
    scene.refused("delete_entities", names=[""])
    scene.refused("delete_robot", "nobody", name="nobody")


def test_a_floor_with_a_robot_on_it_stays(scene):
    scene.refused("delete_entities", "ground", "bot", names=["ground"])


def test_thirty_two_levels_work(sim):
    floors = [{"name": f"f{i}", "z": 3.0 * i} for i in range(32)]
    sim.ok("add_floors", floors=floors)
    sim.spawn_bot(floor="f31")
    assert sim.robot().pose.position.z == 93.0


def test_ten_thousand_boxes_in_one_request(sim):
    boxes = [scenes.box(f"b{i}", 2.0 * (i % 100), 2.0 * (i // 100), size_x=0.5, size_y=0.5) for i in range(10_000)]
    sim.ok("spawn_boxes", boxes=boxes)
    assert len(sim.ok("get_world").entities) == 10_000
    sim.spawn_bot(x=1.0, y=1.0, sensors=[scenes.laser()])
    sim.step(10)
    boxes[7_000]["size_x"] = math.nan
    sim.refused("spawn_boxes", "b7000", "size_x", boxes=boxes)
    assert sim.ok("delete_prefix", prefix="b").count == 10_001


def test_ten_thousand_inputs_in_one_request(sim):
    walkers = [scenes.disc(f"d{i}", 2.0 * (i % 100), 2.0 * (i // 100), vx=0.1) for i in range(10_000)]
    sim.step(2, discs=walkers)
    assert len(sim.ok("get_world").entities) == 10_000
    sim.ok("delete_prefix", prefix="d")


@pytest.mark.parametrize("value", SPECIAL + [1e300])
def test_topics_with_numbers_that_are_none(scene, value):
    """A topic has no reply: the server says it in its log and goes on."""
    discs = scene.publisher(Discs, "/tatami/discs")
    poses = scene.publisher(EntityPoses, "/tatami/poses")
    walker = scenes.disc("walker", -2.0)
    for field in ("x", "y", "vx", "radius", "z_max"):
        discs.publish(build("tatami_msgs/Discs", discs=[walker | {field: value}]))
    for field in ("x", "y", "yaw"):
        pose = {"name": "crate", "x": 2.0, "y": 0.0, "yaw": 0.0} | {field: value}
        if value == 1e300 and field == "yaw":
            continue
        poses.publish(build("tatami_msgs/EntityPoses", poses=[pose]))
    # One good message behind each tells that the others have been seen.
    discs.publish(build("tatami_msgs/Discs", discs=[scenes.disc("mark", 0.0, 4.0)]))
    scene.spin_until(lambda: "mark" in scene.entities(), "the mark")
    poses.publish(build("tatami_msgs/EntityPoses", poses=[{"name": "mark", "x": 1.0, "y": 4.0}]))
    scene.spin_until(lambda: scene.entities()["mark"].x == 1.0, "the mark at its new place")
    scene.ok("delete_entities", names=["mark"])


@pytest.mark.parametrize("value", SPECIAL)
def test_cmd_vel_with_numbers_that_are_none(scene, value):
    publisher = scene.publisher(Twist, "/bot/cmd_vel")
    broken = build("geometry_msgs/Twist", linear={"x": value}, angular={"z": value})

    def follows(speed):
        """Sends a speed and steps until the robot has it; returns where it is then."""
        publisher.publish(build("geometry_msgs/Twist", linear={"x": speed}))
        states = []

        def has_it():
            states.append(scene.step(1, report=True).robots[0])
            return abs(states[-1].twist.linear.x - speed) < 1e-9

        scene.spin_until(has_it, lambda: f"{speed} m/s, have {states[-1]}")
        return states[-1].pose.position.x

    def warnings():
        return scene.server.log().count('cmd_vel of "bot"')

    start = follows(0.2)
    before = warnings()

    def refused():
        # Again and again, since warnings of one kind come once a second.
        publisher.publish(broken)
        scene.ok("get_world")
        return warnings() > before

    scene.spin_until(refused, "a warning")
    # A command of this kind is none: the one before it holds.
    state = scene.step(20, report=True).robots[0]
    scenes.assert_near(scenes.planar(state.pose), (start + 20 * DT * 0.2, 0.0, 0.0), 1e-9, "pose")
    follows(0.3)
    scene.ok("reset")


@pytest.mark.parametrize("text", [b"ma\0k", b"ma\xffk", b"ma\xc3("])
def test_names_that_are_no_text(sim, text):
    """A client in another language may send any bytes; the server must outlive them."""
    publisher = sim.publisher(Discs, "/tatami/discs")
    raw = serialize_message(build("tatami_msgs/Discs", discs=[scenes.disc("mark", 1.0)]))
    assert raw.count(b"mark") == 1
    publisher.publish(raw.replace(b"mark", text))
    publisher.publish(build("tatami_msgs/Discs", discs=[scenes.disc("behind", 2.0)]))
    sim.spin_until(lambda: "behind" in sim.entities(), "the disc behind it")
    sim.step(3)
    assert sim.server.alive()


def test_far_away_things_do_no_harm(scene):
    """Coordinates without any sense are refused or bear no harm; either way the world goes on."""
    response = scene.call("spawn_boxes", boxes=[scenes.box("far", 1e300)])
    scene.step(5)
    if response.success:
        scene.ok("delete_entities", names=["far"])
    else:
        assert "far" in response.message
    scene.ok("reset")
