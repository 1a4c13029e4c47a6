//! Why a program of ours does not start.

use super::bindings::BindingsError;
use super::parameters::ParameterError;

/// Why the server can't start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServerError {
    /// The arguments after `--ros-args` can't be read.
    #[error("the ROS arguments can't be read: {0}")]
    Arguments(String),
    /// A parameter is set to something it can't be.
    #[error("{0}")]
    Parameter(String),
    /// The bindings were compiled from other message definitions than those installed.
    #[error("{0}")]
    Layout(String),
    /// The middleware refused.
    #[error("ROS: {0}")]
    Ros(#[from] r2r::Error),
}

impl From<ParameterError> for ServerError {
    fn from(error: ParameterError) -> Self {
        Self::Parameter(error.to_string())
    }
}

impl From<BindingsError> for ServerError {
    fn from(error: BindingsError) -> Self {
        Self::Layout(error.to_string())
    }
}
