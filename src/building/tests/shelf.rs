//! Shelves: what stands on the floor, what a lidar sees, when a robot is docked.

use std::f64::consts::PI;

use super::*;

/// Height of a Kachaka's lidar, m.
const LIDAR: f64 = 0.1049;

fn shelf() -> ShelfSpec {
    ShelfSpec::new("S01", Pose2::default())
}

/// The body of a Kachaka, in its base frame.
const ROBOT: [[f64; 2]; 4] = [[0.237, -0.12], [0.237, 0.12], [-0.15, 0.12], [-0.15, -0.12]];

#[test]
fn the_legs_alone_are_at_the_height_of_the_lidar() {
    let parts = shelf().parts();
    let low: Vec<&Part> = parts.iter().filter(|part| part.z.contains(LIDAR)).collect();
    assert_eq!(low.len(), 4);
    let expected = [
        [0.116, 0.196],
        [-0.116, 0.196],
        [-0.116, -0.196],
        [0.116, -0.196],
    ];
    for (part, [x, y]) in low.iter().zip(expected) {
        assert_eq!(part.shape, PlanarShape::Disc(0.02));
        assert_pose(part.pose, Pose2::new(x, y, 0.0), 1e-12);
        assert_eq!(part.z, ZExtent::new(0.0, 0.742));
    }
    // A robot of 0.113 m comes under the plates, between the legs with 5.6 cm to either side.
    let robot = ZExtent::new(0.0, 0.113);
    let met = parts.iter().filter(|part| part.z.overlaps(&robot)).count();
    assert_eq!(met, 4);
    assert_near(shelf().shape.opening_width(), 0.352, 1e-12);
    assert_near(shelf().shape.opening_height(), 0.155, 0.0);
}

#[test]
fn the_plates_are_where_the_measured_ones_are() {
    let parts = shelf().parts();
    let plates: Vec<&Part> = parts.iter().skip(4).collect();
    assert_eq!(plates.len(), 3);
    for (plate, underside) in plates.iter().zip([0.155, 0.486, 0.717]) {
        assert_near(plate.z.min, underside, 0.0);
        assert_near(plate.z.max, underside + 0.025, 1e-12);
        let found = bounds(std::slice::from_ref(*plate), Pose2::default());
        for (found, expected) in found.into_iter().zip([-0.164, 0.164, -0.244, 0.244]) {
            assert_near(found, expected, 1e-12);
        }
    }
}

/// Computed for the carried shelf in the reference: front legs at 101.5 degrees and 0.2 m
/// from the lidar at x 0.156 m.
#[test]
fn a_docked_robot_has_the_front_legs_beside_its_lidar() {
    let [leg, ..] = &shelf().parts()[..] else {
        panic!("a shelf has legs");
    };
    let (x, y) = (leg.pose.x - 0.156, leg.pose.y);
    assert_near(libm::hypot(x, y), 0.20, 0.001);
    assert_near(libm::atan2(y, x).to_degrees(), 101.5, 0.1);
}

#[test]
fn a_robot_docks_within_5_cm_and_0_2_rad_from_either_end() {
    let at = Pose2::new(2.0, -1.0, 0.7);
    let docked = |x: f64, y: f64, yaw: f64| {
        let robot = at.compose(&Pose2::new(x, y, yaw));
        DockingEnd::of(&robot, &at)
    };
    let (along, against) = (Some(DockingEnd::Along), Some(DockingEnd::Against));
    let cases = [
        (0.0, 0.0, 0.0, along),
        (0.0, 0.0, PI, against),
        (0.049, 0.0, 0.199, along),
        (-0.034, 0.034, -0.199, along),
        (0.0, -0.049, PI - 0.199, against),
        (0.0, 0.0, -PI + 0.199, against),
        (0.051, 0.0, 0.0, None),
        (0.036, 0.036, 0.0, None),
        (0.0, 0.0, 0.201, None),
        (0.0, 0.0, -0.201, None),
        (0.0, 0.0, PI - 0.201, None),
        (0.0, 0.0, PI / 2.0, None),
    ];
    for (x, y, yaw, expected) in cases {
        assert_eq!(docked(x, y, yaw), expected, "at ({x}, {y}, {yaw})");
    }
}

#[test]
fn the_towing_footprint_is_the_outline_of_robot_and_shelf() {
    let shape = ShelfShape::default();
    let found = shape.towing_footprint(&ROBOT, &Pose2::default());
    // The robot stands out in front, the shelf at the sides and behind.
    let expected = [
        [-0.164, -0.244],
        [0.164, -0.244],
        [0.237, -0.12],
        [0.237, 0.12],
        [0.164, 0.244],
        [-0.164, 0.244],
    ];
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for (found, expected) in found.iter().zip(expected) {
        assert_near(found[0], expected[0], 1e-12);
        assert_near(found[1], expected[1], 1e-12);
    }
    // Rotating: 0.294 m, as the reference has it.
    let reach = found
        .iter()
        .map(|p| libm::hypot(p[0], p[1]))
        .fold(0.0, f64::max);
    assert_near(reach, 0.294, 0.0005);
    // Docked the other way round the outline is the same, but for rounding.
    let turned = shape.towing_footprint(&ROBOT, &Pose2::new(0.0, 0.0, PI));
    let reach_x = turned
        .iter()
        .map(|p| p[0])
        .fold(f64::NEG_INFINITY, f64::max);
    assert_near(reach_x, 0.237, 1e-12);
}

#[test]
fn titles_and_homes_have_names_of_their_own_or_the_shelf_s() {
    let plain = shelf();
    assert_eq!(
        (plain.title(), plain.home()),
        ("S01", "S01_home".to_owned())
    );
    let named = ShelfSpec {
        title: "Books".into(),
        home: "library".into(),
        ..shelf()
    };
    assert_eq!(
        (named.title(), named.home()),
        ("Books", "library".to_owned())
    );
}

#[test]
fn what_cannot_be_is_refused_with_what_would_be_right() {
    let with = |change: fn(&mut ShelfShape)| {
        let mut spec = shelf();
        change(&mut spec.shape);
        spec
    };
    let cases: Vec<(ShelfSpec, &[&str])> = vec![
        (
            ShelfSpec {
                name: String::new(),
                ..shelf()
            },
            &["shelf name ''"],
        ),
        (
            ShelfSpec {
                mass: 0.0,
                ..shelf()
            },
            &["shelf 'S01'", "mass is 0", "10000 kg"],
        ),
        (
            ShelfSpec {
                mass: f64::NAN,
                ..shelf()
            },
            &["mass is NaN"],
        ),
        (
            ShelfSpec {
                pose: Pose2::new(0.0, 0.0, f64::NAN),
                ..shelf()
            },
            &["yaw is NaN"],
        ),
        (with(|s| s.plate[0] = -0.1), &["plate.x is -0.1"]),
        (with(|s| s.leg_diameter = 0.0), &["leg_diameter is 0"]),
        (
            with(|s| s.leg_distance[1] = 0.03),
            &["leg_distance.y is 0.03", "at least 0.04 m"],
        ),
        (
            with(|s| s.leg_distance[0] = 0.3),
            &["leg_distance.x is 0.3", "at most 0.288"],
        ),
        (
            with(|s| s.undersides[1] = 0.17),
            &["undersides[1] is 0.17", "at least 0.18 m"],
        ),
        (
            with(|s| s.undersides[2] = 0.73),
            &["undersides[2] is 0.755", "at most 0.742"],
        ),
        (
            with(|s| s.undersides = vec![0.1; 101]),
            &["undersides has 101 plates", "at most 100"],
        ),
    ];
    for (spec, words) in cases {
        assert_refused(spec.check(), words);
    }
    assert_eq!(shelf().check(), Ok(()));
}
