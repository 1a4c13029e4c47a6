//! What the robot can be asked for.

use super::command::{check_duration, check_id, check_pose};
use super::error_codes::code;
use super::locations::LocationChange;
use super::maps::{MapView, NewMap};
use super::queue::Outcome;
use super::{Event, Kachaka, Refusal, TorchSide};
use crate::shown::Shown;
use crate::world::Pose2;

impl Kachaka {
    /// Turns manual control on, for a while, or off.
    ///
    /// # Errors
    /// To turn it on: [`code::MANUAL_WHILE_PAUSED`], or a robot that is starting or without charge.
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
    /// Numbers that are not finite, a robot that is starting or without charge,
    /// [`code::MANUAL_WHILE_PAUSED`], or [`code::NOT_IN_MANUAL_CONTROL`].
    pub fn set_velocity(&mut self, linear: f64, angular: f64) -> Result<(), Refusal> {
        check_velocity(linear, angular)?;
        self.check_started()?;
        if self.paused {
            return Err(Refusal::of(code::MANUAL_WHILE_PAUSED));
        }
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
        if !self.is_listening() {
            return check_velocity(linear, angular);
        }
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
            (self.paused, self.paused_by_step) = (false, false);
        } else {
            self.pause();
        }
        self.note();
        self.paused
    }

    /// Starts the robot again: it stands and takes no commands for a while. A pause stays.
    pub fn restart(&mut self) {
        self.go_down();
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
        match side {
            TorchSide::Front => self.torches.front = level,
            TorchSide::Back => self.torches.back = level,
        }
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
        check_id("shelf_id", shelf_id)?;
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

    /// Keeps a WAV file and gives the id of the sound.
    ///
    /// # Errors
    /// Data that is no WAV file or too large, a name that is too long, or too many sounds.
    pub fn add_sound(&mut self, name: &str, data: &[u8]) -> Result<String, Refusal> {
        let sound = self.sounds.check(name, data)?;
        let id = self.ids.next();
        self.sounds.add(id.clone(), sound);
        self.note();
        Ok(id)
    }

    /// Forgets a sound.
    ///
    /// # Errors
    /// [`code::UNKNOWN_SOUND`].
    pub fn delete_sound(&mut self, id: &str) -> Result<(), Refusal> {
        if self.sounds.delete(id)? {
            self.tell(Event::Sound(String::new()));
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
        self.tell(Event::Sound(id.to_owned()));
        self.note();
        Ok(())
    }

    /// Stops the sound that plays, if one does.
    pub fn stop_sound(&mut self) {
        self.end_sound();
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
    /// localizes itself, or the numbers are no pose, nothing changes.
    pub fn hear_map_to_odom(&mut self, map_to_odom: Pose2) {
        if check_pose(&map_to_odom).is_ok() {
            self.localization.hear(map_to_odom);
        }
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

    /// Whether it is up: neither starting nor without any charge.
    pub(super) fn check_started(&self) -> Result<(), Refusal> {
        if self.battery.is_flat() {
            return Err(Refusal::new(
                code::BATTERY_EMPTY,
                "the battery has no charge left and the robot is off: a reset charges it",
            ));
        }
        match self.starting_until {
            None => Ok(()),
            Some(_) => Err(Refusal::of(code::STARTING)),
        }
    }

    /// What ends when its computer goes down.
    pub(super) fn go_down(&mut self) {
        self.end_all(&Outcome::failure(code::SHUTTING_DOWN));
        self.stop_velocities();
        self.end_sound();
        self.torches = super::Torches::default();
    }

    /// Whether velocities are taken: not for a while after a reset.
    fn is_listening(&self) -> bool {
        self.deaf_until <= self.seen.now
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

    pub(super) fn end_sound(&mut self) {
        if self.sounds.stop() {
            self.tell(Event::Sound(String::new()));
        }
    }
}

fn check_velocity(linear: f64, angular: f64) -> Result<(), Refusal> {
    for (field, value, unit) in [("linear", linear, "m/s"), ("angular", angular, "rad/s")] {
        if !value.is_finite() {
            return Err(Refusal::new(
                code::BAD_VALUE,
                format!(
                    "{field} is {}, it must be a finite number of {unit}",
                    Shown(value)
                ),
            ));
        }
    }
    Ok(())
}

/// A whole number from 0 to a highest one.
fn check_whole(field: &str, value: f64, high: i32) -> Result<i32, Refusal> {
    if value.fract() == 0.0 && (0.0..=f64::from(high)).contains(&value) {
        return Ok(value as i32);
    }
    Err(Refusal::new(
        code::BAD_VALUE,
        format!(
            "{field} is {}, it must be a whole number from 0 to {high}",
            Shown(value)
        ),
    ))
}
