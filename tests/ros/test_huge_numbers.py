"""Numbers that are finite but beyond all sense: refused, or taken without harm to anything else."""

import math

import pytest
from sensor_msgs.msg import LaserScan

import scenes
from sim import ns

HUGE = 1e300
TINY = 1e-300


@pytest.fixture
def witness(sim):
    """A robot with a scanner that must drive and see as ever, whatever was done before."""
    sim.spawn_bot("witness", x=-20.0, sensors=[scenes.laser(topic="/witness/scan")])
    sim.ok("spawn_boxes", boxes=[scenes.wall("witness_wall", x=-15.0, length=2.0)])
    yield sim
    assert sim.server.alive(), "the server is gone"
    scan = sim.subscribe(LaserScan, "/witness/scan")
    for speed in (0.5, -0.5):
        response = sim.step(10, commands=[sim.drive("witness", linear=speed)], report=True)
    state = next(s for s in response.robots if s.name == "witness")
    scenes.assert_near(scenes.planar(state.pose), (-20.0, 0.0, 0.0), 1e-9, "the witness to and fro")
    scenes.assert_near(scan.at(ns(response.sim_time)).ranges[0], 4.95, 1e-5, "what it sees")


def goes_on(sim, response, *commands):
    """After a refusal nothing is left to do; else the world must be able to step with it."""
    if not response.success:
        assert response.message
        return
    for state in sim.step(20, commands=list(commands), report=True).robots:
        assert all(map(math.isfinite, scenes.planar(state.pose))), state
    sim.ok("reset")
    sim.step(2)


@pytest.mark.parametrize("value", [HUGE, -HUGE, 3e38, 1e12, TINY])
@pytest.mark.parametrize("field", ["size_x", "x", "yaw", "z_min", "z_max"])
def test_boxes(witness, field, value):
    goes_on(witness, witness.call("spawn_boxes", boxes=[scenes.box("b", 1.0) | {field: value}]))


@pytest.mark.parametrize("value", [3e38, -3e38, 1e12, 1e-38])
def test_outlines(witness, value):
    room = scenes.square_room("o", 30.0)
    room["points"][2]["x"] = value
    goes_on(witness, witness.call("add_outlines", outlines=[room]))


@pytest.mark.parametrize("value", [HUGE, -HUGE, 1e12, TINY])
@pytest.mark.parametrize("field", ["radius", "x", "vx", "z_max"])
def test_discs(witness, field, value):
    goes_on(witness, witness.call("control_world", discs=[scenes.disc("d", 1.0) | {field: value}]))


@pytest.mark.parametrize("value", [HUGE, -HUGE, 1e12, TINY])
def test_floors(witness, value):
    goes_on(witness, witness.call("add_floors", floors=[{"name": "f", "z": value}]))


@pytest.mark.parametrize("value", [HUGE, -HUGE, 1e12, TINY])
@pytest.mark.parametrize("field", ["x", "yaw", "radius", "z_min", "height"])
def test_robots(witness, field, value):
    response = witness.call("spawn_robot", **scenes.bot("r", **{field: value}))
    goes_on(witness, response, witness.drive("r", linear=1.0) if response.success else witness.drive("witness"))


@pytest.mark.parametrize("value", [HUGE, 1e12, TINY])
@pytest.mark.parametrize("field", ["bounds", "accel", "gain", "lag", "traction", "pivot_x", "timeout"])
def test_drives(witness, field, value):
    drive = {"linear": {"low": -2.0, "high": 2.0}, "angular": {"low": -2.0, "high": 2.0}}
    if field == "bounds":
        drive["linear"] = drive["angular"] = {"low": -value, "high": value}
    elif field == "accel":
        drive["linear"] = {"low": -2.0, "high": 2.0, "accel": value}
    else:
        drive[field] = [value] * 3 if field in ("gain", "lag") else value
    response = witness.call("spawn_robot", **scenes.bot("r", drive=drive))
    if response.success:
        goes_on(witness, response, witness.drive("r", linear=1e6, angular=1e6))
        goes_on(witness, response, witness.drive("r", linear=-1.0, angular=-1.0))


@pytest.mark.parametrize("value", [HUGE, -HUGE, 1e12])
@pytest.mark.parametrize("field", ["x", "yaw"])
def test_teleports(witness, field, value):
    witness.spawn_bot("r")
    goes_on(witness, witness.call("set_robot_pose", name="r", **{field: value}), witness.drive("r", linear=1.0))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("angle_min", HUGE),
        ("angle_increment", HUGE),
        ("angle_increment", TINY),
        ("range_max", HUGE),
        ("range_max", 1e12),
        ("range_max", TINY),
        ("range_min", TINY),
        ("noise_stddev", HUGE),
        ("noise_stddev", TINY),
    ],
)
def test_fans(witness, field, value):
    sensor = scenes.laser(fan_=scenes.fan(5) | {field: value})
    response = witness.call("spawn_robot", **scenes.bot("r", sensors=[sensor]))
    goes_on(witness, response)
    if response.success:
        scan = witness.subscribe(LaserScan, "/r/scan").at(ns(witness.step(1).sim_time))
        assert not any(map(math.isnan, scan.ranges)), scan.ranges


@pytest.mark.parametrize("rate", [HUGE, 1e12, 1e9, 1e-9, TINY])
def test_rates(witness, rate):
    goes_on(witness, witness.call("spawn_robot", **scenes.bot("r", sensors=[scenes.laser(rate=rate)])))


@pytest.mark.parametrize("factor", [1e-9, 1e-300])
def test_a_factor_that_nearly_stops_the_world_can_be_taken_back(witness, factor):
    witness.ok("control_world", pause=False)
    try:
        assert witness.set_parameter("real_time_factor", factor).successful
        step = witness.ok("get_world").step
        assert witness.ok("get_world").step <= step + 1
    finally:
        assert witness.set_parameter("real_time_factor", 1.0).successful
    witness.spin_until(lambda: witness.ok("get_world").step > step + 5, "the world to run again")
    witness.ok("control_world", pause=True)


@pytest.mark.parametrize("name", ["💡 über", "a\nb", "'\"\\", "../..", " ", "%s{}", "x" * 100_000])
def test_names_of_all_kinds(witness, name):
    """Entities may have any name that is text."""
    response = witness.call("spawn_boxes", boxes=[scenes.box(name, 1.0)])
    if response.success:
        assert name in witness.entities()
        witness.ok("delete_entities", names=[name])
    else:
        assert "name" in response.message and len(response.message) < 1000, response.message[:200]


def test_a_robot_that_is_to_be_replaced_stays_when_the_new_one_is_refused(witness):
    before = witness.existing()
    bad = scenes.bot("witness", urdf="<robot", sensors=[scenes.laser()])
    witness.refused("spawn_robot", **bad)
    witness.refused("spawn_robot", "radius", **scenes.bot("witness", radius=-1.0))
    witness.refused("spawn_robot", "ghost", **scenes.bot("witness", sensors=[scenes.laser(frame="ghost")]))
    assert witness.existing() == before


def test_more_than_thirty_two_robots(witness):
    for i in range(40):
        witness.spawn_bot(f"r{i}", x=float(i), y=10.0)
    response = witness.step(10, commands=[witness.drive(f"r{i}", lateral=0.5) for i in range(40)], report=True)
    assert len(response.robots) == 41
    for state in response.robots:
        if state.name != "witness":
            scenes.assert_near(state.pose.position.y, 10.1, 1e-9, state.name)
