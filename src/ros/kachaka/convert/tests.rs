use r2r::geometry_msgs::msg::Quaternion;
use r2r::kachaka_interfaces::msg::KachakaCommand;

use super::commands::command;
use super::*;
use crate::kachaka::Command;
use crate::kachaka::error_codes;
use crate::ros::onboard::command_type;

/// One of each command, with values that no default has.
fn all_commands() -> Vec<(i32, Command)> {
    let (shelf_id, location_id) = (|| "S01".to_owned(), || "L01".to_owned());
    vec![
        (
            1,
            Command::MoveShelf {
                shelf_id: shelf_id(),
                location_id: location_id(),
                undock_on_destination: true,
            },
        ),
        (
            2,
            Command::ReturnShelf {
                shelf_id: shelf_id(),
            },
        ),
        (
            5,
            Command::UndockShelf {
                shelf_id: shelf_id(),
            },
        ),
        (
            7,
            Command::MoveToLocation {
                location_id: location_id(),
                source_location_id: "L02".to_owned(),
            },
        ),
        (8, Command::ReturnHome),
        (9, Command::DockShelf),
        (
            12,
            Command::Speak {
                text: "hello".to_owned(),
            },
        ),
        (
            13,
            Command::MoveToPose {
                pose: Pose2::new(1.0, -2.0, 0.5),
            },
        ),
        (15, Command::Lock { duration: 3.0 }),
        (
            16,
            Command::MoveForward {
                distance: -0.5,
                speed: 0.2,
                mute_sensors: true,
            },
        ),
        (17, Command::RotateInPlace { angle: 1.5 }),
        (
            18,
            Command::DockAnyShelfWithRegistration {
                location_id: location_id(),
                dock_forward: true,
            },
        ),
        (19, Command::Localize),
        (
            22,
            Command::MoveByVelocityWithMutedSensors {
                speed: 0.1,
                duration: 2.0,
            },
        ),
    ]
}

#[test]
fn commands_keep_their_values_and_have_the_numbers_of_kachaka_api() {
    for (number, wanted) in all_commands() {
        let message = command_message(&wanted);
        assert_eq!(i32::from(message.type_), number, "{wanted:?}");
        assert_eq!(command(&message), Ok(wanted));
    }
}

#[test]
fn the_bridge_has_the_same_numbers() {
    type Message = KachakaCommand;
    let theirs = [
        (Message::MOVE_SHELF_COMMAND as u8, command_type::MOVE_SHELF),
        (
            Message::RETURN_SHELF_COMMAND as u8,
            command_type::RETURN_SHELF,
        ),
        (
            Message::UNDOCK_SHELF_COMMAND as u8,
            command_type::UNDOCK_SHELF,
        ),
        (
            Message::MOVE_TO_LOCATION_COMMAND as u8,
            command_type::MOVE_TO_LOCATION,
        ),
        (
            Message::RETURN_HOME_COMMAND as u8,
            command_type::RETURN_HOME,
        ),
        (Message::DOCK_SHELF_COMMAND as u8, command_type::DOCK_SHELF),
        (Message::SPEAK_COMMAND as u8, command_type::SPEAK),
        (
            Message::MOVE_TO_POSE_COMMAND as u8,
            command_type::MOVE_TO_POSE,
        ),
    ];
    for (theirs, ours) in theirs {
        assert_eq!(theirs, ours);
    }
}

#[test]
fn goals_of_the_bridge_become_commands() {
    let message = |number| KachakaCommand {
        command_type: number,
        move_shelf_command_target_shelf_id: "S01".to_owned(),
        move_shelf_command_destination_location_id: "L01".to_owned(),
        move_shelf_command_undock_on_destination: true,
        return_shelf_command_target_shelf_id: "S01".to_owned(),
        undock_shelf_command_target_shelf_id: "S01".to_owned(),
        move_to_location_command_target_location_id: "L01".to_owned(),
        return_home_command_silent: true,
        speak_command_text: "hello".to_owned(),
        move_to_pose_command_x: 1.0,
        move_to_pose_command_y: -2.0,
        move_to_pose_command_yaw: 0.5,
    };
    let known = [1, 2, 5, 7, 8, 9, 12, 13];
    for (number, mut wanted) in all_commands() {
        let number = u8::try_from(number).unwrap();
        let given = goal_command(&message(number));
        if let Command::MoveToLocation {
            source_location_id, ..
        } = &mut wanted
        {
            source_location_id.clear();
        }
        if known.contains(&number) {
            assert_eq!(given, Ok(wanted));
        } else {
            assert_eq!(given.unwrap_err().code, code::BAD_VALUE, "{number}");
        }
    }
}

#[test]
fn unknown_commands_are_refused_with_their_number() {
    for number in [0, 3, 4, 6, 20, 21, 23, 255] {
        let message = tatami::OnboardCommand {
            type_: number,
            ..Default::default()
        };
        let refusal = command(&message).unwrap_err();
        assert_eq!(refusal.code, code::BAD_VALUE, "{number}");
        let text = format!("command.type is {number}, which is no command");
        assert!(refusal.message.starts_with(&text), "{refusal}");
    }
}

#[test]
fn headings_come_from_any_rotation() {
    for yaw in [-3.0, -0.5, 0.0, 1.0, 3.1] {
        let heading = heading_of(&yaw_to_quaternion(yaw));
        assert!((heading - yaw).abs() < 1e-12, "{heading} against {yaw}");
    }
    // A message that nobody filled.
    let nothing = Quaternion {
        x: 0.0,
        y: 0.0,
        z: 0.0,
        w: 0.0,
    };
    assert_eq!(heading_of(&nothing), 0.0);
}

#[test]
fn a_battery_is_told_as_the_bridge_does() {
    let message = battery(83.0, PowerSupply::Discharging);
    assert_eq!(message.percentage, 0.83);
    assert_eq!(message.voltage, -1.0);
    assert_eq!(message.power_supply_status, 2);
    assert_eq!(battery(83.0, PowerSupply::Charging).power_supply_status, 1);
}

#[test]
fn diagnostics_have_the_seven_values_of_the_bridge() {
    let paused = error_codes::find(code::PAUSED).unwrap();
    let message = diagnostics(SimTime(1_500_000_000), [paused].into_iter());
    assert_eq!(message.header.stamp.sec, 1);
    assert_eq!(message.header.stamp.nanosec, 500_000_000);
    let [status] = &message.status[..] else {
        panic!("one status, not {:?}", message.status);
    };
    assert_eq!((status.level, &*status.name), (1, "21051"));
    let keys: Vec<&str> = status.values.iter().map(|pair| &*pair.key).collect();
    let wanted = "code title description title_en description_en error_type ref_url";
    assert_eq!(keys, wanted.split(' ').collect::<Vec<_>>());
}

#[test]
fn a_map_keeps_its_cells_and_its_corner() {
    let map = OccupancyGrid {
        resolution: 0.25,
        width: 3,
        height: 2,
        origin: Pose2::new(-1.0, 2.0, 0.5),
        cells: vec![0, 100, -1, -1, 0, 0],
        cropped: false,
    };
    let message = grid_message(&map, "k/map", SimTime(7));
    assert_eq!(message.header.frame_id, "k/map");
    assert_eq!((message.info.width, message.info.height), (3, 2));
    let back = grid(&message);
    assert!((back.origin.yaw - 0.5).abs() < 1e-12, "{back:?}");
    assert_eq!(back.cells, map.cells);
    assert_eq!(back.resolution, 0.25);
}

#[test]
fn places_are_told_to_both_kinds_of_readers() {
    let message = tatami::Location {
        id: "L01".to_owned(),
        name: "Kitchen".to_owned(),
        type_: 2,
        x: 1.0,
        y: 2.0,
        yaw: 0.5,
        undock_shelf_aligning_to_wall: true,
        undock_shelf_avoiding_obstacles: true,
        ignore_voice_recognition: true,
    };
    let place = location(&message).unwrap();
    assert_eq!(place.kind, LocationKind::ShelfHome);
    let mut locations = Locations::new(&[], "");
    let change = crate::kachaka::LocationChange {
        add: vec![place],
        remove: Vec::new(),
        default_id: "L01".to_owned(),
    };
    locations.apply(&change).unwrap();
    assert_eq!(all_locations(&locations).locations, [message]);
    let listed = location_list(&locations);
    assert_eq!(listed.default_location_id, "L01");
    let [place] = &listed.locations[..] else {
        panic!("one place, not {:?}", listed.locations);
    };
    assert_eq!((&*place.id, place.type_, place.pose.theta), ("L01", 2, 0.5));
    let unknown = tatami::Location {
        type_: 9,
        ..Default::default()
    };
    let refusal = location(&unknown).unwrap_err();
    assert!(refusal.message.contains("type is 9"), "{refusal}");
}
