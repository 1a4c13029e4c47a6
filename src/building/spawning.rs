//! How things get into a building and out of it.

use super::building::{Placed, PlacedDrop, PlacedElevator, PlacedShelf};
use super::check::Check;
use super::nearness::wall_between;
use super::{
    Building, BuildingError, ChargerSpec, Door, DoorSpec, DropSpec, Elevator, ElevatorSpec, Kind,
    Person, PersonSpec, ShelfSpec,
};
use crate::world::{World, ZExtent};

impl Building {
    /// Whether [`Self::add_door`] would take it.
    ///
    /// # Errors
    /// As there.
    pub fn check_door(&self, world: &World, spec: &DoorSpec) -> Result<(), BuildingError> {
        spec.check()?;
        self.check_free(Kind::Door, &spec.name)?;
        world.check_thing(&spec.thing())?;
        Ok(())
    }

    /// Adds or replaces a door.
    ///
    /// # Errors
    /// As [`DoorSpec::check`], a name that something else has, or an unknown floor.
    pub fn add_door(&mut self, world: &mut World, spec: DoorSpec) -> Result<(), BuildingError> {
        self.check_door(world, &spec)?;
        let key = world.add_thing(&spec.thing())?;
        let name = spec.name.clone();
        let thing = Door::new(spec)?;
        self.doors.insert(name, Placed { thing, key });
        self.revisions.doors += 1;
        Ok(())
    }

    /// Whether [`Self::add_person`] would take it.
    ///
    /// # Errors
    /// As there.
    pub fn check_person(&self, world: &World, spec: &PersonSpec) -> Result<(), BuildingError> {
        spec.check()?;
        self.check_free(Kind::Person, &spec.name)?;
        world.check_thing(&spec.thing())?;
        let Some(level) = world.floors().level(&spec.floor) else {
            return Ok(());
        };
        let z = ZExtent::new(level.floor, level.floor + spec.height);
        spec.check_way(&|a, b| wall_between(world, z, a, b))
    }

    /// Adds or replaces a person.
    ///
    /// # Errors
    /// As [`PersonSpec::check`], a name that something else has, an unknown floor, or a way
    /// that crosses what stands.
    pub fn add_person(&mut self, world: &mut World, spec: PersonSpec) -> Result<(), BuildingError> {
        self.check_person(world, &spec)?;
        let key = world.add_thing(&spec.thing())?;
        let name = spec.name.clone();
        let thing = Person::new(spec, self.seed)?;
        self.people.insert(name, Placed { thing, key });
        self.revisions.people += 1;
        Ok(())
    }

    /// Whether [`Self::add_shelf`] would take it.
    ///
    /// # Errors
    /// As there.
    pub fn check_shelf(&self, world: &World, spec: &ShelfSpec) -> Result<(), BuildingError> {
        spec.check()?;
        world.check_thing(&spec.thing())?;
        Ok(())
    }

    /// Adds or replaces a shelf; who carries one that is replaced lets go of it.
    ///
    /// # Errors
    /// As [`ShelfSpec::check`], a name that something else has, or an unknown floor.
    pub fn add_shelf(&mut self, world: &mut World, spec: ShelfSpec) -> Result<(), BuildingError> {
        self.check_shelf(world, &spec)?;
        let key = world.add_thing(&spec.thing())?;
        let name = spec.name.clone();
        let shelf = PlacedShelf {
            key,
            last: spec.pose,
            told: spec.pose,
            carrier: String::new(),
            spec,
        };
        self.shelves.insert(name, shelf);
        self.revisions.shelves += 1;
        Ok(())
    }

    /// Whether [`Self::add_charger`] would take it.
    ///
    /// # Errors
    /// As there.
    pub fn check_charger(&self, world: &World, spec: &ChargerSpec) -> Result<(), BuildingError> {
        spec.check()?;
        world.check_thing(&spec.thing())?;
        Ok(())
    }

    /// Adds or replaces a charger.
    ///
    /// # Errors
    /// As [`ChargerSpec::check`], a name that something else has, or an unknown floor.
    pub fn add_charger(
        &mut self,
        world: &mut World,
        thing: ChargerSpec,
    ) -> Result<(), BuildingError> {
        self.check_charger(world, &thing)?;
        let key = world.add_thing(&thing.thing())?;
        self.chargers
            .insert(thing.name.clone(), Placed { thing, key });
        self.revisions.chargers += 1;
        Ok(())
    }

    /// Whether [`Self::add_drop`] would take it.
    ///
    /// # Errors
    /// As there.
    pub fn check_drop(&self, world: &World, spec: &DropSpec) -> Result<(), BuildingError> {
        world.check_thing(&spec.thing()?)?;
        Ok(())
    }

    /// Adds or replaces a drop.
    ///
    /// # Errors
    /// As [`DropSpec::check`], a name that something else has, or an unknown floor.
    pub fn add_drop(&mut self, world: &mut World, spec: DropSpec) -> Result<(), BuildingError> {
        let region = spec.region()?;
        let key = world.add_thing(&spec.thing()?)?;
        let drop = PlacedDrop { region, key, spec };
        self.drops.insert(drop.spec.name.clone(), drop);
        self.revisions.drops += 1;
        Ok(())
    }

    /// Whether [`Self::add_elevator`] would take it.
    ///
    /// # Errors
    /// As there.
    pub fn check_elevator(&self, world: &World, spec: &ElevatorSpec) -> Result<(), BuildingError> {
        spec.check()?;
        let check = Check::name(Kind::Elevator, &spec.name)?;
        for name in spec.thing_names() {
            let owner = self.elevator_of(&name).filter(|owner| *owner != spec.name);
            let is_other = name != spec.name && self.elevators.contains_key(&name);
            if owner.is_some() || is_other || self.doors.contains_key(&name) {
                let problem = format!(
                    "needs the name '{name}' for one of its parts, which something else has: name \
                     it or its stops otherwise"
                );
                return Err(check.unfit("name", problem));
            }
        }
        for thing in spec.things() {
            world.check_thing(&thing)?;
        }
        let is_nameless = |floor: &str| floor.is_empty() && world.floors().at_zero().0.is_empty();
        let nameless = spec.stops.iter().position(|stop| is_nameless(&stop.floor));
        let leaves = spec.stops.iter().any(|stop| !is_nameless(&stop.floor));
        if let (Some(index), true) = (nameless, leaves) {
            let problem = "is the ground without a name, to which nobody could be brought back: \
                           add a floor at z 0 and name it";
            return Err(check.unfit(format!("stops[{index}].floor"), problem));
        }
        Ok(())
    }

    /// Adds or replaces an elevator.
    ///
    /// # Errors
    /// As [`ElevatorSpec::check`], a name of it or of its parts that something else has, or an
    /// unknown floor.
    pub fn add_elevator(
        &mut self,
        world: &mut World,
        spec: ElevatorSpec,
    ) -> Result<(), BuildingError> {
        self.check_elevator(world, &spec)?;
        let things = spec.things();
        let stops = spec.stops.len();
        let name = spec.name.clone();
        if let Some(before) = self.elevators.get(&name) {
            let is_gone = |part: &String| things.iter().all(|thing| thing.name != *part);
            let gone: Vec<String> = before
                .elevator
                .spec()
                .thing_names()
                .filter(is_gone)
                .collect();
            world.remove_all(&gone)?;
        }
        let mut keys = Vec::with_capacity(things.len());
        for thing in &things {
            keys.push(world.add_thing(thing)?);
        }
        let doors = keys.split_off(stops);
        let elevator = Elevator::new(spec)?;
        let placed = PlacedElevator {
            elevator,
            cars: keys,
            doors,
        };
        self.elevators.insert(name, placed);
        self.revisions.elevators += 1;
        Ok(())
    }

    /// The elevator that a body is a part of, but for the one with the elevator's own name.
    #[must_use]
    pub fn elevator_of(&self, name: &str) -> Option<&str> {
        let is_part_of = |(elevator, placed): &(&String, &PlacedElevator)| {
            // Its parts have its name before their own.
            name.len() > elevator.len()
                && name.starts_with(elevator.as_str())
                && placed
                    .elevator
                    .spec()
                    .thing_names()
                    .any(|part| part == name)
        };
        let found = self.elevators.iter().find(is_part_of);
        found.map(|(elevator, _)| elevator.as_str())
    }

    /// Whether something with that name may be removed with others.
    ///
    /// # Errors
    /// A part of an elevator that stays.
    pub fn check_removable(&self, name: &str, others: &[String]) -> Result<(), BuildingError> {
        let stays = |elevator: &&str| others.iter().all(|other| other != elevator);
        match self.elevator_of(name).filter(stays) {
            None => Ok(()),
            Some(elevator) => Err(BuildingError::PartOfElevator {
                name: name.to_owned(),
                elevator: elevator.to_owned(),
            }),
        }
    }

    /// The names of all bodies that go with some names: those and the parts of elevators among
    /// them.
    #[must_use]
    pub fn with_parts(&self, names: &[String]) -> Vec<String> {
        let mut all = names.to_vec();
        for name in names {
            if let Some(placed) = self.elevators.get(name) {
                all.extend(placed.elevator.spec().thing_names().skip(1));
            }
        }
        all
    }

    /// Forgets what was removed from the world. Names that are not its own are ignored.
    pub fn forget(&mut self, names: &[String]) {
        let revisions = &mut self.revisions;
        for name in names {
            revisions.doors += u64::from(self.doors.remove(name).is_some());
            revisions.people += u64::from(self.people.remove(name).is_some());
            revisions.shelves += u64::from(self.shelves.remove(name).is_some());
            revisions.chargers += u64::from(self.chargers.remove(name).is_some());
            revisions.drops += u64::from(self.drops.remove(name).is_some());
            revisions.elevators += u64::from(self.elevators.remove(name).is_some());
        }
    }

    /// Whether a name is no part of an elevator, which only the elevator replaces.
    fn check_free(&self, kind: Kind, name: &str) -> Result<(), BuildingError> {
        match self.elevator_of(name) {
            None => Ok(()),
            Some(elevator) => {
                let problem = format!("is taken by a part of elevator '{elevator}'");
                Err(Check::name(kind, name)?.unfit("name", problem))
            }
        }
    }
}
