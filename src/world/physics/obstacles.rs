//! The things robots run into, as convex pieces in a search tree.

use std::collections::BTreeMap;

use rapier2d::math::Vector;
use rapier2d::parry::bounding_volume::Aabb;
use rapier2d::parry::partitioning::Bvh;

use super::super::shape::ring_edges;
use super::convex::Convex;
use crate::world::{BodyKey, PlanarShape, Pose2, ZExtent};

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
            PlanarShape::Ring(points) => ring_edges(points)
                .filter_map(|(a, b)| Convex::from_corners(&[corner(a), corner(b)]))
                .collect(),
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

    /// Distance of a point from the box around the piece.
    pub(super) fn box_distance(&self, point: Vector) -> f64 {
        (self.low - point)
            .max(point - self.high)
            .max(Vector::ZERO)
            .length()
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
            if let Some(old) = held {
                let moved = old.carried + farthest_move(&old.shape, &piece.shape);
                piece.carried = if moved <= carry { moved } else { 0.0 };
            }
            // An update in place would only ever grow the tree's inner boxes.
            self.tree.remove(*slot);
            self.tree.insert(Aabb::new(piece.low, piece.high), *slot);
            *held = Some(piece);
        }
        self.carried.push(key);
        true
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

    /// Everything whose box comes within `distance` of a point in the largest norm and
    /// whose heights overlap, in an order that does not depend on the tree.
    pub(super) fn near<'a>(
        &'a self,
        center: Vector,
        distance: f64,
        z: &ZExtent,
        out: &mut Vec<&'a Piece>,
    ) {
        out.clear();
        let around = Aabb::new(center - distance, center + distance);
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

fn farthest_move(from: &Convex, to: &Convex) -> f64 {
    from.points()
        .iter()
        .zip(to.points())
        .fold(0.0, |far, (a, b)| far.max(a.distance(*b)))
}
