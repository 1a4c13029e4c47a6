//! What a robot will publish and listen to, worked out and checked before anything is
//! opened: names, frames, and that no other robot uses them.

mod error;

use r2r::tatami_msgs::srv::SpawnRobot;

use super::kachaka::KachakaPlan;
use super::names::{MAX_SENT_BYTES, check_frame, resolve_namespace, resolve_topic};
use super::uses::{Reserved, Use, UseList, Uses, own_frame_twice};
use crate::description::RobotDescription;
use crate::world::{Pose2, Twist2};

pub(super) use error::PlanError;

/// Most sensors of a robot. Each is a topic that the middleware makes known to everybody.
const MAX_SENSORS: usize = 1_000;

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
        check_sizes(request)?;
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
        let fixed = plan.tf_static_topic();
        resolve_topic("tf_topic with _static behind it", &plan.namespace, &fixed)?;
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
        let mut places = UseList::default();
        for id in ids {
            let what = format!("location {id:?}");
            let frame = format!("{}{id}", self.frame_prefix);
            check_frame(&what, id)?;
            check_frame(&what, &frame)?;
            let place = Use::new(what, frame);
            self.uses.check_frame_is_new(&place)?;
            if let Some(used) = places.find(&place.name) {
                return Err(own_frame_twice(&place, used));
            }
            places.push(place);
        }
        self.uses.places = places;
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
        let has = |list: &UseList, new: &Use| list.find(&new.name).is_some();
        let theirs = other.transform_topics();
        for topic in self.uses.topics.iter() {
            // Transforms are what robots share a topic for, so nothing else may be on it.
            let is_for_transforms = theirs.iter().any(|used| used.name == topic.name);
            if has(&other.uses.topics, topic) || is_for_transforms {
                return Err(taken(topic));
            }
        }
        for topic in &self.transform_topics() {
            if has(&other.uses.topics, topic) {
                return Err(taken(topic));
            }
        }
        for service in self.uses.services.iter() {
            if has(&other.uses.services, service) {
                return Err(taken(service));
            }
        }
        self.check_frames_beside(other)
    }

    /// Checks that another robot does not place a frame of this one on the same topic, and that
    /// no place of one is what the other hangs under.
    ///
    /// # Errors
    /// When it does, with its name.
    pub(super) fn check_frames_beside(&self, other: &Self) -> Result<(), PlanError> {
        if self.tf_topic != other.tf_topic {
            return Ok(());
        }
        for frame in self.uses.all_frames() {
            if other.uses.find_frame(&frame.name).is_some() {
                return Err(PlanError::FrameTaken {
                    what: frame.what.clone(),
                    frame: frame.name.clone(),
                    topic: self.tf_topic.clone(),
                    robot: other.robot.clone(),
                });
            }
        }
        let (ours, theirs) = (&self.uses, &other.uses);
        let pairs = [(&ours.places, &theirs.above), (&ours.above, &theirs.places)];
        for (list, others) in pairs {
            for frame in list.iter() {
                if let Some(used) = others.find(&frame.name) {
                    return Err(PlanError::PlaceAbove {
                        what: frame.what.clone(),
                        frame: frame.name.clone(),
                        other: used.what.clone(),
                        topic: self.tf_topic.clone(),
                        robot: other.robot.clone(),
                    });
                }
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
        // What the odometry frame hangs under is above the robot, and not placed by it.
        if !self.world_frame.is_empty() {
            check_frame("world_frame", &self.world_frame)?;
            let world = Use::new("world_frame", &self.world_frame);
            self.uses.add_above(world)?;
        }
        if let Some(map) = self.kachaka().map(KachakaPlan::map_frame) {
            let map = Use::new("the frame of the map", map);
            self.uses.add_above(map)?;
        }
        let odom = Use::new("odom_frame", &self.odom_frame);
        let is_placed = !self.world_frame.is_empty()
            || self.kachaka().is_some_and(KachakaPlan::places_odometry);
        if is_placed {
            self.uses.add_frame(odom)?;
        } else {
            // Several robots may share an odometry frame as long as nobody places it.
            self.uses.add_above(odom)?;
        }
        let base = Use::new("base_frame", &self.base_frame);
        self.uses.add_frame(base)?;
        self.collect_links(description)?;
        let own: Vec<Use> = self
            .kachaka()
            .into_iter()
            .flat_map(KachakaPlan::frames)
            .collect();
        for frame in own {
            check_frame(&frame.what, &frame.name)?;
            self.uses.add_frame(frame)?;
        }
        if self.world_frame.is_empty() {
            let world = Use::new("the frame of true poses", self.truth_frame());
            self.uses.above.push(world);
        }
        Ok(())
    }

    /// Adds the frames of links that the robot places, and checks what it tells of joints.
    fn collect_links(&mut self, description: &RobotDescription) -> Result<(), PlanError> {
        for joint in description.movable_joints() {
            let what = || format!("the name of joint {:?} of the urdf", joint.name);
            check_length(what, &joint.name)?;
        }
        // Those of wheels and the like come from a Kachaka itself, too.
        let movable = self.kachaka().map(|_| description.movable_joints());
        let joints = description.fixed_joints();
        for joint in joints.chain(movable.into_iter().flatten()) {
            let child = format!("{}{}", self.frame_prefix, joint.child);
            let what = format!("link {:?} of the urdf", joint.child);
            check_frame(&what, &joint.child)?;
            check_frame(&what, &child)?;
            if self.sends_fixed_transforms() && child != self.base_frame {
                self.uses.add_frame(Use::new(what, child))?;
            }
        }
        Ok(())
    }
}

/// Refuses a name that would make each message long, and all that is told of the robot.
fn check_length(what: impl FnOnce() -> String, name: &str) -> Result<(), PlanError> {
    if name.len() <= MAX_SENT_BYTES {
        return Ok(());
    }
    Err(PlanError::TooLong {
        what: what(),
        bytes: name.len(),
    })
}

/// Refuses what no robot needs that much of, before anything is done with it.
fn check_sizes(request: &SpawnRobot::Request) -> Result<(), PlanError> {
    check_length(|| "frame_prefix".to_owned(), &request.frame_prefix)?;
    let given = request.sensors.len();
    if given > MAX_SENSORS {
        return Err(PlanError::TooManySensors { given });
    }
    for (index, sensor) in request.sensors.iter().enumerate() {
        check_length(|| format!("sensors[{index}].name"), &sensor.name)?;
    }
    Ok(())
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
mod tests;
