//! The action `kachaka_command/execute`: goals of the bridge's clients in front of the same
//! queue as everything else.
//!
//! r2r never takes an action server down, and one whose goals are old enough to be forgotten
//! wakes its node without end. So the server lives on the robot's own node, which is looked
//! at without waiting and goes with the robot.

use r2r::kachaka_interfaces::action::ExecKachakaCommand;
use r2r::{ActionServerCancelRequest, ActionServerGoal, ActionServerGoalRequest, Node};

use super::convert::goal_command;
use crate::kachaka::error_codes::{self, code};
use crate::kachaka::{CommandResult, Kachaka, Refusal, StartCommand};
use crate::ros::command_input::{Inbox, poll};

type Goal = ActionServerGoal<ExecKachakaCommand::Action>;
type GoalRequest = ActionServerGoalRequest<ExecKachakaCommand::Action>;

/// A goal whose command was accepted.
struct Active {
    command_id: String,
    goal: Goal,
    cancels: Inbox<ActionServerCancelRequest>,
    /// Whether a client was told that it is being cancelled.
    cancelled: bool,
}

/// The action server of one robot.
pub(super) struct CommandAction {
    arriving: Inbox<GoalRequest>,
    arrived: Vec<GoalRequest>,
    active: Vec<Active>,
}

impl CommandAction {
    /// Opens the action on the robot's own node.
    ///
    /// # Errors
    /// When the middleware does not let it.
    pub(super) fn open(node: &mut Node, name: &str) -> r2r::Result<Self> {
        Ok(Self {
            arriving: Box::new(node.create_action_server(name)?),
            arrived: Vec::new(),
            active: Vec::new(),
        })
    }

    /// Takes in the goals that the node has taken. Returns how many.
    pub(super) fn collect(&mut self) -> usize {
        let before = self.arrived.len();
        while let Some(request) = poll(&mut self.arriving) {
            self.arrived.push(request);
        }
        self.arrived.len() - before
    }

    /// Queues what has arrived and cancels what clients don't want any more. Returns whether
    /// the robot was asked for anything.
    pub(super) fn serve(&mut self, node: &mut Node, kachaka: &mut Kachaka) -> bool {
        let asked = !self.arrived.is_empty();
        for request in std::mem::take(&mut self.arrived) {
            self.start(request, kachaka);
        }
        asked | self.serve_cancels(node, kachaka)
    }

    fn start(&mut self, request: GoalRequest, kachaka: &mut Kachaka) {
        // Like the real bridge it accepts every goal; what can't be is then aborted.
        let (mut goal, cancels) = match request.accept() {
            Ok((goal, cancels)) => (goal, Box::new(cancels)),
            Err(error) => {
                tracing::warn!("can't accept a goal: {error}");
                return;
            }
        };
        let started = goal_command(&goal.goal.kachaka_command).and_then(|command| {
            kachaka.start_command(StartCommand {
                cancel_all: goal.goal.cancel_all,
                tts_on_success: goal.goal.tts_on_success.clone(),
                ..StartCommand::new(command)
            })
        });
        match started {
            Ok(command_id) => self.active.push(Active {
                command_id,
                goal,
                cancels,
                cancelled: false,
            }),
            Err(Refusal { code, message }) => {
                let result = ExecKachakaCommand::Result {
                    success: false,
                    error_code: code,
                    message: message.replace('\0', "\u{fffd}"),
                };
                report(goal.abort(result));
            }
        }
    }

    fn serve_cancels(&mut self, node: &mut Node, kachaka: &mut Kachaka) -> bool {
        let mut asked = false;
        for active in &mut self.active {
            while let Some(request) = poll(&mut active.cancels) {
                asked = true;
                // A command that has ended can't be cancelled any more.
                if kachaka.cancel_by_id(&active.command_id) {
                    active.cancelled = true;
                    request.accept();
                } else {
                    request.reject();
                }
            }
        }
        if asked {
            // The node answers them when it is looked at, and a goal has to be in the state
            // of being cancelled before it can be cancelled.
            node.spin_once(std::time::Duration::ZERO);
        }
        asked
    }

    /// Ends the goals whose commands have ended.
    pub(super) fn finish(&mut self, kachaka: &Kachaka) {
        if self.active.is_empty() {
            return;
        }
        let ended = |active: &mut Active| !kachaka.is_pending(&active.command_id);
        for active in self.active.extract_if(.., ended) {
            let result = (kachaka.history()).find(|result| result.id == active.command_id);
            active.finish(result);
        }
    }
}

impl Active {
    /// Ends the goal as its command has ended. After a reset of the robot there are no
    /// results any more, and its commands were interrupted.
    fn finish(mut self, result: Option<&CommandResult>) {
        let message = match result {
            Some(result) => ExecKachakaCommand::Result {
                success: result.success,
                error_code: result.error_code,
                message: result.message.clone(),
            },
            None => ExecKachakaCommand::Result {
                success: false,
                error_code: code::INTERRUPTED,
                message: error_codes::message(code::INTERRUPTED),
            },
        };
        report(if self.cancelled {
            self.goal.cancel(message)
        } else if message.success {
            self.goal.succeed(message)
        } else {
            self.goal.abort(message)
        });
    }
}

fn report(sent: r2r::Result<()>) {
    if let Err(error) = sent {
        tracing::warn!("can't end a goal: {error}");
    }
}
