//! Requests with lists: all of a list is applied or nothing of it.

use std::collections::BTreeSet;

use super::{Deleted, Scene, SceneError};
use crate::world::{BoxSpec, Entity, FloorSpec, Kind, OutlineSpec, WorldError};

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
        Ok(self.world.add_floors(floors)?)
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

    /// Removes outlines, boxes, discs, things and floors.
    ///
    /// # Errors
    /// The first name that is unknown or a robot's, or a floor that something stands on; then
    /// nothing is removed.
    pub fn delete_entities(&mut self, names: &[String]) -> Result<(), SceneError> {
        let in_use = self.world.floors_in_use(names);
        for (index, name) in names.iter().enumerate() {
            let removable = match self.world.kind_of(name) {
                None => Err(WorldError::Unknown {
                    kind: "entity",
                    name: name.to_owned(),
                }),
                Some(Kind::Robot) => Err(WorldError::IsRobot {
                    name: name.to_owned(),
                }),
                Some(Kind::Floor) => in_use.check_unused(name),
                Some(_) => Ok(()),
            };
            removable.map_err(|reason| item("names", index, reason))?;
        }
        Ok(self.world.remove_all(names)?)
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
        let robots = self.robots.keys().map(String::as_str);
        let entities = self.world.entities().map(Entity::name);
        let leaving: Vec<String> = (robots.chain(entities))
            .filter(starts)
            .map(ToOwned::to_owned)
            .collect();
        let in_use = self.world.floors_in_use(&leaving);
        let floors = self.world.floors().iter().map(|(name, _)| name);
        for floor in floors.filter(starts) {
            in_use.check_unused(floor)?;
        }
        Ok(())
    }

    /// Removes every entity, floor and robot whose name starts with a prefix.
    ///
    /// # Errors
    /// An empty prefix, or a floor on which something stands that would stay; then nothing is
    /// removed.
    pub fn delete_prefix(&mut self, prefix: &str) -> Result<Deleted, SceneError> {
        self.check_delete_prefix(prefix)?;
        let starting = |names: &mut dyn Iterator<Item = &str>| -> Vec<String> {
            let names = names.filter(|name| name.starts_with(prefix));
            names.map(ToOwned::to_owned).collect()
        };
        let robots = starting(&mut self.robots.keys().map(String::as_str));
        let floors = self.world.floors().iter().map(|(name, _)| name);
        let entities = self.world.entities().map(Entity::name);
        let things = starting(&mut entities.chain(floors));
        for robot in &robots {
            self.delete_robot(robot)?;
        }
        self.world.remove_all(&things)?;
        let count = robots.len() + things.len();
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
