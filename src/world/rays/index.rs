//! The set of bodies that rays can hit.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use super::RayOrigin;
use super::body::{Body, Bounds, PlacedPart};
use super::cast::HitsCast;
use super::drops::Drops;
use super::fan::Fan;
use super::hits::RayHits;
use super::lane::{Lane, LaneSearch};
use super::nearest::NearestCast;
use super::tree::{Leaf, Node, Tree, Visitor};
use crate::world::{BodyKey, Level, Part, PlanarShape, Pose2, ZExtent};

/// Everything that rays can hit, at its pose of now.
///
/// A new body counts as standing still and goes into a tree that is built at the next cast.
/// The first change of it makes it a moving one, which is looked at body by body and costs
/// no rebuild; after many changes of others without one of its own it stands still again.
/// What a cast returns does not depend on which of the two a body is.
#[derive(Debug, Default)]
pub struct RayIndex {
    still: BTreeMap<BodyKey, Body>,
    moving: BTreeMap<BodyKey, Moving>,
    tree: OnceLock<Tree>,
    drops: Drops,
    /// Changes so far.
    changes: u64,
    next_settling: u64,
}

#[derive(Debug)]
struct Moving {
    body: Body,
    /// Number of its latest change.
    changed: u64,
}

/// Fewer resting bodies than this among the moving are not worth a rebuild.
const SETTLING_MIN: usize = 32;

impl RayIndex {
    /// An index without bodies.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Number of bodies.
    #[must_use]
    pub fn len(&self) -> usize {
        self.still.len() + self.moving.len()
    }

    /// Whether there are no bodies.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds a body, or replaces the one of this key. Shape, pose and extent must be finite,
    /// but for the ends of the extent, which may be infinite.
    pub fn insert(&mut self, key: BodyKey, shape: PlanarShape, pose: Pose2, z: ZExtent) {
        self.insert_parts(key, vec![Part::solid(shape, z)], pose);
    }

    /// Adds a body of several parts, or replaces the one of this key. Numbers as above;
    /// heights are those in the world. All parts are seen, whatever they do to robots.
    pub fn insert_parts(&mut self, key: BodyKey, parts: Vec<Part>, pose: Pose2) {
        let body = Body::new(key, parts, pose);
        if let Some(present) = self.body_mut(key) {
            *present = body;
        } else {
            self.still.insert(key, body);
            self.tree.take();
        }
    }

    /// Adds regions without floor, or replaces those of this key: convex parts, from what is
    /// below them up to the floor of the level they are in. Only rays that lead down notice.
    pub fn insert_drop(&mut self, key: BodyKey, parts: &[Part], pose: Pose2) {
        self.drops.insert(key, parts, pose);
    }

    /// Whether a point of the floor of a level lies inside a region without floor.
    #[must_use]
    pub fn is_over_drop(&self, point: [f64; 2], level: &Level) -> bool {
        self.drops.hold(point, level)
    }

    /// Moves a body; false if there is none of this key.
    pub fn set_pose(&mut self, key: BodyKey, pose: Pose2) -> bool {
        let body = self.body_mut(key);
        let known = body.is_some();
        if let Some(body) = body {
            body.set_pose(pose);
        }
        known
    }

    /// Changes the heights all parts of a body reach from and to; false if there is none of this key.
    pub fn set_extent(&mut self, key: BodyKey, z: ZExtent) -> bool {
        let body = self.body_mut(key);
        let known = body.is_some();
        if let Some(body) = body {
            body.set_extent(z);
        }
        known
    }

    /// Removes a body or the regions of a drop; false if there is nothing of this key.
    pub fn remove(&mut self, key: BodyKey) -> bool {
        if self.still.remove(&key).is_some() {
            self.tree.take();
            return true;
        }
        self.moving.remove(&key).is_some() || self.drops.remove(key)
    }

    /// The nearest hit of each beam of a horizontal fan, in metres and in the order of
    /// beams: infinite where there is none up to and including `range_max`. `out` is
    /// cleared first.
    ///
    /// Seen is what contains the height of the origin, ends included, and reaches into its
    /// level, ends not included: so not a wall of the storey below that ends at this floor.
    pub fn nearest(
        &self,
        origin: &RayOrigin,
        fan: &Fan,
        range_max: f64,
        exclude: Option<BodyKey>,
        out: &mut Vec<f64>,
    ) {
        let mut cast = NearestCast::new(origin, fan, range_max, exclude);
        cast.tree(self.tree());
        for part in self.moving_parts() {
            cast.part(&part.piece(), &part.corners, &part.bounds);
        }
        cast.finish(out);
    }

    /// Distance along x to the nearest place in a lane from an origin, m: exactly, whatever
    /// shape it has. 0 for an origin inside a solid, `None` where the lane is free.
    ///
    /// Seen is what [`Self::nearest`] would see.
    #[must_use]
    pub fn nearest_ahead(
        &self,
        origin: &RayOrigin,
        lane: &Lane,
        exclude: Option<BodyKey>,
    ) -> Option<f64> {
        let mut search = LaneSearch::new(origin, lane, exclude);
        search.tree(self.tree());
        for part in self.moving_parts() {
            search.part(&part.piece(), &part.corners, &part.bounds);
        }
        search.nearest()
    }

    /// Every hit of each beam up to a horizontal distance, at any height, of what reaches
    /// into the level of the origin.
    #[must_use]
    pub fn cast(
        &self,
        origin: &RayOrigin,
        fan: &Fan,
        range_max: f64,
        exclude: Option<BodyKey>,
    ) -> RayHits {
        let mut cast = HitsCast::new(origin, fan, range_max);
        let mut search = Search {
            origin,
            range_max,
            found: BTreeSet::new(),
        };
        self.tree()
            .walk([origin.pose.x, origin.pose.y], &mut search);
        let still = search.found.iter().filter_map(|key| self.still.get(key));
        let moving = self.moving.values().map(|moving| &moving.body);
        for body in still.chain(moving).filter(|b| Some(b.key) != exclude) {
            let reached = |part: &&PlacedPart| search.reaches(&part.bounds, &part.z());
            for part in body.parts.iter().filter(reached) {
                cast.part(part);
            }
        }
        for region in self.drops.near(origin, range_max) {
            cast.drop_region(region);
        }
        cast.finish()
    }

    fn tree(&self) -> &Tree {
        self.tree
            .get_or_init(|| Tree::build(self.still.values().flat_map(|b| &b.parts)))
    }

    fn moving_parts(&self) -> impl Iterator<Item = &PlacedPart> {
        self.moving.values().flat_map(|moving| &moving.body.parts)
    }

    /// A body that is about to change: it counts as moving from now on.
    fn body_mut(&mut self, key: BodyKey) -> Option<&mut Body> {
        self.changes += 1;
        if self.changes >= self.next_settling {
            self.settle();
        }
        if let Some(body) = self.still.remove(&key) {
            self.tree.take();
            let changed = self.changes;
            self.moving.insert(key, Moving { body, changed });
        }
        let moving = self.moving.get_mut(&key)?;
        moving.changed = self.changes;
        Some(&mut moving.body)
    }

    /// Takes what has come to rest back to what stands still, so that a room that was
    /// rearranged once does not stay slow.
    fn settle(&mut self) {
        // Each moving body has had many turns since.
        let window = 1024 + 64 * self.moving.len() as u64;
        let since = self.changes.saturating_sub(window);
        self.next_settling = self.changes + window;
        let resting = |moving: &Moving| moving.changed < since;
        if self.moving.values().filter(|m| resting(m)).count() < SETTLING_MIN {
            return;
        }
        let (rest, moving) = std::mem::take(&mut self.moving)
            .into_iter()
            .partition(|(_, moving)| resting(moving));
        self.moving = moving;
        let rest: BTreeMap<BodyKey, Moving> = rest;
        self.still
            .extend(rest.into_iter().map(|(key, moving)| (key, moving.body)));
        self.tree.take();
    }
}

/// Finds bodies that a cast at all heights may meet.
struct Search<'a> {
    origin: &'a RayOrigin,
    range_max: f64,
    found: BTreeSet<BodyKey>,
}

impl Search<'_> {
    fn reaches(&self, bounds: &Bounds, z: &ZExtent) -> bool {
        let near = bounds.clearance([self.origin.pose.x, self.origin.pose.y]);
        self.origin.level.reached_by(z) && near <= self.range_max
    }
}

impl Visitor for Search<'_> {
    fn wants(&self, node: &Node) -> bool {
        self.reaches(&node.bounds, &node.z)
    }

    fn leaf(&mut self, leaf: Leaf<'_>) {
        self.found.extend(leaf.pieces.iter().map(|piece| piece.key));
    }
}
