//! Robots that run into each other, and boxes that are moved into robots.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

use tatami::world::physics::Physics;
use tatami::world::{BodyKey, Dynamics, Footprint, PlanarShape, Pose2, Twist2, ZExtent};

const Z: ZExtent = ZExtent::new(0.0, 0.5);
const DT: f64 = 1.0 / 30.0;
const A: BodyKey = BodyKey(0);
const B: BodyKey = BodyKey(1);

fn disc() -> Footprint {
    Footprint::disc(0.2).unwrap()
}

fn body() -> Footprint {
    Footprint::polygon(&[[-0.15, -0.12], [0.237, -0.12], [0.237, 0.12], [-0.15, 0.12]]).unwrap()
}

fn facing(footprint: &Footprint, masses: [f64; 2], lateral: f64) -> Physics {
    let mut physics = Physics::new(DT, Dynamics::Rigid);
    let pi = std::f64::consts::PI;
    physics.insert_robot(A, footprint, Pose2::new(-0.5, 0.0, 0.0), Z, masses[0]);
    physics.insert_robot(B, footprint, Pose2::new(0.5, lateral, pi), Z, masses[1]);
    physics
}

fn depth(physics: &Physics) -> f64 {
    physics
        .contacts(A)
        .iter()
        .map(|t| t.depth)
        .fold(0.0, f64::max)
}

#[test]
fn head_on_at_equal_speed_they_stand_still() {
    for footprint in [disc(), body()] {
        let mut physics = facing(&footprint, [10.0, 10.0], 0.0);
        physics.command(A, Twist2::new(0.3, 0.0, 0.0));
        physics.command(B, Twist2::new(0.3, 0.0, 0.0));
        for _ in 0..90 {
            physics.step();
        }
        let before = physics.pose(A).unwrap();
        for _ in 0..300 {
            physics.step();
            assert!(depth(&physics) < 1e-5, "{}", depth(&physics));
        }
        let after = physics.pose(A).unwrap();
        let moved = libm::hypot(after.x - before.x, after.y - before.y);
        // Round bodies balance on a point: the last bit of a half turn grows by 5 % a step.
        assert!(moved < 1e-6, "{footprint:?}: {moved} m");
        let twist = physics.twist(A).unwrap();
        assert!(twist.x.abs() < 1e-9, "{twist:?}");
    }
}

#[test]
fn the_heavier_one_gives_way_less() {
    // A wants 0.3 m/s, B to stand: together they go with the mean weighed by mass.
    for masses in [[10.0, 10.0], [10.0, 30.0], [40.0, 10.0]] {
        for footprint in [disc(), body()] {
            let mut physics = facing(&footprint, masses, 0.0);
            physics.command(A, Twist2::new(0.3, 0.0, 0.0));
            for _ in 0..150 {
                physics.step();
                assert!(depth(&physics) < 1e-5, "{}", depth(&physics));
            }
            let expected = 0.3 * masses[0] / (masses[0] + masses[1]);
            let (a, b) = (physics.twist(A).unwrap(), physics.twist(B).unwrap());
            assert!((a.x - expected).abs() < 1e-9, "{a:?} for {expected}");
            assert!((b.x + expected).abs() < 1e-9, "{b:?} for {expected}");
        }
    }
}

#[test]
fn off_centre_they_turn_each_other_and_do_not_overlap() {
    for lateral in [0.05, 0.15, 0.22, 0.3] {
        for footprint in [disc(), body()] {
            let mut physics = facing(&footprint, [10.0, 10.0], lateral);
            for _ in 0..600 {
                physics.command(A, Twist2::new(0.3, 0.0, 0.2));
                physics.command(B, Twist2::new(0.5, 0.0, -0.1));
                physics.step();
                assert!(
                    depth(&physics) < 2e-3,
                    "{footprint:?}, {lateral}: {}",
                    depth(&physics)
                );
            }
        }
    }
}

#[test]
fn a_pushed_row_does_not_go_through_the_wall_behind_it() {
    // The pusher is fast and the steps are long: the pushed ones move by no will of theirs.
    for dt in [DT, 0.5] {
        let mut physics = Physics::new(dt, Dynamics::Rigid);
        let wall = PlanarShape::Ring(vec![[2.0, -5.0], [2.0, 5.0], [-5.0, 5.0], [-5.0, -5.0]]);
        physics.insert_obstacle(BodyKey(100), wall, Pose2::default(), Z);
        for i in 0..4 {
            physics.insert_robot(
                BodyKey(i),
                &body(),
                Pose2::new(0.6 * f64::from(i) - 1.0, 0.01 * f64::from(i), 0.0),
                Z,
                10.0,
            );
        }
        physics.command(A, Twist2::new(2.0, 0.0, 0.0));
        for step in 0..libm::ceil(10.0 / dt) as u32 {
            physics.step();
            for i in 0..4 {
                for touch in physics.contacts(BodyKey(i)) {
                    assert!(
                        touch.depth < 2e-3,
                        "dt {dt}, step {step}, robot {i}: {touch:?}"
                    );
                }
                let pose = physics.pose(BodyKey(i)).unwrap();
                assert!(pose.x < 2.0, "dt {dt}, step {step}: {pose:?}");
            }
        }
    }
}

#[test]
fn a_box_moved_step_by_step_pushes_a_robot_along() {
    // A door of 4 cm at 0.5 m/s for 2 s.
    for footprint in [disc(), body()] {
        let mut physics = Physics::new(DT, Dynamics::Rigid);
        physics.insert_robot(A, &footprint, Pose2::new(0.5, 0.05, 0.4), Z, 10.0);
        let door = PlanarShape::rectangle(0.04, 3.0);
        physics.insert_obstacle(B, door, Pose2::default(), Z);
        let mut before = physics.pose(A).unwrap().x;
        for step in 1..=60 {
            let x = 0.5 * DT * f64::from(step);
            physics.set_pose(B, Pose2::new(x, 0.0, 0.0));
            physics.step();
            assert!(
                depth(&physics) < 2e-3,
                "{footprint:?}, step {step}: {}",
                depth(&physics)
            );
            let now = physics.pose(A).unwrap().x;
            assert!(
                now - before < 0.025,
                "step {step}: jumped {} m",
                now - before
            );
            before = now;
        }
        assert!(before > 1.02 + 0.1, "{footprint:?} left behind at {before}");
        assert_eq!(physics.twist(A), Some(Twist2::ZERO));
    }
}

#[test]
fn a_box_does_not_push_a_robot_through_a_wall_or_another_robot() {
    // Up to 0.18 m at once, towards a wall of no thickness with a second robot before it.
    for dt in [DT, 0.1] {
        let mut physics = Physics::new(dt, Dynamics::Rigid);
        let wall = PlanarShape::Ring(vec![[3.0, -5.0], [3.0, 5.0], [-5.0, 5.0], [-5.0, -5.0]]);
        physics.insert_obstacle(BodyKey(100), wall, Pose2::default(), Z);
        physics.insert_robot(A, &body(), Pose2::new(0.4, 0.0, 0.0), Z, 10.0);
        physics.insert_robot(B, &body(), Pose2::new(1.2, 0.01, 0.0), Z, 10.0);
        let door = BodyKey(101);
        physics.insert_obstacle(door, PlanarShape::rectangle(0.1, 4.0), Pose2::default(), Z);
        let steps = libm::ceil(2.15 / (1.8 * dt)) as u32;
        for step in 1..=steps {
            // It stops where both robots just fit before the wall.
            let x = (1.8 * dt * f64::from(step)).min(2.15);
            physics.set_pose(door, Pose2::new(x, 0.0, 0.0));
            physics.step();
            let (a, b) = (physics.pose(A).unwrap(), physics.pose(B).unwrap());
            assert!(
                a.x < b.x && b.x < 2.763 + 1e-3,
                "dt {dt}, step {step}: {a:?} {b:?}"
            );
            assert!(
                a.x > x + 0.2 - 2e-3,
                "dt {dt}, step {step}: {a:?} in the door at {x}"
            );
            assert!(
                depth(&physics) < 2e-3,
                "dt {dt}, step {step}: {}",
                depth(&physics)
            );
        }
    }
}

#[test]
fn a_box_put_onto_a_robot_pushes_it_out_slowly() {
    for footprint in [disc(), body()] {
        let mut physics = Physics::new(DT, Dynamics::Rigid);
        physics.insert_robot(A, &footprint, Pose2::new(0.0, 0.0, 0.3), Z, 10.0);
        physics.insert_obstacle(
            B,
            PlanarShape::rectangle(1.0, 1.0),
            Pose2::new(9.0, 9.0, 0.0),
            Z,
        );
        physics.step();
        physics.set_pose(B, Pose2::new(0.45, 0.1, 0.2));
        let mut turned = 0.0;
        for _ in 0..150 {
            let before = physics.pose(A).unwrap();
            physics.step();
            let after = physics.pose(A).unwrap();
            let moved = libm::hypot(after.x - before.x, after.y - before.y);
            assert!(moved <= 0.41 * DT, "{footprint:?}: {} m/s", moved / DT);
            let turn: f64 = after.yaw - before.yaw;
            assert!(
                turn.abs() <= 1.01 * DT,
                "{footprint:?}: {} rad/s",
                turn / DT
            );
            turned += turn.abs();
        }
        assert!(depth(&physics) < 1e-3, "{footprint:?}: {}", depth(&physics));
        assert!(turned < 2.0, "{footprint:?}: turned {turned}");
    }
}
