//! The drive of a Kachaka.

use super::KachakaConfig;
use crate::drive::{AxisLimits, DriveModel};

impl KachakaConfig {
    /// The drive of a body with this software: it bounds and ramps the velocities and says
    /// how long they hold; gain, lag and pivot are the body's. Of two limits of traction the
    /// lower one holds.
    #[must_use]
    pub fn drive_model(&self, body: DriveModel) -> DriveModel {
        let drive = &self.drive;
        let axis = |speed: f64, accel: f64| AxisLimits {
            low: -speed,
            high: speed,
            accel,
            decel: accel,
        };
        let motors = drive.traction();
        let traction = if body.traction == 0.0 {
            motors
        } else {
            motors.min(body.traction)
        };
        DriveModel {
            linear: axis(
                drive.manual_linear.max(drive.autonomous_linear),
                drive.linear_accel,
            ),
            lateral: AxisLimits::default(),
            angular: axis(
                drive.manual_angular.max(drive.autonomous_angular),
                drive.angular_accel,
            ),
            traction,
            timeout: 0.0,
            ..body
        }
    }
}
