//! Commands: accepted, refused, begun and ended by request.

use super::command::check_id;
use super::error_codes::code;
use super::execution::Execution;
use super::queue::{Accepted, Active, Outcome};
use super::{Command, Event, Kachaka, Location, Refusal, StartCommand};

impl Kachaka {
    /// Accepts a command and gives its id. Its result comes later under that id.
    ///
    /// While the robot is paused the command ends at once with
    /// [`code::COMMAND_WHILE_PAUSED`].
    ///
    /// # Errors
    /// Values out of range, a place or shelf that is not registered, a robot that does not
    /// know where it is, too many commands that wait, or a robot that is starting or without
    /// charge.
    pub fn start_command(&mut self, request: StartCommand) -> Result<String, Refusal> {
        self.check_started()?;
        self.check_command(&request)?;
        self.queue.check_room(1, request.cancel_all)?;
        let id = self.accept(request);
        self.note();
        Ok(id)
    }

    /// Starts the commands of a shortcut, one after the other, and gives their ids.
    ///
    /// # Errors
    /// An unknown shortcut, or as [`Self::start_command`]; then none of them is accepted.
    pub fn start_shortcut(&mut self, id: &str, cancel_all: bool) -> Result<Vec<String>, Refusal> {
        self.check_started()?;
        check_id("shortcut_id", id)?;
        let found = self.shortcuts.iter().find(|(entry, _)| entry.id == id);
        let Some((_, commands)) = found else {
            return Err(Refusal::new(
                code::UNKNOWN_SHORTCUT,
                format!("there is no shortcut '{id}'"),
            ));
        };
        let commands = commands.clone();
        for (index, command) in commands.iter().enumerate() {
            self.check_command(command).map_err(|refusal| {
                Refusal::new(
                    refusal.code,
                    format!("commands[{index}] of shortcut '{id}': {}", refusal.message),
                )
            })?;
        }
        self.queue.check_room(commands.len(), cancel_all)?;
        let mut ids = Vec::with_capacity(commands.len());
        for (index, mut command) in commands.into_iter().enumerate() {
            command.cancel_all = cancel_all && index == 0;
            ids.push(self.accept(command));
        }
        self.note();
        Ok(ids)
    }

    /// Ends the command that runs, with `queued` also those that wait, and gives the one that
    /// ran. Without `queued` the next one runs. One that has done its part and is only locked
    /// ends as cancelled, too.
    ///
    /// # Errors
    /// [`code::NOTHING_TO_CANCEL`] when none runs.
    pub fn cancel_command(&mut self, queued: bool) -> Result<Command, Refusal> {
        let interrupted = Outcome::failure(code::INTERRUPTED);
        let now = self.seen.now;
        let Some(ended) = self.queue.end_running(interrupted.clone(), now) else {
            return Err(Refusal::of(code::NOTHING_TO_CANCEL));
        };
        if queued {
            self.queue.drop_waiting(&interrupted, now);
        }
        self.run_next();
        self.note();
        Ok(ended.command)
    }

    /// Ends the lock that is under way with success: that of a LOCK, or that after a command.
    /// A LOCK with a `lock_on_end` goes over to that one.
    ///
    /// # Errors
    /// [`code::NOTHING_TO_PROCEED`] when it is not locked.
    pub fn proceed(&mut self) -> Result<(), Refusal> {
        let is_locked = |active: &Active| active.execution.is_lock();
        if !self.queue.running().is_some_and(is_locked) {
            return Err(Refusal::of(code::NOTHING_TO_PROCEED));
        }
        self.succeed();
        self.run_next();
        self.note();
        Ok(())
    }

    fn check_command(&self, request: &StartCommand) -> Result<(), Refusal> {
        request.validate()?;
        self.check_registered(&request.command)?;
        if request.command.needs_pose() && self.estimated_pose().is_none() {
            return Err(Refusal::of(code::NOT_LOCALIZED));
        }
        Ok(())
    }

    fn check_registered(&self, command: &Command) -> Result<(), Refusal> {
        let unknown =
            |what: &str, id: &str, code| Refusal::new(code, format!("there is no {what} '{id}'"));
        match command {
            Command::MoveShelf { shelf_id, .. } => {
                Err(unknown("shelf", shelf_id, code::UNKNOWN_SHELF))
            }
            Command::ReturnShelf { shelf_id } if !shelf_id.is_empty() => {
                Err(unknown("shelf", shelf_id, code::UNKNOWN_SHELF_TO_RETURN))
            }
            Command::ReturnShelf { .. } | Command::UndockShelf { .. } => {
                Err(Refusal::of(code::NO_SHELF_CARRIED))
            }
            Command::MoveToLocation {
                location_id,
                source_location_id,
            } => {
                if !source_location_id.is_empty() {
                    self.location(source_location_id)?;
                }
                self.location(location_id).map(|_| ())
            }
            Command::DockAnyShelfWithRegistration { location_id, .. } => {
                self.location(location_id).map(|_| ())
            }
            Command::ReturnHome if self.locations.charger().is_none() => {
                Err(Refusal::of(code::NO_CHARGER))
            }
            _ => Ok(()),
        }
    }

    fn location(&self, id: &str) -> Result<&Location, Refusal> {
        self.locations.find(id).ok_or_else(|| {
            Refusal::new(
                code::UNKNOWN_LOCATION,
                format!("there is no location '{id}'"),
            )
        })
    }

    /// Takes a command that was checked.
    fn accept(&mut self, request: StartCommand) -> String {
        let id = self.ids.next();
        let cancel_all = request.cancel_all;
        let accepted = Accepted {
            id: id.clone(),
            request,
        };
        let now = self.seen.now;
        if self.paused {
            let outcome = Outcome::failure(code::COMMAND_WHILE_PAUSED);
            self.queue.end_unstarted(&accepted, outcome, now);
            return id;
        }
        if cancel_all {
            self.end_all(&Outcome::failure(code::INTERRUPTED));
        }
        self.queue.push(accepted);
        self.run_next();
        id
    }

    /// Begins the next command, if none runs.
    pub(super) fn run_next(&mut self) {
        let Some(Accepted { id, request }) = self.queue.take_next() else {
            return;
        };
        let (now, config) = (self.seen.now, &self.config.commands);
        let place = match &request.command {
            Command::MoveToLocation { location_id, .. }
            | Command::DockAnyShelfWithRegistration { location_id, .. } => {
                self.locations.find(location_id)
            }
            _ => None,
        };
        let execution = Execution::begin(&request.command, place, config, now);
        if let Command::Speak { text } = &request.command {
            self.tell(Event::Speech(text.clone()));
        }
        self.queue.run(Active {
            id,
            request,
            started: now,
            execution,
            is_done: false,
        });
    }

    /// Ends what runs and drops what waits, in this order.
    pub(super) fn end_all(&mut self, outcome: &Outcome) {
        let now = self.seen.now;
        self.queue.end_running(outcome.clone(), now);
        self.queue.drop_waiting(outcome, now);
    }
}
