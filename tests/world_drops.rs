//! Regions without floor: nothing to bump into, but a ray that leads down sees them.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod common;

use common::assert_near;
use common::things::{kachaka, plate, thing, world};
use tatami::world::rays::{Fan, RayHits, RayOrigin};
use tatami::world::{
    FloorSpec, Kind, PlanarShape, Pose2, ThingMotion, ThingSpec, Twist2, World, ZExtent,
};

/// Two metres along x and four along y, with a bottom.
fn drop(name: &str, x: f64, depth: f64) -> ThingSpec {
    let region = plate([2.0, 4.0], -depth, 0.0);
    let at = Pose2::new(x, 0.0, 0.0);
    thing(name, Kind::Drop, vec![region], at, ThingMotion::Fixed)
}

/// Something that makes a good drop a bad one.
type Change<'a> = &'a dyn Fn(&mut ThingSpec);

/// All hits along x from the origin at a height above the ground.
fn cast(world: &World, z: f64) -> RayHits {
    let origin = RayOrigin {
        pose: Pose2::default(),
        z,
        level: world.floors().level("").unwrap(),
    };
    let fan = Fan::uniform(0.0, 0.1, 1).unwrap();
    world.rays().cast(&origin, &fan, 30.0, None)
}

#[test]
fn there_is_no_floor_inside_and_there_is_on_the_edge_and_on_other_levels() {
    let mut world = world();
    let floors = [("1F", 0.0), ("2F", 3.0)].map(|(name, z)| FloorSpec {
        name: name.into(),
        z,
    });
    world.add_floors(&floors).unwrap();
    let pit = world.add_thing(&drop("pit", 3.0, 0.5)).unwrap();
    let ground = world.floors().level("").unwrap();
    let upstairs = world.floors().level("2F").unwrap();
    for (point, has_floor) in [
        ([1.9, 0.0], true),
        ([2.0, 0.0], true),
        ([2.001, 0.0], false),
        ([3.0, 1.999], false),
        ([3.0, 2.001], true),
        ([4.1, 0.0], true),
    ] {
        assert_eq!(world.has_floor_at(point, &ground), has_floor, "{point:?}");
        assert!(world.has_floor_at(point, &upstairs), "{point:?}");
    }
    world
        .place_thing(pit, Pose2::new(0.0, 0.0, std::f64::consts::FRAC_PI_2), "2F")
        .unwrap();
    assert!(world.has_floor_at([3.0, 0.0], &ground));
    assert!(!world.has_floor_at([1.9, 0.9], &upstairs));
    assert!(world.has_floor_at([0.0, 1.1], &upstairs));
    world.reset(true);
    assert!(!world.has_floor_at([3.0, 0.0], &ground));
    assert!(world.has_floor_at([1.9, 0.9], &upstairs));
    world.remove("pit").unwrap();
    assert!(world.has_floor_at([3.0, 0.0], &ground));
}

#[test]
fn a_falling_ray_goes_on_to_the_bottom_or_the_far_side() {
    let mut world = world();
    // From x = 2 to 4, 0.5 m deep.
    world.add_thing(&drop("pit", 3.0, 0.5)).unwrap();
    let hits = cast(&world, 1.0);
    for (slope, expected, what) in [
        (-0.8, 1.25, "the floor before it"),
        (-0.5, 3.0, "the bottom, 1.5 m below, over the near edge"),
        (-0.4, 3.75, "the bottom"),
        (-0.375, 4.0, "where bottom and far side meet"),
        (-0.3, 4.0, "the far side, at z -0.2"),
        (-0.25, 4.0, "its upper edge"),
        (-0.2, 5.0, "over it"),
    ] {
        let found = hits.first_of(0, slope);
        assert!(
            (found - expected).abs() < 1e-9,
            "{what}: {found}, expected {expected}"
        );
    }
    assert_eq!(hits.first_of(0, 0.0), f64::INFINITY);
}

#[test]
fn from_above_it_straight_down_is_the_bottom() {
    let mut world = world();
    world.add_thing(&drop("pit", 0.5, 0.5)).unwrap();
    let hits = cast(&world, 1.0);
    assert_near(hits.first_of(0, -1e9), 0.0, 1e-8);
    let down = tatami::world::rays::Ray {
        beam: 0,
        horizontal: 0.0,
        vertical: -1.0,
    };
    assert_near(hits.take(&[down])[0], 1.5, 1e-6);
    // To the far side at x = 1.5, which goes down to -0.5 m.
    assert_near(hits.first_of(0, -0.8), 1.5, 1e-9);
}

#[test]
fn regions_side_by_side_are_one() {
    let mut world = world();
    world.add_thing(&drop("near", 3.0, 0.5)).unwrap();
    world.add_thing(&drop("far", 5.0, 1.0)).unwrap();
    let hits = cast(&world, 1.0);
    // At z -0.2 out of the first one, onto nothing, to the far side of the second at x = 6,
    // z -0.8.
    assert_near(hits.first_of(0, -0.3), 6.0, 1e-9);
    // Onto the bottom of the first.
    assert_near(hits.first_of(0, -0.4), 3.75, 1e-9);
}

#[test]
fn nothing_is_in_the_way_of_a_robot_or_of_level_rays() {
    let mut world = world();
    world.add_thing(&drop("pit", 3.0, 0.5)).unwrap();
    world.add_robot(kachaka("bot", Pose2::default())).unwrap();
    world.command("bot", Twist2::new(0.5, 0.0, 0.0)).unwrap();
    for _ in 0..192 {
        world.step();
        assert_eq!(world.contacts("bot").unwrap(), []);
    }
    assert_near(world.robot_state("bot").unwrap().pose.x, 3.0, 1e-9);
    assert_eq!(world.rays().len(), 1, "only the robot");
    assert_eq!(world.kind_of("pit"), Some(Kind::Drop));
}

#[test]
fn what_is_no_region_of_a_floor_is_refused() {
    let world = world();
    let with = |change: Change<'_>| {
        let mut spec = drop("pit", 0.0, 0.5);
        change(&mut spec);
        world.check_thing(&spec).unwrap_err().to_string()
    };
    let ring = vec![[0.0; 2], [1.0, 0.0], [1.0, 1.0]];
    let cases: [(Change<'_>, &str); 4] = [
        (
            &|s| s.parts[0].z = ZExtent::new(-0.5, 0.1),
            "drop 'pit': parts[0].z.max is 0.1, it must be 0, the floor, for a drop",
        ),
        (
            &|s| s.motion = ThingMotion::Driven,
            "drop 'pit': motion must be fixed",
        ),
        (
            &|s| s.parts[0].shape = PlanarShape::Ring(ring.clone()),
            "drop 'pit': parts[0].shape is a ring, it must be a convex polygon for a drop",
        ),
        (
            &|s| s.parts[0].shape = PlanarShape::Disc(1.0),
            "drop 'pit': parts[0].shape is a disc, it must be a convex polygon for a drop",
        ),
    ];
    for (change, expected) in cases {
        assert_eq!(with(change), expected);
    }
}
