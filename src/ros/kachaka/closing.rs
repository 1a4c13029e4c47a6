//! How the services of a robot end.
//!
//! r2r has no call to end a service. One whose stream was dropped is taken down when its next
//! request arrives, so we send that request ourselves, from a node that is there for nothing
//! else: r2r has no call to end a client either, but they go with their node.

use std::time::Duration;

use r2r::{Context, Node, QosProfile, WrappedServiceTypeSupport};

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
