//! Requests to plain data and plain data to responses: the only place that knows both.

use r2r::builtin_interfaces::msg::Time;
use r2r::geometry_msgs::msg::{Point, Point32, Pose, Quaternion, Twist, Vector3};
use r2r::tatami_msgs::msg as tatami;
use r2r::tatami_msgs::srv::{ControlWorld, SpawnRobot};

use super::control::Ask;
use crate::drive::wheels::{WheelError, WheelFields, WheelModel, WheelPose};
use crate::drive::{AxisLimits, DriveError, DriveModel};
use crate::robot::{BeamFan, RobotError, RobotSpec, SensorSpec};
use crate::scene::{CommandSpec, Inputs, RobotState};
use crate::world::{
    BoxSpec, Contact, DiscSpec, Entity, EntityShape, FloorSpec, Footprint, MoveSpec, OutlineSpec,
    Pose2, SimTime, Twist2,
};

/// A stamp. Its seconds are 32 bits wide and stop at their end, after 68 years.
pub(super) fn stamp(time: SimTime) -> Time {
    let (sec, nanosec) = time.sec_nanosec();
    Time {
        sec: i32::try_from(sec).unwrap_or(i32::MAX),
        nanosec,
    }
}

/// The rotation about z.
pub(crate) fn yaw_to_quaternion(yaw: f64) -> Quaternion {
    let (sin, cos) = libm::sincos(0.5 * yaw);
    Quaternion {
        x: 0.0,
        y: 0.0,
        z: sin,
        w: cos,
    }
}

/// The heading of a rotation, rad. One of only zeros, as messages have that nobody filled, has
/// none, that is 0.
pub(crate) fn heading_of(rotation: &Quaternion) -> f64 {
    let Quaternion { x, y, z, w } = rotation;
    libm::atan2(2.0 * (w * z + x * y), w * w + x * x - y * y - z * z)
}

/// A planar pose at a height.
pub(super) fn pose(pose: Pose2, z: f64) -> Pose {
    Pose {
        position: Point {
            x: pose.x,
            y: pose.y,
            z,
        },
        orientation: yaw_to_quaternion(pose.yaw),
    }
}

/// A planar twist.
pub(super) fn twist(twist: Twist2) -> Twist {
    Twist {
        linear: vector([twist.x, twist.y, 0.0]),
        angular: vector([0.0, 0.0, twist.angular]),
    }
}

/// What of a twist a planar body follows.
pub(super) fn planar(twist: &Twist) -> Twist2 {
    Twist2::new(twist.linear.x, twist.linear.y, twist.angular.z)
}

pub(super) fn vector([x, y, z]: [f64; 3]) -> Vector3 {
    Vector3 { x, y, z }
}

/// Corners as messages hold them, in single precision.
#[allow(clippy::cast_possible_truncation, reason = "the type of the message")]
pub(super) fn points32(points: &[[f64; 2]]) -> Vec<Point32> {
    points
        .iter()
        .map(|p| Point32 {
            x: p[0] as f32,
            y: p[1] as f32,
            z: 0.0,
        })
        .collect()
}

fn planar_points(points: &[Point32]) -> Vec<[f64; 2]> {
    points
        .iter()
        .map(|p| [f64::from(p.x), f64::from(p.y)])
        .collect()
}

pub(super) fn floor(item: &tatami::Floor) -> FloorSpec {
    FloorSpec {
        name: item.name.clone(),
        z: item.z,
    }
}

pub(super) fn outline(item: &tatami::Outline) -> OutlineSpec {
    OutlineSpec {
        name: item.name.clone(),
        points: planar_points(&item.points),
        z_min: item.z_min,
        z_max: item.z_max,
    }
}

pub(super) fn rectangle(item: &tatami::Box) -> BoxSpec {
    BoxSpec {
        name: item.name.clone(),
        size: [item.size_x, item.size_y],
        pose: Pose2::new(item.x, item.y, item.yaw),
        z_min: item.z_min,
        z_max: item.z_max,
    }
}

pub(super) fn disc(item: &tatami::Disc) -> DiscSpec {
    DiscSpec {
        name: item.name.clone(),
        radius: item.radius,
        center: [item.x, item.y],
        velocity: [item.vx, item.vy],
        z_min: item.z_min,
        z_max: item.z_max,
    }
}

pub(super) fn entity_pose(item: &tatami::EntityPose) -> MoveSpec {
    MoveSpec {
        name: item.name.clone(),
        pose: Pose2::new(item.x, item.y, item.yaw),
    }
}

/// Whether the request brings inputs, and what else it asks for.
pub(super) fn ask(request: &ControlWorld::Request) -> Ask {
    Ask {
        pause: request.pause,
        multi_step: request.multi_step,
        inputs: !(request.commands.is_empty()
            && request.poses.is_empty()
            && request.discs.is_empty()),
        report: request.report,
    }
}

/// The inputs of a step request.
pub(super) fn inputs(request: &ControlWorld::Request) -> Inputs {
    Inputs {
        commands: request
            .commands
            .iter()
            .map(|command| CommandSpec {
                robot: command.robot.clone(),
                twist: planar(&command.twist),
            })
            .collect(),
        poses: request.poses.iter().map(entity_pose).collect(),
        discs: request.discs.iter().map(disc).collect(),
    }
}

fn limits(item: &tatami::AxisLimits) -> AxisLimits {
    AxisLimits {
        low: item.low,
        high: item.high,
        accel: item.accel,
        decel: item.decel,
    }
}

/// An array of the message; its length is fixed there.
fn axes(values: &[f64]) -> [f64; 3] {
    values.try_into().unwrap_or([f64::NAN; 3])
}

fn wheels(item: &tatami::WheelModel) -> Result<WheelModel, WheelError> {
    let axis = &item.wheel_axis;
    let poses = item.wheel_poses.iter().map(|pose| {
        let (p, q) = (&pose.position, &pose.orientation);
        WheelPose {
            position: [p.x, p.y, p.z],
            orientation: [q.w, q.x, q.y, q.z],
        }
    });
    let fields = WheelFields {
        kind: item.type_.clone(),
        wheel_joints: item.wheel_joints.clone(),
        steering_joints: item.steering_joints.clone(),
        wheel_radius: item.wheel_radius.clone(),
        wheel_base: item.wheel_base,
        track_width: item.track_width,
        non_steerable_track_width: item.non_steerable_track_width,
        steerable_wheels_at_rear: item.steerable_wheels_at_rear,
        wheel_poses: poses.collect(),
        mecanum_angles: item.mecanum_angles.clone(),
        wheel_axis: [axis.x, axis.y, axis.z],
        max_linear_speed: item.max_linear_speed,
        max_angular_speed: item.max_angular_speed,
        max_wheel_speed: item.max_wheel_speed,
        max_turning_angle: item.max_turning_angle,
    };
    fields.model()
}

fn drive(item: &tatami::DriveModel) -> Result<DriveModel, DriveError> {
    Ok(DriveModel {
        linear: limits(&item.linear),
        lateral: limits(&item.lateral),
        angular: limits(&item.angular),
        gain: axes(&item.gain),
        lag: axes(&item.lag),
        traction: item.traction,
        pivot_x: item.pivot_x,
        timeout: item.timeout,
        wheels: wheels(&item.wheels)?,
    })
}

fn sensor(item: &tatami::SensorSpec) -> SensorSpec {
    SensorSpec {
        name: item.name.clone(),
        kind: item.type_.clone(),
        frame: item.frame.clone(),
        sensor: item.sensor.clone(),
        rate: item.rate,
        fan: item
            .fan
            .iter()
            .map(|fan| BeamFan {
                angle_min: fan.angle_min,
                angle_increment: fan.angle_increment,
                beams: fan.beams,
                range_min: fan.range_min,
                range_max: fan.range_max,
                noise_stddev: fan.noise_stddev,
            })
            .collect(),
    }
}

/// What the world needs to know about a robot.
///
/// # Errors
/// Wheels that can't be, with their field.
pub(super) fn robot(request: &SpawnRobot::Request) -> Result<RobotSpec, RobotError> {
    let drive = drive(&request.drive).map_err(|reason| RobotError {
        robot: request.name.clone(),
        reason: Box::new(reason.into()),
    })?;
    Ok(RobotSpec {
        name: request.name.clone(),
        urdf: request.urdf.clone(),
        base_frame: request.base_frame.clone(),
        pose: Pose2::new(request.x, request.y, request.yaw),
        floor: request.floor.clone(),
        radius: request.radius,
        footprint: planar_points(&request.footprint),
        z_min: request.z_min,
        height: request.height,
        drive,
        sensors: request.sensors.iter().map(sensor).collect(),
        onboard: None,
    })
}

fn contact(item: &Contact) -> tatami::BodyContact {
    let [x, y, z] = item.position;
    tatami::BodyContact {
        name: item.name.clone(),
        position: Point { x, y, z },
        normal: vector(item.normal),
        depth: item.depth,
    }
}

/// The true state of a robot and what it touches.
pub(super) fn robot_state(state: &RobotState, contacts: &[Contact]) -> tatami::RobotState {
    tatami::RobotState {
        name: state.name.clone(),
        pose: pose(state.pose, state.z),
        yaw: state.pose.yaw,
        floor: state.floor.clone(),
        twist: twist(state.twist),
        contacts: contacts.iter().map(contact).collect(),
    }
}

/// One entity of the world, enough to draw it; `None` for a thing of several parts, which has
/// a topic of its kind.
pub(super) fn entity(entity: &Entity) -> Option<tatami::EntityInfo> {
    let mut info = tatami::EntityInfo {
        name: entity.name().to_owned(),
        z_min: entity.z().min,
        z_max: entity.z().max,
        ..Default::default()
    };
    match entity.shape() {
        EntityShape::Outline { points } => {
            info.kind = tatami::EntityInfo::OUTLINE as u8;
            info.points = points32(points);
            return Some(info);
        }
        EntityShape::Box { size } => {
            let [x, y] = [0.5 * size[0], 0.5 * size[1]];
            info.kind = tatami::EntityInfo::BOX as u8;
            info.points = points32(&[[-x, -y], [x, -y], [x, y], [-x, y]]);
        }
        EntityShape::Disc { radius } => {
            info.kind = tatami::EntityInfo::DISC as u8;
            info.radius = *radius;
            [info.vx, info.vy] = entity.velocity();
        }
        EntityShape::Parts { .. } => return None,
    }
    let pose = entity.pose();
    (info.x, info.y, info.yaw) = (pose.x, pose.y, pose.yaw);
    Some(info)
}

/// One floor, enough to draw it.
pub(super) fn floor_info(name: &str, z: f64) -> tatami::EntityInfo {
    tatami::EntityInfo {
        name: name.to_owned(),
        kind: tatami::EntityInfo::FLOOR as u8,
        z_min: z,
        z_max: z,
        ..Default::default()
    }
}

/// The corners of a footprint, or none and its radius.
pub(super) fn footprint(footprint: &Footprint) -> (Vec<Point32>, f64) {
    match footprint {
        Footprint::Disc(radius) => (Vec::new(), *radius),
        Footprint::Polygon(points) => (points32(points), 0.0),
    }
}
