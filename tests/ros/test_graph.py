"""Several robots in one graph: names, QoS, and that nothing stays behind."""

import pytest
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from rclpy.qos import DurabilityPolicy, ReliabilityPolicy
from sensor_msgs.msg import LaserScan
from tf2_msgs.msg import TFMessage

import scenes
from sim import best_effort, latched, ns, reliable

RELIABLE, BEST_EFFORT = ReliabilityPolicy.RELIABLE, ReliabilityPolicy.BEST_EFFORT
VOLATILE, LATCHED = DurabilityPolicy.VOLATILE, DurabilityPolicy.TRANSIENT_LOCAL


def full_bot(name, **fields):
    sensors = [
        scenes.laser(),
        {"name": "imu", "type": "imu", "frame": "base_link"},
        {"name": "bumper", "type": "contact", "frame": "base_link"},
        {"name": "cloud", "type": "pointcloud", "frame": "base_link", "fan": [scenes.fan(5)]},
    ]
    return scenes.bot(name, sensors=sensors, publish_description=True, **fields)


def publishers(sim, topic, kind):
    """What is known of a topic's publishers, once there is one."""
    sim.spin_until(lambda: sim.node.get_publishers_info_by_topic(topic), f"a publisher of {topic}")
    infos = sim.node.get_publishers_info_by_topic(topic)
    assert [info.topic_type for info in infos] == [kind], f"{topic}: {[i.topic_type for i in infos]}"
    return infos[0].qos_profile


@pytest.mark.parametrize(
    ("topic", "kind", "reliability", "durability"),
    [
        ("/clock", "rosgraph_msgs/msg/Clock", RELIABLE, VOLATILE),
        ("/tf", "tf2_msgs/msg/TFMessage", RELIABLE, VOLATILE),
        ("/tf_static", "tf2_msgs/msg/TFMessage", RELIABLE, LATCHED),
        ("/bot/robot_description", "std_msgs/msg/String", RELIABLE, LATCHED),
        ("/bot/odom", "nav_msgs/msg/Odometry", RELIABLE, VOLATILE),
        ("/bot/ground_truth", "nav_msgs/msg/Odometry", RELIABLE, VOLATILE),
        ("/bot/joint_states", "sensor_msgs/msg/JointState", RELIABLE, VOLATILE),
        ("/bot/scan", "sensor_msgs/msg/LaserScan", RELIABLE, VOLATILE),
        ("/bot/imu", "sensor_msgs/msg/Imu", RELIABLE, VOLATILE),
        ("/bot/bumper", "ros_gz_interfaces/msg/Contacts", RELIABLE, VOLATILE),
        ("/bot/cloud", "sensor_msgs/msg/PointCloud2", RELIABLE, VOLATILE),
    ],
)
def test_types_and_qos_of_a_plain_robot(sim, topic, kind, reliability, durability):
    urdf = '<robot name="r"><link name="base_link"/><link name="top"/><joint name="j" type="fixed">'
    urdf += '<parent link="base_link"/><child link="top"/></joint></robot>'
    sim.ok("spawn_robot", **full_bot("bot", urdf=urdf))
    qos = publishers(sim, topic, kind)
    assert (qos.reliability, qos.durability) == (reliability, durability)


@pytest.mark.parametrize("topic", ["/tatami/discs", "/tatami/poses", "/bot/cmd_vel"])
def test_inputs_are_read_reliably(sim, topic):
    """So no command of a reliable writer, which is the default of every client, is lost on the way."""
    sim.spawn_bot()
    sim.spin_until(lambda: sim.node.get_subscriptions_info_by_topic(topic), f"a reader of {topic}")
    (info,) = sim.node.get_subscriptions_info_by_topic(topic)
    assert info.qos_profile.reliability == RELIABLE
    assert info.qos_profile.durability == VOLATILE


def test_unreliable_robots_publish_sensors_by_best_effort(sim):
    sim.ok("spawn_robot", **full_bot("bot", reliable=False))
    for topic, kind in (("scan", "LaserScan"), ("imu", "Imu"), ("cloud", "PointCloud2")):
        qos = publishers(sim, f"/bot/{topic}", f"sensor_msgs/msg/{kind}")
        assert qos.reliability == BEST_EFFORT, topic
    scan = sim.subscribe(LaserScan, "/bot/scan", best_effort())
    assert len(scan.at(ns(sim.step().sim_time)).ranges) == 1


def test_readers_of_either_reliability_get_the_scan(sim):
    """C-38."""
    sim.ok("spawn_robot", **full_bot("bot"))
    for qos in (reliable(), best_effort()):
        scan = sim.subscribe(LaserScan, "/bot/scan", qos)
        scan.entry(ns(sim.step().sim_time))


def test_two_robots_share_nothing_but_tf(sim):
    for name, y in (("a", 0.0), ("b", 2.0)):
        sim.ok("spawn_robot", **full_bot(name, y=y, world_frame="world"))
    tf = sim.subscribe(TFMessage, "/tf")
    odometry = [sim.subscribe(Odometry, f"/{name}/odom") for name in "ab"]
    response = sim.step(50, commands=[sim.drive("a", linear=0.5), sim.drive("b", linear=-0.5)])
    stamp = ns(response.sim_time)
    driven = [inbox.at(stamp).pose.pose.position.x for inbox in odometry]
    scenes.assert_near(driven, (0.5, -0.5), 1e-9, "each robot's odometry")
    static = sim.subscribe(TFMessage, "/tf_static", latched(), ready=False)
    tf.entry(stamp)
    parents = {}
    for message in tf.messages + static.messages:
        for t in message.transforms:
            assert not t.header.frame_id.startswith("/") and not t.child_frame_id.startswith("/")
            known = parents.setdefault(t.child_frame_id, t.header.frame_id)
            assert known == t.header.frame_id, f"{t.child_frame_id} hangs under {known} and {t.header.frame_id}"
    expected = {f"{n}/odom": "world" for n in "ab"} | {f"{n}/base_link": f"{n}/odom" for n in "ab"}
    assert parents == expected


def test_a_second_robot_with_the_same_frames_or_topics_is_refused(sim):
    """One parent per frame, one publisher per topic (C-35)."""
    sim.spawn_bot("a", frame_prefix="")
    sim.refused("spawn_robot", "base_link", **scenes.bot("b", frame_prefix=""))
    sim.refused("spawn_robot", "/a/", **scenes.bot("b", robot_namespace="/a"))
    assert list(sim.robots()) == ["a"]
    sim.spawn_bot("b")


def bot_topics(sim):
    return [name for name, _ in sim.node.get_topic_names_and_types() if name.startswith("/bot")]


def test_a_deleted_robot_leaves_the_graph(sim):
    sim.ok("spawn_robot", **full_bot("bot"))
    topics = ("cmd_vel", "odom", "ground_truth", "joint_states", "robot_description", "scan", "imu", "bumper", "cloud")
    expected = {f"/bot/{topic}" for topic in topics}
    sim.spin_until(lambda: set(bot_topics(sim)) == expected, lambda: f"{expected}, have {bot_topics(sim)}")
    sim.ok("delete_robot", name="bot")
    sim.spin_until(lambda: not bot_topics(sim), lambda: f"no topic of the robot, have {bot_topics(sim)}")
    sim.step(5)


def test_a_deleted_robot_takes_its_static_transforms_along(sim):
    sim.ok("spawn_robot", **scenes.bot("bot", urdf=scenes.WORKSHOP_URDF, publish_description=True))
    sim.ok("delete_robot", name="bot")
    sim.spawn_bot("other", urdf=scenes.WORKSHOP_URDF, publish_description=True)
    static = sim.subscribe(TFMessage, "/tf_static", latched(), ready=False)
    static.wait()
    children = {t.child_frame_id for message in static.messages for t in message.transforms}
    assert children == {f"other/{link}" for link in ("post", "mast_head", "nodding_head")}


def test_a_robot_deleted_under_its_driver(sim):
    """cmd_vel keeps coming while the robot goes and comes again."""
    sim.spawn_bot()
    publisher = sim.publisher(Twist, "/bot/cmd_vel")
    message = Twist()
    message.linear.x = 0.25
    timer = sim.node.create_timer(0.001, lambda: publisher.publish(message))
    try:
        for _ in range(5):
            sim.spin_until(
                lambda: sim.step(1, report=True).robots[0].twist.linear.x == 0.25, "the robot to drive"
            )
            sim.ok("delete_robot", name="bot")
            sim.step(3)
            sim.spawn_bot()
    finally:
        sim.node.destroy_timer(timer)
    assert sim.server.alive()
