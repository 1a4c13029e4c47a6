//! Time of a physics step: nothing near, a crowd, among shelves, along walls of many pieces.
#![allow(missing_docs)]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use tatami::world::physics::{Load, Physics};
use tatami::world::{BodyKey, Dynamics, Footprint, Part, PlanarShape, Pose2, Twist2, ZExtent};

const Z: ZExtent = ZExtent::new(0.0, 1.0);
const DT: f64 = 1.0 / 30.0;

/// The Kachaka's footprint.
fn body() -> Footprint {
    Footprint::Polygon(vec![
        [-0.15, -0.12],
        [0.237, -0.12],
        [0.237, 0.12],
        [-0.15, 0.12],
    ])
}

fn square(half: f64) -> PlanarShape {
    PlanarShape::rectangle(2.0 * half, 2.0 * half)
}

/// A square ring with this many edges on each side.
fn ring(half: f64, edges: u32) -> PlanarShape {
    let corners = [[-half, -half], [half, -half], [half, half], [-half, half]];
    let mut points = Vec::new();
    for (from, to) in corners.iter().zip(corners.iter().cycle().skip(1)) {
        for i in 0..edges {
            let t = f64::from(i) / f64::from(edges);
            points.push([
                from[0] + t * (to[0] - from[0]),
                from[1] + t * (to[1] - from[1]),
            ]);
        }
    }
    PlanarShape::Ring(points)
}

fn alone_in_a_room(criterion: &mut Criterion) {
    let mut physics = Physics::new(DT, Dynamics::Rigid);
    physics.insert_obstacle(BodyKey(1), ring(10.0, 1), Pose2::default(), Z);
    for i in 0..19 {
        let angle = f64::from(i);
        let pose = Pose2::new(6.0 * libm::cos(angle), 6.0 * libm::sin(angle), angle);
        physics.insert_obstacle(BodyKey(2 + i), square(0.3), pose, Z);
    }
    physics.insert_robot(BodyKey(0), &body(), Pose2::default(), Z, 10.0);
    physics.command(BodyKey(0), Twist2::new(0.3, 0.0, 0.5));
    criterion.bench_function("step/1 robot, 20 obstacles, nothing near", |b| {
        b.iter(|| physics.step());
    });
    criterion.bench_function("contacts/nothing near", |b| {
        b.iter(|| black_box(physics.contacts(BodyKey(0))));
    });
}

/// 32 robots that wander in a 10 m room of 60 segments and run into things.
fn crowd(criterion: &mut Criterion) {
    let mut physics = Physics::new(DT, Dynamics::Rigid);
    physics.insert_obstacle(BodyKey(100), ring(5.0, 5), Pose2::default(), Z);
    for i in 0..10 {
        let pose = Pose2::new(
            -4.0 + 0.9 * f64::from(i),
            if i % 2 == 0 { 2.0 } else { -2.0 },
            0.5,
        );
        physics.insert_obstacle(BodyKey(101 + i), square(0.2), pose, Z);
    }
    for i in 0..32 {
        let pose = Pose2::new(
            -3.5 + f64::from(i % 8),
            -3.0 + 2.0 * f64::from(i / 8),
            f64::from(i),
        );
        physics.insert_robot(BodyKey(i), &body(), pose, Z, 10.0);
    }
    let mut step = 0_u32;
    criterion.bench_function("step/32 robots, 60 segments", |b| {
        b.iter(|| {
            for i in 0..32 {
                let phase = 0.003 * f64::from(step) + f64::from(i);
                physics.command(BodyKey(i), Twist2::new(0.3, 0.0, libm::sin(phase)));
            }
            step += 1;
            physics.step();
        });
    });
    criterion.bench_function("contacts/32 robots", |b| {
        b.iter(|| {
            for i in 0..32 {
                black_box(physics.contacts(BodyKey(i)));
            }
        });
    });
}

fn along_a_wall(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("step/sliding along");
    let cells: Vec<_> = (0..200)
        .map(|i| (square(0.025), Pose2::new(0.05 * f64::from(i), -0.025, 0.0)))
        .collect();
    let walls = [
        ("5 cm boxes", cells),
        (
            "5 cm segments",
            vec![(ring(5.0, 200), Pose2::new(5.0, 5.0, 0.0))],
        ),
        (
            "a ring of 20,000",
            vec![(ring(5.0, 5000), Pose2::new(5.0, 5.0, 0.0))],
        ),
    ];
    for (name, things) in walls {
        let mut physics = Physics::new(DT, Dynamics::Rigid);
        for (i, (shape, pose)) in things.into_iter().enumerate() {
            physics.insert_obstacle(BodyKey(1 + i as u32), shape, pose, Z);
        }
        let robot = BodyKey(0);
        physics.insert_robot(robot, &body(), Pose2::new(1.0, 0.12, 0.0), Z, 10.0);
        // Drifts into the wall; back and forth, to stay at it.
        let mut step = 0_u32;
        group.bench_function(name, |b| {
            b.iter(|| {
                let speed = if step % 600 < 300 { 0.3 } else { -0.3 };
                step += 1;
                physics.command(robot, Twist2::new(speed, -0.1, 0.0));
                physics.step();
            });
        });
    }
}

fn moving_obstacles(criterion: &mut Criterion) {
    let mut physics = Physics::new(DT, Dynamics::Rigid);
    physics.insert_obstacle(BodyKey(0), ring(10.0, 100), Pose2::default(), Z);
    for i in 1..=50 {
        physics.insert_touchable(
            BodyKey(i),
            PlanarShape::Disc(0.3),
            Pose2::new(f64::from(i) * 0.1, 0.0, 0.0),
            Z,
        );
    }
    let mut x = 0.0;
    criterion.bench_function("set_pose/50 discs", |b| {
        b.iter(|| {
            x = if x < 5.0 { x + 0.03 } else { 0.0 };
            for i in 1..=50 {
                physics.set_pose(BodyKey(i), Pose2::new(x, 0.1 * f64::from(i), 0.0));
            }
        });
    });
}

/// 200 shelves of four legs and three plates in a grid, 4 robots among them: driving in the
/// lanes, and each pushing a shelf to and fro.
fn furniture(criterion: &mut Criterion) {
    let leg = |x: f64, y: f64| {
        let part = Part::solid(PlanarShape::Disc(0.02), ZExtent::new(0.0, 0.155));
        part.at(Pose2::new(x, y, 0.0))
    };
    let mut parts = vec![
        leg(0.116, 0.196),
        leg(-0.116, 0.196),
        leg(-0.116, -0.196),
        leg(0.116, -0.196),
    ];
    for low in [0.155, 0.486, 0.717] {
        let plate = PlanarShape::rectangle(0.328, 0.488);
        parts.push(Part::solid(plate, ZExtent::new(low, low + 0.025)));
    }
    for (name, offset) in [("driving", 0.9), ("pushing", 0.0)] {
        let mut physics = Physics::new(DT, Dynamics::Rigid);
        physics.insert_obstacle(BodyKey(0), ring(40.0, 20), Pose2::default(), Z);
        for i in 0..200 {
            let at = Pose2::new(1.8 * f64::from(i % 20), 1.8 * f64::from(i / 20), 0.0);
            let (parts, mass) = (&parts, 6.0);
            physics.insert_pushed(BodyKey(1 + i), Load { parts, mass }, at);
        }
        let robot = |i: u32| BodyKey(1000 + i);
        let low = ZExtent::new(0.0, 0.113);
        for i in 0..4 {
            let x = 1.8 * f64::from(4 * i + 2) + offset;
            let at = Pose2::new(x, 3.1, std::f64::consts::FRAC_PI_2);
            physics.insert_robot(robot(i), &body(), at, low, 10.0);
        }
        let mut step = 0_u32;
        criterion.bench_function(&format!("step/4 robots {name}, 200 shelves"), |b| {
            b.iter(|| {
                let speed = if step % 120 < 60 { 0.3 } else { -0.3 };
                step += 1;
                for i in 0..4 {
                    physics.command(robot(i), Twist2::new(speed, 0.0, 0.0));
                }
                physics.step();
            });
        });
    }
}

criterion_group!(
    benches,
    alone_in_a_room,
    furniture,
    crowd,
    along_a_wall,
    moving_obstacles
);
criterion_main!(benches);
