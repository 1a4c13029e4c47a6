"""Point clouds of lidar rings, depth cameras and fans."""

import math
import struct

from sensor_msgs.msg import LaserScan, PointCloud2, PointField

import scenes
from sim import ns


def points_of(cloud):
    """The finite points, as rows of (x, y, z), and how many there are in all."""
    assert len(cloud.data) == cloud.row_step * cloud.height
    assert cloud.row_step == cloud.point_step * cloud.width
    offsets = {}
    for field in cloud.fields:
        assert field.count == 1 or field.name not in "xyz"
        offsets[field.name] = field.offset
        if field.name in ("x", "y", "z"):
            assert field.datatype == PointField.FLOAT32, field
    assert not cloud.is_bigendian
    data, points = bytes(cloud.data), []
    for start in range(0, len(data), cloud.point_step):
        point = tuple(struct.unpack_from("<f", data, start + offsets[axis])[0] for axis in "xyz")
        if all(map(math.isfinite, point)):
            points.append(point)
    return points, cloud.width * cloud.height


def in_order(points):
    """Sorted, without the last digits of single precision deciding the order."""
    return sorted(points, key=lambda point: [round(axis, 3) for axis in point])


def spawn(sim, sensor, name="cloud"):
    spec = {"name": name, "type": "pointcloud", "topic": name, "sensor": sensor, "rate": 50.0}
    sim.spawn_bot(urdf=scenes.WORKSHOP_URDF, sensors=[spec])
    return sim.subscribe(PointCloud2, f"/bot/{name}")


def read(sim, inbox):
    return inbox.at(ns(sim.step(1).sim_time))


def test_rings_meet_wall_and_floor_where_they_are(sim):
    """From (0.1, 0, 0.2): three rings of five rays against a wall whose face is 2.9 m ahead."""
    inbox = spawn(sim, "ring_lidar")
    sim.ok("spawn_boxes", boxes=[scenes.wall(x=3.05)])
    cloud = read(sim, inbox)
    assert cloud.header.frame_id == "bot/post"
    points, _ = points_of(cloud)
    expected = []
    for elevation in (-0.1, 0.0, 0.1):
        for azimuth in (-0.4, -0.2, 0.0, 0.2, 0.4):
            ray = (
                math.cos(elevation) * math.cos(azimuth),
                math.cos(elevation) * math.sin(azimuth),
                math.sin(elevation),
            )
            to_wall = 2.9 / ray[0]
            to_floor = -0.2 / ray[2] if ray[2] < 0 else math.inf
            length = min(to_wall, to_floor)
            expected.append(tuple(length * axis for axis in ray))
    assert len(points) == 15, points
    for got, wanted in zip(in_order(points), in_order(expected)):
        scenes.assert_near(got, wanted, 1e-4, "point")
    assert sum(abs(z + 0.2) < 1e-5 for _, _, z in points) == 5, "the lowest ring is on the floor"


def test_a_low_wall_is_seen_by_the_low_rays_only(sim):
    inbox = spawn(sim, "ring_lidar")
    boxes = [scenes.wall("low", x=1.15, z_max=0.19), scenes.wall("high", x=5.15, length=20.0, z_max=3.0)]
    sim.ok("spawn_boxes", boxes=boxes)
    points, _ = points_of(read(sim, inbox))
    low = [p for p in points if abs(p[0] - 1.0) < 1e-4]
    high = [p for p in points if abs(p[0] - 5.0) < 1e-4]
    # At 1 m the lowest ring is 0.1 m above the floor; the others pass over it.
    assert (len(low), len(high)) == (5, 10), points
    for x, y, z in low:
        scenes.assert_near(z, -0.1003 * math.hypot(x, y), 1e-3, "height in the sensor frame")


def test_a_depth_camera_sees_planes_as_planes(sim):
    """9 x 7 pixels and 1 rad across: wall 2.9 m ahead, floor 0.2 m below."""
    inbox = spawn(sim, "depth_eye")
    sim.ok("spawn_boxes", boxes=[scenes.wall(x=3.05, length=8.0, z_max=6.0)])
    points, count = points_of(read(sim, inbox))
    assert count == 63
    wall = [p for p in points if abs(p[0] - 2.9) < 1e-4]
    floor = [p for p in points if abs(p[2] + 0.2) < 1e-4]
    assert len(wall) + len(floor) == 63, points
    # Half of the image and the row on the axis look above the floor; below, the rows come down on it.
    assert len(wall) == 4 * 9 and len(floor) == 3 * 9, (len(wall), len(floor))
    slopes = sorted({round(y / x, 4) for x, y, _ in wall})
    assert len(slopes) == 9, slopes
    scenes.assert_near(slopes[0], -slopes[-1], 1e-3, "left and right")
    # The outermost pixel's middle or its edge lies at half of the field of view.
    assert math.tan(0.5) * 8 / 9 - 1e-3 <= slopes[-1] <= math.tan(0.5) + 1e-3, slopes
    steps = [b - a for a, b in zip(slopes, slopes[1:])]
    scenes.assert_near(steps, [steps[0]] * 8, 1e-3, "pixels are square in the image plane")


def test_nothing_in_sight_is_no_finite_point(sim):
    spec = {"name": "cloud", "type": "pointcloud", "frame": "post", "fan": [scenes.fan(5, -0.2, 0.1)]}
    sim.spawn_bot(urdf=scenes.WORKSHOP_URDF, sensors=[spec])
    inbox = sim.subscribe(PointCloud2, "/bot/cloud")
    points, _ = points_of(read(sim, inbox))
    assert points == []


def test_scan_and_cloud_of_one_fan_agree(sim):
    sim.ok("add_outlines", outlines=[scenes.square_room()])
    fan = scenes.full_turn(36)
    cloud = {"name": "cloud", "type": "pointcloud", "frame": "post", "fan": [fan]}
    sim.spawn_bot(urdf=scenes.WORKSHOP_URDF, sensors=[scenes.laser(frame="post", fan_=fan), cloud], x=0.2, yaw=0.3)
    clouds = sim.subscribe(PointCloud2, "/bot/cloud")
    scans = sim.subscribe(LaserScan, "/bot/scan")
    stamp = ns(sim.step(1).sim_time)
    points, _ = points_of(clouds.at(stamp))
    ranges = scans.at(stamp).ranges
    angles = [-math.pi + i * 2 * math.pi / 36 for i in range(36)]
    expected = [(r * math.cos(a), r * math.sin(a), 0.0) for r, a in zip(ranges, angles)]
    assert len(points) == 36
    for got, wanted in zip(in_order(points), in_order(expected)):
        scenes.assert_near(got, wanted, 1e-4, "point")


def test_scan_and_cloud_of_one_block_share_a_cast(sim):
    """The planar scan of a lidar with rings is the slice in its own plane."""
    sim.ok("add_outlines", outlines=[scenes.square_room(half=3.0)])
    block = {"sensor": "ring_lidar", "rate": 50.0}
    sensors = [
        block | {"name": "scan", "type": "laserscan", "topic": "scan"},
        block | {"name": "cloud", "type": "pointcloud", "topic": "cloud"},
    ]
    sim.spawn_bot(urdf=scenes.WORKSHOP_URDF, sensors=sensors)
    clouds = sim.subscribe(PointCloud2, "/bot/cloud")
    scans = sim.subscribe(LaserScan, "/bot/scan")
    stamp = ns(sim.step(1).sim_time)
    points, _ = points_of(clouds.at(stamp))
    middle = sorted((math.atan2(y, x), math.hypot(x, y)) for x, y, z in points if abs(z) < 1e-6)
    expected = [(a, 2.9 / math.cos(a)) for a in (-0.4, -0.2, 0.0, 0.2, 0.4)]
    assert len(middle) == 5, points
    for got, wanted in zip(middle, expected):
        scenes.assert_near(got, wanted, 1e-4, "(angle, range) in the cloud")
    scenes.assert_near(scans.at(stamp).ranges, [r for _, r in expected], 1e-4, "ranges of the scan")
