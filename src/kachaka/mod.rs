//! The Kachaka's own software: what the robot does by itself and when it is asked to.

mod battery;
mod by_id;
mod collisions;
mod command;
mod commands;
mod config;
mod drive_model;
pub mod error_codes;
mod execution;
mod front_stop;
mod fused_odometry;
mod ids;
#[allow(
    clippy::module_inception,
    reason = "the type Kachaka lives in the file of its name"
)]
mod kachaka;
mod lidar_rest;
mod limits;
mod localization;
mod locations;
mod manual;
pub mod mapping;
mod maps;
mod order;
mod queue;
mod refusal;
mod requests;
mod sounds;
mod state;
mod step;
mod step_sensors;

pub use battery::{Battery, Load};
pub use collisions::Collisions;
pub use command::{Command, CommandResult, StartCommand};
pub use config::{
    AutonomousConfig, BatteryConfig, ChargerConfig, CollisionConfig, CommandConfig, ConfigError,
    DriveConfig, FrontStopConfig, IdentityConfig, KachakaConfig, LidarConfig, LocalizationConfig,
    LocalizationMode, LocationKind, ManualConfig, MappingConfig, Navigator, OdometryConfig, Places,
    ResetConfig, RestartConfig, ShortcutConfig, SpeakerConfig, StepSensorConfig,
};
pub use front_stop::{Braking, FrontStop, Going, front_clearance};
pub use fused_odometry::FusedOdometry;
pub use kachaka::Kachaka;
pub(crate) use kachaka::{Around, Counters, Seen, Situation};
pub use lidar_rest::LidarRest;
pub use limits::{Source, SpeedLimits};
pub use localization::Localization;
pub use locations::{Location, LocationChange, Locations};
pub use mapping::OccupancyGrid;
pub use maps::{MapView, NewMap};
pub(crate) use order::Order;
pub use refusal::Refusal;
pub use state::{Event, Info, NamedId, PowerSupply, Running, State, TorchSide, Torches};

pub use step_sensors::StepSensors;

/// The time some seconds later.
fn later(now: crate::world::SimTime, duration: f64) -> crate::world::SimTime {
    crate::world::SimTime(now.0.saturating_add(seconds(duration)))
}

/// A duration in nanoseconds; 0 for what is no duration.
fn seconds(value: f64) -> u64 {
    // The cast takes NaN and negative numbers to 0 and saturates.
    (value * 1e9).round() as u64
}
