//! A Kachaka in a building: steps down, the charger, shelves to carry, elevators.

use std::f64::consts::FRAC_PI_2;

use tatami::building::{
    ChargerSpec, DoorKind, DoorSpec, DropSpec, ElevatorSpec, ElevatorStop, PersonSpec, ShelfSpec,
};
use tatami::kachaka::PowerSupply;
use tatami::world::{FloorSpec, Pose2, Twist2};

use crate::sim::{NAME, STEPS, Sim, assert_near, forward};

/// Where the casters are, on x of the base: the foremost support.
const CASTERS: f64 = 0.19;

/// A drop across x from 2 m on.
fn edge() -> DropSpec {
    DropSpec::rectangle("edge", [2.0, -3.0], [4.0, 3.0])
}

#[test]
fn it_stops_with_its_casters_1_5_cm_before_an_edge() {
    for dt in STEPS {
        // Where it starts decides how far into a step it sees the edge.
        for start in [
            0.0, 0.001, 0.002, 0.003, 0.004, 0.005, 0.006, 0.007, 0.008, 0.009,
        ] {
            let mut sim = Sim::at(dt, Pose2::new(start, 0.0, 0.0), "");
            sim.scene.add_drops(&[edge()]).unwrap();
            sim.until(20.0, |sim| {
                // Refused once it is paused.
                let _ = sim.kachaka().autonomous_velocity(0.3, 0.0);
                sim.kachaka().state().step_detected
            });
            sim.run(0.5);
            assert!(sim.is_still());
            let left = 2.0 - (sim.pose().x + CASTERS);
            assert_near("left before the edge", left, 0.015, 0.005);
        }
    }
}

#[test]
fn a_step_pauses_it_with_its_codes_until_the_power_button_and_it_backs_away() {
    for dt in STEPS {
        let mut sim = Sim::with(dt, "");
        sim.scene.add_drops(&[edge()]).unwrap();
        let id = sim.start(forward(3.0)).unwrap();
        sim.until(20.0, |sim| sim.kachaka().state().step_detected);
        let state = sim.kachaka().state().clone();
        assert_eq!(state.errors, [21051, 21052]);
        assert!(state.emergency_stopped);
        assert_eq!(sim.result(&id).error_code, 10105);
        let refused = sim.start(forward(0.1)).unwrap();
        sim.step();
        assert_eq!(sim.result(&refused).error_code, 10107);
        sim.run(0.5);
        let at_edge = sim.pose().x;
        assert!(!sim.kachaka().power_button(), "no longer paused");
        assert!(sim.kachaka().errors().is_empty());
        assert!(!sim.kachaka().state().step_detected);
        for _ in 0..(2.0 / dt) as u64 {
            sim.kachaka().autonomous_velocity(0.3, 0.0).unwrap();
            sim.step();
        }
        assert_near("forwards", sim.pose().x, at_edge, 1e-9);
        sim.until(5.0, |sim| {
            sim.kachaka().autonomous_velocity(-0.3, 0.0).unwrap();
            sim.pose().x < at_edge - 0.3
        });
        assert!(sim.kachaka().errors().is_empty());
        // There it sees no drop any more and goes forwards again, to the edge.
        sim.until(10.0, |sim| {
            let _ = sim.kachaka().autonomous_velocity(0.2, 0.0);
            sim.kachaka().state().step_detected
        });
        sim.run(0.5);
        assert_near("at the edge again", sim.pose().x, at_edge, 0.01);
    }
}

#[test]
fn a_low_sill_does_not_stop_it() {
    let mut sim = Sim::new(STEPS[0]);
    let sill = DropSpec {
        depth: 0.03,
        ..edge()
    };
    sim.scene.add_drops(&[sill]).unwrap();
    sim.carry_out(forward(3.0), 20.0);
    assert_near("driven", sim.pose().x, 3.0, 0.005);
}

/// 74 Wh and 40 W: constant until 80 %, then what is missing falls by e in 0.2 E / P, until
/// 2 W are left at 1 % missing.
#[test]
fn it_charges_from_20_percent_to_full_along_the_curve() {
    let mut sim = Sim::with(0.1, "battery: {initial: 0.2}");
    let home = ChargerSpec::new("home", Pose2::new(0.03, 0.02, 0.1));
    sim.scene.spawn_chargers(&[home]).unwrap();
    sim.step();
    assert_eq!(sim.kachaka().state().power_supply, PowerSupply::Charging);
    let energy = 74.0 * 3600.0;
    let constant = 0.6 * energy / 40.0;
    let decay = 0.2 * energy / 40.0;
    let falling = decay * 20.0_f64.ln();
    let expected = |time: f64| {
        if time <= constant {
            20.0 + 100.0 * 40.0 * time / energy
        } else if time <= constant + falling {
            100.0 - 20.0 * (-(time - constant) / decay).exp()
        } else {
            (99.0 + 100.0 * 2.0 * (time - constant - falling) / energy).min(100.0)
        }
    };
    for minute in 1..=160 {
        sim.run(60.0);
        let found = sim.kachaka().battery_percentage();
        assert_near("charge", found, expected(60.0 * f64::from(minute)), 0.05);
    }
    assert_near("full", sim.kachaka().battery_percentage(), 100.0, 0.0);
    // Off the charger it is used again.
    sim.scene
        .set_robot_pose(NAME, Pose2::new(0.08, 0.0, 0.0), "")
        .unwrap();
    sim.run(600.0);
    assert_eq!(sim.kachaka().state().power_supply, PowerSupply::Discharging);
    // 10 W for 600 s.
    let used = 100.0 * 6000.0 / energy;
    assert_near(
        "after",
        sim.kachaka().battery_percentage(),
        100.0 - used,
        0.05,
    );
}

#[test]
fn sensors_are_off_on_the_charger_if_the_configuration_says_so() {
    for (config, is_active) in [("", true), ("charger: {sensors_off: true}", false)] {
        let mut sim = Sim::with(STEPS[1], config);
        sim.scene
            .spawn_chargers(&[ChargerSpec::new("home", Pose2::default())])
            .unwrap();
        sim.run(1.0);
        assert_eq!(sim.kachaka().lidar_is_active(), is_active, "{config}");
        assert_eq!(sim.kachaka().state().lidar_active, is_active, "{config}");
        sim.carry_out(forward(0.5), 10.0);
        assert!(sim.kachaka().lidar_is_active());
    }
}

#[test]
fn a_shelf_is_carried_round_a_corner_and_put_down() {
    for dt in STEPS {
        let mut sim = Sim::new(dt);
        let shelf = ShelfSpec::new("S01", Pose2::new(0.02, 0.01, 0.05));
        sim.scene.spawn_shelves(&[shelf]).unwrap();
        assert_eq!(sim.scene.dock_shelf(NAME).unwrap(), "S01");
        assert_eq!(sim.kachaka().state().moving_shelf_id, "S01");
        assert_eq!(sim.scene.dock_shelf(NAME).unwrap(), "S01", "again");
        let offset = Pose2::new(0.02, 0.01, 0.05);
        let of_shelf = |sim: &Sim| {
            let building = sim.scene.building();
            building.shelf_state(sim.scene.world(), "S01").unwrap().pose
        };
        // No faster than 0.5 m/s with it.
        let mut fastest = 0.0_f64;
        for _ in 0..(2.0 / dt) as u64 {
            sim.kachaka().autonomous_velocity(0.8, 0.0).unwrap();
            sim.step();
            fastest = fastest.max(sim.twist().x);
        }
        assert_near("fastest", fastest, 0.5, 1e-9);
        sim.until(5.0, |sim| {
            sim.kachaka().autonomous_velocity(0.0, 1.0).unwrap();
            sim.pose().yaw > FRAC_PI_2
        });
        for _ in 0..(1.0 / dt) as u64 {
            sim.kachaka().autonomous_velocity(0.4, 0.0).unwrap();
            sim.step();
        }
        sim.run(1.0);
        let (found, expected) = (of_shelf(&sim), sim.pose().compose(&offset));
        assert_near("x", found.x, expected.x, 1e-9);
        assert_near("y", found.y, expected.y, 1e-9);
        assert_near("yaw", found.yaw, expected.yaw, 1e-9);
        assert!(expected.x > 0.5 && expected.y > 0.2, "{expected:?}");
        assert_eq!(sim.kachaka().state().collisions, 0);
        assert_eq!(sim.scene.undock_shelf(NAME).unwrap(), "S01");
        assert_eq!(sim.kachaka().state().moving_shelf_id, "");
        sim.carry_out(forward(0.5), 10.0);
        assert_eq!(of_shelf(&sim), found, "it stays where it was put");
        assert_near("driven out", sim.pose().y, expected.y - 0.01 + 0.5, 0.05);
        let refused = sim.scene.dock_shelf(NAME).unwrap_err().to_string();
        assert!(
            refused.contains("robot 'kachaka' finds no shelf"),
            "{refused}"
        );
    }
}

#[test]
fn resets_let_go_of_the_shelf_and_bring_it_home() {
    let home = Pose2::new(0.01, 0.0, 0.0);
    for all in [true, false] {
        let mut sim = Sim::new(STEPS[1]);
        sim.scene
            .spawn_shelves(&[ShelfSpec::new("S01", home)])
            .unwrap();
        sim.scene.dock_shelf(NAME).unwrap();
        sim.carry_out(forward(1.0), 10.0);
        if all {
            sim.scene.reset(false, None);
        } else {
            sim.scene.reset_kachaka(NAME, false).unwrap();
        }
        sim.step();
        assert_eq!(sim.kachaka().state().moving_shelf_id, "");
        let building = sim.scene.building();
        let state = building.shelf_state(sim.scene.world(), "S01").unwrap();
        assert_eq!((state.pose, &*state.carrier), (home, ""), "all: {all}");
        assert_near("robot", sim.pose().x, 0.0, 1e-9);
    }
}

#[test]
fn who_carries_or_is_carried_can_be_deleted() {
    let carrying = || {
        let mut sim = Sim::new(STEPS[1]);
        sim.scene
            .spawn_shelves(&[ShelfSpec::new("S01", Pose2::default())])
            .unwrap();
        sim.scene.dock_shelf(NAME).unwrap();
        sim.carry_out(forward(1.0), 10.0);
        sim
    };
    let mut sim = carrying();
    sim.scene.delete_entities(&["S01".to_owned()]).unwrap();
    assert_eq!(sim.scene.building().shelves().count(), 0);
    sim.run(0.1);
    assert_eq!(sim.kachaka().state().moving_shelf_id, "");
    sim.carry_out(forward(0.5), 10.0);
    let mut sim = carrying();
    let at = sim.pose();
    sim.scene.delete_robot(NAME).unwrap();
    sim.scene.step();
    let building = sim.scene.building();
    let state = building.shelf_state(sim.scene.world(), "S01").unwrap();
    assert_eq!(state.carrier, "");
    assert_near("shelf", state.pose.x, at.x, 1e-9);
}

fn lift() -> ElevatorSpec {
    let stop = |name: &str, x: f64| ElevatorStop {
        name: name.into(),
        ..ElevatorStop::new("", Pose2::new(x, 0.0, 0.0))
    };
    ElevatorSpec::new("lift", vec![stop("1F", 0.0), stop("2F", 10.0)])
}

fn stacked() -> ElevatorSpec {
    let stop = |floor: &str| ElevatorStop::new(floor, Pose2::default());
    ElevatorSpec::new("lift", vec![stop("1F"), stop("2F")])
}

#[test]
fn it_rides_an_elevator_and_drives_out_with_odometry_that_does_not_jump() {
    for dt in STEPS {
        for (spec, shift, floor) in [(lift(), 10.0, ""), (stacked(), 0.0, "2F")] {
            let mut sim = Sim::new(dt);
            let storeys = [("1F", 0.0), ("2F", 3.0)].map(|(name, z)| FloorSpec {
                name: name.into(),
                z,
            });
            if !floor.is_empty() {
                sim.scene.add_floors(&storeys).unwrap();
                sim.scene
                    .spawn_robot(crate::sim::spec(NAME, Pose2::default(), ""))
                    .unwrap();
            }
            sim.scene.spawn_elevators(&[spec]).unwrap();
            let shelf = ShelfSpec::new("S01", Pose2::default());
            sim.scene.spawn_shelves(&[shelf]).unwrap();
            sim.scene.dock_shelf(NAME).unwrap();
            sim.carry_out(forward(0.1), 10.0);
            sim.scene.call_elevator("lift", "2F").unwrap();
            let odometry = |sim: &mut Sim| {
                let wheels = sim.scene.robot(NAME).unwrap().odometry().pose;
                (wheels, sim.kachaka().fused_odometry().pose)
            };
            let before = odometry(&mut sim);
            let at = sim.pose();
            for _ in 0..(12.0 / dt) as u64 {
                sim.step();
                let now = odometry(&mut sim);
                let jump = (now.0.x - before.0.x).abs() + (now.1.x - before.1.x).abs();
                assert!(jump < 1e-9, "odometry jumps by {jump} m");
            }
            assert_eq!(sim.scene.state(NAME).unwrap().floor, floor);
            assert_near("after the ride", sim.pose().x, at.x + shift, 1e-9);
            let building = sim.scene.building();
            let shelf = building.shelf_state(sim.scene.world(), "S01").unwrap();
            assert_eq!(shelf.carrier, NAME);
            assert_near("its shelf", shelf.pose.x, shift + 0.1, 0.005);
            sim.carry_out(forward(1.5), 10.0);
            assert_near("out", sim.pose().x, at.x + shift + 1.5, 0.005);
            let after = odometry(&mut sim).0;
            assert_near("odometry", after.x, before.0.x + 1.5, 0.005);
            assert_eq!(sim.kachaka().state().collisions, 0);
        }
    }
}

#[test]
fn a_robot_that_is_deleted_while_it_rides_is_gone_and_the_car_goes_on() {
    let mut sim = Sim::new(STEPS[1]);
    sim.scene.spawn_elevators(&[lift()]).unwrap();
    sim.scene.call_elevator("lift", "2F").unwrap();
    sim.run(4.0);
    sim.scene.delete_robot(NAME).unwrap();
    for _ in 0..300 {
        sim.scene.step();
    }
    let state = sim.scene.building().elevators().next().unwrap().state();
    assert_eq!((&*state.stop, &*state.target), ("2F", ""));
}

#[test]
fn a_list_with_a_wrong_item_changes_nothing() {
    let mut sim = Sim::new(STEPS[1]);
    let door = |name: &str, width: f64| DoorSpec {
        width,
        ..DoorSpec::new(name, DoorKind::Hinged, Pose2::new(5.0, 0.0, 0.0))
    };
    let refused = sim.scene.spawn_doors(&[door("a", 0.9), door("b", -0.9)]);
    let text = refused.unwrap_err().to_string();
    assert_eq!(
        text,
        "doors[1]: door 'b': width is -0.9, it must be above 0 and at most 1000 m"
    );
    assert_eq!(sim.scene.building().doors().count(), 0);
    let refused = sim.scene.spawn_doors(&[door("a", 0.9), door("a", 0.8)]);
    let text = refused.unwrap_err().to_string();
    assert!(text.contains("doors[1]: the name 'a'"), "{text}");
    let taken = sim
        .scene
        .spawn_people(&[PersonSpec::new(NAME, Pose2::new(3.0, 0.0, 0.0))]);
    let text = taken.unwrap_err().to_string();
    assert!(
        text.contains("people[0]: person 'kachaka': the name is taken by a robot"),
        "{text}"
    );
    let unknown = sim.scene.set_door("a", true).unwrap_err().to_string();
    assert_eq!(unknown, "there is no door named 'a'");
}

#[test]
fn deleting_takes_elevators_with_all_their_parts() {
    let mut sim = Sim::new(STEPS[1]);
    sim.scene.spawn_elevators(&[lift()]).unwrap();
    let names = |name: &str| [name.to_owned()];
    let refused = sim
        .scene
        .delete_entities(&names("lift/2F"))
        .unwrap_err()
        .to_string();
    assert!(
        refused.contains("names[0]: 'lift/2F' is a part of elevator 'lift'"),
        "{refused}"
    );
    let deleted = sim.scene.delete_prefix("lift/").unwrap();
    assert_eq!(deleted.count, 0);
    let deleted = sim.scene.delete_prefix("li").unwrap();
    assert_eq!(deleted.count, 1);
    assert_eq!(sim.scene.world().entities().count(), 0);
    sim.scene.spawn_elevators(&[lift()]).unwrap();
    sim.scene.delete_entities(&names("lift")).unwrap();
    assert_eq!(sim.scene.world().entities().count(), 0);
    assert_eq!(sim.scene.building().elevators().count(), 0);
    assert_eq!(sim.twist(), Twist2::ZERO);
}
