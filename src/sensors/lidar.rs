//! Lidars: planar scans and rings of them.

use std::f64::consts::TAU;

use nalgebra::Vector3;

use super::error::check;
use super::sample::{NO_POINT, reported};
use super::{
    Gaussian, LaserSample, MAX_RAYS, Mount, PointCloudSample, RayDirection, RayPlan, SensorError,
    StepNoise, Surroundings,
};

/// The angles of the beams in a ring: beam `i` points at `min + i * increment`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BeamAngles {
    /// Angle of the first beam, rad.
    pub min: f64,
    /// Angle between beams, rad; negative for a ring that turns clockwise.
    pub increment: f64,
    /// Number of beams.
    pub beams: usize,
}

impl BeamAngles {
    /// Beams from one angle to another, both included.
    ///
    /// A full turn, whose last beam would lie less than half an increment from the first,
    /// is divided evenly instead, so that no direction is there twice.
    #[must_use]
    pub fn spanning(min: f64, max: f64, beams: usize) -> Self {
        let increment = match beams {
            0 | 1 => 0.0,
            _ => (max - min) / (beams - 1) as f64,
        };
        let is_full_turn = (max - min - TAU).abs() < 0.5 * increment;
        Self {
            min,
            increment: if is_full_turn {
                TAU / beams as f64
            } else {
                increment
            },
            beams,
        }
    }

    /// Angle of a beam, rad.
    #[must_use]
    pub fn angle(&self, beam: usize) -> f64 {
        self.min + beam as f64 * self.increment
    }
}

/// What a lidar measures.
#[derive(Debug, Clone, PartialEq)]
pub struct LidarSpec {
    /// The beams of each ring.
    pub beams: BeamAngles,
    /// Angle of each ring above the xy plane of the sensor, rad, from the lowest up.
    pub elevations: Vec<f64>,
    /// Nearest distance, m.
    pub range_min: f64,
    /// Farthest distance, m.
    pub range_max: f64,
    /// Noise of a distance, m.
    pub noise: Gaussian,
}

impl LidarSpec {
    /// Checks every number.
    ///
    /// # Errors
    /// When a number is not finite or out of its range, or there are too many rays.
    pub fn validate(&self) -> Result<(), SensorError> {
        let BeamAngles {
            min,
            increment,
            beams,
        } = self.beams;
        let rings = self.elevations.len();
        check("beams", beams as f64, beams > 0, "at least 1")?;
        check("rings", rings as f64, rings > 0, "at least 1")?;
        let rays = beams.saturating_mul(rings);
        if rays > MAX_RAYS {
            return Err(SensorError::TooManyRays(rays));
        }
        check("angle_min", min, true, "finite")?;
        let turns = beams == 1 || increment != 0.0;
        check("angle_increment", increment, turns, "finite and not 0")?;
        for elevation in &self.elevations {
            check("elevation", *elevation, true, "finite")?;
        }
        let near = self.range_min;
        check("range_min", near, near >= 0.0, "finite and 0 or more")?;
        let far = self.range_max;
        check("range_max", far, far > near, "finite and above range_min")?;
        check("noise mean", self.noise.mean, true, "finite")?;
        let stddev = self.noise.stddev;
        check(
            "noise_stddev",
            stddev,
            stddev >= 0.0,
            "finite and 0 or more",
        )
    }
}

/// A ring that leans less than this out of the sensor's plane lies in it, rad: a division
/// of the angles rarely gives an exact 0.
const PLANE_TOLERANCE: f64 = 1e-9;

/// A lidar on a robot.
///
/// Its scan is the slice in the sensor's own xy plane, whatever rings it has. Rays leave
/// along the full orientation of the sensor, so a pitched one sees the floor.
#[derive(Debug, Clone)]
pub struct Lidar {
    spec: LidarSpec,
    mount: Mount,
    plan: RayPlan,
    /// The cloud, if one is wanted.
    cloud: Option<CloudLayout>,
}

#[derive(Debug, Clone)]
struct CloudLayout {
    /// Index of the first ray of each ring.
    rows: Vec<usize>,
    /// Direction of each ray in the frame of the messages.
    directions: Vec<Vector3<f64>>,
    /// The sensor in that frame.
    position: Vector3<f64>,
}

/// One measurement of all rays of a lidar, which its scan and its cloud are taken from.
#[derive(Debug, Clone, PartialEq)]
pub struct LidarCast {
    /// Noise included, infinite and minus infinite as in a scan.
    ranges: Vec<f64>,
}

impl Lidar {
    /// A lidar that gives scans and, `with_cloud`, point clouds.
    ///
    /// # Errors
    /// As [`LidarSpec::validate`].
    pub fn new(spec: LidarSpec, mount: Mount, with_cloud: bool) -> Result<Self, SensorError> {
        spec.validate()?;
        // The slice for the scan comes first, so that its beams have the same noise with a
        // cloud and without.
        let mut directions = ring(&spec.beams, 0.0);
        let mut rows = Vec::new();
        if with_cloud {
            for &elevation in &spec.elevations {
                if elevation.abs() < PLANE_TOLERANCE {
                    rows.push(0);
                } else {
                    rows.push(directions.len());
                    directions.extend(ring(&spec.beams, elevation));
                }
            }
        }
        let cloud = with_cloud.then(|| {
            let sensor = mount.sensor_in_frame();
            CloudLayout {
                rows,
                directions: (directions.iter())
                    .map(|ray| sensor.rotation * ray.vector())
                    .collect(),
                position: sensor.translation.vector,
            }
        });
        Ok(Self {
            plan: RayPlan::new(&mount.sensor.rotation, &directions)?,
            spec,
            mount,
            cloud,
        })
    }

    /// What it measures.
    #[must_use]
    pub fn spec(&self) -> &LidarSpec {
        &self.spec
    }

    /// Casts all rays once.
    #[must_use]
    pub fn cast(&self, surroundings: &Surroundings<'_>, noise: &StepNoise) -> LidarCast {
        let spec = &self.spec;
        let (min, max) = (spec.range_min, spec.range_max);
        let mut ranges = self.plan.ranges(surroundings, &self.mount.sensor, max);
        let has_noise = !spec.noise.is_none();
        for (ray, range) in ranges.iter_mut().enumerate() {
            let error = if has_noise && *range <= max {
                noise.gaussian(ray as u64, &spec.noise)
            } else {
                0.0
            };
            *range = reported(*range, error, min, max);
        }
        LidarCast { ranges }
    }

    /// The scan of a cast; `scan_time` is the time between scans in seconds.
    #[must_use]
    pub fn scan(&self, cast: &LidarCast, scan_time: f64) -> LaserSample {
        let beams = self.spec.beams;
        LaserSample {
            angle_min: beams.min,
            angle_max: beams.angle(beams.beams - 1),
            angle_increment: beams.increment,
            range_min: self.spec.range_min,
            range_max: self.spec.range_max,
            scan_time,
            ranges: (cast.ranges.iter().take(beams.beams))
                .map(|&range| range as f32)
                .collect(),
        }
    }

    /// The point cloud of a cast, a row per ring; `None` for a lidar made without one.
    #[must_use]
    pub fn cloud(&self, cast: &LidarCast) -> Option<PointCloudSample> {
        let layout = self.cloud.as_ref()?;
        let width = self.spec.beams.beams;
        let mut points = Vec::with_capacity(width * layout.rows.len());
        for &first in &layout.rows {
            for ray in first..first + width {
                let range = cast.ranges[ray];
                points.push(if range.is_finite() {
                    let point = layout.position + range * layout.directions[ray];
                    [point.x as f32, point.y as f32, point.z as f32]
                } else {
                    NO_POINT
                });
            }
        }
        Some(PointCloudSample {
            width,
            height: layout.rows.len(),
            points,
        })
    }
}

fn ring(beams: &BeamAngles, elevation: f64) -> Vec<RayDirection> {
    (0..beams.beams)
        .map(|beam| RayDirection {
            azimuth: beams.angle(beam),
            elevation,
        })
        .collect()
}

#[cfg(test)]
mod tests;
