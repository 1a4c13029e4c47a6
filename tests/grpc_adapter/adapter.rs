//! The adapter as a process.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::ros::{PATIENCE, context};

/// The adapter as a process; ended with this.
pub(crate) struct Adapter {
    child: Child,
    pub(crate) port: u16,
    log: Arc<Mutex<String>>,
}

/// An adapter that may not have started.
pub(crate) struct Unstarted {
    child: Child,
    log: Arc<Mutex<String>>,
    reader: JoinHandle<()>,
}

fn spawn(parameters: &[&str]) -> Unstarted {
    let _context = context();
    let mut command = Command::new(env!("CARGO_BIN_EXE_kachaka_grpc"));
    command.arg("--ros-args");
    for parameter in parameters {
        command.args(["-p", parameter]);
    }
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the adapter starts");
    let log = Arc::new(Mutex::new(String::new()));
    let sink = Arc::clone(&log);
    let errors = child.stderr.take().expect("a pipe");
    let reader = std::thread::spawn(move || {
        for line in BufReader::new(errors).lines().map_while(Result::ok) {
            let mut log = sink.lock().unwrap();
            log.push_str(&line);
            log.push('\n');
        }
    });
    Unstarted { child, log, reader }
}

impl Adapter {
    /// Starts one on a free port; `parameters` are like `grace:=1.0`.
    pub(crate) fn start(parameters: &[&str]) -> Self {
        let all = [&["port:=0"], parameters].concat();
        let Unstarted { mut child, log, .. } = spawn(&all);
        let mut line = String::new();
        let output = child.stdout.take().expect("a pipe");
        let read = BufReader::new(output).read_line(&mut line);
        let port = line
            .trim()
            .rsplit(':')
            .next()
            .and_then(|port| port.parse().ok());
        let adapter = Self {
            child,
            port: port.unwrap_or(0),
            log,
        };
        assert!(
            read.is_ok() && line.starts_with("listening on 127.0.0.1:") && adapter.port > 0,
            "it says {line:?} and {:?}",
            adapter.log.lock().unwrap()
        );
        adapter
    }

    /// Starts one that is expected to end by itself; returns how, and what it said.
    pub(crate) fn run_to_end(parameters: &[&str]) -> (ExitStatus, String) {
        let Unstarted { child, log, reader } = spawn(parameters);
        let mut adapter = Self {
            child,
            port: 0,
            log,
        };
        let status = adapter.wait();
        reader.join().expect("its log is read");
        let said = adapter.log.lock().unwrap().clone();
        (status, said)
    }

    fn wait(&mut self) -> ExitStatus {
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            if let Some(status) = self.child.try_wait().expect("its status") {
                return status;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        panic!("the adapter did not end: {}", self.log.lock().unwrap());
    }

    /// Sends it a signal by name and waits for its end.
    pub(crate) fn end_by(&mut self, signal: &str) -> ExitStatus {
        let sent = Command::new("kill")
            .args([&format!("-{signal}"), &self.child.id().to_string()])
            .status();
        assert!(sent.expect("kill runs").success());
        self.wait()
    }

    /// Resident memory, kB.
    pub(crate) fn resident(&self) -> u64 {
        let path = format!("/proc/{}/status", self.child.id());
        let status = std::fs::read_to_string(path).unwrap();
        let line = status
            .lines()
            .find(|line| line.starts_with("VmRSS"))
            .unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    }

    /// CPU time so far, s.
    pub(crate) fn cpu(&self) -> f64 {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap();
        let after_name = stat.rsplit(')').next().unwrap();
        let fields = after_name.split_whitespace().skip(11).take(2);
        let ticks: u64 = fields.map(|field| field.parse::<u64>().unwrap()).sum();
        // USER_HZ is 100 on every Linux that ROS runs on.
        ticks as f64 / 100.0
    }

    /// How many files it has open.
    pub(crate) fn files(&self) -> usize {
        let path = format!("/proc/{}/fd", self.child.id());
        std::fs::read_dir(path).unwrap().count()
    }

    /// Lets it have this many files open.
    pub(crate) fn limit_files(&self, most: usize) {
        let pid = self.child.id().to_string();
        let limit = format!("--nofile={most}:");
        let set = Command::new("prlimit")
            .args(["--pid", &pid, &limit])
            .status();
        assert!(set.expect("prlimit runs").success());
    }

    /// What it has said so far.
    pub(crate) fn said(&self) -> String {
        self.log.lock().unwrap().clone()
    }
}

impl Drop for Adapter {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if std::thread::panicking() {
            eprintln!("--- the adapter said:\n{}", self.log.lock().unwrap());
        }
    }
}
