//! What a robot measures, as plain data: schedules, seeded noise and the sensors.
//!
//! No sensor holds a state that depends on when it was asked: a measurement follows from
//! the world of now and from a [`StepNoise`], which is keyed by seed, robot, sensor and
//! step. So neither the order of calls nor other sensors change it. [`Odometry`] alone
//! integrates, and it sees twists only.

pub mod camera;
mod depth;
mod error;
mod imu;
mod lidar;
mod noise;
mod normal;
mod odometry;
mod ray_plan;
mod sample;
mod schedule;
mod surroundings;

pub use depth::{DepthCamera, DepthSpec};
pub use error::SensorError;
pub use imu::{Imu, ImuNoise, ImuSample, STANDARD_GRAVITY};
pub use lidar::{BeamAngles, Lidar, LidarCast, LidarSpec};
pub use noise::{Gaussian, NoiseKey, StepNoise};
pub use odometry::{Odometry, OdometrySample};
pub use ray_plan::{MAX_RAYS, RayDirection, RayPlan};
pub use sample::{LaserSample, PointCloudSample};
pub use schedule::Schedule;
pub use surroundings::{Mount, Surroundings};
