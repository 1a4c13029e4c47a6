//! Every hit of a fan with its heights, and what rays of a slope meet of them.

use super::drops::{DropSpan, below_floor};
use crate::world::{Level, ZExtent};

/// How a beam meets a thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum HitKind {
    /// It crosses a wall; `enter` and `exit` of the hit are the same.
    Wall,
    /// It enters a solid and leaves it again.
    Solid,
    /// It starts inside a solid (`enter` is 0) and leaves it.
    Around,
}

/// One thing on the way of a beam. Distances are horizontal, in metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RayHit {
    /// Where the beam meets the thing.
    pub enter: f64,
    /// Where it leaves it; may lie beyond the range of the cast.
    pub exit: f64,
    /// The heights the thing reaches from and to.
    pub z: ZExtent,
    /// How the beam meets it.
    pub kind: HitKind,
}

impl RayHit {
    /// Horizontal distance at which a ray first meets the surface of the thing; NaN or
    /// infinite when it does not.
    ///
    /// Decides by heights at both ends of the interval, so that no ray slips through the
    /// edge between a side and the top.
    fn meet(&self, z: f64, slope: f64) -> f64 {
        let (z_enter, z_exit) = (z + slope * self.enter, z + slope * self.exit);
        let at_height = |height: f64| ((height - z) / slope).max(self.enter).min(self.exit);
        let (start, is_surface) = match self.kind {
            HitKind::Around => (z, false),
            HitKind::Wall | HitKind::Solid => (z_enter, true),
        };
        if self.z.contains(start) {
            if is_surface {
                self.enter
            } else if z_exit > self.z.max {
                at_height(self.z.max)
            } else if z_exit < self.z.min {
                at_height(self.z.min)
            } else {
                self.exit
            }
        } else if start > self.z.max && z_exit <= self.z.max {
            at_height(self.z.max)
        } else if start < self.z.min && z_exit >= self.z.min {
            at_height(self.z.min)
        } else {
            f64::INFINITY
        }
    }

    /// A total order by distance: equal only for the same bits.
    pub(super) fn order(&self, other: &Self) -> std::cmp::Ordering {
        self.enter
            .total_cmp(&other.enter)
            .then(self.exit.total_cmp(&other.exit))
            .then(self.z.min.total_cmp(&other.z.min))
            .then(self.z.max.total_cmp(&other.z.max))
            .then(self.kind.cmp(&other.kind))
    }
}

/// A direction in 3D over a beam of a fan, as a unit vector.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ray {
    /// The beam below or above the ray.
    pub beam: usize,
    /// Horizontal component, 0 to 1.
    pub horizontal: f64,
    /// Vertical component, -1 to 1, up.
    pub vertical: f64,
}

/// A ray steeper than this is taken to be this steep, so that a vertical one still finds the
/// floor; at 3 m of height it shifts the hit by 3e-9 m sideways.
const HORIZONTAL_MIN: f64 = 1e-9;

/// All hits of a fan, sorted by beam, then distance.
#[derive(Debug, Clone, PartialEq)]
pub struct RayHits {
    pub(super) z: f64,
    pub(super) level: Level,
    pub(super) range_max: f64,
    /// Where the hits of each beam start, and one more.
    pub(super) starts: Vec<usize>,
    pub(super) hits: Vec<RayHit>,
    /// Where beams are above no floor, sorted by beam, then distance.
    pub(super) drops: Vec<DropSpan>,
}

impl RayHits {
    /// Number of beams.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "a fan is never empty")]
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The hits of a beam, nearest first; none beyond the last beam.
    #[must_use]
    pub fn of(&self, beam: usize) -> &[RayHit] {
        match (self.starts.get(beam), self.starts.get(beam + 1)) {
            (Some(start), Some(end)) => &self.hits[*start..*end],
            _ => &[],
        }
    }

    /// Per beam the horizontal distance at which a ray with this slope (metres of height
    /// per horizontal metre) first meets something: a side, the top or the bottom of a
    /// solid, the floor (or what is below it in a drop) or the ceiling of the level. Infinite where there is nothing up to
    /// the horizontal range of the cast.
    #[must_use]
    pub fn first(&self, slope: f64) -> Vec<f64> {
        (0..self.len())
            .map(|beam| self.first_of(beam, slope))
            .collect()
    }

    /// As [`Self::first`] for one beam; infinite beyond the last beam.
    #[must_use]
    pub fn first_of(&self, beam: usize, slope: f64) -> f64 {
        if beam >= self.len() {
            return f64::INFINITY;
        }
        let mut best = self.level_bound(beam, slope);
        for hit in self.of(beam) {
            if hit.enter >= best {
                break;
            }
            let distance = hit.meet(self.z, slope);
            if distance < best {
                best = distance;
            }
        }
        if best <= self.range_max {
            // Not -0: a floor at the height of the origin.
            best.abs()
        } else {
            f64::INFINITY
        }
    }

    /// The distance along each ray, in 3D, to what it first meets; infinite where there is
    /// nothing up to the horizontal range of the cast.
    #[must_use]
    pub fn take(&self, rays: &[Ray]) -> Vec<f64> {
        rays.iter()
            .map(|ray| {
                let horizontal = ray.horizontal.max(HORIZONTAL_MIN);
                self.first_of(ray.beam, ray.vertical / horizontal) / horizontal
            })
            .collect()
    }

    /// Where the ray ends at the floor or ceiling of the level, or below the floor in a drop.
    fn level_bound(&self, beam: usize, slope: f64) -> f64 {
        let height = if slope < 0.0 {
            self.level.floor - self.z
        } else if slope > 0.0 {
            self.level.ceiling - self.z
        } else {
            return f64::INFINITY;
        };
        let distance = height / slope;
        // Also for an origin that is beyond the floor or ceiling already.
        if distance < 0.0 || distance.is_nan() {
            f64::INFINITY
        } else if slope < 0.0 && !self.drops.is_empty() {
            below_floor(self.drops_of(beam), self.z, slope, distance)
        } else {
            distance
        }
    }

    fn drops_of(&self, beam: usize) -> &[DropSpan] {
        let before = |last: usize| self.drops.partition_point(|d| (d.beam as usize) < last);
        &self.drops[before(beam)..before(beam + 1)]
    }
}
