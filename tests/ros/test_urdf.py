"""The robot description: urdf/kachaka.urdf is what urdf/kachaka.urdf.xacro makes, with the figures it should have."""

import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from math import pi
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PLAIN = ROOT / "urdf" / "kachaka.urdf"

# joint: type, parent, child, xyz, rpy as the maker's description has them
JOINTS = {
    "base_footprint_joint": ("fixed", "base_footprint", "base_link", (0, 0, 0), (0, 0, 0)),
    "base_r_drive_wheel_joint": ("continuous", "base_link", "base_r_drive_wheel_link", (0, -0.1, 0.045), (0, 0, 0)),
    "base_l_drive_wheel_joint": ("continuous", "base_link", "base_l_drive_wheel_link", (0, 0.1, 0.045), (0, 0, 0)),
    "lidar_joint": ("fixed", "base_link", "laser_frame", (0.156, 0, 0.1049), (0, 0, pi / 2)),
    "camera_front_joint": ("fixed", "base_link", "camera_front_link", (0.2096, 0, 0.07), (-pi / 2, 0, -pi / 2)),
    "camera_back_joint": ("fixed", "base_link", "camera_back_link", (-0.14, 0, 0.07), (-pi / 2, 0, pi / 2)),
    "tof_joint": ("fixed", "base_link", "tof_link", (0.221, 0, 0.0418), (-pi / 4, 0, -pi / 2)),
    "docking_joint": ("prismatic", "base_link", "docking_link", (0, 0, 0), (0, 0, 0)),
    "imu_joint": ("fixed", "base_link", "imu_link", (0.0756, -0.0655, 0.05146), (0, 0, 0)),
}


def expand(*arguments):
    """The text that xacro makes of the description, with the relative path that its banner names."""
    command = "import sys, xacro; sys.argv[0] = 'xacro'; xacro.main()"
    run = subprocess.run(
        [sys.executable, "-c", command, "urdf/kachaka.urdf.xacro", *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": "0"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


def numbers(text):
    return tuple(float(number) for number in text.split())


@pytest.fixture(scope="module")
def robot():
    return ET.parse(PLAIN).getroot()


def test_the_plain_file_is_a_fresh_expansion():
    pytest.importorskip("xacro")
    assert PLAIN.read_text() == expand(), "run: xacro urdf/kachaka.urdf.xacro -o urdf/kachaka.urdf"


def test_arguments_reach_the_sensor_blocks():
    pytest.importorskip("xacro")
    robot = ET.fromstring(expand("lidar_noise:=0.0", "lidar_rate:=5", "imu_rate:=50"))
    assert robot.findtext("gazebo/sensor[@name='lidar']/lidar/noise/stddev") == "0.0"
    assert robot.findtext("gazebo/sensor[@name='lidar']/update_rate") == "5"
    assert robot.findtext("gazebo/sensor[@name='imu']/update_rate") == "50"


def test_joints_and_frames(robot):
    found = {joint.get("name"): joint for joint in robot.iter("joint")}
    assert set(found) == set(JOINTS)
    for name, (kind, parent, child, xyz, rpy) in JOINTS.items():
        joint = found[name]
        origin = joint.find("origin")
        assert joint.get("type") == kind, name
        assert (joint.find("parent").get("link"), joint.find("child").get("link")) == (parent, child), name
        assert numbers(origin.get("xyz")) == pytest.approx(xyz), name
        assert numbers(origin.get("rpy")) == pytest.approx(rpy), name
    limit = found["docking_joint"].find("limit")
    assert (float(limit.get("lower")), float(limit.get("upper"))) == (0.0, 0.012)


def test_body_and_inertia(robot):
    body = robot.find("link[@name='base_link']")
    assert numbers(body.find("collision/geometry/box").get("size")) == (0.387, 0.24, 0.095)
    assert numbers(body.find("collision/origin").get("xyz")) == (0.0435, 0, 0.0475)
    inertia = body.find("inertial/inertia")
    assert [float(inertia.get(axis)) for axis in ("ixx", "iyy", "izz")] == pytest.approx(
        [0.0555208, 0.1323283, 0.1728075], abs=1e-7
    )
    dome = body.findall("visual")[1]
    top = numbers(dome.find("origin").get("xyz"))[2] + float(dome.find("geometry/cylinder").get("length")) / 2
    assert top == pytest.approx(0.113)
    wheel = robot.find("link[@name='base_l_drive_wheel_link']/inertial/inertia")
    assert [float(wheel.get(axis)) for axis in ("ixx", "iyy", "izz")] == pytest.approx(
        [1.11667e-4, 1.11667e-4, 2.025e-4], rel=1e-5
    )


def test_lidar_block(robot):
    block = robot.find("gazebo[@reference='laser_frame']/sensor[@name='lidar']")
    horizontal = block.find("lidar/scan/horizontal")
    figures = [float(horizontal.findtext(key)) for key in ("samples", "min_angle", "max_angle")]
    assert figures == [400, -3.66519, 0.523599]
    assert [float(block.findtext(f"lidar/range/{key}")) for key in ("min", "max")] == [0.1, 10.0]
    assert float(block.findtext("lidar/noise/stddev")) == 0.03
    assert float(block.findtext("update_rate")) == 10


def test_nothing_else_is_needed_to_load_it(robot):
    assert not list(robot.iter("mesh")), "the description draws itself from boxes and cylinders"
    assert not list(robot.iter("plugin"))
