"""What a laserscan reads: angles, ranges, misses, noise, heights and tilted frames."""

import math
import random

import pytest
from sensor_msgs.msg import LaserScan

import scenes
from sim import ns

INF = math.inf
RAISED_URDF = """<robot name="raised"><link name="base_link"/><link name="laser"/>
<joint name="mount" type="fixed"><parent link="base_link"/><child link="laser"/>
  <origin xyz="0 0 0.1" rpy="0 0 0"/></joint></robot>"""


def spawn_scanner(sim, fan=None, **fields):
    """A robot whose lidar is 0.1 m above its base; the inbox of its scans."""
    sensor = scenes.laser(frame="laser", fan_=fan or scenes.fan())
    sim.spawn_bot(urdf=RAISED_URDF, sensors=[sensor], **fields)
    return sim.subscribe(LaserScan, "/bot/scan")


def spawn_workshop(sim, sensor, **fields):
    """A robot with one of the sensor blocks of the workshop cart; the inbox of its scans."""
    spec = {"name": "scan", "type": "laserscan", "topic": "scan", "sensor": sensor, "rate": 50.0}
    sim.spawn_bot(urdf=scenes.WORKSHOP_URDF, sensors=[spec | fields])
    return sim.subscribe(LaserScan, "/bot/scan")


def read(sim, scan, **inputs):
    """Takes a step. Returns the scan of it."""
    return scan.at(ns(sim.step(1, **inputs).sim_time))


def test_a_full_turn_does_not_see_one_direction_twice(sim):
    """Beam i points at angle_min + i * angle_increment (C-16)."""
    sim.ok("add_outlines", outlines=[scenes.square_room()])
    message = read(sim, spawn_scanner(sim, scenes.full_turn(360), x=0.3, y=-0.5))
    assert len(message.ranges) == 360
    scenes.assert_near(message.angle_min, -math.pi, 1e-6, "angle_min")
    scenes.assert_near(message.angle_increment, 2 * math.pi / 360, 1e-8, "angle_increment")
    scenes.assert_near(message.angle_max, -math.pi + 359 * 2 * math.pi / 360, 1e-5, "angle_max")
    angles = [-math.pi + i * 2 * math.pi / 360 for i in range(360)]
    expected = [scenes.range_in_square(a, 2.0, 0.3, -0.5) for a in angles]
    scenes.assert_near(message.ranges, expected, 1e-4, "ranges")


def test_a_fan_may_turn_clockwise(sim):
    sim.ok("add_outlines", outlines=[scenes.square_room()])
    message = read(sim, spawn_scanner(sim, scenes.fan(90, 1.5, -0.03), x=0.3, y=-0.5))
    expected = [scenes.range_in_square(1.5 - 0.03 * i, 2.0, 0.3, -0.5) for i in range(90)]
    scenes.assert_near(message.ranges, expected, 1e-4, "ranges")
    scenes.assert_near(message.angle_increment, -0.03, 1e-8, "angle_increment")


def test_a_sensor_block_gives_the_increment_between_its_ends(sim):
    message = read(sim, spawn_workshop(sim, "mast_lidar"))
    assert len(message.ranges) == 181
    scenes.assert_near(message.angle_min, -math.pi / 2, 1e-6, "angle_min")
    scenes.assert_near(message.angle_max, math.pi / 2, 1e-6, "angle_max")
    scenes.assert_near(message.angle_increment, math.pi / 180, 1e-8, "angle_increment")
    scenes.assert_near((message.range_min, message.range_max), (0.05, 12.0), 1e-6, "range limits")


def test_misses_are_infinite_and_limits_are_sharp(sim):
    """C-18. The near face of the wall is the distance."""
    scan = spawn_scanner(sim, scenes.fan(40, -0.2, 0.01, range_min=0.5))
    message = read(sim, scan)
    assert list(message.ranges) == [INF] * 40
    assert (message.range_min, message.range_max) == (0.5, 10.0)
    for distance, expected in ((9.999, 9.999), (10.001, INF), (0.501, 0.501), (0.499, -INF)):
        sim.ok("spawn_boxes", boxes=[scenes.wall(x=distance + 0.05, length=20.0)])
        message = read(sim, scan)
        scenes.assert_near(message.ranges[20], expected, 1e-5, f"wall at {distance}")
        assert message.range_max == 10.0
        assert not any(math.isnan(r) for r in message.ranges)


def test_noise_is_gaussian_and_only_on_hits(sim):
    """C-19: 100 scans of 400 beams in the same direction."""
    scan = spawn_scanner(sim, scenes.fan(400, 0.0, 1e-8, noise_stddev=0.03))
    for _ in range(20):
        assert list(read(sim, scan).ranges) == [INF] * 400
    sim.ok("spawn_boxes", boxes=[scenes.wall(x=5.05)])
    values = []
    for _ in range(100):
        values += read(sim, scan).ranges
    mean = sum(values) / len(values)
    deviation = math.sqrt(sum((v - mean) ** 2 for v in values) / len(values))
    scenes.assert_near(mean, 5.0, 0.002, "mean")
    scenes.assert_near(deviation, 0.03, 0.002, "standard deviation")
    # Of a normal distribution 68.3 % lie within one and 95.4 % within two deviations.
    for factor, share in ((1, 0.683), (2, 0.954)):
        inside = sum(abs(v - 5.0) < factor * 0.03 for v in values) / len(values)
        scenes.assert_near(inside, share, 0.02, f"share within {factor} deviations")
    assert len(set(values)) > len(values) // 10, "beams and steps must have noise of their own"


def test_noise_never_leaves_the_limits(sim):
    scan = spawn_scanner(sim, scenes.fan(400, 0.0, 1e-8, range_min=0.3, noise_stddev=0.03))
    for distance, limit in ((9.999, INF), (0.301, -INF)):
        sim.ok("spawn_boxes", boxes=[scenes.wall(x=distance + 0.05)])
        ranges = read(sim, scan).ranges
        beyond = sum(r == limit for r in ranges)
        # Half of them, less the few in which 1 mm of room was enough.
        assert 140 < beyond < 260, f"{beyond} of 400 read {limit}"
        assert all(0.3 <= r <= 10.0 for r in ranges if r != limit), ranges


def test_a_still_scan_has_the_same_bytes(sim):
    """C-22."""
    sim.ok("add_outlines", outlines=[scenes.square_room()])
    scan = spawn_scanner(sim, scenes.full_turn(100), x=0.123, yaw=0.456)
    first = read(sim, scan).ranges.tobytes()
    for _ in range(100):
        assert read(sim, scan).ranges.tobytes() == first


def test_a_scan_is_taken_in_an_instant_at_the_pose_of_its_stamp(sim):
    """C-13: a spinning robot's scan fits the walls at its pose."""
    sim.ok("add_outlines", outlines=[scenes.square_room()])
    scan = spawn_scanner(sim, scenes.full_turn(60))
    for _ in range(10):
        response = sim.step(7, commands=[sim.drive(linear=0.2, angular=1.0)], report=True)
        message = scan.at(ns(response.sim_time))
        assert message.time_increment == 0.0
        x, y, yaw = scenes.planar(response.robots[0].pose)
        angles = [yaw - math.pi + i * 2 * math.pi / 60 for i in range(60)]
        expected = [scenes.range_in_square(a, 2.0, x, y) for a in angles]
        scenes.assert_near(message.ranges, expected, 1e-4, "ranges from the reported pose")


def test_contact_and_rays_have_one_geometry(sim):
    """A robot that is stopped by a wall sees it at its bumper (C-23)."""
    sim.ok("add_outlines", outlines=[scenes.square_room()])
    sim.ok("spawn_boxes", boxes=[scenes.box("crate", 1.0, 1.0, yaw=0.6)])
    choose = random.Random(4)
    scan = spawn_scanner(sim, scenes.full_turn(720))
    for _ in range(8):
        pose = {"x": choose.uniform(-1.5, 0.5), "y": choose.uniform(-1.5, 0.5), "yaw": choose.uniform(-3, 3)}
        sim.ok("set_robot_pose", name="bot", **pose)
        sim.step(900, commands=[sim.drive(linear=0.3)])
        nearest = min(read(sim, scan).ranges)
        scenes.assert_near(nearest, scenes.BOT_RADIUS, 0.005, f"nearest range after a start at {pose}")


def test_a_lidar_does_not_see_its_own_body_but_others(sim):
    """C-24."""
    scan = spawn_scanner(sim, scenes.fan(90, -0.45, 0.01))
    assert list(read(sim, scan).ranges) == [INF] * 90
    sim.spawn_bot("other", x=1.0)
    scenes.assert_near(read(sim, scan).ranges[45], 1.0 - scenes.BOT_RADIUS, 1e-5, "to the other's body")
    sim.spawn_bot("other", x=1.0, height=0.09)
    assert read(sim, scan).ranges[45] == INF, "a body 0.09 m high is below the ray at 0.1 m"
    footprint = [{"x": -0.3, "y": -0.2}, {"x": 0.1, "y": -0.2}, {"x": 0.1, "y": 0.2}, {"x": -0.3, "y": 0.2}]
    sim.spawn_bot("other", x=1.0, radius=0.0, footprint=footprint)
    scenes.assert_near(read(sim, scan).ranges[45], 0.7, 1e-5, "to the other's footprint")


def test_a_robot_drives_under_a_table_and_between_its_legs(sim):
    legs = [scenes.box(f"leg{i}", 1.5, y, size_x=0.05, size_y=0.05, z_max=0.7) for i, y in enumerate((-0.5, 0.5))]
    top = scenes.box("top", 1.5, size_x=0.8, size_y=1.2, z_min=0.7, z_max=0.75)
    sim.ok("spawn_boxes", boxes=[*legs, top])
    scan = spawn_scanner(sim, scenes.fan(3, -math.atan2(0.5, 1.5), math.atan2(0.5, 1.5)))
    ranges = read(sim, scan).ranges
    assert ranges[1] == INF, "the ray at 0.1 m passes below the table top"
    # Towards a leg's centre, up to its near face at x = 1.475.
    expected = 1.475 / math.cos(math.atan2(0.5, 1.5))
    scenes.assert_near((ranges[0], ranges[2]), (expected, expected), 1e-4, "legs")
    state = sim.step(150, commands=[sim.drive(linear=1.0)], report=True).robots[0]
    scenes.assert_near(state.pose.position.x, 3.0, 0.03, "x beyond the table")
    sim.spawn_bot(radius=0.2, height=0.8)
    state = sim.step(150, commands=[sim.drive(linear=1.0)], report=True).robots[0]
    scenes.assert_near(state.pose.position.x, 1.1 - 0.2, 0.005, "x of a robot that is too high")
    assert [contact.name for contact in state.contacts] == ["top"]


def test_discs_and_all_kinds_of_things_are_seen(sim):
    scan = spawn_scanner(sim, scenes.fan(4, -math.pi / 2, math.pi / 2))
    sim.ok("add_outlines", outlines=[scenes.square_room("far", 5.0)])
    sim.ok("spawn_boxes", boxes=[scenes.box("turned", 0.0, 2.0, size_x=1.0, size_y=1.0, yaw=math.pi / 4)])
    sim.ok("control_world", discs=[scenes.disc("walker", 1.5, radius=0.3)])
    sim.spawn_bot("other", y=-3.0)
    # Right: the robot. Ahead: the disc. Left: the corner of the box. Behind: the outline.
    expected = (3.0 - 0.2, 1.5 - 0.3, 2.0 - math.sqrt(0.5), 5.0)
    scenes.assert_near(read(sim, scan).ranges, expected, 1e-4, "right, ahead, left, behind")


def test_walls_are_two_sided(sim):
    """From inside and outside of an outline, whichever way round it was given."""
    room = scenes.square_room()
    scan = spawn_scanner(sim, x=4.0)
    for points in (room["points"], room["points"][::-1]):
        sim.ok("add_outlines", outlines=[room | {"points": points}])
        sim.ok("set_robot_pose", name="bot", x=4.0, yaw=math.pi)
        scenes.assert_near(read(sim, scan).ranges[0], 2.0, 1e-5, "from outside")
        sim.ok("set_robot_pose", name="bot", x=0.5, yaw=0.0)
        scenes.assert_near(read(sim, scan).ranges[0], 1.5, 1e-5, "from inside")


def test_a_frame_comes_through_all_joints_and_the_pose_of_the_sensor(sim):
    """C-36. The sensor is at (0.156, 0.1, 0.3) of the base and faces left, so beam 0 looks ahead."""
    scan = spawn_workshop(sim, "mast_lidar")
    sim.ok("spawn_boxes", boxes=[scenes.wall(x=2.05)])
    message = read(sim, scan)
    assert message.header.frame_id == "bot/mast_head"
    scenes.assert_near(message.ranges[0], 2.0 - 0.156, 1e-5, "ahead")
    assert min(message.ranges) == message.ranges[0], "the nearest is straight ahead"
    # A board that begins at y = 0.05: seen by a sensor at y = 0.1, not by one at y = 0.
    sim.ok("spawn_boxes", boxes=[scenes.box("board", 1.0, 1.05, size_x=0.1, size_y=2.0)])
    scenes.assert_near(read(sim, scan).ranges[0], 0.95 - 0.156, 1e-5, "to the board")
    sim.ok("spawn_boxes", boxes=[scenes.box("board", 1.0, 1.15, size_x=0.1, size_y=2.0)])
    scenes.assert_near(read(sim, scan).ranges[0], 2.0 - 0.156, 1e-5, "past the board from y = 0.15")
    # Its height of 0.3 m is above a low thing.
    sim.ok("spawn_boxes", boxes=[scenes.box("board", 1.0, size_x=0.1, size_y=2.0, z_max=0.29)])
    scenes.assert_near(read(sim, scan).ranges[0], 2.0 - 0.156, 1e-5, "over the board")


@pytest.mark.parametrize(
    ("z_max", "expected"),
    [
        (2.0, 0.5 / math.cos(math.radians(30))),
        (0.22, 0.5 / math.cos(math.radians(30))),
        (0.15, 1.0),
        # It comes in over the edge and down on the top.
        (0.18, (0.5 - 0.18) / math.sin(math.radians(30))),
    ],
)
def test_a_pitched_lidar_sees_floor_and_walls_where_they_are_in_3d(sim, z_max, expected):
    """From 0.5 m up and 30 degrees down a ray meets the floor after 1 m; at x = 0.5 it is 0.211 m high."""
    scan = spawn_workshop(sim, "nodding_lidar")
    ranges = read(sim, scan).ranges
    sideways = 1.0 / math.cos(0.3)
    scenes.assert_near(ranges, (sideways, 1.0, sideways), 1e-4, "floor")
    sim.ok("spawn_boxes", boxes=[scenes.wall(x=0.55, length=6.0, z_max=z_max)])
    scenes.assert_near(read(sim, scan).ranges[1], expected, 1e-4, f"wall up to {z_max}")


def test_a_pitched_lidar_does_not_meet_floors_above_it(sim):
    sim.ok("add_floors", floors=[{"name": "ground", "z": 0.0}, {"name": "upstairs", "z": 3.0}])
    scan = spawn_workshop(sim, "nodding_lidar")
    scenes.assert_near(read(sim, scan).ranges[1], 1.0, 1e-4, "on the ground")
    sim.ok("set_robot_pose", name="bot", floor="upstairs")
    scenes.assert_near(read(sim, scan).ranges[1], 1.0, 1e-4, "upstairs")
