//! The simulator's reset of one robot, and that of the world.

use super::sim::{NAME, STEPS, Sim, assert_near, forward, lock};
use tatami::kachaka::{Event, StartCommand, TorchSide};
use tatami::world::{FloorSpec, Pose2};

const START: Pose2 = Pose2::new(1.0, -1.0, 0.5);

/// A Kachaka with everything about it changed that can be.
fn used() -> Sim {
    let mut sim = Sim::at(STEPS[0], START, "");
    sim.kachaka().mute_front_stop(true);
    sim.carry_out(forward(1.0), 10.0);
    let kachaka = sim.kachaka();
    kachaka.set_torch(TorchSide::Back, 9.0).unwrap();
    kachaka.set_speaker_volume(9.0).unwrap();
    kachaka.set_auto_homing(true);
    kachaka
        .set_pose_estimate(Pose2::new(9.0, 9.0, 0.0))
        .unwrap();
    kachaka.set_manual_control(true, false).unwrap();
    sim.run(5.0);
    sim.kachaka().emergency_stop();
    sim.kachaka().drain_events();
    sim
}

#[test]
fn it_puts_back_pose_pause_torches_sounds_volume_battery_and_history() {
    let mut sim = used();
    assert!(sim.kachaka().battery_percentage() < 100.0);
    let before = sim.kachaka().sequence();
    sim.scene.reset_kachaka(NAME, false).unwrap();
    assert_eq!(sim.kachaka().sequence(), before + 1, "one change");
    assert_eq!(sim.pose(), START);
    assert!(sim.is_still());
    assert_eq!(
        sim.scene.robot(NAME).unwrap().odometry().pose,
        Pose2::default()
    );
    let events = sim.kachaka().drain_events();
    let reset = Event::Reset {
        id: 1,
        clear_map: false,
    };
    assert_eq!(events.last(), Some(&reset), "{events:?}");
    let found = sim.kachaka().state().clone();
    let mut fresh = Sim::at(STEPS[0], START, "");
    let mut expected = fresh.kachaka().state().clone();
    // The number goes on, and the time.
    expected.sequence = found.sequence;
    expected.last_result = found.last_result.clone();
    assert!(found.last_result.is_some(), "that of the drive");
    expected.stamp = found.stamp;
    assert_eq!(found, expected);
    let estimate = sim.kachaka().estimated_pose().unwrap();
    assert_near("estimate", estimate.x, START.x, 1e-9);
}

#[test]
fn the_drift_stays_unless_the_map_is_cleared() {
    let mut sim = used();
    // What the drift was, without the shift that somebody gave: true pose by odometry.
    let fused = sim.kachaka().fused_odometry().pose;
    let before = sim.pose().compose(&fused.inverse());
    sim.scene.reset_kachaka(NAME, false).unwrap();
    let drift = sim.kachaka().map_to_odom().unwrap();
    assert_near("x", drift.x, before.x, 1e-9);
    assert_near("y", drift.y, before.y, 1e-9);
    assert_near("yaw", drift.yaw, before.yaw, 1e-9);
    let off = (drift.x - START.x).hypot(drift.y - START.y);
    assert!(off > 1e-5, "a metre leaves some drift: {drift:?}");
    sim.scene.reset_kachaka(NAME, true).unwrap();
    assert_eq!(sim.kachaka().fused_odometry().pose, Pose2::default());
    let drift = sim.kachaka().map_to_odom().unwrap();
    assert_near("x", drift.x, START.x, 1e-9);
    assert_near("yaw", drift.yaw, START.yaw, 1e-9);
}

#[test]
fn velocities_are_ignored_for_1_s() {
    let mut sim = Sim::new(STEPS[0]);
    sim.speed_up(0.5);
    sim.scene.reset_kachaka(NAME, false).unwrap();
    let begin = sim.time();
    sim.until(2.0, |sim| {
        sim.kachaka().autonomous_velocity(0.5, 0.0).unwrap();
        sim.twist().x > 0.0
    });
    // The first velocity that is taken comes at 1 s and drives in the step from then on.
    assert_near(
        "deaf",
        sim.time() - begin,
        1.0 + 1.5 * sim.dt,
        0.51 * sim.dt,
    );
}

#[test]
fn commands_end_with_10001_and_the_history_is_empty_a_step_later() {
    let mut sim = used();
    sim.kachaka().power_button();
    let running = sim.start(lock(100.0)).unwrap();
    let waiting = sim.start(lock(100.0)).unwrap();
    sim.scene.reset_kachaka(NAME, false).unwrap();
    for id in [&running, &waiting] {
        assert_eq!(sim.result(id).error_code, 10001);
    }
    let shown = sim.kachaka().state().clone();
    assert_eq!(
        shown.last_result.as_ref().map(|last| &last.id),
        Some(&waiting)
    );
    // While time stands still they stay; what ends meanwhile stays longer.
    sim.kachaka().emergency_stop();
    let meanwhile = sim.start(lock(1.0)).unwrap();
    assert_eq!(
        sim.kachaka().history().len(),
        4,
        "the drive, two ended, one refused"
    );
    let before = sim.kachaka().sequence();
    sim.step();
    assert!(sim.kachaka().sequence() > before, "a later state shows it");
    let left: Vec<_> = sim
        .kachaka()
        .history()
        .map(|result| result.id.clone())
        .collect();
    assert_eq!(left, [meanwhile]);
    sim.kachaka().power_button();
    // Numbers go on.
    let id = sim.start(lock(0.0)).unwrap();
    sim.until_idle(1.0);
    assert_eq!(sim.result(&id).number, 5);
}

#[test]
fn after_time_has_begun_again_nothing_was_later_and_nothing_at_0() {
    let mut sim = Sim::new(STEPS[0]);
    sim.run(3.0);
    let done = sim.carry_out(lock(1.0), 2.0);
    let running = sim.start(lock(100.0)).unwrap();
    let waiting = sim.start(lock(100.0)).unwrap();
    // A state of its own, a while after the command began.
    sim.run(1.0);
    sim.kachaka().set_speaker_volume(7.0).unwrap();
    sim.run(1.0);
    let before = sim.kachaka().sequence();
    // As the server does: the first step is taken.
    sim.scene.restart(1, None);
    let now = sim.scene.time();
    assert!(now.0 > 0);
    let state = sim.kachaka().state().clone();
    assert_eq!((state.sequence, state.stamp), (before + 1, now));
    let last = state.last_result.unwrap();
    assert_eq!((&last.id, last.error_code), (&waiting, 10001));
    for id in [&done.id, &running, &waiting] {
        let result = sim.result(id);
        assert_eq!((result.started, result.finished), (now, now), "{result:?}");
    }
    // The last result outlives the history.
    sim.step();
    let last = sim.kachaka().state().last_result.clone().unwrap();
    assert_eq!((last.id, last.started, last.finished), (waiting, now, now));
}

#[test]
fn a_reset_of_an_idle_robot_is_a_new_state_with_the_new_time_and_a_full_battery() {
    for time in [true, false] {
        let mut sim = Sim::with(STEPS[0], "battery: {capacity: 1, idle_power: 36}");
        sim.run(1.0);
        // Twice changed, so that it is as it was.
        sim.kachaka().set_auto_homing(true);
        sim.kachaka().set_auto_homing(false);
        sim.run(2.0);
        let (before, old) = (sim.kachaka().sequence(), sim.kachaka().state().stamp);
        match time {
            true => sim.scene.restart(1, None),
            false => sim.scene.reset_kachaka(NAME, false).unwrap(),
        }
        let now = sim.scene.time();
        let state = sim.kachaka().state();
        assert_eq!((state.sequence, state.stamp), (before + 1, now), "{old}");
        assert_eq!(state.battery_percentage, 100.0);
    }
}

#[test]
fn the_front_stop_does_not_remember_what_was_ahead() {
    let mut sim = Sim::new(STEPS[0]);
    sim.wall("wall", 1.0);
    sim.carry_out(forward(2.0), 20.0);
    sim.scene.delete_entities(&["wall".into()]).unwrap();
    sim.scene.reset_kachaka(NAME, false).unwrap();
    let result = sim.carry_out(forward(0.5), 10.0);
    assert!(result.success, "{result:?}");
}

#[test]
fn without_a_command_the_last_result_stays_and_the_history_goes() {
    let mut sim = Sim::new(STEPS[0]);
    let id = sim.start(lock(0.0)).unwrap();
    sim.until_idle(1.0);
    for reset in [true, false] {
        match reset {
            true => sim.scene.reset_kachaka(NAME, false).unwrap(),
            false => sim.scene.reset(true, None),
        }
        sim.step();
        assert_eq!(sim.kachaka().history().len(), 0);
        let last = sim.kachaka().state().last_result.clone();
        assert_eq!(last.map(|last| last.id), Some(id.clone()));
    }
}

#[test]
fn it_goes_back_to_the_floor_it_was_spawned_on() {
    // On the ground, of which no floor has the name: the only one is above it.
    let mut sim = Sim::at(STEPS[0], START, "");
    let floor = |name: &str, z: f64| FloorSpec {
        name: name.into(),
        z,
    };
    sim.scene.add_floors(&[floor("2F", 3.0)]).unwrap();
    sim.scene
        .set_robot_pose(NAME, Pose2::default(), "2F")
        .unwrap();
    assert_eq!(sim.scene.state(NAME).unwrap().z, 3.0);
    sim.scene.reset_kachaka(NAME, false).unwrap();
    let state = sim.scene.state(NAME).unwrap();
    assert_eq!(
        (state.floor.as_str(), state.z, state.pose),
        ("", 0.0, START)
    );
    // With a floor at z 0 it is on that one.
    sim.scene.add_floors(&[floor("1F", 0.0)]).unwrap();
    sim.scene
        .set_robot_pose(NAME, Pose2::default(), "2F")
        .unwrap();
    sim.scene.reset_kachaka(NAME, false).unwrap();
    assert_eq!(sim.scene.state(NAME).unwrap().floor, "1F");
}

#[test]
fn only_a_kachaka_is_reset() {
    let mut sim = Sim::new(STEPS[0]);
    let error = sim.scene.reset_kachaka("nobody", false).unwrap_err();
    assert!(error.to_string().contains("nobody"), "{error}");
}

/// What a run looks like, without the numbers that go on.
fn run(sim: &mut Sim) -> Vec<String> {
    let request = StartCommand {
        tts_on_success: "done".into(),
        ..StartCommand::new(forward(0.3))
    };
    sim.kachaka().start_command(request).unwrap();
    let start = sim.scene.step_index();
    let mut lines = Vec::new();
    for _ in 0..300 {
        sim.step();
        let kachaka = sim.kachaka();
        let (state, fused) = (kachaka.state().clone(), kachaka.fused_odometry());
        let running = state.running.map(|running| running.command);
        let battery = kachaka.battery_percentage();
        lines.push(format!(
            "{} {running:?} {:?} {battery} {fused:?} {:?}",
            sim.scene.step_index() - start,
            state.errors,
            sim.pose(),
        ));
    }
    lines
}

#[test]
fn a_reset_of_the_world_is_a_first_run_again() {
    let mut sim = Sim::at(STEPS[0], START, "");
    let first = run(&mut sim);
    sim.kachaka().emergency_stop();
    sim.scene.reset(true, None);
    assert_eq!(sim.pose(), START);
    let second = run(&mut sim);
    assert_eq!(first, second);
}
