//! What both sides of a Kachaka's own interface know of its messages: its surface, and what
//! stands in front of it.

use r2r::tatami_msgs::srv::{
    AddMap, AddSound, CancelCommand, GetMap, OnboardSetBool, OnboardSetNumber, OnboardSetText,
    OnboardTrigger, PlaySound, SetManualControl, SetPoseEstimate, SetVelocity, StartCommand,
    StartShortcut, SwitchMap,
};

use super::words::message;
use crate::kachaka::Refusal;

/// The numbers of the commands, which are those of kachaka-api: of our message and of the
/// bridge's alike. r2r holds the constants of a message as types of their own.
pub(crate) mod command_type {
    use r2r::tatami_msgs::msg::OnboardCommand;

    macro_rules! types {
        ($($name:ident,)*) => {
            $(pub(crate) const $name: u8 = OnboardCommand::$name as u8;)*
        };
    }

    types! {
        MOVE_SHELF,
        RETURN_SHELF,
        UNDOCK_SHELF,
        MOVE_TO_LOCATION,
        RETURN_HOME,
        DOCK_SHELF,
        SPEAK,
        MOVE_TO_POSE,
        LOCK,
        MOVE_FORWARD,
        ROTATE_IN_PLACE,
        DOCK_ANY_SHELF_WITH_REGISTRATION,
        LOCALIZE,
        MOVE_BY_VELOCITY_WITH_MUTED_SENSORS,
    }
}

/// How a request went.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Outcome {
    /// Whether it was done.
    pub(crate) success: bool,
    /// Why not; 0 when it was.
    pub(crate) error_code: i32,
    /// The same in words.
    pub(crate) message: String,
    /// Of the state that shows the effect.
    pub(crate) sequence: u64,
}

impl Outcome {
    /// It was done.
    pub(crate) fn success(sequence: u64) -> Self {
        Self {
            success: true,
            error_code: 0,
            message: String::new(),
            sequence,
        }
    }

    /// It was refused.
    pub(crate) fn refused(refusal: Refusal, sequence: u64) -> Self {
        Self {
            success: false,
            error_code: refusal.code,
            message: message(refusal.message),
            sequence,
        }
    }
}

/// A response of one of its own services, which begins with how the request went.
pub(crate) trait OnboardResponse {
    /// The response; what else it holds is still empty.
    fn with(outcome: Outcome) -> Self;

    /// Whether it did what it was asked.
    fn success(&self) -> bool;

    /// Why not; 0 when it did.
    fn error_code(&self) -> i32;

    /// The same in words.
    fn message(&self) -> &str;

    /// Number of the state that shows what it did.
    fn sequence(&self) -> u64;
}

macro_rules! responses {
    ($($service:ident),* $(,)?) => {$(
        impl OnboardResponse for $service::Response {
            fn with(outcome: Outcome) -> Self {
                #[allow(
                    clippy::needless_update,
                    reason = "some responses hold more than the outcome"
                )]
                Self {
                    success: outcome.success,
                    error_code: outcome.error_code,
                    message: outcome.message,
                    sequence: outcome.sequence,
                    ..Self::default()
                }
            }

            fn success(&self) -> bool {
                self.success
            }

            fn error_code(&self) -> i32 {
                self.error_code
            }

            fn message(&self) -> &str {
                &self.message
            }

            fn sequence(&self) -> u64 {
                self.sequence
            }
        }
    )*};
}

responses!(
    AddMap,
    AddSound,
    CancelCommand,
    GetMap,
    OnboardSetBool,
    OnboardSetNumber,
    OnboardSetText,
    OnboardTrigger,
    PlaySound,
    SetManualControl,
    SetPoseEstimate,
    SetVelocity,
    StartCommand,
    StartShortcut,
    SwitchMap,
);
