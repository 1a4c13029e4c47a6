//! The scene with everything that is open for it in ROS: what steps it and publishes.
//!
//! # The first stamp
//!
//! ROS takes a clock of zero for one that is not set, and nodes wait for it to become
//! something else, also while the world is paused at start. So step 1 is taken when the
//! server starts, in the empty world, where it changes nothing: the first stamp is that of
//! step 1. A reset of time goes back to right after it.

use std::collections::BTreeMap;
use std::time::Duration;

use r2r::rosgraph_msgs::msg::Clock;
use r2r::tatami_msgs::srv::SpawnRobot;
use r2r::{Node, QosProfile};

use super::clock::clock_due;
use super::command_input::ClosingInput;
use super::convert;
use super::output::Output;
use super::plan::{Plan, PlanError};
use super::robot_topics::{RobotTopics, qos};
use super::transforms::Transforms;
use crate::robot::{Robot, Selection};
use crate::scene::{RobotState, Scene, SceneError};
use crate::world::{Pose2, SimTime, StepIndex};

/// Why something could not be done to the world or its topics.
#[derive(Debug, thiserror::Error)]
pub(super) enum StageError {
    /// The world refused.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// Names that can't be.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The middleware refused.
    #[error(
        "the middleware can't open the topics of {robot:?}, which is therefore not in the world: {reason}"
    )]
    Middleware {
        /// The robot.
        robot: String,
        /// What the middleware said.
        reason: r2r::Error,
    },
}

/// The step at which the world begins to be filled.
const FIRST_STEP: StepIndex = 1;

/// What a step publishes of a robot beside its transforms.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Extent {
    State,
    StateAndSensors(Selection),
}

/// The scene and its topics.
pub(super) struct Stage {
    pub(super) scene: Scene,
    pub(super) robots: BTreeMap<String, RobotTopics>,
    clock: Output<Clock>,
    clock_rate: f64,
    /// Stamp of the last `/clock`.
    clock_at: SimTime,
    moving: Transforms,
    fixed: Transforms,
    closing: Vec<ClosingInput>,
    /// Topics that no robot can have.
    own_topics: Vec<String>,
}

impl Stage {
    /// Takes step 1 and opens `/clock`.
    ///
    /// # Errors
    /// When the middleware does not let it be opened.
    pub(super) fn new(node: &mut Node, mut scene: Scene, clock_rate: f64) -> r2r::Result<Self> {
        for _ in 0..FIRST_STEP {
            scene.step();
        }
        let qos = QosProfile::default().reliable().keep_last(1);
        let stage = Self {
            clock: Output::open(node, "/clock", qos, Clock::default())?,
            clock_rate,
            clock_at: SimTime::default(),
            scene,
            robots: BTreeMap::new(),
            moving: Transforms::moving(),
            fixed: Transforms::fixed(),
            closing: Vec::new(),
            own_topics: own_topics_of(&node.fully_qualified_name()?),
        };
        Ok(stage)
    }

    /// Changes how often `/clock` is published, in Hz of sim time; 0 = every step.
    pub(super) fn set_clock_rate(&mut self, rate: f64) {
        self.clock_rate = rate;
    }

    /// Takes one step and publishes it. The clock of a last step is never left out.
    pub(super) fn step(&mut self, last: bool) {
        let before = self.scene.time();
        self.scene.step();
        if last || clock_due(self.clock_rate, before, self.scene.time()) {
            self.publish_clock();
        }
        self.publish_robots("", Extent::StateAndSensors(Selection::Due));
    }

    /// Publishes the present time on `/clock`.
    pub(super) fn publish_clock(&mut self) {
        self.clock_at = self.scene.time();
        self.clock.message.clock = convert::stamp(self.clock_at);
        self.clock.publish();
    }

    /// Publishes the present time unless `/clock` holds it already.
    pub(super) fn catch_up_clock(&mut self) {
        if self.clock_at != self.scene.time() {
            self.publish_clock();
        }
    }

    /// Publishes all robots whose name starts with a prefix, kind of message by kind of
    /// message. Returns how many there are.
    fn publish_robots(&mut self, prefix: &str, extent: Extent) -> u32 {
        let Self {
            scene,
            robots,
            moving,
            ..
        } = self;
        let stamp = convert::stamp(scene.time());
        let mut chosen: Vec<(&mut RobotTopics, &Robot, RobotState)> = Vec::new();
        for (name, topics) in robots
            .iter_mut()
            .filter(|(name, _)| name.starts_with(prefix))
        {
            if let (Some(robot), Ok(state)) = (scene.robot(name), scene.state(name)) {
                chosen.push((topics, robot, state));
            }
        }
        for (topics, robot, state) in &chosen {
            topics.set_transforms(moving, &stamp, robot, state);
        }
        if prefix.is_empty() {
            moving.publish_all();
        } else {
            for (topics, ..) in &chosen {
                moving.publish_of(&topics.plan().tf_topic, &topics.plan().robot);
            }
        }
        for (topics, robot, state) in &mut chosen {
            topics.publish_state(&stamp, robot, state);
        }
        if let Extent::StateAndSensors(which) = extent {
            for (topics, robot, _) in &mut chosen {
                topics.publish_samples(&stamp, scene.sample(robot.name(), which));
            }
        }
        u32::try_from(chosen.len()).unwrap_or(u32::MAX)
    }

    /// Publishes one robot's transforms and state at the present time.
    fn publish_one(&mut self, name: &str) {
        let stamp = convert::stamp(self.scene.time());
        let (Some(robot), Ok(state)) = (self.scene.robot(name), self.scene.state(name)) else {
            return;
        };
        if let Some(topics) = self.robots.get_mut(name) {
            topics.set_transforms(&mut self.moving, &stamp, robot, &state);
            self.moving.publish_of(&topics.plan().tf_topic, name);
            topics.publish_state(&stamp, robot, &state);
        }
    }

    /// Publishes state and every sensor of the robots whose name starts with a prefix, at
    /// the present time. Returns how many there are.
    pub(super) fn republish(&mut self, prefix: &str) -> u32 {
        self.catch_up_clock();
        self.publish_robots(prefix, Extent::StateAndSensors(Selection::All))
    }

    /// Adds or replaces a robot and opens its topics. Everything is checked before a robot
    /// of the same name goes.
    ///
    /// # Errors
    /// When the world or the rules for names refuse it; then nothing has changed.
    pub(super) fn spawn_robot(
        &mut self,
        node: &mut Node,
        request: &SpawnRobot::Request,
        now: Duration,
    ) -> Result<String, StageError> {
        let plan = Plan::new(request, &self.own_topics)?;
        for (name, other) in &self.robots {
            if *name != request.name {
                plan.check_beside(other.plan())?;
            }
        }
        let spec = convert::robot(request).map_err(SceneError::from)?;
        self.scene.check_spawn(&spec)?;
        let spawned = self.scene.spawn_robot(spec)?;
        for skipped in &spawned.skipped {
            tracing::info!("robot {:?}: {skipped}", request.name);
        }
        let names = plan.clone();
        if let Err(reason) = self.open_topics(node, plan, &request.urdf, now) {
            // Without its topics it would be a ghost that others bump into.
            self.scene.delete_robot(&request.name)?;
            self.leave_transforms(node, &names, None);
            return Err(StageError::Middleware {
                robot: request.name.clone(),
                reason,
            });
        }
        self.publish_one(&request.name);
        Ok(spawned.message)
    }

    fn open_topics(
        &mut self,
        node: &mut Node,
        plan: Plan,
        urdf: &str,
        now: Duration,
    ) -> r2r::Result<()> {
        let name = plan.robot.clone();
        let mut commands = None;
        if let Some(old) = self.robots.remove(&name) {
            self.leave_transforms(node, old.plan(), Some(&plan));
            let input = old.close_outputs(node);
            if input.fits(&plan.cmd_vel, &qos(&plan), plan.stamped) {
                commands = Some(input);
            } else {
                self.closing.extend(input.close(node, now));
            }
        }
        self.finish_closing_of(node, &plan.cmd_vel, now);
        let Some(robot) = self.scene.robot(&name) else {
            return Ok(());
        };
        let topics = RobotTopics::open(node, plan, robot, urdf, commands)?;
        topics.add_transforms(node, robot, &mut self.moving, &mut self.fixed)?;
        topics.publish_description();
        let stamp = convert::stamp(self.scene.time());
        self.fixed
            .publish_stamped(&topics.plan().tf_static_topic(), &stamp);
        self.robots.insert(name, topics);
        Ok(())
    }

    /// Takes a robot's transforms off the topics that its successor does not use.
    fn leave_transforms(&mut self, node: &mut Node, old: &Plan, next: Option<&Plan>) {
        if next.is_none_or(|next| next.tf_topic != old.tf_topic) {
            self.moving.remove(node, &old.tf_topic, &old.robot);
        }
        let topic = old.tf_static_topic();
        let stays =
            |next: &Plan| next.robot_description.is_some() && next.tf_static_topic() == topic;
        if !next.is_some_and(stays) && self.fixed.remove(node, &topic, &old.robot) {
            let stamp = convert::stamp(self.scene.time());
            self.fixed.publish_stamped(&topic, &stamp);
        }
    }

    fn close_topics(&mut self, node: &mut Node, robot: &str, now: Duration) {
        if let Some(old) = self.robots.remove(robot) {
            self.leave_transforms(node, old.plan(), None);
            let input = old.close_outputs(node);
            self.closing.extend(input.close(node, now));
        }
    }

    /// Removes a robot and closes its topics.
    ///
    /// # Errors
    /// When there is none of this name.
    pub(super) fn delete_robot(
        &mut self,
        node: &mut Node,
        name: &str,
        now: Duration,
    ) -> Result<(), StageError> {
        self.scene.delete_robot(name)?;
        self.close_topics(node, name, now);
        Ok(())
    }

    /// Removes everything whose name starts with a prefix. Returns how much that was.
    ///
    /// # Errors
    /// When the prefix is empty.
    pub(super) fn delete_prefix(
        &mut self,
        node: &mut Node,
        prefix: &str,
        now: Duration,
    ) -> Result<u32, StageError> {
        let deleted = self.scene.delete_prefix(prefix)?;
        for robot in &deleted.robots {
            self.close_topics(node, robot, now);
        }
        Ok(deleted.count)
    }

    /// Teleports a robot and publishes its transform.
    ///
    /// # Errors
    /// When there is none of this name, the pose is not finite or the floor unknown.
    pub(super) fn set_robot_pose(
        &mut self,
        name: &str,
        pose: Pose2,
        floor: &str,
    ) -> Result<(), StageError> {
        self.scene.set_robot_pose(name, pose, floor)?;
        self.catch_up_clock();
        self.publish_one(name);
        Ok(())
    }

    /// Puts everything back to how it was spawned and publishes the time, then where the
    /// robots are.
    pub(super) fn reset(&mut self, restart_time: bool, seed: Option<i64>) {
        if restart_time {
            self.scene.restart(FIRST_STEP, seed);
        } else {
            self.scene.reset(false, seed);
        }
        self.publish_clock();
        self.publish_robots("", Extent::State);
    }

    /// Lets a subscription that is being closed go before its topic is opened again: within
    /// one process the middleware has one type for a topic, and the last message of the old
    /// one is not for the new.
    fn finish_closing_of(&mut self, node: &mut Node, topic: &str, now: Duration) {
        // Inside a process a message arrives at once. More turns than this could overflow
        // the streams of other topics, which hold ten.
        for _ in 0..4 {
            if !self.closing.iter().any(|input| input.topic() == topic) {
                return;
            }
            node.spin_once(Duration::ZERO);
            self.finish_closing(node, now);
        }
        tracing::warn!("the last subscription to {topic} is still there");
    }

    /// Works off subscriptions that are being closed.
    pub(super) fn finish_closing(&mut self, node: &mut Node, now: Duration) {
        if self.closing.is_empty() {
            return;
        }
        let (done, still) = std::mem::take(&mut self.closing)
            .into_iter()
            .partition(|input| input.done(now));
        self.closing = still;
        let done: Vec<ClosingInput> = done;
        for input in done {
            input.finish(node);
        }
    }

    /// Whether a subscription is being closed.
    pub(super) fn is_closing(&self) -> bool {
        !self.closing.is_empty()
    }
}

/// The topics that the server's own node of this full name opens, whose types no robot can
/// change.
pub(super) fn own_topics_of(node: &str) -> Vec<String> {
    let global = ["/clock", "/parameter_events", "/rosout"];
    let own = ["discs", "poses"].map(|topic| format!("{node}/{topic}"));
    global
        .map(ToOwned::to_owned)
        .into_iter()
        .chain(own)
        .collect()
}
