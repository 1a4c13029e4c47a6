//! The scene: one world, its robots, and the step.

use std::collections::BTreeMap;

use super::SceneError;
use crate::building::Building;
use crate::kachaka::{Counters, Kachaka};
use crate::robot::{Robot, RobotSpec, Sample, Selection};
use crate::world::{
    Contact, Dynamics, PhysicsDt, Pose2, SimTime, StepIndex, Twist2, World, WorldError,
};

/// Overlap beyond which a spawned robot is reported to stand inside something, m.
const INSIDE_DEPTH: f64 = 1e-3;

/// What a scene is made with. Fixed for its life, but for the seed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SceneConfig {
    /// The physics step.
    pub dt: PhysicsDt,
    /// What happens when a robot meets something.
    pub dynamics: Dynamics,
    /// Seed of every noise.
    pub seed: i64,
    /// Part of the ids of commands, so that those of two runs differ. Nothing else depends
    /// on it.
    pub run: i64,
}

/// The true state of a robot with its name.
#[derive(Debug, Clone, PartialEq)]
pub struct RobotState {
    /// Name of the robot.
    pub name: String,
    /// Pose of the base frame.
    pub pose: Pose2,
    /// Name of the floor it stands on; "" for the ground that is there without any floor.
    pub floor: String,
    /// Height of that floor, m.
    pub z: f64,
    /// Twist of the body over the last step, in the base frame.
    pub twist: Twist2,
}

/// What became of a robot to spawn.
#[derive(Debug, Clone, PartialEq)]
pub struct Spawned {
    /// Remarks for whoever asked; "" when there is nothing to say.
    pub message: String,
    /// Whether a robot of that name was there and is gone.
    pub replaced: bool,
    /// Lines for the log: what of the description was skipped.
    pub skipped: Vec<String>,
}

/// What a prefix removed.
#[derive(Debug, Clone, PartialEq)]
pub struct Deleted {
    /// How many things.
    pub count: u32,
    /// The robots among them.
    pub robots: Vec<String>,
}

/// One world with its robots.
pub struct Scene {
    pub(super) world: World,
    pub(super) building: Building,
    pub(super) robots: BTreeMap<String, Robot>,
    pub(super) kachakas: BTreeMap<String, Kachaka>,
    /// Of Kachakas that are gone, by name.
    pub(super) counters: BTreeMap<String, Counters>,
    pub(super) seed: i64,
    pub(super) run: i64,
}

impl Scene {
    /// An empty scene at step 0.
    #[must_use]
    pub fn new(config: SceneConfig) -> Self {
        Self {
            world: World::new(config.dt, config.dynamics),
            building: Building::new(config.seed),
            robots: BTreeMap::new(),
            kachakas: BTreeMap::new(),
            counters: BTreeMap::new(),
            seed: config.seed,
            run: config.run,
        }
    }

    /// The world, to look at.
    #[must_use]
    pub fn world(&self) -> &World {
        &self.world
    }

    /// Doors, people, shelves, chargers, drops and elevators, to look at.
    #[must_use]
    pub fn building(&self) -> &Building {
        &self.building
    }

    /// The physics step.
    #[must_use]
    pub fn dt(&self) -> PhysicsDt {
        self.world.dt()
    }

    /// Index of the last step taken.
    #[must_use]
    pub fn step_index(&self) -> StepIndex {
        self.world.step_index()
    }

    /// Stamp of the last step taken.
    #[must_use]
    pub fn time(&self) -> SimTime {
        self.world.time()
    }

    /// Seed of every noise.
    #[must_use]
    pub fn seed(&self) -> i64 {
        self.seed
    }

    /// Takes exactly one step: drives, doors and people, physics, odometry.
    pub fn step(&mut self) {
        let now = self.world.time();
        self.let_kachakas_decide();
        for robot in self.robots.values_mut() {
            robot.drive(&mut self.world, now);
        }
        self.step_building();
        self.world.step();
        self.building.follow(&self.world);
        for robot in self.robots.values_mut() {
            robot.follow(&self.world);
        }
        self.let_kachakas_observe();
    }

    /// Adds or replaces a robot. A spawn inside something is allowed and reported.
    ///
    /// # Errors
    /// Whatever is wrong with the description, the sensors, the drive, the body or the name.
    pub fn spawn_robot(&mut self, spec: RobotSpec) -> Result<Spawned, SceneError> {
        let (robot, mut remarks) = Robot::build(spec, self.world.dt())?;
        self.world.check_robot(&robot.body())?;
        let name = robot.name().to_owned();
        let replaced = self.robots.remove(&name).is_some();
        let key = self.world.add_robot(robot.body())?;
        self.robots.insert(name.clone(), robot.placed_as(key));
        self.start_software(&name);
        for contact in self.world.contacts(&name)? {
            if contact.depth > INSIDE_DEPTH {
                remarks.notes.push(format!(
                    "spawned inside {} '{}', {:.3} m deep",
                    contact.kind, contact.name, contact.depth
                ));
            }
        }
        Ok(Spawned {
            message: remarks.notes.join("; "),
            replaced,
            skipped: remarks.skipped,
        })
    }

    /// Whether [`Self::spawn_robot`] would take it.
    ///
    /// # Errors
    /// As there.
    pub fn check_spawn(&self, spec: &RobotSpec) -> Result<(), SceneError> {
        let (robot, _) = Robot::build(spec.clone(), self.world.dt())?;
        self.world.check_robot(&robot.body())?;
        Ok(())
    }

    /// Removes a robot.
    ///
    /// # Errors
    /// An unknown name.
    pub fn delete_robot(&mut self, name: &str) -> Result<(), SceneError> {
        self.world.remove_robot(name)?;
        self.robots.remove(name);
        self.end_software(name);
        // What it carried stands now.
        self.building.observe(&self.world);
        Ok(())
    }

    /// Teleports a robot to rest; floor "" = it stays on the present one. Its odometry does
    /// not notice.
    ///
    /// # Errors
    /// An unknown robot or floor, or a pose that is not finite.
    pub fn set_robot_pose(
        &mut self,
        name: &str,
        pose: Pose2,
        floor: &str,
    ) -> Result<(), SceneError> {
        self.world.set_robot_pose(name, pose, floor)?;
        if let Some(robot) = self.robots.get_mut(name) {
            robot.stop();
        }
        self.show_place(name);
        Ok(())
    }

    /// Puts everything that exists back to how it was spawned: poses, odometry, drives,
    /// noise and physics. With `restart_time` the next step is step 1; with a seed the noise
    /// is another one from now on.
    pub fn reset(&mut self, restart_time: bool, seed: Option<i64>) {
        self.world.reset(restart_time);
        self.reset_robots(seed);
    }

    /// Like [`Self::reset`], and the last step taken is then this one.
    pub fn restart(&mut self, step: StepIndex, seed: Option<i64>) {
        self.world.restart(step);
        self.reset_robots(seed);
    }

    fn reset_robots(&mut self, seed: Option<i64>) {
        for robot in self.robots.values_mut() {
            robot.reset();
        }
        if let Some(seed) = seed {
            self.seed = seed;
        }
        self.building.reset(&self.world, self.seed);
        self.reset_kachakas();
    }

    /// A robot by its name.
    #[must_use]
    pub fn robot(&self, name: &str) -> Option<&Robot> {
        self.robots.get(name)
    }

    /// All robots, by name.
    pub fn robots(&self) -> impl Iterator<Item = &Robot> {
        self.robots.values()
    }

    /// The true state of a robot.
    ///
    /// # Errors
    /// An unknown name.
    pub fn state(&self, name: &str) -> Result<RobotState, SceneError> {
        let unknown = || WorldError::Unknown {
            kind: "robot",
            name: name.to_owned(),
        };
        let body = self.world.robot_state(name).ok_or_else(unknown)?;
        Ok(RobotState {
            name: name.to_owned(),
            pose: body.pose,
            floor: self.world.robot_floor(name).unwrap_or_default().to_owned(),
            z: body.level.floor,
            twist: body.twist,
        })
    }

    /// What a robot's body touches now. It is looked for each time, so ask only when needed.
    ///
    /// # Errors
    /// An unknown name.
    pub fn contacts(&self, name: &str) -> Result<Vec<Contact>, SceneError> {
        Ok(self.world.contacts(name)?)
    }

    /// What a robot's sensors read at the present step, each with its place among the robot's
    /// sensors. A lidar that rests reads nothing.
    #[must_use]
    pub fn sample(&self, robot: &str, which: Selection) -> Vec<(usize, Sample)> {
        let kachaka = self.kachakas.get(robot);
        let lidars_rest = kachaka.is_some_and(|kachaka| !kachaka.lidar_is_active());
        self.robots.get(robot).map_or_else(Vec::new, |robot| {
            robot.sample(&self.world, self.seed, which, lidars_rest)
        })
    }
}
