use super::*;
use crate::world::{BodyKey, PhysicsDt, PlanarShape, Pose2, ZExtent};

mod charger;
mod door;
mod drop;
mod elevator;
mod in_world;
mod person;
mod shelf;

/// 10 ms.
fn dt() -> PhysicsDt {
    PhysicsDt::from_seconds(0.01).unwrap()
}

/// Steps in so many seconds.
fn steps(seconds: f64) -> usize {
    (seconds * 100.0).round() as usize
}

/// A robot as large as a Kachaka, by its base.
fn robot(key: u32, x: f64, y: f64) -> Actor {
    Actor {
        key: BodyKey(key),
        at: [x, y],
        radius: 0.266,
        z: ZExtent::new(0.0, 0.113),
    }
}

#[track_caller]
fn assert_near(found: f64, expected: f64, within: f64) {
    assert!(
        (found - expected).abs() <= within,
        "{found}, expected {expected} within {within}"
    );
}

#[track_caller]
fn assert_pose(found: Pose2, expected: Pose2, within: f64) {
    let fits = (found.x - expected.x).abs() <= within
        && (found.y - expected.y).abs() <= within
        && (crate::world::normalize_angle(found.yaw - expected.yaw)).abs() <= within;
    assert!(fits, "{found:?}, expected {expected:?} within {within}");
}

/// Asserts that a check fails and that its text names all of these.
#[track_caller]
fn assert_refused(checked: Result<(), BuildingError>, words: &[&str]) {
    let text = checked.expect_err("this must be refused").to_string();
    for word in words {
        assert!(text.contains(word), "'{word}' is not in: {text}");
    }
}

/// The corners of a convex part, or the ends of the two axes of a disc, in the parent frame.
fn outline(part: &Part, thing: Pose2) -> Vec<[f64; 2]> {
    let pose = thing.compose(&part.pose);
    match &part.shape {
        PlanarShape::Convex(points) => points
            .iter()
            .map(|point| pose.transform_point(*point))
            .collect(),
        PlanarShape::Disc(r) => [[*r, 0.0], [0.0, *r], [-r, 0.0], [0.0, -r]]
            .map(|point| pose.transform_point(point))
            .to_vec(),
        PlanarShape::Ring(points) => panic!("a building has no rings: {points:?}"),
    }
}

/// Smallest and largest x and y of all of a thing: [x_min, x_max, y_min, y_max].
fn bounds(parts: &[Part], thing: Pose2) -> [f64; 4] {
    let points = parts.iter().flat_map(|part| outline(part, thing));
    points.fold(
        [
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::INFINITY,
            f64::NEG_INFINITY,
        ],
        |b, [x, y]| [b[0].min(x), b[1].max(x), b[2].min(y), b[3].max(y)],
    )
}
