//! A real server in a process of its own, and a node to talk to it.
//!
//! Each test process has a ROS domain of its own, held by a lock file; the tests in it take
//! turns, since the node's clock topic is the same for all.

#![allow(dead_code, reason = "every test file uses its own part of it")]

use std::fs::File;
use std::future::Future;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::{Duration, Instant};

use futures::{FutureExt, Stream, StreamExt};
use r2r::tatami_msgs::msg::{AxisLimits, DriveModel};
use r2r::tatami_msgs::srv::{ControlWorld, SpawnRobot};
use r2r::{Client, Context, Node, QosProfile, WrappedServiceTypeSupport, WrappedTypesupport};

/// Long enough for a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

static TURN: Mutex<()> = Mutex::new(());

/// The one context of this process, in a domain that no other test process has.
fn context() -> Context {
    static CONTEXT: OnceLock<(Context, File)> = OnceLock::new();
    let made = CONTEXT.get_or_init(|| {
        let (domain, lock) = free_domain();
        // SAFETY: only one test at a time gets here, and nothing else reads the environment.
        unsafe {
            std::env::set_var("ROS_DOMAIN_ID", domain.to_string());
            std::env::set_var("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST");
        }
        (Context::create().expect("a ROS context"), lock)
    });
    made.0.clone()
}

fn free_domain() -> (u32, File) {
    for offset in 0..101 {
        let domain = 1 + (std::process::id() + offset) % 101;
        let path = std::env::temp_dir().join(format!("tatami-test-domain-{domain}.lock"));
        let Ok(file) = File::options().create(true).append(true).open(path) else {
            continue;
        };
        if file.try_lock().is_ok() {
            return (domain, file);
        }
    }
    panic!("all ROS domains from 1 to 101 are taken by other tests");
}

/// A server that ends with the test, and a node.
pub(crate) struct Bench {
    pub(crate) node: Node,
    /// When the server was started.
    pub(crate) begun: Instant,
    child: Child,
    log: Arc<Mutex<String>>,
    _turn: MutexGuard<'static, ()>,
}

/// Waits for its turn and starts a server; `parameters` are like `paused:=true`.
pub(crate) fn start(parameters: &[&str]) -> Bench {
    let turn = TURN
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    let context = context();
    let begun = Instant::now();
    let (child, log) = spawn(parameters);
    static COUNT: Mutex<u32> = Mutex::new(0);
    let mut count = COUNT.lock().unwrap();
    *count += 1;
    let node = Node::create(context, &format!("test_{count}"), "").expect("a node");
    Bench {
        node,
        begun,
        child,
        log,
        _turn: turn,
    }
}

/// Starts a server that is expected to end by itself; returns how, and what it said.
pub(crate) fn run_to_end(parameters: &[&str]) -> (ExitStatus, String) {
    let _turn = TURN
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    let _context = context();
    let (child, log) = spawn(parameters);
    let mut guard = Ending(child);
    let status = guard.wait(PATIENCE).expect("the server did not end");
    std::thread::sleep(Duration::from_millis(50));
    let said = log.lock().unwrap().clone();
    (status, said)
}

fn spawn(parameters: &[&str]) -> (Child, Arc<Mutex<String>>) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tatami_server"));
    command.arg("--ros-args");
    for parameter in parameters {
        command.args(["-p", parameter]);
    }
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the server starts");
    let log = Arc::new(Mutex::new(String::new()));
    let lines = BufReader::new(child.stderr.take().expect("a pipe")).lines();
    let sink = Arc::clone(&log);
    std::thread::spawn(move || {
        for line in lines.map_while(Result::ok) {
            let mut text = sink.lock().unwrap();
            text.push_str(&line);
            text.push('\n');
        }
    });
    (child, log)
}

/// Kills a process, by its id, when it goes out of scope.
struct Ending(Child);

impl Ending {
    fn wait(&mut self, patience: Duration) -> Option<ExitStatus> {
        wait(&mut self.0, patience)
    }
}

impl Drop for Ending {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn wait(child: &mut Child, patience: Duration) -> Option<ExitStatus> {
    let begun = Instant::now();
    while begun.elapsed() < patience {
        if let Some(status) = child.try_wait().expect("its status") {
            return Some(status);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    None
}

impl Drop for Bench {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if std::thread::panicking() {
            eprintln!("--- the server said:\n{}", self.log());
        }
    }
}

impl Bench {
    /// What the server has said until now.
    pub(crate) fn log(&self) -> String {
        self.log.lock().unwrap().clone()
    }

    /// Its process id.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends it a signal by name and waits for its end.
    pub(crate) fn end_by(&mut self, signal: &str) -> (ExitStatus, Duration) {
        let begun = Instant::now();
        let sent = Command::new("kill")
            .args([&format!("-{signal}"), &self.child.id().to_string()])
            .status();
        assert!(sent.expect("kill runs").success());
        let status = wait(&mut self.child, PATIENCE).expect("the server did not end");
        (status, begun.elapsed())
    }

    /// Lets messages come in until a future is done.
    pub(crate) fn wait_for<F: Future + Unpin>(&mut self, mut future: F) -> F::Output {
        let begun = Instant::now();
        loop {
            if let Some(output) = (&mut future).now_or_never() {
                return output;
            }
            assert!(begun.elapsed() < PATIENCE, "no answer in {PATIENCE:?}");
            self.node.spin_once(Duration::from_millis(5));
        }
    }

    /// Lets messages come in for a while.
    pub(crate) fn spin_for(&mut self, time: Duration) {
        let begun = Instant::now();
        while begun.elapsed() < time {
            self.node.spin_once(Duration::from_millis(5));
        }
    }

    /// A client of one of the server's services, once it is there.
    pub(crate) fn client<T: WrappedServiceTypeSupport + 'static>(
        &mut self,
        name: &str,
    ) -> Client<T> {
        let qos = QosProfile::services_default().keep_last(100);
        let client = self
            .node
            .create_client::<T>(&format!("/tatami/{name}"), qos)
            .expect("a client");
        let available = Node::is_available(&client).expect("a valid client");
        self.wait_for(Box::pin(available)).expect("the service");
        client
    }

    /// Calls a service and waits for the reply.
    pub(crate) fn call<T: WrappedServiceTypeSupport + 'static>(
        &mut self,
        client: &Client<T>,
        request: &T::Request,
    ) -> T::Response {
        let reply = client.request(request).expect("the request is sent");
        self.wait_for(Box::pin(reply)).expect("a reply")
    }

    /// Makes a client, calls once.
    pub(crate) fn call_once<T: WrappedServiceTypeSupport + 'static>(
        &mut self,
        name: &str,
        request: &T::Request,
    ) -> T::Response {
        let client = self.client::<T>(name);
        self.call(&client, request)
    }

    /// Subscribes and waits until the server's publisher is known.
    pub(crate) fn subscribe<T: WrappedTypesupport + 'static>(
        &mut self,
        topic: &str,
    ) -> Box<dyn Stream<Item = T> + Unpin> {
        let qos = QosProfile::default().reliable().keep_last(100);
        let stream = self
            .node
            .subscribe::<T>(topic, qos)
            .expect("a subscription");
        let begun = Instant::now();
        while self.publishers(topic) == 0 {
            assert!(begun.elapsed() < PATIENCE, "nobody publishes {topic}");
            self.node.spin_once(Duration::from_millis(5));
        }
        // The other side hears of the subscription about as late as this one of it.
        self.spin_for(Duration::from_millis(300));
        Box::new(stream)
    }

    fn publishers(&self, topic: &str) -> usize {
        let found = self.node.get_publishers_info_by_topic(topic, false);
        found.map_or(0, |list| list.len())
    }
}

/// Everything that has come in.
pub(crate) fn drain<T>(stream: &mut (dyn Stream<Item = T> + Unpin)) -> Vec<T> {
    let mut all = Vec::new();
    while let Some(Some(message)) = stream.next().now_or_never() {
        all.push(message);
    }
    all
}

/// A request that takes steps.
pub(crate) fn steps(multi_step: u32) -> ControlWorld::Request {
    ControlWorld::Request {
        pause: true,
        multi_step,
        report: true,
        ..Default::default()
    }
}

/// A plain request about the pause state.
pub(crate) fn pause(pause: bool) -> ControlWorld::Request {
    ControlWorld::Request {
        pause,
        ..Default::default()
    }
}

/// A disc that drives up to 1 m/s and 2 rad/s, its frames under its name.
pub(crate) fn robot(name: &str) -> SpawnRobot::Request {
    let limits = |high: f64, accel: f64| AxisLimits {
        low: -high,
        high,
        accel,
        decel: 0.0,
    };
    SpawnRobot::Request {
        name: name.to_owned(),
        frame_prefix: format!("{name}/"),
        urdf: r#"<robot name="r"><link name="base_link"/><link name="laser"/>
            <joint name="mount" type="fixed"><parent link="base_link"/><child link="laser"/>
            <origin xyz="0.1 0 0.2"/></joint></robot>"#
            .to_owned(),
        radius: 0.2,
        height: 0.3,
        drive: DriveModel {
            linear: limits(1.0, 2.0),
            angular: limits(2.0, 6.0),
            ..Default::default()
        },
        ..Default::default()
    }
}
