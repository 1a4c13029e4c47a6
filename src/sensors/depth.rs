//! Depth cameras, as point clouds.

use std::f64::consts::PI;

use nalgebra::Vector3;

use super::error::check;
use super::sample::{NO_POINT, reported};
use super::{
    Gaussian, MAX_RAYS, Mount, PointCloudSample, RayDirection, RayPlan, SensorError, StepNoise,
    Surroundings,
};

/// What a depth camera measures: a pinhole camera with square pixels and the optical axis
/// through the middle of the picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DepthSpec {
    /// Pixels in a line.
    pub width: usize,
    /// Lines.
    pub height: usize,
    /// Angle between the left and the right edge of the picture, rad, below pi.
    pub horizontal_fov: f64,
    /// Nearest depth along the optical axis, m.
    pub near: f64,
    /// Farthest depth along the optical axis, m.
    pub far: f64,
    /// Noise of a depth, m.
    pub noise: Gaussian,
}

impl DepthSpec {
    /// Checks every number.
    ///
    /// # Errors
    /// When a number is not finite or out of its range, or there are too many pixels.
    pub fn validate(&self) -> Result<(), SensorError> {
        let (width, height) = (self.width, self.height);
        check("width", width as f64, width > 0, "at least 1")?;
        check("height", height as f64, height > 0, "at least 1")?;
        let pixels = width.saturating_mul(height);
        if pixels > MAX_RAYS {
            return Err(SensorError::TooManyRays(pixels));
        }
        let fov = self.horizontal_fov;
        let expected = "above 0 and below pi";
        check("horizontal_fov", fov, fov > 0.0 && fov < PI, expected)?;
        check("near", self.near, self.near >= 0.0, "finite and 0 or more")?;
        let far = self.far;
        check("far", far, far > self.near, "finite and above near")?;
        check("noise mean", self.noise.mean, true, "finite")?;
        let stddev = self.noise.stddev;
        check(
            "noise_stddev",
            stddev,
            stddev >= 0.0,
            "finite and 0 or more",
        )
    }

    /// The ray of each pixel's centre, line by line from the top left, in the sensor frame:
    /// x along the optical axis with length 1, y left, z up.
    fn pixels(&self) -> Vec<Vector3<f64>> {
        let (width, height) = (self.width as f64, self.height as f64);
        let focal = 0.5 * width / libm::tan(0.5 * self.horizontal_fov);
        let mut pixels = Vec::with_capacity(self.width * self.height);
        for line in 0..self.height {
            let up = (0.5 * height - (line as f64 + 0.5)) / focal;
            for pixel in 0..self.width {
                let left = (0.5 * width - (pixel as f64 + 0.5)) / focal;
                pixels.push(Vector3::new(1.0, left, up));
            }
        }
        pixels
    }
}

/// A depth camera on a robot.
///
/// Its points are in the frame that its messages name: one with an optical frame has z
/// along the view, x right and y down.
#[derive(Debug, Clone)]
pub struct DepthCamera {
    spec: DepthSpec,
    mount: Mount,
    plan: RayPlan,
    /// What a depth of 1 m means for each pixel, in the frame of the messages.
    directions: Vec<Vector3<f64>>,
    /// Distance along the ray per depth, for each pixel.
    lengths: Vec<f64>,
    /// The sensor in the frame of the messages.
    position: Vector3<f64>,
}

impl DepthCamera {
    /// A depth camera.
    ///
    /// # Errors
    /// As [`DepthSpec::validate`].
    pub fn new(spec: DepthSpec, mount: Mount) -> Result<Self, SensorError> {
        spec.validate()?;
        let pixels = spec.pixels();
        let rays: Vec<RayDirection> = (pixels.iter())
            .map(|pixel| RayDirection {
                azimuth: libm::atan2(pixel.y, pixel.x),
                elevation: libm::atan2(pixel.z, libm::hypot(pixel.x, pixel.y)),
            })
            .collect();
        let sensor = mount.sensor_in_frame();
        Ok(Self {
            spec,
            plan: RayPlan::new(&mount.sensor.rotation, &rays)?,
            mount,
            lengths: pixels.iter().map(Vector3::norm).collect(),
            directions: (pixels.iter())
                .map(|pixel| sensor.rotation * pixel)
                .collect(),
            position: sensor.translation.vector,
        })
    }

    /// What it measures.
    #[must_use]
    pub fn spec(&self) -> &DepthSpec {
        &self.spec
    }

    /// The point cloud of now, a row per line of the picture. What lies outside the clip
    /// planes, by its depth along the optical axis, is missing.
    #[must_use]
    pub fn cloud(&self, surroundings: &Surroundings<'_>, noise: &StepNoise) -> PointCloudSample {
        let spec = &self.spec;
        let longest = self.lengths.iter().copied().fold(1.0, f64::max);
        let ranges = self
            .plan
            .ranges(surroundings, &self.mount.sensor, spec.far * longest);
        let point = |(pixel, range): (usize, &f64)| {
            let depth = range / self.lengths[pixel];
            if depth > spec.far {
                return NO_POINT;
            }
            let error = noise.gaussian(pixel as u64, &spec.noise);
            let depth = reported(depth, error, spec.near, spec.far);
            if !depth.is_finite() {
                return NO_POINT;
            }
            let point = self.position + depth * self.directions[pixel];
            [point.x as f32, point.y as f32, point.z as f32]
        };
        PointCloudSample {
            width: spec.width,
            height: spec.height,
            points: ranges.iter().enumerate().map(point).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use nalgebra::{Isometry3, Translation3, UnitQuaternion};

    use super::*;
    use crate::sensors::NoiseKey;
    use crate::world::rays::RayIndex;
    use crate::world::{BodyKey, Level, PlanarShape, Pose2, ZExtent};

    const ROOM: Level = Level {
        floor: 0.0,
        ceiling: f64::INFINITY,
    };

    fn spec(width: usize, height: usize) -> DepthSpec {
        DepthSpec {
            width,
            height,
            horizontal_fov: FRAC_PI_2,
            near: 0.1,
            far: 5.0,
            noise: Gaussian::default(),
        }
    }

    fn pose(z: f64, roll: f64, pitch: f64, yaw: f64) -> Isometry3<f64> {
        Isometry3::from_parts(
            Translation3::new(0.2, 0.0, z),
            UnitQuaternion::from_euler_angles(roll, pitch, yaw),
        )
    }

    /// A wall across the view whose near face is `x` metres ahead of the base.
    fn wall(x: f64) -> RayIndex {
        let mut rays = RayIndex::new();
        let shape = PlanarShape::rectangle(0.2, 40.0);
        rays.insert(
            BodyKey(1),
            shape,
            Pose2::new(x + 0.1, 0.0, 0.0),
            ZExtent::new(0.0, 30.0),
        );
        rays
    }

    fn cloud(camera: &DepthCamera, rays: &RayIndex) -> PointCloudSample {
        let surroundings = Surroundings {
            rays,
            base: Pose2::default(),
            level: ROOM,
            own: None,
        };
        camera.cloud(&surroundings, &NoiseKey::new(0, "r", "s").at(1))
    }

    fn close(point: [f32; 3], expected: [f64; 3]) {
        for (found, wanted) in point.into_iter().zip(expected) {
            let apart = (f64::from(found) - wanted).abs();
            assert!(apart < 1e-6, "{point:?} for {expected:?}");
        }
    }

    #[test]
    fn a_wall_across_the_view_has_one_depth() {
        // 90 degrees over 4 pixels: focal length 2 pixels, pixel centres at 0.75 and 0.25
        // per metre of depth. The wall is 2 m ahead of the sensor at x = 0.2.
        let camera = DepthCamera::new(spec(4, 2), Mount::at(pose(1.0, 0.0, 0.0, 0.0))).unwrap();
        let cloud = cloud(&camera, &wall(2.2));
        assert_eq!((cloud.width, cloud.height, cloud.points.len()), (4, 2, 8));
        close(cloud.points[0], [2.0, 1.5, 0.5]);
        close(cloud.points[1], [2.0, 0.5, 0.5]);
        close(cloud.points[3], [2.0, -1.5, 0.5]);
        close(cloud.points[7], [2.0, -1.5, -0.5]);
    }

    #[test]
    fn points_are_in_the_frame_that_the_messages_name() {
        let sensor = pose(1.0, 0.0, 0.0, 0.0);
        let mount = Mount {
            sensor,
            frame: sensor * pose(0.0, -FRAC_PI_2, 0.0, -FRAC_PI_2),
        };
        // The optical frame also stands 0.2 m ahead of the sensor.
        let camera = DepthCamera::new(spec(4, 2), mount).unwrap();
        close(cloud(&camera, &wall(2.2)).points[0], [-1.5, -0.5, 1.8]);
    }

    #[test]
    fn the_clip_planes_cut_by_depth_not_by_distance() {
        let mount = Mount::at(pose(1.0, 0.0, 0.0, 0.0));
        let mut spec = spec(4, 2);
        spec.far = 2.0 + 1e-9;
        let camera = DepthCamera::new(spec, mount).unwrap();
        // The corners are 2.5 m away, their depth is 2 m.
        let found = cloud(&camera, &wall(2.2));
        assert!(found.points.iter().all(|p| p[0].is_finite()), "{found:?}");
        let beyond = cloud(&camera, &wall(2.21));
        assert!(
            beyond.points.iter().flatten().all(|x| x.is_nan()),
            "{beyond:?}"
        );
        spec.near = 1.0;
        let camera = DepthCamera::new(spec, mount).unwrap();
        let too_near = cloud(&camera, &wall(1.19));
        assert!(
            too_near.points.iter().flatten().all(|x| x.is_nan()),
            "{too_near:?}"
        );
    }

    #[test]
    fn a_camera_that_looks_down_sees_the_floor() {
        // One pixel, pitched by 30 degrees, 1 m above the floor: 2 m away.
        let mount = Mount::at(pose(1.0, 0.0, PI / 6.0, 0.7));
        let camera = DepthCamera::new(spec(1, 1), mount).unwrap();
        close(cloud(&camera, &RayIndex::new()).points[0], [2.0, 0.0, 0.0]);
        let up = Mount::at(pose(1.0, 0.0, -PI / 6.0, 0.7));
        let camera = DepthCamera::new(spec(1, 1), up).unwrap();
        assert!(cloud(&camera, &RayIndex::new()).points[0][0].is_nan());
    }

    #[test]
    fn noise_is_along_the_optical_axis_and_on_hits_only() {
        let mut noisy = spec(100, 100);
        noisy.noise.stddev = 0.02;
        let camera = DepthCamera::new(noisy, Mount::at(pose(15.0, 0.0, 0.0, 0.0))).unwrap();
        let cloud_of_wall = cloud(&camera, &wall(2.2));
        let depths: Vec<f64> = cloud_of_wall
            .points
            .iter()
            .map(|p| f64::from(p[0]))
            .collect();
        let count = depths.len() as f64;
        let mean = depths.iter().sum::<f64>() / count;
        let variance = depths.iter().map(|d| (d - mean) * (d - mean)).sum::<f64>() / count;
        // Four standard errors of ten thousand numbers.
        assert!((mean - 2.0).abs() < 0.02 * 0.04, "{mean}");
        assert!(
            (variance.sqrt() - 0.02).abs() < 0.02 * 0.03,
            "{}",
            variance.sqrt()
        );
        let empty = cloud(&camera, &RayIndex::new());
        assert!(empty.points.iter().flatten().all(|x| x.is_nan()));
    }

    type Spoil = fn(&mut DepthSpec);

    #[test]
    fn numbers_that_make_no_camera_are_refused() {
        let cases: [(&str, Spoil); 7] = [
            ("width is 0", |s| s.width = 0),
            ("1002000 rays", |s| (s.width, s.height) = (1000, 1002)),
            ("horizontal_fov is 3.2", |s| s.horizontal_fov = 3.2),
            ("horizontal_fov is NaN", |s| s.horizontal_fov = f64::NAN),
            ("near is -1", |s| s.near = -1.0),
            ("far is 0.1", |s| s.far = 0.1),
            ("noise_stddev is -1", |s| s.noise.stddev = -1.0),
        ];
        for (expected, spoil) in cases {
            let mut bad = spec(4, 3);
            spoil(&mut bad);
            let mount = Mount::at(Isometry3::identity());
            let error = DepthCamera::new(bad, mount).unwrap_err().to_string();
            assert!(error.contains(expected), "{expected:?} in {error:?}");
        }
    }
}
