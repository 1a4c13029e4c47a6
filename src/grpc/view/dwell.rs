//! Commands as slow pollers can follow them.
//!
//! The server's commands may last a step and two results may come at once; clients that ask
//! every 20 ms, and see the latest value only, would miss both. So in the adapter's view a
//! command runs and a result stands for a least time, and results come in order, each of them.

use std::collections::VecDeque;
use std::time::Duration;

use r2r::tatami_msgs::msg::{CommandHistory, CommandResult, OnboardCommand, OnboardState};

/// How long a state waits for results that it knows of and that have not arrived.
const LATE: Duration = Duration::from_millis(500);

/// The least times.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct DwellTimes {
    /// How long a command is shown as running.
    pub(in super::super) running: Duration,
    /// How long a result stands.
    pub(in super::super) result: Duration,
}

/// A command that runs.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Running {
    pub(super) id: String,
    pub(super) command: OnboardCommand,
}

/// Something that a client sees change.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Change {
    /// What runs now.
    State(Option<Running>),
    /// The last result; `None` when there is none, as before the first.
    Result(Option<Box<CommandResult>>),
}

/// The queue of what clients have yet to see. Times are of one clock that does not go back.
#[derive(Debug)]
pub(super) struct Dwell {
    times: DwellTimes,
    /// What the robot does now.
    truth: Option<Running>,
    /// What clients see, and since when.
    shown: Option<(Running, Duration)>,
    /// What clients were told last, to tell them only changes.
    told: Option<Option<String>>,
    /// Results that clients have not seen, in their order.
    queue: VecDeque<CommandResult>,
    /// Number of the last result that was queued or seen; `None` before anything was heard.
    newest: Option<u64>,
    /// Number of the newest result of the last history.
    history: u64,
    result_since: Option<Duration>,
    /// Commands that were seen to run and have no result yet.
    ran: Vec<String>,
    /// The last result of a state that came before the history with those in between.
    late: Option<(CommandResult, Duration)>,
    /// Number of the last state.
    sequence: u64,
    /// Number of the state that a history goes with and that has not come, and how long it is
    /// waited for: the command that has ended is not to be seen running after its result.
    follows: Option<(u64, Duration)>,
}

impl Dwell {
    pub(super) fn new(times: DwellTimes) -> Self {
        Self {
            times,
            truth: None,
            shown: None,
            told: None,
            queue: VecDeque::new(),
            newest: None,
            history: 0,
            result_since: None,
            ran: Vec::new(),
            late: None,
            sequence: 0,
            follows: None,
        }
    }

    /// Forgets everything, because another robot has taken the place of the one known.
    pub(super) fn begin_anew(&mut self) {
        let told = self.told.take();
        *self = Self::new(self.times);
        self.told = told;
    }

    /// Takes a state.
    pub(super) fn state(&mut self, now: Duration, state: &OnboardState) -> Vec<Change> {
        let mut changes = Vec::new();
        let last = state.last_result.first();
        match (self.newest, last) {
            (None, _) => changes.push(self.start_after(now, last)),
            (Some(newest), Some(last)) if last.number == newest + 1 => self.queue(last.clone()),
            (Some(newest), Some(last)) if last.number > newest => {
                self.late.get_or_insert((last.clone(), now + LATE)).0 = last.clone();
            }
            _ => {}
        }
        self.sequence = state.sequence;
        self.follows = self
            .follows
            .filter(|(sequence, _)| *sequence > self.sequence);
        self.truth = (state.command_state == OnboardState::RUNNING as u8).then(|| Running {
            id: state.command_id.clone(),
            command: state.command.clone(),
        });
        if let Some(Running { id, .. }) = &self.truth
            && !self.ran.contains(id)
        {
            self.ran.push(id.clone());
        }
        changes.extend(self.advance(now));
        changes
    }

    /// Takes the history.
    pub(super) fn history(&mut self, now: Duration, message: &CommandHistory) -> Vec<Change> {
        let mut changes = Vec::new();
        let results = &message.results;
        let newest = results.first().map_or(0, |result| result.number);
        if self.newest.is_none() || newest < self.history {
            changes.push(self.start_after(now, results.first()));
        } else {
            if message.sequence > self.sequence {
                self.follows = Some((message.sequence, now + LATE));
            }
            for result in results.iter().rev() {
                if Some(result.number) > self.newest {
                    self.queue(result.clone());
                }
            }
        }
        self.history = newest;
        changes.extend(self.advance(now));
        changes
    }

    /// Shows what the time has come for, states before the results that ended them: a client
    /// that waited for a result then reads the state that follows from it.
    pub(super) fn advance(&mut self, now: Duration) -> Vec<Change> {
        let mut results = Vec::new();
        self.follows = self.follows.filter(|(_, until)| now < *until);
        if self.follows.is_some() {
            return results;
        }
        self.take_late(now);
        self.settle(now);
        while let Some(front) = self.queue.front() {
            if now < self.ripe(front) {
                break;
            }
            let Some(result) = self.queue.pop_front() else {
                break;
            };
            if self.shows(&result.id) {
                self.shown = None;
            }
            self.ran.retain(|id| *id != result.id);
            self.result_since = Some(now);
            results.push(Change::Result(Some(Box::new(result))));
            self.settle(now);
        }
        let id = self.shown.as_ref().map(|(running, _)| running.id.clone());
        if self.told.as_ref() == Some(&id) {
            return results;
        }
        self.told = Some(id);
        let running = self.shown.as_ref().map(|(running, _)| running.clone());
        results.insert(0, Change::State(running));
        results
    }

    /// When there is more to show.
    pub(super) fn next(&self) -> Option<Duration> {
        if let Some((_, until)) = self.follows {
            return Some(until);
        }
        let ripe = self.queue.front().map(|front| self.ripe(front));
        let late = self.late.as_ref().map(|(_, until)| *until);
        ripe.into_iter().chain(late).min()
    }

    /// Shows the command whose turn it is: first those whose results are still to come.
    fn settle(&mut self, now: Duration) {
        let waits = |id: &str| self.queue.iter().any(|result| result.id == id);
        let truth = self.truth.as_ref().filter(|_| self.late.is_none());
        if let Some((shown, _)) = &self.shown
            && !waits(&shown.id)
            && self.late.is_none()
            && truth.is_none_or(|truth| truth.id != shown.id)
        {
            self.shown = None;
        }
        if self.shown.is_none() {
            let ran = |result: &&CommandResult| ran(result) || self.ran.contains(&result.id);
            let next = self.queue.iter().find(ran).map(|result| Running {
                id: result.id.clone(),
                command: result.command.clone(),
            });
            let next = next.or_else(|| truth.cloned());
            self.shown = next.map(|running| (running, now));
        }
    }

    /// Takes a result as the last one, without showing that anything ran.
    fn start_after(&mut self, now: Duration, last: Option<&CommandResult>) -> Change {
        self.newest = Some(last.map_or(0, |last| last.number));
        self.queue.clear();
        self.late = None;
        self.result_since = last.map(|_| now);
        Change::Result(last.cloned().map(Box::new))
    }

    fn queue(&mut self, result: CommandResult) {
        self.newest = Some(result.number);
        if matches!(&self.late, Some((late, _)) if late.number <= result.number) {
            self.late = None;
        }
        self.queue.push_back(result);
    }

    /// Goes on without results that never arrived.
    fn take_late(&mut self, now: Duration) {
        if let Some((result, _)) = self.late.take_if(|(_, until)| now >= *until) {
            self.queue(result);
        }
    }

    /// When a result may be shown, if it is the next one.
    fn ripe(&self, result: &CommandResult) -> Duration {
        let stood = self.result_since.map(|since| since + self.times.result);
        let ran = (self.shown.as_ref())
            .filter(|(running, _)| running.id == result.id)
            .map(|(_, since)| *since + self.times.running);
        stood.unwrap_or_default().max(ran.unwrap_or_default())
    }

    fn shows(&self, id: &str) -> bool {
        matches!(&self.shown, Some((running, _)) if running.id == id)
    }
}

/// Whether a command began to run at all: what waited or was refused on the spot did not.
fn ran(result: &CommandResult) -> bool {
    result.success || result.started != result.finished
}

#[cfg(test)]
mod tests {
    use r2r::builtin_interfaces::msg::Time;

    use super::*;

    const TIMES: DwellTimes = DwellTimes {
        running: Duration::from_millis(200),
        result: Duration::from_millis(100),
    };

    fn result(number: u64, id: &str, ran: bool) -> CommandResult {
        CommandResult {
            number,
            id: id.to_owned(),
            success: ran,
            finished: Time {
                sec: i32::from(ran),
                nanosec: 0,
            },
            ..Default::default()
        }
    }

    fn state(running: Option<&str>, last: Option<CommandResult>) -> OnboardState {
        OnboardState {
            command_state: if running.is_some() { 2 } else { 1 },
            command_id: running.unwrap_or_default().to_owned(),
            last_result: last.into_iter().collect(),
            ..Default::default()
        }
    }

    fn history(sequence: u64, results: &[CommandResult]) -> CommandHistory {
        CommandHistory {
            sequence,
            results: results.to_vec(),
        }
    }

    fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    /// What a client sees, as text: `A` runs, `-` nothing, `!A` the result of A.
    fn text(changes: &[Change]) -> String {
        let one = |change: &Change| match change {
            Change::State(None) => "-".to_owned(),
            Change::State(Some(running)) => running.id.clone(),
            Change::Result(None) => "!".to_owned(),
            Change::Result(Some(result)) => format!("!{}", result.id),
        };
        changes.iter().map(one).collect::<Vec<_>>().join(" ")
    }

    /// What is shown from now on, with the time in milliseconds of each.
    fn run(dwell: &mut Dwell) -> String {
        let mut seen = Vec::new();
        while let Some(next) = dwell.next() {
            let changes = dwell.advance(next);
            seen.push(format!("{}: {}", next.as_millis(), text(&changes)));
        }
        seen.join(", ")
    }

    fn idle() -> Dwell {
        let mut dwell = Dwell::new(TIMES);
        assert_eq!(text(&dwell.state(ms(0), &state(None, None))), "! -");
        dwell
    }

    #[test]
    fn a_command_of_one_step_runs_for_the_least_time() {
        let mut dwell = idle();
        assert_eq!(text(&dwell.state(ms(1000), &state(Some("A"), None))), "A");
        let ended = result(1, "A", true);
        assert_eq!(
            text(&dwell.history(ms(1010), &history(0, std::slice::from_ref(&ended)))),
            ""
        );
        assert_eq!(text(&dwell.state(ms(1010), &state(None, Some(ended)))), "");
        assert_eq!(text(&dwell.advance(ms(1199))), "");
        assert_eq!(run(&mut dwell), "1200: - !A");
    }

    #[test]
    fn a_command_that_began_and_ended_unseen_is_shown_all_the_same() {
        let mut dwell = idle();
        let ended = result(1, "A", true);
        assert_eq!(text(&dwell.state(ms(1000), &state(None, Some(ended)))), "A");
        assert_eq!(run(&mut dwell), "1200: - !A");
    }

    #[test]
    fn a_command_that_ran_long_ends_at_once() {
        let mut dwell = idle();
        dwell.state(ms(1000), &state(Some("A"), None));
        let ended = state(Some("B"), Some(result(1, "A", true)));
        assert_eq!(text(&dwell.state(ms(5000), &ended)), "B !A");
        assert_eq!(dwell.next(), None);
    }

    #[test]
    fn results_at_once_come_in_order_and_each_stands() {
        let mut dwell = idle();
        dwell.state(ms(1000), &state(Some("A"), None));
        let all = [
            result(3, "V", false),
            result(2, "W", false),
            result(1, "A", false),
        ];
        // A was cancelled, V and W waited and were dropped, B runs.
        assert_eq!(text(&dwell.history(ms(2000), &history(1, &all))), "");
        let mut now = state(Some("B"), Some(all[0].clone()));
        now.sequence = 1;
        assert_eq!(text(&dwell.state(ms(2000), &now)), "B !A");
        let ended = state(None, Some(result(4, "B", true)));
        assert_eq!(text(&dwell.state(ms(2010), &ended)), "");
        assert_eq!(run(&mut dwell), "2100: !W, 2200: !V, 2300: - !B");
    }

    #[test]
    fn two_commands_of_one_step_each_have_their_turn() {
        let mut dwell = idle();
        let both = [result(2, "B", true), result(1, "A", true)];
        dwell.history(ms(1000), &history(0, &both));
        assert_eq!(run(&mut dwell), "1200: B !A, 1400: - !B");
    }

    #[test]
    fn a_state_waits_for_the_history_but_not_for_ever() {
        let mut dwell = idle();
        let ahead = state(None, Some(result(2, "B", true)));
        assert_eq!(text(&dwell.state(ms(1000), &ahead)), "");
        let both = [result(2, "B", true), result(1, "A", true)];
        dwell.history(ms(1100), &history(0, &both));
        assert_eq!(run(&mut dwell), "1300: B !A, 1500: - !B");
        let ahead = state(None, Some(result(4, "D", true)));
        assert_eq!(text(&dwell.state(ms(2000), &ahead)), "");
        assert_eq!(run(&mut dwell), "2500: D, 2700: - !D");
    }

    #[test]
    fn what_ended_before_the_adapter_came_is_not_played_again() {
        let mut dwell = Dwell::new(TIMES);
        let all = [result(8, "H", true), result(7, "G", true)];
        assert_eq!(text(&dwell.history(ms(0), &history(0, &all))), "!H -");
        assert_eq!(
            text(&dwell.state(ms(0), &state(None, Some(all[0].clone())))),
            ""
        );
        assert_eq!(dwell.next(), None);
    }

    #[test]
    fn a_robot_that_counts_from_1_again_is_followed() {
        let mut dwell = Dwell::new(TIMES);
        dwell.state(ms(0), &state(Some("H"), Some(result(8, "G", true))));
        dwell.begin_anew();
        assert_eq!(text(&dwell.state(ms(1000), &state(None, None))), "! -");
        let ended = state(None, Some(result(1, "A", true)));
        assert_eq!(text(&dwell.state(ms(2000), &ended)), "A");
        assert_eq!(run(&mut dwell), "2200: - !A");
    }

    #[test]
    fn a_command_cancelled_in_the_step_it_began_in_has_run() {
        let mut dwell = idle();
        dwell.state(ms(1000), &state(Some("A"), None));
        let ended = state(None, Some(result(1, "A", false)));
        assert_eq!(text(&dwell.state(ms(1050), &ended)), "");
        assert_eq!(run(&mut dwell), "1200: - !A");
    }

    #[test]
    fn results_wait_for_the_state_that_goes_with_them_but_not_for_ever() {
        let mut dwell = idle();
        dwell.state(ms(1000), &state(Some("A"), None));
        let ended = [result(1, "A", true)];
        assert_eq!(text(&dwell.history(ms(2000), &history(7, &ended))), "");
        // An older state, which still shows it running, has come late.
        assert_eq!(text(&dwell.state(ms(2001), &state(Some("A"), None))), "");
        assert_eq!(run(&mut dwell), "2500: !A");
        let mut now = state(None, Some(ended[0].clone()));
        now.sequence = 7;
        assert_eq!(text(&dwell.state(ms(2600), &now)), "-");
    }
}
