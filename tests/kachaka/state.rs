//! The state: what it says and how its number grows.

use super::sim::{STEPS, Sim, forward, lock};
use tatami::kachaka::{TorchSide, error_codes};

#[test]
fn the_first_state_is_there_at_the_spawn() {
    let mut sim = Sim::new(STEPS[0]);
    let state = sim.kachaka().state().clone();
    assert_eq!(state.sequence, 1);
    assert!(state.running.is_none() && state.last_result.is_none());
    assert!(state.ready && state.lidar_active && state.errors.is_empty());
    assert_eq!((state.queue_length, state.speaker_volume), (0, 5));
    assert_eq!(state.battery_percentage, 100.0);
    assert_eq!(state.maps.len(), 1);
    assert_eq!(state.maps[0].id, state.current_map_id);
}

#[test]
fn its_number_grows_by_one_with_every_change_and_else_not() {
    let mut sim = Sim::new(STEPS[0]);
    sim.run(5.0);
    assert_eq!(sim.kachaka().sequence(), 1, "nothing happened");
    let kachaka = sim.kachaka();
    kachaka.set_auto_homing(false);
    assert_eq!(kachaka.sequence(), 1, "it was off before");
    kachaka.set_auto_homing(true);
    assert_eq!(kachaka.sequence(), 2);
    kachaka.set_torch(TorchSide::Front, 255.0).unwrap();
    assert_eq!(kachaka.sequence(), 3);
    kachaka.set_speaker_volume(0.0).unwrap();
    assert_eq!(kachaka.sequence(), 4);
    kachaka.set_manual_control(true, false).unwrap();
    assert_eq!(kachaka.sequence(), 5);
    kachaka.set_manual_control(true, false).unwrap();
    assert_eq!(kachaka.sequence(), 5, "it was on before");
    kachaka.set_velocity(0.0, 0.0).unwrap();
    assert_eq!(kachaka.sequence(), 5, "a velocity is no state");
    sim.start(lock(0.1)).unwrap();
    assert_eq!(sim.kachaka().sequence(), 6);
    sim.until_idle(1.0);
    assert_eq!(sim.kachaka().sequence(), 7);
}

#[test]
fn a_state_that_follows_from_a_step_has_its_stamp() {
    let mut sim = Sim::new(STEPS[0]);
    let id = sim.start(forward(0.1)).unwrap();
    sim.until_idle(5.0);
    let now = sim.scene.time();
    assert_eq!(sim.kachaka().state().stamp, now);
    assert_eq!(sim.result(&id).finished, now);
}

#[test]
fn a_result_says_what_its_code_means() {
    let mut sim = Sim::new(STEPS[0]);
    sim.kachaka().emergency_stop();
    let id = sim.start(lock(1.0)).unwrap();
    let result = sim.result(&id);
    assert_eq!(result.error_code, 10107);
    assert_eq!(result.message, error_codes::message(10107));
}
