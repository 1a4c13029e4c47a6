//! Who drives when several want to.

use super::sim::{NAME, STEPS, Sim, assert_near, forward, lock, speak};
use tatami::scene::{CommandSpec, Inputs};
use tatami::world::Twist2;

/// Keeps velocities of both inputs fresh for a while.
fn run_with_velocities(sim: &mut Sim, seconds: f64, manual: f64, autonomous: f64) {
    for _ in 0..(seconds / sim.dt).round() as u64 {
        sim.kachaka().set_velocity(manual, 0.0).unwrap();
        sim.kachaka().autonomous_velocity(autonomous, 0.0).unwrap();
        sim.step();
    }
}

#[test]
fn manual_control_goes_before_an_autonomous_driver() {
    for dt in STEPS {
        let mut sim = Sim::new(dt);
        sim.kachaka().set_manual_control(true, false).unwrap();
        run_with_velocities(&mut sim, 1.0, 0.1, -0.5);
        assert_near("speed", sim.twist().x, 0.1, 1e-9);
        // Once its velocity is too old, the other one drives.
        for _ in 0..(1.0 / sim.dt).round() as u64 {
            sim.kachaka().autonomous_velocity(-0.5, 0.0).unwrap();
            sim.step();
        }
        assert_near("speed", sim.twist().x, -0.5, 1e-9);
    }
}

#[test]
fn a_command_that_drives_goes_before_both() {
    let mut sim = Sim::new(STEPS[0]);
    sim.kachaka().set_manual_control(true, false).unwrap();
    let id = sim.start(forward(0.3)).unwrap();
    run_with_velocities(&mut sim, 0.5, -0.3, -0.8);
    assert_near("speed", sim.twist().x, 0.3, 1e-9);
    sim.until_idle(5.0);
    assert!(sim.result(&id).success);
    assert_near("way", sim.pose().x, 0.3, 0.001);
}

#[test]
fn a_lock_holds_still_and_speech_does_not() {
    let mut sim = Sim::new(STEPS[0]);
    sim.kachaka().set_manual_control(true, false).unwrap();
    sim.start(lock(2.0)).unwrap();
    run_with_velocities(&mut sim, 1.0, 0.3, 0.8);
    assert_eq!(sim.pose().x, 0.0, "locked");
    sim.kachaka().proceed().unwrap();
    sim.start(speak("a text that takes a while to say"))
        .unwrap();
    run_with_velocities(&mut sim, 1.0, 0.3, 0.8);
    assert!(sim.kachaka().state().running.is_some(), "still speaks");
    assert_near("speed", sim.twist().x, 0.3, 1e-9);
}

#[test]
fn an_autonomous_velocity_holds_for_0_3_s_and_reaches_0_8() {
    for dt in STEPS {
        let mut sim = Sim::new(dt);
        sim.kachaka().autonomous_velocity(0.4, 0.0).unwrap();
        sim.run(2.0);
        assert_near("way", sim.pose().x, 0.12, 0.4 * 0.5 * sim.dt + 1e-9);
        for _ in 0..(1.0 / sim.dt).round() as u64 {
            sim.kachaka().autonomous_velocity(3.0, 0.0).unwrap();
            sim.step();
        }
        assert_near("speed", sim.twist().x, 0.8, 1e-9);
    }
}

#[test]
fn commands_of_a_step_request_are_autonomous_velocities() {
    let mut sim = Sim::new(STEPS[0]);
    let inputs = Inputs {
        commands: vec![CommandSpec {
            robot: NAME.into(),
            twist: Twist2::new(5.0, 0.0, 0.0),
        }],
        ..Inputs::default()
    };
    for _ in 0..120 {
        sim.scene.apply(&inputs).unwrap();
        sim.step();
    }
    assert_near("speed", sim.twist().x, 0.8, 1e-9);
    // They end as those do.
    sim.run(1.0);
    assert!(sim.is_still(), "{:?}", sim.twist());
}

#[test]
fn speed_grows_by_2_m_per_s2_and_a_turn_by_3_rad_per_s2() {
    for dt in STEPS {
        let mut sim = Sim::new(dt);
        let steps = (0.2 / sim.dt).floor();
        for _ in 0..steps as u64 {
            sim.kachaka().autonomous_velocity(0.8, 1.57).unwrap();
            sim.step();
        }
        assert_near("speed", sim.twist().x, 2.0 * steps * sim.dt, 1e-9);
        assert_near("rate", sim.twist().angular, 3.0 * steps * sim.dt, 1e-9);
    }
}
