//! Lays the rays of a sensor, however it is tilted, onto one horizontal fan.

use nalgebra::{Isometry3, UnitQuaternion, Vector3};

use super::{SensorError, Surroundings};
use crate::world::rays::{Fan, Ray};

/// Most rays of one measurement.
pub const MAX_RAYS: usize = Fan::MAX_BEAMS;

/// A sensor counts as level when its z axis leans by less than this, rad: at 100 m a ray
/// is off by 0.1 micrometres.
const LEVEL_TOLERANCE: f64 = 1e-9;

/// A direction in the frame of a sensor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RayDirection {
    /// Angle about z from x, rad.
    pub azimuth: f64,
    /// Angle above the xy plane, rad.
    pub elevation: f64,
}

impl RayDirection {
    /// The unit vector in this direction.
    #[must_use]
    pub fn vector(&self) -> Vector3<f64> {
        let (sin_azimuth, cos_azimuth) = libm::sincos(self.azimuth);
        let (sin, cos) = libm::sincos(self.elevation);
        Vector3::new(cos * cos_azimuth, cos * sin_azimuth, sin)
    }
}

/// The rays of a sensor over one fan of beams in the base frame.
#[derive(Debug, Clone)]
pub struct RayPlan {
    fan: Fan,
    rays: Vec<Ray>,
    is_planar: bool,
}

impl RayPlan {
    /// Plans for a sensor of this orientation in the base frame. Rays above each other
    /// share a beam, so a level lidar with rings has as many beams as a ring.
    ///
    /// # Errors
    /// When there are no rays or more than [`MAX_RAYS`], or an angle is not finite.
    pub fn new(
        orientation: &UnitQuaternion<f64>,
        directions: &[RayDirection],
    ) -> Result<Self, SensorError> {
        if directions.len() > MAX_RAYS {
            return Err(SensorError::TooManyRays(directions.len()));
        }
        let up = orientation * Vector3::z();
        let is_level = libm::hypot(up.x, up.y) < LEVEL_TOLERANCE && up.z > 0.0;
        let placed: Vec<(f64, f64, f64)> = if is_level {
            let forward = orientation * Vector3::x();
            let yaw = libm::atan2(forward.y, forward.x);
            let place = |ray: &RayDirection| {
                // Exactly one azimuth for all rings.
                let (sin, cos) = libm::sincos(ray.elevation);
                (yaw + ray.azimuth, cos, sin)
            };
            directions.iter().map(place).collect()
        } else {
            let place = |ray: &RayDirection| {
                let v = orientation * ray.vector();
                (libm::atan2(v.y, v.x), libm::hypot(v.x, v.y), v.z)
            };
            directions.iter().map(place).collect()
        };
        let mut azimuths: Vec<f64> = placed.iter().map(|ray| ray.0).collect();
        azimuths.sort_unstable_by(f64::total_cmp);
        azimuths.dedup_by(|a, b| a.total_cmp(b).is_eq());
        let beam_of = |azimuth: f64| {
            // Found: it is where the list was made from.
            azimuths.partition_point(|other| other.total_cmp(&azimuth).is_lt())
        };
        let rays = (placed.iter())
            .map(|&(azimuth, horizontal, vertical)| Ray {
                beam: beam_of(azimuth),
                horizontal,
                vertical,
            })
            .collect();
        Ok(Self {
            rays,
            is_planar: is_level && directions.iter().all(|ray| ray.elevation == 0.0),
            fan: Fan::from_azimuths(azimuths)?,
        })
    }

    /// The beams, in the base frame.
    #[must_use]
    pub fn fan(&self) -> &Fan {
        &self.fan
    }

    /// The rays, in the order of the directions.
    #[must_use]
    pub fn rays(&self) -> &[Ray] {
        &self.rays
    }

    /// Distance along each ray to what it meets first, m; infinite where there is nothing
    /// up to a horizontal distance of `range_max`. `sensor` is the pose in the base frame.
    #[must_use]
    pub fn ranges(
        &self,
        surroundings: &Surroundings<'_>,
        sensor: &Isometry3<f64>,
        range_max: f64,
    ) -> Vec<f64> {
        let origin = surroundings.origin(sensor);
        let (index, own) = (surroundings.rays, surroundings.own);
        if self.is_planar {
            let mut nearest = Vec::new();
            index.nearest(&origin, &self.fan, range_max, own, &mut nearest);
            self.rays.iter().map(|ray| nearest[ray.beam]).collect()
        } else {
            index
                .cast(&origin, &self.fan, range_max, own)
                .take(&self.rays)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_4;

    use super::*;

    fn turned(roll: f64, pitch: f64, yaw: f64) -> UnitQuaternion<f64> {
        UnitQuaternion::from_euler_angles(roll, pitch, yaw)
    }

    fn direction(azimuth: f64, elevation: f64) -> RayDirection {
        RayDirection { azimuth, elevation }
    }

    #[test]
    fn rings_of_a_level_sensor_share_their_beams() {
        let directions: Vec<RayDirection> = [-0.2, 0.0, 0.2]
            .into_iter()
            .flat_map(|elevation| (0..4).map(move |i| direction(0.1 * f64::from(i), elevation)))
            .collect();
        let plan = RayPlan::new(&turned(0.0, 0.0, 0.3), &directions).unwrap();
        assert_eq!(plan.fan().len(), 4, "{:?}", plan.fan().azimuths());
        for (ray, wanted) in plan.rays().iter().zip(&directions) {
            let azimuth = plan.fan().azimuth(ray.beam).unwrap();
            assert!((azimuth - 0.3 - wanted.azimuth).abs() < 1e-15, "{azimuth}");
            assert!(
                (ray.vertical - wanted.elevation.sin()).abs() < 1e-15,
                "{ray:?}"
            );
        }
        assert!(!plan.is_planar);
    }

    #[test]
    fn a_pitched_sensor_looks_down_ahead_and_level_aside() {
        // Positive pitch turns x downwards.
        let directions = [
            direction(0.0, 0.0),
            direction(std::f64::consts::FRAC_PI_2, 0.0),
        ];
        let plan = RayPlan::new(&turned(0.0, FRAC_PI_4, 0.0), &directions).unwrap();
        let [ahead, left] = plan.rays() else {
            panic!("{:?}", plan.rays());
        };
        assert!(
            (ahead.vertical + FRAC_PI_4.sin()).abs() < 1e-15,
            "{ahead:?}"
        );
        assert!(
            (ahead.horizontal - FRAC_PI_4.cos()).abs() < 1e-15,
            "{ahead:?}"
        );
        assert!(left.vertical.abs() < 1e-15, "{left:?}");
        assert!((left.horizontal - 1.0).abs() < 1e-15, "{left:?}");
    }

    #[test]
    fn an_upside_down_sensor_turns_clockwise() {
        let plan = RayPlan::new(
            &turned(std::f64::consts::PI, 0.0, 0.0),
            &[direction(0.5, 0.0)],
        );
        let azimuth = plan.unwrap().fan().azimuths()[0];
        assert!((azimuth + 0.5).abs() < 1e-12, "{azimuth}");
    }

    #[test]
    fn too_many_rays_are_refused() {
        let rays = vec![direction(0.0, 0.0); MAX_RAYS + 1];
        let error = RayPlan::new(&turned(0.0, 0.0, 0.0), &rays).unwrap_err();
        assert_eq!(error, SensorError::TooManyRays(1_000_001));
        assert!(RayPlan::new(&turned(0.0, 0.0, 0.0), &[]).is_err());
        let nan = [direction(f64::NAN, 0.0)];
        assert!(RayPlan::new(&turned(0.0, 0.0, 0.0), &nan).is_err());
    }
}
