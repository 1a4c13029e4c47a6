//! Parts: what bodies are made of.

use super::{PlanarShape, Pose2, ZExtent};

/// What a part does to a robot that meets it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Solidity {
    /// It stops or pushes the robot.
    #[default]
    Stops,
    /// The robot goes through it; the contact is reported.
    Touched,
    /// Rays alone meet it.
    Seen,
}

/// A shape with a height at a place of a body.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// The form, in the frame of the part.
    pub shape: PlanarShape,
    /// The frame of the part in that of the body.
    pub pose: Pose2,
    /// The heights it takes up: in the world, or in a [`super::ThingSpec`] above the floor.
    pub z: ZExtent,
    /// Whether it stops robots.
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

    /// The frame of the part where the frame of its body is at a pose.
    #[must_use]
    pub fn placed(&self, body: &Pose2) -> Pose2 {
        if self.pose == Pose2::default() {
            *body
        } else {
            body.compose(&self.pose)
        }
    }

    /// The same part by so many metres higher.
    pub(super) fn lifted(&self, by: f64) -> Self {
        let z = ZExtent::new(self.z.min + by, self.z.max + by);
        Self { z, ..self.clone() }
    }

    /// The same part of a body whose frame is at a pose in the frame of another one.
    pub(super) fn carried_at(&self, pose: &Pose2) -> Self {
        Self {
            pose: self.placed(pose),
            ..self.clone()
        }
    }
}

/// From the lowest to the highest point of some parts.
pub(super) fn extent_of_parts<'a>(parts: impl Iterator<Item = &'a Part>) -> ZExtent {
    let none = ZExtent::new(f64::INFINITY, f64::NEG_INFINITY);
    parts.fold(none, |all, part| all.union(&part.z))
}
