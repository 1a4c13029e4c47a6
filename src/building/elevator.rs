//! Elevators: a car with a sliding door on each floor, which takes who is in it along.
//!
//! The frame of a car has its origin on the floor in the middle of it; its doorway is at the
//! +x end. On every floor stand the walls of the car, as in a shaft, and a door that is
//! closed while the car is elsewhere. Floors may be stacked, with the car at the same place
//! of each, or side by side.

use std::f64::consts::FRAC_PI_2;

use super::check::Check;
use super::door::nanoseconds;
use super::{Actor, BuildingError, Door, DoorKind, DoorSenses, DoorSpec, DoorState, Kind, Part};
use crate::world::{BodyKey, PhysicsDt, PlanarShape, Pose2, ZExtent};

/// Most floors of an elevator.
const MAX_STOPS: usize = 200;

/// A floor at which an elevator stops.
#[derive(Debug, Clone, PartialEq)]
pub struct ElevatorStop {
    /// Name of the floor; "" = the level at z 0. Floors side by side need names of their own
    /// in [`Self::name`].
    pub floor: String,
    /// What people call it, unique in the elevator; "" = the name of the floor.
    pub name: String,
    /// Pose of the car there.
    pub pose: Pose2,
}

impl ElevatorStop {
    /// The stop of a floor.
    #[must_use]
    pub fn new(floor: impl Into<String>, pose: Pose2) -> Self {
        Self {
            floor: floor.into(),
            name: String::new(),
            pose,
        }
    }

    /// What people call it.
    #[must_use]
    pub fn name(&self) -> &str {
        match self.name.as_str() {
            "" => &self.floor,
            name => name,
        }
    }
}

/// An elevator. All numbers are estimates.
#[derive(Debug, Clone, PartialEq)]
pub struct ElevatorSpec {
    /// Unique name.
    pub name: String,
    /// Its floors, in the order in which the car passes them. It starts at the first one with
    /// the door open.
    pub stops: Vec<ElevatorStop>,
    /// Inner lengths of the car along x and y, m.
    pub size: [f64; 2],
    /// Height of the car, m.
    pub height: f64,
    /// Thickness of its walls, m.
    pub wall_thickness: f64,
    /// Width of its doorway, m.
    pub door_width: f64,
    /// Speed of its doors, m/s.
    pub door_speed: f64,
    /// Distance from the doorway within which somebody's base keeps the door from closing, m.
    pub door_sensor: f64,
    /// Time that the door stays open at least before the car goes on, s.
    pub door_hold: f64,
    /// Time for each floor that the car passes, s.
    pub ride_time: f64,
}

impl ElevatorSpec {
    /// A car of 1.5 m by 1.5 m with a doorway of 0.9 m.
    #[must_use]
    pub fn new(name: impl Into<String>, stops: Vec<ElevatorStop>) -> Self {
        Self {
            name: name.into(),
            stops,
            size: [1.5, 1.5],
            height: 2.2,
            wall_thickness: 0.1,
            door_width: 0.9,
            door_speed: DoorSpec::SLIDING_SPEED,
            door_sensor: 0.4,
            door_hold: 3.0,
            ride_time: 5.0,
        }
    }

    /// Whether there can be such an elevator.
    ///
    /// # Errors
    /// The first number that cannot be, fewer than two floors, or two stops of one name.
    pub fn check(&self) -> Result<(), BuildingError> {
        let check = Check::name(Kind::Elevator, &self.name)?;
        let count = self.stops.len();
        if !(2..=MAX_STOPS).contains(&count) {
            let floors = if count == 1 { "floor" } else { "floors" };
            let problem = format!("has {count} {floors}, it must have 2 to {MAX_STOPS}");
            return Err(check.unfit("stops", problem));
        }
        for (index, stop) in self.stops.iter().enumerate() {
            check.pose(&format!("stops[{index}]"), &stop.pose)?;
            if stop.name().is_empty() {
                let problem = "is empty, it must say where to go where the floor has no name";
                return Err(check.unfit(format!("stops[{index}].name"), problem));
            }
            let twin = |other: &ElevatorStop| other.name() == stop.name();
            if let Some(other) = self.stops[..index].iter().position(twin) {
                let problem = format!(
                    "is '{}' as stops[{other}] is, it must be unique: it says where to go",
                    stop.name()
                );
                return Err(check.unfit(format!("stops[{index}].name"), problem));
            }
        }
        check.length("size.x", self.size[0])?;
        check.length("size.y", self.size[1])?;
        check.length("height", self.height)?;
        check.length("wall_thickness", self.wall_thickness)?;
        check.length("door_width", self.door_width)?;
        check.at_most(
            "door_width",
            self.door_width,
            self.size[1],
            "the width of the car, size.y",
        )?;
        check.speed("door_speed", self.door_speed, "m/s")?;
        check.within(
            "door_sensor",
            self.door_sensor,
            [0.0, 1000.0],
            "0 to 1000 m",
        )?;
        check.time("door_hold", self.door_hold)?;
        check.time("ride_time", self.ride_time)
    }

    /// The walls of the car in its own frame: back, sides and what is beside the doorway.
    #[must_use]
    pub fn parts(&self) -> Vec<Part> {
        let [length, width] = self.size;
        let t = self.wall_thickness;
        let wall = |size_x: f64, size_y: f64, x: f64, y: f64| {
            let shape = PlanarShape::rectangle(size_x, size_y);
            Part::solid(shape, ZExtent::new(0.0, self.height)).at(Pose2::new(x, y, 0.0))
        };
        let (end, side) = (0.5 * (length + t), 0.5 * (width + t));
        let mut walls = vec![
            wall(t, width + 2.0 * t, -end, 0.0),
            wall(length, t, 0.0, side),
            wall(length, t, 0.0, -side),
        ];
        // From the doorway to the outer face of the side walls.
        let jamb = 0.5 * (width - self.door_width) + t;
        let middle = 0.5 * self.door_width + 0.5 * jamb;
        walls.push(wall(t, jamb, end, middle));
        walls.push(wall(t, jamb, end, -middle));
        walls
    }

    /// The door of a stop: a sliding door that runs outside the car along its front.
    #[must_use]
    pub fn door(&self, stop: &ElevatorStop) -> DoorSpec {
        let front = 0.5 * (self.size[0] + self.wall_thickness);
        let doorway = stop.pose.compose(&Pose2::new(front, 0.0, FRAC_PI_2));
        DoorSpec {
            floor: stop.floor.clone(),
            width: self.door_width,
            height: self.height,
            wall_thickness: self.wall_thickness,
            speed: self.door_speed,
            ..DoorSpec::new(self.door_name(stop), DoorKind::Sliding, doorway)
        }
    }

    /// Name of the door of a stop.
    #[must_use]
    pub fn door_name(&self, stop: &ElevatorStop) -> String {
        format!("{}/{}/door", self.name, stop.name())
    }

    /// Whether a point of a stop's floor is in the car.
    #[must_use]
    pub fn is_inside(&self, stop: &ElevatorStop, point: [f64; 2]) -> bool {
        let [x, y] = stop.pose.inverse_transform_point(point);
        x.abs() <= 0.5 * self.size[0] && y.abs() <= 0.5 * self.size[1]
    }

    /// Whether somebody's base is so near the doorway of a stop that the door must not close.
    fn is_in_doorway(&self, stop: &ElevatorStop, point: [f64; 2]) -> bool {
        let [x, y] = stop.pose.inverse_transform_point(point);
        let beside = (y.abs() - 0.5 * self.door_width).max(0.0);
        let before = x - 0.5 * (self.size[0] + self.wall_thickness);
        libm::hypot(before, beside) <= self.door_sensor
    }
}

/// What an elevator does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ElevatorMotion {
    /// It stands, with its door open or on the way to it.
    Waiting,
    /// It closes its door to ride.
    Closing,
    /// It is under way.
    Riding,
}

/// What people see of an elevator.
#[derive(Debug, Clone, PartialEq)]
pub struct ElevatorState {
    /// Name of the stop where it is, or that it left last.
    pub stop: String,
    /// Name of the stop that it goes to; "" = none.
    pub target: String,
    /// What it does.
    pub motion: ElevatorMotion,
    /// State of its door at each stop, in order.
    pub doors: Vec<DoorState>,
}

/// Who rides along in the step that ends a ride, and to where.
#[derive(Debug, Clone, PartialEq)]
pub struct Ride {
    /// Pose of the car where it left.
    pub from: Pose2,
    /// Pose of the car where it arrived.
    pub to: Pose2,
    /// The floor where it arrived.
    pub floor: String,
    /// Whoever is in the car, in the order in which they were given.
    pub riders: Vec<BodyKey>,
}

impl Ride {
    /// Where a rider is after the ride: at the same place of the car.
    #[must_use]
    pub fn moved(&self, rider: &Pose2) -> Pose2 {
        if self.from == self.to {
            // Not to lose a bit of it.
            return *rider;
        }
        self.to.compose(&self.from.inverse().compose(rider))
    }
}

/// What an elevator is told before a step.
pub struct ElevatorSenses<'a> {
    /// Robots and people.
    pub actors: &'a [Actor],
    /// What else may ride along, such as shelves; asked for at the end of a ride alone.
    pub cargo: &'a dyn Fn() -> Vec<Actor>,
    /// The heights of the car at each stop in the world, m, in order.
    pub z: &'a [ZExtent],
    /// How deep the door panel of a stop would press into somebody at a pose, m.
    pub depth_at: &'a dyn Fn(usize, Pose2) -> f64,
}

/// An elevator and what it is about.
#[derive(Debug, Clone, PartialEq)]
pub struct Elevator {
    spec: ElevatorSpec,
    doors: Vec<Door>,
    /// Where it is or left last, among the stops.
    at: usize,
    /// Where it is to go, in turn.
    calls: Vec<usize>,
    motion: ElevatorMotion,
    /// Time of the ride that is over, ns.
    ridden: u64,
    /// Time for which the door was open, ns.
    open_for: u64,
}

impl Elevator {
    /// An elevator that waits at its first stop with its door open.
    ///
    /// # Errors
    /// As [`ElevatorSpec::check`].
    pub fn new(spec: ElevatorSpec) -> Result<Self, BuildingError> {
        spec.check()?;
        let doors: Result<Vec<Door>, BuildingError> = (spec.stops.iter())
            .map(|stop| Door::new(spec.door(stop)))
            .collect();
        let mut elevator = Self {
            doors: doors?,
            at: 0,
            calls: Vec::new(),
            motion: ElevatorMotion::Waiting,
            ridden: 0,
            open_for: 0,
            spec,
        };
        elevator.reset();
        Ok(elevator)
    }

    /// What it was made with.
    #[must_use]
    pub fn spec(&self) -> &ElevatorSpec {
        &self.spec
    }

    /// Its doors, in the order of its stops.
    #[must_use]
    pub fn doors(&self) -> &[Door] {
        &self.doors
    }

    /// What people see of it.
    #[must_use]
    pub fn state(&self) -> ElevatorState {
        let name = |stop: usize| self.spec.stops[stop].name().to_owned();
        ElevatorState {
            stop: name(self.at),
            target: self
                .calls
                .first()
                .map_or_else(String::new, |stop| name(*stop)),
            motion: self.motion,
            doors: self.doors.iter().map(Door::state).collect(),
        }
    }

    /// Where the car is among its stops: 0 at the first one, between two of them under way.
    #[must_use]
    pub fn position(&self) -> f64 {
        let at = self.at as f64;
        let (ElevatorMotion::Riding, Some(target)) = (self.motion, self.calls.first()) else {
            return at;
        };
        let share = self.ridden as f64 / self.ride_to(*target).max(1) as f64;
        // Smoothly from rest to rest.
        let smooth = share * share * (3.0 - 2.0 * share);
        at + smooth * (*target as f64 - at)
    }

    /// Calls the car to a stop, by its name. It comes after the calls before; a call that
    /// waits already is no other one. Where it is, it opens its door.
    ///
    /// # Errors
    /// A name that no stop has.
    pub fn call(&mut self, stop: &str) -> Result<(), BuildingError> {
        let index = self.stop(stop)?;
        let is_here = self.at == index && self.motion != ElevatorMotion::Riding;
        if is_here && self.calls.is_empty() {
            self.open_for = 0;
        } else if !self.calls.contains(&index) {
            self.calls.push(index);
        }
        Ok(())
    }

    /// The place of a stop among its stops.
    ///
    /// # Errors
    /// A name that no stop has.
    pub fn stop(&self, name: &str) -> Result<usize, BuildingError> {
        let stops = &self.spec.stops;
        stops
            .iter()
            .position(|stop| stop.name() == name)
            .ok_or_else(|| {
                let known: Vec<&str> = stops.iter().map(ElevatorStop::name).collect();
                BuildingError::Unfit {
                    kind: Kind::Elevator,
                    name: self.spec.name.clone(),
                    field: "floor".to_owned(),
                    problem: format!("is '{name}', it must be one of: {}", known.join(", ")),
                }
            })
    }

    /// Back at its first stop with its door open and without calls. Who rode along does not
    /// come with it.
    pub fn reset(&mut self) {
        for (stop, door) in self.doors.iter_mut().enumerate() {
            door.reset();
            door.rest(stop == 0);
        }
        self.at = 0;
        self.calls.clear();
        self.motion = ElevatorMotion::Waiting;
        self.ridden = 0;
        self.open_for = nanoseconds(self.spec.door_hold);
    }

    /// Takes a step. In the one that ends a ride it says who rode along.
    pub fn step(&mut self, dt: PhysicsDt, senses: &ElevatorSenses<'_>) -> Option<Ride> {
        let ride = match self.motion {
            ElevatorMotion::Riding => self.ride(dt, senses),
            ElevatorMotion::Waiting | ElevatorMotion::Closing => {
                self.attend_door(dt, senses);
                None
            }
        };
        for (stop, door) in self.doors.iter_mut().enumerate() {
            let depth_at = |panel: Pose2| (senses.depth_at)(stop, panel);
            let senses = DoorSenses {
                actors: &[],
                z: ZExtent::ALL,
                depth_at: &depth_at,
            };
            door.step(dt, &senses);
        }
        ride
    }

    /// At a stop: opens the door, or closes it to ride when somebody calls and nobody is in
    /// the doorway.
    fn attend_door(&mut self, dt: PhysicsDt, senses: &ElevatorSenses<'_>) {
        let Some(target) = self.calls.first().copied() else {
            self.wait_open(dt);
            return;
        };
        if target == self.at {
            self.calls.remove(0);
            self.open_for = 0;
            self.wait_open(dt);
            return;
        }
        if self.doors[self.at].is_blocked() {
            self.open_for = 0;
        }
        let has_waited = self.open_for >= nanoseconds(self.spec.door_hold);
        if !has_waited || self.is_doorway_taken(senses) {
            self.wait_open(dt);
            return;
        }
        self.motion = ElevatorMotion::Closing;
        self.doors[self.at].set_open(false);
        if self.doors[self.at].state() == DoorState::Closed {
            self.motion = ElevatorMotion::Riding;
            self.ridden = 0;
        }
    }

    /// Stands with its door open; a door that was about to close opens again.
    fn wait_open(&mut self, dt: PhysicsDt) {
        self.motion = ElevatorMotion::Waiting;
        self.doors[self.at].set_open(true);
        if self.doors[self.at].state() == DoorState::Open {
            self.open_for = self.open_for.saturating_add(dt.nanoseconds());
        }
    }

    fn is_doorway_taken(&self, senses: &ElevatorSenses<'_>) -> bool {
        let stop = &self.spec.stops[self.at];
        let is_in_it = |actor: &Actor| {
            self.is_at_stop(actor, senses) && self.spec.is_in_doorway(stop, actor.at)
        };
        senses.actors.iter().any(is_in_it)
    }

    /// Whether somebody is at the heights of the car where it is.
    fn is_at_stop(&self, actor: &Actor, senses: &ElevatorSenses<'_>) -> bool {
        senses.z.get(self.at).is_some_and(|z| z.overlaps(&actor.z))
    }

    /// Under way; at its end the car is at its target, with all that is in it.
    fn ride(&mut self, dt: PhysicsDt, senses: &ElevatorSenses<'_>) -> Option<Ride> {
        let target = self.calls.first().copied()?;
        self.ridden += dt.nanoseconds();
        if self.ridden < self.ride_to(target) {
            return None;
        }
        let from = &self.spec.stops[self.at];
        let is_in =
            |actor: &&Actor| self.is_at_stop(actor, senses) && self.spec.is_inside(from, actor.at);
        let cargo = (senses.cargo)();
        let all = senses.actors.iter().chain(&cargo);
        let riders = all.filter(is_in).map(|actor| actor.key).collect();
        let to = &self.spec.stops[target];
        let ride = Ride {
            from: from.pose,
            to: to.pose,
            floor: to.floor.clone(),
            riders,
        };
        self.calls.remove(0);
        self.at = target;
        (self.motion, self.open_for) = (ElevatorMotion::Waiting, 0);
        self.doors[target].set_open(true);
        Some(ride)
    }

    /// Time of a ride from here, ns.
    fn ride_to(&self, target: usize) -> u64 {
        let floors = self.at.abs_diff(target) as u64;
        floors * nanoseconds(self.spec.ride_time)
    }
}
