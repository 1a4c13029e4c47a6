"""A multi_step that takes years: what others may do meanwhile, and how it ends."""

import pytest
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from rosgraph_msgs.msg import Clock
from tatami_msgs.msg import Discs

import scenes
from conftest import DT
from messages import build
from sim import Sim, ns


def endless(sim):
    """Starts a multi_step that takes years; returns its reply's future once it steps."""
    start = sim.ok("get_world").step
    future = sim.send("control_world", pause=True, multi_step=4_000_000_000)
    sim.spin_until(lambda: sim.ok("get_world").step > start, "the first of many steps")
    return start, future


def test_others_are_answered_and_a_pause_ends_it(servers, sim):
    start, future = endless(sim)
    other = servers.another_client()
    other.ok("spawn_boxes", boxes=[scenes.wall()])
    other.spawn_bot()
    assert "wall" in other.entities()
    assert not future.done()
    reply = other.ok("control_world", pause=True)
    ended = sim.reply(future)
    assert not ended.success
    assert ended.steps_taken > 0
    world = sim.ok("get_world")
    assert (world.step, world.paused) == (start + ended.steps_taken, True)
    assert ended.step == reply.step == world.step
    assert str(ended.steps_taken) in ended.message
    clock = sim.subscribe(Clock, "/clock", ready=False)
    clock.wait(10)
    assert clock.stamps() == [ns(world.sim_time)]


def test_interrupt_ends_it_and_the_server(start_server):
    sim = start_server(physics_dt=DT, paused=True)
    endless(sim)
    sim.server.interrupt()
    assert sim.server.wait(10.0) == 0, sim.server.log()


def steps_passed(sim, steps):
    """Waits until that many more steps were taken."""
    start = sim.ok("get_world").step
    sim.spin_until(lambda: sim.ok("get_world").step >= start + steps, f"{steps} steps")


def end(sim, future):
    sim.ok("control_world", pause=True)
    assert not sim.reply(future).success


def test_topic_inputs_wait_until_it_has_ended(sim):
    """They are taken in between requests, so that one long request equals many short ones."""
    sim.spawn_bot()
    commands = sim.publisher(Twist, "/bot/cmd_vel")
    discs = sim.publisher(Discs, "/tatami/discs")
    _, future = endless(sim)
    commands.publish(build("geometry_msgs/Twist", linear={"x": 0.5}))
    discs.publish(build("tatami_msgs/Discs", discs=[scenes.disc("walker", 5.0)]))
    commands.wait_for_all_acked()
    discs.wait_for_all_acked()
    steps_passed(sim, 1000)
    assert sim.robot().pose.position.x == 0.0
    assert "walker" not in sim.entities()
    end(sim, future)
    sim.spin_until(lambda: "walker" in sim.entities(), "the disc, after the request")
    sim.spin_until(lambda: sim.step(1, report=True).robots[0].twist.linear.x == 0.5, "the command, after the request")


def nothing(sim):
    pass


def respawn(sim):
    sim.spawn_bot()


def delete_and_spawn(sim):
    sim.ok("delete_robot", name="bot")
    sim.spawn_bot()


def reset(sim):
    sim.ok("reset")


@pytest.mark.parametrize(
    ("event", "speed"), [(nothing, 0.5), (respawn, 0.0), (delete_and_spawn, 0.0), (reset, 0.0)]
)
def test_what_was_meant_for_a_robot_is_not_for_the_next(sim, event, speed):
    """Held back for a robot that is another one when the request has ended."""
    sim.spawn_bot()
    commands = sim.publisher(Twist, "/bot/cmd_vel")
    _, future = endless(sim)
    commands.publish(build("geometry_msgs/Twist", linear={"x": 0.5}))
    commands.wait_for_all_acked()
    # The server takes in what has arrived before it answers.
    sim.ok("get_world")
    event(sim)
    end(sim, future)
    assert sim.step(1, report=True).robots[0].twist.linear.x == speed


def test_a_command_times_out_within_it(sim):
    sim.spawn_bot(drive=scenes.EXACT_DRIVE | {"timeout": 0.5})
    start = sim.ok("get_world").step
    future = sim.send("control_world", pause=True, multi_step=4_000_000_000, commands=[sim.drive(linear=0.2)])
    sim.spin_until(lambda: sim.ok("get_world").step > start + 100, "2 s of sim time")
    scenes.assert_near(sim.robot().pose.position.x, 0.2 * 0.5, 0.2 * DT + 1e-9, "distance")
    end(sim, future)


def test_the_world_may_be_changed_meanwhile(sim):
    sim.spawn_bot("stays", y=3.0)
    _, future = endless(sim)
    sim.spawn_bot()
    odom = sim.subscribe(Odometry, "/bot/odom")
    odom.wait(3)
    sim.ok("set_robot_pose", name="bot", x=2.0)
    assert sim.robot().pose.position.x == 2.0
    sim.ok("add_floors", floors=[{"name": "upstairs", "z": 3.0}])
    sim.ok("add_outlines", outlines=[scenes.square_room(half=9.0)])
    assert sim.set_parameter("real_time_factor", 2.0).successful
    assert sim.set_parameter("real_time_factor", 1.0).successful
    sim.ok("delete_entities", names=["room"])
    sim.ok("delete_robot", name="bot")
    assert sim.ok("republish", prefix="").count == 1
    assert not future.done()
    end(sim, future)
    assert list(sim.robots()) == ["stays"]


def test_a_reset_meanwhile_keeps_it_going(sim):
    sim.spawn_bot()
    _, future = endless(sim)
    response = sim.ok("reset", time=True)
    assert response.step <= 1
    steps_passed(sim, 10)
    assert not future.done()
    end(sim, future)


def test_an_unpause_meanwhile_waits_and_a_pause_wins(servers, sim):
    other = servers.another_client()
    _, future = endless(sim)
    unpause = other.send("control_world", pause=False)
    steps_passed(sim, 100)
    end(sim, future)
    other.reply(unpause)
    assert sim.ok("get_world").paused, "the later request was to pause"


def test_steps_of_another_client_are_taken_after_it_in_turn(servers, sim):
    other = servers.another_client()
    start = sim.ok("get_world").step
    first = sim.send("control_world", pause=True, multi_step=20_000)
    sim.spin_until(lambda: sim.ok("get_world").step > start, "the first step")
    second = other.ok("control_world", pause=True, multi_step=5)
    response = sim.reply(first)
    assert (response.steps_taken, response.step) == (20_000, start + 20_000)
    assert (second.steps_taken, second.step) == (5, start + 20_005)


def test_its_client_may_vanish(sim):
    vanishing = Sim("vanishing")
    vanishing.wait_for_server()
    start, _ = endless(vanishing)
    vanishing.close()
    steps_passed(sim, 100)
    sim.ok("control_world", pause=True)
    reached = sim.ok("get_world")
    assert reached.paused and reached.step > start
    assert sim.step(3).step == reached.step + 3
