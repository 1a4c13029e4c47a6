//! The server's services but for `control_world`: what arrives is carried out at once.

use std::time::Duration;

use r2r::tatami_msgs::msg::RobotInfo;
use r2r::tatami_msgs::srv::{
    AddFloors, AddLocations, AddOutlines, ControlWorld, DeleteEntities, DeletePrefix, DeleteRobot,
    GetWorld, Republish, Reset, SetRobotPose, SpawnBoxes, SpawnRobot,
};
use r2r::{Node, QosProfile, ServiceRequest, WrappedServiceTypeSupport};

use super::convert;
use super::inbox::{Inbox, poll};
use super::parameter_services::ParameterInboxes;
use super::replies::Replies;
use super::service_set::service_set;
use super::stage::{Stage, StageError};
use super::words;
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
    (success, words::message(message))
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

service_set! {
    /// The services.
    pub(super) struct Services {
        pub(super) control_world: ControlWorld,
        add_floors: AddFloors,
        add_outlines: AddOutlines,
        spawn_boxes: SpawnBoxes,
        delete_entities: DeleteEntities,
        delete_prefix: DeletePrefix,
        spawn_robot: SpawnRobot,
        set_robot_pose: SetRobotPose,
        delete_robot: DeleteRobot,
        republish: Republish,
        reset: Reset,
        get_world: GetWorld,
        add_locations: AddLocations,
    }
}

/// Names of all services of the server's node, those of its parameters included.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    let all = Services::NAMES.iter().chain(ParameterInboxes::NAMES);
    all.copied()
}

impl Services {
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
    let entities = scene.world().entities().filter_map(convert::entity);
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
