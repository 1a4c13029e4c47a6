"""The quick-start calls of the server's specification, as they stand there."""

import math
import shlex

import pytest
import yaml
from nav_msgs.msg import Odometry
from sensor_msgs.msg import LaserScan

from messages import build, fill, message_class
from sim import ns, reliable

SPAWN_BOXES = r"""
ros2 service call /tatami/spawn_boxes tatami_msgs/srv/SpawnBoxes \
  "{boxes: [{name: wall, size_x: 0.1, size_y: 6.0, x: 3.0, z_max: 2.0}]}"
"""
SPAWN_ROBOT = r"""
ros2 service call /tatami/spawn_robot tatami_msgs/srv/SpawnRobot "{
  name: bot, robot_namespace: /bot, odom_frame: odom, base_frame: base_link, radius: 0.2,
  drive: {linear: {low: -1.0, high: 1.0, accel: 2.0}, angular: {low: -2.0, high: 2.0, accel: 6.0},
          gain: [1.0, 1.0, 1.0], traction: .inf, timeout: 0.5},
  urdf: '<robot name=\"bot\"><link name=\"base_link\"/></robot>',
  sensors: [{name: scan, type: laserscan, topic: /bot/scan, frame: base_link,
             fan: [{angle_min: -3.14159, angle_increment: 0.0174533, beams: 361, range_max: 10.0}]}]}"
"""
TOPIC_PUB = r"""
ros2 topic pub -r 10 /bot/cmd_vel geometry_msgs/msg/Twist "{linear: {x: 0.5}}"
"""


def service_call(sim, line):
    """What `ros2 service call` does with such a line."""
    program, noun, verb, service, kind, values = shlex.split(line.replace("\\\n", ""))
    assert (program, noun, verb) == ("ros2", "service", "call")
    service_type = message_class(kind)
    client = sim.node.create_client(service_type, service)
    sim.spin_until(client.service_is_ready, service)
    request = fill(service_type.Request(), yaml.safe_load(values))
    return sim.reply(client.call_async(request), service)


def topic_pub(sim, line):
    """What `ros2 topic pub -r` does with such a line: a timer that publishes."""
    words = shlex.split(line)
    assert words[:4] == ["ros2", "topic", "pub", "-r"]
    rate, topic, kind, values = words[4:]
    message = build(kind, **yaml.safe_load(values))
    publisher = sim.node.create_publisher(type(message), topic, reliable(10))
    sim.node.create_timer(1.0 / float(rate), lambda: publisher.publish(message))


@pytest.fixture
def quick_start(start_server):
    """A server with all defaults, running, after the two service calls."""
    sim = start_server()
    for line in (SPAWN_BOXES, SPAWN_ROBOT):
        response = service_call(sim, line)
        assert response.success, response.message
    return sim


def test_scan_sees_the_wall_where_it_is(quick_start):
    scan = quick_start.subscribe(LaserScan, "/bot/scan").wait()[0]
    assert scan.header.frame_id == "base_link"
    assert len(scan.ranges) == 361
    assert scan.range_max == 10.0
    seen = 0
    for index, measured in enumerate(scan.ranges):
        angle = -3.14159 + index * 0.0174533
        # The near face is at x = 2.95 and reaches from y = -3 to 3.
        ahead = math.cos(angle) > 0
        edge = abs(2.95 * math.tan(angle)) - 3.0
        if ahead and abs(edge) < 0.01:
            continue
        expected = 2.95 / math.cos(angle) if ahead and edge < 0 else math.inf
        seen += expected < math.inf
        assert measured == expected or abs(measured - expected) < 1e-4, (
            f"beam {index} at {angle} rad reads {measured}, expected {expected}"
        )
    assert seen == 91, f"{seen} beams see the wall"


def test_robot_drives_by_cmd_vel(quick_start):
    odom = quick_start.subscribe(Odometry, "/bot/odom")
    topic_pub(quick_start, TOPIC_PUB)

    def fastest():
        return max(message.twist.twist.linear.x for message in odom.messages)

    # A machine that is busy may let a command run out, after which the robot brakes and starts again.
    quick_start.spin_until(
        lambda: odom.received and odom.messages[-1].pose.pose.position.x > 0.3 and fastest() > 0.5 - 1e-6,
        lambda: f"0.5 m/s and odometry beyond x = 0.3 m, have {odom.messages[-1:]}",
    )
    assert fastest() < 0.5 + 1e-6, fastest()
    last = odom.messages[-1]
    assert (last.header.frame_id, last.child_frame_id) == ("odom", "base_link")
    assert last.pose.pose.position.y == pytest.approx(0.0, abs=1e-9)
    assert ns(last.header.stamp) % 33_300_000 == 0, last.header.stamp
