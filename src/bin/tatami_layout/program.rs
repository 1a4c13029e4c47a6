//! What the program does with its arguments.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use tatami::layout::{Layout, LayoutError, LayoutReader, Packages};
use tatami::ros::layout_client::{LayoutClient, RefusedName, check_names};

/// Puts the floors, outlines, boxes and robots of a layout file into the world of a running server.
///
/// The file is checked whole before anything is sent. Prints one line for each thing that the
/// server has taken. Ends with 1 when the file is wrong, the server is not there or refuses.
#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    /// The layout, see docs/layouts.md
    file: PathBuf,
    /// Put before all names, namespaces and frames, so that a layout can be there several times
    #[arg(long, default_value = "", hide_default_value = true)]
    prefix: String,
    /// Draw what the file leaves to chance with this seed, in place of the file's
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    seed: Option<i64>,
    /// Put everything, places included, so many metres along x and y
    #[arg(long, num_args = 2, value_names = ["X", "Y"], allow_negative_numbers = true, value_parser = metres)]
    at: Vec<f64>,
    /// Replace a value of a robot, for example kachaka.drive.linear.high=0.2; may be repeated
    #[arg(long, value_name = "ROBOT.KEY=VALUE")]
    set: Vec<String>,
    /// Full name of the server's node
    #[arg(long, default_value = "/tatami")]
    namespace: String,
    /// How long to wait for each service and each reply, in seconds of wall time
    #[arg(long, default_value_t = 30.0, value_parser = seconds)]
    timeout: f64,
    /// Check the file and send nothing
    #[arg(long)]
    check: bool,
}

pub(super) fn main() -> ExitCode {
    match run(&Arguments::parse_from(own_arguments())) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("tatami_layout: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), Box<dyn std::error::Error>> {
    let layout = read(arguments)?;
    check_names(&layout, &arguments.namespace).map_err(|refused| match refused {
        RefusedName::Place { .. } => refused.to_string(),
        RefusedName::Robot { .. } => format!("{}: {refused}", arguments.file.display()),
    })?;
    if let Some(seed) = layout.seed {
        println!("placed with --seed {seed}");
    }
    if arguments.check {
        println!(
            "{}: correct, {} floors, {} outlines, {} boxes, {} robots",
            arguments.file.display(),
            layout.floors.len(),
            layout.outlines.len(),
            layout.boxes.len(),
            layout.robots.len()
        );
        return Ok(());
    }
    let timeout = Duration::from_secs_f64(arguments.timeout);
    let mut client = LayoutClient::new(&arguments.namespace, timeout)?;
    client.send(&layout, |line| println!("{line}"))?;
    Ok(())
}

fn read(arguments: &Arguments) -> Result<Layout, LayoutError> {
    let packages = Packages::of_environment(&arguments.file);
    let reader = LayoutReader::new(packages);
    let reader = arguments
        .set
        .iter()
        .fold(reader, |reader, set| reader.set(set));
    let reader = match arguments.seed {
        Some(seed) => reader.seed(seed),
        None => reader,
    };
    let mut layout = reader.load(&arguments.file)?;
    if let [x, y] = arguments.at[..] {
        layout = layout.moved_by([x, y]);
    }
    Ok(layout.with_prefix(&arguments.prefix))
}

/// The arguments without what a launch file adds for ROS, which reads it by itself.
fn own_arguments() -> impl Iterator<Item = String> {
    let mut for_ros = false;
    std::env::args().filter(move |argument| match argument.as_str() {
        "--ros-args" => {
            for_ros = true;
            false
        }
        "--" if for_ros => {
            for_ros = false;
            false
        }
        _ => !for_ros,
    })
}

fn metres(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(value) if (-1.0e6..=1.0e6).contains(&value) => Ok(value),
        _ => Err("a number of metres from -1e6 to 1e6".to_owned()),
    }
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(value) if (0.0..=1.0e6).contains(&value) => Ok(value),
        _ => Err("a number of seconds from 0 to 1000000".to_owned()),
    }
}
