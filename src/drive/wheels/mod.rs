//! Wheels: from the velocity of a body to the speeds of its wheels, and back.
//!
//! [`Differential`], [`Ackermann`] and [`Holonomic`] are plain kinematics. Each turns the
//! velocity of a control point into wheel speeds in rad/s and steering angles in rad
//! (`forward`), says how the wheels roll under a body that moves (`rolling`), and which
//! motion wheel speeds stand for (`twist_from`). A wheel that drives its body forwards has
//! a positive speed. [`WheelModel`] is one of them with the joints of a robot.

mod ackermann;
mod checks;
mod differential;
mod error;
mod holonomic;
mod model;
mod set;

use nalgebra::Vector3;

use crate::world::Twist2;

pub use ackermann::{Ackermann, AckermannParameters, AckermannWheels};
pub use differential::{Differential, DifferentialParameters};
pub use error::WheelError;
pub use holonomic::{Holonomic, HolonomicParameters};
pub use model::{WheelFields, WheelModel, WheelPose};
pub use set::JointMotion;
pub(super) use set::WheelSet;

/// The velocity of a control point, in the frame of the body.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SiteVelocity {
    /// m/s.
    pub linear: [f64; 3],
    /// rad/s.
    pub angular: [f64; 3],
}

impl SiteVelocity {
    /// Both as vectors.
    ///
    /// # Errors
    /// When a number is not finite.
    fn vectors(&self) -> Result<(Vector3<f64>, Vector3<f64>), WheelError> {
        const NAMES: [&str; 6] = [
            "linear_velocity[0]",
            "linear_velocity[1]",
            "linear_velocity[2]",
            "angular_velocity[0]",
            "angular_velocity[1]",
            "angular_velocity[2]",
        ];
        let numbers = self.linear.iter().chain(&self.angular);
        for (parameter, &value) in NAMES.into_iter().zip(numbers) {
            if !value.is_finite() {
                return Err(WheelError::Setpoint { parameter, value });
            }
        }
        Ok((Vector3::from(self.linear), Vector3::from(self.angular)))
    }
}

impl From<Twist2> for SiteVelocity {
    fn from(twist: Twist2) -> Self {
        Self {
            linear: [twist.x, twist.y, 0.0],
            angular: [0.0, 0.0, twist.angular],
        }
    }
}
