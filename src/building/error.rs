//! What a building refuses, in words that name the thing and what would be right.

use super::Kind;
use crate::shown::shown;
use crate::world::WorldError;

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
    /// The name of a part of an elevator where a whole thing is to go.
    #[error("'{name}' is a part of elevator '{elevator}', delete that one")]
    PartOfElevator {
        /// The name.
        name: String,
        /// The elevator.
        elevator: String,
    },
    /// A robot with no shelf above it.
    #[error(
        "robot '{robot}' finds no shelf: its base must be within 5 cm of the middle of one that \
         nobody carries, and within 0.2 rad of its x axis, either way"
    )]
    NoShelf {
        /// The robot.
        robot: String,
    },
    /// Something about the body in the world.
    #[error(transparent)]
    World(#[from] WorldError),
    /// A name that nothing of the kind has.
    #[error("there is no {kind} named '{name}'")]
    Unknown {
        /// What was looked for.
        kind: Kind,
        /// The name.
        name: String,
    },
}
