"""The same requests at the same steps give the same bytes in every process."""

import hashlib

import pytest
from nav_msgs.msg import Odometry
from sensor_msgs.msg import LaserScan

import scenes
from messages import bits
from sim import ns

STEPS = 2000
CHUNK = 50
ROBOTS = ("r1", "r2", "r3")


def build_scene(sim, robots=ROBOTS):
    sim.ok("add_outlines", outlines=[scenes.square_room(half=4.0)])
    crates = [scenes.box(f"crate{i}", -2.0 + i, 1.5 - 0.6 * i, yaw=0.3 * i) for i in range(5)]
    sim.ok("spawn_boxes", boxes=crates)
    noisy = scenes.full_turn(60, noise_stddev=0.02)
    drive = scenes.EXACT_DRIVE | {"lag": [0.2, 0.0, 0.1], "traction": 3.0, "timeout": 0.9}
    for index, name in enumerate(robots):
        # The fourth stands outside of the room, where it concerns none of the others.
        y = -3.0 + 1.5 * index if name in ROBOTS else 20.0
        sim.spawn_bot(name, x=-3.0, y=y, drive=drive, sensors=[scenes.laser(fan_=noisy, rate=10.0)])


def inputs_of(chunk, robots):
    """What comes in before a chunk of steps: different for every robot and chunk."""
    commands = []
    for index, name in enumerate(robots):
        twist = {
            "linear": {"x": 0.2 + 0.15 * ((chunk + index) % 5)},
            "angular": {"z": -1.0 + 0.5 * ((2 * chunk + index) % 5)},
        }
        commands.append({"robot": name, "twist": twist})
    walkers = [scenes.disc("walker", 3.0 - 0.1 * (chunk % 20), 2.0, vx=-0.4, vy=0.1 * (chunk % 3))]
    poses = [{"name": "crate2", "x": 0.1 * (chunk % 7), "y": -2.0, "yaw": 0.1 * chunk}]
    return {"commands": commands, "discs": walkers if chunk % 4 == 0 else [], "poses": poses}


def run(sim, robots=ROBOTS, told_of=ROBOTS, steps=STEPS):
    """Runs the script. Returns the SHA-256 of odometry and scans by topic, and of the reports."""
    topics = [(k, f"/{name}/{t}") for name in told_of for k, t in ((Odometry, "odom"), (LaserScan, "scan"))]
    inboxes = sim.subscribe_all(*topics)
    hashes = {inbox.topic: hashlib.sha256() for inbox in inboxes} | {"report": hashlib.sha256()}
    counts = dict.fromkeys(hashes, 0)
    last = sim.now()
    for chunk in range(steps // CHUNK):
        response = sim.step(CHUNK, report=True, **inputs_of(chunk, robots))
        for state in response.robots:
            if state.name in told_of:
                hashes["report"].update(bits(state))
                counts["report"] += 1
        end = ns(response.sim_time)
        for inbox in inboxes:
            # A chunk is 1 s, so that several scans fall into it; the last is at a whole 0.1 s.
            inbox.entry(end if inbox.topic.endswith("odom") else end - end % 100_000_000)
            first = {r.stamp: r.bits for r in reversed(inbox.received) if last < r.stamp <= end}
            for stamp in sorted(first):
                hashes[inbox.topic].update(first[stamp])
                counts[inbox.topic] += 1
            inbox.clear()
        last = end
    expected = {topic: steps if topic.endswith("odom") else steps // 5 for topic in counts}
    expected["report"] = len(told_of) * steps // CHUNK
    assert counts == expected
    return {topic: digest.hexdigest() for topic, digest in hashes.items()}


@pytest.mark.timeout(180)
def test_two_processes_give_the_same_bytes(start_server):
    results = []
    for _ in range(2):
        sim = start_server(physics_dt=0.02, paused=True, seed=42)
        build_scene(sim)
        results.append(run(sim))
    assert results[0] == results[1]
    assert len(set(results[0].values())) == len(results[0]), "everything is different from all else"


def test_another_robot_changes_nothing_for_the_others(start_server):
    results = []
    for robots in (ROBOTS, (*ROBOTS, "r4")):
        sim = start_server(physics_dt=0.02, paused=True, seed=42)
        build_scene(sim, robots)
        results.append(run(sim, robots, steps=500))
    assert results[0] == results[1]


def test_a_robot_that_comes_later_changes_nothing_for_the_others(start_server):
    results = []
    for late in (False, True):
        sim = start_server(physics_dt=0.02, paused=True, seed=42)
        build_scene(sim)
        first = run(sim, steps=200)
        sim.release()
        if late:
            sim.spawn_bot("aaa_first_by_name", y=20.0, sensors=[scenes.laser(fan_=scenes.fan(9, noise_stddev=0.1))])
        results.append((first, run(sim, steps=200)))
    assert results[0] == results[1]


def test_reset_with_a_seed_reproduces_the_run(start_server):
    """C-05."""
    sim = start_server(physics_dt=0.02, paused=True, seed=1)
    build_scene(sim)
    results = []
    for seed in (7, 8, 7):
        sim.ok("reset", time=True, reseed=True, seed=seed)
        results.append(run(sim, steps=500))
        sim.release()
    assert results[0] == results[2]
    assert results[0] != results[1]


def test_the_number_of_threads_does_not_matter(start_server, monkeypatch):
    """C-04; there is no pool of threads, and one that came in with a library must not change that."""
    results = []
    for threads in ("1", "8"):
        monkeypatch.setenv("RAYON_NUM_THREADS", threads)
        sim = start_server(physics_dt=0.02, paused=True, seed=42)
        build_scene(sim)
        results.append(run(sim, steps=200))
    assert results[0] == results[1]
