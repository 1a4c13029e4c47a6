//! What a world refuses, in words that name the thing and what would be right.

use super::{FootprintError, Kind};

/// A request that a world refuses. Nothing was changed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum WorldError {
    /// A name that is empty, too long or not printable.
    #[error("{kind} name '{}' must have 1 to 255 bytes and no control characters", name.escape_debug())]
    Name {
        /// What should have got the name.
        kind: Kind,
        /// The name, shortened.
        name: String,
    },
    /// A number out of its range.
    #[error("{kind} '{name}': {field} is {value:?}, it must be {expected}")]
    Value {
        /// What has the field.
        kind: Kind,
        /// Its name.
        name: String,
        /// The field of the request.
        field: &'static str,
        /// What was given.
        value: f64,
        /// What would be right.
        expected: &'static str,
    },
    /// A corner that is not finite or too far away.
    #[error(
        "outline '{name}': points[{index}] is ({x:?}, {y:?}), it must be finite and within 1e6 m"
    )]
    OutlinePoint {
        /// Name of the outline.
        name: String,
        /// Index in the request.
        index: usize,
        /// What was given for x.
        x: f64,
        /// What was given for y.
        y: f64,
    },
    /// A ring that encloses nothing.
    #[error(
        "outline '{name}': its {points} points make no ring, it needs at least 3 different ones that are not on one line"
    )]
    DegenerateOutline {
        /// Name of the outline.
        name: String,
        /// How many points the request had.
        points: usize,
    },
    /// A footprint that is no convex body.
    #[error("robot '{name}': {reason}")]
    Footprint {
        /// Name of the robot.
        name: String,
        /// What is wrong with it.
        reason: FootprintError,
    },
    /// A name that something of another kind has.
    #[error(
        "{wanted} '{name}': the name is taken by a {holder}, names are unique across all kinds"
    )]
    NameTaken {
        /// The name.
        name: String,
        /// What was to get it.
        wanted: Kind,
        /// What has it.
        holder: Kind,
    },
    /// A name that nothing has.
    #[error("there is no {kind} named '{name}'")]
    Unknown {
        /// What was looked for, such as "robot" or "entity".
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// A robot where an entity was to be named.
    #[error("'{name}' is a robot, delete_robot removes it")]
    IsRobot {
        /// The name.
        name: String,
    },
    /// A pose for something that stands still.
    #[error("{kind} '{name}' can't be moved, only boxes and discs can")]
    NotMovable {
        /// What it is.
        kind: Kind,
        /// Its name.
        name: String,
    },
    /// A floor that does not exist.
    #[error("robot '{robot}': there is no floor '{floor}', floors are: {known}")]
    UnknownFloor {
        /// The robot that was to stand on it.
        robot: String,
        /// The name of the floor.
        floor: String,
        /// The floors that exist.
        known: String,
    },
    /// A floor that a robot stands on.
    #[error("floor '{floor}' can't be deleted, robot '{robot}' stands on it")]
    FloorInUse {
        /// The floor.
        floor: String,
        /// The robot.
        robot: String,
    },
}
