//! Where a sensor sits and what it can see from there.

use nalgebra::Isometry3;

use crate::world::rays::{RayIndex, RayOrigin};
use crate::world::{BodyKey, Level, Pose2};

/// The pose of a sensor and of the frame that its messages name, both in the base frame.
/// A sensor looks along x of its own pose, with z up; in the frame of its messages its
/// points may have other axes, such as those of an optical frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mount {
    /// The sensor in the base frame.
    pub sensor: Isometry3<f64>,
    /// The frame of its messages in the base frame.
    pub frame: Isometry3<f64>,
}

impl Mount {
    /// A sensor whose messages name its own frame.
    #[must_use]
    pub fn at(sensor: Isometry3<f64>) -> Self {
        Self {
            sensor,
            frame: sensor,
        }
    }

    /// The pose of the sensor in the frame of its messages.
    pub(super) fn sensor_in_frame(&self) -> Isometry3<f64> {
        if self.frame == self.sensor {
            // Exactly, not but for rounding.
            return Isometry3::identity();
        }
        self.frame.inverse() * self.sensor
    }
}

/// What a robot's sensors see at one moment.
#[derive(Debug, Clone, Copy)]
pub struct Surroundings<'a> {
    /// Everything that rays can hit.
    pub rays: &'a RayIndex,
    /// The robot's base in the world.
    pub base: Pose2,
    /// The storey it stands on.
    pub level: Level,
    /// The robot's own body, which its sensors do not see.
    pub own: Option<BodyKey>,
}

impl Surroundings<'_> {
    /// Where rays leave from for a sensor at this pose in the base frame; the fan turns
    /// with the base.
    pub(super) fn origin(&self, sensor: &Isometry3<f64>) -> RayOrigin {
        let at = sensor.translation.vector;
        RayOrigin {
            pose: self.base.compose(&Pose2::new(at.x, at.y, 0.0)),
            z: self.level.floor + at.z,
            level: self.level,
        }
    }
}
