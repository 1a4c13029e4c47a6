//! Rays through corners, along walls and from walls.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use proptest::prelude::*;
use tatami::world::rays::{Fan, RayIndex};
use tatami::world::{BodyKey, PlanarShape, Pose2, ZExtent};

use crate::scene::{self, nearest, origin};

/// A closed ring of walls of 5 cm around the origin.
fn chain() -> Vec<[f64; 2]> {
    let side: Vec<f64> = (0..200).map(|i| -5.0 + 0.05 * f64::from(i)).collect();
    let mut ring = Vec::new();
    ring.extend(side.iter().map(|s| [*s, -5.0]));
    ring.extend(side.iter().map(|s| [5.0, *s]));
    ring.extend(side.iter().map(|s| [-s, 5.0]));
    ring.extend(side.iter().map(|s| [-5.0, -s]));
    ring
}

/// Whatever the pose: beams at the corners themselves and within a few bits of them.
fn assert_no_gaps(shape: &PlanarShape, ring: &[[f64; 2]], placed: Pose2, from: Pose2) {
    let mut azimuths = Vec::new();
    for corner in ring {
        let at = placed.transform_point(*corner);
        let [x, y] = from.inverse_transform_point(at);
        let azimuth = libm::atan2(y, x);
        azimuths.push(azimuth);
        azimuths.extend((1..4).map(|ulps| azimuth + f64::from(ulps) * 1e-16));
        azimuths.extend((1..4).map(|ulps| azimuth - f64::from(ulps) * 1e-16));
    }
    let mut index = RayIndex::new();
    index.insert(BodyKey(0), shape.clone(), placed, ZExtent::ALL);
    let fan = Fan::from_azimuths(azimuths).expect("finite azimuths");
    let from = origin(from.x, from.y, from.yaw, 0.5);
    let got = nearest(&index, &from, &fan, 100.0);
    let hits = index.cast(&from, &fan, 100.0, None).first(0.0);
    for (beam, distance) in got.iter().enumerate() {
        let corner = ring[beam / 7];
        let [x, y] = placed.transform_point(corner);
        let expected = (x - from.pose.x).hypot(y - from.pose.y);
        assert!(
            (distance - expected).abs() < 1e-9,
            "{corner:?}: {distance} {expected}"
        );
        assert!(
            (hits[beam] - expected).abs() < 1e-9,
            "{corner:?}: {} {expected}",
            hits[beam]
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_ray_slips_between_walls(placed in scene::poses(30.0), offset in scene::poses(3.0)) {
        let ring = chain();
        let from = placed.compose(&offset);
        assert_no_gaps(&PlanarShape::Ring(ring.clone()), &ring, placed, from);
    }

    /// A wall that leads away from the origin, give or take a few bits: what is met lies
    /// between its ends.
    #[test]
    fn wall_seen_end_on_is_met_between_its_ends(
        from in scene::poses(30.0),
        azimuth in -4.0..4.0,
        near in 0.1..5.0,
        length in 0.01..20.0,
        bits in -8_i32..8,
    ) {
        let at = |distance: f64, azimuth: f64| {
            let (sin, cos) = libm::sincos(azimuth);
            from.transform_point([distance * cos, distance * sin])
        };
        let twist = f64::from(bits) * 1e-16;
        let wall = vec![at(near, azimuth), at(near + length, azimuth + twist)];
        let mut index = RayIndex::new();
        index.insert(BodyKey(0), PlanarShape::Ring(wall), Pose2::default(), ZExtent::ALL);
        let azimuths = (-40..40).map(|k| azimuth + 1e-16 * f64::from(k)).collect();
        let fan = Fan::from_azimuths(azimuths).unwrap();
        let got = nearest(&index, &origin(from.x, from.y, from.yaw, 0.5), &fan, 100.0);
        for distance in got {
            prop_assert!(
                distance == f64::INFINITY
                    || (near - 1e-9 <= distance && distance <= near + length + 1e-9),
                "{} not in {} + {}", distance, near, length
            );
        }
    }

    #[test]
    fn no_ray_leaves_a_solid_through_its_corners(
        placed in scene::poses(30.0),
        offset in scene::poses(0.4),
    ) {
        let ring = [[-1.0, -0.5], [1.0, -0.5], [1.0, 0.5], [-1.0, 0.5]];
        let from = placed.compose(&offset);
        assert_no_gaps(&PlanarShape::Convex(ring.to_vec()), &ring, placed, from);
    }
}

#[test]
fn aligned_chain_has_no_gaps() {
    let ring = chain();
    for from in [
        Pose2::default(),
        Pose2::new(0.05, -0.1, 0.0),
        Pose2::new(1.0, 2.0, PI),
    ] {
        assert_no_gaps(
            &PlanarShape::Ring(ring.clone()),
            &ring,
            Pose2::default(),
            from,
        );
    }
}

#[test]
fn along_a_wall_its_nearer_end_is_met() {
    let mut index = RayIndex::new();
    let wall = PlanarShape::Ring(vec![[2.0, 0.0], [5.0, 0.0]]);
    index.insert(BodyKey(0), wall, Pose2::default(), ZExtent::ALL);
    let fan = Fan::uniform(0.0, FRAC_PI_2, 4).unwrap();
    let inf = f64::INFINITY;
    let got = nearest(&index, &origin(0.0, 0.0, 0.0, 0.0), &fan, 10.0);
    assert_eq!(got, [2.0, inf, inf, inf]);
    let got = nearest(&index, &origin(3.0, 0.0, 0.0, 0.0), &fan, 10.0);
    assert_eq!((got[0], got[2]), (0.0, 0.0), "on the wall: {got:?}");
    // Turned by pi, which has no exact sine: a meeting or a clean miss.
    let got = nearest(&index, &origin(8.0, 0.0, PI, 0.0), &fan, 10.0);
    assert!(got[0] == inf || (got[0] - 3.0).abs() < 1e-12, "{got:?}");
    assert_eq!(got[1..], [inf, inf, inf]);
}

#[test]
fn on_a_wall_every_beam_across_it_reads_zero() {
    let mut index = RayIndex::new();
    let wall = PlanarShape::Ring(vec![[-1.0, -1.0], [2.0, 2.0]]);
    index.insert(BodyKey(0), wall, Pose2::default(), ZExtent::ALL);
    let fan = Fan::uniform(0.1, 0.2, 31).unwrap();
    for (x, y) in [(0.0, 0.0), (0.5, 0.5), (2.0, 2.0)] {
        let got = nearest(&index, &origin(x, y, 0.0, 0.0), &fan, 10.0);
        assert_eq!(got, [0.0; 31], "({x}, {y})");
    }
}

/// Places that are as unlucky as can be: on corners, on lines through walls, on circles.
#[test]
fn no_nan_from_unlucky_places() {
    let mut index = RayIndex::new();
    let grid: Vec<[f64; 2]> = vec![[0.0, 0.0], [1.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
    let shapes = [
        PlanarShape::Ring(grid.clone()),
        PlanarShape::Convex(grid),
        PlanarShape::Disc(1.0),
        PlanarShape::Ring(vec![[0.5, 0.5]]),
        PlanarShape::Ring(Vec::new()),
        PlanarShape::Convex(vec![[0.0, 0.0], [1e-300, 0.0], [0.0, 1e-300]]),
        PlanarShape::Ring(vec![[-1e200, 1.0], [1e200, 1.0], [0.0, 1e308]]),
    ];
    for (shape, key) in shapes.into_iter().zip(0..) {
        index.insert(
            BodyKey(key),
            shape,
            Pose2::default(),
            ZExtent::new(0.0, 1.0),
        );
    }
    let fan = Fan::uniform(-PI, TAU / 64.0, 72).unwrap();
    let steps = [-1.0, -0.5, -1e-17, 0.0, 1e-300, 0.5, 1.0, 2.0, 1e150];
    for x in steps {
        for y in steps {
            for yaw in [0.0, FRAC_PI_2, PI, 0.3] {
                let from = origin(x, y, yaw, 1.0);
                let got = nearest(&index, &from, &fan, 1e3);
                let hits = index.cast(&from, &fan, 1e3, None);
                for slope in [0.0, -0.5, 0.5, -1e12, f64::NEG_INFINITY] {
                    for distance in got.iter().chain(&hits.first(slope)) {
                        assert!(*distance >= 0.0, "({x}, {y}, {yaw}) {slope}: {distance}");
                    }
                }
            }
        }
    }
}
