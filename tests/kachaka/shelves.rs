//! Shelves and charger, of which there are none yet: what the real robot says then.

use super::sim::{NAME, STEPS, Sim, assert_near};
use tatami::kachaka::{Command, Location, LocationChange, LocationKind};
use tatami::world::Pose2;

#[test]
fn shelves_that_are_not_registered_are_refused() {
    let mut sim = Sim::new(STEPS[0]);
    sim.place("L01", Pose2::default());
    let shelf = |id: &str| id.to_owned();
    for (command, code) in [
        (
            Command::MoveShelf {
                shelf_id: shelf("S01"),
                location_id: "L01".into(),
                undock_on_destination: false,
            },
            10250,
        ),
        (
            Command::ReturnShelf {
                shelf_id: shelf("S01"),
            },
            10252,
        ),
        (
            Command::ReturnShelf {
                shelf_id: shelf(""),
            },
            10254,
        ),
        (
            Command::UndockShelf {
                shelf_id: shelf(""),
            },
            10254,
        ),
        (Command::ReturnHome, 10251),
    ] {
        let refusal = sim.start(command).unwrap_err();
        assert_eq!(refusal.code, code, "{refusal}");
    }
    let error = sim.scene.dock_shelf(NAME).unwrap_err();
    assert!(error.to_string().contains("no shelf"), "{error}");
    assert_eq!(sim.scene.undock_shelf(NAME), Ok(String::new()));
    assert_eq!(
        sim.kachaka().reset_shelf_pose("S01").unwrap_err().code,
        10250
    );
    assert_eq!(sim.kachaka().reset_shelf_pose(""), Ok(()));
}

#[test]
fn docking_finds_no_shelf() {
    let mut sim = Sim::new(STEPS[0]);
    let result = sim.carry_out(Command::DockShelf, 5.0);
    assert_eq!((result.success, result.error_code), (false, 11301));
    // With a place to look at it drives there first.
    sim.place("L01", Pose2::new(1.0, 0.0, 0.0));
    let command = Command::DockAnyShelfWithRegistration {
        location_id: "L01".into(),
        dock_forward: true,
    };
    let result = sim.carry_out(command, 20.0);
    assert_eq!((result.success, result.error_code), (false, 11301));
    assert_near("place", sim.pose().x, 1.0, 0.01);
}

#[test]
fn a_registered_charger_that_is_not_there_is_not_found() {
    let mut sim = Sim::new(STEPS[0]);
    let charger = Location {
        id: "home".into(),
        kind: LocationKind::Charger,
        pose: Pose2::new(1.0, 0.0, 0.0),
        ..Location::default()
    };
    let change = LocationChange {
        add: vec![charger],
        ..LocationChange::default()
    };
    sim.scene.add_locations("", &change).unwrap();
    for command in [
        Command::ReturnHome,
        Command::MoveToLocation {
            location_id: "home".into(),
            source_location_id: String::new(),
        },
    ] {
        let result = sim.carry_out(command, 20.0);
        assert_eq!((result.success, result.error_code), (false, 11801));
    }
}
