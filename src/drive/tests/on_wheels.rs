//! Drives on wheels: what the wheels let the body do, and how they turn below it.

use std::f64::consts::FRAC_PI_2;

use super::*;
use crate::drive::wheels::{JointMotion, WheelFields, WheelModel, WheelPose};

/// Wheels of 50 mm, 0.4 m apart.
fn differential() -> WheelFields {
    WheelFields {
        kind: "differential".into(),
        wheel_joints: vec!["left".into(), "right".into()],
        wheel_radius: vec![0.05],
        wheel_base: 0.4,
        ..WheelFields::default()
    }
}

/// A car of 0.5 m from axle to axle, steered in front by up to 0.5 rad.
fn car() -> WheelFields {
    WheelFields {
        kind: "ackermann".into(),
        wheel_joints: ["sl", "sr", "nl", "nr"].map(str::to_owned).to_vec(),
        steering_joints: vec!["tl".into(), "tr".into()],
        wheel_radius: vec![0.05],
        wheel_base: 0.5,
        track_width: 0.4,
        max_turning_angle: 0.5,
        ..WheelFields::default()
    }
}

/// Mecanum wheels of 50 mm at (+-0.3, +-0.2) m.
fn mecanum() -> WheelFields {
    let pose = |x, y| WheelPose {
        position: [x, y, 0.05],
        orientation: [1.0, 0.0, 0.0, 0.0],
    };
    WheelFields {
        kind: "holonomic".into(),
        wheel_joints: ["fl", "fr", "rl", "rr"].map(str::to_owned).to_vec(),
        wheel_radius: vec![0.05],
        wheel_poses: vec![
            pose(0.3, 0.2),
            pose(0.3, -0.2),
            pose(-0.3, 0.2),
            pose(-0.3, -0.2),
        ],
        mecanum_angles: vec![45.0, 135.0, 135.0, 45.0],
        ..WheelFields::default()
    }
}

fn on(wheels: &WheelFields) -> DriveModel {
    DriveModel {
        wheels: wheels.model().unwrap(),
        ..open_model()
    }
}

fn joint(bench: &Bench, name: &str) -> JointMotion {
    let mut joints = bench.drive.joints();
    joints.find(|(joint, _)| *joint == name).unwrap().1
}

#[track_caller]
fn assert_near(actual: f64, expected: f64) {
    assert!(
        (actual - expected).abs() < 1e-9,
        "{actual} is not {expected}"
    );
}

#[test]
fn wheels_turn_by_the_way_over_their_radius() {
    let mut bench = Bench::new(on(&differential()), dt(0.01));
    bench.command(0.5, 0.0, 0.0);
    bench.steps(400);
    // 2 m straight, over 0.05 m.
    assert_near(joint(&bench, "left").position, 40.0);
    assert_near(joint(&bench, "right").position, 40.0);
    assert_near(joint(&bench, "left").velocity, 10.0);
    // 4 s to the left at 0.3 rad/s: 1.2 rad on circles that are 0.4 m apart in radius.
    bench.command(0.5, 0.0, 0.3);
    bench.steps(400);
    assert_near(joint(&bench, "left").position, 80.0 - 1.2 * 0.2 / 0.05);
    assert_near(joint(&bench, "right").position, 80.0 + 1.2 * 0.2 / 0.05);
    // Backwards they come back.
    bench.command(-0.5, 0.0, -0.3);
    bench.steps(400);
    assert_near(joint(&bench, "left").position, 40.0);
    bench.command(0.0, 0.0, 0.0);
    bench.step();
    assert_eq!(joint(&bench, "left").velocity, 0.0);
    assert_near(joint(&bench, "left").position, 40.0);
}

#[test]
fn wheel_limits_hold_the_body() {
    let mut wheels = differential();
    wheels.max_wheel_speed = 10.0;
    let mut bench = Bench::new(on(&wheels), dt(0.01));
    bench.command(2.0, 0.0, 0.0);
    assert_near(bench.step().x, 0.5);
    // The right wheel is held at 10 rad/s, the left one at (0.4 - 0.3) / 0.05 = 2 rad/s:
    // 6 * 0.05 m/s and 8 * 0.05 / 0.4 rad/s.
    bench.command(0.4, 0.0, 1.5);
    let body = bench.step();
    assert_near(body.x, 0.3);
    assert_near(body.angular, 1.0);
    wheels.max_linear_speed = 0.2;
    wheels.max_angular_speed = 0.4;
    let mut bench = Bench::new(on(&wheels), dt(0.01));
    bench.command(-1.0, 0.0, -1.5);
    assert_eq!(bench.step(), Twist2::new(-0.2, 0.0, -0.4));
}

#[test]
fn a_body_held_by_its_wheels_brakes_at_once() {
    let mut wheels = differential();
    wheels.max_wheel_speed = 10.0;
    let mut model = on(&wheels);
    model.linear.accel = 1.0;
    let mut bench = Bench::new(model, dt(0.1));
    bench.command(2.0, 0.0, 0.0);
    assert_near(bench.steps(30).x, 0.5);
    bench.command(0.0, 0.0, 0.0);
    assert_near(bench.step().x, 0.4);
}

#[test]
fn what_no_limit_touches_is_driven_to_the_bit() {
    let twist = Twist2::new(0.3, 0.1, 0.7);
    for (wheels, lateral) in [(differential(), false), (car(), false), (mecanum(), true)] {
        let mut with = Bench::new(on(&wheels), dt(0.0333));
        let mut without = Bench::new(open_model(), dt(0.0333));
        let y = if lateral { twist.y } else { 0.0 };
        let angular = if wheels.kind == "ackermann" {
            0.3
        } else {
            twist.angular
        };
        with.command(twist.x, twist.y, angular);
        without.command(twist.x, y, angular);
        assert_eq!(with.steps(50), without.steps(50), "{}", wheels.kind);
        assert_eq!(with.pose, without.pose, "{}", wheels.kind);
    }
}

#[test]
fn a_car_drives_round_the_centre_that_its_wheels_point_at() {
    // The narrowest circle: R = 0.5 / tan(0.5) m to the side of the fixed axle, which the
    // base is on. Whatever turn is asked for, it comes no nearer, and never slips.
    let radius = 0.5 / 0.5_f64.tan();
    for (linear, turning) in [(0.4, 2.0), (-0.4, 2.0), (0.4, -2.0), (-0.4, -2.0)] {
        let mut bench = Bench::new(on(&car()), dt(0.01));
        bench.command(linear, 1.0, turning);
        let left = f64::signum(turning * linear) * radius;
        for _ in 0..500 {
            let body = bench.step();
            assert_eq!((body.x, body.y), (linear, 0.0));
            let away = libm::hypot(bench.pose.x, bench.pose.y - left);
            assert!((away - radius).abs() < 1e-9, "{away} for {radius}");
        }
        // Each wheel by its own distance from the centre: 5 s at 0.4 / R rad/s.
        let turned = 5.0 * 0.4 / radius;
        let [near, far] = if left > 0.0 {
            ["sl", "sr"]
        } else {
            ["sr", "sl"]
        };
        for (name, y) in [(near, radius - 0.2), (far, radius + 0.2)] {
            let way = turned * libm::hypot(0.5, y) * linear.signum();
            assert_near(joint(&bench, name).position, way / 0.05);
            let steering = joint(&bench, if name == "sl" { "tl" } else { "tr" });
            assert_near(steering.position, left.signum() * (0.5 / y).atan());
            assert_eq!(steering.velocity, 0.0, "it has been there for long");
        }
        let [near, far] = if left > 0.0 {
            ["nl", "nr"]
        } else {
            ["nr", "nl"]
        };
        for (name, y) in [(near, radius - 0.2), (far, radius + 0.2)] {
            let way = turned * y * linear.signum();
            assert_near(joint(&bench, name).position, way / 0.05);
        }
    }
}

#[test]
fn a_forklift_steers_the_other_way_for_the_same_turn() {
    let mut wheels = car();
    wheels.steerable_wheels_at_rear = true;
    wheels.wheel_joints.truncate(2);
    let mut bench = Bench::new(on(&wheels), dt(0.01));
    // A circle of 1 m to the left.
    bench.command(0.4, 0.0, 0.4);
    assert_eq!(bench.step(), Twist2::new(0.4, 0.0, 0.4));
    assert_near(joint(&bench, "tl").position, -(0.5_f64 / 0.8).atan());
    assert_near(joint(&bench, "tr").position, -(0.5_f64 / 1.2).atan());
    assert_eq!(bench.drive.joints().count(), 4);
}

#[test]
fn a_car_does_not_turn_on_the_spot_and_leaves_its_wheels_where_they_are() {
    let mut bench = Bench::new(on(&car()), dt(0.01));
    bench.command(0.0, 0.5, 2.0);
    assert_eq!(bench.steps(50), Twist2::ZERO);
    assert_eq!(joint(&bench, "tl").position, 0.0);
    bench.command(0.4, 0.0, 0.2);
    bench.steps(10);
    let steered = joint(&bench, "tl").position;
    assert_near(steered, (0.5_f64 / 1.8).atan());
    bench.command(0.0, 0.0, -2.0);
    assert_eq!(bench.steps(10), Twist2::ZERO);
    assert_eq!(joint(&bench, "tl").position, steered);
}

#[test]
fn a_car_brakes_on_its_arc() {
    let mut model = on(&car());
    model.linear.decel = 0.5;
    model.angular.decel = 9.0;
    let mut bench = Bench::new(model, dt(0.01));
    bench.command(0.4, 0.0, 0.4);
    bench.step();
    for command in [0.0, -1.5] {
        bench.command(0.0, 0.0, command);
        for _ in 0..30 {
            let body = bench.step();
            // Still the circle of 1 m.
            assert_near(body.angular, body.x);
        }
    }
    assert!(bench.body.x > 0.05, "still braking: {:?}", bench.body);
    assert_eq!(bench.steps(30), Twist2::ZERO);
}

#[test]
fn lag_and_ramps_do_not_bend_a_car_beyond_its_steering() {
    let mut model = on(&car());
    model.lag = [0.4, 0.0, 0.02];
    model.linear.accel = 0.5;
    let mut bench = Bench::new(model, dt(0.01));
    for (linear, angular) in [(0.5, 0.4), (0.0, 0.0), (-0.3, 0.3), (0.4, -0.4), (0.1, 2.0)] {
        bench.command(linear, 0.0, angular);
        for _ in 0..100 {
            let body = bench.step();
            let most = body.x.abs() * 0.5_f64.tan() / 0.5;
            assert!(body.angular.abs() <= most + 1e-12, "{body:?}");
            assert_eq!(body.y, 0.0);
            // And the wheels point where it goes: no steered wheel slips.
            for (wheel, y) in [("tl", 0.2), ("tr", -0.2)] {
                let (sin, cos) = joint(&bench, wheel).position.sin_cos();
                let across = body.angular * 0.5 * cos - (body.x - body.angular * y) * sin;
                assert!(across.abs() < 1e-9, "{across} m/s across {wheel}");
            }
        }
    }
}

#[test]
fn a_car_that_may_steer_a_quarter_turn_stops_calmly() {
    // Its wheels point nearly across, and a push has given it speed meanwhile: braking on
    // that arc would spin it, the bounds of its turning hold it.
    let mut wheels = car();
    wheels.max_turning_angle = FRAC_PI_2;
    let mut model = on(&wheels);
    model.lag = [0.5; 3];
    let mut drive = Drive::new(model).unwrap();
    drive
        .command(Twist2::new(1e-9, 0.0, 1.0), SimTime(0))
        .unwrap();
    drive.update(SimTime(0), dt(0.01), Twist2::ZERO);
    drive.command(Twist2::ZERO, SimTime(1)).unwrap();
    let body = drive.update(SimTime(1), dt(0.01), Twist2::new(0.5, 0.0, 0.0));
    assert!(body.angular.abs() <= 2.0, "{body:?}");
    assert!(body.x > 0.4, "{body:?}");
}

#[test]
fn mecanum_wheels_drive_every_way() {
    let mut bench = Bench::new(on(&mecanum()), dt(0.01));
    bench.command(0.0, 0.5, 0.0);
    bench.steps(200);
    // 1 m to the left: -y for front left and rear right, over 0.05 m.
    for (name, expected) in [("fl", -20.0), ("fr", 20.0), ("rl", 20.0), ("rr", -20.0)] {
        assert_near(joint(&bench, name).position, expected);
    }
    assert_near(bench.pose.y, 1.0);
    // About a pivot 0.3 m ahead, which is midway between the front wheels: they go round
    // at 0.2 m, the rear ones see 0.6 m of lever to the side as well.
    let mut model = on(&mecanum());
    model.pivot_x = 0.3;
    let mut bench = Bench::new(model, dt(0.01));
    bench.command(0.0, 0.0, 0.5);
    bench.steps(100);
    for (name, expected) in [("fl", -0.2), ("fr", 0.2), ("rl", -0.8), ("rr", 0.8)] {
        assert_near(joint(&bench, name).position, 0.5 * expected / 0.05);
    }
}

#[test]
fn wheels_turn_with_what_the_body_does_not_with_what_it_should() {
    let mut drive = Drive::new(on(&differential())).unwrap();
    drive
        .command(Twist2::new(0.5, 0.0, 0.0), SimTime(0))
        .unwrap();
    drive.update(SimTime(0), dt(0.1), Twist2::ZERO);
    let speeds =
        |drive: &Drive| -> Vec<f64> { drive.joints().map(|(_, motion)| motion.velocity).collect() };
    // A wall holds it.
    drive.follow(dt(0.1), Twist2::ZERO);
    assert_eq!(speeds(&drive), [0.0, 0.0]);
    // A push turns it, and moves it to the side without turning a wheel.
    drive.follow(dt(0.1), Twist2::new(0.0, 0.7, 0.5));
    assert_eq!(speeds(&drive), [-2.0, 2.0]);
}

#[test]
fn wheels_count_what_odometry_counts() {
    // At a gain of 0.8 the body does 0.8 of what the wheels do.
    let mut model = on(&differential());
    model.gain = [0.8, 1.0, 0.5];
    let mut bench = Bench::new(model, dt(0.01));
    bench.command(0.5, 0.0, 0.4);
    let body = bench.steps(100);
    assert_near(body.x, 0.4);
    assert_near(body.angular, 0.2);
    assert_near(joint(&bench, "left").position, (0.5 - 0.08) / 0.05);
    assert_near(joint(&bench, "right").position, (0.5 + 0.08) / 0.05);
}

#[test]
fn stopping_keeps_the_wheels_turned_and_reset_does_not() {
    let mut bench = Bench::new(on(&car()), dt(0.01));
    bench.command(0.4, 0.0, 0.4);
    bench.steps(100);
    let turned = joint(&bench, "nl");
    bench.drive.stop();
    let stopped = joint(&bench, "nl");
    assert_eq!((stopped.position, stopped.velocity), (turned.position, 0.0));
    assert!(joint(&bench, "tl").position > 0.1);
    bench.drive.reset();
    let still = JointMotion::default();
    assert!(bench.drive.joints().all(|(_, motion)| motion == still));
    // And nothing of the steering before is left.
    bench.command(0.0, 0.0, 0.0);
    bench.body = Twist2::ZERO;
    bench.step();
    assert_eq!(joint(&bench, "tl").position, 0.0);
}

#[test]
fn wheels_that_can_not_be_are_refused_with_their_field() {
    let mut model = open_model();
    let mut fields = differential();
    fields.wheel_base = -1.0;
    let error = DriveError::from(fields.model().unwrap_err()).to_string();
    assert!(
        error.starts_with("drive.wheels.wheel_base is -1 m"),
        "{error}"
    );
    let WheelModel::Differential {
        wheel_joints,
        mut parameters,
    } = differential().model().unwrap()
    else {
        panic!("not differential");
    };
    parameters.wheel_radius = f64::NAN;
    model.wheels = WheelModel::Differential {
        wheel_joints,
        parameters,
    };
    let error = Drive::new(model).unwrap_err().to_string();
    assert!(
        error.starts_with("drive.wheels.wheel_radius[0] is NaN m"),
        "{error}"
    );
}
