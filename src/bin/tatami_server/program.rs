//! What the server does between its start and its end.

use std::io::IsTerminal;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::Parser;
use signal_hook::consts::{SIGINT, SIGTERM};
use tracing_subscriber::EnvFilter;

/// A 2.5D simulator for mobile robots that is controlled through ROS services.
///
/// Parameters and remappings are ROS arguments, for instance
/// `tatami_server --ros-args -p physics_dt:=0.01 -p paused:=true -r __node:=sim`.
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
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        if let Err(error) = signal_hook::flag::register(signal, Arc::clone(&stop)) {
            tracing::error!("can't listen for signal {signal}: {error}");
            return ExitCode::FAILURE;
        }
    }
    match tatami::ros::serve(&stop) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!("{error}");
            ExitCode::FAILURE
        }
    }
}
