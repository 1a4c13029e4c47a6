//! How every response of a Kachaka's services begins.

use r2r::std_srvs::srv::{SetBool, Trigger};
use r2r::tatami_msgs::srv::{
    AddMap, AddSound, CancelCommand, GetMap, OnboardSetBool, OnboardSetNumber, OnboardSetText,
    OnboardTrigger, PlaySound, SetManualControl, SetPoseEstimate, SetVelocity, StartCommand,
    StartShortcut, SwitchMap,
};

use crate::kachaka::Refusal;

/// How a request went.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Outcome {
    success: bool,
    error_code: i32,
    message: String,
    /// Of the state that shows the effect.
    sequence: u64,
}

impl Outcome {
    /// It was done.
    pub(super) fn success(sequence: u64) -> Self {
        Self {
            success: true,
            error_code: 0,
            message: String::new(),
            sequence,
        }
    }

    /// It was refused.
    pub(super) fn refused(refusal: Refusal, sequence: u64) -> Self {
        Self {
            success: false,
            error_code: refusal.code,
            // A string with a NUL can't be sent.
            message: refusal.message.replace('\0', "\u{fffd}"),
            sequence,
        }
    }
}

/// A response that tells how the request went.
pub(super) trait Reply {
    /// The response; what else it holds is still empty.
    fn of(outcome: Outcome) -> Self;
}

macro_rules! reply {
    ($($service:ident),* $(,)?) => {$(
        impl Reply for $service::Response {
            fn of(outcome: Outcome) -> Self {
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
        }
    )*};
}

reply!(
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

/// The services of other packages have room for words only.
fn in_words(outcome: Outcome) -> (bool, String) {
    let message = match outcome.error_code {
        0 => outcome.message,
        code => format!("{} (error code {code})", outcome.message),
    };
    (outcome.success, message)
}

impl Reply for SetBool::Response {
    fn of(outcome: Outcome) -> Self {
        let (success, message) = in_words(outcome);
        Self { success, message }
    }
}

impl Reply for Trigger::Response {
    fn of(outcome: Outcome) -> Self {
        let (success, message) = in_words(outcome);
        Self { success, message }
    }
}
