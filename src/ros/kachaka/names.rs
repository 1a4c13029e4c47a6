//! Every name of the surface, relative to the robot's namespace.
//!
//! The first half is the real robot's bridge, the rest, below `sim/` for the most part, is
//! what the simulator adds.

pub(super) const FUSED_ODOMETRY: &str = "odometry/odometry";
pub(super) const WHEEL_ODOMETRY: &str = "wheel_odometry/wheel_odometry";
pub(super) const MAP: &str = "mapping/map";
pub(super) const LOCATIONS: &str = "layout/locations/list";
pub(super) const VERSION: &str = "robot_info/version";
pub(super) const BATTERY: &str = "robot_info/battery_state";
pub(super) const DIAGNOSTICS: &str = "diagnostics/error_status";

pub(super) const STATE: &str = "sim/state";
pub(super) const HISTORY: &str = "sim/command/history";
pub(super) const INFO: &str = "sim/info";
pub(super) const ALL_LOCATIONS: &str = "sim/locations";
pub(super) const ERRORS: &str = "sim/errors";
pub(super) const TORCHES: &str = "sim/torch";
pub(super) const SHELF_DOCKED: &str = "sim/shelf_docked";
pub(super) const POSE: &str = "sim/pose";
pub(super) const SPEECH: &str = "sim/speech";
pub(super) const SOUND: &str = "sim/sound";
pub(super) const RESET_EVENT: &str = "sim/reset/event";

/// Where localizers such as AMCL and slam_toolbox listen, whatever robot is theirs.
pub(super) const INITIAL_POSE: &str = "/initialpose";

/// Topics that it publishes, but for [`MAP`], which is somebody else's when somebody else
/// localizes the robot.
const PUBLISHED: [&str; 17] = [
    FUSED_ODOMETRY,
    WHEEL_ODOMETRY,
    LOCATIONS,
    VERSION,
    BATTERY,
    DIAGNOSTICS,
    STATE,
    HISTORY,
    INFO,
    ALL_LOCATIONS,
    ERRORS,
    TORCHES,
    SHELF_DOCKED,
    POSE,
    SPEECH,
    SOUND,
    RESET_EVENT,
];

pub(super) const MANUAL_VELOCITY: &str = "manual_control/cmd_vel";
pub(super) const AUTONOMOUS_VELOCITY: &str = "sim/autonomous/cmd_vel";
pub(super) const TORCH_FRONT: &str = "torch/front";
pub(super) const TORCH_BACK: &str = "torch/back";
pub(super) const GOAL_POSE: &str = "goal_pose";

const SUBSCRIBED: [&str; 5] = [
    MANUAL_VELOCITY,
    AUTONOMOUS_VELOCITY,
    TORCH_FRONT,
    TORCH_BACK,
    GOAL_POSE,
];

pub(super) const ACTION: &str = "kachaka_command/execute";
pub(super) const SEND_GOAL: &str = "kachaka_command/execute/_action/send_goal";
pub(super) const CANCEL_GOAL: &str = "kachaka_command/execute/_action/cancel_goal";
pub(super) const GET_RESULT: &str = "kachaka_command/execute/_action/get_result";
pub(super) const ACTION_FEEDBACK: &str = "kachaka_command/execute/_action/feedback";
pub(super) const ACTION_STATUS: &str = "kachaka_command/execute/_action/status";

/// Services of the action.
pub(super) const ACTION_SERVICES: [&str; 3] = [SEND_GOAL, CANCEL_GOAL, GET_RESULT];
/// Topics of the action.
const ACTION_TOPICS: [&str; 2] = [ACTION_FEEDBACK, ACTION_STATUS];

/// Services of the bridge.
pub(super) mod bridge_service {
    pub(in super::super) const MANUAL_CONTROL: &str = "manual_control/set_enabled";
    pub(in super::super) const AUTO_HOMING: &str = "auto_homing/set_enabled";
}

/// Services that only the simulator has.
pub(super) mod sim_service {
    pub(in super::super) const START: &str = "sim/command/start";
    pub(in super::super) const CANCEL: &str = "sim/command/cancel";
    pub(in super::super) const PROCEED: &str = "sim/command/proceed";
    pub(in super::super) const SHORTCUT: &str = "sim/shortcut/start";
    pub(in super::super) const MANUAL_CONTROL: &str = "sim/manual_control";
    pub(in super::super) const VELOCITY: &str = "sim/velocity";
    pub(in super::super) const POSE_ESTIMATE: &str = "sim/pose_estimate";
    pub(in super::super) const AUTO_HOMING: &str = "sim/auto_homing";
    pub(in super::super) const EMERGENCY_STOP: &str = "sim/emergency_stop";
    pub(in super::super) const RESTART: &str = "sim/restart";
    pub(in super::super) const SPEAKER_VOLUME: &str = "sim/speaker_volume";
    pub(in super::super) const TORCH_FRONT: &str = "sim/torch/front";
    pub(in super::super) const TORCH_BACK: &str = "sim/torch/back";
    pub(in super::super) const ACTIVATE_LASER_SCAN: &str = "sim/laser_scan/activate";
    pub(in super::super) const RESET_SHELF_POSE: &str = "sim/shelf/reset_pose";
    pub(in super::super) const ADD_SOUND: &str = "sim/sound/add";
    pub(in super::super) const DELETE_SOUND: &str = "sim/sound/delete";
    pub(in super::super) const PLAY_SOUND: &str = "sim/sound/play";
    pub(in super::super) const STOP_SOUND: &str = "sim/sound/stop";
    pub(in super::super) const SWITCH_MAP: &str = "sim/map/switch";
    pub(in super::super) const GET_MAP: &str = "sim/map/get";
    pub(in super::super) const ADD_MAP: &str = "sim/map/add";
    pub(in super::super) const MUTE_FRONT_STOP: &str = "sim/front_stop/mute";
    pub(in super::super) const POWER_BUTTON: &str = "sim/power_button";
    pub(in super::super) const DOCK_SHELF: &str = "sim/shelf_dock";
    pub(in super::super) const RESET: &str = "sim/reset";
}

/// Frame of the map, before the prefix.
pub(super) const MAP_FRAME: &str = "map";

/// Frames that the real robot has below those of its description: each as its parent and
/// itself, which are the same place.
pub(super) const SAME_FRAMES: [(&str, &str); 4] = [
    ("camera_front_link", "camera_front"),
    ("camera_back_link", "camera_back"),
    ("tof_link", "tof_camera"),
    ("laser_frame", "lidar_center_frame"),
];

/// Topics that nobody else may use; `with_map` when it makes the map itself.
pub(super) fn topics(with_map: bool) -> impl Iterator<Item = &'static str> {
    let published = PUBLISHED.into_iter().chain(with_map.then_some(MAP));
    published.chain(SUBSCRIBED).chain(ACTION_TOPICS)
}
