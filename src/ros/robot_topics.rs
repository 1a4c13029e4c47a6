//! The topics of one robot.

use r2r::builtin_interfaces::msg::Time;
use r2r::nav_msgs::msg::Odometry;
use r2r::ros_gz_interfaces::msg::Contacts;
use r2r::sensor_msgs::msg::{Imu, JointState, LaserScan, PointCloud2};
use r2r::std_msgs::msg::String as Text;
use r2r::{Node, QosProfile};

use super::command_input::CommandInput;
use super::messages;
use super::output::Output;
use super::plan::Plan;
use super::transforms::Transforms;
use crate::robot::{Robot, Sample, SensorType};
use crate::scene::RobotState;
use crate::sensors::Odometry as Odometer;
use crate::world::Twist2;

/// One open robot.
pub(super) struct RobotTopics {
    plan: Plan,
    commands: CommandInput,
    odom: Output<Odometry>,
    ground_truth: Output<Odometry>,
    joint_states: Output<JointState>,
    description: Option<Output<Text>>,
    sensors: Vec<SensorOutput>,
}

enum SensorOutput {
    Laser(Output<LaserScan>),
    PointCloud(Output<PointCloud2>),
    Imu(Output<Imu>),
    Contacts(Output<Contacts>),
}

/// The QoS of a robot's topics.
pub(super) fn qos(plan: &Plan) -> QosProfile {
    if plan.reliable {
        QosProfile::default().reliable().keep_last(super::DEPTH)
    } else {
        QosProfile::sensor_data()
    }
}

impl RobotTopics {
    /// Opens everything that the plan names. Commands of a robot before it on the same
    /// topic are taken over, so that those who send them stay connected.
    ///
    /// # Errors
    /// When the middleware does not let a topic be opened. Names were checked before, so
    /// this is a machine out of resources; topics opened until then stay.
    pub(super) fn open(
        node: &mut Node,
        plan: Plan,
        robot: &Robot,
        urdf: &str,
        commands: Option<CommandInput>,
    ) -> r2r::Result<Self> {
        let qos = qos(&plan);
        let commands = match commands {
            Some(commands) => commands,
            None => CommandInput::open(node, &plan.cmd_vel, qos.clone(), plan.stamped)?,
        };
        let odometry =
            messages::odometry(&plan.odom_frame, &plan.base_frame, &Odometer::covariance());
        let truth = messages::odometry(plan.truth_frame(), &plan.truth_child, &messages::EXACT);
        let joint_states = JointState {
            name: robot.movable_joints().to_vec(),
            ..Default::default()
        };
        let description = match &plan.robot_description {
            Some(topic) => Some(Output::open(
                node,
                topic,
                QosProfile::default()
                    .reliable()
                    .transient_local()
                    .keep_last(1),
                Text {
                    data: urdf.to_owned(),
                },
            )?),
            None => None,
        };
        let sensors = (robot.sensors().iter().zip(&plan.sensors))
            .map(|(sensor, topic)| {
                let frame = format!("{}{}", plan.frame_prefix, sensor.frame());
                SensorOutput::open(node, &plan, sensor.kind(), topic, &frame, &qos)
            })
            .collect::<r2r::Result<_>>()?;
        Ok(Self {
            odom: Output::open(node, &plan.odom, qos.clone(), odometry)?,
            ground_truth: Output::open(node, &plan.ground_truth, qos.clone(), truth)?,
            joint_states: Output::open(node, &plan.joint_states, qos, joint_states)?,
            description,
            commands,
            sensors,
            plan,
        })
    }

    /// What it publishes and listens to.
    pub(super) fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The latest command that has arrived, if any.
    pub(super) fn latest_command(&mut self) -> Option<Twist2> {
        self.commands.latest()
    }

    /// Warns once when somebody publishes commands of the wrong type.
    pub(super) fn warn_of_wrong_type(&mut self, node: &Node) {
        self.commands.warn_of_wrong_type(node, &self.plan.robot);
    }

    /// Publishes the URDF, which late readers get as well.
    pub(super) fn publish_description(&self) {
        if let Some(description) = &self.description {
            description.publish();
        }
    }

    /// Puts the robot's transforms on their topics.
    ///
    /// # Errors
    /// When the middleware does not let a topic be opened.
    pub(super) fn add_transforms(
        &self,
        node: &mut Node,
        robot: &Robot,
        moving: &mut Transforms,
        fixed: &mut Transforms,
    ) -> r2r::Result<()> {
        let plan = &self.plan;
        let mut transforms = Vec::new();
        if !plan.world_frame.is_empty() {
            transforms.push(messages::transform(&plan.world_frame, &plan.odom_frame));
        }
        transforms.push(messages::transform(&plan.odom_frame, &plan.base_frame));
        moving.add(node, &plan.tf_topic, &plan.robot, transforms)?;
        if self.description.is_some() {
            let prefixed = |link: &str| format!("{}{link}", plan.frame_prefix);
            let joints = robot.description().fixed_joints().map(|joint| {
                let mut fixed =
                    messages::transform(&prefixed(&joint.parent), &prefixed(&joint.child));
                fixed.transform = messages::spatial_transform(&joint.origin);
                fixed
            });
            fixed.add(node, &plan.tf_static_topic(), &plan.robot, joints.collect())?;
        }
        Ok(())
    }

    /// Sets the numbers of the robot's moving transforms.
    pub(super) fn set_transforms(
        &self,
        moving: &mut Transforms,
        stamp: &Time,
        robot: &Robot,
        state: &RobotState,
    ) {
        let plan = &self.plan;
        let sample = robot.odometry();
        let (odometry, _) = plan.child_odometry(sample.pose, sample.twist);
        let transforms = moving.of(&plan.tf_topic, &plan.robot);
        for transform in transforms.iter_mut() {
            transform.header.stamp.clone_from(stamp);
        }
        match transforms {
            [odom] => odom.transform = messages::planar_transform(odometry, 0.0),
            [world, odom] => {
                // What is between the truth and the odometry is the odometry's error.
                let truth = plan.child_truth(state.pose);
                let error = truth.compose(&odometry.inverse());
                world.transform = messages::planar_transform(error, state.z);
                odom.transform = messages::planar_transform(odometry, 0.0);
            }
            _ => {}
        }
    }

    /// Publishes odometry, true pose and joint states.
    pub(super) fn publish_state(&mut self, stamp: &Time, robot: &Robot, state: &RobotState) {
        let sample = robot.odometry();
        let odom = &mut self.odom.message;
        odom.header.stamp.clone_from(stamp);
        let (pose, twist) = self.plan.child_odometry(sample.pose, sample.twist);
        messages::set_odometry(odom, pose, 0.0, twist);
        self.odom.publish();
        let truth = &mut self.ground_truth.message;
        truth.header.stamp.clone_from(stamp);
        messages::set_odometry(truth, state.pose, state.z, state.twist);
        self.ground_truth.publish();
        let joints = &mut self.joint_states.message;
        joints.header.stamp.clone_from(stamp);
        messages::set_joints(joints, robot.joint_motions());
        self.joint_states.publish();
    }

    /// Publishes what sensors have read.
    pub(super) fn publish_samples(&mut self, stamp: &Time, samples: Vec<(usize, Sample)>) {
        for (index, sample) in samples {
            if let Some(sensor) = self.sensors.get_mut(index) {
                sensor.publish(stamp, sample, &self.plan.base_frame);
            }
        }
    }

    /// Closes everything but the subscription to commands.
    pub(super) fn close_outputs(self, node: &mut Node) -> CommandInput {
        self.odom.close(node);
        self.ground_truth.close(node);
        self.joint_states.close(node);
        if let Some(description) = self.description {
            description.close(node);
        }
        for sensor in self.sensors {
            sensor.close(node);
        }
        self.commands
    }
}

impl SensorOutput {
    fn open(
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

    fn publish(&mut self, stamp: &Time, sample: Sample, base_frame: &str) {
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

    fn close(self, node: &mut Node) {
        match self {
            Self::Laser(output) => output.close(node),
            Self::PointCloud(output) => output.close(node),
            Self::Imu(output) => output.close(node),
            Self::Contacts(output) => output.close(node),
        }
    }
}
