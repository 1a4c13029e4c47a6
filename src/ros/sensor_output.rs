//! The topic of one sensor.

use r2r::builtin_interfaces::msg::Time;
use r2r::ros_gz_interfaces::msg::Contacts;
use r2r::sensor_msgs::msg::{Imu, LaserScan, PointCloud2};
use r2r::{Node, QosProfile};

use super::messages;
use super::output::Output;
use super::plan::Plan;
use crate::robot::{Sample, SensorType};

/// A topic that a sensor publishes on.
pub(super) enum SensorOutput {
    Laser(Output<LaserScan>),
    PointCloud(Output<PointCloud2>),
    Imu(Output<Imu>),
    Contacts(Output<Contacts>),
}

impl SensorOutput {
    /// Opens the topic of a sensor of this kind.
    ///
    /// # Errors
    /// When the middleware does not let it.
    pub(super) fn open(
        node: &mut Node,
        plan: &Plan,
        kind: SensorType,
        topic: &str,
        frame: &str,
        qos: &QosProfile,
    ) -> r2r::Result<Self> {
        let header = messages::header(frame);
        let qos = qos.clone();
        Ok(match kind {
            SensorType::LaserScan => {
                let message = LaserScan {
                    header,
                    ..Default::default()
                };
                Self::Laser(Output::open(node, topic, qos, message)?)
            }
            SensorType::PointCloud => {
                let message = messages::point_cloud(frame);
                Self::PointCloud(Output::open(node, topic, qos, message)?)
            }
            SensorType::Imu => {
                let message = Imu {
                    header,
                    ..Default::default()
                };
                Self::Imu(Output::open(node, topic, qos, message)?)
            }
            SensorType::Contact => {
                let message = Contacts {
                    header: messages::header(plan.truth_frame()),
                    ..Default::default()
                };
                Self::Contacts(Output::open(node, topic, qos, message)?)
            }
        })
    }

    /// Publishes what the sensor has read.
    pub(super) fn publish(&mut self, stamp: &Time, sample: Sample, base_frame: &str) {
        match (self, sample) {
            (Self::Laser(output), Sample::Laser(sample)) => {
                output.message.header.stamp.clone_from(stamp);
                messages::set_laser(&mut output.message, sample);
                output.publish();
            }
            (Self::PointCloud(output), Sample::PointCloud(sample)) => {
                output.message.header.stamp.clone_from(stamp);
                messages::set_point_cloud(&mut output.message, &sample);
                output.publish();
            }
            (Self::Imu(output), Sample::Imu(sample)) => {
                output.message.header.stamp.clone_from(stamp);
                messages::set_imu(&mut output.message, &sample);
                output.publish();
            }
            (Self::Contacts(output), Sample::Contacts(touched)) => {
                output.message.header.stamp.clone_from(stamp);
                messages::set_contacts(&mut output.message, base_frame, &touched);
                output.publish();
            }
            _ => tracing::error!("a sensor read something that is not of its kind"),
        }
    }

    /// Closes the topic.
    pub(super) fn close(self, node: &mut Node) {
        match self {
            Self::Laser(output) => output.close(node),
            Self::PointCloud(output) => output.close(node),
            Self::Imu(output) => output.close(node),
            Self::Contacts(output) => output.close(node),
        }
    }
}
