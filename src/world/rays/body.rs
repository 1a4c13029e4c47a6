//! A thing at its place: its corners in the world, and the same seen from a ray origin.

use std::ops::Range;

use super::crossing::{Wall, facing};
use super::fan::turn;
use crate::world::{BodyKey, Part, PlanarShape, Pose2, ZExtent};

/// Corners as columns, so that a loop over them becomes vector code.
#[derive(Debug, Clone, Default)]
pub(super) struct Corners {
    pub(super) x: Vec<f64>,
    pub(super) y: Vec<f64>,
}

impl Corners {
    pub(super) fn push(&mut self, point: [f64; 2]) {
        self.x.push(point[0]);
        self.y.push(point[1]);
    }

    /// Appends a copy of some corners of another list.
    pub(super) fn extend_from(&mut self, other: &Self, range: Range<usize>) {
        self.x.extend_from_slice(&other.x[range.clone()]);
        self.y.extend_from_slice(&other.y[range]);
    }

    /// The box around some of the corners.
    fn bounds(&self, range: Range<usize>) -> Bounds {
        let mut bounds = Bounds::NOTHING;
        for (x, y) in self.x[range.clone()].iter().zip(&self.y[range]) {
            bounds.include([*x, *y]);
        }
        bounds
    }
}

/// What the corners of a piece stand for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Outline {
    /// Walls from each corner to the next.
    Walls,
    /// The closed boundary of a convex polygon: the first corner comes again at the end.
    Convex,
    /// A circle of this radius around its only corner.
    Disc(f64),
}

/// What of a body is looked at as a whole: a part, or a stretch of its walls.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    pub(super) outline: Outline,
    pub(super) corners: Range<usize>,
    pub(super) key: BodyKey,
    pub(super) z: ZExtent,
}

/// To spare when something is skipped, as a part of a length and in metres.
pub(super) const MARGIN: f64 = 1e-9;

/// A box in the plane.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    pub(super) min: [f64; 2],
    pub(super) max: [f64; 2],
}

impl Bounds {
    pub(super) const NOTHING: Self = Self {
        min: [f64::INFINITY; 2],
        max: [f64::NEG_INFINITY; 2],
    };

    fn include(&mut self, point: [f64; 2]) {
        for (axis, value) in point.into_iter().enumerate() {
            self.min[axis] = self.min[axis].min(value);
            self.max[axis] = self.max[axis].max(value);
        }
    }

    pub(super) fn union(&self, other: &Self) -> Self {
        let mut both = *self;
        both.include(other.min);
        both.include(other.max);
        both
    }

    pub(super) fn centre(&self) -> [f64; 2] {
        [0, 1].map(|axis| 0.5 * self.min[axis] + 0.5 * self.max[axis])
    }

    /// At least half the diagonal: the radius of a circle around the box.
    pub(super) fn radius(&self) -> f64 {
        let diagonal = length(self.max[0] - self.min[0], self.max[1] - self.min[1]);
        0.5 * diagonal * (1.0 + MARGIN) + MARGIN
    }

    /// A distance from a point within which nothing of the box lies; below 0 inside it.
    ///
    /// Smaller than the true distance by far more than any crossing is rounded, so what is
    /// skipped for it, as out of range or hidden, never shows in a result.
    pub(super) fn clearance(&self, point: [f64; 2]) -> f64 {
        self.distance(point) * (1.0 - MARGIN) - MARGIN
    }

    /// Distance of the nearest point of the box from a point; 0 inside.
    pub(super) fn distance(&self, point: [f64; 2]) -> f64 {
        let [x, y] = [0, 1].map(|axis| {
            (self.min[axis] - point[axis])
                .max(point[axis] - self.max[axis])
                .max(0.0)
        });
        length(x, y)
    }
}

/// Euclidean length. Plain, since what is measured here stays far from overflow and the
/// result only decides what may be skipped, with a margin.
#[inline]
pub(super) fn length(x: f64, y: f64) -> f64 {
    (x * x + y * y).sqrt()
}

/// A body with its parts in the world.
#[derive(Debug, Clone)]
pub(super) struct Body {
    pub(super) key: BodyKey,
    pub(super) parts: Vec<PlacedPart>,
}

impl Body {
    pub(super) fn new(key: BodyKey, parts: Vec<Part>, pose: Pose2) -> Self {
        let parts = parts.into_iter();
        let placed = parts.map(|part| PlacedPart::new(key, part, &pose));
        Self {
            key,
            parts: placed.collect(),
        }
    }

    pub(super) fn set_pose(&mut self, pose: Pose2) {
        for part in &mut self.parts {
            part.place(&pose);
        }
    }

    /// Gives all its parts the same heights.
    pub(super) fn set_extent(&mut self, z: ZExtent) {
        for part in &mut self.parts {
            part.part.z = z;
        }
    }
}

/// A part of a body with its corners in the world.
#[derive(Debug, Clone)]
pub(super) struct PlacedPart {
    part: Part,
    key: BodyKey,
    pub(super) corners: Corners,
    pub(super) bounds: Bounds,
}

impl PlacedPart {
    pub(super) fn new(key: BodyKey, part: Part, body: &Pose2) -> Self {
        let mut placed = Self {
            part,
            key,
            corners: Corners::default(),
            bounds: Bounds::NOTHING,
        };
        placed.place(body);
        placed
    }

    pub(super) fn z(&self) -> ZExtent {
        self.part.z
    }

    fn place(&mut self, body: &Pose2) {
        let pose = self.part.placed(body);
        self.corners.x.clear();
        self.corners.y.clear();
        match &self.part.shape {
            PlanarShape::Disc(radius) => {
                let centre = [pose.x, pose.y];
                self.corners.push(centre);
                self.bounds = Bounds {
                    min: centre.map(|c| c - radius),
                    max: centre.map(|c| c + radius),
                };
            }
            PlanarShape::Ring(points) | PlanarShape::Convex(points) => {
                let frame = Frame::of(&pose);
                for point in points.iter().chain(points.first()) {
                    self.corners.push(frame.to_parent(*point));
                }
                self.bounds = self.corners.bounds(0..self.corners.x.len());
            }
        }
    }

    pub(super) fn outline(&self) -> Outline {
        match self.part.shape {
            PlanarShape::Ring(_) => Outline::Walls,
            PlanarShape::Convex(_) => Outline::Convex,
            PlanarShape::Disc(radius) => Outline::Disc(radius),
        }
    }

    /// The whole part as one piece.
    pub(super) fn piece(&self) -> Piece {
        Piece {
            outline: self.outline(),
            corners: 0..self.corners.x.len(),
            key: self.key,
            z: self.part.z,
        }
    }

    /// The part in pieces small enough to skip one by one, each with its bounds: a ring in
    /// stretches of wall, the others whole.
    pub(super) fn pieces(&self) -> Vec<(Piece, Bounds)> {
        let whole = self.piece();
        if whole.outline != Outline::Walls {
            return vec![(whole, self.bounds)];
        }
        let last = whole.corners.end.saturating_sub(1);
        (0..last)
            .step_by(WALLS_PER_PIECE)
            .map(|start| {
                let corners = start..(start + WALLS_PER_PIECE).min(last) + 1;
                let bounds = self.corners.bounds(corners.clone());
                let piece = Piece {
                    corners,
                    ..whole.clone()
                };
                (piece, bounds)
            })
            .collect()
    }
}

const WALLS_PER_PIECE: usize = 8;

/// A pose with its sine and cosine.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    cos: f64,
    sin: f64,
    pub(super) origin: [f64; 2],
}

impl Frame {
    pub(super) fn of(pose: &Pose2) -> Self {
        let (sin, cos) = libm::sincos(pose.yaw);
        Self {
            cos,
            sin,
            origin: [pose.x, pose.y],
        }
    }

    fn to_parent(self, point: [f64; 2]) -> [f64; 2] {
        [
            self.origin[0] + self.cos * point[0] - self.sin * point[1],
            self.origin[1] + self.sin * point[0] + self.cos * point[1],
        ]
    }

    /// A point of the parent frame in this frame.
    #[inline]
    pub(super) fn to_local(self, point: [f64; 2]) -> [f64; 2] {
        let (x, y) = (point[0] - self.origin[0], point[1] - self.origin[1]);
        [self.cos * x + self.sin * y, self.cos * y - self.sin * x]
    }
}

/// A corner in the frame of the fan.
#[derive(Debug, Clone, Copy)]
pub(super) struct Corner {
    pub(super) x: f64,
    pub(super) y: f64,
    /// Its direction, see [`turn`].
    pub(super) turn: f64,
}

impl Corner {
    pub(super) fn new([x, y]: [f64; 2]) -> Self {
        Self {
            x,
            y,
            turn: turn(x, y),
        }
    }
}

/// Corners in the frame of the fan, in buffers that serve again and again.
#[derive(Debug, Default)]
pub(super) struct View {
    x: Vec<f64>,
    y: Vec<f64>,
    turn: Vec<f64>,
    /// Of the wall that ends at each corner.
    facing: Vec<f64>,
}

impl View {
    /// Replaces what is in view by some corners of the world.
    pub(super) fn load(&mut self, frame: Frame, corners: &Corners, range: Range<usize>) {
        let n = range.len();
        for column in [&mut self.x, &mut self.y, &mut self.turn, &mut self.facing] {
            column.resize(n, 0.0);
        }
        let (xs, ys) = (&corners.x[range.clone()], &corners.y[range]);
        let (x, y) = (&mut self.x[..n], &mut self.y[..n]);
        let (turns, facings) = (&mut self.turn[..n], &mut self.facing[..n]);
        for i in 0..n {
            [x[i], y[i]] = frame.to_local([xs[i], ys[i]]);
            turns[i] = turn(x[i], y[i]);
        }
        for i in 1..n {
            facings[i] = facing([x[i - 1], y[i - 1]], [x[i], y[i]]);
        }
    }

    #[inline]
    pub(super) fn corner(&self, i: usize) -> Corner {
        Corner {
            x: self.x[i],
            y: self.y[i],
            turn: self.turn[i],
        }
    }

    /// The walls from each of these corners to the next.
    #[inline]
    pub(super) fn walls(&self, corners: Range<usize>) -> impl Iterator<Item = Wall> {
        (corners.start + 1..corners.end).map(|i| Wall {
            a: self.corner(i - 1),
            b: self.corner(i),
            facing: self.facing[i],
        })
    }

    /// Whether the outside of a convex, counter-clockwise piece shows.
    #[inline]
    pub(super) fn shows_outside(&self, corners: Range<usize>) -> bool {
        self.facing[corners]
            .iter()
            .skip(1)
            .any(|facing| *facing < 0.0)
    }
}
