//! Commands as messages and back.

use r2r::kachaka_interfaces::msg as interfaces;
use r2r::tatami_msgs::msg as tatami;
use r2r::tatami_msgs::srv::StartCommand as StartCommandService;

use crate::kachaka::error_codes::code;
use crate::kachaka::{Command, Refusal, StartCommand};
use crate::ros::onboard::command_type;
use crate::world::Pose2;

/// A command as its message.
pub(in crate::ros::kachaka) fn command_message(command: &Command) -> tatami::OnboardCommand {
    let mut message = tatami::OnboardCommand {
        type_: type_of(command),
        ..Default::default()
    };
    match command {
        Command::MoveShelf {
            shelf_id,
            location_id,
            undock_on_destination,
        } => {
            message.target_shelf_id.clone_from(shelf_id);
            message.location_id.clone_from(location_id);
            message.undock_on_destination = *undock_on_destination;
        }
        Command::ReturnShelf { shelf_id } | Command::UndockShelf { shelf_id } => {
            message.target_shelf_id.clone_from(shelf_id);
        }
        Command::MoveToLocation {
            location_id,
            source_location_id,
        } => {
            message.location_id.clone_from(location_id);
            message.source_location_id.clone_from(source_location_id);
        }
        Command::Speak { text } => message.text.clone_from(text),
        Command::MoveToPose { pose } => {
            (message.x, message.y, message.yaw) = (pose.x, pose.y, pose.yaw);
        }
        Command::Lock { duration } => message.duration = *duration,
        Command::MoveForward {
            distance,
            speed,
            mute_sensors,
        } => {
            message.distance = *distance;
            message.speed = *speed;
            message.mute_sensors = *mute_sensors;
        }
        Command::RotateInPlace { angle } => message.angle = *angle,
        Command::DockAnyShelfWithRegistration {
            location_id,
            dock_forward,
        } => {
            message.location_id.clone_from(location_id);
            message.dock_forward = *dock_forward;
        }
        Command::MoveByVelocityWithMutedSensors { speed, duration } => {
            message.speed = *speed;
            message.duration = *duration;
        }
        Command::ReturnHome | Command::DockShelf | Command::Localize => {}
    }
    message
}

fn type_of(command: &Command) -> u8 {
    match command {
        Command::MoveShelf { .. } => command_type::MOVE_SHELF,
        Command::ReturnShelf { .. } => command_type::RETURN_SHELF,
        Command::UndockShelf { .. } => command_type::UNDOCK_SHELF,
        Command::MoveToLocation { .. } => command_type::MOVE_TO_LOCATION,
        Command::ReturnHome => command_type::RETURN_HOME,
        Command::DockShelf => command_type::DOCK_SHELF,
        Command::Speak { .. } => command_type::SPEAK,
        Command::MoveToPose { .. } => command_type::MOVE_TO_POSE,
        Command::Lock { .. } => command_type::LOCK,
        Command::MoveForward { .. } => command_type::MOVE_FORWARD,
        Command::RotateInPlace { .. } => command_type::ROTATE_IN_PLACE,
        Command::DockAnyShelfWithRegistration { .. } => {
            command_type::DOCK_ANY_SHELF_WITH_REGISTRATION
        }
        Command::Localize => command_type::LOCALIZE,
        Command::MoveByVelocityWithMutedSensors { .. } => {
            command_type::MOVE_BY_VELOCITY_WITH_MUTED_SENSORS
        }
    }
}

/// A message as the command it stands for.
///
/// # Errors
/// When its type is none of the known ones.
pub(in crate::ros::kachaka) fn command(
    message: &tatami::OnboardCommand,
) -> Result<Command, Refusal> {
    let shelf_id = || message.target_shelf_id.clone();
    let location_id = || message.location_id.clone();
    Ok(match message.type_ {
        command_type::MOVE_SHELF => Command::MoveShelf {
            shelf_id: shelf_id(),
            location_id: location_id(),
            undock_on_destination: message.undock_on_destination,
        },
        command_type::RETURN_SHELF => Command::ReturnShelf {
            shelf_id: shelf_id(),
        },
        command_type::UNDOCK_SHELF => Command::UndockShelf {
            shelf_id: shelf_id(),
        },
        command_type::MOVE_TO_LOCATION => Command::MoveToLocation {
            location_id: location_id(),
            source_location_id: message.source_location_id.clone(),
        },
        command_type::RETURN_HOME => Command::ReturnHome,
        command_type::DOCK_SHELF => Command::DockShelf,
        command_type::SPEAK => Command::Speak {
            text: message.text.clone(),
        },
        command_type::MOVE_TO_POSE => Command::MoveToPose {
            pose: Pose2::new(message.x, message.y, message.yaw),
        },
        command_type::LOCK => Command::Lock {
            duration: message.duration,
        },
        command_type::MOVE_FORWARD => Command::MoveForward {
            distance: message.distance,
            speed: message.speed,
            mute_sensors: message.mute_sensors,
        },
        command_type::ROTATE_IN_PLACE => Command::RotateInPlace {
            angle: message.angle,
        },
        command_type::DOCK_ANY_SHELF_WITH_REGISTRATION => Command::DockAnyShelfWithRegistration {
            location_id: location_id(),
            dock_forward: message.dock_forward,
        },
        command_type::LOCALIZE => Command::Localize,
        command_type::MOVE_BY_VELOCITY_WITH_MUTED_SENSORS => {
            Command::MoveByVelocityWithMutedSensors {
                speed: message.speed,
                duration: message.duration,
            }
        }
        unknown => {
            return Err(unknown_type(
                "command.type",
                unknown,
                "the constants of tatami_msgs/OnboardCommand",
            ));
        }
    })
}

/// The command of a goal, of which the bridge's action knows fewer.
///
/// # Errors
/// When its type is none of the known ones.
pub(in crate::ros::kachaka) fn goal_command(
    message: &interfaces::KachakaCommand,
) -> Result<Command, Refusal> {
    Ok(match message.command_type {
        command_type::MOVE_SHELF => Command::MoveShelf {
            shelf_id: message.move_shelf_command_target_shelf_id.clone(),
            location_id: message.move_shelf_command_destination_location_id.clone(),
            undock_on_destination: message.move_shelf_command_undock_on_destination,
        },
        command_type::RETURN_SHELF => Command::ReturnShelf {
            shelf_id: message.return_shelf_command_target_shelf_id.clone(),
        },
        command_type::UNDOCK_SHELF => Command::UndockShelf {
            shelf_id: message.undock_shelf_command_target_shelf_id.clone(),
        },
        command_type::MOVE_TO_LOCATION => Command::MoveToLocation {
            location_id: message.move_to_location_command_target_location_id.clone(),
            source_location_id: String::new(),
        },
        command_type::RETURN_HOME => Command::ReturnHome,
        command_type::DOCK_SHELF => Command::DockShelf,
        command_type::SPEAK => Command::Speak {
            text: message.speak_command_text.clone(),
        },
        command_type::MOVE_TO_POSE => Command::MoveToPose {
            pose: Pose2::new(
                message.move_to_pose_command_x,
                message.move_to_pose_command_y,
                message.move_to_pose_command_yaw,
            ),
        },
        unknown => {
            return Err(unknown_type(
                "kachaka_command.command_type",
                unknown,
                "the constants of kachaka_interfaces/KachakaCommand",
            ));
        }
    })
}

fn unknown_type(field: &str, given: u8, known: &str) -> Refusal {
    let message = format!("{field} is {given}, which is no command: known are {known}");
    Refusal::new(code::BAD_VALUE, message)
}

/// A request to accept a command.
///
/// # Errors
/// When the command's type is none of the known ones.
pub(in crate::ros::kachaka) fn start(
    request: &StartCommandService::Request,
) -> Result<StartCommand, Refusal> {
    Ok(StartCommand {
        command: command(&request.command)?,
        cancel_all: request.cancel_all,
        tts_on_success: request.tts_on_success.clone(),
        title: request.title.clone(),
        deferrable: request.deferrable,
        lock_on_end: request.lock_on_end,
    })
}
