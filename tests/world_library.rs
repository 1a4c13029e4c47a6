//! The world as a library: what can be put into it, what a robot in it meets and sees, and
//! what is refused. Expected values come from the geometry of each scene.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

use tatami::world::rays::Fan;
use tatami::world::{
    BoxSpec, DiscSpec, Dynamics, FloorSpec, Footprint, Kind, MoveSpec, OutlineSpec, PhysicsDt,
    Pose2, RobotBody, ScanMount, SimTime, Twist2, World, WorldError,
};

const HEIGHT: f64 = 0.1;

fn world(dt: f64, dynamics: Dynamics) -> World {
    World::new(PhysicsDt::from_seconds(dt).unwrap(), dynamics)
}

fn rigid() -> World {
    world(0.02, Dynamics::Rigid)
}

fn robot(name: &str, pose: Pose2) -> RobotBody {
    RobotBody {
        name: name.into(),
        footprint: Footprint::disc(0.2).unwrap(),
        pose,
        floor: String::new(),
        z_min: 0.0,
        height: 0.3,
        mass: 10.0,
    }
}

fn block(name: &str, pose: Pose2, size: [f64; 2]) -> BoxSpec {
    BoxSpec {
        name: name.into(),
        size,
        pose,
        z_min: 0.0,
        z_max: 1.0,
    }
}

fn disc(name: &str, center: [f64; 2], velocity: [f64; 2]) -> DiscSpec {
    DiscSpec {
        name: name.into(),
        radius: 0.3,
        center,
        velocity,
        z_min: 0.0,
        z_max: 1.8,
    }
}

fn room(name: &str, half: f64) -> OutlineSpec {
    OutlineSpec {
        name: name.into(),
        points: vec![[-half, -half], [half, -half], [half, half], [-half, half]],
        z_min: 0.0,
        z_max: 2.4,
    }
}

/// Range straight ahead of a robot's base frame.
fn ahead(world: &World, robot: &str) -> f64 {
    let fan = Fan::uniform(0.0, 0.01, 1).unwrap();
    let mount = ScanMount {
        pose: Pose2::default(),
        height: HEIGHT,
    };
    world.scan(robot, &mount, &fan, 100.0).unwrap()[0]
}

#[track_caller]
fn assert_near(actual: f64, expected: f64, tolerance: f64) {
    assert!(
        (actual - expected).abs() <= tolerance,
        "{actual} is not {expected} within {tolerance}"
    );
}

#[test]
fn advance_takes_every_step_that_fits() {
    let mut world = world(0.3, Dynamics::Rigid);
    assert_eq!(world.advance(SimTime(1_000_000_000)), 3, "0.3, 0.6, 0.9");
    assert_eq!(world.time(), SimTime(900_000_000));
    assert_eq!(world.advance(SimTime(1_199_999_999)), 0);
    assert_eq!(
        world.advance(SimTime(1_200_000_000)),
        1,
        "a step at the end fits"
    );
    assert_eq!(world.advance(SimTime(0)), 0, "time does not go back");
    assert_eq!(world.step_index(), 4);
}

#[test]
fn a_scan_sees_the_poses_of_now_without_any_step() {
    let mut world = rigid();
    world.add_outline(&room("room", 10.0)).unwrap();
    world
        .add_box(&block("crate", Pose2::new(2.5, 0.0, 0.0), [1.0, 1.0]))
        .unwrap();
    world.add_robot(robot("bot", Pose2::default())).unwrap();
    assert_near(ahead(&world, "bot"), 2.0, 1e-9);
    world
        .set_robot_pose("bot", Pose2::new(1.0, 0.0, 0.0), "")
        .unwrap();
    assert_near(ahead(&world, "bot"), 1.0, 1e-9);
    let spec = MoveSpec {
        name: "crate".into(),
        pose: Pose2::new(4.5, 0.0, 0.0),
    };
    world.move_entity(&spec).unwrap();
    assert_near(ahead(&world, "bot"), 3.0, 1e-9);
    world.remove("crate").unwrap();
    assert_near(ahead(&world, "bot"), 9.0, 1e-9);
}

#[test]
fn robots_see_each_other_and_not_themselves() {
    let mut world = rigid();
    world.add_robot(robot("a", Pose2::default())).unwrap();
    assert_eq!(ahead(&world, "a"), f64::INFINITY);
    world
        .add_robot(robot("b", Pose2::new(1.2, 0.0, 0.0)))
        .unwrap();
    assert_near(ahead(&world, "a"), 1.0, 1e-9);
    world.remove_robot("b").unwrap();
    assert_eq!(ahead(&world, "a"), f64::INFINITY);
}

#[test]
fn a_robot_concerns_itself_only_with_its_level() {
    let mut world = rigid();
    let floors = [("1F", 0.0), ("2F", 3.0)].map(|(name, z)| FloorSpec {
        name: name.into(),
        z,
    });
    world.set_levels(&floors).unwrap();
    // Ends where the upper floor begins: it belongs to the lower level alone.
    let mut lower = block("lower", Pose2::new(1.5, 0.0, 0.0), [1.0, 1.0]);
    lower.z_max = 3.0;
    let mut upper = block("upper", Pose2::new(2.5, 0.0, 0.0), [1.0, 1.0]);
    (upper.z_min, upper.z_max) = (3.0, 4.0);
    world.add_box(&lower).unwrap();
    world.add_box(&upper).unwrap();
    world.add_robot(robot("bot", Pose2::default())).unwrap();
    assert_eq!(world.robot_floor("bot"), Some("1F"));
    assert_near(ahead(&world, "bot"), 1.0, 1e-9);
    world.set_robot_pose("bot", Pose2::default(), "2F").unwrap();
    assert_eq!(world.robot_floor("bot"), Some("2F"));
    assert_near(ahead(&world, "bot"), 2.0, 1e-9);
    assert_eq!(world.robot_state("bot").unwrap().level.floor, 3.0);

    let error = world.remove("2F").unwrap_err().to_string();
    assert_eq!(
        error,
        "floor '2F' can't be deleted, robot 'bot' stands on it"
    );
    let error = world.set_levels(&floors[..1]).unwrap_err().to_string();
    assert_eq!(
        error,
        "floor '2F' can't be deleted, robot 'bot' stands on it"
    );
    let error = world
        .set_robot_pose("bot", Pose2::default(), "9F")
        .unwrap_err()
        .to_string();
    assert_eq!(
        error,
        "robot 'bot': there is no floor '9F', floors are: 1F, 2F"
    );
    // A floor that moves takes its robots along.
    world
        .add_floor(&FloorSpec {
            name: "2F".into(),
            z: 3.5,
        })
        .unwrap();
    assert_eq!(world.robot_state("bot").unwrap().level.floor, 3.5);
}

#[test]
fn thirty_two_levels_and_forty_robots_fit() {
    let mut world = rigid();
    let floors: Vec<FloorSpec> = (0..32)
        .map(|i| FloorSpec {
            name: format!("{i}F"),
            z: 3.0 * f64::from(i),
        })
        .collect();
    world.set_levels(&floors).unwrap();
    for i in 0..40 {
        let mut body = robot(&format!("bot{i}"), Pose2::new(f64::from(i), 0.0, 0.0));
        body.floor = format!("{}F", i % 32);
        world.add_robot(body).unwrap();
    }
    // bot0 and bot32 are the only ones on the ground floor, 32 m apart.
    assert_near(ahead(&world, "bot0"), 31.8, 1e-9);
}

#[test]
fn a_drifting_disc_is_where_its_velocity_brings_it() {
    let mut world = world(1.0 / 30.0, Dynamics::Rigid);
    world
        .add_disc(&disc("walker", [1.0, 2.0], [0.5, -0.25]))
        .unwrap();
    for _ in 0..3000 {
        world.step();
    }
    let pose = world.entities().next().unwrap().pose();
    let elapsed = 3000.0 * 0.033_333_333;
    assert_near(pose.x, 1.0 + 0.5 * elapsed, 1e-12 * elapsed);
    assert_near(pose.y, 2.0 - 0.25 * elapsed, 1e-12 * elapsed);
    // The same disc again is a move, which a reset takes back.
    world
        .add_disc(&disc("walker", [7.0, 7.0], [0.0, 0.0]))
        .unwrap();
    world.step();
    assert_eq!(world.entities().next().unwrap().pose().x, 7.0);
    world.reset(false);
    assert_eq!(world.entities().next().unwrap().pose().x, 1.0);
    assert_eq!(world.entities().next().unwrap().velocity(), [0.5, -0.25]);
}

#[test]
fn a_wall_stops_a_robot_and_is_reported_as_touched() {
    let mut world = rigid();
    world
        .add_box(&block("wall", Pose2::new(1.05, 0.0, 0.0), [0.1, 4.0]))
        .unwrap();
    world.add_robot(robot("bot", Pose2::default())).unwrap();
    assert!(world.contacts("bot").unwrap().is_empty());
    world.command("bot", Twist2::new(0.3, 0.0, 0.0)).unwrap();
    for _ in 0..500 {
        world.step();
    }
    // The wall's face stands at x = 1, the robot's radius is 0.2.
    let state = world.robot_state("bot").unwrap();
    assert_near(state.pose.x, 0.8, 2e-3);
    assert_near(state.twist.x, 0.0, 1e-3);
    let contacts = world.contacts("bot").unwrap();
    assert_eq!(contacts.len(), 1, "{contacts:?}");
    assert_eq!(
        (contacts[0].name.as_str(), contacts[0].kind),
        ("wall", Kind::Box)
    );
    assert_near(contacts[0].normal[0], -1.0, 1e-6);
    assert_near(contacts[0].position[0], 1.0, 2e-3);
    assert_near(contacts[0].position[2], 0.15, 1e-9);
    // One geometry for contact and rays: the scan reads the radius.
    assert_near(ahead(&world, "bot"), 0.2, 2e-3);
}

#[test]
fn kinematic_robots_pass_and_still_touch() {
    let mut world = world(0.02, Dynamics::Kinematic);
    world
        .add_box(&block("wall", Pose2::new(1.05, 0.0, 0.0), [0.1, 4.0]))
        .unwrap();
    world.add_robot(robot("bot", Pose2::default())).unwrap();
    world.command("bot", Twist2::new(0.5, 0.0, 0.0)).unwrap();
    let mut touched = 0;
    for _ in 0..150 {
        world.step();
        touched += world.contacts("bot").unwrap().len();
    }
    assert_near(world.robot_state("bot").unwrap().pose.x, 1.5, 1e-9);
    // In touch from x = 0.8 to 1.3: 0.5 m at 0.01 m a step.
    assert!((49..=52).contains(&touched), "{touched} steps in touch");
}

#[test]
fn discs_touch_without_pushing() {
    let mut world = rigid();
    world.add_robot(robot("bot", Pose2::default())).unwrap();
    world
        .add_disc(&disc("walker", [2.0, 0.0], [-1.0, 0.0]))
        .unwrap();
    let mut touched = false;
    for _ in 0..200 {
        world.step();
        touched |= world
            .contacts("bot")
            .unwrap()
            .iter()
            .any(|c| c.kind == Kind::Disc);
    }
    assert!(touched, "the disc walked through the robot");
    let state = world.robot_state("bot").unwrap();
    assert_eq!(state.pose, Pose2::default(), "and did not move it");
}

#[test]
fn a_box_moved_into_a_robot_pushes_it() {
    let mut world = rigid();
    world.add_robot(robot("bot", Pose2::default())).unwrap();
    world
        .add_box(&block("crate", Pose2::new(2.0, 0.0, 0.0), [1.0, 1.0]))
        .unwrap();
    for i in 0..200 {
        let pose = Pose2::new(2.0 - 0.01 * f64::from(i), 0.0, 0.0);
        world
            .move_entity(&MoveSpec {
                name: "crate".into(),
                pose,
            })
            .unwrap();
        world.step();
    }
    // The crate's face ends at 0.01 - 0.5, the robot in front of it.
    let state = world.robot_state("bot").unwrap();
    assert!(state.pose.x < 0.01 - 0.5 - 0.2 + 0.05, "{state:?}");
}

#[test]
fn names_are_unique_across_kinds_and_adding_again_replaces() {
    let mut world = rigid();
    world
        .add_box(&block("thing", Pose2::new(3.0, 0.0, 0.0), [1.0, 1.0]))
        .unwrap();
    let error = world
        .add_robot(robot("thing", Pose2::default()))
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "robot 'thing': the name is taken by a box, names are unique across all kinds"
    );
    assert!(matches!(
        world.add_outline(&room("thing", 2.0)),
        Err(WorldError::NameTaken { .. })
    ));
    assert!(
        world
            .add_disc(&disc("thing", [0.0, 0.0], [0.0, 0.0]))
            .is_err()
    );
    let floor = FloorSpec {
        name: "thing".into(),
        z: 0.0,
    };
    assert!(world.add_floor(&floor).is_err());
    world.add_robot(robot("bot", Pose2::default())).unwrap();
    assert_near(ahead(&world, "bot"), 2.5, 1e-9);
    world
        .add_box(&block("thing", Pose2::new(5.0, 0.0, 0.0), [1.0, 1.0]))
        .unwrap();
    assert_near(ahead(&world, "bot"), 4.5, 1e-9);
    assert_eq!(world.entities().count(), 1);
}

#[test]
fn bad_values_are_refused_with_thing_and_field_and_change_nothing() {
    let mut world = rigid();
    let nan = f64::NAN;
    let mut errors = Vec::new();
    let mut refuse = |result: Result<(), WorldError>| errors.push(result.unwrap_err().to_string());
    refuse(world.add_box(&block("b", Pose2::new(nan, 0.0, 0.0), [1.0, 1.0])));
    refuse(world.add_box(&block("b", Pose2::default(), [0.0, 1.0])));
    refuse(world.add_box(&block("b", Pose2::default(), [1.0, f64::INFINITY])));
    refuse(world.add_box(&BoxSpec {
        z_max: 0.0,
        ..block("b", Pose2::default(), [1.0, 1.0])
    }));
    refuse(world.add_box(&block("", Pose2::default(), [1.0, 1.0])));
    refuse(world.add_disc(&disc("d", [0.0, 1e308], [0.0, 0.0])));
    refuse(world.add_outline(&OutlineSpec {
        points: vec![[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]],
        ..room("o", 1.0)
    }));
    refuse(world.add_outline(&OutlineSpec {
        points: vec![[0.0, 0.0], [1.0, nan], [2.0, 2.0]],
        ..room("o", 1.0)
    }));
    let expected = [
        "box 'b': x is NaN, it must be finite and within 1e6",
        "box 'b': size_x is 0.0, it must be above 0 and at most 1e6 m",
        "box 'b': size_y is inf, it must be above 0 and at most 1e6 m",
        "box 'b': z_max is 0.0, it must be above z_min",
        "box name '' must have 1 to 255 bytes and no control characters",
        "disc 'd': y is 1e308, it must be finite and within 1e6",
        "outline 'o': its 3 points make no ring, it needs at least 3 different ones that are not on one line",
        "outline 'o': points[1] is (1.0, NaN), it must be finite and within 1e6 m",
    ];
    for (actual, expected) in errors.iter().zip(expected) {
        assert_eq!(actual, expected);
    }
    assert_eq!(world.entities().count(), 0);
    world.add_robot(robot("bot", Pose2::default())).unwrap();
    assert!(world.command("bot", Twist2::new(nan, 0.0, 0.0)).is_err());
    assert!(
        world
            .set_robot_pose("bot", Pose2::new(0.0, nan, 0.0), "")
            .is_err()
    );
    assert!(
        world
            .add_robot(robot("bot", Pose2::new(0.0, 0.0, nan)))
            .is_err()
    );
    world.step();
    assert!(world.robot_state("bot").unwrap().pose.is_finite());
}

#[test]
fn a_self_crossing_ring_is_a_wall_all_the_same() {
    let mut world = rigid();
    world
        .add_outline(&OutlineSpec {
            points: vec![[1.0, -1.0], [2.0, 1.0], [1.0, 1.0], [2.0, -1.0]],
            ..room("bow", 1.0)
        })
        .unwrap();
    world.add_robot(robot("bot", Pose2::default())).unwrap();
    // The two diagonals cross at (1.5, 0).
    assert_near(ahead(&world, "bot"), 1.5, 1e-9);
}

#[test]
fn a_run_after_a_reset_equals_a_first_run() {
    let run = |world: &mut World| {
        world.command("bot", Twist2::new(0.4, 0.0, 0.3)).unwrap();
        world.command("other", Twist2::new(0.3, 0.0, -0.1)).unwrap();
        let mut bytes = Vec::new();
        for _ in 0..400 {
            world.step();
            for name in ["bot", "other"] {
                let state = world.robot_state(name).unwrap();
                for value in [state.pose.x, state.pose.y, state.pose.yaw, state.twist.x] {
                    bytes.extend(value.to_le_bytes());
                }
                bytes.extend(ahead(world, name).to_le_bytes());
            }
        }
        bytes
    };
    let mut world = rigid();
    world.add_outline(&room("room", 1.5)).unwrap();
    world
        .add_box(&block("crate", Pose2::new(1.0, 0.2, 0.3), [0.4, 0.4]))
        .unwrap();
    world
        .add_disc(&disc("walker", [-1.0, 0.0], [0.1, 0.0]))
        .unwrap();
    world
        .add_robot(robot("bot", Pose2::new(-0.5, -0.5, 0.0)))
        .unwrap();
    world
        .add_robot(robot("other", Pose2::new(0.2, -0.4, 3.0)))
        .unwrap();
    let first = run(&mut world);
    world.reset(true);
    assert_eq!(world.step_index(), 0);
    assert_eq!(world.robot_state("bot").unwrap().pose.x, -0.5);
    assert!(
        first == run(&mut world),
        "the second run differs from the first"
    );
}
