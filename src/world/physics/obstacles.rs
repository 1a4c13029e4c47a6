//! The things robots run into, as convex pieces in a search tree.

use std::collections::BTreeMap;

use rapier2d::math::Vector;
use rapier2d::parry::bounding_volume::Aabb;
use rapier2d::parry::partitioning::Bvh;

use super::convex::Convex;
use super::pieces::pieces_of;
use crate::world::{BodyKey, Part, Pose2, Solidity, ZExtent};

/// One convex piece of an obstacle: a whole box or disc, or one segment of a ring.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    pub(super) key: BodyKey,
    /// Which one of it.
    index: usize,
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
    /// The pieces of something at a pose. Parts that are only seen give none.
    pub(super) fn of(key: BodyKey, parts: &[Part], pose: &Pose2) -> Vec<Self> {
        let mut pieces = Vec::with_capacity(parts.len());
        for part in parts.iter().filter(|p| p.solidity != Solidity::Seen) {
            for shape in pieces_of(&part.shape, &part.placed(pose)) {
                let (low, high) = shape.bounds();
                pieces.push(Self {
                    key,
                    index: pieces.len(),
                    shape,
                    z: part.z,
                    touch_only: part.solidity == Solidity::Touched,
                    carried: 0.0,
                    low,
                    high,
                });
            }
        }
        pieces
    }

    /// Lower and upper corner of the box around the piece.
    pub(super) fn bounds(&self) -> (Vector, Vector) {
        (self.low, self.high)
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
    parts: Vec<Part>,
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
    /// Boxes around what has come or gone since the last step and stops bodies.
    disturbed: Vec<(Vector, Vector)>,
}

impl Obstacles {
    pub(super) fn insert(&mut self, key: BodyKey, parts: Vec<Part>, pose: Pose2) {
        self.remove(key);
        let pieces = Piece::of(key, &parts, &pose);
        let slots = pieces.into_iter().map(|piece| self.store(piece)).collect();
        self.by_key.insert(key, Obstacle { parts, slots });
    }

    pub(super) fn remove(&mut self, key: BodyKey) -> bool {
        let Some(obstacle) = self.by_key.remove(&key) else {
            return false;
        };
        for slot in obstacle.slots {
            if let Some(piece) = self.pieces[slot as usize].take()
                && !piece.touch_only
            {
                self.disturbed.push((piece.low, piece.high));
            }
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
        let pieces = Piece::of(key, &obstacle.parts, &pose);
        if pieces.len() != obstacle.slots.len() {
            // Far from the origin two points may round to one.
            let parts = std::mem::take(&mut obstacle.parts);
            self.insert(key, parts, pose);
            return true;
        }
        let mut stops = false;
        for (slot, mut piece) in obstacle.slots.iter().zip(pieces) {
            let held = &mut self.pieces[*slot as usize];
            if !piece.touch_only {
                stops = true;
                self.disturbed.push((piece.low, piece.high));
                if let Some(old) = held {
                    let moved = old.carried + farthest_move(&old.shape, &piece.shape);
                    piece.carried = if moved <= carry { moved } else { 0.0 };
                }
            }
            // An update in place would only ever grow the tree's inner boxes.
            self.tree.remove(*slot);
            self.tree.insert(Aabb::new(piece.low, piece.high), *slot);
            *held = Some(piece);
        }
        if stops {
            self.carried.push(key);
        }
        true
    }

    /// Takes the boxes around what stops bodies and has come or gone since the last step.
    pub(super) fn take_disturbed(&mut self) -> Vec<(Vector, Vector)> {
        std::mem::take(&mut self.disturbed)
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
        self.disturbed.clear();
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
        out.sort_unstable_by_key(|piece| (piece.key, piece.index));
    }

    fn store(&mut self, piece: Piece) -> u32 {
        let aabb = Aabb::new(piece.low, piece.high);
        if !piece.touch_only {
            self.disturbed.push((piece.low, piece.high));
        }
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
