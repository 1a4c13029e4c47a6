//! The world: what stands in it, the bodies of robots, and the step.

use std::collections::{BTreeMap, BTreeSet};

use super::bodies::Robot;
use super::entity::{Motion, Standing};
use super::physics::{Load, Physics};
use super::rays::RayIndex;
use super::storeys::level_of;
use super::{
    BodyKey, BoxSpec, DiscSpec, Dynamics, Entity, EntityShape, Floors, Kind, MoveSpec, OutlineSpec,
    PhysicsDt, Pose2, SimTime, StepIndex, ThingMotion, Twist2, WorldError, ZExtent,
};

/// The planar world with heights: entities, robots' bodies, physics, rays and time.
///
/// The same calls in the same order give the same bytes in every process.
///
/// ```
/// use tatami::world::{BoxSpec, Dynamics, Footprint, PhysicsDt, Pose2, RobotBody, Twist2, World};
///
/// let dt = PhysicsDt::from_seconds(0.01)?;
/// let mut world = World::new(dt, Dynamics::Rigid);
/// world.add_box(&BoxSpec {
///     name: "wall".into(),
///     size: [0.1, 6.0],
///     pose: Pose2::new(3.0, 0.0, 0.0),
///     z_min: 0.0,
///     z_max: 2.0,
/// })?;
/// world.add_robot(RobotBody {
///     name: "bot".into(),
///     footprint: Footprint::disc(0.2)?,
///     pose: Pose2::default(),
///     floor: String::new(),
///     z_min: 0.0,
///     height: 0.3,
///     mass: 10.0,
/// })?;
/// world.command("bot", Twist2::new(0.5, 0.0, 0.0))?;
/// for _ in 0..100 {
///     world.step();
/// }
/// let state = world.robot_state("bot").expect("it was added above");
/// assert!((state.pose.x - 0.5).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct World {
    pub(super) dt: PhysicsDt,
    dynamics: Dynamics,
    pub(super) step: StepIndex,
    next_key: u32,
    /// See [`World::standing_revision`].
    pub(super) standing_revision: u64,
    pub(super) names: BTreeMap<String, BodyKey>,
    pub(super) floors: Floors,
    pub(super) entities: BTreeMap<BodyKey, Entity>,
    /// Entities with a velocity: all that a step has to move.
    pub(super) drifting: BTreeSet<BodyKey>,
    pub(super) robots: BTreeMap<BodyKey, Robot>,
    pub(super) physics: Physics,
    pub(super) rays: RayIndex,
}

impl World {
    /// An empty world at step 0.
    #[must_use]
    pub fn new(dt: PhysicsDt, dynamics: Dynamics) -> Self {
        Self {
            dt,
            dynamics,
            step: 0,
            next_key: 0,
            standing_revision: 0,
            names: BTreeMap::new(),
            floors: Floors::default(),
            entities: BTreeMap::new(),
            drifting: BTreeSet::new(),
            robots: BTreeMap::new(),
            physics: Physics::new(dt.seconds(), dynamics),
            rays: RayIndex::default(),
        }
    }

    /// The physics step.
    #[must_use]
    pub fn dt(&self) -> PhysicsDt {
        self.dt
    }

    /// What happens on contact.
    #[must_use]
    pub fn dynamics(&self) -> Dynamics {
        self.dynamics
    }

    /// Index of the last step taken.
    #[must_use]
    pub fn step_index(&self) -> StepIndex {
        self.step
    }

    /// Stamp of the last step taken.
    #[must_use]
    pub fn time(&self) -> SimTime {
        self.dt.stamp(self.step)
    }

    /// A number that grows with every change of what stands: floors, outlines, boxes and
    /// things that are fixed. What is put where it stands already is no change; discs, robots
    /// and what is driven or pushed do not count. It never goes back, not even with a reset.
    #[must_use]
    pub fn standing_revision(&self) -> u64 {
        self.standing_revision
    }

    /// All floors.
    #[must_use]
    pub fn floors(&self) -> &Floors {
        &self.floors
    }

    /// Outlines, boxes, discs and things, by name.
    pub fn entities(&self) -> impl Iterator<Item = &Entity> {
        self.names.values().filter_map(|key| self.entities.get(key))
    }

    /// What a name stands for.
    #[must_use]
    pub fn kind_of(&self, name: &str) -> Option<Kind> {
        if self.floors.contains(name) {
            return Some(Kind::Floor);
        }
        let key = self.names.get(name)?;
        Some(match self.entities.get(key) {
            Some(entity) => entity.shape.kind(),
            None => Kind::Robot,
        })
    }

    /// Adds or replaces a closed ring of walls.
    ///
    /// # Errors
    /// A bad value, or a name that another kind has.
    pub fn add_outline(&mut self, spec: &OutlineSpec) -> Result<(), WorldError> {
        let (shape, z) = self.check_outline(spec)?;
        self.insert(&spec.name, shape, z, Pose2::default(), [0.0; 2], None);
        Ok(())
    }

    /// The form that [`Self::add_outline`] would give it.
    ///
    /// # Errors
    /// As there.
    pub fn check_outline(&self, spec: &OutlineSpec) -> Result<(EntityShape, ZExtent), WorldError> {
        self.check_free(&spec.name, Kind::Outline)?;
        spec.check()
    }

    /// Adds or replaces a box.
    ///
    /// # Errors
    /// A bad value, or a name that another kind has.
    pub fn add_box(&mut self, spec: &BoxSpec) -> Result<(), WorldError> {
        let (shape, z) = self.check_box(spec)?;
        self.insert(&spec.name, shape, z, spec.pose, [0.0; 2], None);
        Ok(())
    }

    /// The form that [`Self::add_box`] would give it.
    ///
    /// # Errors
    /// As there.
    pub fn check_box(&self, spec: &BoxSpec) -> Result<(EntityShape, ZExtent), WorldError> {
        self.check_free(&spec.name, Kind::Box)?;
        spec.check()
    }

    /// Adds a disc, or moves the one of that name: with the same radius and heights it keeps
    /// the place where it was spawned, to which a reset brings it back.
    ///
    /// # Errors
    /// A bad value, or a name that another kind has.
    pub fn add_disc(&mut self, spec: &DiscSpec) -> Result<(), WorldError> {
        let (shape, z) = self.check_disc(spec)?;
        let pose = Pose2::new(spec.center[0], spec.center[1], 0.0);
        let same = self.names.get(&spec.name).copied().filter(|key| {
            self.entities
                .get(key)
                .is_some_and(|entity| entity.shape == shape && entity.z == z)
        });
        match same {
            Some(key) => self.set_motion(key, pose, spec.velocity),
            None => {
                self.insert(&spec.name, shape, z, pose, spec.velocity, None);
            }
        }
        Ok(())
    }

    /// The form that [`Self::add_disc`] would give it.
    ///
    /// # Errors
    /// As there.
    pub fn check_disc(&self, spec: &DiscSpec) -> Result<(EntityShape, ZExtent), WorldError> {
        self.check_free(&spec.name, Kind::Disc)?;
        spec.check()
    }

    /// Puts a box or a disc somewhere else; a disc keeps its velocity.
    ///
    /// # Errors
    /// A bad value, an unknown name, or the name of something that can't be moved.
    pub fn move_entity(&mut self, spec: &MoveSpec) -> Result<(), WorldError> {
        let key = self.check_move(spec)?;
        let velocity = self.entities[&key].motion.velocity;
        self.set_motion(key, spec.pose, velocity);
        Ok(())
    }

    /// The key of what [`Self::move_entity`] would move.
    ///
    /// # Errors
    /// As there.
    pub fn check_move(&self, spec: &MoveSpec) -> Result<BodyKey, WorldError> {
        let kind = self
            .kind_of(&spec.name)
            .ok_or_else(|| unknown("box or disc", &spec.name))?;
        if !matches!(kind, Kind::Box | Kind::Disc) {
            let name = spec.name.clone();
            return Err(WorldError::NotMovable { kind, name });
        }
        spec.check(kind)?;
        Ok(self.names[&spec.name])
    }

    /// Removes an outline, box, disc, thing or floor. Who carries a thing lets go of it.
    ///
    /// # Errors
    /// An unknown name, a robot's name, or a floor that something stands on.
    pub fn remove(&mut self, name: &str) -> Result<(), WorldError> {
        self.remove_all(&[name.to_owned()])
    }

    /// As [`Self::remove`], of many at once; a name may stand there twice.
    ///
    /// # Errors
    /// As there, of one of the names; then nothing is removed.
    pub fn remove_all(&mut self, names: &[String]) -> Result<(), WorldError> {
        let mut floors = Vec::new();
        for name in names {
            match self.kind_of(name) {
                None | Some(Kind::Robot) => return Err(unknown("entity", name)),
                Some(Kind::Floor) => floors.push(name.clone()),
                Some(_) => {}
            }
        }
        if !floors.is_empty() {
            let in_use = self.floors_in_use(names);
            for floor in &floors {
                in_use.check_unused(floor)?;
            }
        }
        for name in names {
            self.forget(name);
        }
        self.change_floors(&floors, &[]);
        Ok(())
    }

    pub(super) fn insert(
        &mut self,
        name: &str,
        shape: EntityShape,
        z: ZExtent,
        pose: Pose2,
        velocity: [f64; 2],
        standing: Option<Standing>,
    ) -> BodyKey {
        let before = self.standing_revision;
        let is_there =
            |entity: &Entity| entity.shape == shape && entity.z == z && entity.pose == pose;
        let key = self.names.get(name);
        let is_same = key
            .and_then(|key| self.entities.get(key))
            .is_some_and(is_there);
        self.forget(name);
        self.standing_revision = match is_same {
            true => before,
            false => before + u64::from(shape.stands()),
        };
        let key = self.take_key(name);
        let motion = Motion {
            pose,
            velocity,
            since: self.step,
        };
        let spawned = Motion { since: 0, ..motion };
        let entity = Entity {
            name: name.to_owned(),
            key,
            shape,
            z,
            motion,
            spawned,
            pose,
            standing,
            carrier: None,
        };
        self.entities.insert(key, entity);
        self.place(key);
        self.note_drift(key, velocity);
        key
    }

    /// Hands an entity to physics and rays, but not what is a part of the robot that carries
    /// it.
    pub(super) fn place(&mut self, key: BodyKey) {
        let entity = self.entities.get(&key);
        let Some(entity) = entity.filter(|entity| entity.carrier.is_none()) else {
            return;
        };
        let (pose, parts) = (entity.pose, entity.parts());
        if entity.kind() == Kind::Drop {
            self.rays.insert_drop(key, &parts, pose);
            return;
        }
        if let Some(ThingMotion::Pushed { mass }) = entity.motion_of_thing() {
            let parts = &parts;
            self.physics.insert_pushed(key, Load { parts, mass }, pose);
        } else {
            self.physics.insert_parts(key, parts.clone(), pose);
        }
        self.rays.insert_parts(key, parts, pose);
    }

    fn set_motion(&mut self, key: BodyKey, pose: Pose2, velocity: [f64; 2]) {
        let since = self.step;
        if let Some(entity) = self.entities.get_mut(&key) {
            entity.motion = Motion {
                pose,
                velocity,
                since,
            };
            let has_moved = entity.pose != pose;
            entity.pose = pose;
            self.standing_revision += u64::from(has_moved && entity.shape.stands());
            self.physics.set_pose(key, pose);
            self.rays.set_pose(key, pose);
            self.note_drift(key, velocity);
        }
    }

    fn note_drift(&mut self, key: BodyKey, velocity: [f64; 2]) {
        if velocity == [0.0, 0.0] {
            self.drifting.remove(&key);
        } else {
            self.drifting.insert(key);
        }
    }

    /// Takes one step.
    pub fn step(&mut self) {
        self.step += 1;
        for (key, robot) in &mut self.robots {
            robot.previous_twist = self.physics.twist(*key).unwrap_or_default();
        }
        for key in &self.drifting {
            if let Some(entity) = self.entities.get_mut(key) {
                let pose = entity.motion.at(self.step, self.dt.seconds());
                entity.pose = pose;
                self.physics.set_pose(*key, pose);
                self.rays.set_pose(*key, pose);
            }
        }
        self.physics.step();
        for key in self.physics.moved() {
            if let (Some(thing), Some(pose)) = (self.entities.get_mut(key), self.physics.pose(*key))
            {
                thing.rest_at(pose, self.step);
                self.rays.set_pose(*key, pose);
            }
        }
        for (key, robot) in &self.robots {
            if let Some(pose) = self.physics.pose(*key) {
                self.rays.set_pose(*key, pose);
                robot.lead(&pose, self.step, &mut self.entities);
            }
        }
    }

    /// Takes every step that fits until a time and returns how many it took.
    pub fn advance(&mut self, to: SimTime) -> u64 {
        let target = to.0 / self.dt.nanoseconds();
        let steps = target.saturating_sub(self.step);
        for _ in 0..steps {
            self.step();
        }
        steps
    }

    /// Puts everything that exists back to how it was spawned, and the physics with it, so
    /// that a run after it equals a first run. With `restart_time` the next step is step 1.
    pub fn reset(&mut self, restart_time: bool) {
        if restart_time {
            self.step = 0;
        }
        self.physics = Physics::new(self.dt.seconds(), self.dynamics);
        self.rays = RayIndex::default();
        self.drifting.clear();
        self.standing_revision += 1;
        let mut keys: Vec<BodyKey> = self.names.values().copied().collect();
        // The order of creation, in which they came into a first run, too.
        keys.sort_unstable();
        for key in keys {
            if let Some(mut entity) = self.entities.remove(&key) {
                entity.motion = Motion {
                    since: self.step,
                    ..entity.spawned
                };
                entity.pose = entity.spawned.pose;
                entity.carrier = None;
                let spawned = entity
                    .standing
                    .as_ref()
                    .map(|s| self.floor_name(&s.spawned));
                if let Some(floor) = spawned {
                    let level = level_of(&self.floors, &floor);
                    entity.put_on(floor, level);
                }
                self.note_drift(key, entity.spawned.velocity);
                self.entities.insert(key, entity);
                self.place(key);
            } else if let Some(mut robot) = self.robots.remove(&key) {
                robot.previous_twist = Twist2::ZERO;
                robot.tow = None;
                robot.floor = self.floor_name(&robot.body.floor);
                let level = self.level_of(&robot);
                self.place_robot(key, &robot.body, level);
                self.robots.insert(key, robot);
            }
        }
    }

    /// Like [`Self::reset`], and the last step taken is then this one: for who begins to
    /// fill a world after some steps.
    pub fn restart(&mut self, step: StepIndex) {
        self.step = step;
        self.reset(false);
    }

    pub(super) fn check_free(&self, name: &str, wanted: Kind) -> Result<(), WorldError> {
        match self.kind_of(name) {
            Some(holder) if holder != wanted => Err(WorldError::NameTaken {
                name: name.to_owned(),
                wanted,
                holder,
            }),
            _ => Ok(()),
        }
    }

    pub(super) fn take_key(&mut self, name: &str) -> BodyKey {
        let key = BodyKey(self.next_key);
        self.next_key += 1;
        self.names.insert(name.to_owned(), key);
        key
    }

    /// Takes whatever has this name out of the world, floors excepted.
    pub(super) fn forget(&mut self, name: &str) {
        if let Some(key) = self.names.get(name) {
            self.let_go(*key);
        }
        if let Some(key) = self.names.remove(name) {
            if let Some(entity) = self.entities.remove(&key) {
                self.standing_revision += u64::from(entity.shape.stands());
            }
            self.robots.remove(&key);
            self.drifting.remove(&key);
            self.physics.remove(key);
            self.rays.remove(key);
        }
    }
}

pub(super) fn unknown(kind: &'static str, name: &str) -> WorldError {
    WorldError::Unknown {
        kind,
        name: name.to_owned(),
    }
}
