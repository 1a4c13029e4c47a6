"""Every parameter: what it is at start, what is declared about it, and what setting it does."""

import pytest
from rcl_interfaces.msg import Parameter, ParameterEvent, ParameterType, ParameterValue
from rcl_interfaces.srv import ListParameters, SetParametersAtomically
from sensor_msgs.msg import LaserScan

import scenes
from server import Server
from sim import ns, reliable

DOUBLE, BOOL = ParameterType.PARAMETER_DOUBLE, ParameterType.PARAMETER_BOOL
INTEGER, STRING = ParameterType.PARAMETER_INTEGER, ParameterType.PARAMETER_STRING

# name: type, default, read-only, lowest, highest; None where the specification leaves it open
TABLE = {
    "physics_dt": (DOUBLE, 0.0333, True, 0.0005, 0.5),
    "paused": (BOOL, False, True, None, None),
    "dynamics": (STRING, "rigid", True, None, None),
    "seed": (INTEGER, 0, True, None, None),
    "run_id": (INTEGER, 0, True, None, None),
    "real_time_factor": (DOUBLE, 1.0, False, 0.0, None),
    "clock_rate": (DOUBLE, 0.0, False, 0.0, None),
    "paused_clock_period": (DOUBLE, 0.01, False, None, None),
}
FIELDS = {DOUBLE: "double_value", BOOL: "bool_value", INTEGER: "integer_value", STRING: "string_value"}


def value_of(parameter_value):
    return getattr(parameter_value, FIELDS[parameter_value.type])


def test_defaults_and_types(start_server):
    sim = start_server()
    for name, (kind, default, *_) in TABLE.items():
        value = sim.parameter(name)
        assert value.type == kind, f"{name} has type {value.type}, expected {kind}"
        assert value_of(value) == default, f"{name} is {value_of(value)}, expected {default}"


def test_descriptors(sim):
    descriptors = sim.call("describe_parameters", names=list(TABLE)).descriptors
    assert [d.name for d in descriptors] == list(TABLE)
    for descriptor in descriptors:
        kind, _, read_only, low, high = TABLE[descriptor.name]
        assert descriptor.type == kind, descriptor
        assert descriptor.read_only == read_only, descriptor
        assert descriptor.description, f"{descriptor.name} has no description"
        if kind == DOUBLE:
            assert len(descriptor.floating_point_range) == 1, descriptor
            allowed = descriptor.floating_point_range[0]
            assert low is None or allowed.from_value == low, descriptor
            assert high is None or allowed.to_value == high, descriptor
            assert allowed.from_value < allowed.to_value, descriptor


def test_all_are_listed(sim):
    client = sim.node.create_client(ListParameters, "/tatami/list_parameters")
    sim.spin_until(client.service_is_ready, "list_parameters")
    listed = sim.reply(client.call_async(ListParameters.Request())).result.names
    assert set(TABLE) <= set(listed), listed


@pytest.mark.parametrize(
    ("name", "value"), [("physics_dt", 0.05), ("paused", False), ("dynamics", "kinematic"), ("seed", 7)]
)
def test_what_is_fixed_at_start_is_refused_with_the_reason(sim, name, value):
    before = value_of(sim.parameter(name))
    result = sim.set_parameter(name, value)
    assert not result.successful
    assert name in result.reason and "start" in result.reason, result.reason
    assert value_of(sim.parameter(name)) == before


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("real_time_factor", -0.1),
        ("real_time_factor", float("nan")),
        ("real_time_factor", float("inf")),
        ("clock_rate", -1.0),
        ("clock_rate", float("nan")),
        ("paused_clock_period", 0.0),
        ("paused_clock_period", -1.0),
        ("paused_clock_period", float("nan")),
        ("real_time_factor", "fast"),
        ("clock_rate", True),
    ],
)
def test_bad_values_are_refused(sim, name, value):
    before = value_of(sim.parameter(name))
    result = sim.set_parameter(name, value)
    assert not result.successful, f"{name} took {value}"
    assert name in result.reason, result.reason
    assert value_of(sim.parameter(name)) == before
    sim.step(1)


def test_unknown_parameters_are_refused(sim):
    result = sim.set_parameter("real_time_facto", 1.0)
    assert not result.successful
    assert "real_time_factor" in result.reason, f"no suggestion in {result.reason!r}"
    assert sim.parameter("real_time_facto").type == ParameterType.PARAMETER_NOT_SET


def test_settable_ones_are_set_and_announced(sim):
    events = sim.subscribe(ParameterEvent, "/parameter_events", reliable(), ready=False)
    sim.spin_until(lambda: events.subscription.get_publisher_count() > 0, "a publisher of events")
    for name, value in (("real_time_factor", 2.5), ("clock_rate", 10.0), ("paused_clock_period", 0.05)):
        # The server's side of the match can't be seen: set it to and fro until it is heard.
        default = TABLE[name][1]

        def announced():
            for new in (default, value):
                result = sim.set_parameter(name, new)
                assert result.successful, result.reason
            changed = [(p.name, value_of(p.value)) for e in events.messages for p in e.changed_parameters]
            return (name, value) in changed

        sim.spin_until(announced, f"the event of {name}")
        assert value_of(sim.parameter(name)) == value
        assert sim.set_parameter(name, default).successful


def test_set_atomically_is_all_or_none(sim):
    client = sim.node.create_client(SetParametersAtomically, "/tatami/set_parameters_atomically")
    sim.spin_until(client.service_is_ready, "set_parameters_atomically")
    request = SetParametersAtomically.Request()
    for name, value in (("real_time_factor", 3.0), ("clock_rate", -3.0)):
        request.parameters.append(
            Parameter(name=name, value=ParameterValue(type=DOUBLE, double_value=value))
        )
    result = sim.reply(client.call_async(request)).result
    assert not result.successful
    assert "clock_rate" in result.reason, result.reason
    assert value_of(sim.parameter("real_time_factor")) == 1.0


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("physics_dt", 0.0001),
        ("physics_dt", 0.6),
        ("physics_dt", -0.02),
        ("physics_dt", ".nan"),
        ("physics_dt", "quick"),
        ("dynamics", "fluid"),
        ("seed", "lucky"),
        ("paused", "maybe"),
        ("real_time_factor", -1.0),
        ("paused_clock_period", 0.0),
        ("phisics_dt", 0.02),
    ],
)
def test_a_bad_start_value_ends_the_server_with_a_message(name, value):
    server = Server(**{name: value})
    try:
        code = server.wait(20.0)
        assert code != 0, server.log()
        assert name in server.log(), server.log()
        assert "panicked" not in server.log(), server.log()
    finally:
        server.stop()


def test_parameters_come_from_a_file_as_launch_gives_them(start_server, tmp_path):
    file = tmp_path / "parameters.yaml"
    file.write_text("/**:\n  ros__parameters:\n    paused: true\n    physics_dt: 0.05\n    seed: 9\n")
    sim = start_server("--ros-args", "--params-file", str(file))
    world = sim.ok("get_world")
    assert (world.paused, world.physics_dt, world.seed) == (True, 0.05, 9)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("/**:\n  ros__parameters:\n    phisics_dt: 0.05\n", "phisics_dt"),
        ("/**:\n  ros__parameters:\n    physics_dt: 5.0\n", "physics_dt"),
        ("this is : no : yaml", ""),
        (None, ""),
    ],
)
def test_a_bad_parameter_file_ends_the_server_with_a_message(tmp_path, text, word):
    file = tmp_path / "parameters.yaml"
    if text is not None:
        file.write_text(text)
    server = Server("--ros-args", "--params-file", str(file))
    try:
        code = server.wait(20.0)
        assert code != 0, server.log()
        assert word in server.log() and server.log().strip(), server.log()
        assert "panicked" not in server.log(), server.log()
    finally:
        server.stop()


def test_a_whole_number_is_taken_for_a_real_one(start_server):
    sim = start_server(real_time_factor=2, paused=True)
    assert value_of(sim.parameter("real_time_factor")) == 2.0


@pytest.mark.parametrize("dt", [0.0005, 0.5])
def test_the_limits_of_the_step_are_allowed(start_server, dt):
    sim = start_server(physics_dt=dt, paused=True)
    start = sim.now()
    assert ns(sim.step(3).sim_time) - start == round(3 * dt * 1e9)


def test_paused_decides_how_the_world_starts(start_server):
    assert start_server(paused=True).ok("get_world").paused
    assert not start_server(paused=False).ok("get_world").paused


def drive_at_wall(sim):
    """Drives 3 m towards a wall whose near face is 0.95 m ahead. Returns x and the contacts on the way."""
    sim.ok("spawn_boxes", boxes=[scenes.wall(x=1.0)])
    sim.spawn_bot()
    touched = set()
    sim.step(1, commands=[sim.drive(linear=1.0)])
    for _ in range(30):
        state = sim.step(5, report=True).robots[0]
        touched |= {contact.name for contact in state.contacts}
    return state.pose.position.x, touched


def test_rigid_walls_stop_a_robot(start_server):
    sim = start_server(physics_dt=0.02, paused=True)
    assert sim.ok("get_world").dynamics == "rigid"
    x, touched = drive_at_wall(sim)
    # The robot's radius is 0.2 m.
    scenes.assert_near(x, 0.95 - 0.2, 0.005, "x at the wall")
    assert touched == {"wall"}


def test_kinematic_robots_pass_through_walls_and_touch_them(start_server):
    sim = start_server(physics_dt=0.02, paused=True, dynamics="kinematic")
    assert sim.ok("get_world").dynamics == "kinematic"
    x, touched = drive_at_wall(sim)
    scenes.assert_near(x, 151 * 0.02, 1e-6, "x beyond the wall")
    assert touched == {"wall"}


def test_the_seed_is_that_of_the_noise(start_server):
    scans = {}
    for seed in (1, 2, 1):
        sim = start_server(physics_dt=0.02, paused=True, seed=seed)
        assert sim.ok("get_world").seed == seed
        sim.ok("add_outlines", outlines=[scenes.square_room()])
        sim.spawn_bot(sensors=[scenes.laser(fan_=scenes.full_turn(40, noise_stddev=0.05))])
        scan = sim.subscribe(LaserScan, "/bot/scan")
        stamp = ns(sim.step(1).sim_time)
        scans.setdefault(seed, []).append(scan.entry(stamp).bits)
    assert scans[1][0] == scans[1][1]
    assert scans[1][0] != scans[2][0]
