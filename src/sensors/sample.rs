//! Measurements as plain data, with the numbers a message needs.

/// A planar scan. Beam `i` points at `angle_min + i * angle_increment` in the frame of the
/// sensor. All beams are of one moment, so there is no time between them.
#[derive(Debug, Clone, PartialEq)]
pub struct LaserSample {
    /// Angle of the first beam, rad.
    pub angle_min: f64,
    /// Angle of the last beam, rad.
    pub angle_max: f64,
    /// Angle between beams, rad.
    pub angle_increment: f64,
    /// Nearest distance the sensor measures, m.
    pub range_min: f64,
    /// Farthest distance the sensor measures, m; the same in every scan.
    pub range_max: f64,
    /// Time between scans, s.
    pub scan_time: f64,
    /// Metres; infinite for a miss, minus infinite for a hit nearer than `range_min`.
    pub ranges: Vec<f32>,
}

/// A cloud of points in rows, in the frame of the sensor's messages.
#[derive(Debug, Clone, PartialEq)]
pub struct PointCloudSample {
    /// Points in a row: the beams of a ring or the pixels of a line.
    pub width: usize,
    /// Rows: the rings of a lidar from its lowest angle up, or the lines of a picture from
    /// its top down.
    pub height: usize,
    /// Metres, row by row; NaN where nothing was measured, so the cloud is not dense.
    pub points: Vec<[f32; 3]>,
}

/// What stands in a cloud where nothing was measured.
pub(super) const NO_POINT: [f32; 3] = [f32::NAN; 3];

/// A distance with noise as a sensor reports it that measures from `min` to `max`: infinite
/// for a miss, minus infinite for what is too near. Only a hit has noise, and a result
/// outside the range is no measurement.
pub(super) fn reported(distance: f64, noise: f64, min: f64, max: f64) -> f64 {
    if distance > max {
        f64::INFINITY
    } else if distance < min {
        f64::NEG_INFINITY
    } else if distance + noise > max {
        f64::INFINITY
    } else if distance + noise < min {
        f64::NEG_INFINITY
    } else {
        distance + noise
    }
}
