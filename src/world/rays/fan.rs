//! Beam directions, sorted round the circle for look-up by angle.

use std::ops::Range;

/// A set of ray directions in the frame it is cast from.
#[derive(Debug, Clone)]
pub struct Fan {
    azimuths: Vec<f64>,
    /// Cosine and sine of each beam, in the order of [`turn`]: "positions" below.
    cos: Vec<f64>,
    sin: Vec<f64>,
    /// The beam at each position.
    beams: Vec<u32>,
    /// Position of the first beam at or above each bucket; an empty bucket at either end
    /// takes what lies outside the fan.
    bucket_starts: Vec<u32>,
    first_turn: f64,
    buckets_per_turn: f64,
}

/// Directions that make no fan.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum FanError {
    /// No beams, or more than [`Fan::MAX_BEAMS`].
    #[error("fan has {0} beams, allowed is 1 to {max}", max = Fan::MAX_BEAMS)]
    Beams(usize),
    /// A beam whose azimuth is not finite.
    #[error("azimuth of beam {0} is not finite")]
    Azimuth(usize),
}

impl Fan {
    /// Largest number of beams.
    pub const MAX_BEAMS: usize = 1_000_000;

    /// Beams at `angle_min + i * angle_increment`, radians. The increment may be negative
    /// and the span may exceed a full turn.
    ///
    /// # Errors
    /// When there are no beams or more than [`Self::MAX_BEAMS`], or an angle is not finite.
    pub fn uniform(angle_min: f64, angle_increment: f64, beams: usize) -> Result<Self, FanError> {
        // Before the table is allocated.
        check_count(beams)?;
        Self::from_azimuths(
            (0..beams)
                .map(|i| angle_min + i as f64 * angle_increment)
                .collect(),
        )
    }

    /// Beams at any angles in any order, radians.
    ///
    /// # Errors
    /// When there are no beams or more than [`Self::MAX_BEAMS`], or an angle is not finite.
    pub fn from_azimuths(azimuths: Vec<f64>) -> Result<Self, FanError> {
        check_count(azimuths.len())?;
        if let Some(bad) = azimuths.iter().position(|azimuth| !azimuth.is_finite()) {
            return Err(FanError::Azimuth(bad));
        }
        let mut sorted: Vec<Direction> = azimuths
            .iter()
            .zip(0..)
            .map(|(azimuth, beam)| Direction::new(*azimuth, beam))
            .collect();
        sorted.sort_unstable_by(|a, b| a.turn.total_cmp(&b.turn).then(a.beam.cmp(&b.beam)));
        let first_turn = sorted[0].turn;
        let span = sorted[sorted.len() - 1].turn - first_turn;
        let buckets = 2 * sorted.len();
        let mut fan = Self {
            cos: sorted.iter().map(|direction| direction.cos).collect(),
            sin: sorted.iter().map(|direction| direction.sin).collect(),
            beams: sorted.iter().map(|direction| direction.beam).collect(),
            bucket_starts: vec![0; buckets + 3],
            first_turn,
            // A fan of a single direction still needs a finite scale.
            buckets_per_turn: (buckets - 1) as f64 / span.max(1e-6),
            azimuths,
        };
        fan.fill_buckets(&sorted);
        Ok(fan)
    }

    /// Number of beams.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "a fan is never empty")]
    pub fn len(&self) -> usize {
        self.azimuths.len()
    }

    /// Azimuth of a beam as it was given, radians; `None` beyond the last beam.
    #[must_use]
    pub fn azimuth(&self, beam: usize) -> Option<f64> {
        self.azimuths.get(beam).copied()
    }

    /// The azimuth of every beam as it was given, radians.
    #[must_use]
    pub fn azimuths(&self) -> &[f64] {
        &self.azimuths
    }

    fn fill_buckets(&mut self, sorted: &[Direction]) {
        for direction in sorted {
            let bucket = self.bucket(direction.turn);
            self.bucket_starts[bucket + 1] += 1;
        }
        let mut total = 0;
        for start in &mut self.bucket_starts {
            total += *start;
            *start = total;
        }
    }

    /// Monotone in the turn: 0 below the fan, one more than the last bucket above it.
    #[inline]
    fn bucket(&self, turn: f64) -> usize {
        let last = (self.bucket_starts.len() - 2) as f64;
        let place = (turn - self.first_turn) * self.buckets_per_turn + 1.0;
        // The cast takes negative numbers and NaN to 0.
        (if place < last { place } else { last }) as usize
    }

    /// Positions that hold every beam from one turn to a higher one, and few others.
    #[inline]
    pub(super) fn positions(&self, low: f64, high: f64) -> Range<usize> {
        let start = self.bucket_starts[self.bucket(low - TURN_MARGIN)];
        let end = self.bucket_starts[self.bucket(high + TURN_MARGIN) + 1];
        start as usize..end as usize
    }

    /// As [`Self::positions`], for an arc that may lead over the seam at half a turn: the
    /// part below the seam and the part above it.
    #[inline]
    pub(super) fn positions_around(&self, turn: f64, half_width: f64) -> [Range<usize>; 2] {
        let (low, high) = (turn - half_width, turn + half_width);
        if low < -2.0 {
            [self.positions(low + 4.0, 2.0), self.positions(-2.0, high)]
        } else if high > 2.0 {
            [self.positions(low, 2.0), self.positions(-2.0, high - 4.0)]
        } else {
            [self.positions(low, high), 0..0]
        }
    }

    /// Cosines, by position.
    #[inline]
    pub(super) fn cos(&self) -> &[f64] {
        &self.cos
    }

    /// Sines, by position.
    #[inline]
    pub(super) fn sin(&self) -> &[f64] {
        &self.sin
    }

    /// The beam at each position.
    pub(super) fn beams(&self) -> &[u32] {
        &self.beams
    }
}

/// Far above the rounding of [`turn`], far below any spacing of beams that matters.
const TURN_MARGIN: f64 = 1e-12;

struct Direction {
    turn: f64,
    cos: f64,
    sin: f64,
    beam: u32,
}

impl Direction {
    fn new(azimuth: f64, beam: u32) -> Self {
        let (sin, cos) = libm::sincos(azimuth);
        Self {
            turn: turn(cos, sin),
            cos,
            sin,
            beam,
        }
    }
}

fn check_count(beams: usize) -> Result<(), FanError> {
    if (1..=Fan::MAX_BEAMS).contains(&beams) {
        Ok(())
    } else {
        Err(FanError::Beams(beams))
    }
}

/// A direction as a number that grows with its angle from -2 (just past -pi) over 0 (along
/// x) to 2 (pi), by at most 1 and at least 1/2 per radian. NaN for the zero vector.
///
/// It orders directions as an arc tangent would, for the price of one division. Opposite
/// directions are 2 apart. Which side of the seam a direction is on is exact.
#[inline]
pub(super) fn turn(x: f64, y: f64) -> f64 {
    let slope = y / (x.abs() + y.abs());
    let half_turn = if y >= 0.0 { 2.0 } else { -2.0 };
    if x >= 0.0 { slope } else { half_turn - slope }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::{PI, TAU};

    #[test]
    fn turn_orders_directions_as_the_angle_does() {
        let mut last = -2.0;
        for i in 1..=1000 {
            let angle = -PI + TAU * f64::from(i) / 1000.0;
            let now = turn(libm::cos(angle), libm::sin(angle));
            let step = now - last;
            let radians = TAU / 1000.0;
            assert!(
                step >= 0.4999 * radians && step <= 1.0001 * radians,
                "{angle}: {last} {now}"
            );
            last = now;
        }
        assert!((last - 2.0).abs() < 1e-12, "{last}");
    }

    #[test]
    fn looked_up_positions_hold_every_beam_of_the_arc() {
        let fans = [
            Fan::uniform(-2.0, 0.01, 400).unwrap(),
            Fan::uniform(3.0, -0.02, 700).unwrap(),
            Fan::from_azimuths(vec![1.0, 1.0, -7.0, 1.0 + 1e-14, 3.1, -3.1]).unwrap(),
            Fan::uniform(0.3, 0.0, 5).unwrap(),
        ];
        for fan in &fans {
            for i in 0..4000_i32 {
                let low = -2.0 + f64::from(i) * 0.001;
                let high = (low + f64::from(i % 37) * 0.02).min(2.0);
                let found = fan.positions(low, high);
                for position in 0..fan.len() {
                    let turn = turn(fan.cos()[position], fan.sin()[position]);
                    if low <= turn && turn <= high {
                        assert!(found.contains(&position), "{turn} {low} {high} {found:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn arcs_over_the_seam_are_looked_up_in_two_parts() {
        let fan = Fan::uniform(0.0, TAU / 8.0, 8).unwrap();
        let beams = |turn, width| {
            let mut found: Vec<u32> = fan
                .positions_around(turn, width)
                .into_iter()
                .flatten()
                .map(|position| fan.beams()[position])
                .collect();
            found.sort_unstable();
            found
        };
        for turn in [1.9, 2.0, -2.0, -1.9] {
            for behind in [3, 4, 5] {
                assert!(beams(turn, 0.7).contains(&behind), "{turn} {behind}");
            }
            assert!(!beams(turn, 0.7).contains(&0), "{turn}");
        }
    }

    #[test]
    fn what_is_no_fan_is_refused() {
        let error = |fan: Result<Fan, FanError>| fan.unwrap_err();
        assert_eq!(error(Fan::uniform(0.0, 0.1, 0)), FanError::Beams(0));
        assert_eq!(
            error(Fan::uniform(0.0, 0.1, usize::MAX)),
            FanError::Beams(usize::MAX)
        );
        assert_eq!(
            error(Fan::uniform(0.0, f64::NAN, 3)),
            FanError::Azimuth(0),
            "0 * NaN"
        );
        assert_eq!(error(Fan::uniform(0.0, 1e308, 3)), FanError::Azimuth(2));
        assert_eq!(
            error(Fan::from_azimuths(vec![0.0, f64::INFINITY])),
            FanError::Azimuth(1)
        );
        assert_eq!(
            error(Fan::from_azimuths(Vec::new())).to_string(),
            "fan has 0 beams, allowed is 1 to 1000000"
        );
    }

    #[test]
    fn beams_keep_the_azimuths_they_were_given() {
        let fan = Fan::uniform(-1.0, -0.5, 3).unwrap();
        assert_eq!(fan.azimuth(2), Some(-2.0));
        assert_eq!(fan.azimuth(3), None);
        assert_eq!(fan.len(), 3);
    }
}
