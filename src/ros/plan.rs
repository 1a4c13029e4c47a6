//! What a robot will publish and listen to, worked out and checked before anything is
//! opened: names, frames, and that no other robot uses them.

use r2r::tatami_msgs::srv::SpawnRobot;

use super::kachaka::KachakaPlan;
use super::names::{NameError, check_frame, resolve_namespace, resolve_topic};
use super::uses::{Reserved, Use, Uses};
use crate::description::{DescriptionError, RobotDescription};
use crate::kachaka::ConfigError;
use crate::world::{Pose2, Twist2};

/// A robot whose topics or frames can't be.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub(super) enum PlanError {
    /// A name that ROS does not allow.
    #[error(transparent)]
    Name(#[from] NameError),
    /// A description that can't be read.
    #[error("urdf: {0}")]
    Description(#[from] DescriptionError),
    /// Two topics of one robot with the same name.
    #[error("{what} and {other} are both {topic:?}: give one of them another topic")]
    OwnTopicTwice {
        /// The later one.
        what: String,
        /// The earlier one.
        other: String,
        /// The topic.
        topic: String,
    },
    /// Two frames of one robot with the same name.
    #[error("{what} is {frame:?}, which is {other} already: the two must differ")]
    OwnFrameTwice {
        /// The later one.
        what: String,
        /// The earlier one.
        other: String,
        /// The frame.
        frame: String,
    },
    /// A topic of the server.
    #[error("{what} is {topic:?}, which is a topic of the server: give it another name")]
    ServersTopic {
        /// What it would be for.
        what: String,
        /// The topic.
        topic: String,
    },
    /// A topic for moving transforms that is one for fixed ones.
    #[error("tf_topic is {0:?}: names that end with _static are for fixed transforms")]
    StaticTopic(String),
    /// A topic or service that another robot uses.
    #[error(
        "{what} is {topic:?}, which robot {robot:?} uses already: give one of them another robot_namespace or topic"
    )]
    TopicTaken {
        /// What it would be for.
        what: String,
        /// The topic.
        topic: String,
        /// The other robot.
        robot: String,
    },
    /// A frame that another robot publishes on the same topic.
    #[error(
        "{what} is {frame:?}, which robot {robot:?} publishes on {topic:?} already: give one of them another frame_prefix or tf_topic"
    )]
    FrameTaken {
        /// What it would be for.
        what: String,
        /// The frame.
        frame: String,
        /// The topic of transforms.
        topic: String,
        /// The other robot.
        robot: String,
    },
    /// A sensor without a name.
    #[error("sensors[{0}].name is empty: every sensor of a robot needs a name of its own")]
    UnnamedSensor(usize),
    /// Something that does not exist.
    #[error("{field} is {given:?}: {known}")]
    Unknown {
        /// Field of the request.
        field: &'static str,
        /// What it held.
        given: String,
        /// What is known.
        known: &'static str,
    },
    /// Settings of the on-board behaviour that can't be read.
    #[error("onboard_config: {0}")]
    Onboard(#[from] ConfigError),
    /// Settings for an on-board behaviour that the robot does not have.
    #[error("onboard_config is given but onboard is empty: set onboard to \"kachaka\" or leave both empty")]
    ConfigWithoutOnboard,
    /// A field that a Kachaka has no use for.
    #[error("{field} is {given}: {reason}")]
    NotForKachaka {
        /// Field of the request.
        field: &'static str,
        /// What it held.
        given: String,
        /// Why not.
        reason: &'static str,
    },
}

/// How a robot is driven and where its odometry goes.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Interface {
    /// Velocities in, odometry out.
    Plain {
        /// Velocity commands.
        cmd_vel: String,
        /// Whether they carry a header.
        stamped: bool,
        /// Wheel odometry.
        odom: String,
    },
    /// The surface of a Kachaka.
    Kachaka(Box<KachakaPlan>),
}

/// The topics and frames of one robot.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Plan {
    /// Name of the robot.
    pub(super) robot: String,
    /// Absolute namespace.
    pub(super) namespace: String,
    /// Put before every frame.
    pub(super) frame_prefix: String,
    /// Without the prefix, for all robots are in it; empty when no transform from it is sent.
    pub(super) world_frame: String,
    /// With the prefix.
    pub(super) odom_frame: String,
    /// Child of the odometry, with the prefix.
    pub(super) base_frame: String,
    /// Frame of the true pose, with the prefix: the base frame of the request.
    pub(super) truth_child: String,
    /// The base frame of the request in the child of the odometry.
    base_in_child: Pose2,
    /// Topic of moving transforms.
    pub(super) tf_topic: String,
    /// How it is driven.
    pub(super) interface: Interface,
    /// True pose and twist.
    pub(super) ground_truth: String,
    /// Movable joints.
    pub(super) joint_states: String,
    /// Topic of the URDF, if it is published.
    pub(super) robot_description: Option<String>,
    /// Topics of the sensors, in the order of the request.
    pub(super) sensors: Vec<String>,
    /// Whether topics are reliable, else as on the real robot.
    pub(super) reliable: bool,
    uses: Uses,
}

impl Plan {
    /// Works out the names of a request.
    ///
    /// # Errors
    /// When a name is not allowed, two of them are the same, or the URDF or the settings of
    /// the on-board behaviour can't be read.
    pub(super) fn new(
        request: &SpawnRobot::Request,
        reserved: &Reserved,
    ) -> Result<Self, PlanError> {
        let (description, _) = RobotDescription::parse(&request.urdf)?;
        let namespace = resolve_namespace(&request.name, &request.robot_namespace)?;
        let topic = |field: &str, topic: &str| resolve_topic(field, &namespace, topic);
        let tf_topic = match request.tf_topic.as_str() {
            "" => "/tf".to_owned(),
            given => topic("tf_topic", given)?,
        };
        let child = odometry_child(request, &description);
        let mut plan = Self {
            robot: request.name.clone(),
            frame_prefix: request.frame_prefix.clone(),
            world_frame: request.world_frame.clone(),
            odom_frame: format!("{}{}", request.frame_prefix, request.odom_frame),
            base_frame: format!("{}{child}", request.frame_prefix),
            truth_child: format!("{}{}", request.frame_prefix, request.base_frame),
            base_in_child: planar_frame_in(&description, child, &request.base_frame),
            tf_topic,
            interface: interface(request, &namespace, &description)?,
            ground_truth: topic("ground_truth", "ground_truth")?,
            joint_states: topic("joint_states", "joint_states")?,
            robot_description: if request.publish_description {
                Some(topic("robot_description", "robot_description")?)
            } else {
                None
            },
            sensors: sensor_topics(request, &description, &namespace)?,
            reliable: request.reliable,
            namespace,
            uses: Uses::default(),
        };
        plan.collect_topics(request, reserved)?;
        plan.collect_frames(request, &description)?;
        if let Some(kachaka) = plan.kachaka() {
            let ids: Vec<String> = kachaka.location_ids().map(ToOwned::to_owned).collect();
            plan.set_places(ids.iter().map(String::as_str))?;
        }
        Ok(plan)
    }

    /// What a Kachaka has more than other robots.
    pub(super) fn kachaka(&self) -> Option<&KachakaPlan> {
        match &self.interface {
            Interface::Plain { .. } => None,
            Interface::Kachaka(plan) => Some(plan),
        }
    }

    /// Takes the ids of places on the robot's map, which become frames, for those it has.
    ///
    /// # Errors
    /// When one is no frame or is one of the robot's already; then nothing has changed.
    pub(super) fn set_places<'a>(
        &mut self,
        ids: impl Iterator<Item = &'a str>,
    ) -> Result<(), PlanError> {
        let mut frames = self.uses.frames.clone();
        // What hangs above the odometry, and the odometry if somebody else places it.
        let map = self.kachaka().map(KachakaPlan::map_frame);
        frames.extend(map.map(|frame| Use::new("the frame of the map", frame)));
        frames.push(Use::new("odom_frame", &self.odom_frame));
        let first = frames.len();
        for id in ids {
            let what = format!("location {id:?}");
            let frame = format!("{}{id}", self.frame_prefix);
            check_frame(&what, id)?;
            check_frame(&what, &frame)?;
            Uses::add_frame(&mut frames, Use::new(what, frame))?;
        }
        self.uses.places = frames.split_off(first);
        Ok(())
    }

    /// Whether its fixed transforms are sent: those of a Kachaka come from the robot itself,
    /// those of others along with the description.
    pub(super) fn sends_fixed_transforms(&self) -> bool {
        self.robot_description.is_some() || self.kachaka().is_some()
    }

    /// Topic of the transforms that never change: the one of the moving ones with
    /// `_static` behind it, as tf2 has it.
    pub(super) fn tf_static_topic(&self) -> String {
        format!("{}_static", self.tf_topic)
    }

    /// The frame of true poses.
    pub(super) fn truth_frame(&self) -> &str {
        if self.world_frame.is_empty() {
            "world"
        } else {
            &self.world_frame
        }
    }

    /// The true pose of the odometry's child from that of the base frame.
    pub(super) fn child_truth(&self, base: Pose2) -> Pose2 {
        base.compose(&self.base_in_child.inverse())
    }

    /// The odometry of the child from that of the base frame.
    pub(super) fn child_odometry(&self, pose: Pose2, twist: Twist2) -> (Pose2, Twist2) {
        let offset = self.base_in_child;
        if offset == Pose2::default() {
            return (pose, twist);
        }
        let rotation = Pose2::new(0.0, 0.0, offset.yaw);
        let [x, y] = rotation.transform_point([twist.x, twist.y]);
        // Of a rigid body: what its origin does is what the base does less the turn there.
        let twist = Twist2::new(
            x + twist.angular * offset.y,
            y - twist.angular * offset.x,
            twist.angular,
        );
        (offset.compose(&pose).compose(&offset.inverse()), twist)
    }

    /// Checks that another robot does not use a topic or frame of this one.
    ///
    /// # Errors
    /// When it does, with its name.
    pub(super) fn check_beside(&self, other: &Self) -> Result<(), PlanError> {
        let taken = |new: &Use| PlanError::TopicTaken {
            what: new.what.clone(),
            topic: new.name.clone(),
            robot: other.robot.clone(),
        };
        let has = |list: &[Use], name: &str| list.iter().any(|used| used.name == name);
        let theirs = other.transform_topics();
        for topic in &self.uses.topics {
            // Transforms are what robots share a topic for, so nothing else may be on it.
            if has(&other.uses.topics, &topic.name) || has(&theirs, &topic.name) {
                return Err(taken(topic));
            }
        }
        for topic in &self.transform_topics() {
            if has(&other.uses.topics, &topic.name) {
                return Err(taken(topic));
            }
        }
        for service in &self.uses.services {
            if has(&other.uses.services, &service.name) {
                return Err(taken(service));
            }
        }
        self.check_frames_beside(other)
    }

    /// Checks that another robot does not place a frame of this one on the same topic.
    ///
    /// # Errors
    /// When it does, with its name.
    pub(super) fn check_frames_beside(&self, other: &Self) -> Result<(), PlanError> {
        if self.tf_topic != other.tf_topic {
            return Ok(());
        }
        for frame in self.uses.all_frames() {
            if other.uses.all_frames().any(|used| used.name == frame.name) {
                return Err(PlanError::FrameTaken {
                    what: frame.what.clone(),
                    frame: frame.name.clone(),
                    topic: self.tf_topic.clone(),
                    robot: other.robot.clone(),
                });
            }
        }
        Ok(())
    }

    /// The topics of moving and of fixed transforms.
    fn transform_topics(&self) -> [Use; 2] {
        [
            Use::new("tf_topic", self.tf_topic.clone()),
            Use::new("the topic of fixed transforms", self.tf_static_topic()),
        ]
    }

    fn collect_topics(
        &mut self,
        request: &SpawnRobot::Request,
        reserved: &Reserved,
    ) -> Result<(), PlanError> {
        if self.tf_topic.ends_with("_static") {
            return Err(PlanError::StaticTopic(self.tf_topic.clone()));
        }
        let transforms = self.transform_topics();
        let servers = |topic: &&Use| reserved.topics.contains(&topic.name);
        if let Some(Use { what, name: topic }) = transforms.iter().find(servers).cloned() {
            return Err(PlanError::ServersTopic { what, topic });
        }
        let mut all = match &self.interface {
            Interface::Plain { cmd_vel, odom, .. } => {
                vec![Use::new("cmd_vel", cmd_vel), Use::new("odom", odom)]
            }
            Interface::Kachaka(kachaka) => kachaka.topics(),
        };
        all.push(Use::new("ground_truth", &self.ground_truth));
        all.push(Use::new("joint_states", &self.joint_states));
        let description = self.robot_description.iter();
        all.extend(description.map(|name| Use::new("robot_description", name)));
        let sensors = request.sensors.iter().enumerate().zip(&self.sensors);
        all.extend(sensors.map(|((i, sensor), name)| {
            let what = format!("the topic of sensors[{i}] ({:?})", sensor.name);
            Use::new(what, name)
        }));
        for topic in all {
            Uses::add(&mut self.uses.topics, &transforms, &reserved.topics, topic)?;
        }
        let services = self.kachaka().map_or_else(Vec::new, KachakaPlan::services);
        for service in services {
            Uses::add(&mut self.uses.services, &[], &reserved.services, service)?;
        }
        Ok(())
    }

    fn collect_frames(
        &mut self,
        request: &SpawnRobot::Request,
        description: &RobotDescription,
    ) -> Result<(), PlanError> {
        // Each by itself and behind the prefix, which may hide a slash or bring one along.
        check_frame("odom_frame", &request.odom_frame)?;
        check_frame("odom_frame", &self.odom_frame)?;
        check_frame("base_frame", &request.base_frame)?;
        check_frame("base_frame", &self.base_frame)?;
        let mut frames = Vec::new();
        // What the odometry frame hangs under is above the robot, and not placed by it.
        let mut above = 0;
        if !self.world_frame.is_empty() {
            check_frame("world_frame", &self.world_frame)?;
            let world = Use::new("world_frame", &self.world_frame);
            Uses::add_frame(&mut frames, world)?;
            above += 1;
        }
        if let Some(kachaka) = self.kachaka() {
            let map = Use::new("the frame of the map", kachaka.map_frame());
            Uses::add_frame(&mut frames, map)?;
            above += 1;
        }
        Uses::add_frame(&mut frames, Use::new("odom_frame", &self.odom_frame))?;
        Uses::add_frame(&mut frames, Use::new("base_frame", &self.base_frame))?;
        for joint in description.fixed_joints() {
            let child = format!("{}{}", self.frame_prefix, joint.child);
            let what = format!("link {:?} of the urdf", joint.child);
            check_frame(&what, &joint.child)?;
            check_frame(&what, &child)?;
            if self.sends_fixed_transforms() && child != self.base_frame {
                Uses::add_frame(&mut frames, Use::new(what, child))?;
            }
        }
        if let Some(kachaka) = self.kachaka() {
            for frame in kachaka.frames() {
                check_frame(&frame.what, &frame.name)?;
                Uses::add_frame(&mut frames, frame)?;
            }
        }
        self.uses.frames = frames.split_off(above);
        let placed = !self.world_frame.is_empty()
            || self.kachaka().is_some_and(KachakaPlan::places_odometry);
        if !placed {
            // Several robots may share an odometry frame as long as nobody places it.
            self.uses.frames.remove(0);
        }
        Ok(())
    }
}

fn interface(
    request: &SpawnRobot::Request,
    namespace: &str,
    description: &RobotDescription,
) -> Result<Interface, PlanError> {
    match request.onboard.as_str() {
        "kachaka" => {
            let plan = KachakaPlan::new(request, namespace, description)?;
            Ok(Interface::Kachaka(Box::new(plan)))
        }
        "" if !request.onboard_config.is_empty() => Err(PlanError::ConfigWithoutOnboard),
        "" => Ok(Interface::Plain {
            cmd_vel: resolve_topic("cmd_vel", namespace, "cmd_vel")?,
            stamped: request.stamped,
            odom: resolve_topic("odom", namespace, "odom")?,
        }),
        unknown => Err(PlanError::Unknown {
            field: "onboard",
            given: unknown.to_owned(),
            known: "unknown on-board behaviour, known are \"\" (a plain robot) and \"kachaka\"",
        }),
    }
}

/// The frame that odometry moves: the root of the description when the base frame hangs
/// under it by fixed joints, whose transforms then lead to the base frame.
fn odometry_child<'a>(
    request: &'a SpawnRobot::Request,
    description: &'a RobotDescription,
) -> &'a str {
    let root = description.root();
    match description.is_fixed_to(root, &request.base_frame) {
        Ok(true) => root,
        // The scene refuses such a base frame and says why.
        _ => &request.base_frame,
    }
}

/// The planar part of a link's pose in the frame of another; the identity when one of
/// them does not exist, which the scene refuses.
fn planar_frame_in(description: &RobotDescription, frame: &str, link: &str) -> Pose2 {
    let Ok(pose) = description.frame_in(frame, link) else {
        return Pose2::default();
    };
    let forward = pose.rotation * nalgebra::Vector3::x();
    Pose2::new(
        pose.translation.x,
        pose.translation.y,
        libm::atan2(forward.y, forward.x),
    )
}

fn sensor_topics(
    request: &SpawnRobot::Request,
    description: &RobotDescription,
    namespace: &str,
) -> Result<Vec<String>, PlanError> {
    request
        .sensors
        .iter()
        .enumerate()
        .map(|(i, sensor)| {
            if sensor.name.is_empty() {
                return Err(PlanError::UnnamedSensor(i));
            }
            let block = match sensor.sensor.as_str() {
                "" => None,
                name => description.sensor(name)?.topic.as_deref(),
            };
            let topic = match sensor.topic.as_str() {
                "" => block.unwrap_or(&sensor.name),
                given => given,
            };
            let field = format!("sensors[{i}].topic");
            Ok(resolve_topic(&field, namespace, topic)?)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use r2r::tatami_msgs::msg::SensorSpec;

    const URDF: &str = r#"<robot name="r"><link name="base_link"/><link name="laser"/>
        <joint name="j" type="fixed"><parent link="base_link"/><child link="laser"/></joint>
        <gazebo reference="laser"><sensor name="front" type="lidar"><topic>lidar/points</topic>
        <lidar><scan><horizontal><samples>4</samples><min_angle>-1</min_angle><max_angle>1</max_angle>
        </horizontal></scan><range><min>0.1</min><max>5</max></range></lidar></sensor></gazebo></robot>"#;

    fn reserved() -> Reserved {
        Reserved::of("/tatami")
    }

    fn request(name: &str) -> SpawnRobot::Request {
        SpawnRobot::Request {
            name: name.to_owned(),
            urdf: URDF.to_owned(),
            ..Default::default()
        }
    }

    fn sensor(name: &str, topic: &str, block: &str) -> SensorSpec {
        SensorSpec {
            name: name.to_owned(),
            topic: topic.to_owned(),
            sensor: block.to_owned(),
            ..Default::default()
        }
    }

    #[test]
    fn topics_stand_below_the_namespace() {
        let mut request = request("bot");
        request.frame_prefix = "bot/".to_owned();
        request.sensors = vec![
            sensor("scan", "", ""),
            sensor("a", "/absolute", ""),
            sensor("b", "", "front"),
        ];
        let plan = Plan::new(&request, &reserved()).unwrap();
        assert_eq!(plan.namespace, "/bot");
        assert_eq!(plan.cmd_vel, "/bot/cmd_vel");
        assert_eq!(plan.tf_topic, "/tf");
        assert_eq!(plan.tf_static_topic(), "/tf_static");
        assert_eq!(plan.base_frame, "bot/base_link");
        assert_eq!(plan.odom_frame, "bot/odom");
        assert_eq!(
            plan.sensors,
            ["/bot/scan", "/absolute", "/bot/lidar/points"]
        );
    }

    #[test]
    fn one_robot_does_not_use_a_name_twice() {
        let mut request = request("bot");
        request.sensors = vec![sensor("odom", "", "")];
        let text = Plan::new(&request, &reserved()).unwrap_err().to_string();
        assert!(
            text.contains("sensors[0]") && text.contains("\"/bot/odom\""),
            "{text}"
        );
        request.sensors = vec![sensor("s", "/clock", "")];
        let text = Plan::new(&request, &reserved()).unwrap_err().to_string();
        assert!(text.contains("topic of the server"), "{text}");
        request.sensors = vec![sensor("s", "/tf", "")];
        let text = Plan::new(&request, &reserved()).unwrap_err().to_string();
        assert!(text.contains("and tf_topic are both \"/tf\""), "{text}");
        request.sensors.clear();
        request.tf_topic = "/tatami/discs".to_owned();
        let text = Plan::new(&request, &reserved()).unwrap_err().to_string();
        assert!(
            text.starts_with("tf_topic is \"/tatami/discs\", which is a topic of the server"),
            "{text}"
        );
        request.tf_topic.clear();
        request.odom_frame = "base_link".to_owned();
        let text = Plan::new(&request, &reserved()).unwrap_err().to_string();
        assert!(text.starts_with("base_frame is \"base_link\""), "{text}");
    }

    #[test]
    fn robots_that_collide_are_named() {
        let first = Plan::new(&request("a"), &reserved()).unwrap();
        let mut second = request("b");
        let text = |request: &_| {
            let plan: Plan = Plan::new(request, &reserved()).unwrap();
            plan.check_beside(&first).map_err(|e| e.to_string())
        };
        let refused = text(&second).unwrap_err();
        assert!(refused.contains("base_frame is \"base_link\""), "{refused}");
        assert!(refused.contains("robot \"a\""), "{refused}");
        second.frame_prefix = "b/".to_owned();
        assert_eq!(text(&second), Ok(()));
        second.robot_namespace = "/a".to_owned();
        let refused = text(&second).unwrap_err();
        assert!(refused.contains("\"/a/cmd_vel\""), "{refused}");
        second.robot_namespace.clear();
        second.frame_prefix.clear();
        second.tf_topic = "tf".to_owned();
        assert_eq!(text(&second), Ok(()), "on its own topic a frame is its own");
    }

    #[test]
    fn odometry_moves_the_root_when_the_base_frame_hangs_under_it() {
        let mut request = request("bot");
        request.urdf = r#"<robot name="r"><link name="root"/><link name="base_link"/>
            <joint name="j" type="fixed"><parent link="root"/><child link="base_link"/>
            <origin xyz="0.5 0 0"/></joint></robot>"#
            .to_owned();
        let plan = Plan::new(&request, &reserved()).unwrap();
        assert_eq!(
            (&*plan.base_frame, &*plan.truth_child),
            ("root", "base_link")
        );
        // The base has turned left by 90 degrees on the spot, at 1 rad/s: the root, half a
        // metre behind it, has gone round to its right and moves to the right.
        let turned = Pose2::new(0.0, 0.0, std::f64::consts::FRAC_PI_2);
        let (pose, twist) = plan.child_odometry(turned, Twist2::new(0.0, 0.0, 1.0));
        assert!((pose.x - 0.5).abs() < 1e-12, "{pose:?}");
        assert!((pose.y + 0.5).abs() < 1e-12, "{pose:?}");
        assert_eq!(twist, Twist2::new(0.0, -0.5, 1.0));
        let truth = plan.child_truth(Pose2::new(3.0, 1.0, 0.0));
        assert_eq!(truth, Pose2::new(2.5, 1.0, 0.0));
    }

    #[test]
    fn frames_and_future_fields_are_checked() {
        let mut bad = request("bot");
        bad.frame_prefix = "/bot/".to_owned();
        let text = Plan::new(&bad, &reserved()).unwrap_err().to_string();
        assert!(text.contains("must not start with a slash"), "{text}");
        let mut bad = request("bot");
        bad.onboard = "roomba".to_owned();
        let text = Plan::new(&bad, &reserved()).unwrap_err().to_string();
        assert!(text.contains("\"roomba\""), "{text}");
    }
}
