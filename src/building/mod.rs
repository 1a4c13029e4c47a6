//! The furniture and the life of a building: what doors, people, shelves, chargers, drops and
//! elevators are and do.
//!
//! Each kind has a specification in plain numbers with `check`, which refuses what cannot be
//! and says what would be right; the parts of which its body is made; and, if it does
//! something, a state machine that is told what is around it and answers with the pose it
//! wants. None of them looks at a clock or draws a number: the same steps with the same
//! surroundings give the same poses.

#[allow(
    clippy::module_inception,
    reason = "the type Building lives in the file of its name"
)]
mod building;
mod charger;
mod check;
mod door;
mod drop;
mod elevator;
mod error;
mod nearness;
mod person;
mod senses;
mod shelf;
mod spawning;
mod things;
mod walk;

#[cfg(test)]
mod tests;

pub(crate) use crate::world::{Kind, Part, Solidity};
pub use building::Building;
pub use charger::ChargerSpec;
pub use door::{AutomaticDoor, Door, DoorCycle, DoorKind, DoorSpec, DoorState};
pub use drop::DropSpec;
pub use elevator::{
    Elevator, ElevatorMotion, ElevatorSenses, ElevatorSpec, ElevatorState, ElevatorStop, Ride,
};
pub use error::BuildingError;
pub use person::{Person, PersonShape, PersonSpec, PersonState};
pub use senses::{Actor, DoorSenses, PersonSenses, TOUCH_DEPTH};
pub use shelf::{DockingEnd, ShelfShape, ShelfSpec, ShelfState, SpeedMode};
pub use walk::{Repeat, Walk, Waypoint};
