//! The topics that a Kachaka listens to.

use r2r::geometry_msgs::msg::{PoseStamped, Quaternion, Transform, Twist};
use r2r::std_msgs::msg::UInt8;
use r2r::tf2_msgs::msg::TFMessage;
use r2r::{Node, QosProfile};

use super::convert::planar_pose;
use super::names;
use super::plan::KachakaPlan;
use crate::kachaka::TorchSide;
use crate::ros::convert::heading_of;
use crate::ros::inbox::{Inbox, poll};
use crate::ros::plan::Plan;
use crate::world::Pose2;

/// What has come on a topic, to be applied between steps.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::ros) enum KachakaInput {
    /// A velocity for manual control, m/s and rad/s.
    Manual {
        /// Forward.
        linear: f64,
        /// Counter-clockwise.
        angular: f64,
    },
    /// A velocity of an autonomous driver, m/s and rad/s.
    Autonomous {
        /// Forward.
        linear: f64,
        /// Counter-clockwise.
        angular: f64,
    },
    /// A brightness.
    Torch(TorchSide, u8),
    /// A pose on the map to drive to.
    Goal(Pose2),
    /// Where somebody else places the odometry on the map.
    MapToOdom(Pose2),
}

impl KachakaInput {
    /// The topic that it came on, relative to the robot's namespace.
    pub(in crate::ros) fn topic(&self) -> &'static str {
        match self {
            Self::Manual { .. } => names::MANUAL_VELOCITY,
            Self::Autonomous { .. } => names::AUTONOMOUS_VELOCITY,
            Self::Torch(TorchSide::Front, _) => names::TORCH_FRONT,
            Self::Torch(TorchSide::Back, _) => names::TORCH_BACK,
            Self::Goal(_) => names::GOAL_POSE,
            Self::MapToOdom(_) => "tf",
        }
    }
}

/// The subscriptions of one robot.
pub(super) struct Subscriptions {
    manual: Inbox<Twist>,
    autonomous: Inbox<Twist>,
    torches: [(TorchSide, Inbox<UInt8>); 2],
    goal: Inbox<PoseStamped>,
    localization: Option<Localizer>,
}

/// What stands in a message whose rotation nobody has filled.
const NO_ROTATION: Quaternion = Quaternion {
    x: 0.0,
    y: 0.0,
    z: 0.0,
    w: 0.0,
};

/// Where `map -> odom` comes from when somebody else sends it.
struct Localizer {
    transforms: Inbox<TFMessage>,
    map: String,
    odom: String,
    /// Whether it was told that a transform is none.
    is_warned: bool,
}

impl Subscriptions {
    /// Subscribes with the robot's own node, with which it ends.
    ///
    /// # Errors
    /// When the middleware does not let it.
    pub(super) fn open(node: &mut Node, plan: &Plan, kachaka: &KachakaPlan) -> r2r::Result<Self> {
        let sensor_data = QosProfile::sensor_data();
        let reliable = |depth| QosProfile::default().reliable().keep_last(depth);
        let name = |relative| kachaka.absolute(relative);
        let mut torch = |topic| -> r2r::Result<Inbox<UInt8>> {
            Ok(Box::new(node.subscribe(&name(topic), reliable(1))?))
        };
        let torches = [
            (TorchSide::Front, torch(names::TORCH_FRONT)?),
            (TorchSide::Back, torch(names::TORCH_BACK)?),
        ];
        let localization = if kachaka.places_odometry() {
            None
        } else {
            Some(Localizer {
                transforms: Box::new(node.subscribe(&plan.tf_topic, reliable(crate::ros::DEPTH))?),
                map: kachaka.map_frame(),
                odom: plan.odom_frame.clone(),
                is_warned: false,
            })
        };
        let manual = node.subscribe(&name(names::MANUAL_VELOCITY), sensor_data.clone())?;
        let autonomous = node.subscribe(&name(names::AUTONOMOUS_VELOCITY), sensor_data)?;
        let goal = node.subscribe(&name(names::GOAL_POSE), reliable(5))?;
        Ok(Self {
            manual: Box::new(manual),
            autonomous: Box::new(autonomous),
            torches,
            goal: Box::new(goal),
            localization,
        })
    }

    /// Takes in what the node has taken. Returns how many messages that were, those included
    /// that are not for this robot.
    pub(super) fn collect(&mut self, inputs: &mut Vec<KachakaInput>) -> usize {
        let before = inputs.len();
        while let Some(Twist { linear, angular }) = poll(&mut self.manual) {
            inputs.push(KachakaInput::Manual {
                linear: linear.x,
                angular: angular.z,
            });
        }
        while let Some(Twist { linear, angular }) = poll(&mut self.autonomous) {
            inputs.push(KachakaInput::Autonomous {
                linear: linear.x,
                angular: angular.z,
            });
        }
        for (side, inbox) in &mut self.torches {
            while let Some(message) = poll(inbox) {
                inputs.push(KachakaInput::Torch(*side, message.data));
            }
        }
        while let Some(message) = poll(&mut self.goal) {
            inputs.push(KachakaInput::Goal(planar_pose(&message.pose)));
        }
        let used = inputs.len() - before;
        used + (self.localization.as_mut()).map_or(0, |localizer| localizer.collect(inputs))
    }
}

impl Localizer {
    fn collect(&mut self, inputs: &mut Vec<KachakaInput>) -> usize {
        let mut messages = 0;
        while let Some(message) = poll(&mut self.transforms) {
            messages += 1;
            let ours = message.transforms.iter().filter(|transform| {
                transform.child_frame_id == self.odom && transform.header.frame_id == self.map
            });
            for transform in ours {
                let Transform {
                    translation,
                    rotation,
                } = &transform.transform;
                if *rotation == NO_ROTATION {
                    if !std::mem::replace(&mut self.is_warned, true) {
                        tracing::warn!(
                            "transforms from {} to {} with a rotation of only zeros are ignored: \
                             none is w = 1",
                            self.map,
                            self.odom,
                        );
                    }
                    continue;
                }
                let heading = heading_of(rotation);
                let pose = Pose2::new(translation.x, translation.y, heading);
                inputs.push(KachakaInput::MapToOdom(pose));
            }
        }
        messages
    }
}
