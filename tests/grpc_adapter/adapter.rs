//! The adapter as a process.

use std::process::{Command, ExitStatus};

use super::process::Process;
use super::ros::context;

/// The adapter as a process; ended with this.
pub(crate) struct Adapter {
    process: Process,
    pub(crate) port: u16,
}

fn spawn(parameters: &[&str]) -> Process {
    let _context = context();
    Process::start(
        "the adapter",
        env!("CARGO_BIN_EXE_kachaka_grpc"),
        parameters,
    )
}

impl Adapter {
    /// Starts one on a free port; `parameters` are like `grace:=1.0`.
    pub(crate) fn start(parameters: &[&str]) -> Self {
        let mut process = spawn(&[&["port:=0"], parameters].concat());
        let line = process.first_line();
        let port = line.strip_prefix("listening on 127.0.0.1:");
        let port = port.and_then(|port| port.parse().ok());
        let port = port.unwrap_or_else(|| panic!("it says {line:?}"));
        Self { process, port }
    }

    /// Starts one that is expected to end by itself; returns how, and what it said.
    pub(crate) fn run_to_end(parameters: &[&str]) -> (ExitStatus, String) {
        spawn(parameters).run_to_end()
    }

    /// Sends it a signal by name and waits for its end.
    pub(crate) fn end_by(&mut self, signal: &str) -> ExitStatus {
        self.process.end_by(signal)
    }

    /// Resident memory, kB.
    pub(crate) fn resident(&self) -> u64 {
        let path = format!("/proc/{}/status", self.process.pid());
        let status = std::fs::read_to_string(path).unwrap();
        let line = status
            .lines()
            .find(|line| line.starts_with("VmRSS"))
            .unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    }

    /// CPU time so far, s.
    pub(crate) fn cpu(&self) -> f64 {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.process.pid())).unwrap();
        let after_name = stat.rsplit(')').next().unwrap();
        let fields = after_name.split_whitespace().skip(11).take(2);
        let ticks: u64 = fields.map(|field| field.parse::<u64>().unwrap()).sum();
        // USER_HZ is 100 on every Linux that ROS runs on.
        ticks as f64 / 100.0
    }

    /// How many files it has open.
    pub(crate) fn files(&self) -> usize {
        let path = format!("/proc/{}/fd", self.process.pid());
        std::fs::read_dir(path).unwrap().count()
    }

    /// Lets it have this many files open.
    pub(crate) fn limit_files(&self, most: usize) {
        let pid = self.process.pid().to_string();
        let limit = format!("--nofile={most}:");
        let set = Command::new("prlimit")
            .args(["--pid", &pid, &limit])
            .status();
        assert!(set.expect("prlimit runs").success());
    }

    /// What it has said so far.
    pub(crate) fn said(&self) -> String {
        self.process.said()
    }
}
