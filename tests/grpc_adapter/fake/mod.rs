//! A robot that does what a test tells it, on real topics and services.

mod robot;
mod services;

use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use r2r::{Context, Node};

use self::robot::Publishers;
pub(crate) use self::robot::{Robot, time};
use self::services::services;
use super::ros::{PATIENCE, context};

type Job = Box<dyn FnOnce(&mut Robot) + Send>;

/// The thread of the robot; the robot is gone when this is dropped.
pub(crate) struct Fake {
    jobs: Option<Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

impl Fake {
    /// A robot in the namespace `/kachaka`, idle, which has told everything but its sensors.
    pub(crate) fn start() -> Self {
        Self::start_as("", 0)
    }

    /// The same with ids that begin with `run` and numbers that follow on `counted`.
    pub(crate) fn start_as(run: &'static str, counted: u64) -> Self {
        Self::begin(move |to| Robot::new(to, run, counted))
    }

    /// The same as the second one, which hangs as soon as it is there.
    pub(crate) fn start_mute() -> Self {
        Self::begin(|to| {
            let mut robot = Robot::new(to, "second-", 0);
            robot.mute = true;
            robot
        })
    }

    fn begin(robot: impl FnOnce(Publishers) -> Robot + Send + 'static) -> Self {
        static COUNT: Mutex<u32> = Mutex::new(0);
        let mut count = COUNT.lock().unwrap();
        *count += 1;
        let name = format!("fake_{count}");
        let context = context();
        let (jobs, queue) = channel();
        let thread = std::thread::spawn(move || {
            Self::run(context, &name, &queue, robot);
        });
        Self {
            jobs: Some(jobs),
            thread: Some(thread),
        }
    }

    fn run(
        context: Context,
        name: &str,
        queue: &Receiver<Job>,
        robot: impl FnOnce(Publishers) -> Robot,
    ) {
        let mut node = Node::create(context, name, "").expect("a node");
        let mut services = services(&mut node, "/kachaka");
        let to = Publishers::open(&mut node, "/kachaka").expect("publishers");
        let mut robot = robot(to);
        loop {
            node.spin_once(Duration::from_micros(500));
            for serve in &mut services {
                serve(&mut robot);
            }
            loop {
                match queue.try_recv() {
                    Ok(job) => job(&mut robot),
                    Err(TryRecvError::Empty) => break,
                    Err(TryRecvError::Disconnected) => return,
                }
            }
        }
    }

    /// Has the robot do something and waits until it is done.
    pub(crate) fn does<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Robot) -> T + Send + 'static,
    ) -> T {
        let (sender, receiver) = channel();
        let jobs = self.jobs.as_ref().expect("it runs");
        let job: Job = Box::new(move |robot| {
            let _ = sender.send(job(robot));
        });
        jobs.send(job).expect("it runs");
        receiver
            .recv_timeout(PATIENCE)
            .expect("it does what it is told")
    }

    /// The last request of a service, as text.
    pub(crate) fn asked(&self, service: &'static str) -> Option<String> {
        self.does(move |robot| {
            let of = robot.asked.iter().rev().find(|(name, _)| name == service);
            of.map(|(_, said)| said.clone())
        })
    }
}

impl Drop for Fake {
    fn drop(&mut self) {
        drop(self.jobs.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
