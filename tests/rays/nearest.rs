//! The nearest hit of horizontal fans.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use proptest::prelude::*;
use tatami::world::rays::{Fan, RayIndex};
use tatami::world::{BodyKey, Level, PlanarShape, Pose2, ZExtent};

use crate::reference::assert_is_first;
use crate::scene::{self, GRID_HEIGHTS, OPEN, Thing, index_of, nearest, origin};

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn matches_the_textbook(
        things in scene::things(40),
        fan in scene::fans(),
        pose in scene::poses(12.0),
        height in prop::sample::select(&GRID_HEIGHTS),
        range_max in 1.0..30.0,
        excluded in 0_u32..40,
    ) {
        let mut from = origin(pose.x, pose.y, pose.yaw, height);
        from.level = Level { floor: 0.0, ceiling: 3.0 };
        let exclude = Some(BodyKey(excluded));
        let index = index_of(&things);
        let mut got = Vec::new();
        index.nearest(&from, &fan, range_max, exclude, &mut got);
        prop_assert_eq!(got.len(), fan.len());
        for (beam, distance) in got.iter().enumerate() {
            assert_is_first(*distance, &things, &from, &fan, beam, (0.0, range_max, exclude));
        }
    }
}

#[test]
fn nothing_there_is_infinite() {
    let fan = Fan::uniform(-PI, 0.01, 629).unwrap();
    let got = nearest(&RayIndex::new(), &origin(0.0, 0.0, 0.0, 0.1), &fan, 10.0);
    assert_eq!(got, vec![f64::INFINITY; 629]);
}

/// Four walls 10 m apart and four columns of 1 m, as closed formulas.
#[test]
fn room_with_four_columns_is_exact() {
    const COLUMNS: [[f64; 2]; 4] = [
        [2.41806, 2.99539],
        [-1.47419, 3.26413],
        [-1.92344, -1.28292],
        [2.38073, -1.40372],
    ];
    let mut index = RayIndex::new();
    let room = vec![[-5.0, -5.0], [5.0, -5.0], [5.0, 5.0], [-5.0, 5.0]];
    index.insert(
        BodyKey(0),
        PlanarShape::Ring(room),
        Pose2::default(),
        ZExtent::ALL,
    );
    for (column, key) in COLUMNS.iter().zip(1..) {
        let pose = Pose2::new(column[0], column[1], f64::from(key));
        index.insert(BodyKey(key), PlanarShape::Disc(0.5), pose, ZExtent::ALL);
    }
    let fan = Fan::uniform(-PI, TAU / 1440.0, 1440).unwrap();
    let (x, y) = (0.1, -0.2);
    let got = nearest(&index, &origin(x, y, 0.0, 1.0), &fan, 20.0);
    let mut columns_hit = 0;
    for (beam, distance) in got.iter().enumerate() {
        let (sin, cos) = fan.azimuths()[beam].sin_cos();
        let to_x = (5.0 - x * cos.signum()) / cos.abs();
        let to_y = (5.0 - y * sin.signum()) / sin.abs();
        let mut expected = to_x.min(to_y);
        for [cx, cy] in COLUMNS {
            let middle = (cx - x) * cos + (cy - y) * sin;
            let offset = (cx - x) * sin - (cy - y) * cos;
            if middle > 0.0 && offset.abs() < 0.5 {
                expected = expected.min(middle - (0.25 - offset * offset).sqrt());
                columns_hit += 1;
            }
        }
        assert!(
            (distance - expected).abs() < 1e-9,
            "{beam}: {distance} {expected}"
        );
    }
    // Each column covers 2 asin(0.5 / d) of the circle.
    let covered: f64 = COLUMNS
        .iter()
        .map(|[cx, cy]| 2.0 * (0.5 / (cx - x).hypot(cy - y)).asin())
        .sum();
    let expected = covered / TAU * 1440.0;
    assert!(
        (f64::from(columns_hit) - expected).abs() < 8.0,
        "{columns_hit} {expected}"
    );
}

#[test]
fn range_ends_at_range_max_included() {
    let mut index = RayIndex::new();
    let wall = PlanarShape::Ring(vec![[4.0, -1.0], [4.0, 1.0]]);
    index.insert(BodyKey(0), wall, Pose2::default(), ZExtent::ALL);
    let fan = Fan::uniform(0.0, 0.1, 1).unwrap();
    let from = origin(0.0, 0.0, 0.0, 1.0);
    assert_eq!(nearest(&index, &from, &fan, 4.0), [4.0]);
    for range_max in [3.999_999, 0.0, -1.0, f64::NAN] {
        let got = nearest(&index, &from, &fan, range_max);
        assert_eq!(got, [f64::INFINITY], "{range_max}");
    }
    assert_eq!(nearest(&index, &from, &fan, f64::INFINITY), [4.0]);
}

#[test]
fn heights_count_with_their_ends_but_levels_without() {
    let mut index = RayIndex::new();
    let box_ahead = Pose2::new(3.0, 0.0, 0.0);
    index.insert(
        BodyKey(0),
        PlanarShape::rectangle(2.0, 2.0),
        box_ahead,
        ZExtent::new(1.0, 3.0),
    );
    let fan = Fan::uniform(0.0, 0.1, 1).unwrap();
    let at = |z: f64, level: Level| {
        let mut from = origin(0.0, 0.0, 0.0, z);
        from.level = level;
        nearest(&index, &from, &fan, 10.0)[0]
    };
    assert_eq!(at(1.0, OPEN), 2.0, "the lower end");
    assert_eq!(at(3.0, OPEN), 2.0, "the upper end");
    assert_eq!(at(0.999, OPEN), f64::INFINITY, "below");
    assert_eq!(at(3.001, OPEN), f64::INFINITY, "above");
    let upstairs = Level {
        floor: 3.0,
        ceiling: 6.0,
    };
    assert_eq!(at(3.0, upstairs), f64::INFINITY, "ends at this floor");
    let downstairs = Level {
        floor: -2.0,
        ceiling: 1.0,
    };
    assert_eq!(at(1.0, downstairs), f64::INFINITY, "starts at this ceiling");
    index.set_extent(BodyKey(0), ZExtent::new(1.0, 3.1));
    let mut from = origin(0.0, 0.0, 0.0, 3.0);
    from.level = upstairs;
    assert_eq!(nearest(&index, &from, &fan, 10.0), [2.0], "reaches in");
}

#[test]
fn from_inside_a_solid_its_boundary_is_seen() {
    let fan = Fan::uniform(0.0, FRAC_PI_2, 4).unwrap();
    let mut index = RayIndex::new();
    index.insert(
        BodyKey(0),
        PlanarShape::rectangle(4.0, 2.0),
        Pose2::default(),
        ZExtent::ALL,
    );
    let got = nearest(&index, &origin(0.5, 0.25, 0.0, 0.0), &fan, 10.0);
    for (distance, expected) in got.iter().zip([1.5, 0.75, 2.5, 1.25]) {
        assert!((distance - expected).abs() < 1e-12, "{got:?}");
    }
    index.insert(
        BodyKey(0),
        PlanarShape::Disc(2.0),
        Pose2::default(),
        ZExtent::ALL,
    );
    let got = nearest(&index, &origin(0.5, 0.0, 0.0, 0.0), &fan, 10.0);
    let across = (4.0_f64 - 0.25).sqrt();
    for (distance, expected) in got.iter().zip([1.5, across, 2.5, across]) {
        assert!((distance - expected).abs() < 1e-12, "{got:?}");
    }
}

/// The farthest wall of a large hall, from a place far from the world's origin.
#[test]
fn accuracy_holds_far_from_the_origin_of_the_world() {
    let thing = Thing {
        key: BodyKey(0),
        shape: PlanarShape::rectangle(40.0, 40.0),
        pose: Pose2::new(1000.0, -2000.0, 0.0),
        z: ZExtent::ALL,
    };
    let index = index_of(std::slice::from_ref(&thing));
    let fan = Fan::uniform(0.0, TAU / 3600.0, 3600).unwrap();
    let got = nearest(&index, &origin(1000.0, -2000.0, 0.0, 1.0), &fan, 100.0);
    for (beam, distance) in got.iter().enumerate() {
        let (sin, cos) = fan.azimuths()[beam].sin_cos();
        let expected = 20.0 / cos.abs().max(sin.abs());
        assert!(
            (distance - expected).abs() < 1e-9,
            "{beam}: {distance} {expected}"
        );
    }
}
