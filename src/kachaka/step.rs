//! What the robot does by itself, step by step.

use super::error_codes::code;
use super::execution::{Execution, Motion, Ramp, View};
use super::kachaka::{Around, Seen};
use super::maps::Place;
use super::order::Order;
use super::queue::Outcome;
use super::{
    Command, Event, Going, Kachaka, Load, LocalizationMode, Source, StepSensors, Torches,
    front_clearance,
};
use crate::sensors::NoiseKey;
use crate::world::{PhysicsDt, Twist2};

/// The name under which the drift of the odometry has its noise.
const ODOMETRY_NOISE: &str = "fused_odometry";

impl Kachaka {
    /// Before a step: what the drive is to do. The drive says what its wheels would be told
    /// after a step with a twist.
    pub(crate) fn decide(&mut self, told_after: impl Fn(Twist2) -> Twist2) -> Order {
        if self.paused || self.battery.is_flat() {
            self.wanted = Twist2::ZERO;
            self.front_stop.update(Going::steady(self.seen.twist.x));
            return Order::Halt;
        }
        let mut twist = self.choose();
        self.wanted = twist;
        let going = self.going_after(told_after(twist).x);
        let is_blocked = self.front_stop.update(going);
        if is_blocked || self.step_sensors.see_drop() {
            twist.x = twist.x.min(0.0);
        }
        Order::Drive(twist)
    }

    /// The highest speed along x in a step that brings the wheels from what they are told to
    /// that.
    fn going_after(&self, told: f64) -> Going {
        let Seen {
            dt,
            twist,
            setpoint,
            lag,
            ..
        } = self.seen;
        let told = told.max(setpoint.x);
        let share = taken_on(lag[0], dt);
        Going {
            speed: twist.x.max(twist.x + share * (told - twist.x)),
            told,
        }
    }

    /// Who drives, and how.
    fn choose(&mut self) -> Twist2 {
        if self.starting_until.is_some() {
            return Twist2::ZERO;
        }
        let view = self.view();
        let active = self.queue.running_mut();
        if let Some(Motion::Drive(twist)) = active.map(|active| active.execution.motion(&view)) {
            return self.clamped(Source::Command, twist);
        }
        let Seen { now, dt, .. } = self.seen;
        if let Some(twist) = self.manual.velocity_at(now, dt) {
            return self.clamped(Source::Manual, twist);
        }
        if let Some(twist) = self.autonomous.at(now, dt) {
            return self.clamped(Source::Autonomous, twist);
        }
        Twist2::ZERO
    }

    fn clamped(&self, source: Source, twist: Twist2) -> Twist2 {
        let (linear, angular) =
            (self.limits).clamped(source, self.is_towing(), twist.x, twist.angular);
        Twist2::new(linear, 0.0, angular)
    }

    fn view(&self) -> View {
        let Seen {
            now,
            dt,
            wheels,
            twist,
            lag,
            decel,
            setpoint,
            ..
        } = self.seen;
        View {
            now,
            dt,
            wheels,
            twist,
            setpoint,
            // What drives by it is not accepted without.
            estimate: self.estimated_pose().unwrap_or_default(),
            front_blocked: self.front_stop.is_blocking(),
            speed_cap: self.limits.cap(Source::Command, self.is_towing()),
            turn_cap: self.limits.angular_cap(Source::Command),
            linear: ramp(decel[0], lag[0], dt),
            angular: ramp(decel[1], lag[1], dt),
        }
    }

    /// Takes in where it is, without a step: after a teleport.
    pub(crate) fn see(&mut self, seen: Seen, around: &Around<'_>) {
        self.seen = seen;
        self.situation = around.situation.clone();
        self.look_ahead(around);
        self.map_storey(around);
        self.note();
    }

    /// Makes the map of its storey at once if the geometry is another one.
    pub(crate) fn show_geometry(&mut self, around: &Around<'_>) {
        self.maps.show(self.place(around), &self.ids);
        self.note();
    }

    /// Makes the map of its storey anew if it is out of date.
    pub(super) fn map_storey(&mut self, around: &Around<'_>) {
        if self.localization.mode() == LocalizationMode::Truth {
            self.maps.follow(self.place(around), &self.ids);
        }
    }

    fn place<'a>(&self, around: &Around<'a>) -> Place<'a> {
        Place {
            world: around.world,
            floor: around.world.robot_floor(&self.name).unwrap_or_default(),
            level: around.body.level,
            pose: around.body.pose,
        }
    }

    /// After a step: takes in what came of it.
    pub(crate) fn observe(&mut self, seen: Seen, around: &Around<'_>) {
        self.seen = seen;
        self.situation.clone_from(&around.situation);
        self.queue.drop_outdated();
        self.sense(around);
        self.map_storey(around);
        self.let_time_pass();
        self.look_after_command();
        let moves = self.seen.twist != Twist2::ZERO || self.wanted != Twist2::ZERO;
        (self.lidar).update(moves || self.manual.is_on(), self.seen.now);
        self.note();
    }

    fn sense(&mut self, around: &Around<'_>) {
        let Seen { now, dt, twist, .. } = self.seen;
        let step = around.world.step_index();
        let noise = NoiseKey::new(around.seed, &self.name, ODOMETRY_NOISE).at(step);
        self.fused.follow(twist, dt.seconds(), noise);
        let body = &around.body;
        let was_flat = self.battery.is_flat();
        let load = Load {
            towing: self.is_towing(),
            charging: self.situation.on_charger,
            ..Load::of_step(body.previous_twist, body.twist, dt)
        };
        self.battery.update(load, dt);
        if self.battery.is_flat() && !was_flat {
            self.go_down();
        }
        let contacts = around.world.contacts(&self.name).unwrap_or_default();
        let added = self.collisions.update(&contacts, now);
        if added > 0 && self.config.collisions.stop && !self.paused {
            self.pause();
        }
        if self.step_sensors.look(self.situation.depths) {
            self.pause();
            self.paused_by_step = true;
        }
        if self.looks.is_none_or(|looks| looks.is_due(step)) {
            self.look_ahead(around);
        }
    }

    /// The front stop looks at what is ahead.
    pub(super) fn look_ahead(&mut self, around: &Around<'_>) {
        let Around {
            world, key, body, ..
        } = around;
        let config = self.front_stop.config();
        let clearance = match self.has_sensors_off() {
            true => None,
            false => front_clearance(world, *key, body.pose, body.level, config),
        };
        self.front_stop.look(clearance);
    }

    fn let_time_pass(&mut self) {
        let now = self.seen.now;
        self.manual.expire(now);
        if self.starting_until.is_some_and(|until| until <= now) {
            self.starting_until = None;
        }
        if self.sounds.end_if_over(now) {
            self.tell(Event::Sound(String::new()));
        }
    }

    /// Ends the command that runs when it is over, and begins the next one.
    fn look_after_command(&mut self) {
        let view = self.view();
        let Some(active) = self.queue.running_mut() else {
            return;
        };
        match active.execution.outcome(&view) {
            None => {}
            Some(Outcome::Success) => self.succeed(),
            Some(failure) => {
                self.queue.end_running(failure, view.now);
            }
        }
        self.run_next();
    }

    /// The command that runs has done its part: says what is to be said and locks, or ends.
    pub(super) fn succeed(&mut self) {
        let (now, config) = (self.seen.now, &self.config.commands);
        let Some(active) = self.queue.running_mut() else {
            return;
        };
        let was_done = std::mem::replace(&mut active.is_done, true);
        let locks = !was_done && active.request.lock_on_end > 0.0;
        if locks {
            active.execution = Execution::lock(active.request.lock_on_end, config, now);
        }
        let text = active.request.tts_on_success.clone();
        let localizes = active.request.command == Command::Localize;
        if !was_done && localizes {
            self.localization.forget_shift();
        }
        if !was_done && !text.is_empty() {
            self.tell(Event::Speech(text));
        }
        if !locks {
            self.queue.end_running(Outcome::Success, now);
        }
    }

    /// Back at its spawn pose with its fused odometry keeping its drift, but for
    /// `clear_map`; velocities that come in the next moment are ignored.
    pub(crate) fn reset(&mut self, seen: Seen, around: &Around<'_>, clear_map: bool) {
        if clear_map {
            self.restart_odometry();
        } else {
            self.fused.teleport(self.seen.truth, seen.truth);
        }
        self.seen = seen;
        self.situation = around.situation.clone();
        self.forget(clear_map);
        self.deaf_until = super::later(seen.now, self.config.reset.ignore_velocity);
        self.look_ahead(around);
        self.show_geometry(around);
    }

    /// As freshly spawned, but that numbers of states, results and ids go on: who waits for
    /// one of them is not to meet it twice.
    pub(crate) fn respawn(&mut self, seen: Seen, around: &Around<'_>) {
        self.restart_odometry();
        self.seen = seen;
        self.situation = around.situation.clone();
        self.forget(true);
        self.deaf_until = seen.now;
        self.look_ahead(around);
        self.show_geometry(around);
    }

    /// A new odometry frame, of which nobody outside has said yet where it is.
    fn restart_odometry(&mut self) {
        self.fused.restart();
        self.localization.forget_map_to_odom();
    }

    /// What every reset takes back. The commands that were still accepted get their results;
    /// the history shows them until the next step and is empty then.
    fn forget(&mut self, clear_map: bool) {
        self.end_all(&Outcome::failure(code::INTERRUPTED));
        self.queue.bound_times(self.seen.now);
        self.queue.outdate_history();
        (self.paused, self.paused_by_step) = (false, false);
        self.step_sensors = StepSensors::new(&self.config.step_sensors);
        self.starting_until = None;
        self.stop_velocities();
        self.wanted = Twist2::ZERO;
        self.battery.reset();
        self.collisions.reset();
        self.front_stop = Self::front_stop_of(&self.config, &self.seen);
        self.front_stop_muted = false;
        self.lidar = super::LidarRest::new(&self.config.lidar, self.seen.now);
        self.localization.forget_shift();
        if clear_map {
            self.maps.forget_kept();
        }
        self.maps.go_live();
        self.torches = Torches::default();
        self.end_sound();
        self.sounds.clear();
        self.volume = Self::volume_of(&self.config);
        self.auto_homing = false;
        self.resets += 1;
        let id = self.resets;
        self.tell(Event::Reset { id, clear_map });
    }
}

/// How the drive ramps on one axis, with a lag in s.
fn ramp(decel: f64, lag: f64, dt: PhysicsDt) -> Ramp {
    Ramp {
        decel,
        coast: coast(lag, dt),
        taken_on: taken_on(lag, dt),
    }
}

/// Which share of the way to what the wheels are told a body with a lag comes in a step.
fn taken_on(lag: f64, dt: PhysicsDt) -> f64 {
    if lag > 0.0 {
        -libm::expm1(-dt.seconds() / lag)
    } else {
        1.0
    }
}

/// For how many seconds of its speed a body with a lag goes on once the wheels are told to
/// stop: what is left of the steps of a first-order lag.
pub(super) fn coast(lag: f64, dt: PhysicsDt) -> f64 {
    if lag > 0.0 {
        dt.seconds() / libm::expm1(dt.seconds() / lag)
    } else {
        0.0
    }
}
