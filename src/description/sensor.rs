//! Sensor blocks as plain data: what SDF says, its defaults filled in.

use nalgebra::Isometry3;

use crate::sensors::{BeamAngles, DepthSpec, Gaussian, ImuNoise, LidarSpec, MAX_RAYS, SensorError};

/// What kind of sensor a block describes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SensorKind {
    /// `lidar`, `gpu_lidar`, `ray` or `gpu_ray`.
    Lidar,
    /// `camera`.
    Camera,
    /// `depth`, `depth_camera` or `rgbd_camera`.
    Depth,
    /// `imu`.
    Imu,
    /// `contact`.
    Contact,
    /// Anything else; kept so that it can be named.
    Other(String),
}

/// One `<sensor>` of a `<gazebo reference="link">` block.
#[derive(Debug, Clone, PartialEq)]
pub struct SensorBlock {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: SensorKind,
    /// The link it is mounted on.
    pub link: String,
    /// Its pose in the link: its own `<pose>`, SDF's default is the identity. A lidar or
    /// camera looks along x of that pose, with z up.
    pub pose: Isometry3<f64>,
    /// Its `<topic>`, if given.
    pub topic: Option<String>,
    /// Measurements per second of sim time; 0, SDF's default, is one every step.
    pub update_rate: f64,
    /// The frame its messages name: `<optical_frame_id>` of a camera, else
    /// `<gz_frame_id>` (`<ignition_frame_id>`), if given.
    pub frame: Option<String>,
    /// What a lidar measures; always there for [`SensorKind::Lidar`].
    pub lidar: Option<LidarBlock>,
    /// What a camera sees; always there for [`SensorKind::Camera`] and [`SensorKind::Depth`].
    pub camera: Option<CameraBlock>,
    /// The noise of an IMU; always there for [`SensorKind::Imu`].
    pub imu: Option<ImuNoise>,
}

/// The rays of a lidar in one direction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScanAxis {
    /// Number of rays: SDF defaults are 640 horizontally and 1 vertically.
    pub samples: u32,
    /// SDF multiplies `samples` with it to get the number of ranges; its default is 1.
    pub resolution: f64,
    /// Angle of the first ray in radians; SDF's default is 0.
    pub min_angle: f64,
    /// Angle of the last ray in radians; SDF's default is 0.
    pub max_angle: f64,
}

impl ScanAxis {
    /// Number of ranges: `samples` times `resolution`, rounded, at least 1. Gazebo
    /// interpolates or averages between `samples` rays; here each range is a ray.
    #[must_use]
    pub fn ranges(&self) -> u32 {
        // Parsing has made sure that the product fits.
        (f64::from(self.samples) * self.resolution).round().max(1.0) as u32
    }
}

/// The distances a lidar measures, in metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RangeBlock {
    /// Nearest; SDF's default is 0.
    pub min: f64,
    /// Farthest. SDF's default of 0 would be a blind sensor, so it must be given.
    pub max: f64,
    /// Steps in which a range is given; SDF's default is 0. Gazebo's `gpu_lidar` states
    /// it and does not quantise, and neither do the sensors here.
    pub resolution: f64,
}

/// The `<lidar>` or `<ray>` element.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LidarBlock {
    /// Rays within a ring.
    pub horizontal: ScanAxis,
    /// Rings.
    pub vertical: ScanAxis,
    /// Distances.
    pub range: RangeBlock,
    /// Noise of a range, m; SDF's defaults are 0.
    pub noise: Gaussian,
}

impl LidarBlock {
    /// What a lidar of this block measures: rays from the first angle to the last, both
    /// included, but for a full turn.
    ///
    /// # Errors
    /// When it has more than [`MAX_RAYS`] rays.
    pub fn spec(&self) -> Result<LidarSpec, SensorError> {
        let beams = self.horizontal.ranges() as usize;
        let rings = self.vertical.ranges() as usize;
        let rays = beams.saturating_mul(rings);
        if rays > MAX_RAYS {
            return Err(SensorError::TooManyRays(rays));
        }
        let angles =
            |axis: &ScanAxis, count| BeamAngles::spanning(axis.min_angle, axis.max_angle, count);
        let vertical = angles(&self.vertical, rings);
        Ok(LidarSpec {
            beams: angles(&self.horizontal, beams),
            elevations: (0..rings).map(|ring| vertical.angle(ring)).collect(),
            range_min: self.range.min,
            range_max: self.range.max,
            noise: self.noise,
        })
    }
}

/// The `<camera>` element.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CameraBlock {
    /// Pixels in a row; SDF's default is 320.
    pub width: u32,
    /// Rows; SDF's default is 240.
    pub height: u32,
    /// Angle between the left and the right edge of the picture in radians; SDF's
    /// default is 1.047.
    pub horizontal_fov: f64,
    /// Nearest depth along the optical axis in metres; SDF's default is 0.1. A depth
    /// camera's is that of its `<depth_camera>`, if it has one.
    pub clip_near: f64,
    /// Farthest depth along the optical axis in metres; SDF's default is 100, and 10
    /// within `<depth_camera><clip>`.
    pub clip_far: f64,
    /// Noise of a pixel, for a depth camera in metres.
    pub noise: Gaussian,
}

impl CameraBlock {
    /// What a depth camera of this block measures.
    #[must_use]
    pub fn depth_spec(&self) -> DepthSpec {
        DepthSpec {
            width: self.width as usize,
            height: self.height as usize,
            horizontal_fov: self.horizontal_fov,
            near: self.clip_near,
            far: self.clip_far,
            noise: self.noise,
        }
    }
}
