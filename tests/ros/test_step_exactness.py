"""Many single steps and one long request are the same; a reply comes after what it tells of."""

import pytest
from nav_msgs.msg import Odometry
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import Imu, JointState, LaserScan
from tf2_msgs.msg import TFMessage

import scenes
from messages import bits
from sim import ns

DT_NS = 20_000_000
STEPS = 100


def build_scene(sim):
    """A noisy scanner among walls and a box that can be moved."""
    sim.ok("add_outlines", outlines=[scenes.square_room()])
    sim.ok("spawn_boxes", boxes=[scenes.box("crate", 1.5, 0.3)])
    noisy = scenes.full_turn(90, noise_stddev=0.03)
    sim.spawn_bot(sensors=[scenes.laser(fan_=noisy)], drive=scenes.EXACT_DRIVE | {"timeout": 0.7})
    return sim.subscribe_all((Odometry, "/bot/odom"), (LaserScan, "/bot/scan"))


def run_in_new_server(start_server, inputs, requests):
    """Everything of every step, in bytes: odometry and scan by stamp, and the state at the end."""
    sim = start_server(physics_dt=0.02, paused=True, seed=5)
    inboxes = build_scene(sim)
    start = sim.now()
    first, rest = requests[0], requests[1:]
    sim.step(first, **inputs)
    for steps in rest:
        sim.step(steps)
    stamps = [start + (k + 1) * DT_NS for k in range(STEPS)]
    told = [[inbox.entry(stamp).bits for stamp in stamps] for inbox in inboxes]
    states = sim.ok("control_world", report=True).robots
    return told[0], told[1], [bits(state) for state in states]


@pytest.mark.parametrize("with_inputs", [False, True])
def test_a_hundred_times_one_is_one_time_a_hundred(start_server, with_inputs):
    inputs = {}
    if with_inputs:
        twist = {"linear": {"x": 0.8, "y": 0.1}, "angular": {"z": 0.9}}
        inputs = {
            "commands": [{"robot": "bot", "twist": twist}],
            "poses": [{"name": "crate", "x": 1.2, "y": -0.4, "yaw": 0.3}],
            "discs": [scenes.disc("walker", -1.5, 0.2, vx=0.5)],
        }
    single = run_in_new_server(start_server, inputs, [1] * STEPS)
    at_once = run_in_new_server(start_server, inputs, [STEPS])
    assert len(set(single[1])) == STEPS, "noise and stamps must make every scan another one"
    for what, a, b in zip(("odometry", "scan", "state"), single, at_once):
        different = [k for k, (x, y) in enumerate(zip(a, b)) if x != y]
        assert len(a) == len(b) and not different, f"{what} differs in steps {different}"


def test_the_reply_is_written_after_everything_of_the_last_step(sim):
    sim.spawn_bot(
        world_frame="world",
        sensors=[scenes.laser(), {"name": "imu", "type": "imu", "frame": "base_link"}],
    )
    inboxes = sim.subscribe_all(
        (TFMessage, "/tf"),
        (Odometry, "/bot/odom"),
        (Odometry, "/bot/ground_truth"),
        (JointState, "/bot/joint_states"),
        (LaserScan, "/bot/scan"),
        (Imu, "/bot/imu"),
    )
    clock = sim.subscribe(Clock, "/clock", ready=False)
    clock.wait(1)
    for steps in (1, 20, 1, 3):
        future = sim.send("control_world", pause=True, multi_step=steps)
        stamp = ns(sim.reply(future).sim_time)
        for inbox in [clock, *inboxes]:
            sent = inbox.entry(stamp).sent_ns
            assert sent <= future.sent_ns, (
                f"{inbox.topic} was written {sent - future.sent_ns} ns after the reply"
            )


def test_within_a_step_clock_comes_first_and_sensors_last(sim):
    for name, y in (("a", 0.0), ("b", 2.0)):
        sim.spawn_bot(
            name,
            y=y,
            world_frame="world",
            sensors=[scenes.laser(), {"name": "imu", "type": "imu", "frame": "base_link"}],
        )
    kinds = [(Odometry, "odom"), (JointState, "joint_states"), (LaserScan, "scan"), (Imu, "imu")]
    topics = [(kind, f"/{robot}/{topic}") for robot in ("a", "b") for kind, topic in kinds]
    tf, *robots = sim.subscribe_all((TFMessage, "/tf"), *topics)
    clock = sim.subscribe(Clock, "/clock", ready=False)
    clock.wait(1)
    for _ in range(10):
        stamp = ns(sim.step(1).sim_time)
        sent = {inbox.topic: inbox.entry(stamp).sent_ns for inbox in [clock, tf, *robots]}
        states = [sent[f"/{r}/{t}"] for r in ("a", "b") for t in ("odom", "joint_states")]
        sensors = [sent[f"/{r}/{t}"] for r in ("a", "b") for t in ("scan", "imu")]
        assert sent["/clock"] <= sent["/tf"], sent
        assert sent["/tf"] <= min(states), sent
        assert max(states) <= min(sensors), sent


def test_every_step_of_a_request_is_told(sim):
    sim.spawn_bot(sensors=[scenes.laser()])
    inboxes = sim.subscribe_all((Odometry, "/bot/odom"), (LaserScan, "/bot/scan"), (TFMessage, "/tf"))
    start = sim.now()
    end = ns(sim.step(50).sim_time)
    for inbox in inboxes:
        inbox.entry(end)
        expected = list(range(start + DT_NS, end + 1, DT_NS))
        assert inbox.stamps(after=start) == expected, inbox.topic
