//! What the drive is told.

use crate::world::Twist2;

/// What the robot's own software tells its drive for a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Order {
    /// Follow this twist, base frame, with the ordinary ramps.
    Drive(Twist2),
    /// Wheels to zero at once.
    Halt,
}
