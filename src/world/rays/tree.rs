//! What stands still, in a tree of boxes that is walked from near to far.

use std::ops::Range;

use super::body::{Bounds, Corners, Piece, PlacedPart};
use crate::world::ZExtent;

/// A bounding volume hierarchy over the pieces of parts.
#[derive(Debug, Default)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    pub(super) pieces: Vec<Piece>,
    pub(super) corners: Corners,
}

/// A box that holds pieces.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) bounds: Bounds,
    /// From the lowest to the highest point of what it holds.
    pub(super) z: ZExtent,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Branch([usize; 2]),
    Leaf {
        pieces: Range<usize>,
        corners: Range<usize>,
    },
}

/// Pieces side by side in memory.
pub(super) struct Leaf<'a> {
    pub(super) pieces: &'a [Piece],
    pub(super) corners: Range<usize>,
}

struct Item<'a> {
    part: &'a PlacedPart,
    piece: Piece,
    bounds: Bounds,
}

/// More corners than this are split. Measured: 8 to 32 are alike.
const CORNERS_PER_LEAF: usize = 20;

/// How much more a metre of height separates things than a metre in the plane: rays are
/// flat, storeys thin.
const HEIGHT_WEIGHT: f64 = 10.0;

impl Tree {
    /// Builds the tree; the same parts in the same order give the same tree.
    pub(super) fn build<'a>(parts: impl Iterator<Item = &'a PlacedPart>) -> Self {
        let mut items: Vec<Item<'_>> = parts
            .flat_map(|part| {
                part.pieces().into_iter().map(move |(piece, bounds)| Item {
                    part,
                    piece,
                    bounds,
                })
            })
            .collect();
        let mut tree = Self::default();
        if !items.is_empty() {
            tree.add_node(&mut items);
        }
        tree
    }

    fn add_node(&mut self, items: &mut [Item<'_>]) -> usize {
        let bounds = items
            .iter()
            .fold(Bounds::NOTHING, |all, item| all.union(&item.bounds));
        let z = ZExtent::new(
            items
                .iter()
                .map(|i| i.piece.z.min)
                .fold(f64::INFINITY, f64::min),
            items
                .iter()
                .map(|i| i.piece.z.max)
                .fold(f64::NEG_INFINITY, f64::max),
        );
        let index = self.nodes.len();
        let corners: usize = items.iter().map(|item| item.piece.corners.len()).sum();
        if items.len() == 1 || corners <= CORNERS_PER_LEAF {
            let kind = self.add_leaf(items);
            self.nodes.push(Node { bounds, z, kind });
            return index;
        }
        // Its place comes before its children's.
        self.nodes.push(Node {
            bounds,
            z,
            kind: Kind::Branch([0, 0]),
        });
        let axis = widest_axis(items);
        let middle = items.len() / 2;
        // The order of equal elements is a function of the input alone, too.
        items.select_nth_unstable_by(middle, |a, b| a.centre()[axis].total_cmp(&b.centre()[axis]));
        let (low, high) = items.split_at_mut(middle);
        let children = [self.add_node(low), self.add_node(high)];
        self.nodes[index].kind = Kind::Branch(children);
        index
    }

    fn add_leaf(&mut self, items: &[Item<'_>]) -> Kind {
        let (first_piece, first_corner) = (self.pieces.len(), self.corners.x.len());
        for item in items {
            let start = self.corners.x.len();
            self.corners
                .extend_from(&item.part.corners, item.piece.corners.clone());
            // Within the leaf.
            let corners = start - first_corner..self.corners.x.len() - first_corner;
            self.pieces.push(Piece {
                corners,
                ..item.piece.clone()
            });
        }
        Kind::Leaf {
            pieces: first_piece..self.pieces.len(),
            corners: first_corner..self.corners.x.len(),
        }
    }

    /// Visits leaves, nearer boxes first, below nodes that are wanted.
    pub(super) fn walk(&self, from: [f64; 2], visitor: &mut impl Visitor) {
        let mut stack: Vec<usize> = Vec::with_capacity(64);
        if !self.nodes.is_empty() {
            stack.push(0);
        }
        while let Some(index) = stack.pop() {
            let node = &self.nodes[index];
            if !visitor.wants(node) {
                continue;
            }
            match &node.kind {
                Kind::Leaf { pieces, corners } => visitor.leaf(Leaf {
                    pieces: &self.pieces[pieces.clone()],
                    corners: corners.clone(),
                }),
                Kind::Branch([a, b]) => {
                    let distance = |child: usize| self.nodes[child].bounds.distance(from);
                    if distance(*a) <= distance(*b) {
                        stack.extend([*b, *a]);
                    } else {
                        stack.extend([*a, *b]);
                    }
                }
            }
        }
    }
}

/// Decides what of a tree is walked, and takes the leaves.
pub(super) trait Visitor {
    fn wants(&self, node: &Node) -> bool;
    fn leaf(&mut self, leaf: Leaf<'_>);
}

impl Item<'_> {
    fn centre(&self) -> [f64; 3] {
        let [x, y] = self.bounds.centre();
        // Heights may be infinite.
        let z = self.piece.z.min.clamp(-1e6, 1e6) + self.piece.z.max.clamp(-1e6, 1e6);
        [x, y, 0.5 * HEIGHT_WEIGHT * z]
    }
}

fn widest_axis(items: &[Item<'_>]) -> usize {
    let mut low = [f64::INFINITY; 3];
    let mut high = [f64::NEG_INFINITY; 3];
    for item in items {
        for (axis, value) in item.centre().into_iter().enumerate() {
            low[axis] = low[axis].min(value);
            high[axis] = high[axis].max(value);
        }
    }
    let width = |axis: usize| high[axis] - low[axis];
    let mut widest = 0;
    for axis in 1..3 {
        if width(axis) > width(widest) {
            widest = axis;
        }
    }
    widest
}
