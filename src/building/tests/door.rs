//! Doors: geometry, states, cycles, sensors, and who stands in the way.

use std::f64::consts::FRAC_PI_2;

use super::*;

/// The heights of a door on the ground.
const Z: ZExtent = ZExtent::new(0.0, 2.0);

fn sliding() -> DoorSpec {
    DoorSpec::new("door", DoorKind::Sliding, Pose2::default())
}

fn hinged() -> DoorSpec {
    DoorSpec::new("door", DoorKind::Hinged, Pose2::default())
}

fn automatic() -> DoorSpec {
    DoorSpec {
        automatic: Some(AutomaticDoor {
            range: 1.0,
            margin: 0.2,
            hold: 2.0,
        }),
        ..sliding()
    }
}

fn run_among(door: &mut Door, seconds: f64, actors: &[Actor], depth_at: &dyn Fn(Pose2) -> f64) {
    for _ in 0..steps(seconds) {
        let senses = DoorSenses {
            actors,
            z: Z,
            depth_at,
        };
        door.step(dt(), &senses);
    }
}

/// With nobody in the way.
fn run(door: &mut Door, seconds: f64, actors: &[Actor]) {
    run_among(door, seconds, actors, &|_| 0.0);
}

#[test]
fn a_sliding_panel_overlaps_the_doorway_by_5_cm_and_slides_until_it_is_clear() {
    let spec = sliding();
    let parts = spec.parts();
    assert_eq!(parts.len(), 1);
    assert_eq!(parts[0].z, ZExtent::new(0.0, 2.0));
    // The wall's face is at y = -0.05; the doorway goes from -0.45 to 0.45.
    for (opening, left, right) in [(0.0, -0.5, 0.5), (0.5, -0.025, 0.975), (1.0, 0.45, 1.45)] {
        let found = bounds(&parts, spec.panel_pose(opening));
        for (found, expected) in found.into_iter().zip([left, right, -0.095, -0.055]) {
            assert_near(found, expected, 1e-12);
        }
    }
}

#[test]
fn a_hinged_panel_is_1_cm_narrower_and_turns_about_its_low_end_into_low_y() {
    let spec = hinged();
    let found = bounds(&spec.parts(), spec.panel_pose(0.0));
    for (found, expected) in found.into_iter().zip([-0.445, 0.445, -0.02, 0.02]) {
        assert_near(found, expected, 1e-12);
    }
    let found = bounds(&spec.parts(), spec.panel_pose(1.0));
    for (found, expected) in found.into_iter().zip([-0.465, -0.425, -0.89, 0.0]) {
        assert_near(found, expected, 1e-12);
    }
    // Half open: its free end is 0.89 m from the hinge, at 45 degrees.
    let half = spec.panel_pose(0.5);
    let end = half.transform_point([0.445, 0.0]);
    let reach = 0.89 * std::f64::consts::FRAC_1_SQRT_2;
    assert_near(end[0], -0.445 + reach, 1e-12);
    assert_near(end[1], -reach, 1e-12);
}

#[test]
fn the_panel_follows_the_frame_of_its_doorway() {
    // x of the doorway is y of the world.
    let spec = DoorSpec {
        pose: Pose2::new(3.0, 1.0, FRAC_PI_2),
        ..sliding()
    };
    assert_pose(
        spec.panel_pose(0.0),
        Pose2::new(3.075, 1.0, FRAC_PI_2),
        1e-12,
    );
    assert_pose(
        spec.panel_pose(1.0),
        Pose2::new(3.075, 1.95, FRAC_PI_2),
        1e-12,
    );
}

#[test]
fn it_opens_and_closes_at_its_speed() {
    // 0.95 m at 0.5 m/s are 1.9 s; a quarter turn at pi/4 rad/s are 2 s.
    let quarter = DoorSpec {
        speed: std::f64::consts::FRAC_PI_4,
        ..hinged()
    };
    for (spec, time) in [(sliding(), 1.9), (quarter, 2.0)] {
        let mut door = Door::new(spec).unwrap();
        assert_eq!((door.state(), door.opening()), (DoorState::Closed, 0.0));
        door.set_open(true);
        assert_eq!(door.state(), DoorState::Opening);
        run(&mut door, time / 2.0, &[]);
        assert_near(door.opening(), 0.5, 1e-9);
        assert_eq!(door.state(), DoorState::Opening);
        run(&mut door, time / 2.0 - 0.01, &[]);
        assert_eq!(door.state(), DoorState::Opening);
        run(&mut door, 0.01, &[]);
        assert_eq!((door.state(), door.opening()), (DoorState::Open, 1.0));
        door.set_open(false);
        run(&mut door, time / 4.0, &[]);
        assert_near(door.opening(), 0.75, 1e-2);
        assert_eq!(door.state(), DoorState::Closing);
        run(&mut door, time, &[]);
        assert_eq!((door.state(), door.opening()), (DoorState::Closed, 0.0));
    }
}

#[test]
fn without_anything_to_do_it_stays_as_it_starts() {
    let mut door = Door::new(DoorSpec {
        starts_open: true,
        ..hinged()
    })
    .unwrap();
    run(&mut door, 10.0, &[robot(1, 0.0, 0.0)]);
    assert_eq!((door.state(), door.opening()), (DoorState::Open, 1.0));
}

#[test]
fn a_cycle_begins_as_the_door_starts_and_set_open_ends_it_until_a_reset() {
    let cycle = DoorCycle {
        open: 4.0,
        closed: 3.0,
    };
    let spec = DoorSpec {
        cycle: Some(cycle),
        ..sliding()
    };
    let mut door = Door::new(spec.clone()).unwrap();
    let expected = [
        (2.9, DoorState::Closed),
        (0.2, DoorState::Opening),
        (2.9, DoorState::Open),
        (0.9, DoorState::Open),
        (0.2, DoorState::Closing),
        (2.8, DoorState::Closed),
        (0.2, DoorState::Opening),
    ];
    for round in 0..2 {
        let mut time = 0.0;
        for (seconds, state) in expected {
            run(&mut door, seconds, &[]);
            time += seconds;
            assert_eq!(door.state(), state, "at {time} s of round {round}");
        }
        door.set_open(false);
        run(&mut door, 20.0, &[]);
        assert_eq!(door.state(), DoorState::Closed);
        door.reset();
        assert_eq!((door.state(), door.opening()), (DoorState::Closed, 0.0));
    }
    let mut door = Door::new(DoorSpec {
        starts_open: true,
        ..spec
    })
    .unwrap();
    run(&mut door, 3.9, &[]);
    assert_eq!(door.state(), DoorState::Open);
    run(&mut door, 0.2, &[]);
    assert_eq!(door.state(), DoorState::Closing);
}

#[test]
fn its_sensor_is_a_rectangle_on_both_sides_with_its_edges() {
    let notices = |x: f64, y: f64, z: ZExtent| {
        let mut door = Door::new(automatic()).unwrap();
        let actor = Actor {
            z,
            ..robot(1, x, y)
        };
        run(&mut door, 0.01, &[actor]);
        door.state() == DoorState::Opening
    };
    let on_floor = ZExtent::new(0.0, 0.1);
    // Half the doorway and the margin: 0.65 m along, 1 m across.
    for (x, y) in [
        (0.0, 1.0),
        (0.0, -1.0),
        (0.64, 0.0),
        (-0.64, -0.99),
        (0.0, 0.0),
    ] {
        assert!(notices(x, y, on_floor), "({x}, {y}) is in the rectangle");
    }
    for (x, y) in [(0.0, 1.01), (0.0, -1.01), (0.66, 0.0), (-0.66, 0.0)] {
        assert!(
            !notices(x, y, on_floor),
            "({x}, {y}) is out of the rectangle"
        );
    }
    let upstairs = ZExtent::new(3.0, 3.1);
    assert!(!notices(0.0, 0.0, upstairs), "another floor");
}

#[test]
fn it_stays_open_for_its_hold_and_turns_round_for_who_comes() {
    let near = [robot(1, 0.0, 0.9)];
    let mut door = Door::new(automatic()).unwrap();
    run(&mut door, 5.0, &near);
    assert_eq!(door.state(), DoorState::Open);
    run(&mut door, 1.98, &[]);
    assert_eq!(door.state(), DoorState::Open, "less than 2 s ago");
    run(&mut door, 0.04, &[]);
    assert_eq!(door.state(), DoorState::Closing);
    run(&mut door, 0.9, &[]);
    assert!(
        door.opening() < 0.6 && door.opening() > 0.4,
        "{}",
        door.opening()
    );
    run(&mut door, 0.01, &near);
    assert_eq!(door.state(), DoorState::Opening);
    run(&mut door, 1.0, &[]);
    assert_eq!(door.state(), DoorState::Open);
}

#[test]
fn set_open_overrides_the_sensor_until_a_reset() {
    let near = [robot(1, 0.0, 0.9)];
    let mut door = Door::new(automatic()).unwrap();
    door.set_open(false);
    run(&mut door, 5.0, &near);
    assert_eq!(door.state(), DoorState::Closed);
    door.set_open(true);
    run(&mut door, 20.0, &[]);
    assert_eq!(door.state(), DoorState::Open);
    door.reset();
    assert_eq!((door.state(), door.opening()), (DoorState::Closed, 0.0));
    run(&mut door, 0.01, &near);
    assert_eq!(door.state(), DoorState::Opening);
}

/// A body in the doorway of a sliding door whose +x side is at x: how deep the panel's edge,
/// half a metre from its middle, is in it.
fn depth_in(x: f64) -> impl Fn(Pose2) -> f64 {
    move |panel| (x - (panel.x - 0.5)).max(0.0)
}

#[test]
fn a_closing_door_stops_where_it_touches_somebody_and_goes_on_when_the_way_is_free() {
    for step in [0.001, 0.01, 0.0333, 0.1] {
        let mut door = Door::new(DoorSpec {
            starts_open: true,
            ..sliding()
        })
        .unwrap();
        let dt = PhysicsDt::from_seconds(step).unwrap();
        door.set_open(false);
        for _ in 0..(5.0 / step) as usize {
            let senses = DoorSenses {
                actors: &[],
                z: Z,
                depth_at: &depth_in(0.2),
            };
            door.step(dt, &senses);
            let depth = depth_in(0.2)(door.pose());
            assert!(depth < 0.002, "{depth} m deep with steps of {step} s");
        }
        assert!(door.is_blocked());
        assert_eq!(door.state(), DoorState::Closing);
        assert_near(door.pose().x - 0.5, 0.2, 0.0011);
        run(&mut door, 3.0, &[]);
        assert!(!door.is_blocked());
        assert_eq!(door.state(), DoorState::Closed);
    }
}

#[test]
fn a_door_never_presses_deeper_into_who_presses_against_it() {
    let mut door = Door::new(DoorSpec {
        starts_open: true,
        ..sliding()
    })
    .unwrap();
    door.set_open(false);
    run_among(&mut door, 3.0, &[], &depth_in(0.2));
    let before = door.pose().x;
    // Somebody has come 1 cm nearer.
    run_among(&mut door, 3.0, &[], &depth_in(0.21));
    assert_near(door.pose().x, before, 0.0);
}

#[test]
fn an_automatic_door_that_met_somebody_opens_wholly_again() {
    // Its sensor does not see who stands there.
    let spec = DoorSpec {
        starts_open: true,
        automatic: Some(AutomaticDoor {
            hold: 0.0,
            ..AutomaticDoor::default()
        }),
        ..sliding()
    };
    let mut door = Door::new(spec).unwrap();
    let mut met = false;
    for _ in 0..steps(3.0) {
        run_among(&mut door, 0.01, &[], &depth_in(0.2));
        met |= door.is_blocked();
        if met {
            break;
        }
    }
    assert!(met, "it never met anybody: {}", door.opening());
    run_among(&mut door, 1.9, &[], &depth_in(0.2));
    assert_near(door.opening(), 1.0, 0.011);
}

#[test]
fn a_door_that_pushes_goes_on() {
    let mut door = Door::new(DoorSpec {
        starts_open: true,
        pushes: true,
        ..sliding()
    })
    .unwrap();
    door.set_open(false);
    run_among(&mut door, 1.9, &[], &depth_in(0.2));
    assert_eq!(door.state(), DoorState::Closed);
}

#[test]
fn what_cannot_be_is_refused_with_what_would_be_right() {
    let cycle = |open, closed| Some(DoorCycle { open, closed });
    let sensor = Some(AutomaticDoor::default());
    let cases: Vec<(DoorSpec, &[&str])> = vec![
        (
            DoorSpec {
                name: "a\nb".into(),
                ..sliding()
            },
            &["door name", "control characters"],
        ),
        (
            DoorSpec {
                width: 0.0,
                ..sliding()
            },
            &["door 'door'", "width is 0", "above 0"],
        ),
        (
            DoorSpec {
                width: f64::NAN,
                ..sliding()
            },
            &["width is NaN"],
        ),
        (
            DoorSpec {
                width: 0.009,
                ..hinged()
            },
            &["width is 0.009", "above 0.01 m"],
        ),
        (
            DoorSpec {
                panel_width: Some(1.0),
                ..hinged()
            },
            &["panel_width is 1", "at most 0.9 m"],
        ),
        (
            DoorSpec {
                panel_width: Some(0.8),
                ..sliding()
            },
            &["panel_width is 0.8", "at least 0.9 m"],
        ),
        (
            DoorSpec {
                speed: -0.5,
                ..sliding()
            },
            &["speed is -0.5", "0.001 to 100 m/s"],
        ),
        (
            DoorSpec {
                speed: 0.0,
                ..hinged()
            },
            &["speed is 0,", "rad/s"],
        ),
        (
            DoorSpec {
                thickness: f64::INFINITY,
                ..sliding()
            },
            &["thickness is inf"],
        ),
        (
            DoorSpec {
                height: -1.0,
                ..sliding()
            },
            &["height is -1"],
        ),
        (
            DoorSpec {
                pose: Pose2::new(0.0, f64::NAN, 0.0),
                ..sliding()
            },
            &["y is NaN"],
        ),
        (
            DoorSpec {
                cycle: cycle(0.0, 0.0),
                ..sliding()
            },
            &["cycle is 0", "0.001 s or longer"],
        ),
        (
            DoorSpec {
                cycle: cycle(-1.0, 2.0),
                ..sliding()
            },
            &["cycle.open is -1"],
        ),
        (
            DoorSpec {
                cycle: cycle(1.0, f64::NAN),
                ..sliding()
            },
            &["cycle.closed is NaN"],
        ),
        (
            DoorSpec {
                automatic: sensor,
                ..hinged()
            },
            &["automatic", "sliding doors"],
        ),
        (
            DoorSpec {
                automatic: sensor,
                cycle: cycle(1.0, 1.0),
                ..sliding()
            },
            &["automatic and cycle exclude"],
        ),
        (
            DoorSpec {
                automatic: Some(AutomaticDoor {
                    range: 0.0,
                    ..AutomaticDoor::default()
                }),
                ..sliding()
            },
            &["automatic.range is 0"],
        ),
        (
            DoorSpec {
                automatic: Some(AutomaticDoor {
                    hold: -1.0,
                    ..AutomaticDoor::default()
                }),
                ..sliding()
            },
            &["automatic.hold is -1"],
        ),
    ];
    for (spec, words) in cases {
        assert_refused(spec.check(), words);
        assert!(Door::new(spec).is_err());
    }
    assert_eq!(sliding().check(), Ok(()));
    assert_eq!(hinged().check(), Ok(()));
    assert_eq!(automatic().check(), Ok(()));
}
