//! Driving to a pose or a place on the map.

use std::f64::consts::PI;

use super::sim::{NAME, STEPS, Sim, assert_near};
use tatami::kachaka::Command;
use tatami::world::{Pose2, normalize_angle};

fn to(x: f64, y: f64, yaw: f64) -> Command {
    Command::MoveToPose {
        pose: Pose2::new(x, y, yaw),
    }
}

fn to_place(id: &str) -> Command {
    Command::MoveToLocation {
        location_id: id.into(),
        source_location_id: String::new(),
    }
}

/// Within 1 cm and 1 degree.
#[track_caller]
fn assert_there(sim: &Sim, goal: Pose2) {
    let pose = sim.pose();
    let off = (pose.x - goal.x).hypot(pose.y - goal.y);
    assert!(off < 0.01, "{off} m from {goal:?} at {pose:?}");
    let turned = normalize_angle(pose.yaw - goal.yaw);
    assert_near("yaw", turned, 0.0, 1.0_f64.to_radians());
}

#[test]
fn it_reaches_poses_all_around_and_never_reverses() {
    for dt in STEPS {
        for (x, y, yaw) in [
            (2.0, 0.0, 0.0),
            (-1.0, 0.0, 0.0),
            (0.0, 1.5, -PI),
            (-3.0, -2.0, 1.0),
            (0.3, -0.2, 2.0),
            (0.02, 0.0, 0.5),
            (0.0, 0.0, PI),
            (0.0, 0.0, 7.0),
        ] {
            let mut sim = Sim::at(dt, Pose2::new(0.0, 0.0, 0.4), "");
            let id = sim.start(to(x, y, yaw)).unwrap();
            while sim.kachaka().state().running.is_some() {
                sim.step();
                assert!(sim.twist().x >= -1e-9, "reverses: {:?}", sim.twist());
                assert!(sim.time() < 60.0, "still under way to {x}, {y}, {yaw}");
            }
            assert!(sim.result(&id).success, "{:?}", sim.result(&id));
            assert!(sim.is_still(), "{:?}", sim.twist());
            assert_there(&sim, Pose2::new(x, y, yaw));
        }
    }
}

#[test]
fn a_blocked_way_fails_with_19001() {
    let mut sim = Sim::new(STEPS[0]);
    sim.wall("wall", 1.5);
    let result = sim.carry_out(to(3.0, 0.0, 0.0), 20.0);
    assert_eq!((result.success, result.error_code), (false, 19001));
    assert!(sim.pose().x < 1.5 - 0.23, "{:?}", sim.pose());
    assert_eq!(sim.kachaka().state().collisions, 0);
}

#[test]
fn after_a_push_off_its_way_it_turns_to_the_goal_again() {
    let mut sim = Sim::new(STEPS[0]);
    let id = sim.start(to(3.0, 0.0, 0.0)).unwrap();
    sim.until(10.0, |sim| sim.pose().x > 1.0);
    let pushed = Pose2::new(1.0, 0.4, 0.5);
    sim.scene.set_robot_pose(NAME, pushed, "").unwrap();
    sim.until_idle(30.0);
    assert!(sim.result(&id).success, "{:?}", sim.result(&id));
    assert_there(&sim, Pose2::new(3.0, 0.0, 0.0));
}

#[test]
fn it_goes_where_it_believes_the_goal_to_be() {
    let mut sim = Sim::new(STEPS[0]);
    // It believes to be 1 m farther along y than it is.
    let believed = Pose2::new(0.0, 1.0, 0.0);
    sim.kachaka().set_pose_estimate(believed).unwrap();
    let result = sim.carry_out(to(2.0, 1.0, 0.0), 20.0);
    assert!(result.success, "{result:?}");
    assert_there(&sim, Pose2::new(2.0, 0.0, 0.0));
}

#[test]
fn with_a_program_outside_it_goes_by_that_programs_map_to_odom() {
    let mut sim = Sim::with(STEPS[0], "localization: {mode: external}");
    let kachaka = sim.kachaka();
    assert_eq!(kachaka.map_to_odom(), None, "that program sends it");
    assert_eq!(kachaka.state().current_map_id, "");
    let refusal = kachaka.set_pose_estimate(Pose2::default()).unwrap_err();
    assert_eq!(refusal.code, 90011, "{refusal}");
    kachaka.hear_map_to_odom(Pose2::new(5.0, 0.0, 0.0));
    assert_near(
        "estimate",
        sim.kachaka().estimated_pose().unwrap().x,
        5.0,
        1e-9,
    );
    let result = sim.carry_out(to(6.0, 0.0, 0.0), 20.0);
    assert!(result.success, "{result:?}");
    // The drift of the odometry over a metre is some 5 mm.
    assert_near("way", sim.pose().x, 1.0, 0.05);
}

#[test]
fn it_drives_to_registered_places() {
    let mut sim = Sim::new(STEPS[0]);
    let goal = Pose2::new(1.0, 1.0, -1.0);
    sim.place("L01", goal);
    let result = sim.carry_out(to_place("L01"), 20.0);
    assert!(result.success, "{result:?}");
    assert_there(&sim, goal);
}

#[test]
fn a_place_that_is_not_registered_is_10253_at_once() {
    let mut sim = Sim::new(STEPS[0]);
    sim.place("L01", Pose2::default());
    for command in [
        to_place("L02"),
        to_place(""),
        Command::MoveToLocation {
            location_id: "L01".into(),
            source_location_id: "L09".into(),
        },
        Command::DockAnyShelfWithRegistration {
            location_id: "L02".into(),
            dock_forward: false,
        },
    ] {
        let refusal = sim.start(command).unwrap_err();
        assert_eq!(refusal.code, 10253, "{refusal}");
    }
    assert_eq!(sim.kachaka().history().len(), 0);
}
