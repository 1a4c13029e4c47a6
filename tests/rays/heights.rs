//! Rays with a slope.

use proptest::prelude::*;
use tatami::world::rays::{Fan, HitKind, Ray, RayIndex};
use tatami::world::{BodyKey, Level, PlanarShape, Pose2, ZExtent};

use crate::reference::assert_is_first;
use crate::scene::{self, index_of, nearest, origin};

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn first_matches_the_textbook_in_3d(
        things in scene::things(25),
        fan in scene::fans(),
        pose in scene::poses(12.0),
        height in 0.05..2.95,
        slopes in prop::collection::vec(-2.0..2.0, 4),
        range_max in 1.0..30.0,
        excluded in 0_u32..40,
    ) {
        let mut from = origin(pose.x, pose.y, pose.yaw, height);
        from.level = Level { floor: 0.0, ceiling: 3.0 };
        let exclude = Some(BodyKey(excluded));
        let hits = index_of(&things).cast(&from, &fan, range_max, exclude);
        prop_assert_eq!(hits.len(), fan.len());
        for slope in slopes.into_iter().chain([0.0, -20.0, 1e-3]) {
            for (beam, distance) in hits.first(slope).iter().enumerate() {
                let limits = (slope, range_max, exclude);
                assert_is_first(*distance, &things, &from, &fan, beam, limits);
            }
        }
    }

    #[test]
    fn level_rays_equal_the_nearest_hit(
        things in scene::things(25),
        fan in scene::fans(),
        pose in scene::poses(12.0),
        height in prop::sample::select(&scene::GRID_HEIGHTS),
    ) {
        let from = origin(pose.x, pose.y, pose.yaw, height);
        let index = index_of(&things);
        let first = index.cast(&from, &fan, 20.0, None).first(0.0);
        for (beam, distance) in nearest(&index, &from, &fan, 20.0).iter().enumerate() {
            prop_assert!(
                *distance == first[beam] || (distance - first[beam]).abs() < 1e-12,
                "{}: {} {}", beam, distance, first[beam]
            );
        }
    }

    #[test]
    fn hits_are_sorted_and_in_range(
        things in scene::things(25),
        fan in scene::fans(),
        pose in scene::poses(12.0),
    ) {
        let from = origin(pose.x, pose.y, pose.yaw, 0.5);
        let hits = index_of(&things).cast(&from, &fan, 9.0, None);
        for beam in 0..fan.len() {
            let mut last = 0.0;
            for hit in hits.of(beam) {
                prop_assert!(last <= hit.enter && hit.enter <= 9.0, "{:?} after {}", hit, last);
                prop_assert!(hit.enter <= hit.exit, "{:?}", hit);
                prop_assert!(hit.kind != HitKind::Wall || hit.enter == hit.exit, "{:?}", hit);
                prop_assert!(hit.kind != HitKind::Around || hit.enter == 0.0, "{:?}", hit);
                last = hit.enter;
            }
        }
    }
}

fn one_beam() -> Fan {
    Fan::uniform(0.0, 0.1, 1).expect("a finite azimuth")
}

/// A box from x = 2 to 4 and z = 0.5 to 1.
fn with_box() -> RayIndex {
    let mut index = RayIndex::new();
    index.insert(
        BodyKey(0),
        PlanarShape::rectangle(2.0, 2.0),
        Pose2::new(3.0, 0.0, 0.0),
        ZExtent::new(0.5, 1.0),
    );
    index
}

#[test]
fn box_has_sides_a_top_and_a_bottom() {
    let index = with_box();
    let first = |z: f64, slope: f64| {
        let mut from = origin(0.0, 0.0, 0.0, z);
        from.level = Level {
            floor: 0.0,
            ceiling: 2.5,
        };
        index
            .cast(&from, &one_beam(), 20.0, None)
            .first_of(0, slope)
    };
    let cases = [
        (1.5, -0.3, 2.0, "the near side, at z = 0.9"),
        (1.5, -0.25, 2.0, "the edge of the top"),
        (1.5, -0.2, 2.5, "the top, at z = 1"),
        (1.5, -0.1, 15.0, "over it, to the floor"),
        (1.5, -0.6, 2.5, "before it, the floor"),
        (0.1, 0.15, 0.4 / 0.15, "the bottom"),
        (
            0.1,
            0.05,
            2.4 / 0.05,
            "under it, the ceiling beyond the range",
        ),
        (0.1, 0.8, 3.0, "before it, the ceiling"),
        (0.75, 0.0, 2.0, "level"),
        (1.5, 0.0, f64::INFINITY, "level above it"),
    ];
    for (z, slope, expected, what) in cases {
        let expected = if expected > 20.0 {
            f64::INFINITY
        } else {
            expected
        };
        let got = first(z, slope);
        assert!(
            got == expected || (got - expected).abs() < 1e-12,
            "{what}: {got} {expected}"
        );
    }
}

#[test]
fn from_inside_a_box_the_nearest_face_on_the_way_is_met() {
    let hits = with_box().cast(&origin(3.0, 0.0, 0.0, 0.9), &one_beam(), 20.0, None);
    assert_eq!(hits.of(0)[0].kind, HitKind::Around);
    for (slope, expected) in [
        (0.0, 1.0),
        (0.05, 1.0),
        (0.2, 0.5),
        (-0.2, 1.0),
        (-0.8, 0.5),
    ] {
        let got = hits.first_of(0, slope);
        assert!((got - expected).abs() < 1e-12, "{slope}: {got} {expected}");
    }
}

#[test]
fn ring_is_hollow() {
    let mut index = RayIndex::new();
    let ring = vec![[2.0, -1.0], [4.0, -1.0], [4.0, 1.0], [2.0, 1.0]];
    index.insert(
        BodyKey(0),
        PlanarShape::Ring(ring),
        Pose2::default(),
        ZExtent::new(0.0, 1.0),
    );
    let hits = index.cast(&origin(0.0, 0.0, 0.0, 1.5), &one_beam(), 20.0, None);
    // Over the near wall (z = 1.06 at 2 m), onto the far one (z = 0.62 at 4 m).
    let got = hits.first_of(0, -0.22);
    assert!((got - 4.0).abs() < 1e-12, "{got}");
}

#[test]
fn floor_and_ceiling_are_those_of_the_level() {
    let mut from = origin(0.0, 0.0, 0.0, 3.5);
    from.level = Level {
        floor: 3.0,
        ceiling: 5.5,
    };
    let hits = RayIndex::new().cast(&from, &one_beam(), 20.0, None);
    assert_eq!(hits.first(-0.25), [2.0]);
    assert_eq!(hits.first(0.5), [4.0]);
    assert_eq!(hits.first(0.0), [f64::INFINITY]);
    assert_eq!(hits.first(-0.01), [f64::INFINITY], "50 m away");
    from.level.ceiling = f64::INFINITY;
    let hits = RayIndex::new().cast(&from, &one_beam(), 20.0, None);
    assert_eq!(hits.first(0.5), [f64::INFINITY]);
}

#[test]
fn rays_are_taken_in_3d() {
    let fan = Fan::uniform(0.0, 1.0, 2).unwrap();
    let hits = with_box().cast(&origin(0.0, 0.0, 0.0, 1.5), &fan, 20.0, None);
    let ray = |beam, horizontal, vertical| Ray {
        beam,
        horizontal,
        vertical,
    };
    let got = hits.take(&[
        // 3-4-5: falls 0.75 per metre, so it meets the floor at 2 m, 2.5 m along the ray.
        ray(1, 0.8, -0.6),
        ray(0, 0.0, -1.0),
        ray(0, 0.0, 1.0),
        // Onto the top at 2.5 m, 0.5 m lower.
        ray(0, 5.0 / 26.0_f64.sqrt(), -1.0 / 26.0_f64.sqrt()),
        ray(2, 1.0, 0.0),
    ]);
    let expected = [2.5, 1.5, f64::INFINITY, 6.5_f64.sqrt(), f64::INFINITY];
    for (got, expected) in got.iter().zip(expected) {
        assert!(
            *got == expected || (got - expected).abs() < 1e-9,
            "{got} {expected}"
        );
    }
    assert_eq!(got.len(), 5);
}
