"""Shelves, doors, people, chargers, drops and elevators through the services: what a lidar sees of them, and what they do.

Distances and angles are computed here from the sizes of docs/world.md.
"""

import math

import pytest
from sensor_msgs.msg import LaserScan
from tatami_msgs.msg import (
    ChargerStates,
    DoorState,
    DoorStates,
    DropStates,
    ElevatorState,
    ElevatorStates,
    PersonStates,
    ShelfStates,
)

import kachaka
import scenes
from conftest import DT
from sim import latched, ns

INF = math.inf
RAISED_URDF = """<robot name="raised"><link name="base_link"/><link name="laser"/>
<joint name="mount" type="fixed"><parent link="base_link"/><child link="laser"/>
  <origin xyz="0 0 0.105" rpy="0 0 0"/></joint></robot>"""


def steps(seconds):
    return round(seconds / DT)


def watcher(sim, *angles):
    """A robot at the origin with a lidar 0.105 m high; reads the ranges at some angles, one step on."""
    sensors = [
        scenes.laser(f"scan{index}", frame="laser", fan_=scenes.fan(1, angle)) for index, angle in enumerate(angles)
    ]
    sim.spawn_bot(urdf=RAISED_URDF, sensors=sensors)
    scans = [sim.subscribe(LaserScan, f"/bot/scan{index}") for index in range(len(angles))]

    def read(count=1):
        stamp = ns(sim.step(count).sim_time)
        return [scan.at(stamp).ranges[0] for scan in scans]

    return read


def states(sim, kind, topic):
    """The latest message of a latched topic, once it holds what is waited for."""
    inbox = sim.subscribe(kind, f"/tatami/{topic}", latched(1), ready=False)

    def latest(condition):
        sim.spin_until(
            lambda: inbox.received and condition(inbox.messages[-1]),
            lambda: f"{topic}, have {inbox.messages[-1:]}",
        )
        return inbox.messages[-1]

    return latest


def test_a_lidar_sees_the_legs_of_a_shelf_and_a_robot_drives_between_them(sim):
    sim.ok("spawn_shelves", shelves=[{"name": "S1", "x": 1.0}])
    front, rear = (1.0 - 0.116, 0.196), (1.0 + 0.116, 0.196)
    angles = [math.atan2(y, x) for x, y in (front, rear)]
    read = watcher(sim, 0.0, *angles, *(-angle for angle in angles))
    legs = [math.hypot(*leg) - 0.02 for leg in (front, rear)]
    scenes.assert_near(read(), [INF, *legs, *legs], 1e-4, "m")


def test_a_shelf_is_pushed_and_stands_where_it_was_left(sim):
    shelves = states(sim, ShelfStates, "shelves")
    sim.ok("spawn_shelves", shelves=[{"name": "S1", "title": "Tea", "x": 1.0, "yaw": math.pi / 2}])
    at = shelves(lambda message: len(message.shelves) == 1).shelves[0]
    assert (at.x, at.y, at.title, at.home, at.carried_by) == (1.0, 0.0, "Tea", "S1_home", "")
    # Across its way a plate reaches 0.244 m before the middle. A robot of 0.5 m height meets it.
    sim.spawn_bot(radius=0.0, footprint=[{"x": x, "y": y} for x, y in ((0.2, 0.2), (-0.2, 0.2), (-0.2, -0.2), (0.2, -0.2))])
    free = 1.0 - 0.244 - 0.2
    sim.step(steps(1.0), commands=[sim.drive(linear=free + 0.3)])
    moved = sim.robot().pose.position.x - free
    assert 0.1 < moved < 0.3, moved
    sim.step(steps(0.5), commands=[sim.drive()])
    at = shelves(lambda message: message.shelves[0].x > 1.0 + moved - 1e-3).shelves[0]
    scenes.assert_near((at.x, at.y, at.yaw), (1.0 + moved, 0.0, math.pi / 2), 1e-3, "pushed straight")
    sim.ok("reset")
    at = shelves(lambda message: message.shelves[0].x == 1.0).shelves[0]
    assert at.y == 0.0


@pytest.mark.parametrize("opening", [0.0, 0.5, 1.0])
def test_a_lidar_sees_how_far_a_door_is_open(sim, opening):
    # A doorway of 0.9 m whose panel of 1.0 m runs on the far side of a wall of 0.1 m, 5 mm off it, towards +y. It is
    # clear after 0.95 m: 2 s.
    door = {"name": "door", "x": 2.0, "yaw": math.pi / 2, "speed": 0.475}
    sim.ok("spawn_doors", doors=[door])
    doors = states(sim, DoorStates, "doors")
    assert doors(lambda message: message.doors).doors[0].state == DoorState.CLOSED
    face = 2.0 + 0.05 + 0.005
    sides = [0.2, -0.2]
    read = watcher(sim, *(math.atan2(y, face) for y in sides))
    sim.step()
    sim.ok("set_door", name="door", open=True)
    if opening:
        sim.step(steps(2.0 * opening) - 1)
    left = -0.5 + 0.95 * opening
    # The step of the reading is one step of opening, too.
    ranges = [math.hypot(y, face) if y > left + 0.475 * DT else INF for y in sides]
    scenes.assert_near(read(), ranges, 1e-4, "m")
    wanted = DoorState.OPEN if opening == 1.0 else DoorState.OPENING
    state = doors(lambda message: message.doors[0].state == wanted).doors[0]
    assert not state.blocked


def test_a_hinged_door_turns_out_of_the_way(sim):
    sim.ok("spawn_doors", doors=[{"name": "door", "type": 1, "x": 2.0, "yaw": math.pi / 2, "open": False}])
    read = watcher(sim, 0.0)
    # A panel of 0.04 m in the middle of the wall's line.
    scenes.assert_near(read(), [2.0 - 0.02], 0.06, "closed, m")
    sim.ok("set_door", name="door", open=True)
    # A quarter turn at 0.8 rad/s.
    assert read(steps(math.pi / 2 / 0.8) + 2) == [INF]


def test_an_automatic_door_lets_a_robot_through_and_closes_behind_it(sim):
    doors = states(sim, DoorStates, "doors")
    sim.ok("spawn_doors", doors=[{"name": "door", "x": 2.0, "yaw": math.pi / 2, "automatic": True}])
    sim.spawn_bot()
    sim.step(steps(10.0), commands=[sim.drive(linear=0.5)])
    x = sim.robot().pose.position.x
    assert x == pytest.approx(5.0, abs=1e-6), "it was not held up"
    # It was 1.5 m behind the door after 7 s; 3 s later it closes, in 1.9 s.
    sim.step(steps(2.5), commands=[sim.drive()])
    doors(lambda message: message.doors and message.doors[0].state == DoorState.CLOSED)


def test_a_lidar_sees_people_and_where_they_walk(sim):
    people = states(sim, PersonStates, "people")
    disc = {"name": "disc", "shape": 1, "x": 2.0, "y": -1.0, "waypoints": [{"x": 2.0, "y": 1.0}], "repeat": 2}
    sim.ok("spawn_people", people=[disc, {"name": "legs", "x": -3.0, "yaw": math.pi}])
    legs = math.atan2(0.1, -3.0)
    read = watcher(sim, 0.0, math.pi, legs)
    assert people(lambda message: len(message.people) == 2).people[1].name == "legs"
    # Between the legs it looks through.
    scenes.assert_near(read()[1:], [INF, math.hypot(3.0, 0.1) - 0.06], 1e-4, "m")
    # 1 m/s: after a second in the middle.
    scenes.assert_near(read(steps(1.0) - 1)[0], 2.0 - 0.25, 1e-4, "m to who walks")
    sim.step(steps(1.5))
    state = people(lambda message: not message.people[0].walking and message.people[0].y > 0.0).people[0]
    scenes.assert_near((state.x, state.y), (2.0, 1.0), 1e-9, "the end of the way")
    sim.ok("reset")
    assert people(lambda message: message.people[0].y < 0.0).people[0].y == -1.0


def test_a_way_through_a_wall_is_refused(sim):
    sim.ok("spawn_boxes", boxes=[scenes.box("wall", 1.0, size_x=0.1, size_y=4.0)])
    way = {"name": "who", "waypoints": [{"x": 2.0, "y": 0.0}]}
    sim.refused("spawn_people", "who", "wall", people=[way])


def test_a_charger_charges_the_kachaka_that_stands_on_it(sim):
    chargers = states(sim, ChargerStates, "chargers")
    sim.ok("spawn_chargers", chargers=[{"name": "dock", "x": -1.0}])
    assert chargers(lambda message: message.chargers).chargers[0].robot == ""
    robot = kachaka.spawn(sim, x=-1.0 + 0.03)
    sim.step(2)
    assert chargers(lambda message: message.chargers[0].robot != "").chargers[0].robot == "kachaka"
    assert robot.now().power_supply_status == 1
    assert robot.run("MOVE_FORWARD", distance=0.3).success
    chargers(lambda message: message.chargers[0].robot == "")
    assert robot.now().power_supply_status == 2


def test_a_lidar_sees_the_panel_of_a_charger_and_not_its_plate(sim):
    # Its panel is 0.16 m behind the base of a docked robot, which looks towards the lidar.
    sim.ok("spawn_chargers", chargers=[{"name": "dock", "x": 2.0, "yaw": math.pi}])
    scenes.assert_near(watcher(sim, 0.0)(), [2.16], 1e-4, "m")


def test_a_kachaka_stops_before_a_drop(sim):
    drops = states(sim, DropStates, "drops")
    corners = [(1.0, -1.0), (2.0, -1.0), (2.0, 1.0), (1.0, 1.0)]
    sim.ok("add_drops", drops=[{"name": "stair", "points": [{"x": x, "y": y} for x, y in corners]}])
    assert drops(lambda message: message.drops).drops[0].depth == 0.18
    robot = kachaka.spawn(sim)
    robot.ok("sim/manual_control", enable=True)
    for _ in range(60):
        if not robot.call("sim/velocity", linear=0.3).success:
            break
        sim.step(steps(0.1))
    state = robot.now()
    assert state.step_detected and set(state.errors) >= {21051, 21052}
    sim.step(steps(1.0))
    # Its casters, 0.19 m ahead of the base, hold it up.
    scenes.assert_near(1.0 - (robot.pose()[0] + 0.19), 0.015, 0.005, "m before the edge")


def test_a_kachaka_carries_a_shelf_and_puts_it_down(sim):
    shelves = states(sim, ShelfStates, "shelves")
    robot = kachaka.spawn(sim)
    # 3 cm and 0.1 rad off is near enough.
    sim.ok("spawn_shelves", shelves=[{"name": "S1", "x": 0.02, "y": 0.02, "yaw": 0.1}])
    robot.ok("sim/shelf_dock", data=True)
    assert robot.now().moving_shelf_id == "S1"
    assert shelves(lambda message: message.shelves).shelves[0].carried_by == "kachaka"
    assert robot.run("MOVE_FORWARD", distance=0.6).success
    assert robot.run("ROTATE_IN_PLACE", angle=math.pi / 2).success
    x, y, yaw = robot.pose()
    robot.ok("sim/shelf_dock", data=False)
    assert robot.now().moving_shelf_id == ""
    at = shelves(lambda message: message.shelves[0].carried_by == "").shelves[0]
    # As it stood above the robot.
    wanted = (
        x + 0.02 * math.cos(yaw) - 0.02 * math.sin(yaw),
        y + 0.02 * math.sin(yaw) + 0.02 * math.cos(yaw),
        yaw + 0.1,
    )
    scenes.assert_near((at.x, at.y, at.yaw), wanted, 1e-6, "where it was put down")


def test_a_shelf_that_is_too_far_is_not_docked(sim):
    robot = kachaka.spawn(sim)
    sim.ok("spawn_shelves", shelves=[{"name": "S1", "x": 0.06}])
    assert not robot.call("sim/shelf_dock", data=True).success
    sim.ok("spawn_shelves", shelves=[{"name": "S1", "x": 0.0, "yaw": 0.25}])
    assert not robot.call("sim/shelf_dock", data=True).success
    sim.ok("spawn_shelves", shelves=[{"name": "S1", "x": 0.04, "yaw": math.pi - 0.15}])
    assert robot.call("sim/shelf_dock", data=True).success
    assert robot.now().moving_shelf_id == "S1"


def test_an_elevator_takes_a_robot_to_another_floor(sim):
    elevators = states(sim, ElevatorStates, "elevators")
    sim.ok("add_floors", floors=[{"name": "1F", "z": 0.0}, {"name": "2F", "z": 3.0}])
    stops = [{"floor": "1F", "x": 3.0, "yaw": math.pi}, {"floor": "2F", "x": 3.0, "yaw": math.pi}]
    sim.ok("spawn_elevators", elevators=[{"name": "lift", "stops": stops}])
    assert elevators(lambda message: message.elevators).elevators[0].stop == "1F"
    sim.spawn_bot()
    # Into the car, whose doorway is open.
    sim.step(steps(6.0), commands=[sim.drive(linear=0.5)])
    sim.step(1, commands=[sim.drive()])
    assert sim.robot().pose.position.x == pytest.approx(3.0, abs=1e-6)
    sim.ok("call_elevator", name="lift", stop="2F")
    elevators(lambda message: message.elevators[0].target == "2F")
    for _ in range(60):
        if sim.robot().floor == "2F":
            break
        sim.step(steps(0.5))
    state = sim.robot()
    assert state.floor == "2F"
    scenes.assert_near((state.pose.position.x, state.pose.position.z), (3.0, 3.0), 1e-6, "m")
    elevators(lambda message: message.elevators[0].motion == ElevatorState.WAITING and message.elevators[0].stop == "2F")
    # Out of the car, whose doorway opens.
    sim.step(steps(4.0))
    sim.step(steps(4.0), commands=[sim.drive(linear=-0.5)])
    assert sim.robot().pose.position.x == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize(
    "service, fields, words",
    [
        ("spawn_doors", {"doors": [{"name": "d", "width": 0.9, "panel_width": 0.5}]}, ("d", "panel")),
        ("spawn_doors", {"doors": [{"name": "d", "speed": -1.0}]}, ("d", "speed")),
        ("spawn_doors", {"doors": [{"name": "d", "cycle_open": -1.0}]}, ("d", "cycle")),
        ("spawn_doors", {"doors": [{"name": "d", "type": 5}]}, ("doors[0]", "type is 5", "hinged")),
        ("spawn_doors", {"doors": [{"name": "d", "floor": "9F"}]}, ("d", "9F")),
        ("spawn_doors", {"doors": [{"name": "d"}, {"name": "d"}]}, ("doors[1]", "'d'")),
        ("spawn_elevators", {"elevators": [{"name": "e", "stops": [{"x": 0.0}]}]}, ("e", "stops")),
        ("spawn_people", {"people": [{"name": "p", "height": math.nan}]}, ("p", "height")),
        ("spawn_people", {"people": [{"name": "p", "waypoints": [{"x": 1.0}], "speed": -1.0}]}, ("p", "speed")),
        ("spawn_shelves", {"shelves": [{"name": "s", "mass": 0.0}]}, ("s", "mass")),
        ("spawn_chargers", {"chargers": [{"name": "c", "panel_height": math.inf}]}, ("c", "panel")),
        ("add_drops", {"drops": [{"name": "x", "points": [{"x": 0.0}, {"x": 1.0}]}]}, ("x", "points")),
        ("set_door", {"name": "nothing"}, ("nothing",)),
        ("call_elevator", {"name": "nothing"}, ("nothing",)),
    ],
)
def test_what_can_not_be_is_named_and_changes_nothing(sim, service, fields, words):
    before = sim.existing()
    sim.refused(service, *words, **fields)
    assert sim.existing() == before


def test_one_bad_item_leaves_the_others_out(sim):
    good, bad = {"name": "a"}, {"name": "b", "y": 3.0, "mass": -1.0}
    sim.refused("spawn_shelves", "shelves[1]", "b", "mass", shelves=[good, bad])
    assert sim.entities() == {}


def test_everything_goes_by_name_and_by_prefix(sim):
    sim.ok("spawn_shelves", shelves=[{"name": "x/s"}])
    sim.ok("spawn_doors", doors=[{"name": "x/d", "x": 3.0}])
    sim.ok("spawn_people", people=[{"name": "x/p", "x": 5.0}])
    sim.ok("spawn_chargers", chargers=[{"name": "x/c", "x": 7.0}])
    sim.ok("add_drops", drops=[{"name": "x/h", "points": [{"x": 9.0}, {"x": 10.0}, {"x": 9.0, "y": 1.0}]}])
    stops = [{"name": "a", "x": 20.0}, {"name": "b", "x": 30.0}]
    sim.ok("spawn_elevators", elevators=[{"name": "x/e", "stops": stops}])
    kinds = {name: entity.kind for name, entity in sim.entities().items()}
    assert {"x/s": 4, "x/d": 5, "x/p": 6, "x/c": 7, "x/h": 8, "x/e": 9}.items() <= kinds.items()
    sim.refused("spawn_boxes", "x/s", "shelf", boxes=[scenes.box("x/s", 1.0)])
    sim.ok("delete_entities", names=["x/d"])
    assert "x/d" not in sim.entities()
    assert sim.ok("delete_prefix", prefix="x/").count >= 5
    assert sim.entities() == {}
