//! Commands as slow pollers can follow them.
//!
//! The server's commands may last a step and two results may come at once; clients that ask
//! every 20 ms, and see the latest value only, would miss both. So in the adapter's view a
//! command that has ended is shown as running for a least time, unless another one runs or a
//! client does something, and results come in order, each for a least time.

use std::collections::VecDeque;
use std::time::Duration;

use r2r::tatami_msgs::msg::{CommandHistory, CommandResult, OnboardCommand, OnboardState};

use crate::kachaka::error_codes::code;

/// How long a state waits for results that it knows of and that have not arrived.
const LATE: Duration = Duration::from_millis(500);

/// Results that may wait to be shown; past it the oldest are shown at once.
const MOST_WAITING: usize = 64;

/// Ids that are remembered: of accepted commands without a result, of results, and of commands
/// that were seen to run. Far more than the robot has at a time.
const MOST_IDS: usize = 256;

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

/// A result that clients have not seen.
#[derive(Debug)]
struct Waiting {
    /// `None` takes the last one away: another robot has none yet.
    result: Option<CommandResult>,
    /// Whether its command is to be seen running before.
    ran: bool,
}

impl Waiting {
    fn is_of(&self, id: &str) -> bool {
        self.result.as_ref().is_some_and(|result| result.id == id)
    }

    fn number(&self) -> u64 {
        self.result.as_ref().map_or(0, |result| result.number)
    }
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
    queue: VecDeque<Waiting>,
    /// Number of the last result that was queued or seen; `None` before anything was heard.
    newest: Option<u64>,
    /// Number of the newest result of the last history that had one.
    history: u64,
    /// Number of the result of the last state that had one.
    state_result: u64,
    result_since: Option<Duration>,
    /// Results up to this number do not wait for their commands to be seen running.
    hurried: u64,
    /// Commands that were seen to run and have no result yet.
    ran: VecDeque<String>,
    /// Commands that were accepted through this adapter and have no result yet.
    open: VecDeque<Running>,
    /// Ids of the last results.
    ended: VecDeque<String>,
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
            state_result: 0,
            result_since: None,
            hurried: 0,
            ran: VecDeque::new(),
            open: VecDeque::new(),
            ended: VecDeque::new(),
            late: None,
            sequence: 0,
            follows: None,
        }
    }

    /// Another robot takes the place of the one known, or none. What clients have yet to see
    /// stays; commands that were accepted and have no result get one, for nobody else will
    /// give it.
    pub(super) fn begin_anew(&mut self, now: Duration) -> Vec<Change> {
        if let Some((result, _)) = self.late.take() {
            self.queue(result);
        }
        for Running { id, command } in std::mem::take(&mut self.open) {
            self.queue.push_back(Waiting {
                result: Some(CommandResult {
                    id,
                    command,
                    error_code: code::SHUTTING_DOWN,
                    ..Default::default()
                }),
                ran: false,
            });
        }
        self.truth = None;
        self.newest = None;
        self.history = 0;
        self.state_result = 0;
        self.hurried = 0;
        self.ran.clear();
        self.sequence = 0;
        self.follows = None;
        self.advance(now)
    }

    /// Whether a state is of another robot than the last one: numbers of one never go back.
    pub(super) fn is_state_of_another(&self, state: &OnboardState) -> bool {
        let number = state.last_result.first().map(|last| last.number);
        state.sequence < self.sequence || number.is_some_and(|number| number < self.state_result)
    }

    /// The same of a history.
    pub(super) fn is_history_of_another(&self, message: &CommandHistory) -> bool {
        let newest = message.results.first();
        newest.is_some_and(|newest| newest.number < self.history)
    }

    /// A command was accepted: it has exactly one result.
    pub(super) fn accept(&mut self, id: &str, command: &OnboardCommand) {
        if self.ended.iter().any(|ended| ended == id) {
            return;
        }
        let (id, command) = (id.to_owned(), command.clone());
        push(&mut self.open, Running { id, command });
    }

    /// A client has done something and is to see it: commands that have ended are not shown as
    /// running any more, except for this one.
    pub(super) fn hurry(&mut self, now: Duration, except: Option<&str>) -> Vec<Change> {
        let spared = (self.queue.iter())
            .find(|waiting| except.is_some_and(|id| waiting.is_of(id)))
            .map(|waiting| waiting.number().saturating_sub(1));
        let late = self.late.as_ref().map(|(result, _)| result.number);
        self.hurried = spared.or(late.max(self.newest)).unwrap_or_default();
        self.advance(now)
    }

    /// Takes a state.
    pub(super) fn state(&mut self, now: Duration, state: &OnboardState) -> Vec<Change> {
        let last = state.last_result.first();
        match (self.newest, last) {
            (None, _) => self.start_after(last),
            (Some(newest), Some(last)) if last.number == newest + 1 => self.queue(last.clone()),
            (Some(newest), Some(last)) if last.number > newest => {
                self.late.get_or_insert((last.clone(), now + LATE)).0 = last.clone();
            }
            _ => {}
        }
        self.sequence = state.sequence;
        self.state_result = last.map_or(self.state_result, |last| last.number);
        self.follows = self
            .follows
            .filter(|(sequence, _)| *sequence > self.sequence);
        self.truth = (state.command_state == OnboardState::RUNNING as u8).then(|| Running {
            id: state.command_id.clone(),
            command: state.command.clone(),
        });
        if let Some(Running { id, .. }) = &self.truth {
            // Its result may have come before.
            match self.queue.iter_mut().find(|waiting| waiting.is_of(id)) {
                Some(waiting) => waiting.ran = true,
                None if self.ran.contains(id) => {}
                None => push(&mut self.ran, id.clone()),
            }
        }
        self.advance(now)
    }

    /// Takes the history. An empty one was cleared, and changes nothing of what is to be seen.
    pub(super) fn history(&mut self, now: Duration, message: &CommandHistory) -> Vec<Change> {
        let results = &message.results;
        if self.newest.is_none() {
            self.start_after(results.first());
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
        self.history = results.first().map_or(self.history, |newest| newest.number);
        self.advance(now)
    }

    /// Shows what the time has come for. The state that follows from results comes first; who
    /// shows them does it in one step.
    pub(super) fn advance(&mut self, now: Duration) -> Vec<Change> {
        let mut changes = Vec::new();
        self.follows = self.follows.filter(|(_, until)| now < *until);
        if self.follows.is_some() {
            return changes;
        }
        self.take_late(now);
        self.settle(now);
        while let Some(front) = self.queue.front() {
            if now < self.ripe(front) {
                break;
            }
            let Some(Waiting { result, .. }) = self.queue.pop_front() else {
                break;
            };
            if let Some(result) = &result {
                if self.shows(&result.id) {
                    self.shown = None;
                }
                self.result_since = Some(now);
            }
            changes.push(Change::Result(result.map(Box::new)));
            self.settle(now);
        }
        let id = self.shown.as_ref().map(|(running, _)| running.id.clone());
        if self.told.as_ref() == Some(&id) {
            return changes;
        }
        self.told = Some(id);
        let running = self.shown.as_ref().map(|(running, _)| running.clone());
        changes.insert(0, Change::State(running));
        changes
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

    /// Shows the command whose turn it is: the one that runs, at once, or else the first of
    /// those whose results are still to come.
    fn settle(&mut self, now: Duration) {
        let result_of = |id: &str| self.queue.iter().find(|waiting| waiting.is_of(id));
        let truth = self.truth.as_ref().filter(|_| self.late.is_none());
        let runs = truth.filter(|truth| result_of(&truth.id).is_none());
        if let Some(runs) = runs {
            if !self.shows(&runs.id) {
                self.shown = Some((runs.clone(), now));
            }
            return;
        }
        if let Some((shown, _)) = &self.shown {
            let over = match result_of(&shown.id) {
                Some(result) => result.number() <= self.hurried,
                None => self.late.is_none(),
            };
            if over {
                self.shown = None;
            }
        }
        if self.shown.is_none() {
            let to_show = |waiting: &&Waiting| waiting.ran && waiting.number() > self.hurried;
            let next = self.queue.iter().find(to_show);
            let next = next.and_then(|waiting| waiting.result.as_ref());
            self.shown = next.map(|result| {
                let (id, command) = (result.id.clone(), result.command.clone());
                (Running { id, command }, now)
            });
        }
    }

    /// Takes a result as the last one, without showing that anything ran.
    fn start_after(&mut self, last: Option<&CommandResult>) {
        self.newest = Some(last.map_or(0, |last| last.number));
        self.late = None;
        self.queue.push_back(Waiting {
            result: last.cloned(),
            ran: false,
        });
    }

    fn queue(&mut self, result: CommandResult) {
        self.newest = Some(result.number);
        if matches!(&self.late, Some((late, _)) if late.number <= result.number) {
            self.late = None;
        }
        let ran = ran(&result) || self.ran.contains(&result.id);
        self.ran.retain(|id| *id != result.id);
        self.open.retain(|open| open.id != result.id);
        push(&mut self.ended, result.id.clone());
        self.queue.push_back(Waiting {
            result: Some(result),
            ran,
        });
    }

    /// Goes on without results that never arrived.
    fn take_late(&mut self, now: Duration) {
        if let Some((result, _)) = self.late.take_if(|(_, until)| now >= *until) {
            self.queue(result);
        }
    }

    /// When a result may be shown, if it is the next one.
    fn ripe(&self, waiting: &Waiting) -> Duration {
        if self.queue.len() > MOST_WAITING {
            return Duration::ZERO;
        }
        let stood = self.result_since.map(|since| since + self.times.result);
        let ran = (self.shown.as_ref())
            .filter(|(running, _)| waiting.is_of(&running.id))
            .map(|(_, since)| *since + self.times.running);
        stood.unwrap_or_default().max(ran.unwrap_or_default())
    }

    fn shows(&self, id: &str) -> bool {
        matches!(&self.shown, Some((running, _)) if running.id == id)
    }
}

/// Whether a command began to run, or ended in the call that started it. One that waited ends
/// without having run only by what ends everything.
fn ran(result: &CommandResult) -> bool {
    let dropped = [
        code::INTERRUPTED,
        code::SHUTTING_DOWN,
        code::PAUSED_DURING_COMMAND,
        code::STEP_DURING_COMMAND,
    ];
    result.started != result.finished || !dropped.contains(&result.error_code)
}

/// Appends, and forgets the oldest past the bound.
fn push<T>(ids: &mut VecDeque<T>, id: T) {
    if ids.len() >= MOST_IDS {
        ids.pop_front();
    }
    ids.push_back(id);
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
            error_code: if ran { 0 } else { code::INTERRUPTED },
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
        assert_eq!(text(&dwell.state(ms(0), &state(None, None))), "- !");
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
        assert_eq!(text(&dwell.history(ms(0), &history(0, &all))), "- !H");
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
        assert_eq!(text(&dwell.begin_anew(ms(500))), "-");
        assert_eq!(text(&dwell.state(ms(1000), &state(None, None))), "!");
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

    #[test]
    fn a_newer_command_that_runs_is_shown_at_once() {
        let mut dwell = idle();
        dwell.state(ms(1000), &state(Some("A"), None));
        let next = state(Some("B"), Some(result(1, "A", true)));
        assert_eq!(text(&dwell.state(ms(1001), &next)), "B !A");
        let next = state(Some("C"), Some(result(2, "B", true)));
        assert_eq!(text(&dwell.state(ms(1002), &next)), "C");
        assert_eq!(run(&mut dwell), "1101: !B");
    }

    #[test]
    fn past_the_bound_the_oldest_results_are_shown_at_once() {
        let mut dwell = idle();
        // Far more than the robot takes, ended at once.
        let mut all: Vec<_> = (1..=100)
            .map(|number| result(number, &number.to_string(), false))
            .collect();
        all.reverse();
        let shown = text(&dwell.history(ms(1000), &history(0, &all)));
        let first: Vec<_> = (1..=36).map(|number| format!("!{number}")).collect();
        assert_eq!(shown, first.join(" "));
        let rest: Vec<_> = (0..64)
            .map(|index| format!("{}: !{}", 1100 + 100 * index, 37 + index))
            .collect();
        assert_eq!(run(&mut dwell), rest.join(", "));
    }

    #[test]
    fn a_cleared_history_takes_nothing_away_that_is_to_be_seen() {
        let mut dwell = idle();
        let dropped = [result(2, "B", false), result(1, "A", false)];
        assert_eq!(text(&dwell.history(ms(1000), &history(0, &dropped))), "!A");
        assert_eq!(text(&dwell.history(ms(1001), &history(0, &[]))), "");
        assert_eq!(run(&mut dwell), "1100: !B");
        // Numbers go on, so what comes then is no other robot's.
        let more = history(0, &[result(3, "C", false)]);
        assert!(!dwell.is_history_of_another(&more));
        assert_eq!(text(&dwell.history(ms(2000), &more)), "!C");
    }

    #[test]
    fn another_robot_takes_no_result_away_and_open_commands_get_one() {
        let mut dwell = idle();
        dwell.accept("A", &OnboardCommand::default());
        dwell.accept("X", &OnboardCommand::default());
        dwell.accept("Y", &OnboardCommand::default());
        dwell.state(ms(1000), &state(Some("A"), None));
        let ended = state(Some("X"), Some(result(1, "A", true)));
        dwell.state(ms(2000), &ended);
        let dropped = history(0, &[result(3, "C", false), result(2, "B", false)]);
        assert_eq!(text(&dwell.history(ms(2001), &dropped)), "");
        assert_eq!(text(&dwell.begin_anew(ms(2002))), "-");
        // The new robot has a result of its own, which comes after all.
        let other = state(None, Some(result(1, "Z", true)));
        assert_eq!(text(&dwell.state(ms(2003), &other)), "");
        assert_eq!(
            run(&mut dwell),
            "2100: !B, 2200: !C, 2300: !X, 2400: !Y, 2500: !Z"
        );
        // They had their one result.
        assert_eq!(text(&dwell.begin_anew(ms(3000))), "");
        assert_eq!(dwell.next(), None);
    }

    #[test]
    fn an_open_command_ends_as_by_a_shutdown() {
        let mut dwell = idle();
        let command = OnboardCommand {
            distance: 2.0,
            ..Default::default()
        };
        dwell.accept("A", &command);
        let changes = dwell.begin_anew(ms(1000));
        let [Change::Result(Some(result))] = changes.as_slice() else {
            panic!("{changes:?}");
        };
        assert_eq!((result.success, result.error_code), (false, 10002));
        assert_eq!((result.id.as_str(), &result.command), ("A", &command));
    }

    #[test]
    fn a_result_that_came_before_the_reply_is_the_only_one() {
        let mut dwell = idle();
        dwell.state(ms(1000), &state(None, Some(result(1, "A", true))));
        dwell.accept("A", &OnboardCommand::default());
        assert_eq!(run(&mut dwell), "1200: - !A");
        assert_eq!(text(&dwell.begin_anew(ms(2000))), "");
    }

    #[test]
    fn numbers_that_go_back_are_of_another_robot() {
        let mut dwell = Dwell::new(TIMES);
        let mut first = state(None, Some(result(8, "G", true)));
        first.sequence = 5;
        dwell.state(ms(0), &first);
        dwell.history(ms(0), &history(5, &[result(9, "H", true)]));
        let mut next = first.clone();
        next.sequence = 6;
        assert!(!dwell.is_state_of_another(&next));
        next.sequence = 4;
        assert!(dwell.is_state_of_another(&next));
        next.sequence = 6;
        next.last_result[0].number = 7;
        assert!(dwell.is_state_of_another(&next));
        assert!(dwell.is_history_of_another(&history(6, &[result(8, "F", true)])));
        assert!(!dwell.is_history_of_another(&history(4, &[result(9, "H", true)])));
    }

    #[test]
    fn a_client_that_does_something_sees_it() {
        let mut dwell = idle();
        dwell.state(ms(1000), &state(Some("A"), None));
        let ended = state(None, Some(result(1, "A", false)));
        assert_eq!(text(&dwell.state(ms(1001), &ended)), "");
        assert_eq!(text(&dwell.hurry(ms(1002), None)), "- !A");
        // Results before it still stand; what runs is told at once.
        dwell.state(ms(1003), &state(Some("B"), Some(result(1, "A", false))));
        dwell.state(ms(1004), &state(None, Some(result(2, "B", true))));
        assert_eq!(text(&dwell.hurry(ms(1005), None)), "-");
        assert_eq!(run(&mut dwell), "1102: !B");
    }

    #[test]
    fn a_command_that_ended_in_its_start_is_seen_running_first() {
        let mut dwell = idle();
        dwell.state(ms(1000), &state(Some("A"), None));
        let mut paused = result(2, "B", false);
        paused.error_code = 10107;
        let both = [paused, result(1, "A", false)];
        assert_eq!(text(&dwell.history(ms(1010), &history(0, &both))), "");
        let ended = state(None, Some(both[0].clone()));
        assert_eq!(text(&dwell.state(ms(1010), &ended)), "");
        // The reply of the start comes: A makes room, and B is not cut short.
        assert_eq!(text(&dwell.hurry(ms(1011), Some("B"))), "B !A");
        assert_eq!(run(&mut dwell), "1211: - !B");
    }
}
