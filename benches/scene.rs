//! Whole scenes without ROS: Kachakas with their lidars in the default room.
//!
//! A step is one of 1/30 s with the 10 Hz lidar read when it is due, so the real-time
//! factor is 1/30 s over the time per step.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tatami::drive::{AxisLimits, DriveModel};
use tatami::robot::{RobotSpec, Selection, SensorSpec};
use tatami::scene::{Scene, SceneConfig};
use tatami::world::{BoxSpec, Dynamics, OutlineSpec, PhysicsDt, Pose2, Twist2};

const URDF: &str = include_str!("../urdf/kachaka.urdf");
/// Steps per measurement: ten seconds of sim time.
const STEPS: u64 = 300;

fn kachaka(name: String, pose: Pose2) -> RobotSpec {
    let limits = |low: f64, high: f64, accel: f64| AxisLimits {
        low,
        high,
        accel,
        decel: 0.0,
    };
    let sensor = |name: &str, kind: &str, block: &str| SensorSpec {
        name: name.into(),
        kind: kind.into(),
        sensor: block.into(),
        ..SensorSpec::default()
    };
    RobotSpec {
        name,
        urdf: URDF.into(),
        base_frame: "base_footprint".into(),
        pose,
        floor: String::new(),
        radius: 0.0,
        footprint: vec![[-0.15, -0.12], [0.237, -0.12], [0.237, 0.12], [-0.15, 0.12]],
        z_min: 0.0,
        height: 0.113,
        drive: DriveModel {
            linear: limits(-0.3, 0.3, 0.5),
            angular: limits(-1.57, 1.57, 3.0),
            ..DriveModel::default()
        },
        sensors: vec![
            sensor("scan", "laserscan", "lidar"),
            sensor("imu", "imu", "imu"),
        ],
        onboard: None,
    }
}

/// The default room with this many Kachakas, all under way.
fn room_with(robots: u32) -> Scene {
    let dt = PhysicsDt::from_seconds(1.0 / 30.0).expect("30 Hz is in range");
    let mut scene = Scene::new(SceneConfig {
        dt,
        dynamics: Dynamics::Rigid,
        seed: 0,
        run: 0,
    });
    let corners = [[-2.5, -2.0], [2.5, -2.0], [2.5, 2.0], [-2.5, 2.0]];
    let room = OutlineSpec {
        name: "room".into(),
        points: corners.to_vec(),
        z_min: 0.0,
        z_max: 2.4,
    };
    scene.add_outlines(&[room]).expect("a valid room");
    let block = |name: &str, x: f64, y: f64| BoxSpec {
        name: name.into(),
        size: [0.4, 0.3],
        pose: Pose2::new(x, y, 0.3),
        z_min: 0.0,
        z_max: 0.5,
    };
    let boxes = [
        block("a", 1.6, 1.2),
        block("b", -1.5, 1.3),
        block("c", 1.7, -1.3),
    ];
    scene.spawn_boxes(&boxes).expect("valid boxes");
    for i in 0..robots {
        let column = f64::from(i % 8) - 3.5;
        let row = f64::from(i / 8) - 1.5;
        let pose = Pose2::new(0.5 * column, 0.6 * row, f64::from(i));
        let name = format!("kachaka{i}");
        let twist = Twist2::new(0.2, 0.0, 0.3 - 0.02 * f64::from(i));
        scene
            .spawn_robot(kachaka(name.clone(), pose))
            .expect("a valid robot");
        scene.command(&name, twist).expect("a robot that is there");
    }
    scene
}

fn step_and_read(scene: &mut Scene, names: &[String]) -> usize {
    scene.step();
    names
        .iter()
        .map(|name| scene.sample(name, Selection::Due).len())
        .sum()
}

fn scenes(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("scene");
    group.throughput(Throughput::Elements(STEPS));
    for robots in [1, 32] {
        let mut scene = room_with(robots);
        let names: Vec<String> = scene
            .robots()
            .map(|robot| robot.name().to_owned())
            .collect();
        group.bench_function(format!("{robots}_kachakas_{STEPS}_steps"), |bencher| {
            bencher.iter(|| {
                (0..STEPS)
                    .map(|_| step_and_read(&mut scene, &names))
                    .sum::<usize>()
            });
        });
    }
    group.finish();
}

criterion_group!(benches, scenes);
criterion_main!(benches);
