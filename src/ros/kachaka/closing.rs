//! How the services and the action of a robot end.
//!
//! They outlive it for a moment: results of goals are still fetched, requests that were under
//! way are refused instead of never answered, and a robot that comes in its place takes them
//! over.
//!
//! r2r has no call to end a service. One whose stream was dropped is taken down when its next
//! request arrives, so we send that request ourselves, from a node that is there for nothing
//! else: r2r has no call to end a client either, but they go with their node.

use std::time::Duration;

use r2r::{Context, Node, QosProfile, WrappedServiceTypeSupport};

use super::desk::Desk;
use super::plan::KachakaPlan;
use super::services::KachakaServices;
use super::{Front, Legacy};
use crate::ros::replies::Replies;

/// What is left of a robot that is gone.
pub(in crate::ros) struct Retired {
    legacy: Legacy,
    plan: KachakaPlan,
    context: Context,
    since: Duration,
    /// When somebody asked last.
    asked: Duration,
}

impl Retired {
    /// Long enough for a client that was told of a result to fetch it.
    const STAY: Duration = Duration::from_secs(1);
    /// So long nobody has asked when it ends: nothing is on its way then.
    const QUIET: Duration = Duration::from_millis(200);
    /// After this long it ends, whoever asks.
    const LONGEST_STAY: Duration = Duration::from_secs(10);

    pub(super) fn new(legacy: Legacy, plan: KachakaPlan, context: Context, now: Duration) -> Self {
        Self {
            legacy,
            plan,
            context,
            since: now,
            asked: now,
        }
    }

    /// Whether a robot with these names can take it over.
    pub(in crate::ros) fn fits(&self, next: &KachakaPlan) -> bool {
        self.plan.namespace() == next.namespace()
    }

    /// What another robot takes over.
    pub(in crate::ros) fn into_legacy(self) -> Legacy {
        self.legacy
    }

    /// Refuses what still comes and gives out results. Whether anything came.
    pub(in crate::ros) fn attend(&mut self, now: Duration) -> bool {
        let Front { services, action } = &mut self.legacy.front;
        let mut replies = Replies::default();
        services.serve(&mut Desk::of_nobody(&mut replies), "");
        services.refuse_beyond(&mut replies);
        let has_come = replies.len() + action.collect() > 0;
        action.refuse(&mut replies);
        replies.send();
        if has_come {
            self.asked = now;
        }
        has_come
    }

    /// Whether it has been there long enough.
    pub(in crate::ros) fn done(&self, now: Duration) -> bool {
        let is_quiet = now > self.since + Self::STAY && now > self.asked + Self::QUIET;
        is_quiet || now > self.since + Self::LONGEST_STAY
    }

    /// Ends the action and has the services ended, when what has come until then is answered.
    pub(in crate::ros) fn close(
        mut self,
        node: &mut Node,
        now: Duration,
    ) -> Option<ClosingServices> {
        let closing = KachakaServices::prepare_close(&self.context, &self.plan, now);
        if let Err(error) = &closing {
            let namespace = self.plan.namespace();
            tracing::warn!("can't close the services in {namespace}: {error}");
        }
        // That took a while. More turns than this could overflow the streams of others, which
        // hold ten.
        for _ in 0..4 {
            node.spin_once(Duration::ZERO);
            if !self.attend(now) {
                break;
            }
        }
        self.legacy.results.close(node);
        // Without their streams r2r lets the services go.
        drop(self.legacy.front);
        closing.ok().map(ClosingServices::send)
    }
}

/// Services that wait for their last request.
pub(in crate::ros) struct ClosingServices {
    /// Holds the clients.
    node: Node,
    since: Duration,
    /// Sends the last request of each.
    last: Vec<Box<dyn FnOnce()>>,
}

impl ClosingServices {
    /// After this long the server's node has had every last request many times over.
    const PATIENCE: Duration = Duration::from_millis(200);

    /// None to close yet.
    ///
    /// # Errors
    /// When the middleware does not let a node be made.
    pub(super) fn begin(context: &Context, now: Duration) -> r2r::Result<Self> {
        Ok(Self {
            node: Node::create(context.clone(), "closing", "tatami")?,
            since: now,
            last: Vec::new(),
        })
    }

    /// Makes the last request of a service ready.
    ///
    /// # Errors
    /// When the middleware does not let a client be made.
    pub(super) fn prepare<T: WrappedServiceTypeSupport + 'static>(
        &mut self,
        service: String,
    ) -> r2r::Result<()> {
        let qos = QosProfile::services_default();
        let client = self.node.create_client::<T>(&service, qos)?;
        self.last.push(Box::new(move || {
            // Nobody waits for the answer.
            if let Err(error) = client.request(&T::Request::default()) {
                tracing::warn!("can't close the service {service}: {error}");
            }
        }));
        Ok(())
    }

    /// Sends all last requests, when the streams of the services were dropped.
    fn send(mut self) -> Self {
        for request in self.last.drain(..) {
            request();
        }
        self
    }

    /// Whether nothing more is to be done about them.
    pub(in crate::ros) fn done(&self, now: Duration) -> bool {
        now > self.since + Self::PATIENCE
    }
}
