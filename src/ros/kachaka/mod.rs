//! The ROS surface of a Kachaka: the topics, services and the action of the real robot's
//! bridge, and what only the simulator has, below `sim/`.
//!
//! Publishers and subscriptions live on a node of the robot's own, `onboard` in its namespace,
//! and end with it; so does the action, on a node `commands`, which stays for a while when the
//! robot goes. These nodes are looked at between steps without waiting for them, for what
//! comes there takes effect with the next step. Services live on the server's node, which
//! wakes up for their requests. A robot that comes in the place of one that has just gone takes
//! over its services and its action, so that clients stay connected, and the publisher of results,
//! so that nobody misses one.

mod action;
mod closing;
mod convert;
mod desk;
mod frames;
mod goals;
mod inputs;
mod names;
mod outputs;
mod plan;
mod reply;
mod results;
mod services;

use std::time::Duration;

use r2r::{Context, Node};

use self::action::CommandAction;
use self::desk::{Desk, Onboard};
use self::inputs::Subscriptions;
use self::outputs::Outputs;
use self::results::Results;
use self::services::KachakaServices;
use super::bindings::BindingsError;
use super::plan::Plan;
use super::replies::Replies;
use crate::kachaka::{Kachaka, LocationChange, Refusal, StartCommand};
use crate::robot::OdometrySample;
use crate::world::SimTime;

pub(super) use self::closing::{ClosingServices, Retired};
pub(super) use self::convert::location_message;
pub(super) use self::frames::{Places, fixed_transforms, moving_transforms, set_moving};
pub(super) use self::inputs::KachakaInput;
pub(super) use self::plan::KachakaPlan;
pub(super) use self::services::Beyond;

use r2r::tatami_msgs::srv::AddLocations;

/// Checks the types of the services and of the action.
///
/// # Errors
/// When one was compiled from another definition than the installed one.
pub(super) fn check_bindings() -> Result<(), BindingsError> {
    services::check_bindings()?;
    action::check_bindings()
}

/// How often the robot's node is looked at in a row while messages keep coming: enough for
/// the transforms of one batch of steps.
const MOST_LOOKS: usize = 64;

/// What clients ask for something.
struct Front {
    services: KachakaServices,
    action: CommandAction,
}

/// What outlives its robot for a while, for its clients and for the robot in its place.
pub(super) struct Legacy {
    front: Front,
    results: Results,
}

impl Legacy {
    fn open(
        server: &mut Node,
        context: &Context,
        plan: &KachakaPlan,
        robot: &str,
    ) -> r2r::Result<Self> {
        Ok(Self {
            front: Front {
                action: CommandAction::open(context, plan.namespace())?,
                services: KachakaServices::open(server, plan)?,
            },
            results: Results::open(server, plan, robot)?,
        })
    }
}

/// The open surface of one robot.
pub(super) struct Surface {
    plan: KachakaPlan,
    context: Context,
    // Before the node, which waits for publishers when it goes.
    outputs: Outputs,
    subscriptions: Subscriptions,
    node: Node,
    front: Front,
}

impl Surface {
    /// Opens everything, but for what a robot before it in the same namespace has left.
    ///
    /// # Errors
    /// When the middleware does not let something be opened; services opened until then stay
    /// without anybody behind them.
    pub(super) fn open(
        server: &mut Node,
        context: &Context,
        plan: &Plan,
        names_of: &KachakaPlan,
        kachaka: &Kachaka,
        legacy: Option<Legacy>,
    ) -> r2r::Result<Self> {
        let Legacy { front, results } = match legacy {
            Some(Legacy { front, results }) => Legacy {
                front,
                results: results.hand_over(server, names_of, &plan.robot)?,
            },
            None => Legacy::open(server, context, names_of, &plan.robot)?,
        };
        let mut node = Node::create(context.clone(), "onboard", names_of.namespace())?;
        Ok(Self {
            outputs: Outputs::open(&mut node, plan, names_of, kachaka, results)?,
            subscriptions: Subscriptions::open(&mut node, plan, names_of)?,
            front,
            node,
            plan: names_of.clone(),
            context: context.clone(),
        })
    }

    /// Takes in everything that has arrived at the robot's nodes.
    pub(super) fn collect(&mut self) -> Vec<KachakaInput> {
        let mut inputs = Vec::new();
        for _ in 0..MOST_LOOKS {
            self.node.spin_once(Duration::ZERO);
            let arrived = self.subscriptions.collect(&mut inputs) + self.front.action.collect();
            if arrived == 0 {
                break;
            }
        }
        inputs
    }

    /// Carries out what has arrived at services and the action, but for resets.
    pub(super) fn serve(&mut self, now: SimTime, kachaka: &mut Kachaka, replies: &mut Replies) {
        let Front { services, action } = &mut self.front;
        let mut onboard = Onboard {
            now,
            kachaka,
            outputs: &mut self.outputs,
            goals: action.goals(),
        };
        let map_frame = self.plan.map_frame();
        services.serve(&mut Desk::of(&mut onboard, replies), &map_frame);
        action.serve(now, kachaka, &mut self.outputs, replies);
    }

    /// The next request that is more than the robot's software can do.
    pub(super) fn next_beyond(&mut self) -> Option<Beyond> {
        self.front.services.next_beyond()
    }

    /// Publishes both odometries, of the child of the odometry.
    pub(super) fn publish_odometry(
        &mut self,
        now: SimTime,
        plan: &Plan,
        wheels: OdometrySample,
        kachaka: &Kachaka,
    ) {
        self.outputs.publish_odometry(now, plan, wheels, kachaka);
    }

    /// Whether its transforms are to be sent again.
    pub(super) fn is_placed_anew(&self, kachaka: &Kachaka) -> bool {
        self.outputs.is_placed_anew(kachaka)
    }

    /// Has the next publication of changes tell where it is, whether that has changed or not.
    pub(super) fn tell_place_again(&mut self) {
        self.outputs.tell_place_again();
    }

    /// Has the next publication of changes tell everything, whether it has changed or not.
    pub(super) fn tell_all_again(&mut self) {
        self.outputs.tell_all_again();
    }

    /// Publishes everything that is another than what was published last, and ends goals
    /// whose commands have ended.
    pub(super) fn publish_changes(&mut self, now: SimTime, kachaka: &mut Kachaka) {
        let Self {
            outputs,
            node,
            plan,
            front,
            ..
        } = self;
        outputs.publish_changes(now, kachaka);
        if let Err(error) = outputs.take_back_pose(node, plan, kachaka) {
            let namespace = plan.namespace();
            tracing::warn!("can't take back the pose of the robot in {namespace}: {error}");
        }
        front.action.goals().finish(kachaka);
    }

    /// As [`Self::publish_changes`], after a step, with where it is.
    pub(super) fn publish_step(&mut self, now: SimTime, kachaka: &mut Kachaka) {
        self.outputs.publish_each_second(now, kachaka);
        self.outputs.tell_pose_again();
        self.publish_changes(now, kachaka);
    }

    /// What comes round in wall time.
    pub(super) fn keep_house(&mut self, server: &mut Node, now: Duration) {
        let namespace = self.plan.namespace();
        let results = self.outputs.results();
        if let Err(error) = results.renew(server, &self.plan, now) {
            tracing::warn!("can't open the topic of results in {namespace} anew: {error}");
        }
    }

    /// Whether the services are those of another plan, too.
    pub(super) fn fits(&self, other: &KachakaPlan) -> bool {
        self.plan.namespace() == other.namespace()
    }

    /// Ends everything else. Each command and goal has its result before.
    pub(super) fn into_legacy(self) -> Legacy {
        Legacy {
            front: self.front,
            results: self.outputs.into_results(),
        }
    }

    /// As [`Self::into_legacy`], which nobody is there to take over.
    pub(super) fn retire(self, now: Duration) -> Retired {
        let (plan, context) = (self.plan.clone(), self.context.clone());
        Retired::new(self.into_legacy(), plan, context, now)
    }
}

/// Applies what has come on a topic.
///
/// # Errors
/// Numbers that can't be, or what the robot refuses.
pub(super) fn apply(kachaka: &mut Kachaka, input: KachakaInput) -> Result<(), Refusal> {
    match input {
        KachakaInput::Manual { linear, angular } => kachaka.manual_topic_velocity(linear, angular),
        KachakaInput::Autonomous { linear, angular } => {
            kachaka.autonomous_velocity(linear, angular)
        }
        KachakaInput::Torch(side, brightness) => kachaka.set_torch(side, f64::from(brightness)),
        KachakaInput::Goal(pose) => {
            let goal = crate::kachaka::Command::MoveToPose { pose };
            kachaka.start_command(StartCommand::new(goal)).map(drop)
        }
        KachakaInput::MapToOdom(pose) => {
            kachaka.hear_map_to_odom(pose);
            Ok(())
        }
    }
}

/// The change that a request asks for.
///
/// # Errors
/// A place whose type is none of the known ones.
pub(super) fn location_change(request: &AddLocations::Request) -> Result<LocationChange, Refusal> {
    let places = request.locations.iter().enumerate();
    let add = places.map(|(index, place)| {
        convert::location(place).map_err(|refusal| {
            Refusal::new(
                refusal.code,
                format!("locations[{index}]: {}", refusal.message),
            )
        })
    });
    Ok(LocationChange {
        add: add.collect::<Result<_, _>>()?,
        remove: request.removed.clone(),
        default_id: request.default_location_id.clone(),
    })
}
