#![expect(
    clippy::approx_constant,
    reason = "angles as a description writes them"
)]

use std::f64::consts::{FRAC_PI_2, FRAC_PI_6, PI};

use nalgebra::{Isometry3, Translation3, UnitQuaternion};

use super::*;
use crate::sensors::NoiseKey;
use crate::world::rays::RayIndex;
use crate::world::{BodyKey, Level, PlanarShape, Pose2, ZExtent};

const ROOM: Level = Level {
    floor: 0.0,
    ceiling: f64::INFINITY,
};

/// The lidar of a Kachaka: 240 degrees, seen from a frame that is turned left by 90.
fn kachaka() -> LidarSpec {
    LidarSpec {
        beams: BeamAngles::spanning(-3.66519, 0.523599, 400),
        elevations: vec![0.0],
        range_min: 0.1,
        range_max: 10.0,
        noise: Gaussian::default(),
    }
}

/// A single beam along x.
fn beam() -> LidarSpec {
    LidarSpec {
        beams: BeamAngles::spanning(0.0, 0.0, 1),
        ..kachaka()
    }
}

fn mount(xyz: [f64; 3], rpy: [f64; 3]) -> Mount {
    let [x, y, z] = xyz;
    let [roll, pitch, yaw] = rpy;
    Mount::at(Isometry3::from_parts(
        Translation3::new(x, y, z),
        UnitQuaternion::from_euler_angles(roll, pitch, yaw),
    ))
}

/// A long wall across x whose near face is `x` metres from the origin of the world.
fn wall(x: f64) -> RayIndex {
    let mut rays = RayIndex::new();
    let shape = PlanarShape::rectangle(0.2, 100.0);
    rays.insert(
        BodyKey(1),
        shape,
        Pose2::new(x + 0.1, 0.0, 0.0),
        ZExtent::new(0.0, 2.0),
    );
    rays
}

fn seen_from(rays: &RayIndex, base: Pose2) -> Surroundings<'_> {
    Surroundings {
        rays,
        base,
        level: ROOM,
        own: None,
    }
}

fn scan(lidar: &Lidar, rays: &RayIndex, step: u64) -> LaserSample {
    let noise = NoiseKey::new(0, "kachaka", "lidar").at(step);
    let cast = lidar.cast(&seen_from(rays, Pose2::default()), &noise);
    lidar.scan(&cast, 0.1)
}

#[test]
fn the_angles_of_a_scan_are_those_of_its_beams() {
    // C-16: (max - min) / (n - 1) for a part of a turn.
    let lidar = Lidar::new(kachaka(), mount([0.0; 3], [0.0; 3]), false).unwrap();
    let scan = scan(&lidar, &RayIndex::new(), 1);
    assert_eq!(scan.ranges.len(), 400);
    assert_eq!(scan.angle_min, -3.66519);
    assert!(
        (scan.angle_increment - 4.188789 / 399.0).abs() < 1e-15,
        "{scan:?}"
    );
    assert!((scan.angle_increment - 0.0104982).abs() < 5e-8, "{scan:?}");
    assert!((scan.angle_max - 0.523599).abs() < 1e-12, "{scan:?}");
    assert_eq!(
        (scan.range_min, scan.range_max, scan.scan_time),
        (0.1, 10.0, 0.1)
    );
}

#[test]
fn a_full_turn_has_no_direction_twice() {
    for (min, max) in [(-PI, PI), (0.0, TAU), (-3.14159, 3.14159), (0.0, 6.28)] {
        let angles = BeamAngles::spanning(min, max, 360);
        assert_eq!(angles.increment, TAU / 360.0, "{min} to {max}");
        let gap = angles.angle(0) + TAU - angles.angle(359);
        assert!((gap - angles.increment).abs() < 1e-12, "{gap}");
    }
    // One that stops an increment short of the turn is taken as it is.
    let proper = BeamAngles::spanning(-PI, PI - TAU / 360.0, 360);
    assert!((proper.increment - TAU / 360.0).abs() < 1e-15, "{proper:?}");
    let angles = BeamAngles::spanning(-1.0, 1.0, 5);
    assert_eq!((angles.increment, angles.angle(4)), (0.5, 1.0));
}

#[test]
fn a_miss_is_infinite_and_a_hit_its_distance() {
    // C-18.
    let lidar = Lidar::new(kachaka(), mount([0.0, 0.0, 0.1], [0.0; 3]), false).unwrap();
    let empty = scan(&lidar, &RayIndex::new(), 1);
    assert_eq!(empty.ranges, [f32::INFINITY; 400]);
    let lidar = Lidar::new(beam(), mount([0.0, 0.0, 0.1], [0.0; 3]), false).unwrap();
    for (distance, expected) in [
        (9.999, 9.999),
        (10.001, f32::INFINITY),
        (0.1001, 0.1001),
        (0.0999, f32::NEG_INFINITY),
    ] {
        let found = scan(&lidar, &wall(distance), 1);
        assert_eq!(found.ranges, [expected], "{distance} m");
        assert_eq!(found.range_max, 10.0);
    }
}

#[test]
fn noise_is_on_hits_alone_and_has_the_stated_deviation() {
    // C-19: a wall at 5 m, and nothing at all, a thousand scans each.
    let mut spec = beam();
    spec.noise.stddev = 0.03;
    let lidar = Lidar::new(spec, mount([0.0, 0.0, 0.1], [0.0; 3]), false).unwrap();
    let rays = wall(5.0);
    let ranges: Vec<f64> = (0..1000)
        .map(|step| f64::from(scan(&lidar, &rays, step).ranges[0]))
        .collect();
    let mean = ranges.iter().sum::<f64>() / 1000.0;
    let variance = ranges.iter().map(|r| (r - mean) * (r - mean)).sum::<f64>() / 999.0;
    assert!((mean - 5.0).abs() < 0.002, "{mean}");
    assert!(
        (variance.sqrt() - 0.03).abs() < 0.002,
        "{}",
        variance.sqrt()
    );

    let mut spec = kachaka();
    spec.noise.stddev = 0.03;
    let lidar = Lidar::new(spec, mount([0.0, 0.0, 0.1], [0.0; 3]), false).unwrap();
    for step in 0..1000 {
        let empty = scan(&lidar, &RayIndex::new(), step);
        assert_eq!(empty.ranges, [f32::INFINITY; 400], "step {step}");
    }
}

#[test]
fn noise_that_leads_out_of_the_range_is_no_measurement() {
    let mut spec = beam();
    spec.noise.stddev = 0.03;
    let lidar = Lidar::new(spec, mount([0.0, 0.0, 0.1], [0.0; 3]), false).unwrap();
    for (distance, beyond) in [(9.99, f32::INFINITY), (0.11, f32::NEG_INFINITY)] {
        let rays = wall(distance);
        let ranges: Vec<f32> = (0..1000)
            .map(|step| scan(&lidar, &rays, step).ranges[0])
            .collect();
        let outside = ranges.iter().filter(|r| **r == beyond).count();
        // One in 2.7 of a normal distribution lies a third of a deviation above its mean.
        assert!((300..440).contains(&outside), "{distance}: {outside}");
        let kept = ranges.iter().filter(|r| **r != beyond);
        let (low, high) = (0.1_f32, 10.0_f32);
        assert!(kept.clone().all(|r| (low..=high).contains(r)), "{distance}");
        assert_eq!(kept.count() + outside, 1000);
    }
}

#[test]
fn the_same_moment_gives_the_same_bytes() {
    // C-22, and C-04 for the noise: step and names decide, not how often was asked.
    let mut spec = kachaka();
    let still = Lidar::new(
        spec.clone(),
        mount([0.1, 0.0, 0.1], [0.0, 0.0, 1.57]),
        false,
    )
    .unwrap();
    let rays = wall(1.5);
    let bytes =
        |scan: &LaserSample| -> Vec<u32> { scan.ranges.iter().map(|r| r.to_bits()).collect() };
    let first = bytes(&scan(&still, &rays, 1));
    for step in 2..100 {
        assert_eq!(bytes(&scan(&still, &rays, step)), first, "step {step}");
    }
    spec.noise.stddev = 0.03;
    let noisy = Lidar::new(spec, mount([0.1, 0.0, 0.1], [0.0, 0.0, 1.57]), false).unwrap();
    let at_seven = bytes(&scan(&noisy, &rays, 7));
    assert_ne!(bytes(&scan(&noisy, &rays, 8)), at_seven);
    assert_eq!(bytes(&scan(&noisy, &rays, 7)), at_seven);
}

#[test]
fn one_beam_more_in_the_way_leaves_the_noise_of_the_others() {
    let mut spec = kachaka();
    spec.noise.stddev = 0.03;
    let lidar = Lidar::new(spec, mount([0.0, 0.0, 0.1], [0.0; 3]), false).unwrap();
    let rays = wall(1.5);
    let before = scan(&lidar, &rays, 1).ranges;
    let mut crowded = wall(1.5);
    crowded.insert(
        BodyKey(2),
        PlanarShape::Disc(0.1),
        Pose2::new(1.0, 0.0, 0.0),
        ZExtent::ALL,
    );
    let after = scan(&lidar, &crowded, 1).ranges;
    let changed = before.iter().zip(&after).filter(|(a, b)| a != b).count();
    // The disc covers 2 asin(0.1), about 19 beams.
    assert!((18..=20).contains(&changed), "{changed}");
}

#[test]
fn a_scan_looks_along_the_whole_chain_of_frames() {
    // C-36: a laser link at (0.156, 0, 0.105) turned left, the sensor 0.1 m along its x.
    let link = mount([0.156, 0.0, 0.105], [0.0, 0.0, FRAC_PI_2]).sensor;
    let sensor = link * Translation3::new(0.1, 0.0, 0.0);
    let spec = LidarSpec {
        beams: BeamAngles::spanning(-PI, PI, 360),
        ..kachaka()
    };
    let lidar = Lidar::new(spec, Mount::at(sensor), false).unwrap();
    let mut rays = wall(2.0);
    // A post straight left of the base shows the shift aside: 1 - 0.05 - 0.1 m.
    let post = Pose2::new(0.156, 1.0, 0.0);
    rays.insert(BodyKey(2), PlanarShape::Disc(0.05), post, ZExtent::ALL);
    let scan = scan(&lidar, &rays, 1);
    let at = |angle: f64| {
        scan.ranges[((angle - scan.angle_min) / scan.angle_increment).round() as usize]
    };
    assert!(
        (f64::from(at(-FRAC_PI_2)) - 1.844).abs() < 1e-6,
        "{}",
        at(-FRAC_PI_2)
    );
    assert!((f64::from(at(0.0)) - 0.85).abs() < 1e-6, "{}", at(0.0));
    let around = |a: &f32| f64::from(*a) > 1.0;
    let nearest = scan
        .ranges
        .iter()
        .copied()
        .filter(around)
        .fold(f32::INFINITY, f32::min);
    assert_eq!(nearest, at(-FRAC_PI_2));
}

#[test]
fn a_scan_turns_and_moves_with_the_base() {
    let lidar = Lidar::new(beam(), mount([0.2, 0.0, 0.1], [0.0; 3]), false).unwrap();
    let rays = wall(3.0);
    let noise = NoiseKey::new(0, "r", "s").at(1);
    // From (1, 5), turned by 60 degrees: the sensor stands 0.1 m ahead in x, the way to the
    // wall is twice as long as straight on.
    let base = Pose2::new(1.0, 5.0, PI / 3.0);
    let cast = lidar.cast(&seen_from(&rays, base), &noise);
    let range = f64::from(lidar.scan(&cast, 0.1).ranges[0]);
    assert!((range - (3.0 - 1.1) / 0.5).abs() < 1e-6, "{range}");
    let away = Pose2::new(1.0, 5.0, PI);
    let cast = lidar.cast(&seen_from(&rays, away), &noise);
    assert_eq!(lidar.scan(&cast, 0.1).ranges, [f32::INFINITY]);
}

#[test]
fn every_point_of_a_scan_lies_on_a_wall_whatever_the_pose() {
    // C-13: with the pose of the moment of the scan, a square room comes out square.
    let lidar = Lidar::new(
        kachaka(),
        mount([0.156, 0.02, 0.105], [0.0, 0.0, FRAC_PI_2]),
        false,
    );
    let lidar = lidar.unwrap();
    let mut rays = RayIndex::new();
    let corners = vec![[-2.0, -2.0], [2.0, -2.0], [2.0, 2.0], [-2.0, 2.0]];
    rays.insert(
        BodyKey(1),
        PlanarShape::Ring(corners),
        Pose2::default(),
        ZExtent::ALL,
    );
    let noise = NoiseKey::new(0, "r", "s").at(1);
    for step in 0..60 {
        let time = 0.1 * f64::from(step);
        let base = Pose2::new(libm::sin(time), libm::cos(time), time);
        let cast = lidar.cast(&seen_from(&rays, base), &noise);
        let scan = lidar.scan(&cast, 0.1);
        let sensor = base.compose(&Pose2::new(0.156, 0.02, FRAC_PI_2));
        for (beam, range) in scan.ranges.iter().enumerate() {
            let angle = scan.angle_min + beam as f64 * scan.angle_increment;
            let (sin, cos) = libm::sincos(angle);
            let range = f64::from(*range);
            let [x, y] = sensor.transform_point([range * cos, range * sin]);
            let off = (x.abs().max(y.abs()) - 2.0).abs();
            assert!(off < 1e-6, "step {step}, beam {beam}: {x} {y}");
        }
    }
}

#[test]
fn a_sensor_does_not_see_its_own_body() {
    let lidar = Lidar::new(kachaka(), mount([0.1, 0.0, 0.1], [0.0; 3]), false).unwrap();
    let mut rays = RayIndex::new();
    rays.insert(
        BodyKey(7),
        PlanarShape::Disc(0.5),
        Pose2::default(),
        ZExtent::new(0.0, 0.2),
    );
    let noise = NoiseKey::new(0, "r", "s").at(1);
    let mut surroundings = seen_from(&rays, Pose2::default());
    surroundings.own = Some(BodyKey(7));
    let cast = lidar.cast(&surroundings, &noise);
    assert_eq!(lidar.scan(&cast, 0.1).ranges, [f32::INFINITY; 400]);
    surroundings.own = None;
    let cast = lidar.cast(&surroundings, &noise);
    assert!(lidar.scan(&cast, 0.1).ranges.iter().all(|r| r.is_finite()));
}

#[test]
fn a_pitched_lidar_sees_the_floor_and_the_wall_in_its_own_plane() {
    // 30 degrees nose down, 1 m above the floor of a storey at 3 m: the floor is 2 m away.
    let lidar = Lidar::new(beam(), mount([0.0, 0.0, 1.0], [0.0, FRAC_PI_6, 0.0]), false).unwrap();
    let noise = NoiseKey::new(0, "r", "s").at(1);
    let empty = RayIndex::new();
    let mut surroundings = seen_from(&empty, Pose2::default());
    surroundings.level = Level {
        floor: 3.0,
        ceiling: 6.0,
    };
    let cast = lidar.cast(&surroundings, &noise);
    let range = f64::from(lidar.scan(&cast, 0.1).ranges[0]);
    assert!((range - 2.0).abs() < 1e-6, "{range}");
    // A wall 1 m ahead is met before the floor, 1 / cos(30) along the ray.
    let mut rays = RayIndex::new();
    let shape = PlanarShape::rectangle(0.2, 100.0);
    rays.insert(
        BodyKey(1),
        shape,
        Pose2::new(1.1, 0.0, 0.0),
        ZExtent::new(3.0, 6.0),
    );
    surroundings.rays = &rays;
    let cast = lidar.cast(&surroundings, &noise);
    let range = f64::from(lidar.scan(&cast, 0.1).ranges[0]);
    assert!((range - 1.0 / FRAC_PI_6.cos()).abs() < 1e-6, "{range}");
}

/// A lidar of three rings, 1 m above the floor.
fn rings(noise: f64) -> LidarSpec {
    LidarSpec {
        beams: BeamAngles::spanning(-0.4, 0.4, 5),
        elevations: vec![-FRAC_PI_6, -0.3 + 3.0 * 0.1, FRAC_PI_6],
        range_min: 0.1,
        range_max: 10.0,
        noise: Gaussian {
            mean: 0.0,
            stddev: noise,
        },
    }
}

#[test]
fn a_cloud_has_a_row_per_ring_with_points_where_they_are() {
    let lidar = Lidar::new(rings(0.0), mount([0.5, 0.0, 1.0], [0.0; 3]), true).unwrap();
    let noise = NoiseKey::new(0, "r", "s").at(1);
    // A wall 1 m ahead of the sensor, 2 m high: the lowest ring meets it at a height of
    // 1 - tan(30), the highest at 1 + tan(30).
    let rays = wall(1.5);
    let cast = lidar.cast(&seen_from(&rays, Pose2::default()), &noise);
    let cloud = lidar.cloud(&cast).unwrap();
    assert_eq!((cloud.width, cloud.height, cloud.points.len()), (5, 3, 15));
    for (row, elevation) in [-FRAC_PI_6, 0.0, FRAC_PI_6].into_iter().enumerate() {
        for (column, azimuth) in [-0.4_f64, -0.2, 0.0, 0.2, 0.4].into_iter().enumerate() {
            let expected = [1.0, azimuth.tan(), elevation.tan() / azimuth.cos()];
            let point = cloud.points[5 * row + column];
            for (found, wanted) in point.into_iter().zip(expected) {
                assert!(
                    (f64::from(found) - wanted).abs() < 1e-6,
                    "{point:?} {expected:?}"
                );
            }
        }
    }
    let empty = RayIndex::new();
    let cast = lidar.cast(&seen_from(&empty, Pose2::default()), &noise);
    let cloud = lidar.cloud(&cast).unwrap();
    let finite: Vec<bool> = cloud.points.iter().map(|p| p[0].is_finite()).collect();
    assert_eq!(
        finite,
        [[true; 5], [false; 5], [false; 5]].concat(),
        "the floor alone"
    );
}

#[test]
fn scan_and_cloud_share_one_cast_and_its_noise() {
    let key = NoiseKey::new(0, "r", "s");
    let rays = wall(1.5);
    let surroundings = seen_from(&rays, Pose2::default());
    let at = mount([0.5, 0.0, 1.0], [0.0; 3]);
    let both = Lidar::new(rings(0.03), at, true).unwrap();
    let cast = both.cast(&surroundings, &key.at(4));
    let scan = both.scan(&cast, 0.1);
    let cloud = both.cloud(&cast).unwrap();
    for (beam, range) in scan.ranges.iter().enumerate() {
        let [x, y, z] = cloud.points[5 + beam].map(f64::from);
        assert!((x.hypot(y) - f64::from(*range)).abs() < 1e-6, "{range}");
        assert_eq!(z, 0.0);
    }
    // Without a cloud the scan has the same noise.
    let alone = Lidar::new(rings(0.03), at, false).unwrap();
    let cast = alone.cast(&surroundings, &key.at(4));
    assert_eq!(alone.scan(&cast, 0.1), scan);
    assert_eq!(alone.cloud(&cast), None);
    // Rings without one in the plane: the scan is the plane's all the same.
    let mut spec = rings(0.03);
    spec.elevations = vec![-0.3, 0.3];
    let lidar = Lidar::new(spec, at, true).unwrap();
    let cast = lidar.cast(&surroundings, &key.at(4));
    assert_eq!(lidar.scan(&cast, 0.1).ranges, scan.ranges);
    assert_eq!(lidar.cloud(&cast).unwrap().height, 2);
}

#[test]
fn points_are_in_the_frame_that_the_messages_name() {
    let sensor = mount([0.5, 0.0, 1.0], [0.0, 0.3, 0.2]).sensor;
    let base_frame = Mount {
        sensor,
        frame: Isometry3::identity(),
    };
    let lidar = Lidar::new(rings(0.0), base_frame, true).unwrap();
    let rays = wall(1.5);
    let cast = lidar.cast(
        &seen_from(&rays, Pose2::default()),
        &NoiseKey::new(0, "r", "s").at(1),
    );
    let cloud = lidar.cloud(&cast).unwrap();
    for point in cloud.points {
        let on_wall = (point[0] - 1.5).abs() < 1e-5;
        let on_floor = point[2].abs() < 1e-5 && point[0] < 1.5;
        assert!(on_wall || on_floor, "{point:?}");
    }
}

type Spoil = fn(&mut LidarSpec);

#[test]
fn numbers_that_make_no_lidar_are_refused() {
    let cases: [(&str, Spoil); 10] = [
        ("beams is 0", |s| s.beams.beams = 0),
        ("1000001 rays", |s| s.beams.beams = 1_000_001),
        ("1200000 rays", |s| s.elevations = vec![0.0; 3000]),
        ("rings is 0", |s| s.elevations.clear()),
        ("angle_min is NaN", |s| s.beams.min = f64::NAN),
        ("angle_increment is 0", |s| s.beams.increment = 0.0),
        ("elevation is inf", |s| s.elevations = vec![f64::INFINITY]),
        ("range_min is -1", |s| s.range_min = -1.0),
        ("range_max is 0.1", |s| s.range_max = 0.1),
        ("noise_stddev is -1", |s| s.noise.stddev = -1.0),
    ];
    for (expected, spoil) in cases {
        let mut spec = kachaka();
        spoil(&mut spec);
        let error = Lidar::new(spec, mount([0.0; 3], [0.0; 3]), true).unwrap_err();
        assert!(
            error.to_string().contains(expected),
            "{expected:?} in {error}"
        );
    }
}
