//! One publisher with the message it sends again and again, and how long that stays.

use r2r::{Node, Publisher, QosProfile, WrappedTypesupport};

/// QoS of what late readers get, too: the last messages, as many as `depth`.
pub(super) fn latched(depth: usize) -> QosProfile {
    let qos = QosProfile::default().reliable().transient_local();
    qos.keep_last(depth)
}

/// A topic that is written to. Its message is kept, so that names and arrays that stay
/// the same are not built anew every step.
#[derive(Debug)]
pub(super) struct Output<T: WrappedTypesupport + 'static> {
    publisher: Publisher<T>,
    topic: String,
    /// What is sent next.
    pub(super) message: T,
}

impl<T: WrappedTypesupport + 'static> Output<T> {
    /// Opens a topic.
    ///
    /// # Errors
    /// When the middleware does not let it.
    pub(super) fn open(
        node: &mut Node,
        topic: &str,
        qos: QosProfile,
        message: T,
    ) -> r2r::Result<Self> {
        Ok(Self {
            publisher: node.create_publisher(topic, qos)?,
            topic: topic.to_owned(),
            message,
        })
    }

    /// Hands the message to the middleware.
    pub(super) fn publish(&self) {
        self.publish_other(&self.message);
    }

    /// Hands another message than the kept one to the middleware.
    pub(super) fn publish_other(&self, message: &T) {
        if let Err(error) = self.publisher.publish(message) {
            tracing::error!("can't publish on {}: {error}", self.topic);
        }
    }

    /// Closes the topic.
    pub(super) fn close(self, node: &mut Node) {
        node.destroy_publisher(self.publisher);
    }
}
