//! What the surface of a Kachaka adds to the plan of a robot: names, frames, settings.

use r2r::tatami_msgs::srv::SpawnRobot;

use super::{names, services};
use crate::description::RobotDescription;
use crate::kachaka::{KachakaConfig, LocalizationMode};
use crate::ros::names::resolve_topic;
use crate::ros::plan::PlanError;
use crate::ros::uses::Use;

/// Names, frames and settings of one Kachaka.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::ros) struct KachakaPlan {
    /// Settings of its software.
    config: KachakaConfig,
    namespace: String,
    frame_prefix: String,
    /// Frames in the same place as a link of its description: the link's and the frame's
    /// name, with the prefix.
    same_frames: Vec<(String, String)>,
}

impl KachakaPlan {
    /// Reads the settings of a request and works out the names.
    ///
    /// # Errors
    /// When the settings can't be read, the request asks for what a Kachaka does not do, or a
    /// name gets too long.
    pub(in crate::ros) fn new(
        request: &SpawnRobot::Request,
        namespace: &str,
        description: &RobotDescription,
    ) -> Result<Self, PlanError> {
        refuse_plain_fields(request)?;
        let config = KachakaConfig::parse(&request.onboard_config)?;
        let services = services::names().chain(names::ACTION_SERVICES);
        for name in names::topics(true).chain(services) {
            resolve_topic(name, namespace, name)?;
        }
        let prefixed = |frame: &str| format!("{}{frame}", request.frame_prefix);
        let same_frames = (names::SAME_FRAMES.iter())
            .filter(|(link, frame)| description.has_link(link) && !description.has_link(frame))
            .map(|(link, frame)| (prefixed(link), prefixed(frame)))
            .collect();
        Ok(Self {
            config,
            namespace: namespace.to_owned(),
            frame_prefix: request.frame_prefix.clone(),
            same_frames,
        })
    }

    /// Settings of its software.
    pub(in crate::ros) fn config(&self) -> &KachakaConfig {
        &self.config
    }

    /// The absolute name of a topic, service or action.
    pub(super) fn absolute(&self, relative: &str) -> String {
        format!("{}/{relative}", self.namespace.trim_end_matches('/'))
    }

    /// Absolute namespace.
    pub(super) fn namespace(&self) -> &str {
        &self.namespace
    }

    /// A frame of the robot.
    pub(super) fn frame(&self, name: &str) -> String {
        format!("{}{name}", self.frame_prefix)
    }

    /// Frame of the map.
    pub(in crate::ros) fn map_frame(&self) -> String {
        self.frame(names::MAP_FRAME)
    }

    /// Frames in the same place as a link: the link's and the frame's name.
    pub(super) fn same_frames(&self) -> &[(String, String)] {
        &self.same_frames
    }

    /// Whether it makes map and pose itself, so that the odometry frame is placed on the map.
    pub(in crate::ros) fn places_odometry(&self) -> bool {
        self.config.localization.mode == LocalizationMode::Truth
    }

    /// Ids of the places that it knows from the start.
    pub(in crate::ros) fn location_ids(&self) -> impl Iterator<Item = &str> {
        self.config.locations.iter().map(|place| place.id.as_str())
    }

    /// Topics that nobody else may use.
    pub(in crate::ros) fn topics(&self) -> Vec<Use> {
        self.uses(names::topics(self.places_odometry()))
    }

    /// Services that nobody else may offer.
    pub(in crate::ros) fn services(&self) -> Vec<Use> {
        self.uses(services::names().chain([names::ACTION]))
    }

    fn uses(&self, relative: impl Iterator<Item = &'static str>) -> Vec<Use> {
        relative
            .map(|name| Use::new(format!("{name} of a Kachaka"), self.absolute(name)))
            .collect()
    }

    /// Frames that it places beside those of its description.
    pub(in crate::ros) fn frames(&self) -> impl Iterator<Item = Use> {
        let own = |(_, frame): &(String, String)| Use::new("a frame of a Kachaka", frame);
        self.same_frames.iter().map(own)
    }
}

/// What a plain robot has and a Kachaka does otherwise.
fn refuse_plain_fields(request: &SpawnRobot::Request) -> Result<(), PlanError> {
    if !request.world_frame.is_empty() {
        return Err(PlanError::NotForKachaka {
            field: "world_frame",
            given: format!("{:?}", request.world_frame),
            reason: "a Kachaka has map above odom instead, leave it empty",
        });
    }
    if request.stamped {
        return Err(PlanError::NotForKachaka {
            field: "stamped",
            given: "true".to_owned(),
            reason: "the velocities of a Kachaka carry no header, as on the real robot",
        });
    }
    Ok(())
}
