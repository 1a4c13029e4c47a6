//! Robots that carry things: the parts of the thing are part of the robot meanwhile.

use std::collections::BTreeMap;

use super::bodies::{Robot, extent_of};
use super::physics::Load;
use super::world::{World, unknown};
use super::{BodyKey, Entity, Level, Part, PlanarShape, Pose2, StepIndex, ThingMotion, WorldError};

/// What a robot carries.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Tow {
    pub(super) thing: BodyKey,
    /// Pose of the thing in the base frame.
    pub(super) at: Pose2,
}

impl World {
    /// Makes a thing that can be pushed part of a robot, where it is: it moves with the robot,
    /// stops where one of its parts is stopped, weighs on it, and the robot does not see it.
    ///
    /// # Errors
    /// An unknown robot or thing, a thing that is not pushed, one of them carries or is
    /// carried already, or they stand on different floors.
    pub fn attach(&mut self, robot: &str, thing: &str) -> Result<(), WorldError> {
        let (robot_key, key) = self.check_attach(robot, thing)?;
        let carried = &self.entities[&key];
        let Some(pose) = self.physics.pose(robot_key) else {
            return Err(unknown("robot", robot));
        };
        let tow = Tow {
            thing: key,
            at: pose.inverse().compose(&carried.pose),
        };
        self.physics.remove(key);
        self.rays.remove(key);
        if let Some(thing) = self.entities.get_mut(&key) {
            thing.carrier = Some(robot_key);
        }
        if let Some(robot) = self.robots.get_mut(&robot_key) {
            robot.tow = Some(tow);
        }
        self.put_together(robot_key);
        Ok(())
    }

    /// The robot and the thing that [`Self::attach`] would join.
    ///
    /// # Errors
    /// As there.
    pub fn check_attach(&self, robot: &str, thing: &str) -> Result<(BodyKey, BodyKey), WorldError> {
        let robot_key = self.robot_key(robot)?;
        let key = self
            .thing_key(thing)
            .ok_or_else(|| unknown("thing", thing))?;
        let carried = &self.entities[&key];
        if !matches!(carried.motion_of_thing(), Some(ThingMotion::Pushed { .. })) {
            return Err(WorldError::NotCarriable {
                kind: carried.kind(),
                name: thing.to_owned(),
            });
        }
        if let Some(present) = self.carried_by(robot) {
            return Err(WorldError::Carries {
                robot: robot.to_owned(),
                thing: present.to_owned(),
            });
        }
        if let Some(carrier) = self.carrier_of(thing) {
            return Err(WorldError::Carried {
                thing: thing.to_owned(),
                robot: carrier.to_owned(),
            });
        }
        let thing_level = self.thing_level(key);
        if thing_level != Some(self.level_of(&self.robots[&robot_key])) {
            return Err(WorldError::OtherFloor {
                robot: robot.to_owned(),
                thing: thing.to_owned(),
            });
        }
        Ok((robot_key, key))
    }

    /// Makes a robot let go of what it carries, which then stands where it is; the name of
    /// that, if there was any.
    ///
    /// # Errors
    /// An unknown robot.
    pub fn detach(&mut self, robot: &str) -> Result<Option<String>, WorldError> {
        let key = self.robot_key(robot)?;
        let name = self.carried_by(robot).map(ToOwned::to_owned);
        self.let_go(key);
        Ok(name)
    }

    /// The name of what a robot carries.
    #[must_use]
    pub fn carried_by(&self, robot: &str) -> Option<&str> {
        let key = self.robot_key(robot).ok()?;
        let thing = self.robots[&key].tow?.thing;
        self.entities.get(&thing).map(Entity::name)
    }

    /// The name of the robot that carries a thing.
    #[must_use]
    pub fn carrier_of(&self, thing: &str) -> Option<&str> {
        let carrier = self.entities.get(self.names.get(thing)?)?.carrier?;
        self.name_of(carrier).map(|(name, _)| name)
    }

    /// Parts what a robot carries from it, given the key of either.
    pub(super) fn let_go(&mut self, key: BodyKey) {
        let carrier = self.entities.get(&key).and_then(|thing| thing.carrier);
        let robot_key = carrier.unwrap_or(key);
        let robot = self.robots.get_mut(&robot_key);
        let Some(tow) = robot.and_then(|robot| robot.tow.take()) else {
            return;
        };
        if let Some(thing) = self.entities.get_mut(&tow.thing) {
            thing.carrier = None;
        }
        self.put_together(robot_key);
        self.place(tow.thing);
    }

    /// Gives physics and rays the parts that a robot has now, with those of what it carries.
    pub(super) fn put_together(&mut self, key: BodyKey) {
        let (Some(robot), Some(pose)) = (self.robots.get(&key), self.physics.pose(key)) else {
            return;
        };
        let z = extent_of(&robot.body, self.level_of(robot));
        let own = [Part::solid(PlanarShape::from(&robot.body.footprint), z)];
        let mut loads = vec![Load {
            parts: &own,
            mass: robot.body.mass,
        }];
        let tow = robot.tow.and_then(|tow| {
            let thing = self.entities.get(&tow.thing)?;
            let parts = thing.parts();
            let carried: Vec<Part> = parts.iter().map(|p| p.carried_at(&tow.at)).collect();
            match thing.motion_of_thing() {
                Some(ThingMotion::Pushed { mass }) => Some((carried, mass)),
                _ => None,
            }
        });
        if let Some((parts, mass)) = &tow {
            loads.push(Load { parts, mass: *mass });
        }
        self.physics.set_loads(key, &loads);
        let all = loads.iter().flat_map(|load| load.parts).cloned();
        self.rays.insert_parts(key, all.collect(), pose);
    }

    /// Takes what a robot carries along to where the robot was put.
    pub(super) fn take_along(&mut self, key: BodyKey, pose: &Pose2, floor: String, level: Level) {
        if let Some(robot) = self.robots.get(&key) {
            robot.lead(pose, self.step, &mut self.entities);
            let thing = robot.tow.and_then(|tow| self.entities.get_mut(&tow.thing));
            if let Some(thing) = thing {
                thing.put_on(floor, level);
            }
        }
    }
}

impl Robot {
    /// Gives what it carries the pose that goes with its own.
    pub(super) fn lead(
        &self,
        pose: &Pose2,
        step: StepIndex,
        entities: &mut BTreeMap<BodyKey, Entity>,
    ) {
        if let Some(tow) = self.tow
            && let Some(thing) = entities.get_mut(&tow.thing)
        {
            thing.rest_at(pose.compose(&tow.at), step);
        }
    }
}
