//! The Kachaka's own software: what the robot does by itself and when it is asked to.

mod config;
mod lidar_rest;
mod limits;

pub use config::{
    AutonomousConfig, BatteryConfig, CollisionConfig, CommandConfig, ConfigError, DriveConfig,
    FrontStopConfig, IdentityConfig, KachakaConfig, LidarConfig, LocalizationConfig,
    LocalizationMode, LocationConfig, LocationKind, ManualConfig, MappingConfig, Navigator,
    OdometryConfig, ResetConfig, RestartConfig, ShortcutCommand, ShortcutConfig, SpeakerConfig,
};
pub use lidar_rest::LidarRest;
pub use limits::{Source, SpeedLimits};

/// A duration in nanoseconds; 0 for what is no duration.
fn seconds(value: f64) -> u64 {
    // The cast takes NaN and negative numbers to 0 and saturates.
    (value * 1e9).round() as u64
}
