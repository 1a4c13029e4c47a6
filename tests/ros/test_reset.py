"""What `reset` puts back, and how the clock restarts."""

import pytest
from nav_msgs.msg import Odometry
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import LaserScan
from tf2_msgs.msg import TFMessage

import scenes
from messages import bits
from sim import ns, reliable

DT_NS = 20_000_000


def build_scene(sim):
    sim.ok("add_floors", floors=[{"name": "ground", "z": 0.0}, {"name": "upstairs", "z": 3.0}])
    sim.ok("add_outlines", outlines=[scenes.square_room(half=4.0)])
    sim.ok("spawn_boxes", boxes=[scenes.box("crate", 2.0, 1.0, yaw=0.2)])
    sim.ok("control_world", discs=[scenes.disc("walker", -1.0, 1.0, vx=0.3)])
    noisy = scenes.full_turn(30, noise_stddev=0.03)
    drive = scenes.EXACT_DRIVE | {"lag": [0.3, 0.0, 0.3], "timeout": 5.0}
    sim.spawn_bot(x=0.5, yaw=0.4, drive=drive, world_frame="world", sensors=[scenes.laser(fan_=noisy, rate=7.0)])


def disturb(sim):
    """Moves everything that can be moved."""
    sim.step(
        40,
        commands=[sim.drive(linear=0.6, angular=0.7)],
        poses=[{"name": "crate", "x": -2.0, "y": -2.0, "yaw": 1.0}],
    )
    sim.ok("set_robot_pose", name="bot", x=-1.0, y=2.0, yaw=3.0, floor="upstairs")
    sim.step(3, discs=[scenes.disc("walker", 3.0, -3.0, vy=1.0)])


def run(sim, steps=120):
    """Scripted steps; all that was told and reported, in bytes."""
    inboxes = sim.subscribe_all((Odometry, "/bot/odom"), (LaserScan, "/bot/scan"), (TFMessage, "/tf"))
    start = sim.now()
    told = []
    for chunk in range(steps // 20):
        twist = {"linear": 0.3 + 0.1 * chunk, "angular": 0.5 - 0.3 * chunk}
        response = sim.step(20, commands=[sim.drive(**twist)], report=True)
        told += [bits(state) for state in response.robots]
    end = ns(response.sim_time)
    for inbox in inboxes:
        if inbox.topic != "/bot/scan":
            inbox.entry(end)
    scan = inboxes[1]
    scans = (end * 7 - start * 7) // 1_000_000_000
    sim.spin_until(lambda: len(scan.stamps(after=start)) >= scans, f"{scans} scans at 7 Hz")
    for inbox in inboxes:
        first = {r.stamp: r.bits for r in reversed(inbox.received) if r.stamp > start}
        told += [first[stamp] for stamp in sorted(first)]
    return told


@pytest.mark.parametrize("time", [True, False])
def test_everything_goes_back_to_how_it_was_spawned(sim, time):
    build_scene(sim)
    before = sim.existing()
    disturb(sim)
    assert sim.existing() != before
    sim.ok("reset", time=time)
    assert sim.existing() == before
    sim.step(2)
    odom = sim.subscribe(Odometry, "/bot/odom")
    last = odom.at(ns(sim.step(1).sim_time))
    scenes.assert_near(scenes.planar(last.pose.pose), (0.0, 0.0, 0.0), 1e-12, "odometry")
    scenes.assert_near(scenes.planar(sim.robot().pose), (0.5, 0.0, 0.4), 1e-9, "the old command is forgotten")


def test_nothing_appears_or_disappears(sim):
    build_scene(sim)
    sim.ok("delete_entities", names=["crate"])
    sim.ok("spawn_boxes", boxes=[scenes.box("late", 3.0)])
    sim.ok("reset", time=True)
    assert set(sim.entities()) == {"ground", "upstairs", "room", "walker", "late"}
    assert list(sim.robots()) == ["bot"]


@pytest.mark.parametrize("paused", [True, False])
def test_the_pause_state_stays(sim, paused):
    sim.ok("control_world", pause=paused)
    sim.ok("reset", time=True)
    assert sim.ok("get_world").paused == paused
    sim.ok("reset")
    assert sim.ok("get_world").paused == paused


def test_without_time_the_clock_goes_on(sim):
    build_scene(sim)
    inboxes = [sim.subscribe(Odometry, "/bot/odom"), sim.subscribe(Clock, "/clock", reliable(500), ready=False)]
    before = sim.step(30)
    response = sim.ok("reset")
    assert (ns(response.sim_time), response.step) == (ns(before.sim_time), before.step)
    after = sim.step(5)
    assert after.step == before.step + 5
    for inbox in inboxes:
        inbox.entry(ns(after.sim_time))
        stamps = [r.stamp for r in inbox.received]
        assert stamps == sorted(stamps), inbox.topic


@pytest.mark.parametrize("paused", [True, False])
def test_with_time_the_clock_restarts_and_comes_first(sim, paused):
    """Behind the first /clock of the new time nothing bears a stamp of the old one, nor before it one of the new."""
    build_scene(sim)
    # 40 s: what is told after the reset stays below that for longer than this test takes.
    old = ns(sim.step(2000).sim_time)
    others = sim.subscribe_all((Odometry, "/bot/odom"), (LaserScan, "/bot/scan"), (TFMessage, "/tf"))
    clock = sim.subscribe(Clock, "/clock", reliable(2000), ready=False)
    clock.wait(1)
    inboxes = [clock, *others]
    sim.ok("control_world", pause=paused)
    sim.spin_until(lambda: clock.received[-1].stamp >= old + (0 if paused else DT_NS), "the clock to show that")
    asked = sim.send("get_world")
    sim.reply(asked)
    response = sim.ok("reset", time=True)
    assert ns(response.sim_time) == response.step * DT_NS <= DT_NS
    if paused:
        sim.step(20)

    def judged(inbox):
        """What was written since shortly before the reset, whenever it came."""
        return [r for r in inbox.received if r.sent_ns > asked.sent_ns]

    def silent():
        return [inbox.topic for inbox in inboxes if not any(r.stamp < old for r in judged(inbox))]

    sim.spin_until(lambda: not silent(), lambda: f"a new stamp on {silent()}")
    sim.ok("control_world", pause=True)
    first = next(r for r in judged(clock) if r.stamp < old)
    assert 0 < first.stamp <= 2 * DT_NS, f"the first new /clock shows {first.stamp} ns"
    for inbox in inboxes:
        for r in judged(inbox):
            is_new = r.stamp < old
            told_after = r.sent_ns >= first.sent_ns
            assert is_new == told_after, (
                f"{inbox.topic}: stamp {r.stamp} written {r.sent_ns - first.sent_ns} ns after the new /clock"
            )


def test_a_run_after_a_reset_equals_the_first_run(sim):
    build_scene(sim)
    sim.ok("reset", time=True)
    first = run(sim)
    disturb(sim)
    sim.ok("reset", time=True)
    again = run(sim)
    assert len(first) == len(again)
    different = [k for k, (a, b) in enumerate(zip(first, again)) if a != b]
    assert not different, f"messages {different[:10]} of {len(first)} differ"


def test_a_first_run_equals_one_after_a_reset(start_server):
    """As above, but with a server that has never been reset."""
    sim = start_server(physics_dt=0.02, paused=True, seed=3)
    build_scene(sim)
    first = run(sim)
    sim.release()
    sim.ok("reset", time=True)
    again = run(sim)
    different = [k for k, (a, b) in enumerate(zip(first, again)) if a != b]
    assert len(first) == len(again) and not different, f"messages {different[:10]} of {len(first)} differ"


def test_reseed_takes_the_seed(sim):
    build_scene(sim)
    runs = []
    for seed in (11, 12, 11):
        sim.ok("reset", time=True, reseed=True, seed=seed)
        assert sim.ok("get_world").seed == seed
        runs.append(run(sim, 40))
    assert runs[0] == runs[2]
    assert runs[0] != runs[1]
    sim.ok("reset", time=True, reseed=False, seed=99)
    assert sim.ok("get_world").seed == 11, "without reseed the seed stays"
    sim.ok("reset", reseed=True, seed=0)
