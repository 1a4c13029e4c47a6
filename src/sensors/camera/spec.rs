//! What a camera is: size, lens and clip planes, and the CameraInfo that fits its pictures.

use super::super::SensorError;
use super::super::error::check;
use super::lens::Lens;

/// Most pixels along a side of a picture.
const MAX_SIDE: u32 = 4096;

/// Widest angle between the left and the right edge that a flat picture can show, rad:
/// beyond it all but a few pixels would show what is straight ahead.
const MAX_FOV: f64 = 3.12;

/// How wide a camera sees.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FieldOfView {
    /// Square pixels with the optical axis through the middle of the picture; the angle
    /// between its left and right edge, rad.
    Horizontal(f64),
    /// A calibration.
    Calibrated(Intrinsics),
}

/// Focal lengths and principal point in pixels. The centre of the first pixel of the first
/// row has the coordinates 0, 0, as in CameraInfo and OpenCV.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Intrinsics {
    /// Focal length along a row.
    pub fx: f64,
    /// Focal length along a column.
    pub fy: f64,
    /// Where in a row the optical axis is.
    pub cx: f64,
    /// In which row the optical axis is.
    pub cy: f64,
}

/// Distortion of Brown and Conrady, ROS's `plumb_bob`; all 0 is a pinhole.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Distortion {
    /// Radial, of r².
    pub k1: f64,
    /// Radial, of r⁴.
    pub k2: f64,
    /// Tangential.
    pub p1: f64,
    /// Tangential.
    pub p2: f64,
    /// Radial, of r⁶.
    pub k3: f64,
}

impl Distortion {
    /// Whether it distorts nothing.
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

/// What a camera sees.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CameraSpec {
    /// Pixels in a row, 1 to 4096.
    pub width: u32,
    /// Rows, 1 to 4096.
    pub height: u32,
    /// How wide it sees.
    pub view: FieldOfView,
    /// How its lens bends straight lines.
    pub distortion: Distortion,
    /// Depth along the optical axis below which nothing is seen, m. Below a millimetre it
    /// counts as a millimetre.
    pub near: f64,
    /// Depth along the optical axis beyond which nothing is seen, m.
    pub far: f64,
}

impl CameraSpec {
    /// A camera like the front camera of a Kachaka: the focal lengths and the principal
    /// point of one robot's calibration. That calibration's distortion is
    /// [`Self::KACHAKA_DISTORTION`] and not on here.
    #[must_use]
    pub fn kachaka_front() -> Self {
        Self {
            width: 1280,
            height: 720,
            view: FieldOfView::Calibrated(Intrinsics {
                fx: 507.2,
                fy: 503.6,
                cx: 627.9,
                cy: 322.0,
            }),
            distortion: Distortion::default(),
            near: 0.025,
            far: 100.0,
        }
    }

    /// The distortion that belongs to [`Self::kachaka_front`]. It holds up to some 51
    /// degrees off the axis, short of the picture's left and right edge; see [`Lens`].
    pub const KACHAKA_DISTORTION: Distortion = Distortion {
        k1: -0.287,
        k2: 0.115,
        p1: 0.0008,
        p2: 0.0,
        k3: -0.025,
    };

    /// A camera like the ToF camera of a Kachaka, from a community model.
    #[must_use]
    pub fn kachaka_tof() -> Self {
        Self {
            width: 160,
            height: 120,
            view: FieldOfView::Horizontal(1.047),
            distortion: Distortion::default(),
            near: 0.01,
            far: 5.0,
        }
    }

    /// Checks every number.
    ///
    /// # Errors
    /// The first field that is not finite or out of its range.
    pub fn check(&self) -> Result<(), SensorError> {
        for (field, size) in [("width", self.width), ("height", self.height)] {
            let fits = (1..=MAX_SIDE).contains(&size);
            check(field, f64::from(size), fits, "1 to 4096")?;
        }
        match self.view {
            FieldOfView::Horizontal(fov) => {
                let fits = fov > 0.0 && fov <= MAX_FOV;
                check("horizontal_fov", fov, fits, "above 0 and at most 3.12 rad")?;
            }
            FieldOfView::Calibrated(intrinsics) => self.check_intrinsics(&intrinsics)?,
        }
        let Distortion { k1, k2, p1, p2, k3 } = self.distortion;
        for (field, value) in [("k1", k1), ("k2", k2), ("p1", p1), ("p2", p2), ("k3", k3)] {
            check(field, value, value.abs() <= 10.0, "finite and within 10")?;
        }
        check("near", self.near, self.near >= 0.0, "finite and 0 or more")?;
        let far = self.far;
        let expected = "finite, above near and at least 0.001 m";
        check("far", far, far > self.near && far >= 0.001, expected)
    }

    fn check_intrinsics(&self, intrinsics: &Intrinsics) -> Result<(), SensorError> {
        let (width, height) = (f64::from(self.width), f64::from(self.height));
        for (field, focal, side) in [("fx", intrinsics.fx, width), ("fy", intrinsics.fy, height)] {
            // As wide as MAX_FOV and as narrow as the moon.
            let fits = focal >= 0.5 * side / libm::tan(0.5 * MAX_FOV) && focal <= 1e3 * side;
            let expected = "above a hundredth of the side in pixels and at most 1000 times it";
            check(field, focal, fits, expected)?;
        }
        for (field, centre, side) in [("cx", intrinsics.cx, width), ("cy", intrinsics.cy, height)] {
            let fits = centre.abs() <= 2.0 * side;
            check(field, centre, fits, "within twice the side in pixels")?;
        }
        Ok(())
    }

    /// Focal lengths and principal point.
    #[must_use]
    pub fn intrinsics(&self) -> Intrinsics {
        match self.view {
            FieldOfView::Calibrated(intrinsics) => intrinsics,
            FieldOfView::Horizontal(fov) => {
                let focal = 0.5 * f64::from(self.width) / libm::tan(0.5 * fov);
                Intrinsics {
                    fx: focal,
                    fy: focal,
                    // The middle between the centres of the first and the last pixel.
                    cx: 0.5 * (f64::from(self.width) - 1.0),
                    cy: 0.5 * (f64::from(self.height) - 1.0),
                }
            }
        }
    }

    /// Its lens.
    #[must_use]
    pub fn lens(&self) -> Lens {
        Lens::new(self.intrinsics(), self.distortion)
    }

    /// The nearest depth that is drawn, m.
    pub(super) fn nearest(&self) -> f64 {
        self.near.max(1e-3)
    }

    /// The numbers of sensor_msgs/CameraInfo.
    #[must_use]
    pub fn info(&self) -> CameraInfo {
        let Intrinsics { fx, fy, cx, cy } = self.intrinsics();
        let Distortion { k1, k2, p1, p2, k3 } = self.distortion;
        CameraInfo {
            width: self.width,
            height: self.height,
            distortion_model: "plumb_bob",
            d: [k1, k2, p1, p2, k3],
            k: [fx, 0.0, cx, 0.0, fy, cy, 0.0, 0.0, 1.0],
            r: [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
            p: [fx, 0.0, cx, 0.0, 0.0, fy, cy, 0.0, 0.0, 0.0, 1.0, 0.0],
        }
    }
}

/// What sensor_msgs/CameraInfo says of a camera that is not part of a stereo pair.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CameraInfo {
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Always `plumb_bob`.
    pub distortion_model: &'static str,
    /// Distortion: k1, k2, p1, p2, k3.
    pub d: [f64; 5],
    /// Intrinsic matrix, row by row.
    pub k: [f64; 9],
    /// Rectification, the identity.
    pub r: [f64; 9],
    /// Projection of the rectified picture, row by row: the intrinsic matrix again.
    pub p: [f64; 12],
}
