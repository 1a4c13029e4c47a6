//! Which contacts are real where obstacles join.
//!
//! A wall is often drawn as many short segments or boxes end to end. To a shape that slides
//! along it, the end of the next piece looks like a corner to bump into, although nothing
//! sticks out ("ghost collisions", rapier issue 643). A contact is kept only when the
//! surface it acts on is part of the outside of everything nearby taken together.

use rapier2d::math::Vector;

use super::convex::{Convex, distance_to_segment};
use super::obstacles::Piece;

/// Pieces closer than this count as joined, metres.
const JOINED: f64 = 1e-3;
/// Depth in another solid from which a face counts as covered by it, metres.
const COVERED: f64 = 1e-4;
/// Sine of the smallest angle by which a neighbour must rise above a contact's plane.
const RISES: f64 = 1e-4;

/// Whether a contact on `on` at a point of its surface, acting along a normal, is open to
/// the outside given the other pieces nearby.
pub(super) fn is_exposed<'a>(
    on: &'a Piece,
    point: Vector,
    normal: Vector,
    nearby: impl Iterator<Item = &'a Piece>,
) -> bool {
    let others = nearby.filter(|piece| !std::ptr::eq(*piece, on));
    match face_under(&on.shape, point, normal) {
        Some(face) => {
            let probe = inside_of_face(face, point) + normal * JOINED;
            !others
                .filter(|other| other.box_holds(probe, 0.0))
                .any(|other| other.shape.holds(probe, COVERED))
        }
        None => !others
            .filter(|other| other.box_holds(point, JOINED))
            .any(|other| rises_above(&other.shape, point, normal)),
    }
}

/// The edge that a contact rests on: perpendicular to the normal and under the point.
/// `None` when the contact is one with a corner.
fn face_under(shape: &Convex, point: Vector, normal: Vector) -> Option<[Vector; 2]> {
    let edge = shape.edge_towards(normal);
    let along = edge[1] - edge[0];
    let length = along.length();
    if length < JOINED || normal.dot(along).abs() > RISES * length {
        return None;
    }
    let t = (point - edge[0]).dot(along) / length;
    (-JOINED..=length + JOINED).contains(&t).then_some(edge)
}

/// The point moved along the face until it is clear of the face's ends.
fn inside_of_face(face: [Vector; 2], point: Vector) -> Vector {
    let along = face[1] - face[0];
    let length = along.length();
    let clear = JOINED.min(0.5 * length);
    let t = ((point - face[0]).dot(along) / length).clamp(clear, length - clear);
    face[0] + along * (t / length)
}

/// Whether a shape that touches the point goes up from it along the normal: then the corner
/// at the point is filled, and the shape itself has the contact instead.
fn rises_above(shape: &Convex, point: Vector, normal: Vector) -> bool {
    shape.radius == 0.0
        && touches(shape, point)
        && shape.points().iter().any(|corner| {
            let to = *corner - point;
            normal.dot(to) > RISES * to.length() + 1e-6
        })
}

fn touches(shape: &Convex, point: Vector) -> bool {
    let corners = shape.points();
    shape.holds(point, 0.0)
        || (0..corners.len()).any(|i| {
            let next = corners[(i + 1) % corners.len()];
            distance_to_segment(point, corners[i], next) <= JOINED
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::{BodyKey, Part, PlanarShape, Pose2, ZExtent};

    fn pieces(shapes: &[(PlanarShape, Pose2)]) -> Vec<Piece> {
        shapes
            .iter()
            .enumerate()
            .flat_map(|(i, (shape, pose))| {
                let part = Part::solid(shape.clone(), ZExtent::ALL);
                Piece::of(BodyKey(i as u32), &[part], pose)
            })
            .collect()
    }

    #[test]
    fn a_side_between_two_boxes_is_hidden_and_their_tops_are_not() {
        let unit = PlanarShape::rectangle(1.0, 1.0);
        let all = pieces(&[
            (unit.clone(), Pose2::new(0.0, 0.0, 0.0)),
            (unit, Pose2::new(1.0, 0.0, 0.0)),
        ]);
        let exposed = |i: usize, x: f64, y: f64, n: Vector| {
            is_exposed(&all[i], Vector::new(x, y), n, all.iter())
        };
        assert!(!exposed(1, 0.5, 0.2, -Vector::X), "inside of the joint");
        assert!(!exposed(1, 0.5, 0.5, -Vector::X), "end of the joint");
        assert!(exposed(1, 0.5, 0.5, Vector::Y), "top at the joint");
        assert!(exposed(0, -0.5, 0.0, -Vector::X), "outer side");
        let slanted = Vector::new(-0.1, 1.0).normalize();
        assert!(!exposed(1, 0.5, 0.5, slanted), "corner at the joint");
        assert!(exposed(0, -0.5, 0.5, slanted), "outer corner");
    }

    #[test]
    fn both_walls_of_a_room_hold_right_in_its_corner() {
        let ring = PlanarShape::Ring(vec![[0.0, 0.0], [5.0, 0.0], [5.0, 3.0], [0.0, 3.0]]);
        let all = pieces(&[(ring, Pose2::default())]);
        let corner = Vector::ZERO;
        assert!(is_exposed(&all[0], corner, Vector::Y, all.iter()));
        assert!(is_exposed(&all[3], corner, Vector::X, all.iter()));
        let diagonal = Vector::ONE.normalize();
        assert!(!is_exposed(&all[0], corner, diagonal, all.iter()));
        // From outside, the same corner sticks out.
        assert!(is_exposed(&all[0], corner, -diagonal, all.iter()));
    }
}
