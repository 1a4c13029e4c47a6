"""Wheels of robots: what joint_states shows, what their limits do, and what is refused."""

import json
import math
import subprocess

import pytest
from sensor_msgs.msg import JointState

import scenes
from conftest import DT
from process import binary
from sim import best_effort, ns

FORKLIFT_JOINTS = ["mast", "front_left", "front_right", "steer_left", "steer_right", "rear_left", "rear_right"]


def joint(name, kind="continuous", parent="base_link"):
    return (
        f"<link name='{name}_link'/><joint name='{name}' type='{kind}'>"
        f"<parent link='{parent}'/><child link='{name}_link'/></joint>"
    )


FORKLIFT_URDF = (
    "<robot name='forklift'><link name='base_link'/>"
    + joint("mast", "prismatic")
    + "".join(joint(name) for name in FORKLIFT_JOINTS[1:3])
    + "".join(joint(name, "revolute") for name in FORKLIFT_JOINTS[3:5])
    + joint("rear_left", parent="steer_left_link")
    + joint("rear_right", parent="steer_right_link")
    + "</robot>"
)
# Fixed wheels beside the base, steered ones 1 m behind it.
FORKLIFT_WHEELS = {
    "type": "ackermann",
    "wheel_joints": ["rear_left", "rear_right", "front_left", "front_right"],
    "steering_joints": ["steer_left", "steer_right"],
    "wheel_radius": [0.1, 0.2],
    "wheel_base": 1.0,
    "track_width": 0.6,
    "non_steerable_track_width": 0.8,
    "steerable_wheels_at_rear": True,
    "max_turning_angle": math.atan(0.5),
}
CART_WHEELS = {
    "type": "differential",
    "wheel_joints": ["left_wheel_joint", "right_wheel_joint"],
    "wheel_radius": [0.05],
    "wheel_base": 0.3,
}


def drive(wheels):
    return scenes.EXACT_DRIVE | {"wheels": wheels}


def motions(message):
    """(position, velocity) by joint."""
    assert len(message.name) == len(message.position) == len(message.velocity), message
    return dict(zip(message.name, zip(message.position, message.velocity)))


def test_the_wheels_of_a_differential_drive(sim):
    sim.spawn_bot(urdf=scenes.WORKSHOP_URDF, drive=drive(CART_WHEELS), yaw=1.0)
    joints = sim.subscribe(JointState, "/bot/joint_states")
    # 1 s straight and 1 s on an arc: 0.5 m and 0.5 m +- 0.8 rad * 0.15 m.
    seconds = round(1.0 / DT)
    sim.step(seconds, commands=[sim.drive(linear=0.5)])
    response = sim.step(seconds, commands=[sim.drive(linear=0.5, angular=0.8)])
    shown = motions(joints.at(ns(response.sim_time)))
    assert list(shown) == ["left_wheel_joint", "right_wheel_joint", "lift_joint"]
    scenes.assert_near(shown["left_wheel_joint"], (0.88 / 0.05, 0.38 / 0.05), 1e-9, "left")
    scenes.assert_near(shown["right_wheel_joint"], (1.12 / 0.05, 0.62 / 0.05), 1e-9, "right")
    assert shown["lift_joint"] == (0.0, 0.0)
    # Put elsewhere it stands, its wheels as they were.
    sim.ok("set_robot_pose", name="bot", x=3.0)
    shown = motions(joints.at(ns(sim.step(1).sim_time)))
    scenes.assert_near(shown["left_wheel_joint"], (0.88 / 0.05, 0.0), 1e-9, "left after a teleport")
    sim.ok("reset")
    shown = motions(joints.at(ns(sim.step(1).sim_time)))
    assert set(shown.values()) == {(0.0, 0.0)}


def test_the_wheels_of_a_forklift(sim):
    sim.spawn_bot(urdf=FORKLIFT_URDF, drive=drive(FORKLIFT_WHEELS))
    joints = sim.subscribe(JointState, "/bot/joint_states")
    # The narrowest circle to the left: its centre is 1 m / 0.5 = 2 m beside the fixed axle.
    seconds = 2.0
    response = sim.step(round(seconds / DT), commands=[sim.drive(linear=0.5, angular=3.0)], report=True)
    turned = seconds * 0.5 / 2.0
    expected = (2.0 * math.sin(turned), 2.0 - 2.0 * math.cos(turned), turned)
    scenes.assert_near(scenes.planar(response.robots[0].pose), expected, 1e-6, "the circle")
    shown = motions(joints.at(ns(response.sim_time)))
    assert list(shown) == FORKLIFT_JOINTS
    for name, y in (("left", 0.3), ("right", -0.3)):
        distance = math.hypot(1.0, 2.0 - y)
        rolled = (turned * distance / 0.1, 0.25 * distance / 0.1)
        scenes.assert_near(shown[f"rear_{name}"], rolled, 1e-6, f"rear {name}")
        # Behind the fixed axle: steered to the right for a turn to the left.
        scenes.assert_near(shown[f"steer_{name}"], (-math.atan(1.0 / (2.0 - y)), 0.0), 1e-9, f"steer {name}")
    for name, y in (("left", 0.4), ("right", -0.4)):
        rolled = (turned * (2.0 - y) / 0.2, 0.25 * (2.0 - y) / 0.2)
        scenes.assert_near(shown[f"front_{name}"], rolled, 1e-6, f"front {name}")
    assert shown["mast"] == (0.0, 0.0)
    # On the spot it can't turn; the wheels stay where they are.
    state = sim.step(50, commands=[sim.drive(angular=2.0)], report=True)
    scenes.assert_near(scenes.planar(state.robots[0].pose), expected, 1e-6, "still there")
    still = motions(joints.at(ns(state.sim_time)))
    scenes.assert_near(still["steer_left"], shown["steer_left"], 1e-12, "steer left")
    assert still["rear_left"][1] == 0.0


def test_mecanum_wheels_at_their_limit(sim):
    names = ["fl", "fr", "rl", "rr"]
    urdf = "<robot name='m'><link name='base_link'/>" + "".join(joint(name) for name in names) + "</robot>"
    places = [(0.3, 0.2), (0.3, -0.2), (-0.3, 0.2), (-0.3, -0.2)]
    wheels = {
        "type": "holonomic",
        "wheel_joints": names,
        "wheel_radius": [0.05],
        "wheel_poses": [{"position": {"x": x, "y": y}} for x, y in places],
        "mecanum_angles": [45.0, 135.0, 135.0, 45.0],
        "max_wheel_speed": 4.0,
    }
    sim.spawn_bot(urdf=urdf, drive=drive(wheels))
    joints = sim.subscribe(JointState, "/bot/joint_states")
    response = sim.step(50, commands=[sim.drive(lateral=1.0)], report=True)
    # 4 rad/s at 0.05 m: 0.2 m/s to the left for 1 s.
    scenes.assert_near(scenes.planar(response.robots[0].pose), (0.0, 0.2, 0.0), 1e-9, "pose")
    shown = motions(joints.at(ns(response.sim_time)))
    expected = {"fl": -4.0, "fr": 4.0, "rl": 4.0, "rr": -4.0}
    for name, speed in expected.items():
        scenes.assert_near(shown[name], (speed, speed), 1e-9, name)


def put(sim, folder, text):
    """Puts a layout into the world."""
    file = folder / "room.yaml"
    file.write_text(text)
    done = subprocess.run([binary("tatami_layout"), file], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_kachaka_of_a_layout_drives_faster_than_its_description_lets_its_wheels_turn(sim, tmp_path):
    put(sim, tmp_path, "robots: [{name: k, model: kachaka}]")
    joints = sim.subscribe(JointState, "/k/joint_states", best_effort())
    faster = {"commands": [sim.drive("k", linear=0.8)]}
    # A velocity holds for 0.3 s; at 2 m/s2 the robot is at 0.8 m/s after 0.4 s.
    sim.step(10, **faster)
    shown = motions(joints.at(ns(sim.step(12, **faster).sim_time)))
    # At each step of the ramp the speed is 2 m/s2 more; two steps follow at full speed.
    way = sum(min(2.0 * DT * step, 0.8) * DT for step in range(1, 23))
    for name in ("base_l_drive_wheel_joint", "base_r_drive_wheel_joint"):
        scenes.assert_near(shown[name], (way / 0.045, 0.8 / 0.045), 1e-9, name)
    assert shown["docking_joint"] == (0.0, 0.0)


def test_wheels_of_a_layout_are_those_of_a_request(sim, tmp_path):
    """Two wheels with rollers on an axle of their own frames, all numbers different."""
    (tmp_path / "cart.urdf").write_text(scenes.WORKSHOP_URDF)
    wheels = {
        "type": "holonomic",
        "wheel_joints": CART_WHEELS["wheel_joints"],
        "wheel_radius": [0.05, 0.1],
        "wheel_poses": [
            {"position": {"x": 0.1, "y": 0.2, "z": 0.05}, "orientation": {"x": 0.0, "y": 0.0, "z": 0.6, "w": 0.8}},
            {"position": {"x": -0.1, "y": -0.3, "z": 0.1}, "orientation": {"x": 0.1, "y": 0.2, "z": 0.3, "w": 0.9}},
        ],
        "mecanum_angles": [60.0, 110.0],
        "wheel_axis": {"x": 0.2, "y": 1.0, "z": 0.1},
        "max_wheel_speed": 3.0,
    }
    drive_of = drive(wheels)
    robot = {"name": "of_layout", "urdf": "cart.urdf", "frame_prefix": "l/", "radius": 0.2, "y": 3.0, "drive": drive_of}
    # JSON is YAML.
    put(sim, tmp_path, json.dumps({"robots": [robot]}))
    sim.spawn_bot(urdf=scenes.WORKSHOP_URDF, drive=drive_of)
    inboxes = sim.subscribe_all((JointState, "/of_layout/joint_states"), (JointState, "/bot/joint_states"))
    commands = [sim.drive(name, linear=0.3, lateral=-0.2, angular=0.4) for name in ("of_layout", "bot")]
    stamp = ns(sim.step(50, commands=commands).sim_time)
    of_layout, of_request = (motions(inbox.at(stamp)) for inbox in inboxes)
    assert abs(of_request["left_wheel_joint"][0]) > 0.1, of_request
    assert of_layout == of_request


@pytest.mark.parametrize(
    "change, words",
    [
        ({"type": "tracks"}, ["drive.wheels.type", '"tracks"', "differential, ackermann or holonomic"]),
        ({"wheel_radius": [0.1, -1.0]}, ["drive.wheels.wheel_radius[1] is -1"]),
        ({"wheel_radius": []}, ["drive.wheels.wheel_radius has 0 entries"]),
        ({"wheel_base": math.nan}, ["drive.wheels.wheel_base is NaN"]),
        ({"track_width": 0.0}, ["drive.wheels.track_width is 0"]),
        ({"max_turning_angle": 1.6}, ["drive.wheels.max_turning_angle is 1.6", "pi/2"]),
        ({"max_linear_speed": -1.0}, ["drive.wheels.max_linear_speed is -1"]),
        ({"wheel_joints": ["rear_left"] * 3}, ["drive.wheels.wheel_joints has 3 entries", "2 or 4"]),
        ({"wheel_joints": ["rear_left"] * 2}, ["drive.wheels.wheel_joints[1]", "wheel_joints[0] is already"]),
        ({"steering_joints": ["steer_left", "mast"]}, ["drive.wheels.steering_joints[1]", '"mast"', *FORKLIFT_JOINTS[1:]]),
        ({"steering_joints": ["steer_left", ""]}, ['drive.wheels.steering_joints[1] is ""']),
    ],
)
def test_wheels_that_can_not_be(scene, change, words):
    fields = scenes.bot("other", urdf=FORKLIFT_URDF, drive=drive(FORKLIFT_WHEELS | change), x=4.0)
    scene.refused("spawn_robot", "'other'", *words, **fields)
