//! Messages of the things of a building to specifications and back.

use r2r::geometry_msgs::msg::Point32;
use r2r::tatami_msgs::msg as tatami;

use crate::building::{
    AutomaticDoor, ChargerSpec, DoorCycle, DoorKind, DoorSpec, DropSpec, ElevatorSpec,
    ElevatorStop, PersonShape, PersonSpec, Repeat, ShelfShape, ShelfSpec, SpeedMode, Walk,
    Waypoint,
};
use crate::world::Pose2;

/// A number of a message, which stands for a default when it is 0.
fn or(value: f64, default: f64) -> f64 {
    if value == 0.0 { default } else { value }
}

/// An item whose number stands for nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{list}[{index}]: {kind} '{name}': {field} is {value}, it must be {expected}")]
pub(in crate::ros) struct RefusedItem {
    list: &'static str,
    index: usize,
    kind: &'static str,
    name: String,
    field: &'static str,
    value: u8,
    expected: String,
}

/// An enum of a message.
struct Choice<T: 'static> {
    field: &'static str,
    values: &'static [(u8, T, &'static str)],
}

/// A value that an enum of a message does not have.
pub(super) struct NoChoice {
    kind: &'static str,
    name: String,
    field: &'static str,
    value: u8,
    expected: String,
}

impl<T: Copy> Choice<T> {
    fn of(&self, kind: &'static str, name: &str, value: u8) -> Result<T, NoChoice> {
        let found = self.values.iter().find(|(number, ..)| *number == value);
        found.map(|(_, choice, _)| *choice).ok_or_else(|| {
            let known = self.values.iter();
            let known: Vec<String> = known
                .map(|(number, _, word)| format!("{number} ({word})"))
                .collect();
            NoChoice {
                kind,
                name: name.to_owned(),
                field: self.field,
                value,
                expected: known.join(" or "),
            }
        })
    }
}

/// All items of a list.
///
/// # Errors
/// The first one that is none.
pub(super) fn all<M, S>(
    list: &'static str,
    messages: &[M],
    convert: impl Fn(&M) -> Result<S, NoChoice>,
) -> Result<Vec<S>, RefusedItem> {
    let item = |(index, message)| {
        convert(message).map_err(|wrong: NoChoice| RefusedItem {
            list,
            index,
            kind: wrong.kind,
            name: wrong.name,
            field: wrong.field,
            value: wrong.value,
            expected: wrong.expected,
        })
    };
    messages.iter().enumerate().map(item).collect()
}

const SPEED_MODE: Choice<SpeedMode> = Choice {
    field: "speed_mode",
    values: &[
        (
            tatami::Shelf::DEFAULT_SPEED as u8,
            SpeedMode::Default,
            "default",
        ),
        (tatami::Shelf::LOW_SPEED as u8, SpeedMode::Low, "low"),
        (
            tatami::Shelf::NORMAL_SPEED as u8,
            SpeedMode::Normal,
            "normal",
        ),
    ],
};

const DOOR_KIND: Choice<DoorKind> = Choice {
    field: "type",
    values: &[
        (tatami::Door::SLIDING as u8, DoorKind::Sliding, "sliding"),
        (tatami::Door::HINGED as u8, DoorKind::Hinged, "hinged"),
    ],
};

#[derive(Clone, Copy)]
enum Form {
    Legs,
    Disc,
}

const FORM: Choice<Form> = Choice {
    field: "shape",
    values: &[
        (tatami::Person::LEGS as u8, Form::Legs, "legs"),
        (tatami::Person::DISC as u8, Form::Disc, "disc"),
    ],
};

const REPEAT: Choice<Repeat> = Choice {
    field: "repeat",
    values: &[
        (tatami::Person::LOOP as u8, Repeat::Loop, "loop"),
        (
            tatami::Person::THERE_AND_BACK as u8,
            Repeat::ThereAndBack,
            "there and back",
        ),
        (tatami::Person::ONCE as u8, Repeat::Once, "once"),
    ],
};

pub(super) fn shelf(message: &tatami::Shelf) -> Result<ShelfSpec, NoChoice> {
    let undersides = match message.undersides.as_slice() {
        [] => ShelfShape::default().undersides,
        given => given.to_vec(),
    };
    Ok(ShelfSpec {
        name: message.name.clone(),
        title: message.title.clone(),
        pose: Pose2::new(message.x, message.y, message.yaw),
        floor: message.floor.clone(),
        home: message.home.clone(),
        speed_mode: SPEED_MODE.of("shelf", &message.name, message.speed_mode)?,
        shape: ShelfShape {
            plate: [message.size_x, message.size_y],
            plate_thickness: message.plate_thickness,
            undersides,
            leg_distance: [message.leg_distance_x, message.leg_distance_y],
            leg_diameter: message.leg_diameter,
            height: message.height,
        },
        mass: message.mass,
    })
}

pub(super) fn door(message: &tatami::Door) -> Result<DoorSpec, NoChoice> {
    let kind = DOOR_KIND.of("door", &message.name, message.type_)?;
    let pose = Pose2::new(message.x, message.y, message.yaw);
    let default = DoorSpec::new(message.name.clone(), kind, pose);
    let cycle = DoorCycle {
        open: message.cycle_open,
        closed: message.cycle_closed,
    };
    Ok(DoorSpec {
        floor: message.floor.clone(),
        width: message.width,
        panel_width: (message.panel_width != 0.0).then_some(message.panel_width),
        height: message.height,
        thickness: message.thickness,
        wall_thickness: message.wall_thickness,
        speed: or(message.speed, default.speed),
        starts_open: message.open,
        pushes: message.pushes,
        cycle: (cycle.open != 0.0 || cycle.closed != 0.0).then_some(cycle),
        automatic: message.automatic.then_some(AutomaticDoor {
            range: message.sensor_range,
            margin: message.sensor_margin,
            hold: message.hold,
        }),
        ..default
    })
}

fn body_radius(shape: PersonShape) -> f64 {
    match shape {
        PersonShape::Disc { radius } | PersonShape::Legs { radius, .. } => radius,
    }
}

pub(super) fn person(message: &tatami::Person) -> Result<PersonSpec, NoChoice> {
    let shape = match FORM.of("person", &message.name, message.shape)? {
        Form::Legs => PersonShape::Legs {
            leg_radius: message.leg_radius,
            leg_distance: message.leg_distance,
            radius: or(message.radius, body_radius(PersonShape::LEGS)),
        },
        Form::Disc => PersonShape::Disc {
            radius: or(message.radius, body_radius(PersonShape::DISC)),
        },
    };
    let repeat = REPEAT.of("person", &message.name, message.repeat)?;
    let waypoint = |point: &tatami::Waypoint| Waypoint {
        at: [point.x, point.y],
        pause: point.pause,
    };
    let walk = Walk {
        waypoints: message.waypoints.iter().map(waypoint).collect(),
        speed: message.speed,
        pause: message.pause,
        repeat,
    };
    Ok(PersonSpec {
        name: message.name.clone(),
        pose: Pose2::new(message.x, message.y, message.yaw),
        floor: message.floor.clone(),
        shape,
        height: message.height,
        walk: (!walk.waypoints.is_empty()).then_some(walk),
        avoids: message.avoids,
    })
}

pub(super) fn charger(message: &tatami::Charger) -> Result<ChargerSpec, NoChoice> {
    Ok(ChargerSpec {
        name: message.name.clone(),
        pose: Pose2::new(message.x, message.y, message.yaw),
        floor: message.floor.clone(),
        panel: [
            message.panel_size_x,
            message.panel_size_y,
            message.panel_height,
        ],
        panel_distance: message.panel_distance,
        plate: [
            message.plate_size_x,
            message.plate_size_y,
            message.plate_height,
        ],
        tolerance: message.tolerance,
        angle_tolerance: message.angle_tolerance,
    })
}

pub(super) fn drop_region(message: &tatami::Drop) -> Result<DropSpec, NoChoice> {
    let point = |point: &Point32| [f64::from(point.x), f64::from(point.y)];
    Ok(DropSpec {
        name: message.name.clone(),
        floor: message.floor.clone(),
        points: message.points.iter().map(point).collect(),
        depth: or(message.depth, DropSpec::DEPTH),
    })
}

pub(super) fn elevator(message: &tatami::Elevator) -> Result<ElevatorSpec, NoChoice> {
    let stop = |stop: &tatami::ElevatorStop| ElevatorStop {
        floor: stop.floor.clone(),
        name: stop.name.clone(),
        pose: Pose2::new(stop.x, stop.y, stop.yaw),
    };
    Ok(ElevatorSpec {
        name: message.name.clone(),
        stops: message.stops.iter().map(stop).collect(),
        size: [message.size_x, message.size_y],
        height: message.height,
        wall_thickness: message.wall_thickness,
        door_width: message.door_width,
        door_speed: message.door_speed,
        door_sensor: message.door_sensor,
        door_hold: message.door_hold,
        ride_time: message.ride_time,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: Pose2 = Pose2::new(1.0, -2.0, 0.5);

    /// A message with its defaults, at [`AT`].
    macro_rules! message {
        ($kind:ident { $($field:ident: $value:expr),* }) => {
            tatami::$kind {
                name: "a".to_owned(),
                x: 1.0,
                y: -2.0,
                yaw: 0.5,
                $($field: $value,)*
                ..Default::default()
            }
        };
    }

    /// The only item of a list.
    fn one<M, S>(message: M, convert: impl Fn(&M) -> Result<S, NoChoice>) -> Result<S, String> {
        let all = all("items", &[message], convert).map_err(|error| error.to_string())?;
        Ok(all.into_iter().next().unwrap())
    }

    #[test]
    fn what_is_left_out_is_as_the_library_has_it() {
        assert_eq!(one(message!(Shelf {}), shelf), Ok(ShelfSpec::new("a", AT)));
        assert_eq!(
            one(message!(Charger {}), charger),
            Ok(ChargerSpec::new("a", AT))
        );
        assert_eq!(
            one(message!(Person {}), person),
            Ok(PersonSpec::new("a", AT))
        );
        let disc = one(message!(Person { shape: 1 }), person).unwrap();
        assert_eq!(disc.shape, PersonShape::DISC);
        for (number, kind) in [(0, DoorKind::Sliding), (1, DoorKind::Hinged)] {
            let found = one(message!(Door { type_: number }), door);
            assert_eq!(found, Ok(DoorSpec::new("a", kind, AT)));
        }
        let automatic = one(message!(Door { automatic: true }), door).unwrap();
        assert_eq!(automatic.automatic, Some(AutomaticDoor::default()));
        let elevator_message = tatami::Elevator {
            name: "a".to_owned(),
            stops: vec![tatami::ElevatorStop::default()],
            ..Default::default()
        };
        let wanted = ElevatorSpec::new("a", vec![ElevatorStop::new("", Pose2::default())]);
        assert_eq!(one(elevator_message, elevator), Ok(wanted));
        let region = one(tatami::Drop::default(), drop_region).unwrap();
        assert_eq!(region.depth, DropSpec::DEPTH);
        let waypoints = vec![tatami::Waypoint {
            x: 3.0,
            y: 4.0,
            pause: 0.0,
        }];
        let walker = one(
            message!(Person {
                waypoints: waypoints
            }),
            person,
        )
        .unwrap();
        let wanted = Walk::through(vec![Waypoint::new(3.0, 4.0)]);
        assert_eq!(walker.walk, Some(wanted));
    }

    #[test]
    fn a_number_that_stands_for_nothing_is_named() {
        let wrong = [
            one(message!(Shelf { speed_mode: 7 }), shelf).map(|_| ()),
            one(message!(Door { type_: 2 }), door).map(|_| ()),
            one(message!(Person { shape: 9 }), person).map(|_| ()),
            one(message!(Person { repeat: 3 }), person).map(|_| ()),
        ];
        let wanted = [
            "shelf 'a': speed_mode is 7, it must be 0 (default) or 1 (low) or 2 (normal)",
            "door 'a': type is 2, it must be 0 (sliding) or 1 (hinged)",
            "person 'a': shape is 9, it must be 0 (legs) or 1 (disc)",
            "person 'a': repeat is 3, it must be 0 (loop) or 1 (there and back) or 2 (once)",
        ];
        let wanted = wanted.map(|text| format!("items[0]: {text}"));
        assert_eq!(wrong.map(|result| result.unwrap_err()), wanted);
    }
}
