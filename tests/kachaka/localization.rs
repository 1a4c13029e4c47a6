//! Localization by another program.

use super::sim::{NAME, STEPS, Sim, assert_near, forward};
use tatami::kachaka::Command;
use tatami::world::Pose2;

const EXTERNAL: &str = "localization: {mode: external}";

fn to(x: f64) -> Command {
    Command::MoveToPose {
        pose: Pose2::new(x, 0.0, 0.0),
    }
}

#[test]
fn before_the_first_transform_it_does_not_know_where_it_is() {
    let mut sim = Sim::with(STEPS[0], EXTERNAL);
    sim.place("L01", Pose2::new(1.0, 0.0, 0.0));
    sim.run(0.1);
    assert_eq!(sim.kachaka().estimated_pose(), None);
    let by_pose = [
        to(1.0),
        Command::MoveToLocation {
            location_id: "L01".into(),
            source_location_id: String::new(),
        },
        Command::DockAnyShelfWithRegistration {
            location_id: "L01".into(),
            dock_forward: false,
        },
        Command::Localize,
    ];
    for command in &by_pose {
        let refusal = sim.start(command.clone()).unwrap_err();
        assert_eq!(refusal.code, 90013, "{command:?}: {refusal}");
    }
    // What goes by the wheels alone goes.
    let result = sim.carry_out(forward(0.2), 10.0);
    assert!(result.success, "{result:?}");
    for bad in [f64::NAN, 1e300] {
        sim.kachaka().hear_map_to_odom(Pose2::new(bad, 0.0, 0.0));
        assert_eq!(sim.kachaka().estimated_pose(), None, "{bad} is no place");
    }
    sim.kachaka().hear_map_to_odom(Pose2::new(5.0, 0.0, 0.0));
    let estimate = sim.kachaka().estimated_pose().unwrap();
    assert_near("estimate", estimate.x, 5.2, 0.02);
    for command in by_pose {
        assert!(sim.start(command.clone()).is_ok(), "{command:?}");
    }
}

#[test]
fn it_says_who_localizes_it() {
    let mut sim = Sim::with(STEPS[0], EXTERNAL);
    assert!(sim.kachaka().is_localized_elsewhere());
    let mut sim = Sim::new(STEPS[0]);
    assert!(!sim.kachaka().is_localized_elsewhere());
}

#[test]
fn a_transform_to_an_odometry_that_was_restarted_is_forgotten() {
    let mut sim = Sim::with(STEPS[0], EXTERNAL);
    sim.kachaka().hear_map_to_odom(Pose2::default());
    sim.scene.reset_kachaka(NAME, false).unwrap();
    assert!(sim.kachaka().estimated_pose().is_some(), "odometry goes on");
    sim.scene.reset_kachaka(NAME, true).unwrap();
    assert_eq!(sim.kachaka().estimated_pose(), None);
    sim.kachaka().hear_map_to_odom(Pose2::default());
    sim.scene.reset(true, None);
    assert_eq!(sim.kachaka().estimated_pose(), None);
}
