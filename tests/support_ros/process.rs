//! A program under test as a process of its own, which ends with the test, also when it fails.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Far above what anything takes on a busy machine, so that only what never comes runs into it.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// How often to look whether it has ended.
const POLL: Duration = Duration::from_millis(5);

/// A process; killed, by its id, when this goes out of scope.
pub(crate) struct Process {
    name: &'static str,
    child: Child,
    log: Arc<Mutex<String>>,
    reader: Option<JoinHandle<()>>,
}

impl Process {
    /// Starts a node with parameters like `paused:=true`. What it says as a log is taken down as
    /// it comes.
    pub(crate) fn start(name: &'static str, program: &str, parameters: &[&str]) -> Self {
        let mut command = Command::new(program);
        command.arg("--ros-args");
        for parameter in parameters {
            command.args(["-p", parameter]);
        }
        let child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut process = Self {
            name,
            child,
            log: Arc::default(),
            reader: None,
        };
        let pipe = process.child.stderr.take().expect("a pipe");
        let sink = Arc::clone(&process.log);
        process.reader = Some(std::thread::spawn(move || {
            for line in BufReader::new(pipe).lines().map_while(Result::ok) {
                let mut log = sink.lock().unwrap();
                log.push_str(&line);
                log.push('\n');
            }
        }));
        process
    }

    /// Its id.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// What it has said until now.
    pub(crate) fn said(&self) -> String {
        self.log.lock().unwrap().clone()
    }

    /// The first line that it prints.
    pub(crate) fn first_line(&mut self) -> String {
        let pipe = self.child.stdout.take().expect("a pipe, and nobody asked");
        let (sender, line) = mpsc::channel();
        let read = move || sender.send(read_first(pipe));
        std::thread::spawn(read);
        let line = line.recv_timeout(PATIENCE);
        line.unwrap_or_else(|_| panic!("{} prints nothing: {}", self.name, self.said()))
    }

    /// Waits for its end. Returns how it ended.
    pub(crate) fn wait(&mut self) -> ExitStatus {
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            if let Some(status) = self.child.try_wait().expect("its status") {
                return status;
            }
            std::thread::sleep(POLL);
        }
        panic!("{} did not end: {}", self.name, self.said());
    }

    /// Waits for its end. Returns how it ended, and all that it said.
    pub(crate) fn run_to_end(mut self) -> (ExitStatus, String) {
        let status = self.wait();
        let reader = self.reader.take().expect("it is not read yet");
        reader.join().expect("the log is read");
        (status, self.said())
    }

    /// Sends it a signal by name and waits for its end.
    pub(crate) fn end_by(&mut self, signal: &str) -> ExitStatus {
        let sent = Command::new("kill")
            .args([&format!("-{signal}"), &self.pid().to_string()])
            .status();
        assert!(sent.expect("kill runs").success());
        self.wait()
    }
}

/// The first line; the rest is read so that a full pipe does not stop the program.
fn read_first(pipe: ChildStdout) -> String {
    let mut lines = BufReader::new(pipe);
    let mut first = String::new();
    lines.read_line(&mut first).expect("its output is read");
    std::thread::spawn(move || lines.read_to_end(&mut Vec::new()));
    first.trim().to_owned()
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if std::thread::panicking() {
            eprintln!("--- {} said:\n{}", self.name, self.said());
        }
    }
}
