//! The action `kachaka_command/execute`: goals of the bridge's clients in front of the same
//! queue as everything else.
//!
//! r2r never takes an action server down, and one whose goals are old enough to be forgotten
//! wakes its node without end. So the server lives on a node of its own, which is looked at
//! without waiting. r2r also keeps every goal for ever and tells of all of them each time, so
//! after many the server is opened anew, on another node.

use std::time::Duration;

use r2r::kachaka_interfaces::action::ExecKachakaCommand;
use r2r::{ActionServerCancelRequest, ActionServerGoal, ActionServerGoalRequest, Context, Node};

use super::convert::goal_command;
use super::desk::Onboard;
use super::names;
use super::outputs::Outputs;
use crate::kachaka::error_codes::{self, code};
use crate::kachaka::{CommandResult, Kachaka, Refusal, StartCommand};
use crate::ros::inbox::{Inbox, poll};
use crate::world::SimTime;

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

/// Goals that are under way.
#[derive(Default)]
pub(super) struct Goals {
    active: Vec<Active>,
}

impl Goals {
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

/// A server on its node.
struct Server {
    // Before the node.
    arriving: Inbox<GoalRequest>,
    node: Node,
}

impl Server {
    fn open(context: &Context, namespace: &str) -> r2r::Result<Self> {
        let mut node = Node::create(context.clone(), "commands", namespace)?;
        Ok(Self {
            arriving: Box::new(node.create_action_server(names::ACTION)?),
            node,
        })
    }
}

/// The action server of one robot.
pub(super) struct CommandAction {
    server: Server,
    /// The server before it, which answers nothing any more, and since when.
    former: Option<(Server, Duration)>,
    arrived: Vec<GoalRequest>,
    goals: Goals,
    /// Goals that the server has taken.
    taken: usize,
    /// Goals that it had taken when they were counted last, and since when it is that many
    /// and none is under way.
    quiet: Option<(usize, Duration)>,
    context: Context,
    namespace: String,
}

impl CommandAction {
    /// A server that has taken more goals is opened anew when nothing is under way.
    const MOST_GOALS: usize = 1_000;
    /// So long after the last goal its client has had the result.
    const QUIET: Duration = Duration::from_secs(10);
    /// So long do both servers stand, for clients to find the new one before the old one goes.
    const OVERLAP: Duration = Duration::from_secs(2);

    /// Opens the action on a node of its own.
    ///
    /// # Errors
    /// When the middleware does not let it.
    pub(super) fn open(context: &Context, namespace: &str) -> r2r::Result<Self> {
        Ok(Self {
            server: Server::open(context, namespace)?,
            former: None,
            arrived: Vec::new(),
            goals: Goals::default(),
            taken: 0,
            quiet: None,
            context: context.clone(),
            namespace: namespace.to_owned(),
        })
    }

    /// Opens the server anew if it holds many goals and nothing has been under way for long.
    ///
    /// # Errors
    /// When the middleware does not let it; then the present one stays.
    pub(super) fn renew(&mut self, now: Duration) -> r2r::Result<()> {
        self.former
            .take_if(|(_, since)| now > *since + Self::OVERLAP);
        if !self.goals.active.is_empty() || !self.arrived.is_empty() {
            self.quiet = None;
            return Ok(());
        }
        let since = match self.quiet {
            Some((taken, since)) if taken == self.taken => since,
            _ => now,
        };
        self.quiet = Some((self.taken, since));
        if self.taken > Self::MOST_GOALS && now > since + Self::QUIET {
            let next = Server::open(&self.context, &self.namespace)?;
            let former = std::mem::replace(&mut self.server, next);
            self.former = Some((former, now));
            self.taken = 0;
            self.quiet = None;
        }
        Ok(())
    }

    /// Takes in the goals that have arrived. Returns how many.
    pub(super) fn collect(&mut self) -> usize {
        self.server.node.spin_once(Duration::ZERO);
        let before = self.arrived.len();
        while let Some(request) = poll(&mut self.server.arriving) {
            self.arrived.push(request);
        }
        let arrived = self.arrived.len() - before;
        self.taken += arrived;
        arrived
    }

    /// Goals that are under way.
    pub(super) fn goals(&mut self) -> &mut Goals {
        &mut self.goals
    }

    /// Queues what has arrived and cancels what clients don't want any more.
    pub(super) fn serve(&mut self, now: SimTime, kachaka: &mut Kachaka, outputs: &mut Outputs) {
        let mut onboard = Onboard {
            now,
            kachaka,
            outputs,
            goals: &mut self.goals,
        };
        for request in self.arrived.drain(..) {
            onboard.start(request);
            onboard.publish_if_much();
        }
        if onboard.serve_cancels() {
            // The node answers them when it is looked at, and a goal has to be in the state
            // of being cancelled before it can be cancelled.
            self.server.node.spin_once(Duration::ZERO);
        }
    }

    /// Refuses what has arrived for a robot that is gone.
    pub(super) fn refuse(&mut self) {
        for request in self.arrived.drain(..) {
            if let Err(error) = request.reject() {
                tracing::warn!("can't refuse a goal: {error}");
            }
        }
    }
}

impl Onboard<'_> {
    fn start(&mut self, request: GoalRequest) {
        // Like the real bridge it accepts every goal; what can't be is then aborted.
        let (mut goal, cancels) = match request.accept() {
            Ok((goal, cancels)) => (goal, Box::new(cancels)),
            Err(error) => {
                tracing::warn!("can't accept a goal: {error}");
                return;
            }
        };
        let started = goal_command(&goal.goal.kachaka_command).and_then(|command| {
            self.kachaka.start_command(StartCommand {
                cancel_all: goal.goal.cancel_all,
                tts_on_success: goal.goal.tts_on_success.clone(),
                ..StartCommand::new(command)
            })
        });
        match started {
            Ok(command_id) => self.goals.active.push(Active {
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

    /// Whether there were any.
    fn serve_cancels(&mut self) -> bool {
        let mut asked = false;
        for active in &mut self.goals.active {
            while let Some(request) = poll(&mut active.cancels) {
                asked = true;
                // A command that has ended can't be cancelled any more.
                if self.kachaka.cancel_by_id(&active.command_id) {
                    active.cancelled = true;
                    request.accept();
                } else {
                    request.reject();
                }
            }
        }
        asked
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
