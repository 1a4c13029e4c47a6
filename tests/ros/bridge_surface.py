"""What a Kachaka shows on the ROS graph, as data: the real robot's bridge, and what the simulator adds.

Rows of the bridge are those of pf-robotics/kachaka-api's kachaka_grpc_ros2_bridge (launch files, QoS of each publisher
and subscription) at v3.15.1. Names are relative to the robot's namespace unless they begin with a slash.
"""

from typing import NamedTuple

RELIABLE, BEST_EFFORT = "reliable", "best_effort"
VOLATILE, LATCHED = "volatile", "transient_local"


class Row(NamedTuple):
    """One name. `frame` is that of the messages, without prefix; `child` that of an odometry's child."""

    name: str
    type: str
    reliability: str = RELIABLE
    durability: str = VOLATILE
    depth: int = 10
    frame: str = ""
    child: str = ""


def sensor_data(name, type_, **frames):
    """rclcpp's SensorDataQoS."""
    return Row(name, type_, BEST_EFFORT, VOLATILE, 5, **frames)


def latched(name, type_, depth=1, **frames):
    return Row(name, type_, RELIABLE, LATCHED, depth, **frames)


def plain(name, type_, depth, **frames):
    return Row(name, type_, RELIABLE, VOLATILE, depth, **frames)


def camera(name, compressed, frame):
    """The four topics of one camera."""
    return [
        sensor_data(f"{name}/image_raw", "sensor_msgs/msg/Image", frame=frame),
        sensor_data(f"{name}/image_raw/{compressed}", "sensor_msgs/msg/CompressedImage", frame=frame),
        sensor_data(f"{name}/camera_info", "sensor_msgs/msg/CameraInfo", frame=frame),
        sensor_data(f"{name}/image_raw/camera_info", "sensor_msgs/msg/CameraInfo", frame=frame),
    ]


PUBLISHERS = [
    *camera("front_camera", "compressed", "camera_front"),
    *camera("back_camera", "compressed", "camera_back"),
    *camera("tof_camera", "compressedDepth", "tof_camera"),
    sensor_data("imu/imu", "sensor_msgs/msg/Imu", frame="imu_link"),
    sensor_data("lidar/scan", "sensor_msgs/msg/LaserScan", frame="laser_frame"),
    sensor_data("odometry/odometry", "nav_msgs/msg/Odometry", frame="odom", child="base_footprint"),
    sensor_data("wheel_odometry/wheel_odometry", "nav_msgs/msg/Odometry", frame="odom", child="base_footprint"),
    sensor_data("object_detection/result", "kachaka_interfaces/msg/ObjectDetectionListStamped"),
    latched("mapping/map", "nav_msgs/msg/OccupancyGrid", frame="map"),
    latched("layout/shelves/list", "kachaka_interfaces/msg/ShelfList"),
    latched("layout/locations/list", "kachaka_interfaces/msg/LocationList"),
    latched("robot_info/version", "std_msgs/msg/String"),
    sensor_data("robot_info/battery_state", "sensor_msgs/msg/BatteryState"),
    # SystemDefaults, which the DDS of the real robot takes for reliable, depth 1.
    plain("diagnostics/error_status", "diagnostic_msgs/msg/DiagnosticArray", depth=1),
    latched("/tf_static", "tf2_msgs/msg/TFMessage"),
    plain("/tf", "tf2_msgs/msg/TFMessage", depth=100),
    # Of robot_state_publisher, which the bridge starts.
    latched("robot_description", "std_msgs/msg/String"),
]

SUBSCRIPTIONS = [
    sensor_data("manual_control/cmd_vel", "geometry_msgs/msg/Twist"),
    plain("torch/front", "std_msgs/msg/UInt8", depth=1),
    plain("torch/back", "std_msgs/msg/UInt8", depth=1),
    plain("goal_pose", "geometry_msgs/msg/PoseStamped", depth=5),
]

SERVICES = {
    "manual_control/set_enabled": "std_srvs/srv/SetBool",
    "auto_homing/set_enabled": "std_srvs/srv/SetBool",
}

ACTIONS = {"kachaka_command/execute": "kachaka_interfaces/action/ExecKachakaCommand"}

# Rows without a source yet, by name.
PENDING = {
    row.name
    for row in PUBLISHERS
    if row.name.startswith(("front_camera/", "back_camera/", "tof_camera/", "object_detection/", "layout/shelves/"))
}

# What only the simulator has.

SIM_PUBLISHERS = [
    latched("sim/state", "tatami_msgs/msg/OnboardState", depth=10),
    latched("sim/command/history", "tatami_msgs/msg/CommandHistory", depth=10),
    latched("sim/info", "tatami_msgs/msg/OnboardInfo"),
    latched("sim/locations", "tatami_msgs/msg/Locations"),
    latched("sim/errors", "tatami_msgs/msg/ErrorCodes"),
    latched("sim/torch", "tatami_msgs/msg/Torches"),
    latched("sim/shelf_docked", "std_msgs/msg/Bool"),
    latched("sim/pose", "geometry_msgs/msg/PoseStamped", frame="map"),
    plain("sim/speech", "std_msgs/msg/String", depth=100),
    plain("sim/sound", "std_msgs/msg/String", depth=100),
    plain("sim/reset/event", "tatami_msgs/msg/ResetEvent", depth=100),
    plain("ground_truth", "nav_msgs/msg/Odometry", depth=100, frame="world", child="base_footprint"),
    plain("joint_states", "sensor_msgs/msg/JointState", depth=100),
]

SIM_SUBSCRIPTIONS = [
    sensor_data("sim/autonomous/cmd_vel", "geometry_msgs/msg/Twist"),
]

SIM_SERVICES = {
    "sim/command/start": "tatami_msgs/srv/StartCommand",
    "sim/command/cancel": "tatami_msgs/srv/CancelCommand",
    "sim/command/proceed": "tatami_msgs/srv/OnboardTrigger",
    "sim/shortcut/start": "tatami_msgs/srv/StartShortcut",
    "sim/manual_control": "tatami_msgs/srv/SetManualControl",
    "sim/velocity": "tatami_msgs/srv/SetVelocity",
    "sim/pose_estimate": "tatami_msgs/srv/SetPoseEstimate",
    "sim/auto_homing": "tatami_msgs/srv/OnboardSetBool",
    "sim/emergency_stop": "tatami_msgs/srv/OnboardTrigger",
    "sim/restart": "tatami_msgs/srv/OnboardTrigger",
    "sim/speaker_volume": "tatami_msgs/srv/OnboardSetNumber",
    "sim/torch/front": "tatami_msgs/srv/OnboardSetNumber",
    "sim/torch/back": "tatami_msgs/srv/OnboardSetNumber",
    "sim/laser_scan/activate": "tatami_msgs/srv/OnboardSetNumber",
    "sim/shelf/reset_pose": "tatami_msgs/srv/OnboardSetText",
    "sim/sound/add": "tatami_msgs/srv/AddSound",
    "sim/sound/delete": "tatami_msgs/srv/OnboardSetText",
    "sim/sound/play": "tatami_msgs/srv/PlaySound",
    "sim/sound/stop": "tatami_msgs/srv/OnboardTrigger",
    "sim/map/switch": "tatami_msgs/srv/SwitchMap",
    "sim/map/get": "tatami_msgs/srv/GetMap",
    "sim/map/add": "tatami_msgs/srv/AddMap",
    "sim/front_stop/mute": "std_srvs/srv/SetBool",
    "sim/power_button": "std_srvs/srv/Trigger",
    "sim/shelf_dock": "std_srvs/srv/SetBool",
    "sim/reset": "std_srvs/srv/SetBool",
}

# The frames of the real robot with their parents, without prefix. Its charger, shelves and costmap frames are not yet.
FIXED_FRAMES = {
    "base_link": "base_footprint",
    "laser_frame": "base_link",
    "lidar_center_frame": "laser_frame",
    "camera_front_link": "base_link",
    "camera_front": "camera_front_link",
    "camera_back_link": "base_link",
    "camera_back": "camera_back_link",
    "tof_link": "base_link",
    "tof_camera": "tof_link",
    "imu_link": "base_link",
}
MOVING_FRAMES = {
    "odom": "map",
    "base_footprint": "odom",
    "base_l_drive_wheel_link": "base_link",
    "base_r_drive_wheel_link": "base_link",
    "docking_link": "base_link",
}


def absolute(namespace, name):
    """A row's name on the graph."""
    return name if name.startswith("/") else f"{namespace}/{name}"
