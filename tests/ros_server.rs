//! The life of a real server: start, parameters, signals, robots that come and go.
#![cfg(feature = "ros")]

mod support_ros;

use std::time::{Duration, Instant};

use r2r::QosProfile;
use r2r::geometry_msgs::msg::{Twist, TwistStamped};
use r2r::nav_msgs::msg::Odometry;
use r2r::rcl_interfaces::msg::{Parameter, ParameterValue};
use r2r::rcl_interfaces::srv::{DescribeParameters, GetParameters, ListParameters, SetParameters};
use r2r::tatami_msgs::srv::{ControlWorld, DeleteRobot, GetWorld, Reset, SetRobotPose, SpawnRobot};
use r2r::tf2_msgs::msg::TFMessage;
use support_ros::{Bench, drain, pause, robot, run_to_end, start, steps};

#[test]
fn services_are_up_within_two_seconds() {
    let mut bench = start(&["paused:=true"]);
    bench.client::<ControlWorld::Service>("control_world");
    bench.client::<SpawnRobot::Service>("spawn_robot");
    let took = bench.begun.elapsed();
    assert!(took < Duration::from_secs(2), "{took:?}");
}

#[test]
fn signals_end_it_within_a_step_and_with_success() {
    for (signal, stepping) in [("INT", false), ("TERM", false), ("INT", true)] {
        let mut bench = start(&["paused:=true", "paused_clock_period:=10.0"]);
        let control = bench.client::<ControlWorld::Service>("control_world");
        if stepping {
            let reply = control.request(&steps(4_000_000_000)).unwrap();
            drop(reply);
        }
        bench.spin_for(Duration::from_millis(100));
        let (status, took) = bench.end_by(signal);
        assert!(status.success(), "{signal}: {status}");
        assert!(took < Duration::from_secs(1), "{signal}: {took:?}");
    }
}

#[test]
fn bad_parameters_end_the_start() {
    for (parameter, expected) in [
        ("physics_dt:=0.9", "0.0005 to 0.5"),
        ("phisics_dt:=0.01", "did you mean \"physics_dt\"?"),
        ("dynamics:=soft", "rigid or kinematic"),
        ("paused:=1", "has type boolean, not integer"),
    ] {
        let (status, said) = run_to_end(&[parameter]);
        assert!(!status.success(), "{parameter} was taken");
        assert!(said.contains(expected), "{parameter}: {said}");
    }
}

fn set(bench: &mut Bench, name: &str, value: f64) -> (bool, String) {
    let request = SetParameters::Request {
        parameters: vec![Parameter {
            name: name.to_owned(),
            value: ParameterValue {
                type_: 3,
                double_value: value,
                ..Default::default()
            },
        }],
    };
    let mut reply = bench.call_once::<SetParameters::Service>("set_parameters", &request);
    let result = reply.results.remove(0);
    (result.successful, result.reason)
}

#[test]
fn parameters_can_be_read_described_and_set() {
    let mut bench = start(&["paused:=true", "real_time_factor:=2"]);
    let names = vec!["real_time_factor".to_owned(), "unknown".to_owned()];
    let request = GetParameters::Request {
        names: names.clone(),
    };
    let values = bench.call_once::<GetParameters::Service>("get_parameters", &request);
    assert_eq!(values.values[0].double_value, 2.0);
    assert_eq!(values.values[1].type_, 0);
    let request = DescribeParameters::Request {
        names: vec!["physics_dt".to_owned()],
    };
    let described = bench.call_once::<DescribeParameters::Service>("describe_parameters", &request);
    let dt = &described.descriptors[0];
    assert!(dt.read_only);
    assert_eq!(dt.floating_point_range[0].to_value, 0.5);
    let request = ListParameters::Request::default();
    let listed = bench.call_once::<ListParameters::Service>("list_parameters", &request);
    assert_eq!(listed.result.names.len(), 8, "{:?}", listed.result.names);
    assert_eq!(
        set(&mut bench, "real_time_factor", 3.0),
        (true, String::new())
    );
    let (taken, reason) = set(&mut bench, "physics_dt", 0.1);
    assert!(!taken && reason.contains("fixed at start"), "{reason}");
    let (taken, reason) = set(&mut bench, "real_time_factor", -1.0);
    assert!(!taken && reason.contains("0 to 10000"), "{reason}");
}

#[test]
fn real_time_is_kept_and_measured() {
    let mut bench = start(&["physics_dt:=0.01", "real_time_factor:=2.0"]);
    let world = bench.client::<GetWorld::Service>("get_world");
    bench.spin_for(Duration::from_millis(300));
    let first = bench.call(&world, &GetWorld::Request {});
    let begun = Instant::now();
    bench.spin_for(Duration::from_millis(1500));
    let second = bench.call(&world, &GetWorld::Request {});
    let factor = (second.step - first.step) as f64 * 0.01 / begun.elapsed().as_secs_f64();
    // Late it may be on a busy machine, early never.
    assert!(factor < 2.05, "{factor}");
    assert!(factor > 1.0, "{factor}");
    assert!(second.real_time_factor < 2.2, "{}", second.real_time_factor);
    assert!(second.real_time_factor > 1.0, "{}", second.real_time_factor);
    let control = bench.client::<ControlWorld::Service>("control_world");
    bench.call(&control, &pause(true));
    let paused = bench.call(&world, &GetWorld::Request {});
    assert_eq!((paused.paused, paused.real_time_factor), (true, 0.0));
}

/// Resident memory of a process, in kilobytes.
fn resident(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find(|l| l.starts_with("VmRSS")).unwrap();
    let number = line.split_whitespace().nth(1).unwrap();
    number.parse().unwrap()
}

#[test]
fn two_hundred_robots_come_and_go_and_leave_nothing() {
    let mut bench = start(&["paused:=true"]);
    let spawn = bench.client::<SpawnRobot::Service>("spawn_robot");
    let delete = bench.client::<DeleteRobot::Service>("delete_robot");
    let control = bench.client::<ControlWorld::Service>("control_world");
    let mut request = robot("bot");
    request.publish_description = true;
    let name = DeleteRobot::Request {
        name: "bot".to_owned(),
    };
    let mut after_warm_up = 0;
    for round in 0..200 {
        let spawned = bench.call(&spawn, &request);
        assert!(spawned.success, "round {round}: {}", spawned.message);
        bench.call(&control, &steps(1));
        let deleted = bench.call(&delete, &name);
        assert!(deleted.success, "round {round}: {}", deleted.message);
        if round == 50 {
            after_warm_up = resident(bench.pid());
        }
    }
    bench.spin_for(Duration::from_millis(1500));
    let grown = resident(bench.pid()).saturating_sub(after_warm_up);
    assert!(grown < 4096, "{grown} kB more after 150 rounds");
    let topics = bench.node.get_topic_names_and_types().unwrap();
    let left: Vec<&String> = topics
        .keys()
        .filter(|topic| topic.starts_with("/bot") || topic.starts_with("/tf"))
        .collect();
    assert!(left.is_empty(), "still there: {left:?}");
}

#[test]
fn a_refused_replacement_leaves_the_robot_and_its_topics() {
    let mut bench = start(&["paused:=true"]);
    let spawn = bench.client::<SpawnRobot::Service>("spawn_robot");
    assert!(bench.call(&spawn, &robot("a")).success);
    assert!(bench.call(&spawn, &robot("b")).success);
    let mut odom = bench.subscribe::<Odometry>("/a/odom");
    let mut worse = robot("a");
    worse.robot_namespace = "/b".to_owned();
    let refused = bench.call(&spawn, &worse);
    assert!(!refused.success);
    assert!(
        refused.message.contains("robot \"b\""),
        "{}",
        refused.message
    );
    worse = robot("a");
    worse.radius = -1.0;
    assert!(!bench.call(&spawn, &worse).success);
    let control = bench.client::<ControlWorld::Service>("control_world");
    let reply = bench.call(&control, &steps(1));
    bench.spin_for(Duration::from_millis(200));
    let seen = drain(&mut odom);
    assert_eq!(seen.last().map(|m| &m.header.stamp), Some(&reply.sim_time));
    assert_eq!(seen.last().map(|m| &*m.child_frame_id), Some("a/base_link"));
}

#[test]
fn the_transforms_lead_to_the_truth_also_after_a_teleport() {
    let mut bench = start(&["paused:=true"]);
    let mut request = robot("bot");
    request.world_frame = "world".to_owned();
    (request.x, request.y, request.yaw) = (1.0, 2.0, 0.5);
    let spawned = bench.call_once::<SpawnRobot::Service>("spawn_robot", &request);
    assert!(spawned.success, "{}", spawned.message);
    let mut tf = bench.subscribe::<TFMessage>("/tf");
    let teleport = SetRobotPose::Request {
        name: "bot".to_owned(),
        x: -3.0,
        y: 4.0,
        yaw: 1.5,
        ..Default::default()
    };
    drain(&mut tf);
    let placed = bench.call_once::<SetRobotPose::Service>("set_robot_pose", &teleport);
    assert!(placed.success, "{}", placed.message);
    bench.spin_for(Duration::from_millis(300));
    let last = drain(&mut tf)
        .pop()
        .expect("a transform after the teleport");
    let frames: Vec<(&str, &str)> = (last.transforms.iter())
        .map(|t| (&*t.header.frame_id, &*t.child_frame_id))
        .collect();
    assert_eq!(
        frames,
        [("world", "bot/odom"), ("bot/odom", "bot/base_link")]
    );
    // The odometry has not moved, so world to odom is where the robot was put.
    let world = &last.transforms[0].transform.translation;
    let odom = &last.transforms[1].transform.translation;
    assert!(
        (world.x + 3.0).abs() < 1e-9 && (world.y - 4.0).abs() < 1e-9,
        "{world:?}"
    );
    assert_eq!((odom.x, odom.y), (0.0, 0.0));
}

#[test]
fn commands_on_the_topic_move_it() {
    let mut bench = start(&["paused:=true", "physics_dt:=0.01"]);
    let spawned = bench.call_once::<SpawnRobot::Service>("spawn_robot", &robot("bot"));
    assert!(spawned.success, "{}", spawned.message);
    let qos = QosProfile::default().reliable();
    let commands = (bench.node)
        .create_publisher::<Twist>("/bot/cmd_vel", qos)
        .unwrap();
    bench.spin_for(Duration::from_millis(500));
    let mut twist = Twist::default();
    twist.linear.x = 0.5;
    commands.publish(&twist).unwrap();
    bench.spin_for(Duration::from_millis(200));
    let control = bench.client::<ControlWorld::Service>("control_world");
    let moved = bench.call(&control, &steps(100)).robots.remove(0);
    // 0.5 m/s for 1 s, less what accelerating at 2 m/s2 leaves out: a quarter of a second
    // at half the speed.
    let x = moved.pose.position.x;
    assert!((x - 0.4375).abs() < 0.01, "{x}");
    bench.spin_for(Duration::from_millis(1200));
    assert!(!bench.log().contains("WARN"), "{}", bench.log());
}

#[test]
fn commands_of_the_wrong_type_are_said() {
    let mut bench = start(&["paused:=true"]);
    let mut request = robot("bot");
    let spawned = bench.call_once::<SpawnRobot::Service>("spawn_robot", &request);
    assert!(spawned.success, "{}", spawned.message);
    let qos = QosProfile::default().reliable();
    let wrong = (bench.node)
        .create_publisher::<TwistStamped>("/bot/cmd_vel", qos)
        .unwrap();
    bench.spin_for(Duration::from_millis(2000));
    assert!(bench.log().contains("TwistStamped"), "{}", bench.log());
    // Spawned anew with the other type it takes them.
    request.stamped = true;
    let spawned = bench.call_once::<SpawnRobot::Service>("spawn_robot", &request);
    assert!(spawned.success, "{}", spawned.message);
    bench.spin_for(Duration::from_millis(500));
    let mut twist = TwistStamped::default();
    twist.twist.angular.z = 1.0;
    wrong.publish(&twist).unwrap();
    bench.spin_for(Duration::from_millis(200));
    let turned = bench.call_once::<ControlWorld::Service>("control_world", &steps(10));
    assert!(turned.robots[0].yaw > 0.1, "{:?}", turned.robots[0].yaw);
}

#[test]
fn a_reset_of_the_state_keeps_the_time() {
    let mut bench = start(&["paused:=true", "physics_dt:=0.01"]);
    let spawned = bench.call_once::<SpawnRobot::Service>("spawn_robot", &robot("bot"));
    assert!(spawned.success, "{}", spawned.message);
    let control = bench.client::<ControlWorld::Service>("control_world");
    let before = bench.call(&control, &steps(10));
    let reset = bench.call_once::<Reset::Service>("reset", &Reset::Request::default());
    assert!(reset.success, "{}", reset.message);
    assert_eq!(
        (reset.step, &reset.sim_time),
        (before.step, &before.sim_time)
    );
}
