//! The same calls give the same bytes in every process: this test runs itself twice as a
//! child process and compares a hash over a whole run, and the run of a third child that
//! differs in one command shows that the hash would notice.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod common;

use std::collections::hash_map::DefaultHasher;
use std::hash::Hasher;
use std::process::Command;

use common::{block, on_block, robot, room, scene};
use tatami::robot::{Sample, Selection};
use tatami::scene::Scene;
use tatami::world::{DiscSpec, Pose2, Twist2};

/// Set in a child: the speed of its first command.
const CHILD: &str = "TATAMI_DETERMINISM_SPEED";
const STEPS: usize = 3000;

/// Three robots that bump into walls, boxes and each other, and a walker.
fn furnished() -> Scene {
    let mut scene = scene(1.0 / 30.0, 11);
    scene.add_outlines(&[room(2.5)]).unwrap();
    let boxes = [
        block("a", 1.5, 1.0, [0.6, 0.4]),
        block("b", -1.5, 1.2, [0.5, 0.5]),
        block("c", -1.0, 1.2, [0.5, 0.5]),
    ];
    scene.spawn_boxes(&boxes).unwrap();
    let walker = DiscSpec {
        name: "walker".into(),
        radius: 0.3,
        center: [0.0, -2.0],
        velocity: [0.01, 0.02],
        z_min: 0.0,
        z_max: 1.7,
    };
    scene.update_discs(&[walker], &[]).unwrap();
    for (name, x) in [("first", -1.0), ("second", 0.0), ("third", 1.0)] {
        let mut spec = robot(name, Pose2::new(x, -0.5, x));
        spec.drive.lag = [0.1, 0.0, 0.2];
        spec.drive.traction = 1.5;
        spec.sensors = vec![
            on_block("scan", "laserscan", "lidar"),
            on_block("cloud", "pointcloud", "lidar"),
            on_block("gyro", "imu", "gyro"),
        ];
        scene.spawn_robot(spec).unwrap();
    }
    scene
}

fn hash_of_a_run(speed: f64) -> u64 {
    let mut scene = furnished();
    let mut hasher = DefaultHasher::new();
    for step in 0..STEPS {
        for (i, name) in ["first", "second", "third"].into_iter().enumerate() {
            if step % 50 == 10 * i {
                let turn = ((step / 50) % 7) as f64 * 0.3 - 0.9;
                scene.command(name, Twist2::new(speed, 0.0, turn)).unwrap();
            }
        }
        scene.step();
        for name in ["first", "second", "third"] {
            let state = scene.state(name).unwrap();
            let odometry = scene.robot(name).unwrap().odometry();
            for pose in [state.pose, odometry.pose] {
                for value in [pose.x, pose.y, pose.yaw] {
                    hasher.write_u64(value.to_bits());
                }
            }
            hasher.write_usize(scene.contacts(name).unwrap().len());
            for (index, sample) in scene.sample(name, Selection::Due) {
                hasher.write_usize(index);
                write(&mut hasher, &sample);
            }
        }
    }
    hasher.finish()
}

fn write(hasher: &mut DefaultHasher, sample: &Sample) {
    let mut floats = |values: &[f32]| {
        for value in values {
            hasher.write_u32(value.to_bits());
        }
    };
    match sample {
        Sample::Laser(laser) => floats(&laser.ranges),
        Sample::PointCloud(cloud) => floats(cloud.points.as_flattened()),
        Sample::Imu(imu) => {
            for value in imu.angular_velocity.iter().chain(&imu.linear_acceleration) {
                hasher.write_u64(value.to_bits());
            }
        }
        Sample::Contacts(contacts) => hasher.write_usize(contacts.len()),
    }
}

/// What the child of this speed prints; the test below does nothing else in a child.
fn hash_from_another_process(speed: &str) -> String {
    let output = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "two_processes_agree_byte_for_byte",
            "--nocapture",
        ])
        .env(CHILD, speed)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let hash = text.lines().find_map(|line| line.strip_prefix("hash "));
    hash.unwrap_or_else(|| panic!("no hash in: {text}"))
        .to_owned()
}

#[test]
fn two_processes_agree_byte_for_byte() {
    if let Ok(speed) = std::env::var(CHILD) {
        println!("\nhash {:016x}", hash_of_a_run(speed.parse().unwrap()));
        return;
    }
    let first = hash_from_another_process("0.4");
    assert_eq!(first, hash_from_another_process("0.4"));
    assert_eq!(
        first,
        format!("{:016x}", hash_of_a_run(0.4)),
        "this process"
    );
    assert_ne!(first, hash_from_another_process("0.4000001"));
}
