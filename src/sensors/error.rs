//! What can be wrong with a sensor's numbers.

use crate::shown::shown;
use crate::world::rays::FanError;

/// A sensor that cannot be made.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SensorError {
    /// A number outside what it may be.
    #[error("{field} is {}, it must be {expected}", shown(.value))]
    Field {
        /// Name of the field.
        field: &'static str,
        /// What it is.
        value: f64,
        /// What would be right.
        expected: &'static str,
    },
    /// More rays than one measurement may have.
    #[error("{0} rays in one measurement, at most {max} are allowed", max = super::MAX_RAYS)]
    TooManyRays(usize),
    /// Directions that make no fan.
    #[error(transparent)]
    Fan(#[from] FanError),
}

/// An error unless the number is finite and the condition on it holds.
pub(super) fn check(
    field: &'static str,
    value: f64,
    in_range: bool,
    expected: &'static str,
) -> Result<(), SensorError> {
    if value.is_finite() && in_range {
        Ok(())
    } else {
        Err(SensorError::Field {
            field,
            value,
            expected,
        })
    }
}
