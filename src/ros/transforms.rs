//! `/tf` and `/tf_static`: one writer per topic for all robots.
//!
//! From a transient-local writer of depth 1 a late reader gets the last message only, so
//! every message on a static topic holds the transforms of all robots.

use std::collections::BTreeMap;
use std::ops::Range;

use r2r::builtin_interfaces::msg::Time;
use r2r::geometry_msgs::msg::TransformStamped;
use r2r::tf2_msgs::msg::TFMessage;
use r2r::{Node, QosProfile};

use super::output::{Output, latched};

/// Topics that carry transforms, moving or fixed ones.
#[derive(Debug)]
pub(super) struct Transforms {
    qos: QosProfile,
    topics: BTreeMap<String, Topic>,
}

/// One topic; its message holds the transforms of all robots on it.
#[derive(Debug)]
struct Topic {
    output: Output<TFMessage>,
    spans: Vec<(String, Range<usize>)>,
}

impl Topic {
    fn span(&self, robot: &str) -> Option<Range<usize>> {
        let found = self.spans.iter().find(|(name, _)| name == robot)?;
        Some(found.1.clone())
    }

    fn remove(&mut self, robot: &str) {
        let Some(index) = self.spans.iter().position(|(name, _)| name == robot) else {
            return;
        };
        let (_, gone) = self.spans.remove(index);
        for (_, span) in &mut self.spans[index..] {
            *span = span.start - gone.len()..span.end - gone.len();
        }
        self.output.message.transforms.drain(gone);
    }
}

impl Transforms {
    /// Topics for transforms that change: reliable, a hundred messages deep.
    pub(super) fn moving() -> Self {
        Self {
            qos: QosProfile::default().reliable().keep_last(super::DEPTH),
            topics: BTreeMap::new(),
        }
    }

    /// Topics for transforms that stay: late readers get them, too.
    pub(super) fn fixed() -> Self {
        Self {
            qos: latched(1),
            topics: BTreeMap::new(),
        }
    }

    /// Puts a robot's transforms on a topic, which is opened if need be.
    ///
    /// # Errors
    /// When the middleware does not let it be opened.
    pub(super) fn add(
        &mut self,
        node: &mut Node,
        topic: &str,
        robot: &str,
        transforms: Vec<TransformStamped>,
    ) -> r2r::Result<()> {
        if !self.topics.contains_key(topic) {
            let output = Output::open(node, topic, self.qos.clone(), TFMessage::default())?;
            let spans = Vec::new();
            self.topics
                .insert(topic.to_owned(), Topic { output, spans });
        }
        if let Some(topic) = self.topics.get_mut(topic) {
            topic.remove(robot);
            let all = &mut topic.output.message.transforms;
            let span = all.len()..all.len() + transforms.len();
            all.extend(transforms);
            topic.spans.push((robot.to_owned(), span));
        }
        Ok(())
    }

    /// Takes a robot's transforms off a topic, and closes it after the last robot.
    /// Returns whether it is still open.
    pub(super) fn remove(&mut self, node: &mut Node, topic: &str, robot: &str) -> bool {
        let Some(found) = self.topics.get_mut(topic) else {
            return false;
        };
        found.remove(robot);
        if !found.spans.is_empty() {
            return true;
        }
        if let Some(closed) = self.topics.remove(topic) {
            closed.output.close(node);
        }
        false
    }

    /// A robot's transforms on a topic, in the order in which they were added.
    pub(super) fn of(&mut self, topic: &str, robot: &str) -> &mut [TransformStamped] {
        let Some(topic) = self.topics.get_mut(topic) else {
            return &mut [];
        };
        match topic.span(robot) {
            Some(span) => &mut topic.output.message.transforms[span],
            None => &mut [],
        }
    }

    /// Sends everything on all topics.
    pub(super) fn publish_all(&self) {
        for topic in self.topics.values() {
            topic.output.publish();
        }
    }

    /// Sends what one robot has on a topic, and nothing of the others.
    pub(super) fn publish_of(&self, topic: &str, robot: &str) {
        let Some(topic) = self.topics.get(topic) else {
            return;
        };
        if let Some(span) = topic.span(robot) {
            let transforms = topic.output.message.transforms[span].to_vec();
            topic.output.publish_other(&TFMessage { transforms });
        }
    }

    /// Sends everything on one topic, all of it with this stamp.
    pub(super) fn publish_stamped(&mut self, topic: &str, stamp: &Time) {
        if let Some(topic) = self.topics.get_mut(topic) {
            for transform in &mut topic.output.message.transforms {
                transform.header.stamp = stamp.clone();
            }
            topic.output.publish();
        }
    }
}
