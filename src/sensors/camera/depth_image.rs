//! Depth images as a ToF camera gives them.

use super::super::error::check;
use super::super::{Gaussian, SensorError, StepNoise};
use super::frame::Frame;
use super::spec::CameraSpec;

/// How a depth camera errs: a normal error whose standard deviation grows with the depth.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct DepthNoise {
    /// Mean, and standard deviation at depth 0, m.
    pub base: Gaussian,
    /// Growth of the standard deviation, m per m of depth.
    pub per_metre: f64,
}

impl DepthNoise {
    /// Noise of the kind that ToF sensors of this class have; an estimate, as nothing is
    /// published about the Kachaka's.
    pub const KACHAKA_TOF: Self = Self {
        base: Gaussian {
            mean: 0.0,
            stddev: 0.003,
        },
        per_metre: 0.005,
    };

    /// Checks every number.
    ///
    /// # Errors
    /// When a number is not finite or negative where it must not be.
    pub fn check(&self) -> Result<(), SensorError> {
        check("noise mean", self.base.mean, true, "finite")?;
        let expected = "finite and 0 or more";
        let (stddev, growth) = (self.base.stddev, self.per_metre);
        check("noise_stddev", stddev, stddev >= 0.0, expected)?;
        check("noise_per_metre", growth, growth >= 0.0, expected)
    }

    fn is_none(&self) -> bool {
        self.base.is_none() && self.per_metre == 0.0
    }
}

/// A depth image: `16UC1`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DepthImage {
    /// Pixels in a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Depth along the optical axis, mm, row by row from the top left; 0 where nothing was
    /// measured.
    pub millimetres: Vec<u16>,
}

impl DepthImage {
    /// The encoding of sensor_msgs/Image.
    pub const ENCODING: &'static str = "16UC1";

    /// The depth image of a frame that has depth. What lies outside the camera's clip
    /// planes, with its noise or without, is missing.
    #[must_use]
    pub fn of(frame: &Frame, spec: &CameraSpec, errors: &DepthNoise, noise: &StepNoise) -> Self {
        let (near, far) = (spec.near, spec.far);
        let is_exact = errors.is_none();
        let measure = |(pixel, &depth): (usize, &f32)| {
            let exact = f64::from(depth);
            if !(near..=far).contains(&exact) {
                return 0;
            }
            let error = if is_exact {
                0.0
            } else {
                let stddev = errors.base.stddev + errors.per_metre * exact;
                errors.base.mean + stddev * noise.normal(pixel as u64)
            };
            let measured = exact + error;
            if (near..=far).contains(&measured) {
                // Saturates at 65.535 m.
                (1000.0 * measured + 0.5) as u16
            } else {
                0
            }
        };
        Self {
            width: frame.width,
            height: frame.height,
            millimetres: frame.depth.iter().enumerate().map(measure).collect(),
        }
    }

    /// The data of sensor_msgs/Image: little-endian, without gaps between rows.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        (self.millimetres.iter())
            .flat_map(|depth| depth.to_le_bytes())
            .collect()
    }
}
