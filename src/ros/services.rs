//! The server's services but for `control_world`: what arrives is carried out at once.

use std::time::Duration;

use r2r::tatami_msgs::msg::RobotInfo;
use r2r::tatami_msgs::srv::{
    AddFloors, AddLocations, AddOutlines, ControlWorld, DeleteEntities, DeletePrefix, DeleteRobot,
    GetWorld, Republish, Reset, SetRobotPose, SpawnBoxes, SpawnRobot,
};
use r2r::{Node, QosProfile, ServiceRequest, WrappedServiceTypeSupport};

use super::bindings::{BindingsError, check_service};
use super::convert;
use super::inbox::{Inbox, poll};
use super::kachaka;
use super::replies::Replies;
use super::stage::{Stage, StageError};
use crate::world::{Dynamics, Pose2};

/// Opens a service that queues as many requests as all services here.
///
/// # Errors
/// When the middleware does not let it.
pub(super) fn open<T: WrappedServiceTypeSupport + 'static>(
    node: &mut Node,
    name: &str,
) -> r2r::Result<Inbox<ServiceRequest<T>>> {
    let qos = QosProfile::services_default().keep_last(super::SERVICE_DEPTH);
    Ok(Box::new(node.create_service::<T>(name, qos)?))
}

/// How often a reply is tried to be sent. A client asks as soon as it has found the service, and
/// the middleware waits no more than 0.1 s for the way back to it to be found, too, which on a
/// busy machine was seen to take more than three times as long. A client whose reply is lost
/// waits for ever, so all others are rather let wait for once.
const REPLY_TRIES: usize = 20;

/// Sends a reply. One that can't be sent, say because the client is gone, is logged.
pub(super) fn respond<T: WrappedServiceTypeSupport + 'static>(
    mut request: ServiceRequest<T>,
    response: T::Response,
) {
    // It may be large, and is copied for each try.
    request.message = T::Request::default();
    for _ in 1..REPLY_TRIES {
        match request.clone().respond(response.clone()) {
            Err(r2r::Error::RCL_RET_TIMEOUT) => {}
            sent => return log_unsent::<T>(sent),
        }
    }
    log_unsent::<T>(request.respond(response));
}

fn log_unsent<T>(sent: r2r::Result<()>) {
    if let Err(error) = sent {
        tracing::warn!("can't reply to {}: {error}", std::any::type_name::<T>());
    }
}

/// What every response begins with, from how it went: the one place where errors become
/// responses.
pub(super) fn outcome<E: Into<StageError>>(result: Result<impl Into<String>, E>) -> (bool, String) {
    let (success, message) = match result.map_err(Into::into) {
        Ok(message) => (true, message.into()),
        Err(error) => (false, error.to_string()),
    };
    // A string with a NUL can't be sent.
    (success, message.replace('\0', "\u{fffd}"))
}

/// The message of what needs none.
pub(super) fn done((): ()) -> &'static str {
    ""
}

/// What `get_world` tells beside the scene.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tempo {
    /// Whether time stands still.
    pub(super) paused: bool,
    /// Measured sim seconds per wall second.
    pub(super) real_time_factor: f64,
}

/// The services.
pub(super) struct Services {
    pub(super) control_world: Inbox<ServiceRequest<ControlWorld::Service>>,
    add_floors: Inbox<ServiceRequest<AddFloors::Service>>,
    add_outlines: Inbox<ServiceRequest<AddOutlines::Service>>,
    spawn_boxes: Inbox<ServiceRequest<SpawnBoxes::Service>>,
    delete_entities: Inbox<ServiceRequest<DeleteEntities::Service>>,
    delete_prefix: Inbox<ServiceRequest<DeletePrefix::Service>>,
    spawn_robot: Inbox<ServiceRequest<SpawnRobot::Service>>,
    set_robot_pose: Inbox<ServiceRequest<SetRobotPose::Service>>,
    delete_robot: Inbox<ServiceRequest<DeleteRobot::Service>>,
    republish: Inbox<ServiceRequest<Republish::Service>>,
    reset: Inbox<ServiceRequest<Reset::Service>>,
    get_world: Inbox<ServiceRequest<GetWorld::Service>>,
    add_locations: Inbox<ServiceRequest<AddLocations::Service>>,
}

/// Compares all messages of the services with what is installed.
///
/// # Errors
/// When one of them was compiled with another layout.
pub(super) fn check_bindings() -> Result<(), BindingsError> {
    check_service::<ControlWorld::Service>()?;
    check_service::<AddFloors::Service>()?;
    check_service::<AddOutlines::Service>()?;
    check_service::<SpawnBoxes::Service>()?;
    check_service::<DeleteEntities::Service>()?;
    check_service::<DeletePrefix::Service>()?;
    check_service::<SpawnRobot::Service>()?;
    check_service::<SetRobotPose::Service>()?;
    check_service::<DeleteRobot::Service>()?;
    check_service::<Republish::Service>()?;
    check_service::<Reset::Service>()?;
    check_service::<GetWorld::Service>()?;
    check_service::<AddLocations::Service>()?;
    kachaka::check_bindings()
}

impl Services {
    /// Opens all services below the node's name.
    ///
    /// # Errors
    /// When the middleware does not let one be opened.
    pub(super) fn open(node: &mut Node) -> r2r::Result<Self> {
        Ok(Self {
            control_world: open(node, "~/control_world")?,
            add_floors: open(node, "~/add_floors")?,
            add_outlines: open(node, "~/add_outlines")?,
            spawn_boxes: open(node, "~/spawn_boxes")?,
            delete_entities: open(node, "~/delete_entities")?,
            delete_prefix: open(node, "~/delete_prefix")?,
            spawn_robot: open(node, "~/spawn_robot")?,
            set_robot_pose: open(node, "~/set_robot_pose")?,
            delete_robot: open(node, "~/delete_robot")?,
            republish: open(node, "~/republish")?,
            reset: open(node, "~/reset")?,
            get_world: open(node, "~/get_world")?,
            add_locations: open(node, "~/add_locations")?,
        })
    }

    /// Carries out what has arrived, except for `control_world`. Replies are to be sent when
    /// the stage has settled.
    pub(super) fn serve(
        &mut self,
        stage: &mut Stage,
        node: &mut Node,
        now: Duration,
        tempo: Tempo,
        replies: &mut Replies,
    ) {
        self.serve_entities(stage, replies);
        self.serve_robots(stage, node, now, replies);
        stage.serve_kachakas(replies);
        while let Some(request) = poll(&mut self.republish) {
            let count = stage.republish(&request.message.prefix);
            let response = Republish::Response {
                success: true,
                message: String::new(),
                count,
            };
            replies.add(request, response);
        }
        while let Some(request) = poll(&mut self.reset) {
            let ask = &request.message;
            stage.reset(ask.time, ask.reseed.then_some(ask.seed));
            let response = Reset::Response {
                success: true,
                message: String::new(),
                sim_time: convert::stamp(stage.scene.time()),
                step: stage.scene.step_index(),
            };
            replies.add(request, response);
        }
        while let Some(request) = poll(&mut self.get_world) {
            replies.add(request, world(stage, tempo));
        }
    }

    fn serve_entities(&mut self, stage: &mut Stage, replies: &mut Replies) {
        let before = replies.len();
        let scene = &mut stage.scene;
        while let Some(request) = poll(&mut self.add_floors) {
            let items: Vec<_> = request.message.floors.iter().map(convert::floor).collect();
            let (success, message) = outcome(scene.add_floors(&items).map(done));
            replies.add(request, AddFloors::Response { success, message });
        }
        while let Some(request) = poll(&mut self.add_outlines) {
            let items = &request.message.outlines;
            let items: Vec<_> = items.iter().map(convert::outline).collect();
            let (success, message) = outcome(scene.add_outlines(&items).map(done));
            replies.add(request, AddOutlines::Response { success, message });
        }
        while let Some(request) = poll(&mut self.spawn_boxes) {
            let items = &request.message.boxes;
            let items: Vec<_> = items.iter().map(convert::rectangle).collect();
            let (success, message) = outcome(scene.spawn_boxes(&items).map(done));
            replies.add(request, SpawnBoxes::Response { success, message });
        }
        while let Some(request) = poll(&mut self.delete_entities) {
            let deleted = scene.delete_entities(&request.message.names);
            let (success, message) = outcome(deleted.map(done));
            replies.add(request, DeleteEntities::Response { success, message });
        }
        if replies.len() > before {
            stage.update_maps();
        }
    }

    fn serve_robots(
        &mut self,
        stage: &mut Stage,
        node: &mut Node,
        now: Duration,
        replies: &mut Replies,
    ) {
        while let Some(request) = poll(&mut self.delete_prefix) {
            let deleted = stage.delete_prefix(node, &request.message.prefix, now);
            let count = *deleted.as_ref().unwrap_or(&0);
            let (success, message) = outcome(deleted.map(|_| ""));
            let response = DeletePrefix::Response {
                success,
                message,
                count,
            };
            replies.add(request, response);
        }
        while let Some(request) = poll(&mut self.spawn_robot) {
            let spawned = stage.spawn_robot(node, &request.message, now);
            let (success, message) = outcome(spawned);
            replies.add(request, SpawnRobot::Response { success, message });
        }
        while let Some(request) = poll(&mut self.set_robot_pose) {
            let ask = &request.message;
            let pose = Pose2::new(ask.x, ask.y, ask.yaw);
            let placed = stage.set_robot_pose(&ask.name, pose, &ask.floor);
            let (success, message) = outcome(placed.map(done));
            replies.add(request, SetRobotPose::Response { success, message });
        }
        while let Some(request) = poll(&mut self.add_locations) {
            let added = stage.add_locations(&request.message);
            let (success, message) = outcome(added.map(done));
            replies.add(request, AddLocations::Response { success, message });
        }
        while let Some(request) = poll(&mut self.delete_robot) {
            let deleted = stage.delete_robot(node, &request.message.name, now);
            let (success, message) = outcome(deleted.map(done));
            replies.add(request, DeleteRobot::Response { success, message });
        }
    }
}

fn world(stage: &Stage, tempo: Tempo) -> GetWorld::Response {
    let scene = &stage.scene;
    let robots = stage.robots.iter().filter_map(|(name, topics)| {
        let robot = scene.robot(name)?;
        let plan = topics.plan();
        let (footprint, radius) = convert::footprint(robot.footprint());
        let state = scene.state(name).ok()?;
        let contacts = scene.contacts(name).ok()?;
        let z = scene.world().robot_state(name)?.z;
        Some(RobotInfo {
            onboard: match scene.kachaka(name) {
                Some(_) => "kachaka".to_owned(),
                None => String::new(),
            },
            robot_namespace: plan.namespace.clone(),
            frame_prefix: plan.frame_prefix.clone(),
            base_frame: plan.truth_child.clone(),
            footprint,
            radius,
            z_min: z.min,
            z_max: z.max,
            sensors: (robot.sensors().iter())
                .map(|s| s.name().to_owned())
                .collect(),
            topics: plan.sensors.clone(),
            state: convert::robot_state(&state, &contacts),
        })
    });
    let entities = scene.world().entities().map(convert::entity);
    let floors = scene.world().floors().iter();
    let floors = floors.map(|(name, z)| convert::floor_info(name, z));
    GetWorld::Response {
        success: true,
        message: String::new(),
        paused: tempo.paused,
        step: scene.step_index(),
        sim_time: convert::stamp(scene.time()),
        physics_dt_ns: scene.dt().nanoseconds(),
        physics_dt: scene.dt().seconds(),
        dynamics: match scene.world().dynamics() {
            Dynamics::Rigid => "rigid".to_owned(),
            Dynamics::Kinematic => "kinematic".to_owned(),
        },
        seed: scene.seed(),
        real_time_factor: tempo.real_time_factor,
        entities: entities.chain(floors).collect(),
        robots: robots.collect(),
    }
}
