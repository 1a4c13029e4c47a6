//! Requests about doors, people, shelves, chargers, drops and elevators.

use super::batches::{ensure_distinct, furniture};
use super::{Scene, SceneError};
use crate::building::{
    Actor, Building, BuildingError, ChargerSpec, DoorSpec, DropSpec, ElevatorSpec, PersonSpec,
    ShelfSpec,
};
use crate::robot::Robot;
use crate::world::{World, WorldError};

impl Scene {
    /// Adds or replaces doors.
    ///
    /// # Errors
    /// The first item that is wrong; then nothing is changed.
    pub fn spawn_doors(&mut self, doors: &[DoorSpec]) -> Result<(), SceneError> {
        ensure_distinct("doors", doors.iter().map(|spec| spec.name.as_str()))?;
        self.add_all("doors", doors, Building::check_door, Building::add_door)
    }

    /// Adds or replaces people.
    ///
    /// # Errors
    /// The first item that is wrong; then nothing is changed.
    pub fn spawn_people(&mut self, people: &[PersonSpec]) -> Result<(), SceneError> {
        ensure_distinct("people", people.iter().map(|spec| spec.name.as_str()))?;
        self.add_all(
            "people",
            people,
            Building::check_person,
            Building::add_person,
        )
    }

    /// Adds or replaces shelves.
    ///
    /// # Errors
    /// The first item that is wrong; then nothing is changed.
    pub fn spawn_shelves(&mut self, shelves: &[ShelfSpec]) -> Result<(), SceneError> {
        ensure_distinct("shelves", shelves.iter().map(|spec| spec.name.as_str()))?;
        self.add_all(
            "shelves",
            shelves,
            Building::check_shelf,
            Building::add_shelf,
        )
    }

    /// Adds or replaces chargers.
    ///
    /// # Errors
    /// The first item that is wrong; then nothing is changed.
    pub fn spawn_chargers(&mut self, chargers: &[ChargerSpec]) -> Result<(), SceneError> {
        ensure_distinct("chargers", chargers.iter().map(|spec| spec.name.as_str()))?;
        self.add_all(
            "chargers",
            chargers,
            Building::check_charger,
            Building::add_charger,
        )
    }

    /// Adds or replaces drops.
    ///
    /// # Errors
    /// The first item that is wrong; then nothing is changed.
    pub fn add_drops(&mut self, drops: &[DropSpec]) -> Result<(), SceneError> {
        ensure_distinct("drops", drops.iter().map(|spec| spec.name.as_str()))?;
        self.add_all("drops", drops, Building::check_drop, Building::add_drop)
    }

    /// Adds or replaces elevators.
    ///
    /// # Errors
    /// The first item that is wrong; then nothing is changed.
    pub fn spawn_elevators(&mut self, elevators: &[ElevatorSpec]) -> Result<(), SceneError> {
        // With the names of their parts, or two of one request could have one together.
        let mut parts: Vec<(usize, String)> = Vec::new();
        for (index, spec) in elevators.iter().enumerate() {
            parts.extend(spec.thing_names().map(|name| (index, name)));
        }
        let mut seen = std::collections::BTreeSet::new();
        for (index, name) in &parts {
            if !seen.insert(name.as_str()) {
                return Err(SceneError::Repeated {
                    list: "elevators",
                    index: *index,
                    name: name.clone(),
                });
            }
        }
        self.add_all(
            "elevators",
            elevators,
            Building::check_elevator,
            Building::add_elevator,
        )
    }

    fn add_all<T: Clone>(
        &mut self,
        list: &'static str,
        specs: &[T],
        check: fn(&Building, &World, &T) -> Result<(), BuildingError>,
        add: fn(&mut Building, &mut World, T) -> Result<(), BuildingError>,
    ) -> Result<(), SceneError> {
        for (index, spec) in specs.iter().enumerate() {
            check(&self.building, &self.world, spec)
                .map_err(|reason| furniture(list, index, reason))?;
        }
        for (index, spec) in specs.iter().enumerate() {
            add(&mut self.building, &mut self.world, spec.clone())
                .map_err(|reason| furniture(list, index, reason))?;
        }
        Ok(())
    }

    /// Opens or closes a door; its cycle or sensor has no say until the next reset.
    ///
    /// # Errors
    /// An unknown name.
    pub fn set_door(&mut self, name: &str, open: bool) -> Result<(), SceneError> {
        Ok(self.building.set_door(name, open)?)
    }

    /// Calls an elevator to a stop.
    ///
    /// # Errors
    /// An unknown name or stop.
    pub fn call_elevator(&mut self, name: &str, stop: &str) -> Result<(), SceneError> {
        Ok(self.building.call_elevator(name, stop)?)
    }

    /// Raises the pin of a robot: it carries the shelf above it from now on. The name of the
    /// shelf; the one that it carries already is no error.
    ///
    /// # Errors
    /// An unknown robot, or one that stands under no shelf.
    pub fn dock_shelf(&mut self, robot: &str) -> Result<String, SceneError> {
        let body = self
            .world
            .robot_state(robot)
            .ok_or_else(|| unknown(robot))?;
        if let Some(carried) = self.world.carried_by(robot) {
            return Ok(carried.to_owned());
        }
        let found = self.building.shelf_at(&self.world, &body.level, &body.pose);
        let shelf = found.ok_or_else(|| BuildingError::NoShelf {
            robot: robot.to_owned(),
        })?;
        let shelf = shelf.to_owned();
        self.world.attach(robot, &shelf)?;
        self.building.observe(&self.world);
        self.show_place(robot);
        Ok(shelf)
    }

    /// Lowers the pin of a robot: the shelf that it carries stands where it is; the name of
    /// that, "" for none.
    ///
    /// # Errors
    /// An unknown robot.
    pub fn undock_shelf(&mut self, robot: &str) -> Result<String, SceneError> {
        let shelf = self.world.detach(robot)?.unwrap_or_default();
        self.building.observe(&self.world);
        self.show_place(robot);
        Ok(shelf)
    }

    /// The robot that stands on a charger, the first one by name; "" = none.
    #[must_use]
    pub fn robot_on(&self, charger: &str) -> String {
        let is_on = |robot: &&Robot| {
            let state = self.world.robot_state(robot.name());
            let found = state.and_then(|body| {
                self.building
                    .charger_at(&self.world, &body.level, &body.pose)
            });
            found == Some(charger)
        };
        let found = self.robots.values().find(is_on);
        found.map_or_else(String::new, |robot| robot.name().to_owned())
    }

    /// Before a step of the world: doors, people and elevators move.
    pub(super) fn step_building(&mut self) {
        let actor = |robot: &Robot| {
            let key = robot.key()?;
            let body = self.world.state_of(key)?;
            let carried = self.building.reach_carried_by(&self.world, robot.name());
            Some(Actor {
                key,
                at: [body.pose.x, body.pose.y],
                radius: robot.footprint().reach().max(carried),
                z: body.z,
            })
        };
        let actors: Vec<Actor> = self.robots.values().filter_map(actor).collect();
        self.building.step(&mut self.world, &actors);
    }
}

fn unknown(robot: &str) -> SceneError {
    SceneError::World(WorldError::Unknown {
        kind: "robot",
        name: robot.to_owned(),
    })
}
