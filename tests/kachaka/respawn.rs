//! Another robot under a name that was there before.

use super::appliances::small_map;
use super::sim::{NAME, STEPS, Sim, lock, spec};
use tatami::kachaka::Event;
use tatami::world::Pose2;

/// Numbers and ids that a client may have seen.
fn numbers(sim: &mut Sim) -> (u64, u64, String, u64) {
    let id = sim.start(lock(0.0)).unwrap();
    sim.until_idle(1.0);
    let result = sim.result(&id).number;
    sim.scene.reset_kachaka(NAME, false).unwrap();
    let resets = sim.kachaka().drain_events();
    let reset = resets.iter().find_map(|event| match event {
        Event::Reset { id, .. } => Some(*id),
        _ => None,
    });
    (sim.kachaka().sequence(), result, id, reset.unwrap())
}

fn assert_they_go_on(first: &(u64, u64, String, u64), second: &(u64, u64, String, u64)) {
    assert!(
        second.0 > first.0,
        "sequence {} after {}",
        second.0,
        first.0
    );
    assert_eq!(second.1, first.1 + 1, "number of the result");
    assert_ne!(second.2, first.2, "the id of another command");
    assert_eq!(second.3, first.3 + 1, "number of the reset");
}

#[test]
fn numbers_go_on_when_it_is_replaced() {
    let mut sim = Sim::new(STEPS[0]);
    let first = numbers(&mut sim);
    sim.scene
        .spawn_robot(spec(NAME, Pose2::default(), ""))
        .unwrap();
    assert!(sim.kachaka().sequence() > first.0, "right after the spawn");
    assert_eq!(
        sim.kachaka().state().last_result,
        None,
        "it is another robot"
    );
    let second = numbers(&mut sim);
    assert_they_go_on(&first, &second);
}

#[test]
fn numbers_go_on_when_it_is_deleted_and_spawned_again() {
    let mut sim = Sim::new(STEPS[0]);
    let first = numbers(&mut sim);
    sim.scene.delete_robot(NAME).unwrap();
    // Meanwhile a plain robot has the name.
    let plain = tatami::robot::RobotSpec {
        onboard: None,
        ..spec(NAME, Pose2::default(), "")
    };
    sim.scene.spawn_robot(plain).unwrap();
    assert!(sim.scene.kachaka(NAME).is_none());
    sim.scene.delete_prefix(NAME).unwrap();
    sim.scene
        .spawn_robot(spec(NAME, Pose2::default(), ""))
        .unwrap();
    let second = numbers(&mut sim);
    assert_they_go_on(&first, &second);
    // Another name begins at the beginning.
    sim.scene
        .spawn_robot(spec("other", Pose2::default(), ""))
        .unwrap();
    assert_eq!(sim.scene.kachaka("other").unwrap().sequence(), 1);
}

#[test]
fn a_robot_that_is_replaced_knows_only_what_its_configuration_names() {
    const CONFIG: &str = "locations: [{id: L01, name: Kitchen, x: 1.5}]";
    let mut sim = Sim::with(STEPS[0], CONFIG);
    let ids = |sim: &mut Sim| -> Vec<String> {
        let all = sim.kachaka().locations().all();
        all.iter().map(|place| place.id.clone()).collect()
    };
    sim.place("added", Pose2::default());
    let map = sim.kachaka().add_map(small_map()).unwrap();
    assert_eq!(ids(&mut sim), ["L01", "added"]);
    assert!(sim.kachaka().map(&map).is_ok());
    sim.scene
        .spawn_robot(spec(NAME, Pose2::default(), CONFIG))
        .unwrap();
    assert_eq!(ids(&mut sim), ["L01"]);
    assert!(sim.kachaka().map(&map).is_err(), "map {map}");
}
