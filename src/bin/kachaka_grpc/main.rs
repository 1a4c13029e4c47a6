//! The gRPC adapter: serves kachaka-api for one Kachaka until it gets SIGINT or SIGTERM.
//!
//! Without the feature `ros` there is nothing it could do, and it says so. It is built all the
//! same, since colcon leaves out programs that require a feature, default or not.

use std::process::ExitCode;

#[cfg(feature = "ros")]
mod program;

#[cfg(feature = "ros")]
fn main() -> ExitCode {
    program::main()
}

#[cfg(not(feature = "ros"))]
fn main() -> ExitCode {
    eprintln!("kachaka_grpc was built without the feature `ros`: build it with ROS 2 sourced");
    ExitCode::FAILURE
}
