"""What comes in by topics: discs, poses and velocity commands."""

import math

import pytest
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from rosgraph_msgs.msg import Clock
from tatami_msgs.msg import Discs, EntityPoses

import scenes
from conftest import DT
from messages import build
from sim import ns


def discs(*items, removed=()):
    return build("tatami_msgs/Discs", discs=list(items), removed=list(removed))


def poses(*items):
    named = [{"name": n, "x": x, "y": y, "yaw": yaw} for n, x, y, yaw in items]
    return build("tatami_msgs/EntityPoses", poses=named)


def wait_for_entities(sim, condition, what):
    sim.spin_until(lambda: condition(sim.entities()), what)


def test_discs_come_move_and_go(sim):
    publisher = sim.publisher(Discs, "/tatami/discs")
    publisher.publish(discs(scenes.disc("a", 1.0), scenes.disc("b", 2.0)))
    wait_for_entities(sim, lambda e: set(e) == {"a", "b"}, "both discs")
    publisher.publish(discs(scenes.disc("a", 4.0, 1.0, radius=0.5, vx=1.0)))
    wait_for_entities(sim, lambda e: e["a"].x == 4.0, "a at its new place")
    moved = sim.entities()["a"]
    assert (moved.y, moved.radius, moved.vx) == (1.0, 0.5, 1.0)
    assert sim.entities()["b"].x == 2.0
    publisher.publish(discs(removed=["a", "never_there"]))
    wait_for_entities(sim, lambda e: set(e) == {"b"}, "only b")


def test_a_disc_moves_with_its_velocity(sim):
    publisher = sim.publisher(Discs, "/tatami/discs")
    publisher.publish(discs(scenes.disc("walker", 1.0, -2.0, vx=0.5, vy=-0.25)))
    wait_for_entities(sim, lambda e: "walker" in e, "the disc")
    sim.step(50)
    walker = sim.entities()["walker"]
    scenes.assert_near((walker.x, walker.y), (1.5, -2.25), 1e-9, "after 1 s")


def test_messages_on_discs_are_applied_in_order_of_arrival(sim):
    publisher = sim.publisher(Discs, "/tatami/discs")
    # Fewer than the depth, so that none is lost.
    for k in range(20):
        publisher.publish(discs(scenes.disc("a", float(k)), scenes.disc(f"new{k}", 50.0 + k)))
        publisher.publish(discs(removed=["a"] if k % 2 else [f"new{k}"]))
    publisher.publish(discs(scenes.disc("last", 99.0)))
    wait_for_entities(sim, lambda e: "last" in e, "the last message")
    expected = {f"new{k}" for k in range(20) if k % 2} | {"last"}
    assert set(sim.entities()) == expected


def test_a_disc_can_be_replaced_within_one_message(sim):
    publisher = sim.publisher(Discs, "/tatami/discs")
    publisher.publish(discs(scenes.disc("a", 1.0)))
    wait_for_entities(sim, lambda e: "a" in e, "the disc")
    publisher.publish(discs(scenes.disc("b", 2.0), removed=["a"]))
    wait_for_entities(sim, lambda e: set(e) == {"b"}, "a gone and b there")


def test_poses_move_boxes_and_discs_and_unknown_names_are_ignored(sim):
    sim.ok("spawn_boxes", boxes=[scenes.box("crate", 1.0)])
    sim.ok("control_world", discs=[scenes.disc("walker", 2.0)])
    publisher = sim.publisher(EntityPoses, "/tatami/poses")
    publisher.publish(poses(("crate", 3.0, 1.0, 0.5), ("ghost", 0.0, 0.0, 0.0), ("walker", 4.0, -1.0, 0.0)))
    wait_for_entities(sim, lambda e: e["walker"].x == 4.0, "the disc at its new place")
    entities = sim.entities()
    crate = entities["crate"]
    assert (crate.x, crate.y, crate.yaw) == (3.0, 1.0, 0.5)
    assert "ghost" not in entities


def command(stamped, linear=0.0, angular=0.0):
    twist = {"linear": {"x": linear}, "angular": {"z": angular}}
    if stamped:
        return build("geometry_msgs/TwistStamped", twist=twist)
    return build("geometry_msgs/Twist", **twist)


def publish_until_moving(sim, message, topic="/bot/cmd_vel", robot="bot"):
    """One command; steps one by one until it has arrived. Returns the state after its first step."""
    publisher = sim.publisher(type(message), topic)
    publisher.publish(message)
    states = []

    def moves():
        before = sim.robot(robot)
        states.append((before, sim.step(1, report=True).robots[0]))
        return states[-1][1].twist.linear.x != 0.0

    sim.spin_until(moves, f"{robot} to move by {topic}")
    return states[-1]


@pytest.mark.parametrize("stamped", [False, True])
def test_cmd_vel_drives(sim, stamped):
    sim.spawn_bot(stamped=stamped)
    before, after = publish_until_moving(sim, command(stamped, linear=0.5))
    assert before.pose.position.x == 0.0
    scenes.assert_near(after.twist.linear.x, 0.5, 1e-9, "twist")
    sim.step(49)
    scenes.assert_near(sim.robot().pose.position.x, 0.5 * 50 * DT, 1e-9, "x after 1 s")


@pytest.mark.parametrize(
    ("topic", "namespace"), [("/fleet/one/cmd_vel", "/fleet/one"), ("/relative/cmd_vel", "relative")]
)
def test_cmd_vel_is_under_the_namespace(sim, topic, namespace):
    sim.spawn_bot(robot_namespace=namespace)
    publish_until_moving(sim, command(False, linear=0.5), topic)


def test_cmd_vel_is_under_the_name_when_no_namespace_is_given(sim):
    sim.spawn_bot("lonely")
    publish_until_moving(sim, command(False, linear=0.5), "/lonely/cmd_vel", "lonely")


@pytest.mark.parametrize("timeout", [0.5, 1.3])
def test_a_command_times_out_in_sim_time(sim, timeout):
    """One command, then 10 s in one request: it holds for the timeout (C-26)."""
    sim.spawn_bot(drive=scenes.EXACT_DRIVE | {"timeout": timeout})
    before, _ = publish_until_moving(sim, command(False, linear=0.2))
    sim.step(500)
    state = sim.robot()
    driven = state.pose.position.x - before.pose.position.x
    # The step in which it ends may count or not.
    scenes.assert_near(driven, 0.2 * timeout, 0.2 * DT + 1e-9, "distance")
    assert state.twist.linear.x == 0.0


def test_a_pause_does_not_expire_a_command(sim):
    sim.spawn_bot(drive=scenes.EXACT_DRIVE | {"timeout": 0.1})
    _, first = publish_until_moving(sim, command(False, linear=0.2))
    # Wall time passes: 30 messages of the paused clock are 0.3 s.
    sim.subscribe(Clock, "/clock", ready=False).wait(30)
    after = sim.step(1, report=True).robots[0]
    scenes.assert_near(after.twist.linear.x, 0.2, 1e-9, "twist after a pause")
    scenes.assert_near(after.pose.position.x - first.pose.position.x, 0.2 * DT, 1e-9, "way of one step")


def test_without_timeout_a_command_holds(sim):
    sim.spawn_bot()
    before, _ = publish_until_moving(sim, command(False, linear=0.1))
    sim.step(2000)
    driven = sim.robot().pose.position.x - before.pose.position.x
    scenes.assert_near(driven, 0.1 * 2001 * DT, 1e-6, "distance after 40 s")


def test_both_axes_are_obeyed_as_an_arc(sim):
    """0.2 m/s and 0.5 rad/s are a circle of radius 0.4 m that ends where it began (C-28)."""
    sim.spawn_bot()
    sim.step(1, commands=[sim.drive(linear=0.2, angular=0.5)])
    centre = (0.0, 0.4)
    for _ in range(12):
        sim.step(50)
        x, y, _ = scenes.planar(sim.robot().pose)
        radius = math.hypot(x - centre[0], y - centre[1])
        scenes.assert_near(radius, 0.4, 0.005, "radius")
    full = round(2 * math.pi / 0.5 / DT)
    sim.step(full - 601)
    x, y, _ = scenes.planar(sim.robot().pose)
    scenes.assert_near((x, y), (0.0, 0.0), 0.01, "back at the start")


def test_a_command_of_the_wrong_type_is_warned_of(sim):
    sim.spawn_bot(stamped=True)
    publisher = sim.node.create_publisher(Twist, "/bot/cmd_vel", 10)
    sim.spin_until(lambda: "TwistStamped" in sim.server.log(), "a warning of the wrong type", deadline=10.0)
    sim.node.destroy_publisher(publisher)


def test_axes_are_limited(sim):
    drive = {"linear": {"low": -0.1, "high": 0.3, "accel": 0.5, "decel": 1.0}, "angular": {"low": -1.0, "high": 1.0}}
    sim.spawn_bot(drive=drive)
    state = sim.step(10, commands=[sim.drive(linear=5.0, lateral=5.0, angular=-5.0)], report=True).robots[0]
    scenes.assert_near(state.twist.linear.x, 0.5 * 10 * DT, 1e-9, "speed after 0.2 s at 0.5 m/s2")
    scenes.assert_near(state.twist.angular.z, -1.0, 1e-9, "turn rate at its bound")
    scenes.assert_near(state.twist.linear.y, 0.0, 1e-9, "an axis without bounds does not move")
    state = sim.step(100, report=True).robots[0]
    scenes.assert_near(state.twist.linear.x, 0.3, 1e-9, "speed at its bound")
    state = sim.step(10, commands=[sim.drive()], report=True).robots[0]
    scenes.assert_near(state.twist.linear.x, 0.1, 1e-9, "speed after 0.2 s at -1 m/s2")
    state = sim.step(100, commands=[sim.drive(linear=-5.0)], report=True).robots[0]
    scenes.assert_near(state.twist.linear.x, -0.1, 1e-9, "backwards at its bound")


def test_gain_is_between_wheels_and_body(sim):
    """Wheel odometry reads the body twist divided by the gain."""
    sim.spawn_bot(drive=scenes.EXACT_DRIVE | {"gain": [0.5, 1.0, 2.0]})
    odom = sim.subscribe(Odometry, "/bot/odom")
    response = sim.step(10, commands=[sim.drive(linear=1.0, angular=0.4)], report=True)
    state = response.robots[0]
    scenes.assert_near(state.twist.linear.x, 0.5, 1e-9, "speed of the body")
    scenes.assert_near(state.twist.angular.z, 0.8, 1e-9, "turn rate of the body")
    wheels = odom.at(ns(response.sim_time)).twist.twist
    scenes.assert_near(wheels.linear.x, 1.0, 1e-9, "speed of the wheels")
    scenes.assert_near(wheels.angular.z, 0.4, 1e-9, "turn rate of the wheels")


def test_lag_is_of_first_order(sim):
    sim.spawn_bot(drive=scenes.EXACT_DRIVE | {"lag": [0.4, 0.0, 0.0]})
    state = sim.step(20, commands=[sim.drive(linear=1.0)], report=True).robots[0]
    scenes.assert_near(state.twist.linear.x, 1 - math.exp(-0.4 / 0.4), 0.03, "speed after one time constant")


def test_traction_limits_the_change_of_velocity(sim):
    sim.spawn_bot(drive=scenes.EXACT_DRIVE | {"traction": 0.5})
    state = sim.step(50, commands=[sim.drive(linear=2.0)], report=True).robots[0]
    scenes.assert_near(state.twist.linear.x, 0.5, 1e-9, "speed after 1 s at 0.5 m/s2")


def test_a_disc_touches_a_robot_without_pushing_it(sim):
    sim.spawn_bot()
    sim.ok("control_world", discs=[scenes.disc("walker", 1.0, vx=-1.0)])
    touched = False
    for _ in range(50):
        state = sim.step(2, report=True).robots[0]
        touched |= [contact.name for contact in state.contacts] == ["walker"]
        scenes.assert_near(scenes.planar(state.pose), (0.0, 0.0, 0.0), 1e-6, "pose")
    assert touched
    assert sim.entities()["walker"].x < -0.9
