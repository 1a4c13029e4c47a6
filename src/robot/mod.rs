//! One robot: body, drive, sensors and odometry, stepped with the world.

mod assembly;
mod error;
#[allow(
    clippy::module_inception,
    reason = "the type Robot lives in the file of its name"
)]
mod robot;
mod sensor;
mod spec;

pub use crate::sensors::OdometrySample;
pub use error::{RobotError, RobotFault, SensorFault};
pub use robot::{Remarks, Robot};
pub use sensor::{Sample, Selection, Sensor, SensorType};
pub use spec::{BeamFan, RobotSpec, SensorSpec};
