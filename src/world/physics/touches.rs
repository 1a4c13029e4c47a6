//! What touches a body.

use std::collections::BTreeMap;

use rapier2d::math::Vector;

use super::body::{Body, BodyPiece};
use super::convex::Convex;
use super::obstacles::{Obstacles, Piece};
use super::separation::{Axis, contact_points, distance};
use crate::world::{BodyKey, ZExtent};

/// How close something must be to touch, in metres: contacts come to rest with gaps far
/// below it, and it is less than a bumper's travel.
pub const CONTACT_MARGIN: f64 = 1e-3;

/// Something that touches a robot.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Touch {
    /// What touches it.
    pub other: BodyKey,
    /// Middle of the contact in the world frame, metres.
    pub position: [f64; 2],
    /// Unit vector in the world frame from the other towards the robot.
    pub normal: [f64; 2],
    /// How deep the two overlap, metres; 0 when they are just within [`CONTACT_MARGIN`].
    pub depth: f64,
    /// The heights that the two parts which touch share.
    pub z: ZExtent,
}

/// Collects what touches, each thing at its deepest place.
struct Deepest {
    /// The pieces of the body that is asked about.
    own: Vec<(Convex, ZExtent)>,
    axes: Vec<Axis>,
    found: Vec<(f64, Touch)>,
}

impl Deepest {
    /// Looks at a piece of a thing; all of one thing one after the other.
    fn look(&mut self, key: BodyKey, shape: &Convex, other: &ZExtent) {
        for (body, z) in &self.own {
            if !z.overlaps(other) {
                continue;
            }
            let Some(axis) = distance(body, shape, CONTACT_MARGIN, &mut self.axes) else {
                continue;
            };
            let z = ZExtent::new(z.min.max(other.min), z.max.min(other.max));
            let touch = touch(key, body, shape, &axis, z);
            match self.found.last_mut() {
                Some((gap, held)) if held.other == key => {
                    if axis.start < *gap {
                        (*gap, *held) = (axis.start, touch);
                    }
                }
                _ => self.found.push((axis.start, touch)),
            }
        }
    }
}

/// Everything that touches a body, by key: at its deepest place.
pub(super) fn of<'a>(
    body: &Body,
    others: impl Iterator<Item = &'a Body>,
    obstacles: &Obstacles,
) -> Vec<Touch> {
    let placed = |body: &Body, piece: &BodyPiece| (piece.shape.placed(&body.pose), piece.z);
    let own: Vec<_> = body.pieces.iter().map(|p| placed(body, p)).collect();
    let bounds = own.iter().map(|(shape, _)| shape.bounds());
    let bounds = bounds.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
    let mut deepest = Deepest {
        own,
        axes: Vec::new(),
        found: Vec::new(),
    };
    let mut nearby = Vec::new();
    if let Some(bounds) = bounds {
        obstacles.near(bounds, CONTACT_MARGIN, &body.z, &mut nearby);
    }
    for piece in nearby {
        deepest.look(piece.key, &piece.shape, &piece.z);
    }
    for other in others {
        let close = body.reach + other.reach + CONTACT_MARGIN;
        if other.key != body.key
            && other.z.overlaps(&body.z)
            && other.position().distance(body.position()) <= close
        {
            for piece in other.pieces.iter() {
                let (shape, z) = placed(other, piece);
                deepest.look(other.key, &shape, &z);
            }
        }
    }
    let mut found = deepest.found;
    found.sort_by_key(|(_, touch)| touch.other);
    found.into_iter().map(|(_, touch)| touch).collect()
}

/// Whatever a set of pieces would overlap of some bodies and of what can be touched, and how
/// deep, in metres, by key.
pub(super) fn overlaps<'a>(
    pieces: &[Piece],
    bodies: impl Iterator<Item = &'a Body> + Clone,
    obstacles: &Obstacles,
) -> Vec<(BodyKey, f64)> {
    let mut deepest: BTreeMap<BodyKey, f64> = BTreeMap::new();
    let mut axes = Vec::new();
    let mut look = |own: &Piece, key: BodyKey, shape: &Convex, z: &ZExtent| {
        if key == own.key || !own.z.overlaps(z) {
            return;
        }
        if let Some(axis) = distance(&own.shape, shape, 0.0, &mut axes)
            && axis.start < 0.0
        {
            let held = deepest.entry(key).or_insert(0.0);
            *held = held.max(-axis.start);
        }
    };
    let mut nearby = Vec::new();
    for own in pieces {
        obstacles.near(own.bounds(), 0.0, &own.z, &mut nearby);
        for piece in nearby.iter().filter(|piece| piece.touch_only) {
            look(own, piece.key, &piece.shape, &piece.z);
        }
        for body in bodies.clone() {
            if own.box_meets(body.bounds(), 0.0) {
                for piece in body.pieces.iter() {
                    look(own, body.key, &piece.shape.placed(&body.pose), &piece.z);
                }
            }
        }
    }
    deepest.into_iter().collect()
}

fn touch(other: BodyKey, body: &Convex, shape: &Convex, axis: &Axis, z: ZExtent) -> Touch {
    let (points, count) = contact_points(body, shape, axis);
    // Of a side that lies flat, the middle; of one that tilts, the deeper end.
    let deepest = points[..count]
        .iter()
        .fold(f64::INFINITY, |low, p| low.min(p.gap));
    let mut sum = Vector::ZERO;
    let mut taken = 0.0;
    for point in points[..count].iter().filter(|p| p.gap <= deepest + 1e-6) {
        let (on_body, on_other) = (
            point.on_a - axis.normal * body.radius,
            point.on_b + axis.normal * shape.radius,
        );
        sum += 0.5 * (on_body + on_other);
        taken += 1.0;
    }
    Touch {
        other,
        position: (sum / taken).to_array(),
        normal: axis.normal.to_array(),
        depth: (-axis.start).max(0.0),
        z,
    }
}
