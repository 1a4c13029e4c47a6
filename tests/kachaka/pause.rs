//! Emergency stop, pause and power button.

use super::sim::{STEPS, Sim, assert_near, forward, lock, speak};

/// Two motors of 2 Nm on wheels of 0.045 m against 10.6 kg.
const TRACTION: f64 = 2.0 * 2.0 / 0.045 / 10.6;

/// How far a body slides that loses as much speed as traction lets it in each step.
fn braking_way(mut speed: f64, dt: f64) -> f64 {
    let mut way = 0.0;
    while speed > 0.0 {
        speed = (speed - TRACTION * dt).max(0.0);
        way += speed * dt;
    }
    way
}

#[test]
fn an_emergency_stop_brakes_as_hard_as_traction_lets_it() {
    for dt in STEPS {
        for speed in [0.3, 0.8] {
            let mut sim = Sim::new(dt);
            sim.speed_up(speed);
            let start = sim.pose().x;
            sim.kachaka().emergency_stop();
            sim.until(1.0, |sim| sim.is_still());
            let way = sim.pose().x - start;
            assert_near("way", way, braking_way(speed, sim.dt), 1e-9);
            // In continuous time that is v^2 / 2a.
            assert!(way <= speed * speed / (2.0 * TRACTION), "{way}");
        }
    }
}

#[test]
fn it_ends_what_runs_and_what_waits_and_stays_until_the_power_button() {
    let mut sim = Sim::new(STEPS[0]);
    let running = sim.start(forward(2.0)).unwrap();
    let waiting = sim.start(speak("later")).unwrap();
    sim.run(1.0);
    sim.kachaka().emergency_stop();
    for id in [running, waiting] {
        assert_eq!(sim.result(&id).error_code, 10105);
    }
    let state = sim.kachaka().state();
    assert!(state.emergency_stopped && !state.step_detected, "{state:?}");
    assert_eq!((state.errors.clone(), state.queue_length), (vec![21051], 0));
    assert!(state.running.is_none(), "{state:?}");

    // Nothing else releases it.
    let kachaka = sim.kachaka();
    assert_eq!(kachaka.cancel_command(true).unwrap_err().code, 90002);
    assert_eq!(kachaka.proceed().unwrap_err().code, 90003);
    kachaka.set_manual_control(false, false).unwrap();
    kachaka.emergency_stop();
    sim.run(5.0);
    assert_eq!(sim.kachaka().errors(), [21051]);
    assert!(!sim.kachaka().power_button());
    assert!(sim.kachaka().errors().is_empty());
    let result = sim.carry_out(forward(0.1), 5.0);
    assert!(result.success, "{result:?}");
}

#[test]
fn a_command_while_paused_gets_an_id_and_ends_with_10107_at_once() {
    let mut sim = Sim::new(STEPS[0]);
    sim.kachaka().emergency_stop();
    let id = sim.start(forward(1.0)).unwrap();
    // Without a step.
    let result = sim.result(&id);
    assert_eq!((result.success, result.error_code), (false, 10107));
    assert_eq!(result.started, result.finished);
    let last = sim.kachaka().state().last_result.clone();
    assert_eq!(last.map(|last| last.id), Some(id));
    sim.run(1.0);
    assert_eq!(sim.pose().x, 0.0);
}

#[test]
fn manual_control_is_12401_and_velocities_do_not_drive() {
    let mut sim = Sim::new(STEPS[0]);
    sim.kachaka().set_manual_control(true, false).unwrap();
    sim.kachaka().emergency_stop();
    let kachaka = sim.kachaka();
    assert!(!kachaka.state().manual_control_enabled);
    let refusal = kachaka.set_manual_control(true, false).unwrap_err();
    assert_eq!(refusal.code, 12401, "{refusal}");
    assert_eq!(kachaka.set_velocity(0.3, 0.0).unwrap_err().code, 12401);
    let refusal = kachaka.manual_topic_velocity(0.3, 0.0).unwrap_err();
    assert_eq!(refusal.code, 12401, "{refusal}");
    for _ in 0..60 {
        sim.kachaka().autonomous_velocity(0.8, 1.0).unwrap();
        sim.step();
    }
    assert_eq!(sim.pose(), tatami::world::Pose2::default());
}

#[test]
fn the_power_button_pauses_and_releases() {
    let mut sim = Sim::new(STEPS[0]);
    let id = sim.start(lock(10.0)).unwrap();
    assert!(sim.kachaka().power_button(), "paused");
    assert_eq!(sim.kachaka().errors(), [21051]);
    assert_eq!(sim.result(&id).error_code, 10105);
    assert!(!sim.kachaka().power_button(), "released");
    assert!(sim.kachaka().errors().is_empty());
}

#[test]
fn no_old_velocity_drives_after_the_release() {
    let mut sim = Sim::new(STEPS[0]);
    sim.speed_up(0.8);
    sim.kachaka().emergency_stop();
    sim.kachaka().power_button();
    let start = sim.pose().x;
    sim.until(1.0, |sim| sim.is_still());
    // It was paused between two steps, so it brakes with the ordinary ramp.
    let way = sim.pose().x - start;
    assert!(way <= 0.8 * 0.8 / (2.0 * 2.0) + 1e-9, "{way}");
    let end = sim.pose().x;
    sim.run(1.0);
    assert_near("place", sim.pose().x, end, 1e-9);
}
