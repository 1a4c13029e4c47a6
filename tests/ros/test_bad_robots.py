"""Robots that can't be: refused with the reason, and nothing changes."""

import math

import pytest

import scenes
from scenes import SPECIAL, points, with_field

NAN = math.nan


def refused(sim, *words, **fields):
    """Spawning `bad` with some fields replaced must fail."""
    sim.refused("spawn_robot", *words, **scenes.bot(**{"name": "bad"} | fields))


@pytest.mark.parametrize("value", SPECIAL)
@pytest.mark.parametrize("field", ["x", "y", "yaw", "radius", "z_min", "height"])
def test_bodies_with_numbers_that_are_none(scene, field, value):
    refused(scene, field, **{field: value})


@pytest.mark.parametrize(
    ("fields", "word"),
    [
        ({"radius": 0.0}, "radius"),
        ({"radius": -0.2}, "radius"),
        ({"height": -0.5}, "height"),
        ({"radius": 0.0, "footprint": points((0, 0), (1, 0))}, "footprint"),
        ({"radius": 0.0, "footprint": points((0, 0), (1, 0), (2, 0))}, "footprint"),
        ({"radius": 0.0, "footprint": points((0, 0), (0, 0), (0, 0))}, "footprint"),
        ({"radius": 0.0, "footprint": points((-1, -1), (1, -1), (0, 0), (1, 1), (-1, 1))}, "footprint"),
        ({"radius": 0.0, "footprint": points((0, 0), (1, 0), (NAN, 1))}, "footprint"),
        ({"footprint": points((-1, -1), (1, -1), (1, 1))}, "footprint"),
        ({"floor": "attic"}, "attic"),
        ({"name": "crate", "robot_namespace": "/other"}, "crate"),
    ],
)
def test_bodies_that_can_not_be(scene, fields, word):
    refused(scene, word, **fields)


@pytest.mark.parametrize("value", SPECIAL)
@pytest.mark.parametrize(
    "path",
    [
        ("linear", "low"),
        ("linear", "high"),
        ("linear", "accel"),
        ("linear", "decel"),
        ("lateral", "high"),
        ("angular", "accel"),
        ("gain", 1),
        ("lag", 0),
        ("pivot_x",),
        ("timeout",),
    ],
)
def test_drives_with_numbers_that_are_none(scene, path, value):
    drive = {axis: {} for axis in ("linear", "lateral", "angular")} | {"gain": [1.0] * 3, "lag": [0.0] * 3}
    refused(scene, str(path[0]), drive=with_field(drive, path, value))


@pytest.mark.parametrize(
    ("drive", "word"),
    [
        ({"linear": {"low": 1.0, "high": -1.0}}, "linear"),
        ({"linear": {"high": 1.0, "accel": -1.0}}, "accel"),
        ({"linear": {"high": 1.0, "decel": -1.0}}, "decel"),
        ({"lag": [-1.0, 0.0, 0.0]}, "lag"),
        ({"traction": -1.0}, "traction"),
        ({"traction": NAN}, "traction"),
        ({"timeout": -1.0}, "timeout"),
        ({"wheels": {"type": "caterpillar"}}, "caterpillar"),
    ],
)
def test_drives_that_can_not_be(scene, drive, word):
    refused(scene, word, drive=drive)


def test_unlimited_traction_may_be_infinite(sim):
    sim.spawn_bot(drive=scenes.EXACT_DRIVE | {"traction": math.inf})


@pytest.mark.parametrize(
    "namespace", ["/bad-name", "/1robot", "/a//b", "/a/", "/with space", "/ümlaut", "/a/2b", "/" + "x" * 300]
)
def test_namespaces_that_are_no_ros_names(scene, namespace):
    refused(scene, "robot_namespace", robot_namespace=namespace)


def test_a_name_that_gives_no_namespace(scene):
    """Any name is allowed, but then it can't stand for the namespace."""
    scene.refused("spawn_robot", "robot-1", **scenes.bot("robot-1", frame_prefix="r/"))
    scene.ok("spawn_robot", **scenes.bot("robot-1", frame_prefix="r/", robot_namespace="/r"))
    scene.ok("delete_robot", name="robot-1")


@pytest.mark.parametrize("field", ["odom_frame", "base_frame", "world_frame", "frame_prefix"])
@pytest.mark.parametrize("frame", ["/slash", "two words", "new\nline"])
def test_frames_that_tf_does_not_take(scene, field, frame):
    refused(scene, **{field: frame})


@pytest.mark.parametrize("topic", ["bad-topic", "/a//b", "9lives", "trailing/", "with space"])
def test_topics_that_are_no_ros_names(scene, topic):
    refused(scene, topic, sensors=[scenes.laser(topic=topic)])
    refused(scene, topic, tf_topic=topic)


def test_topics_that_are_taken(scene):
    refused(scene, "odom", sensors=[scenes.laser(topic="odom")])
    refused(scene, "same", sensors=[scenes.laser("a", topic="same"), scenes.laser("b", topic="same")])
    refused(scene, "/clock", sensors=[scenes.laser(topic="/clock")])
    refused(scene, "/bot/scan", sensors=[scenes.laser(topic="/bot/scan")])


@pytest.mark.parametrize("topic", ["/clock", "/parameter_events", "/rosout", "/tatami/discs", "/tatami/poses", "/tatami/doors"])
def test_topics_of_the_server_are_its_own(scene, topic):
    """One process can't have two types on a topic; a robot that is refused for that leaves no ghost."""
    refused(scene, topic, "the server", sensors=[scenes.laser(topic=topic)])
    refused(scene, topic, "the server", tf_topic=topic)


def test_transforms_have_a_topic_of_their_own(scene):
    refused(scene, "tf_topic", "cmd_vel", tf_topic="cmd_vel")
    refused(scene, "tf_topic", "/tf_static", tf_topic="/tf_static")
    refused(scene, "tf_topic", "/bot/scan", "bot", tf_topic="/bot/scan")


LINK = '<link name="base_link"/>'


@pytest.mark.parametrize(
    ("urdf", "word"),
    [
        ("", "urdf"),
        ("this is no XML", ""),
        ("<robot name='r'><link name='base_link'>", ""),
        ("<sdf><model name='r'/></sdf>", "robot"),
        ("<robot name='r'></robot>", "link"),
        ("<robot name='r'><link name='other'/></robot>", "base_link"),
        (f"<robot name='r'>{LINK}{LINK}</robot>", "base_link"),
        (f"<robot name='r'>{LINK}<link name='loose'/></robot>", "loose"),
        (
            f"<robot name='r'>{LINK}<joint name='j' type='fixed'><parent link='base_link'/>"
            "<child link='ghost'/></joint></robot>",
            "ghost",
        ),
        (
            f"<robot name='r'>{LINK}<link name='a'/><link name='b'/>"
            "<joint name='ab' type='fixed'><parent link='a'/><child link='b'/></joint>"
            "<joint name='ba' type='fixed'><parent link='b'/><child link='a'/></joint></robot>",
            "",
        ),
        (
            "<robot name='r'><link name='base_link'/>"
            "<joint name='me' type='fixed'><parent link='base_link'/><child link='base_link'/></joint></robot>",
            "",
        ),
        (
            f"<robot name='r'>{LINK}<link name='a'/><joint name='j' type='wobbly'>"
            "<parent link='base_link'/><child link='a'/></joint></robot>",
            "wobbly",
        ),
        (
            f"<robot name='r'>{LINK}<link name='a'/><joint name='j' type='fixed'>"
            "<parent link='base_link'/><child link='a'/><origin xyz='1 two 3'/></joint></robot>",
            "two",
        ),
        (
            f"<robot name='r'>{LINK}<link name='a'/><joint name='j' type='fixed'>"
            "<parent link='base_link'/><child link='a'/><origin xyz='nan 0 0'/></joint></robot>",
            "nan",
        ),
        ("<!DOCTYPE r [<!ENTITY a 'aaaa'>]><robot name='&a;'><link name='base_link'/></robot>", ""),
    ],
)
def test_descriptions_that_are_none(scene, urdf, word):
    response = scene.refused("spawn_robot", word, **scenes.bot("bad", urdf=urdf))
    assert response.message, "no reason is given"


@pytest.mark.parametrize("valid", [True, False])
def test_a_description_of_ten_megabytes(scene, valid):
    """Taken, or refused with the limit; the server stays well."""
    filler = "<!-- " + "x" * 10_000_000 + " -->" if valid else "<a>" * 3_400_000
    urdf = f"<robot name='r'><link name='base_link'/>{filler}</robot>"
    response = scene.call("spawn_robot", **scenes.bot("big", urdf=urdf))
    if response.success:
        assert valid
        scene.ok("delete_robot", name="big")
    else:
        assert "bytes" in response.message or not valid, response.message
        assert len(response.message) < 1000, len(response.message)


def test_a_deeply_nested_description(scene):
    """Far below any limit of length, but too deep for a parser that recurses."""
    depth = 200_000
    urdf = f"<robot name='r'><link name='base_link'/>{'<a>' * depth}{'</a>' * depth}</robot>"
    response = scene.call("spawn_robot", **scenes.bot("deep", urdf=urdf))
    if response.success:
        scene.ok("delete_robot", name="deep")


def test_a_long_chain_of_joints(sim):
    count = 2000
    links = "".join(f"<link name='l{i}'/>" for i in range(1, count))
    parents = ["base_link"] + [f"l{i}" for i in range(1, count - 1)]
    joints = "".join(
        f"<joint name='j{i}' type='fixed'><parent link='{parent}'/><child link='l{i}'/>"
        f"<origin xyz='0.001 0 0'/></joint>"
        for i, parent in enumerate(parents, 1)
    )
    urdf = f"<robot name='chain'>{LINK}{links}{joints}</robot>"
    sim.spawn_bot(urdf=urdf, sensors=[scenes.laser(frame=f"l{count - 1}")])
    sim.step(2)


def test_a_spawn_inside_a_wall_is_allowed_and_told(sim):
    sim.ok("spawn_boxes", boxes=[scenes.wall(x=0.1, thickness=0.2)])
    response = sim.spawn_bot(x=0.1)
    assert "wall" in response.message, response.message
    state = sim.step(50, report=True).robots[0]
    assert all(map(math.isfinite, scenes.planar(state.pose))), state
    assert sim.spawn_bot("free", x=-3.0).message == ""


@pytest.mark.parametrize("inside", ["outline", "robot", "disc"])
def test_a_spawn_inside_anything_goes_on(sim, inside):
    if inside == "outline":
        sim.ok("add_outlines", outlines=[scenes.square_room("thing", half=0.05)])
    elif inside == "robot":
        sim.spawn_bot("thing")
    else:
        sim.ok("control_world", discs=[scenes.disc("thing", 0.0)])
    response = sim.spawn_bot()
    assert "thing" in response.message, response.message
    for state in sim.step(50, commands=[sim.drive(linear=1.0)], report=True).robots:
        assert all(map(math.isfinite, scenes.planar(state.pose))), state


def test_many_robots_on_one_spot(sim):
    for i in range(20):
        sim.spawn_bot(f"r{i}")
    for state in sim.step(100, report=True).robots:
        assert all(map(math.isfinite, scenes.planar(state.pose))), state
