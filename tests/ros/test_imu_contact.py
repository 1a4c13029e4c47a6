"""IMU and contact sensors, and the contacts of the report."""

import math

import pytest
from ros_gz_interfaces.msg import Contacts
from sensor_msgs.msg import Imu

import scenes
from sim import ns

IMU = {"name": "imu", "type": "imu", "frame": "base_link"}
BUMPER = {"name": "bumper", "type": "contact", "frame": "base_link"}


def vector(v):
    return v.x, v.y, v.z


def spawn_imu(sim, urdf=scenes.PLAIN_URDF, sensor=IMU, **fields):
    sim.spawn_bot(urdf=urdf, sensors=[sensor], **fields)
    return sim.subscribe(Imu, "/bot/imu")


def read(sim, inbox, steps=1, **inputs):
    return inbox.at(ns(sim.step(steps, **inputs).sim_time))


def test_an_imu_at_rest_feels_gravity(sim):
    """C-30."""
    message = read(sim, spawn_imu(sim, yaw=0.7), 5)
    scenes.assert_near(vector(message.linear_acceleration), (0.0, 0.0, 9.81), 0.005, "acceleration")
    scenes.assert_near(vector(message.angular_velocity), (0.0, 0.0, 0.0), 1e-12, "rates")
    scenes.assert_near(scenes.yaw_of(message.orientation), 0.7, 1e-6, "yaw")
    for name in ("orientation", "angular_velocity", "linear_acceleration"):
        covariance = getattr(message, f"{name}_covariance")
        for axis in (0, 4, 8):
            assert covariance[axis] > 0.0, f"{name}_covariance is {list(covariance)}"


def test_a_spinning_imu_reads_its_rate(sim):
    inbox = spawn_imu(sim)
    message = read(sim, inbox, 50, commands=[sim.drive(angular=0.5)])
    scenes.assert_near(vector(message.angular_velocity), (0.0, 0.0, 0.5), 1e-9, "rates")
    scenes.assert_near(scenes.yaw_of(message.orientation), 0.5, 1e-6, "yaw after 1 s")


def test_an_imu_feels_the_body_speed_up_and_turn(sim):
    drive = scenes.EXACT_DRIVE | {"linear": {"low": -1.0, "high": 1.0, "accel": 0.5}}
    inbox = spawn_imu(sim, drive=drive)
    message = read(sim, inbox, 20, commands=[sim.drive(linear=1.0)])
    scenes.assert_near(vector(message.linear_acceleration), (0.5, 0.0, 9.81), 0.005, "speeding up")
    message = read(sim, inbox, 150)
    scenes.assert_near(vector(message.linear_acceleration), (0.0, 0.0, 9.81), 0.005, "at constant speed")
    message = read(sim, inbox, 10, commands=[sim.drive(linear=1.0, angular=0.4)])
    # Towards the centre of the circle: speed times turn rate; a step turns by 0.008 rad.
    scenes.assert_near(vector(message.linear_acceleration), (0.0, 0.4, 9.81), 0.01, "in a curve")


def test_an_imu_away_from_the_middle_feels_the_turn(sim):
    """At 0.5 m from the axis and 2 rad/s: 2 m/s2 inwards."""
    urdf = """<robot name="arm"><link name="base_link"/><link name="tip"/><joint name="j" type="fixed">
      <parent link="base_link"/><child link="tip"/><origin xyz="0.5 0 0"/></joint></robot>"""
    inbox = spawn_imu(sim, urdf, IMU | {"frame": "tip"})
    message = read(sim, inbox, 20, commands=[sim.drive(angular=2.0)])
    scenes.assert_near(vector(message.linear_acceleration), (-2.0, 0.0, 9.81), 0.05, "acceleration")


def test_an_imu_in_a_tilted_frame_reads_in_that_frame(sim):
    """Nose 30 degrees down, noise of 0.01 rad/s about its z axis (from the block)."""
    sensor = {"name": "imu", "type": "imu", "sensor": "balance", "topic": "imu"}
    inbox = spawn_imu(sim, scenes.WORKSHOP_URDF, sensor)
    sine, cosine = math.sin(math.radians(30)), math.cos(math.radians(30))
    message = read(sim, inbox, 2)
    assert message.header.frame_id == "bot/nodding_head"
    expected = (-9.81 * sine, 0.0, 9.81 * cosine)
    scenes.assert_near(vector(message.linear_acceleration), expected, 0.005, "gravity")
    rates = []
    for _ in range(400):
        message = read(sim, inbox, commands=[sim.drive(angular=0.5)])
        rates.append(vector(message.angular_velocity))
    scenes.assert_near(rates[-1][:2], (-0.5 * sine, 0.0), 1e-6, "rates about x and y")
    z = [rate[2] for rate in rates]
    mean = sum(z) / len(z)
    deviation = math.sqrt(sum((v - mean) ** 2 for v in z) / len(z))
    # The mean of 400 is known to 0.0005, the deviation to 0.00035.
    scenes.assert_near(mean, 0.5 * cosine, 0.002, "mean rate about z")
    scenes.assert_near(deviation, 0.01, 0.0015, "deviation of the rate about z")
    scenes.assert_near(message.angular_velocity_covariance[8], 0.01**2, 1e-9, "variance about z")


def test_a_teleport_is_not_felt(sim):
    inbox = spawn_imu(sim)
    sim.step(10)
    sim.ok("set_robot_pose", name="bot", x=5.0, y=1.0, yaw=1.0)
    message = read(sim, inbox)
    scenes.assert_near(vector(message.linear_acceleration), (0.0, 0.0, 9.81), 0.005, "acceleration")
    scenes.assert_near(vector(message.angular_velocity), (0.0, 0.0, 0.0), 1e-9, "rates")


def names(contact):
    return contact.collision1.name, contact.collision2.name


@pytest.mark.parametrize("what", ["wall", "disc", "robot", "outline"])
def test_a_bumper_names_what_it_touches(sim, what):
    """Everything has its near side at x = 0.5; the robot is stopped there or stands against it."""
    name = f"the_{what}"
    if what == "wall":
        sim.ok("spawn_boxes", boxes=[scenes.wall(name, x=0.55)])
    elif what == "outline":
        sim.ok("add_outlines", outlines=[scenes.square_room(name, half=0.5)])
    elif what == "disc":
        sim.ok("control_world", discs=[scenes.disc(name, 0.75, radius=0.25)])
    else:
        sim.spawn_bot(name, x=0.7, drive={})
    sim.spawn_bot(sensors=[BUMPER])
    bumper = sim.subscribe(Contacts, "/bot/bumper")
    assert read(sim, bumper).contacts == []
    sim.step(15, commands=[sim.drive(linear=1.0)])
    # Just before the end of the way, so that the touch is of both.
    seen = []
    for _ in range(10):
        response = sim.step(1, report=True)
        message = bumper.at(ns(response.sim_time))
        seen += [names(contact) for contact in message.contacts]
        state = next(s for s in response.robots if s.name == "bot")
        reported = {contact.name for contact in state.contacts}
        assert len(message.contacts) == len(state.contacts)
        assert reported <= {name}
    assert seen, "no contact was told"
    assert all(any(name in side for side in pair) for pair in seen), seen
    assert all(any("bot" in side for side in pair) for pair in seen), seen


def test_a_contact_has_place_normal_and_depth(sim):
    sim.ok("spawn_boxes", boxes=[scenes.wall(x=0.55)])
    sim.spawn_bot(y=0.3)
    state = sim.step(60, commands=[sim.drive(linear=0.5)], report=True).robots[0]
    (contact,) = state.contacts
    assert contact.name == "wall"
    scenes.assert_near((contact.position.x, contact.position.y), (0.5, 0.3), 0.005, "place")
    scenes.assert_near(vector(contact.normal), (-1.0, 0.0, 0.0), 1e-3, "normal")
    assert 0.0 <= contact.depth < 0.005, contact.depth
