//! What a robot is made from.

use crate::drive::DriveModel;
use crate::kachaka::KachakaConfig;
use crate::world::Pose2;

/// Everything a robot needs; no robot is built in.
#[derive(Debug, Clone, PartialEq)]
pub struct RobotSpec {
    /// Unique name.
    pub name: String,
    /// Text of the description in URDF, with gazebo sensor blocks.
    pub urdf: String,
    /// A link of the description: where the body's frame is.
    pub base_frame: String,
    /// Pose of the base frame.
    pub pose: Pose2,
    /// Floor it stands on; "" = the level at z 0.
    pub floor: String,
    /// Radius of a round body, m; 0 = the footprint below.
    pub radius: f64,
    /// Convex polygon in the base frame, m; empty = the radius above.
    pub footprint: Vec<[f64; 2]>,
    /// Underside above the floor, m.
    pub z_min: f64,
    /// Height from there, m; 0 = up to the top of the level.
    pub height: f64,
    /// How the body follows commands.
    pub drive: DriveModel,
    /// The sensors.
    pub sensors: Vec<SensorSpec>,
    /// The Kachaka's own software; none = a plain robot. What it does to the drive says
    /// [`KachakaConfig::drive_model`].
    pub onboard: Option<KachakaConfig>,
}

/// One sensor of a robot.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SensorSpec {
    /// Unique on the robot.
    pub name: String,
    /// `laserscan`, `pointcloud`, `imu` or `contact`.
    pub kind: String,
    /// A link of the description; "" = where the description's sensor block is.
    pub frame: String,
    /// Name of the `<sensor>` it takes its numbers from; "" = the fan below.
    pub sensor: String,
    /// Hz of sim time; 0 = the description's, else every step.
    pub rate: f64,
    /// At most one, for when the description has none.
    pub fan: Vec<BeamFan>,
}

/// A planar fan of beams.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BeamFan {
    /// Direction of beam 0 in the sensor frame, rad.
    pub angle_min: f64,
    /// From beam to beam, rad; negative for a fan that turns clockwise.
    pub angle_increment: f64,
    /// How many.
    pub beams: u32,
    /// Nearer hits read -inf, m.
    pub range_min: f64,
    /// What is farther reads +inf, m.
    pub range_max: f64,
    /// Gaussian noise on hits, m.
    pub noise_stddev: f64,
}
