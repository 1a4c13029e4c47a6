"""Robots and worlds that the tests use, as the fields of requests, and what rays should read in them."""

import copy
import math

# One link: every sensor sits at the base frame.
PLAIN_URDF = '<robot name="plain"><link name="base_link"/></robot>'

# Sensors on arms of joints, wheels that turn, and things of other programs that are to be skipped.
WORKSHOP_URDF = """<?xml version="1.0"?>
<robot name="workshop_cart">
  <link name="base_link"/>
  <link name="post"/>
  <link name="mast_head"/>
  <link name="nodding_head"/>
  <link name="left_wheel"/>
  <link name="right_wheel"/>
  <link name="lift"/>
  <joint name="post_joint" type="fixed">
    <parent link="base_link"/><child link="post"/><origin xyz="0.1 0.0 0.2" rpy="0 0 0"/>
  </joint>
  <joint name="mast_joint" type="fixed">
    <parent link="post"/><child link="mast_head"/>
    <origin xyz="0.056 0.0 0.1" rpy="0 0 1.5707963267948966"/>
  </joint>
  <joint name="nod_joint" type="fixed">
    <parent link="base_link"/><child link="nodding_head"/>
    <origin xyz="0 0 0.5" rpy="0 0.5235987755982988 0"/>
  </joint>
  <joint name="left_wheel_joint" type="continuous">
    <parent link="base_link"/><child link="left_wheel"/><origin xyz="0 0.15 0.05"/><axis xyz="0 1 0"/>
  </joint>
  <joint name="right_wheel_joint" type="continuous">
    <parent link="base_link"/><child link="right_wheel"/><origin xyz="0 -0.15 0.05"/><axis xyz="0 1 0"/>
  </joint>
  <joint name="lift_joint" type="prismatic">
    <parent link="base_link"/><child link="lift"/><axis xyz="0 0 1"/>
    <limit lower="0" upper="0.1" effort="1" velocity="1"/>
  </joint>
  <gazebo reference="mast_head">
    <sensor name="mast_lidar" type="gpu_lidar">
      <pose>0.1 0 0 0 0 0</pose>
      <update_rate>10</update_rate>
      <topic>mast/scan</topic>
      <lidar>
        <scan><horizontal><samples>181</samples>
          <min_angle>-1.5707963267948966</min_angle><max_angle>1.5707963267948966</max_angle>
        </horizontal></scan>
        <range><min>0.05</min><max>12.0</max></range>
      </lidar>
    </sensor>
  </gazebo>
  <gazebo reference="post">
    <sensor name="ring_lidar" type="ray">
      <ray>
        <scan>
          <horizontal><samples>5</samples><min_angle>-0.4</min_angle><max_angle>0.4</max_angle></horizontal>
          <vertical><samples>3</samples><min_angle>-0.1</min_angle><max_angle>0.1</max_angle></vertical>
        </scan>
        <range><min>0.1</min><max>20.0</max></range>
      </ray>
    </sensor>
    <sensor name="depth_eye" type="depth_camera">
      <camera>
        <horizontal_fov>1.0</horizontal_fov>
        <image><width>9</width><height>7</height></image>
        <clip><near>0.05</near><far>15.0</far></clip>
      </camera>
    </sensor>
  </gazebo>
  <gazebo reference="nodding_head">
    <sensor name="nodding_lidar" type="lidar">
      <lidar>
        <scan><horizontal><samples>3</samples><min_angle>-0.3</min_angle><max_angle>0.3</max_angle>
        </horizontal></scan>
        <range><min>0.05</min><max>30.0</max></range>
      </lidar>
    </sensor>
    <sensor name="balance" type="imu"><update_rate>50</update_rate>
      <imu><angular_velocity><z><noise type="gaussian"><mean>0</mean><stddev>0.01</stddev></noise></z>
      </angular_velocity></imu>
    </sensor>
  </gazebo>
  <gazebo><plugin name="coffee::Maker" filename="libcoffee.so"><cups>3</cups></plugin></gazebo>
  <gazebo reference="lift"><mu1>0.3</mu1><plugin name="lift::Motor" filename="liblift.so"/></gazebo>
  <transmission name="lift_gear"><type>simple</type></transmission>
</robot>
"""

# Follows its command at once and exactly, up to 2 m/s and 3 rad/s.
EXACT_DRIVE = {
    "linear": {"low": -2.0, "high": 2.0},
    "lateral": {"low": -2.0, "high": 2.0},
    "angular": {"low": -3.0, "high": 3.0},
}

BOT_RADIUS = 0.2

# Numbers that are none.
SPECIAL = [math.nan, math.inf, -math.inf]


def bot(name="bot", **fields):
    """A round robot of radius 0.2 m at the origin that follows its command exactly."""
    request = {
        "name": name,
        "frame_prefix": f"{name}/",
        "urdf": PLAIN_URDF,
        "radius": BOT_RADIUS,
        "height": 0.5,
        "drive": EXACT_DRIVE,
    }
    return request | fields


def fan(beams=1, angle_min=0.0, increment=0.01, range_max=10.0, **fields):
    """A `BeamFan`; the default is one beam straight ahead."""
    first = {"angle_min": angle_min, "angle_increment": increment, "beams": beams, "range_max": range_max}
    return first | fields


def full_turn(beams=360, **fields):
    """A fan all the way round, without the last beam falling on the first."""
    return fan(beams, -math.pi, 2 * math.pi / beams, **fields)


def laser(name="scan", frame="base_link", fan_=None, **fields):
    """A `SensorSpec` for a laserscan by fan."""
    return {"name": name, "type": "laserscan", "frame": frame, "fan": [fan_ or fan()]} | fields


def box(name, x, y=0.0, size_x=0.2, size_y=0.2, z_min=0.0, z_max=2.0, yaw=0.0):
    """A `Box`."""
    return {
        "name": name,
        "size_x": size_x,
        "size_y": size_y,
        "x": x,
        "y": y,
        "yaw": yaw,
        "z_min": z_min,
        "z_max": z_max,
    }


def wall(name="wall", x=3.0, thickness=0.1, length=6.0, **fields):
    """A wall across the x axis; its near face is at `x - thickness / 2`."""
    return box(name, x, size_x=thickness, size_y=length, **fields)


def disc(name, x, y=0.0, radius=0.25, vx=0.0, vy=0.0, z_min=0.0, z_max=1.8):
    """A `Disc`."""
    return {
        "name": name,
        "radius": radius,
        "x": x,
        "y": y,
        "vx": vx,
        "vy": vy,
        "z_min": z_min,
        "z_max": z_max,
    }


def square_room(name="room", half=2.0, z_min=0.0, z_max=2.4):
    """An `Outline`: a square room around the origin."""
    corners = [(-half, -half), (half, -half), (half, half), (-half, half)]
    points = [{"x": x, "y": y} for x, y in corners]
    return {"name": name, "points": points, "z_min": z_min, "z_max": z_max}


def points(*pairs):
    """Rings of `Point32`."""
    return [{"x": x, "y": y} for x, y in pairs]


def with_field(item, path, value):
    """A copy of a request's item with one field, whose path is a tuple, replaced."""
    item = copy.deepcopy(item)
    target = item
    for key in path[:-1]:
        target = target[key]
    target[path[-1]] = value
    return item


def range_in_square(angle, half=2.0, x=0.0, y=0.0):
    """Distance from (x, y) along an angle to the wall of a square room."""
    cosine, sine = math.cos(angle), math.sin(angle)
    to_x = (math.copysign(half, cosine) - x) / cosine if cosine else math.inf
    to_y = (math.copysign(half, sine) - y) / sine if sine else math.inf
    return min(to_x, to_y)


def yaw_of(quaternion):
    """Heading of a rotation about z."""
    return 2.0 * math.atan2(quaternion.z, quaternion.w)


def turned(angle):
    """The same angle in [-pi, pi]."""
    return math.remainder(angle, 2 * math.pi)


def planar(transform):
    """A `geometry_msgs/Transform` or `Pose` as (x, y, yaw)."""
    position = transform.translation if hasattr(transform, "translation") else transform.position
    rotation = transform.rotation if hasattr(transform, "rotation") else transform.orientation
    return position.x, position.y, yaw_of(rotation)


def compose(a, b):
    """Pose b, given in the frame of pose a, in the frame that a is given in."""
    cosine, sine = math.cos(a[2]), math.sin(a[2])
    return (
        a[0] + cosine * b[0] - sine * b[1],
        a[1] + sine * b[0] + cosine * b[1],
        turned(a[2] + b[2]),
    )


def assert_near(actual, expected, tolerance, what=""):
    """Compares numbers or equally long rows of them, and shows both when they differ."""
    actual = list(actual) if hasattr(actual, "__len__") else [actual]
    expected = list(expected) if hasattr(expected, "__len__") else [expected]
    assert len(actual) == len(expected), f"{what}: {actual} against {expected}"
    for index, (a, b) in enumerate(zip(actual, expected)):
        same = a == b or abs(a - b) <= tolerance
        assert same, f"{what}[{index}]: got {a!r}, expected {b!r} within {tolerance} (all: {actual})"
