//! Torches, speaker, sounds, lidar, battery, maps and places.

use super::sim::{NAME, STEPS, Sim, assert_near, forward, spec};
use tatami::kachaka::{
    Event, Location, LocationChange, NewMap, OccupancyGrid, StartCommand, TorchSide, Torches,
};
use tatami::robot::{Sample, Selection};
use tatami::scene::SceneError;
use tatami::world::{FloorSpec, OutlineSpec, Pose2};

/// A WAV file of 8 kHz, one channel, one byte a sample.
fn wav(samples: u32) -> Vec<u8> {
    let mut data = b"RIFF".to_vec();
    data.extend((36 + samples).to_le_bytes());
    data.extend(b"WAVEfmt ");
    data.extend(16_u32.to_le_bytes());
    data.extend([1, 0, 1, 0]);
    data.extend(8_000_u32.to_le_bytes());
    data.extend(8_000_u32.to_le_bytes());
    data.extend([1, 0, 8, 0]);
    data.extend(b"data");
    data.extend(samples.to_le_bytes());
    data.extend(std::iter::repeat_n(128, samples as usize));
    data
}

#[test]
fn torches_and_volume_take_what_they_have_and_refuse_the_rest() {
    let mut sim = Sim::new(STEPS[0]);
    let kachaka = sim.kachaka();
    kachaka.set_torch(TorchSide::Front, 255.0).unwrap();
    kachaka.set_torch(TorchSide::Back, 1.0).unwrap();
    for bad in [300.0, -1.0, 0.5, f64::NAN] {
        let refusal = kachaka.set_torch(TorchSide::Front, bad).unwrap_err();
        assert_eq!(refusal.code, 90001, "{refusal}");
        let refusal = kachaka.set_speaker_volume(bad.min(11.0)).unwrap_err();
        assert_eq!(refusal.code, 90001, "{refusal}");
    }
    kachaka.set_speaker_volume(10.0).unwrap();
    let expected = Torches {
        front: 255,
        back: 1,
    };
    assert_eq!(kachaka.state().torches, expected);
    assert_eq!(kachaka.state().speaker_volume, 10);
}

#[test]
fn sounds_play_for_their_length() {
    let mut sim = Sim::new(STEPS[0]);
    let id = sim.kachaka().add_sound("ding", &wav(8_000)).unwrap();
    assert_eq!(sim.kachaka().state().sounds[0].id, id);
    sim.kachaka().play_sound(&id, false).unwrap();
    assert_eq!(sim.kachaka().state().playing_sound_id, id);
    let took = sim.until(2.0, |sim| sim.kachaka().state().playing_sound_id.is_empty());
    assert_near("length", took, 1.0, sim.dt);
    let events = sim.kachaka().drain_events();
    assert_eq!(
        events,
        [Event::Sound(id.clone()), Event::Sound(String::new())]
    );
    sim.kachaka().play_sound(&id, true).unwrap();
    sim.run(3.0);
    assert_eq!(sim.kachaka().state().playing_sound_id, id);
    sim.kachaka().delete_sound(&id).unwrap();
    assert_eq!(sim.kachaka().state().playing_sound_id, "");
    let refusal = sim.kachaka().play_sound(&id, false).unwrap_err();
    assert_eq!(refusal.code, 90005, "{refusal}");
}

#[test]
fn what_is_no_wav_file_is_refused_and_there_is_a_bound_on_sounds() {
    let mut sim = Sim::new(STEPS[0]);
    sim.step();
    let sequence = sim.kachaka().sequence();
    let kachaka = sim.kachaka();
    // Another format, one without chunks, and one that ends before its samples.
    for bad in [&b"mp3"[..], &wav(10)[..12], &wav(10)[..40]] {
        let refusal = kachaka.add_sound("x", bad).unwrap_err();
        assert_eq!(refusal.code, 90006, "{refusal}");
    }
    assert_eq!(kachaka.sequence(), sequence, "no other state");
    sim.step();
    let kachaka = sim.kachaka();
    assert_eq!(kachaka.sequence(), sequence, "nor after a step");
    for _ in 0..100 {
        kachaka.add_sound("x", &wav(1)).unwrap();
    }
    let refusal = kachaka.add_sound("x", &wav(1)).unwrap_err();
    assert_eq!(refusal.code, 12508, "{refusal}");
    assert_eq!(kachaka.state().sounds.len(), 100);
}

fn scans(sim: &Sim) -> usize {
    let samples = sim.scene.sample(NAME, Selection::All);
    samples
        .iter()
        .filter(|(_, sample)| matches!(sample, Sample::Laser(_)))
        .count()
}

#[test]
fn a_lidar_that_rests_reads_nothing() {
    let mut sim = Sim::with(STEPS[0], "lidar: {rest_after: 5}");
    assert_eq!(scans(&sim), 1);
    let took = sim.until(10.0, |sim| !sim.kachaka().state().lidar_active);
    assert_near("rest", took, 5.0, sim.dt);
    assert_eq!(scans(&sim), 0);
    assert_eq!(
        sim.scene.sample(NAME, Selection::All).len(),
        1,
        "the IMU goes on"
    );
    sim.kachaka().activate_laser_scan(2.0).unwrap();
    assert_eq!(scans(&sim), 1, "awake at once");
    let took = sim.until(10.0, |sim| !sim.kachaka().state().lidar_active);
    assert_near("activated", took, 2.0, sim.dt);
    sim.start(forward(0.2)).unwrap();
    sim.step();
    assert_eq!(scans(&sim), 1, "it moves");
    sim.until(20.0, |sim| !sim.kachaka().state().lidar_active);
    sim.kachaka().set_manual_control(true, false).unwrap();
    sim.step();
    assert_eq!(scans(&sim), 1, "manual control");
    let refusal = sim.kachaka().activate_laser_scan(f64::NAN).unwrap_err();
    assert_eq!(refusal.code, 90001, "{refusal}");
}

#[test]
fn the_battery_empties_by_the_power_of_the_configuration() {
    let config = "battery: {capacity: 1, idle_power: 36, rolling_loss: 0, low: 0.495, empty: 0.4}";
    let mut sim = Sim::with(0.01, config);
    // 36 W of 1 Wh are 1 percent a second.
    sim.run(10.0);
    assert_near("charge", sim.kachaka().battery_percentage(), 90.0, 1e-6);
    assert_eq!(
        sim.kachaka().sequence(),
        1,
        "its charge alone is no new state"
    );
    sim.run(41.0);
    assert_eq!(sim.kachaka().errors(), [23002]);
    assert_near(
        "charge",
        sim.kachaka().state().battery_percentage,
        49.0,
        1e-6,
    );
    sim.run(10.0);
    assert_eq!(sim.kachaka().errors(), [23001]);
}

#[test]
fn a_robot_without_any_charge_is_off_until_a_reset() {
    // 3 percent are gone after 3 s.
    let config = "battery: {capacity: 1, idle_power: 36, rolling_loss: 0, initial: 0.03, empty: 0}";
    let mut sim = Sim::with(STEPS[0], config);
    let running = sim.start(forward(10.0)).unwrap();
    let waiting = sim.start(forward(1.0)).unwrap();
    sim.kachaka().set_torch(TorchSide::Front, 9.0).unwrap();
    let took = sim.until(5.0, |sim| !sim.kachaka().state().ready);
    assert_near("off", took, 3.0, 1.0 + sim.dt);
    let state = sim.kachaka().state().clone();
    assert_eq!(state.battery_percentage, 0.0);
    assert_eq!(state.errors, [23001]);
    assert_eq!(state.torches, Torches::default());
    for id in [&running, &waiting] {
        assert_eq!(sim.result(id).error_code, 10002);
    }
    // It was driving at 0.3 m/s, which traction ends within 0.04 s.
    sim.run(0.1);
    assert!(sim.is_still(), "{:?}", sim.twist());
    let place = sim.pose();
    for _ in 0..60 {
        sim.kachaka().autonomous_velocity(0.5, 1.0).unwrap();
        sim.step();
    }
    assert_eq!(sim.pose(), place, "motors have no power");
    let kachaka = sim.kachaka();
    let refusals = [
        kachaka.start_command(StartCommand::new(forward(1.0))).err(),
        kachaka.set_manual_control(true, false).err(),
        kachaka.manual_topic_velocity(0.1, 0.0).err(),
    ];
    for refusal in refusals {
        assert_eq!(refusal.map(|refusal| refusal.code), Some(23001));
    }
    sim.scene.reset_kachaka(NAME, false).unwrap();
    assert!(sim.kachaka().state().ready);
    assert_eq!(sim.kachaka().errors(), [23002], "charged as at the spawn");
    let result = sim.carry_out(forward(0.1), 2.0);
    assert!(result.success, "{result:?}");
}

#[test]
fn a_drive_costs_its_loss_per_speed_of_the_rims() {
    let config = "battery: {capacity: 1, idle_power: 0, rolling_loss: 10}";
    let mut sim = Sim::with(0.01, config);
    sim.speed_up(0.3);
    sim.until(2.0, |sim| {
        sim.kachaka().autonomous_velocity(0.3, 0.0).unwrap();
        sim.scene.step_index() % 100 == 0
    });
    let before = sim.kachaka().battery_percentage();
    for _ in 0..100 {
        sim.kachaka().autonomous_velocity(0.3, 0.0).unwrap();
        sim.step();
    }
    // 10 W per m/s at two rims of 0.3 m/s are 6 W: 6 J of 3600.
    let cost = before - sim.kachaka().battery_percentage();
    assert_near("cost", cost, 100.0 * 6.0 / 3600.0, 1e-6);
}

fn room(half: f64) -> OutlineSpec {
    OutlineSpec {
        name: "room".into(),
        points: vec![[-half, -half], [half, -half], [half, half], [-half, half]],
        z_min: 0.0,
        z_max: 2.4,
    }
}

#[test]
fn the_map_follows_the_geometry() {
    let mut sim = Sim::new(STEPS[0]);
    let first = sim.kachaka().map_revision();
    sim.scene.add_outlines(&[room(2.0)]).unwrap();
    // Also while time stands still.
    sim.scene.update_maps();
    let kachaka = sim.kachaka();
    assert!(kachaka.map_revision() > first);
    let map = kachaka.current_map().unwrap();
    let at = |x: f64, y: f64| map.value_at([x, y]);
    assert_eq!((at(0.0, 0.0), at(2.0, 0.0)), (Some(0), Some(100)));
    assert_eq!(kachaka.sequence(), 1, "the map is no state");
    let second = kachaka.map_revision();
    sim.scene.update_maps();
    sim.run(3.0);
    assert_eq!(sim.kachaka().map_revision(), second, "nothing has changed");
    sim.wall("wall", 1.0);
    sim.run(2.0);
    assert!(
        sim.kachaka().map_revision() > second,
        "steps do it by themselves"
    );
    let map = sim.kachaka().current_map().unwrap();
    assert_eq!(map.value_at([1.1, 0.0]), Some(100));
}

#[test]
fn each_storey_has_a_map_of_its_own() {
    let mut sim = Sim::new(STEPS[0]);
    let floors = [("low", 0.0), ("high", 3.0)].map(|(name, z)| FloorSpec {
        name: name.into(),
        z,
    });
    sim.scene.add_floors(&floors).unwrap();
    sim.scene
        .spawn_robot(spec(NAME, Pose2::default(), ""))
        .unwrap();
    sim.scene.add_outlines(&[room(2.0)]).unwrap();
    sim.scene.update_maps();
    let low = sim.kachaka().state().clone();
    assert_eq!(low.maps[0].name, "low");
    let revision = sim.kachaka().map_revision();
    sim.scene
        .set_robot_pose(NAME, Pose2::default(), "high")
        .unwrap();
    let high = sim.kachaka().state().clone();
    assert_eq!((high.maps.len(), high.maps[0].name.as_str()), (1, "high"));
    assert_eq!(high.current_map_id, high.maps[0].id);
    assert_ne!(high.current_map_id, low.current_map_id);
    assert!(sim.kachaka().map_revision() > revision);
    // The walls end at 2.4 m.
    let map = sim.kachaka().current_map().unwrap();
    assert_ne!(map.value_at([2.0, 0.0]), Some(100));
    sim.scene
        .set_robot_pose(NAME, Pose2::default(), "low")
        .unwrap();
    assert_eq!(sim.kachaka().state().current_map_id, low.current_map_id);
}

pub(crate) fn small_map() -> NewMap {
    NewMap {
        name: "attic".into(),
        grid: OccupancyGrid {
            resolution: 0.1,
            width: 2,
            height: 3,
            origin: Pose2::new(-1.0, -1.0, 0.0),
            cells: vec![0, 0, 100, 0, -1, 0],
            cropped: false,
        },
        charger: None,
    }
}

#[test]
fn it_switches_between_maps() {
    let mut sim = Sim::at(STEPS[0], Pose2::new(1.0, 2.0, 0.5), "");
    let kachaka = sim.kachaka();
    let storey = kachaka.state().current_map_id.clone();
    let attic = kachaka.add_map(small_map()).unwrap();
    assert_eq!(kachaka.state().maps.len(), 2);
    assert_eq!(kachaka.map(&attic).unwrap().grid, &small_map().grid);
    let refusal = kachaka.switch_map(&attic, None, false).unwrap_err();
    assert_eq!(refusal.code, 90008, "no charger: {refusal}");
    let refusal = kachaka.switch_map("none", None, false).unwrap_err();
    assert_eq!(refusal.code, 90007, "{refusal}");
    let pose = Pose2::new(-0.5, -0.5, 0.0);
    let refusal = kachaka.switch_map(&attic, Some(pose), true).unwrap_err();
    assert_eq!(refusal.code, 90009, "{refusal}");
    assert_eq!(kachaka.state().current_map_id, storey);

    kachaka.switch_map(&attic, Some(pose), false).unwrap();
    assert_eq!(kachaka.state().current_map_id, attic);
    assert_eq!(kachaka.current_map(), Some(&small_map().grid));
    let estimate = kachaka.estimated_pose().unwrap();
    assert_near("x", estimate.x, -0.5, 1e-9);
    assert_near("yaw", estimate.yaw, 0.0, 1e-9);
    assert_eq!(sim.pose(), Pose2::new(1.0, 2.0, 0.5), "the body stays");
}

#[test]
fn maps_have_a_bound_together_and_are_forgotten_with_a_reset_that_clears() {
    let mut sim = Sim::new(STEPS[0]);
    let storey = sim.kachaka().state().current_map_id.clone();
    let mut large = small_map();
    (large.grid.width, large.grid.height) = (4_000, 4_000);
    large.grid.cells = vec![0; 16_000_000];
    for _ in 0..4 {
        sim.kachaka().add_map(large.clone()).unwrap();
    }
    let refusal = sim.kachaka().add_map(small_map()).unwrap_err();
    assert_eq!(refusal.code, 12508, "{refusal}");
    sim.scene.reset_kachaka(NAME, false).unwrap();
    assert_eq!(
        sim.kachaka().state().maps.len(),
        5,
        "without clearing they stay"
    );
    let pose = Some(Pose2::default());
    let kept = sim.kachaka().state().maps[1].id.clone();
    sim.kachaka().switch_map(&kept, pose, false).unwrap();
    sim.scene.reset_kachaka(NAME, true).unwrap();
    assert_eq!(sim.kachaka().state().maps.len(), 1);
    assert_eq!(sim.kachaka().state().current_map_id, storey);
    assert!(sim.kachaka().current_map().is_some());
    sim.kachaka().add_map(small_map()).unwrap();
    sim.scene.reset(false, None);
    assert_eq!(sim.kachaka().state().maps.len(), 1, "a reset of the world");
}

#[test]
fn maps_that_are_none_are_refused_by_field() {
    let mut sim = Sim::new(STEPS[0]);
    let with = |change: &dyn Fn(&mut NewMap)| {
        let mut map = small_map();
        change(&mut map);
        map
    };
    for (map, field) in [
        (with(&|map| map.grid.resolution = f64::NAN), "resolution"),
        (with(&|map| map.grid.width = 0), "0 by 3"),
        (with(&|map| map.grid.width = u32::MAX), "by 3 cells"),
        (with(&|map| map.grid.cells.truncate(5)), "5 cells"),
        (with(&|map| map.grid.origin.x = f64::INFINITY), "origin.x"),
        (with(&|map| map.name = "x".repeat(1001)), "name"),
        (
            with(&|map| map.charger = Some(Pose2::new(f64::NAN, 0.0, 0.0))),
            "charger_x",
        ),
    ] {
        let refusal = sim.kachaka().add_map(map).unwrap_err();
        assert_eq!(refusal.code, 90001, "{refusal}");
        assert!(refusal.message.contains(field), "{field}: {refusal}");
    }
    let bad_cells = [(4, 101), (1, -2), (0, i8::MIN)];
    for (index, value) in bad_cells {
        let mut map = small_map();
        map.grid.cells[index] = value;
        map.grid.cells[5] = i8::MAX;
        let refusal = sim.kachaka().add_map(map).unwrap_err();
        assert_eq!(refusal.code, 90012, "{refusal}");
        let expected = format!(
            "map.data[{index}] is {value}, it must be -1 (unknown) or 0 (free) to 100 (occupied)"
        );
        assert_eq!(refusal.message, expected);
    }
    assert_eq!(sim.kachaka().state().maps.len(), 1);
}

#[test]
fn places_are_added_to_one_robot_or_to_all() {
    let mut sim = Sim::new(STEPS[0]);
    let other = spec("other", Pose2::new(3.0, 0.0, 0.0), "");
    sim.scene.spawn_robot(other).unwrap();
    let place = |id: &str, x: f64| Location {
        id: id.into(),
        pose: Pose2::new(x, 0.0, 0.0),
        ..Location::default()
    };
    let add = |places: Vec<Location>| LocationChange {
        add: places,
        ..LocationChange::default()
    };
    sim.scene
        .add_locations("", &add(vec![place("L01", 1.0)]))
        .unwrap();
    sim.scene
        .add_locations("other", &add(vec![place("L02", 2.0)]))
        .unwrap();
    let ids = |sim: &Sim, name: &str| -> Vec<String> {
        let kachaka = sim.scene.kachaka(name).unwrap();
        kachaka
            .locations()
            .all()
            .iter()
            .map(|place| place.id.clone())
            .collect()
    };
    assert_eq!(ids(&sim, NAME), ["L01"]);
    assert_eq!(ids(&sim, "other"), ["L01", "L02"]);
    // L02 can't be removed from all: one of them does not have it.
    let remove = LocationChange {
        remove: vec!["L02".into()],
        ..LocationChange::default()
    };
    let error = sim.scene.add_locations("", &remove).unwrap_err();
    assert!(error.to_string().contains("'L02'"), "{error}");
    assert_eq!(ids(&sim, "other"), ["L01", "L02"]);
    let error = sim.scene.add_locations("nobody", &remove).unwrap_err();
    assert!(matches!(error, SceneError::NotKachaka { .. }), "{error}");
}
