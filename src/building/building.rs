//! All things of a building in a world: stepped before it.

use std::collections::BTreeMap;

use super::drop::is_inside;
use super::nearness::Panel;
use super::{
    Actor, BuildingError, ChargerSpec, DockingEnd, Door, DoorSenses, DropSpec, Elevator,
    ElevatorSenses, Kind, Person, PersonSenses, Ride, ShelfSpec, ShelfState,
};
use crate::world::rays::{Lane, RayOrigin};
use crate::world::{BodyKey, Level, Pose2, World, ZExtent};

/// Heights above the floor at which a person looks for walls and furniture, m.
const LOOK_HEIGHTS: [f64; 2] = [0.1, 0.8];

/// Something with its body in the world.
#[derive(Debug, Clone)]
pub(super) struct Placed<T> {
    pub(super) thing: T,
    pub(super) key: BodyKey,
}

#[derive(Debug, Clone)]
pub(super) struct PlacedElevator {
    pub(super) elevator: Elevator,
    /// The walls of the car at each stop.
    pub(super) cars: Vec<BodyKey>,
    /// The door of each stop.
    pub(super) doors: Vec<BodyKey>,
}

#[derive(Debug, Clone)]
pub(super) struct PlacedDrop {
    pub(super) spec: DropSpec,
    pub(super) region: Vec<[f64; 2]>,
    pub(super) key: BodyKey,
}

#[derive(Debug, Clone)]
pub(super) struct PlacedShelf {
    pub(super) spec: ShelfSpec,
    pub(super) key: BodyKey,
    /// Where it was after the last step.
    pub(super) last: Pose2,
    /// Where it was when people were last told.
    pub(super) told: Pose2,
    pub(super) carrier: String,
}

/// Numbers that grow when the state of something of a kind is another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Revisions {
    pub(super) doors: u64,
    pub(super) people: u64,
    pub(super) shelves: u64,
    pub(super) chargers: u64,
    pub(super) drops: u64,
    pub(super) elevators: u64,
}

/// The doors, people, shelves, chargers, drops and elevators of a world. It names their bodies
/// by keys of one world, with which it must be used.
#[derive(Debug, Clone, Default)]
pub struct Building {
    pub(super) doors: BTreeMap<String, Placed<Door>>,
    pub(super) people: BTreeMap<String, Placed<Person>>,
    pub(super) shelves: BTreeMap<String, PlacedShelf>,
    pub(super) chargers: BTreeMap<String, Placed<ChargerSpec>>,
    pub(super) drops: BTreeMap<String, PlacedDrop>,
    pub(super) elevators: BTreeMap<String, PlacedElevator>,
    pub(super) revisions: Revisions,
    pub(super) seed: i64,
}

impl Building {
    /// An empty building; the seed decides on which side people pass each other.
    #[must_use]
    pub fn new(seed: i64) -> Self {
        Self {
            seed,
            ..Self::default()
        }
    }

    /// Doors by name, those of elevators left out.
    pub fn doors(&self) -> impl Iterator<Item = &Door> {
        self.doors.values().map(|placed| &placed.thing)
    }

    /// People by name.
    pub fn people(&self) -> impl Iterator<Item = &Person> {
        self.people.values().map(|placed| &placed.thing)
    }

    /// Shelves by name.
    pub fn shelves(&self) -> impl Iterator<Item = &ShelfSpec> {
        self.shelves.values().map(|placed| &placed.spec)
    }

    /// Chargers by name.
    pub fn chargers(&self) -> impl Iterator<Item = &ChargerSpec> {
        self.chargers.values().map(|placed| &placed.thing)
    }

    /// Drops by name.
    pub fn drops(&self) -> impl Iterator<Item = &DropSpec> {
        self.drops.values().map(|placed| &placed.spec)
    }

    /// Elevators by name.
    pub fn elevators(&self) -> impl Iterator<Item = &Elevator> {
        self.elevators.values().map(|placed| &placed.elevator)
    }

    /// Where a shelf is, and who carries it.
    #[must_use]
    pub fn shelf_state(&self, world: &World, name: &str) -> Option<ShelfState> {
        let placed = self.shelves.get(name)?;
        Some(ShelfState {
            pose: world.thing_pose(placed.key)?,
            carrier: world.carrier_of(name).unwrap_or_default().to_owned(),
        })
    }

    /// A number that grows when the state of something of a kind is another one, or there is
    /// one more or less; 0 for kinds that a building has none of. A person who walks is in
    /// one state, and so is a shelf on its way.
    #[must_use]
    pub fn revision(&self, kind: Kind) -> u64 {
        match kind {
            Kind::Door => self.revisions.doors,
            Kind::Person => self.revisions.people,
            Kind::Shelf => self.revisions.shelves,
            Kind::Charger => self.revisions.chargers,
            Kind::Drop => self.revisions.drops,
            Kind::Elevator => self.revisions.elevators,
            _ => 0,
        }
    }

    /// Opens or closes a door; see [`Door::set_open`].
    ///
    /// # Errors
    /// An unknown name.
    pub fn set_door(&mut self, name: &str, open: bool) -> Result<(), BuildingError> {
        let door = self
            .doors
            .get_mut(name)
            .ok_or_else(|| BuildingError::Unknown {
                kind: Kind::Door,
                name: name.to_owned(),
            })?;
        let before = door.thing.state();
        door.thing.set_open(open);
        self.revisions.doors += u64::from(door.thing.state() != before);
        Ok(())
    }

    /// Calls an elevator to a stop; see [`Elevator::call`].
    ///
    /// # Errors
    /// An unknown name or stop.
    pub fn call_elevator(&mut self, name: &str, stop: &str) -> Result<(), BuildingError> {
        let placed = self
            .elevators
            .get_mut(name)
            .ok_or_else(|| BuildingError::Unknown {
                kind: Kind::Elevator,
                name: name.to_owned(),
            })?;
        let before = placed.elevator.state();
        placed.elevator.call(stop)?;
        self.revisions.elevators += u64::from(placed.elevator.state() != before);
        Ok(())
    }

    /// Everything as it was spawned, after a reset of the world.
    pub fn reset(&mut self, world: &World, seed: i64) {
        self.seed = seed;
        for door in self.doors.values_mut() {
            door.thing.reset();
        }
        for person in self.people.values_mut() {
            person.thing.reset(seed);
        }
        for placed in self.elevators.values_mut() {
            placed.elevator.reset();
        }
        self.revisions.doors += 1;
        self.revisions.people += 1;
        self.revisions.elevators += 1;
        self.observe(world);
    }

    /// Before a step of the world: people walk, doors and elevators move, and whoever has
    /// ridden in an elevator is put where it arrived.
    pub fn step(&mut self, world: &mut World, robots: &[Actor]) {
        let actors = self.actors(world, robots);
        self.move_people(world, &actors);
        let actors = self.actors(world, robots);
        self.move_doors(world, &actors);
        self.move_elevators(world, &actors);
    }

    /// After a step of the world: looks where shelves have got to.
    pub fn follow(&mut self, world: &World) {
        self.look_at_shelves(world, false);
    }

    /// After a request: looks where shelves are and who carries them.
    pub fn observe(&mut self, world: &World) {
        self.look_at_shelves(world, true);
    }

    /// With `at_all` at those that a request has put somewhere, too, which stand there at once.
    fn look_at_shelves(&mut self, world: &World, at_all: bool) {
        for (name, shelf) in &mut self.shelves {
            let Some(pose) = world.thing_pose(shelf.key) else {
                continue;
            };
            // Nearly all stand, and no step changes who carries them.
            if !at_all && pose == shelf.last && pose == shelf.told {
                continue;
            }
            let carrier = world.carrier_of(name).unwrap_or_default();
            let has_stopped = pose != shelf.told && (at_all || pose == shelf.last);
            if has_stopped || carrier != shelf.carrier {
                carrier.clone_into(&mut shelf.carrier);
                shelf.told = pose;
                self.revisions.shelves += 1;
            }
            shelf.last = pose;
        }
    }

    /// Robots and people where they are.
    fn actors(&self, world: &World, robots: &[Actor]) -> Vec<Actor> {
        let people = self.people.values().filter_map(|person| {
            let pose = person.thing.state().pose;
            Some(Actor {
                key: person.key,
                at: [pose.x, pose.y],
                radius: person.thing.spec().shape.reach(),
                z: world.thing(person.key)?.z(),
            })
        });
        robots.iter().copied().chain(people).collect()
    }

    fn move_people(&mut self, world: &mut World, actors: &[Actor]) {
        let walks = |person: &Placed<Person>| person.thing.spec().walk.is_some();
        if !self.people.values().any(walks) {
            return;
        }
        let panels = self.panels(world);
        for person in self.people.values_mut().filter(|person| walks(person)) {
            let Some(z) = world.thing(person.key).map(|thing| thing.z()) else {
                continue;
            };
            let before = person.thing.state();
            let radius = person.thing.spec().shape.reach();
            let level = world.thing_level(person.key);
            let key = person.key;
            let senses = PersonSenses {
                actors,
                door_depth: &|pose| {
                    let near = panels.iter().filter(|panel| panel.z.overlaps(&z));
                    let depths = near.map(|panel| panel.depth_of_disc([pose.x, pose.y], radius));
                    depths.fold(0.0, f64::max)
                },
                wall_beside: &|from, to| {
                    level.is_some_and(|level| wall_beside(world, key, level, radius, from, to))
                },
            };
            person.thing.step(world.dt(), key, &senses);
            let after = person.thing.state();
            let is_other =
                (before.is_walking, before.waypoint) != (after.is_walking, after.waypoint);
            self.revisions.people += u64::from(is_other);
            drive(world, key, after.pose);
        }
    }

    /// The panels of all doors, those of elevators included.
    fn panels(&self, world: &World) -> Vec<Panel> {
        let doors = self.doors.values().map(|door| (&door.thing, door.key));
        let of_elevators = self.elevators.values().flat_map(|placed| {
            placed
                .elevator
                .doors()
                .iter()
                .zip(placed.doors.iter().copied())
        });
        let panel = |(door, key): (&Door, BodyKey)| {
            let spec = door.spec();
            Some(Panel {
                pose: door.pose(),
                half: [0.5 * spec.panel_width(), 0.5 * spec.thickness],
                z: world.thing(key)?.z(),
            })
        };
        doors.chain(of_elevators).filter_map(panel).collect()
    }

    fn move_doors(&mut self, world: &mut World, actors: &[Actor]) {
        for door in self.doors.values_mut() {
            let key = door.key;
            let Some(z) = world.thing(key).map(|thing| thing.z()) else {
                continue;
            };
            let before = door.thing.state();
            let senses = DoorSenses {
                actors,
                z,
                depth_at: &|pose| deepest(world, key, pose),
            };
            door.thing.step(world.dt(), &senses);
            self.revisions.doors += u64::from(door.thing.state() != before);
            drive(world, key, door.thing.pose());
        }
    }

    fn move_elevators(&mut self, world: &mut World, actors: &[Actor]) {
        let mut rides = Vec::new();
        for placed in self.elevators.values_mut() {
            let shelves = || {
                let standing = self.shelves.iter();
                standing
                    .filter_map(|(name, shelf)| standing_shelf(world, name, shelf))
                    .collect()
            };
            let extent = |key: &BodyKey| world.thing(*key).map(|car| car.z());
            let z: Vec<ZExtent> = placed.cars.iter().filter_map(extent).collect();
            let before = placed.elevator.state();
            let doors = &placed.doors;
            let senses = ElevatorSenses {
                actors,
                cargo: &shelves,
                z: &z,
                depth_at: &|stop, pose| {
                    let key = doors.get(stop).copied();
                    key.map_or(0.0, |key| deepest(world, key, pose))
                },
            };
            let ride = placed.elevator.step(world.dt(), &senses);
            self.revisions.elevators += u64::from(placed.elevator.state() != before);
            for (door, key) in placed.elevator.doors().iter().zip(&placed.doors) {
                drive(world, *key, door.pose());
            }
            rides.extend(ride);
        }
        for ride in &rides {
            self.take_along(world, ride);
        }
    }

    /// Puts those who rode along where the car has arrived. What a robot carries comes with
    /// it.
    fn take_along(&mut self, world: &mut World, ride: &Ride) {
        let floor = match ride.floor.as_str() {
            "" => world.floors().at_zero().0.to_owned(),
            name => name.to_owned(),
        };
        for rider in &ride.riders {
            let Some((name, kind)) = world.name_of(*rider) else {
                continue;
            };
            let name = name.to_owned();
            // Their names and the floor, on which a car stands, are known: nothing of it fails.
            if kind == Kind::Robot {
                if let Some(body) = world.robot_state(&name) {
                    let _ = world.set_robot_pose(&name, ride.moved(&body.pose), &floor);
                }
                continue;
            }
            if let Some(person) = self.people.get_mut(&name) {
                person.thing.ride(ride);
                self.revisions.people += 1;
            }
            if let Some(pose) = world.thing_pose(*rider) {
                let _ = world.place_thing(*rider, ride.moved(&pose), &floor);
            }
        }
    }

    /// Puts a shelf back to where it was spawned; who carries it lets go of it.
    pub fn send_home(&mut self, world: &mut World, name: &str) {
        if let Some(shelf) = self.shelves.get(name) {
            let floor = match shelf.spec.floor.as_str() {
                "" => world.floors().at_zero().0.to_owned(),
                name => name.to_owned(),
            };
            // It was spawned there.
            let _ = world.place_thing(shelf.key, shelf.spec.pose, &floor);
        }
        self.observe(world);
    }

    /// Radius of a circle around a robot's base that holds what it carries, m; 0 = nothing.
    #[must_use]
    pub fn reach_carried_by(&self, world: &World, robot: &str) -> f64 {
        let shelf = world
            .carried_by(robot)
            .and_then(|name| self.shelves.get(name));
        shelf.map_or(0.0, |shelf| shelf.spec.shape.reach())
    }

    /// How far the ground is below the floor of a level at a point, m: the depth of the drop
    /// there, 0 where there is floor.
    #[must_use]
    pub fn depth_at(&self, world: &World, level: &Level, point: [f64; 2]) -> f64 {
        let is_there = |drop: &&PlacedDrop| {
            is_inside(&drop.region, point) && world.thing_level(drop.key).as_ref() == Some(level)
        };
        let depths = self
            .drops
            .values()
            .filter(is_there)
            .map(|drop| drop.spec.depth);
        depths.fold(0.0, f64::max)
    }

    /// The name of the charger on which a robot with its base there charges.
    #[must_use]
    pub fn charger_at(&self, world: &World, level: &Level, base: &Pose2) -> Option<&str> {
        let charges = |(_, charger): &(&String, &Placed<ChargerSpec>)| {
            charger.thing.charges(base) && world.thing_level(charger.key).as_ref() == Some(level)
        };
        self.chargers
            .iter()
            .find(charges)
            .map(|(name, _)| name.as_str())
    }

    /// The shelf that the pin of a robot with its base there finds when it is raised, the
    /// nearest one of several; those that are carried left out.
    #[must_use]
    pub fn shelf_at(&self, world: &World, level: &Level, base: &Pose2) -> Option<&str> {
        let found = self.shelves.iter().filter_map(|(name, shelf)| {
            let pose = world.thing_pose(shelf.key)?;
            DockingEnd::of(base, &pose)?;
            let is_free = world.thing_level(shelf.key).as_ref() == Some(level)
                && world.carrier_of(name).is_none();
            let away = libm::hypot(pose.x - base.x, pose.y - base.y);
            is_free.then_some((away, name.as_str()))
        });
        found
            .min_by(|a, b| a.0.total_cmp(&b.0))
            .map(|(_, name)| name)
    }
}

/// Gives a driven thing its pose for the coming step.
fn drive(world: &mut World, key: BodyKey, pose: Pose2) {
    // It is driven, in the world, and its pose is one of geometry with finite numbers.
    let _ = world.drive_thing(key, pose);
}

/// How deep a thing would press into somebody at a pose, m.
fn deepest(world: &World, key: BodyKey, pose: Pose2) -> f64 {
    let overlaps = world.overlap_of(key, pose);
    overlaps.iter().map(|(_, depth)| *depth).fold(0.0, f64::max)
}

/// A shelf that nobody carries, as an elevator takes it along.
fn standing_shelf(world: &World, name: &str, shelf: &PlacedShelf) -> Option<Actor> {
    let thing = world.thing(shelf.key)?;
    let pose = thing.pose();
    world.carrier_of(name).is_none().then(|| Actor {
        key: shelf.key,
        at: [pose.x, pose.y],
        radius: 0.0,
        z: thing.z(),
    })
}

/// Whether something is between a point of a way and a place beside it where a body of some
/// radius wants to be.
fn wall_beside(
    world: &World,
    own: BodyKey,
    level: Level,
    radius: f64,
    from: [f64; 2],
    to: [f64; 2],
) -> bool {
    let (dx, dy) = (to[0] - from[0], to[1] - from[1]);
    let lane = Lane {
        half_width: 0.5 * radius,
        length: libm::hypot(dx, dy) + radius,
    };
    LOOK_HEIGHTS.iter().any(|height| {
        let origin = RayOrigin {
            pose: Pose2::new(from[0], from[1], libm::atan2(dy, dx)),
            z: level.floor + height,
            level,
        };
        world
            .rays()
            .nearest_ahead(&origin, &lane, Some(own))
            .is_some()
    })
}
