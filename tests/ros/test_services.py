"""The services that build and change the world."""

import pytest
from geometry_msgs.msg import Point32
from nav_msgs.msg import Odometry
from sensor_msgs.msg import LaserScan

import scenes
from sim import ns

FLOORS = [{"name": "ground", "z": 0.0}, {"name": "upstairs", "z": 3.0}]

# One valid item of every kind, by the service that takes it.
ADDERS = {
    "add_floors": ("floors", lambda name: {"name": name, "z": 3.0}),
    "add_outlines": ("outlines", lambda name: scenes.square_room(name)),
    "spawn_boxes": ("boxes", lambda name: scenes.box(name, 5.0)),
}


def add(sim, service, *items):
    field, _ = ADDERS[service]
    return sim.call(service, **{field: list(items)})


def test_get_world_tells_everything(sim):
    sim.ok("add_floors", floors=FLOORS)
    sim.ok("add_outlines", outlines=[scenes.square_room("room", 3.0)])
    crate = scenes.box("env0/crate", 1.0, 2.0, size_x=0.6, size_y=0.4, z_min=0.1, z_max=0.9, yaw=0.5)
    sim.ok("spawn_boxes", boxes=[crate])
    sim.ok("control_world", discs=[scenes.disc("walker", -1.0, 0.5, vx=0.25, vy=-0.5)])
    sim.spawn_bot("bot", x=0.5, yaw=1.0, sensors=[scenes.laser("front"), scenes.laser("rear", topic="/rear")])
    world = sim.ok("get_world")
    entities = {entity.name: entity for entity in world.entities}
    assert set(entities) == {"ground", "upstairs", "room", "env0/crate", "walker"}
    kinds = {name: entity.kind for name, entity in entities.items()}
    room, box, disc = entities["room"], entities["env0/crate"], entities["walker"]
    assert kinds["ground"] == kinds["upstairs"] == room.FLOOR
    assert (kinds["room"], kinds["env0/crate"], kinds["walker"]) == (room.OUTLINE, room.BOX, room.DISC)
    assert entities["upstairs"].z_min == 3.0
    corners = {(round(p.x, 6), round(p.y, 6)) for p in room.points}
    assert corners == {(-3.0, -3.0), (3.0, -3.0), (3.0, 3.0), (-3.0, 3.0)}
    assert (room.z_min, room.z_max) == (0.0, 2.4)
    assert (box.x, box.y, box.yaw, box.z_min, box.z_max) == (1.0, 2.0, 0.5, 0.1, 0.9)
    assert {(round(abs(p.x), 6), round(abs(p.y), 6)) for p in box.points} == {(0.3, 0.2)}
    assert len(box.points) == 4
    assert (disc.x, disc.y, disc.vx, disc.vy, disc.radius) == (-1.0, 0.5, 0.25, -0.5, 0.25)
    (robot,) = world.robots
    assert robot.state.name == "bot"
    assert (robot.state.pose.position.x, robot.state.yaw) == (0.5, 1.0)
    assert robot.robot_namespace == "/bot"
    assert (robot.frame_prefix, robot.base_frame) == ("bot/", "bot/base_link")
    assert (robot.radius, list(robot.footprint)) == (0.2, [])
    assert (robot.z_min, robot.z_max) == (0.0, 0.5)
    assert list(robot.sensors) == ["front", "rear"]
    assert list(robot.topics) == ["/bot/front", "/rear"]


@pytest.mark.parametrize("service", ADDERS)
def test_add_is_add_or_replace(sim, service):
    _, item = ADDERS[service]
    assert add(sim, service, item("thing")).success
    assert add(sim, service, item("thing")).success
    assert list(sim.entities()) == ["thing"]


def test_a_replaced_box_is_where_the_new_one_is(sim):
    sim.spawn_bot(sensors=[scenes.laser()])
    scan = sim.subscribe(LaserScan, "/bot/scan")
    for x in (3.0, 2.0):
        sim.ok("spawn_boxes", boxes=[scenes.wall(x=x)])
        read = scan.at(ns(sim.step(1).sim_time)).ranges[0]
        scenes.assert_near(read, x - 0.05, 1e-5, "range")


@pytest.mark.parametrize("service", ADDERS)
def test_one_bad_item_and_nothing_is_applied(sim, service):
    field, item = ADDERS[service]
    assert add(sim, service, item("old")).success
    before = sim.existing()
    bad = item("bad_one") | ({"z": float("nan")} if field == "floors" else {"z_min": float("nan")})
    response = add(sim, service, item("good"), bad, item("old"))
    assert not response.success
    assert "bad_one" in response.message, response.message
    assert ("z" if field == "floors" else "z_min") in response.message, response.message
    assert sim.existing() == before


def test_names_are_unique_across_kinds(sim):
    sim.ok("add_floors", floors=[{"name": "taken_floor", "z": 5.0}])
    sim.ok("add_outlines", outlines=[scenes.square_room("taken_outline")])
    sim.ok("spawn_boxes", boxes=[scenes.box("taken_box", 9.0)])
    sim.ok("control_world", discs=[scenes.disc("taken_disc", 7.0)])
    sim.spawn_bot("taken_robot")
    before = sim.existing()
    own = {
        "add_floors": "taken_floor",
        "add_outlines": "taken_outline",
        "spawn_boxes": "taken_box",
        "disc": "taken_disc",
        "robot": "taken_robot",
    }
    for kind in own:
        for name in set(own.values()) - {own[kind]}:
            if kind == "robot":
                request = scenes.bot(name, robot_namespace="/other", frame_prefix="other/")
                response = sim.call("spawn_robot", **request)
            elif kind == "disc":
                response = sim.call("control_world", discs=[scenes.disc(name, 3.0)])
            else:
                response = add(sim, kind, ADDERS[kind][1](name))
            assert not response.success, f"a {kind} took the name {name}"
            assert name in response.message, response.message
    assert sim.existing() == before


def test_delete_entities_takes_all_kinds_or_none(sim):
    sim.ok("add_floors", floors=FLOORS)
    sim.ok("add_outlines", outlines=[scenes.square_room()])
    sim.ok("spawn_boxes", boxes=[scenes.wall(), scenes.box("stays", 7.0)])
    sim.ok("control_world", discs=[scenes.disc("walker", -1.0)])
    before = sim.existing()
    sim.refused("delete_entities", "nobody", names=["wall", "nobody", "room"])
    assert sim.existing() == before
    sim.ok("delete_entities", names=["wall", "room", "walker", "upstairs", "ground"])
    assert list(sim.entities()) == ["stays"]


def test_delete_entities_does_not_take_robots(sim):
    sim.spawn_bot()
    sim.refused("delete_entities", "bot", names=["bot"])
    assert "bot" in sim.robots()


def test_a_deleted_box_no_longer_hides_the_wall(sim):
    sim.ok("spawn_boxes", boxes=[scenes.wall(), scenes.box("crate", 1.5)])
    sim.spawn_bot(sensors=[scenes.laser()])
    scan = sim.subscribe(LaserScan, "/bot/scan")
    scenes.assert_near(scan.at(ns(sim.step().sim_time)).ranges[0], 1.4, 1e-5, "to the crate")
    sim.ok("delete_entities", names=["crate"])
    scenes.assert_near(scan.at(ns(sim.step().sim_time)).ranges[0], 2.95, 1e-5, "to the wall")


def test_delete_prefix_takes_a_whole_setup_and_counts(sim):
    for env in ("env1", "env10", "other"):
        sim.ok("add_floors", floors=[{"name": f"{env}/attic", "z": 4.0}])
        sim.ok("add_outlines", outlines=[scenes.square_room(f"{env}/room")])
        sim.ok("spawn_boxes", boxes=[scenes.box(f"{env}/a", 1.0), scenes.box(f"{env}/b", 2.0)])
        sim.ok("control_world", discs=[scenes.disc(f"{env}/walker", -1.0)])
        sim.spawn_bot(f"{env}/bot")
    assert sim.ok("delete_prefix", prefix="env1/").count == 6
    assert sim.ok("delete_prefix", prefix="env1/").count == 0
    left = set(sim.entities()) | set(sim.robots())
    assert {name.split("/")[0] for name in left} == {"env10", "other"}
    assert sim.ok("delete_prefix", prefix="env1").count == 6
    before = sim.existing()
    sim.refused("delete_prefix", "prefix", prefix="")
    assert sim.existing() == before
    assert len(before) == 6


def test_spawn_robot_replaces(sim):
    sim.spawn_bot(x=1.0)
    sim.step(2, commands=[sim.drive(linear=1.0)])
    sim.spawn_bot(x=-1.0, radius=0.1)
    world = sim.ok("get_world")
    assert len(world.robots) == 1
    assert world.robots[0].radius == 0.1
    state = world.robots[0].state
    assert (state.pose.position.x, state.twist.linear.x) == (-1.0, 0.0)
    sim.step(5)
    assert sim.robot().pose.position.x == -1.0, "the command was for the robot before"


def test_delete_robot(sim):
    sim.spawn_bot("a")
    sim.spawn_bot("b", x=2.0)
    sim.ok("delete_robot", name="a")
    assert list(sim.robots()) == ["b"]
    sim.refused("delete_robot", "a", name="a")
    sim.ok("spawn_boxes", boxes=[scenes.wall()])
    sim.refused("delete_robot", "wall", name="wall")


def test_set_robot_pose_teleports_to_rest(sim):
    sim.spawn_bot(x=0.0)
    sim.step(5, commands=[sim.drive(linear=1.0, angular=0.5)])
    sim.ok("set_robot_pose", name="bot", x=4.0, y=-2.0, yaw=2.5)
    state = sim.robot()
    assert scenes.planar(state.pose)[:2] == (4.0, -2.0)
    scenes.assert_near(state.yaw, 2.5, 1e-12, "yaw")
    twist = state.twist
    assert (twist.linear.x, twist.linear.y, twist.angular.z) == (0.0, 0.0, 0.0)
    sim.step(5)
    scenes.assert_near(scenes.planar(sim.robot().pose), (4.0, -2.0, 2.5), 1e-9, "a step later")


def test_set_robot_pose_changes_the_floor(sim):
    sim.ok("add_floors", floors=FLOORS)
    sim.ok("spawn_boxes", boxes=[scenes.wall("low", x=2.0), scenes.wall("high", x=3.0, z_min=3.0, z_max=5.0)])
    sim.spawn_bot(sensors=[scenes.laser()])
    scan = sim.subscribe(LaserScan, "/bot/scan")
    for floor, height, expected in (
        ("", 0.0, 1.95),
        ("upstairs", 3.0, 2.95),
        ("", 3.0, 2.95),
        ("ground", 0.0, 1.95),
    ):
        sim.ok("set_robot_pose", name="bot", floor=floor)
        state = sim.robot()
        assert state.pose.position.z == height, f"floor {floor!r}: z {state.pose.position.z}"
        assert state.floor == ("upstairs" if height else "ground")
        read = scan.at(ns(sim.step().sim_time)).ranges[0]
        scenes.assert_near(read, expected, 1e-5, f"range on floor {floor!r}")


def test_set_robot_pose_while_paused_is_seen_at_once(sim):
    sim.ok("spawn_boxes", boxes=[scenes.wall()])
    sim.spawn_bot(x=0.95, sensors=[scenes.laser()])
    scan = sim.subscribe(LaserScan, "/bot/scan")
    sim.ok("republish", prefix="bot")
    scenes.assert_near(scan.wait()[0].ranges[0], 2.0, 1e-5, "before any step")
    sim.ok("set_robot_pose", name="bot", x=1.95)
    scan.clear()
    sim.ok("republish", prefix="bot")
    sim.spin_until(
        lambda: scan.received and abs(scan.messages[-1].ranges[0] - 1.0) < 1e-5, "the scan from there"
    )


def test_republish_tells_the_present_state_of_those_with_the_prefix(sim):
    sim.step(3)
    for name, x in (("a1", 0.0), ("a2", 2.0), ("b", 4.0)):
        sim.spawn_bot(name, x=x, sensors=[scenes.laser(rate=1.0)])
    topics = [(kind, f"/{r}/{t}") for r in ("a1", "a2", "b") for kind, t in ((Odometry, "odom"), (LaserScan, "scan"))]
    inboxes = sim.subscribe_all(*topics)
    stamp = ns(sim.step(1).sim_time)
    for inbox in inboxes:
        inbox.clear()
    assert sim.ok("republish", prefix="a").count == 2
    for inbox in inboxes[:4]:
        sim.spin_until(lambda: stamp in inbox.stamps(), f"{inbox.topic} at {stamp}")
    assert sim.ok("republish", prefix="").count == 3
    for inbox in inboxes:
        sim.spin_until(lambda: stamp in inbox.stamps(), f"{inbox.topic} at {stamp}")
    assert len([s for s in inboxes[5].received]) == 1, "the scan of b was told by republish of a"
    assert sim.ok("republish", prefix="zebra").count == 0
    assert sim.now() == stamp


def test_republish_shifts_neither_schedule_nor_noise(sim):
    noisy = scenes.laser(fan_=scenes.full_turn(20, noise_stddev=0.1), rate=10.0)
    sim.ok("add_outlines", outlines=[scenes.square_room()])
    sim.spawn_bot(sensors=[noisy])
    scan = sim.subscribe(LaserScan, "/bot/scan")
    due = ns(sim.step(50).sim_time) // 100_000_000 * 100_000_000
    first = list(scan.at(due).ranges)
    sim.ok("republish", prefix="bot")
    sim.ok("republish", prefix="bot")
    start = sim.now()
    end = ns(sim.step(50).sim_time)
    multiples = list(range(start // 100_000_000 * 100_000_000 + 100_000_000, end + 1, 100_000_000))
    scan.entry(multiples[-1])
    assert scan.stamps(after=start) == multiples
    assert list(scan.at(multiples[0]).ranges) != first


def test_a_hundred_requests_at_once_are_all_executed_and_answered(sim):
    futures = [sim.send("spawn_boxes", boxes=[scenes.box(f"b{i}", float(i))]) for i in range(100)]
    for future in futures:
        assert sim.reply(future, "one of 100 replies").success
    assert set(sim.entities()) == {f"b{i}" for i in range(100)}
    start = sim.ok("get_world").step
    futures = [sim.send("control_world", pause=True, multi_step=1) for _ in range(100)]
    steps = [sim.reply(future, "one of 100 replies").step - start for future in futures]
    assert steps == list(range(1, 101))


def test_footprint_is_taken_in_either_winding(sim):
    corners = [(-0.2, -0.1), (0.3, -0.1), (0.3, 0.1), (-0.2, 0.1)]
    sim.ok("spawn_boxes", boxes=[scenes.wall(x=1.05)])
    for order in (corners, corners[::-1]):
        points = [Point32(x=x, y=y, z=0.0) for x, y in order]
        sim.spawn_bot(radius=0.0, footprint=points)
        info = sim.ok("get_world").robots[0]
        assert {(round(p.x, 6), round(p.y, 6)) for p in info.footprint} == set(corners)
        sim.step(100, commands=[sim.drive(linear=1.0)])
        # The wall's near face is at x = 1.
        scenes.assert_near(sim.robot().pose.position.x, 0.7, 0.005, "x of the base at the wall")
