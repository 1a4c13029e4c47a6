//! What the things of a building do, on latched topics that are sent when it changes.

use r2r::tatami_msgs::msg::{self as tatami, ChargerStates, DoorStates, DropStates};
use r2r::tatami_msgs::msg::{ElevatorStates, PersonStates, ShelfStates};
use r2r::{Node, WrappedTypesupport};

use crate::building::{Door, DoorState, Elevator, ElevatorMotion, Person, SpeedMode};
use crate::ros::convert::stamp;
use crate::ros::layout_client::drop_message;
use crate::ros::output::{Output, latched};
use crate::scene::Scene;
use crate::world::{Kind, SimTime};

/// One topic, and the state of the scene that it has told.
struct Topic<T: WrappedTypesupport + 'static> {
    output: Output<T>,
    told: Option<u64>,
}

impl<T: WrappedTypesupport + 'static> Topic<T> {
    fn open(node: &mut Node, name: &str) -> r2r::Result<Self> {
        Ok(Self {
            output: Output::open(node, &format!("~/{name}"), latched(1), T::default())?,
            told: None,
        })
    }

    /// Publishes what is in this state, if it is another one.
    fn tell(&mut self, revision: u64, message: impl FnOnce() -> T) {
        if self.told.replace(revision) != Some(revision) {
            self.output.publish_other(&message());
        }
    }
}

/// The topics of the building.
pub(in crate::ros) struct BuildingTopics {
    shelves: Topic<ShelfStates>,
    doors: Topic<DoorStates>,
    people: Topic<PersonStates>,
    chargers: Topic<ChargerStates>,
    drops: Topic<DropStates>,
    elevators: Topic<ElevatorStates>,
    /// Who was last told to be on which charger, in the order of their names.
    charging: Vec<String>,
    /// Grows with each change of it.
    charging_revision: u64,
}

impl BuildingTopics {
    /// Names of all of them, below the node's.
    pub(in crate::ros) const NAMES: [&str; 6] = [
        "shelves",
        "doors",
        "people",
        "chargers",
        "drops",
        "elevators",
    ];

    /// Opens all topics.
    ///
    /// # Errors
    /// When the middleware does not let one be opened.
    pub(in crate::ros) fn open(node: &mut Node) -> r2r::Result<Self> {
        let [shelves, doors, people, chargers, drops, elevators] = Self::NAMES;
        Ok(Self {
            shelves: Topic::open(node, shelves)?,
            doors: Topic::open(node, doors)?,
            people: Topic::open(node, people)?,
            chargers: Topic::open(node, chargers)?,
            drops: Topic::open(node, drops)?,
            elevators: Topic::open(node, elevators)?,
            charging: Vec::new(),
            charging_revision: 0,
        })
    }

    /// Publishes what has changed.
    pub(in crate::ros) fn publish_changes(&mut self, scene: &Scene) {
        let (building, now) = (scene.building(), scene.time());
        let revision = |kind| building.revision(kind);
        (self.shelves).tell(revision(Kind::Shelf), || shelf_states(scene));
        self.doors.tell(revision(Kind::Door), || DoorStates {
            stamp: stamp(now),
            doors: building.doors().map(door_state).collect(),
        });
        self.people.tell(revision(Kind::Person), || PersonStates {
            stamp: stamp(now),
            people: building.people().map(person_state).collect(),
        });
        self.drops.tell(revision(Kind::Drop), || DropStates {
            stamp: stamp(now),
            drops: building.drops().map(drop_message).collect(),
        });
        (self.elevators).tell(revision(Kind::Elevator), || ElevatorStates {
            stamp: stamp(now),
            elevators: building.elevators().map(elevator_state).collect(),
        });
        let charging: Vec<String> = building
            .chargers()
            .map(|charger| scene.robot_on(&charger.name))
            .collect();
        if charging != self.charging {
            self.charging = charging;
            self.charging_revision += 1;
        }
        let charging = &self.charging;
        let revision = revision(Kind::Charger) + self.charging_revision;
        (self.chargers).tell(revision, || charger_states(scene, now, charging));
    }
}

fn shelf_states(scene: &Scene) -> ShelfStates {
    let building = scene.building();
    let state = |spec: &crate::building::ShelfSpec| {
        let state = building.shelf_state(scene.world(), &spec.name)?;
        Some(tatami::ShelfState {
            name: spec.name.clone(),
            title: spec.title().to_owned(),
            x: state.pose.x,
            y: state.pose.y,
            yaw: state.pose.yaw,
            floor: spec.floor.clone(),
            carried_by: state.carrier,
            home: spec.home(),
            speed_mode: match spec.speed_mode {
                SpeedMode::Default => tatami::Shelf::DEFAULT_SPEED as u8,
                SpeedMode::Low => tatami::Shelf::LOW_SPEED as u8,
                SpeedMode::Normal => tatami::Shelf::NORMAL_SPEED as u8,
            },
            size_x: spec.shape.plate[0],
            size_y: spec.shape.plate[1],
            height: spec.shape.height,
        })
    };
    ShelfStates {
        stamp: stamp(scene.time()),
        shelves: building.shelves().filter_map(state).collect(),
    }
}

fn door_state(door: &Door) -> tatami::DoorState {
    let state = match door.state() {
        DoorState::Closed => tatami::DoorState::CLOSED as u8,
        DoorState::Open => tatami::DoorState::OPEN as u8,
        DoorState::Closing => tatami::DoorState::CLOSING as u8,
        DoorState::Opening => tatami::DoorState::OPENING as u8,
    };
    tatami::DoorState {
        name: door.spec().name.clone(),
        state,
        opening: door.opening(),
        blocked: door.is_blocked(),
    }
}

fn person_state(person: &Person) -> tatami::PersonState {
    let state = person.state();
    tatami::PersonState {
        name: person.spec().name.clone(),
        x: state.pose.x,
        y: state.pose.y,
        yaw: state.pose.yaw,
        floor: person.spec().floor.clone(),
        walking: state.is_walking,
        waypoint: u32::try_from(state.waypoint).unwrap_or(u32::MAX),
    }
}

fn charger_states(scene: &Scene, now: SimTime, charging: &[String]) -> ChargerStates {
    let chargers = scene.building().chargers().zip(charging);
    let state = |(spec, robot): (&crate::building::ChargerSpec, &String)| tatami::ChargerState {
        name: spec.name.clone(),
        x: spec.pose.x,
        y: spec.pose.y,
        yaw: spec.pose.yaw,
        floor: spec.floor.clone(),
        robot: robot.clone(),
    };
    ChargerStates {
        stamp: stamp(now),
        chargers: chargers.map(state).collect(),
    }
}

fn elevator_state(elevator: &Elevator) -> tatami::ElevatorState {
    let state = elevator.state();
    let motion = match state.motion {
        ElevatorMotion::Waiting => tatami::ElevatorState::WAITING as u8,
        ElevatorMotion::Closing => tatami::ElevatorState::CLOSING as u8,
        ElevatorMotion::Riding => tatami::ElevatorState::RIDING as u8,
    };
    tatami::ElevatorState {
        name: elevator.spec().name.clone(),
        stop: state.stop,
        target: state.target,
        motion,
        doors: elevator.doors().iter().map(door_state).collect(),
    }
}
