//! Wheel odometry.

use crate::world::{Pose2, Twist2};

/// Variance of a planar position or speed that odometry gives: a centimetre, or a
/// centimetre per second, squared. Filters need more than 0.
const PLANAR_VARIANCE: f64 = 1e-4;
/// Variance of a yaw or yaw rate: 0.6 degrees squared.
const YAW_VARIANCE: f64 = 1e-4;
/// Variance of what a planar robot does not measure: z, roll and pitch.
const UNMEASURED_VARIANCE: f64 = 1e6;

/// The way a robot's wheels say it has gone: from zero, by the twist they read. It sees
/// twists only, so a teleport neither moves it nor gives it a speed.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Odometry {
    pose: Pose2,
    twist: Twist2,
}

/// What odometry says at one moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OdometrySample {
    /// Pose of the base frame in the odometry frame.
    pub pose: Pose2,
    /// Twist in the base frame.
    pub twist: Twist2,
}

impl Odometry {
    /// Odometry at zero.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes in a step of `dt` seconds in which the wheels read this twist; the way is the
    /// exact arc.
    pub fn integrate(&mut self, wheels: Twist2, dt: f64) {
        self.pose = self.pose.advance(&wheels, dt);
        self.twist = wheels;
    }

    /// Stands still where it is, as after a teleport to rest.
    pub fn stop(&mut self) {
        self.twist = Twist2::ZERO;
    }

    /// The base in the odometry frame.
    #[must_use]
    pub fn pose(&self) -> Pose2 {
        self.pose
    }

    /// The twist of the base, in the base frame.
    #[must_use]
    pub fn twist(&self) -> Twist2 {
        self.twist
    }

    /// Covariance of pose and of twist alike, by rows of x, y, z, roll, pitch, yaw.
    #[must_use]
    pub fn covariance() -> [f64; 36] {
        let mut rows = [0.0; 36];
        let diagonal = [
            PLANAR_VARIANCE,
            PLANAR_VARIANCE,
            UNMEASURED_VARIANCE,
            UNMEASURED_VARIANCE,
            UNMEASURED_VARIANCE,
            YAW_VARIANCE,
        ];
        for (axis, variance) in diagonal.into_iter().enumerate() {
            rows[7 * axis] = variance;
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::{FRAC_PI_2, TAU};

    use super::*;

    #[test]
    fn it_starts_at_zero_and_follows_the_exact_arc() {
        let mut odometry = Odometry::new();
        assert_eq!(odometry.pose(), Pose2::default());
        // C-28 in steps of a hundredth of the circle of radius 0.4 m.
        let dt = TAU / 0.5 / 100.0;
        for step in 1..=100 {
            odometry.integrate(Twist2::new(0.2, 0.0, 0.5), dt);
            let angle = TAU * f64::from(step) / 100.0;
            let expected = [0.4 * angle.sin(), 0.4 - 0.4 * angle.cos()];
            let pose = odometry.pose();
            let apart = libm::hypot(pose.x - expected[0], pose.y - expected[1]);
            assert!(apart < 1e-12, "{pose:?} for {expected:?}");
        }
    }

    #[test]
    fn the_twist_is_in_the_base_frame() {
        // C-29: turned left by 90 degrees and driving.
        let mut odometry = Odometry::new();
        odometry.integrate(Twist2::new(0.0, 0.0, FRAC_PI_2), 1.0);
        odometry.integrate(Twist2::new(0.2, 0.0, 0.0), 1.0);
        assert_eq!(odometry.twist(), Twist2::new(0.2, 0.0, 0.0));
        let pose = odometry.pose();
        assert!(
            pose.x.abs() < 1e-12 && (pose.y - 0.2).abs() < 1e-12,
            "{pose:?}"
        );
        odometry.stop();
        assert_eq!((odometry.pose(), odometry.twist()), (pose, Twist2::ZERO));
    }

    #[test]
    fn a_square_ends_where_it_began() {
        // C-31 without noise.
        let mut odometry = Odometry::new();
        for _ in 0..4 {
            for _ in 0..300 {
                odometry.integrate(Twist2::new(0.2, 0.0, 0.0), 1.0 / 30.0);
            }
            for _ in 0..300 {
                odometry.integrate(Twist2::new(0.0, 0.0, FRAC_PI_2 / 10.0), 1.0 / 30.0);
            }
        }
        let pose = odometry.pose();
        assert!(libm::hypot(pose.x, pose.y) < 1e-9, "{pose:?}");
    }

    #[test]
    fn no_variance_is_zero() {
        let covariance = Odometry::covariance();
        for axis in 0..6 {
            assert!(covariance[7 * axis] > 0.0, "{axis}: {covariance:?}");
        }
        let sum: f64 = covariance.iter().sum();
        assert!(
            (sum - (3e6 + 3e-4)).abs() < 1e-6,
            "only the diagonal: {sum}"
        );
    }
}
