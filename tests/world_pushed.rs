//! Shelves that robots run into: they are pushed, turned and stopped, and stand still when
//! nobody pushes. Expected values come from geometry and from sharing motion by mass.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod common;

use std::f64::consts::{FRAC_PI_2, PI};

use common::assert_near;
use common::things::{
    DT, LEG, LEGS, LIDAR, ROBOT_MASS, SHELF_MASS, kachaka, plate, range, shelf, thing, world,
};
use tatami::world::{
    BodyKey, BoxSpec, Dynamics, Kind, OutlineSpec, PhysicsDt, Pose2, ThingMotion, ThingSpec,
    Twist2, World,
};

/// How far the front of the robot is ahead of its base, m.
const FRONT: f64 = 0.237;

fn block(name: &str, size: [f64; 2], x: f64, y: f64) -> BoxSpec {
    BoxSpec {
        name: name.into(),
        size,
        pose: Pose2::new(x, y, 0.0),
        z_min: 0.0,
        z_max: 2.0,
    }
}

fn ahead(world: &mut World, robot: &str, speed: f64) {
    world.command(robot, Twist2::new(speed, 0.0, 0.0)).unwrap();
}

fn pose(world: &World, key: BodyKey) -> Pose2 {
    world.thing_pose(key).unwrap()
}

fn deepest(world: &World, robot: &str) -> f64 {
    let contacts = world.contacts(robot).unwrap();
    contacts.iter().map(|c| c.depth).fold(0.0, f64::max)
}

/// A world with a robot that looks along y at a shelf at the origin, its front against two
/// legs, and the key of the shelf.
fn behind_a_shelf() -> (World, BodyKey) {
    let mut world = world();
    let start = Pose2::new(0.0, -0.196 - LEG - FRONT, FRAC_PI_2);
    world.add_robot(kachaka("bot", start)).unwrap();
    let key = world.add_thing(&shelf("shelf", Pose2::default())).unwrap();
    (world, key)
}

#[test]
fn met_by_two_legs_it_moves_with_the_robot_and_stops_with_it() {
    let (mut world, key) = behind_a_shelf();
    let far = Pose2::new(0.0, -1.0, FRAC_PI_2);
    world.set_robot_pose("bot", far, "").unwrap();
    ahead(&mut world, "bot", 0.3);
    let before = pose(&world, key);
    for _ in 0..90 {
        world.step();
        let (bot, at) = (world.robot_state("bot").unwrap().pose, pose(&world, key));
        let gap = at.y - 0.196 - LEG - bot.y - FRONT;
        assert!(gap > -1e-6, "{gap} m");
        if at != before {
            assert!(gap < 1e-4, "{gap} m at {at:?}");
        }
        assert_near(at.x, 0.0, 1e-9);
        assert_near(at.yaw, 0.0, 1e-9);
    }
    // Together they go with the mean of 0.3 m/s and 0, weighed by mass.
    let shared = 0.3 * ROBOT_MASS / (ROBOT_MASS + SHELF_MASS);
    assert_near(world.robot_state("bot").unwrap().twist.x, shared, 1e-9);
    let (y, last) = (pose(&world, key).y, 1e-9);
    world.step();
    assert_near(pose(&world, key).y - y, shared * DT, last);
    ahead(&mut world, "bot", 0.0);
    let stopped = pose(&world, key);
    for _ in 0..30 {
        world.step();
    }
    assert_eq!(pose(&world, key), stopped);
}

/// Moment of inertia of a shelf about its middle per mass, m2: plates and legs weigh by area.
fn inertia_per_mass() -> f64 {
    let (a, b) = (0.328, 0.488);
    let plates = 3.0 * a * b;
    let leg = PI * LEG * LEG;
    let legs: f64 = LEGS
        .iter()
        .map(|[x, y]| leg * (0.5 * LEG * LEG + x * x + y * y))
        .sum();
    (plates * (a * a + b * b) / 12.0 + legs) / (plates + 4.0 * leg)
}

#[test]
fn met_by_one_leg_it_turns_as_its_inertia_says() {
    let mut world = world();
    // It looks along x at one leg, its base exactly behind.
    let start = Pose2::new(-0.116 - LEG - FRONT, 0.196, 0.0);
    world.add_robot(kachaka("bot", start)).unwrap();
    let key = world.add_thing(&shelf("shelf", Pose2::default())).unwrap();
    ahead(&mut world, "bot", 0.3);
    world.step();
    let arm = 0.196;
    let inertia = SHELF_MASS * inertia_per_mass();
    let compliance = 1.0 / ROBOT_MASS + 1.0 / SHELF_MASS + arm * arm / inertia;
    let impulse = 0.3 * DT / compliance;
    let at = pose(&world, key);
    assert_near(at.x, impulse / SHELF_MASS, 1e-9);
    assert_near(at.y, 0.0, 1e-9);
    assert_near(at.yaw, -impulse * arm / inertia, 1e-8);
    let bot = world.robot_state("bot").unwrap().pose;
    assert_near(bot.x, start.x + 0.3 * DT - impulse / ROBOT_MASS, 1e-9);
    for _ in 0..120 {
        world.step();
        assert!(deepest(&world, "bot") < 1e-4, "{}", deepest(&world, "bot"));
    }
    let turned = pose(&world, key).yaw;
    assert!(turned < -0.3, "it turns on, clockwise: {turned}");
}

#[test]
fn between_the_legs_the_robot_passes_and_touches_nothing() {
    let mut world = world();
    // 0.056 m to spare on each side: 0.05 m off the middle.
    let start = Pose2::new(-1.0, 0.05, 0.0);
    world.add_robot(kachaka("bot", start)).unwrap();
    let before = Pose2::new(0.0, 0.0, 0.0);
    let key = world.add_thing(&shelf("shelf", before)).unwrap();
    ahead(&mut world, "bot", 0.5);
    let mut free = start;
    for _ in 0..120 {
        world.step();
        free = free.advance(&Twist2::new(0.5, 0.0, 0.0), DT);
        assert_eq!(world.contacts("bot").unwrap(), []);
    }
    assert_eq!(world.robot_state("bot").unwrap().pose, free);
    assert_eq!(pose(&world, key), before);
}

#[test]
fn against_a_wall_it_stops_the_robot() {
    for mass in [1.0, SHELF_MASS, 60.0] {
        let (mut world, old) = behind_a_shelf();
        let spec = ThingSpec {
            motion: ThingMotion::Pushed { mass },
            ..shelf("shelf", Pose2::default())
        };
        let key = world.add_thing(&spec).unwrap();
        assert_eq!(world.thing(old), None);
        // Plates reach 0.244 m, so it has 0.1 m to go.
        world
            .add_box(&block("wall", [3.0, 0.1], 0.0, 0.344 + 0.05))
            .unwrap();
        ahead(&mut world, "bot", 0.3);
        for step in 0..300 {
            world.step();
            let at = pose(&world, key);
            assert!(at.y < 0.1 + 1e-4, "{mass} kg, step {step}: {at:?}");
            let deep = deepest(&world, "bot");
            assert!(deep < 1e-4, "{mass} kg, step {step}: {deep}");
        }
        assert_near(pose(&world, key).y, 0.1, 1e-4);
        let bot = world.robot_state("bot").unwrap();
        assert_near(bot.pose.y, 0.1 - 0.196 - LEG - FRONT, 1e-4);
        assert_near(bot.twist.x, 0.0, 1e-6);
        // It lets the robot go again.
        ahead(&mut world, "bot", -0.3);
        for _ in 0..32 {
            world.step();
        }
        let back = world.robot_state("bot").unwrap().pose.y;
        assert_near(back, bot.pose.y - 0.3, 1e-4);
    }
}

#[test]
fn a_row_is_pushed_by_its_plates() {
    let (mut world, first) = behind_a_shelf();
    let mut row = vec![first];
    for (i, name) in ["b", "c"].iter().enumerate() {
        // 0.05 m between plates.
        let at = Pose2::new(0.0, 0.538 * (i + 1) as f64, 0.0);
        row.push(world.add_thing(&shelf(name, at)).unwrap());
    }
    ahead(&mut world, "bot", 0.3);
    for step in 0..120 {
        world.step();
        for pair in row.windows(2) {
            let gap = pose(&world, pair[1]).y - pose(&world, pair[0]).y - 0.488;
            assert!(gap > -1e-4, "step {step}: {gap} m");
        }
    }
    for pair in row.windows(2) {
        assert_near(
            pose(&world, pair[1]).y - pose(&world, pair[0]).y,
            0.488,
            1e-4,
        );
    }
    let shared = 0.3 * ROBOT_MASS / (ROBOT_MASS + 3.0 * SHELF_MASS);
    assert_near(world.robot_state("bot").unwrap().twist.x, shared, 1e-6);
}

#[test]
fn a_door_pushes_a_shelf_that_has_long_been_at_rest() {
    let mut world = world();
    let key = world.add_thing(&shelf("shelf", Pose2::default())).unwrap();
    let panel = vec![plate([2.0, 0.04], 0.0, 2.0)];
    let start = Pose2::new(0.0, -0.5, 0.0);
    let door = thing("door", Kind::Door, panel, start, ThingMotion::Driven);
    let door = world.add_thing(&door).unwrap();
    for _ in 0..50 {
        world.step();
    }
    assert_eq!(pose(&world, key), Pose2::default());
    for step in 1..=64 {
        let y = -0.5 + 0.5 * DT * f64::from(step);
        world.drive_thing(door, Pose2::new(0.0, y, 0.0)).unwrap();
        world.step();
    }
    // The door stops at 0.5 m; its front is 0.02 m ahead, plates reach 0.244 m back.
    assert_near(pose(&world, key).y, 0.5 + 0.02 + 0.244, 2e-3);
}

#[test]
fn put_into_each_other_or_into_a_wall_they_part_slowly() {
    let mut world = world();
    let a = world.add_thing(&shelf("a", Pose2::default())).unwrap();
    let b = Pose2::new(0.0, 0.4, 0.0);
    let b = world.add_thing(&shelf("b", b)).unwrap();
    let mut last = pose(&world, b);
    for _ in 0..60 {
        world.step();
        let now = pose(&world, b);
        let moved = (now.x - last.x).hypot(now.y - last.y);
        assert!(moved <= 0.41 * DT, "{} m/s", moved / DT);
        last = now;
    }
    assert_near(pose(&world, b).y - pose(&world, a).y, 0.488, 1e-4);
    world
        .add_box(&block("wall", [3.0, 0.1], 0.0, pose(&world, a).y - 0.244))
        .unwrap();
    for _ in 0..60 {
        world.step();
    }
    let wall = pose(&world, a).y - 0.244;
    assert_near(pose(&world, b).y - pose(&world, a).y, 0.488, 1e-3);
    let face = -0.044 - 0.244 + 0.05;
    assert_near(wall, face, 1e-3);
}

#[test]
fn lidars_see_a_shelf_where_it_was_pushed_to() {
    let (mut world, key) = behind_a_shelf();
    world
        .add_robot(kachaka("watcher", Pose2::new(0.116, 3.0, -FRAC_PI_2)))
        .unwrap();
    ahead(&mut world, "bot", 0.3);
    for _ in 0..45 {
        world.step();
        let leg = pose(&world, key).y + 0.196 + LEG;
        assert_near(range(&world, "watcher", 0.0, LIDAR), 3.0 - leg, 1e-9);
    }
    assert!(pose(&world, key).y > 0.2, "{:?}", pose(&world, key));
}

#[test]
fn at_rest_it_stays_to_the_last_bit() {
    let mut world = world();
    // A yaw beyond half a turn, that a normalisation would change.
    let at = Pose2::new(0.1, 0.7, 4.0);
    let key = world.add_thing(&shelf("shelf", at)).unwrap();
    world.add_box(&block("near", [0.1, 0.1], 0.1, 1.1)).unwrap();
    world
        .add_robot(kachaka("bot", Pose2::new(-1.0, 0.7, 0.0)))
        .unwrap();
    for step in 0..200 {
        ahead(&mut world, "bot", if step % 40 < 20 { 0.3 } else { -0.3 });
        world.step();
    }
    assert_eq!(pose(&world, key), at);
}

#[test]
fn a_run_after_a_reset_equals_the_first_and_others_far_away_do_not_matter() {
    let run = |world: &mut World, key: BodyKey| {
        let mut poses = Vec::new();
        for step in 0..150 {
            let turn = if step % 50 < 25 { 0.4 } else { -0.3 };
            world.command("bot", Twist2::new(0.3, 0.0, turn)).unwrap();
            world.step();
            poses.push((pose(world, key), world.robot_state("bot").unwrap().pose));
        }
        poses
    };
    let (mut world, key) = behind_a_shelf();
    let first = run(&mut world, key);
    assert_ne!(first[149].0, Pose2::default());
    world.reset(true);
    assert_eq!(run(&mut world, key), first);
    let (mut crowded, key) = behind_a_shelf();
    for i in 0..100_i32 {
        let at = Pose2::new(20.0 + f64::from(i % 10), f64::from(i / 10), f64::from(i));
        crowded.add_thing(&shelf(&format!("far{i}"), at)).unwrap();
    }
    assert_eq!(run(&mut crowded, key), first);
}

/// Robots that wander among shelves in a small room, as fast as they may.
#[test]
fn in_a_crowd_nothing_goes_through_a_wall_or_far_into_another() {
    let mut world = world();
    let half = 2.5;
    let corners = [[-half, -half], [half, -half], [half, half], [-half, half]];
    let room = OutlineSpec {
        name: "room".into(),
        points: corners.to_vec(),
        z_min: 0.0,
        z_max: 2.0,
    };
    world.add_outline(&room).unwrap();
    let mut keys = Vec::new();
    for i in 0..9_i32 {
        let at = Pose2::new(
            f64::from(i % 3 - 1) * 1.1,
            f64::from(i / 3 - 1) * 1.1,
            f64::from(i),
        );
        let mass = 2.0 + f64::from(i) * 3.0;
        let spec = ThingSpec {
            motion: ThingMotion::Pushed { mass },
            ..shelf(&format!("shelf{i}"), at)
        };
        keys.push(world.add_thing(&spec).unwrap());
    }
    let robots = ["a", "b", "c", "d"];
    for (name, i) in robots.iter().zip(0_i32..) {
        let at = Pose2::new(
            f64::from(i % 2) * 1.1 - 0.55,
            f64::from(i / 2) * 1.1 - 0.55,
            0.0,
        );
        world.add_robot(kachaka(name, at)).unwrap();
    }
    let mut moved = 0;
    for step in 0..3000 {
        for (name, i) in robots.iter().zip(0_i32..) {
            let phase = 0.01 * f64::from(step) + f64::from(i);
            let twist = Twist2::new(0.8 * (0.4 * phase).cos(), 0.0, 1.5 * phase.sin());
            world.command(name, twist).unwrap();
        }
        let before: Vec<_> = keys.iter().map(|key| pose(&world, *key)).collect();
        world.step();
        for (key, before) in keys.iter().zip(before) {
            let at = pose(&world, *key);
            assert!(at.is_finite(), "step {step}: {at:?}");
            moved += u32::from(at != before);
            for corner in [
                [0.164, 0.244],
                [-0.164, 0.244],
                [0.164, -0.244],
                [-0.164, -0.244],
            ] {
                let out = at.transform_point(corner).map(f64::abs);
                let most = out[0].max(out[1]);
                assert!(most < half + 1e-3, "step {step}: {most} m in {at:?}");
            }
        }
        for name in robots {
            let deep = deepest(&world, name);
            assert!(deep < 1e-3, "step {step}, {name}: {deep} m");
        }
    }
    assert!(moved > 1000, "pushed in {moved} steps");
}

#[test]
fn where_nothing_stops_robots_they_pass_and_it_stays() {
    let dt = PhysicsDt::from_seconds(0.02).unwrap();
    let mut world = World::new(dt, Dynamics::Kinematic);
    world
        .add_robot(kachaka("bot", Pose2::new(-1.0, 0.196, 0.0)))
        .unwrap();
    let key = world.add_thing(&shelf("shelf", Pose2::default())).unwrap();
    ahead(&mut world, "bot", 0.5);
    let mut touched = 0;
    for _ in 0..200 {
        world.step();
        touched += world.contacts("bot").unwrap().len();
    }
    assert_near(world.robot_state("bot").unwrap().pose.x, 1.0, 1e-9);
    assert_eq!(pose(&world, key), Pose2::default());
    assert!(touched > 0, "contacts are reported");
}
