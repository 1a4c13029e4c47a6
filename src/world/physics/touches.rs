//! What touches a robot.

use super::convex::Convex;
use rapier2d::math::Vector;

use super::obstacles::Obstacles;
use super::robot::Robot;
use super::separation::{Axis, contact_points, distance};
use crate::world::BodyKey;

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
}

/// Everything that touches one of the robots, by key: at its deepest place.
pub(super) fn of(robot: &Robot, robots: &[Robot], obstacles: &Obstacles) -> Vec<Touch> {
    let body = robot.footprint.placed(&robot.pose);
    let mut axes = Vec::new();
    let mut deepest: Vec<(f64, Touch)> = Vec::new();
    let mut check = |other: BodyKey, shape: &Convex| {
        let Some(axis) = distance(&body, shape, CONTACT_MARGIN, &mut axes) else {
            return;
        };
        let touch = touch(other, &body, shape, &axis);
        match deepest.last_mut() {
            Some((gap, held)) if held.other == other => {
                if axis.start < *gap {
                    (*gap, *held) = (axis.start, touch);
                }
            }
            _ => deepest.push((axis.start, touch)),
        }
    };
    let mut nearby = Vec::new();
    obstacles.near(body.bounds(), CONTACT_MARGIN, &robot.z, &mut nearby);
    for piece in nearby {
        check(piece.key, &piece.shape);
    }
    for other in robots {
        let close = robot.reach + other.reach + CONTACT_MARGIN;
        if other.key != robot.key
            && other.z.overlaps(&robot.z)
            && other.position().distance(robot.position()) <= close
        {
            check(other.key, &other.footprint.placed(&other.pose));
        }
    }
    deepest.sort_by_key(|(_, touch)| touch.other);
    deepest.into_iter().map(|(_, touch)| touch).collect()
}

fn touch(other: BodyKey, body: &Convex, shape: &Convex, axis: &Axis) -> Touch {
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
    }
}
