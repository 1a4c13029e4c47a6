//! Software of robots, and the places they know.

use super::*;
use crate::kachaka::{KachakaConfig, Location, LocationKind, Places};
use crate::world::Pose2;

#[test]
fn a_kachaka_gets_its_configuration_as_text() {
    let layout = parse(
        "robots:
  - name: k
    model: kachaka
    onboard_config:
      battery: {initial: 0.5}
      identity: {serial_number: \"12: 'x'\"}
      locations:
        - {id: L01, x: 1.5}
",
    );
    let robot = &layout.robots[0];
    assert_eq!(robot.onboard, "kachaka");
    let mut expected = KachakaConfig::default();
    expected.battery.initial = 0.5;
    expected.identity.serial_number = "12: 'x'".to_owned();
    expected.locations = vec![Location {
        id: "L01".to_owned(),
        name: "L01".to_owned(),
        kind: LocationKind::Ordinary,
        pose: Pose2::new(1.5, 0.0, 0.0),
        ..Location::default()
    }];
    match KachakaConfig::parse(&robot.onboard_config) {
        Ok(found) => assert_eq!(found, expected),
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn a_command_line_changes_a_number_of_the_software() {
    let reader = reader().set("k.onboard_config.front_stop.margin=0.25");
    let text = "robots: [{name: k, model: kachaka}]";
    let layout = reader.parse(text, Path::new("room.yaml")).unwrap();
    let config = KachakaConfig::parse(&layout.robots[0].onboard_config).unwrap();
    assert_eq!(config.front_stop.margin, 0.25);
}

#[test]
fn without_its_software_the_model_is_a_plain_robot() {
    let layout = parse("robots: [{name: k, model: kachaka, onboard: \"\"}]");
    let robot = &layout.robots[0];
    assert_eq!(
        (robot.onboard.as_str(), robot.onboard_config.as_str()),
        ("", "")
    );
    let layout = parse("robots: [{name: k, model: kachaka, onboard_config: }]");
    let robot = &layout.robots[0];
    assert_eq!(
        (robot.onboard.as_str(), robot.onboard_config.as_str()),
        ("kachaka", "")
    );
}

#[test]
fn what_is_wrong_with_the_software_is_said_with_the_line_of_the_layout() {
    assert_refused(
        "robots:\n  - {name: k, model: kachaka, onboard: kachakka}\n",
        "room.yaml:2:40: robots[0].onboard is \"kachakka\", it must be software that a robot can have, or \"\"; did you mean \"kachaka\"?",
    );
    assert_refused(
        "robots:
  - name: k
    model: kachaka
    onboard_config:
      battery:
        intial: 0.5
",
        "room.yaml:6:9: unknown key \"intial\" in robots[0].onboard_config.battery; did you mean \"initial\"?",
    );
    assert_refused(
        "robots:
  - name: k
    model: kachaka
    onboard_config: {battery: {initial: 2}}
",
        "room.yaml:4:41: robots[0].onboard_config.battery.initial is 2, it must be a number from 0 to 1",
    );
    assert_refused(
        "robots:\n  - {name: k, model: kachaka, onboard_config: fast}\n",
        "room.yaml:2:47: robots[0].onboard_config is \"fast\", it must be a mapping with the keys drive, manual, autonomous, front_stop, collisions, step_sensors, battery, charger, lidar, odometry, localization, mapping, navigator, commands, restart, reset, identity, speaker, locations, default_location, shortcuts",
    );
}

#[test]
fn places_are_read_in_the_order_of_the_file() {
    let layout = parse(
        "locations:
  - {id: L02, name: Kitchen, x: 1, y: -2, yaw: 1.5}
  - {id: home, type: charger}
default_location: home
",
    );
    let place = |id: &str, name: &str, kind, pose| Location {
        id: id.to_owned(),
        name: name.to_owned(),
        kind,
        pose,
        ..Location::default()
    };
    let expected = Places {
        locations: vec![
            place(
                "L02",
                "Kitchen",
                LocationKind::Ordinary,
                Pose2::new(1.0, -2.0, 1.5),
            ),
            place("home", "home", LocationKind::Charger, Pose2::default()),
        ],
        default_location: "home".to_owned(),
    };
    assert_eq!(layout.places, expected);
    assert_eq!(layout.with_prefix("a/").places, expected);
}

#[test]
fn wrong_places_are_refused() {
    for (text, expected) in [
        (
            "locations: [{id: a, typ: charger}]",
            "1:21: unknown key \"typ\" in locations[0]; did you mean \"type\"?",
        ),
        (
            "locations: [{name: a}]",
            "1:13: locations[0] has no \"id\", it needs an id of 1 to 100 letters",
        ),
        (
            "locations: [{id: a, type: door}]",
            "1:27: locations[0].type is \"door\", it must be one of ordinary, charger, shelf_home, slam_marker",
        ),
        (
            "locations: [{id: a}, {id: b}, {id: a}]",
            "1:36: locations[2].id is \"a\", it must be an id of its own: locations[0] has it (room.yaml:1:13)",
        ),
        (
            "locations: [{id: a, x: .inf}]",
            "1:24: locations[0].x is inf, it must be a number of metres from -1e6 to 1e6",
        ),
        (
            "default_location: a",
            "1:19: default_location is \"a\", it must be the id of one of the locations, or \"\"; there are none",
        ),
    ] {
        assert_refused(text, &format!("room.yaml:{expected}"));
    }
}
