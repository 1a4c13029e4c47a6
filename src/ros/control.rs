//! The pause state and the step requests of `control_world`, without ROS.
//!
//! All requests that change time or bring inputs are taken in the order of arrival. One
//! that steps becomes a job, which the server's loop works off in batches; what arrives
//! meanwhile waits behind it, except for two kinds:
//!
//! - a plain report reads the state between two steps;
//! - a plain pause ends the job and every waiting step request early. An unpause that
//!   waits is then void: the later request wins.
//!
//! An unpause that arrives during a job takes effect after it, in its turn.

use std::collections::VecDeque;

/// Requests that may wait; above that they are refused, so that a client that floods the
/// server does not grow it without bound.
const MAX_WAITING: usize = 10_000;

/// What a request asks for, without its data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Ask {
    /// The pause state it names.
    pub(super) pause: bool,
    /// Number of steps.
    pub(super) multi_step: u32,
    /// Whether it brings commands, poses or discs.
    pub(super) inputs: bool,
    /// Whether it wants the robots' states.
    pub(super) report: bool,
}

impl Ask {
    fn only_reports(&self) -> bool {
        self.multi_step == 0 && self.report && !self.inputs
    }

    fn only_sets_pause(&self) -> bool {
        self.multi_step == 0 && !self.report && !self.inputs
    }
}

/// The answer to one request; `T` is what the request was submitted with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reply<T> {
    /// What the request was submitted with.
    pub(super) ticket: T,
    /// Whether it was carried out as asked.
    pub(super) success: bool,
    /// Why not, or a remark.
    pub(super) message: String,
    /// Steps that this request took.
    pub(super) steps_taken: u32,
}

impl<T> Reply<T> {
    fn done(ticket: T, steps_taken: u32, message: impl Into<String>) -> Self {
        Self {
            ticket,
            success: true,
            message: message.into(),
            steps_taken,
        }
    }

    fn refused(ticket: T, message: impl Into<String>) -> Self {
        Self {
            ticket,
            success: false,
            message: message.into(),
            steps_taken: 0,
        }
    }
}

#[derive(Debug)]
struct Job<T> {
    ticket: T,
    wanted: u32,
    taken: u32,
}

impl<T> Job<T> {
    fn end_early(self, reason: &str) -> Reply<T> {
        Reply {
            success: false,
            message: format!(
                "ended after {} of {} steps by {reason}",
                self.taken, self.wanted
            ),
            steps_taken: self.taken,
            ticket: self.ticket,
        }
    }
}

/// The pause state with the requests that are under way.
#[derive(Debug)]
pub(super) struct Control<T> {
    paused: bool,
    job: Option<Job<T>>,
    waiting: VecDeque<(Ask, T)>,
}

impl<T> Control<T> {
    /// The state at start.
    pub(super) fn new(paused: bool) -> Self {
        Self {
            paused,
            job: None,
            waiting: VecDeque::new(),
        }
    }

    /// Whether time stands still but for step requests.
    pub(super) fn paused(&self) -> bool {
        self.paused
    }

    /// Whether a step request is under way: the world is to be stepped now, and topic
    /// inputs are to wait.
    pub(super) fn stepping(&self) -> bool {
        self.job.is_some()
    }

    /// Steps that the request under way still wants.
    pub(super) fn steps_left(&self) -> u32 {
        self.job.as_ref().map_or(0, |job| job.wanted - job.taken)
    }

    /// Takes a request in. Returns the replies that are due at once; the rest comes from
    /// [`Self::advance`] and [`Self::stepped`].
    pub(super) fn submit(&mut self, ask: Ask, ticket: T) -> Vec<Reply<T>> {
        if ask.only_reports() {
            return vec![Reply::done(ticket, 0, "")];
        }
        if ask.only_sets_pause() && ask.pause {
            let mut replies = self.end_steps("a request to pause");
            self.paused = true;
            replies.push(Reply::done(ticket, 0, ""));
            return replies;
        }
        if self.waiting.len() >= MAX_WAITING {
            let message = format!("{MAX_WAITING} requests are waiting already");
            return vec![Reply::refused(ticket, message)];
        }
        self.waiting.push_back((ask, ticket));
        Vec::new()
    }

    /// Works off waiting requests until one of them has steps to take. `apply` applies a
    /// request's inputs, all or none, and returns the reason if it can't.
    pub(super) fn advance(
        &mut self,
        mut apply: impl FnMut(&T) -> Result<(), String>,
    ) -> Vec<Reply<T>> {
        let mut replies = Vec::new();
        while self.job.is_none() {
            let Some((ask, ticket)) = self.waiting.pop_front() else {
                break;
            };
            if let Some(reply) = self.take(ask, ticket, &mut apply) {
                replies.push(reply);
            }
        }
        replies
    }

    fn take(
        &mut self,
        ask: Ask,
        ticket: T,
        apply: &mut impl FnMut(&T) -> Result<(), String>,
    ) -> Option<Reply<T>> {
        if ask.multi_step > 0 && !self.paused && !ask.pause {
            return Some(Reply::refused(
                ticket,
                "multi_step needs a paused world and the world is running: \
                 set pause to true to pause it and then step",
            ));
        }
        if ask.inputs
            && let Err(reason) = apply(&ticket)
        {
            return Some(Reply::refused(ticket, reason));
        }
        if ask.multi_step > 0 {
            self.paused = true;
            self.job = Some(Job {
                ticket,
                wanted: ask.multi_step,
                taken: 0,
            });
            return None;
        }
        if ask.only_sets_pause() {
            self.paused = ask.pause;
        }
        Some(Reply::done(ticket, 0, ""))
    }

    /// Counts one step of the request under way. Returns its reply after the last one.
    pub(super) fn stepped(&mut self) -> Option<Reply<T>> {
        let job = self.job.as_mut()?;
        job.taken += 1;
        if job.taken < job.wanted {
            return None;
        }
        let job = self.job.take()?;
        Some(Reply::done(job.ticket, job.taken, ""))
    }

    /// Ends the request under way and all that wait, for when the server stops.
    pub(super) fn shut_down(&mut self) -> Vec<Reply<T>> {
        let reason = "the server, which shuts down";
        let mut replies = self.end_steps(reason);
        for (_, ticket) in self.waiting.drain(..) {
            replies.push(Reply::refused(ticket, "the server shuts down"));
        }
        replies
    }

    /// Ends the job and the waiting step requests; those that only bring inputs stay.
    fn end_steps(&mut self, reason: &str) -> Vec<Reply<T>> {
        let mut replies: Vec<Reply<T>> = Vec::new();
        replies.extend(self.job.take().map(|job| job.end_early(reason)));
        for (ask, ticket) in std::mem::take(&mut self.waiting) {
            if ask.multi_step > 0 {
                let job = Job {
                    ticket,
                    wanted: ask.multi_step,
                    taken: 0,
                };
                replies.push(job.end_early(reason));
            } else if ask.only_sets_pause() {
                replies.push(Reply::done(ticket, 0, format!("overruled by {reason}")));
            } else {
                self.waiting.push_back((ask, ticket));
            }
        }
        replies
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEP: Ask = Ask {
        pause: true,
        multi_step: 1,
        inputs: false,
        report: false,
    };
    const PAUSE: Ask = Ask {
        multi_step: 0,
        ..STEP
    };
    const UNPAUSE: Ask = Ask {
        pause: false,
        ..PAUSE
    };

    fn steps(multi_step: u32) -> Ask {
        Ask { multi_step, ..STEP }
    }

    /// Submits a request and works off everything, counting steps. Returns the replies.
    fn run(control: &mut Control<u32>, ask: Ask, ticket: u32, taken: &mut u32) -> Vec<Reply<u32>> {
        let mut replies = control.submit(ask, ticket);
        replies.extend(control.advance(|_| Ok(())));
        while control.stepping() {
            *taken += 1;
            replies.extend(control.stepped());
            replies.extend(control.advance(|_| Ok(())));
        }
        replies
    }

    #[test]
    fn a_request_of_the_table_does_what_the_table_says() {
        // paused before, pause, multi_step, inputs, report -> success, paused after, steps
        let table = [
            (false, true, 0, false, false, true, true, 0),
            (false, false, 0, false, false, true, false, 0),
            (true, true, 0, false, false, true, true, 0),
            (true, false, 0, false, false, true, false, 0),
            (true, true, 7, false, false, true, true, 7),
            (true, false, 7, false, false, true, true, 7),
            (true, false, 7, true, true, true, true, 7),
            (false, true, 7, false, false, true, true, 7),
            (false, true, 7, true, false, true, true, 7),
            (false, false, 7, false, false, false, false, 0),
            (false, false, 7, true, true, false, false, 0),
            (true, false, 0, true, false, true, true, 0),
            (true, false, 0, false, true, true, true, 0),
            (true, true, 0, true, true, true, true, 0),
            (false, true, 0, true, false, true, false, 0),
            (false, true, 0, false, true, true, false, 0),
            (false, false, 0, true, true, true, false, 0),
        ];
        for row in table {
            let (before, pause, multi_step, inputs, report, success, after, wanted) = row;
            let mut control = Control::new(before);
            let ask = Ask {
                pause,
                multi_step,
                inputs,
                report,
            };
            let mut taken = 0;
            let replies = run(&mut control, ask, 1, &mut taken);
            assert_eq!(replies.len(), 1, "{row:?}: {replies:?}");
            assert_eq!(replies[0].success, success, "{row:?}: {replies:?}");
            assert_eq!(replies[0].steps_taken, wanted, "{row:?}: {replies:?}");
            assert_eq!(taken, wanted, "{row:?}");
            assert_eq!(control.paused(), after, "{row:?}");
        }
    }

    #[test]
    fn bad_inputs_refuse_the_request_and_neither_step_nor_pause() {
        let ask = Ask {
            inputs: true,
            ..steps(5)
        };
        let mut control = Control::new(false);
        assert!(control.submit(ask, 1).is_empty());
        let replies = control.advance(|_| Err("commands[0]: no robot \"x\"".to_owned()));
        assert_eq!(replies.len(), 1);
        assert!(!replies[0].success);
        assert_eq!(replies[0].message, "commands[0]: no robot \"x\"");
        assert!(!control.stepping());
        assert!(!control.paused(), "a refused request must not pause");
    }

    #[test]
    fn an_ambiguous_request_does_not_apply_its_inputs() {
        let mut control = Control::new(false);
        let ask = Ask {
            pause: false,
            inputs: true,
            ..steps(5)
        };
        control.submit(ask, 1);
        let replies = control.advance(|_| panic!("inputs were applied"));
        assert!(!replies[0].success, "{replies:?}");
    }

    #[test]
    fn step_requests_wait_for_each_other_in_order() {
        let mut control = Control::new(true);
        for ticket in 0..100 {
            assert!(control.submit(steps(3), ticket).is_empty());
        }
        let mut order = Vec::new();
        let mut taken = 0;
        assert!(control.advance(|_| Ok(())).is_empty());
        while control.stepping() {
            taken += 1;
            if let Some(reply) = control.stepped() {
                assert_eq!(reply.steps_taken, 3);
                order.push(reply.ticket);
            }
            control.advance(|_| Ok(()));
        }
        assert_eq!(taken, 300);
        assert_eq!(order, (0..100).collect::<Vec<u32>>());
    }

    #[test]
    fn a_pause_ends_running_and_waiting_step_requests() {
        let mut control = Control::new(true);
        control.submit(steps(4_000_000_000), 1);
        control.advance(|_| Ok(()));
        control.submit(steps(10), 2);
        control.submit(UNPAUSE, 3);
        for _ in 0..12 {
            assert_eq!(control.stepped(), None);
        }
        let replies = control.submit(PAUSE, 4);
        let seen: Vec<(u32, bool, u32)> = replies
            .iter()
            .map(|r| (r.ticket, r.success, r.steps_taken))
            .collect();
        assert_eq!(
            seen,
            [(1, false, 12), (2, false, 0), (3, true, 0), (4, true, 0)]
        );
        assert!(
            replies[0].message.contains("12 of 4000000000"),
            "{replies:?}"
        );
        assert!(!control.stepping());
        assert!(control.paused());
        assert!(control.advance(|_| Ok(())).is_empty());
        assert!(control.paused(), "the overruled unpause must stay void");
    }

    #[test]
    fn a_report_is_answered_during_a_job_and_an_unpause_after_it() {
        let mut control = Control::new(true);
        control.submit(steps(2), 1);
        control.advance(|_| Ok(()));
        let report = Ask {
            report: true,
            ..UNPAUSE
        };
        assert_eq!(control.submit(report, 2).len(), 1);
        assert!(control.submit(UNPAUSE, 3).is_empty());
        assert!(control.paused());
        assert_eq!(control.steps_left(), 2);
        assert_eq!(control.stepped(), None);
        assert_eq!(control.steps_left(), 1);
        assert_eq!(control.stepped().unwrap().ticket, 1);
        let replies = control.advance(|_| Ok(()));
        assert_eq!(replies[0].ticket, 3);
        assert!(!control.paused());
    }

    #[test]
    fn inputs_wait_behind_a_job_and_survive_its_early_end() {
        let mut control = Control::new(true);
        control.submit(steps(5), 1);
        control.advance(|_| Ok(()));
        let inputs = Ask {
            inputs: true,
            ..UNPAUSE
        };
        assert!(control.submit(inputs, 2).is_empty());
        control.submit(PAUSE, 3);
        let mut applied = Vec::new();
        let replies = control.advance(|ticket| {
            applied.push(*ticket);
            Ok(())
        });
        assert_eq!(applied, [2]);
        assert!(replies[0].success, "{replies:?}");
        assert!(control.paused(), "inputs must not change the pause state");
    }

    #[test]
    fn a_flood_is_refused_and_shutting_down_answers_everybody() {
        let mut control = Control::new(true);
        for ticket in 0..MAX_WAITING {
            assert!(control.submit(STEP, ticket).is_empty());
        }
        let refused = control.submit(STEP, MAX_WAITING);
        assert!(!refused[0].success, "{refused:?}");
        control.advance(|_| Ok(()));
        let replies = control.shut_down();
        assert_eq!(replies.len(), MAX_WAITING);
        assert!(replies.iter().all(|r| !r.success));
    }
}
