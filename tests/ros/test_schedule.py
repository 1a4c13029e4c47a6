"""When sensors publish."""

import pytest
from nav_msgs.msg import Odometry
from sensor_msgs.msg import LaserScan

import scenes
from sim import ns


def stamps_of_steps(sim, scan, steps):
    """Indices of the steps, of that many, at which a scan came."""
    before = sim.ok("get_world")
    odom = sim.subscribe(Odometry, "/bot/odom")
    dt = before.physics_dt_ns
    # In small requests, so that no queue of the middleware is ever full.
    for _ in range(steps // 30):
        response = sim.step(30)
        odom.entry(ns(response.sim_time))
    # A scan of the last step is written after its odometry. One that is written again is behind it on the same topic.
    end = ns(response.sim_time)
    sim.ok("republish", prefix="bot")
    sim.spin_until(lambda: any(r.stamp == end for r in scan.received), "the republished scan")
    told = scan.stamps(after=ns(before.sim_time))
    assert all(stamp % dt == 0 for stamp in told), told
    return [stamp // dt for stamp in told], response.step


def due(period, dt, first, last):
    """The steps nearest to multiples of the period, both in ns, after `first` and up to `last`."""
    steps = {round(k * period / dt) for k in range(1, int(last * dt / period) + 2)}
    return sorted(step for step in steps if first < step <= last)


def test_ten_hertz_at_a_thirtieth_is_every_third_step(start_server):
    sim = start_server(physics_dt=1.0 / 30.0, paused=True)
    sim.spawn_bot(sensors=[scenes.laser(rate=10.0)])
    scan = sim.subscribe(LaserScan, "/bot/scan")
    first = sim.ok("get_world").step
    told, last = stamps_of_steps(sim, scan, 90)
    expected = [step for step in range(3, last + 1, 3) if step > first]
    assert set(told) - {last} == set(expected) - {last}, f"scans at steps {told}, expected {expected}"


@pytest.mark.parametrize("rate", [7.0, 3.0, 12.5, 50.0, 0.0])
def test_a_sensor_is_due_at_the_step_nearest_to_each_multiple(sim, rate):
    sim.spawn_bot(sensors=[scenes.laser(rate=rate)])
    scan = sim.subscribe(LaserScan, "/bot/scan")
    first = sim.ok("get_world").step
    told, last = stamps_of_steps(sim, scan, 150)
    expected = due(1e9 / rate, 20_000_000, first, last) if rate else list(range(first + 1, last + 1))
    assert set(told) - {last} == set(expected) - {last}, f"scans at steps {told}, expected {expected}"


def test_the_rate_of_the_block_holds_unless_another_is_given(sim):
    block = {"type": "laserscan", "sensor": "mast_lidar", "frame": "mast_head"}
    sensors = [block | {"name": "own", "topic": "own", "rate": 25.0}, block | {"name": "theirs", "topic": "theirs"}]
    sim.spawn_bot(urdf=scenes.WORKSHOP_URDF, sensors=sensors)
    for topic, every in (("theirs", 5), ("own", 2)):
        scan = sim.subscribe(LaserScan, f"/bot/{topic}")
        first = sim.ok("get_world").step
        told, last = stamps_of_steps(sim, scan, 60)
        expected = [step for step in range(first + 1, last + 1) if step % every == 0]
        assert set(told) - {last} == set(expected) - {last}, f"{topic}: {told}, expected {expected}"


def test_a_rate_above_the_steps_is_one_per_step_with_a_warning(sim):
    response = sim.spawn_bot(sensors=[scenes.laser("fast", rate=200.0)])
    assert "fast" in response.message and "rate" in response.message, response.message
    scan = sim.subscribe(LaserScan, "/bot/fast")
    first = sim.ok("get_world").step
    told, last = stamps_of_steps(sim, scan, 30)
    assert told == list(range(first + 1, last + 1))
