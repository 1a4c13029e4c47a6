//! The floors of a world, and the robots on them.

use std::collections::{BTreeMap, BTreeSet};

use super::bodies::{Robot, extent_of};
use super::{FloorSpec, Kind, Level, World, WorldError};

impl World {
    /// Adds or replaces a floor. Robots that stand on it move along.
    ///
    /// # Errors
    /// A bad value, or a name that another kind has.
    pub fn add_floor(&mut self, spec: &FloorSpec) -> Result<(), WorldError> {
        self.add_floors(std::slice::from_ref(spec))
    }

    /// As [`Self::add_floor`], of many at once.
    ///
    /// # Errors
    /// As there, of the first one that is wrong; then nothing is changed.
    pub fn add_floors(&mut self, specs: &[FloorSpec]) -> Result<(), WorldError> {
        for spec in specs {
            self.check_floor(spec)?;
        }
        self.change_floors(&[], specs);
        Ok(())
    }

    /// Whether [`Self::add_floor`] would take it.
    ///
    /// # Errors
    /// As there.
    pub fn check_floor(&self, spec: &FloorSpec) -> Result<(), WorldError> {
        spec.check()?;
        self.check_free(&spec.name, Kind::Floor)
    }

    /// Replaces all floors.
    ///
    /// # Errors
    /// As [`Self::add_floor`], or when a robot stands on a floor that would go.
    pub fn set_levels(&mut self, floors: &[FloorSpec]) -> Result<(), WorldError> {
        for spec in floors {
            self.check_floor(spec)?;
        }
        let kept: BTreeSet<&str> = floors.iter().map(|spec| spec.name.as_str()).collect();
        let names = self.floors.iter().map(|(name, _)| name);
        let gone: Vec<String> = names
            .filter(|name| !kept.contains(name))
            .map(ToOwned::to_owned)
            .collect();
        let in_use = self.floors_in_use(&[]);
        for name in &gone {
            in_use.check_unused(name)?;
        }
        self.change_floors(&gone, floors);
        Ok(())
    }

    /// Whether no robot stands on a floor or would after a reset.
    ///
    /// # Errors
    /// [`WorldError::FloorInUse`] with the first robot that does.
    pub fn check_floor_unused(&self, name: &str) -> Result<(), WorldError> {
        self.floors_in_use(&[]).check_unused(name)
    }

    /// The floors on which robots stand or would after a reset, as if some robots were not
    /// there.
    pub(crate) fn floors_in_use(&self, leaving: &[String]) -> FloorsInUse<'_> {
        let leaving: BTreeSet<&str> = leaving.iter().map(String::as_str).collect();
        let stays = |robot: &&Robot| !leaving.contains(robot.body.name.as_str());
        let mut first = BTreeMap::new();
        for robot in self.robots.values().filter(stays) {
            for floor in [&robot.floor, &robot.body.floor] {
                first.entry(floor.as_str()).or_insert(&*robot.body.name);
            }
        }
        FloorsInUse(first)
    }

    /// Takes floors out, then adds or replaces some, all of them checked, and gives every robot
    /// the heights that its level has now.
    pub(super) fn change_floors(&mut self, removed: &[String], added: &[FloorSpec]) {
        let removed = removed.iter().map(String::as_str);
        let added = added.iter().map(|spec| (spec.name.as_str(), spec.z));
        if !self.floors.change(removed, added) {
            return;
        }
        self.standing_revision += 1;
        for (key, robot) in &self.robots {
            let z = extent_of(&robot.body, self.level_of(robot));
            self.physics.set_extent(*key, z);
            self.rays.set_extent(*key, z);
        }
    }

    pub(super) fn level_of(&self, robot: &Robot) -> Level {
        let ground = Level {
            floor: 0.0,
            ceiling: f64::INFINITY,
        };
        // A floor with a robot on it can't be removed, so the lookup always finds it.
        self.floors.level(&robot.floor).unwrap_or(ground)
    }
}

/// Floors that can't go, each with the first robot that needs it.
pub(crate) struct FloorsInUse<'a>(BTreeMap<&'a str, &'a str>);

impl FloorsInUse<'_> {
    /// Whether a floor can go.
    ///
    /// # Errors
    /// [`WorldError::FloorInUse`] with the robot that needs it.
    pub(crate) fn check_unused(&self, name: &str) -> Result<(), WorldError> {
        match self.0.get(name) {
            None => Ok(()),
            Some(robot) => Err(WorldError::FloorInUse {
                floor: name.to_owned(),
                robot: (*robot).to_owned(),
            }),
        }
    }
}
