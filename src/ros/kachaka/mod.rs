//! The ROS surface of a Kachaka: the topics, services and the action of the real robot's
//! bridge, and what only the simulator has, below `sim/`.
//!
//! Publishers, subscriptions and the action live on a node of the robot's own, `onboard` in
//! its namespace, and end with it. That node is looked at between steps without waiting for
//! it, for what comes there takes effect with the next step. Services live on the server's
//! node, which wakes up for their requests.

mod action;
mod closing;
mod convert;
mod frames;
mod inputs;
mod names;
mod outputs;
mod plan;
mod reply;
mod services;

use std::time::Duration;

use r2r::std_srvs::srv::SetBool;
use r2r::{Context, Node, ServiceRequest};

use self::action::CommandAction;
use self::inputs::Subscriptions;
use self::outputs::Outputs;
use self::services::Desk;
use super::plan::Plan;
use crate::kachaka::{Kachaka, LocationChange, Refusal, StartCommand};
use crate::robot::OdometrySample;
use crate::world::SimTime;

pub(super) use self::closing::ClosingServices;
pub(super) use self::frames::{Places, fixed_transforms, moving_transforms, set_moving};
pub(super) use self::inputs::KachakaInput;
pub(super) use self::plan::KachakaPlan;
pub(super) use self::services::{KachakaServices, check_bindings};

use r2r::tatami_msgs::srv::AddLocations;

/// How often the robot's node is looked at in a row while messages keep coming: enough for
/// the transforms of one batch of steps.
const MOST_LOOKS: usize = 64;

/// The open surface of one robot.
pub(super) struct Surface {
    plan: KachakaPlan,
    context: Context,
    // Before the node, which waits for publishers when it goes.
    outputs: Outputs,
    subscriptions: Subscriptions,
    action: CommandAction,
    services: KachakaServices,
    node: Node,
}

impl Surface {
    /// Opens everything and publishes what is known. Services of a robot before it in the
    /// same namespace are taken over, so that clients stay connected.
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
        services: Option<KachakaServices>,
    ) -> r2r::Result<Self> {
        let mut node = Node::create(context.clone(), "onboard", names_of.namespace())?;
        Ok(Self {
            outputs: Outputs::open(&mut node, plan, names_of, kachaka)?,
            subscriptions: Subscriptions::open(&mut node, plan, names_of)?,
            action: CommandAction::open(&mut node, &names_of.absolute(names::ACTION))?,
            services: match services {
                Some(services) => services,
                None => KachakaServices::open(server, names_of)?,
            },
            node,
            plan: names_of.clone(),
            context: context.clone(),
        })
    }

    /// Takes in everything that has arrived at the robot's node.
    pub(super) fn collect(&mut self) -> Vec<KachakaInput> {
        let mut inputs = Vec::new();
        for _ in 0..MOST_LOOKS {
            self.node.spin_once(Duration::ZERO);
            let arrived = self.subscriptions.collect(&mut inputs) + self.action.collect();
            if arrived == 0 {
                break;
            }
        }
        inputs
    }

    /// Answers what has arrived at services and the action, but for resets.
    pub(super) fn serve(&mut self, now: SimTime, kachaka: &mut Kachaka) {
        let mut desk = Desk {
            now,
            kachaka,
            outputs: &mut self.outputs,
        };
        self.services.serve(&mut desk, &self.plan.map_frame());
        if self.action.serve(&mut self.node, kachaka) {
            self.outputs.publish_changes(now, kachaka);
        }
        self.action.finish(kachaka);
    }

    /// The next request to reset the robot.
    pub(super) fn next_reset(&mut self) -> Option<ServiceRequest<SetBool::Service>> {
        self.services.next_reset()
    }

    /// Publishes both odometries, of the child of the odometry.
    pub(super) fn publish_odometry(
        &mut self,
        now: SimTime,
        plan: &Plan,
        wheels: OdometrySample,
        fused: OdometrySample,
    ) {
        self.outputs.publish_odometry(now, plan, wheels, fused);
    }

    /// Publishes everything that is another than what was published last, and ends goals
    /// whose commands have ended.
    pub(super) fn publish_changes(&mut self, now: SimTime, kachaka: &mut Kachaka) {
        self.outputs.publish_changes(now, kachaka);
        self.action.finish(kachaka);
    }

    /// As [`Self::publish_changes`], after a step.
    pub(super) fn publish_step(&mut self, now: SimTime, kachaka: &mut Kachaka) {
        self.outputs.publish_each_second(now, kachaka);
        self.publish_changes(now, kachaka);
    }

    /// Publishes what does not come with every step and is not latched.
    pub(super) fn republish(&mut self, now: SimTime, kachaka: &Kachaka) {
        self.outputs.republish(now, kachaka);
    }

    /// Whether the services are those of another plan, too.
    pub(super) fn fits(&self, other: &KachakaPlan) -> bool {
        self.plan.namespace() == other.namespace()
    }

    /// Ends everything but the services. Each goal has its result before.
    pub(super) fn into_services(self) -> KachakaServices {
        self.services
    }

    /// Ends everything. Each goal has its result before.
    pub(super) fn close(self, now: Duration) -> Option<ClosingServices> {
        let Self {
            plan,
            context,
            services,
            ..
        } = self;
        match services.close(context, &plan, now) {
            Ok(closing) => Some(closing),
            Err(error) => {
                tracing::warn!("can't close the services in {}: {error}", plan.namespace());
                None
            }
        }
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
