//! Puts a layout into the world of a running server, through its services.

use std::collections::BTreeSet;
use std::future::Future;
use std::pin::pin;
use std::task::{Context as TaskContext, Poll, Waker};
use std::time::{Duration, Instant};

use r2r::geometry_msgs::msg::{Point, Point32, Pose, Quaternion, Vector3};
use r2r::tatami_msgs::msg as tatami;
use r2r::tatami_msgs::srv::{AddFloors, AddLocations, AddOutlines, SpawnBoxes, SpawnRobot};
use r2r::{Client, Node, QosProfile, WrappedServiceTypeSupport};

use super::kachaka::location_message;
use super::plan::{Plan, PlanError};
use super::server::ServerError;
use super::start::create_context;
use super::uses::Reserved;
use crate::drive::wheels::WheelFields;
use crate::drive::{AxisLimits, DriveModel};
use crate::layout::{Layout, RobotItem, SensorItem};
use crate::world::{BoxSpec, FloorSpec, Footprint, OutlineSpec};

/// How long one turn of the node waits for messages.
const TURN: Duration = Duration::from_millis(10);

/// Why a layout did not get into the world. What was sent before stays there.
#[derive(Debug, thiserror::Error)]
pub enum LayoutClientError {
    /// ROS does not start.
    #[error(transparent)]
    Start(#[from] ServerError),
    /// ROS lets no client be made.
    #[error("ROS: {0}")]
    Ros(#[from] r2r::Error),
    /// A service that does not appear.
    #[error(
        "no service {service} after {seconds} s: is tatami_server running, with this namespace and ROS_DOMAIN_ID?"
    )]
    NoService {
        /// Its full name.
        service: String,
        /// How long it was waited for.
        seconds: f64,
    },
    /// A request without a reply.
    #[error("{service} did not answer within {seconds} s")]
    NoReply {
        /// Full name of the service.
        service: String,
        /// How long it was waited for.
        seconds: f64,
    },
    /// What the server said no to.
    #[error("{service} refused: {message}")]
    Refused {
        /// Full name of the service.
        service: String,
        /// What the server says.
        message: String,
    },
}

/// A node that talks to one server.
pub struct LayoutClient {
    node: Node,
    server: String,
    timeout: Duration,
}

impl LayoutClient {
    /// A client of the server node of this full name, such as `/tatami`. Each service and
    /// each reply is waited for no longer than `timeout` of wall time.
    ///
    /// # Errors
    /// When ROS does not start.
    pub fn new(server: &str, timeout: Duration) -> Result<Self, LayoutClientError> {
        let node = Node::create(create_context()?, "tatami_layout", "")?;
        Ok(Self {
            node,
            server: format!("/{}", server.trim_matches('/')),
            timeout,
        })
    }

    /// Sends floors, outlines, boxes, robots and locations, in this order, and tells `report` one line
    /// for each thing that the server has taken, and what it remarks.
    ///
    /// # Errors
    /// The first service that is not there, does not answer or refuses.
    pub fn send(
        &mut self,
        layout: &Layout,
        mut report: impl FnMut(&str),
    ) -> Result<(), LayoutClientError> {
        // All are looked for first, so that nothing is sent to half a server.
        let add_floors = self.find::<AddFloors::Service>("add_floors")?;
        let add_outlines = self.find::<AddOutlines::Service>("add_outlines")?;
        let spawn_boxes = self.find::<SpawnBoxes::Service>("spawn_boxes")?;
        let spawn_robot = self.find::<SpawnRobot::Service>("spawn_robot")?;
        let places = locations(layout);
        let add_locations = match places.is_empty() {
            true => None,
            false => Some(self.find::<AddLocations::Service>("add_locations")?),
        };
        if !layout.floors.is_empty() {
            let floors = layout.floors.iter().map(floor).collect();
            let reply = self.call(&add_floors, &AddFloors::Request { floors })?;
            let names = layout.floors.iter().map(|item| ("floor", &item.name));
            report_all(names, &reply.message, &mut report);
        }
        if !layout.outlines.is_empty() {
            let outlines = layout.outlines.iter().map(outline).collect();
            let reply = self.call(&add_outlines, &AddOutlines::Request { outlines })?;
            let names = layout.outlines.iter().map(|item| ("outline", &item.name));
            report_all(names, &reply.message, &mut report);
        }
        if !layout.boxes.is_empty() {
            let boxes = layout.boxes.iter().map(rectangle).collect();
            let reply = self.call(&spawn_boxes, &SpawnBoxes::Request { boxes })?;
            let names = layout.boxes.iter().map(|item| ("box", &item.name));
            report_all(names, &reply.message, &mut report);
        }
        for item in &layout.robots {
            let reply = self.call(&spawn_robot, &robot(item))?;
            report_all([("robot", &item.name)], &reply.message, &mut report);
        }
        for (service, request) in add_locations.iter().cycle().zip(&places) {
            let reply = self.call(service, request)?;
            let names = (layout.places.locations.iter()).map(|item| ("location", &item.id));
            report_all(names, &reply.message, &mut report);
        }
        Ok(())
    }

    /// A client for a service that is there.
    fn find<S>(&mut self, name: &str) -> Result<Service<S>, LayoutClientError>
    where
        S: WrappedServiceTypeSupport + 'static,
    {
        let service = format!("{}/{name}", self.server.trim_end_matches('/'));
        let client = self
            .node
            .create_client::<S>(&service, QosProfile::services_default())?;
        let available = Node::is_available(&client)?;
        match self.wait_for(available) {
            Some(outcome) => outcome?,
            None => {
                return Err(LayoutClientError::NoService {
                    service,
                    seconds: self.timeout.as_secs_f64(),
                });
            }
        }
        Ok(Service {
            name: service,
            client,
        })
    }

    /// Asks a service and waits for a reply that says yes.
    fn call<S>(
        &mut self,
        service: &Service<S>,
        request: &S::Request,
    ) -> Result<S::Response, LayoutClientError>
    where
        S: WrappedServiceTypeSupport + 'static,
        S::Response: Reply,
    {
        let reply = service.client.request(request)?;
        let Some(reply) = self.wait_for(reply) else {
            return Err(LayoutClientError::NoReply {
                service: service.name.clone(),
                seconds: self.timeout.as_secs_f64(),
            });
        };
        let reply = reply?;
        match reply.refusal() {
            None => Ok(reply),
            Some(message) => Err(LayoutClientError::Refused {
                service: service.name.clone(),
                message: message.to_owned(),
            }),
        }
    }

    /// Turns the node until the future is done; `None` when the time is over before.
    fn wait_for<T>(&mut self, future: impl Future<Output = T>) -> Option<T> {
        let mut future = pin!(future);
        // Polled after every turn of the node, which is what completes it.
        let mut context = TaskContext::from_waker(Waker::noop());
        let deadline = Instant::now() + self.timeout;
        loop {
            if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
                return Some(value);
            }
            if Instant::now() >= deadline {
                return None;
            }
            self.node.spin_once(TURN);
        }
    }
}

/// A service with its full name.
struct Service<S: WrappedServiceTypeSupport> {
    name: String,
    client: Client<S>,
}

/// What every response of the server has.
trait Reply {
    /// What the server says when it refused.
    fn refusal(&self) -> Option<&str>;
}

macro_rules! reply {
    ($($service:ident),*) => {$(
        impl Reply for $service::Response {
            fn refusal(&self) -> Option<&str> {
                (!self.success).then_some(self.message.as_str())
            }
        }
    )*};
}

reply!(AddFloors, AddOutlines, SpawnBoxes, SpawnRobot, AddLocations);

fn report_all<'a>(
    names: impl IntoIterator<Item = (&'static str, &'a String)>,
    remark: &str,
    report: &mut impl FnMut(&str),
) {
    for (kind, name) in names {
        report(&format!("{kind} {name}"));
    }
    for line in remark.lines().filter(|line| !line.trim().is_empty()) {
        report(&format!("    {line}"));
    }
}

/// Checks the names, topics and frames of a layout's robots and places as the server would,
/// each by itself and beside the others.
///
/// # Errors
/// The first robot or place that a server would refuse for them.
pub fn check_names(layout: &Layout, server: &str) -> Result<(), RefusedName> {
    let reserved = Reserved::of(server);
    let mut plans: Vec<Plan> = Vec::new();
    for (index, item) in layout.robots.iter().enumerate() {
        let refused = |reason: PlanError| RefusedName::Robot {
            index,
            robot: item.name.clone(),
            reason: reason.to_string(),
        };
        let plan = Plan::new(&robot(item), &reserved).map_err(refused)?;
        for other in &plans {
            plan.check_beside(other).map_err(refused)?;
        }
        plans.push(plan);
    }
    check_places(layout, &mut plans)
}

/// Checks the ids of the places, which become frames of each robot that knows places.
fn check_places(layout: &Layout, plans: &mut [Plan]) -> Result<(), RefusedName> {
    let ids: Vec<&str> = (layout.places.locations.iter())
        .map(|place| place.id.as_str())
        .collect();
    if ids.is_empty() {
        return Ok(());
    }
    for index in 0..plans.len() {
        let Err(all) = try_places(plans, index, &ids) else {
            continue;
        };
        // The first place without which the ones before it are taken.
        let refused = (1..ids.len()).find_map(|count| {
            let error = try_places(plans, index, &ids[..count]).err()?;
            Some((count - 1, error))
        });
        let (place, reason) = refused.unwrap_or((ids.len() - 1, all));
        let at = layout.places_at.get(place);
        return Err(RefusedName::Place {
            at: at.map_or_else(String::new, |at| format!("{at}: ")),
            index: place,
            robot: plans[index].robot.clone(),
            reason: reason.to_string(),
        });
    }
    Ok(())
}

/// Gives one robot places beside those it knows already. The plan changes only if it is taken.
fn try_places(plans: &mut [Plan], index: usize, ids: &[&str]) -> Result<(), PlanError> {
    let mut plan = plans[index].clone();
    let Some(kachaka) = plan.kachaka() else {
        return Ok(());
    };
    let mut all: BTreeSet<String> = kachaka.location_ids().map(ToOwned::to_owned).collect();
    all.extend(ids.iter().map(|id| (*id).to_owned()));
    plan.set_places(all.iter().map(String::as_str))?;
    for (other, beside) in plans.iter().enumerate() {
        if other != index {
            plan.check_frames_beside(beside)?;
        }
    }
    plans[index] = plan;
    Ok(())
}

/// A robot or a place of a layout with a name, topic or frame that a server would refuse.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RefusedName {
    /// A robot.
    #[error("robots[{index}] {robot:?}: {reason}")]
    Robot {
        /// Its place in the layout.
        index: usize,
        /// Its name.
        robot: String,
        /// What is wrong, and what would be right.
        reason: String,
    },
    /// A place that one of the robots can't have.
    #[error("{at}locations[{index}].id: robot {robot:?} can't have this place: {reason}")]
    Place {
        /// File, line and column with a colon behind them; "" when the layout has none.
        at: String,
        /// Its place in the layout.
        index: usize,
        /// Name of the robot.
        robot: String,
        /// What is wrong, and what would be right.
        reason: String,
    },
}

/// The places of a layout for each of its robots that knows places; for all of the world
/// when it has no such robot.
fn locations(layout: &Layout) -> Vec<AddLocations::Request> {
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

fn floor(item: &FloorSpec) -> tatami::Floor {
    tatami::Floor {
        name: item.name.clone(),
        z: item.z,
    }
}

fn outline(item: &OutlineSpec) -> tatami::Outline {
    tatami::Outline {
        name: item.name.clone(),
        points: item.points.iter().map(point).collect(),
        z_min: item.z_min,
        z_max: item.z_max,
    }
}

fn rectangle(item: &BoxSpec) -> tatami::Box {
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

fn robot(item: &RobotItem) -> SpawnRobot::Request {
    let (radius, footprint) = match &item.footprint {
        Footprint::Disc(radius) => (*radius, Vec::new()),
        Footprint::Polygon(points) => (0.0, points.iter().map(point).collect()),
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

/// The messages hold corners in single precision.
#[allow(clippy::cast_possible_truncation, reason = "the type of the message")]
fn point(point: &[f64; 2]) -> Point32 {
    Point32 {
        x: point[0] as f32,
        y: point[1] as f32,
        z: 0.0,
    }
}
