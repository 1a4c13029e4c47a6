//! Where the beams of a fan cross one wall or one circle. Everything is in the fan's frame.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_3};
use std::ops::Range;

use super::body::{Corner, length};
use super::fan::Fan;

/// Takes the crossings of one wall. Positions are those of [`Fan::positions`].
pub(super) trait Crossings {
    /// The wall is crossed at all these positions, at the inverse distance `p cos + q sin`.
    fn line(&mut self, positions: Range<usize>, p: f64, q: f64);
    /// The wall is crossed at one position, at this inverse distance.
    fn point(&mut self, position: usize, inverse: f64);
}

/// A wall seen from the origin of a fan.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wall {
    pub(super) a: Corner,
    pub(super) b: Corner,
    /// See [`facing`].
    pub(super) facing: f64,
}

/// The sine of the angle between line of sight and wall, squared, below which a wall is cut
/// beam by beam: above it, `p cos + q sin` keeps ten digits, 1e-9 m at 20 m and better.
const GRAZING_SIN_SQUARED: f64 = 1e-8;

/// A ray origin this close to a wall, as a part of its length, is on it.
const ON_WALL: f64 = 1e-12;

/// The cross product of the ends of a wall: positive when b is counter-clockwise of a.
#[inline]
pub(super) fn winding(a: [f64; 2], b: [f64; 2]) -> f64 {
    // Not a x b: that cancels for short walls.
    a[0] * (b[1] - a[1]) - a[1] * (b[0] - a[0])
}

/// The [`winding`] of a wall, or 0 when it is grazing: when it leads towards the origin or
/// through it. On an edge of a counter-clockwise polygon, the outside shows where this is
/// negative.
#[inline]
pub(super) fn facing(a: [f64; 2], b: [f64; 2]) -> f64 {
    let winding = winding(a, b);
    let along = [b[0] - a[0], b[1] - a[1]];
    let (reach_a, reach_b) = (a[0] * a[0] + a[1] * a[1], b[0] * b[0] + b[1] * b[1]);
    let reach = if reach_a > reach_b { reach_a } else { reach_b };
    let length = along[0] * along[0] + along[1] * along[1];
    let steep = winding * winding > GRAZING_SIN_SQUARED * reach * length;
    if steep { winding } else { 0.0 }
}

/// Ends of a wall that are half a turn apart to this many turns have the origin between
/// them: whether the wall passes it on the left or on the right is left to the beams.
const NEAR_HALF_TURN: f64 = 1e-6;

impl Wall {
    /// Hands over every crossing. Beams through an end count.
    #[inline]
    pub(super) fn cross(&self, fan: &Fan, out: &mut impl Crossings) {
        if self.facing == 0.0 {
            self.cross_grazing(fan, out);
            return;
        }
        let scale = 1.0 / self.facing;
        let (p, q) = ((self.b.y - self.a.y) * scale, (self.a.x - self.b.x) * scale);
        let (low, high) = if self.facing > 0.0 {
            (&self.a, &self.b)
        } else {
            (&self.b, &self.a)
        };
        if low.turn - high.turn > 2.0 {
            let mut before_seam = fan.positions(low.turn, 2.0);
            trim_low(fan, &mut before_seam, low);
            out.line(before_seam, p, q);
            let mut after_seam = fan.positions(-2.0, high.turn);
            trim_high(fan, &mut after_seam, high);
            out.line(after_seam, p, q);
        } else {
            // Turns of a wall that is all but a point may be the wrong way round.
            let mut covered = fan.positions(low.turn.min(high.turn), low.turn.max(high.turn));
            trim_low(fan, &mut covered, low);
            trim_high(fan, &mut covered, high);
            out.line(covered, p, q);
        }
    }

    /// Beam by beam, as a distance between those of the ends.
    fn cross_grazing(&self, fan: &Fan, out: &mut impl Crossings) {
        let (low, high) = (self.a.turn.min(self.b.turn), self.a.turn.max(self.b.turn));
        // NaN when the origin is on a corner; so no low and high here.
        let apart = (self.a.turn - self.b.turn).abs();
        let parts = if apart < 2.0 - NEAR_HALF_TURN {
            [fan.positions(low, high), 0..0]
        } else if apart > 2.0 + NEAR_HALF_TURN {
            [fan.positions(high, 2.0), fan.positions(-2.0, low)]
        } else {
            [0..fan.len(), 0..0]
        };
        for position in parts.into_iter().flatten() {
            if let Some(distance) = self.distance_along(fan, position) {
                out.point(position, inverse(distance));
            }
        }
    }

    fn distance_along(&self, fan: &Fan, position: usize) -> Option<f64> {
        let side_a = side(fan, position, &self.a);
        let side_b = side(fan, position, &self.b);
        if (side_a > 0.0 && side_b > 0.0) || (side_a < 0.0 && side_b < 0.0) {
            return None;
        }
        let ahead_a = ahead(fan, position, &self.a);
        let ahead_b = ahead(fan, position, &self.b);
        let distance = if side_a == 0.0 && side_b == 0.0 {
            // Along the wall: its nearer end, or 0 between the ends.
            let (near, far) = (ahead_a.min(ahead_b), ahead_a.max(ahead_b));
            if near < 0.0 && far > 0.0 { 0.0 } else { near }
        } else {
            // Between the ends whatever the rounding.
            let part = side_a.abs() / (side_a.abs() + side_b.abs());
            ahead_a + part * (ahead_b - ahead_a)
        };
        let on_wall = ON_WALL * length(self.b.x - self.a.x, self.b.y - self.a.y);
        (distance >= -on_wall).then(|| distance.max(0.0))
    }
}

/// Drops positions clockwise of where a wall begins.
#[inline]
fn trim_low(fan: &Fan, positions: &mut Range<usize>, low: &Corner) {
    while positions.start < positions.end && side(fan, positions.start, low) > 0.0 {
        positions.start += 1;
    }
}

/// Drops positions counter-clockwise of where a wall ends.
#[inline]
fn trim_high(fan: &Fan, positions: &mut Range<usize>, high: &Corner) {
    while positions.start < positions.end && side(fan, positions.end - 1, high) < 0.0 {
        positions.end -= 1;
    }
}

/// Positive when the point is to the left of the beam. Both walls at a corner decide by
/// this one number, so no beam passes between them.
#[inline]
fn side(fan: &Fan, position: usize, point: &Corner) -> f64 {
    fan.cos()[position] * point.y - fan.sin()[position] * point.x
}

#[inline]
fn ahead(fan: &Fan, position: usize, point: &Corner) -> f64 {
    fan.cos()[position] * point.x + fan.sin()[position] * point.y
}

/// 1 / distance, infinite for what is at the origin (or, by rounding, behind it).
#[inline]
pub(super) fn inverse(distance: f64) -> f64 {
    if distance > 0.0 {
        1.0 / distance
    } else {
        f64::INFINITY
    }
}

/// Where a beam crosses a circle.
pub(super) struct Chord {
    pub(super) position: usize,
    pub(super) enter: f64,
    pub(super) exit: f64,
}

/// Whether the origin is inside a circle or on it.
pub(super) fn is_inside(centre: &Corner, radius: f64) -> bool {
    length(centre.x, centre.y) <= radius
}

/// Every beam whose line crosses a circle ahead of the origin. From inside, `enter` is
/// behind the origin.
pub(super) fn chords(fan: &Fan, centre: &Corner, radius: f64) -> impl Iterator<Item = Chord> {
    let inside = is_inside(centre, radius);
    let parts = if inside {
        [0..fan.len(), 0..0]
    } else {
        fan.positions_around(centre.turn, half_width(centre, radius))
    };
    parts.into_iter().flatten().filter_map(move |position| {
        let offset = side(fan, position, centre).abs();
        let middle = ahead(fan, position, centre);
        let half_squared = (radius - offset) * (radius + offset);
        let met = inside || (half_squared >= 0.0 && middle > 0.0);
        if !met {
            return None;
        }
        let half = half_squared.max(0.0).sqrt();
        Some(Chord {
            position,
            enter: middle - half,
            exit: middle + half,
        })
    })
}

/// At least the half width in turns of a circle seen from outside.
pub(super) fn half_width(centre: &Corner, radius: f64) -> f64 {
    let sine = radius / length(centre.x, centre.y);
    // asin(x) <= pi/2 x, and <= pi/3 x up to a half; a turn is at most one per radian.
    if sine <= 0.5 {
        FRAC_PI_3 * sine
    } else {
        FRAC_PI_2 * sine.min(1.0)
    }
}
