//! Random scenes.

use std::f64::consts::{PI, TAU};

use proptest::prelude::*;
use tatami::world::rays::{Fan, RayIndex, RayOrigin};
use tatami::world::{BodyKey, Level, PlanarShape, Pose2, ZExtent};

#[derive(Debug, Clone)]
pub(crate) struct Thing {
    pub(crate) key: BodyKey,
    pub(crate) shape: PlanarShape,
    pub(crate) pose: Pose2,
    pub(crate) z: ZExtent,
}

impl Thing {
    /// The edges in the world.
    pub(crate) fn edges(&self) -> Vec<[[f64; 2]; 2]> {
        let (PlanarShape::Ring(points) | PlanarShape::Convex(points)) = &self.shape else {
            return Vec::new();
        };
        let placed: Vec<[f64; 2]> = points
            .iter()
            .map(|point| self.pose.transform_point(*point))
            .collect();
        (0..placed.len())
            .map(|i| [placed[i], placed[(i + 1) % placed.len()]])
            .collect()
    }
}

pub(crate) fn index_of(things: &[Thing]) -> RayIndex {
    let mut index = RayIndex::new();
    for thing in things {
        index.insert(thing.key, thing.shape.clone(), thing.pose, thing.z);
    }
    index
}

/// The whole of space above z = 0.
pub(crate) const OPEN: Level = Level {
    floor: 0.0,
    ceiling: f64::INFINITY,
};

pub(crate) fn origin(x: f64, y: f64, yaw: f64, z: f64) -> RayOrigin {
    RayOrigin {
        pose: Pose2::new(x, y, yaw),
        z,
        level: OPEN,
    }
}

pub(crate) fn nearest(index: &RayIndex, origin: &RayOrigin, fan: &Fan, range_max: f64) -> Vec<f64> {
    let mut out = Vec::new();
    index.nearest(origin, fan, range_max, None, &mut out);
    out
}

pub(crate) fn poses(reach: f64) -> impl Strategy<Value = Pose2> {
    (-reach..reach, -reach..reach, -4.0..4.0).prop_map(|(x, y, yaw)| Pose2::new(x, y, yaw))
}

/// Corners on a circle in counter-clockwise order: a convex polygon.
fn convex() -> impl Strategy<Value = PlanarShape> {
    (prop::collection::vec(0.1..1.0, 3..9), 0.1..2.5).prop_map(|(gaps, radius): (Vec<f64>, f64)| {
        let scale = TAU / gaps.iter().sum::<f64>();
        let mut angle = 0.0;
        let mut corners = Vec::new();
        for gap in gaps {
            angle += gap * scale;
            corners.push([radius * angle.cos(), radius * angle.sin()]);
        }
        PlanarShape::Convex(corners)
    })
}

/// A ring of any corners, crossing itself or not.
fn ring() -> impl Strategy<Value = PlanarShape> {
    let corner = (-6.0..6.0, -6.0..6.0).prop_map(|(x, y)| [x, y]);
    prop::collection::vec(corner, 3..40).prop_map(PlanarShape::Ring)
}

pub(crate) fn shapes() -> impl Strategy<Value = PlanarShape> {
    prop_oneof![
        3 => convex(),
        2 => (0.05..2.0).prop_map(PlanarShape::Disc),
        1 => ring(),
    ]
}

/// Heights with many equal ends, on the grid of [`GRID_HEIGHTS`].
fn extents() -> impl Strategy<Value = ZExtent> {
    prop_oneof![
        Just(ZExtent::new(0.0, 1.0)),
        Just(ZExtent::new(0.5, 0.7)),
        Just(ZExtent::new(-3.0, 0.0)),
        Just(ZExtent::new(1.0, 2.5)),
        Just(ZExtent::new(3.0, 5.0)),
        Just(ZExtent::ALL),
    ]
}

pub(crate) const GRID_HEIGHTS: [f64; 6] = [0.0, 0.5, 0.6, 0.7, 1.0, 2.5];

pub(crate) fn things(most: usize) -> impl Strategy<Value = Vec<Thing>> {
    prop::collection::vec((shapes(), poses(12.0), extents()), 0..most).prop_map(|parts| {
        (0..)
            .zip(parts)
            .map(|(key, (shape, pose, z))| Thing {
                key: BodyKey(key),
                shape,
                pose,
                z,
            })
            .collect()
    })
}

/// Uniform fans with either sign and up to more than a full turn, and directions at random.
pub(crate) fn fans() -> impl Strategy<Value = Fan> {
    prop_oneof![
        (-4.0..4.0, -7.0..7.0, 1_usize..500).prop_map(|(start, span, beams)| {
            Fan::uniform(start, span / beams as f64, beams).expect("finite azimuths")
        }),
        prop::collection::vec(-10.0..10.0, 1..200)
            .prop_map(|azimuths| Fan::from_azimuths(azimuths).expect("finite azimuths")),
        // A narrow one that looks over the seam at pi.
        (1_usize..100).prop_map(
            |beams| Fan::uniform(PI - 0.2, 0.4 / beams as f64, beams).expect("finite azimuths")
        ),
    ]
}
