//! States and samples as ROS messages.

use nalgebra::Isometry3;
use r2r::geometry_msgs::msg::{Transform, TransformStamped};
use r2r::nav_msgs::msg::Odometry;
use r2r::ros_gz_interfaces::msg::{Contact as GzContact, Contacts, Entity};
use r2r::sensor_msgs::msg::{Imu, LaserScan, PointCloud2, PointField};
use r2r::std_msgs::msg::Header;

use super::convert::{pose, twist, vector, yaw_to_quaternion};
use crate::robot::{ImuSample, LaserSample, PointCloudSample};
use crate::world::{Contact, Pose2, Twist2};

/// Variance of what is exact here, m² and rad²: filters reject zeros, so it is a micrometre
/// and a microradian, squared, in round numbers above what rounding leaves.
const EXACT: f64 = 1e-9;

/// A header without a stamp yet.
pub(super) fn header(frame: &str) -> Header {
    Header {
        frame_id: frame.to_owned(),
        ..Default::default()
    }
}

/// Odometry between two frames, its numbers still zero.
pub(super) fn odometry(frame: &str, child: &str) -> Odometry {
    let mut message = Odometry {
        header: header(frame),
        child_frame_id: child.to_owned(),
        ..Default::default()
    };
    for axis in 0..6 {
        message.pose.covariance[7 * axis] = EXACT;
        message.twist.covariance[7 * axis] = EXACT;
    }
    message
}

/// Sets the pose and twist of an odometry message.
pub(super) fn set_odometry(message: &mut Odometry, at: Pose2, z: f64, moving: Twist2) {
    message.pose.pose = pose(at, z);
    message.twist.twist = twist(moving);
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
    let rotation = pose.rotation.coords;
    Transform {
        translation: vector(pose.translation.vector.into()),
        rotation: r2r::geometry_msgs::msg::Quaternion {
            x: rotation.x,
            y: rotation.y,
            z: rotation.z,
            w: rotation.w,
        },
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
    message.width = sample.width;
    message.height = sample.height;
    message.row_step = sample.width * message.point_step;
    message.is_dense = sample.is_dense;
    message.data.clear();
    let coordinates = sample.points.iter().flatten();
    message
        .data
        .extend(coordinates.flat_map(|c| c.to_le_bytes()));
}

/// Fills an inertial measurement.
pub(super) fn set_imu(message: &mut Imu, sample: &ImuSample) {
    let [x, y, z, w] = sample.orientation;
    message.orientation = r2r::geometry_msgs::msg::Quaternion { x, y, z, w };
    message.angular_velocity = vector(sample.angular_velocity);
    message.linear_acceleration = vector(sample.linear_acceleration);
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
