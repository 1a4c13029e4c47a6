//! What can be wrong with a drive model or a command.

use super::wheels::WheelError;
use crate::shown::shown;
use crate::world::Twist2;

/// A drive model or a command that cannot be used.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DriveError {
    /// A number of the model outside what it may be.
    #[error("drive.{field} is {}, it must be {expected}", shown(.value))]
    Field {
        /// Name of the field, as in the message.
        field: String,
        /// What it is.
        value: f64,
        /// What would be right.
        expected: &'static str,
    },
    /// A command with a number that is not finite.
    #[error(
        "the command ({}, {}, {}) is not finite", shown(&.0.x), shown(&.0.y), shown(&.0.angular)
    )]
    Command(Twist2),
    /// Wheels that can't be.
    #[error("drive.wheels.{0}")]
    Wheels(#[from] WheelError),
}
