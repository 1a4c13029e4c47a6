//! The commands that drive by wheel odometry.

use std::f64::consts::{PI, TAU};

use super::sim::{NAME, STEPS, Sim, assert_near, forward};
use tatami::kachaka::{Command, StartCommand};
use tatami::world::{MoveSpec, Pose2, Twist2, normalize_angle};

fn rotate(angle: f64) -> Command {
    Command::RotateInPlace { angle }
}

fn by_velocity(speed: f64, duration: f64) -> Command {
    Command::MoveByVelocityWithMutedSensors { speed, duration }
}

/// How long a way takes with a ramp of `accel` up to `speed` and down again.
fn ramp_time(way: f64, speed: f64, accel: f64) -> f64 {
    if way < speed * speed / accel {
        2.0 * (way / accel).sqrt()
    } else {
        way / speed + speed / accel
    }
}

#[test]
fn a_way_forward_ends_within_a_millimetre_and_stands() {
    for dt in STEPS {
        for distance in [0.0, 0.0007, 0.013, 0.25, 1.0, 3.21, -0.4, -1.5] {
            let start = Pose2::new(1.0, -2.0, 0.7);
            let mut sim = Sim::at(dt, start, "");
            let id = sim.start(forward(distance)).unwrap();
            let took = sim.until_idle(30.0);
            assert!(sim.result(&id).success, "{:?}", sim.result(&id));
            assert!(sim.is_still(), "{:?}", sim.twist());
            let end = start.inverse_transform_point([sim.pose().x, sim.pose().y]);
            assert_near("along", end[0], distance, 1e-3);
            assert_near("aside", end[1], 0.0, 1e-9);
            // It plans with a little less than the 2 m/s2 of its drive.
            let least = ramp_time(distance.abs(), 0.3, 2.0);
            assert!(took >= least - sim.dt, "{distance} in {took}");
            assert!(took <= least + 0.3, "{distance} in {took}");
        }
    }
}

#[test]
fn a_body_that_hardly_brakes_ends_exactly_too() {
    // 2 x 2 Nm / 0.045 m / 10 t: 9 mm/s2. The front stop needs to see 38 m far.
    let config = "drive: {mass: 10000.0}\nfront_stop: {range: 40.0}";
    let mut sim = Sim::with(STEPS[1], config);
    let result = sim.carry_out(forward(0.5), 60.0);
    assert!(result.success, "{result:?}");
    assert_near("way", sim.pose().x, 0.5, 1e-3);
    assert!(sim.is_still(), "{:?}", sim.twist());
}

#[test]
fn every_drive_comes_to_an_end_also_with_the_least_tolerances() {
    let config = "commands: {distance_tolerance: 1e-6, angle_tolerance: 1e-6}";
    for (lag, traction) in [(0.0, 0.0), (0.3, 0.0), (0.0, 0.1), (0.3, 0.1)] {
        let mut robot = super::sim::spec(NAME, Pose2::default(), config);
        robot.drive.lag = [lag, 0.0, lag];
        robot.drive.traction = traction;
        let mut sim = Sim::of(STEPS[1], robot);
        let pose = Pose2::new(1.0, 0.5, 1.0);
        for command in [forward(0.5), rotate(1.0), Command::MoveToPose { pose }] {
            let result = sim.carry_out(command, 60.0);
            assert!(result.success, "{lag} s, {traction} m/s2: {result:?}");
        }
        assert_near("x", sim.pose().x, 1.0, 0.01);
        // It counts as still at 1e-5 rad/s, of which a lag of 0.3 s makes 3e-6 rad more.
        assert_near("yaw", sim.pose().yaw, 1.0, 4e-6);
    }
}

#[test]
fn speed_is_a_ceiling_below_that_of_the_robot() {
    for (speed, expected) in [(0.1, 0.1), (0.6, 0.6), (5.0, 0.8)] {
        let mut sim = Sim::new(STEPS[0]);
        sim.start(Command::MoveForward {
            distance: 2.0,
            speed,
            mute_sensors: false,
        })
        .unwrap();
        let mut fastest = 0.0_f64;
        while sim.kachaka().state().running.is_some() {
            sim.step();
            fastest = fastest.max(sim.twist().x);
        }
        assert_near("fastest", fastest, expected, 1e-9);
        assert_near("way", sim.pose().x, 2.0, 1e-3);
    }
}

#[test]
fn a_turn_ends_within_a_milliradian_and_stands() {
    for dt in STEPS {
        for angle in [0.0, 0.01, 1.0, PI, -PI, -2.0, 2.5 * TAU] {
            let mut sim = Sim::new(dt);
            let result = sim.carry_out(rotate(angle), 60.0);
            assert!(result.success, "{result:?}");
            assert!(sim.is_still(), "{:?}", sim.twist());
            let error = normalize_angle(sim.pose().yaw - angle);
            assert_near("yaw", error, 0.0, 1e-3);
            assert_near("x", sim.pose().x, 0.0, 1e-9);
            let took = result.finished.seconds() - result.started.seconds();
            let least = ramp_time(angle.abs(), 1.0, 3.0);
            assert!(
                took >= least - sim.dt && took <= least + 0.5,
                "{angle} in {took}"
            );
        }
    }
}

#[test]
fn drives_go_by_wheel_odometry_not_by_the_truth() {
    // A body that goes 2 % farther than its wheels count.
    let mut spec = super::sim::spec(NAME, Pose2::default(), "");
    spec.drive.gain = [1.02, 1.0, 1.0];
    let mut sim = Sim::new(STEPS[0]);
    sim.scene.spawn_robot(spec).unwrap();
    let result = sim.carry_out(forward(1.0), 10.0);
    assert!(result.success, "{result:?}");
    assert_near(
        "wheels",
        sim.scene.robot(NAME).unwrap().odometry().pose.x,
        1.0,
        1e-3,
    );
    assert_near("truth", sim.pose().x, 1.02, 1.1e-3);
}

#[test]
fn what_a_box_pushes_along_has_not_driven() {
    for dt in STEPS {
        let mut sim = Sim::new(dt);
        // Its face is 0.237 m from the base, which it touches after the first 13 mm.
        sim.wall("wall", 0.25);
        let steps = (1.0 / dt).round();
        for step in 1..=steps as u32 {
            let x = 0.35 - 0.2 * f64::from(step) / steps;
            let pose = Pose2::new(x, 0.0, 0.0);
            let name = "wall".into();
            sim.scene.move_entities(&[MoveSpec { name, pose }]).unwrap();
            sim.step();
            assert_eq!(sim.twist(), Twist2::ZERO);
        }
        assert_near("pushed", sim.pose().x, 0.013 - 0.2, 2e-3);
        let odometry = sim.scene.robot(NAME).unwrap().odometry();
        assert_eq!(odometry.pose, Pose2::default());
        let result = sim.carry_out(forward(-0.3), 10.0);
        assert!(result.success, "{result:?}");
        assert_near("place", sim.pose().x, 0.013 - 0.2 - 0.3, 3e-3);
    }
}

#[test]
fn what_another_robot_pushes_along_rolls_on_its_wheels() {
    for dt in STEPS {
        let mut sim = Sim::new(dt);
        // Its front touches the back of the other after 13 mm.
        let behind = Pose2::new(-0.4, 0.0, 0.0);
        let other = super::sim::spec("other", behind, "");
        sim.scene.spawn_robot(other).unwrap();
        let pusher = sim.scene.kachaka_mut("other").unwrap();
        pusher
            .start_command(StartCommand::new(by_velocity(0.2, 2.0)))
            .unwrap();
        sim.run(4.0);
        let pushed = sim.pose().x;
        assert!(pushed > 0.1, "pushed by {pushed} m");
        let odometry = sim.scene.robot(NAME).unwrap().odometry();
        assert_near("odometry", odometry.pose.x, pushed, 1e-3);
    }
}

#[test]
fn a_body_that_lags_still_ends_where_it_should() {
    for dt in STEPS {
        let mut spec = super::sim::spec(NAME, Pose2::default(), "");
        spec.drive.lag = [0.2, 0.0, 0.3];
        let mut sim = Sim::new(dt);
        sim.scene.spawn_robot(spec).unwrap();
        let result = sim.carry_out(forward(0.5), 20.0);
        assert!(result.success, "{result:?}");
        assert_near("way", sim.pose().x, 0.5, 1.5e-3);
        let result = sim.carry_out(rotate(1.0), 20.0);
        assert!(result.success, "{result:?}");
        assert_near("yaw", sim.pose().yaw, 1.0, 1.5e-3);
    }
}

#[test]
fn a_weak_or_lazy_drive_is_not_held() {
    let weak = "drive: {linear_accel: 0.001, angular_accel: 0.001, autonomous_linear: 0.3}
front_stop: {range: 50.0}";
    for (config, lag) in [(weak, 0.0), ("", 5.0), (weak, 5.0)] {
        for dt in STEPS {
            let mut robot = super::sim::spec(NAME, Pose2::default(), config);
            robot.drive.lag = [lag, 0.0, lag];
            let mut sim = Sim::of(dt, robot);
            for command in [forward(0.1), rotate(0.1), by_velocity(0.3, 5.0)] {
                let result = sim.carry_out(command.clone(), 200.0);
                assert!(result.success, "{config}, {lag} s: {command:?}, {result:?}");
            }
        }
    }
}

#[test]
fn a_weak_drive_that_is_held_fails_after_1_s() {
    let weak = "drive: {linear_accel: 0.001, autonomous_linear: 0.3}
front_stop: {range: 50.0}";
    for dt in STEPS {
        let mut sim = Sim::with(dt, weak);
        sim.wall("wall", 0.2371);
        let muted = Command::MoveForward {
            distance: 1.0,
            speed: 0.0,
            mute_sensors: true,
        };
        for command in [muted, by_velocity(0.3, 30.0)] {
            let result = sim.carry_out(command.clone(), 10.0);
            assert_eq!(result.error_code, 19001, "{command:?}: {result:?}");
            let took = result.finished.seconds() - result.started.seconds();
            // 0.1 mm to the wall take 0.45 s.
            assert!(took <= 1.5 + 3.0 * sim.dt, "{command:?}: {took} s");
        }
    }
}

#[test]
fn a_move_by_velocity_goes_as_far_as_its_time_says_and_is_clamped() {
    for dt in STEPS {
        for (speed, duration, way) in [(0.2, 2.0, 0.4), (-0.1, 3.0, -0.3), (9.0, 1.0, 0.3)] {
            let mut sim = Sim::new(dt);
            let result = sim.carry_out(by_velocity(speed, duration), 20.0);
            assert!(result.success, "{result:?}");
            // In whole steps, the time may be up to one longer.
            let tolerance = 0.3 * sim.dt + 1e-9;
            assert_near("way", sim.pose().x, way, tolerance);
            assert!(sim.is_still(), "{:?}", sim.twist());
        }
    }
    let mut sim = Sim::new(STEPS[1]);
    let result = sim.carry_out(by_velocity(0.05, 1000.0), 40.0);
    assert!(result.success, "{result:?}");
    assert_near("way", sim.pose().x, 0.05 * 30.0, 0.05 * sim.dt + 1e-9);
}

#[test]
fn localize_turns_once_around_and_forgets_the_shift() {
    for dt in STEPS {
        let start = Pose2::new(1.0, 0.5, 0.3);
        let mut sim = Sim::at(dt, start, "");
        let believed = Pose2::new(4.0, 4.0, -1.0);
        sim.kachaka().set_pose_estimate(believed).unwrap();
        assert_pose(sim.kachaka().estimated_pose().unwrap(), believed);
        assert_eq!(sim.pose(), start, "the body stays");
        sim.start(Command::Localize).unwrap();
        let mut turned = 0.0;
        let mut last = sim.pose().yaw;
        while sim.kachaka().state().running.is_some() {
            sim.step();
            turned += normalize_angle(sim.pose().yaw - last);
            last = sim.pose().yaw;
        }
        assert_near("turned", turned, TAU, 1e-3);
        let truth = sim.pose();
        assert_pose(sim.kachaka().estimated_pose().unwrap(), truth);
    }
}

#[test]
fn a_localize_that_is_cancelled_keeps_the_shift() {
    let mut sim = Sim::new(STEPS[0]);
    let believed = Pose2::new(4.0, 4.0, 0.0);
    sim.kachaka().set_pose_estimate(believed).unwrap();
    sim.start(Command::Localize).unwrap();
    sim.kachaka().cancel_command(false).unwrap();
    assert_pose(sim.kachaka().estimated_pose().unwrap(), believed);
}

#[track_caller]
fn assert_pose(actual: Pose2, expected: Pose2) {
    assert_near("x", actual.x, expected.x, 1e-9);
    assert_near("y", actual.y, expected.y, 1e-9);
    assert_near("yaw", normalize_angle(actual.yaw - expected.yaw), 0.0, 1e-9);
}
