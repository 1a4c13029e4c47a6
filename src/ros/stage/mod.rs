//! The scene with everything that is open for it in ROS: what steps it and publishes.
//!
//! # The first stamp
//!
//! ROS takes a clock of zero for one that is not set, and nodes wait for it to become
//! something else, also while the world is paused at start. So step 1 is taken when the
//! server starts, in the empty world, where it changes nothing: the first stamp is that of
//! step 1. A reset of time goes back to right after it.

mod kachakas;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use r2r::rosgraph_msgs::msg::Clock;
use r2r::tatami_msgs::srv::SpawnRobot;
use r2r::{Context, Node, QosProfile};

use crate::kachaka::Refusal;
use crate::robot::Selection;
use crate::ros::building::{BuildingTopics, RefusedItem};
use crate::ros::clock::clock_due;
use crate::ros::closing::{Closing, Kept};
use crate::ros::convert;
use crate::ros::output::Output;
use crate::ros::plan::{Interface, Plan, PlanError};
use crate::ros::robot_topics::{Life, Opening, Present, RobotTopics};
use crate::ros::transforms::Transforms;
use crate::ros::uses::Reserved;
use crate::scene::{Scene, SceneError};
use crate::world::{Pose2, SimTime, StepIndex};

/// Why something could not be done to the world or its topics.
#[derive(Debug, thiserror::Error)]
pub(in crate::ros) enum StageError {
    /// The world refused.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// Names that can't be.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// An item of a request that stands for nothing.
    #[error(transparent)]
    Item(#[from] RefusedItem),
    /// A Kachaka refused.
    #[error("{}", .0.message)]
    Onboard(#[from] Refusal),
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

/// Robots to publish.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Chosen<'a> {
    All,
    One(&'a str),
    Prefix(&'a str),
}

impl Chosen<'_> {
    fn holds(self, name: &str) -> bool {
        match self {
            Self::All => true,
            Self::One(one) => name == one,
            Self::Prefix(prefix) => name.starts_with(prefix),
        }
    }
}

/// What a step publishes of a robot beside its transforms.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Extent {
    State,
    StateAndSensors(Selection),
}

/// The scene and its topics.
pub(in crate::ros) struct Stage {
    pub(in crate::ros) scene: Scene,
    pub(in crate::ros) robots: BTreeMap<String, RobotTopics>,
    building: BuildingTopics,
    clock: Output<Clock>,
    clock_rate: f64,
    /// Stamp of the last `/clock`.
    clock_at: SimTime,
    moving: Transforms,
    fixed: Transforms,
    closing: Vec<Closing>,
    /// Robots whose transforms are to be published before requests are answered.
    moved: BTreeSet<String>,
    /// Whether maps are to be made anew before requests are answered.
    maps_are_old: bool,
    /// How many lives robots have begun.
    lives: u64,
    /// Names that no robot can have.
    reserved: Reserved,
    /// For nodes of the robots' own.
    context: Context,
}

impl Stage {
    /// Takes step 1 and opens `/clock`.
    ///
    /// # Errors
    /// When the middleware does not let it be opened.
    pub(in crate::ros) fn new(
        context: Context,
        node: &mut Node,
        mut scene: Scene,
        clock_rate: f64,
    ) -> r2r::Result<Self> {
        for _ in 0..FIRST_STEP {
            scene.step();
        }
        let qos = QosProfile::default().reliable().keep_last(1);
        let stage = Self {
            building: BuildingTopics::open(node)?,
            clock: Output::open(node, "/clock", qos, Clock::default())?,
            clock_rate,
            clock_at: SimTime::default(),
            scene,
            robots: BTreeMap::new(),
            moving: Transforms::moving(),
            fixed: Transforms::fixed(),
            closing: Vec::new(),
            moved: BTreeSet::new(),
            maps_are_old: false,
            lives: 0,
            reserved: Reserved::of(&node.fully_qualified_name()?),
            context,
        };
        Ok(stage)
    }

    /// Changes how often `/clock` is published, in Hz of sim time; 0 = every step.
    pub(in crate::ros) fn set_clock_rate(&mut self, rate: f64) {
        self.clock_rate = rate;
    }

    /// Takes one step and publishes it. The clock of a last step is never left out.
    pub(in crate::ros) fn step(&mut self, last: bool) {
        let before = self.scene.time();
        self.scene.step();
        let now = self.scene.time();
        if last || clock_due(self.clock_rate, before, now) {
            self.publish_clock();
        }
        self.publish_robots(Chosen::All, Extent::StateAndSensors(Selection::Due));
        for (name, topics) in &mut self.robots {
            if let (Some(surface), Some(kachaka)) = (topics.surface(), self.scene.kachaka_mut(name))
            {
                surface.publish_step(now, kachaka);
            }
        }
        self.building.publish_changes(&self.scene);
    }

    /// Publishes the present time on `/clock`.
    pub(in crate::ros) fn publish_clock(&mut self) {
        self.clock_at = self.scene.time();
        self.clock.message.clock = convert::stamp(self.clock_at);
        self.clock.publish();
    }

    /// Publishes the present time unless `/clock` holds it already.
    pub(in crate::ros) fn catch_up_clock(&mut self) {
        if self.clock_at != self.scene.time() {
            self.publish_clock();
        }
    }

    /// Publishes the chosen robots, kind of message by kind of message. Returns how many
    /// there are.
    fn publish_robots(&mut self, chosen: Chosen<'_>, extent: Extent) -> u32 {
        let Self {
            scene,
            robots,
            moving,
            ..
        } = self;
        let now = scene.time();
        let stamp = convert::stamp(now);
        let mut robots: Vec<(&mut RobotTopics, Present<'_>)> = (robots.iter_mut())
            .filter(|(name, _)| chosen.holds(name))
            .filter_map(|(name, topics)| Some((topics, present(scene, name)?)))
            .collect();
        for (topics, robot) in &robots {
            topics.set_transforms(moving, &stamp, *robot);
        }
        if chosen == Chosen::All {
            moving.publish_all();
        } else {
            for (topics, ..) in &robots {
                moving.publish_of(&topics.plan().tf_topic, &topics.plan().robot);
            }
        }
        for (topics, robot) in &mut robots {
            topics.publish_state(now, &stamp, *robot);
        }
        if let Extent::StateAndSensors(which) = extent {
            for (topics, robot) in &mut robots {
                topics.publish_samples(&stamp, scene.sample(robot.robot.name(), which));
            }
        }
        u32::try_from(robots.len()).unwrap_or(u32::MAX)
    }

    /// Publishes one robot's transforms and state at the present time.
    fn publish_one(&mut self, name: &str) {
        let now = self.scene.time();
        let stamp = convert::stamp(now);
        let Some(robot) = present(&self.scene, name) else {
            return;
        };
        if let Some(topics) = self.robots.get_mut(name) {
            topics.set_transforms(&mut self.moving, &stamp, robot);
            self.moving.publish_of(&topics.plan().tf_topic, name);
            topics.publish_state(now, &stamp, robot);
        }
    }

    /// Publishes state and every sensor at the present time, and everything that Kachakas tell
    /// when they have settled: of the robot of this name, or if there is none, of those whose
    /// name starts with it. Returns how many there are.
    pub(in crate::ros) fn republish(&mut self, name: &str) -> u32 {
        let chosen = match name {
            "" => Chosen::All,
            _ if self.robots.contains_key(name) => Chosen::One(name),
            _ => Chosen::Prefix(name),
        };
        self.catch_up_clock();
        let count = self.publish_robots(chosen, Extent::StateAndSensors(Selection::All));
        let mut fixed = BTreeSet::new();
        for (name, topics) in &mut self.robots {
            if chosen.holds(name)
                && let Some(surface) = topics.surface()
            {
                surface.tell_all_again();
                fixed.insert(topics.plan().tf_static_topic());
            }
        }
        if !fixed.is_empty() {
            self.update_maps();
        }
        let stamp = convert::stamp(self.scene.time());
        for topic in fixed {
            self.fixed.publish_stamped(&topic, &stamp);
        }
        count
    }

    /// Adds or replaces a robot and opens its topics. Everything is checked before a robot
    /// of the same name goes.
    ///
    /// # Errors
    /// When the world or the rules for names refuse it; then nothing has changed.
    pub(in crate::ros) fn spawn_robot(
        &mut self,
        node: &mut Node,
        request: &SpawnRobot::Request,
        now: Duration,
    ) -> Result<String, StageError> {
        let plan = Plan::new(request, &self.reserved)?;
        for (name, other) in &self.robots {
            if *name != request.name {
                plan.check_beside(other.plan())?;
            }
        }
        let mut spec = convert::robot(request).map_err(SceneError::from)?;
        spec.onboard = plan.kachaka().map(|kachaka| kachaka.config().clone());
        self.scene.check_spawn(&spec)?;
        self.shut_down_software(&request.name);
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
        let mut kept = self.take_retired(&plan);
        if let Some(old) = self.robots.remove(&name) {
            self.leave_transforms(node, old.plan(), Some(&plan));
            let (keeps, closing) = old.close_outputs(node).keep_for(&plan, node, now);
            self.closing.extend(closing);
            kept = keeps.or(kept);
        }
        if let Interface::Plain { cmd_vel, .. } = &plan.interface {
            self.finish_closing_of(node, cmd_vel, now);
        }
        let life = self.next_life();
        let Some(robot) = present(&self.scene, &name) else {
            return Ok(());
        };
        let opening = Opening {
            node,
            context: &self.context,
            robot: robot.robot,
            kachaka: robot.kachaka,
            urdf,
            life,
        };
        let mut topics = RobotTopics::open(opening, plan, kept)?;
        topics.add_transforms(node, robot, &mut self.moving, &mut self.fixed)?;
        topics.publish_description();
        let stamp = convert::stamp(self.scene.time());
        self.fixed
            .publish_stamped(&topics.plan().tf_static_topic(), &stamp);
        self.robots.insert(name, topics);
        Ok(())
    }

    /// What is left of a robot that is gone and stood where this one will.
    fn take_retired(&mut self, next: &Plan) -> Option<Kept> {
        let surface = next.kachaka()?;
        let fits = |closing: &Closing| closing.fits(surface);
        let index = self.closing.iter().position(fits)?;
        self.closing.swap_remove(index).keep()
    }

    /// Takes a robot's transforms off the topics that its successor does not use.
    fn leave_transforms(&mut self, node: &mut Node, old: &Plan, next: Option<&Plan>) {
        if next.is_none_or(|next| next.tf_topic != old.tf_topic) {
            self.moving.remove(node, &old.tf_topic, &old.robot);
        }
        let topic = old.tf_static_topic();
        let stays = |next: &Plan| next.sends_fixed_transforms() && next.tf_static_topic() == topic;
        if !next.is_some_and(stays) && self.fixed.remove(node, &topic, &old.robot) {
            let stamp = convert::stamp(self.scene.time());
            self.fixed.publish_stamped(&topic, &stamp);
        }
    }

    fn close_topics(&mut self, node: &mut Node, robot: &str, now: Duration) {
        if let Some(old) = self.robots.remove(robot) {
            self.leave_transforms(node, old.plan(), None);
            let left = old.close_outputs(node);
            self.closing.extend(left.close(node, now));
        }
    }

    /// Removes a robot and closes its topics.
    ///
    /// # Errors
    /// When there is none of this name.
    pub(in crate::ros) fn delete_robot(
        &mut self,
        node: &mut Node,
        name: &str,
        now: Duration,
    ) -> Result<(), StageError> {
        self.shut_down_software(name);
        self.scene.delete_robot(name)?;
        self.close_topics(node, name, now);
        Ok(())
    }

    /// Removes everything whose name starts with a prefix. Returns how much that was.
    ///
    /// # Errors
    /// When the prefix is empty, or a robot that would stay stands on one of the floors; then
    /// nothing has changed.
    pub(in crate::ros) fn delete_prefix(
        &mut self,
        node: &mut Node,
        prefix: &str,
        now: Duration,
    ) -> Result<u32, StageError> {
        self.scene.check_delete_prefix(prefix)?;
        let going = (self.robots.keys()).filter(|name| name.starts_with(prefix));
        for name in going.cloned().collect::<Vec<_>>() {
            self.shut_down_software(&name);
        }
        let deleted = self.scene.delete_prefix(prefix)?;
        for robot in &deleted.robots {
            self.close_topics(node, robot, now);
        }
        self.update_maps();
        Ok(deleted.count)
    }

    /// Teleports a robot. Its transforms are published when the stage settles.
    ///
    /// # Errors
    /// When there is none of this name, the pose is not finite or the floor unknown.
    pub(in crate::ros) fn set_robot_pose(
        &mut self,
        name: &str,
        pose: Pose2,
        floor: &str,
    ) -> Result<(), StageError> {
        self.scene.set_robot_pose(name, pose, floor)?;
        self.tell_place(name);
        Ok(())
    }

    /// Puts everything back to how it was spawned and publishes the time, then where the
    /// robots are.
    pub(in crate::ros) fn reset(&mut self, restart_time: bool, seed: Option<i64>) {
        if restart_time {
            self.scene.restart(FIRST_STEP, seed);
        } else {
            self.scene.reset(false, seed);
        }
        for topics in self.robots.values_mut() {
            self.lives += 1;
            topics.begin_life(Life(self.lives));
        }
        self.publish_clock();
        self.publish_robots(Chosen::All, Extent::State);
        self.update_maps();
    }

    fn next_life(&mut self) -> Life {
        self.lives += 1;
        Life(self.lives)
    }

    /// Lets a subscription that is being closed go before its topic is opened again: within
    /// one process the middleware has one type for a topic, and the last message of the old
    /// one is not for the new.
    fn finish_closing_of(&mut self, node: &mut Node, topic: &str, now: Duration) {
        // Inside a process a message arrives at once. More turns than this could overflow
        // the streams of other topics, which hold ten.
        for _ in 0..4 {
            if !self.closing.iter().any(|closing| closing.is_of(topic)) {
                return;
            }
            node.spin_once(Duration::ZERO);
            self.finish_closing(node, now);
        }
        tracing::warn!("the last subscription to {topic} is still there");
    }

    /// Works off what is being closed.
    pub(in crate::ros) fn finish_closing(&mut self, node: &mut Node, now: Duration) {
        for mut closing in std::mem::take(&mut self.closing) {
            closing.attend(now);
            if closing.done(now) {
                self.closing.extend(closing.finish(node, now));
            } else {
                self.closing.push(closing);
            }
        }
    }

    /// Whether something is being closed.
    pub(in crate::ros) fn is_closing(&self) -> bool {
        !self.closing.is_empty()
    }
}

/// A robot as it is told about, none if there is none of this name.
fn present<'a>(scene: &'a Scene, name: &str) -> Option<Present<'a>> {
    Some(Present {
        robot: scene.robot(name)?,
        body: scene.world().robot_state(name)?,
        kachaka: scene.kachaka(name),
    })
}
