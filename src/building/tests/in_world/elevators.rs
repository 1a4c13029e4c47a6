//! Elevators in a world: riders, doors, names of their parts.

use super::*;

fn lift(stops: Vec<ElevatorStop>) -> ElevatorSpec {
    ElevatorSpec {
        ride_time: 1.0,
        door_hold: 1.0,
        ..ElevatorSpec::new("lift", stops)
    }
}

#[test]
fn a_robot_a_shelf_and_a_person_ride_to_a_floor_above() {
    let mut world = storeys();
    let mut building = Building::new(0);
    let stop = |floor: &str| ElevatorStop::new(floor, Pose2::default());
    building
        .add_elevator(&mut world, lift(vec![stop("1F"), stop("2F")]))
        .unwrap();
    add_robot(&mut world, "bot", Pose2::new(0.3, -0.4, 0.7));
    add_robot(&mut world, "other", Pose2::new(3.0, 0.0, 0.0));
    let shelf = ShelfSpec::new("S01", Pose2::new(-0.4, 0.0, 0.0));
    building.add_shelf(&mut world, shelf).unwrap();
    let person = PersonSpec::new("anna", Pose2::new(0.3, 0.4, 0.0));
    building.add_person(&mut world, person).unwrap();
    run(&mut building, &mut world, &["bot", "other"], 1.0);
    building.call_elevator("lift", "2F").unwrap();
    run(&mut building, &mut world, &["bot", "other"], 10.0);
    let state = building.elevators().next().unwrap().state();
    assert_eq!(
        (&*state.stop, state.doors),
        ("2F", vec![DoorState::Closed, DoorState::Open])
    );
    for (name, floor) in [("bot", "2F"), ("other", "1F")] {
        assert_eq!(world.robot_floor(name), Some(floor), "{name}");
    }
    assert_pose(
        world.robot_state("bot").unwrap().pose,
        Pose2::new(0.3, -0.4, 0.7),
        1e-12,
    );
    for (name, pose) in [
        ("S01", Pose2::new(-0.4, 0.0, 0.0)),
        ("anna", Pose2::new(0.3, 0.4, 0.0)),
    ] {
        let key = key_of(&world, name);
        assert_eq!(world.thing_level(key).unwrap().floor, 3.0, "{name}");
        assert_pose(world.thing_pose(key).unwrap(), pose, 1e-12);
    }
    // It drives out through the open door.
    world.set_robot_pose("bot", Pose2::default(), "").unwrap();
    world.command("bot", Twist2::new(0.5, 0.0, 0.0)).unwrap();
    run(&mut building, &mut world, &["bot", "other"], 4.0);
    assert_near(world.robot_state("bot").unwrap().pose.x, 2.0, 1e-6);
    // A reset brings everything down again.
    world.reset(false);
    building.reset(&world, 0);
    assert_eq!(world.robot_floor("bot"), Some("1F"));
    for name in ["S01", "anna"] {
        let level = world.thing_level(key_of(&world, name)).unwrap();
        assert_eq!(level.floor, 0.0, "{name}");
    }
}

#[test]
fn floors_side_by_side_shift_the_riders_and_closed_doors_stop_robots() {
    let mut world = world();
    let mut building = Building::new(0);
    let stop = |name: &str, x: f64| ElevatorStop {
        name: name.into(),
        ..ElevatorStop::new("", Pose2::new(x, 0.0, 0.0))
    };
    building
        .add_elevator(&mut world, lift(vec![stop("1F", 0.0), stop("2F", 10.0)]))
        .unwrap();
    add_robot(&mut world, "bot", Pose2::new(-0.2, 0.1, 0.5));
    // The door of the other floor is closed: its panel is at 10.855 to 10.895.
    add_robot(
        &mut world,
        "waits",
        Pose2::new(12.0, 0.0, std::f64::consts::PI),
    );
    world.command("waits", Twist2::new(0.3, 0.0, 0.0)).unwrap();
    run(&mut building, &mut world, &["bot", "waits"], 4.0);
    assert_near(world.robot_state("waits").unwrap().pose.x, 11.095, 0.001);
    world.command("waits", Twist2::ZERO).unwrap();
    building.call_elevator("lift", "2F").unwrap();
    run(&mut building, &mut world, &["bot", "waits"], 10.0);
    assert_pose(
        world.robot_state("bot").unwrap().pose,
        Pose2::new(9.8, 0.1, 0.5),
        1e-9,
    );
    assert_eq!(
        building.elevators().next().unwrap().state().doors[1],
        DoorState::Open
    );
}

#[test]
fn an_elevator_from_a_ground_without_a_name_to_a_floor_is_refused() {
    let mut world = world();
    let upstairs = FloorSpec {
        name: "2F".into(),
        z: 3.0,
    };
    world.add_floor(&upstairs).unwrap();
    let mut building = Building::new(0);
    let ground = ElevatorStop {
        name: "1F".into(),
        ..ElevatorStop::new("", Pose2::default())
    };
    let stops = vec![ground, ElevatorStop::new("2F", Pose2::default())];
    let refused = building.add_elevator(&mut world, lift(stops));
    assert_refused(
        refused,
        &["elevator 'lift'", "stops[0].floor", "add a floor at z 0"],
    );
    assert_eq!(world.kind_of("lift"), None);
}

#[test]
fn names_are_unique_and_parts_of_an_elevator_go_with_it() {
    let mut world = storeys();
    let mut building = Building::new(0);
    let stop = |floor: &str| ElevatorStop::new(floor, Pose2::default());
    let spec = lift(vec![stop("1F"), stop("2F")]);
    building.add_elevator(&mut world, spec.clone()).unwrap();
    let things = world.entities().count();
    assert_eq!(things, 4, "two cars and two doors");
    let door = |name: &str| DoorSpec::new(name, DoorKind::Sliding, Pose2::default());
    let refused = building.add_door(&mut world, door("lift/1F/door"));
    assert_refused(refused, &["door 'lift/1F/door'", "part of elevator 'lift'"]);
    assert_refused(
        building.add_door(&mut world, door("lift")),
        &["elevator", "'lift'"],
    );
    let names = |all: &[&str]| {
        all.iter()
            .map(|name| (*name).to_owned())
            .collect::<Vec<_>>()
    };
    let part = building.check_removable("lift/2F", &[]);
    assert_refused(part, &["'lift/2F'", "part of elevator 'lift'"]);
    assert_eq!(
        building.check_removable("lift/2F", &names(&["lift"])),
        Ok(())
    );
    // Replaced by one with other floors, the parts of the former are gone.
    let basement = FloorSpec {
        name: "B1".into(),
        z: -3.0,
    };
    world.add_floor(&basement).unwrap();
    let other = lift(vec![stop("B1"), stop("1F"), stop("2F")]);
    building.add_elevator(&mut world, other).unwrap();
    assert_eq!(world.entities().count(), 6);
    building.add_elevator(&mut world, spec).unwrap();
    assert_eq!(world.entities().count(), 4);
    assert_eq!(world.kind_of("lift/B1/door"), None);
    let all = building.with_parts(&names(&["lift"]));
    world.remove_all(&all).unwrap();
    building.forget(&all);
    assert_eq!(
        (world.entities().count(), building.elevators().count()),
        (0, 0)
    );
    building.add_door(&mut world, door("lift/1F/door")).unwrap();
}
