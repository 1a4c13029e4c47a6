//! What the adapter does between its start and its end.

use std::io::IsTerminal;
use std::process::ExitCode;

use clap::Parser;
use tracing_subscriber::EnvFilter;

/// Serves kachaka-api by gRPC for a simulated Kachaka, through ROS alone.
///
/// Parameters are ROS arguments, for instance
/// `kachaka_grpc --ros-args -p port:=26400 -p robot_namespace:=kachaka`. See docs/grpc.md.
#[derive(Parser)]
#[command(version)]
struct Arguments {}

pub(super) fn main() -> ExitCode {
    // ROS reads its own arguments, which come after these.
    Arguments::parse_from(std::env::args().take_while(|argument| argument != "--ros-args"));
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_env_filter(filter)
        .with_ansi(std::io::stderr().is_terminal())
        .with_target(false)
        .init();
    match tatami::grpc::serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!("{error}");
            ExitCode::FAILURE
        }
    }
}
