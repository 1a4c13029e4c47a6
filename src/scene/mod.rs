//! The world with its robots, as the services of the server see it, without ROS.
//!
//! Every request is atomic: it is checked as a whole first, and what is refused changes
//! nothing.

mod batches;
mod error;
mod furniture;
mod inputs;
mod kachakas;
#[allow(
    clippy::module_inception,
    reason = "the type Scene lives in the file of its name"
)]
mod scene;

pub use error::SceneError;
pub use inputs::{CommandSpec, Inputs};
pub use scene::{Deleted, RobotState, Scene, SceneConfig, Spawned};
