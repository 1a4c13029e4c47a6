//! The services of the robot.

use std::future::Future;

use r2r::tatami_msgs::srv::*;
use r2r::{Client, Node, QosProfile, WrappedServiceTypeSupport};
use tonic::Status;

use super::super::proto;
use crate::ros::onboard::OnboardResponse;

/// How many replies may be under way.
const DEPTH: usize = 100;

/// The server's own service, which publishes everything of robots again.
const REPUBLISH: &str = "/tatami/republish";

/// A service with its name.
pub(in super::super) struct Service<S: WrappedServiceTypeSupport> {
    name: String,
    client: Client<S>,
}

impl<S: WrappedServiceTypeSupport> std::fmt::Debug for Service<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Service")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl<S: WrappedServiceTypeSupport + 'static> Service<S> {
    /// A client of a service, whether it is there or not.
    ///
    /// # Errors
    /// When the middleware does not let it be made.
    pub(super) fn open(node: &mut Node, name: &str) -> r2r::Result<Self> {
        let qos = QosProfile::services_default().keep_last(DEPTH);
        Ok(Self {
            name: name.to_owned(),
            client: node.create_client::<S>(name, qos)?,
        })
    }

    /// Its full name.
    pub(in super::super) fn name(&self) -> &str {
        &self.name
    }

    /// Its client.
    pub(super) fn client(&self) -> &Client<S> {
        &self.client
    }

    /// Sends a request.
    ///
    /// # Errors
    /// `INTERNAL` when the middleware refuses.
    pub(super) fn request(
        &self,
        request: &S::Request,
    ) -> Result<impl Future<Output = r2r::Result<S::Response>> + use<S>, Status> {
        self.client
            .request(request)
            .map_err(|error| self.broken(&error))
    }

    /// What a client is told when the middleware fails.
    pub(super) fn broken(&self, error: &r2r::Error) -> Status {
        Status::internal(format!("{}: {error}", self.name))
    }
}

/// What every reply of the robot has, as clients are told.
pub(in super::super) trait Reply: OnboardResponse {
    /// How it went.
    fn result(&self) -> Option<proto::Result> {
        Some(proto::Result {
            success: self.success(),
            error_code: self.error_code(),
        })
    }
}

impl<T: OnboardResponse> Reply for T {}

macro_rules! services {
    ($($field:ident: $service:ident = $name:literal,)*) => {
        /// A client of each service.
        #[derive(Debug)]
        pub(in super::super) struct Services {
            $(pub(in super::super) $field: Service<$service::Service>,)*
            republish: Service<Republish::Service>,
        }

        impl Services {
            /// Of the robot in this namespace.
            ///
            /// # Errors
            /// When the middleware does not let one be made.
            pub(super) fn open(node: &mut Node, robot: &str) -> r2r::Result<Self> {
                Ok(Self {
                    $($field: Service::open(node, &format!(concat!("{}/", $name), robot))?,)*
                    republish: Service::open(node, REPUBLISH)?,
                })
            }
        }
    };
}

impl Services {
    /// Asks the server to publish everything of the robot of this name again. What it replies
    /// does not matter: what counts is what is heard then.
    pub(super) fn ask_republish(&self, robot: &str) {
        let request = Republish::Request {
            prefix: robot.to_owned(),
        };
        if let Err(error) = self.republish.request(&request) {
            tracing::debug!("can't ask for everything to be published: {error}");
        }
    }
}

services! {
    start: StartCommand = "sim/command/start",
    cancel: CancelCommand = "sim/command/cancel",
    proceed: OnboardTrigger = "sim/command/proceed",
    shortcut: StartShortcut = "sim/shortcut/start",
    manual_control: SetManualControl = "sim/manual_control",
    velocity: SetVelocity = "sim/velocity",
    pose_estimate: SetPoseEstimate = "sim/pose_estimate",
    auto_homing: OnboardSetBool = "sim/auto_homing",
    emergency_stop: OnboardTrigger = "sim/emergency_stop",
    restart: OnboardTrigger = "sim/restart",
    speaker_volume: OnboardSetNumber = "sim/speaker_volume",
    front_torch: OnboardSetNumber = "sim/torch/front",
    back_torch: OnboardSetNumber = "sim/torch/back",
    laser_scan: OnboardSetNumber = "sim/laser_scan/activate",
    shelf_pose: OnboardSetText = "sim/shelf/reset_pose",
    add_sound: AddSound = "sim/sound/add",
    delete_sound: OnboardSetText = "sim/sound/delete",
    play_sound: PlaySound = "sim/sound/play",
    stop_sound: OnboardTrigger = "sim/sound/stop",
    switch_map: SwitchMap = "sim/map/switch",
    get_map: GetMap = "sim/map/get",
    add_map: AddMap = "sim/map/add",
}
