//! What things of a building are told about their surroundings.

use crate::world::{BodyKey, Pose2, ZExtent};

/// Depth up to which a person may press against a door, m.
pub const TOUCH_DEPTH: f64 = 0.001;

/// A robot or a person, as doors, people and elevators notice it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Actor {
    /// What it is in the world.
    pub key: BodyKey,
    /// Its base, in the world frame, m.
    pub at: [f64; 2],
    /// Radius of a circle around its base that holds it, m.
    pub radius: f64,
    /// The heights that it takes up in the world, m.
    pub z: ZExtent,
}

/// What a door is told before a step.
pub struct DoorSenses<'a> {
    /// Everybody.
    pub actors: &'a [Actor],
    /// The heights of the door's panel in the world, m.
    pub z: ZExtent,
    /// How deep the panel would press into robots and people at a pose, m; 0 = not at all.
    pub depth_at: &'a dyn Fn(Pose2) -> f64,
}

/// What a person is told before a step.
pub struct PersonSenses<'a> {
    /// Everybody, the person included.
    pub actors: &'a [Actor],
    /// How deep the person would be in a door at a pose, m; 0 = not at all.
    pub door_depth: &'a dyn Fn(Pose2) -> f64,
    /// Whether a wall or something else is between a point of the way and a place beside it,
    /// or so near to that place that the person does not fit.
    pub wall_beside: &'a dyn Fn([f64; 2], [f64; 2]) -> bool,
}
