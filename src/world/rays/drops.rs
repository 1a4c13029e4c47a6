//! Regions of a floor that are none: a ray that leads down there goes on below the floor.

use std::collections::BTreeMap;

use super::RayOrigin;
use super::body::PlacedPart;
use crate::world::{BodyKey, Level, Part, Pose2};

/// Sides of regions that are as near as this have nothing between them, m.
const JOINED: f64 = 1e-9;

/// All regions without floor.
#[derive(Debug, Default)]
pub(super) struct Drops {
    by_key: BTreeMap<BodyKey, Vec<PlacedPart>>,
}

impl Drops {
    /// Adds regions or replaces those of this key. Only convex parts make regions.
    pub(super) fn insert(&mut self, key: BodyKey, parts: &[Part], pose: Pose2) {
        let parts = parts.iter().cloned();
        let placed = parts.map(|part| PlacedPart::new(key, part, &pose));
        self.by_key.insert(key, placed.collect());
    }

    pub(super) fn remove(&mut self, key: BodyKey) -> bool {
        self.by_key.remove(&key).is_some()
    }

    /// Whether a point of the floor of a level lies inside of one; its edge does not.
    pub(super) fn hold(&self, [x, y]: [f64; 2], level: &Level) -> bool {
        let holds = |region: &PlacedPart| {
            let (xs, ys) = (&region.corners.x, &region.corners.y);
            (1..xs.len()).all(|i| {
                let (along_x, along_y) = (xs[i] - xs[i - 1], ys[i] - ys[i - 1]);
                along_x * (y - ys[i - 1]) - along_y * (x - xs[i - 1]) > 0.0
            })
        };
        self.of(level).any(holds)
    }

    /// Those that a cast may reach.
    pub(super) fn near(
        &self,
        origin: &RayOrigin,
        range_max: f64,
    ) -> impl Iterator<Item = &PlacedPart> {
        let from = [origin.pose.x, origin.pose.y];
        let near = move |region: &&PlacedPart| region.bounds.clearance(from) <= range_max;
        self.of(&origin.level).filter(near)
    }

    fn of(&self, level: &Level) -> impl Iterator<Item = &PlacedPart> {
        let floor = level.floor;
        let regions = self.by_key.values().flatten();
        regions.filter(move |region| region.z().max == floor)
    }
}

/// Where a beam is above a region without floor. Distances are horizontal, in metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct DropSpan {
    pub(super) beam: u32,
    pub(super) enter: f64,
    pub(super) exit: f64,
    /// Height of what is below it, m above z = 0 of the world.
    pub(super) bottom: f64,
}

impl DropSpan {
    /// A total order by beam and distance: equal only for the same bits.
    pub(super) fn order(&self, other: &Self) -> std::cmp::Ordering {
        self.beam
            .cmp(&other.beam)
            .then(self.enter.total_cmp(&other.enter))
            .then(self.exit.total_cmp(&other.exit))
            .then(self.bottom.total_cmp(&other.bottom))
    }
}

/// Where a falling ray from a height meets the floor, what is below it, or the side of a
/// region, given where it meets the height of the floor and the regions on its way in their
/// order.
pub(super) fn below_floor(spans: &[DropSpan], z: f64, slope: f64, floor_at: f64) -> f64 {
    let mut at = floor_at;
    for span in spans {
        if at < span.enter - JOINED {
            break;
        }
        if at < span.exit {
            let bottom_at = (span.bottom - z) / slope;
            if bottom_at <= span.exit {
                return bottom_at.max(at);
            }
            at = span.exit;
        }
    }
    at
}
