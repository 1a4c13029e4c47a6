//! The floors of a world, and what stands on them.

use std::collections::{BTreeMap, BTreeSet};

use super::bodies::Robot;
use super::{FloorSpec, Floors, Kind, Level, World, WorldError};

impl World {
    /// Adds or replaces a floor. Robots and things that stand on it move along.
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
    /// As [`Self::add_floor`], or when something stands on a floor that would go.
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

    /// Whether nothing stands on a floor or would after a reset.
    ///
    /// # Errors
    /// [`WorldError::FloorInUse`] with the first robot or thing that does.
    pub fn check_floor_unused(&self, name: &str) -> Result<(), WorldError> {
        self.floors_in_use(&[]).check_unused(name)
    }

    /// The floors on which robots and things stand or would after a reset, as if some of
    /// those names were not there.
    pub(crate) fn floors_in_use(&self, leaving: &[String]) -> FloorsInUse<'_> {
        let leaving: BTreeSet<&str> = leaving.iter().map(String::as_str).collect();
        let robots = self.robots.values().map(|robot| {
            let floors = [&*robot.floor, &*robot.body.floor];
            (floors, (Kind::Robot, &*robot.body.name))
        });
        let things = self.entities.values().filter_map(|thing| {
            let standing = thing.standing.as_ref()?;
            let floors = [&*standing.floor, &*standing.spawned];
            Some((floors, (thing.kind(), &*thing.name)))
        });
        let mut first = BTreeMap::new();
        for (floors, holder) in robots.chain(things) {
            if !leaving.contains(holder.1) {
                for floor in floors {
                    first.entry(floor).or_insert(holder);
                }
            }
        }
        FloorsInUse(first)
    }

    /// Takes floors out, then adds or replaces some, all of them checked, and gives everything
    /// that stands on one the heights that its level has now.
    pub(super) fn change_floors(&mut self, removed: &[String], added: &[FloorSpec]) {
        let removed = removed.iter().map(String::as_str);
        let added = added.iter().map(|spec| (spec.name.as_str(), spec.z));
        if !self.floors.change(removed, added) {
            return;
        }
        self.standing_revision += 1;
        let mut moved = Vec::new();
        for (key, thing) in &mut self.entities {
            let Some(floor) = thing.standing.as_ref().map(|s| s.floor.clone()) else {
                continue;
            };
            let level = level_of(&self.floors, &floor);
            if thing.put_on(floor, level) {
                moved.push(*key);
            }
        }
        for key in moved {
            self.place(key);
        }
        for key in self.robots.keys().copied().collect::<Vec<_>>() {
            self.lift_robot(key);
        }
    }

    pub(super) fn level_of(&self, robot: &Robot) -> Level {
        level_of(&self.floors, &robot.floor)
    }
}

/// The level of a floor that something stands on.
pub(super) fn level_of(floors: &Floors, floor: &str) -> Level {
    let ground = Level {
        floor: 0.0,
        ceiling: f64::INFINITY,
    };
    // Such a floor can't be removed, so the lookup always finds it.
    floors.level(floor).unwrap_or(ground)
}

/// Floors that can't go, each with the first robot or else thing that needs it.
pub(crate) struct FloorsInUse<'a>(BTreeMap<&'a str, (Kind, &'a str)>);

impl FloorsInUse<'_> {
    /// Whether a floor can go.
    ///
    /// # Errors
    /// [`WorldError::FloorInUse`] with what needs it.
    pub(crate) fn check_unused(&self, name: &str) -> Result<(), WorldError> {
        match self.0.get(name) {
            None => Ok(()),
            Some((kind, holder)) => Err(WorldError::FloorInUse {
                floor: name.to_owned(),
                kind: *kind,
                name: (*holder).to_owned(),
            }),
        }
    }
}
