//! A steered axle and a fixed one, as of a car or a forklift.

use std::f64::consts::FRAC_PI_2;

use super::checks::{BodyAxes, length, limit};
use super::{SiteVelocity, WheelError};
use crate::world::Twist2;

/// Below this speed, m/s, a velocity has no direction to steer to.
const STANDING: f64 = 1e-6;

/// What an [`Ackermann`] is made from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AckermannParameters {
    /// Of the wheels that steer, m; needed.
    pub steerable_wheel_radius: f64,
    /// From axle to axle, m; needed.
    pub wheel_base: f64,
    /// From steered wheel to steered wheel, m; needed.
    pub track_width: f64,
    /// Of the wheels that don't steer, m; none = as of those that do.
    pub non_steerable_wheel_radius: Option<f64>,
    /// From wheel to wheel of those that don't steer, m; none = as of those that do.
    pub non_steerable_track_width: Option<f64>,
    /// m/s of the control point, forwards and backwards.
    pub max_linear_speed: Option<f64>,
    /// rad, above 0; none = pi/2, which is also the largest.
    pub max_turning_angle: Option<f64>,
    /// Whether the wheels behind steer, as of a forklift.
    pub steerable_wheels_at_rear: bool,
    /// Axis of driving in the frame of the body.
    pub forward_direction: [f64; 3],
    /// Axis of turning in the frame of the body, at least 89.9 degrees from the other.
    pub rotation_direction: [f64; 3],
}

impl Default for AckermannParameters {
    /// Without lengths, which are needed; steers in front, forwards is x, up is z, no limits.
    fn default() -> Self {
        Self {
            steerable_wheel_radius: 0.0,
            wheel_base: 0.0,
            track_width: 0.0,
            non_steerable_wheel_radius: None,
            non_steerable_track_width: None,
            max_linear_speed: None,
            max_turning_angle: None,
            steerable_wheels_at_rear: false,
            forward_direction: [1.0, 0.0, 0.0],
            rotation_direction: [0.0, 0.0, 1.0],
        }
    }
}

/// What the wheels of an [`Ackermann`] do; left before right.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct AckermannWheels {
    /// Speeds of the wheels that steer, rad/s.
    pub steerable: [f64; 2],
    /// Speeds of the wheels that don't, rad/s.
    pub non_steerable: [f64; 2],
    /// How far the steered wheels are turned, rad, positive to the left. Driving a circle
    /// narrower than the track, the inner one is turned by more than pi/2.
    pub steering: [f64; 2],
}

/// Kinematics of an axle with two steered wheels and, a wheel base from it, one with two
/// wheels that don't steer and don't slip sideways.
///
/// The motion is that of a bicycle. The control point lies on the centre line, a wheel base
/// ahead of the fixed axle: midway between the steered wheels, or, if these are behind, at
/// the mirrored point. It moves at a speed `v` in the direction of the turning angle; the
/// body then turns at `v sin(angle) / wheel_base` and its fixed axle drives at
/// `v cos(angle)`. A positive turning angle is a turn to the left driving forwards,
/// wherever the steered wheels are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ackermann {
    axes: BodyAxes,
    /// Radius and half the track of the wheels that steer.
    steerable: (f64, f64),
    /// The same of those that don't.
    non_steerable: (f64, f64),
    base: f64,
    /// Where the steered axle is from the fixed one: 1 ahead, -1 behind.
    side: f64,
    max_linear: f64,
    max_angle: f64,
    /// Turning angle of the setpoint before, which one without a direction keeps.
    previous_angle: f64,
}

impl Ackermann {
    /// Checks the parameters.
    ///
    /// # Errors
    /// A direction of no length, directions less than 89.9 degrees apart, a length or a
    /// limit that is not finite and above zero, or a largest angle beyond pi/2.
    pub fn new(parameters: &AckermannParameters) -> Result<Self, WheelError> {
        let p = parameters;
        let axes = BodyAxes::new(p.forward_direction, p.rotation_direction)?;
        let radius = length("steerable_wheel_radius", p.steerable_wheel_radius)?;
        let base = length("wheel_base", p.wheel_base)?;
        let track = length("track_width", p.track_width)?;
        let other = |parameter, value: Option<f64>, same| {
            value.map_or(Ok(same), |value| length(parameter, value))
        };
        let other_radius = other(
            "non_steerable_wheel_radius",
            p.non_steerable_wheel_radius,
            radius,
        )?;
        let other_track = other(
            "non_steerable_track_width",
            p.non_steerable_track_width,
            track,
        )?;
        Ok(Self {
            axes,
            steerable: (radius, 0.5 * track),
            non_steerable: (other_radius, 0.5 * other_track),
            base,
            side: if p.steerable_wheels_at_rear {
                -1.0
            } else {
                1.0
            },
            max_linear: limit("max_linear_speed", p.max_linear_speed)?,
            max_angle: turning_angle(p.max_turning_angle)?,
            previous_angle: 0.0,
        })
    }

    /// Wheels for a velocity of the control point; only its parts forwards and to the left
    /// count. Speed and angle are held within their limits one by one.
    ///
    /// Its length is the speed, negative when it points backwards; one that points exactly
    /// sideways has no sign and is none. A velocity below a micrometre per second keeps the
    /// turning angle of the one before.
    ///
    /// # Errors
    /// A velocity that is not finite; the turning angle before then stays.
    pub fn forward(&mut self, site: &SiteVelocity) -> Result<AckermannWheels, WheelError> {
        let (linear, _) = site.vectors()?;
        let x = self.axes.forward.dot(&linear);
        let y = self.axes.lateral.dot(&linear);
        let length = libm::hypot(x, y);
        let (speed, angle) = if length < STANDING {
            (0.0, self.previous_angle)
        } else if x > 0.0 {
            (length, libm::atan2(y, x))
        } else {
            // Both negated, so that the angle stays within a quarter turn.
            let sign = if x == 0.0 { 0.0 } else { -1.0 };
            (sign * length, libm::atan2(-y, -x))
        };
        self.previous_angle = angle;
        Ok(self.steered(speed, angle))
    }

    /// Wheels for a speed of the control point in m/s, negative backwards, and a turning
    /// angle in rad, without a memory of those before.
    ///
    /// # Errors
    /// A number that is not finite.
    pub fn forward_direct(
        &self,
        linear_speed: f64,
        turning_angle: f64,
    ) -> Result<AckermannWheels, WheelError> {
        for (parameter, value) in [
            ("linear_speed", linear_speed),
            ("turning_angle", turning_angle),
        ] {
            if !value.is_finite() {
                return Err(WheelError::Setpoint { parameter, value });
            }
        }
        Ok(self.steered(linear_speed, turning_angle))
    }

    /// Forgets the turning angle of the setpoint before: wheels straight ahead.
    pub fn reset(&mut self) {
        self.previous_angle = 0.0;
    }

    /// How the wheels roll under a body whose fixed axle drives at m/s and that turns at
    /// rad/s, when they are steered to a turning angle, whatever the limits. Steered
    /// wheels that the body drags sideways roll by the part along them.
    #[must_use]
    pub fn rolling(&self, linear: f64, angular: f64, turning_angle: f64) -> AckermannWheels {
        let (radius, half_track) = self.steerable;
        let (other_radius, other_half_track) = self.non_steerable;
        let steering = self.steering(turning_angle);
        let sideways = angular * self.side * self.base;
        let [left, right] = steering.map(libm::sincos);
        let along = |(sin, cos): (f64, f64), y: f64| (linear - angular * y) * cos + sideways * sin;
        AckermannWheels {
            steerable: [
                along(left, half_track) / radius,
                along(right, -half_track) / radius,
            ],
            non_steerable: [-other_half_track, other_half_track]
                .map(|right| (linear + angular * right) / other_radius),
            steering,
        }
    }

    /// The motion of the fixed axle's middle that speeds and angles of the steered wheels
    /// stand for: x forwards, y zero. Wheels that contradict each other are met halfway,
    /// by least squares of their velocities.
    #[must_use]
    pub fn twist_from(&self, steerable: [f64; 2], steering: [f64; 2]) -> Twist2 {
        let (radius, half_track) = self.steerable;
        // Each wheel says: linear - angular y = s cos, angular x = s sin, with y = +-half
        // track and x = +-base. The unknowns part, for the y cancel.
        let [left, right] = [0, 1].map(|wheel| {
            let (sin, cos) = libm::sincos(steering[wheel]);
            let speed = steerable[wheel] * radius;
            (speed * cos, speed * sin)
        });
        let lever = self.side * self.base;
        let turning = half_track * (right.0 - left.0) + lever * (left.1 + right.1);
        let weight = 2.0 * (half_track * half_track + lever * lever);
        Twist2::new(0.5 * (left.0 + right.0), 0.0, turning / weight)
    }

    /// What of a motion of the fixed axle's middle the wheels can drive, and the turning
    /// angle for it, none for a motion that has no direction. Unlike [`Self::forward`] it
    /// holds on to the speed of the body when the angle is at its limit, so that a twist
    /// with too narrow a curve drives a wider one at the speed that was asked for.
    #[must_use]
    pub(super) fn feasible(&self, twist: Twist2) -> (Twist2, Option<f64>) {
        let Twist2 {
            x: linear, angular, ..
        } = twist;
        if linear == 0.0 {
            // It can't turn on the spot.
            return (Twist2::ZERO, None);
        }
        let sideways = angular * self.base;
        let wanted = libm::atan2(sideways * linear.signum(), linear.abs());
        let angle = wanted.clamp(-self.max_angle, self.max_angle);
        let angular = if angle == wanted {
            angular
        } else {
            linear * libm::tan(angle) / self.base
        };
        let speed = libm::hypot(linear, angular * self.base);
        let share = if speed > self.max_linear {
            self.max_linear / speed
        } else {
            1.0
        };
        (
            Twist2::new(linear * share, 0.0, angular * share),
            Some(angle),
        )
    }

    /// How fast the body turns, rad/s, when the fixed axle drives at m/s and the wheels are
    /// steered to a turning angle below pi/2.
    #[must_use]
    pub(super) fn turning(&self, linear: f64, turning_angle: f64) -> f64 {
        linear * libm::tan(turning_angle) / self.base
    }

    fn steered(&self, speed: f64, angle: f64) -> AckermannWheels {
        let speed = speed.clamp(-self.max_linear, self.max_linear);
        let angle = angle.clamp(-self.max_angle, self.max_angle);
        let (sin, cos) = libm::sincos(angle);
        self.rolling(speed * cos, speed * sin / self.base, angle)
    }

    /// Angles of the left and the right wheel for a turning angle: each across the line to
    /// the point that the body turns about.
    fn steering(&self, turning_angle: f64) -> [f64; 2] {
        let (sin, cos) = libm::sincos(turning_angle);
        let (_, half_track) = self.steerable;
        // The direction in which a wheel moves forwards; it has no speed in it, so it is
        // there at a standstill as well.
        [half_track, -half_track].map(|y| libm::atan2(self.side * sin, cos - sin * y / self.base))
    }
}

fn turning_angle(value: Option<f64>) -> Result<f64, WheelError> {
    match value {
        None => Ok(FRAC_PI_2),
        Some(value) if value > 0.0 && value <= FRAC_PI_2 => Ok(value),
        Some(value) => Err(WheelError::TurningAngle {
            parameter: "max_turning_angle".to_owned(),
            value,
        }),
    }
}

#[cfg(test)]
mod tests;
