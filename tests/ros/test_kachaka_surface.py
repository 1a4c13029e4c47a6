"""The ROS surface of a Kachaka on the live graph, row by row against the real robot's bridge."""

import pytest
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import PoseStamped
from kachaka_interfaces.msg import LocationList
from nav_msgs.msg import Odometry
from rclpy.qos import DurabilityPolicy, ReliabilityPolicy
from sensor_msgs.msg import BatteryState, Imu, JointState, LaserScan
from std_msgs.msg import String, UInt8
from tatami_msgs.msg import ErrorCodes, Locations, OnboardInfo, OnboardState, Torches

import bridge_surface as surface
import kachaka
import scenes
from messages import message_class
from sim import best_effort, latched, ns, reliable

RELIABILITY = {surface.RELIABLE: ReliabilityPolicy.RELIABLE, surface.BEST_EFFORT: ReliabilityPolicy.BEST_EFFORT}
DURABILITY = {surface.VOLATILE: DurabilityPolicy.VOLATILE, surface.LATCHED: DurabilityPolicy.TRANSIENT_LOCAL}
BACKED = [row for row in surface.PUBLISHERS if row.name not in surface.PENDING] + surface.SIM_PUBLISHERS
SUBSCRIBED = surface.SUBSCRIPTIONS + surface.SIM_SUBSCRIPTIONS


@pytest.fixture(params=["/kachaka", "/fleet/one"])
def robot(sim, request):
    return kachaka.spawn(sim, namespace=request.param, frame_prefix="k/")


@pytest.fixture
def alone(sim):
    return kachaka.spawn(sim)


def profile(sim, find, topic, kind):
    """The QoS of the only endpoint of a topic, which has that type."""
    sim.spin_until(lambda: find(topic), f"an endpoint of {topic}")
    infos = find(topic)
    assert [info.topic_type for info in infos] == [kind], f"{topic}: {[info.topic_type for info in infos]}"
    return infos[0].qos_profile


def test_publishers_are_those_of_the_table(sim, robot):
    for row in BACKED:
        qos = profile(sim, sim.node.get_publishers_info_by_topic, robot.topic(row.name), row.type)
        found = (qos.reliability, qos.durability)
        assert found == (RELIABILITY[row.reliability], DURABILITY[row.durability]), row


def test_subscriptions_are_those_of_the_table(sim, robot):
    for row in SUBSCRIBED:
        qos = profile(sim, sim.node.get_subscriptions_info_by_topic, robot.topic(row.name), row.type)
        found = (qos.reliability, qos.durability)
        assert found == (RELIABILITY[row.reliability], DURABILITY[row.durability]), row


def test_services_and_the_action_are_those_of_the_table(sim, robot):
    wanted = {robot.topic(name): [kind] for name, kind in kachaka.SERVICES.items()}
    for action in surface.ACTIONS:
        name = f"{robot.topic(action)}/_action"
        kind = surface.ACTIONS[action]
        wanted |= {f"{name}/send_goal": [f"{kind}_SendGoal"], f"{name}/get_result": [f"{kind}_GetResult"]}
        wanted |= {f"{name}/cancel_goal": ["action_msgs/srv/CancelGoal"]}

    def found():
        services = dict(sim.node.get_service_names_and_types())
        return {name: types for name, types in services.items() if name.startswith(f"{robot.namespace}/")}

    sim.spin_until(lambda: len(found()) >= len(wanted), lambda: f"{sorted(set(wanted) - set(found()))}")
    assert found() == wanted


def test_there_is_no_topic_beside_the_table(sim, robot):
    """So neither `cmd_vel` nor `odom`, which belong to plain robots."""
    wanted = {robot.topic(row.name) for row in BACKED + SUBSCRIBED if not row.name.startswith("/")}

    def found():
        topics = sim.node.get_topic_names_and_types()
        # Names with an underscore are hidden: here, those of the action.
        return {name for name, _ in topics if name.startswith(f"{robot.namespace}/") and "/_" not in name}

    sim.spin_until(lambda: found() >= wanted, lambda: f"{wanted - found()}")
    assert found() == wanted


def test_rows_that_are_pending_are_on_no_graph(sim, robot):
    assert surface.PENDING == {
        *(f"{camera}/{topic}" for camera in ("front_camera", "back_camera", "tof_camera") for topic in
          ("image_raw", "camera_info", "image_raw/camera_info")),
        "front_camera/image_raw/compressed",
        "back_camera/image_raw/compressed",
        "tof_camera/image_raw/compressedDepth",
        "object_detection/result",
        "layout/shelves/list",
    }
    # The last that it opens is there.
    last = robot.topic("joint_states")
    sim.spin_until(lambda: sim.node.count_publishers(last) == 1, last)
    for name in surface.PENDING:
        assert sim.node.count_publishers(robot.topic(name)) == 0, name


def test_frames_are_those_of_the_table(sim, robot):
    """Each message with a header has the frame of its row behind the prefix; ground truth is in the world."""
    rows = [row for row in BACKED if row.frame]
    inboxes = []
    for row in rows:
        qos = latched(1) if row.durability == surface.LATCHED else best_effort()
        inboxes.append(sim.subscribe(message_class(row.type), robot.topic(row.name), qos, ready=False))
    sim.make_ready(*[inbox for row, inbox in zip(rows, inboxes) if row.durability != surface.LATCHED])
    robot.step_until(lambda: all(inbox.received for inbox in inboxes), "message of every row")
    stamp = sim.now()
    for row, inbox in zip(rows, inboxes):
        message = inbox.messages[-1]
        prefix = "" if row.frame == "world" else "k/"
        assert message.header.frame_id == prefix + row.frame, row
        assert 0 < ns(message.header.stamp) <= stamp, row
        if row.child:
            assert message.child_frame_id == f"k/{row.child}", row


@pytest.mark.parametrize(
    ("name", "kind", "depth"),
    [("sim/torch", Torches, 1), ("sim/state", OnboardState, 10), ("sim/errors", ErrorCodes, 1)],
)
def test_late_readers_of_a_latched_topic_get_as_many_as_it_keeps(sim, alone, name, kind, depth):
    for brightness in range(1, 16):
        alone.ok("sim/torch/front", data=float(brightness))
        alone.ok("sim/emergency_stop")
        alone.ok("sim/power_button")
    early = sim.subscribe(kind, alone.topic(name), latched(100), ready=False)
    early.wait(depth)
    sim.step()
    alone.ok("sim/torch/front", data=200.0)
    alone.ok("sim/emergency_stop")
    # All of depth came, and what was sent before those did not.
    sim.spin_until(lambda: len(early.messages) >= depth + 1, f"what came last on {name}")
    late = sim.subscribe(kind, alone.topic(name), latched(100), ready=False)
    late.wait(depth)
    sim.step()
    alone.now()
    assert len(late.messages) == depth, f"{len(late.messages)} messages"


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("mapping/map", "nav_msgs/msg/OccupancyGrid"),
        ("layout/locations/list", "kachaka_interfaces/msg/LocationList"),
        ("robot_info/version", "std_msgs/msg/String"),
        ("sim/info", "tatami_msgs/msg/OnboardInfo"),
        ("sim/locations", "tatami_msgs/msg/Locations"),
        ("sim/shelf_docked", "std_msgs/msg/Bool"),
        ("sim/pose", "geometry_msgs/msg/PoseStamped"),
    ],
)
def test_late_readers_get_the_last_of_what_is_latched_while_the_world_is_paused(sim, alone, name, kind):
    for _ in range(3):
        sim.ok("republish", prefix="kachaka")
    inbox = sim.subscribe(message_class(kind), alone.topic(name), latched(100), ready=False)
    inbox.wait()
    # What is written now comes behind all that was kept.
    asked = sim.send("get_world")
    sim.reply(asked)
    sim.ok("republish", prefix="kachaka")
    sim.spin_until(lambda: inbox.received[-1].sent_ns > asked.sent_ns, "what was told again")
    kept = [r for r in inbox.received if r.sent_ns <= asked.sent_ns]
    assert len(kept) == 1, f"{len(kept)} messages were kept"


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("robot_description", "std_msgs/msg/String"),
        # Keeps more than one, also of a robot before it.
        ("sim/command/history", "tatami_msgs/msg/CommandHistory"),
    ],
)
def test_late_readers_get_the_description_and_results_while_the_world_is_paused(sim, alone, name, kind):
    sim.subscribe(message_class(kind), alone.topic(name), latched(100), ready=False).wait()


def test_version_serial_number_and_info(sim):
    robot = kachaka.spawn(
        sim,
        frame_prefix="k/",
        tf_topic="tf",
        config={
            "identity": {"serial_number": "BKP40HD1T", "version": "3.17.5"},
            "shortcuts": [{"id": "s1", "name": "Say hello", "commands": [{"type": "speak", "text": "hello"}]}],
        },
    )
    (version,) = robot.latched("robot_info/version", String).wait()
    assert version.data == "3.17.5"
    (info,) = robot.latched("sim/info", OnboardInfo).wait()
    assert (info.robot, info.frame_prefix) == ("kachaka", "k/")
    assert (info.tf_topic, info.tf_static_topic) == ("/kachaka/tf", "/kachaka/tf_static")
    assert (info.serial_number, info.version) == ("BKP40HD1T", "3.17.5")
    assert [(s.id, s.name) for s in info.shortcuts] == [("s1", "Say hello")]


def test_sensors_odometry_and_joint_states_come_every_step(sim, alone):
    fused, wheels = (alone.subscribe(f"{kind}/{kind}", Odometry) for kind in ("odometry", "wheel_odometry"))
    joints = alone.subscribe("joint_states", JointState, reliable())
    for _ in range(5):
        stamp = ns(sim.step().sim_time)
        for inbox in (fused, wheels, joints):
            inbox.entry(stamp)
    names = joints.messages[-1].name
    assert sorted(names) == ["base_l_drive_wheel_joint", "base_r_drive_wheel_joint", "docking_joint"]
    scan = alone.subscribe("lidar/scan", LaserScan)
    imu = alone.subscribe("imu/imu", Imu)
    alone.step_until(lambda: scan.received and imu.received, "scan and measurement of the IMU")
    assert len(scan.messages[-1].ranges) == 400
    scenes.assert_near(imu.messages[-1].linear_acceleration.z, 9.81, 0.5, "gravity")


def test_the_battery_comes_each_second_of_sim_time(sim, alone):
    battery = alone.subscribe("robot_info/battery_state", BatteryState)
    # Second by second: of a burst one may be lost, since no reader is owed it.
    for count in (1, 2, 3):
        sim.step(50)
        assert len(battery.wait(count)) == count, battery.messages
    for message in battery.messages:
        assert message.voltage == -1.0
        assert message.power_supply_status == BatteryState.POWER_SUPPLY_STATUS_DISCHARGING
        assert 0.99 < message.percentage <= 1.0, message.percentage
        assert not message.present
        assert ns(message.header.stamp) == 0


def test_errors_are_told_in_every_way(sim, alone):
    """Codes latched, on the state, and as diagnostics when they change and each second."""
    diagnostics = alone.listen("diagnostics/error_status", DiagnosticArray)
    sim.spin_until(lambda: sim.node.count_publishers(diagnostics.topic), "diagnostics")
    sim.step(51)
    assert [len(message.status) for message in diagnostics.wait()] == [0]
    state = alone.after("sim/emergency_stop")
    assert list(state.errors) == [21051]
    errors = alone.latched("sim/errors", ErrorCodes)
    assert list(errors.wait()[-1].codes) == [21051]
    status = diagnostics.wait(2)[-1].status[0]
    assert status.name == "21051"
    assert int.from_bytes(status.level, "little") == 1, "a pause is a warning"
    values = {pair.key: pair.value for pair in status.values}
    assert list(values) == ["code", "title", "description", "title_en", "description_en", "error_type", "ref_url"]
    assert (values["code"], values["error_type"]) == ("21051", "Warn")
    assert status.message == values["title_en"] != ""
    diagnostics.clear()
    sim.step(100)
    assert all(len(message.status) == 1 for message in diagnostics.wait(2))
    diagnostics.clear()
    alone.ok("sim/power_button")
    assert diagnostics.wait()[-1].status == []


@pytest.mark.parametrize(("side", "field"), [("front", "front_torch"), ("back", "back_torch")])
def test_torches_by_topic_and_by_service(sim, alone, side, field):
    torch = alone.latched("sim/torch", Torches)
    publisher = alone.publisher(f"torch/{side}", UInt8)
    publisher.publish(UInt8(data=200))
    sim.spin_until(lambda: torch.messages and getattr(torch.messages[-1], side) == 200, "the torch")
    assert getattr(alone.now(), field) == 200
    state = alone.after(f"sim/torch/{side}", data=7.0)
    assert getattr(state, field) == 7
    assert getattr(torch.wait(2)[-1], side) == 7


def test_locations_of_the_configuration_and_those_that_are_added(sim):
    config = {
        "locations": [
            {"id": "home", "name": "Charger", "type": "charger", "x": -1.0, "y": 0.5, "yaw": 0.1},
            {"id": "L01", "name": "Kitchen", "x": 1.0, "y": 0.25, "yaw": -1.5},
        ],
        "default_location": "L01",
    }
    robot = kachaka.spawn(sim, config=config)
    places = robot.latched("layout/locations/list", LocationList)
    listed = places.wait()[-1]
    assert [(p.id, p.name, p.type) for p in listed.locations] == [("home", "Charger", 1), ("L01", "Kitchen", 0)]
    kitchen = listed.locations[1].pose
    assert (kitchen.x, kitchen.y, kitchen.theta) == (1.0, 0.25, -1.5)
    assert listed.default_location_id == "L01"
    sim.ok(
        "add_locations",
        robot="kachaka",
        locations=[{"id": "L02", "name": "Desk", "x": 2.0, "ignore_voice_recognition": True}],
        removed=["L01"],
        default_location_id="L02",
    )
    listed = places.wait(2)[-1]
    assert [p.id for p in listed.locations] == ["home", "L02"]
    assert listed.default_location_id == "L02"
    full = robot.latched("sim/locations", Locations).wait()[-1]
    assert [(p.id, p.x, p.ignore_voice_recognition) for p in full.locations] == [("home", -1.0, False), ("L02", 2.0, True)]
    for words, fields in (
        (("nobody",), {"robot": "nobody", "locations": [{"id": "L03"}]}),
        (("L99",), {"removed": ["L99"]}),
        (("locations[0]", "x"), {"locations": [{"id": "L03", "x": float("nan")}]}),
        (("base_link",), {"locations": [{"id": "base_link"}]}),
        (("odom",), {"locations": [{"id": "odom"}]}),
        (("L0 3",), {"locations": [{"id": "L0 3"}]}),
        (("type", "9"), {"locations": [{"id": "L03", "type": 9}]}),
    ):
        sim.refused("add_locations", *words, **fields)
    assert len(places.messages) == 2


def test_get_world_tells_what_software_a_robot_runs(sim, alone):
    sim.spawn_bot(y=3.0)
    robots = {robot.state.name: robot.onboard for robot in sim.ok("get_world").robots}
    assert robots == {"kachaka": "kachaka", "bot": ""}


def test_the_estimated_pose_is_latched_and_follows_the_truth(sim, alone):
    pose = alone.latched("sim/pose", PoseStamped)
    scenes.assert_near(scenes.planar(pose.wait()[-1].pose), (0.0, 0.0, 0.0), 1e-9, "at the spawn")
    command = alone.start("MOVE_FORWARD", distance=0.2)
    alone.step_until(lambda: alone.now().command_id != command, "end of the drive")
    sim.spin_until(
        lambda: kachaka.distance(scenes.planar(pose.messages[-1].pose), alone.pose()) < 1e-3,
        lambda: f"the pose {alone.pose()}, have {scenes.planar(pose.messages[-1].pose)}",
    )
