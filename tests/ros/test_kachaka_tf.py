"""The frames of a Kachaka: the tree of the real robot, true poses, places, and pose and map from somebody else."""

import math

import pytest
import yaml
from geometry_msgs.msg import PoseStamped
from nav_msgs.msg import OccupancyGrid, Odometry
from sensor_msgs.msg import JointState
from tf2_msgs.msg import TFMessage

import bridge_surface as surface
import kachaka
import scenes
from messages import build
from sim import latched, ns, reliable

ROOM = yaml.safe_load((kachaka.ROOT / "config" / "layouts" / "default_room.yaml").read_text())
PLACES = [
    {"id": "L01", "name": "Desk", "x": 1.0, "y": 0.5, "yaw": math.pi / 2},
    {"id": "home", "name": "Charger", "type": "charger", "x": -1.0, "y": 0.0, "yaw": 0.0},
]
# Wheels, m (published).
WHEEL_RADIUS, WHEEL_SEPARATION = 0.045, 0.2


@pytest.fixture(params=["", "k/"])
def robot(sim, request):
    robot = kachaka.spawn(sim, frame_prefix=request.param, config={"locations": PLACES})
    robot.prefix = request.param
    return robot


def static(sim, topic="/tf_static"):
    """All fixed transforms by child."""
    inbox = sim.subscribe(TFMessage, topic, latched(), ready=False)
    return {t.child_frame_id: t for t in inbox.wait()[-1].transforms}


def moving(inbox, stamp):
    """The transforms of a stamp by child."""
    return {t.child_frame_id: t for t in inbox.at(stamp).transforms}


def parents(transforms, prefix=""):
    return {child.removeprefix(prefix): t.header.frame_id.removeprefix(prefix) for child, t in transforms.items()}


def test_the_tree_is_that_of_the_real_robot(sim, robot):
    fixed = static(sim)
    places = {place["id"]: "map" for place in PLACES}
    assert parents(fixed, robot.prefix) == surface.FIXED_FRAMES | places
    tf = sim.subscribe(TFMessage, "/tf")
    assert parents(moving(tf, ns(sim.step().sim_time)), robot.prefix) == surface.MOVING_FRAMES
    for child, transform in fixed.items():
        for frame in (child, transform.header.frame_id):
            assert frame.startswith(robot.prefix) and not frame.startswith("/"), frame


def test_fixed_frames_stand_where_the_maker_says(sim, robot):
    fixed = static(sim)
    # m and quaternions of the maker's description.
    half = math.sqrt(0.5)
    wanted = {
        "laser_frame": ((0.156, 0.0, 0.1049), (0.0, 0.0, half, half)),
        "camera_front_link": ((0.2096, 0.0, 0.070), (-0.5, 0.5, -0.5, 0.5)),
        "camera_back_link": ((-0.140, 0.0, 0.070), (-0.5, -0.5, 0.5, 0.5)),
        "tof_link": ((0.221, 0.0, 0.0418), (-0.270598, 0.270598, -0.653281, 0.653281)),
        "imu_link": ((0.0756, -0.0655, 0.05146), (0.0, 0.0, 0.0, 1.0)),
    }
    same = ("camera_front", "camera_back", "tof_camera", "lidar_center_frame", "base_link")
    wanted |= dict.fromkeys(same, ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0)))
    wanted["L01"] = ((1.0, 0.5, 0.0), (0.0, 0.0, half, half))
    for child, (position, rotation) in wanted.items():
        transform = fixed[robot.prefix + child].transform
        t, q = transform.translation, transform.rotation
        scenes.assert_near((t.x, t.y, t.z), position, 1e-9, child)
        sign = math.copysign(1.0, q.w * rotation[3] + q.x * rotation[0] + q.y * rotation[1] + q.z * rotation[2])
        scenes.assert_near([sign * v for v in (q.x, q.y, q.z, q.w)], rotation, 1e-6, child)


def test_the_way_from_map_to_base_is_the_truth(sim, robot):
    tf = sim.subscribe(TFMessage, "/tf")
    fused = robot.subscribe("odometry/odometry", Odometry)
    for type_, fields in (("MOVE_FORWARD", {"distance": 0.7}), ("ROTATE_IN_PLACE", {"angle": 2.0})):
        assert robot.run(type_, **fields).success
    stamp = ns(sim.step().sim_time)
    transforms = moving(tf, stamp)
    odom, base = (scenes.planar(transforms[robot.prefix + frame].transform) for frame in ("odom", "base_footprint"))
    scenes.assert_near(scenes.compose(odom, base), robot.pose(), 1e-9, "map to base")
    scenes.assert_near(base, scenes.planar(fused.at(stamp).pose.pose), 1e-12, "odom to base is the fused odometry")
    # It drifts, so that this is no test of a world without noise.
    assert odom != (0.0, 0.0, 0.0)


def test_wheels_turn_as_they_roll(sim, robot):
    tf = sim.subscribe(TFMessage, "/tf")
    joints = robot.subscribe("joint_states", JointState, reliable())
    wheels = robot.subscribe("wheel_odometry/wheel_odometry", Odometry)
    assert robot.run("MOVE_FORWARD", distance=0.5).success
    assert robot.run("ROTATE_IN_PLACE", angle=1.0).success
    stamp = ns(sim.step().sim_time)
    message = joints.at(stamp)
    position = dict(zip(message.name, message.position))
    _, _, yaw = scenes.planar(wheels.at(stamp).pose.pose)
    way = 0.5 * (position["base_l_drive_wheel_joint"] + position["base_r_drive_wheel_joint"]) * WHEEL_RADIUS
    scenes.assert_near(way, 0.5, 0.002, "m by both wheels")
    turn = position["base_r_drive_wheel_joint"] - position["base_l_drive_wheel_joint"]
    scenes.assert_near(turn * WHEEL_RADIUS / WHEEL_SEPARATION, yaw, 0.002, "rad by both wheels")
    transforms = moving(tf, stamp)
    for side, y in (("l", 0.1), ("r", -0.1)):
        transform = transforms[f"{robot.prefix}base_{side}_drive_wheel_link"].transform
        t, q = transform.translation, transform.rotation
        scenes.assert_near((t.x, t.y, t.z), (0.0, y, 0.045), 1e-12, side)
        angle = 2.0 * math.atan2(q.y, q.w)
        wanted = position[f"base_{side}_drive_wheel_joint"]
        scenes.assert_near(scenes.turned(angle - wanted), 0.0, 1e-9, f"about the axle, {side}")


def test_added_places_become_frames_and_removed_ones_go(sim, robot):
    inbox = sim.subscribe(TFMessage, "/tf_static", latched(), ready=False)
    inbox.wait()
    sim.ok("add_locations", locations=[{"id": "L02", "x": 3.0, "yaw": 0.5}], removed=["L01"])
    name = robot.prefix + "L02"
    sim.spin_until(lambda: name in parents({t.child_frame_id: t for t in inbox.messages[-1].transforms}), name)
    fixed = {t.child_frame_id: t for t in inbox.messages[-1].transforms}
    assert robot.prefix + "L01" not in fixed
    scenes.assert_near(scenes.planar(fixed[name].transform), (3.0, 0.0, 0.5), 1e-9, name)
    assert fixed[name].header.frame_id == robot.prefix + "map"


def test_a_place_is_no_frame_of_another_robot(sim, robot):
    sim.spawn_bot("bot", frame_prefix=robot.prefix, base_frame="base_link", odom_frame="wheels", tf_topic="tf")
    sim.ok("delete_robot", name="bot")
    sim.ok("spawn_robot", **scenes.bot("bot", y=3.0, frame_prefix="bot_"))
    if robot.prefix == "":
        sim.refused("add_locations", "bot_base_link", "robot \"bot\"", locations=[{"id": "bot_base_link"}])
    urdf = '<robot name="r"><link name="L01"/></robot>'
    fields = {"urdf": urdf, "base_frame": "L01", "frame_prefix": robot.prefix, "odom_frame": "odometry"}
    sim.refused("spawn_robot", "L01", "kachaka", **scenes.bot("other", y=5.0, **fields))


def test_a_place_is_nothing_that_robots_hang_under(sim):
    """Whether they place it or not: else the place would be above itself, or above another robot."""
    kachaka.spawn(sim)
    kachaka.spawn(sim, "b", frame_prefix="b/", y=2.0)
    outside = {"localization": {"mode": "external"}}
    kachaka.spawn(sim, "c", config=outside, frame_prefix="c/", y=4.0)
    sim.spawn_bot("bot", world_frame="earth", y=-2.0)
    for frame, owner in (
        ("world", "true poses"),
        ("map", "the frame of the map"),
        ("base_l_drive_wheel_link", "of the urdf"),
        ("b/map", 'the frame of the map of robot "b"'),
        ("b/docking_link", 'robot "b"'),
        ("c/odom", 'odom_frame of robot "c"'),
        ("earth", 'world_frame of robot "bot"'),
    ):
        sim.refused("add_locations", f'location "{frame}"', owner, robot="kachaka", locations=[{"id": frame}])
    sim.ok("add_locations", robot="kachaka", locations=[{"id": "d/map"}])
    fields = {"frame_prefix": "d/", "y": 6.0}
    sim.refused("spawn_robot", '"d/map"', 'location "d/map" of robot "kachaka"', **kachaka.spawn_request("d", **fields))
    sim.ok("delete_robot", name="kachaka")
    sim.ok("spawn_robot", **kachaka.spawn_request("d", **fields))
    for frame, owner in (("b/map", 'robot "b"'), ("world", "true poses")):
        config = {"locations": [{"id": frame, "name": "a"}]}
        sim.refused("spawn_robot", f'location "{frame}"', owner, **kachaka.spawn_request(config=config))
    assert sorted(sim.robots()) == ["b", "bot", "c", "d"]


def test_places_for_all_are_checked_against_what_the_others_get(sim):
    kachaka.spawn(sim)
    kachaka.spawn(sim, "b", frame_prefix="b/", y=2.0)
    inbox = sim.subscribe(TFMessage, "/tf_static", latched(), ready=False)
    inbox.wait()
    # The first robot's "b/L1" is what the second one's "L1" becomes with its prefix.
    both = [{"id": "L1"}, {"id": "b/L1"}]
    sim.refused("add_locations", '"b/L1"', 'robot "kachaka"', locations=both)
    # Nothing of the request was done, so that half of it is free for the first robot.
    sim.ok("add_locations", robot="kachaka", locations=[{"id": "b/L1"}])
    sim.refused("add_locations", '"b/L1"', locations=[{"id": "L1"}])
    sim.ok("add_locations", robot="kachaka", removed=["b/L1"])
    sim.ok("add_locations", locations=[{"id": "L1", "x": 1.0}])
    wanted = {"L1": "map", "b/L1": "b/map"}
    sim.spin_until(lambda: wanted.items() <= parents(last_fixed(inbox)).items(), wanted)


def last_fixed(inbox):
    return {t.child_frame_id: t for t in inbox.messages[-1].transforms}


def test_a_shifted_estimate_shifts_the_odometry_on_the_map(sim, robot):
    tf = sim.subscribe(TFMessage, "/tf")
    robot.ok("sim/pose_estimate", x=2.0, y=-1.0, yaw=1.0)
    transforms = moving(tf, ns(sim.step().sim_time))
    odom, base = (scenes.planar(transforms[robot.prefix + frame].transform) for frame in ("odom", "base_footprint"))
    scenes.assert_near(scenes.compose(odom, base), (2.0, -1.0, 1.0), 1e-9, "map to base")
    assert robot.pose() == (0.0, 0.0, 0.0)


# Somebody else localizes


def test_with_external_localization_somebody_else_places_the_odometry(sim):
    robot = kachaka.spawn(sim, config={"localization": {"mode": "external"}})
    tf = sim.subscribe(TFMessage, "/tf")
    transforms = moving(tf, ns(sim.step().sim_time))
    assert "odom" not in transforms and "base_footprint" in transforms
    assert sim.node.count_publishers(robot.topic("mapping/map")) == 0
    pose = robot.latched("sim/pose", PoseStamped)
    outside = sim.publisher(TFMessage, "/tf")
    odom = {"header": {"frame_id": "map"}, "child_frame_id": "odom"}
    odom["transform"] = {"translation": {"x": 2.0, "y": 1.0}, "rotation": {"z": math.sin(0.25), "w": math.cos(0.25)}}
    # Others' transforms, and numbers that are none, change nothing.
    other = odom | {"child_frame_id": "other/odom", "transform": {"translation": {"x": 9.0}}}
    broken = odom | {"transform": {"translation": {"x": math.nan}}}
    unfilled = odom | {"transform": {"translation": {"x": 5.0}, "rotation": {"w": 0.0}}}
    outside.publish(build("tf2_msgs/TFMessage", transforms=[odom, other, unfilled]))
    outside.publish(build("tf2_msgs/TFMessage", transforms=[broken]))

    def arrived():
        sim.step()
        return pose.messages and scenes.planar(pose.messages[-1].pose)[0] > 1.9

    sim.spin_until(arrived, "the pose from outside")
    scenes.assert_near(scenes.planar(pose.messages[-1].pose), (2.0, 1.0, 0.5), 1e-9, "odometry is still zero")


@pytest.mark.parametrize("reset", ["world", "robot"])
def test_a_reset_takes_back_a_pose_from_outside(sim, reset):
    """It is about an odometry frame that is no more: who comes later gets the next one, no former one before."""
    robot = kachaka.spawn(sim, config={"localization": {"mode": "external"}})
    outside = sim.publisher(TFMessage, "/tf")

    def hear(x, pose):
        odom = {"header": {"frame_id": "map"}, "child_frame_id": "odom", "transform": {"rotation": {"w": 1.0}}}
        odom["transform"]["translation"] = {"x": x}
        outside.publish(build("tf2_msgs/TFMessage", transforms=[odom]))
        pose.wait()

    hear(2.0, robot.latched("sim/pose", PoseStamped))
    for _ in range(2):
        if reset == "world":
            sim.ok("reset")
        else:
            robot.ok("sim/reset", data=True)
    late = robot.latched("sim/pose", PoseStamped)
    sim.spin_until(lambda: late.subscription.get_publisher_count() == 1, "the publisher of the pose")
    sim.ok("republish", prefix="kachaka")
    hear(7.0, late)
    assert scenes.planar(late.messages[0].pose)[0] == 7.0, late.messages


def test_external_localization_hears_it_while_the_world_runs(start_server):
    """Its own transforms on the same topic do not push the others' out."""
    sim = start_server(physics_dt=1 / 120, real_time_factor=10.0)
    robot = kachaka.spawn(sim, config={"localization": {"mode": "external"}})
    pose = robot.latched("sim/pose", PoseStamped)
    outside = sim.publisher(TFMessage, "/tf")
    for x in range(1, 20):
        odom = {"header": {"frame_id": "map"}, "child_frame_id": "odom"}
        odom["transform"] = {"translation": {"x": float(x)}, "rotation": {"w": 1.0}}
        outside.publish(build("tf2_msgs/TFMessage", transforms=[odom]))
        sim.spin_until(lambda: pose.messages and pose.messages[-1].pose.position.x == x, f"x = {x}")


# The map


def test_the_map_of_the_default_room_cell_by_cell(sim):
    """Against the shapes of the room, computed here: each cell whose middle is far enough from every edge."""
    (room,) = ROOM["outlines"]
    sim.ok("add_outlines", outlines=[room | {"points": scenes.points(*room["points"]), "z_min": 0.0}])
    boxes = [{"yaw": 0.0, "z_min": 0.0} | box for box in ROOM["boxes"]]
    sim.ok("spawn_boxes", boxes=boxes)
    sim.step(1, discs=[scenes.disc("walker", 0.0, -1.0)])
    robot = kachaka.spawn(sim)
    grid = robot.latched("mapping/map", OccupancyGrid).wait()[-1]
    info = grid.info
    scenes.assert_near(info.resolution, kachaka.MODEL["onboard_config"]["mapping"]["resolution"], 1e-6, "m")
    assert len(grid.data) == info.width * info.height
    origin = scenes.planar(info.origin)
    assert origin[2] == 0.0
    compared = 0
    for row in range(info.height):
        for column in range(info.width):
            x = origin[0] + (column + 0.5) * info.resolution
            y = origin[1] + (row + 0.5) * info.resolution
            wanted = cell_of(x, y, boxes, info.resolution)
            if wanted is not None:
                compared += 1
                found = grid.data[row * info.width + column]
                assert found == wanted, f"cell at ({x:.4f}, {y:.4f}): {found}, expected {wanted}"
    assert compared > 0.8 * len(grid.data), f"{compared} of {len(grid.data)} cells"


def cell_of(x, y, boxes, resolution):
    """What a cell holds: 0 free, 100 occupied, -1 unknown, None on an edge, where drawing may round."""
    corner = ROOM["outlines"][0]["points"][2]
    inside = min(corner[0] - abs(x), corner[1] - abs(y))
    if abs(inside) <= resolution:
        return None
    if inside < 0.0:
        return -1
    height = kachaka.MODEL["onboard_config"]["mapping"]["height"]
    for box in boxes:
        if not box["z_min"] <= height <= box["z_max"]:
            continue
        along, aside = scenes.compose((0.0, 0.0, -box["yaw"]), (x - box["x"], y - box["y"], 0.0))[:2]
        depth = min(0.5 * box["size_x"] - abs(along), 0.5 * box["size_y"] - abs(aside))
        if abs(depth) <= resolution:
            return None
        if depth > 0.0:
            return 100
    return 0


def test_the_map_follows_what_is_built(sim):
    sim.ok("add_outlines", outlines=[scenes.square_room("room", 2.0)])
    robot = kachaka.spawn(sim)
    maps = robot.latched("mapping/map", OccupancyGrid)
    before = maps.wait()[-1]
    sim.ok("spawn_boxes", boxes=[scenes.box("crate", 1.0)])
    sim.step(60)
    after = maps.wait(2)[-1]
    assert sum(cell == 100 for cell in after.data) > sum(cell == 100 for cell in before.data)
    count = len(maps.messages)
    robot.run("MOVE_FORWARD", distance=0.2)
    sim.step(200)
    robot.now()
    assert len(maps.messages) == count, "nothing was built, so there is no new map"
