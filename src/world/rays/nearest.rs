//! The nearest hit per beam of a horizontal fan: the hot path.

use std::ops::Range;

use super::RayOrigin;
use super::body::{Bounds, Corner, Corners, Frame, MARGIN, Outline, Piece, View};
use super::crossing::{self, Crossings, half_width, inverse};
use super::fan::Fan;
use super::tree::{Leaf, Node, Tree, Visitor};
use crate::world::{BodyKey, ZExtent};

/// A cast under way: the largest inverse distance per position so far.
pub(super) struct NearestCast<'a> {
    fan: &'a Fan,
    origin: &'a RayOrigin,
    frame: Frame,
    range_max: f64,
    exclude: Option<BodyKey>,
    nearest: Nearest<'a>,
    view: View,
}

struct Nearest<'a> {
    cos: &'a [f64],
    sin: &'a [f64],
    inverse: Vec<f64>,
}

impl Crossings for Nearest<'_> {
    fn line(&mut self, positions: Range<usize>, p: f64, q: f64) {
        let directions = self.cos[positions.clone()]
            .iter()
            .zip(&self.sin[positions.clone()]);
        for ((cos, sin), best) in directions.zip(&mut self.inverse[positions]) {
            let inverse = cos * p + sin * q;
            *best = if inverse > *best { inverse } else { *best };
        }
    }

    fn point(&mut self, position: usize, inverse: f64) {
        let best = &mut self.inverse[position];
        *best = if inverse > *best { inverse } else { *best };
    }
}

impl<'a> NearestCast<'a> {
    pub(super) fn new(
        origin: &'a RayOrigin,
        fan: &'a Fan,
        range_max: f64,
        exclude: Option<BodyKey>,
    ) -> Self {
        // As if everything ended just beyond the range. The bound keeps it finite, so that a
        // hit at 0 still counts.
        let horizon = (inverse(range_max) * (1.0 - MARGIN)).min(1e300);
        Self {
            fan,
            origin,
            frame: Frame::of(&origin.pose),
            range_max,
            exclude,
            nearest: Nearest {
                cos: fan.cos(),
                sin: fan.sin(),
                inverse: vec![horizon; fan.len()],
            },
            view: View::default(),
        }
    }

    pub(super) fn tree(&mut self, tree: &Tree) {
        let from = self.frame.origin;
        tree.walk(
            from,
            &mut TreeCast {
                cast: self,
                corners: &tree.corners,
            },
        );
    }

    pub(super) fn part(&mut self, piece: &Piece, corners: &Corners, bounds: &Bounds) {
        if self.concerns(piece) && self.may_show(bounds) {
            self.view.load(self.frame, corners, piece.corners.clone());
            self.piece(piece);
        }
    }

    /// Writes distances in the order of beams.
    pub(super) fn finish(self, out: &mut Vec<f64>) {
        out.clear();
        out.resize(self.fan.len(), f64::INFINITY);
        for (beam, inverse) in self.fan.beams().iter().zip(&self.nearest.inverse) {
            let distance = 1.0 / inverse;
            if distance <= self.range_max {
                out[*beam as usize] = distance;
            }
        }
    }

    fn in_height(&self, z: &ZExtent) -> bool {
        z.contains(self.origin.z) && self.origin.level.reached_by(z)
    }

    fn concerns(&self, piece: &Piece) -> bool {
        self.in_height(&piece.z) && Some(piece.key) != self.exclude
    }

    /// False only for what changes nothing: each beam that could meet something in the box
    /// has met something nearer. So the order of looking at things does not show.
    fn may_show(&self, bounds: &Bounds) -> bool {
        let near = bounds.clearance(self.frame.origin);
        if near > self.range_max {
            return false;
        }
        let centre = Corner::new(self.frame.to_local(bounds.centre()));
        let radius = bounds.radius();
        if crossing::is_inside(&centre, radius) {
            return true;
        }
        let hidden = |inverse: &f64| inverse * near >= 1.0;
        self.fan
            .positions_around(centre.turn, half_width(&centre, radius))
            .into_iter()
            .any(|positions| !self.nearest.inverse[positions].iter().all(hidden))
    }

    /// Crosses a piece that is in view.
    fn piece(&mut self, piece: &Piece) {
        if let Outline::Disc(radius) = piece.outline {
            let centre = self.view.corner(piece.corners.start);
            let inside = crossing::is_inside(&centre, radius);
            for chord in crossing::chords(self.fan, &centre, radius) {
                let distance = if inside { chord.exit } else { chord.enter };
                self.nearest.point(chord.position, inverse(distance));
            }
            return;
        }
        let corners = piece.corners.clone();
        let only_outside =
            piece.outline == Outline::Convex && self.view.shows_outside(corners.clone());
        for wall in self.view.walls(corners) {
            // The far side of a solid is behind its near side.
            if !(only_outside && wall.facing > 0.0) {
                wall.cross(self.fan, &mut self.nearest);
            }
        }
    }
}

struct TreeCast<'c, 'a> {
    cast: &'c mut NearestCast<'a>,
    corners: &'c Corners,
}

impl Visitor for TreeCast<'_, '_> {
    fn wants(&self, node: &Node) -> bool {
        self.cast.in_height(&node.z) && self.cast.may_show(&node.bounds)
    }

    fn leaf(&mut self, leaf: Leaf<'_>) {
        self.cast
            .view
            .load(self.cast.frame, self.corners, leaf.corners);
        for piece in leaf.pieces {
            if self.cast.concerns(piece) {
                self.cast.piece(piece);
            }
        }
    }
}
