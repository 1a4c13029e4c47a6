//! `control_world` of a real server: exact steps, the pause state, long requests.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]
#![cfg(feature = "ros")]

mod support_ros;

use futures::FutureExt;
use futures::future::join_all;
use r2r::geometry_msgs::msg::{Twist, Vector3};
use r2r::rosgraph_msgs::msg::Clock;
use r2r::tatami_msgs::msg::RobotCommand;
use r2r::tatami_msgs::srv::{ControlWorld, GetWorld, Reset, SpawnRobot};
use support_ros::{Bench, drain, pause, robot, start, steps};

fn drive(name: &str, linear: f64, angular: f64) -> RobotCommand {
    let vector = |x, z| Vector3 { x, y: 0.0, z };
    RobotCommand {
        robot: name.to_owned(),
        twist: Twist {
            linear: vector(linear, 0.0),
            angular: vector(0.0, angular),
        },
    }
}

/// A plain request for a report, which is answered even while others step.
fn report() -> ControlWorld::Request {
    ControlWorld::Request {
        report: true,
        ..pause(true)
    }
}

/// Waits until more steps were taken.
fn wait_for_steps_after(bench: &mut Bench, step: u64) {
    let world = bench.client::<GetWorld::Service>("get_world");
    bench.wait_until(&format!("a step above {step}"), |bench| {
        let now = bench.call(&world, &GetWorld::Request {}).step;
        (now > step).then_some(()).ok_or(now.to_string())
    });
}

#[test]
fn a_hundred_times_one_step_is_once_a_hundred() {
    let mut bench = start(&["paused:=true", "physics_dt:=0.01"]);
    let spawned = bench.call_once::<SpawnRobot::Service>("spawn_robot", &robot("bot"));
    assert!(spawned.success, "{}", spawned.message);
    let control = bench.client::<ControlWorld::Service>("control_world");
    let first = ControlWorld::Request {
        commands: vec![drive("bot", 0.5, 0.3)],
        ..steps(1)
    };
    let before = bench.call(
        &control,
        &ControlWorld::Request {
            pause: false,
            ..report()
        },
    );
    assert_eq!((before.step, before.sim_time.nanosec), (1, 10_000_000));
    let mut single = bench.call(&control, &first);
    for _ in 1..100 {
        single = bench.call(&control, &steps(1));
        assert_eq!(single.steps_taken, 1);
    }
    let reset = Reset::Request {
        time: true,
        ..Default::default()
    };
    let reset = bench.call_once::<Reset::Service>("reset", &reset);
    assert_eq!((reset.step, reset.sim_time.nanosec), (1, 10_000_000));
    let hundred = ControlWorld::Request {
        multi_step: 100,
        ..first
    };
    let at_once = bench.call(&control, &hundred);
    assert_eq!(at_once.steps_taken, 100);
    assert_eq!((at_once.step, at_once.sim_time.sec), (101, 1));
    assert_eq!(at_once.sim_time, single.sim_time);
    assert_eq!(at_once.robots, single.robots);
    let pose = &at_once.robots[0].pose.position;
    assert!(pose.x > 0.3, "it has driven: {pose:?}");
}

#[test]
fn stepping_never_unpauses_and_an_ambiguous_request_changes_nothing() {
    let mut bench = start(&["physics_dt:=0.01"]);
    let control = bench.client::<ControlWorld::Service>("control_world");
    let ambiguous = ControlWorld::Request {
        pause: false,
        ..steps(5)
    };
    let refused = bench.call(&control, &ambiguous);
    assert!(!refused.success);
    assert_eq!(refused.steps_taken, 0);
    assert!(
        refused.message.contains("pause to true"),
        "{}",
        refused.message
    );
    // It runs on, also after a report that names the other pause state.
    let earlier = bench.call(&control, &report()).step;
    wait_for_steps_after(&mut bench, earlier);
    // Paused by a step request, it takes exactly that many.
    let paused = bench.call(&control, &steps(7));
    assert_eq!(paused.steps_taken, 7);
    let more = bench.call(&control, &ambiguous);
    assert!(more.success, "{}", more.message);
    assert_eq!(more.step, paused.step + 5);
    // Were it running, the clock would show it.
    let mut clock = bench.subscribe::<Clock>("/clock");
    let shown = bench.messages(&mut *clock, 20);
    assert!(
        shown.iter().all(|m| m.clock == more.sim_time),
        "{:?} on, {shown:?}",
        more.sim_time
    );
    let still = bench.call_once::<GetWorld::Service>("get_world", &GetWorld::Request {});
    assert!(still.paused);
    assert_eq!(still.step, more.step);
}

#[test]
fn bad_inputs_refuse_the_whole_request() {
    let mut bench = start(&["physics_dt:=0.01"]);
    let control = bench.client::<ControlWorld::Service>("control_world");
    let request = ControlWorld::Request {
        commands: vec![drive("nobody", 0.5, 0.0)],
        ..steps(5)
    };
    let refused = bench.call(&control, &request);
    assert!(!refused.success);
    assert_eq!(refused.steps_taken, 0);
    assert!(
        refused.message.contains("commands[0]"),
        "{}",
        refused.message
    );
    assert!(refused.message.contains("nobody"), "{}", refused.message);
    let world = bench.call_once::<GetWorld::Service>("get_world", &GetWorld::Request {});
    assert!(!world.paused, "a refused request must not pause");
}

#[test]
fn a_pause_ends_a_request_of_four_billion_steps() {
    let mut bench = start(&["paused:=true", "physics_dt:=0.01"]);
    let control = bench.client::<ControlWorld::Service>("control_world");
    let mut long = Box::pin(control.request(&steps(4_000_000_000)).unwrap());
    let waiting = Box::pin(control.request(&steps(10)).unwrap());
    // The requests of one client arrive in order: when this one is answered, those before
    // it are there.
    let reached = bench.call(&control, &report()).step;
    wait_for_steps_after(&mut bench, reached);
    assert!((&mut long).now_or_never().is_none(), "it is still stepping");
    let other = bench.client::<ControlWorld::Service>("control_world");
    let paused = bench.call(&other, &pause(true));
    assert!(paused.success, "{}", paused.message);
    let ended = bench.wait_for(long).unwrap();
    let waiting = bench.wait_for(waiting).unwrap();
    assert!(!ended.success);
    assert_eq!(u64::from(ended.steps_taken) + 1, ended.step);
    assert!(ended.message.contains("4000000000"), "{}", ended.message);
    assert!(!waiting.success);
    assert_eq!(waiting.steps_taken, 0);
    assert_eq!(paused.step, ended.step);
}

#[test]
fn a_hundred_requests_at_once_are_all_answered_in_order() {
    let mut bench = start(&["paused:=true", "physics_dt:=0.01"]);
    let control = bench.client::<ControlWorld::Service>("control_world");
    let replies: Vec<_> = (0..100)
        .map(|_| control.request(&steps(1)).unwrap())
        .collect();
    let replies = bench.wait_for(Box::pin(join_all(replies)));
    let steps: Vec<u64> = replies.into_iter().map(|r| r.unwrap().step).collect();
    assert_eq!(steps, (2..=101).collect::<Vec<u64>>());
}

#[test]
fn the_clock_stands_but_is_never_zero_while_paused() {
    let mut bench = start(&["paused:=true", "physics_dt:=0.01"]);
    let mut clock = bench.subscribe::<Clock>("/clock");
    let seen = bench.messages(&mut *clock, 20);
    assert!(
        (seen.iter()).all(|m| (m.clock.sec, m.clock.nanosec) == (0, 10_000_000)),
        "not always (0, 10000000): {seen:?}"
    );
}

#[test]
fn the_last_step_is_on_the_clock_whatever_its_rate() {
    let mut bench = start(&["paused:=true", "physics_dt:=0.01", "clock_rate:=1.0"]);
    let mut clock = bench.subscribe::<Clock>("/clock");
    let control = bench.client::<ControlWorld::Service>("control_world");
    let reply = bench.call(&control, &steps(33));
    let mut seen = Vec::new();
    bench.wait_until(&format!("the clock at {:?}", reply.sim_time), |_| {
        seen.extend(drain(&mut *clock).into_iter().map(|m| m.clock));
        let there = seen.contains(&reply.sim_time);
        there.then_some(()).ok_or_else(|| format!("{seen:?}"))
    });
    seen.dedup();
    assert!(seen.len() <= 2, "nothing between start and end: {seen:?}");
}
