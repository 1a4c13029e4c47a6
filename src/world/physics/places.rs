//! Where the bodies are that nobody drives, in a search tree: there may be many, and most of
//! them stand still.

use rapier2d::math::Vector;
use rapier2d::parry::bounding_volume::Aabb;
use rapier2d::parry::partitioning::Bvh;

use crate::world::BodyKey;

/// Boxes around bodies, by key.
#[derive(Default)]
pub(super) struct Places {
    tree: Bvh,
    keys: Vec<Option<BodyKey>>,
    free: Vec<u32>,
}

impl Places {
    /// Adds a body and returns its slot.
    pub(super) fn insert(&mut self, key: BodyKey, bounds: (Vector, Vector)) -> u32 {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.keys.push(None);
            (self.keys.len() - 1) as u32
        });
        self.keys[slot as usize] = Some(key);
        self.tree.insert(Aabb::new(bounds.0, bounds.1), slot);
        slot
    }

    /// Takes a body out.
    pub(super) fn remove(&mut self, slot: u32) {
        self.tree.remove(slot);
        self.keys[slot as usize] = None;
        self.free.push(slot);
    }

    /// Gives a body other bounds.
    pub(super) fn update(&mut self, slot: u32, bounds: (Vector, Vector)) {
        // An update in place would only ever grow the tree's inner boxes.
        self.tree.remove(slot);
        self.tree.insert(Aabb::new(bounds.0, bounds.1), slot);
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.keys.len() == self.free.len()
    }

    /// The bodies whose bounds come within `distance` of a box along both axes, in any order.
    pub(super) fn near(&self, (low, high): (Vector, Vector), distance: f64) -> Vec<BodyKey> {
        if self.is_empty() {
            return Vec::new();
        }
        let around = Aabb::new(low - distance, high + distance);
        let slots = self.tree.intersect_aabb(&around);
        slots.filter_map(|slot| self.keys[slot as usize]).collect()
    }
}
