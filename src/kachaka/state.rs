//! What the robot tells about itself.

use super::{Command, CommandResult};
use crate::world::SimTime;

/// Something that has an id and a name for people.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NamedId {
    /// Unique among its kind.
    pub id: String,
    /// For people.
    pub name: String,
}

/// The command that runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Running {
    /// Its id.
    pub id: String,
    /// What it does.
    pub command: Command,
}

/// Whether the battery is being charged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PowerSupply {
    /// On the charger.
    Charging,
    /// Off it.
    Discharging,
}

/// What the robot's own software is about, at one moment.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    /// When it became so.
    pub stamp: SimTime,
    /// One more with every change, but for the battery's charge, which comes along.
    pub sequence: u64,
    /// The command that runs; none = idle.
    pub running: Option<Running>,
    /// Commands that wait behind it.
    pub queue_length: usize,
    /// The last result, if there is one since the spawn. Resets do not forget it.
    pub last_result: Option<CommandResult>,
    /// Codes of what is wrong now.
    pub errors: Vec<i32>,
    /// False while it starts again.
    pub ready: bool,
    /// Paused by the emergency stop or the power button.
    pub emergency_stopped: bool,
    /// It stands at a drop and waits for the power button.
    pub step_detected: bool,
    /// Whether manual velocities drive it.
    pub manual_control_enabled: bool,
    /// Whether it goes home by itself.
    pub auto_homing_enabled: bool,
    /// Whether it drives without the stop in front of obstacles.
    pub front_stop_muted: bool,
    /// False while the lidar rests.
    pub lidar_active: bool,
    /// The shelf it carries; "" = none.
    pub moving_shelf_id: String,
    /// 0 to 10.
    pub speaker_volume: i32,
    /// Brightness of the torches.
    pub torches: Torches,
    /// The map it is on.
    pub current_map_id: String,
    /// All maps it keeps.
    pub maps: Vec<NamedId>,
    /// Sounds that were added.
    pub sounds: Vec<NamedId>,
    /// The sound that plays; "" = none.
    pub playing_sound_id: String,
    /// 0 to 100, at the stamp.
    pub battery_percentage: f64,
    /// Whether it charges.
    pub power_supply: PowerSupply,
    /// Counted since the spawn or the last reset.
    pub collisions: u32,
}

/// What does not change while the robot exists.
#[derive(Debug, Clone, PartialEq)]
pub struct Info {
    /// Serial number.
    pub serial_number: String,
    /// Version of the robot's software.
    pub version: String,
    /// Shortcuts that can be started.
    pub shortcuts: Vec<NamedId>,
}

/// How bright the torches are, 0 to 255.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Torches {
    /// At the front camera.
    pub front: u8,
    /// At the back camera.
    pub back: u8,
}

/// Which torch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TorchSide {
    /// At the front camera.
    Front,
    /// At the back camera.
    Back,
}

/// Something that happened and is told once.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// It said something.
    Speech(String),
    /// A sound began; "" = it ended.
    Sound(String),
    /// It was put back to how it was spawned.
    Reset {
        /// 1, 2, 3 and so on, also over robots of the same name.
        id: u64,
        /// A map that was made before is to be forgotten.
        clear_map: bool,
    },
}
