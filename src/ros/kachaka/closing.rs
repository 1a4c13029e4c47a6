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

use super::Front;
use super::desk::Desk;
use super::plan::KachakaPlan;
use crate::ros::replies::Replies;

/// What clients ask, of a robot that is gone.
pub(in crate::ros) struct Retired {
    front: Front,
    plan: KachakaPlan,
    context: Context,
    since: Duration,
}

impl Retired {
    /// Long enough for a client that was told of a result to fetch it.
    const STAY: Duration = Duration::from_secs(1);

    pub(super) fn new(front: Front, plan: KachakaPlan, context: Context, now: Duration) -> Self {
        Self {
            front,
            plan,
            context,
            since: now,
        }
    }

    /// Whether a robot with these names can take it over.
    pub(in crate::ros) fn fits(&self, next: &KachakaPlan) -> bool {
        self.plan.namespace() == next.namespace()
    }

    /// What another robot takes over.
    pub(in crate::ros) fn into_front(self) -> Front {
        self.front
    }

    /// Refuses what still comes and gives out results.
    pub(in crate::ros) fn attend(&mut self) {
        let Front { services, action } = &mut self.front;
        let mut replies = Replies::default();
        services.serve(&mut Desk::of_nobody(&mut replies), "");
        services.refuse_resets(&mut replies);
        replies.send();
        action.collect();
        action.refuse();
    }

    /// Whether it has been there long enough.
    pub(in crate::ros) fn done(&self, now: Duration) -> bool {
        now > self.since + Self::STAY
    }

    /// Ends the action and has the services ended.
    pub(in crate::ros) fn close(self, now: Duration) -> Option<ClosingServices> {
        let Self {
            front: Front { services, action },
            plan,
            context,
            ..
        } = self;
        drop(action);
        match services.close(context, &plan, now) {
            Ok(closing) => Some(closing),
            Err(error) => {
                tracing::warn!("can't close the services in {}: {error}", plan.namespace());
                None
            }
        }
    }
}

/// Services that wait for their last request.
pub(in crate::ros) struct ClosingServices {
    /// Holds the clients.
    node: Node,
    since: Duration,
}

impl ClosingServices {
    /// After this long the server's node has had every last request many times over.
    const PATIENCE: Duration = Duration::from_millis(200);

    /// None to close yet.
    ///
    /// # Errors
    /// When the middleware does not let a node be made.
    pub(super) fn begin(context: Context, now: Duration) -> r2r::Result<Self> {
        Ok(Self {
            node: Node::create(context, "closing", "tatami")?,
            since: now,
        })
    }

    /// Sends the last request of a service whose stream was dropped.
    pub(super) fn close<T: WrappedServiceTypeSupport + 'static>(&mut self, service: &str) {
        let client = self
            .node
            .create_client::<T>(service, QosProfile::services_default());
        // Nobody waits for the answer.
        let sent = client.and_then(|client| client.request(&T::Request::default()).map(drop));
        if let Err(error) = sent {
            tracing::warn!("can't close the service {service}: {error}");
        }
    }

    /// Whether nothing more is to be done about them.
    pub(in crate::ros) fn done(&self, now: Duration) -> bool {
        now > self.since + Self::PATIENCE
    }
}
