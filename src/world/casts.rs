//! Rays from robots into a world.

use super::rays::{Fan, RayHits, RayIndex, RayOrigin};
use super::world::{World, unknown};
use super::{BodyKey, Level, Pose2, WorldError};

/// Where on a robot a fan is cast from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScanMount {
    /// Planar pose of the fan's frame in the base frame.
    pub pose: Pose2,
    /// Height above the floor, m.
    pub height: f64,
}

impl World {
    /// Everything that rays can hit.
    #[must_use]
    pub fn rays(&self) -> &RayIndex {
        &self.rays
    }

    /// Whether a level has floor at a point; it has none inside a drop.
    #[must_use]
    pub fn has_floor_at(&self, point: [f64; 2], level: &Level) -> bool {
        !self.rays.is_over_drop(point, level)
    }

    /// Nearest hit of each beam of a level fan on a robot, m; infinite for none within
    /// `range_max`. The robot itself is not seen.
    ///
    /// # Errors
    /// An unknown name.
    pub fn scan(
        &self,
        robot: &str,
        mount: &ScanMount,
        fan: &Fan,
        range_max: f64,
    ) -> Result<Vec<f64>, WorldError> {
        let key = self.robot_key(robot)?;
        let mut ranges = Vec::new();
        self.scan_into(key, mount, fan, range_max, &mut ranges);
        Ok(ranges)
    }

    /// [`Self::scan`] into a buffer that is kept.
    pub(crate) fn scan_into(
        &self,
        robot: BodyKey,
        mount: &ScanMount,
        fan: &Fan,
        range_max: f64,
        ranges: &mut Vec<f64>,
    ) {
        if let Some(origin) = self.ray_origin(robot, mount) {
            self.rays
                .nearest(&origin, fan, range_max, Some(robot), ranges);
        }
    }

    /// Every hit of a fan on a robot with its heights, so that one cast yields a planar scan
    /// and every ring of a 3D lidar. The robot itself is not seen.
    ///
    /// # Errors
    /// An unknown name.
    pub fn cast(
        &self,
        robot: &str,
        mount: &ScanMount,
        fan: &Fan,
        range_max: f64,
    ) -> Result<RayHits, WorldError> {
        let key = self.robot_key(robot)?;
        let origin = self
            .ray_origin(key, mount)
            .ok_or_else(|| unknown("robot", robot))?;
        Ok(self.rays.cast(&origin, fan, range_max, Some(key)))
    }

    fn ray_origin(&self, robot: BodyKey, mount: &ScanMount) -> Option<RayOrigin> {
        let level = self.level_of(self.robots.get(&robot)?);
        Some(RayOrigin {
            pose: self.physics.pose(robot)?.compose(&mount.pose),
            z: level.floor + mount.height,
            level,
        })
    }
}
