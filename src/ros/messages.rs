//! States and samples as ROS messages.

use nalgebra::{Isometry3, UnitQuaternion};
use r2r::geometry_msgs::msg::{PoseWithCovarianceStamped, Quaternion, Transform, TransformStamped};
use r2r::nav_msgs::msg::Odometry;
use r2r::ros_gz_interfaces::msg::{Contact as GzContact, Contacts, Entity};
use r2r::sensor_msgs::msg::{Imu, JointState, LaserScan, PointCloud2, PointField};
use r2r::std_msgs::msg::Header;

use super::convert::{pose, twist, vector, yaw_to_quaternion};
use crate::drive::wheels::JointMotion;
use crate::sensors::{ImuSample, LaserSample, PointCloudSample};
use crate::world::{Contact, Pose2, Twist2};

/// Covariance of a pose or twist that is known exactly, by rows of x, y, z, roll, pitch, yaw.
/// Filters reject zeros, so it is 1e-9 m² and rad²: some 30 micrometres and microradians.
pub(super) const EXACT: [f64; 36] = {
    let mut rows = [0.0; 36];
    let mut axis = 0;
    while axis < 6 {
        rows[7 * axis] = 1e-9;
        axis += 1;
    }
    rows
};

/// A header without a stamp yet.
pub(super) fn header(frame: &str) -> Header {
    Header {
        frame_id: frame.to_owned(),
        ..Default::default()
    }
}

/// Odometry between two frames, its numbers still zero. The covariance is that of pose and
/// twist alike.
pub(super) fn odometry(frame: &str, child: &str, covariance: &[f64; 36]) -> Odometry {
    let mut message = Odometry {
        header: header(frame),
        child_frame_id: child.to_owned(),
        ..Default::default()
    };
    message.pose.covariance = covariance.to_vec();
    message.twist.covariance = covariance.to_vec();
    message
}

/// Sets the pose and twist of an odometry message.
pub(super) fn set_odometry(message: &mut Odometry, at: Pose2, z: f64, moving: Twist2) {
    message.pose.pose = pose(at, z);
    message.twist.twist = twist(moving);
}

/// A pose that somebody has set by hand, still without numbers: known to half a metre and 15
/// degrees, as rviz2 has it.
pub(super) fn initial_pose(frame: &str) -> PoseWithCovarianceStamped {
    let mut message = PoseWithCovarianceStamped {
        header: header(frame),
        ..Default::default()
    };
    let yaw = std::f64::consts::PI / 12.0;
    let mut covariance = vec![0.0; 36];
    for (axis, deviation) in [(0, 0.5), (1, 0.5), (5, yaw)] {
        covariance[7 * axis] = deviation * deviation;
    }
    message.pose.covariance = covariance;
    message
}

/// Fills positions and velocities of joints, in the order of their names.
pub(super) fn set_joints(message: &mut JointState, motions: &[JointMotion]) {
    message.position.clear();
    message.position.extend(motions.iter().map(|m| m.position));
    message.velocity.clear();
    message.velocity.extend(motions.iter().map(|m| m.velocity));
}

/// A transform between two frames, still the identity.
pub(super) fn transform(frame: &str, child: &str) -> TransformStamped {
    TransformStamped {
        header: header(frame),
        child_frame_id: child.to_owned(),
        transform: planar_transform(Pose2::default(), 0.0),
    }
}

/// A planar pose as a transform.
pub(super) fn planar_transform(pose: Pose2, z: f64) -> Transform {
    Transform {
        translation: vector([pose.x, pose.y, z]),
        rotation: yaw_to_quaternion(pose.yaw),
    }
}

/// A pose in space as a transform.
pub(super) fn spatial_transform(pose: &Isometry3<f64>) -> Transform {
    Transform {
        translation: vector(pose.translation.vector.into()),
        rotation: quaternion(&pose.rotation),
    }
}

fn quaternion(rotation: &UnitQuaternion<f64>) -> Quaternion {
    let coords = rotation.coords;
    Quaternion {
        x: coords.x,
        y: coords.y,
        z: coords.z,
        w: coords.w,
    }
}

/// Fills a scan. All rays leave at the stamp, so there is no time between them.
pub(super) fn set_laser(message: &mut LaserScan, sample: LaserSample) {
    message.angle_min = sample.angle_min as f32;
    message.angle_max = sample.angle_max as f32;
    message.angle_increment = sample.angle_increment as f32;
    message.scan_time = sample.scan_time as f32;
    message.range_min = sample.range_min as f32;
    message.range_max = sample.range_max as f32;
    message.ranges = sample.ranges;
}

/// A cloud of points without intensities, still empty.
pub(super) fn point_cloud(frame: &str) -> PointCloud2 {
    let field = |name: &str, offset| PointField {
        name: name.to_owned(),
        offset,
        datatype: PointField::FLOAT32 as u8,
        count: 1,
    };
    PointCloud2 {
        header: header(frame),
        fields: vec![field("x", 0), field("y", 4), field("z", 8)],
        point_step: 12,
        ..Default::default()
    }
}

/// Fills a cloud of points.
pub(super) fn set_point_cloud(message: &mut PointCloud2, sample: &PointCloudSample) {
    // The sensors are far below what 32 bits count.
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    message.width = count(sample.width);
    message.height = count(sample.height);
    message.row_step = message.width.saturating_mul(message.point_step);
    message.is_dense = false;
    message.data.clear();
    let coordinates = sample.points.iter().flatten();
    message
        .data
        .extend(coordinates.flat_map(|c| c.to_le_bytes()));
}

/// Fills an inertial measurement.
pub(super) fn set_imu(message: &mut Imu, sample: &ImuSample) {
    message.orientation = quaternion(&sample.orientation);
    message.angular_velocity = vector(sample.angular_velocity.into());
    message.linear_acceleration = vector(sample.linear_acceleration.into());
    let pairs = [
        (
            &mut message.orientation_covariance,
            &sample.orientation_covariance,
        ),
        (
            &mut message.angular_velocity_covariance,
            &sample.angular_velocity_covariance,
        ),
        (
            &mut message.linear_acceleration_covariance,
            &sample.linear_acceleration_covariance,
        ),
    ];
    for (to, from) in pairs {
        to.clear();
        to.extend(from);
    }
}

/// Fills what a body touches: one contact for each thing, with all its points. Positions
/// and normals are in the world frame, normals point towards the robot.
pub(super) fn set_contacts(message: &mut Contacts, base_frame: &str, touched: &[Contact]) {
    message.contacts.clear();
    for point in touched {
        let same = |contact: &&mut GzContact| contact.collision2.name == point.name;
        let contact = match message.contacts.last_mut().filter(same) {
            Some(contact) => contact,
            None => {
                message.contacts.push(GzContact {
                    collision1: named(base_frame, Entity::LINK as u8),
                    collision2: named(&point.name, Entity::MODEL as u8),
                    ..Default::default()
                });
                // Just pushed.
                let Some(contact) = message.contacts.last_mut() else {
                    continue;
                };
                contact
            }
        };
        contact.positions.push(vector(point.position));
        contact.normals.push(vector(point.normal));
        contact.depths.push(point.depth);
    }
}

fn named(name: &str, kind: u8) -> Entity {
    Entity {
        name: name.to_owned(),
        type_: kind,
        ..Default::default()
    }
}
