//! The life of a real server: start, parameters, signals, robots that come and go.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]
#![cfg(feature = "ros")]

mod support_ros;

use r2r::geometry_msgs::msg::{Twist, TwistStamped};
use r2r::nav_msgs::msg::Odometry;
use r2r::rcl_interfaces::msg::{Parameter, ParameterValue};
use r2r::rcl_interfaces::srv::{DescribeParameters, GetParameters, ListParameters, SetParameters};
use r2r::tatami_msgs::msg::RobotState;
use r2r::tatami_msgs::srv::{ControlWorld, DeleteRobot, GetWorld, Reset, SetRobotPose, SpawnRobot};
use r2r::tf2_msgs::msg::TFMessage;
use r2r::{Client, QosProfile};
use support_ros::{Bench, pause, robot, run_to_end, start, steps};

#[test]
fn signals_end_it_with_success() {
    for (signal, stepping) in [("INT", false), ("TERM", false), ("INT", true)] {
        let mut bench = start(&["paused:=true"]);
        let control = bench.client::<ControlWorld::Service>("control_world");
        let world = bench.client::<GetWorld::Service>("get_world");
        let first = bench.call(&world, &GetWorld::Request {}).step;
        if stepping {
            let reply = control.request(&steps(4_000_000_000)).unwrap();
            drop(reply);
            bench.wait_until(&format!("a step above {first}"), |bench| {
                let step = bench.call(&world, &GetWorld::Request {}).step;
                (step > first).then_some(()).ok_or(step.to_string())
            });
        }
        let status = bench.end_by(signal);
        assert!(status.success(), "{signal}: {status}");
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
    assert_eq!(listed.result.names.len(), 9, "{:?}", listed.result.names);
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
fn the_factor_is_measured_while_it_runs() {
    let mut bench = start(&["physics_dt:=0.01", "real_time_factor:=2.0"]);
    let world = bench.client::<GetWorld::Service>("get_world");
    bench.wait_until("a measured factor", |bench| {
        let factor = bench.call(&world, &GetWorld::Request {}).real_time_factor;
        (factor > 0.0).then_some(()).ok_or(factor.to_string())
    });
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
    bench.wait_until("no topic of the robot", |bench| {
        let topics = bench.node.get_topic_names_and_types().unwrap();
        let left: Vec<&String> = topics
            .keys()
            .filter(|topic| topic.starts_with("/bot") || topic.starts_with("/tf"))
            .collect();
        left.is_empty().then_some(()).ok_or(format!("{left:?}"))
    });
    let at_the_end = resident(bench.pid());
    assert!(
        at_the_end < after_warm_up + 4096,
        "{after_warm_up} kB before 150 rounds, {at_the_end} kB after"
    );
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
    let wanted = format!("the odometry of {:?}", reply.sim_time);
    let seen = bench.message(&mut odom, &wanted, |m| m.header.stamp == reply.sim_time);
    assert_eq!(seen.child_frame_id, "a/base_link");
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
    let placed = bench.call_once::<SetRobotPose::Service>("set_robot_pose", &teleport);
    assert!(placed.success, "{}", placed.message);
    // The odometry has not moved, so world to odom is where the robot was put.
    let moved = bench.message(&mut tf, "the robot at (-3, 4)", |message| {
        message.transforms.iter().any(|t| {
            let at = &t.transform.translation;
            t.header.frame_id == "world" && (at.x + 3.0).abs() < 1e-9 && (at.y - 4.0).abs() < 1e-9
        })
    });
    let frames: Vec<(&str, &str)> = (moved.transforms.iter())
        .map(|t| (&*t.header.frame_id, &*t.child_frame_id))
        .collect();
    assert_eq!(
        frames,
        [("world", "bot/odom"), ("bot/odom", "bot/base_link")]
    );
    let odom = &moved.transforms[1].transform.translation;
    assert_eq!((odom.x, odom.y), (0.0, 0.0));
}

/// Publishes a command and takes a step, again and again until the one robot moves: the
/// server's side of the match can't be seen from here. Returns its state after its first
/// step in motion.
fn publish_until_moving(
    bench: &mut Bench,
    control: &Client<ControlWorld::Service>,
    mut publish: impl FnMut(),
) -> RobotState {
    bench.wait_until("a robot that moves", |bench| {
        publish();
        let state = bench.call(control, &steps(1)).robots.remove(0);
        let twist = &state.twist;
        if twist.linear.x == 0.0 && twist.angular.z == 0.0 {
            return Err(format!("{twist:?}"));
        }
        Ok(state)
    })
}

/// Waits until the server has said something.
fn wait_for_log(bench: &mut Bench, words: &str) {
    bench.wait_until(&format!("{words:?} in the log"), |bench| {
        let log = bench.log();
        log.contains(words).then_some(()).ok_or(log)
    });
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
    let mut twist = Twist::default();
    twist.linear.x = 0.5;
    let control = bench.client::<ControlWorld::Service>("control_world");
    publish_until_moving(&mut bench, &control, || commands.publish(&twist).unwrap());
    let moved = bench.call(&control, &steps(99)).robots.remove(0);
    // 0.5 m/s for 1 s, less what accelerating at 2 m/s2 leaves out: a quarter of a second
    // at half the speed.
    let x = moved.pose.position.x;
    assert!((x - 0.4375).abs() < 0.01, "{x} instead of 0.4375");
    // Types are looked at in the order of the names: what warns of a later robot has looked
    // at this one too, and found nothing.
    let spawned = bench.call_once::<SpawnRobot::Service>("spawn_robot", &robot("later"));
    assert!(spawned.success, "{}", spawned.message);
    let _wrong = (bench.node)
        .create_publisher::<TwistStamped>("/later/cmd_vel", QosProfile::default())
        .unwrap();
    wait_for_log(&mut bench, "robot \"later\" takes");
    assert!(!bench.log().contains("robot \"bot\""), "{}", bench.log());
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
    wait_for_log(&mut bench, "TwistStamped");
    // Spawned anew with the other type it takes them.
    request.stamped = true;
    let spawned = bench.call_once::<SpawnRobot::Service>("spawn_robot", &request);
    assert!(spawned.success, "{}", spawned.message);
    let mut twist = TwistStamped::default();
    twist.twist.angular.z = 1.0;
    let control = bench.client::<ControlWorld::Service>("control_world");
    publish_until_moving(&mut bench, &control, || wrong.publish(&twist).unwrap());
    let turned = bench.call(&control, &steps(9));
    let yaw = turned.robots[0].yaw;
    assert!(yaw > 0.1, "{yaw} instead of more than 0.1");
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
