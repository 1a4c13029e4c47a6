//! The same calls give the same bits, whatever else exists or existed.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

use proptest::prelude::*;
use tatami::world::physics::Physics;
use tatami::world::{BodyKey, Dynamics, Footprint, PlanarShape, Pose2, Twist2, ZExtent};

const Z: ZExtent = ZExtent::new(0.0, 0.5);

fn crowd() -> Physics {
    let mut physics = Physics::new(1.0 / 30.0, Dynamics::Rigid);
    let room = PlanarShape::Ring(vec![[-2.0, -2.0], [2.0, -2.0], [2.0, 2.0], [-2.0, 2.0]]);
    physics.insert_obstacle(BodyKey(100), room, Pose2::default(), Z);
    for i in 0..6 {
        let at = f64::from(i);
        physics.insert_obstacle(
            BodyKey(200 + i),
            PlanarShape::rectangle(0.3, 0.2),
            Pose2::new(at * 0.6 - 1.5, 1.2, at),
            Z,
        );
        let body =
            Footprint::polygon(&[[-0.15, -0.12], [0.237, -0.12], [0.237, 0.12], [-0.15, 0.12]])
                .unwrap();
        physics.insert_robot(
            BodyKey(i),
            &body,
            Pose2::new(at * 0.5 - 1.2, -0.3 * at + 0.5, at),
            Z,
            10.0 + at,
        );
    }
    physics
}

fn drive(physics: &mut Physics, steps: u32) -> Vec<u64> {
    let mut bits = Vec::new();
    for step in 0..steps {
        for i in 0..6 {
            let phase = 0.01 * f64::from(step) + f64::from(i);
            physics.command(
                BodyKey(i),
                Twist2::new(0.5 * libm::cos(phase), 0.1, 1.5 * libm::sin(3.0 * phase)),
            );
        }
        physics.step();
        for i in 0..6 {
            let (pose, twist) = (
                physics.pose(BodyKey(i)).unwrap(),
                physics.twist(BodyKey(i)).unwrap(),
            );
            bits.extend(
                [pose.x, pose.y, pose.yaw, twist.x, twist.y, twist.angular].map(f64::to_bits),
            );
            for touch in physics.contacts(BodyKey(i)) {
                bits.extend([touch.position[0], touch.normal[0], touch.depth].map(f64::to_bits));
            }
        }
    }
    bits
}

#[test]
fn two_worlds_with_the_same_calls_agree_bit_for_bit() {
    let (first, second) = (drive(&mut crowd(), 900), drive(&mut crowd(), 900));
    assert!(first.len() > 900 * 6 * 6, "no contacts at all");
    let differs = first.iter().zip(&second).position(|(a, b)| a != b);
    assert_eq!(differs, None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]
    #[test]
    fn what_comes_and_goes_far_away_changes_nothing(
        events in prop::collection::vec((0_u32..40, 0_u32..6, 20.0..90.0_f64), 1..60)
    ) {
        let quiet = drive(&mut crowd(), 240);
        let mut physics = crowd();
        let mut busy = Vec::new();
        let mut events = events.into_iter();
        for _ in 0..60 {
            if let Some((key, kind, x)) = events.next() {
                let (key, pose) = (BodyKey(1000 + key), Pose2::new(x, x, x));
                match kind {
                    0 => { physics.remove(key); }
                    1 => physics.insert_robot(key, &Footprint::disc(0.3).unwrap(), pose, Z, 5.0),
                    2 => physics.insert_touchable(key, PlanarShape::Disc(0.3), pose, Z),
                    3 => { physics.set_pose(key, pose); }
                    4 => { physics.command(key, Twist2::new(1.0, 0.0, 1.0)); }
                    _ => physics.insert_obstacle(key, PlanarShape::rectangle(1.0, 2.0), pose, Z),
                }
            }
            busy.push(());
        }
        // Things that were here and are gone again leave no trace either.
        physics.insert_obstacle(BodyKey(50), PlanarShape::rectangle(1.0, 1.0), Pose2::default(), Z);
        physics.remove(BodyKey(50));
        physics.insert_robot(BodyKey(51), &Footprint::disc(0.3).unwrap(), Pose2::default(), Z, 5.0);
        physics.remove(BodyKey(51));
        let differs = quiet.iter().zip(&drive(&mut physics, 240)).position(|(a, b)| a != b);
        prop_assert_eq!(differs, None);
    }
}
