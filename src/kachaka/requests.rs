//! What the robot can be asked for.

use super::command::{check_duration, check_pose, check_text, check_within};
use super::error_codes::code;
use super::execution::Execution;
use super::locations::LocationChange;
use super::maps::{MapView, NewMap};
use super::queue::{Accepted, Active, Outcome};
use super::{Command, Event, Kachaka, Location, Refusal, StartCommand, TorchSide};
use crate::world::Pose2;

impl Kachaka {
    /// Accepts a command and gives its id. Its result comes later under that id.
    ///
    /// While the robot is paused the command ends at once with
    /// [`code::COMMAND_WHILE_PAUSED`].
    ///
    /// # Errors
    /// Values out of range, a place or shelf that is not registered, too many commands that
    /// wait, or a robot that is starting.
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
        check_text("shortcut_id", id)?;
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
    /// ran. Without `queued` the next one runs.
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

    /// Ends a lock with success: that of a LOCK, or that after a command.
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

    /// Turns manual control on, for a while, or off.
    ///
    /// # Errors
    /// To turn it on: [`code::MANUAL_WHILE_PAUSED`], or a robot that is starting.
    pub fn set_manual_control(
        &mut self,
        enable: bool,
        use_shelf_registration: bool,
    ) -> Result<(), Refusal> {
        if enable {
            self.check_started()?;
            if self.paused {
                return Err(Refusal::of(code::MANUAL_WHILE_PAUSED));
            }
            self.manual.turn_on(use_shelf_registration, self.seen.now);
        } else {
            self.manual.turn_off();
        }
        self.note();
        Ok(())
    }

    /// Drives under manual control, in m/s and rad/s; clamped to what the robot does.
    ///
    /// # Errors
    /// Numbers that are not finite, [`code::NOT_IN_MANUAL_CONTROL`], or a robot that is
    /// starting.
    pub fn set_velocity(&mut self, linear: f64, angular: f64) -> Result<(), Refusal> {
        check_velocity(linear, angular)?;
        self.check_started()?;
        if !self.manual.is_on() {
            return Err(Refusal::of(code::NOT_IN_MANUAL_CONTROL));
        }
        if self.is_listening() {
            self.manual.set_velocity(linear, angular, self.seen.now);
        }
        Ok(())
    }

    /// A velocity of the topic for manual control. Without manual control it turns it on, as
    /// the bridge of the real robot does, and this velocity is lost.
    ///
    /// # Errors
    /// Numbers that are not finite, or manual control that can't be turned on.
    pub fn manual_topic_velocity(&mut self, linear: f64, angular: f64) -> Result<(), Refusal> {
        match self.set_velocity(linear, angular) {
            Err(refusal) if refusal.code == code::NOT_IN_MANUAL_CONTROL => {
                self.set_manual_control(true, false)
            }
            other => other,
        }
    }

    /// A velocity of an autonomous driver, in m/s and rad/s; clamped to what the robot does.
    ///
    /// # Errors
    /// Numbers that are not finite.
    pub fn autonomous_velocity(&mut self, linear: f64, angular: f64) -> Result<(), Refusal> {
        check_velocity(linear, angular)?;
        if self.is_listening() {
            self.autonomous.set(linear, angular, self.seen.now);
        }
        Ok(())
    }

    /// Whether it goes home by itself.
    pub fn set_auto_homing(&mut self, enable: bool) {
        self.auto_homing = enable;
        self.note();
    }

    /// Pauses at once, until the power button is pressed.
    pub fn emergency_stop(&mut self) {
        if !self.paused {
            self.pause();
        }
        self.note();
    }

    /// Presses the power button: ends a pause, else begins one. Whether it is paused now.
    pub fn power_button(&mut self) -> bool {
        if self.paused {
            self.paused = false;
        } else {
            self.pause();
        }
        self.note();
        self.paused
    }

    /// Starts the robot again: it stands and takes no commands for a while. A pause stays.
    pub fn restart(&mut self) {
        self.end_all(&Outcome::failure(code::SHUTTING_DOWN));
        self.stop_velocities();
        self.stop_sound();
        self.set_torches(super::Torches::default());
        let end = self.config.restart.duration;
        self.starting_until = Some(super::later(self.seen.now, end));
        self.note();
    }

    /// Ends every command, for when the robot is taken out of the world.
    pub fn shut_down(&mut self) {
        self.end_all(&Outcome::failure(code::ROBOT_REMOVED));
        self.note();
    }

    /// Volume of the speaker, 0 to 10.
    ///
    /// # Errors
    /// A number that is no whole one of these.
    pub fn set_speaker_volume(&mut self, volume: f64) -> Result<(), Refusal> {
        self.volume = check_whole("volume", volume, 10)?;
        self.note();
        Ok(())
    }

    /// Brightness of a torch, 0 to 255.
    ///
    /// # Errors
    /// A number that is no whole one of these.
    pub fn set_torch(&mut self, side: TorchSide, level: f64) -> Result<(), Refusal> {
        let level = check_whole("intensity", level, 255)?;
        let level = u8::try_from(level).unwrap_or(u8::MAX);
        let mut torches = self.torches;
        match side {
            TorchSide::Front => torches.front = level,
            TorchSide::Back => torches.back = level,
        }
        self.set_torches(torches);
        self.note();
        Ok(())
    }

    /// Keeps the lidar awake for a time, in s of sim time.
    ///
    /// # Errors
    /// A time out of range.
    pub fn activate_laser_scan(&mut self, duration: f64) -> Result<(), Refusal> {
        check_duration("duration", duration)?;
        self.lidar.activate(duration, self.seen.now);
        self.note();
        Ok(())
    }

    /// Forgets where a shelf was put; "" = all of them. There are none yet.
    ///
    /// # Errors
    /// [`code::UNKNOWN_SHELF`] for any id.
    pub fn reset_shelf_pose(&mut self, shelf_id: &str) -> Result<(), Refusal> {
        check_text("shelf_id", shelf_id)?;
        if shelf_id.is_empty() {
            return Ok(());
        }
        Err(Refusal::new(
            code::UNKNOWN_SHELF,
            format!("there is no shelf '{shelf_id}'"),
        ))
    }

    /// Drives without the stop in front of obstacles, or with it again.
    pub fn mute_front_stop(&mut self, mute: bool) {
        self.front_stop_muted = mute;
        self.note();
    }

    /// Raises or lowers the docking pin by hand. There are no shelves yet.
    ///
    /// # Errors
    /// [`code::NO_SHELF_HERE`] to raise it, [`code::NO_SHELF_CARRIED`] to lower it.
    pub fn dock_shelf(&mut self, raise: bool) -> Result<(), Refusal> {
        Err(Refusal::of(if raise {
            code::NO_SHELF_HERE
        } else {
            code::NO_SHELF_CARRIED
        }))
    }

    /// Keeps a WAV file and gives the id of the sound.
    ///
    /// # Errors
    /// Data that is no WAV file or too large, a name that is too long, or too many sounds.
    pub fn add_sound(&mut self, name: &str, data: &[u8]) -> Result<String, Refusal> {
        let id = self.ids.next();
        self.sounds.add(id.clone(), name, data)?;
        self.note();
        Ok(id)
    }

    /// Forgets a sound.
    ///
    /// # Errors
    /// [`code::UNKNOWN_SOUND`].
    pub fn delete_sound(&mut self, id: &str) -> Result<(), Refusal> {
        if self.sounds.delete(id)? {
            self.events.push(Event::Sound(String::new()));
        }
        self.note();
        Ok(())
    }

    /// Plays a sound, in place of the one that plays.
    ///
    /// # Errors
    /// [`code::UNKNOWN_SOUND`].
    pub fn play_sound(&mut self, id: &str, repeat: bool) -> Result<(), Refusal> {
        self.sounds.play(id, repeat, self.seen.now)?;
        self.events.push(Event::Sound(id.to_owned()));
        self.note();
        Ok(())
    }

    /// Stops the sound that plays, if one does.
    pub fn stop_sound(&mut self) {
        if self.sounds.stop() {
            self.events.push(Event::Sound(String::new()));
        }
        self.note();
    }

    /// A map by its id.
    ///
    /// # Errors
    /// [`code::UNKNOWN_MAP`].
    pub fn map(&self, id: &str) -> Result<MapView<'_>, Refusal> {
        let charger = self.locations.charger().map(|place| place.pose);
        self.maps.find(id, charger)
    }

    /// Keeps a map and gives its id.
    ///
    /// # Errors
    /// Numbers or cells that make no map, or too many maps.
    pub fn add_map(&mut self, map: NewMap) -> Result<String, Refusal> {
        self.maps.check(&map)?;
        let id = self.ids.next();
        self.maps.add(id.clone(), map);
        self.note();
        Ok(id)
    }

    /// Adds, replaces or removes registered places, together or not at all.
    ///
    /// # Errors
    /// The first item that is wrong.
    pub fn change_locations(&mut self, change: &LocationChange) -> Result<(), Refusal> {
        self.locations.apply(change)
    }

    /// Tells it where it is on its map. The body does not move.
    ///
    /// # Errors
    /// Numbers that are no pose, or [`code::LOCALIZED_ELSEWHERE`].
    pub fn set_pose_estimate(&mut self, pose: Pose2) -> Result<(), Refusal> {
        check_pose(&pose)?;
        if self.localization.set_estimate(pose, self.seen.truth) {
            return Ok(());
        }
        Err(Refusal::of(code::LOCALIZED_ELSEWHERE))
    }

    /// The transform from map to odometry of the program that localizes the robot. When it
    /// localizes itself, nothing changes.
    pub fn hear_map_to_odom(&mut self, map_to_odom: Pose2) {
        self.localization.hear(map_to_odom);
    }

    /// Takes another map for the present one, and a pose on it; without one it is at the
    /// charger of that map.
    ///
    /// # Errors
    /// An unknown map, [`code::NO_POSE_ON_MAP`], or a docked shelf to take along.
    pub fn switch_map(
        &mut self,
        id: &str,
        initial_pose: Option<Pose2>,
        inherit_docked_shelf: bool,
    ) -> Result<(), Refusal> {
        let map = self.map(id)?;
        if inherit_docked_shelf {
            return Err(Refusal::of(code::CANNOT_INHERIT_SHELF));
        }
        let pose = initial_pose.or(map.charger);
        let pose = pose.ok_or_else(|| Refusal::of(code::NO_POSE_ON_MAP))?;
        self.set_pose_estimate(pose)?;
        self.maps.switch(id);
        self.note();
        Ok(())
    }

    fn check_started(&self) -> Result<(), Refusal> {
        match self.starting_until {
            None => Ok(()),
            Some(_) => Err(Refusal::of(code::STARTING)),
        }
    }

    /// Whether velocities are taken: not for a while after a reset.
    fn is_listening(&self) -> bool {
        self.deaf_until <= self.seen.now
    }

    fn check_command(&self, request: &StartCommand) -> Result<(), Refusal> {
        request.validate()?;
        let unknown =
            |what: &str, id: &str, code| Refusal::new(code, format!("there is no {what} '{id}'"));
        match &request.command {
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
            self.events.push(Event::Speech(text.clone()));
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

    pub(super) fn pause(&mut self) {
        self.paused = true;
        self.end_all(&Outcome::failure(code::PAUSED_DURING_COMMAND));
        self.stop_velocities();
    }

    /// Turns manual control off and forgets every velocity.
    pub(super) fn stop_velocities(&mut self) {
        self.manual.turn_off();
        self.autonomous.clear();
    }

    pub(super) fn set_torches(&mut self, torches: super::Torches) {
        if self.torches != torches {
            self.torches = torches;
            self.events.push(Event::Torch(torches));
        }
    }
}

fn check_velocity(linear: f64, angular: f64) -> Result<(), Refusal> {
    check_within("linear", linear, f64::MIN, f64::MAX, "m/s")?;
    check_within("angular", angular, f64::MIN, f64::MAX, "rad/s")
}

/// A whole number from 0 to a highest one.
fn check_whole(field: &str, value: f64, high: i32) -> Result<i32, Refusal> {
    if value.fract() == 0.0 && (0.0..=f64::from(high)).contains(&value) {
        return Ok(value as i32);
    }
    Err(Refusal::new(
        code::BAD_VALUE,
        format!("{field} is {value}, it must be a whole number from 0 to {high}"),
    ))
}
