//! The action `kachaka_command/execute`: goals of the bridge's clients in front of the same
//! queue as everything else.
//!
//! An action is three services and two topics. They are opened one by one: the action server
//! of r2r queues ten requests only, so that larger bursts are lost, takes every goal whose id
//! is known already, and never forgets one. They live on a node of their own, which takes all
//! of them down when it goes.

use std::time::Duration;

use r2r::action_msgs::msg::{GoalInfo, GoalStatus, GoalStatusArray};
use r2r::action_msgs::srv::CancelGoal;
use r2r::kachaka_interfaces::action::ExecKachakaCommand::{
    self, FeedbackMessage, GetResult, SendGoal,
};
use r2r::{Context, Node, QosProfile};

use super::convert::goal_command;
use super::desk::Onboard;
use super::goals::Goals;
use super::names;
use super::outputs::Outputs;
use super::services::Requests;
use crate::kachaka::{Kachaka, Refusal, StartCommand};
use crate::ros::bindings::{BindingsError, check, check_service};
use crate::ros::convert::stamp;
use crate::ros::inbox::poll;
use crate::ros::output::Output;
use crate::ros::replies::Replies;
use crate::ros::services::open;
use crate::world::SimTime;

/// Checks the types of the action.
///
/// # Errors
/// When one was compiled from another definition than the installed one.
pub(super) fn check_bindings() -> Result<(), BindingsError> {
    check_service::<SendGoal::Service>()?;
    check_service::<CancelGoal::Service>()?;
    check_service::<GetResult::Service>()?;
    check::<FeedbackMessage>()?;
    check::<GoalStatus>()?;
    check::<GoalStatusArray>()
}

/// Requests of one kind: those that have arrived are kept until they are served.
struct Arriving<T: r2r::WrappedServiceTypeSupport> {
    inbox: Requests<T>,
    taken: Vec<r2r::ServiceRequest<T>>,
}

impl<T: r2r::WrappedServiceTypeSupport + 'static> Arriving<T> {
    fn open(node: &mut Node, name: &str) -> r2r::Result<Self> {
        Ok(Self {
            inbox: open(node, name)?,
            taken: Vec::new(),
        })
    }

    /// Takes in what has arrived. Returns how many.
    fn collect(&mut self) -> usize {
        let before = self.taken.len();
        while let Some(request) = poll(&mut self.inbox) {
            self.taken.push(request);
        }
        self.taken.len() - before
    }
}

/// The action server of one robot.
pub(super) struct CommandAction {
    new_goals: Arriving<SendGoal::Service>,
    cancels: Arriving<CancelGoal::Service>,
    results: Arriving<GetResult::Service>,
    goals: Goals,
    /// Nothing is ever told there, but clients wait for the topic.
    _feedback: Output<FeedbackMessage>,
    // After all that lives on it.
    node: Node,
}

impl CommandAction {
    /// Opens the action on a node of its own.
    ///
    /// # Errors
    /// When the middleware does not let it.
    pub(super) fn open(context: &Context, namespace: &str) -> r2r::Result<Self> {
        let mut node = Node::create(context.clone(), "commands", namespace)?;
        let qos = QosProfile::default().reliable().keep_last(10);
        let feedback = FeedbackMessage::default();
        Ok(Self {
            new_goals: Arriving::open(&mut node, names::SEND_GOAL)?,
            cancels: Arriving::open(&mut node, names::CANCEL_GOAL)?,
            results: Arriving::open(&mut node, names::GET_RESULT)?,
            goals: Goals::open(&mut node)?,
            _feedback: Output::open(&mut node, names::ACTION_FEEDBACK, qos, feedback)?,
            node,
        })
    }

    /// Takes in what has arrived, of each kind one at most. Returns how many.
    pub(super) fn collect(&mut self) -> usize {
        self.node.spin_once(Duration::ZERO);
        self.new_goals.collect() + self.cancels.collect() + self.results.collect()
    }

    /// The goals it knows.
    pub(super) fn goals(&mut self) -> &mut Goals {
        &mut self.goals
    }

    /// Queues what has arrived, and cancels what clients don't want any more.
    pub(super) fn serve(
        &mut self,
        now: SimTime,
        kachaka: &mut Kachaka,
        outputs: &mut Outputs,
        replies: &mut Replies,
    ) {
        let mut onboard = Onboard {
            now,
            kachaka,
            outputs,
            goals: &mut self.goals,
        };
        for request in self.new_goals.taken.drain(..) {
            let response = onboard.start_goal(&request.message);
            replies.add(request, response);
            onboard.publish_if_much();
        }
        for request in self.cancels.taken.drain(..) {
            let asked = &request.message.goal_info;
            let response = onboard.goals.cancel(asked, onboard.kachaka);
            replies.add(request, response);
            onboard.publish_if_much();
        }
        for request in self.results.taken.drain(..) {
            self.goals.give_result(request, replies);
        }
    }

    /// Refuses what has arrived for a robot that is gone, but gives out results.
    pub(super) fn refuse(&mut self, replies: &mut Replies) {
        for request in self.new_goals.taken.drain(..) {
            replies.add(request, SendGoal::Response::default());
        }
        for request in self.cancels.taken.drain(..) {
            let return_code = CancelGoal::Response::ERROR_REJECTED as i8;
            let response = CancelGoal::Response {
                return_code,
                ..CancelGoal::Response::default()
            };
            replies.add(request, response);
        }
        for request in self.results.taken.drain(..) {
            self.goals.give_result(request, replies);
        }
    }
}

impl Onboard<'_> {
    /// Like the real bridge it accepts every goal, and what can't be is then aborted. But no
    /// id can be that of two goals.
    fn start_goal(&mut self, request: &SendGoal::Request) -> SendGoal::Response {
        if self.goals.knows(&request.goal_id) {
            return SendGoal::Response::default();
        }
        let stamp = stamp(self.now);
        let info = GoalInfo {
            goal_id: request.goal_id.clone(),
            stamp: stamp.clone(),
        };
        let goal = &request.goal;
        let started = goal_command(&goal.kachaka_command).and_then(|command| {
            self.kachaka.start_command(StartCommand {
                cancel_all: goal.cancel_all,
                tts_on_success: goal.tts_on_success.clone(),
                ..StartCommand::new(command)
            })
        });
        match started {
            Ok(command_id) => self.goals.begin(info, command_id),
            Err(Refusal { code, message }) => {
                let result = ExecKachakaCommand::Result {
                    success: false,
                    error_code: code,
                    // A string with a NUL can't be sent.
                    message: message.replace('\0', "\u{fffd}"),
                };
                self.goals.abort(info, result);
            }
        }
        SendGoal::Response {
            accepted: true,
            stamp,
        }
    }
}
