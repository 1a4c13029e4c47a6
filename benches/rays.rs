//! Rays per second of a level scanner, and of a plain loop over all walls for comparison.
//!
//! The scanner has 400 beams over 240 degrees and stands in a room of 20 m with boxes that
//! lie about: 60 walls in all, or 1,004.

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tatami::world::rays::{Fan, RayIndex, RayOrigin};
use tatami::world::{BodyKey, Level, PlanarShape, Pose2, ZExtent};

const BEAMS: usize = 400;
const SPAN: f64 = 4.188_789;
const RANGE: f64 = 30.0;
const HEIGHT: ZExtent = ZExtent::new(0.0, 2.0);

fn pose() -> Pose2 {
    Pose2::new(0.3, -0.4, 0.7)
}

/// Four walls and boxes of 0.2 to 1 m, none within 1 m of the scanner.
fn room(boxes: usize) -> Vec<(PlanarShape, Pose2)> {
    let walls = PlanarShape::Ring(vec![
        [-10.0, -10.0],
        [10.0, -10.0],
        [10.0, 10.0],
        [-10.0, 10.0],
    ]);
    let mut bodies = vec![(walls, Pose2::default())];
    // A linear congruential sequence: the same room in every run.
    let mut state: u64 = 1;
    let mut uniform = |low: f64, high: f64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        low + (high - low) * (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    while bodies.len() <= boxes {
        let place = Pose2::new(uniform(-9.0, 9.0), uniform(-9.0, 9.0), uniform(-3.0, 3.0));
        let shape = PlanarShape::rectangle(uniform(0.2, 1.0), uniform(0.2, 1.0));
        let [x, y] = [place.x - pose().x, place.y - pose().y];
        if x * x + y * y > 1.8 * 1.8 {
            bodies.push((shape, place));
        }
    }
    bodies
}

/// What a first version would do: every beam against every wall.
fn plain_loop(walls: &[[[f64; 2]; 2]], directions: &[[f64; 2]], out: &mut Vec<f64>) {
    let origin = [pose().x, pose().y];
    out.clear();
    for [ux, uy] in directions {
        let mut nearest = f64::INFINITY;
        for [a, b] in walls {
            let [ex, ey] = [b[0] - a[0], b[1] - a[1]];
            let [ax, ay] = [a[0] - origin[0], a[1] - origin[1]];
            let facing = ux * ey - uy * ex;
            let distance = (ax * ey - ay * ex) / facing;
            let part = (ax * uy - ay * ux) / facing;
            if distance >= 0.0 && (0.0..=1.0).contains(&part) && distance < nearest {
                nearest = distance;
            }
        }
        out.push(if nearest <= RANGE {
            nearest
        } else {
            f64::INFINITY
        });
    }
}

fn walls_of(bodies: &[(PlanarShape, Pose2)]) -> Vec<[[f64; 2]; 2]> {
    let mut walls = Vec::new();
    for (shape, pose) in bodies {
        if let PlanarShape::Ring(points) | PlanarShape::Convex(points) = shape {
            let placed: Vec<[f64; 2]> = points.iter().map(|p| pose.transform_point(*p)).collect();
            for (a, b) in placed.iter().zip(placed.iter().cycle().skip(1)) {
                walls.push([*a, *b]);
            }
        }
    }
    walls
}

fn shortest(run: &mut impl FnMut()) -> Duration {
    let time = |run: &mut dyn FnMut()| {
        let start = Instant::now();
        run();
        start.elapsed()
    };
    (0..200).map(|_| time(run)).min().unwrap_or_default()
}

fn scene(criterion: &mut Criterion, boxes: usize) {
    let bodies = room(boxes);
    let walls = walls_of(&bodies);
    let mut index = RayIndex::new();
    let mut moving = RayIndex::new();
    for ((shape, place), key) in bodies.iter().zip(0..) {
        index.insert(BodyKey(key), shape.clone(), *place, HEIGHT);
        moving.insert(BodyKey(key), shape.clone(), *place, HEIGHT);
        moving.set_pose(BodyKey(key), *place);
    }
    let increment = SPAN / BEAMS as f64;
    let fan = Fan::uniform(-0.5 * SPAN, increment, BEAMS).expect("400 finite beams");
    let directions: Vec<[f64; 2]> = fan
        .azimuths()
        .iter()
        .map(|azimuth| {
            let (sin, cos) = libm::sincos(azimuth + pose().yaw);
            [cos, sin]
        })
        .collect();
    let origin = RayOrigin {
        pose: pose(),
        z: 0.1,
        level: Level {
            floor: 0.0,
            ceiling: f64::INFINITY,
        },
    };
    let (mut fast, mut plain) = (Vec::new(), Vec::new());
    index.nearest(&origin, &fan, RANGE, None, &mut fast);
    plain_loop(&walls, &directions, &mut plain);
    for (a, b) in fast.iter().zip(&plain) {
        assert!((a - b).abs() < 1e-9, "the two disagree: {a} {b}");
    }

    let mut cast = || index.nearest(black_box(&origin), &fan, RANGE, None, &mut fast);
    let mut plain_cast = || plain_loop(black_box(&walls), &directions, &mut plain);
    // Side by side, so that a busy machine slows down both.
    let ratio = shortest(&mut plain_cast).as_secs_f64() / shortest(&mut cast).as_secs_f64();
    println!("{} walls: {ratio:.0} times the plain loop", walls.len());

    let mut group = criterion.benchmark_group(format!("{}_walls", walls.len()));
    group.throughput(Throughput::Elements(BEAMS as u64));
    group.bench_function("nearest", |bencher| {
        bencher.iter(|| {
            index.nearest(black_box(&origin), &fan, RANGE, None, &mut fast);
            black_box(fast.last().copied())
        });
    });
    group.bench_function("nearest_all_moving", |bencher| {
        bencher.iter(|| {
            moving.nearest(black_box(&origin), &fan, RANGE, None, &mut fast);
            black_box(fast.last().copied())
        });
    });
    group.bench_function("all_hits", |bencher| {
        bencher.iter(|| index.cast(black_box(&origin), &fan, RANGE, None));
    });
    group.bench_function("plain_loop", |bencher| {
        bencher.iter(|| {
            plain_loop(black_box(&walls), &directions, &mut plain);
            black_box(plain.last().copied())
        });
    });
    group.finish();
}

fn rays(criterion: &mut Criterion) {
    scene(criterion, 14);
    scene(criterion, 250);
}

criterion_group!(benches, rays);
criterion_main!(benches);
