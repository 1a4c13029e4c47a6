//! Shapes cut into the convex pieces that contact works with.

use rapier2d::math::Vector;

use super::super::shape::ring_edges;
use super::convex::Convex;
use crate::world::{PlanarShape, Pose2};

/// How far a point of a ring may be beside the line through its neighbours to be taken as
/// on it, metres.
const STRAIGHT: f64 = 1e-9;

/// The pieces of a shape at a pose: a whole polygon or disc, or the segments of a ring. Edges
/// without a length give none.
pub(super) fn pieces_of(shape: &PlanarShape, pose: &Pose2) -> Vec<Convex> {
    let corner = |p: &[f64; 2]| Vector::from(pose.transform_point(*p));
    match shape {
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
