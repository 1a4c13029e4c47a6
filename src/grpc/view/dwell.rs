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

/// Commands that are remembered: those without a result, and those that had one. Far more than
/// the robot has at a time.
const MOST_COMMANDS: usize = 256;

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

/// A command without a result.
#[derive(Debug)]
struct Open {
    command: Running,
    /// Whether it was seen to run.
    ran: bool,
    /// Whether it may be of a robot that was replaced while the command was accepted: then
    /// nobody gives it a result, unless the one that came in its place knows it.
    unsure: bool,
}

/// The queue of what clients have yet to see. Times are of one clock that does not go back.
#[derive(Debug)]
pub(super) struct Dwell {
    times: DwellTimes,
    /// What the robot does now.
    truth: Option<Running>,
    /// Whether it has nothing to do, and nothing that waits.
    idle: bool,
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
    /// How many robots have taken the place of one another.
    robot: u64,
    /// Commands that clients may know, since they were accepted through this adapter or seen to
    /// run, and that have no result yet.
    open: VecDeque<Open>,
    /// Ids of the last results, each with the robot that it is of.
    ended: VecDeque<(u64, String)>,
    /// Whether the last result is one that this gave itself, in place of a robot that is gone.
    given: bool,
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
            idle: false,
            shown: None,
            told: None,
            queue: VecDeque::new(),
            newest: None,
            history: 0,
            state_result: 0,
            result_since: None,
            hurried: 0,
            robot: 0,
            open: VecDeque::new(),
            ended: VecDeque::new(),
            given: false,
            late: None,
            sequence: 0,
            follows: None,
        }
    }

    /// Another robot takes the place of the one known, or none. What clients have yet to see
    /// stays; commands that they may wait for and that have no result get one, for nobody else
    /// will give it.
    pub(super) fn begin_anew(&mut self, now: Duration) -> Vec<Change> {
        if let Some((result, _)) = self.late.take() {
            self.queue(result);
        }
        for Open { command, .. } in std::mem::take(&mut self.open) {
            self.give(self.robot, command);
        }
        self.robot += 1;
        self.truth = None;
        self.idle = false;
        self.newest = None;
        self.history = 0;
        self.state_result = 0;
        self.hurried = 0;
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

    /// Which robot it is by now: how many have taken the place of one another.
    pub(super) fn robot(&self) -> u64 {
        self.robot
    }

    /// A command was accepted, by the robot of this number or one that came in its place while
    /// it was asked: it has exactly one result.
    pub(super) fn accept(&mut self, robot: u64, id: &str, command: &OnboardCommand) {
        let robots = [robot, self.robot];
        let has_ended = (self.ended.iter()).any(|(of, ended)| robots.contains(of) && ended == id);
        if has_ended || self.open.iter().any(|open| open.command.id == id) {
            return;
        }
        let (id, command) = (id.to_owned(), command.clone());
        let open = Open {
            command: Running { id, command },
            ran: false,
            unsure: robot != self.robot,
        };
        push(&mut self.open, open);
        self.give_up_unsure();
    }

    /// Gives commands that the present robot does not know their result: it would run them, or
    /// have them waiting, or have told their result.
    fn give_up_unsure(&mut self) {
        if !self.idle || self.late.is_some() {
            return;
        }
        let unknown: VecDeque<Open>;
        let open = std::mem::take(&mut self.open);
        (unknown, self.open) = open.into_iter().partition(|open| open.unsure);
        for Open { command, .. } in unknown {
            self.give(self.robot, command);
        }
    }

    /// A client has done something and is to see it: commands that have ended are shown as
    /// running no longer than it takes to show the results before theirs, except for this one.
    pub(super) fn hurry(&mut self, now: Duration, except: Option<&str>) -> Vec<Change> {
        let spared = (self.queue.iter())
            .find(|waiting| except.is_some_and(|id| waiting.is_of(id)))
            .map(|waiting| waiting.number().saturating_sub(1));
        let late = self.late.as_ref().map(|(result, _)| result.number);
        self.hurried = spared.or(late.max(self.newest)).unwrap_or_default();
        self.advance(now)
    }

    /// Whether results wait that a client is to see now.
    pub(super) fn is_behind(&self) -> bool {
        let late = self.late.as_ref().map(|(result, _)| result.number);
        let mut waiting = self.queue.iter().map(Waiting::number).chain(late);
        waiting.any(|number| number <= self.hurried)
    }

    /// Takes a state.
    pub(super) fn state(&mut self, now: Duration, state: &OnboardState) -> Vec<Change> {
        let last = state.last_result.first();
        match (self.newest, last) {
            (None, _) => self.join(&state.last_result),
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
        if let Some(truth) = self.truth.clone() {
            self.see_running(truth);
        }
        self.idle = self.truth.is_none() && state.queue_length == 0;
        self.give_up_unsure();
        self.advance(now)
    }

    fn see_running(&mut self, command: Running) {
        let id = &command.id;
        // Its result may have come before.
        if let Some(waiting) = (self.queue.iter_mut()).find(|waiting| waiting.is_of(id)) {
            waiting.ran = true;
        } else if let Some(open) = (self.open.iter_mut()).find(|open| open.command.id == *id) {
            (open.ran, open.unsure) = (true, false);
        } else if !(self.ended.iter()).any(|(robot, ended)| *robot == self.robot && ended == id) {
            let open = Open {
                command,
                ran: true,
                unsure: false,
            };
            push(&mut self.open, open);
        }
    }

    /// Takes the history. An empty one was cleared, and changes nothing of what is to be seen.
    pub(super) fn history(&mut self, now: Duration, message: &CommandHistory) -> Vec<Change> {
        let results = &message.results;
        if message.sequence > self.sequence {
            self.follows = Some((message.sequence, now + LATE));
        }
        if self.newest.is_none() {
            self.join(results);
        } else {
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
        if self.told.is_none() && self.newest.is_none() {
            // Nothing is known, not even that nothing runs.
            return changes;
        }
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
        if let Some((shown, _)) = &self.shown
            && result_of(&shown.id).is_none()
            && self.late.is_none()
        {
            self.shown = None;
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

    /// Takes the last results of a robot that is met, newest first: those of commands that
    /// clients wait for, and the last one.
    fn join(&mut self, results: &[CommandResult]) {
        for result in results.iter().rev() {
            if self.open.iter().any(|open| open.command.id == result.id) {
                self.queue(result.clone());
            }
        }
        self.start_after(results.first());
    }

    /// Takes a result as the last one, without showing that anything ran. When there is none, a
    /// result that was given in place of the robot before stays: clients that lost sight of it
    /// with that robot still ask for it. A robot that was replaced may tell what became of its
    /// commands after that, which have their results already.
    fn start_after(&mut self, last: Option<&CommandResult>) {
        self.newest = Some(last.map_or(0, |last| last.number));
        self.late = None;
        let has_ended = |last: &CommandResult| self.ended.iter().any(|(_, id)| *id == last.id);
        if last.map_or(self.given, has_ended) {
            return;
        }
        self.given = false;
        if let Some(last) = last {
            push(&mut self.ended, (self.robot, last.id.clone()));
        }
        self.queue.push_back(Waiting {
            result: last.cloned(),
            ran: false,
        });
    }

    fn queue(&mut self, result: CommandResult) {
        self.given = false;
        self.newest = Some(result.number);
        if matches!(&self.late, Some((late, _)) if late.number <= result.number) {
            self.late = None;
        }
        let was_seen = |open: &Open| open.ran && open.command.id == result.id;
        let ran = ran(&result) || self.open.iter().any(was_seen);
        self.open.retain(|open| open.command.id != result.id);
        push(&mut self.ended, (self.robot, result.id.clone()));
        self.queue.push_back(Waiting {
            result: Some(result),
            ran,
        });
    }

    /// Gives a command of a robot that is gone its result.
    fn give(&mut self, robot: u64, Running { id, command }: Running) {
        self.given = true;
        push(&mut self.ended, (robot, id.clone()));
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
            .filter(|(running, _)| waiting.is_of(&running.id) && waiting.number() > self.hurried)
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
fn push<T>(commands: &mut VecDeque<T>, command: T) {
    if commands.len() >= MOST_COMMANDS {
        commands.pop_front();
    }
    commands.push_back(command);
}

#[cfg(test)]
mod tests;
