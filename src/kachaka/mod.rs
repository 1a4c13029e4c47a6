//! The Kachaka's own software: what the robot does by itself and when it is asked to.

mod battery;
mod collisions;
mod config;
mod front_stop;
mod fused_odometry;
mod lidar_rest;
mod limits;
mod localization;
pub mod mapping;

pub use battery::{Battery, Load};
pub use collisions::Collisions;
pub use config::{
    AutonomousConfig, BatteryConfig, CollisionConfig, CommandConfig, ConfigError, DriveConfig,
    FrontStopConfig, IdentityConfig, KachakaConfig, LidarConfig, LocalizationConfig,
    LocalizationMode, LocationConfig, LocationKind, ManualConfig, MappingConfig, Navigator,
    OdometryConfig, Places, ResetConfig, RestartConfig, ShortcutCommand, ShortcutConfig,
    SpeakerConfig,
};
pub use front_stop::{FrontStop, front_clearance};
pub use fused_odometry::FusedOdometry;
pub use lidar_rest::LidarRest;
pub use limits::{Source, SpeedLimits};
pub use localization::Localization;

/// A duration in nanoseconds; 0 for what is no duration.
fn seconds(value: f64) -> u64 {
    // The cast takes NaN and negative numbers to 0 and saturates.
    (value * 1e9).round() as u64
}
