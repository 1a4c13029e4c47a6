//! Commands of kachaka-api as those of the simulator's messages, and back.

use r2r::tatami_msgs::msg::OnboardCommand;

use super::proto::command::Command as Kind;
use super::proto::*;
use crate::ros::onboard::command_type;

/// A command for the robot. One that this version does not know is of type `NONE`, which the
/// robot refuses.
pub(super) fn to_ros(command: Option<Command>) -> OnboardCommand {
    let mut ros = OnboardCommand::default();
    let Some(kind) = command.and_then(|command| command.command) else {
        return ros;
    };
    ros.type_ = number(&kind);
    match kind {
        Kind::MoveShelfCommand(command) => {
            ros.target_shelf_id = command.target_shelf_id;
            ros.location_id = command.destination_location_id;
            ros.undock_on_destination = command.undock_on_destination;
        }
        Kind::ReturnShelfCommand(command) => ros.target_shelf_id = command.target_shelf_id,
        Kind::UndockShelfCommand(command) => ros.target_shelf_id = command.target_shelf_id,
        Kind::MoveToLocationCommand(command) => {
            ros.location_id = command.target_location_id;
            ros.source_location_id = command.source_location_id;
        }
        Kind::SpeakCommand(command) => ros.text = command.text,
        Kind::MoveToPoseCommand(command) => {
            ros.x = command.x;
            ros.y = command.y;
            ros.yaw = command.yaw;
        }
        Kind::LockCommand(command) => ros.duration = command.duration_sec,
        Kind::MoveForwardCommand(command) => {
            ros.distance = command.distance_meter;
            ros.speed = command.speed;
            ros.mute_sensors = command.mute_sensors;
        }
        Kind::RotateInPlaceCommand(command) => ros.angle = command.angle_radian,
        Kind::DockAnyShelfWithRegistrationCommand(command) => {
            ros.location_id = command.target_location_id;
            ros.dock_forward = command.dock_forward;
        }
        Kind::MoveByVelocityWithMutedSensorsCommand(command) => {
            ros.speed = command.signed_velocity;
            ros.duration = command.move_duration_sec;
        }
        Kind::ReturnHomeCommand(_) | Kind::DockShelfCommand(_) | Kind::LocalizeCommand(_) => {}
    }
    ros
}

/// The type of a command, which is its field's number in kachaka-api.
fn number(kind: &Kind) -> u8 {
    match kind {
        Kind::MoveShelfCommand(_) => command_type::MOVE_SHELF,
        Kind::ReturnShelfCommand(_) => command_type::RETURN_SHELF,
        Kind::UndockShelfCommand(_) => command_type::UNDOCK_SHELF,
        Kind::MoveToLocationCommand(_) => command_type::MOVE_TO_LOCATION,
        Kind::ReturnHomeCommand(_) => command_type::RETURN_HOME,
        Kind::DockShelfCommand(_) => command_type::DOCK_SHELF,
        Kind::SpeakCommand(_) => command_type::SPEAK,
        Kind::MoveToPoseCommand(_) => command_type::MOVE_TO_POSE,
        Kind::LockCommand(_) => command_type::LOCK,
        Kind::MoveForwardCommand(_) => command_type::MOVE_FORWARD,
        Kind::RotateInPlaceCommand(_) => command_type::ROTATE_IN_PLACE,
        Kind::DockAnyShelfWithRegistrationCommand(_) => {
            command_type::DOCK_ANY_SHELF_WITH_REGISTRATION
        }
        Kind::LocalizeCommand(_) => command_type::LOCALIZE,
        Kind::MoveByVelocityWithMutedSensorsCommand(_) => {
            command_type::MOVE_BY_VELOCITY_WITH_MUTED_SENSORS
        }
    }
}

/// A command for clients; `None` for the type `NONE`, which idle robots have.
pub(super) fn from_ros(ros: &OnboardCommand) -> Option<Command> {
    let kind = match ros.type_ {
        command_type::MOVE_SHELF => Kind::MoveShelfCommand(MoveShelfCommand {
            target_shelf_id: ros.target_shelf_id.clone(),
            destination_location_id: ros.location_id.clone(),
            undock_on_destination: ros.undock_on_destination,
        }),
        command_type::RETURN_SHELF => Kind::ReturnShelfCommand(ReturnShelfCommand {
            target_shelf_id: ros.target_shelf_id.clone(),
        }),
        command_type::UNDOCK_SHELF => Kind::UndockShelfCommand(UndockShelfCommand {
            target_shelf_id: ros.target_shelf_id.clone(),
        }),
        command_type::MOVE_TO_LOCATION => Kind::MoveToLocationCommand(MoveToLocationCommand {
            target_location_id: ros.location_id.clone(),
            source_location_id: ros.source_location_id.clone(),
        }),
        command_type::RETURN_HOME => Kind::ReturnHomeCommand(ReturnHomeCommand {}),
        command_type::DOCK_SHELF => Kind::DockShelfCommand(DockShelfCommand {}),
        command_type::SPEAK => Kind::SpeakCommand(SpeakCommand {
            text: ros.text.clone(),
        }),
        command_type::MOVE_TO_POSE => Kind::MoveToPoseCommand(MoveToPoseCommand {
            x: ros.x,
            y: ros.y,
            yaw: ros.yaw,
        }),
        command_type::LOCK => Kind::LockCommand(LockCommand {
            duration_sec: ros.duration,
        }),
        command_type::MOVE_FORWARD => Kind::MoveForwardCommand(MoveForwardCommand {
            distance_meter: ros.distance,
            speed: ros.speed,
            mute_sensors: ros.mute_sensors,
        }),
        command_type::ROTATE_IN_PLACE => Kind::RotateInPlaceCommand(RotateInPlaceCommand {
            angle_radian: ros.angle,
        }),
        command_type::DOCK_ANY_SHELF_WITH_REGISTRATION => {
            Kind::DockAnyShelfWithRegistrationCommand(DockAnyShelfWithRegistrationCommand {
                target_location_id: ros.location_id.clone(),
                dock_forward: ros.dock_forward,
            })
        }
        command_type::LOCALIZE => Kind::LocalizeCommand(LocalizeCommand {}),
        command_type::MOVE_BY_VELOCITY_WITH_MUTED_SENSORS => {
            Kind::MoveByVelocityWithMutedSensorsCommand(MoveByVelocityWithMutedSensorsCommand {
                signed_velocity: ros.speed,
                move_duration_sec: ros.duration,
            })
        }
        _ => return None,
    };
    Some(Command {
        command: Some(kind),
    })
}

#[cfg(test)]
mod tests {
    use prost::Message;

    use super::*;

    /// One command of every kind, each field with a value of its own.
    fn all() -> Vec<Kind> {
        let text = str::to_owned;
        vec![
            Kind::MoveShelfCommand(MoveShelfCommand {
                target_shelf_id: text("S01"),
                destination_location_id: text("L01"),
                undock_on_destination: true,
            }),
            Kind::ReturnShelfCommand(ReturnShelfCommand {
                target_shelf_id: text("S02"),
            }),
            Kind::UndockShelfCommand(UndockShelfCommand {
                target_shelf_id: text("S03"),
            }),
            Kind::MoveToLocationCommand(MoveToLocationCommand {
                target_location_id: text("L02"),
                source_location_id: text("L03"),
            }),
            Kind::ReturnHomeCommand(ReturnHomeCommand {}),
            Kind::DockShelfCommand(DockShelfCommand {}),
            Kind::SpeakCommand(SpeakCommand { text: text("hi") }),
            Kind::MoveToPoseCommand(MoveToPoseCommand {
                x: 1.0,
                y: 2.0,
                yaw: 3.0,
            }),
            Kind::LockCommand(LockCommand { duration_sec: 4.0 }),
            Kind::MoveForwardCommand(MoveForwardCommand {
                distance_meter: 5.0,
                speed: 6.0,
                mute_sensors: true,
            }),
            Kind::RotateInPlaceCommand(RotateInPlaceCommand { angle_radian: 7.0 }),
            Kind::DockAnyShelfWithRegistrationCommand(DockAnyShelfWithRegistrationCommand {
                target_location_id: text("L04"),
                dock_forward: true,
            }),
            Kind::LocalizeCommand(LocalizeCommand {}),
            Kind::MoveByVelocityWithMutedSensorsCommand(MoveByVelocityWithMutedSensorsCommand {
                signed_velocity: -0.1,
                move_duration_sec: 8.0,
            }),
        ]
    }

    #[test]
    fn every_command_survives_the_way_there_and_back() {
        for kind in all() {
            let command = Some(Command {
                command: Some(kind),
            });
            assert_eq!(from_ros(&to_ros(command.clone())), command);
        }
    }

    #[test]
    fn types_are_the_field_numbers_of_kachaka_api() {
        let mut seen = Vec::new();
        for kind in all() {
            let command = Command {
                command: Some(kind),
            };
            // The first varint of the encoded message is its only field's tag.
            let bytes = command.encode_to_vec();
            let tag = prost::encoding::decode_varint(&mut bytes.as_slice()).unwrap();
            let type_ = to_ros(Some(command)).type_;
            assert_eq!(u64::from(type_), tag >> 3);
            seen.push(type_);
        }
        assert_eq!(seen, [1, 2, 5, 7, 8, 9, 12, 13, 15, 16, 17, 18, 19, 22]);
    }

    #[test]
    fn nothing_is_the_command_of_no_type() {
        assert_eq!(to_ros(None), OnboardCommand::default());
        assert_eq!(to_ros(Some(Command { command: None })).type_, 0);
        assert_eq!(from_ros(&OnboardCommand::default()), None);
    }
}
