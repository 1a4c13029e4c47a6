//! The topics of one robot.

use r2r::builtin_interfaces::msg::Time;
use r2r::geometry_msgs::msg::TransformStamped;
use r2r::nav_msgs::msg::Odometry;
use r2r::sensor_msgs::msg::JointState;
use r2r::std_msgs::msg::String as Text;
use r2r::{Context, Node, QosProfile};

use super::closing::{Kept, Left};
use super::command_input::CommandInput;
use super::kachaka::{self, Places, Surface};
use super::messages;
use super::output::{Output, latched};
use super::plan::{Interface, Plan};
use super::sensor_output::SensorOutput;
use super::transforms::Transforms;
use crate::kachaka::Kachaka;
use crate::robot::{Robot, Sample};
use crate::sensors::Odometry as Odometer;
use crate::world::{BodyState, SimTime, Twist2};

/// One open robot.
pub(super) struct RobotTopics {
    plan: Plan,
    control: Control,
    ground_truth: Output<Odometry>,
    joint_states: Output<JointState>,
    description: Option<Output<Text>>,
    sensors: Vec<SensorOutput>,
    life: Life,
}

/// Tells the robots of one name apart: it is another one after each spawn and each reset, and
/// what was meant for the one before is not for the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Life(pub(super) u64);

/// How a robot is driven and where its odometry goes.
enum Control {
    Plain {
        commands: CommandInput,
        odom: Box<Output<Odometry>>,
    },
    Kachaka {
        surface: Box<Surface>,
        places: Places,
    },
}

/// A robot as it is told about: what it is and how it is now.
#[derive(Clone, Copy)]
pub(super) struct Present<'a> {
    /// Its parts.
    pub(super) robot: &'a Robot,
    /// Its body.
    pub(super) body: BodyState,
    /// Its own software, if it has any.
    pub(super) kachaka: Option<&'a Kachaka>,
}

/// The QoS of a robot's topics, but for those that a Kachaka has of the real robot's.
pub(super) fn qos(plan: &Plan) -> QosProfile {
    if plan.reliable {
        QosProfile::default().reliable().keep_last(super::DEPTH)
    } else {
        QosProfile::sensor_data()
    }
}

/// What a robot's topics are opened with.
pub(super) struct Opening<'a> {
    /// The server's node.
    pub(super) node: &'a mut Node,
    /// For a node of the robot's own.
    pub(super) context: &'a Context,
    /// The robot.
    pub(super) robot: &'a Robot,
    /// Its own software, if it has any.
    pub(super) kachaka: Option<&'a Kachaka>,
    /// Text of its description.
    pub(super) urdf: &'a str,
    /// The life that begins.
    pub(super) life: Life,
}

impl RobotTopics {
    /// Opens everything that the plan names, but for what is kept of a robot before it.
    ///
    /// # Errors
    /// When the middleware does not let a topic be opened. Names were checked before, so
    /// this is a machine out of resources; topics opened until then stay.
    pub(super) fn open(opening: Opening<'_>, plan: Plan, kept: Option<Kept>) -> r2r::Result<Self> {
        let Opening {
            node,
            context,
            robot,
            kachaka,
            urdf,
            life,
        } = opening;
        let qos = qos(&plan);
        let control = match (&plan.interface, kachaka) {
            (Interface::Kachaka(names), Some(kachaka)) => Control::Kachaka {
                surface: Box::new(match kept {
                    Some(Kept::Legacy(legacy)) => {
                        Surface::open(node, context, &plan, names, kachaka, Some(*legacy))?
                    }
                    _ => Surface::open(node, context, &plan, names, kachaka, None)?,
                }),
                places: Places::default(),
            },
            // The scene gives every robot that is planned as a Kachaka its software.
            (Interface::Kachaka(_), None) => return Err(r2r::Error::RCL_RET_ERROR),
            (
                Interface::Plain {
                    cmd_vel,
                    stamped,
                    odom,
                },
                _,
            ) => Control::Plain {
                commands: match kept {
                    Some(Kept::Commands(commands)) => commands,
                    _ => CommandInput::open(node, cmd_vel, qos.clone(), *stamped)?,
                },
                odom: Box::new(Output::open(
                    node,
                    odom,
                    qos.clone(),
                    messages::odometry(&plan.odom_frame, &plan.base_frame, &Odometer::covariance()),
                )?),
            },
        };
        let truth = messages::odometry(plan.truth_frame(), &plan.truth_child, &messages::EXACT);
        let joint_states = JointState {
            name: robot.movable_joints().to_vec(),
            ..Default::default()
        };
        let description = match &plan.robot_description {
            Some(topic) => Some(Output::open(
                node,
                topic,
                latched(1),
                Text {
                    data: urdf.to_owned(),
                },
            )?),
            None => None,
        };
        let sensor_qos = match &plan.interface {
            Interface::Plain { .. } => qos.clone(),
            Interface::Kachaka(_) => QosProfile::sensor_data(),
        };
        let sensors = (robot.sensors().iter().zip(&plan.sensors))
            .map(|(sensor, topic)| {
                let frame = format!("{}{}", plan.frame_prefix, sensor.frame());
                SensorOutput::open(node, &plan, sensor.kind(), topic, &frame, &sensor_qos)
            })
            .collect::<r2r::Result<_>>()?;
        Ok(Self {
            ground_truth: Output::open(node, &plan.ground_truth, qos.clone(), truth)?,
            joint_states: Output::open(node, &plan.joint_states, qos, joint_states)?,
            description,
            control,
            sensors,
            plan,
            life,
        })
    }

    /// What it publishes and listens to.
    pub(super) fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The same, to take other places for those it knows.
    pub(super) fn plan_mut(&mut self) -> &mut Plan {
        &mut self.plan
    }

    /// Which robot of its name it is.
    pub(super) fn life(&self) -> Life {
        self.life
    }

    /// It is another robot from now on.
    pub(super) fn begin_life(&mut self, life: Life) {
        self.life = life;
    }

    /// The latest command that has arrived at a plain robot, if any.
    pub(super) fn latest_command(&mut self) -> Option<Twist2> {
        match &mut self.control {
            Control::Plain { commands, .. } => commands.latest(),
            Control::Kachaka { .. } => None,
        }
    }

    /// The surface of a Kachaka.
    pub(super) fn surface(&mut self) -> Option<&mut Surface> {
        match &mut self.control {
            Control::Plain { .. } => None,
            Control::Kachaka { surface, .. } => Some(surface),
        }
    }

    /// Warns once when somebody publishes commands of the wrong type.
    pub(super) fn warn_of_wrong_type(&mut self, node: &Node) {
        if let Control::Plain { commands, .. } = &mut self.control {
            commands.warn_of_wrong_type(node, &self.plan.robot);
        }
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
        &mut self,
        node: &mut Node,
        present: Present<'_>,
        moving: &mut Transforms,
        fixed: &mut Transforms,
    ) -> r2r::Result<()> {
        let plan = &self.plan;
        let transforms = match &plan.interface {
            Interface::Kachaka(names) => kachaka::moving_transforms(plan, names, present.robot),
            Interface::Plain { .. } => plain_transforms(plan),
        };
        moving.add(node, &plan.tf_topic, &plan.robot, transforms)?;
        match (&plan.interface, present.kachaka) {
            (Interface::Kachaka(_), Some(kachaka)) => {
                self.update_places(node, present.robot, kachaka, fixed)?;
            }
            _ if self.description.is_some() => {
                let prefixed = |link: &str| format!("{}{link}", plan.frame_prefix);
                let joints = present.robot.description().fixed_joints().map(|joint| {
                    let mut fixed =
                        messages::transform(&prefixed(&joint.parent), &prefixed(&joint.child));
                    fixed.transform = messages::spatial_transform(&joint.origin);
                    fixed
                });
                fixed.add(node, &plan.tf_static_topic(), &plan.robot, joints.collect())?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Puts the places of a Kachaka among its fixed transforms if they have changed. Whether
    /// they had.
    ///
    /// # Errors
    /// When the middleware does not let a topic be opened.
    pub(super) fn update_places(
        &mut self,
        node: &mut Node,
        robot: &Robot,
        kachaka: &Kachaka,
        fixed: &mut Transforms,
    ) -> r2r::Result<bool> {
        let Control::Kachaka { places, .. } = &mut self.control else {
            return Ok(false);
        };
        let plan = &self.plan;
        let Some(names) = plan.kachaka() else {
            return Ok(false);
        };
        if !places.take_change(kachaka.locations()) {
            return Ok(false);
        }
        let transforms = kachaka::fixed_transforms(names, robot, kachaka.locations());
        fixed.add(node, &plan.tf_static_topic(), &plan.robot, transforms)?;
        Ok(true)
    }

    /// Sets the numbers of the robot's moving transforms.
    pub(super) fn set_transforms(
        &self,
        moving: &mut Transforms,
        stamp: &Time,
        present: Present<'_>,
    ) {
        let plan = &self.plan;
        let transforms = moving.of(&plan.tf_topic, &plan.robot);
        for transform in transforms.iter_mut() {
            transform.header.stamp.clone_from(stamp);
        }
        if let Some(kachaka) = present.kachaka {
            kachaka::set_moving(transforms, plan, present.robot, kachaka);
            return;
        }
        let sample = present.robot.odometry();
        let (odometry, _) = plan.child_odometry(sample.pose, sample.twist);
        match transforms {
            [odom] => odom.transform = messages::planar_transform(odometry, 0.0),
            [world, odom] => {
                // What is between the truth and the odometry is the odometry's error.
                let truth = plan.child_truth(present.body.pose);
                let error = truth.compose(&odometry.inverse());
                world.transform = messages::planar_transform(error, present.body.level.floor);
                odom.transform = messages::planar_transform(odometry, 0.0);
            }
            _ => {}
        }
    }

    /// Publishes odometry, true pose and joint states.
    pub(super) fn publish_state(&mut self, now: SimTime, stamp: &Time, present: Present<'_>) {
        let sample = present.robot.odometry();
        match (&mut self.control, present.kachaka) {
            (Control::Plain { odom, .. }, _) => {
                let (pose, twist) = self.plan.child_odometry(sample.pose, sample.twist);
                odom.message.header.stamp.clone_from(stamp);
                messages::set_odometry(&mut odom.message, pose, 0.0, twist);
                odom.publish();
            }
            (Control::Kachaka { surface, .. }, Some(kachaka)) => {
                surface.publish_odometry(now, &self.plan, sample, kachaka);
            }
            (Control::Kachaka { .. }, None) => {}
        }
        let body = present.body;
        let truth = &mut self.ground_truth.message;
        truth.header.stamp.clone_from(stamp);
        messages::set_odometry(truth, body.pose, body.level.floor, body.twist);
        self.ground_truth.publish();
        let joints = &mut self.joint_states.message;
        joints.header.stamp.clone_from(stamp);
        messages::set_joints(joints, present.robot.joint_motions());
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

    /// Closes everything but what has to wait for a last message.
    pub(super) fn close_outputs(self, node: &mut Node) -> Left {
        self.ground_truth.close(node);
        self.joint_states.close(node);
        if let Some(description) = self.description {
            description.close(node);
        }
        for sensor in self.sensors {
            sensor.close(node);
        }
        match self.control {
            Control::Plain { commands, odom } => {
                odom.close(node);
                Left::Commands(commands)
            }
            Control::Kachaka { surface, .. } => Left::Surface(surface),
        }
    }
}

/// The transforms of a plain robot, still without numbers.
fn plain_transforms(plan: &Plan) -> Vec<TransformStamped> {
    let world = (!plan.world_frame.is_empty())
        .then(|| messages::transform(&plan.world_frame, &plan.odom_frame));
    let odom = messages::transform(&plan.odom_frame, &plan.base_frame);
    world.into_iter().chain([odom]).collect()
}
