"""Odometry, transforms, joints and descriptions of robots."""

import math

import pytest
from nav_msgs.msg import Odometry
from sensor_msgs.msg import Imu, JointState, LaserScan
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage

import scenes
from conftest import DT
from sim import latched, ns

HALF_TURN_URDF = """<robot name="stacked"><link name="base_footprint"/><link name="base_link"/><link name="wheel"/>
<joint name="up" type="fixed"><parent link="base_footprint"/><child link="base_link"/>
  <origin xyz="0.3 0 0.05" rpy="0 0 0"/></joint>
<joint name="spin" type="continuous"><parent link="base_link"/><child link="wheel"/></joint></robot>"""


def transforms(message):
    """The transforms of one message by child frame."""
    return {t.child_frame_id: t for t in message.transforms}


def entry_with(inbox, child, stamp):
    """Waits for a transform of that child and stamp; robots may share a message or not."""

    def found():
        for message in inbox.messages:
            transform = transforms(message).get(child)
            if transform is not None and ns(transform.header.stamp) == stamp:
                return transform
        return None

    inbox.sim.spin_until(lambda: found() is not None, f"{child} at {stamp} on {inbox.topic}")
    return found()


def test_odometry_starts_at_zero_where_the_robot_stands(sim):
    sim.spawn_bot(x=3.0, y=-2.0, yaw=2.0)
    odom = sim.subscribe(Odometry, "/bot/odom")
    truth = sim.subscribe(Odometry, "/bot/ground_truth")
    response = sim.step(50, commands=[sim.drive(linear=0.5)])
    stamp = ns(response.sim_time)
    message = odom.at(stamp)
    assert (message.header.frame_id, message.child_frame_id) == ("bot/odom", "bot/base_link")
    scenes.assert_near(scenes.planar(message.pose.pose), (0.5, 0.0, 0.0), 1e-9, "odometry")
    message = truth.at(stamp)
    assert message.header.frame_id == "world"
    expected = scenes.compose((3.0, -2.0, 2.0), (0.5, 0.0, 0.0))
    scenes.assert_near(scenes.planar(message.pose.pose), expected, 1e-9, "truth")
    scenes.assert_near(message.twist.twist.linear.x, 0.5, 1e-9, "true speed in the base frame")


def test_odometry_twist_is_in_the_child_frame(sim):
    """A robot that faces along y drives forwards: x of the twist, not y (C-29)."""
    sim.spawn_bot(yaw=math.pi / 2)
    odom = sim.subscribe(Odometry, "/bot/odom")
    sim.step(40, commands=[sim.drive(angular=1.0)])
    message = odom.at(ns(sim.step(10, commands=[sim.drive(linear=0.2)]).sim_time))
    scenes.assert_near(message.twist.twist.linear.x, 0.2, 1e-9, "twist.linear.x")
    scenes.assert_near(message.twist.twist.linear.y, 0.0, 1e-9, "twist.linear.y")
    scenes.assert_near(message.twist.twist.angular.z, 0.0, 1e-9, "twist.angular.z")


def test_odometry_of_a_square_equals_the_truth(sim):
    """Without gain, lag and contact the wheels know the way to below 1 mm (C-31)."""
    sim.spawn_bot(x=1.0, y=1.0, yaw=0.5)
    odom = sim.subscribe(Odometry, "/bot/odom")
    for _ in range(4):
        sim.step(100, commands=[sim.drive(linear=0.5)])
        # A quarter turn in 1 s.
        response = sim.step(50, commands=[sim.drive(angular=math.pi / 2)], report=True)
    truth = scenes.planar(response.robots[0].pose)
    told = scenes.planar(odom.at(ns(response.sim_time)).pose.pose)
    scenes.assert_near(scenes.compose((1.0, 1.0, 0.5), told), truth, 1e-6, "odometry in the world")
    scenes.assert_near(told, (0.0, 0.0, 0.0), 1e-6, "back at the start")


def test_odometry_has_variances(sim):
    sim.spawn_bot()
    message = sim.subscribe(Odometry, "/bot/odom").at(ns(sim.step().sim_time))
    for what, covariance in (("pose", message.pose.covariance), ("twist", message.twist.covariance)):
        for axis in (0, 7, 35):
            assert covariance[axis] > 0.0, f"{what}.covariance[{axis}] is {covariance[axis]}"


def test_odometry_reads_the_body_so_that_it_stands_at_a_wall(sim):
    sim.ok("spawn_boxes", boxes=[scenes.wall(x=1.05)])
    sim.spawn_bot()
    odom = sim.subscribe(Odometry, "/bot/odom")
    sim.step(100, commands=[sim.drive(linear=1.0)])
    response = sim.step(1, report=True)
    scenes.assert_near(response.robots[0].pose.position.x, 0.8, 0.005, "true x")
    message = odom.at(ns(response.sim_time))
    scenes.assert_near(message.pose.pose.position.x, 0.8, 0.005, "x of the odometry")
    scenes.assert_near(message.twist.twist.linear.x, 0.0, 0.005, "speed")


def test_odometry_goes_on_over_a_teleport_and_the_transforms_tell_the_truth(sim):
    sim.spawn_bot(world_frame="world", x=1.0, y=2.0, yaw=0.5)
    odom = sim.subscribe(Odometry, "/bot/odom")
    tf = sim.subscribe(TFMessage, "/tf")

    def truth_by_tf(stamp):
        world = entry_with(tf, "bot/odom", stamp)
        assert world.header.frame_id == "world"
        base = entry_with(tf, "bot/base_link", stamp)
        assert base.header.frame_id == "bot/odom"
        return scenes.compose(scenes.planar(world.transform), scenes.planar(base.transform))

    first = sim.step(50, commands=[sim.drive(linear=0.4, angular=0.3)])
    before = odom.at(ns(first.sim_time))
    truth = scenes.planar(sim.robot().pose)
    scenes.assert_near(truth_by_tf(ns(first.sim_time)), truth, 1e-9, "world -> base before")
    sim.ok("set_robot_pose", name="bot", x=-4.0, y=3.0, yaw=-2.0)
    second = sim.step(1)
    after = odom.at(ns(second.sim_time))
    scenes.assert_near(
        scenes.planar(after.pose.pose), scenes.planar(before.pose.pose), 1e-9, "odometry over the teleport"
    )
    twist = after.twist.twist
    scenes.assert_near((twist.linear.x, twist.linear.y, twist.angular.z), (0, 0, 0), 1e-9, "twist")
    scenes.assert_near(truth_by_tf(ns(second.sim_time)), (-4.0, 3.0, -2.0), 1e-9, "world -> base after")
    third = sim.step(50, commands=[sim.drive(linear=0.4, angular=-0.3)], report=True)
    truth = scenes.planar(third.robots[0].pose)
    scenes.assert_near(truth_by_tf(ns(third.sim_time)), truth, 1e-9, "world -> base later")


def test_set_robot_pose_publishes_the_transform_at_once(sim):
    sim.spawn_bot(world_frame="world")
    tf = sim.subscribe(TFMessage, "/tf")
    sim.ok("set_robot_pose", name="bot", x=7.0, y=1.0, yaw=1.0)

    def arrived():
        for message in tf.messages:
            t = transforms(message)
            pose = scenes.compose(scenes.planar(t["bot/odom"].transform), scenes.planar(t["bot/base_link"].transform))
            if all(abs(a - b) < 1e-9 for a, b in zip(pose, (7.0, 1.0, 1.0))):
                return True
        return False

    sim.spin_until(arrived, "the transform of the new pose")


def test_without_world_frame_there_is_no_transform_above_odom(sim):
    sim.spawn_bot()
    tf = sim.subscribe(TFMessage, "/tf")
    stamp = ns(sim.step(3).sim_time)
    entry_with(tf, "bot/base_link", stamp)
    children = {child for message in tf.messages for child in transforms(message)}
    assert children == {"bot/base_link"}


def test_transforms_have_the_height_of_the_floor(sim):
    sim.ok("add_floors", floors=[{"name": "ground", "z": 0.0}, {"name": "upstairs", "z": 3.0}])
    sim.spawn_bot(world_frame="world", floor="upstairs")
    tf = sim.subscribe(TFMessage, "/tf")
    truth = sim.subscribe(Odometry, "/bot/ground_truth")
    stamp = ns(sim.step(1).sim_time)
    above = entry_with(tf, "bot/odom", stamp).transform.translation.z
    below = entry_with(tf, "bot/base_link", stamp).transform.translation.z
    assert above + below == 3.0, (above, below)
    assert truth.at(stamp).pose.pose.position.z == 3.0


@pytest.mark.parametrize("tf_topic", ["/bot/own_tf", "own_tf"])
def test_tf_topic_can_be_chosen(sim, tf_topic):
    """A relative name resolves under the namespace."""
    sim.spawn_bot(tf_topic=tf_topic)
    tf = sim.subscribe(TFMessage, "/bot/own_tf")
    entry_with(tf, "bot/base_link", ns(sim.step(1).sim_time))


def test_joint_states_hold_the_movable_joints_at_zero(sim):
    sim.spawn_bot(urdf=scenes.WORKSHOP_URDF)
    inbox = sim.subscribe(JointState, "/bot/joint_states")
    start = sim.now()
    stamp = ns(sim.step(5).sim_time)
    message = inbox.at(stamp)
    assert set(message.name) == {"left_wheel_joint", "right_wheel_joint", "lift_joint"}
    assert list(message.position) == [0.0, 0.0, 0.0]
    assert len(inbox.stamps(after=start)) == 5


def test_description_and_fixed_joints_reach_those_who_come_late(sim):
    sim.spawn_bot(urdf=scenes.WORKSHOP_URDF, publish_description=True)
    sim.step(3)
    description = sim.subscribe(String, "/bot/robot_description", latched(1), ready=False)
    assert description.wait()[0].data == scenes.WORKSHOP_URDF
    static = sim.subscribe(TFMessage, "/tf_static", latched(), ready=False)
    static.wait()
    fixed = {}
    for message in static.messages:
        fixed |= transforms(message)
    assert set(fixed) == {"bot/post", "bot/mast_head", "bot/nodding_head"}
    mast = fixed["bot/mast_head"]
    assert mast.header.frame_id == "bot/post"
    position = mast.transform.translation
    scenes.assert_near((position.x, position.y, position.z), (0.056, 0.0, 0.1), 1e-12, "post -> mast")
    scenes.assert_near(scenes.yaw_of(mast.transform.rotation), math.pi / 2, 1e-12, "yaw")
    nod = fixed["bot/nodding_head"].transform.rotation
    half = math.radians(30) / 2
    scenes.assert_near((nod.x, nod.y, nod.z, nod.w), (0, math.sin(half), 0, math.cos(half)), 1e-12, "pitch")


def test_static_transforms_of_two_robots_reach_one_late_reader(sim):
    for name in ("a", "b"):
        sim.spawn_bot(name, urdf=scenes.WORKSHOP_URDF, publish_description=True)
    static = sim.subscribe(TFMessage, "/tf_static", latched(), ready=False)
    links = ("post", "mast_head", "nodding_head")
    expected = {f"{name}/{link}" for name in ("a", "b") for link in links}
    sim.spin_until(
        lambda: {c for m in static.messages for c in transforms(m)} == expected, "both robots' links"
    )


def test_no_description_is_published_unless_wanted(sim):
    sim.spawn_bot(urdf=scenes.WORKSHOP_URDF)
    # What it opens behind it is there.
    sim.spin_until(lambda: sim.node.count_publishers("/bot/joint_states") == 1, "a publisher of joint states")
    assert sim.node.count_publishers("/bot/robot_description") == 0


def test_a_base_frame_under_the_root_makes_the_root_the_child_of_odometry(sim):
    response = sim.spawn_bot(
        urdf=HALF_TURN_URDF, x=1.0, yaw=math.pi / 2, world_frame="world", publish_description=True
    )
    assert "base_footprint" in response.message, response.message
    odom = sim.subscribe(Odometry, "/bot/odom")
    tf = sim.subscribe(TFMessage, "/tf")
    stamp = ns(sim.step(10, commands=[sim.drive(linear=0.5)]).sim_time)
    assert odom.at(stamp).child_frame_id == "bot/base_footprint"
    world = entry_with(tf, "bot/odom", stamp)
    root = entry_with(tf, "bot/base_footprint", stamp)
    footprint = scenes.compose(scenes.planar(world.transform), scenes.planar(root.transform))
    base = scenes.compose(footprint, (0.3, 0.0, 0.0))
    scenes.assert_near(base, (1.0, 0.5 * 10 * DT, math.pi / 2), 1e-9, "world -> base_link")
    scenes.assert_near(scenes.planar(sim.robot().pose), base, 1e-9, "reported pose, which is of base_link")


def test_a_base_frame_that_moves_against_the_root_is_refused(sim):
    request = scenes.bot(urdf=HALF_TURN_URDF, base_frame="wheel")
    sim.refused("spawn_robot", "base_footprint", "wheel", **request)
    sim.refused("spawn_robot", "no_such_link", **scenes.bot(base_frame="no_such_link"))


@pytest.mark.parametrize("prefix", ["", "bot/"])
def test_frames_have_the_prefix_and_no_leading_slash(sim, prefix):
    sim.spawn_bot(
        urdf=scenes.WORKSHOP_URDF,
        frame_prefix=prefix,
        publish_description=True,
        sensors=[scenes.laser(frame="post"), {"name": "imu", "type": "imu", "frame": "post"}],
    )
    odom = sim.subscribe(Odometry, "/bot/odom")
    stamp = ns(sim.step().sim_time)
    message = odom.at(stamp)
    assert message.header.frame_id == f"{prefix}odom"
    assert message.child_frame_id == f"{prefix}base_link"
    for kind, topic in ((LaserScan, "scan"), (Imu, "imu")):
        frame = sim.subscribe(kind, f"/bot/{topic}").at(ns(sim.step().sim_time)).header.frame_id
        assert frame == f"{prefix}post"


def test_a_sensor_without_topic_is_on_that_of_its_block_else_on_its_name(sim):
    block = {"type": "laserscan", "name": "front", "sensor": "mast_lidar"}
    sim.spawn_bot(urdf=scenes.WORKSHOP_URDF, sensors=[block, scenes.laser("rear", frame="post")])
    assert list(sim.ok("get_world").robots[0].topics) == ["/bot/mast/scan", "/bot/rear"]
    sim.subscribe_all((LaserScan, "/bot/mast/scan"), (LaserScan, "/bot/rear"))
