//! A layout as the requests of the services.

use r2r::geometry_msgs::msg::{Point, Pose, Quaternion, Vector3};
use r2r::tatami_msgs::msg as tatami;
use r2r::tatami_msgs::srv::{AddLocations, SpawnRobot};

use crate::drive::wheels::WheelFields;
use crate::drive::{AxisLimits, DriveModel};
use crate::layout::{Layout, RobotItem, SensorItem};
use crate::ros::convert::points32;
use crate::ros::kachaka::location_message;
use crate::world::{BoxSpec, FloorSpec, Footprint, OutlineSpec};

/// The places of a layout for each of its robots that knows places; for all of the world
/// when it has no such robot.
pub(super) fn locations(layout: &Layout) -> Vec<AddLocations::Request> {
    let places = &layout.places;
    if places.locations.is_empty() {
        return Vec::new();
    }
    let with_places = layout.robots.iter().filter(|r| !r.onboard.is_empty());
    let mut robots: Vec<String> = with_places.map(|robot| robot.name.clone()).collect();
    if robots.is_empty() {
        robots.push(String::new());
    }
    let request = |robot| AddLocations::Request {
        robot,
        locations: places.locations.iter().map(location_message).collect(),
        removed: Vec::new(),
        default_location_id: places.default_location.clone(),
    };
    robots.into_iter().map(request).collect()
}

pub(super) fn floor(item: &FloorSpec) -> tatami::Floor {
    tatami::Floor {
        name: item.name.clone(),
        z: item.z,
    }
}

pub(super) fn outline(item: &OutlineSpec) -> tatami::Outline {
    tatami::Outline {
        name: item.name.clone(),
        points: points32(&item.points),
        z_min: item.z_min,
        z_max: item.z_max,
    }
}

pub(super) fn rectangle(item: &BoxSpec) -> tatami::Box {
    tatami::Box {
        name: item.name.clone(),
        size_x: item.size[0],
        size_y: item.size[1],
        x: item.pose.x,
        y: item.pose.y,
        yaw: item.pose.yaw,
        z_min: item.z_min,
        z_max: item.z_max,
    }
}

pub(super) fn robot(item: &RobotItem) -> SpawnRobot::Request {
    let (radius, footprint) = match &item.footprint {
        Footprint::Disc(radius) => (*radius, Vec::new()),
        Footprint::Polygon(points) => (0.0, points32(points)),
    };
    SpawnRobot::Request {
        name: item.name.clone(),
        robot_namespace: item.robot_namespace.clone(),
        frame_prefix: item.frame_prefix.clone(),
        urdf: item.urdf.clone(),
        odom_frame: item.odom_frame.clone(),
        base_frame: item.base_frame.clone(),
        world_frame: item.world_frame.clone(),
        tf_topic: item.tf_topic.clone(),
        x: item.pose.x,
        y: item.pose.y,
        yaw: item.pose.yaw,
        floor: item.floor.clone(),
        radius,
        footprint,
        z_min: item.z_min,
        height: item.height,
        drive: drive(&item.drive),
        sensors: item.sensors.iter().map(sensor).collect(),
        stamped: item.stamped,
        reliable: item.reliable,
        publish_description: item.publish_description,
        onboard: item.onboard.clone(),
        onboard_config: item.onboard_config.clone(),
    }
}

fn drive(item: &DriveModel) -> tatami::DriveModel {
    tatami::DriveModel {
        linear: axis(&item.linear),
        lateral: axis(&item.lateral),
        angular: axis(&item.angular),
        gain: item.gain.to_vec(),
        lag: item.lag.to_vec(),
        traction: item.traction,
        pivot_x: item.pivot_x,
        timeout: item.timeout,
        wheels: wheels(&WheelFields::from(&item.wheels)),
    }
}

fn wheels(item: &WheelFields) -> tatami::WheelModel {
    let [x, y, z] = item.wheel_axis;
    let wheel_axis = Vector3 { x, y, z };
    let poses = item.wheel_poses.iter().map(|pose| {
        let [x, y, z] = pose.position;
        let position = Point { x, y, z };
        let [w, x, y, z] = pose.orientation;
        Pose {
            position,
            orientation: Quaternion { x, y, z, w },
        }
    });
    tatami::WheelModel {
        type_: item.kind.clone(),
        wheel_joints: item.wheel_joints.clone(),
        steering_joints: item.steering_joints.clone(),
        wheel_radius: item.wheel_radius.clone(),
        wheel_base: item.wheel_base,
        track_width: item.track_width,
        non_steerable_track_width: item.non_steerable_track_width,
        steerable_wheels_at_rear: item.steerable_wheels_at_rear,
        wheel_poses: poses.collect(),
        mecanum_angles: item.mecanum_angles.clone(),
        wheel_axis,
        max_linear_speed: item.max_linear_speed,
        max_angular_speed: item.max_angular_speed,
        max_wheel_speed: item.max_wheel_speed,
        max_turning_angle: item.max_turning_angle,
    }
}

fn axis(item: &AxisLimits) -> tatami::AxisLimits {
    tatami::AxisLimits {
        low: item.low,
        high: item.high,
        accel: item.accel,
        decel: item.decel,
    }
}

fn sensor(item: &SensorItem) -> tatami::SensorSpec {
    let fan = item.fan.iter().map(|fan| tatami::BeamFan {
        angle_min: fan.angle_min,
        angle_increment: fan.angle_increment,
        beams: fan.beams,
        range_min: fan.range_min,
        range_max: fan.range_max,
        noise_stddev: fan.noise_stddev,
    });
    tatami::SensorSpec {
        name: item.name.clone(),
        type_: item.kind.clone(),
        topic: item.topic.clone(),
        frame: item.frame.clone(),
        sensor: item.sensor.clone(),
        rate: item.rate,
        fan: fan.collect(),
    }
}
