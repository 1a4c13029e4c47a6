//! Motion with nothing in the way, and `kinematic` dynamics: exact.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

use std::f64::consts::{PI, TAU};

use proptest::prelude::*;
use tatami::world::physics::Physics;
use tatami::world::{BodyKey, Dynamics, Footprint, PlanarShape, Pose2, Twist2, ZExtent};

const ROBOT: BodyKey = BodyKey(0);
const Z: ZExtent = ZExtent::new(0.0, 1.0);

fn with_robot(dt: f64, dynamics: Dynamics, pose: Pose2) -> Physics {
    let mut physics = Physics::new(dt, dynamics);
    physics.insert_robot(ROBOT, &Footprint::disc(0.2).unwrap(), pose, Z, 10.0);
    physics
}

#[test]
fn ten_metres_are_ten_metres_far_from_the_origin() {
    // In single precision this came out 2 % off at x = 1000 m.
    for dynamics in [Dynamics::Rigid, Dynamics::Kinematic] {
        let mut physics = with_robot(1.0 / 120.0, dynamics, Pose2::new(1000.0, -1000.0, 0.0));
        physics.command(ROBOT, Twist2::new(0.3, 0.0, 0.0));
        for _ in 0..4000 {
            physics.step();
        }
        let pose = physics.pose(ROBOT).unwrap();
        assert!((pose.x - 1010.0).abs() < 1e-6, "{pose:?}");
        assert_eq!((pose.y, pose.yaw), (-1000.0, 0.0));
        assert_eq!(physics.twist(ROBOT), Some(Twist2::new(0.3, 0.0, 0.0)));
    }
}

#[test]
fn an_arc_has_the_radius_of_its_speeds_and_closes() {
    // 0.2 m/s at 0.5 rad/s: 0.4 m around (0, 0.4).
    for dt in [1.0 / 120.0, 1.0 / 30.0, 0.5] {
        let mut physics = with_robot(dt, Dynamics::Rigid, Pose2::default());
        // A wall nearby that is never touched must not bend the arc.
        let wall = PlanarShape::rectangle(0.1, 4.0);
        physics.insert_obstacle(
            BodyKey(1),
            wall,
            Pose2::new(0.4 + 0.2 + 0.05 + 1e-4, 0.4, 0.0),
            Z,
        );
        let twist = Twist2::new(0.2, 0.0, 0.5);
        physics.command(ROBOT, twist);
        for step in 1..=libm::ceil(3.0 * TAU / 0.5 / dt) as u32 {
            physics.step();
            let pose = physics.pose(ROBOT).unwrap();
            let radius = libm::hypot(pose.x, pose.y - 0.4);
            assert!((radius - 0.4).abs() < 1e-6, "dt {dt}: radius {radius}");
            let turned = 0.5 * dt * f64::from(step);
            let off = libm::remainder(pose.yaw - turned, TAU);
            assert!(off.abs() < 1e-9, "dt {dt}: yaw {} after {turned}", pose.yaw);
            assert!(pose.yaw.abs() <= PI, "dt {dt}: yaw {}", pose.yaw);
            assert_eq!(physics.twist(ROBOT), Some(twist), "dt {dt}, step {step}");
        }
    }
}

#[test]
fn kinematic_robots_pass_through_everything_and_still_report_it() {
    let mut physics = with_robot(0.1, Dynamics::Kinematic, Pose2::default());
    physics.insert_obstacle(
        BodyKey(1),
        PlanarShape::rectangle(0.2, 2.0),
        Pose2::new(1.0, 0.0, 0.0),
        Z,
    );
    physics.insert_robot(
        BodyKey(2),
        &Footprint::disc(0.2).unwrap(),
        Pose2::new(2.0, 0.0, 0.0),
        Z,
        10.0,
    );
    physics.command(ROBOT, Twist2::new(0.5, 0.0, 0.0));
    let mut touched = Vec::new();
    for _ in 0..60 {
        physics.step();
        for touch in physics.contacts(ROBOT) {
            if touched.last() != Some(&touch.other) {
                touched.push(touch.other);
            }
        }
    }
    let pose = physics.pose(ROBOT).unwrap();
    assert!((pose.x - 3.0).abs() < 1e-9, "{pose:?}");
    assert_eq!(touched, [BodyKey(1), BodyKey(2)]);
    assert_eq!(physics.pose(BodyKey(2)), Some(Pose2::new(2.0, 0.0, 0.0)));
}

proptest! {
    #[test]
    fn free_motion_is_the_exact_arc(
        x in -1e3..1e3, y in -1e3..1e3, yaw in -PI..PI,
        vx in -2.0..2.0, vy in -2.0..2.0, w in -9.0..9.0, dt in 0.0005..0.5,
    ) {
        let start = Pose2::new(x, y, yaw);
        let twist = Twist2::new(vx, vy, w);
        let mut physics = with_robot(dt, Dynamics::Rigid, start);
        // Something close enough to be looked at, but not to be touched.
        let reach = 0.2 + 2.1 * dt * 2.0 + 0.1;
        physics.insert_obstacle(BodyKey(1), PlanarShape::Disc(0.01), Pose2::new(x + reach, y + reach, 0.0), Z);
        physics.command(ROBOT, twist);
        physics.step();
        prop_assert_eq!(physics.pose(ROBOT), Some(start.advance(&twist, dt)));
        prop_assert_eq!(physics.twist(ROBOT), Some(twist));
    }
}
