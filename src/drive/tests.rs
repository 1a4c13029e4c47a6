use std::f64::consts::TAU;

use proptest::prelude::*;

use super::*;
use crate::world::Pose2;

mod on_wheels;

fn dt(seconds: f64) -> PhysicsDt {
    PhysicsDt::from_seconds(seconds).unwrap()
}

/// Wide bounds on all axes, no limits, a body that answers at once.
fn open_model() -> DriveModel {
    let axis = AxisLimits {
        low: -2.0,
        high: 2.0,
        ..AxisLimits::default()
    };
    DriveModel {
        linear: axis,
        lateral: axis,
        angular: axis,
        ..DriveModel::default()
    }
}

/// A drive with an ideal body: each step it has the twist that was wanted.
struct Bench {
    drive: Drive,
    dt: PhysicsDt,
    step: u64,
    body: Twist2,
    pose: Pose2,
}

impl Bench {
    fn new(model: DriveModel, dt: PhysicsDt) -> Self {
        Self {
            drive: Drive::new(model).unwrap(),
            dt,
            step: 0,
            body: Twist2::ZERO,
            pose: Pose2::default(),
        }
    }

    fn command(&mut self, x: f64, y: f64, angular: f64) {
        let now = self.dt.stamp(self.step);
        self.drive.command(Twist2::new(x, y, angular), now).unwrap();
    }

    fn step(&mut self) -> Twist2 {
        let now = self.dt.stamp(self.step);
        self.body = self.drive.update(now, self.dt, self.body);
        self.pose = self.pose.advance(&self.body, self.dt.seconds());
        self.drive.follow(self.dt, self.body);
        self.step += 1;
        self.body
    }

    fn steps(&mut self, count: u64) -> Twist2 {
        for _ in 0..count {
            self.step();
        }
        self.body
    }
}

#[test]
fn commands_are_bounded_and_reached_exactly() {
    let mut model = open_model();
    model.linear = AxisLimits {
        low: -0.1,
        high: 0.3,
        accel: 0.7,
        decel: 0.0,
    };
    let mut bench = Bench::new(model, dt(0.0333));
    bench.command(1.0, -3.0, 1.5);
    assert_eq!(bench.steps(100), Twist2::new(0.3, -2.0, 1.5));
    bench.command(-1.0, 0.0, 0.0);
    assert_eq!(bench.steps(100), Twist2::new(-0.1, 0.0, 0.0));
    bench.command(0.0, 0.0, 0.0);
    assert_eq!(bench.steps(100), Twist2::ZERO);
}

#[test]
fn speed_grows_with_accel_and_shrinks_with_decel() {
    for sign in [1.0, -1.0] {
        let mut model = open_model();
        model.linear.accel = 0.5;
        model.linear.decel = 2.0;
        let mut bench = Bench::new(model, dt(0.1));
        bench.command(sign * 1.0, 0.0, 0.0);
        let speed = bench.steps(10).x;
        assert!((speed - sign * 0.5).abs() < 1e-12, "{speed}");
        assert_eq!(bench.steps(11).x, sign * 1.0);
        bench.command(0.0, 0.0, 0.0);
        let speed = bench.steps(2).x;
        assert!((speed - sign * 0.6).abs() < 1e-12, "{speed}");
        // To a lower speed of the same direction it brakes as well.
        bench.command(sign * 0.5, 0.0, 0.0);
        assert_eq!(bench.steps(1).x, sign * 0.5);
    }
}

#[test]
fn the_setpoint_after_a_step_is_foretold() {
    let mut model = open_model();
    model.linear.accel = 0.5;
    model.linear.decel = 2.0;
    model.lag = [0.3; 3];
    let mut bench = Bench::new(model, dt(0.1));
    for (command, steps) in [(1.0, 30), (-0.3, 12), (9.0, 60), (0.0, 5)] {
        for _ in 0..steps {
            let twist = Twist2::new(command, -command, 0.5 * command);
            let foretold = bench.drive.setpoint_after(twist, bench.dt);
            bench.command(twist.x, twist.y, twist.angular);
            bench.step();
            assert_eq!(bench.drive.setpoint(), foretold);
        }
    }
}

#[test]
fn braking_is_shorter_than_in_continuous_time_by_half_a_step_of_way() {
    for seconds in [0.0005, 0.01, 0.0333, 0.1, 0.5] {
        for (speed, decel) in [(0.8, 2.0), (0.3, 2.0), (0.8, 8.386), (1.7, 0.9)] {
            let mut model = open_model();
            model.linear.decel = decel;
            let mut bench = Bench::new(model, dt(seconds));
            bench.command(speed, 0.0, 0.0);
            bench.step();
            let from = bench.pose.x;
            bench.command(0.0, 0.0, 0.0);
            bench.steps((10.0 / seconds) as u64);
            let short = 0.5 * speed * speed / decel - (bench.pose.x - from);
            let most = 0.5 * speed * seconds;
            // When the change of speed is no whole number of steps.
            let least = most - 0.125 * decel * seconds * seconds;
            assert!(
                (least - 1e-9..=most + 1e-9).contains(&short),
                "{short} of {speed} m/s, {decel} m/s2, {seconds} s: {least} to {most}"
            );
        }
    }
}

#[test]
fn a_change_of_sign_brakes_and_then_accelerates() {
    for sign in [1.0, -1.0] {
        let mut model = open_model();
        model.angular.accel = 0.5;
        model.angular.decel = 2.0;
        let mut bench = Bench::new(model, dt(0.1));
        bench.command(0.0, 0.0, sign * 0.7);
        bench.steps(20);
        bench.command(0.0, 0.0, -sign * 0.7);
        // Braking takes 0.35 s, so after 0.4 s it has accelerated for 0.05 s.
        let three = bench.steps(3).angular;
        assert!((three - sign * 0.1).abs() < 1e-12, "{three}");
        let four = bench.steps(1).angular;
        assert!((four + sign * 0.025).abs() < 1e-12, "{four}");
        let five = bench.steps(1).angular;
        assert!((five + sign * 0.075).abs() < 1e-12, "{five}");
    }
}

#[test]
fn zero_accel_is_unlimited_and_zero_decel_is_accel() {
    let mut model = open_model();
    model.linear.decel = 1.0;
    model.lateral.accel = 1.0;
    let mut bench = Bench::new(model, dt(0.1));
    bench.command(2.0, 2.0, 2.0);
    let body = bench.step();
    assert_eq!((body.x, body.y, body.angular), (2.0, 0.1, 2.0));
    bench.steps(30);
    bench.command(0.0, 0.0, 0.0);
    let body = bench.step();
    assert!(
        (body.x - 1.9).abs() < 1e-12,
        "decel alone limits braking: {body:?}"
    );
    assert!((body.y - 1.9).abs() < 1e-12, "decel 0 is accel: {body:?}");
    assert_eq!(body.angular, 0.0);
}

#[test]
fn ten_metres_at_a_constant_speed_are_exact() {
    let mut bench = Bench::new(open_model(), dt(1.0 / 120.0));
    bench.command(0.3, 0.0, 0.0);
    bench.steps(4000);
    let expected = 0.3 * 4000.0 * 8_333_333.0 * 1e-9;
    assert!((bench.pose.x - expected).abs() < 1e-12, "{:?}", bench.pose);
    assert_eq!(bench.body, Twist2::new(0.3, 0.0, 0.0));
}

#[test]
fn linear_and_angular_commands_together_drive_a_circle() {
    // C-28: radius 0.2 / 0.5 = 0.4 m, once round in 4 pi seconds.
    let mut bench = Bench::new(open_model(), dt(0.001));
    bench.command(0.2, 0.0, 0.5);
    let mut radii: Vec<f64> = Vec::new();
    for _ in 0..(TAU / 0.5 / 0.001).round() as u64 {
        bench.step();
        radii.push(libm::hypot(bench.pose.x, bench.pose.y - 0.4));
    }
    for radius in radii {
        assert!((radius - 0.4).abs() < 1e-9, "{radius}");
    }
    let away = libm::hypot(bench.pose.x, bench.pose.y);
    assert!(away < 2e-4, "a step is 0.2 mm: {away}");
}

#[test]
fn a_command_drives_for_its_timeout_and_then_brakes() {
    // C-26. 0.2 m/s for 0.5 s, then the ramp of 1 m/s2: 0.2^2 / 2 more.
    for seconds in [0.0005, 0.01, 1.0 / 30.0, 0.0333, 0.05] {
        let mut model = open_model();
        model.timeout = 0.5;
        model.linear.decel = 1.0;
        let dt = dt(seconds);
        let mut bench = Bench::new(model, dt);
        bench.steps(7);
        bench.command(0.2, 0.0, 0.0);
        bench.steps((10.0 / seconds) as u64);
        let half_a_step = 0.5 * 0.2 * dt.seconds();
        // The stepped ramp lies below the continuous one by at most a step of it.
        let (least, most) = (
            0.1 - half_a_step + 0.02 - 2.0 * half_a_step,
            0.1 + half_a_step + 0.02,
        );
        assert!(
            (least..=most).contains(&bench.pose.x),
            "{seconds}: {}",
            bench.pose.x
        );
        assert_eq!(bench.body, Twist2::ZERO);
    }
}

#[test]
fn the_steps_before_the_timeout_are_as_many_as_fit_best() {
    // 0.5 s are 15.00000015 steps of 33 333 333 ns, and 2.5 of 0.2 s: rounded up.
    for (seconds, expected) in [(1.0 / 30.0, 15), (0.05, 10), (0.2, 3), (0.3, 2), (0.4, 1)] {
        let mut model = open_model();
        model.timeout = 0.5;
        let mut bench = Bench::new(model, dt(seconds));
        bench.command(0.2, 0.0, 0.0);
        let driven = (0..40).filter(|_| bench.step().x > 0.0).count();
        assert_eq!(driven, expected, "dt {seconds}");
    }
}

#[test]
fn without_a_timeout_a_command_holds_and_a_new_one_replaces_it() {
    let mut bench = Bench::new(open_model(), dt(0.5));
    bench.command(0.2, 0.0, 0.0);
    assert_eq!(bench.steps(100_000).x, 0.2);
    bench.command(0.0, 0.0, 1.0);
    assert_eq!(bench.step(), Twist2::new(0.0, 0.0, 1.0));
}

#[test]
fn reset_forgets_command_and_ramp() {
    let mut model = open_model();
    model.linear.accel = 1.0;
    let mut bench = Bench::new(model, dt(0.1));
    bench.command(1.0, 0.0, 0.0);
    bench.steps(5);
    bench.drive.reset();
    assert_eq!(bench.step(), Twist2::ZERO);
    bench.command(1.0, 0.0, 0.0);
    assert_eq!(bench.step().x, 0.1);
}

#[test]
fn a_command_that_is_not_finite_is_refused_and_the_old_one_stays() {
    let mut bench = Bench::new(open_model(), dt(0.1));
    bench.command(0.5, 0.0, 0.0);
    for bad in [f64::NAN, f64::INFINITY] {
        let twist = Twist2::new(0.1, bad, 0.0);
        let error = bench.drive.command(twist, SimTime(0)).unwrap_err();
        assert!(error.to_string().contains("not finite"), "{error}");
    }
    assert_eq!(bench.step().x, 0.5);
}

#[test]
fn the_body_answers_with_gain_and_the_encoders_read_the_setpoint() {
    let mut model = open_model();
    model.gain = [0.5, 1.2, 0.0];
    let mut bench = Bench::new(model, dt(0.1));
    bench.command(0.8, 0.5, 1.0);
    let body = bench.step();
    assert_eq!((body.x, body.y, body.angular), (0.4, 0.6, 0.0));
    let wheels = bench.drive.encoded(body);
    assert!((wheels.x - 0.8).abs() < 1e-12, "{wheels:?}");
    assert!((wheels.y - 0.5).abs() < 1e-12, "{wheels:?}");
    let turned_by_force = bench.drive.encoded(Twist2::new(0.0, 0.0, 3.0));
    assert_eq!(turned_by_force.angular, 0.0, "gain 0 reads 0");
}

#[test]
fn lag_is_a_first_order_answer_whatever_the_step() {
    for seconds in [0.001, 0.05, 0.25] {
        let mut model = open_model();
        model.lag = [0.2, 0.0, 0.8];
        let mut bench = Bench::new(model, dt(seconds));
        bench.command(-1.0, 0.5, 2.0);
        let body = bench.steps((0.5 / seconds).round() as u64);
        let linear = -(1.0 - (-0.5_f64 / 0.2).exp());
        let angular = 2.0 * (1.0 - (-0.5_f64 / 0.8).exp());
        assert!((body.x - linear).abs() < 1e-12, "{} for {linear}", body.x);
        assert!(
            (body.angular - angular).abs() < 1e-12,
            "{} for {angular}",
            body.angular
        );
        assert_eq!(body.y, 0.5);
    }
}

#[test]
fn lag_starts_from_what_the_body_does() {
    let mut model = open_model();
    model.lag = [0.2; 3];
    let mut drive = Drive::new(model).unwrap();
    drive
        .command(Twist2::new(1.0, 0.0, 0.0), SimTime(0))
        .unwrap();
    // A wall holds the body: each step wants no more than the first did.
    let first = drive.update(SimTime(0), dt(0.1), Twist2::ZERO);
    let second = drive.update(SimTime(100_000_000), dt(0.1), Twist2::ZERO);
    assert_eq!(first, second);
    assert!(
        (first.x - (1.0 - (-0.5_f64).exp())).abs() < 1e-12,
        "{first:?}"
    );
}

#[test]
fn traction_limits_the_change_of_velocity_as_a_vector() {
    let mut model = open_model();
    model.traction = 1.0;
    let mut bench = Bench::new(model.clone(), dt(0.1));
    bench.command(0.6, 0.8, 0.0);
    // 1 m/s2 along (0.6, 0.8), for both signs of each axis alike.
    let body = bench.steps(5);
    assert!((body.x - 0.3).abs() < 1e-12, "{body:?}");
    assert!((body.y - 0.4).abs() < 1e-12, "{body:?}");
    assert_eq!(bench.steps(6), Twist2::new(0.6, 0.8, 0.0));
    bench.command(-0.6, -0.8, 0.0);
    let body = bench.steps(20);
    assert!((body.x + 0.6).abs() < 1e-12, "{body:?}");
    for unlimited in [0.0, f64::INFINITY] {
        model.traction = unlimited;
        let mut bench = Bench::new(model.clone(), dt(0.1));
        bench.command(2.0, 2.0, 2.0);
        assert_eq!(bench.step(), Twist2::new(2.0, 2.0, 2.0));
    }
}

#[test]
fn a_curve_within_traction_is_driven_exactly_and_one_beyond_slides_outwards() {
    let mut model = open_model();
    model.traction = 0.5;
    // v w = 0.4 m/s2 holds.
    let mut bench = Bench::new(model, dt(0.01));
    bench.command(0.8, 0.0, 0.0);
    bench.steps(200);
    bench.command(0.8, 0.0, 0.5);
    assert_eq!(bench.steps(100), Twist2::new(0.8, 0.0, 0.5));
    // v w = 1.6 m/s2 does not: the world velocity changes by 0.5 m/s2 and no more.
    bench.command(0.8, 0.0, 2.0);
    let world = |bench: &Bench| {
        let origin = Pose2::new(0.0, 0.0, bench.pose.yaw);
        origin.transform_point([bench.body.x, bench.body.y])
    };
    for _ in 0..100 {
        let before = world(&bench);
        bench.step();
        let after = world(&bench);
        let change = libm::hypot(after[0] - before[0], after[1] - before[1]);
        assert!(change <= 0.5 * 0.01 + 1e-12, "{change}");
    }
    assert!(
        bench.body.y < -0.1,
        "slides to the right in a left turn: {:?}",
        bench.body
    );
    assert_eq!(bench.body.angular, 2.0);
}

#[test]
fn the_body_turns_about_the_pivot() {
    for sign in [1.0, -1.0] {
        let mut model = open_model();
        model.pivot_x = 0.2;
        let mut bench = Bench::new(model, dt(0.01));
        bench.command(0.0, 0.0, sign * 0.5);
        let body = bench.step();
        assert_eq!(body, Twist2::new(0.0, -sign * 0.5 * 0.2, sign * 0.5));
        bench.steps(300);
        let [x, y] = bench.pose.transform_point([0.2, 0.0]);
        assert!(libm::hypot(x - 0.2, y) < 1e-9, "the pivot stays: {x} {y}");
        let wheels = bench.drive.encoded(bench.body);
        assert!(
            wheels.y.abs() < 1e-12,
            "at the pivot nothing slides: {wheels:?}"
        );
        assert_eq!(wheels.angular, sign * 0.5);
    }
}

type Spoil = fn(&mut DriveModel);

#[test]
fn a_model_that_cannot_be_driven_is_refused_with_its_field() {
    let cases: [(&str, Spoil); 14] = [
        ("linear.low is 0.1", |m| m.linear.low = 0.1),
        ("lateral.high is -0.1", |m| m.lateral.high = -0.1),
        ("angular.high is NaN", |m| m.angular.high = f64::NAN),
        ("linear.low is -inf", |m| m.linear.low = f64::NEG_INFINITY),
        ("angular.accel is -1", |m| m.angular.accel = -1.0),
        ("angular.decel is inf", |m| m.angular.decel = f64::INFINITY),
        ("gain[1] is -1", |m| m.gain[1] = -1.0),
        ("gain[0] is 0.0001", |m| m.gain[0] = 1e-4),
        ("linear.high is 1001", |m| m.linear.high = 1001.0),
        ("lag[2] is NaN", |m| m.lag[2] = f64::NAN),
        ("traction is -0.5", |m| m.traction = -0.5),
        ("traction is NaN", |m| m.traction = f64::NAN),
        ("pivot_x is 101", |m| m.pivot_x = 101.0),
        ("timeout is -1", |m| m.timeout = -1.0),
    ];
    for (expected, spoil) in cases {
        let mut model = open_model();
        spoil(&mut model);
        let error = Drive::new(model).unwrap_err().to_string();
        assert!(error.contains(expected), "{expected:?} in {error:?}");
        assert!(error.contains("it must be"), "{error}");
    }
    assert_eq!(DriveModel::default().validate(), Ok(()));
}

proptest! {
    #[test]
    fn no_command_breaks_bounds_or_acceleration_limits(
        commands in prop::collection::vec((-5.0..5.0, 1_u64..20), 1..20),
        low in -2.0..0.0, high in 0.0..2.0, accel in 0.1..3.0, decel in 0.1..3.0,
    ) {
        let mut model = open_model();
        model.linear = AxisLimits { low, high, accel, decel };
        let mut bench = Bench::new(model, dt(0.02));
        for (command, steps) in commands {
            bench.command(command, 0.0, 0.0);
            for _ in 0..steps {
                let before = bench.body.x;
                let after = bench.step().x;
                prop_assert!((low..=high).contains(&after), "{after} in {low}..{high}");
                let change = (after - before).abs() / 0.02;
                let growing = after.abs() > before.abs() && after * before >= 0.0;
                let limit = if growing { accel } else { accel.max(decel) };
                prop_assert!(change <= limit + 1e-9, "{before} to {after}: {change}");
            }
        }
    }
}

#[test]
fn a_halt_has_no_ramp_and_brakes_as_traction_lets_it() {
    let ramped = DriveModel {
        linear: AxisLimits {
            accel: 2.0,
            ..open_model().linear
        },
        ..open_model()
    };
    let at_speed = |traction: f64| {
        let mut bench = Bench::new(
            DriveModel {
                traction,
                ..ramped.clone()
            },
            dt(0.01),
        );
        bench.command(0.8, 0.0, 0.0);
        for _ in 0..100 {
            bench.step();
        }
        assert_eq!(bench.body.x, 0.8);
        bench.drive.halt();
        bench
    };
    assert_eq!(at_speed(0.0).step(), Twist2::ZERO, "nothing holds it back");
    let mut bench = at_speed(8.0);
    for step in 1..=10 {
        let expected = 0.8 - 0.08 * f64::from(step);
        let found = bench.step().x;
        assert!(
            (found - expected).abs() < 1e-12,
            "{found} is not {expected}"
        );
    }
    assert_eq!(bench.step(), Twist2::ZERO, "it does not drive on");
}
