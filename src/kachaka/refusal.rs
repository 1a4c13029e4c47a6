//! Why a request is not taken.

use super::error_codes;

/// A request that the robot refuses. Nothing was changed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{message} (error code {code})")]
pub struct Refusal {
    /// A code of [`error_codes::ALL`].
    pub code: i32,
    /// What is wrong and what would be right.
    pub message: String,
}

impl Refusal {
    /// A refusal in words of its own.
    #[must_use]
    pub fn new(code: i32, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
        }
    }

    /// A refusal in the words of the table.
    #[must_use]
    pub fn of(code: i32) -> Self {
        Self::new(code, error_codes::message(code))
    }
}
