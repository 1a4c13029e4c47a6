//! The velocity commands of one robot, and how the subscription to them ends.
//!
//! r2r has no call to end a subscription. One whose stream was dropped is taken down when
//! its next message arrives, so we send that message ourselves: a zero twist, which is what
//! a deleted robot's listeners may as well hear.

use std::time::Duration;

use r2r::geometry_msgs::msg::{Twist, TwistStamped};
use r2r::{Node, Publisher, QosProfile};

use super::convert::planar;
use super::inbox::{Inbox, poll};
use crate::world::Twist2;

enum Messages {
    Plain(Inbox<Twist>),
    Stamped(Inbox<TwistStamped>),
}

/// The subscription to one robot's `cmd_vel`.
pub(super) struct CommandInput {
    topic: String,
    qos: QosProfile,
    messages: Messages,
    warned: bool,
}

impl CommandInput {
    /// Subscribes.
    ///
    /// # Errors
    /// When the middleware does not let it.
    pub(super) fn open(
        node: &mut Node,
        topic: &str,
        qos: QosProfile,
        stamped: bool,
    ) -> r2r::Result<Self> {
        let messages = if stamped {
            Messages::Stamped(Box::new(node.subscribe(topic, qos.clone())?))
        } else {
            Messages::Plain(Box::new(node.subscribe(topic, qos.clone())?))
        };
        Ok(Self {
            topic: topic.to_owned(),
            qos,
            messages,
            warned: false,
        })
    }

    /// Whether this is what a robot with these settings would open.
    pub(super) fn fits(&self, topic: &str, qos: &QosProfile, stamped: bool) -> bool {
        self.topic == topic
            && self.qos == *qos
            && matches!(self.messages, Messages::Stamped(_)) == stamped
    }

    /// Takes everything that has arrived and returns the latest command.
    pub(super) fn latest(&mut self) -> Option<Twist2> {
        let mut latest = None;
        match &mut self.messages {
            Messages::Plain(inbox) => {
                while let Some(message) = poll(inbox) {
                    latest = Some(planar(&message));
                }
            }
            Messages::Stamped(inbox) => {
                while let Some(message) = poll(inbox) {
                    latest = Some(planar(&message.twist));
                }
            }
        }
        latest
    }

    fn types(&self) -> [&'static str; 2] {
        let types = ["geometry_msgs/msg/Twist", "geometry_msgs/msg/TwistStamped"];
        match self.messages {
            Messages::Plain(_) => types,
            Messages::Stamped(_) => [types[1], types[0]],
        }
    }

    /// Warns once when somebody publishes commands of the type this robot does not take.
    pub(super) fn warn_of_wrong_type(&mut self, node: &Node, robot: &str) {
        if self.warned {
            return;
        }
        let [taken, other] = self.types();
        let Ok(publishers) = node.get_publishers_info_by_topic(&self.topic, false) else {
            return;
        };
        let wrong = publishers.iter().find(|info| info.topic_type != taken);
        if let Some(wrong) = wrong {
            self.warned = true;
            tracing::warn!(
                "robot {robot:?} takes {taken} on {}, but node {:?} publishes {} there, \
                 which it never gets{}",
                self.topic,
                wrong.node_name,
                wrong.topic_type,
                if wrong.topic_type == other {
                    ": spawn it with the other value of `stamped`"
                } else {
                    ""
                },
            );
        }
    }

    /// Ends the subscription; it is gone soon after.
    pub(super) fn close(self, node: &mut Node, now: Duration) -> Option<ClosingInput> {
        let Self {
            topic,
            qos,
            messages,
            ..
        } = self;
        let stamped = matches!(messages, Messages::Stamped(_));
        drop(messages);
        let publisher = if stamped {
            node.create_publisher(&topic, qos).map(Last::Stamped)
        } else {
            node.create_publisher(&topic, qos).map(Last::Plain)
        };
        match publisher {
            Ok(last) => {
                last.publish();
                Some(ClosingInput {
                    readers: last.readers(),
                    topic,
                    last,
                    since: now,
                })
            }
            Err(error) => {
                tracing::warn!("can't close {topic}: {error}");
                None
            }
        }
    }
}

enum Last {
    Plain(Publisher<Twist>),
    Stamped(Publisher<TwistStamped>),
}

impl Last {
    fn publish(&self) {
        let sent = match self {
            Self::Plain(publisher) => publisher.publish(&Twist::default()),
            Self::Stamped(publisher) => publisher.publish(&TwistStamped::default()),
        };
        if let Err(error) = sent {
            tracing::warn!("can't send a last command: {error}");
        }
    }

    fn readers(&self) -> usize {
        let count = match self {
            Self::Plain(publisher) => publisher.get_inter_process_subscription_count(),
            Self::Stamped(publisher) => publisher.get_inter_process_subscription_count(),
        };
        count.unwrap_or(0)
    }
}

/// A subscription that waits for its last message.
pub(super) struct ClosingInput {
    topic: String,
    last: Last,
    /// Readers of the topic, ours included, when it began.
    readers: usize,
    since: Duration,
}

impl ClosingInput {
    /// After this long our own reader has had its message many times over.
    const PATIENCE: Duration = Duration::from_millis(200);

    /// The topic.
    pub(super) fn topic(&self) -> &str {
        &self.topic
    }

    /// Whether the subscription is gone, or nothing more can be done about it.
    pub(super) fn done(&self, now: Duration) -> bool {
        self.last.readers() < self.readers || now > self.since + Self::PATIENCE
    }

    /// Closes the topic behind it.
    pub(super) fn finish(self, node: &mut Node) {
        match self.last {
            Last::Plain(publisher) => node.destroy_publisher(publisher),
            Last::Stamped(publisher) => node.destroy_publisher(publisher),
        }
    }
}
