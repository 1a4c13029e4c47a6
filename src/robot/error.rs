//! What a robot can't be made from.

use crate::description::DescriptionError;
use crate::drive::DriveError;
use crate::sensors::SensorError;

/// A robot that can't be made. The text names the robot and what would be right.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("robot '{robot}': {reason}")]
pub struct RobotError {
    /// Name of the robot.
    pub robot: String,
    /// What is wrong.
    pub reason: Box<RobotFault>,
}

/// What is wrong with the parts of a robot.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RobotFault {
    /// The description.
    #[error("urdf: {0}")]
    Description(#[from] DescriptionError),
    /// The drive.
    #[error(transparent)]
    Drive(#[from] DriveError),
    /// The footprint or radius.
    #[error(transparent)]
    Footprint(#[from] crate::world::FootprintError),
    /// Both a radius and a footprint, or neither.
    #[error("the body needs either a radius or a footprint, {0} given")]
    Body(&'static str),
    /// A base frame that can't carry odometry.
    #[error(
        "base_frame '{base}' is not the root of the URDF and not fixed to it: the root is '{root}'"
    )]
    BaseFrame {
        /// The frame of the request.
        base: String,
        /// The root link.
        root: String,
    },
    /// A base frame that leans.
    #[error(
        "base_frame '{base}' leans: only a rotation about z may lie between it and the root '{root}'"
    )]
    LeaningBase {
        /// The frame of the request.
        base: String,
        /// The root link.
        root: String,
    },
    /// One of the sensors.
    #[error("sensors[{index}] '{sensor}': {reason}")]
    Sensor {
        /// Position in the request.
        index: usize,
        /// Its name.
        sensor: String,
        /// What is wrong with it.
        reason: SensorFault,
    },
}

/// What is wrong with one sensor.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SensorFault {
    /// No name.
    #[error("a sensor needs a name")]
    NoName,
    /// A name that an earlier sensor of the robot has.
    #[error("another sensor of this robot has the name already")]
    Repeated,
    /// A type that does not exist.
    #[error("type is '{0}', it must be laserscan, pointcloud, imu or contact")]
    Type(String),
    /// Its block or frame in the description.
    #[error("urdf: {0}")]
    Description(#[from] DescriptionError),
    /// Its numbers.
    #[error(transparent)]
    Numbers(#[from] SensorError),
    /// A block of another kind.
    #[error("the URDF's sensor '{block}' is {found}, a {kind} needs {wanted}")]
    Kind {
        /// Name of the block.
        block: String,
        /// What it describes.
        found: String,
        /// Type of the sensor.
        kind: &'static str,
        /// What it needs.
        wanted: &'static str,
    },
    /// A lidar with neither block nor fan, or with both.
    #[error(
        "a {kind} takes its beams either from a sensor of the URDF or from one fan, {given} given"
    )]
    Beams {
        /// Type of the sensor.
        kind: &'static str,
        /// What was given.
        given: String,
    },
    /// A fan on a sensor that has no beams.
    #[error("a sensor of type {0} has no beams: leave fan empty")]
    NoBeams(&'static str),
    /// Readings that would not be right in the named frame.
    #[error(
        "frame '{frame}' is not where the URDF's sensor '{block}' is: leave frame empty, or name '{link}'"
    )]
    Frame {
        /// The frame of the request.
        frame: String,
        /// Name of the block.
        block: String,
        /// Link of the block.
        link: String,
    },
    /// A frame that moves against the base.
    #[error(
        "frame '{frame}' hangs on the movable joint of the base '{base}': sensors sit on links fixed to it"
    )]
    MovingFrame {
        /// The frame.
        frame: String,
        /// The base frame.
        base: String,
    },
}
