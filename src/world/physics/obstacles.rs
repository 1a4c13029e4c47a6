//! The things robots run into, as convex pieces in a search tree.

use std::collections::BTreeMap;

use rapier2d::math::Vector;
use rapier2d::parry::bounding_volume::Aabb;
use rapier2d::parry::partitioning::Bvh;

use super::super::shape::ring_edges;
use super::convex::Convex;
use crate::world::{BodyKey, PlanarShape, Pose2, ZExtent};

/// How far a point of a ring may be beside the line through its neighbours to be taken as
/// on it, metres.
const STRAIGHT: f64 = 1e-9;

/// One convex part of an obstacle: a whole box or disc, or one segment of a ring.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    pub(super) key: BodyKey,
    /// Which part of it.
    part: usize,
    /// In the world frame.
    pub(super) shape: Convex,
    pub(super) z: ZExtent,
    /// Touching it is reported, but it neither stops nor pushes anybody.
    pub(super) touch_only: bool,
    /// How far it was carried since the last step, metres; 0 after a jump.
    pub(super) carried: f64,
    low: Vector,
    high: Vector,
}

impl Piece {
    /// The pieces of a shape at a pose. Edges without a length give none.
    pub(super) fn of(
        key: BodyKey,
        shape: &PlanarShape,
        pose: &Pose2,
        z: ZExtent,
        touch_only: bool,
    ) -> Vec<Self> {
        let corner = |p: &[f64; 2]| Vector::from(pose.transform_point(*p));
        let shapes: Vec<Convex> = match shape {
            PlanarShape::Ring(points) => {
                let corners: Vec<Vector> = points.iter().map(corner).collect();
                ring_edges(&without_straight_corners(&corners))
                    .filter_map(|(a, b)| Convex::from_corners(&[*a, *b]))
                    .collect()
            }
            PlanarShape::Convex(points) => {
                let corners: Vec<Vector> = points.iter().map(corner).collect();
                Convex::from_corners(&corners).into_iter().collect()
            }
            PlanarShape::Disc(radius) => vec![Convex::disc(corner(&[0.0, 0.0]), *radius)],
        };
        shapes
            .into_iter()
            .enumerate()
            .map(|(part, shape)| {
                let (low, high) = shape.bounds();
                Self {
                    key,
                    part,
                    shape,
                    z,
                    touch_only,
                    carried: 0.0,
                    low,
                    high,
                }
            })
            .collect()
    }

    /// Whether the box around the piece, grown by a margin, holds a point.
    pub(super) fn box_holds(&self, point: Vector, margin: f64) -> bool {
        point.cmpge(self.low - margin).all() && point.cmple(self.high + margin).all()
    }

    /// Whether the box around the piece comes within `margin` of another box.
    pub(super) fn box_meets(&self, (low, high): (Vector, Vector), margin: f64) -> bool {
        low.cmple(self.high + margin).all() && high.cmpge(self.low - margin).all()
    }
}

#[derive(Debug)]
struct Obstacle {
    shape: PlanarShape,
    pose: Pose2,
    z: ZExtent,
    touch_only: bool,
    slots: Vec<u32>,
}

/// All obstacles by key, and a tree over their pieces that is current at any time.
#[derive(Default)]
pub(super) struct Obstacles {
    by_key: BTreeMap<BodyKey, Obstacle>,
    pieces: Vec<Option<Piece>>,
    free: Vec<u32>,
    tree: Bvh,
    carried: Vec<BodyKey>,
}

impl Obstacles {
    pub(super) fn insert(
        &mut self,
        key: BodyKey,
        shape: PlanarShape,
        pose: Pose2,
        z: ZExtent,
        touch_only: bool,
    ) {
        self.remove(key);
        let pieces = Piece::of(key, &shape, &pose, z, touch_only);
        let slots = pieces.into_iter().map(|piece| self.store(piece)).collect();
        let obstacle = Obstacle {
            shape,
            pose,
            z,
            touch_only,
            slots,
        };
        self.by_key.insert(key, obstacle);
    }

    pub(super) fn remove(&mut self, key: BodyKey) -> bool {
        let Some(obstacle) = self.by_key.remove(&key) else {
            return false;
        };
        for slot in obstacle.slots {
            self.pieces[slot as usize] = None;
            self.tree.remove(slot);
            self.free.push(slot);
        }
        true
    }

    /// Moves an obstacle. Up to `carry` metres it counts as carried there and pushes what
    /// is in its way along; farther is a jump.
    pub(super) fn set_pose(&mut self, key: BodyKey, pose: Pose2, carry: f64) -> bool {
        let Some(obstacle) = self.by_key.get_mut(&key) else {
            return false;
        };
        obstacle.pose = pose;
        let pieces = Piece::of(key, &obstacle.shape, &pose, obstacle.z, obstacle.touch_only);
        if pieces.len() != obstacle.slots.len() {
            // Far from the origin two points may round to one.
            let (shape, z, touch_only) = (obstacle.shape.clone(), obstacle.z, obstacle.touch_only);
            self.insert(key, shape, pose, z, touch_only);
            return true;
        }
        for (slot, mut piece) in obstacle.slots.iter().zip(pieces) {
            let held = &mut self.pieces[*slot as usize];
            if let Some(old) = held
                && !obstacle.touch_only
            {
                let moved = old.carried + farthest_move(&old.shape, &piece.shape);
                piece.carried = if moved <= carry { moved } else { 0.0 };
            }
            // An update in place would only ever grow the tree's inner boxes.
            self.tree.remove(*slot);
            self.tree.insert(Aabb::new(piece.low, piece.high), *slot);
            *held = Some(piece);
        }
        if !obstacle.touch_only {
            self.carried.push(key);
        }
        true
    }

    /// The farthest that anything this close to a box was carried since the last step.
    pub(super) fn carry_near(&self, bounds: (Vector, Vector), distance: f64, z: &ZExtent) -> f64 {
        if self.carried.is_empty() {
            return 0.0;
        }
        let mut nearby = Vec::new();
        self.near(bounds, distance, z, &mut nearby);
        nearby
            .iter()
            .fold(0.0, |most, piece| most.max(piece.carried))
    }

    /// Ends a step: what was carried before it stands still now.
    pub(super) fn settle(&mut self) {
        for key in self.carried.drain(..) {
            for slot in self.by_key.get(&key).iter().flat_map(|o| &o.slots) {
                if let Some(piece) = &mut self.pieces[*slot as usize] {
                    piece.carried = 0.0;
                }
            }
        }
    }

    /// Everything whose box comes within `distance` of a box along both axes and whose
    /// heights overlap, in an order that does not depend on the tree.
    pub(super) fn near<'a>(
        &'a self,
        (low, high): (Vector, Vector),
        distance: f64,
        z: &ZExtent,
        out: &mut Vec<&'a Piece>,
    ) {
        out.clear();
        let around = Aabb::new(low - distance, high + distance);
        out.extend(
            self.tree
                .intersect_aabb(&around)
                .filter_map(|slot| self.pieces[slot as usize].as_ref())
                .filter(|piece| piece.z.overlaps(z)),
        );
        // The tree's order depends on what was inserted and removed before.
        out.sort_unstable_by_key(|piece| (piece.key, piece.part));
    }

    fn store(&mut self, piece: Piece) -> u32 {
        let aabb = Aabb::new(piece.low, piece.high);
        let slot = self.free.pop().unwrap_or_else(|| {
            self.pieces.push(None);
            (self.pieces.len() - 1) as u32
        });
        self.tree.insert(aabb, slot);
        self.pieces[slot as usize] = Some(piece);
        slot
    }
}

/// A ring without the points that only cut its straight sides, as grid maps have many.
fn without_straight_corners(ring: &[Vector]) -> Vec<Vector> {
    let mut kept: Vec<Vector> = Vec::with_capacity(ring.len());
    for (at, point) in ring.iter().enumerate() {
        let next = ring[(at + 1) % ring.len()];
        let straight = kept.last().is_some_and(|last| {
            let (to, on) = (*point - *last, next - *point);
            let length = (to + on).length();
            // The same way on, and no farther from the straight line than allowed.
            to.dot(on) > 0.0 && to.perp_dot(on).abs() <= STRAIGHT * length
        });
        if !straight {
            kept.push(*point);
        }
    }
    kept
}

fn farthest_move(from: &Convex, to: &Convex) -> f64 {
    from.points()
        .iter()
        .zip(to.points())
        .fold(0.0, |far, (a, b)| far.max(a.distance(*b)))
}
