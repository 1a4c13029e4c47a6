//! Commands, states and places as messages, and back.

mod commands;

use r2r::diagnostic_msgs::msg::{DiagnosticArray, DiagnosticStatus, KeyValue};
use r2r::geometry_msgs::msg::{Point, Pose, Pose2D};
use r2r::kachaka_interfaces::msg as interfaces;
use r2r::nav_msgs::msg::{MapMetaData, OccupancyGrid as GridMessage};
use r2r::sensor_msgs::msg::BatteryState;
use r2r::std_msgs::msg::Header;
use r2r::tatami_msgs::msg as tatami;

use crate::kachaka::error_codes::{ErrorCode, ErrorType, code};
use crate::kachaka::{
    CommandResult, Info, Location, LocationKind, Locations, NamedId, OccupancyGrid, PowerSupply,
    Refusal, State, Torches,
};
use crate::ros::convert::{heading_of, stamp, yaw_to_quaternion};
use crate::ros::messages::header;
use crate::ros::plan::Plan;
use crate::world::{Pose2, SimTime};

pub(super) use commands::{command_message, goal_command, start};

/// What of a pose counts on a map.
pub(super) fn planar_pose(pose: &Pose) -> Pose2 {
    Pose2::new(
        pose.position.x,
        pose.position.y,
        heading_of(&pose.orientation),
    )
}

/// How a command ended.
pub(super) fn result(result: &CommandResult) -> tatami::CommandResult {
    tatami::CommandResult {
        number: result.number,
        id: result.id.clone(),
        command: command_message(&result.command),
        title: result.title.clone(),
        success: result.success,
        error_code: result.error_code,
        message: result.message.clone(),
        started: stamp(result.started),
        finished: stamp(result.finished),
    }
}

/// The last results, newest first.
pub(super) fn history<'a>(
    sequence: u64,
    results: impl Iterator<Item = &'a CommandResult>,
) -> tatami::CommandHistory {
    tatami::CommandHistory {
        sequence,
        results: results.map(result).collect(),
    }
}

fn named(item: &NamedId) -> tatami::NamedId {
    tatami::NamedId {
        id: item.id.clone(),
        name: item.name.clone(),
    }
}

fn all_named(items: &[NamedId]) -> Vec<tatami::NamedId> {
    items.iter().map(named).collect()
}

fn power_supply(supply: PowerSupply) -> u8 {
    match supply {
        PowerSupply::Charging => tatami::OnboardState::CHARGING as u8,
        PowerSupply::Discharging => tatami::OnboardState::DISCHARGING as u8,
    }
}

/// What the robot's software is about.
pub(super) fn state(state: &State) -> tatami::OnboardState {
    type Message = tatami::OnboardState;
    let running = state.running.as_ref();
    Message {
        stamp: stamp(state.stamp),
        sequence: state.sequence,
        command_state: match running {
            Some(_) => Message::RUNNING as u8,
            None => Message::PENDING as u8,
        },
        command_id: running.map_or_else(String::new, |running| running.id.clone()),
        command: running.map_or_else(Default::default, |running| {
            command_message(&running.command)
        }),
        queue_length: u32::try_from(state.queue_length).unwrap_or(u32::MAX),
        last_result: state.last_result.iter().map(result).collect(),
        errors: state.errors.clone(),
        ready: state.ready,
        emergency_stopped: state.emergency_stopped,
        step_detected: state.step_detected,
        manual_control_enabled: state.manual_control_enabled,
        auto_homing_enabled: state.auto_homing_enabled,
        front_stop_muted: state.front_stop_muted,
        lidar_active: state.lidar_active,
        moving_shelf_id: state.moving_shelf_id.clone(),
        speaker_volume: state.speaker_volume,
        front_torch: state.torches.front,
        back_torch: state.torches.back,
        current_map_id: state.current_map_id.clone(),
        maps: all_named(&state.maps),
        sounds: all_named(&state.sounds),
        playing_sound_id: state.playing_sound_id.clone(),
        battery_percentage: state.battery_percentage,
        power_supply_status: power_supply(state.power_supply),
        collisions: state.collisions,
    }
}

/// What does not change while the robot exists.
pub(super) fn info(plan: &Plan, info: &Info) -> tatami::OnboardInfo {
    tatami::OnboardInfo {
        robot: plan.robot.clone(),
        frame_prefix: plan.frame_prefix.clone(),
        tf_topic: plan.tf_topic.clone(),
        tf_static_topic: plan.tf_static_topic(),
        serial_number: info.serial_number.clone(),
        version: info.version.clone(),
        shortcuts: all_named(&info.shortcuts),
    }
}

/// The battery as the bridge tells it: charge, an unknown voltage, the supply's status, and
/// the rest as an empty message has it.
pub(super) fn battery(percentage: f64, supply: PowerSupply) -> BatteryState {
    BatteryState {
        voltage: -1.0,
        percentage: (percentage / 100.0) as f32,
        power_supply_status: power_supply(supply),
        ..BatteryState::default()
    }
}

/// Brightness of both torches.
pub(super) fn torches(torches: Torches) -> tatami::Torches {
    tatami::Torches {
        front: torches.front,
        back: torches.back,
    }
}

/// What is wrong now, as the bridge tells it: one status for each code.
pub(super) fn diagnostics<'a>(
    now: SimTime,
    errors: impl Iterator<Item = &'a ErrorCode>,
) -> DiagnosticArray {
    DiagnosticArray {
        header: Header {
            stamp: stamp(now),
            ..Header::default()
        },
        status: errors.map(diagnostic).collect(),
    }
}

fn diagnostic(error: &ErrorCode) -> DiagnosticStatus {
    let level = match error.error_type {
        ErrorType::Ignore => DiagnosticStatus::OK as u8,
        ErrorType::Warn => DiagnosticStatus::WARN as u8,
        ErrorType::Error | ErrorType::Bug | ErrorType::Fatal | ErrorType::CallForSupport => {
            DiagnosticStatus::ERROR as u8
        }
    };
    let code = error.code.to_string();
    let values = [("code", code.as_str())].into_iter().chain(error.texts());
    let pair = |(key, value): (&str, &str)| KeyValue {
        key: key.to_owned(),
        value: value.to_owned(),
    };
    DiagnosticStatus {
        level,
        message: error.title.to_owned(),
        hardware_id: String::new(),
        values: values.map(pair).collect(),
        name: code,
    }
}

/// A registered place from a request.
///
/// # Errors
/// When its type is none of the known ones.
pub(super) fn location(message: &tatami::Location) -> Result<Location, Refusal> {
    let kind = LocationKind::from_number(message.type_).ok_or_else(|| {
        Refusal::new(
            code::BAD_VALUE,
            format!(
                "location '{}': type is {}, known are 0 (ordinary), 1 (charger), 2 (shelf home) and 3 (SLAM marker)",
                message.id, message.type_
            ),
        )
    })?;
    Ok(Location {
        id: message.id.clone(),
        name: message.name.clone(),
        kind,
        pose: Pose2::new(message.x, message.y, message.yaw),
        undock_shelf_aligning_to_wall: message.undock_shelf_aligning_to_wall,
        undock_shelf_avoiding_obstacles: message.undock_shelf_avoiding_obstacles,
        ignore_voice_recognition: message.ignore_voice_recognition,
    })
}

/// All registered places with everything that is known of them.
pub(super) fn all_locations(locations: &Locations) -> tatami::Locations {
    tatami::Locations {
        locations: locations.all().iter().map(location_message).collect(),
        default_location_id: locations.default_id().to_owned(),
    }
}

/// A registered place with everything that is known of it.
pub(in crate::ros) fn location_message(place: &Location) -> tatami::Location {
    tatami::Location {
        id: place.id.clone(),
        name: place.name.clone(),
        type_: place.kind as u8,
        x: place.pose.x,
        y: place.pose.y,
        yaw: place.pose.yaw,
        undock_shelf_aligning_to_wall: place.undock_shelf_aligning_to_wall,
        undock_shelf_avoiding_obstacles: place.undock_shelf_avoiding_obstacles,
        ignore_voice_recognition: place.ignore_voice_recognition,
    }
}

/// All registered places as the bridge tells them.
pub(super) fn location_list(locations: &Locations) -> interfaces::LocationList {
    let message = |place: &Location| interfaces::Location {
        id: place.id.clone(),
        name: place.name.clone(),
        type_: place.kind as u8,
        pose: Pose2D {
            x: place.pose.x,
            y: place.pose.y,
            theta: place.pose.yaw,
        },
    };
    interfaces::LocationList {
        locations: locations.all().iter().map(message).collect(),
        default_location_id: locations.default_id().to_owned(),
    }
}

/// A map. Both begin with the row of the lowest y.
pub(super) fn grid_message(grid: &OccupancyGrid, frame: &str, now: SimTime) -> GridMessage {
    GridMessage {
        header: Header {
            stamp: stamp(now),
            ..header(frame)
        },
        info: MapMetaData {
            resolution: grid.resolution as f32,
            width: grid.width,
            height: grid.height,
            origin: Pose {
                position: Point {
                    x: grid.origin.x,
                    y: grid.origin.y,
                    z: 0.0,
                },
                orientation: yaw_to_quaternion(grid.origin.yaw),
            },
            ..MapMetaData::default()
        },
        data: grid.cells.clone(),
    }
}

/// A map from a request.
pub(super) fn grid(message: &GridMessage) -> OccupancyGrid {
    OccupancyGrid {
        resolution: f64::from(message.info.resolution),
        width: message.info.width,
        height: message.info.height,
        origin: planar_pose(&message.info.origin),
        cells: message.data.clone(),
        cropped: false,
    }
}

#[cfg(test)]
mod tests;
