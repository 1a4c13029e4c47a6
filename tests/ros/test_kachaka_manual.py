"""A Kachaka under manual control and under the velocities of an autonomous driver, in lock-step."""

import math

import pytest
from geometry_msgs.msg import Twist

import kachaka
import scenes
from conftest import DT
from sim import best_effort

MANUAL = kachaka.MODEL["onboard_config"]["manual"]
DRIVE = kachaka.MODEL["onboard_config"]["drive"]
BAD_VALUE = 90001


@pytest.fixture
def robot(sim):
    return kachaka.spawn(sim)


def drive_for(robot, seconds, linear=0.0, angular=0.0):
    """Sends a velocity every 0.1 s of sim time."""
    for _ in range(round(seconds / 0.1)):
        robot.ok("sim/velocity", linear=linear, angular=angular)
        robot.sim.step(round(0.1 / DT))


def speed(robot):
    twist = robot.sim.robot(robot.name).twist
    return twist.linear.x, twist.angular.z


def rest(robot):
    """Steps until it stands."""
    robot.step_until(lambda: speed(robot) == (0.0, 0.0), "rest", steps=1)


def twist(linear=0.0, angular=0.0):
    message = Twist()
    message.linear.x, message.angular.z = linear, angular
    return message


def test_two_seconds_at_full_speed_are_sixty_centimetres(robot):
    robot.ok("sim/manual_control", enable=True)
    drive_for(robot, 2.0, linear=0.3)
    robot.ok("sim/velocity")
    rest(robot)
    x, y, yaw = robot.pose()
    scenes.assert_near((x, y, yaw), (0.6, 0.0, 0.0), 0.005, "after 2 s at 0.3 m/s")


def test_a_velocity_without_manual_control_is_13151(robot):
    robot.refused("sim/velocity", 13151, linear=0.3)
    robot.sim.step(10)
    assert speed(robot) == (0.0, 0.0)


def test_a_velocity_holds_for_its_timeout_and_not_longer(robot):
    robot.ok("sim/manual_control", enable=True)
    robot.ok("sim/velocity", linear=0.3)
    robot.sim.step(round(MANUAL["velocity_timeout"] / DT))
    scenes.assert_near(speed(robot), (0.3, 0.0), 1e-9, "at the end of the timeout")
    # Down from 0.3 m/s in 0.15 s at 2 m/s2, and a step to begin.
    robot.sim.step(round(0.3 / DRIVE["linear_accel"] / DT) + 1)
    assert speed(robot) == (0.0, 0.0)


def test_velocities_are_clamped_to_what_manual_control_may(robot):
    robot.ok("sim/manual_control", enable=True)
    drive_for(robot, 1.0, linear=5.0, angular=-9.0)
    wanted = (DRIVE["manual_linear"], -DRIVE["manual_angular"])
    scenes.assert_near(speed(robot), wanted, 1e-6, "clamped")


@pytest.mark.parametrize("field", ["linear", "angular"])
@pytest.mark.parametrize("value", scenes.SPECIAL)
def test_numbers_that_are_none_are_refused_by_field(robot, field, value):
    robot.ok("sim/manual_control", enable=True)
    robot.refused("sim/velocity", BAD_VALUE, field, **{field: value})
    robot.sim.step(5)
    assert speed(robot) == (0.0, 0.0)


def test_manual_control_ends_by_itself(robot):
    robot.ok("sim/manual_control", enable=True)
    state = robot.now()
    assert state.manual_control_enabled
    robot.sim.step(round((MANUAL["expiry"] - 1.0) / DT))
    assert robot.now().manual_control_enabled
    # Enabling again begins anew.
    robot.ok("sim/manual_control", enable=True)
    robot.sim.step(round((MANUAL["expiry"] - 1.0) / DT))
    assert robot.now().manual_control_enabled
    robot.sim.step(round(2.0 / DT))
    assert not robot.now().manual_control_enabled
    robot.refused("sim/velocity", 13151, linear=0.3)


def test_the_end_of_manual_control_stops_the_robot(robot):
    robot.ok("sim/manual_control", enable=True)
    drive_for(robot, 0.5, linear=0.3)
    state = robot.after("sim/manual_control", enable=False)
    assert not state.manual_control_enabled
    robot.sim.step(round(0.3 / DRIVE["linear_accel"] / DT) + 1)
    assert speed(robot) == (0.0, 0.0)


def test_the_end_of_manual_control_does_not_stop_a_command(robot):
    command = robot.start("MOVE_FORWARD", distance=0.5)
    robot.ok("sim/manual_control", enable=True)
    robot.sim.step(20)
    robot.ok("sim/manual_control", enable=False)
    robot.step_until(lambda: robot.now().command_id != command, "end of the command")
    assert robot.result(command).success
    scenes.assert_near(robot.pose()[0], 0.5, 0.002, "driven")


def test_a_running_command_goes_before_manual_control(robot):
    robot.ok("sim/manual_control", enable=True)
    robot.start("MOVE_FORWARD", distance=1.0)
    for _ in range(10):
        robot.ok("sim/velocity", angular=1.0)
        robot.sim.step(5)
    assert speed(robot)[0] > 0.1 and robot.pose()[2] == 0.0, (speed(robot), robot.pose())


def test_set_enabled_of_the_bridge_is_the_same_switch(robot):
    assert robot.call("manual_control/set_enabled", data=True).success
    assert robot.now().manual_control_enabled
    assert robot.call("manual_control/set_enabled", data=False).success
    assert not robot.now().manual_control_enabled
    robot.ok("sim/emergency_stop")
    response = robot.call("manual_control/set_enabled", data=True)
    assert not response.success and "12401" in response.message, response


def test_the_topic_turns_manual_control_on_and_loses_that_velocity(robot):
    """As the bridge does: 13151 makes it enable manual control, and only later samples drive."""
    publisher = robot.publisher("manual_control/cmd_vel", Twist, best_effort(5))

    def enabled():
        return robot.states.messages[-1].manual_control_enabled

    def heard():
        publisher.publish(twist())
        return enabled()

    robot.sim.spin_until(heard, "the topic to be heard")
    robot.sim.spin_until(lambda: not robot.after("sim/manual_control", enable=False).manual_control_enabled, "its end")
    # What was still on its way has turned it on again by now.
    robot.sim.step(5)
    robot.ok("sim/manual_control", enable=False)
    robot.now()
    publisher.publish(twist(linear=0.3))
    robot.sim.spin_until(enabled, "manual control")
    robot.sim.step(10)
    assert robot.pose()[0] == 0.0, "the first velocity is lost"

    def drives():
        publisher.publish(twist(linear=0.3))
        robot.sim.step(1)
        return speed(robot)[0] > 0.29

    robot.sim.spin_until(drives, "0.3 m/s")


def test_rubbish_on_the_topics_is_ignored(robot):
    sim = robot.sim
    publishers = [robot.publisher(name, Twist, best_effort(5)) for name in ("manual_control/cmd_vel", "sim/autonomous/cmd_vel")]

    # One after the other, for of one kind a second only the first is logged.
    for value, text in ((math.nan, "NaN"), (math.inf, "inf"), (-math.inf, "-inf")):

        def warned():
            for publisher in publishers:
                publisher.publish(twist(linear=value, angular=value))
            return f"linear is {text}," in sim.server.log()

        sim.spin_until(warned, f"a warning of {text}")
    sim.step(20)
    assert robot.pose() == (0.0, 0.0, 0.0)
    assert not robot.now().manual_control_enabled


def test_a_thousand_velocities_during_a_long_step(robot):
    sim = robot.sim
    publisher = robot.publisher("sim/autonomous/cmd_vel", Twist, best_effort(5))
    pending = sim.send("control_world", pause=True, multi_step=3000)
    for index in range(1000):
        publisher.publish(twist(linear=math.sin(index)))
    assert sim.reply(pending).steps_taken == 3000
    assert sim.server.alive()


def test_autonomous_velocities_by_topic(robot):
    publisher = robot.publisher("sim/autonomous/cmd_vel", Twist, best_effort(5))

    def drives():
        publisher.publish(twist(linear=2.0))
        robot.sim.step(1)
        return abs(speed(robot)[0] - DRIVE["autonomous_linear"]) < 1e-6

    robot.sim.spin_until(drives, "0.8 m/s")
    assert not robot.now().manual_control_enabled


def test_commands_of_a_step_request_are_autonomous_velocities(robot):
    sim = robot.sim
    for _ in range(10):
        sim.step(5, commands=[sim.drive("kachaka", linear=0.5)])
    scenes.assert_near(speed(robot), (0.5, 0.0), 1e-9, "0.5 m/s")
    sim.step(60)
    assert speed(robot) == (0.0, 0.0), "it holds for 0.3 s"


def test_it_stops_in_front_of_a_wall_unless_that_is_muted(robot):
    sim = robot.sim
    sim.ok("spawn_boxes", boxes=[scenes.wall(x=1.0)])
    robot.ok("sim/manual_control", enable=True)
    drive_for(robot, 5.0, linear=0.3)
    assert speed(robot) == (0.0, 0.0)
    stop = kachaka.MODEL["onboard_config"]["front_stop"]
    # The wall's face is at 0.95, the lane begins 0.23 in front of the wheels.
    gap = 0.95 - robot.pose()[0] - stop["front_x"]
    # It looks ahead by the way until the next look, and brakes with the step after.
    assert stop["margin"] <= gap <= stop["margin"] + 0.3 * (stop["period"] + DT), gap
    assert robot.call("sim/front_stop/mute", data=True).success
    assert robot.now().front_stop_muted
    drive_for(robot, 2.0, linear=0.3)
    scenes.assert_near(robot.pose()[0], 0.95 - 0.237, 0.01, "against the wall")
    assert robot.now().collisions == 1
