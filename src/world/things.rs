//! Things of several parts in a world: how they get there, stand and move.

use super::entity::Standing;
use super::world::World;
use super::{
    BodyKey, Entity, EntityShape, Kind, Level, Part, Pose2, ThingMotion, ThingSpec, WorldError,
    ZExtent,
};

impl World {
    /// Adds or replaces a thing of several parts.
    ///
    /// # Errors
    /// A bad value, an unknown floor, or a name that another kind has.
    pub fn add_thing(&mut self, spec: &ThingSpec) -> Result<BodyKey, WorldError> {
        let (shape, z) = self.check_thing(spec)?;
        let level = self.check_level(spec.kind, &spec.name, &spec.floor)?;
        let z = ZExtent::new(z.min + level.floor, z.max + level.floor);
        let standing = Standing {
            floor: self.floor_name(&spec.floor),
            spawned: spec.floor.clone(),
            base: level.floor,
        };
        Ok(self.insert(&spec.name, shape, z, spec.pose, [0.0; 2], Some(standing)))
    }

    /// The form that [`Self::add_thing`] would give it, and its heights above the floor.
    ///
    /// # Errors
    /// As there.
    pub fn check_thing(&self, spec: &ThingSpec) -> Result<(EntityShape, ZExtent), WorldError> {
        let checked = spec.check()?;
        self.check_free(&spec.name, spec.kind)?;
        self.check_level(spec.kind, &spec.name, &spec.floor)?;
        Ok(checked)
    }

    /// The key of a thing, which is its own until it is removed or replaced.
    #[must_use]
    pub fn thing_key(&self, name: &str) -> Option<BodyKey> {
        let key = *self.names.get(name)?;
        self.thing(key).map(|_| key)
    }

    /// A thing of several parts.
    #[must_use]
    pub fn thing(&self, key: BodyKey) -> Option<&Entity> {
        let is_thing = |entity: &&Entity| entity.standing.is_some();
        self.entities.get(&key).filter(is_thing)
    }

    /// Where a thing is now, carried or not.
    #[must_use]
    pub fn thing_pose(&self, key: BodyKey) -> Option<Pose2> {
        self.thing(key).map(Entity::pose)
    }

    /// The level a thing stands on.
    #[must_use]
    pub fn thing_level(&self, key: BodyKey) -> Option<Level> {
        let standing = self.thing(key)?.standing.as_ref()?;
        self.floors.level(&standing.floor)
    }

    /// Name and kind of what has a key: a robot or an entity.
    #[must_use]
    pub fn name_of(&self, key: BodyKey) -> Option<(&str, Kind)> {
        if let Some(entity) = self.entities.get(&key) {
            return Some((&entity.name, entity.shape.kind()));
        }
        let robot = self.robots.get(&key)?;
        Some((&robot.body.name, Kind::Robot))
    }

    /// Teleports a thing to rest; floor "" = it stays on the present one. Who carries it lets
    /// go of it.
    ///
    /// # Errors
    /// An unknown key or floor, or a pose that is not finite.
    pub fn place_thing(
        &mut self,
        key: BodyKey,
        pose: Pose2,
        floor: &str,
    ) -> Result<(), WorldError> {
        let thing = self.known_thing(key)?;
        thing.check_pose(&pose)?;
        let stays = thing.standing.as_ref().map(|s| s.floor.clone());
        let floor = match floor {
            "" => stays.unwrap_or_default(),
            name => name.to_owned(),
        };
        let level = self.check_level(thing.shape.kind(), &thing.name, &floor)?;
        self.let_go(key);
        if let Some(thing) = self.entities.get_mut(&key) {
            let lifted = thing.put_on(floor, level);
            let is_other = lifted || thing.pose != pose;
            thing.rest_at(pose, self.step);
            self.standing_revision += u64::from(is_other && thing.shape.stands());
            self.place(key);
        }
        Ok(())
    }

    /// Moves a thing that is driven to where it shall be in the coming step. Up to 2 m/s it
    /// takes robots in its way along; what is farther is a jump. People go through robots.
    ///
    /// # Errors
    /// An unknown key, a thing that is not driven, or a pose that is not finite.
    pub fn drive_thing(&mut self, key: BodyKey, pose: Pose2) -> Result<(), WorldError> {
        let thing = self.known_thing(key)?;
        if thing.motion_of_thing() != Some(ThingMotion::Driven) {
            return Err(WorldError::NotDriven {
                kind: thing.shape.kind(),
                name: thing.name.clone(),
            });
        }
        thing.check_pose(&pose)?;
        if thing.pose == pose {
            return Ok(());
        }
        if let Some(thing) = self.entities.get_mut(&key) {
            thing.rest_at(pose, self.step);
            self.physics.set_pose(key, pose);
            self.rays.set_pose(key, pose);
        }
        Ok(())
    }

    /// What of robots, pushed things, people and discs a thing would overlap at a pose on its
    /// floor, each with the depth in metres, in the order in which they were added. A thing
    /// that is carried counts as part of the robot.
    #[must_use]
    pub fn overlap_of(&self, key: BodyKey, at: Pose2) -> Vec<(BodyKey, f64)> {
        self.thing(key).map_or_else(Vec::new, |thing| {
            self.overlap_of_parts(&thing.parts(), at, Some(key))
        })
    }

    /// As [`Self::overlap_of`], of parts that need not be in the world, with heights in the
    /// world: of the place in which a sensor looks for somebody. Parts that are only seen
    /// overlap nothing.
    #[must_use]
    pub fn overlap_of_parts(
        &self,
        parts: &[Part],
        at: Pose2,
        except: Option<BodyKey>,
    ) -> Vec<(BodyKey, f64)> {
        self.physics.overlaps(parts, at, except)
    }

    pub(super) fn known_thing(&self, key: BodyKey) -> Result<&Entity, WorldError> {
        self.thing(key)
            .ok_or(WorldError::UnknownThing { key: key.0 })
    }
}
