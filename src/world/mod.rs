//! The planar world: entities with a height, physics, rays and integer time.

mod pose;
pub mod rays;
mod shape;
mod time;

/// Names one entity or robot inside the world. Keys are given out in order and never again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BodyKey(
    /// Position in the order of creation.
    pub u32,
);

/// What happens when a robot meets walls, boxes and other robots.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dynamics {
    /// They stop or push it.
    #[default]
    Rigid,
    /// It passes through; contacts are still reported.
    Kinematic,
}

/// One storey: from a floor up to the next one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Level {
    /// Height of the floor, m.
    pub floor: f64,
    /// Height of the next floor, m; infinite for the topmost level.
    pub ceiling: f64,
}

impl Level {
    /// Whether something with this extent reaches into the level, boundaries not counted.
    #[must_use]
    pub fn reached_by(&self, z: &ZExtent) -> bool {
        z.overlaps(&ZExtent::new(self.floor, self.ceiling))
    }
}

pub use pose::{Pose2, Twist2, normalize_angle};
pub use shape::{Footprint, FootprintError, PlanarShape, ZExtent};
pub use time::{PhysicsDt, SimTime, StepIndex, TimeStepError};
