//! What a configuration may say, and the text of what it may not.

use std::path::Path;
use std::sync::Arc;

use super::*;
use crate::kachaka::Command;
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
  - {id: home, type: charger, undock_shelf_aligning_to_wall: true, ignore_voice_recognition: true}
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
        Location {
            id: "L01".to_owned(),
            name: "Kitchen".to_owned(),
            kind: LocationKind::Ordinary,
            pose: Pose2::new(1.0, 2.5, -1.5),
            ..Location::default()
        },
        Location {
            id: "home".to_owned(),
            name: "home".to_owned(),
            kind: LocationKind::Charger,
            pose: Pose2::default(),
            undock_shelf_aligning_to_wall: true,
            undock_shelf_avoiding_obstacles: false,
            ignore_voice_recognition: true,
        },
    ];
    let shortcuts = vec![ShortcutConfig {
        id: "tea".to_owned(),
        name: "Tea time".to_owned(),
        commands: vec![
            Command::MoveToLocation {
                location_id: "L01".to_owned(),
                source_location_id: String::new(),
            },
            Command::Speak {
                text: "Tea".to_owned(),
            },
            Command::MoveForward {
                distance: -0.5,
                speed: 0.0,
                mute_sensors: false,
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
            "1:24: onboard_config.drive.manual_linear is NaN, it must be a number from 0.01 to 100 m/s",
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
            "1:21: onboard_config.front_stop.range is 0.3, it must be at least 0.37 m: margin, hysteresis, and what stopping from 0.8 m/s takes",
        ),
        (
            "drive: {autonomous_linear: 4}",
            "1:28: onboard_config.drive.autonomous_linear is 4, it must be so that front_stop.range, 3 m, is at least 4.53 m: margin, hysteresis, and what stopping from 4 m/s takes",
        ),
        (
            // 0.21 + 0.64 / 0.02 m. What has its default is not to blame, nor is what is harmless.
            "drive: {mass: 11, manual_linear: 0.3, linear_accel: 0.01}\nfront_stop: {range: 3.0}",
            "1:53: onboard_config.drive.linear_accel is 0.01, it must be so that front_stop.range, 3 m, is at least 32.21 m: margin, hysteresis, and what stopping from 0.8 m/s takes",
        ),
        (
            // 0.21 + 0.32 * 10000 kg * 0.045 m / 4 Nm: the motors can't brake it any better.
            "drive: {mass: 10000}",
            "1:15: onboard_config.drive.mass is 10000, it must be so that front_stop.range, 3 m, is at least 36.21 m: margin, hysteresis, and what stopping from 0.8 m/s takes",
        ),
        (
            "battery: {low: 0.02, empty: 0.03}",
            "1:16: onboard_config.battery.low is 0.02, it must be so that empty, 0.03, is not above low, 0.02",
        ),
        (
            "commands: {forward_speed: 1e-300}",
            "1:27: onboard_config.commands.forward_speed is 1e-300, it must be a number from 0.01 to 100 m/s",
        ),
        (
            "commands: {turn_speed: 1e-300}",
            "1:24: onboard_config.commands.turn_speed is 1e-300, it must be a number from 0.01 to 100 rad/s",
        ),
        (
            "commands: {distance_tolerance: 1e-300}",
            "1:32: onboard_config.commands.distance_tolerance is 1e-300, it must be a number from 0.000001 to 1 m",
        ),
        (
            "commands: {angle_tolerance: 1e-300}",
            "1:29: onboard_config.commands.angle_tolerance is 1e-300, it must be a number from 0.000001 to 1 rad",
        ),
        (
            "shortcuts: [{id: a, commands: [{type: move_forward, distance: 1, speed: 1e-9}]}]",
            "1:73: onboard_config.shortcuts[0].commands[0].speed is 1e-9, it must be 0 (the robot's own) or a number from 0.01 to 100 m/s",
        ),
        (
            "commands: {queue_limit: 1}\nshortcuts: [{id: tea, commands: [{type: localize}, {type: localize}, {type: localize}]}]",
            "2:33: onboard_config.shortcuts[0].commands is a list of 3 commands, it must be at most 2, or the shortcut \"tea\" can never start: one runs, and commands.queue_limit, 1, wait",
        ),
        ("{null: 3}", "1:2: a key must be text"),
        ("{? [1] : 2}", "1:4: a key must be text"),
        (
            "&a [*a]",
            "1:5: an anchor that contains its own alias is not allowed",
        ),
        (
            "speaker: {volume: 11}",
            "1:19: onboard_config.speaker.volume is 11, it must be a whole number from 0 to 10",
        ),
        (
            "commands: {queue_limit: 50}",
            "1:25: onboard_config.commands.queue_limit is 50, it must be 49 or less beside history_limit 100, or results could be lost",
        ),
        (
            "commands: {history_limit: 65}",
            "1:27: onboard_config.commands.history_limit is 65, it must be 66 or more beside queue_limit 32, or results could be lost",
        ),
        (
            "commands: {queue_limit: 1, history_limit: 3}",
            "1:43: onboard_config.commands.history_limit is 3, it must be 4 or more beside queue_limit 1, or results could be lost",
        ),
        (
            "commands: {queue_limit: 2.5}",
            "1:25: onboard_config.commands.queue_limit is 2.5, it must be a whole number from 0 to 499",
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
            "shortcuts: [{id: a, commands: [{type: rotate_in_place, angle: 101}]}]",
            "1:63: onboard_config.shortcuts[0].commands[0].angle is 101, it must be a number from -100 to 100 rad",
        ),
        (
            "shortcuts: [{id: a, commands: []}]",
            "1:31: onboard_config.shortcuts[0].commands is a list, it must be a list of 1 to 1000 commands",
        ),
    ];
    for (text, expected) in cases {
        assert_refused(text, &format!("onboard_config:{expected}"));
    }
}

#[test]
fn what_is_nested_too_deep_is_said_in_plain_words() {
    for (open, close, count) in [("{", "}", 200), ("[", "]", 200), ("[", "]", 5000)] {
        let text = format!("{}{}", open.repeat(count), close.repeat(count));
        let error = KachakaConfig::parse(&text).unwrap_err().to_string();
        assert!(error.ends_with(": nested deeper than 64 levels"), "{error}");
    }
}

#[test]
fn a_shortcut_may_fill_the_queue() {
    let commands = ["{type: localize}"; 33].join(", ");
    let found = parse(&format!("shortcuts: [{{id: a, commands: [{commands}]}}]"));
    assert_eq!(found.shortcuts[0].commands.len(), 33);
}

#[test]
fn a_front_stop_that_is_off_need_not_look_far() {
    let found = parse("front_stop: {enabled: false, range: 0.3}");
    assert_eq!(found.front_stop.range, 0.3);
}

#[test]
fn texts_and_ids_have_bounds() {
    let id = "x".repeat(100);
    let name = "x".repeat(1000);
    let found = parse(&format!("locations: [{{id: {id}, name: {name}}}]"));
    assert_eq!(found.locations[0].id, id);
    assert_eq!(found.locations[0].name, name);
    for (text, expected) in [
        (
            format!("locations: [{{id: {id}x}}]"),
            "an id of 1 to 100 letters",
        ),
        (
            format!("locations: [{{id: a, name: {name}x}}]"),
            "text of 1 to 1000 letters",
        ),
        (
            format!("shortcuts: [{{id: {id}x, commands: [{{type: localize}}]}}]"),
            "an id of 1 to 100 letters",
        ),
    ] {
        let error = KachakaConfig::parse(&text).unwrap_err().to_string();
        assert!(error.ends_with(expected), "{error}, expected {expected}");
    }
    for command in ["return_shelf", "undock_shelf"] {
        let with = |shelf: &str| {
            let command = format!("{{type: {command}, shelf_id: {shelf:?}}}");
            KachakaConfig::parse(&format!("shortcuts: [{{id: a, commands: [{command}]}}]"))
        };
        assert!(with("").is_ok(), "the one it carries");
        let error = with(&format!("{id}x")).unwrap_err().to_string();
        assert!(error.ends_with("an id of 1 to 100 letters"), "{error}");
    }
}

/// A message of ROS that holds a NUL would end the server: no text may, nor what is said of it.
#[test]
fn no_text_may_hold_a_nul() {
    let shortcut =
        |command: &str| format!("shortcuts: [{{id: a, commands: [{{type: {command}}}]}}]");
    let texts = [
        r#"identity: {version: "a\0b"}"#.to_owned(),
        r#"identity: {serial_number: "a\0b"}"#.to_owned(),
        r#"locations: [{id: "a\0b"}]"#.to_owned(),
        r#"locations: [{id: a, name: "a\0b"}]"#.to_owned(),
        r#"locations: [{id: a, type: "a\0b"}]"#.to_owned(),
        r#"default_location: "a\0b""#.to_owned(),
        r#"navigator: "a\0b""#.to_owned(),
        r#"localization: {mode: "a\0b"}"#.to_owned(),
        r#"shortcuts: [{id: "a\0b", commands: [{type: localize}]}]"#.to_owned(),
        r#"shortcuts: [{id: a, name: "a\0b", commands: [{type: localize}]}]"#.to_owned(),
        shortcut(r#""a\0b""#),
        shortcut(r#"speak, text: "a\0b""#),
        shortcut(r#"move_to_location, location_id: "a\0b""#),
        shortcut(r#"move_shelf, shelf_id: a, location_id: "a\0b""#),
        shortcut(r#"return_shelf, shelf_id: "a\0b""#),
        shortcut(r#"undock_shelf, shelf_id: "a\0b""#),
        // Keys are no texts, but errors name them.
        r#"drive: {"a\0b": 1}"#.to_owned(),
        r#"{"a\0b": 1, "a\0b": 2}"#.to_owned(),
    ];
    for text in texts {
        match KachakaConfig::parse(&text) {
            Ok(config) => panic!("{text} was taken: {config:?}"),
            Err(error) => assert!(!error.to_string().contains('\0'), "{text}: {error:?}"),
        }
    }
}

#[test]
fn lists_have_bounds() {
    let places = |count: usize, name: &str| {
        let place = |index: usize| format!("{{id: L{index}, name: {name}}}");
        let places: Vec<String> = (0..count).map(place).collect();
        KachakaConfig::parse(&format!("locations: [{}]", places.join(", ")))
    };
    assert_eq!(places(2_000, "a").unwrap().locations.len(), 2_000);
    let error = places(2_001, "a").unwrap_err().to_string();
    assert!(error.contains("locations[2000]"), "{error}");
    // 700 names of 3,000 bytes are more than 2 MiB.
    let error = places(700, &"棚".repeat(1_000)).unwrap_err().to_string();
    assert!(error.contains("at most 2097152 bytes"), "{error}");
    let shortcuts = |count: usize| {
        let shortcut = |index: usize| format!("{{id: S{index}, commands: [{{type: localize}}]}}");
        let shortcuts: Vec<String> = (0..count).map(shortcut).collect();
        KachakaConfig::parse(&format!("shortcuts: [{}]", shortcuts.join(", ")))
    };
    assert_eq!(shortcuts(200).unwrap().shortcuts.len(), 200);
    let error = shortcuts(201).unwrap_err().to_string();
    assert!(error.contains("shortcuts[200]"), "{error}");
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
fn the_file_of_the_model_has_every_key() {
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
