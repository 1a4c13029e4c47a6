//! Inertial measurement units.

use nalgebra::{Isometry3, UnitQuaternion, Vector3};

use super::error::check;
use super::{Gaussian, SensorError, StepNoise};
use crate::world::Twist2;

/// Upward specific force at rest, m/s²: gravity as it is commonly rounded.
pub const STANDARD_GRAVITY: f64 = 9.81;

/// Variance of the orientation, rad². It has no noise; filters need more than 0, and this
/// is a twentieth of a degree squared.
const ORIENTATION_VARIANCE: f64 = 1e-6;
/// Variance of an angular velocity without noise, (rad/s)²: more than 0 for filters.
const MIN_ANGULAR_VARIANCE: f64 = 1e-6;
/// Variance of an acceleration without noise, (m/s²)²: more than 0 for filters.
const MIN_LINEAR_VARIANCE: f64 = 1e-4;

/// Noise of an IMU for its x, y and z.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ImuNoise {
    /// Of the angular velocity, rad/s.
    pub angular_velocity: [Gaussian; 3],
    /// Of the linear acceleration, m/s².
    pub linear_acceleration: [Gaussian; 3],
}

/// An IMU on a robot.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Imu {
    mount: Isometry3<f64>,
    noise: ImuNoise,
}

/// One measurement, in the sensor frame. Covariances are diagonal, by rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ImuSample {
    /// The sensor frame in the world.
    pub orientation: UnitQuaternion<f64>,
    /// rad².
    pub orientation_covariance: [f64; 9],
    /// rad/s.
    pub angular_velocity: Vector3<f64>,
    /// (rad/s)².
    pub angular_velocity_covariance: [f64; 9],
    /// Specific force, m/s²: acceleration less gravity, so +9.81 upwards at rest.
    pub linear_acceleration: Vector3<f64>,
    /// (m/s²)².
    pub linear_acceleration_covariance: [f64; 9],
}

impl Imu {
    /// An IMU at this pose in the base frame.
    ///
    /// # Errors
    /// When a number of the noise is not finite or a standard deviation is negative.
    pub fn new(mount: Isometry3<f64>, noise: ImuNoise) -> Result<Self, SensorError> {
        let axes = noise
            .angular_velocity
            .iter()
            .chain(&noise.linear_acceleration);
        for axis in axes {
            check("noise mean", axis.mean, true, "finite")?;
            let expected = "finite and 0 or more";
            check("noise stddev", axis.stddev, axis.stddev >= 0.0, expected)?;
        }
        Ok(Self { mount, noise })
    }

    /// What it reads after a step of `dt` seconds that changed the twist of the base from
    /// `before` to `after`, each in the base frame of its own moment. `yaw` is that of the
    /// base in the world after the step.
    #[must_use]
    pub fn sample(
        &self,
        yaw: f64,
        before: Twist2,
        after: Twist2,
        dt: f64,
        noise: &StepNoise,
    ) -> ImuSample {
        let to_sensor = self.mount.rotation.inverse();
        let force = self.acceleration(before, after, dt) + STANDARD_GRAVITY * Vector3::z();
        let mut angular_velocity = to_sensor * Vector3::new(0.0, 0.0, after.angular);
        let mut linear_acceleration = to_sensor * force;
        for axis in 0..3 {
            let index = axis as u64;
            angular_velocity[axis] += noise.gaussian(index, &self.noise.angular_velocity[axis]);
            linear_acceleration[axis] +=
                noise.gaussian(index + 3, &self.noise.linear_acceleration[axis]);
        }
        ImuSample {
            orientation: UnitQuaternion::from_euler_angles(0.0, 0.0, yaw) * self.mount.rotation,
            orientation_covariance: diagonal([ORIENTATION_VARIANCE; 3]),
            angular_velocity,
            angular_velocity_covariance: variances(
                &self.noise.angular_velocity,
                MIN_ANGULAR_VARIANCE,
            ),
            linear_acceleration,
            linear_acceleration_covariance: variances(
                &self.noise.linear_acceleration,
                MIN_LINEAR_VARIANCE,
            ),
        }
    }

    /// Acceleration of the point where the sensor sits, in the base frame after the step.
    fn acceleration(&self, before: Twist2, after: Twist2, dt: f64) -> Vector3<f64> {
        let rate = after.angular;
        let angular = (after.angular - before.angular) / dt;
        // Of the base's origin: the change within the frame, and that the frame turns.
        let base_x = (after.x - before.x) / dt - rate * after.y;
        let base_y = (after.y - before.y) / dt + rate * after.x;
        // Of the sensor against it: along the turn, and towards its centre.
        let arm = self.mount.translation.vector;
        Vector3::new(
            base_x - angular * arm.y - rate * rate * arm.x,
            base_y + angular * arm.x - rate * rate * arm.y,
            0.0,
        )
    }
}

fn variances(noise: &[Gaussian; 3], least: f64) -> [f64; 9] {
    diagonal(noise.map(|axis| (axis.stddev * axis.stddev).max(least)))
}

fn diagonal([x, y, z]: [f64; 3]) -> [f64; 9] {
    [x, 0.0, 0.0, 0.0, y, 0.0, 0.0, 0.0, z]
}

#[cfg(test)]
mod tests {
    use std::f64::consts::{FRAC_PI_2, FRAC_PI_6};

    use nalgebra::Translation3;

    use super::*;
    use crate::sensors::NoiseKey;

    fn imu(xyz: [f64; 3], rpy: [f64; 3]) -> Imu {
        let [x, y, z] = xyz;
        let [roll, pitch, yaw] = rpy;
        let mount = Isometry3::from_parts(
            Translation3::new(x, y, z),
            UnitQuaternion::from_euler_angles(roll, pitch, yaw),
        );
        Imu::new(mount, ImuNoise::default()).unwrap()
    }

    fn read(imu: &Imu, before: Twist2, after: Twist2) -> ImuSample {
        let noise = NoiseKey::new(0, "r", "imu").at(1);
        imu.sample(0.0, before, after, 0.1, &noise)
    }

    fn close(found: Vector3<f64>, x: f64, y: f64, z: f64) {
        let wanted = Vector3::new(x, y, z);
        assert!((found - wanted).norm() < 1e-12, "{found:?} for {wanted:?}");
    }

    #[test]
    fn at_rest_it_reads_gravity_upwards() {
        let rest = read(&imu([0.1, 0.2, 0.3], [0.0; 3]), Twist2::ZERO, Twist2::ZERO);
        close(rest.linear_acceleration, 0.0, 0.0, 9.81);
        close(rest.angular_velocity, 0.0, 0.0, 0.0);
        // Pitched nose down by 30 degrees, "up" is partly behind: f_x = -g sin.
        let pitched = imu([0.0; 3], [0.0, FRAC_PI_6, 0.0]);
        let pitched = read(&pitched, Twist2::ZERO, Twist2::ZERO);
        close(
            pitched.linear_acceleration,
            -4.905,
            0.0,
            9.81 * 0.75_f64.sqrt(),
        );
    }

    #[test]
    fn spinning_is_read_in_the_frame_of_the_sensor() {
        let spin = Twist2::new(0.0, 0.0, 0.5);
        let level = read(&imu([0.0; 3], [0.0; 3]), spin, spin);
        close(level.angular_velocity, 0.0, 0.0, 0.5);
        close(level.linear_acceleration, 0.0, 0.0, 9.81);
        // Rolled left side up by 90 degrees, y points up.
        let rolled = read(&imu([0.0; 3], [FRAC_PI_2, 0.0, 0.0]), spin, spin);
        close(rolled.angular_velocity, 0.0, 0.5, 0.0);
        close(rolled.linear_acceleration, 0.0, 9.81, 0.0);
    }

    #[test]
    fn a_circle_pulls_towards_its_centre() {
        // 0.2 m/s at 0.5 rad/s: v^2 / r = 0.2^2 / 0.4 to the left.
        let circle = Twist2::new(0.2, 0.0, 0.5);
        let sample = read(&imu([0.0; 3], [0.0; 3]), circle, circle);
        close(sample.linear_acceleration, 0.0, 0.1, 9.81);
        let clockwise = Twist2::new(0.2, 0.0, -0.5);
        let sample = read(&imu([0.0; 3], [0.0; 3]), clockwise, clockwise);
        close(sample.linear_acceleration, 0.0, -0.1, 9.81);
    }

    #[test]
    fn speeding_up_and_braking_are_felt() {
        let (slow, fast) = (Twist2::new(0.1, 0.0, 0.0), Twist2::new(0.3, -0.1, 0.0));
        let sample = read(&imu([0.3, 0.3, 0.0], [0.0; 3]), slow, fast);
        close(sample.linear_acceleration, 2.0, -1.0, 9.81);
        let turned = read(&imu([0.0; 3], [0.0, 0.0, FRAC_PI_2]), fast, slow);
        // Its x is the base's y.
        close(turned.linear_acceleration, 1.0, 2.0, 9.81);
    }

    #[test]
    fn a_sensor_off_the_centre_feels_the_turn() {
        // Spinning at 2 rad/s, 0.3 m ahead: 1.2 m/s2 back to the centre.
        let spin = Twist2::new(0.0, 0.0, 2.0);
        let ahead = imu([0.3, 0.0, 0.5], [0.0; 3]);
        close(
            read(&ahead, spin, spin).linear_acceleration,
            -1.2,
            0.0,
            9.81,
        );
        // Starting to spin with 20 rad/s2, 0.3 m to the left: 6 m/s2 backwards on top.
        let left = imu([0.0, 0.3, 0.0], [0.0; 3]);
        let start = read(&left, Twist2::ZERO, spin);
        close(start.linear_acceleration, -6.0, -1.2, 9.81);
    }

    #[test]
    fn orientation_is_that_of_the_sensor_in_the_world() {
        let noise = NoiseKey::new(0, "r", "imu").at(1);
        let imu = imu([0.0; 3], [FRAC_PI_2, 0.0, 0.0]);
        let sample = imu.sample(FRAC_PI_2, Twist2::ZERO, Twist2::ZERO, 0.1, &noise);
        // The sensor's y points up, its x along y of the world.
        close(sample.orientation * Vector3::x(), 0.0, 1.0, 0.0);
        close(sample.orientation * Vector3::y(), 0.0, 0.0, 1.0);
    }

    #[test]
    fn covariances_are_those_of_the_noise_and_never_zero() {
        let mut noise = ImuNoise::default();
        noise.angular_velocity[2].stddev = 0.02;
        noise.linear_acceleration[0] = Gaussian {
            mean: 0.1,
            stddev: 0.3,
        };
        let imu = Imu::new(Isometry3::identity(), noise).unwrap();
        let key = NoiseKey::new(0, "r", "imu");
        let count = 20_000;
        let (mut sum, mut square) = ([0.0; 2], [0.0; 2]);
        for step in 0..count {
            let sample = imu.sample(0.0, Twist2::ZERO, Twist2::ZERO, 0.1, &key.at(step));
            let read = [sample.angular_velocity.z, sample.linear_acceleration.x];
            for i in 0..2 {
                sum[i] += read[i];
                square[i] += read[i] * read[i];
            }
            assert_eq!(sample.linear_acceleration.y, 0.0, "an axis without noise");
        }
        let sample = imu.sample(0.0, Twist2::ZERO, Twist2::ZERO, 0.1, &key.at(0));
        let stated = [
            sample.angular_velocity_covariance[8],
            sample.linear_acceleration_covariance[0],
        ];
        for (i, mean) in [0.0, 0.1].into_iter().enumerate() {
            let found = sum[i] / count as f64;
            // Four standard errors, for the variance those of a normal distribution.
            let error = 4.0 * (stated[i] / count as f64).sqrt();
            assert!((found - mean).abs() < error, "{found} for {mean}");
            let variance = square[i] / count as f64 - found * found;
            assert!(
                (variance / stated[i] - 1.0).abs() < 0.04,
                "{variance} for {stated:?}"
            );
        }
        for covariance in [
            sample.orientation_covariance,
            sample.angular_velocity_covariance,
            sample.linear_acceleration_covariance,
        ] {
            assert!(
                [0, 4, 8].iter().all(|&i| covariance[i] > 0.0),
                "{covariance:?}"
            );
        }
    }

    #[test]
    fn noise_that_is_none_is_refused() {
        let mut noise = ImuNoise::default();
        noise.linear_acceleration[1].stddev = -1.0;
        let error = Imu::new(Isometry3::identity(), noise).unwrap_err();
        assert_eq!(
            error.to_string(),
            "noise stddev is -1, it must be finite and 0 or more"
        );
    }
}
