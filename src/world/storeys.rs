//! The floors of a world, and the robots on them.

use super::bodies::{Robot, extent_of};
use super::{FloorSpec, Floors, Kind, Level, World, WorldError};

impl World {
    /// Adds or replaces a floor. Robots that stand on it move along.
    ///
    /// # Errors
    /// A bad value, or a name that another kind has.
    pub fn add_floor(&mut self, spec: &FloorSpec) -> Result<(), WorldError> {
        self.check_floor(spec)?;
        let before = self.floors.clone();
        self.floors.insert(&spec.name, spec.z);
        self.refresh_levels(&before);
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
        let kept = |name: &str| floors.iter().any(|spec| spec.name == name);
        let gone: Vec<String> = self
            .floors
            .iter()
            .filter(|(name, _)| !kept(name))
            .map(|(name, _)| name.to_owned())
            .collect();
        for name in &gone {
            self.check_floor_unused(name)?;
        }
        let before = self.floors.clone();
        for name in &gone {
            self.floors.remove(name);
        }
        for spec in floors {
            self.floors.insert(&spec.name, spec.z);
        }
        self.refresh_levels(&before);
        Ok(())
    }

    /// Whether no robot stands on a floor or would after a reset.
    ///
    /// # Errors
    /// [`WorldError::FloorInUse`] with the first robot that does.
    pub fn check_floor_unused(&self, name: &str) -> Result<(), WorldError> {
        self.check_floor_unused_but(name, &[])
    }

    /// [`Self::check_floor_unused`] as if some robots were not there.
    pub(crate) fn check_floor_unused_but(
        &self,
        name: &str,
        leaving: &[String],
    ) -> Result<(), WorldError> {
        let uses = |robot: &&Robot| {
            (robot.floor == name || robot.body.floor == name) && !leaving.contains(&robot.body.name)
        };
        match self.robots.values().find(uses) {
            None => Ok(()),
            Some(robot) => Err(WorldError::FloorInUse {
                floor: name.to_owned(),
                robot: robot.body.name.clone(),
            }),
        }
    }

    /// Gives every robot the heights that its level has now, if the floors are not as before.
    pub(super) fn refresh_levels(&mut self, before: &Floors) {
        if self.floors == *before {
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
