//! Absurd input: spawns inside things, huge numbers, heaps. Nothing may blow up.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

use proptest::prelude::*;
use tatami::world::physics::Physics;
use tatami::world::{BodyKey, Dynamics, Footprint, PlanarShape, Pose2, Twist2, ZExtent};

const ROBOT: BodyKey = BodyKey(0);
const Z: ZExtent = ZExtent::new(0.0, 0.5);
const DT: f64 = 1.0 / 30.0;

fn disc() -> Footprint {
    Footprint::disc(0.2).unwrap()
}

fn body() -> Footprint {
    Footprint::polygon(&[[-0.15, -0.12], [0.237, -0.12], [0.237, 0.12], [-0.15, 0.12]]).unwrap()
}

/// Steps and checks that a robot without a command is not thrown about.
fn step_calmly(physics: &mut Physics, keys: &[BodyKey], case: &str) {
    let before: Vec<Pose2> = keys.iter().map(|k| physics.pose(*k).unwrap()).collect();
    physics.step();
    for (key, before) in keys.iter().zip(before) {
        let after = physics.pose(*key).unwrap();
        let speed = libm::hypot(after.x - before.x, after.y - before.y) / DT;
        assert!(speed <= 0.41, "{case}: {key:?} ejected at {speed} m/s");
        let spin = libm::remainder(after.yaw - before.yaw, std::f64::consts::TAU) / DT;
        assert!(spin.abs() <= 1.01, "{case}: {key:?} spun at {spin} rad/s");
    }
}

#[test]
fn spawned_in_a_wall_it_is_pushed_out_or_drives_out() {
    for footprint in [disc(), body()] {
        for wall in [
            (PlanarShape::rectangle(0.3, 4.0), Pose2::new(0.05, 0.0, 0.0)),
            (
                PlanarShape::Ring(vec![[0.03, -5.0], [0.03, 5.0], [-9.0, 5.0], [-9.0, -5.0]]),
                Pose2::default(),
            ),
        ] {
            let case = format!("{footprint:?} {wall:?}");
            let mut physics = Physics::new(DT, Dynamics::Rigid);
            physics.insert_obstacle(BodyKey(1), wall.0, wall.1, Z);
            physics.insert_robot(ROBOT, &footprint, Pose2::new(0.0, 0.0, 0.5), Z, 10.0);
            let mut driving = Physics::new(DT, Dynamics::Rigid);
            std::mem::swap(&mut physics, &mut driving);
            let mut waiting = driving;
            for _ in 0..150 {
                step_calmly(&mut waiting, &[ROBOT], &case);
            }
            let deepest = waiting
                .contacts(ROBOT)
                .iter()
                .map(|t| t.depth)
                .fold(0.0, f64::max);
            assert!(deepest < 1e-3, "{case}: still {deepest} m deep");
        }
    }
}

#[test]
fn drives_out_of_a_wall_at_its_own_speed() {
    let mut physics = Physics::new(DT, Dynamics::Rigid);
    physics.insert_obstacle(
        ROBOT,
        PlanarShape::rectangle(1.0, 4.0),
        Pose2::new(0.5, 0.0, 0.0),
        Z,
    );
    let robot = BodyKey(1);
    physics.insert_robot(robot, &disc(), Pose2::new(0.1, 0.0, 0.0), Z, 10.0);
    physics.command(robot, Twist2::new(-0.5, 0.0, 0.0));
    for _ in 0..30 {
        physics.step();
    }
    let x = physics.pose(robot).unwrap().x;
    // Half a metre by itself, and what it was pushed in the first 0.3 s or so.
    assert!((-0.7..=-0.4).contains(&x), "{x}");
    assert!(physics.contacts(robot).is_empty());
}

#[test]
fn spawned_in_each_other_they_part_slowly() {
    for footprint in [disc(), body()] {
        for offset in [0.0, 1e-12, 0.1] {
            let mut physics = Physics::new(DT, Dynamics::Rigid);
            let keys: Vec<BodyKey> = (0..3).map(BodyKey).collect();
            for (i, key) in keys.iter().enumerate() {
                physics.insert_robot(
                    *key,
                    &footprint,
                    Pose2::new(offset * i as f64, 0.0, 0.0),
                    Z,
                    10.0,
                );
            }
            for _ in 0..300 {
                step_calmly(&mut physics, &keys, &format!("{footprint:?} {offset}"));
            }
            for key in keys {
                for touch in physics.contacts(key) {
                    assert!(touch.depth < 2e-3, "{footprint:?} {offset}: {touch:?}");
                }
            }
        }
    }
}

#[test]
fn two_hundred_boxes_on_one_spot_throw_nobody_out() {
    let mut physics = Physics::new(DT, Dynamics::Rigid);
    for i in 0..200 {
        let at = f64::from(i);
        let pose = Pose2::new(0.3 * libm::sin(at), 0.3 * libm::cos(1.7 * at), at);
        physics.insert_obstacle(BodyKey(100 + i), PlanarShape::rectangle(0.5, 0.3), pose, Z);
    }
    physics.insert_robot(ROBOT, &body(), Pose2::default(), Z, 10.0);
    for _ in 0..100 {
        step_calmly(&mut physics, &[ROBOT], "heap");
    }
    assert_eq!(physics.twist(ROBOT), Some(Twist2::ZERO));
}

#[test]
fn a_million_metres_out_everything_still_works() {
    let far = 1e6;
    let mut physics = Physics::new(DT, Dynamics::Rigid);
    physics.insert_obstacle(
        BodyKey(1),
        PlanarShape::rectangle(0.1, 4.0),
        Pose2::new(far + 1.05, -far, 0.0),
        Z,
    );
    physics.insert_robot(ROBOT, &body(), Pose2::new(far, -far, 0.0), Z, 10.0);
    physics.command(ROBOT, Twist2::new(0.5, 0.0, 0.0));
    for _ in 0..120 {
        physics.step();
    }
    let x = physics.pose(ROBOT).unwrap().x - far;
    assert!((x - (1.0 - 0.237)).abs() < 1e-6, "{x}");
    let depth = physics.contacts(ROBOT)[0].depth;
    assert!(depth < 1e-6, "{depth}");
}

#[test]
fn at_a_thousand_metres_a_second_walls_still_hold() {
    let ring = PlanarShape::Ring(vec![[-3.0, -3.0], [3.0, -3.0], [3.0, 3.0], [-3.0, 3.0]]);
    for footprint in [disc(), body()] {
        for dt in [DT, 0.5] {
            for twist in [
                Twist2::new(1e3, 0.0, 0.0),
                Twist2::new(700.0, -700.0, 1e3),
                Twist2::new(0.0, 0.0, -1e3),
            ] {
                let mut physics = Physics::new(dt, Dynamics::Rigid);
                physics.insert_obstacle(BodyKey(1), ring.clone(), Pose2::default(), Z);
                physics.insert_robot(ROBOT, &footprint, Pose2::new(0.3, 0.1, 0.7), Z, 10.0);
                physics.command(ROBOT, twist);
                for _ in 0..20 {
                    physics.step();
                    let pose = physics.pose(ROBOT).unwrap();
                    let out = pose.x.abs().max(pose.y.abs());
                    assert!(out < 3.0, "{footprint:?} dt {dt} {twist:?}: {pose:?}");
                }
            }
        }
    }
}

proptest! {
    #[test]
    fn states_stay_finite_whatever_comes(
        robots in prop::collection::vec((any_number(), any_number(), any_number(), any_number(), any_number()), 1..4),
        boxes in prop::collection::vec((any_number(), any_number(), any_number(), 1e-9..1e6_f64), 0..8),
        masses in prop::collection::vec(prop_oneof![Just(0.0), Just(-1.0), Just(f64::NAN), 1e-9..1e9], 4),
        dt in 0.0005..0.5,
    ) {
        let mut physics = Physics::new(dt, Dynamics::Rigid);
        for (i, (x, y, yaw, size)) in boxes.iter().enumerate() {
            let key = BodyKey(100 + i as u32);
            let shape = match i % 3 {
                0 => PlanarShape::rectangle(*size, *size),
                1 => PlanarShape::Ring(vec![[0.0, 0.0], [*size, 0.0], [0.0, *size], [0.0, 0.0]]),
                _ => PlanarShape::Disc(*size),
            };
            physics.insert_obstacle(key, shape, Pose2::new(*x, *y, *yaw), Z);
        }
        for (i, (x, y, vx, vy, w)) in robots.iter().enumerate() {
            let key = BodyKey(i as u32);
            let footprint = if i % 2 == 0 { body() } else { disc() };
            physics.insert_robot(key, &footprint, Pose2::new(*x, *y, *w), Z, masses[i]);
            physics.command(key, Twist2::new(*vx, *vy, *w));
        }
        for _ in 0..5 {
            physics.step();
            for i in 0..robots.len() {
                let key = BodyKey(i as u32);
                let (pose, twist) = (physics.pose(key).unwrap(), physics.twist(key).unwrap());
                prop_assert!(pose.is_finite() && twist.is_finite(), "{:?} {:?}", pose, twist);
                for touch in physics.contacts(key) {
                    prop_assert!(touch.depth.is_finite(), "{:?}", touch);
                }
            }
        }
    }
}

/// Ordinary numbers, huge ones and the extremes.
fn any_number() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => -3.0..3.0_f64,
        1 => -1e7..1e7_f64,
        1 => prop_oneof![Just(0.0), Just(1e300), Just(-1e300), Just(f64::MAX), Just(1e-300)],
    ]
}
