//! How fast a real server steps with one matched reader per topic. Not a test of every day:
//! `cargo test --release --test ros_performance -- --ignored --nocapture`.
#![cfg(feature = "ros")]

mod support_ros;

use std::time::{Duration, Instant};

use r2r::nav_msgs::msg::Odometry;
use r2r::rosgraph_msgs::msg::Clock;
use r2r::sensor_msgs::msg::{Imu, JointState, LaserScan};
use r2r::tatami_msgs::msg::{BeamFan, SensorSpec};
use r2r::tatami_msgs::srv::{ControlWorld, SpawnRobot};
use r2r::tf2_msgs::msg::TFMessage;
use support_ros::{Bench, drain, robot, start};

fn steps(multi_step: u32) -> ControlWorld::Request {
    ControlWorld::Request {
        pause: true,
        multi_step,
        ..Default::default()
    }
}

fn spawn(bench: &mut Bench) {
    let mut request = robot("bot");
    let sensor = |name: &str, kind: &str, rate: f64| SensorSpec {
        name: name.to_owned(),
        type_: kind.to_owned(),
        frame: "laser".to_owned(),
        rate,
        ..Default::default()
    };
    let mut lidar = sensor("scan", "laserscan", 10.0);
    lidar.fan = vec![BeamFan {
        angle_min: -3.14,
        angle_increment: 0.0157,
        beams: 400,
        range_max: 10.0,
        ..Default::default()
    }];
    request.sensors = vec![lidar, sensor("imu", "imu", 0.0)];
    let spawned = bench.call_once::<SpawnRobot::Service>("spawn_robot", &request);
    assert!(spawned.success, "{}", spawned.message);
}

/// Processor time of a process, in seconds.
fn processor_time(pid: u32) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let after_name = stat.rsplit(')').next().unwrap();
    let fields: Vec<&str> = after_name.split_whitespace().collect();
    let ticks: f64 = fields[11..=12]
        .iter()
        .map(|f| f.parse::<f64>().unwrap())
        .sum();
    ticks / 100.0
}

#[test]
#[ignore = "takes time and a quiet machine"]
fn steps_are_fast() {
    let mut bench = start(&["paused:=true", "physics_dt:=0.0333333333"]);
    let idle = processor_time(bench.pid());
    bench.spin_for(Duration::from_secs(5));
    let idle = processor_time(bench.pid()) - idle;
    println!("idle while paused: {:.1} % of a core", 100.0 * idle / 5.0);
    spawn(&mut bench);
    let control = bench.client::<ControlWorld::Service>("control_world");
    let measure = |bench: &mut Bench, what: &str| {
        let mut times = Vec::new();
        for _ in 0..500 {
            let begun = Instant::now();
            bench.call(&control, &steps(1));
            times.push(begun.elapsed());
        }
        times.sort();
        println!(
            "{what}: one step {:?} median, {:?} at 95 %",
            times[250], times[475]
        );
        let (begun, used) = (Instant::now(), processor_time(bench.pid()));
        bench.call(&control, &steps(5000));
        let took = begun.elapsed().as_secs_f64();
        let used = processor_time(bench.pid()) - used;
        println!(
            "{what}: {:.1} us a step ({:.1} us of processor), {:.0} times real time",
            took / 5000.0 * 1e6,
            used / 5000.0 * 1e6,
            5000.0 / 30.0 / took
        );
    };
    measure(&mut bench, "no readers");
    let mut clock = bench.subscribe::<Clock>("/clock");
    let mut tf = bench.subscribe::<TFMessage>("/tf");
    let mut odom = bench.subscribe::<Odometry>("/bot/odom");
    let mut truth = bench.subscribe::<Odometry>("/bot/ground_truth");
    let mut joints = bench.subscribe::<JointState>("/bot/joint_states");
    let mut imu = bench.subscribe::<Imu>("/bot/imu");
    let mut scan = bench.subscribe::<LaserScan>("/bot/scan");
    measure(&mut bench, "a reader for each of 7 topics");
    drain(&mut clock);
    drain(&mut tf);
    drain(&mut odom);
    drain(&mut truth);
    drain(&mut joints);
    drain(&mut imu);
    assert!(!drain(&mut scan).is_empty());
}
