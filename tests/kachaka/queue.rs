//! The queue: ids, order, cancelling, proceeding, results.

use super::sim::{STEPS, Sim, assert_near, forward, lock, speak};
use tatami::kachaka::{Command, Event, StartCommand};

fn ids(sim: &mut Sim) -> Vec<String> {
    let kachaka = sim.kachaka();
    let mut ids: Vec<String> = kachaka.history().map(|result| result.id.clone()).collect();
    ids.reverse();
    ids
}

#[test]
fn a_command_runs_in_the_same_moment_and_moves_with_the_next_step() {
    let mut sim = Sim::new(STEPS[0]);
    let before = sim.kachaka().sequence();
    let id = sim.start(forward(1.0)).unwrap();
    let state = sim.kachaka().state().clone();
    assert_eq!(state.sequence, before + 1);
    let running = state.running.unwrap();
    assert_eq!((&running.id, running.command), (&id, forward(1.0)));
    assert_eq!(sim.pose().x, 0.0);
    sim.step();
    assert!(sim.pose().x > 0.0, "{:?}", sim.pose());
}

#[test]
fn commands_wait_for_each_other() {
    let mut sim = Sim::new(STEPS[0]);
    let lock = sim.start(lock(1.0)).unwrap();
    let drive = sim.start(forward(0.2)).unwrap();
    assert_eq!(sim.kachaka().state().queue_length, 1);
    sim.run(0.9);
    assert_eq!(sim.pose().x, 0.0, "the lock comes first");
    sim.until_idle(5.0);
    assert_near("way", sim.pose().x, 0.2, 0.001);
    assert_eq!(ids(&mut sim), [lock.clone(), drive.clone()]);
    let (first, second) = (sim.result(&lock), sim.result(&drive));
    assert_eq!((first.number, second.number), (1, 2));
    assert_eq!(first.finished, second.started);
    assert_near("lock", first.finished.seconds(), 1.0, sim.dt);
}

#[test]
fn cancel_all_ends_the_rest_with_10001_and_runs_at_once() {
    let mut sim = Sim::new(STEPS[0]);
    let running = sim.start(forward(2.0)).unwrap();
    let waiting = sim.start(speak("never said")).unwrap();
    sim.run(0.5);
    let request = StartCommand::new(forward(-0.1)).instead_of_all();
    let new = sim.kachaka().start_command(request).unwrap();
    let state = sim.kachaka().state().clone();
    assert_eq!(state.running.unwrap().id, new);
    assert_eq!(state.queue_length, 0);
    assert_eq!(ids(&mut sim), [running.clone(), waiting.clone()]);
    for id in [running, waiting] {
        let result = sim.result(&id);
        assert_eq!((result.success, result.error_code), (false, 10001));
    }
    sim.until_idle(5.0);
    assert!(sim.result(&new).success);
    assert!(sim.kachaka().drain_events().is_empty(), "nothing was said");
}

#[test]
fn cancel_ends_the_running_one_and_the_next_one_runs() {
    let mut sim = Sim::new(STEPS[0]);
    let first = sim.start(lock(10.0)).unwrap();
    let second = sim.start(lock(20.0)).unwrap();
    let third = sim.start(lock(30.0)).unwrap();
    assert_eq!(sim.kachaka().cancel_command(false).unwrap(), lock(10.0));
    assert_eq!(sim.result(&first).error_code, 10001);
    assert_eq!(sim.kachaka().state().running.clone().unwrap().id, second);
    assert_eq!(sim.kachaka().cancel_command(true).unwrap(), lock(20.0));
    assert_eq!(sim.result(&second).error_code, 10001);
    assert_eq!(sim.result(&third).error_code, 10001);
    let refusal = sim.kachaka().cancel_command(true).unwrap_err();
    assert_eq!(refusal.code, 90002, "{refusal}");
}

#[test]
fn cancelling_at_full_speed_stops_within_half_a_metre() {
    for dt in STEPS {
        let mut sim = Sim::new(dt);
        sim.start(Command::MoveToPose {
            pose: tatami::world::Pose2::new(20.0, 0.0, 0.0),
        })
        .unwrap();
        sim.until(5.0, |sim| sim.twist().x > 0.799);
        let start = sim.pose().x;
        sim.kachaka().cancel_command(false).unwrap();
        sim.until(2.0, |sim| sim.is_still());
        let way = sim.pose().x - start;
        assert!(way < 0.5, "{way}");
        // The ordinary ramp: v^2 / 2a is 0.16 m.
        assert_near("way", way, 0.16, 0.8 * sim.dt);
    }
}

#[test]
fn proceed_ends_a_lock_and_nothing_else() {
    let mut sim = Sim::new(STEPS[0]);
    assert_eq!(sim.kachaka().proceed().unwrap_err().code, 90003);
    let drive = sim.start(forward(0.1)).unwrap();
    assert_eq!(sim.kachaka().proceed().unwrap_err().code, 90003);
    let lock = sim.start(lock(1000.0)).unwrap();
    sim.until(3.0, |sim| {
        let running = sim.kachaka().state().running.clone();
        running.is_some_and(|running| running.id == lock)
    });
    sim.kachaka().proceed().unwrap();
    assert!(sim.result(&lock).success && sim.result(&drive).success);
    assert!(sim.kachaka().state().running.is_none());
}

#[test]
fn lock_on_end_keeps_the_command_running_until_its_time_or_proceed() {
    let request = StartCommand {
        lock_on_end: 2.0,
        tts_on_success: "there".into(),
        title: "a label".into(),
        deferrable: true,
        ..StartCommand::new(forward(0.1))
    };
    let mut sim = Sim::new(STEPS[0]);
    let id = sim.kachaka().start_command(request.clone()).unwrap();
    let alone = Sim::new(STEPS[0]).carry_out(forward(0.1), 5.0);
    sim.until_idle(10.0);
    let result = sim.result(&id);
    assert!(result.success && result.title == "a label", "{result:?}");
    let longer = result.finished.seconds() - alone.finished.seconds();
    assert_near("lock", longer, 2.0, sim.dt);
    // Said once, when the way was gone.
    let events = sim.kachaka().drain_events();
    assert_eq!(events, [Event::Speech("there".into())]);

    let id = sim.kachaka().start_command(request).unwrap();
    sim.until(5.0, |sim| sim.kachaka().proceed().is_ok());
    assert!(sim.result(&id).success);
    assert_near("way", sim.pose().x, 0.2, 0.001);
}

#[test]
fn what_fails_says_nothing_and_does_not_lock() {
    let mut sim = Sim::new(STEPS[0]);
    sim.wall("wall", 0.4);
    let request = StartCommand {
        lock_on_end: 100.0,
        tts_on_success: "there".into(),
        ..StartCommand::new(forward(1.0))
    };
    let id = sim.kachaka().start_command(request).unwrap();
    sim.until_idle(10.0);
    assert_eq!(sim.result(&id).error_code, 19001);
    assert!(sim.kachaka().drain_events().is_empty());
}

#[test]
fn speech_is_told_when_it_begins_and_lasts_by_its_length() {
    let config = "commands: {speech_per_letter: 0.1, speech_min: 0.5}";
    let mut sim = Sim::with(STEPS[0], config);
    sim.start(speak("twenty letters, yes.")).unwrap();
    let events = sim.kachaka().drain_events();
    assert_eq!(events, [Event::Speech("twenty letters, yes.".into())]);
    assert_near("long", sim.until_idle(5.0), 2.0, sim.dt);
    sim.start(speak("")).unwrap();
    assert_near("short", sim.until_idle(5.0), 0.5, sim.dt);
}

#[test]
fn at_most_32_wait() {
    let mut sim = Sim::new(STEPS[0]);
    for _ in 0..33 {
        sim.start(lock(1.0)).unwrap();
    }
    assert_eq!(sim.kachaka().state().queue_length, 32);
    let before = sim.kachaka().sequence();
    let refusal = sim.start(lock(1.0)).unwrap_err();
    assert_eq!(refusal.code, 13003, "{refusal}");
    assert_eq!(sim.kachaka().sequence(), before, "nothing was changed");
    let request = StartCommand::new(lock(1.0)).instead_of_all();
    sim.kachaka().start_command(request).unwrap();
    assert_eq!(sim.kachaka().state().queue_length, 0);
    assert_eq!(sim.kachaka().history().len(), 33);
}

#[test]
fn the_history_keeps_the_last_hundred_newest_first() {
    let mut sim = Sim::new(STEPS[0]);
    for _ in 0..120 {
        sim.start(lock(0.0)).unwrap();
        sim.step();
    }
    let numbers: Vec<u64> = sim
        .kachaka()
        .history()
        .map(|result| result.number)
        .collect();
    assert_eq!(numbers, (21..=120).rev().collect::<Vec<_>>());
}

#[test]
fn values_out_of_range_are_refused_by_name_and_change_nothing() {
    let mut sim = Sim::new(STEPS[0]);
    let before = sim.kachaka().state().clone();
    let long = "x".repeat(1_000_000);
    for (request, field) in [
        (StartCommand::new(forward(f64::NAN)), "distance"),
        (StartCommand::new(forward(101.0)), "distance"),
        (StartCommand::new(lock(f64::INFINITY)), "duration"),
        (StartCommand::new(speak(&long)), "text"),
        (
            StartCommand {
                title: long.clone(),
                ..StartCommand::new(lock(1.0))
            },
            "title",
        ),
        (
            StartCommand {
                lock_on_end: -1.0,
                ..StartCommand::new(lock(1.0))
            },
            "lock_on_end",
        ),
    ] {
        let refusal = sim.kachaka().start_command(request).unwrap_err();
        assert_eq!(refusal.code, 90001, "{refusal}");
        assert!(refusal.message.starts_with(field), "{refusal}");
        assert!(refusal.message.len() < 200, "{}", refusal.message.len());
    }
    assert_eq!(sim.kachaka().state(), &before);
}

#[test]
fn a_shortcut_starts_its_commands_one_after_the_other_or_none() {
    let config = "
commands: {queue_limit: 3}
locations:
  - {id: L01, x: 1}
shortcuts:
  - id: tea
    name: Tea time
    commands:
      - {type: move_forward, distance: 0.1}
      - {type: speak, text: Tea}
  - id: lost
    commands:
      - {type: speak, text: Off I go}
      - {type: move_shelf, shelf_id: S01, location_id: L01}
";
    let mut sim = Sim::with(STEPS[0], config);
    let names: Vec<String> = sim.kachaka().shortcuts().map(|s| s.name.clone()).collect();
    assert_eq!(names[0], "Tea time");
    let refusal = sim.kachaka().start_shortcut("coffee", true).unwrap_err();
    assert_eq!(refusal.code, 90004, "{refusal}");
    let refusal = sim.kachaka().start_shortcut("lost", true).unwrap_err();
    assert_eq!(refusal.code, 10250, "{refusal}");
    assert!(sim.kachaka().state().running.is_none());

    let locked = sim.start(lock(100.0)).unwrap();
    let started = sim.kachaka().start_shortcut("tea", true).unwrap();
    assert_eq!(sim.result(&locked).error_code, 10001);
    assert_eq!(sim.kachaka().state().queue_length, 1);
    // Two more would be the third and fourth that wait: none is taken.
    sim.start(lock(1.0)).unwrap();
    sim.start(lock(1.0)).unwrap();
    let refusal = sim.kachaka().start_shortcut("tea", false).unwrap_err();
    assert_eq!(refusal.code, 13003, "{refusal}");
    let expected = "there is no room for 2 more: 3 commands wait already, at most 3 may; \
                    cancel some or use cancel_all";
    assert_eq!(refusal.message, expected);
    assert_eq!(sim.kachaka().state().queue_length, 3);
    sim.until_idle(20.0);
    for id in &started {
        assert!(sim.result(id).success);
    }
    assert_near("way", sim.pose().x, 0.1, 0.001);
}
