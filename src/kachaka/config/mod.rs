//! Every number of the Kachaka's own software, with defaults.
//!
//! `config/kachaka.yaml` spells them all out under `onboard_config`, and
//! `docs/kachaka.md` says where each comes from: published by the maker, taken from a model
//! of its users, or an estimate.

mod read;
mod sections;
mod shortcut;

use crate::world::Pose2;

pub use read::ConfigError;
pub use sections::{
    AutonomousConfig, BatteryConfig, CollisionConfig, CommandConfig, DriveConfig, FrontStopConfig,
    IdentityConfig, LidarConfig, LocalizationConfig, LocalizationMode, ManualConfig, MappingConfig,
    Navigator, OdometryConfig, ResetConfig, RestartConfig, SpeakerConfig,
};
pub use shortcut::{ShortcutCommand, ShortcutConfig};

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
    /// Charge and consumption.
    pub battery: BatteryConfig,
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
    pub locations: Vec<LocationConfig>,
    /// Id of the place for a command that names none; "" = none.
    pub default_location: String,
    /// Commands under a name.
    pub shortcuts: Vec<ShortcutConfig>,
}

/// A registered place.
#[derive(Debug, Clone, PartialEq)]
pub struct LocationConfig {
    /// What it is known by, such as `L01`.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// What it is for.
    pub kind: LocationKind,
    /// Where it is in the map.
    pub pose: Pose2,
}

/// What a registered place is for. The numbers are those of kachaka-api.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LocationKind {
    /// A place to go to.
    #[default]
    Ordinary = 0,
    /// Where the charger stands.
    Charger = 1,
    /// Where a shelf belongs.
    ShelfHome = 2,
    /// A marker that helps the robot to find its pose.
    SlamMarker = 3,
}

impl LocationKind {
    /// All kinds with their names in YAML.
    pub const ALL: [(&'static str, Self); 4] = [
        ("ordinary", Self::Ordinary),
        ("charger", Self::Charger),
        ("shelf_home", Self::ShelfHome),
        ("slam_marker", Self::SlamMarker),
    ];

    /// The kind with this number, if there is one.
    #[must_use]
    pub fn from_number(number: u8) -> Option<Self> {
        (Self::ALL.iter().map(|(_, kind)| *kind)).find(|kind| *kind as u8 == number)
    }
}

#[cfg(test)]
mod tests;
