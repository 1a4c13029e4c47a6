//! The commands that run and wait, and how they ended.

use std::collections::VecDeque;

use super::error_codes::{code, message};
use super::execution::Execution;
use super::{CommandConfig, CommandResult, Refusal, StartCommand};
use crate::world::SimTime;

/// A command that was accepted.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Accepted {
    pub(super) id: String,
    pub(super) request: StartCommand,
}

/// The command that runs.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Active {
    pub(super) id: String,
    pub(super) request: StartCommand,
    pub(super) started: SimTime,
    pub(super) execution: Execution,
    /// It has succeeded and only stays locked for a while.
    pub(super) is_done: bool,
}

/// How a command ends: success, or an error code with what it says.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Outcome {
    Success,
    Failure(i32, String),
}

impl Outcome {
    /// A failure in the words of the table of codes.
    pub(super) fn failure(code: i32) -> Self {
        Self::Failure(code, message(code))
    }
}

/// One command runs, others wait behind it; each that was accepted ends with one result.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Queue {
    limit: usize,
    history_limit: usize,
    running: Option<Active>,
    waiting: VecDeque<Accepted>,
    /// Newest first.
    history: VecDeque<CommandResult>,
    /// The last result, which no reset forgets.
    last: Option<CommandResult>,
    ended: u64,
    /// Results up to this number are to be forgotten.
    outdated: Option<u64>,
}

/// Most bytes of all texts in the history: it goes into one reply of gRPC, of 4 MiB at most.
const MAX_HISTORY_BYTES: usize = 2 << 20;

impl Queue {
    /// Without commands, after so many results of a robot of that name.
    pub(super) fn new(config: &CommandConfig, ended: u64) -> Self {
        Self {
            limit: config.queue_limit as usize,
            history_limit: config.history_limit as usize,
            running: None,
            waiting: VecDeque::new(),
            history: VecDeque::new(),
            last: None,
            ended,
            outdated: None,
        }
    }

    pub(super) fn running(&self) -> Option<&Active> {
        self.running.as_ref()
    }

    pub(super) fn running_mut(&mut self) -> Option<&mut Active> {
        self.running.as_mut()
    }

    /// How many wait.
    pub(super) fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// How many results there were.
    pub(super) fn ended(&self) -> u64 {
        self.ended
    }

    /// Results, newest first.
    pub(super) fn history(&self) -> impl ExactSizeIterator<Item = &CommandResult> {
        self.history.iter()
    }

    /// The last result there was, whatever was forgotten since.
    pub(super) fn last_result(&self) -> Option<&CommandResult> {
        self.last.as_ref()
    }

    /// Lets the results until now be forgotten, but not yet: who waits for one of them is to
    /// see it first.
    pub(super) fn outdate_history(&mut self) {
        self.outdated = Some(self.ended);
    }

    /// Forgets the results that are outdated, not how many there were.
    pub(super) fn drop_outdated(&mut self) {
        if let Some(number) = self.outdated.take() {
            self.history.retain(|result| result.number > number);
        }
    }

    /// Moves every time of a result that is later than `now` to it: time has begun again.
    pub(super) fn bound_times(&mut self, now: SimTime) {
        for result in self.history.iter_mut().chain(&mut self.last) {
            result.started = result.started.min(now);
            result.finished = result.finished.min(now);
        }
    }

    /// Whether so many more commands would be taken, together.
    ///
    /// # Errors
    /// [`code::BUSY`] when too many would wait.
    pub(super) fn check_room(&self, more: usize, cancel_all: bool) -> Result<(), Refusal> {
        let is_free = cancel_all || (self.running.is_none() && self.waiting.is_empty());
        let waiting = if cancel_all { 0 } else { self.waiting.len() };
        if waiting + more <= self.limit + usize::from(is_free) {
            return Ok(());
        }
        Err(Refusal::new(
            code::BUSY,
            format!(
                "there is no room for {more} more: {waiting} commands wait already, at most {} may; \
                 cancel some or use cancel_all",
                self.limit
            ),
        ))
    }

    /// Puts a command behind the others.
    pub(super) fn push(&mut self, command: Accepted) {
        self.waiting.push_back(command);
    }

    /// Takes the next command that waits, if none runs.
    pub(super) fn take_next(&mut self) -> Option<Accepted> {
        if self.running.is_some() {
            return None;
        }
        self.waiting.pop_front()
    }

    pub(super) fn run(&mut self, active: Active) {
        self.running = Some(active);
    }

    /// Ends the command that runs. What it was.
    pub(super) fn end_running(&mut self, outcome: Outcome, now: SimTime) -> Option<StartCommand> {
        let active = self.running.take()?;
        self.record(&active.id, &active.request, active.started, outcome, now);
        Some(active.request)
    }

    /// Ends a command that never ran.
    pub(super) fn end_unstarted(&mut self, command: &Accepted, outcome: Outcome, now: SimTime) {
        self.record(&command.id, &command.request, now, outcome, now);
    }

    /// Ends all that wait.
    pub(super) fn drop_waiting(&mut self, outcome: &Outcome, now: SimTime) {
        for command in std::mem::take(&mut self.waiting) {
            self.end_unstarted(&command, outcome.clone(), now);
        }
    }

    /// Ends one that waits. Whether there was such a one.
    pub(super) fn end_waiting(&mut self, id: &str, outcome: &Outcome, now: SimTime) -> bool {
        let Some(index) = self.waiting.iter().position(|command| command.id == id) else {
            return false;
        };
        if let Some(command) = self.waiting.remove(index) {
            self.end_unstarted(&command, outcome.clone(), now);
        }
        true
    }

    /// Whether a command runs or waits.
    pub(super) fn holds(&self, id: &str) -> bool {
        self.running.as_ref().is_some_and(|active| active.id == id)
            || self.waiting.iter().any(|command| command.id == id)
    }

    fn record(
        &mut self,
        id: &str,
        request: &StartCommand,
        started: SimTime,
        outcome: Outcome,
        now: SimTime,
    ) {
        let (success, error_code, message) = match outcome {
            Outcome::Success => (true, 0, String::new()),
            Outcome::Failure(code, message) => (false, code, message),
        };
        self.ended += 1;
        let result = CommandResult {
            number: self.ended,
            id: id.to_owned(),
            command: request.command.clone(),
            title: request.title.clone(),
            success,
            error_code,
            message,
            started,
            finished: now,
        };
        self.last = Some(result.clone());
        self.history.push_front(result);
        self.shorten_history();
    }

    /// Keeps as many of the latest results as there may be.
    fn shorten_history(&mut self) {
        let mut bytes = 0;
        let fits = |result: &&CommandResult| {
            bytes += result.text_bytes();
            bytes <= MAX_HISTORY_BYTES
        };
        let kept = self.history.iter().take_while(fits).count();
        self.history.truncate(kept.min(self.history_limit));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kachaka::Command;

    #[test]
    fn the_history_is_bounded_in_number_and_bytes() {
        let config = CommandConfig {
            history_limit: 1_000,
            ..CommandConfig::default()
        };
        let end = |queue: &mut Queue, text: &str| {
            let command = Accepted {
                id: "x".repeat(36),
                request: StartCommand::new(Command::Speak { text: text.into() }),
            };
            queue.end_unstarted(&command, Outcome::Success, SimTime(0));
        };
        let mut queue = Queue::new(&config, 0);
        for _ in 0..1_100 {
            end(&mut queue, "short");
        }
        assert_eq!(queue.history().len(), 1_000);
        for _ in 0..1_100 {
            end(&mut queue, &"𝄞".repeat(1_000));
        }
        // Of 4,036 bytes each.
        assert_eq!(queue.history().len(), (2 << 20) / 4_036);
        assert_eq!(
            queue.history().next().map(|newest| newest.number),
            Some(2_200)
        );
    }
}
