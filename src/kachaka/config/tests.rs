//! What a configuration may say, and the text of what it may not.

use std::path::Path;
use std::sync::Arc;

use super::*;
use crate::description::RobotDescription;
use crate::drive::wheels::WheelFields;
use crate::layout::{LayoutReader, Packages};
use crate::world::Pose2;
use crate::yaml::{Node, Value};

fn parse(text: &str) -> KachakaConfig {
    match KachakaConfig::parse(text) {
        Ok(config) => config,
        Err(error) => panic!("{error}"),
    }
}

#[track_caller]
fn assert_refused(text: &str, expected: &str) {
    let found = match KachakaConfig::parse(text) {
        Ok(config) => format!("accepted: {config:?}"),
        Err(error) => error.to_string(),
    };
    assert_eq!(found, expected, "\nfor:\n{text}");
}

#[test]
fn no_text_is_the_default() {
    for text in ["", "# nothing\n", "{}", "drive:\nlocations:\n"] {
        assert_eq!(parse(text), KachakaConfig::default(), "{text:?}");
    }
}

#[test]
fn what_is_left_out_keeps_its_default() {
    let found = parse("front_stop: {margin: 0.2}\nlidar: {rest_after: 5}\n");
    let mut expected = KachakaConfig::default();
    expected.front_stop.margin = 0.2;
    expected.lidar.rest_after = 5.0;
    assert_eq!(found, expected);
}

#[test]
fn places_and_shortcuts_are_read() {
    let found = parse(
        "locations:
  - {id: L01, name: Kitchen, x: 1, y: 2.5, yaw: -1.5}
  - {id: home, type: charger}
default_location: L01
shortcuts:
  - id: tea
    name: Tea time
    commands:
      - {type: move_to_location, location_id: L01}
      - {type: speak, text: Tea}
      - {type: move_forward, distance: -0.5}
",
    );
    let locations = vec![
        LocationConfig {
            id: "L01".to_owned(),
            name: "Kitchen".to_owned(),
            kind: LocationKind::Ordinary,
            pose: Pose2::new(1.0, 2.5, -1.5),
        },
        LocationConfig {
            id: "home".to_owned(),
            name: "home".to_owned(),
            kind: LocationKind::Charger,
            pose: Pose2::default(),
        },
    ];
    let shortcuts = vec![ShortcutConfig {
        id: "tea".to_owned(),
        name: "Tea time".to_owned(),
        commands: vec![
            ShortcutCommand::MoveToLocation {
                location_id: "L01".to_owned(),
            },
            ShortcutCommand::Speak {
                text: "Tea".to_owned(),
            },
            ShortcutCommand::MoveForward {
                distance: -0.5,
                speed: 0.0,
            },
        ],
    }];
    let expected = KachakaConfig {
        locations,
        shortcuts,
        default_location: "L01".to_owned(),
        ..KachakaConfig::default()
    };
    assert_eq!(found, expected);
}

#[test]
fn kinds_of_places_have_the_numbers_of_the_interface() {
    let found: Vec<_> = (0..5).map(LocationKind::from_number).collect();
    let kinds = [
        LocationKind::Ordinary,
        LocationKind::Charger,
        LocationKind::ShelfHome,
        LocationKind::SlamMarker,
    ];
    let mut expected: Vec<_> = kinds.into_iter().map(Some).collect();
    expected.push(None);
    assert_eq!(found, expected);
}

#[test]
fn an_unknown_key_is_named_with_its_line_and_the_nearest_known_one() {
    assert_refused(
        "drive:\n  mass: 10\nbatery:\n  low: 0.2\n",
        "onboard_config:3:1: unknown key \"batery\" in onboard_config; did you mean \"battery\"?",
    );
    assert_refused(
        "drive:\n  manual_liner: 0.2\n",
        "onboard_config:2:3: unknown key \"manual_liner\" in onboard_config.drive; did you mean \"manual_linear\"?",
    );
    assert_refused(
        "shortcuts:\n  - id: a\n    commands:\n      - {type: spaek, text: Hi}\n",
        "onboard_config:4:16: onboard_config.shortcuts[0].commands[0].type is \"spaek\", it must be a type of command; did you mean \"speak\"?",
    );
}

#[test]
fn an_impossible_value_is_named_with_what_would_be_right() {
    let cases = [
        (
            "drive: {mass: 0}",
            "1:15: onboard_config.drive.mass is 0, it must be a number above 0, at most 10000 kg",
        ),
        (
            "drive: {manual_linear: .nan}",
            "1:24: onboard_config.drive.manual_linear is NaN, it must be a number above 0, at most 100 m/s",
        ),
        (
            "battery: {initial: 1.5}",
            "1:20: onboard_config.battery.initial is 1.5, it must be a number from 0 to 1",
        ),
        (
            "battery: {low: 0.02}",
            "1:16: onboard_config.battery.low is 0.02, it must be so that empty, 0.03, is not above low, 0.02",
        ),
        (
            // 0.1 + 0.03 + 0.8 * 0.1 + 0.64 / 4 m.
            "front_stop: {range: 0.3}",
            "1:13: onboard_config.front_stop.range is 0.3, it must be at least 0.370 m: margin, hysteresis, and what stopping from 0.8 m/s takes",
        ),
        (
            "drive: {autonomous_linear: 4}",
            "1:8: onboard_config.front_stop.range is 3.0, it must be at least 4.530 m: margin, hysteresis, and what stopping from 4.0 m/s takes",
        ),
        (
            "speaker: {volume: 11}",
            "1:19: onboard_config.speaker.volume is 11, it must be a whole number from 0 to 10",
        ),
        (
            "commands: {queue_limit: 2.5}",
            "1:25: onboard_config.commands.queue_limit is 2.5, it must be a whole number from 0 to 10000",
        ),
        (
            "front_stop: {enabled: 1}",
            "1:23: onboard_config.front_stop.enabled is 1, it must be true or false",
        ),
        (
            "localization: {mode: amcl}",
            "1:22: onboard_config.localization.mode is \"amcl\", it must be one of truth, external",
        ),
        (
            "navigator: nav2",
            "1:12: onboard_config.navigator is \"nav2\", it must be builtin: nav2 can't be used yet",
        ),
        (
            "drive: fast",
            "1:8: onboard_config.drive is \"fast\", it must be a mapping with the keys manual_linear, manual_angular, autonomous_linear, autonomous_angular, towing_linear, linear_accel, angular_accel, wheel_torque, wheel_radius, wheel_separation, mass, inertia",
        ),
        (
            "locations: [{id: a}, {id: a}]",
            "1:27: onboard_config.locations[1].id is \"a\", it must be an id of its own: onboard_config.locations[0] has it (onboard_config:1:13)",
        ),
        (
            "locations: [{id: L01}]\ndefault_location: L1",
            "2:19: onboard_config.default_location is \"L1\", it must be the id of one of the locations, or \"\"; did you mean \"L01\"?",
        ),
        (
            "shortcuts: [{id: a, commands: []}]",
            "1:31: onboard_config.shortcuts[0].commands is a list, it must be a list of at least one command",
        ),
    ];
    for (text, expected) in cases {
        assert_refused(text, &format!("onboard_config:{expected}"));
    }
}

#[test]
fn a_front_stop_that_is_off_need_not_look_far() {
    let found = parse("front_stop: {enabled: false, range: 0.3}");
    assert_eq!(found.front_stop.range, 0.3);
}

#[test]
fn texts_have_a_bound() {
    let long = "x".repeat(KachakaConfig::MAX_TEXT);
    assert_eq!(
        parse(&format!("locations: [{{id: {long}}}]")).locations[0].id,
        long
    );
    let error = KachakaConfig::parse(&format!("locations: [{{id: {long}x}}]")).unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("it must be text of 1 to 1000 letters"),
        "{error}"
    );
}

fn checkout() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The keys of the mapping that `yaml` opens, from what is said to an unknown one.
fn known_keys(path: &str) -> Vec<String> {
    let yaml = match path {
        "" => "{qqqqqqqqqqqqqqqq: 1}".to_owned(),
        section => format!("{section}: {{qqqqqqqqqqqqqqqq: 1}}"),
    };
    let said = match KachakaConfig::parse(&yaml) {
        Ok(_) => panic!("{yaml} was taken"),
        Err(error) => error.to_string(),
    };
    match said.split_once("known are: ") {
        Some((_, keys)) => keys.split(", ").map(str::to_owned).collect(),
        // Not a mapping.
        None => Vec::new(),
    }
}

/// Each parameter as section and key, with the value that the file gives it.
fn file_parameters() -> Vec<(String, String, String)> {
    let text = std::fs::read_to_string(checkout().join("config/kachaka.yaml")).unwrap();
    let node = Node::read(&text, &Arc::from("kachaka.yaml")).unwrap();
    let config = node.get("onboard_config").unwrap();
    let mut parameters = Vec::new();
    let Value::Map(sections) = &config.value else {
        panic!("onboard_config is {}", config.value);
    };
    for section in sections {
        match &section.node.value {
            Value::Map(entries) => parameters.extend(entries.iter().map(|entry| {
                let value = entry.node.to_text();
                (section.key.clone(), entry.key.clone(), value)
            })),
            _ => parameters.push((String::new(), section.key.clone(), section.node.to_text())),
        }
    }
    parameters
}

#[test]
fn the_file_of_the_model_spells_out_every_default() {
    let reader = LayoutReader::new(Packages::of_sources(&[checkout()]));
    let text = "robots: [{name: k, model: kachaka}]";
    let layout = reader.parse(text, Path::new("room.yaml")).unwrap();
    let robot = &layout.robots[0];
    assert_eq!(robot.onboard, "kachaka");
    assert_eq!(parse(&robot.onboard_config), KachakaConfig::default());
    let found: Vec<_> = (file_parameters().into_iter())
        .map(|(section, key, _)| (section, key))
        .collect();
    let mut expected = Vec::new();
    for key in known_keys("") {
        let keys = known_keys(&key);
        if keys.is_empty() {
            expected.push((String::new(), key.clone()));
        }
        expected.extend(keys.into_iter().map(|inner| (key.clone(), inner)));
    }
    assert!(expected.len() > 60, "{expected:?}");
    assert_eq!(found, expected);
}

/// The body can go as fast as its software ever wants, and pushes with what its motors have.
#[test]
fn the_drive_of_the_model_has_room_for_its_software() {
    let reader = LayoutReader::new(Packages::of_sources(&[checkout()]));
    let text = "robots: [{name: k, model: kachaka}]";
    let layout = reader.parse(text, Path::new("room.yaml")).unwrap();
    let (body, own) = (&layout.robots[0].drive, KachakaConfig::default().drive);
    let found = [
        body.linear.low,
        body.linear.high,
        body.angular.low,
        body.angular.high,
    ];
    let (linear, angular) = (own.autonomous_linear, own.autonomous_angular);
    assert_eq!(found, [-linear, linear, -angular, angular]);
    assert_eq!(body.timeout, 0.0);
    let wheels = WheelFields::from(&body.wheels);
    assert_eq!(wheels.wheel_radius, [own.wheel_radius]);
    assert_eq!(wheels.wheel_base, own.wheel_separation);
    let traction = own.traction();
    assert!(
        (body.traction - traction).abs() < 1e-3,
        "{} for {traction}",
        body.traction
    );
}

/// Mass and inertia are those of the description, with each link's own about its centre.
#[test]
fn mass_and_inertia_are_those_of_the_description() {
    // Links of urdf/kachaka.urdf: kg, kg m² about z, and m from the middle between the wheels.
    // A wheel's axle lies along y: its inertia about z is that across the axle.
    let links = [
        (10.0, 0.1728075, 0.0435),
        (0.2, 1.1166666666666669e-4, 0.1),
        (0.2, 1.1166666666666669e-4, 0.1),
        (0.2, 6.25e-5, 0.0),
    ];
    let mass: f64 = links.iter().map(|(mass, ..)| mass).sum();
    let inertia: f64 = links.iter().map(|(mass, own, r)| own + mass * r * r).sum();
    let urdf = std::fs::read_to_string(checkout().join("urdf/kachaka.urdf")).unwrap();
    let (description, _) = RobotDescription::parse(&urdf).unwrap();
    let total = description.total_mass();
    assert!((total - mass).abs() < 1e-9, "{total} for {mass}");
    let drive = KachakaConfig::default().drive;
    assert!((drive.mass - mass).abs() < 1e-9, "{mass}");
    assert!((drive.inertia - inertia).abs() < 1e-3, "{inertia}");
}

#[test]
fn the_documentation_has_a_row_for_every_parameter() {
    let text = std::fs::read_to_string(checkout().join("docs/kachaka.md")).unwrap();
    let mut rows: Vec<(String, String, String)> = Vec::new();
    let mut section = String::new();
    for line in text.lines() {
        if let Some(title) = line.strip_prefix("### ") {
            section = title.trim_matches('`').to_owned();
            if title == "Others" {
                section.clear();
            }
        }
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        if let ["", key, default, .., ""] = cells.as_slice()
            && let Some(key) = key.strip_prefix('`').and_then(|key| key.strip_suffix('`'))
        {
            rows.push((section.clone(), key.to_owned(), default.replace('`', "")));
        }
    }
    for (section, key, value) in file_parameters() {
        let row = rows.iter().find(|row| row.0 == section && row.1 == key);
        let Some((.., default)) = row else {
            panic!("no row `{key}` in the section {section:?} of docs/kachaka.md");
        };
        let same = match (default.parse::<f64>(), value.parse::<f64>()) {
            (Ok(found), Ok(expected)) => found == expected,
            _ => *default == value.trim_matches('"') || *default == value,
        };
        assert!(same, "{section}.{key} is {value}, documented as {default}");
    }
    assert_eq!(rows.len(), file_parameters().len(), "rows: {rows:?}");
}

/// 2 Nm on a radius of 45 mm push with 44.4 N at each of two wheels, against 10.6 kg.
#[test]
fn traction_is_what_the_motors_give() {
    let found = KachakaConfig::default().drive.traction();
    assert!((found - 8.385_744_234_8).abs() < 1e-9, "{found}");
}
