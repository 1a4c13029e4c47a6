//! Two driven wheels on one axle.

use super::checks::{BodyAxes, length, limit};
use super::{SiteVelocity, WheelError};
use crate::world::Twist2;

/// What a [`Differential`] is made from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DifferentialParameters {
    /// m; needed.
    pub wheel_radius: f64,
    /// From wheel to wheel, m; needed.
    pub wheel_base: f64,
    /// Axis of driving in the frame of the body.
    pub forward_direction: [f64; 3],
    /// Axis of turning in the frame of the body, at least 89.9 degrees from the other.
    pub rotation_direction: [f64; 3],
    /// m/s, forwards and backwards.
    pub max_linear_speed: Option<f64>,
    /// rad/s.
    pub max_angular_speed: Option<f64>,
    /// rad/s of each wheel.
    pub max_wheel_speed: Option<f64>,
}

impl Default for DifferentialParameters {
    /// Without lengths, which are needed; forwards is x, up is z, no limits.
    fn default() -> Self {
        Self {
            wheel_radius: 0.0,
            wheel_base: 0.0,
            forward_direction: [1.0, 0.0, 0.0],
            rotation_direction: [0.0, 0.0, 1.0],
            max_linear_speed: None,
            max_angular_speed: None,
            max_wheel_speed: None,
        }
    }
}

/// Kinematics of a left and a right wheel. The control point is midway between them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Differential {
    axes: BodyAxes,
    radius: f64,
    base: f64,
    max_linear: f64,
    max_angular: f64,
    max_wheel: f64,
}

impl Differential {
    /// Checks the parameters.
    ///
    /// # Errors
    /// A direction of no length, directions less than 89.9 degrees apart, or a length or a
    /// limit that is not finite and above zero.
    pub fn new(parameters: &DifferentialParameters) -> Result<Self, WheelError> {
        let p = parameters;
        Ok(Self {
            axes: BodyAxes::new(p.forward_direction, p.rotation_direction)?,
            radius: length("wheel_radius", p.wheel_radius)?,
            base: length("wheel_base", p.wheel_base)?,
            max_linear: limit("max_linear_speed", p.max_linear_speed)?,
            max_angular: limit("max_angular_speed", p.max_angular_speed)?,
            max_wheel: limit("max_wheel_speed", p.max_wheel_speed)?,
        })
    }

    /// Speeds of the left and the right wheel, rad/s, for a velocity of the control point.
    /// First the parts along the axes are held within their limits, then each wheel.
    ///
    /// # Errors
    /// A velocity that is not finite.
    pub fn forward(&self, site: &SiteVelocity) -> Result<[f64; 2], WheelError> {
        let (linear, angular) = site.vectors()?;
        let linear = self.axes.forward.dot(&linear);
        let angular = self.axes.rotation.dot(&angular);
        Ok(self.limited(linear, angular).1)
    }

    /// Speeds of the left and the right wheel, rad/s, under a body that drives at m/s and
    /// turns at rad/s, whatever the limits.
    #[must_use]
    pub fn rolling(&self, linear: f64, angular: f64) -> [f64; 2] {
        let across = angular * self.base;
        [2.0 * linear - across, 2.0 * linear + across].map(|speed| speed / (2.0 * self.radius))
    }

    /// The motion that wheel speeds stand for: x forwards, y zero.
    #[must_use]
    pub fn twist_from(&self, [left, right]: [f64; 2]) -> Twist2 {
        Twist2::new(
            0.5 * (left + right) * self.radius,
            0.0,
            (right - left) * self.radius / self.base,
        )
    }

    /// The part of a planar motion that the wheels can drive within all limits. What they
    /// can drive as it is comes back bit for bit.
    #[must_use]
    pub(super) fn feasible(&self, twist: Twist2) -> Twist2 {
        self.limited(twist.x, twist.angular).0
    }

    fn limited(&self, linear: f64, angular: f64) -> (Twist2, [f64; 2]) {
        let linear = linear.clamp(-self.max_linear, self.max_linear);
        let angular = angular.clamp(-self.max_angular, self.max_angular);
        let wanted = self.rolling(linear, angular);
        let speeds = wanted.map(|speed| speed.clamp(-self.max_wheel, self.max_wheel));
        if speeds == wanted {
            (Twist2::new(linear, 0.0, angular), speeds)
        } else {
            (self.twist_from(speeds), speeds)
        }
    }
}

#[cfg(test)]
mod tests;
