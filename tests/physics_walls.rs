//! Sliding along, driving into and pressing against walls.
//!
//! Walls come as many short pieces: grid maps give rings of 5 cm edges, layouts rows of
//! boxes. Physics engines bump into the hidden corners between them (rapier issues 643 and
//! 669), jump through thin ones (421), and jitter or creep when driven into one (984).

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

use tatami::world::physics::Physics;
use tatami::world::{BodyKey, Dynamics, Footprint, PlanarShape, Pose2, Twist2, ZExtent};

const ROBOT: BodyKey = BodyKey(0);
const Z: ZExtent = ZExtent::new(0.0, 1.0);
/// The Kachaka's footprint.
const REAR: f64 = -0.150;
const FRONT: f64 = 0.237;
const SIDE: f64 = 0.120;
const RADIUS: f64 = 0.2;

fn disc() -> Footprint {
    Footprint::disc(RADIUS).unwrap()
}

fn body() -> Footprint {
    Footprint::polygon(&[[REAR, -SIDE], [FRONT, -SIDE], [FRONT, SIDE], [REAR, SIDE]]).unwrap()
}

/// Lowest y of a footprint: with the wall's surface on y = 0 its distance from the wall.
fn lowest(footprint: &Footprint, pose: &Pose2) -> f64 {
    match footprint {
        Footprint::Disc(radius) => pose.y - radius,
        Footprint::Polygon(points) => points
            .iter()
            .map(|p| pose.transform_point(*p)[1])
            .fold(f64::INFINITY, f64::min),
    }
}

fn rightmost(footprint: &Footprint, pose: &Pose2) -> f64 {
    match footprint {
        Footprint::Disc(radius) => pose.x + radius,
        Footprint::Polygon(points) => points
            .iter()
            .map(|p| pose.transform_point(*p)[0])
            .fold(f64::NEG_INFINITY, f64::max),
    }
}

/// Ways to build a wall whose surface is y = 0 from x = -1 to 11, robots above it.
fn walls() -> Vec<(&'static str, Vec<(PlanarShape, Pose2)>)> {
    let back = [[11.0, -0.1], [-1.0, -0.1]];
    let whole = vec![[-1.0, 0.0], [11.0, 0.0], back[0], back[1]];
    let mut cells: Vec<[f64; 2]> = (0..=240)
        .map(|i| [-1.0 + 0.05 * f64::from(i), 0.0])
        .collect();
    cells.extend(back);
    // A tenth of a micrometre up and down, as of rounded coordinates.
    let rough: Vec<[f64; 2]> = cells
        .iter()
        .enumerate()
        .map(|(i, p)| [p[0], p[1] - 1e-7 * (i % 2) as f64])
        .collect();
    let row = |widths: &[f64], depths: &[f64]| {
        let mut boxes = Vec::new();
        let mut x = -1.0;
        for i in 0.. {
            let (width, depth) = (widths[i % widths.len()], depths[i % depths.len()]);
            let pose = Pose2::new(x + 0.5 * width, -0.5 * depth, 0.0);
            boxes.push((PlanarShape::rectangle(width, depth), pose));
            x += width;
            if x > 11.0 {
                break;
            }
        }
        boxes
    };
    let at_origin = |points| vec![(PlanarShape::Ring(points), Pose2::default())];
    vec![
        ("one segment", at_origin(whole)),
        ("5 cm segments", at_origin(cells)),
        ("rough 5 cm segments", at_origin(rough)),
        ("5 cm boxes", row(&[0.05], &[0.05])),
        (
            "boxes of all sizes",
            row(&[0.31, 0.07, 0.5, 0.013], &[0.1, 0.4, 0.02]),
        ),
    ]
}

fn world(dt: f64, things: &[(PlanarShape, Pose2)]) -> Physics {
    let mut physics = Physics::new(dt, Dynamics::Rigid);
    for (i, (shape, pose)) in things.iter().enumerate() {
        physics.insert_obstacle(BodyKey(100 + i as u32), shape.clone(), *pose, Z);
    }
    physics
}

#[test]
fn slides_along_joined_pieces_as_along_one_wall() {
    let into_wall = -20_f64.to_radians();
    for (name, things) in walls() {
        for footprint in [disc(), body()] {
            for (speed, dt) in [
                (0.3, 1.0 / 30.0),
                (0.3, 1.0 / 120.0),
                (0.5, 1.0 / 30.0),
                (0.5, 1.0 / 120.0),
            ] {
                let case = format!("{name}, {footprint:?}, {speed} m/s, dt {dt}");
                let mut physics = world(dt, &things);
                physics.insert_robot(ROBOT, &footprint, Pose2::new(0.0, 0.4, into_wall), Z, 10.0);
                let mut last_x = 0.0;
                let mut touched = false;
                let mut time = 0.0;
                while last_x < 9.5 {
                    physics.command(ROBOT, Twist2::new(speed, 0.0, 0.0));
                    physics.step();
                    time += dt;
                    let pose = physics.pose(ROBOT).unwrap();
                    assert!(pose.x > last_x, "{case}: x {} after {last_x}", pose.x);
                    last_x = pose.x;
                    let distance = lowest(&footprint, &pose);
                    touched |= distance < 1e-4;
                    if touched {
                        assert!(
                            distance.abs() < 1e-4,
                            "{case}: {distance} m off at {pose:?}"
                        );
                    }
                    if let Footprint::Disc(_) = footprint {
                        assert_eq!(pose.yaw, into_wall, "{case}: spun");
                    }
                    assert!(time < 60.0, "{case}: stuck at {pose:?}");
                }
                // A frictionless disc loses only what goes into the wall; a box lies down
                // along it and then goes at full speed.
                let slowest = 9.5 / (speed * libm::cos(into_wall));
                assert!(time < slowest + 3.0 * dt, "{case}: took {time} s");
                let pose = physics.pose(ROBOT).unwrap();
                if let Footprint::Polygon(_) = footprint {
                    assert!(pose.yaw.abs() < 1e-6, "{case}: lies at {}", pose.yaw);
                }
            }
        }
    }
}

#[test]
fn slides_the_other_way_and_backwards_alike() {
    for (name, things) in walls() {
        for yaw in [-160_f64, 20.0] {
            let speed = if yaw < 0.0 { 0.3 } else { -0.3 };
            let mut physics = world(1.0 / 30.0, &things);
            let start = Pose2::new(9.0, 0.4, yaw.to_radians());
            physics.insert_robot(ROBOT, &body(), start, Z, 10.0);
            physics.command(ROBOT, Twist2::new(speed, 0.0, 0.0));
            let mut last_x = 9.0;
            for _ in 0..900 {
                physics.step();
                let pose = physics.pose(ROBOT).unwrap();
                assert!(
                    pose.x < last_x,
                    "{name}, {yaw}: x {} after {last_x}",
                    pose.x
                );
                last_x = pose.x;
                let distance = lowest(&body(), &pose);
                assert!(distance > -1e-4, "{name}, {yaw}: {distance} m at {pose:?}");
            }
        }
    }
}

#[test]
fn follows_a_wall_around_a_room_without_catching() {
    // A room of 5 cm segments; the robot turns right for ever, into walls and corners.
    let mut ring = Vec::new();
    for (from, to) in [
        ([0.0, 0.0], [2.0, 0.0]),
        ([2.0, 0.0], [2.0, 2.0]),
        ([2.0, 2.0], [0.0, 2.0]),
        ([0.0, 2.0], [0.0, 0.0]),
    ] {
        let [dx, dy] = [to[0] - from[0], to[1] - from[1]];
        ring.extend(
            (0..40)
                .map(|i| f64::from(i) / 40.0)
                .map(|t| [from[0] + t * dx, from[1] + t * dy]),
        );
    }
    for footprint in [disc(), body()] {
        let mut physics = world(
            1.0 / 30.0,
            &[(PlanarShape::Ring(ring.clone()), Pose2::default())],
        );
        physics.insert_robot(ROBOT, &footprint, Pose2::new(1.0, 1.0, 0.3), Z, 10.0);
        for step in 0..6000 {
            let turn = if step % 200 < 100 { -1.0 } else { 0.4 };
            physics.command(ROBOT, Twist2::new(0.5, 0.0, turn));
            physics.step();
            let pose = physics.pose(ROBOT).unwrap();
            let points = match &footprint {
                Footprint::Disc(_) => vec![
                    [pose.x - RADIUS, pose.y - RADIUS],
                    [pose.x + RADIUS, pose.y + RADIUS],
                ],
                Footprint::Polygon(points) => {
                    points.iter().map(|p| pose.transform_point(*p)).collect()
                }
            };
            for [x, y] in points {
                let out = (-x).max(x - 2.0).max(-y).max(y - 2.0);
                assert!(
                    out < 1e-3,
                    "{footprint:?}, step {step}: {out} m outside at {pose:?}"
                );
            }
        }
    }
}

#[test]
fn never_passes_through_a_thin_wall() {
    let thin_box = (
        PlanarShape::rectangle(0.01, 20.0),
        Pose2::new(2.005, 0.0, 0.0),
    );
    let ring = (
        PlanarShape::Ring(vec![
            [2.0, -10.0],
            [2.0, 10.0],
            [-20.0, 10.0],
            [-20.0, -10.0],
        ]),
        Pose2::default(),
    );
    for wall in [thin_box, ring] {
        for footprint in [disc(), body(), Footprint::disc(0.002).unwrap()] {
            for dt in [0.0333, 0.1, 0.5] {
                for degrees in [0.0_f64, 17.0, 45.0, 80.0, -33.0] {
                    for spin in [0.0, 3.0, -9.0] {
                        let case =
                            format!("{wall:?} {footprint:?} dt {dt} {degrees} deg spin {spin}");
                        let mut physics = world(dt, std::slice::from_ref(&wall));
                        physics.insert_robot(
                            ROBOT,
                            &footprint,
                            Pose2::new(0.0, 0.0, degrees.to_radians()),
                            Z,
                            10.0,
                        );
                        for _ in 0..libm::ceil(4.0 / dt) as u32 {
                            let yaw = physics.pose(ROBOT).unwrap().yaw;
                            let heading = degrees.to_radians() - yaw;
                            // 2 m/s in a fixed direction of the world, whatever the body turns.
                            physics.command(
                                ROBOT,
                                Twist2::new(
                                    2.0 * libm::cos(heading),
                                    2.0 * libm::sin(heading),
                                    spin,
                                ),
                            );
                            physics.step();
                            let pose = physics.pose(ROBOT).unwrap();
                            let depth = rightmost(&footprint, &pose) - 2.0;
                            assert!(depth < 2e-3, "{case}: {depth} m deep at {pose:?}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn stands_still_when_pressed_and_leaves_when_told() {
    for (name, things) in walls() {
        for degrees in [-90.0_f64, -70.0, -30.0] {
            for footprint in [disc(), body()] {
                for dt in [1.0 / 30.0, 1.0 / 120.0] {
                    let case = format!("{name}, {footprint:?}, {degrees} deg, dt {dt}");
                    // A second wall, so that nothing can slide away.
                    let mut things = things.clone();
                    things.push((PlanarShape::rectangle(0.1, 4.0), Pose2::new(5.05, 1.9, 0.0)));
                    let mut physics = world(dt, &things);
                    physics.insert_robot(
                        ROBOT,
                        &footprint,
                        Pose2::new(4.5, 0.5, degrees.to_radians()),
                        Z,
                        10.0,
                    );
                    physics.command(ROBOT, Twist2::new(0.3, 0.0, 0.0));
                    for _ in 0..libm::ceil(10.0 / dt) as u32 {
                        physics.step();
                    }
                    let settled = physics.pose(ROBOT).unwrap();
                    for _ in 0..libm::ceil(10.0 / dt) as u32 {
                        let before = physics.pose(ROBOT).unwrap();
                        physics.step();
                        let after = physics.pose(ROBOT).unwrap();
                        let moved = libm::hypot(after.x - before.x, after.y - before.y);
                        assert!(moved < 1e-6, "{case}: moved {moved} m");
                    }
                    let after = physics.pose(ROBOT).unwrap();
                    let crept = libm::hypot(after.x - settled.x, after.y - settled.y);
                    assert!(crept < 1e-6, "{case}: crept {crept} m");
                    let depth = -lowest(&footprint, &after);
                    assert!(depth < 1e-5, "{case}: {depth} m deep");
                    let twist = physics.twist(ROBOT).unwrap();
                    assert!(libm::hypot(twist.x, twist.y) < 1e-6, "{case}: {twist:?}");
                    physics.command(ROBOT, Twist2::new(-0.3, 0.0, 0.0));
                    physics.step();
                    let left = physics.pose(ROBOT).unwrap();
                    let expected = after.advance(&Twist2::new(-0.3, 0.0, 0.0), dt);
                    let off = libm::hypot(left.x - expected.x, left.y - expected.y);
                    assert!(off < 1e-9, "{case}: {off} m held back");
                }
            }
        }
    }
}

#[test]
fn the_reported_twist_is_what_the_wall_left() {
    // A disc at 30 degrees into the wall keeps 0.3 cos(30) along it; in its own frame that
    // is (cos, sin) of 30 degrees times that.
    let mut physics = world(1.0 / 30.0, &walls()[1].1);
    let yaw = -30_f64.to_radians();
    physics.insert_robot(ROBOT, &disc(), Pose2::new(1.0, RADIUS, yaw), Z, 10.0);
    physics.command(ROBOT, Twist2::new(0.3, 0.0, 0.0));
    physics.step();
    physics.step();
    let twist = physics.twist(ROBOT).unwrap();
    let along = 0.3 * libm::cos(yaw);
    let expected = [along * libm::cos(yaw), -along * libm::sin(yaw)];
    assert!(
        (twist.x - expected[0]).abs() < 1e-9,
        "{twist:?} for {expected:?}"
    );
    assert!(
        (twist.y - expected[1]).abs() < 1e-9,
        "{twist:?} for {expected:?}"
    );
    assert_eq!(twist.angular, 0.0);
}
