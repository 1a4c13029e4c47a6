//! The drive of a Kachaka.

use super::KachakaConfig;
use crate::drive::{AxisLimits, DriveModel};

impl KachakaConfig {
    /// The drive of a body with this software, which bounds and ramps the velocities and
    /// says how long they hold. Where the body's own limits are lower they hold, too; an axis
    /// that the body leaves without bounds has the software's. It ramps no faster along x
    /// than traction lets the body follow. The rest is the body's.
    #[must_use]
    pub fn drive_model(&self, body: DriveModel) -> DriveModel {
        let drive = &self.drive;
        let linear = drive.manual_linear.max(drive.autonomous_linear);
        let angular = drive.manual_angular.max(drive.autonomous_angular);
        let traction = lower(body.traction, drive.traction());
        // Of what the wheels are told, of which the body makes as much as its gain.
        let gain = body.gain[0];
        let followed = if gain > 0.0 {
            traction / gain
        } else {
            traction
        };
        DriveModel {
            linear: both(body.linear, linear, drive.linear_accel.min(followed)),
            lateral: AxisLimits::default(),
            angular: both(body.angular, angular, drive.angular_accel),
            traction,
            timeout: 0.0,
            ..body
        }
    }
}

/// What both the body and the software let an axis do.
fn both(body: AxisLimits, speed: f64, accel: f64) -> AxisLimits {
    let is_open = body.low == 0.0 && body.high == 0.0;
    let (low, high) = if is_open {
        (-speed, speed)
    } else {
        (body.low.max(-speed), body.high.min(speed))
    };
    let decel = if body.decel == 0.0 {
        body.accel
    } else {
        body.decel
    };
    AxisLimits {
        low,
        high,
        accel: lower(body.accel, accel),
        decel: lower(decel, accel),
    }
}

/// The lower of a limit of the body, of which 0 is none, and one of the software.
fn lower(body: f64, software: f64) -> f64 {
    if body == 0.0 {
        software
    } else {
        software.min(body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_without_limits_has_those_of_the_software() {
        let model = KachakaConfig::default().drive_model(DriveModel::default());
        let axis = |speed: f64, accel: f64| AxisLimits {
            low: -speed,
            high: speed,
            accel,
            decel: accel,
        };
        assert_eq!(model.linear, axis(0.8, 2.0));
        assert_eq!(model.angular, axis(1.57, 3.0));
        assert_eq!(model.lateral, AxisLimits::default());
        // 2 Nm on 45 mm at two wheels against 10.6 kg.
        assert!((model.traction - 8.3857).abs() < 1e-4, "{}", model.traction);
        assert_eq!(model.validate(), Ok(()));
    }

    #[test]
    fn lower_limits_of_the_body_hold() {
        let body = DriveModel {
            linear: AxisLimits {
                low: -0.1,
                high: 5.0,
                accel: 9.0,
                decel: 1.0,
            },
            traction: 3.0,
            timeout: 0.2,
            lag: [0.1, 0.0, 0.2],
            ..DriveModel::default()
        };
        let model = KachakaConfig::default().drive_model(body);
        let expected = AxisLimits {
            low: -0.1,
            high: 0.8,
            accel: 2.0,
            decel: 1.0,
        };
        assert_eq!(model.linear, expected);
        assert_eq!((model.traction, model.timeout), (3.0, 0.0));
        assert_eq!(model.lag, [0.1, 0.0, 0.2]);
    }

    #[test]
    fn it_ramps_no_faster_than_traction_lets_the_body_follow() {
        let ramps = |config: &str, body: DriveModel| {
            let config = KachakaConfig::parse(config).unwrap();
            let linear = config.drive_model(body).linear;
            assert_eq!(linear.accel, linear.decel);
            linear.accel
        };
        let body = |traction: f64, gain: f64| DriveModel {
            traction,
            gain: [gain, 1.0, 1.0],
            ..DriveModel::default()
        };
        assert_eq!(ramps("", body(0.5, 1.0)), 0.5);
        assert_eq!(ramps("", body(0.5, 2.0)), 0.25);
        assert_eq!(ramps("", body(0.5, 0.0)), 0.5);
        assert_eq!(ramps("", body(5.0, 1.0)), 2.0);
        // 2 x 2 Nm / 0.045 m / 200 kg.
        let heavy = ramps("drive: {mass: 200.0}", body(0.0, 1.0));
        assert!((heavy - 0.444_444).abs() < 1e-5, "{heavy}");
    }
}
