//! The cast that finds every hit of a fan.

use std::ops::Range;

use super::RayOrigin;
use super::body::{Frame, Outline, PlacedPart, View};
use super::crossing::{self, Crossings, inverse};
use super::drops::DropSpan;
use super::fan::Fan;
use super::hits::{HitKind, RayHit, RayHits};
use crate::world::ZExtent;

/// A cast under way that keeps every hit.
pub(super) struct HitsCast<'a> {
    origin: &'a RayOrigin,
    frame: Frame,
    view: View,
    intervals: Intervals<'a>,
    hits: Hits<'a>,
    drops: Vec<DropSpan>,
}

/// Hits in the order they are found in, each with its beam.
struct Hits<'a> {
    fan: &'a Fan,
    range_max: f64,
    found: Vec<(u32, RayHit)>,
}

impl Hits<'_> {
    fn push(&mut self, position: usize, hit: RayHit) {
        if hit.enter <= self.range_max {
            self.found.push((self.fan.beams()[position], hit));
        }
    }
}

/// Makes a hit of each crossing.
struct WallHits<'h, 'a> {
    hits: &'h mut Hits<'a>,
    z: ZExtent,
}

impl Crossings for WallHits<'_, '_> {
    fn line(&mut self, positions: Range<usize>, p: f64, q: f64) {
        for position in positions {
            self.point(position, inverse_on_line(self.hits.fan, position, p, q));
        }
    }

    fn point(&mut self, position: usize, inverse: f64) {
        let distance = 1.0 / inverse;
        let hit = RayHit {
            enter: distance,
            exit: distance,
            z: self.z,
            kind: HitKind::Wall,
        };
        self.hits.push(position, hit);
    }
}

/// The nearest and the farthest crossing of one convex boundary per position.
struct Intervals<'a> {
    fan: &'a Fan,
    near: Vec<f64>,
    far: Vec<f64>,
    /// Holds all positions with a crossing.
    touched: Range<usize>,
}

impl Crossings for Intervals<'_> {
    fn line(&mut self, positions: Range<usize>, p: f64, q: f64) {
        for position in positions {
            self.point(position, inverse_on_line(self.fan, position, p, q));
        }
    }

    fn point(&mut self, position: usize, inverse: f64) {
        let distance = 1.0 / inverse;
        let (near, far) = (&mut self.near[position], &mut self.far[position]);
        *near = near.min(distance);
        *far = far.max(distance);
        self.touched.start = self.touched.start.min(position);
        self.touched.end = self.touched.end.max(position + 1);
    }
}

impl<'a> Intervals<'a> {
    const NONE: (f64, f64) = (f64::INFINITY, f64::NEG_INFINITY);

    fn new(fan: &'a Fan) -> Self {
        Self {
            fan,
            near: vec![Self::NONE.0; fan.len()],
            far: vec![Self::NONE.1; fan.len()],
            touched: fan.len()..0,
        }
    }

    /// Takes out what was found, position by position.
    fn drain(&mut self) -> impl Iterator<Item = (usize, f64, f64)> {
        let touched = std::mem::replace(&mut self.touched, self.fan.len()..0);
        touched.filter_map(|position| {
            let near = std::mem::replace(&mut self.near[position], Self::NONE.0);
            let far = std::mem::replace(&mut self.far[position], Self::NONE.1);
            (near <= far).then_some((position, near, far))
        })
    }
}

fn inverse_on_line(fan: &Fan, position: usize, p: f64, q: f64) -> f64 {
    fan.cos()[position] * p + fan.sin()[position] * q
}

impl<'a> HitsCast<'a> {
    pub(super) fn new(origin: &'a RayOrigin, fan: &'a Fan, range_max: f64) -> Self {
        Self {
            origin,
            frame: Frame::of(&origin.pose),
            view: View::default(),
            intervals: Intervals::new(fan),
            hits: Hits {
                fan,
                range_max,
                found: Vec::new(),
            },
            drops: Vec::new(),
        }
    }

    pub(super) fn part(&mut self, part: &PlacedPart) {
        let corners = 0..part.corners.x.len();
        self.view.load(self.frame, &part.corners, corners.clone());
        let z = part.z();
        match part.outline() {
            Outline::Walls => {
                let mut out = WallHits {
                    hits: &mut self.hits,
                    z,
                };
                for wall in self.view.walls(corners) {
                    wall.cross(out.hits.fan, &mut out);
                }
            }
            Outline::Convex => self.convex(corners, z),
            Outline::Disc(radius) => self.disc(radius, z),
        }
    }

    fn disc(&mut self, radius: f64, z: ZExtent) {
        let centre = self.view.corner(0);
        let inside = crossing::is_inside(&centre, radius);
        for chord in crossing::chords(self.hits.fan, &centre, radius) {
            // Through the inverse, as the cast of nearest hits has it: the same bits.
            let (enter, exit) = (1.0 / inverse(chord.enter), 1.0 / inverse(chord.exit));
            self.hits
                .push(chord.position, solid_hit(inside, enter, exit, z));
        }
    }

    fn convex(&mut self, corners: Range<usize>, z: ZExtent) {
        let inside = self.cross_convex(corners);
        for (position, near, far) in self.intervals.drain() {
            self.hits.push(position, solid_hit(inside, near, far, z));
        }
    }

    /// Finds where beams are above a region without floor.
    pub(super) fn drop_region(&mut self, region: &PlacedPart) {
        if region.outline() != Outline::Convex {
            return;
        }
        let corners = 0..region.corners.x.len();
        self.view.load(self.frame, &region.corners, corners.clone());
        let inside = self.cross_convex(corners);
        for (position, near, far) in self.intervals.drain() {
            self.drops.push(DropSpan {
                beam: self.hits.fan.beams()[position],
                enter: if inside { 0.0 } else { near },
                exit: far,
                bottom: region.z().min,
            });
        }
    }

    /// Finds the intervals of a convex boundary; whether the origin is inside.
    #[inline]
    fn cross_convex(&mut self, corners: Range<usize>) -> bool {
        let mut inside = true;
        for wall in self.view.walls(corners) {
            let winding = crossing::winding([wall.a.x, wall.a.y], [wall.b.x, wall.b.y]);
            inside &= winding > 0.0;
            wall.cross(self.hits.fan, &mut self.intervals);
        }
        inside
    }

    pub(super) fn finish(mut self) -> RayHits {
        self.drops.sort_unstable_by(DropSpan::order);
        let Hits {
            fan,
            range_max,
            found,
        } = self.hits;
        let mut starts = vec![0; fan.len() + 1];
        for (beam, _) in &found {
            starts[*beam as usize + 1] += 1;
        }
        let mut total = 0;
        for start in &mut starts {
            total += *start;
            *start = total;
        }
        let mut next = starts.clone();
        // Overwritten, each place once.
        let mut hits: Vec<RayHit> = found.iter().map(|(_, hit)| *hit).collect();
        for (beam, hit) in found {
            let place = &mut next[beam as usize];
            hits[*place] = hit;
            *place += 1;
        }
        for bounds in starts.windows(2) {
            hits[bounds[0]..bounds[1]].sort_unstable_by(RayHit::order);
        }
        RayHits {
            z: self.origin.z,
            level: self.origin.level,
            range_max,
            starts,
            hits,
            drops: self.drops,
        }
    }
}

fn solid_hit(inside: bool, near: f64, far: f64, z: ZExtent) -> RayHit {
    let (enter, kind) = if inside {
        (0.0, HitKind::Around)
    } else {
        (near, HitKind::Solid)
    };
    RayHit {
        enter,
        exit: far,
        z,
        kind,
    }
}
