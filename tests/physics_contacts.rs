//! What counts as touching, and heights: contact needs heights that overlap.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

use tatami::world::physics::{CONTACT_MARGIN, Physics};
use tatami::world::{BodyKey, Dynamics, Footprint, PlanarShape, Pose2, Twist2, ZExtent};

const ROBOT: BodyKey = BodyKey(5);
const Z: ZExtent = ZExtent::new(0.02, 0.113);

fn world(dynamics: Dynamics) -> Physics {
    let mut physics = Physics::new(1.0 / 30.0, dynamics);
    physics.insert_robot(
        ROBOT,
        &Footprint::disc(0.2).unwrap(),
        Pose2::default(),
        Z,
        10.0,
    );
    physics
}

fn others(physics: &Physics) -> Vec<u32> {
    physics
        .contacts(ROBOT)
        .iter()
        .map(|touch| touch.other.0)
        .collect()
}

#[test]
fn contacts_are_those_of_now_without_any_step() {
    for dynamics in [Dynamics::Rigid, Dynamics::Kinematic] {
        let mut physics = world(dynamics);
        let unit = PlanarShape::rectangle(1.0, 1.0);
        physics.insert_obstacle(BodyKey(9), unit.clone(), Pose2::new(0.7, 0.0, 0.0), Z);
        physics.insert_touchable(
            BodyKey(2),
            PlanarShape::Disc(0.3),
            Pose2::new(0.0, 0.45, 0.0),
            Z,
        );
        physics.insert_robot(
            BodyKey(7),
            &Footprint::disc(0.1).unwrap(),
            Pose2::new(-0.3005, 0.0, 0.0),
            Z,
            1.0,
        );
        assert_eq!(others(&physics), [2, 7, 9]);
        let touches = physics.contacts(ROBOT);
        // The disc overlaps by 0.2 + 0.3 - 0.45.
        assert!((touches[0].depth - 0.05).abs() < 1e-12, "{touches:?}");
        assert!((touches[0].normal[1] + 1.0).abs() < 1e-12, "{touches:?}");
        assert!(
            (touches[0].position[1] - 0.175).abs() < 1e-12,
            "{touches:?}"
        );
        assert_eq!(touches[1].depth, 0.0);
        assert!((touches[2].position[0] - 0.2).abs() < 1e-12, "{touches:?}");
        assert!((touches[2].normal[0] + 1.0).abs() < 1e-12, "{touches:?}");

        physics.set_pose(BodyKey(9), Pose2::new(0.7 + 2.0 * CONTACT_MARGIN, 0.0, 0.0));
        assert_eq!(others(&physics), [2, 7]);
        assert!(physics.remove(BodyKey(2)));
        assert!(!physics.remove(BodyKey(2)));
        assert_eq!(others(&physics), [7]);
        physics.set_robot(ROBOT, Pose2::new(0.7, 0.6, 0.0), Z);
        assert_eq!(others(&physics), [9]);
        physics.insert_obstacle(BodyKey(9), unit, Pose2::new(5.0, 0.0, 0.0), Z);
        assert!(others(&physics).is_empty());
    }
}

#[test]
fn a_ring_is_touched_from_both_sides_and_free_inside() {
    let ring = PlanarShape::Ring(vec![[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]);
    let mut physics = world(Dynamics::Rigid);
    physics.insert_obstacle(BodyKey(1), ring, Pose2::default(), Z);
    assert!(others(&physics).is_empty());
    for (x, direction) in [(0.7995, -1.0), (1.2005, 1.0)] {
        physics.set_robot(ROBOT, Pose2::new(x, 0.0, 0.0), Z);
        let touches = physics.contacts(ROBOT);
        assert_eq!(touches.len(), 1, "{touches:?}");
        assert!(
            (touches[0].normal[0] - direction).abs() < 1e-12,
            "{touches:?}"
        );
    }
}

#[test]
fn pedestrians_are_touched_but_stop_nobody() {
    let mut physics = world(Dynamics::Rigid);
    physics.insert_touchable(
        BodyKey(1),
        PlanarShape::Disc(0.3),
        Pose2::new(1.0, 0.1, 0.0),
        Z,
    );
    physics.command(ROBOT, Twist2::new(0.5, 0.0, 0.0));
    let mut seen = 0;
    for _ in 0..120 {
        physics.step();
        seen += physics.contacts(ROBOT).len();
    }
    let pose = physics.pose(ROBOT).unwrap();
    assert!((pose.x - 2.0).abs() < 1e-9 && pose.y == 0.0, "{pose:?}");
    // Within 0.5 m of it on a path 0.1 m beside it: 0.98 m, 59 steps.
    assert!((58..=59).contains(&seen), "{seen} steps");
}

#[test]
fn drives_under_a_table_and_over_a_plate_but_not_through_a_step() {
    // (heights of the thing, whether the robot gets past it)
    for (z, passes) in [
        (ZExtent::new(0.2, 0.75), true),
        (ZExtent::new(0.0, 0.02), true),
        (ZExtent::new(0.113, 2.0), true),
        (ZExtent::new(0.0, 0.021), false),
        (ZExtent::new(0.11, 0.2), false),
        (ZExtent::ALL, false),
    ] {
        let mut physics = world(Dynamics::Rigid);
        physics.insert_obstacle(
            BodyKey(1),
            PlanarShape::rectangle(0.4, 4.0),
            Pose2::new(1.0, 0.0, 0.0),
            z,
        );
        physics.command(ROBOT, Twist2::new(0.5, 0.0, 0.0));
        let mut touched = false;
        for _ in 0..150 {
            physics.step();
            touched |= !physics.contacts(ROBOT).is_empty();
        }
        let x = physics.pose(ROBOT).unwrap().x;
        let expected = if passes { 2.5 } else { 0.6 };
        assert!((x - expected).abs() < 1e-6, "{z:?}: at {x} for {expected}");
        assert_eq!(touched, !passes, "{z:?}");
    }
}

#[test]
fn robots_on_two_storeys_pass_each_other() {
    let mut physics = world(Dynamics::Rigid);
    let upstairs = ZExtent::new(3.0, 3.1);
    physics.insert_robot(
        BodyKey(1),
        &Footprint::disc(0.2).unwrap(),
        Pose2::new(1.0, 0.0, 0.0),
        upstairs,
        10.0,
    );
    physics.command(ROBOT, Twist2::new(1.0, 0.0, 0.0));
    physics.command(BodyKey(1), Twist2::new(-1.0, 0.0, 0.0));
    for _ in 0..60 {
        physics.step();
        assert!(physics.contacts(ROBOT).is_empty());
    }
    let x = physics.pose(ROBOT).unwrap().x;
    assert!((x - 2.0).abs() < 1e-9, "{x}");
}
