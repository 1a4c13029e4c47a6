//! Goals of the action: those under way, and those that have ended, for as long as their
//! results are kept.

use std::collections::VecDeque;

use r2r::action_msgs::msg::{GoalInfo, GoalStatus, GoalStatusArray};
use r2r::action_msgs::srv::CancelGoal;
use r2r::builtin_interfaces::msg::Time;
use r2r::kachaka_interfaces::action::ExecKachakaCommand::{self, GetResult};
use r2r::unique_identifier_msgs::msg::UUID;
use r2r::{Node, ServiceRequest};

use super::names;
use crate::kachaka::error_codes::{self, code};
use crate::kachaka::{CommandResult, Kachaka};
use crate::ros::output::{Output, latched};
use crate::ros::replies::Replies;
use crate::ros::respond::respond;

/// What became of a goal that can't be changed any more.
const SUCCEEDED: i8 = GoalStatus::STATUS_SUCCEEDED as i8;
const ABORTED: i8 = GoalStatus::STATUS_ABORTED as i8;
const CANCELED: i8 = GoalStatus::STATUS_CANCELED as i8;

/// A goal whose command runs or waits.
struct Active {
    info: GoalInfo,
    command_id: String,
    /// Whether a client was told that it is being cancelled.
    is_cancelled: bool,
    /// Who waits for the result.
    waiting: Vec<ServiceRequest<GetResult::Service>>,
}

impl Active {
    fn status(&self) -> GoalStatus {
        let status = if self.is_cancelled {
            GoalStatus::STATUS_CANCELING as i8
        } else {
            GoalStatus::STATUS_EXECUTING as i8
        };
        GoalStatus {
            goal_info: self.info.clone(),
            status,
        }
    }
}

/// A goal that has ended.
struct Ended {
    info: GoalInfo,
    response: GetResult::Response,
}

impl Ended {
    fn status(&self) -> GoalStatus {
        GoalStatus {
            goal_info: self.info.clone(),
            status: self.response.status,
        }
    }
}

/// All goals that the action knows.
pub(super) struct Goals {
    active: Vec<Active>,
    /// The latest is the last.
    ended: VecDeque<Ended>,
    statuses: Output<GoalStatusArray>,
    /// Whether the statuses that were sent last are not true any more.
    is_changed: bool,
}

impl Goals {
    /// So many goals that have ended are known, with their results.
    const MOST_ENDED: usize = 1_000;
    /// So many requests may wait for the results of goals that are under way. A client has one
    /// for each of its goals.
    const MOST_WAITING: usize = 10_000;
    /// The statuses of so many of them are told: each status is told with all others.
    const MOST_TOLD: usize = 100;

    /// Opens the topic of statuses.
    ///
    /// # Errors
    /// When the middleware does not let it.
    pub(super) fn open(node: &mut Node) -> r2r::Result<Self> {
        let nothing = GoalStatusArray::default();
        Ok(Self {
            active: Vec::new(),
            ended: VecDeque::new(),
            statuses: Output::open(node, names::ACTION_STATUS, latched(1), nothing)?,
            is_changed: false,
        })
    }

    /// Whether there is or was a goal of this id.
    pub(super) fn knows(&self, id: &UUID) -> bool {
        let mut active = self.active.iter().map(|goal| &goal.info);
        let mut ended = self.ended.iter().map(|goal| &goal.info);
        active.any(|info| info.goal_id == *id) || ended.any(|info| info.goal_id == *id)
    }

    /// Takes in a goal whose command has begun or waits.
    pub(super) fn begin(&mut self, info: GoalInfo, command_id: String) {
        self.is_changed = true;
        self.active.push(Active {
            info,
            command_id,
            is_cancelled: false,
            waiting: Vec::new(),
        });
    }

    /// Takes in a goal that was aborted as soon as it was accepted.
    pub(super) fn abort(&mut self, info: GoalInfo, result: ExecKachakaCommand::Result) {
        let status = ABORTED;
        self.keep(info, GetResult::Response { status, result });
    }

    fn keep(&mut self, info: GoalInfo, response: GetResult::Response) {
        self.is_changed = true;
        if self.ended.len() == Self::MOST_ENDED {
            self.ended.pop_front();
        }
        self.ended.push_back(Ended { info, response });
    }

    /// Ends the goals whose commands have ended.
    pub(super) fn finish(&mut self, kachaka: &Kachaka) {
        let has_ended = |goal: &mut Active| !kachaka.is_pending(&goal.command_id);
        let ended: Vec<Active> = self.active.extract_if(.., has_ended).collect();
        for goal in ended {
            let result = (kachaka.history()).find(|result| result.id == goal.command_id);
            let response = response(result, goal.is_cancelled);
            for request in goal.waiting {
                respond(request, response.clone());
            }
            self.keep(goal.info, response);
        }
        self.tell();
    }

    /// Publishes the statuses if they have changed.
    fn tell(&mut self) {
        if !std::mem::take(&mut self.is_changed) {
            return;
        }
        let told = self.ended.len().saturating_sub(Self::MOST_TOLD);
        let ended = self.ended.range(told..).map(Ended::status);
        let all = ended.chain(self.active.iter().map(Active::status));
        self.statuses.message.status_list = all.collect();
        self.statuses.publish();
    }

    /// Cancels what a client asks for: the goal of an id, all that were accepted until a time,
    /// either with both, or every one with neither.
    pub(super) fn cancel(
        &mut self,
        asked: &GoalInfo,
        kachaka: &mut Kachaka,
    ) -> CancelGoal::Response {
        let has_id = asked.goal_id.uuid.iter().any(|&byte| byte != 0);
        let has_time = asked.stamp != Time::default();
        let until = (asked.stamp.sec, asked.stamp.nanosec);
        let mut response = CancelGoal::Response::default();
        for goal in &mut self.active {
            let stamp = (goal.info.stamp.sec, goal.info.stamp.nanosec);
            let is_meant = (!has_id && !has_time)
                || (has_id && goal.info.goal_id == asked.goal_id)
                || (has_time && stamp <= until);
            // A command that has ended can't be cancelled any more.
            if is_meant && kachaka.cancel_by_id(&goal.command_id) {
                goal.is_cancelled = true;
                response.goals_canceling.push(goal.info.clone());
            }
        }
        if has_id && !has_time && response.goals_canceling.is_empty() {
            response.return_code = if self.knows(&asked.goal_id) {
                CancelGoal::Response::ERROR_GOAL_TERMINATED as i8
            } else {
                CancelGoal::Response::ERROR_UNKNOWN_GOAL_ID as i8
            };
        }
        self.is_changed |= !response.goals_canceling.is_empty();
        response
    }

    /// Answers with the result of a goal, when there is one.
    pub(super) fn give_result(
        &mut self,
        request: ServiceRequest<GetResult::Service>,
        replies: &mut Replies,
    ) {
        let id = &request.message.goal_id;
        let waiting: usize = self.active.iter().map(|goal| goal.waiting.len()).sum();
        if let Some(goal) = (self.active.iter_mut()).find(|goal| goal.info.goal_id == *id) {
            if waiting >= Self::MOST_WAITING {
                // Whoever floods it loses: the first are more likely to be waited for.
                tracing::warn!("a request for a result is dropped: {waiting} are waiting already");
                return;
            }
            goal.waiting.push(request);
            return;
        }
        let ended = self.ended.iter().find(|goal| goal.info.goal_id == *id);
        // A default status is that of an unknown goal.
        let response =
            ended.map_or_else(GetResult::Response::default, |goal| goal.response.clone());
        replies.add(request, response);
    }
}

/// How a goal ends whose command has ended. After a reset of the robot there are no results
/// any more, and its commands were interrupted.
fn response(result: Option<&CommandResult>, is_cancelled: bool) -> GetResult::Response {
    let result = match result {
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
    let status = match (is_cancelled, result.success) {
        (true, _) => CANCELED,
        (false, true) => SUCCEEDED,
        (false, false) => ABORTED,
    };
    GetResult::Response { status, result }
}
