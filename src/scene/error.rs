//! What a scene refuses.

use crate::building::BuildingError;
use crate::kachaka::Refusal;
use crate::robot::RobotError;
use crate::world::WorldError;

/// A request that a scene refuses. Nothing was changed. The text names the thing and says
/// what would be right.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SceneError {
    /// Something about the world or what stands in it.
    #[error(transparent)]
    World(#[from] WorldError),
    /// Something about a robot beyond its body.
    #[error(transparent)]
    Robot(#[from] RobotError),
    /// An item of a list.
    #[error("{list}[{index}]: {reason}")]
    Item {
        /// The list of the request.
        list: &'static str,
        /// Position in it.
        index: usize,
        /// What is wrong there.
        reason: WorldError,
    },
    /// Something about the things of the building.
    #[error(transparent)]
    Building(#[from] BuildingError),
    /// A door, person, shelf, charger, drop or elevator of a list.
    #[error("{list}[{index}]: {reason}")]
    Furniture {
        /// The list of the request.
        list: &'static str,
        /// Position in it.
        index: usize,
        /// What is wrong there.
        reason: BuildingError,
    },
    /// A name that stands twice in one list.
    #[error("{list}[{index}]: the name '{name}' stands in this request already")]
    Repeated {
        /// The list of the request.
        list: &'static str,
        /// Position of the second one.
        index: usize,
        /// The name.
        name: String,
    },
    /// A name that is no Kachaka's.
    #[error("there is no Kachaka '{name}': it must be a robot with onboard: kachaka")]
    NotKachaka {
        /// The name of the request.
        name: String,
    },
    /// Something that a Kachaka refuses.
    #[error("kachaka '{name}': {reason}")]
    Kachaka {
        /// Its name.
        name: String,
        /// Why.
        reason: Refusal,
    },
    /// A prefix that would mean everything.
    #[error("prefix is empty, which would delete everything: name what the names start with")]
    EmptyPrefix,
}
