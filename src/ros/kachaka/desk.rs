//! Where requests of services are carried out: the reply to each is kept until what has become
//! of it is published.

use r2r::WrappedServiceTypeSupport;

use super::goals::Goals;
use super::outputs::Outputs;
use super::reply::Reply;
use super::services::Requests;
use crate::kachaka::error_codes::code;
use crate::kachaka::{Kachaka, Refusal};
use crate::ros::inbox::poll;
use crate::ros::onboard::Outcome;
use crate::ros::replies::Replies;
use crate::world::SimTime;

/// What came of a request.
pub(super) type Asked<R = ()> = Result<R, Refusal>;

/// One robot while requests are carried out.
pub(super) struct Onboard<'a> {
    /// Sim time.
    pub(super) now: SimTime,
    /// Its software.
    pub(super) kachaka: &'a mut Kachaka,
    /// What it publishes.
    pub(super) outputs: &'a mut Outputs,
    /// Goals of its action.
    pub(super) goals: &'a mut Goals,
}

impl Onboard<'_> {
    /// Publishes before results could be missed: only so many are kept.
    pub(super) fn publish_if_much(&mut self) {
        if self.outputs.has_much_to_tell(self.kachaka) {
            self.outputs.publish_changes(self.now, self.kachaka);
            self.goals.finish(self.kachaka);
        }
    }
}

/// Carries out requests to one robot, or refuses those to one that is gone.
pub(super) struct Desk<'a, 'b> {
    robot: Option<&'a mut Onboard<'b>>,
    replies: &'a mut Replies,
}

impl<'a, 'b> Desk<'a, 'b> {
    /// The desk of a robot.
    pub(super) fn of(robot: &'a mut Onboard<'b>, replies: &'a mut Replies) -> Self {
        Self {
            robot: Some(robot),
            replies,
        }
    }

    /// The desk of a robot that is gone.
    pub(super) fn of_nobody(replies: &'a mut Replies) -> Self {
        Self {
            robot: None,
            replies,
        }
    }

    fn ask<R>(&mut self, act: impl FnOnce(&mut Onboard<'_>) -> Asked<R>) -> (Outcome, Option<R>) {
        let Some(robot) = &mut self.robot else {
            return (Outcome::refused(Refusal::of(code::ROBOT_REMOVED), 0), None);
        };
        let asked = act(robot);
        let sequence = robot.kachaka.sequence();
        robot.publish_if_much();
        match asked {
            Ok(value) => (Outcome::success(sequence), Some(value)),
            Err(refusal) => (Outcome::refused(refusal, sequence), None),
        }
    }

    /// Carries out everything that has arrived at one service. `fill` puts what came of it into
    /// the response.
    pub(super) fn serve<T, R>(
        &mut self,
        inbox: &mut Requests<T>,
        act: impl Fn(&mut Kachaka, &T::Request) -> Asked<R>,
        fill: impl Fn(&mut T::Response, R),
    ) where
        T: WrappedServiceTypeSupport + 'static,
        T::Response: Reply,
    {
        let act = |robot: &mut Onboard<'_>, ask: &T::Request| act(robot.kachaka, ask);
        self.serve_onboard(inbox, act, fill);
    }

    /// As [`Self::serve`], of what has no more to say than how it went.
    pub(super) fn serve_plain<T>(
        &mut self,
        inbox: &mut Requests<T>,
        act: impl Fn(&mut Kachaka, &T::Request) -> Asked,
    ) where
        T: WrappedServiceTypeSupport + 'static,
        T::Response: Reply,
    {
        self.serve(inbox, act, |_, ()| {});
    }

    /// As [`Self::serve`], of what concerns more than the software.
    pub(super) fn serve_onboard<T, R>(
        &mut self,
        inbox: &mut Requests<T>,
        act: impl Fn(&mut Onboard<'_>, &T::Request) -> Asked<R>,
        fill: impl Fn(&mut T::Response, R),
    ) where
        T: WrappedServiceTypeSupport + 'static,
        T::Response: Reply,
    {
        while let Some(request) = poll(inbox) {
            let (outcome, value) = self.ask(|robot| act(robot, &request.message));
            let mut response = T::Response::of(outcome);
            if let Some(value) = value {
                fill(&mut response, value);
            }
            self.replies.add(request, response);
        }
    }
}
