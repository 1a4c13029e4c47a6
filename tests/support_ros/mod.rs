//! A real server in a process of its own, and a node to talk to it.
//!
//! Each test process has a ROS domain of its own, held by a lock file; the tests in it take
//! turns, since the node's clock topic is the same for all.
//!
//! Nothing here waits for a fixed time: every wait is for a condition, and [`PATIENCE`] only
//! ends one that never comes true.

#![allow(dead_code, reason = "every test file uses its own part of it")]

use std::fmt::Debug;
use std::future::Future;
use std::process::ExitStatus;
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use futures::{FutureExt, Stream, StreamExt};
use r2r::tatami_msgs::msg::{AxisLimits, DriveModel};
use r2r::tatami_msgs::srv::{ControlWorld, Republish, SpawnRobot};
use r2r::{Client, Node, QosProfile, WrappedServiceTypeSupport, WrappedTypesupport};

mod context;
mod process;

use context::context;
use process::{PATIENCE, Process};

/// How often to look whether a condition holds by now.
const POLL: Duration = Duration::from_millis(5);

static TURN: Mutex<()> = Mutex::new(());

/// A server that ends with the test, and a node.
pub(crate) struct Bench {
    pub(crate) node: Node,
    server: Process,
    _turn: MutexGuard<'static, ()>,
}

/// Waits for its turn and starts a server; `parameters` are like `paused:=true`.
pub(crate) fn start(parameters: &[&str]) -> Bench {
    let turn = TURN
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    let context = context();
    let server = spawn(parameters);
    static COUNT: Mutex<u32> = Mutex::new(0);
    let mut count = COUNT.lock().unwrap();
    *count += 1;
    let node = Node::create(context, &format!("test_{count}"), "").expect("a node");
    Bench {
        node,
        server,
        _turn: turn,
    }
}

/// Starts a server that is expected to end by itself; returns how, and what it said.
pub(crate) fn run_to_end(parameters: &[&str]) -> (ExitStatus, String) {
    let _turn = TURN
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    let _context = context();
    spawn(parameters).run_to_end()
}

fn spawn(parameters: &[&str]) -> Process {
    Process::start(
        "the server",
        env!("CARGO_BIN_EXE_tatami_server"),
        parameters,
    )
}

impl Bench {
    /// What the server has said until now.
    pub(crate) fn log(&self) -> String {
        self.server.said()
    }

    /// Its process id.
    pub(crate) fn pid(&self) -> u32 {
        self.server.pid()
    }

    /// Sends it a signal by name and waits for its end.
    pub(crate) fn end_by(&mut self, signal: &str) -> ExitStatus {
        self.server.end_by(signal)
    }

    /// Lets messages come in until a future is done.
    pub(crate) fn wait_for<F: Future + Unpin>(&mut self, mut future: F) -> F::Output {
        let begun = Instant::now();
        loop {
            if let Some(output) = (&mut future).now_or_never() {
                return output;
            }
            assert!(begun.elapsed() < PATIENCE, "no answer in {PATIENCE:?}");
            self.node.spin_once(POLL);
        }
    }

    /// Lets messages come in until a look finds what it looks for; until then it tells what
    /// there is instead.
    pub(crate) fn wait_until<T>(
        &mut self,
        wanted: &str,
        mut look: impl FnMut(&mut Self) -> Result<T, String>,
    ) -> T {
        let begun = Instant::now();
        loop {
            let instead = match look(self) {
                Ok(found) => return found,
                Err(instead) => instead,
            };
            assert!(
                begun.elapsed() < PATIENCE,
                "waited {PATIENCE:?} for {wanted}, there is {instead}"
            );
            self.node.spin_once(POLL);
        }
    }

    /// Waits for that many messages.
    pub(crate) fn messages<T>(
        &mut self,
        stream: &mut (dyn Stream<Item = T> + Unpin),
        count: usize,
    ) -> Vec<T> {
        let mut seen = Vec::new();
        self.wait_until(&format!("{count} messages"), |_| {
            seen.extend(drain(stream));
            if seen.len() < count {
                return Err(format!("{}", seen.len()));
            }
            Ok(std::mem::take(&mut seen))
        })
    }

    /// Waits for a message that is as wanted; those before it are thrown away.
    pub(crate) fn message<T: Debug>(
        &mut self,
        stream: &mut (dyn Stream<Item = T> + Unpin),
        wanted: &str,
        mut fits: impl FnMut(&T) -> bool,
    ) -> T {
        let mut last = None;
        self.wait_until(wanted, |_| {
            while let Some(Some(message)) = stream.next().now_or_never() {
                if fits(&message) {
                    return Ok(message);
                }
                last = Some(message);
            }
            Err(format!("{last:?}"))
        })
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

    /// Subscribes and waits until the server reaches this node.
    ///
    /// That takes a message: the publisher's side of the match can't be seen from here. So
    /// robots are asked to publish again until one comes. It is thrown away, but another
    /// such one may still be on its way.
    pub(crate) fn subscribe<T: WrappedTypesupport + 'static>(
        &mut self,
        topic: &str,
    ) -> Box<dyn Stream<Item = T> + Unpin> {
        let qos = QosProfile::default().reliable().keep_last(100);
        let mut stream = self
            .node
            .subscribe::<T>(topic, qos)
            .expect("a subscription");
        let republish = self.client::<Republish::Service>("republish");
        self.wait_until(&format!("a message on {topic}"), |bench| {
            let asked = bench.call(&republish, &Republish::Request::default());
            if drain(&mut stream).is_empty() {
                return Err(format!("none, though {} robots publish", asked.count));
            }
            Ok(())
        });
        Box::new(stream)
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
