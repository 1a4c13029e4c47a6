//! The Kachaka itself: what it is made of and what it tells.

use super::ids::Ids;
use super::manual::{HeldVelocity, ManualControl};
use super::maps::Maps;
use super::queue::Queue;
use super::sounds::Sounds;
use super::{
    CommandResult, Event, Info, KachakaConfig, LidarRest, Locations, NamedId, OccupancyGrid,
    PowerSupply, Running, SpeedLimits, StartCommand, State, Torches,
};
use crate::robot::OdometrySample;
use crate::world::{PhysicsDt, Pose2, SimTime, Twist2};

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
    pub(super) step_detected: bool,
    /// When it is ready again, after a restart.
    pub(super) starting_until: Option<SimTime>,
    /// Velocities that come before are ignored, after a reset.
    pub(super) deaf_until: SimTime,
    pub(super) front_stop_muted: bool,
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
    has_result: bool,
    is_running: bool,
    paused: bool,
    step_detected: bool,
    ready: bool,
    manual: bool,
    auto_homing: bool,
    muted: bool,
    lidar: bool,
    volume: i32,
    torches: (u8, u8),
    maps: u64,
    sounds: u64,
}

impl Kachaka {
    /// A Kachaka as freshly spawned.
    pub(crate) fn new(name: &str, config: KachakaConfig, seen: Seen) -> Self {
        let shortcuts = config.shortcuts.iter().map(|shortcut| {
            let entry = NamedId {
                id: shortcut.id.clone(),
                name: shortcut.name.clone(),
            };
            let commands = shortcut.commands.iter();
            let commands = commands.map(|command| StartCommand::new(command.into()));
            (entry, commands.collect())
        });
        let mut kachaka = Self {
            name: name.to_owned(),
            limits: SpeedLimits::new(&config.drive),
            seen,
            ids: Ids::new(name),
            queue: Queue::new(&config.commands),
            manual: ManualControl::new(&config.manual),
            autonomous: HeldVelocity::new(config.autonomous.velocity_timeout),
            paused: false,
            step_detected: false,
            starting_until: None,
            deaf_until: SimTime(0),
            front_stop_muted: false,
            lidar: LidarRest::new(&config.lidar, seen.now),
            locations: Locations::new(&config.locations, &config.default_location),
            shortcuts: shortcuts.collect(),
            sounds: Sounds::default(),
            maps: Maps::default(),
            torches: Torches::default(),
            volume: volume_of(&config),
            auto_homing: false,
            events: Vec::new(),
            resets: 0,
            state: first_state(&config, seen.now),
            pulse: Pulse::default(),
            config,
        };
        kachaka.note();
        kachaka
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
        self.lidar.is_active()
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

    /// Where it believes to be, in the map frame.
    #[must_use]
    pub fn estimated_pose(&self) -> Pose2 {
        self.seen.truth
    }

    /// Odometry of wheels and gyroscope together.
    #[must_use]
    pub fn fused_odometry(&self) -> OdometrySample {
        OdometrySample {
            pose: self.seen.wheels,
            twist: self.seen.twist,
        }
    }

    /// The transform from the map to the odometry frame; none when another program sends it.
    #[must_use]
    pub fn map_to_odom(&self) -> Option<Pose2> {
        let fused = self.fused_odometry().pose;
        Some(self.estimated_pose().compose(&fused.inverse()))
    }

    /// Charge of the battery now, 0 to 100 percent.
    #[must_use]
    pub fn battery_percentage(&self) -> f64 {
        100.0
    }

    /// Takes what has happened since this was asked last, oldest first.
    pub fn drain_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }

    /// Makes a new state if anything in it is another.
    pub(super) fn note(&mut self) {
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
            last_result: self.queue.history().next().cloned(),
            errors: self.present_errors(),
            ready: pulse.ready,
            emergency_stopped: self.paused,
            step_detected: self.step_detected,
            manual_control_enabled: self.manual.is_on(),
            auto_homing_enabled: self.auto_homing,
            front_stop_muted: pulse.muted,
            lidar_active: self.lidar.is_active(),
            moving_shelf_id: String::new(),
            speaker_volume: self.volume,
            torches: self.torches,
            current_map_id: self.maps.current_id().to_owned(),
            maps: self.maps.entries().cloned().collect(),
            sounds: self.sounds.entries().cloned().collect(),
            playing_sound_id: self.sounds.playing().to_owned(),
            battery_percentage: 100.0,
            power_supply: PowerSupply::Discharging,
            collisions: 0,
        };
    }

    fn take_pulse(&self) -> Pulse {
        Pulse {
            accepted: self.ids.given(),
            ended: self.queue.ended(),
            waiting: self.queue.waiting(),
            has_result: self.queue.history().len() > 0,
            is_running: self.queue.running().is_some(),
            paused: self.paused,
            step_detected: self.step_detected,
            ready: self.starting_until.is_none(),
            manual: self.manual.is_on(),
            auto_homing: self.auto_homing,
            muted: self.front_stop_muted,
            lidar: self.lidar.is_active(),
            volume: self.volume,
            torches: (self.torches.front, self.torches.back),
            maps: self.maps.revision(),
            sounds: self.sounds.revision(),
        }
    }

    fn present_errors(&self) -> Vec<i32> {
        use super::error_codes::code;
        let all = [
            (self.paused, code::PAUSED),
            (self.step_detected, code::STEP_DETECTED),
        ];
        let present = all.into_iter().filter(|(is_present, _)| *is_present);
        present.map(|(_, code)| code).collect()
    }
}

fn volume_of(config: &KachakaConfig) -> i32 {
    i32::try_from(config.speaker.volume).unwrap_or(0)
}

/// The state before the first one that is told.
fn first_state(config: &KachakaConfig, now: SimTime) -> State {
    State {
        stamp: now,
        sequence: 0,
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
        speaker_volume: volume_of(config),
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
