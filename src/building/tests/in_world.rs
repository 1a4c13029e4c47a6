//! A building in a world: what lidars see of it, who stops whom, who rides along.

use super::*;
use crate::world::rays::Fan;
use crate::world::{BoxSpec, Dynamics, FloorSpec, Footprint, RobotBody, ScanMount, Twist2, World};

mod elevators;

/// Height of a Kachaka's lidar, m.
const LIDAR: f64 = 0.1049;

fn world() -> World {
    World::new(dt(), Dynamics::Rigid)
}

/// Two floors, 3 m apart.
fn storeys() -> World {
    let mut world = world();
    for (name, z) in [("1F", 0.0), ("2F", 3.0)] {
        let name = name.into();
        world.add_floor(&FloorSpec { name, z }).unwrap();
    }
    world
}

fn add_wall(world: &mut World, name: &str, size: [f64; 2], x: f64, y: f64) {
    let spec = BoxSpec {
        name: name.into(),
        size,
        pose: Pose2::new(x, y, 0.0),
        z_min: 0.0,
        z_max: 2.5,
    };
    world.add_box(&spec).unwrap();
}

/// A wall along x with a doorway of 0.9 m around the origin.
fn add_doorway(world: &mut World) {
    add_wall(world, "west", [2.0, 0.1], -1.45, 0.0);
    add_wall(world, "east", [2.0, 0.1], 1.45, 0.0);
}

/// A round robot of 0.2 m, 0.113 m high.
fn add_robot(world: &mut World, name: &str, pose: Pose2) {
    let body = RobotBody {
        name: name.into(),
        footprint: Footprint::disc(0.2).unwrap(),
        pose,
        floor: String::new(),
        z_min: 0.0,
        height: 0.113,
        mass: 10.0,
    };
    world.add_robot(body).unwrap();
}

fn robots_of(world: &World, names: &[&str]) -> Vec<Actor> {
    let actor = |name: &&str| {
        let state = world.robot_state(name).unwrap();
        Actor {
            key: world.robot_key(name).unwrap(),
            at: [state.pose.x, state.pose.y],
            radius: 0.2,
            z: state.z,
        }
    };
    names.iter().map(actor).collect()
}

fn run(building: &mut Building, world: &mut World, robots: &[&str], seconds: f64) {
    for _ in 0..steps(seconds) {
        let actors = robots_of(world, robots);
        building.step(world, &actors);
        world.step();
        building.follow(world);
    }
}

/// What a lidar at the robot's base measures straight ahead.
fn ahead(world: &World, robot: &str) -> f64 {
    let mount = ScanMount {
        pose: Pose2::default(),
        height: LIDAR,
    };
    let fan = Fan::uniform(0.0, 0.1, 1).unwrap();
    world.scan(robot, &mount, &fan, 20.0).unwrap()[0]
}

fn door_state(building: &Building) -> DoorState {
    building.doors().next().expect("a door").state()
}

fn key_of(world: &World, name: &str) -> BodyKey {
    world.thing_key(name).expect("it is in the world")
}

#[test]
fn lidars_see_a_sliding_door_closed_half_open_and_open() {
    let mut world = world();
    add_doorway(&mut world);
    add_wall(&mut world, "far", [6.0, 0.1], 0.0, 3.05);
    let up = std::f64::consts::FRAC_PI_2;
    // One looks at the -x half of the doorway, one at the +x half.
    add_robot(&mut world, "left", Pose2::new(-0.2, -2.0, up));
    add_robot(&mut world, "right", Pose2::new(0.3, -2.0, up));
    let mut building = Building::new(0);
    let spec = DoorSpec::new("door", DoorKind::Sliding, Pose2::default());
    building.add_door(&mut world, spec).unwrap();
    // The panel's face is at y -0.095, the far wall's at 3.
    let (panel, beyond) = (1.905, 5.0);
    assert_near(ahead(&world, "left"), panel, 1e-9);
    assert_near(ahead(&world, "right"), panel, 1e-9);
    building.set_door("door", true).unwrap();
    run(&mut building, &mut world, &["left", "right"], 0.95);
    assert_near(ahead(&world, "left"), beyond, 1e-9);
    assert_near(ahead(&world, "right"), panel, 1e-9);
    run(&mut building, &mut world, &["left", "right"], 1.0);
    assert_eq!(door_state(&building), DoorState::Open);
    assert_near(ahead(&world, "left"), beyond, 1e-9);
    assert_near(ahead(&world, "right"), beyond, 1e-9);
}

#[test]
fn a_closing_door_stops_at_a_robot_and_does_not_move_it() {
    for kind in [DoorKind::Sliding, DoorKind::Hinged] {
        let mut world = world();
        let at = match kind {
            DoorKind::Sliding => Pose2::new(0.0, -0.075, 0.0),
            // In the way of the panel's end.
            DoorKind::Hinged => Pose2::new(0.1, -0.3, 0.0),
        };
        add_robot(&mut world, "bot", at);
        let mut building = Building::new(0);
        let spec = DoorSpec {
            starts_open: true,
            ..DoorSpec::new("door", kind, Pose2::default())
        };
        building.add_door(&mut world, spec).unwrap();
        building.set_door("door", false).unwrap();
        for _ in 0..steps(5.0) {
            run(&mut building, &mut world, &["bot"], 0.01);
            for contact in world.contacts("bot").unwrap() {
                assert!(contact.depth < 0.002, "{kind:?}: {contact:?}");
            }
        }
        assert_eq!(door_state(&building), DoorState::Closing, "{kind:?}");
        let pose = world.robot_state("bot").unwrap().pose;
        let moved = libm::hypot(pose.x - at.x, pose.y - at.y);
        assert!(moved < 0.002, "{kind:?} moved it by {moved} m");
        let panel = building.doors().next().unwrap();
        assert!(panel.opening() > 0.1, "{kind:?}: {}", panel.opening());
        if kind == DoorKind::Sliding {
            assert_near(panel.pose().x - 0.5, 0.2, 0.002);
        }
        // Out of the way it closes.
        world
            .set_robot_pose("bot", Pose2::new(5.0, 5.0, 0.0), "")
            .unwrap();
        run(&mut building, &mut world, &["bot"], 3.0);
        assert_eq!(door_state(&building), DoorState::Closed, "{kind:?}");
    }
}

#[test]
fn a_door_that_pushes_takes_a_robot_along() {
    let mut world = world();
    add_robot(&mut world, "bot", Pose2::new(0.0, -0.075, 0.0));
    let mut building = Building::new(0);
    let spec = DoorSpec {
        starts_open: true,
        pushes: true,
        ..DoorSpec::new("door", DoorKind::Sliding, Pose2::default())
    };
    building.add_door(&mut world, spec).unwrap();
    building.set_door("door", false).unwrap();
    run(&mut building, &mut world, &["bot"], 3.0);
    assert_eq!(door_state(&building), DoorState::Closed);
    // The panel's edge is at -0.5 now.
    assert_near(world.robot_state("bot").unwrap().pose.x, -0.7, 0.003);
}

#[test]
fn a_person_walks_through_an_automatic_door_that_closes_behind() {
    let mut world = world();
    add_doorway(&mut world);
    let mut building = Building::new(0);
    let door = DoorSpec {
        automatic: Some(AutomaticDoor::default()),
        ..DoorSpec::new("door", DoorKind::Sliding, Pose2::default())
    };
    building.add_door(&mut world, door).unwrap();
    let person = PersonSpec {
        walk: Some(Walk {
            repeat: Repeat::Once,
            ..Walk::through(vec![Waypoint::new(0.0, 4.0)])
        }),
        ..PersonSpec::new("anna", Pose2::new(0.0, -4.0, 0.0))
    };
    building.add_person(&mut world, person).unwrap();
    let mut seen = Vec::new();
    for _ in 0..steps(20.0) {
        run(&mut building, &mut world, &[], 0.01);
        let state = door_state(&building);
        if seen.last() != Some(&state) {
            seen.push(state);
        }
        let person = building.people().next().unwrap().state().pose;
        let panel = building.doors().next().unwrap().pose();
        // The panel is a rectangle of 1 m by 4 cm, the body a disc of 0.2 m.
        let away = [
            (person.x - panel.x).abs() - 0.5,
            (person.y - panel.y).abs() - 0.02,
        ];
        let gap = libm::hypot(away[0].max(0.0), away[1].max(0.0));
        assert!(gap > 0.2 - 0.002, "{gap} m from {person:?} to {panel:?}");
    }
    let pose = building.people().next().unwrap().state().pose;
    assert_near(pose.x, 0.0, 1e-9);
    assert_near(pose.y, 4.0, 1e-9);
    let expected = [
        DoorState::Closed,
        DoorState::Opening,
        DoorState::Open,
        DoorState::Closing,
        DoorState::Closed,
    ];
    assert_eq!(seen, expected);
}

#[test]
fn a_way_through_a_wall_is_refused_and_one_through_a_doorway_taken() {
    let mut world = world();
    add_doorway(&mut world);
    let mut building = Building::new(0);
    let closed = DoorSpec::new("door", DoorKind::Sliding, Pose2::default());
    building.add_door(&mut world, closed).unwrap();
    let to = |x: f64| PersonSpec {
        walk: Some(Walk::through(vec![Waypoint::new(x, 2.0)])),
        ..PersonSpec::new("anna", Pose2::new(x, -2.0, 0.0))
    };
    let refused = building.add_person(&mut world, to(1.0));
    assert_refused(refused, &["person 'anna'", "waypoints[0]", "'east'"]);
    assert_eq!(building.people().count(), 0);
    assert_eq!(world.kind_of("anna"), None);
    building.add_person(&mut world, to(0.0)).unwrap();
    // Above the walls there is a way.
    let upstairs = FloorSpec {
        name: "2F".into(),
        z: 3.0,
    };
    world.add_floor(&upstairs).unwrap();
    let above = PersonSpec {
        name: "bert".into(),
        floor: "2F".into(),
        ..to(1.0)
    };
    building.add_person(&mut world, above).unwrap();
}

#[test]
fn who_avoids_does_not_step_into_a_wall_and_waits_behind_a_robot_in_a_corridor() {
    let mut world = world();
    // A corridor of 0.8 m along x: a person of 0.4 m does not pass a robot of 0.4 m.
    add_wall(&mut world, "north", [10.0, 0.1], 0.0, 0.45);
    add_wall(&mut world, "south", [10.0, 0.1], 0.0, -0.45);
    add_robot(&mut world, "bot", Pose2::default());
    let mut building = Building::new(0);
    let person = PersonSpec {
        walk: Some(Walk {
            repeat: Repeat::Once,
            ..Walk::through(vec![Waypoint::new(4.0, 0.0)])
        }),
        ..PersonSpec::new("anna", Pose2::new(-4.0, 0.0, 0.0))
    };
    building.add_person(&mut world, person).unwrap();
    for _ in 0..steps(8.0) {
        run(&mut building, &mut world, &["bot"], 0.01);
        let pose = building.people().next().unwrap().state().pose;
        assert!(pose.y.abs() < 0.2 + 1e-9, "in the wall: {pose:?}");
    }
    let pose = building.people().next().unwrap().state().pose;
    assert!(pose.x < -0.4, "it stands before the robot: {pose:?}");
    // The robot goes away: the person walks on to the end.
    world
        .set_robot_pose("bot", Pose2::new(0.0, 5.0, 0.0), "")
        .unwrap();
    run(&mut building, &mut world, &["bot"], 8.0);
    let pose = building.people().next().unwrap().state().pose;
    assert_near(pose.x, 4.0, 1e-9);
    assert_near(pose.y, 0.0, 1e-9);
}

#[test]
fn a_robot_is_stopped_by_the_panel_of_a_charger_and_drives_over_its_plate() {
    let mut world = world();
    add_robot(&mut world, "bot", Pose2::new(0.5, 0.0, 0.0));
    let mut building = Building::new(0);
    building
        .add_charger(&mut world, ChargerSpec::new("home", Pose2::default()))
        .unwrap();
    world.command("bot", Twist2::new(-0.2, 0.0, 0.0)).unwrap();
    run(&mut building, &mut world, &["bot"], 4.0);
    // Its rear, 0.2 m behind, is at the panel at -0.16.
    assert_near(world.robot_state("bot").unwrap().pose.x, 0.04, 0.001);
    let level = world.floors().level("").unwrap();
    let charges = |x: f64| building.charger_at(&world, &level, &Pose2::new(x, 0.0, 0.0));
    assert_eq!(charges(0.039), Some("home"));
    assert_eq!(charges(0.041), None);
}

#[test]
fn a_charger_and_a_drop_are_those_of_their_floor() {
    let mut world = storeys();
    let mut building = Building::new(0);
    let upstairs = ChargerSpec {
        floor: "2F".into(),
        ..ChargerSpec::new("home", Pose2::default())
    };
    building.add_charger(&mut world, upstairs).unwrap();
    let hole = DropSpec {
        floor: "2F".into(),
        depth: 0.5,
        ..DropSpec::rectangle("hole", [1.0, -1.0], [2.0, 1.0])
    };
    building.add_drop(&mut world, hole).unwrap();
    let deeper = DropSpec {
        floor: "2F".into(),
        depth: 0.7,
        ..DropSpec::rectangle("deeper", [1.5, -1.0], [3.0, 1.0])
    };
    building.add_drop(&mut world, deeper).unwrap();
    let [down, up] = ["1F", "2F"].map(|name| world.floors().level(name).unwrap());
    let base = Pose2::default();
    assert_eq!(building.charger_at(&world, &down, &base), None);
    assert_eq!(building.charger_at(&world, &up, &base), Some("home"));
    for (x, on_1f, on_2f) in [
        (0.5, 0.0, 0.0),
        (1.0, 0.0, 0.0),
        (1.2, 0.0, 0.5),
        (1.7, 0.0, 0.7),
    ] {
        let depth = |level| building.depth_at(&world, level, [x, 0.0]);
        assert_eq!((depth(&down), depth(&up)), (on_1f, on_2f), "at x {x}");
        assert_eq!(world.has_floor_at([x, 0.0], &up), on_2f == 0.0, "at x {x}");
    }
}

#[test]
fn the_lidar_of_a_docked_robot_sees_the_front_legs_at_computed_bearings() {
    let mut world = world();
    add_robot(&mut world, "bot", Pose2::default());
    let mut building = Building::new(0);
    building
        .add_shelf(&mut world, ShelfSpec::new("S01", Pose2::default()))
        .unwrap();
    // The lidar is 0.156 m before the base; the legs are discs of 2 cm at (0.116, +-0.196).
    let leg = libm::hypot(0.116 - 0.156, 0.196);
    let bearing = libm::atan2(0.196, 0.116 - 0.156);
    let mount = ScanMount {
        pose: Pose2::new(0.156, 0.0, 0.0),
        height: LIDAR,
    };
    let fan = Fan::from_azimuths(vec![bearing, -bearing, 0.0, bearing + 0.12]).unwrap();
    let ranges = world.scan("bot", &mount, &fan, 20.0).unwrap();
    assert_near(ranges[0], leg - 0.02, 1e-6);
    assert_near(ranges[1], leg - 0.02, 1e-6);
    assert_eq!(&ranges[2..], [f64::INFINITY; 2]);
    let level = world.floors().level("").unwrap();
    let found = building.shelf_at(&world, &level, &Pose2::new(0.03, 0.0, 0.1));
    assert_eq!(found, Some("S01"));
    // Carried, it is the robot's and its lidar does not see it.
    world.attach("bot", "S01").unwrap();
    let ranges = world.scan("bot", &mount, &fan, 20.0).unwrap();
    assert_eq!(ranges, [f64::INFINITY; 4]);
    assert_eq!(building.shelf_at(&world, &level, &Pose2::default()), None);
    assert_eq!(building.shelf_state(&world, "S01").unwrap().carrier, "bot");
    assert_near(building.reach_carried_by(&world, "bot"), 0.294, 0.0005);
}

#[test]
fn the_state_of_a_shelf_is_another_one_when_it_has_come_to_rest_elsewhere_or_is_carried() {
    let mut world = world();
    add_robot(&mut world, "bot", Pose2::new(-0.5, 0.0, 0.0));
    let mut building = Building::new(0);
    building
        .add_shelf(&mut world, ShelfSpec::new("S01", Pose2::default()))
        .unwrap();
    let start = building.revision(Kind::Shelf);
    run(&mut building, &mut world, &["bot"], 1.0);
    assert_eq!(building.revision(Kind::Shelf), start, "at rest");
    world.command("bot", Twist2::new(0.2, 0.0, 0.0)).unwrap();
    run(&mut building, &mut world, &["bot"], 2.5);
    assert_eq!(building.revision(Kind::Shelf), start, "on its way");
    world.command("bot", Twist2::ZERO).unwrap();
    run(&mut building, &mut world, &["bot"], 1.0);
    assert_eq!(building.revision(Kind::Shelf), start + 1, "pushed");
    let pose = building.shelf_state(&world, "S01").unwrap().pose;
    // The robot of 0.2 m has legs of 2 cm, 0.196 m to either side, before it.
    let before = 0.116 + libm::sqrt(0.22_f64.powi(2) - 0.196_f64.powi(2));
    let expected = world.robot_state("bot").unwrap().pose.x + before;
    assert!(expected > 0.1, "it has pushed: {expected}");
    assert_pose(pose, Pose2::new(expected, 0.0, 0.0), 0.001);
    world.set_robot_pose("bot", pose, "").unwrap();
    world.attach("bot", "S01").unwrap();
    building.observe(&world);
    assert_eq!(building.revision(Kind::Shelf), start + 2, "carried");
    building.send_home(&mut world, "S01");
    let state = building.shelf_state(&world, "S01").unwrap();
    assert_eq!((state.pose, &*state.carrier), (Pose2::default(), ""));
}

/// Poses of everything, bit for bit.
fn poses(building: &Building, world: &World) -> Vec<u64> {
    let things = world.entities().map(crate::world::Entity::pose);
    let robot = world.robot_state("bot").map(|state| state.pose);
    let doors = building
        .doors()
        .map(|door| Pose2::new(door.opening(), 0.0, 0.0));
    let all = things.chain(robot).chain(doors);
    all.flat_map(|pose| [pose.x, pose.y, pose.yaw].map(f64::to_bits))
        .collect()
}

#[test]
fn a_run_after_a_reset_equals_the_first_run_and_that_of_another_world() {
    let build = || {
        let mut world = world();
        add_doorway(&mut world);
        add_robot(&mut world, "bot", Pose2::new(0.3, -3.0, 1.4));
        let mut building = Building::new(7);
        let door = DoorSpec {
            automatic: Some(AutomaticDoor::default()),
            ..DoorSpec::new("door", DoorKind::Sliding, Pose2::default())
        };
        building.add_door(&mut world, door).unwrap();
        for (index, x) in [-0.1, 0.0, 0.1].into_iter().enumerate() {
            let person = PersonSpec {
                walk: Some(Walk {
                    repeat: Repeat::ThereAndBack,
                    ..Walk::through(vec![Waypoint::new(x, 3.0)])
                }),
                ..PersonSpec::new(format!("p{index}"), Pose2::new(x, -2.0 - x * 10.0, 0.0))
            };
            building.add_person(&mut world, person).unwrap();
        }
        building
            .add_shelf(
                &mut world,
                ShelfSpec::new("S01", Pose2::new(0.2, -2.0, 0.3)),
            )
            .unwrap();
        (building, world)
    };
    let record = |building: &mut Building, world: &mut World| {
        let mut all = Vec::new();
        world.command("bot", Twist2::new(0.3, 0.0, 0.05)).unwrap();
        for _ in 0..40 {
            run(building, world, &["bot"], 0.5);
            all.push(poses(building, world));
        }
        all
    };
    let (mut building, mut world) = build();
    let first = record(&mut building, &mut world);
    assert_ne!(first[0], first[1]);
    world.reset(false);
    building.reset(&world, 7);
    let again = record(&mut building, &mut world);
    assert!(first == again, "after a reset");
    let (mut building, mut world) = build();
    assert!(first == record(&mut building, &mut world), "another world");
}
