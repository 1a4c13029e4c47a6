use proptest::prelude::*;

use super::*;

/// A drive with wheels of 45 mm that are 0.2 m apart.
fn parameters() -> DifferentialParameters {
    DifferentialParameters {
        wheel_radius: 0.045,
        wheel_base: 0.2,
        ..DifferentialParameters::default()
    }
}

fn site(linear: [f64; 3], angular: [f64; 3]) -> SiteVelocity {
    SiteVelocity { linear, angular }
}

#[track_caller]
fn assert_speeds(actual: [f64; 2], expected: [f64; 2]) {
    for (a, e) in actual.into_iter().zip(expected) {
        assert!((a - e).abs() < 1e-12, "{actual:?} is not {expected:?}");
    }
}

#[test]
fn wheels_roll_on_circles_about_the_centre_of_the_turn() {
    let wheels = Differential::new(&parameters()).unwrap();
    // At 0.5 m/s and 1.2 rad/s the centre is 0.5/1.2 = 5/12 m to the left: the left wheel
    // is 19/60 m from it, the right one 31/60 m. Times 1.2 rad/s that is 0.38 and 0.62 m/s.
    let speeds = wheels.forward(&Twist2::new(0.5, 0.0, 1.2).into()).unwrap();
    assert_speeds(speeds, [0.38 / 0.045, 0.62 / 0.045]);
    // Backwards on the same circle it turns the other way.
    let speeds = wheels.forward(&Twist2::new(-0.5, 0.0, -1.2).into());
    assert_speeds(speeds.unwrap(), [-0.38 / 0.045, -0.62 / 0.045]);
    // On the spot the wheels go round 0.1 m from the centre.
    let speeds = wheels.forward(&Twist2::new(0.0, 0.0, -0.9).into()).unwrap();
    assert_speeds(speeds, [2.0, -2.0]);
    // What is across or about other axes does not count.
    let speeds = wheels.forward(&site([0.09, 7.0, -3.0], [4.0, 5.0, 0.0]));
    assert_speeds(speeds.unwrap(), [2.0, 2.0]);
    assert_eq!(wheels.forward(&SiteVelocity::default()), Ok([0.0, 0.0]));
}

#[test]
fn directions_are_axes_of_any_length() {
    let wheels = Differential::new(&DifferentialParameters {
        forward_direction: [0.0, -3.0, 0.0],
        rotation_direction: [0.2, 0.0, 0.0],
        ..parameters()
    });
    let speeds = wheels
        .unwrap()
        .forward(&site([9.0, -0.5, 9.0], [1.2, 9.0, 9.0]));
    assert_speeds(speeds.unwrap(), [0.38 / 0.045, 0.62 / 0.045]);
}

#[test]
fn limits_hold_the_body_first_and_then_each_wheel() {
    let limited = |linear, angular, wheel| {
        Differential::new(&DifferentialParameters {
            max_linear_speed: linear,
            max_angular_speed: angular,
            max_wheel_speed: wheel,
            ..parameters()
        })
        .unwrap()
    };
    let fast: SiteVelocity = Twist2::new(3.0, 0.0, -9.0).into();
    let speeds = limited(Some(0.45), None, None).forward(&fast);
    assert_speeds(speeds.unwrap(), [10.0 + 20.0, 10.0 - 20.0]);
    let speeds = limited(Some(0.45), Some(1.8), None).forward(&fast);
    assert_speeds(speeds.unwrap(), [14.0, 6.0]);
    // The left wheel alone is beyond its limit, which bends the way.
    let wheels = limited(Some(0.45), Some(1.8), Some(12.0));
    let speeds = wheels.forward(&fast).unwrap();
    assert_speeds(speeds, [12.0, 6.0]);
    let back: SiteVelocity = Twist2::new(-3.0, 0.0, 9.0).into();
    assert_speeds(wheels.forward(&back).unwrap(), [-12.0, -6.0]);
    // (12 + 6) / 2 * 0.045 = 0.405 m/s and (6 - 12) * 0.045 / 0.2 = -1.35 rad/s.
    let body = wheels.feasible(Twist2::new(3.0, 1.0, -9.0));
    assert!((body.x - 0.405).abs() < 1e-12, "{body:?}");
    assert!((body.angular + 1.35).abs() < 1e-12, "{body:?}");
    assert_eq!(body.y, 0.0);
    let within = Twist2::new(0.1, 0.0, 0.3);
    assert_eq!(wheels.feasible(within), within, "to the bit");
}

#[test]
fn what_it_can_not_be_made_from_is_named() {
    type Spoil = fn(&mut DifferentialParameters);
    let cases: [(&str, Spoil); 12] = [
        ("wheel_radius is 0 m", |p| p.wheel_radius = 0.0),
        ("wheel_radius is NaN m", |p| p.wheel_radius = f64::NAN),
        ("wheel_base is -0.2 m", |p| p.wheel_base = -0.2),
        ("wheel_base is inf m", |p| p.wheel_base = f64::INFINITY),
        ("max_linear_speed is 0,", |p| p.max_linear_speed = Some(0.0)),
        ("max_angular_speed is -1,", |p| {
            p.max_angular_speed = Some(-1.0)
        }),
        ("max_wheel_speed is inf,", |p| {
            p.max_wheel_speed = Some(f64::INFINITY)
        }),
        ("max_wheel_speed is NaN,", |p| {
            p.max_wheel_speed = Some(f64::NAN)
        }),
        ("forward_direction is [0.0, 0.0, 0.0]", |p| {
            p.forward_direction = [0.0; 3]
        }),
        ("rotation_direction is [0.0, NaN, 1.0]", |p| {
            p.rotation_direction = [0.0, f64::NAN, 1.0]
        }),
        ("rotation_direction is [inf, 0.0, 0.0]", |p| {
            p.rotation_direction = [f64::INFINITY, 0.0, 0.0]
        }),
        ("degrees from rotation_direction", |p| {
            p.forward_direction = [0.0, 0.0, 2.0]
        }),
    ];
    for (expected, spoil) in cases {
        let mut spoiled = parameters();
        spoil(&mut spoiled);
        let error = Differential::new(&spoiled).unwrap_err().to_string();
        assert!(error.contains(expected), "{expected:?} in {error:?}");
        assert!(error.contains("it must be"), "{error}");
    }
}

#[test]
fn directions_are_at_least_89_9_degrees_apart() {
    let leaning = |degrees: f64| {
        let (sin, cos) = degrees.to_radians().sin_cos();
        Differential::new(&DifferentialParameters {
            forward_direction: [sin, 0.0, cos],
            ..parameters()
        })
    };
    assert!(leaning(89.901).is_ok());
    assert!(leaning(90.099).is_ok());
    for degrees in [89.899, 90.101, 0.0, 180.0, 45.0] {
        let error = leaning(degrees).unwrap_err().to_string();
        assert!(error.contains("at least 89.9 degrees"), "{error}");
    }
}

#[test]
fn a_velocity_that_is_not_finite_is_refused() {
    let wheels = Differential::new(&parameters()).unwrap();
    for bad in [f64::NAN, f64::INFINITY] {
        let error = wheels
            .forward(&site([0.0, bad, 0.0], [0.0; 3]))
            .unwrap_err();
        assert!(
            error.to_string().starts_with("linear_velocity[1] is"),
            "{error}"
        );
        let error = wheels
            .forward(&site([0.0; 3], [0.0, 0.0, bad]))
            .unwrap_err();
        assert!(
            error.to_string().starts_with("angular_velocity[2] is"),
            "{error}"
        );
    }
}

proptest! {
    #[test]
    fn the_inverse_finds_the_motion_again(
        radius in 0.01..0.5, base in 0.05..2.0, linear in -3.0..3.0, angular in -5.0..5.0,
    ) {
        let wheels = Differential::new(&DifferentialParameters {
            wheel_radius: radius,
            wheel_base: base,
            ..DifferentialParameters::default()
        }).unwrap();
        let speeds = wheels.forward(&Twist2::new(linear, 0.0, angular).into()).unwrap();
        let twist = wheels.twist_from(speeds);
        prop_assert!((twist.x - linear).abs() < 1e-9, "{} for {linear}", twist.x);
        prop_assert!((twist.angular - angular).abs() < 1e-9, "{} for {angular}", twist.angular);
    }

    #[test]
    fn what_is_feasible_needs_no_wheel_beyond_its_limit(
        linear in -3.0..3.0, angular in -9.0..9.0, most in 0.1..30.0,
    ) {
        let wheels = Differential::new(&DifferentialParameters {
            max_wheel_speed: Some(most),
            ..parameters()
        }).unwrap();
        let twist = wheels.feasible(Twist2::new(linear, 0.0, angular));
        for speed in wheels.rolling(twist.x, twist.angular) {
            prop_assert!(speed.abs() <= most + 1e-9, "{speed} beyond {most}");
        }
    }
}
