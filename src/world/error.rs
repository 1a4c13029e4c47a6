//! What a world refuses, in words that name the thing and what would be right.

use super::{FootprintError, Kind, MAX_PARTS, PartError};

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
    #[error("{kind} '{name}': there is no floor '{floor}', floors are: {known}")]
    UnknownFloor {
        /// What was to stand on it.
        kind: Kind,
        /// The name of that.
        name: String,
        /// The name of the floor.
        floor: String,
        /// The floors that exist.
        known: String,
    },
    /// A floor that a robot or a thing stands on.
    #[error("floor '{floor}' can't be deleted, {kind} '{name}' stands on it")]
    FloorInUse {
        /// The floor.
        floor: String,
        /// What stands there.
        kind: Kind,
        /// The name of that.
        name: String,
    },
    /// A kind that is not made of parts.
    #[error(
        "{kind} '{name}': kind must be shelf, door, person, charger, drop or elevator for a thing"
    )]
    NotAThing {
        /// The kind of the request.
        kind: Kind,
        /// The name of the request.
        name: String,
    },
    /// No parts, or too many.
    #[error("{kind} '{name}': parts has {count} items, it must have 1 to {MAX_PARTS}")]
    PartCount {
        /// What it is.
        kind: Kind,
        /// Its name.
        name: String,
        /// How many parts the request had.
        count: usize,
    },
    /// A part that can't be.
    #[error("{kind} '{name}': parts[{index}].{reason}")]
    Part {
        /// What it is.
        kind: Kind,
        /// Its name.
        name: String,
        /// Index in the request.
        index: usize,
        /// What is wrong with it.
        reason: PartError,
    },
    /// A drop that would move.
    #[error("drop '{name}': motion must be fixed")]
    DropMoves {
        /// Its name.
        name: String,
    },
    /// A key that no thing has, or no more.
    #[error("there is no thing with the key {key}")]
    UnknownThing {
        /// The key.
        key: u32,
    },
    /// A thing that no robot can carry.
    #[error("{kind} '{name}' can't be carried, only things that can be pushed can")]
    NotCarriable {
        /// What it is.
        kind: Kind,
        /// Its name.
        name: String,
    },
    /// A robot that has something on it.
    #[error("robot '{robot}' carries '{thing}' already, it must let go of it first")]
    Carries {
        /// The robot.
        robot: String,
        /// What it carries.
        thing: String,
    },
    /// A thing that is on a robot.
    #[error("'{thing}' is carried by robot '{robot}' already, which must let go of it first")]
    Carried {
        /// The thing.
        thing: String,
        /// Who carries it.
        robot: String,
    },
    /// A thing on another floor than the robot that is to carry it.
    #[error("robot '{robot}' can't carry '{thing}', which stands on another floor")]
    OtherFloor {
        /// The robot.
        robot: String,
        /// The thing.
        thing: String,
    },
    /// A pose for the coming step of a thing that is not driven.
    #[error("{kind} '{name}' can't be driven, its motion is another one")]
    NotDriven {
        /// What it is.
        kind: Kind,
        /// Its name.
        name: String,
    },
}
