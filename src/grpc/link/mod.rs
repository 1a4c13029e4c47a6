//! The link to ROS: one thread with the node.
//!
//! The thread sleeps in the middleware's wait set and wakes with the first message or reply;
//! requests are sent from the threads of the calls, which needs no wake-up since the replies
//! are part of the same wait set.

mod heartbeat;
mod joining;
mod services;
mod subscriptions;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use r2r::{Context, Node, WrappedServiceTypeSupport};
use tonic::Status;

use self::heartbeat::Heartbeat;
pub(super) use self::services::{Reply, Service, Services};
use self::subscriptions::Subscriptions;
use super::presence::Watch;
use super::view::View;
use crate::ros::onboard::OnboardResponse;

/// Longest sleep of the thread, after which it looks whether the robot is still there.
const TURN: Duration = Duration::from_millis(100);
/// How long a reply is waited for after the robot was seen to go: one that was replaced keeps its
/// services, and has carried out what it was asked for.
const LAST_REPLY_PATIENCE: Duration = Duration::from_millis(500);
/// How long a reply is waited for.
const REPLY_PATIENCE: Duration = Duration::from_secs(5);
/// How long after a reply its state is waited for, and once more after it was asked for.
const STATE_PATIENCE: Duration = Duration::from_secs(1);

/// The thread with the node; ends when this is dropped.
#[derive(Debug)]
pub(super) struct Link {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Link {
    /// Opens everything that the adapter needs of the robot in this namespace.
    ///
    /// # Errors
    /// When the middleware does not let it.
    pub(super) fn open(
        mut node: Node,
        robot: &str,
        view: &Arc<View>,
        watch: &Arc<Watch>,
    ) -> r2r::Result<(Self, Arc<Services>)> {
        let services = Arc::new(Services::open(&mut node, robot)?);
        let subscriptions = Subscriptions::open(&mut node, robot)?;
        let heartbeat = Heartbeat::new(robot, &services, view, watch);
        let stop = Arc::new(AtomicBool::new(false));
        let mut turns = Turns {
            node,
            stop: Arc::clone(&stop),
            view: Arc::clone(view),
            subscriptions,
            heartbeat,
        };
        let thread = std::thread::Builder::new().name("ros".to_owned());
        let thread = thread.spawn(move || turns.run());
        let thread = thread.map_err(|_| r2r::Error::RCL_RET_ERROR)?;
        let link = Self {
            stop,
            thread: Some(thread),
        };
        Ok((link, services))
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the thread of ROS had panicked");
        }
    }
}

/// What the thread does.
struct Turns {
    node: Node,
    stop: Arc<AtomicBool>,
    view: Arc<View>,
    subscriptions: Subscriptions,
    heartbeat: Heartbeat,
}

impl Turns {
    fn run(&mut self) {
        while !self.stop.load(Ordering::Relaxed) {
            self.node.spin_once(TURN);
            let now = Instant::now();
            let (node, heartbeat) = (&mut self.node, &mut self.heartbeat);
            let heard = (self.subscriptions).collect(node, &self.view, heartbeat, now);
            heartbeat.beat(node, heard, now);
        }
    }
}

/// Asks a service and waits for its reply, and until reads show what it did.
///
/// # Errors
/// `UNAVAILABLE` when the robot is not there or goes while it is asked, `DEADLINE_EXCEEDED`
/// when it does not answer.
pub(super) async fn call<S>(
    service: &Service<S>,
    request: &S::Request,
    services: &Services,
    view: &View,
    watch: &Watch,
) -> Result<S::Response, Status>
where
    S: WrappedServiceTypeSupport + 'static,
    S::Response: Reply,
{
    watch.check_write().await?;
    let asked = Instant::now();
    let reply = service.request(request)?;
    let refused = async {
        let refused = watch.write_refused().await;
        tokio::time::sleep(LAST_REPLY_PATIENCE).await;
        refused
    };
    let reply = tokio::select! {
        reply = reply => reply.map_err(|error| service.broken(&error))?,
        refused = refused => return Err(refused),
        () = tokio::time::sleep(REPLY_PATIENCE) => {
            return Err(Status::deadline_exceeded(format!(
                "{} did not answer within {} s", service.name(), REPLY_PATIENCE.as_secs(),
            )));
        }
    };
    let shown = || tokio::time::timeout(STATE_PATIENCE, view.shows(reply.sequence(), asked));
    if shown().await.is_err() {
        let (service, sequence) = (service.name(), reply.sequence());
        tracing::warn!("{service} named state {sequence}, which did not come: asked for it");
        services.ask_republish(&view.robot().unwrap_or_default());
        if shown().await.is_err() {
            tracing::warn!("state {sequence} did not come");
        }
    }
    if !reply.success() {
        tracing::info!(
            "{} refused: {} ({})",
            service.name(),
            reply.message(),
            reply.error_code()
        );
    }
    Ok(reply)
}

/// The node of an adapter.
///
/// # Errors
/// When ROS does not let it be made.
pub(super) fn node(context: Context) -> r2r::Result<Node> {
    Node::create(context, "kachaka_grpc", "")
}
