//! Until the world has them: parts of things.

use std::fmt;

use crate::world::{PlanarShape, Pose2, ZExtent};

/// What stands in the way of what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Solidity {
    /// It stops robots.
    #[default]
    Stops,
    /// Contacts are reported.
    Touched,
    /// Rays alone.
    Seen,
}

/// A piece of a thing.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// In its own frame.
    pub shape: PlanarShape,
    /// In the thing's frame.
    pub pose: Pose2,
    /// Above the thing's floor, m.
    pub z: ZExtent,
    /// What it does.
    pub solidity: Solidity,
}

impl Part {
    /// A part that stops robots, in the middle of its body.
    #[must_use]
    pub fn solid(shape: PlanarShape, z: ZExtent) -> Self {
        Self {
            shape,
            pose: Pose2::default(),
            z,
            solidity: Solidity::Stops,
        }
    }

    /// The same part at another place of the body.
    #[must_use]
    pub fn at(self, pose: Pose2) -> Self {
        Self { pose, ..self }
    }

    /// The same part with other effect on robots.
    #[must_use]
    pub fn with_solidity(self, solidity: Solidity) -> Self {
        Self { solidity, ..self }
    }
}

/// Kinds of things.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A shelf.
    Shelf,
    /// A door.
    Door,
    /// A person.
    Person,
    /// A charger.
    Charger,
    /// A drop.
    Drop,
    /// An elevator.
    Elevator,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Shelf => "shelf",
            Self::Door => "door",
            Self::Person => "person",
            Self::Charger => "charger",
            Self::Drop => "drop",
            Self::Elevator => "elevator",
        })
    }
}
