"""Sensors that can't be: refused with the sensor, the field and what would be right."""

import math

import pytest
from sensor_msgs.msg import LaserScan

import scenes
from scenes import SPECIAL
from sim import ns


def refused(sim, *words, urdf=scenes.WORKSHOP_URDF, sensors):
    sim.refused("spawn_robot", *words, **scenes.bot("bad", urdf=urdf, sensors=sensors))


FAN = scenes.fan(5)


@pytest.mark.parametrize(
    ("sensor", "words"),
    [
        ({"type": "laserscan", "fan": [FAN]}, ["name"]),
        ({"name": "s", "fan": [FAN]}, ["s", "type", "laserscan"]),
        ({"name": "s", "type": "sonar", "fan": [FAN]}, ["s", "sonar", "laserscan"]),
        ({"name": "s", "type": "laserscan"}, ["s", "fan"]),
        ({"name": "s", "type": "laserscan", "fan": [FAN, FAN]}, ["s", "fan"]),
        ({"name": "s", "type": "laserscan", "frame": "ghost", "fan": [FAN]}, ["s", "ghost"]),
        ({"name": "s", "type": "laserscan", "sensor": "ghost"}, ["ghost", "mast_lidar"]),
        ({"name": "s", "type": "laserscan", "sensor": "balance"}, ["s", "balance"]),
        ({"name": "s", "type": "imu", "sensor": "mast_lidar"}, ["s", "mast_lidar"]),
        ({"name": "s", "type": "pointcloud", "sensor": "balance"}, ["s", "balance"]),
        ({"name": "s", "type": "laserscan", "rate": -1.0, "fan": [FAN]}, ["s", "rate"]),
    ],
)
def test_specs_that_can_not_be(scene, sensor, words):
    refused(scene, *words, sensors=[sensor])


@pytest.mark.parametrize("value", SPECIAL)
def test_rates_that_are_none(scene, value):
    refused(scene, "scan", "rate", sensors=[scenes.laser(rate=value)])


@pytest.mark.parametrize("value", SPECIAL)
@pytest.mark.parametrize("field", ["angle_min", "angle_increment", "range_min", "range_max", "noise_stddev"])
def test_fans_with_numbers_that_are_none(scene, field, value):
    refused(scene, "scan", field, sensors=[scenes.laser(fan_=FAN | {field: value})])


@pytest.mark.parametrize(
    ("fields", "word"),
    [
        ({"beams": 0}, "beams"),
        ({"range_max": 0.0}, "range_max"),
        ({"range_max": -1.0}, "range_max"),
        ({"range_min": -0.1}, "range_min"),
        ({"range_min": 10.0}, "range"),
        ({"noise_stddev": -0.1}, "noise_stddev"),
        ({"beams": 4_000_000_000}, "4000000000"),
    ],
)
def test_fans_that_can_not_be(scene, fields, word):
    refused(scene, "scan", word, sensors=[scenes.laser(fan_=FAN | fields)])


def test_two_sensors_of_one_name(scene):
    sensors = [scenes.laser("twin", topic="a"), scenes.laser("twin", topic="b")]
    refused(scene, "twin", sensors=sensors)


def sensor_block(inner, kind="lidar"):
    return (
        '<robot name="r"><link name="base_link"/><gazebo reference="base_link">'
        f'<sensor name="eye" type="{kind}">{inner}</sensor></gazebo></robot>'
    )


SCAN = "<scan><horizontal><samples>5</samples><min_angle>-1</min_angle><max_angle>1</max_angle></horizontal></scan>"
RANGE = "<range><min>0.1</min><max>5</max></range>"


@pytest.mark.parametrize(
    ("inner", "words"),
    [
        ("", ["eye", "lidar"]),
        (f"<lidar>{RANGE}</lidar>", ["eye", "scan"]),
        (f"<lidar>{SCAN}</lidar>", ["eye", "range"]),
        (f"<lidar>{SCAN}<range><min>1</min></range></lidar>", ["eye", "max"]),
        (f"<lidar>{SCAN}<range><min>6</min><max>5</max></range></lidar>", ["eye", "range"]),
        (f"<lidar>{SCAN.replace('>5<', '>many<')}{RANGE}</lidar>", ["many"]),
        (f"<lidar>{SCAN.replace('>5<', '>0<')}{RANGE}</lidar>", ["samples"]),
        (f"<lidar>{SCAN.replace('>1<', '>-2<')}{RANGE}</lidar>", ["eye", "max_angle"]),
        (f"<pose>1 2 3</pose><lidar>{SCAN}{RANGE}</lidar>", ["pose"]),
        (f"<update_rate>often</update_rate><lidar>{SCAN}{RANGE}</lidar>", ["often"]),
        (f"<update_rate>-3</update_rate><lidar>{SCAN}{RANGE}</lidar>", ["update_rate"]),
    ],
)
def test_sensor_blocks_that_lack_what_they_need(scene, inner, words):
    sensor = {"name": "s", "type": "laserscan", "sensor": "eye"}
    refused(scene, *words, urdf=sensor_block(inner), sensors=[sensor])


def test_a_block_on_a_link_that_is_not_there(scene):
    urdf = sensor_block(f"<lidar>{SCAN}{RANGE}</lidar>").replace('reference="base_link"', 'reference="ghost"')
    refused(scene, "ghost", urdf=urdf, sensors=[{"name": "s", "type": "laserscan", "sensor": "eye"}])


def test_unknown_tags_and_plugins_are_skipped_with_one_line_each(start_server):
    sim = start_server(paused=True, physics_dt=0.02)
    sim.spawn_bot(urdf=scenes.WORKSHOP_URDF)
    log = sim.server.log()
    for word in ("coffee::Maker", "lift::Motor", "lift_gear", "mu1"):
        lines = [line for line in log.splitlines() if word in line]
        assert len(lines) == 1, f"{word}: {lines}"


def test_a_hundred_thousand_beams(sim):
    sim.ok("add_outlines", outlines=[scenes.square_room()])
    sim.spawn_bot(sensors=[scenes.laser(fan_=scenes.full_turn(100_000))])
    scan = sim.subscribe(LaserScan, "/bot/scan")
    message = scan.at(ns(sim.step(1).sim_time))
    assert len(message.ranges) == 100_000
    for index in range(0, 100_000, 9_999):
        angle = -math.pi + index * 2 * math.pi / 100_000
        scenes.assert_near(message.ranges[index], scenes.range_in_square(angle), 1e-4, f"beam {index}")
