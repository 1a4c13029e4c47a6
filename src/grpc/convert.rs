//! ROS messages as messages of kachaka-api.

use r2r::builtin_interfaces::msg::Time;
use r2r::geometry_msgs::msg as geometry;
use r2r::nav_msgs::msg::Odometry;
use r2r::sensor_msgs::msg::{Imu, LaserScan};
use r2r::std_msgs::msg::Header;
use r2r::tatami_msgs::msg as tatami;

use super::proto::*;
use crate::ros::{heading_of, yaw_to_quaternion};

/// Lengths that the ROS bridge reads without looking.
const COVARIANCE_3: usize = 9;
const COVARIANCE_6: usize = 36;

/// How sim time is told to clients.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Stamps {
    /// Added to every stamp, ns.
    pub(super) offset: i64,
}

impl Stamps {
    /// Nanoseconds.
    pub(super) fn nanoseconds(&self, time: &Time) -> i64 {
        nanoseconds(time).saturating_add(self.offset)
    }

    fn header(&self, header: &Header, frame: &str) -> Option<RosHeader> {
        Some(RosHeader {
            stamp_nsec: self.nanoseconds(&header.stamp),
            frame_id: frame.to_owned(),
        })
    }

    /// A transform between frames of these names.
    pub(super) fn transform(
        &self,
        message: &geometry::TransformStamped,
        parent: &str,
        child: &str,
    ) -> RosTransformStamped {
        RosTransformStamped {
            header: self.header(&message.header, parent),
            child_frame_id: child.to_owned(),
            translation: vector(&message.transform.translation),
            rotation: quaternion(&message.transform.rotation),
        }
    }

    /// Measurements of the IMU in this frame.
    pub(super) fn imu(&self, message: &Imu, frame: &str) -> RosImu {
        RosImu {
            header: self.header(&message.header, frame),
            orientation: quaternion(&message.orientation),
            orientation_covariance: sized(&message.orientation_covariance, COVARIANCE_3),
            angular_velocity: vector(&message.angular_velocity),
            angular_velocity_covariance: sized(&message.angular_velocity_covariance, COVARIANCE_3),
            linear_acceleration: vector(&message.linear_acceleration),
            linear_acceleration_covariance: sized(
                &message.linear_acceleration_covariance,
                COVARIANCE_3,
            ),
        }
    }

    /// Odometry between these frames.
    pub(super) fn odometry(&self, message: &Odometry, frame: &str, child: &str) -> RosOdometry {
        let pose = &message.pose;
        let twist = &message.twist;
        let position = &pose.pose.position;
        RosOdometry {
            header: self.header(&message.header, frame),
            child_frame_id: child.to_owned(),
            pose: Some(Pose3dWithCovariance {
                pose: Some(Pose3d {
                    position: Some(Vector3 {
                        x: position.x,
                        y: position.y,
                        z: position.z,
                    }),
                    orientation: quaternion(&pose.pose.orientation),
                }),
                covariance: sized(&pose.covariance, COVARIANCE_6),
            }),
            twist: Some(TwistWithCovariance {
                twist: Some(Twist {
                    linear: vector(&twist.twist.linear),
                    angular: vector(&twist.twist.angular),
                }),
                covariance: sized(&twist.covariance, COVARIANCE_6),
            }),
        }
    }

    /// A scan in this frame. What was not measured, because nothing was hit or it was too near,
    /// is 0 as from the real robot, whose clients leave out what is not above 0.
    pub(super) fn scan(&self, message: &LaserScan, frame: &str) -> RosLaserScan {
        let wide = |values: &[f32]| -> Vec<f64> { values.iter().copied().map(f64::from).collect() };
        RosLaserScan {
            header: self.header(&message.header, frame),
            angle_min: f64::from(message.angle_min),
            angle_max: f64::from(message.angle_max),
            angle_increment: f64::from(message.angle_increment),
            time_increment: f64::from(message.time_increment),
            scan_time: f64::from(message.scan_time),
            range_min: f64::from(message.range_min),
            range_max: f64::from(message.range_max),
            ranges: wide(&message.ranges)
                .into_iter()
                .map(|range| if range.is_finite() { range } else { 0.0 })
                .collect(),
            intensities: wide(&message.intensities),
        }
    }
}

/// Sim time in nanoseconds.
pub(super) fn nanoseconds(time: &Time) -> i64 {
    i64::from(time.sec) * 1_000_000_000 + i64::from(time.nanosec)
}

fn vector(message: &geometry::Vector3) -> Option<Vector3> {
    Some(Vector3 {
        x: message.x,
        y: message.y,
        z: message.z,
    })
}

fn quaternion(message: &geometry::Quaternion) -> Option<Quaternion> {
    Some(Quaternion {
        x: message.x,
        y: message.y,
        z: message.z,
        w: message.w,
    })
}

fn sized(values: &[f64], length: usize) -> Vec<f64> {
    let mut values = values.to_vec();
    values.resize(length, 0.0);
    values
}

/// A planar pose out of one in space.
pub(super) fn planar(pose: &geometry::Pose) -> Pose {
    Pose {
        x: pose.position.x,
        y: pose.position.y,
        theta: heading_of(&pose.orientation),
    }
}

/// A pose in space out of a planar one.
pub(super) fn spatial(pose: &Pose) -> geometry::Pose {
    geometry::Pose {
        position: geometry::Point {
            x: pose.x,
            y: pose.y,
            z: 0.0,
        },
        orientation: yaw_to_quaternion(pose.theta),
    }
}

/// A registered place.
pub(super) fn location(message: &tatami::Location) -> Location {
    Location {
        id: message.id.clone(),
        name: message.name.clone(),
        pose: Some(Pose {
            x: message.x,
            y: message.y,
            theta: message.yaw,
        }),
        r#type: i32::from(message.type_),
        undock_shelf_aligning_to_wall: message.undock_shelf_aligning_to_wall,
        undock_shelf_avoiding_obstacles: message.undock_shelf_avoiding_obstacles,
        ignore_voice_recognition: message.ignore_voice_recognition,
    }
}

/// What clients know of a place without its pose.
pub(super) fn location_digest(message: &tatami::Location) -> LocationDigest {
    LocationDigest {
        id: message.id.clone(),
        name: message.name.clone(),
        r#type: i32::from(message.type_),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_are_sim_time_plus_the_offset() {
        let time = Time {
            sec: 12,
            nanosec: 34,
        };
        let stamps = Stamps {
            offset: 1_700_000_000_000_000_000,
        };
        assert_eq!(Stamps::default().nanoseconds(&time), 12_000_000_034);
        assert_eq!(stamps.nanoseconds(&time), 1_700_000_012_000_000_034);
    }

    #[test]
    fn planar_poses_survive_the_way_there_and_back() {
        for theta in [-3.1, -1.0, 0.0, 0.5, 3.0] {
            let pose = Pose {
                x: 1.5,
                y: -2.0,
                theta,
            };
            let back = planar(&spatial(&pose));
            assert_eq!((back.x, back.y), (1.5, -2.0));
            assert!(
                (back.theta - theta).abs() < 1e-12,
                "{} and {theta}",
                back.theta
            );
        }
    }

    #[test]
    fn arrays_have_the_lengths_that_the_bridge_reads() {
        let stamps = Stamps::default();
        let imu = stamps.imu(&Imu::default(), "imu_link");
        let odometry = stamps.odometry(&Odometry::default(), "odom", "base_footprint");
        assert_eq!(imu.orientation_covariance.len(), 9);
        assert_eq!(imu.angular_velocity_covariance.len(), 9);
        assert_eq!(imu.linear_acceleration_covariance.len(), 9);
        assert_eq!(odometry.pose.unwrap().covariance.len(), 36);
        assert_eq!(odometry.twist.unwrap().covariance.len(), 36);
    }

    #[test]
    fn what_a_scan_did_not_measure_is_0() {
        let scan = LaserScan {
            ranges: vec![1.5, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 0.25],
            ..Default::default()
        };
        let told = Stamps::default().scan(&scan, "laser_frame").ranges;
        assert_eq!(told, [1.5, 0.0, 0.0, 0.0, 0.25]);
    }
}
