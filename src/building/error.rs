//! What a building refuses, in words that name the thing and what would be right.

use super::Kind;
use crate::shown::shown;

/// A request that a building refuses. Nothing was changed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildingError {
    /// A name that is empty, too long or not printable.
    #[error("{kind} name '{}' must have 1 to 255 bytes and no control characters", name.escape_debug())]
    Name {
        /// What should have got the name.
        kind: Kind,
        /// The name, shortened.
        name: String,
    },
    /// A number out of its range.
    #[error("{kind} '{name}': {field} is {}, it must be {expected}", shown(value))]
    Value {
        /// What has the field.
        kind: Kind,
        /// Its name.
        name: String,
        /// The field, with its index in a list.
        field: String,
        /// What was given.
        value: f64,
        /// What would be right.
        expected: String,
    },
    /// Something else that does not fit.
    #[error("{kind} '{name}': {field} {problem}")]
    Unfit {
        /// What has the field.
        kind: Kind,
        /// Its name.
        name: String,
        /// The field, with its index in a list.
        field: String,
        /// What is wrong and what would be right.
        problem: String,
    },
    /// A name that nothing of the kind has.
    #[error("there is no {kind} named '{name}'")]
    Unknown {
        /// What was looked for.
        kind: Kind,
        /// The name.
        name: String,
    },
}
