//! Odometry of wheels and gyroscope together, which drifts as the robot goes.

use super::OdometryConfig;
use crate::sensors::StepNoise;
use crate::world::{Pose2, Twist2};

/// Where the robot believes to be in the odometry frame: the way of its wheels with an
/// error that grows with the way driven and turned, and never at rest.
///
/// The error is a random walk: its variance grows by the same for every metre and radian,
/// whatever the step and the speed.
#[derive(Debug, Clone, PartialEq)]
pub struct FusedOdometry {
    config: OdometryConfig,
    pose: Pose2,
    twist: Twist2,
}

impl FusedOdometry {
    /// Odometry at zero.
    #[must_use]
    pub fn new(config: &OdometryConfig) -> Self {
        Self {
            config: config.clone(),
            pose: Pose2::default(),
            twist: Twist2::ZERO,
        }
    }

    /// Takes in a step of `dt` seconds in which the wheels read this twist, with the noise
    /// of that step.
    pub fn follow(&mut self, wheels: Twist2, dt: f64, noise: StepNoise) {
        self.pose = self.pose.advance(&wheels, dt);
        self.twist = wheels;
        let way = libm::hypot(wheels.x, wheels.y) * dt;
        let turn = wheels.angular.abs() * dt;
        if way > 0.0 || turn > 0.0 {
            self.pose = self.pose.compose(&self.error(way, turn, noise));
        }
    }

    /// The error of a step in the frame of its end.
    fn error(&self, way: f64, turn: f64, noise: StepNoise) -> Pose2 {
        let OdometryConfig {
            along_per_way,
            aside_per_way,
            yaw_per_way,
            yaw_per_turn,
        } = self.config;
        let root = libm::sqrt(way);
        let yaw = libm::sqrt(yaw_per_way * yaw_per_way * way + yaw_per_turn * yaw_per_turn * turn);
        Pose2::new(
            along_per_way * root * noise.normal(0),
            aside_per_way * root * noise.normal(1),
            yaw * noise.normal(2),
        )
    }

    /// The pose in the odometry frame.
    #[must_use]
    pub fn pose(&self) -> Pose2 {
        self.pose
    }

    /// The twist that the wheels read last.
    #[must_use]
    pub fn twist(&self) -> Twist2 {
        self.twist
    }

    /// Takes a teleport from one true pose to another as an exact move: the drift so far
    /// stays, none is added, and the robot stands.
    pub fn teleport(&mut self, from: Pose2, to: Pose2) {
        self.pose = self.pose.compose(&from.inverse().compose(&to));
        self.twist = Twist2::ZERO;
    }

    /// Starts at zero without drift, and the robot stands.
    pub fn restart(&mut self) {
        self.pose = Pose2::default();
        self.twist = Twist2::ZERO;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::sensors::NoiseKey;

    const EXACT: OdometryConfig = OdometryConfig {
        along_per_way: 0.0,
        aside_per_way: 0.0,
        yaw_per_way: 0.0,
        yaw_per_turn: 0.0,
    };

    fn noise(seed: i64, step: u64) -> StepNoise {
        NoiseKey::new(seed, "kachaka", "odometry").at(step)
    }

    /// After `steps` of `dt` seconds with one twist.
    fn driven(config: &OdometryConfig, seed: i64, twist: Twist2, dt: f64, steps: u64) -> Pose2 {
        let mut odometry = FusedOdometry::new(config);
        for step in 1..=steps {
            odometry.follow(twist, dt, noise(seed, step));
        }
        odometry.pose()
    }

    #[track_caller]
    fn assert_near(found: Pose2, expected: Pose2, within: f64) {
        let apart = expected.inverse().compose(&found);
        let most = apart.x.abs().max(apart.y.abs()).max(apart.yaw.abs());
        assert!(most <= within, "{found:?}, expected {expected:?}");
    }

    #[test]
    fn without_drift_it_is_the_way_of_the_wheels() {
        // A quarter of a circle of 0.5 m.
        let twist = Twist2::new(0.5, 0.0, 1.0);
        let quarter = std::f64::consts::FRAC_PI_2;
        let found = driven(&EXACT, 0, twist, quarter / 100.0, 100);
        assert_near(found, Pose2::new(0.5, 0.5, quarter), 1e-12);
    }

    #[test]
    fn it_never_drifts_at_rest() {
        let mut odometry = FusedOdometry::new(&OdometryConfig::default());
        odometry.follow(Twist2::new(0.3, 0.0, 0.4), 0.1, noise(0, 1));
        let pose = odometry.pose();
        for step in 2..1000 {
            odometry.follow(Twist2::ZERO, 0.1, noise(0, step));
        }
        assert_eq!(odometry.pose(), pose);
        assert_eq!(odometry.twist(), Twist2::ZERO);
    }

    #[test]
    fn the_same_seed_drifts_the_same_and_another_one_differently() {
        let twist = Twist2::new(0.3, 0.0, 0.1);
        let drift = |seed| driven(&OdometryConfig::default(), seed, twist, 0.01, 500);
        assert_eq!(drift(3), drift(3));
        assert_ne!(drift(3), drift(4));
    }

    /// Root mean squares of the errors of many runs, along, aside and in yaw.
    fn spread(config: &OdometryConfig, twist: Twist2, dt: f64, steps: u64) -> [f64; 3] {
        let runs = 2000;
        let expected = driven(&EXACT, 0, twist, dt, steps);
        let mut squares = [0.0; 3];
        for seed in 0..runs {
            let found = driven(config, seed, twist, dt, steps);
            let error = expected.inverse().compose(&found);
            for (square, value) in squares.iter_mut().zip([error.x, error.y, error.yaw]) {
                *square += value * value / runs as f64;
            }
        }
        squares.map(f64::sqrt)
    }

    /// A root mean square of 2,000 runs is within 4 of its standard errors, 1/sqrt(4000) each.
    #[track_caller]
    fn assert_spread(found: f64, expected: f64) {
        let within = 4.0 * expected / 4000.0_f64.sqrt();
        assert!(
            (found - expected).abs() < within,
            "{found}, expected {expected} within {within}"
        );
    }

    #[test]
    fn the_error_grows_with_the_root_of_the_way_whatever_the_step() {
        let config = OdometryConfig {
            along_per_way: 0.01,
            aside_per_way: 0.004,
            ..EXACT
        };
        for (speed, dt, steps) in [(0.8, 0.05, 100), (0.2, 0.1, 200), (0.4, 0.5, 20)] {
            // 4 m in each case.
            let [along, aside, _] = spread(&config, Twist2::new(speed, 0.0, 0.0), dt, steps);
            assert_spread(along, 0.02);
            assert_spread(aside, 0.008);
        }
        let [along, ..] = spread(&config, Twist2::new(-0.5, 0.0, 0.0), 0.1, 20);
        assert_spread(along, 0.01);
    }

    #[test]
    fn the_yaw_drifts_with_way_and_turn() {
        let config = OdometryConfig {
            yaw_per_way: 0.003,
            yaw_per_turn: 0.004,
            ..EXACT
        };
        let [.., yaw] = spread(&config, Twist2::new(0.0, 0.0, -1.0), 0.1, 40);
        // 4 rad on the spot.
        assert_spread(yaw, 0.008);
        let [.., yaw] = spread(&config, Twist2::new(0.5, 0.0, 1.0), 0.1, 40);
        // 2 m more.
        assert_spread(yaw, (0.008_f64.powi(2) + 2.0 * 0.003_f64.powi(2)).sqrt());
    }

    #[test]
    fn a_restart_is_at_zero_without_drift() {
        let mut odometry = FusedOdometry::new(&OdometryConfig::default());
        odometry.follow(Twist2::new(0.3, 0.0, 0.4), 0.1, noise(0, 1));
        odometry.restart();
        assert_eq!(odometry, FusedOdometry::new(&OdometryConfig::default()));
    }

    fn any_pose() -> impl Strategy<Value = Pose2> {
        (-9.0..9.0_f64, -9.0..9.0_f64, -3.1..3.1_f64).prop_map(|(x, y, yaw)| Pose2::new(x, y, yaw))
    }

    proptest! {
        /// What corrects the drift, the true pose seen from the odometry frame, is the same
        /// before and after a teleport.
        #[test]
        fn a_teleport_leaves_the_drift_as_it_is(from in any_pose(), to in any_pose(), seed: i64) {
            let mut odometry = FusedOdometry::new(&OdometryConfig::default());
            odometry.follow(Twist2::new(0.3, 0.0, 0.4), 0.5, noise(seed, 1));
            let before = from.compose(&odometry.pose().inverse());
            odometry.teleport(from, to);
            prop_assert_eq!(odometry.twist(), Twist2::ZERO);
            let after = to.compose(&odometry.pose().inverse());
            let apart = before.inverse().compose(&after);
            let most = apart.x.abs().max(apart.y.abs()).max(apart.yaw.abs());
            prop_assert!(most < 1e-12, "{before:?} became {after:?}");
        }
    }
}
