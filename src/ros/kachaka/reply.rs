//! How every response of a Kachaka's services begins, those of other packages included.

use r2r::std_srvs::srv::{SetBool, Trigger};

use crate::ros::onboard::{OnboardResponse, Outcome};

/// A response that tells how the request went.
pub(super) trait Reply {
    /// The response; what else it holds is still empty.
    fn of(outcome: Outcome) -> Self;
}

impl<T: OnboardResponse> Reply for T {
    fn of(outcome: Outcome) -> Self {
        Self::with(outcome)
    }
}

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
