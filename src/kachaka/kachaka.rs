//! The Kachaka itself: what it is made of and what it tells.

use super::error_codes::code;
use super::ids::Ids;
use super::manual::{HeldVelocity, ManualControl};
use super::maps::Maps;
use super::queue::{Active, Queue};
use super::sounds::Sounds;
use super::{
    Battery, Braking, Collisions, CommandResult, Event, FrontStop, FusedOdometry, Info,
    KachakaConfig, LidarRest, Localization, LocalizationMode, Locations, NamedId, OccupancyGrid,
    PowerSupply, Running, SpeedLimits, StartCommand, State, StepSensors, Torches,
};
use crate::sensors::{OdometrySample, Schedule};
use crate::world::{BodyKey, BodyState, PhysicsDt, Pose2, SimTime, Twist2, World};

/// Most events that wait to be asked for.
const MAX_EVENTS: usize = 1_000;

/// What the robot has seen of itself after the last step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Seen {
    pub(crate) now: SimTime,
    pub(crate) dt: PhysicsDt,
    /// True pose of the base.
    pub(crate) truth: Pose2,
    /// Wheel odometry.
    pub(crate) wheels: Pose2,
    /// What the wheels do, base frame.
    pub(crate) twist: Twist2,
    /// Lags of its drive along x and about z, s.
    pub(crate) lag: [f64; 2],
    /// How its drive brakes along x and about z, m/s² and rad/s².
    pub(crate) decel: [f64; 2],
    /// What its body makes of the speed along x that the wheels are told.
    pub(crate) gain: f64,
    /// Highest speed along x that the wheels can be told, m/s.
    pub(crate) top_speed: f64,
    /// What the wheels are told, a twist of the pivot.
    pub(crate) setpoint: Twist2,
}

/// What the robot notices of the building where it stands.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Situation {
    /// How far the ground is below the floor where the left and the right step sensor look, m.
    pub(crate) depths: [f64; 2],
    /// Whether it stands on a charger.
    pub(crate) on_charger: bool,
    /// The shelf that it carries; "" = none.
    pub(crate) shelf: String,
}

/// What is around the robot after the last step.
pub(crate) struct Around<'a> {
    pub(crate) situation: Situation,
    pub(crate) world: &'a World,
    pub(crate) key: BodyKey,
    pub(crate) body: BodyState,
    pub(crate) seed: i64,
}

/// Numbers that go on when a robot is replaced or spawned again under the same name, so that
/// nobody who waits for one of them meets it twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Counters {
    /// Number of the last state.
    sequence: u64,
    /// How many ids were given.
    ids: u64,
    /// Number of the last result of a command.
    results: u64,
    /// Number of the last reset.
    resets: u64,
}

/// The own software of one Kachaka, stepped with the scene.
///
/// Requests act at once: what is read afterwards shows them, also while time stands still.
/// Motion begins with the next step.
#[derive(Debug, Clone)]
pub struct Kachaka {
    pub(super) name: String,
    pub(super) config: KachakaConfig,
    pub(super) limits: SpeedLimits,
    pub(super) seen: Seen,
    pub(super) ids: Ids,
    pub(super) queue: Queue,
    pub(super) manual: ManualControl,
    pub(super) autonomous: HeldVelocity,
    pub(super) paused: bool,
    /// Whether a drop paused it.
    pub(super) paused_by_step: bool,
    pub(super) situation: Situation,
    pub(super) step_sensors: StepSensors,
    /// The twist that somebody wanted for the last step, before the front stop.
    pub(super) wanted: Twist2,
    /// When it is ready again, after a restart.
    pub(super) starting_until: Option<SimTime>,
    /// Velocities that come before are ignored, after a reset.
    pub(super) deaf_until: SimTime,
    pub(super) front_stop: FrontStop,
    /// Muted by request; a command may mute it, too.
    pub(super) front_stop_muted: bool,
    /// When the front stop looks; none = every step.
    pub(super) looks: Option<Schedule>,
    pub(super) collisions: Collisions,
    pub(super) battery: Battery,
    pub(super) fused: FusedOdometry,
    pub(super) localization: Localization,
    pub(super) lidar: LidarRest,
    pub(super) locations: Locations,
    pub(super) shortcuts: Vec<(NamedId, Vec<StartCommand>)>,
    pub(super) sounds: Sounds,
    pub(super) maps: Maps,
    pub(super) torches: Torches,
    pub(super) volume: i32,
    pub(super) auto_homing: bool,
    pub(super) events: Vec<Event>,
    pub(super) resets: u64,
    pub(super) state: State,
    pub(super) pulse: Pulse,
}

/// Everything that makes another state, but cheap to compare each step.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Pulse {
    accepted: u64,
    ended: u64,
    waiting: usize,
    results: usize,
    is_running: bool,
    paused: bool,
    paused_by_step: bool,
    on_charger: bool,
    carries: bool,
    battery_low: bool,
    battery_empty: bool,
    collisions: u32,
    ready: bool,
    manual: bool,
    auto_homing: bool,
    muted: bool,
    lidar: bool,
    volume: i32,
    torches: (u8, u8),
    maps: u64,
    sounds: u64,
    /// Resets fill the battery, and time may begin again with them.
    resets: u64,
}

impl Kachaka {
    /// A Kachaka as freshly spawned, after others of that name with these counters.
    pub(crate) fn new(
        name: &str,
        config: KachakaConfig,
        seen: Seen,
        around: &Around<'_>,
        run: i64,
        counters: Counters,
    ) -> Self {
        let shortcuts = config.shortcuts.iter().map(|shortcut| {
            let entry = NamedId {
                id: shortcut.id.clone(),
                name: shortcut.name.clone(),
            };
            let commands = shortcut.commands.iter();
            let commands = commands.cloned().map(StartCommand::new);
            (entry, commands.collect())
        });
        let mut kachaka = Self {
            name: name.to_owned(),
            limits: SpeedLimits::new(&config.drive),
            seen,
            ids: Ids::new(name, run, counters.ids),
            queue: Queue::new(&config.commands, counters.results),
            manual: ManualControl::new(&config.manual),
            autonomous: HeldVelocity::new(config.autonomous.velocity_timeout),
            paused: false,
            paused_by_step: false,
            situation: around.situation.clone(),
            step_sensors: StepSensors::new(&config.step_sensors),
            wanted: Twist2::ZERO,
            starting_until: None,
            deaf_until: SimTime(0),
            front_stop: Self::front_stop_of(&config, &seen),
            front_stop_muted: false,
            looks: Self::looks_of(&config, seen.dt),
            collisions: Collisions::new(&config.collisions),
            battery: Battery::new(&config.battery, &config.drive),
            fused: FusedOdometry::new(&config.odometry),
            localization: Localization::new(config.localization.mode),
            lidar: LidarRest::new(&config.lidar, seen.now),
            locations: Locations::new(&config.locations, &config.default_location),
            shortcuts: shortcuts.collect(),
            sounds: Sounds::default(),
            maps: Maps::new(&config.mapping),
            torches: Torches::default(),
            volume: Self::volume_of(&config),
            auto_homing: false,
            events: Vec::new(),
            resets: counters.resets,
            state: first_state(seen.now, counters.sequence),
            pulse: Pulse::default(),
            config,
        };
        kachaka.look_ahead(around);
        kachaka.map_storey(around);
        kachaka.note();
        kachaka
    }

    pub(super) fn front_stop_of(config: &KachakaConfig, seen: &Seen) -> FrontStop {
        let braking = Braking {
            decel: seen.decel[0],
            lag: seen.lag[0],
            gain: seen.gain,
        };
        FrontStop::new(&config.front_stop, braking, seen.top_speed, seen.dt)
    }

    /// When the front stop looks; none = every step.
    fn looks_of(config: &KachakaConfig, dt: PhysicsDt) -> Option<Schedule> {
        let rate = 1.0 / config.front_stop.period;
        Schedule::new(rate, dt).ok().map(|(looks, _)| looks)
    }

    pub(super) fn volume_of(config: &KachakaConfig) -> i32 {
        i32::try_from(config.speaker.volume).unwrap_or(0)
    }

    /// Its name in the world.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its parameters.
    #[must_use]
    pub fn config(&self) -> &KachakaConfig {
        &self.config
    }

    /// What whoever comes after it under its name goes on from.
    pub(crate) fn counters(&self) -> Counters {
        Counters {
            sequence: self.state.sequence,
            ids: self.ids.given(),
            results: self.queue.ended(),
            resets: self.resets,
        }
    }

    /// What it is about now.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Number of the state. Right after a request it names the one that shows its effect.
    #[must_use]
    pub fn sequence(&self) -> u64 {
        self.state.sequence
    }

    /// The last results of commands, newest first.
    pub fn history(&self) -> impl ExactSizeIterator<Item = &CommandResult> {
        self.queue.history()
    }

    /// What does not change while it exists.
    #[must_use]
    pub fn info(&self) -> Info {
        let identity = &self.config.identity;
        Info {
            serial_number: if identity.serial_number.is_empty() {
                self.name.clone()
            } else {
                identity.serial_number.clone()
            },
            version: identity.version.clone(),
            shortcuts: self.shortcuts().cloned().collect(),
        }
    }

    /// Registered places.
    #[must_use]
    pub fn locations(&self) -> &Locations {
        &self.locations
    }

    /// Shortcuts that can be started.
    pub fn shortcuts(&self) -> impl ExactSizeIterator<Item = &NamedId> {
        self.shortcuts.iter().map(|(entry, _)| entry)
    }

    /// Codes of what is wrong now.
    #[must_use]
    pub fn errors(&self) -> &[i32] {
        &self.state.errors
    }

    /// Whether the lidar measures.
    #[must_use]
    pub fn lidar_is_active(&self) -> bool {
        self.lidar.is_active() && !self.has_sensors_off()
    }

    /// Whether it stands on the charger with its sensors off.
    pub(super) fn has_sensors_off(&self) -> bool {
        self.config.charger.sensors_off && self.situation.on_charger
    }

    /// Whether it carries a shelf.
    #[must_use]
    pub fn is_towing(&self) -> bool {
        !self.situation.shelf.is_empty()
    }

    /// The map it is on; none before there is one, or when another program makes it.
    #[must_use]
    pub fn current_map(&self) -> Option<&OccupancyGrid> {
        self.maps.current()
    }

    /// Grows when the map it is on, or what is on it, is another one.
    #[must_use]
    pub fn map_revision(&self) -> u64 {
        self.maps.revision()
    }

    /// Where it believes to be, in the map frame; none before the program outside that
    /// localizes it has said so.
    #[must_use]
    pub fn estimated_pose(&self) -> Option<Pose2> {
        self.localization
            .estimate(self.seen.truth, self.fused.pose())
    }

    /// Whether another program localizes it, to which a pose is to be given.
    #[must_use]
    pub fn is_localized_elsewhere(&self) -> bool {
        self.localization.mode() == LocalizationMode::External
    }

    /// Odometry of wheels and gyroscope together.
    #[must_use]
    pub fn fused_odometry(&self) -> OdometrySample {
        OdometrySample {
            pose: self.fused.pose(),
            twist: self.fused.twist(),
        }
    }

    /// The transform from the map to the odometry frame; none when another program sends it.
    #[must_use]
    pub fn map_to_odom(&self) -> Option<Pose2> {
        (self.localization).map_to_odom(self.seen.truth, self.fused.pose())
    }

    /// Charge of the battery now, 0 to 100 percent.
    #[must_use]
    pub fn battery_percentage(&self) -> f64 {
        self.battery.percentage()
    }

    /// Takes what has happened since this was asked last, oldest first.
    pub fn drain_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }

    /// Tells that something happened. Who never asks misses what was long ago.
    pub(super) fn tell(&mut self, event: Event) {
        if self.events.len() >= MAX_EVENTS {
            self.events.remove(0);
        }
        self.events.push(event);
    }

    /// Makes a new state if anything in it is another.
    pub(super) fn note(&mut self) {
        self.front_stop.set_muted(self.mutes_front_stop());
        let pulse = self.take_pulse();
        if pulse == self.pulse {
            return;
        }
        self.pulse = pulse;
        let running = self.queue.running().map(|active| Running {
            id: active.id.clone(),
            command: active.request.command.clone(),
        });
        self.state = State {
            stamp: self.seen.now,
            sequence: self.state.sequence + 1,
            running,
            queue_length: self.queue.waiting(),
            last_result: self.queue.last_result().cloned(),
            errors: self.present_errors(),
            ready: pulse.ready,
            emergency_stopped: self.paused,
            step_detected: self.paused_by_step,
            manual_control_enabled: self.manual.is_on(),
            auto_homing_enabled: self.auto_homing,
            front_stop_muted: pulse.muted,
            lidar_active: self.lidar_is_active(),
            moving_shelf_id: self.situation.shelf.clone(),
            speaker_volume: self.volume,
            torches: self.torches,
            current_map_id: self.maps.current_id().to_owned(),
            maps: self.maps.entries().cloned().collect(),
            sounds: self.sounds.entries().cloned().collect(),
            playing_sound_id: self.sounds.playing().to_owned(),
            battery_percentage: self.battery.percentage(),
            power_supply: match self.situation.on_charger {
                true => PowerSupply::Charging,
                false => PowerSupply::Discharging,
            },
            collisions: self.collisions.count(),
        };
    }

    /// Whether the front stop is muted, by request or by the command that runs.
    fn mutes_front_stop(&self) -> bool {
        let mutes = |active: &Active| active.request.command.mutes_front_stop();
        self.front_stop_muted || self.queue.running().is_some_and(mutes)
    }

    fn take_pulse(&self) -> Pulse {
        Pulse {
            accepted: self.ids.given(),
            ended: self.queue.ended(),
            waiting: self.queue.waiting(),
            results: self.queue.history().len(),
            is_running: self.queue.running().is_some(),
            paused: self.paused,
            paused_by_step: self.paused_by_step,
            on_charger: self.situation.on_charger,
            carries: self.is_towing(),
            battery_low: self.battery.is_low(),
            battery_empty: self.battery.is_empty(),
            collisions: self.collisions.count(),
            ready: self.starting_until.is_none() && !self.battery.is_flat(),
            manual: self.manual.is_on(),
            auto_homing: self.auto_homing,
            muted: self.front_stop.is_muted(),
            lidar: self.lidar_is_active(),
            volume: self.volume,
            torches: (self.torches.front, self.torches.back),
            maps: self.maps.listed(),
            sounds: self.sounds.revision(),
            resets: self.resets,
        }
    }

    fn present_errors(&self) -> Vec<i32> {
        let all = [
            (self.paused, code::PAUSED),
            (self.paused_by_step, code::STEP_DETECTED),
            (self.battery.is_empty(), code::BATTERY_EMPTY),
            (
                self.battery.is_low() && !self.battery.is_empty(),
                code::BATTERY_LOW,
            ),
        ];
        let present = all.into_iter().filter(|(is_present, _)| *is_present);
        present.map(|(_, code)| code).collect()
    }
}

/// The state before the first one that is told.
fn first_state(now: SimTime, sequence: u64) -> State {
    State {
        stamp: now,
        sequence,
        running: None,
        queue_length: 0,
        last_result: None,
        errors: Vec::new(),
        ready: false,
        emergency_stopped: false,
        step_detected: false,
        manual_control_enabled: false,
        auto_homing_enabled: false,
        front_stop_muted: false,
        lidar_active: false,
        moving_shelf_id: String::new(),
        speaker_volume: 0,
        torches: Torches::default(),
        current_map_id: String::new(),
        maps: Vec::new(),
        sounds: Vec::new(),
        playing_sound_id: String::new(),
        battery_percentage: 0.0,
        power_supply: PowerSupply::Discharging,
        collisions: 0,
    }
}
