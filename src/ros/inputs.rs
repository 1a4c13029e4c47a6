//! Inputs on topics: taken in all the time, applied between step requests.
//!
//! While a step request is under way they are held back, so that its steps see the same
//! inputs whether they are taken by one request or by many. What was meant for a robot that has
//! been replaced, deleted or reset since is dropped.

use std::collections::BTreeMap;
use std::time::Duration;

use r2r::tatami_msgs::msg::{Discs, EntityPoses};
use r2r::{Node, QosProfile};

use super::convert;
use super::held::Held;
use super::inbox::{Inbox, poll};
use super::kachaka::{self, KachakaInput, Surface};
use super::robot_topics::Life;
use super::stage::Stage;
use super::warnings::Warnings;
use crate::world::{DiscSpec, MoveSpec, Twist2};

const DISCS: &str = "~/discs";
const POSES: &str = "~/poses";

enum Input {
    Discs(Vec<DiscSpec>, Vec<String>),
    Poses(Vec<MoveSpec>),
    Kachaka(String, Life, KachakaInput),
}

/// Where an input came from: the robot that it is for, if it is for one, and the topic.
type Source = (String, &'static str);

/// The topics that move the world, and what of them is not applied yet.
pub(super) struct TopicInputs {
    discs: Inbox<Discs>,
    poses: Inbox<EntityPoses>,
    held: Held<Source, Input>,
    commands: BTreeMap<String, (Life, Twist2)>,
    warnings: Warnings,
}

impl TopicInputs {
    /// Subscribes.
    ///
    /// # Errors
    /// When the middleware does not let it.
    pub(super) fn open(node: &mut Node) -> r2r::Result<Self> {
        let qos = QosProfile::default().reliable().keep_last(super::DEPTH);
        Ok(Self {
            discs: Box::new(node.subscribe(DISCS, qos.clone())?),
            poses: Box::new(node.subscribe(POSES, qos)?),
            held: Held::default(),
            commands: BTreeMap::new(),
            warnings: Warnings::default(),
        })
    }

    /// Takes in everything that has arrived.
    pub(super) fn collect(&mut self, stage: &mut Stage, now: Duration) {
        while let Some(message) = poll(&mut self.discs) {
            let discs = message.discs.iter().map(convert::disc).collect();
            self.hold(
                now,
                (String::new(), DISCS),
                Input::Discs(discs, message.removed),
            );
        }
        while let Some(message) = poll(&mut self.poses) {
            let poses = message.poses.iter().map(convert::entity_pose).collect();
            self.hold(now, (String::new(), POSES), Input::Poses(poses));
        }
        for (name, robot) in &mut stage.robots {
            let life = robot.life();
            if let Some(twist) = robot.latest_command() {
                self.commands.insert(name.clone(), (life, twist));
            }
            for input in (robot.surface()).map_or_else(Vec::new, Surface::collect) {
                let source = (name.clone(), input.topic());
                self.hold(now, source, Input::Kachaka(name.clone(), life, input));
            }
        }
    }

    fn hold(&mut self, now: Duration, source: Source, input: Input) {
        if self.held.hold(source.clone(), input) {
            let (robot, topic) = source;
            let dropped = format!("too many messages of {topic} wait, the oldest is dropped");
            self.warnings.warn(now, &robot, 1, dropped);
        }
    }

    /// Applies everything that was taken in. What can't be applied is logged. Whether a
    /// Kachaka was asked for anything.
    pub(super) fn apply(&mut self, stage: &mut Stage, now: Duration) -> bool {
        let Stage { scene, robots, .. } = stage;
        let lives = |name: &str, life| (robots.get(name)).is_some_and(|robot| robot.life() == life);
        let mut asked = false;
        let warnings = &mut self.warnings;
        for input in self.held.take() {
            match input {
                Input::Discs(discs, removed) => {
                    if let Err(error) = scene.update_discs(&discs, &removed) {
                        warnings.warn(now, DISCS, 0, error);
                    }
                }
                Input::Poses(poses) => {
                    if let Err(error) = scene.move_entities(&poses) {
                        warnings.warn(now, POSES, 0, error);
                    }
                }
                Input::Kachaka(name, life, input) => {
                    if let Some(kachaka) = scene.kachaka_mut(&name)
                        && lives(&name, life)
                    {
                        asked = true;
                        if let Err(refusal) = kachaka::apply(kachaka, input) {
                            warnings.warn(now, &name, refusal.code, refusal.message);
                        }
                    }
                }
            }
        }
        while let Some((robot, (life, twist))) = self.commands.pop_first() {
            if lives(&robot, life)
                && let Err(error) = scene.command(&robot, twist)
            {
                warnings.warn(now, &format!("cmd_vel of {robot:?}"), 0, error);
            }
        }
        asked
    }
}
