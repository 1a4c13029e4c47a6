//! What can be wrong with wheels or with what they are told.

use crate::shown::shown;

/// What a length must be.
pub(super) const LENGTH: &str = "above 0, from 1e-6 to 1000 m";
/// What a limit must be.
pub(super) const LIMIT: &str = "finite and above 0, or left out for no limit";

/// Wheels that can't be, or a setpoint that they can't follow. Every text names the
/// parameter, what it is and what would be right.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum WheelError {
    /// A kind of wheels that does not exist.
    #[error("type is {kind:?}, it must be {}", self.expected())]
    Type {
        /// What it is.
        kind: String,
    },
    /// A radius or distance that is no length.
    #[error("{parameter} is {} m, it must be {}", shown(.value), self.expected())]
    Length {
        /// Which one.
        parameter: String,
        /// What it is.
        value: f64,
    },
    /// A limit of speed that is not above zero.
    #[error("{parameter} is {}, it must be {}", shown(.value), self.expected())]
    Limit {
        /// Which one.
        parameter: String,
        /// What it is.
        value: f64,
    },
    /// A largest turning angle outside its range.
    #[error("{parameter} is {} rad, it must be {}", shown(.value), self.expected())]
    TurningAngle {
        /// Its name.
        parameter: String,
        /// What it is.
        value: f64,
    },
    /// Rollers whose wheel can't drive.
    #[error("{parameter} is {} degrees, it must be {}", shown(.value), self.expected())]
    MecanumAngle {
        /// Which one.
        parameter: String,
        /// What it is.
        value: f64,
    },
    /// A direction that is none.
    #[error("{parameter} is {value:?}, it must be {}", self.expected())]
    Direction {
        /// Which one.
        parameter: String,
        /// What it is.
        value: [f64; 3],
    },
    /// Directions of driving and turning that lean towards each other.
    #[error("{parameter} is {degrees} degrees from rotation_direction, it must be {}", self.expected())]
    Directions {
        /// The one that would have to differ.
        parameter: String,
        /// The angle between their axes.
        degrees: f64,
    },
    /// A position that is not finite or too far away.
    #[error("{parameter} is {value:?}, it must be {}", self.expected())]
    Position {
        /// Which one.
        parameter: String,
        /// What it is.
        value: [f64; 3],
    },
    /// An orientation that is none, in w, x, y, z.
    #[error("{parameter} is {value:?}, it must be {}", self.expected())]
    Orientation {
        /// Which one.
        parameter: String,
        /// What it is.
        value: [f64; 4],
    },
    /// A wheel that lies flat, so that it has no rolling direction.
    #[error("{parameter} turns the wheel's axle to {axle:?}, it must be {}", self.expected())]
    FlatWheel {
        /// The orientation that makes it so.
        parameter: String,
        /// Direction of the axle.
        axle: [f64; 3],
    },
    /// A list that does not have one entry per wheel.
    #[error("{parameter} has {count} entries, it must have {expected}")]
    Count {
        /// Which one.
        parameter: String,
        /// How many it has.
        count: usize,
        /// How many it must have.
        expected: String,
    },
    /// One joint for two wheels.
    #[error("{parameter} is {joint:?}, which {other} is already: it must be {}", self.expected())]
    JointTwice {
        /// The later one.
        parameter: String,
        /// The earlier one.
        other: String,
        /// The joint of both.
        joint: String,
    },
    /// A joint that the robot does not have, or that does not turn.
    #[error("{parameter} is {joint:?}, it must be {}", self.expected())]
    Joint {
        /// Which one.
        parameter: String,
        /// What it names.
        joint: String,
        /// The joints that turn.
        known: String,
    },
    /// A setpoint that is not finite.
    #[error("{parameter} is {}, it must be {}", shown(.value), self.expected())]
    Setpoint {
        /// Which number.
        parameter: &'static str,
        /// What it is.
        value: f64,
    },
}

impl WheelError {
    /// Name of the parameter that is wrong, such as `wheel_radius[1]`.
    #[must_use]
    pub fn parameter(&self) -> &str {
        match self {
            Self::Type { .. } => "type",
            Self::Setpoint { parameter, .. } => parameter,
            Self::Length { parameter, .. }
            | Self::Limit { parameter, .. }
            | Self::TurningAngle { parameter, .. }
            | Self::MecanumAngle { parameter, .. }
            | Self::Direction { parameter, .. }
            | Self::Directions { parameter, .. }
            | Self::Position { parameter, .. }
            | Self::Orientation { parameter, .. }
            | Self::FlatWheel { parameter, .. }
            | Self::Count { parameter, .. }
            | Self::JointTwice { parameter, .. }
            | Self::Joint { parameter, .. } => parameter,
        }
    }

    /// What would be right.
    #[must_use]
    pub fn expected(&self) -> String {
        let text = match self {
            Self::Type { .. } => "differential, ackermann or holonomic, or \"\" for none",
            Self::Length { .. } => LENGTH,
            Self::Limit { .. } => LIMIT,
            Self::TurningAngle { .. } => "above 0 and at most pi/2, or left out for pi/2",
            Self::MecanumAngle { .. } => {
                "finite and neither 0 nor 180, along which the wheel can't drive (90 = omni or plain, 45 or 135 = mecanum)"
            }
            Self::Direction { .. } => "a finite direction of some length",
            Self::Directions { .. } => "at least 89.9 degrees",
            Self::Position { .. } => "finite and within 1000 m",
            Self::Orientation { .. } => "a finite rotation, not all 0",
            Self::FlatWheel { .. } => {
                "across rotation_direction: a wheel that lies flat does not roll"
            }
            Self::Count { expected, .. } => return expected.clone(),
            Self::JointTwice { .. } => "a joint of its own",
            Self::Joint { known, .. } => {
                return format!("a joint of the URDF that turns: {known}");
            }
            Self::Setpoint { .. } => "finite",
        };
        text.to_owned()
    }

    /// The same error under the name that its parameter has elsewhere.
    #[must_use]
    pub(super) fn renamed(mut self, name: impl FnOnce(&str) -> String) -> Self {
        let new = name(self.parameter());
        match &mut self {
            Self::Type { .. } | Self::Setpoint { .. } => {}
            Self::Length { parameter, .. }
            | Self::Limit { parameter, .. }
            | Self::TurningAngle { parameter, .. }
            | Self::MecanumAngle { parameter, .. }
            | Self::Direction { parameter, .. }
            | Self::Directions { parameter, .. }
            | Self::Position { parameter, .. }
            | Self::Orientation { parameter, .. }
            | Self::FlatWheel { parameter, .. }
            | Self::Count { parameter, .. }
            | Self::JointTwice { parameter, .. }
            | Self::Joint { parameter, .. } => *parameter = new,
        }
        self
    }
}
