//! The room that a fresh user starts with.

use std::path::Path;

use super::sim::{NAME, STEPS, Sim, assert_near};
use tatami::kachaka::{Command, LocationChange};
use tatami::layout::{LayoutReader, Packages};
use tatami::world::normalize_angle;

#[test]
fn each_place_of_the_default_room_can_be_gone_to_from_each_other() {
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR"));
    let reader = LayoutReader::new(Packages::of_sources(&[checkout]));
    let path = checkout.join("config/layouts/default_room.yaml");
    let layout = reader.load(&path).unwrap();
    let places = layout.places.locations;
    let ids: Vec<&str> = places.iter().map(|place| place.id.as_str()).collect();
    assert_eq!(ids, ["L01", "L02", "L03", "L04"]);
    assert_eq!(layout.places.default_location, "L01");
    for dt in STEPS {
        let mut sim = Sim::at(dt, layout.robots[0].pose, "");
        sim.scene.add_outlines(&layout.outlines).unwrap();
        sim.scene.spawn_boxes(&layout.boxes).unwrap();
        let change = LocationChange {
            add: places.clone(),
            ..LocationChange::default()
        };
        sim.scene.add_locations(NAME, &change).unwrap();
        // Each ordered pair once.
        for (from, to) in (0..4).flat_map(|from| (0..4).map(move |to| (from, to))) {
            for place in [&places[from], &places[to]] {
                let go = Command::MoveToLocation {
                    location_id: place.id.clone(),
                    source_location_id: String::new(),
                };
                let result = sim.carry_out(go, 40.0);
                assert!(
                    result.success,
                    "to {} of {from}, {to}: {result:?}",
                    place.id
                );
                assert_near("x", sim.pose().x, place.pose.x, 0.01);
                assert_near("y", sim.pose().y, place.pose.y, 0.01);
                let turn = normalize_angle(sim.pose().yaw - place.pose.yaw);
                assert_near("yaw", turn, 0.0, 2e-3);
            }
        }
        assert_eq!(sim.kachaka().state().collisions, 0);
    }
}
