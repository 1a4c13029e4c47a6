//! Inputs on topics: taken in all the time, applied between step requests.
//!
//! While a step request is under way they are held back, so that its steps see the same
//! inputs whether they are taken by one request or by many.

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Display;

use r2r::tatami_msgs::msg::{Discs, EntityPoses};
use r2r::{Node, QosProfile};

use super::command_input::{Inbox, poll};
use super::convert;
use super::kachaka::{self, KachakaInput, Surface};
use super::stage::Stage;
use crate::world::{DiscSpec, MoveSpec, Twist2};

/// Messages that are held back at most, velocities of plain robots aside; beyond that the
/// oldest go.
const MAX_HELD: usize = 10_000;

enum Held {
    Discs(Vec<DiscSpec>, Vec<String>),
    Poses(Vec<MoveSpec>),
    Kachaka(String, KachakaInput),
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
    pub(super) fn collect(&mut self, stage: &mut Stage) {
        while let Some(message) = poll(&mut self.discs) {
            let discs = message.discs.iter().map(convert::disc).collect();
            self.hold(Held::Discs(discs, message.removed));
        }
        while let Some(message) = poll(&mut self.poses) {
            let poses = message.poses.iter().map(convert::entity_pose).collect();
            self.hold(Held::Poses(poses));
        }
        for (name, robot) in &mut stage.robots {
            if let Some(twist) = robot.latest_command() {
                self.commands.insert(name.clone(), twist);
            }
            for input in (robot.surface()).map_or_else(Vec::new, Surface::collect) {
                self.hold(Held::Kachaka(name.clone(), input));
            }
        }
    }

    fn hold(&mut self, message: Held) {
        if self.held.len() >= MAX_HELD {
            self.held.pop_front();
            tracing::warn!(
                "more than {MAX_HELD} messages on topics during a step request, the oldest is dropped"
            );
        }
        self.held.push_back(message);
    }

    /// Applies everything that was taken in. What can't be applied is logged.
    pub(super) fn apply(&mut self, stage: &mut Stage, node: &mut Node) {
        let mut asked = false;
        let scene = &mut stage.scene;
        for message in self.held.drain(..) {
            match message {
                Held::Discs(discs, removed) => {
                    warn("~/discs", scene.update_discs(&discs, &removed));
                }
                Held::Poses(poses) => warn("~/poses", scene.move_entities(&poses)),
                Held::Kachaka(name, input) => {
                    // It may be gone by now.
                    if let Some(kachaka) = scene.kachaka_mut(&name) {
                        asked = true;
                        warn(&name, kachaka::apply(kachaka, input));
                    }
                }
            }
        }
        while let Some((robot, twist)) = self.commands.pop_first() {
            if let Err(error) = scene.command(&robot, twist) {
                tracing::warn!("cmd_vel of {robot:?}: {error}");
            }
        }
        if asked {
            stage.publish_kachakas(node);
        }
    }
}

fn warn<E: Display>(source: &str, applied: Result<(), E>) {
    if let Err(error) = applied {
        tracing::warn!("{source}: {error}");
    }
}
