//! Every hit of a fan with its heights, and what rays of a slope meet of them.

use std::ops::Range;

use super::RayOrigin;
use super::body::{Body, Frame, Outline, View};
use super::crossing::{self, Crossings, inverse};
use super::fan::Fan;
use crate::world::ZExtent;

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

    fn order(&self, other: &Self) -> std::cmp::Ordering {
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
    z: f64,
    floor: f64,
    ceiling: f64,
    range_max: f64,
    /// Where the hits of each beam start, and one more.
    starts: Vec<usize>,
    hits: Vec<RayHit>,
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
    /// solid, the floor or the ceiling of the level. Infinite where there is nothing up to
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
        let mut best = self.level_bound(slope);
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

    /// Where the ray leaves the level through its floor or ceiling.
    fn level_bound(&self, slope: f64) -> f64 {
        let height = if slope < 0.0 {
            self.floor - self.z
        } else if slope > 0.0 {
            self.ceiling - self.z
        } else {
            return f64::INFINITY;
        };
        let distance = height / slope;
        // Also for an origin that is beyond the floor or ceiling already.
        if distance >= 0.0 {
            distance
        } else {
            f64::INFINITY
        }
    }
}

/// A cast under way that keeps every hit.
pub(super) struct HitsCast<'a> {
    fan: &'a Fan,
    origin: &'a RayOrigin,
    frame: Frame,
    range_max: f64,
    view: View,
    /// The boundary crossings of the body in hand.
    crossings: Crossed<'a>,
    hits: Vec<(u32, RayHit)>,
}

struct Crossed<'a> {
    fan: &'a Fan,
    /// Position and distance.
    found: Vec<(usize, f64)>,
}

impl Crossings for Crossed<'_> {
    fn line(&mut self, positions: Range<usize>, p: f64, q: f64) {
        for position in positions {
            let inverse = self.fan.cos()[position] * p + self.fan.sin()[position] * q;
            self.point(position, inverse);
        }
    }

    fn point(&mut self, position: usize, inverse: f64) {
        self.found.push((position, 1.0 / inverse));
    }
}

impl<'a> HitsCast<'a> {
    pub(super) fn new(origin: &'a RayOrigin, fan: &'a Fan, range_max: f64) -> Self {
        Self {
            fan,
            origin,
            frame: Frame::of(&origin.pose),
            range_max,
            view: View::default(),
            crossings: Crossed {
                fan,
                found: Vec::new(),
            },
            hits: Vec::new(),
        }
    }

    pub(super) fn body(&mut self, body: &Body) {
        let corners = 0..body.corners.x.len();
        self.view.load(self.frame, &body.corners, corners.clone());
        if let Outline::Disc(radius) = body.outline() {
            self.disc(radius, body.z);
            return;
        }
        self.crossings.found.clear();
        let (mut left, mut right) = (true, true);
        for wall in self.view.walls(corners) {
            let winding = crossing::winding([wall.a.x, wall.a.y], [wall.b.x, wall.b.y]);
            left &= winding > 0.0;
            right &= winding < 0.0;
            wall.cross(self.fan, &mut self.crossings);
        }
        if body.outline() == Outline::Convex {
            self.convex(left || right, body.z);
        } else {
            let found = std::mem::take(&mut self.crossings.found);
            for (position, distance) in &found {
                self.push(*position, *distance, *distance, body.z, HitKind::Wall);
            }
            self.crossings.found = found;
        }
    }

    fn disc(&mut self, radius: f64, z: ZExtent) {
        let centre = self.view.corner(0);
        let inside = crossing::is_inside(&centre, radius);
        for chord in crossing::chords(self.fan, &centre, radius) {
            // The same bits as in the cast of nearest hits, which works with inverses.
            let exit = 1.0 / inverse(chord.exit);
            if inside {
                self.push(chord.position, 0.0, exit, z, HitKind::Around);
            } else {
                let enter = 1.0 / inverse(chord.enter);
                self.push(chord.position, enter, exit, z, HitKind::Solid);
            }
        }
    }

    /// Makes intervals of the crossings of a convex boundary.
    fn convex(&mut self, inside: bool, z: ZExtent) {
        let mut found = std::mem::take(&mut self.crossings.found);
        found.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        for beam in found.chunk_by(|a, b| a.0 == b.0) {
            let ((position, near), (_, far)) = (beam[0], beam[beam.len() - 1]);
            if inside {
                self.push(position, 0.0, far, z, HitKind::Around);
            } else {
                self.push(position, near, far, z, HitKind::Solid);
            }
        }
        self.crossings.found = found;
    }

    fn push(&mut self, position: usize, enter: f64, exit: f64, z: ZExtent, kind: HitKind) {
        if enter <= self.range_max {
            let hit = RayHit {
                enter,
                exit,
                z,
                kind,
            };
            self.hits.push((self.fan.beams()[position], hit));
        }
    }

    pub(super) fn finish(self) -> RayHits {
        let mut starts = vec![0; self.fan.len() + 1];
        for (beam, _) in &self.hits {
            starts[*beam as usize + 1] += 1;
        }
        let mut total = 0;
        for start in &mut starts {
            total += *start;
            *start = total;
        }
        let mut next = starts.clone();
        // Overwritten, each place once.
        let mut hits: Vec<RayHit> = self.hits.iter().map(|(_, hit)| *hit).collect();
        for (beam, hit) in self.hits {
            let place = &mut next[beam as usize];
            hits[*place] = hit;
            *place += 1;
        }
        for bounds in starts.windows(2) {
            hits[bounds[0]..bounds[1]].sort_unstable_by(RayHit::order);
        }
        RayHits {
            z: self.origin.z,
            floor: self.origin.level.floor,
            ceiling: self.origin.level.ceiling,
            range_max: self.range_max,
            starts,
            hits,
        }
    }
}
