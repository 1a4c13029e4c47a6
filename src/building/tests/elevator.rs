//! Elevators: the car, its doors, rides, and who rides along.

use std::f64::consts::{FRAC_PI_2, PI};

use super::*;

/// Two floors side by side, 10 m apart, and a ride of 5 s; the door takes 1.9 s and stays
/// open for 3 s.
fn beside() -> ElevatorSpec {
    let stop = |name: &str, x: f64| ElevatorStop {
        name: name.into(),
        ..ElevatorStop::new("", Pose2::new(x, 0.0, 0.0))
    };
    ElevatorSpec::new("lift", vec![stop("1F", 0.0), stop("2F", 10.0)])
}

/// Three floors, one above the other.
fn stacked() -> ElevatorSpec {
    let stop = |floor: &str| ElevatorStop::new(floor, Pose2::new(1.0, 2.0, FRAC_PI_2));
    ElevatorSpec::new("lift", vec![stop("1F"), stop("2F"), stop("3F")])
}

/// The heights of the stops of a stacked elevator, 3 m each.
const STOREYS: [ZExtent; 3] = [
    ZExtent::new(0.0, 2.2),
    ZExtent::new(3.0, 5.2),
    ZExtent::new(6.0, 8.2),
];

struct Around<'a> {
    actors: &'a [Actor],
    cargo: &'a [Actor],
    depth_at: &'a dyn Fn(usize, Pose2) -> f64,
}

const NOBODY: Around<'static> = Around {
    actors: &[],
    cargo: &[],
    depth_at: &|_, _| 0.0,
};

/// Steps until a ride ends or the time is over; the ride, and the seconds that it took.
fn run(elevator: &mut Elevator, seconds: f64, around: &Around<'_>) -> (Option<Ride>, f64) {
    let z = match elevator.spec().stops[0].floor.as_str() {
        "" => [STOREYS[0]; 3],
        _ => STOREYS,
    };
    for step in 1..=steps(seconds) {
        let senses = ElevatorSenses {
            actors: around.actors,
            cargo: &|| around.cargo.to_vec(),
            z: &z,
            depth_at: around.depth_at,
        };
        let ride = elevator.step(dt(), &senses);
        if ride.is_some() {
            return (ride, step as f64 * 0.01);
        }
    }
    (None, seconds)
}

#[test]
fn the_car_is_closed_but_for_the_doorway() {
    let spec = beside();
    let parts = spec.parts();
    // 1.5 m inside and walls of 0.1 m.
    let found = bounds(&parts, Pose2::default());
    for (found, expected) in found.into_iter().zip([-0.85, 0.85, -0.85, 0.85]) {
        assert_near(found, expected, 1e-12);
    }
    let meets = |x: f64, y: f64| {
        parts.iter().any(|part| {
            let [x_min, x_max, y_min, y_max] = bounds(std::slice::from_ref(part), Pose2::default());
            (x_min..=x_max).contains(&x) && (y_min..=y_max).contains(&y)
        })
    };
    for y in [-0.74, -0.46, 0.46, 0.74] {
        assert!(meets(0.8, y), "beside the doorway at y {y}");
    }
    for y in [-0.44, 0.0, 0.44] {
        assert!(!meets(0.8, y), "in the doorway at y {y}");
    }
    for (x, y) in [
        (-0.8, 0.0),
        (0.0, 0.8),
        (0.0, -0.8),
        (-0.8, 0.8),
        (0.8, 0.8),
    ] {
        assert!(meets(x, y), "wall at ({x}, {y})");
    }
    assert!(!meets(0.0, 0.0) && !meets(0.74, 0.74));
}

#[test]
fn its_doors_run_outside_the_car_and_close_its_doorway() {
    let spec = beside();
    let door = spec.door(&spec.stops[1]);
    assert_eq!(door.name, "lift/2F/door");
    // The front wall is from x = 10.75 to 10.85; a panel of 1 m runs 5 mm before it.
    let found = bounds(&door.parts(), door.panel_pose(0.0));
    for (found, expected) in found.into_iter().zip([10.855, 10.895, -0.5, 0.5]) {
        assert_near(found, expected, 1e-12);
    }
    let found = bounds(&door.parts(), door.panel_pose(1.0));
    for (found, expected) in found.into_iter().zip([10.855, 10.895, 0.45, 1.45]) {
        assert_near(found, expected, 1e-12);
    }
}

#[test]
fn it_waits_at_the_first_stop_with_one_door_open() {
    let mut elevator = Elevator::new(stacked()).unwrap();
    let expected = ElevatorState {
        stop: "1F".into(),
        target: String::new(),
        motion: ElevatorMotion::Waiting,
        doors: vec![DoorState::Open, DoorState::Closed, DoorState::Closed],
    };
    assert_eq!(elevator.state(), expected);
    run(&mut elevator, 60.0, &NOBODY);
    assert_eq!(elevator.state(), expected);
}

#[test]
fn a_call_closes_the_door_rides_and_opens_the_other_one() {
    let mut elevator = Elevator::new(stacked()).unwrap();
    elevator.call("3F").unwrap();
    run(&mut elevator, 1.8, &NOBODY);
    let state = elevator.state();
    assert_eq!(
        (state.motion, &*state.target),
        (ElevatorMotion::Closing, "3F")
    );
    assert_eq!(state.doors[0], DoorState::Closing);
    run(&mut elevator, 0.2, &NOBODY);
    assert_eq!(elevator.state().motion, ElevatorMotion::Riding);
    assert_eq!(elevator.state().doors, [DoorState::Closed; 3]);
    // Two floors of 5 s; half of it is the middle, smoothly from rest to rest.
    run(&mut elevator, 4.91, &NOBODY);
    assert_near(elevator.position(), 1.0, 0.01);
    let (ride, _) = run(&mut elevator, 10.0, &NOBODY);
    let ride = ride.expect("it arrives");
    assert_eq!((ride.floor.as_str(), ride.riders.len()), ("3F", 0));
    let state = elevator.state();
    assert_eq!((&*state.stop, &*state.target), ("3F", ""));
    assert_eq!(
        state.doors,
        [DoorState::Closed, DoorState::Closed, DoorState::Opening]
    );
    run(&mut elevator, 2.0, &NOBODY);
    assert_eq!(elevator.state().doors[2], DoorState::Open);
    assert_near(elevator.position(), 2.0, 0.0);
}

#[test]
fn a_ride_takes_its_time_for_each_floor_and_the_door() {
    for (target, floors) in [("2F", 1.0), ("3F", 2.0)] {
        let mut elevator = Elevator::new(stacked()).unwrap();
        elevator.call(target).unwrap();
        let (ride, time) = run(&mut elevator, 60.0, &NOBODY);
        assert!(ride.is_some());
        // A step to notice that the door is closed.
        assert_near(time, 1.9 + 5.0 * floors, 0.021);
    }
}

#[test]
fn whoever_is_in_the_car_rides_along_at_the_same_place_of_it() {
    let mut elevator = Elevator::new(beside()).unwrap();
    elevator.call("2F").unwrap();
    let actors = [
        robot(1, 0.0, 0.0),
        robot(2, 2.5, 0.0),
        robot(3, -0.3, 0.5),
        // On another storey above the car.
        Actor {
            z: ZExtent::new(3.0, 3.1),
            ..robot(4, 0.0, 0.0)
        },
    ];
    let around = Around {
        actors: &actors,
        cargo: &[robot(9, -0.4, -0.4), robot(10, 10.0, 0.0)],
        ..NOBODY
    };
    let (ride, _) = run(&mut elevator, 60.0, &around);
    let ride = ride.expect("it arrives");
    assert_eq!(ride.riders, [BodyKey(1), BodyKey(3), BodyKey(9)]);
    assert_eq!(ride.floor, "");
    assert_pose(
        ride.moved(&Pose2::new(0.3, -0.2, 1.0)),
        Pose2::new(10.3, -0.2, 1.0),
        1e-12,
    );
}

#[test]
fn a_car_that_stands_turned_on_the_other_floor_turns_its_riders() {
    let ride = Ride {
        from: Pose2::new(0.0, 0.0, 0.0),
        to: Pose2::new(10.0, 5.0, FRAC_PI_2),
        floor: String::new(),
        riders: Vec::new(),
    };
    let expected = Pose2::new(10.2, 5.5, -PI / 4.0 + FRAC_PI_2);
    assert_pose(
        ride.moved(&Pose2::new(0.5, -0.2, -PI / 4.0)),
        expected,
        1e-12,
    );
    // One above the other: not a bit changes.
    let upwards = Ride {
        to: ride.from,
        ..ride
    };
    let pose = Pose2::new(0.1, 0.7, 1.3);
    assert_eq!(upwards.moved(&pose), pose);
}

#[test]
fn the_door_does_not_close_on_who_is_in_the_doorway() {
    // The doorway is at x = 0.8; the sensor reaches 0.4 m.
    for (x, y, is_kept) in [
        (0.8, 0.0, true),
        (0.41, 0.0, true),
        (1.19, 0.0, true),
        (0.8, 0.84, true),
        (0.39, 0.0, false),
        (1.21, 0.0, false),
        (0.8, 0.86, false),
    ] {
        let mut elevator = Elevator::new(beside()).unwrap();
        elevator.call("2F").unwrap();
        let actors = [robot(1, x, y)];
        let around = Around {
            actors: &actors,
            ..NOBODY
        };
        let (ride, _) = run(&mut elevator, 20.0, &around);
        assert_eq!(ride.is_none(), is_kept, "somebody at ({x}, {y})");
    }
}

#[test]
fn a_closing_door_reopens_for_who_comes_and_closes_when_the_way_is_free() {
    let mut elevator = Elevator::new(beside()).unwrap();
    elevator.call("2F").unwrap();
    run(&mut elevator, 1.0, &NOBODY);
    assert_eq!(elevator.state().doors[0], DoorState::Closing);
    let actors = [robot(1, 0.8, 0.0)];
    let around = Around {
        actors: &actors,
        ..NOBODY
    };
    run(&mut elevator, 5.0, &around);
    let state = elevator.state();
    assert_eq!(
        (state.motion, state.doors[0]),
        (ElevatorMotion::Waiting, DoorState::Open)
    );
    assert_eq!(state.target, "2F");
    let (ride, time) = run(&mut elevator, 20.0, &NOBODY);
    assert!(ride.is_some());
    assert_near(time, 1.9 + 5.0, 0.021);
}

#[test]
fn a_door_that_meets_somebody_opens_wholly_before_it_tries_again() {
    let mut elevator = Elevator::new(beside()).unwrap();
    elevator.call("2F").unwrap();
    // The panel's edge, half a metre from its middle, meets a body at y = 0.2.
    let depth_at = |stop: usize, panel: Pose2| match stop {
        0 => (0.2 - (panel.y - 0.5)).max(0.0),
        _ => 0.0,
    };
    let around = Around {
        depth_at: &depth_at,
        ..NOBODY
    };
    let mut opened = 0;
    let mut before = DoorState::Open;
    for _ in 0..steps(30.0) {
        let (ride, _) = run(&mut elevator, 0.01, &around);
        assert_eq!(ride, None, "with somebody in the door");
        let panel = elevator.doors()[0].pose();
        assert!(depth_at(0, panel) < 0.002, "{panel:?}");
        let door = elevator.state().doors[0];
        opened += u32::from(door == DoorState::Open && before == DoorState::Opening);
        before = door;
    }
    // Closing and opening take 0.5 s each... of the 1.9 s: 0.25 m of 0.95 m; then 3 s open.
    let expected = 30.0 / (0.5 + 0.5 + 3.0);
    assert!(
        (f64::from(opened) - expected).abs() <= 1.0,
        "{opened}, expected {expected}"
    );
    assert!(run(&mut elevator, 20.0, &NOBODY).0.is_some());
}

#[test]
fn calls_are_served_in_turn_with_a_stand_at_each() {
    let mut elevator = Elevator::new(stacked()).unwrap();
    for stop in ["3F", "2F", "3F"] {
        elevator.call(stop).unwrap();
    }
    let (first, _) = run(&mut elevator, 60.0, &NOBODY);
    assert_eq!(first.expect("a ride").floor, "3F");
    let (second, time) = run(&mut elevator, 60.0, &NOBODY);
    assert_eq!(second.expect("a ride").floor, "2F");
    // The door opens, stays so for 3 s, closes; one floor.
    assert_near(time, 1.9 + 3.0 + 1.9 + 5.0, 0.041);
    let (third, _) = run(&mut elevator, 60.0, &NOBODY);
    assert_eq!(third, None, "a call that waited was no other one");
    // A call to where it is opens nothing else.
    elevator.call("2F").unwrap();
    run(&mut elevator, 10.0, &NOBODY);
    let state = elevator.state();
    assert_eq!((&*state.stop, state.doors[1]), ("2F", DoorState::Open));
}

#[test]
fn an_unknown_stop_is_refused_with_those_that_there_are() {
    let mut elevator = Elevator::new(stacked()).unwrap();
    let refused = elevator.call("9F");
    assert_refused(refused, &["elevator 'lift'", "floor is '9F'", "1F, 2F, 3F"]);
    assert_eq!(elevator.state().target, "");
}

#[test]
fn a_reset_brings_the_car_back_without_calls() {
    let mut elevator = Elevator::new(stacked()).unwrap();
    let fresh = elevator.clone();
    elevator.call("2F").unwrap();
    elevator.call("3F").unwrap();
    run(&mut elevator, 9.0, &NOBODY);
    elevator.reset();
    assert_eq!(elevator, fresh);
}

#[test]
fn what_cannot_be_is_refused_with_what_would_be_right() {
    let stop = |floor: &str| ElevatorStop::new(floor, Pose2::default());
    let spec = stacked;
    let cases: Vec<(ElevatorSpec, &[&str])> = vec![
        (
            ElevatorSpec {
                name: String::new(),
                ..spec()
            },
            &["elevator name ''"],
        ),
        (
            ElevatorSpec {
                stops: Vec::new(),
                ..spec()
            },
            &["stops has 0 floors", "2 to 200"],
        ),
        (
            ElevatorSpec {
                stops: vec![stop("1F")],
                ..spec()
            },
            &["elevator 'lift'", "stops has 1 floor,", "2 to 200"],
        ),
        (
            ElevatorSpec {
                stops: vec![stop("1F"), stop("1F")],
                ..spec()
            },
            &["stops[1].name is '1F'", "unique"],
        ),
        (
            ElevatorSpec {
                stops: vec![stop("1F"), stop("")],
                ..spec()
            },
            &["stops[1].name is empty"],
        ),
        (
            ElevatorSpec {
                size: [1.5, f64::NAN],
                ..spec()
            },
            &["size.y is NaN"],
        ),
        (
            ElevatorSpec {
                door_width: 1.6,
                ..spec()
            },
            &["door_width is 1.6", "at most 1.5 m"],
        ),
        (
            ElevatorSpec {
                door_speed: -1.0,
                ..spec()
            },
            &["door_speed is -1", "m/s"],
        ),
        (
            ElevatorSpec {
                ride_time: -1.0,
                ..spec()
            },
            &["ride_time is -1"],
        ),
        (
            ElevatorSpec {
                door_hold: f64::INFINITY,
                ..spec()
            },
            &["door_hold is inf"],
        ),
        (
            ElevatorSpec {
                door_sensor: -0.1,
                ..spec()
            },
            &["door_sensor is -0.1"],
        ),
    ];
    for (spec, words) in cases {
        assert_refused(spec.check(), words);
        assert!(Elevator::new(spec).is_err());
    }
    assert_eq!(beside().check(), Ok(()));
    assert_eq!(stacked().check(), Ok(()));
}

/// A person in the car rides along and walks on there.
#[test]
fn a_person_who_rode_walks_on_from_there() {
    let walk = Walk {
        repeat: Repeat::Once,
        ..Walk::through(vec![Waypoint::new(2.0, 0.0)])
    };
    let spec = PersonSpec {
        walk: Some(walk),
        ..PersonSpec::new("anna", Pose2::default())
    };
    let mut person = Person::new(spec, 0).unwrap();
    let walk_on = |person: &mut Person, seconds: f64| {
        for _ in 0..steps(seconds) {
            let senses = PersonSenses {
                actors: &[],
                door_depth: &|_| 0.0,
                wall_beside: &|_, _| false,
            };
            person.step(dt(), BodyKey(1), &senses);
        }
    };
    walk_on(&mut person, 0.5);
    person.ride(&Ride {
        from: Pose2::default(),
        to: Pose2::new(10.0, 0.0, FRAC_PI_2),
        floor: String::new(),
        riders: Vec::new(),
    });
    assert_pose(person.state().pose, Pose2::new(10.0, 0.5, FRAC_PI_2), 1e-12);
    walk_on(&mut person, 2.0);
    assert_pose(person.state().pose, Pose2::new(10.0, 2.0, FRAC_PI_2), 1e-9);
    person.reset(0);
    assert_pose(person.state().pose, Pose2::default(), 0.0);
}
