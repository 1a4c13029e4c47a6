//! Why a robot's names can't be.

use super::MAX_SENSORS;
use crate::description::DescriptionError;
use crate::kachaka::ConfigError;
use crate::ros::names::{MAX_SENT_BYTES, NameError};

/// A robot whose topics or frames can't be.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub(in crate::ros) enum PlanError {
    /// A name that ROS does not allow.
    #[error(transparent)]
    Name(#[from] NameError),
    /// A description that can't be read.
    #[error("urdf: {0}")]
    Description(#[from] DescriptionError),
    /// Two topics of one robot with the same name.
    #[error("{what} and {other} are both {topic:?}: give one of them another topic")]
    OwnTopicTwice {
        /// The later one.
        what: String,
        /// The earlier one.
        other: String,
        /// The topic.
        topic: String,
    },
    /// Two frames of one robot with the same name.
    #[error("{what} is {frame:?}, which is {other} already: the two must differ")]
    OwnFrameTwice {
        /// The later one.
        what: String,
        /// The earlier one.
        other: String,
        /// The frame.
        frame: String,
    },
    /// A topic of the server.
    #[error("{what} is {topic:?}, which is a topic of the server: give it another name")]
    ServersTopic {
        /// What it would be for.
        what: String,
        /// The topic.
        topic: String,
    },
    /// A topic for moving transforms that is one for fixed ones.
    #[error("tf_topic is {0:?}: names that end with _static are for fixed transforms")]
    StaticTopic(String),
    /// A topic or service that another robot uses.
    #[error(
        "{what} is {topic:?}, which robot {robot:?} uses already: give one of them another robot_namespace or topic"
    )]
    TopicTaken {
        /// What it would be for.
        what: String,
        /// The topic.
        topic: String,
        /// The other robot.
        robot: String,
    },
    /// A frame that another robot publishes on the same topic.
    #[error(
        "{what} is {frame:?}, which robot {robot:?} publishes on {topic:?} already: give one of them another frame_prefix or tf_topic"
    )]
    FrameTaken {
        /// What it would be for.
        what: String,
        /// The frame.
        frame: String,
        /// The topic of transforms.
        topic: String,
        /// The other robot.
        robot: String,
    },
    /// A place on the map of a robot whose frame would be what another robot hangs under.
    #[error(
        "{what} is {frame:?}, which is {other} of robot {robot:?} on {topic:?}: give one of them another name, frame_prefix or tf_topic"
    )]
    PlaceAbove {
        /// What it would be for.
        what: String,
        /// The frame.
        frame: String,
        /// What it is for the other robot.
        other: String,
        /// The topic of transforms.
        topic: String,
        /// The other robot.
        robot: String,
    },
    /// A name that would be sent again and again.
    #[error("{what} has {bytes} bytes, it must have at most {MAX_SENT_BYTES}")]
    TooLong {
        /// What has the name.
        what: String,
        /// Its length.
        bytes: usize,
    },
    /// More sensors than a robot can have.
    #[error("sensors has {given} entries, a robot has at most {MAX_SENSORS}")]
    TooManySensors {
        /// How many.
        given: usize,
    },
    /// A sensor without a name.
    #[error("sensors[{0}].name is empty: every sensor of a robot needs a name of its own")]
    UnnamedSensor(usize),
    /// Something that does not exist.
    #[error("{field} is {given:?}: {known}")]
    Unknown {
        /// Field of the request.
        field: &'static str,
        /// What it held.
        given: String,
        /// What is known.
        known: &'static str,
    },
    /// Settings of the on-board behaviour that can't be read.
    #[error("onboard_config: {0}")]
    Onboard(#[from] ConfigError),
    /// Settings for an on-board behaviour that the robot does not have.
    #[error(
        "onboard_config is given but onboard is empty: set onboard to \"kachaka\" or leave both empty"
    )]
    ConfigWithoutOnboard,
    /// A field that a Kachaka has no use for.
    #[error("{field} is {given}: {reason}")]
    NotForKachaka {
        /// Field of the request.
        field: &'static str,
        /// What it held.
        given: String,
        /// Why not.
        reason: &'static str,
    },
}
