//! Inputs on topics: taken in all the time, applied between step requests.
//!
//! While a step request is under way they are held back, so that its steps see the same
//! inputs whether they are taken by one request or by many.

use std::collections::{BTreeMap, VecDeque};

use r2r::tatami_msgs::msg::{Discs, EntityPoses};
use r2r::{Node, QosProfile};

use super::command_input::{Inbox, poll};
use super::convert;
use super::robot_topics::RobotTopics;
use crate::scene::Scene;
use crate::world::{DiscSpec, MoveSpec, Twist2};

/// Messages on `~/discs` and `~/poses` that are held back at most; beyond that the oldest
/// go.
const MAX_HELD: usize = 10_000;

enum Held {
    Discs(Vec<DiscSpec>, Vec<String>),
    Poses(Vec<MoveSpec>),
}

/// The topics that move the world, and what of them is not applied yet.
pub(super) struct TopicInputs {
    discs: Inbox<Discs>,
    poses: Inbox<EntityPoses>,
    held: VecDeque<Held>,
    commands: BTreeMap<String, Twist2>,
}

impl TopicInputs {
    /// Subscribes.
    ///
    /// # Errors
    /// When the middleware does not let it.
    pub(super) fn open(node: &mut Node) -> r2r::Result<Self> {
        let qos = QosProfile::default().reliable().keep_last(super::DEPTH);
        Ok(Self {
            discs: Box::new(node.subscribe("~/discs", qos.clone())?),
            poses: Box::new(node.subscribe("~/poses", qos)?),
            held: VecDeque::new(),
            commands: BTreeMap::new(),
        })
    }

    /// Takes in everything that has arrived.
    pub(super) fn collect(&mut self, robots: &mut BTreeMap<String, RobotTopics>) {
        while let Some(message) = poll(&mut self.discs) {
            let discs = message.discs.iter().map(convert::disc).collect();
            self.hold(Held::Discs(discs, message.removed));
        }
        while let Some(message) = poll(&mut self.poses) {
            let poses = message.poses.iter().map(convert::entity_pose).collect();
            self.hold(Held::Poses(poses));
        }
        for (name, robot) in robots {
            if let Some(twist) = robot.latest_command() {
                self.commands.insert(name.clone(), twist);
            }
        }
    }

    fn hold(&mut self, message: Held) {
        if self.held.len() >= MAX_HELD {
            self.held.pop_front();
            tracing::warn!(
                "~/discs and ~/poses: more than {MAX_HELD} messages during a step request, the oldest is dropped"
            );
        }
        self.held.push_back(message);
    }

    /// Applies everything that was taken in. What can't be applied is logged.
    pub(super) fn apply(&mut self, scene: &mut Scene) {
        for message in self.held.drain(..) {
            let (topic, applied) = match message {
                Held::Discs(discs, removed) => ("discs", scene.update_discs(&discs, &removed)),
                Held::Poses(poses) => ("poses", scene.move_entities(&poses)),
            };
            if let Err(error) = applied {
                tracing::warn!("~/{topic}: {error}");
            }
        }
        while let Some((robot, twist)) = self.commands.pop_first() {
            if let Err(error) = scene.command(&robot, twist) {
                tracing::warn!("cmd_vel of {robot:?}: {error}");
            }
        }
    }
}
