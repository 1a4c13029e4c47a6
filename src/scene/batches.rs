//! Requests with lists: all of a list is applied or nothing of it.

use std::collections::BTreeSet;

use super::{Deleted, Scene, SceneError};
use crate::world::{BoxSpec, FloorSpec, Kind, OutlineSpec, WorldError};

impl Scene {
    /// Adds or replaces floors.
    ///
    /// # Errors
    /// The first item that is wrong; then nothing is changed.
    pub fn add_floors(&mut self, floors: &[FloorSpec]) -> Result<(), SceneError> {
        ensure_distinct("floors", floors.iter().map(|floor| floor.name.as_str()))?;
        for (index, floor) in floors.iter().enumerate() {
            self.world
                .check_floor(floor)
                .map_err(|reason| item("floors", index, reason))?;
        }
        for floor in floors {
            self.world.add_floor(floor)?;
        }
        Ok(())
    }

    /// Adds or replaces static outlines.
    ///
    /// # Errors
    /// The first item that is wrong; then nothing is changed.
    pub fn add_outlines(&mut self, outlines: &[OutlineSpec]) -> Result<(), SceneError> {
        ensure_distinct("outlines", outlines.iter().map(|spec| spec.name.as_str()))?;
        for (index, outline) in outlines.iter().enumerate() {
            self.world
                .check_outline(outline)
                .map_err(|reason| item("outlines", index, reason))?;
        }
        for outline in outlines {
            self.world.add_outline(outline)?;
        }
        Ok(())
    }

    /// Adds or replaces boxes.
    ///
    /// # Errors
    /// The first item that is wrong; then nothing is changed.
    pub fn spawn_boxes(&mut self, boxes: &[BoxSpec]) -> Result<(), SceneError> {
        ensure_distinct("boxes", boxes.iter().map(|spec| spec.name.as_str()))?;
        for (index, spec) in boxes.iter().enumerate() {
            self.world
                .check_box(spec)
                .map_err(|reason| item("boxes", index, reason))?;
        }
        for spec in boxes {
            self.world.add_box(spec)?;
        }
        Ok(())
    }

    /// Removes outlines, boxes, discs and floors.
    ///
    /// # Errors
    /// The first name that is unknown or a robot's, or a floor that a robot stands on; then
    /// nothing is removed.
    pub fn delete_entities(&mut self, names: &[String]) -> Result<(), SceneError> {
        let distinct: BTreeSet<&str> = names.iter().map(String::as_str).collect();
        for (index, name) in names.iter().enumerate() {
            self.check_removable(name)
                .map_err(|reason| item("names", index, reason))?;
        }
        for name in distinct {
            self.world.remove(name)?;
        }
        Ok(())
    }

    fn check_removable(&self, name: &str) -> Result<(), WorldError> {
        match self.world.kind_of(name) {
            None => Err(WorldError::Unknown {
                kind: "entity",
                name: name.to_owned(),
            }),
            Some(Kind::Robot) => Err(WorldError::IsRobot {
                name: name.to_owned(),
            }),
            Some(Kind::Floor) => self.world.check_floor_unused(name),
            Some(_) => Ok(()),
        }
    }

    /// Whether [`Self::delete_prefix`] would remove what it names.
    ///
    /// # Errors
    /// As there.
    pub fn check_delete_prefix(&self, prefix: &str) -> Result<(), SceneError> {
        if prefix.is_empty() {
            return Err(SceneError::EmptyPrefix);
        }
        let starts = |name: &&str| name.starts_with(prefix);
        let robots: Vec<String> = (self.robots.keys().map(String::as_str))
            .filter(starts)
            .map(ToOwned::to_owned)
            .collect();
        let floors = self.world.floors().iter().map(|(name, _)| name);
        for floor in floors.filter(starts) {
            self.world.check_floor_unused_but(floor, &robots)?;
        }
        Ok(())
    }

    /// Removes every entity, floor and robot whose name starts with a prefix.
    ///
    /// # Errors
    /// An empty prefix, or a floor on which a robot stands that would stay; then nothing is
    /// removed.
    pub fn delete_prefix(&mut self, prefix: &str) -> Result<Deleted, SceneError> {
        self.check_delete_prefix(prefix)?;
        let starts = |name: &&str| name.starts_with(prefix);
        let own = |names: Vec<&str>| -> Vec<String> {
            names.into_iter().map(ToOwned::to_owned).collect()
        };
        let robots = own(self
            .robots
            .keys()
            .map(String::as_str)
            .filter(starts)
            .collect());
        let floors = own(self
            .world
            .floors()
            .iter()
            .map(|(name, _)| name)
            .filter(starts)
            .collect());
        let entities = own(self
            .world
            .entities()
            .map(|e| e.name())
            .filter(starts)
            .collect());
        for robot in &robots {
            self.delete_robot(robot)?;
        }
        for name in entities.iter().chain(&floors) {
            self.world.remove(name)?;
        }
        let count = robots.len() + entities.len() + floors.len();
        Ok(Deleted {
            count: u32::try_from(count).unwrap_or(u32::MAX),
            robots,
        })
    }
}

/// An error about one item of a list.
pub(super) fn item(list: &'static str, index: usize, reason: WorldError) -> SceneError {
    SceneError::Item {
        list,
        index,
        reason,
    }
}

/// Refuses a list in which a name stands twice: which of the two was meant?
pub(super) fn ensure_distinct<'a>(
    list: &'static str,
    names: impl Iterator<Item = &'a str>,
) -> Result<(), SceneError> {
    let mut seen = BTreeSet::new();
    for (index, name) in names.enumerate() {
        if !seen.insert(name) {
            return Err(SceneError::Repeated {
                list,
                index,
                name: name.to_owned(),
            });
        }
    }
    Ok(())
}
