//! Every number of the Kachaka's own software, with defaults.
//!
//! `config/kachaka.yaml` spells them all out under `onboard_config`, and
//! `docs/kachaka.md` says where each comes from: published by the maker, taken from a model
//! of its users, or an estimate.

mod location;
mod read;
mod sections;
mod shortcut;
mod values;

pub use location::{LocationKind, Places};
pub use read::ConfigError;
pub use sections::{
    AutonomousConfig, BatteryConfig, ChargerConfig, CollisionConfig, CommandConfig, DriveConfig,
    FrontStopConfig, IdentityConfig, LidarConfig, LocalizationConfig, LocalizationMode,
    ManualConfig, MappingConfig, Navigator, OdometryConfig, ResetConfig, RestartConfig,
    SpeakerConfig, StepSensorConfig,
};
pub use shortcut::ShortcutConfig;

use super::Location;

/// All parameters of the Kachaka's own software.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct KachakaConfig {
    /// Caps of speed and acceleration, motors and body.
    pub drive: DriveConfig,
    /// Manual control.
    pub manual: ManualConfig,
    /// Velocities of an autonomous driver.
    pub autonomous: AutonomousConfig,
    /// The stop in front of obstacles.
    pub front_stop: FrontStopConfig,
    /// Counting of collisions.
    pub collisions: CollisionConfig,
    /// Steps down at the front.
    pub step_sensors: StepSensorConfig,
    /// Charge and consumption.
    pub battery: BatteryConfig,
    /// What it does on the charger.
    pub charger: ChargerConfig,
    /// When the lidar rests.
    pub lidar: LidarConfig,
    /// Drift of the fused odometry.
    pub odometry: OdometryConfig,
    /// Where the pose in the map comes from.
    pub localization: LocalizationConfig,
    /// The map made from the geometry.
    pub mapping: MappingConfig,
    /// Who plans the way.
    pub navigator: Navigator,
    /// The queue and how commands are carried out.
    pub commands: CommandConfig,
    /// Starting again.
    pub restart: RestartConfig,
    /// The simulator's reset of one robot.
    pub reset: ResetConfig,
    /// What the robot says it is.
    pub identity: IdentityConfig,
    /// The speaker.
    pub speaker: SpeakerConfig,
    /// Registered places, in the map frame.
    pub locations: Vec<Location>,
    /// Id of the place for a command that names none; "" = none.
    pub default_location: String,
    /// Commands under a name.
    pub shortcuts: Vec<ShortcutConfig>,
}

#[cfg(test)]
mod tests;
