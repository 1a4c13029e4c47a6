//! The planar world: entities with a height, physics, rays and integer time.

mod bodies;
mod casts;
mod entity;
mod error;
mod floors;
mod part;
pub mod physics;
mod pose;
pub mod rays;
mod shape;
mod storeys;
mod thing;
mod things;
mod time;
mod tow;
#[allow(
    clippy::module_inception,
    reason = "the type World lives in the file of its name"
)]
mod world;

pub use bodies::{BodyState, Contact, RobotBody};
pub use casts::ScanMount;
pub use entity::{
    BoxSpec, DiscSpec, Entity, EntityShape, FloorSpec, Kind, MAX_COORDINATE, MoveSpec, OutlineSpec,
    is_name,
};
pub use error::WorldError;
pub use floors::{Floors, Level};
pub use part::{Part, Solidity};
pub use pose::{Pose2, Twist2, normalize_angle};
pub use shape::{BodyKey, Dynamics, Footprint, FootprintError, PlanarShape, ZExtent};
pub use thing::{MAX_PARTS, PartError, ThingMotion, ThingSpec};
pub use time::{PhysicsDt, SimTime, StepIndex, TimeStepError};
pub use world::World;
