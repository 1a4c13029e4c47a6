use std::f64::consts::FRAC_PI_2;

use proptest::prelude::*;

use super::*;

/// A small car, steered in front: the wheels that don't steer are as those that do.
fn car() -> AckermannParameters {
    AckermannParameters {
        steerable_wheel_radius: 0.05,
        wheel_base: 0.5,
        track_width: 0.4,
        ..AckermannParameters::default()
    }
}

/// A forklift with smaller wheels behind, which steer.
fn forklift() -> AckermannParameters {
    AckermannParameters {
        steerable_wheel_radius: 0.255,
        wheel_base: 1.652,
        track_width: 1.14,
        non_steerable_wheel_radius: Some(0.325),
        non_steerable_track_width: Some(1.044),
        steerable_wheels_at_rear: true,
        ..AckermannParameters::default()
    }
}

fn velocity(x: f64, y: f64) -> SiteVelocity {
    Twist2::new(x, y, 0.0).into()
}

#[track_caller]
fn assert_pair(actual: [f64; 2], expected: [f64; 2]) {
    for (a, e) in actual.into_iter().zip(expected) {
        assert!((a - e).abs() < 1e-12, "{actual:?} is not {expected:?}");
    }
}

#[test]
fn wheels_stand_across_the_lines_to_the_centre_of_the_turn() {
    // By the circles that wheels go round on, with 30 digits: the centre is R = L / tan(a)
    // to the left of the fixed axle and D = L / sin(a) from the control point; a steered
    // wheel is sqrt(L^2 + (R -+ t/2)^2) from it, turned by atan(L / (R -+ t/2)), and its
    // speed is v / D times its distance.
    let (speed, angle) = (1.5, 0.3);
    let expected = AckermannWheels {
        steerable: [5.312_304_519_528_229_5, 6.457_792_331_270_617],
        non_steerable: [3.978_266_899_306_058_6, 4.840_223_769_545_689],
        steering: [-0.333_372_436_032_852_8, -0.272_548_838_406_598_05],
    };
    let behind = Ackermann::new(&forklift()).unwrap();
    let wheels = behind.forward_direct(speed, angle).unwrap();
    assert_pair(wheels.steerable, expected.steerable);
    assert_pair(wheels.non_steerable, expected.non_steerable);
    assert_pair(wheels.steering, expected.steering);
    // In front they turn to the other side, at the same speeds.
    let front = Ackermann::new(&AckermannParameters {
        steerable_wheels_at_rear: false,
        ..forklift()
    });
    let wheels = front.unwrap().forward_direct(speed, angle).unwrap();
    assert_pair(wheels.steerable, expected.steerable);
    assert_pair(wheels.steering, expected.steering.map(|angle| -angle));
    // A turn to the right is the mirror image.
    let wheels = behind.forward_direct(speed, -angle).unwrap();
    let [left, right] = expected.steering;
    assert_pair(wheels.steering, [-right, -left]);
    let [left, right] = expected.steerable;
    assert_pair(wheels.steerable, [right, left]);
    // Reversing the wheels stay where they are and turn backwards.
    let wheels = behind.forward_direct(-speed, angle).unwrap();
    assert_pair(wheels.steering, expected.steering);
    assert_pair(wheels.steerable, expected.steerable.map(|speed| -speed));
    assert_pair(
        wheels.non_steerable,
        expected.non_steerable.map(|speed| -speed),
    );
}

#[test]
fn at_a_quarter_turn_it_goes_round_the_middle_of_its_fixed_axle() {
    let wheels = Ackermann::new(&car()).unwrap();
    // 0.3 m/s at 0.5 m: 0.6 rad/s. A steered wheel is sqrt(0.5^2 + 0.2^2) m from the centre
    // and turned by pi/2 +- atan(0.2 / 0.5).
    let turned = wheels.forward_direct(0.3, FRAC_PI_2).unwrap();
    let speed = 0.323_109_888_428_070_26 / 0.05;
    assert_pair(turned.steerable, [speed, speed]);
    assert_pair(
        turned.steering,
        [1.951_302_703_907_261_5, 1.190_289_949_682_531_7],
    );
    assert_pair(turned.non_steerable, [-0.12 / 0.05, 0.12 / 0.05]);
    // No limit is pi/2.
    assert_eq!(wheels.forward_direct(0.3, 2.0).unwrap(), turned);
}

#[test]
fn a_velocity_is_a_signed_speed_and_a_turning_angle() {
    let mut wheels = Ackermann::new(&car()).unwrap();
    let direct = wheels;
    let angle = 0.4_f64;
    let (sin, cos) = angle.sin_cos();
    let same = |a: AckermannWheels, b: AckermannWheels| {
        assert_pair(a.steerable, b.steerable);
        assert_pair(a.non_steerable, b.non_steerable);
        assert_pair(a.steering, b.steering);
    };
    // Forwards and backwards, to the left and to the right.
    for (x, y, speed, turning) in [
        (2.0 * cos, 2.0 * sin, 2.0, angle),
        (2.0 * cos, -2.0 * sin, 2.0, -angle),
        (-2.0 * cos, -2.0 * sin, -2.0, angle),
        (-2.0 * cos, 2.0 * sin, -2.0, -angle),
        (-2.0, 0.0, -2.0, 0.0),
        // Exactly sideways has no sign: no speed, and the angle of reversing.
        (0.0, 2.0, 0.0, -FRAC_PI_2),
        (0.0, -2.0, 0.0, FRAC_PI_2),
    ] {
        let got = wheels.forward(&velocity(x, y)).unwrap();
        same(got, direct.forward_direct(speed, turning).unwrap());
    }
}

#[test]
fn directions_say_what_forwards_and_left_are() {
    // Forwards is -y and up is x, so left is x cross -y = -z.
    let mut turned = Ackermann::new(&AckermannParameters {
        forward_direction: [0.0, -2.0, 0.0],
        rotation_direction: [5.0, 0.0, 0.0],
        ..car()
    })
    .unwrap();
    let mut plain = Ackermann::new(&car()).unwrap();
    let site = SiteVelocity {
        linear: [9.0, -0.8, -0.3],
        angular: [1.0, 2.0, 3.0],
    };
    let expected = plain.forward(&velocity(0.8, 0.3)).unwrap();
    assert_eq!(turned.forward(&site).unwrap(), expected);
}

#[test]
fn without_a_direction_the_wheels_stay_where_they_were() {
    let mut wheels = Ackermann::new(&car()).unwrap();
    let straight = wheels.forward(&velocity(0.0, 0.0)).unwrap();
    assert_eq!(straight, AckermannWheels::default());
    let turned = wheels.forward(&velocity(0.5, 0.2)).unwrap().steering;
    assert!(turned[0] > 0.1, "{turned:?}");
    let standing = wheels.forward(&velocity(0.0, 0.0)).unwrap();
    assert_eq!(standing.steering, turned);
    assert_eq!(standing.steerable, [0.0, 0.0]);
    // Direct commands neither use nor change it.
    assert_eq!(wheels.forward_direct(0.0, 0.0).unwrap(), straight);
    assert!(wheels.forward(&velocity(f64::NAN, 0.0)).is_err());
    assert_eq!(
        wheels.forward(&velocity(0.0, 0.0)).unwrap().steering,
        turned
    );
    wheels.reset();
    assert_eq!(wheels.forward(&velocity(0.0, 0.0)).unwrap(), straight);
}

#[test]
fn limits_hold_speed_and_angle_one_by_one() {
    let mut wheels = Ackermann::new(&AckermannParameters {
        max_linear_speed: Some(0.7),
        max_turning_angle: Some(0.35),
        ..car()
    })
    .unwrap();
    let free = Ackermann::new(&car()).unwrap();
    let expected = free.forward_direct(0.7, 0.35).unwrap();
    assert_eq!(wheels.forward_direct(9.0, 1.0), Ok(expected));
    assert_eq!(wheels.forward(&velocity(1.0, 3.0)), Ok(expected));
    let expected = free.forward_direct(-0.7, -0.35).unwrap();
    assert_eq!(wheels.forward(&velocity(-1.0, 3.0)), Ok(expected));
}

#[test]
fn a_body_drives_what_its_steering_allows() {
    let wheels = Ackermann::new(&AckermannParameters {
        max_turning_angle: Some(0.35),
        ..car()
    })
    .unwrap();
    let within = Twist2::new(-0.4, 0.0, 0.2);
    let (body, angle) = wheels.feasible(within);
    assert_eq!(body, within, "to the bit");
    // Backwards it turns to the left with its wheels to the right: tan = 0.2 * 0.5 / -0.4.
    assert!(
        (angle.unwrap() + 0.25_f64.atan()).abs() < 1e-12,
        "{angle:?}"
    );
    // Too narrow: the speed stays, the circle has the radius L / tan(0.35).
    for (linear, turning) in [(0.4, 3.0), (-0.4, 3.0), (0.4, -3.0), (1e-9, 3.0)] {
        let (body, angle) = wheels.feasible(Twist2::new(linear, 0.3, turning));
        let expected = turning.signum() * linear.abs() * 0.35_f64.tan() / 0.5;
        assert_eq!((body.x, body.y), (linear, 0.0));
        assert!((body.angular - expected).abs() < 1e-12, "{body:?}");
        assert_eq!(angle, Some(0.35 * (linear * turning).signum()));
    }
    // On the spot it can't turn.
    assert_eq!(
        wheels.feasible(Twist2::new(0.0, 0.2, 1.0)),
        (Twist2::ZERO, None)
    );
    // The speed limit is that of the control point and leaves the circle as it is.
    let slow = Ackermann::new(&AckermannParameters {
        max_linear_speed: Some(0.25),
        ..car()
    })
    .unwrap();
    // hypot(0.4, 0.6 * 0.5) = 0.5 m/s, twice the limit.
    let (body, _) = slow.feasible(Twist2::new(0.4, 0.0, 0.6));
    assert!((body.x - 0.2).abs() < 1e-12, "{body:?}");
    assert!((body.angular - 0.3).abs() < 1e-12, "{body:?}");
}

#[test]
fn wheels_that_contradict_each_other_are_met_halfway() {
    let wheels = Ackermann::new(&car()).unwrap();
    // One straight ahead at 1 m/s, one at 3 m/s, 0.4 m apart, which the fixed axle 0.5 m
    // behind resists: minimal (u - 0.2 w - 1)^2 + (u + 0.2 w - 3)^2 + 2 (0.5 w)^2 is at
    // u = 2 and w = 0.2 * 2 / (2 * 0.04 + 2 * 0.25) = 0.4 / 0.58.
    let twist = wheels.twist_from([1.0 / 0.05, 3.0 / 0.05], [0.0, 0.0]);
    assert!((twist.x - 2.0).abs() < 1e-12, "{twist:?}");
    assert!((twist.angular - 0.4 / 0.58).abs() < 1e-12, "{twist:?}");
    assert_eq!(twist.y, 0.0);
}

#[test]
fn what_it_can_not_be_made_from_is_named() {
    type Spoil = fn(&mut AckermannParameters);
    let cases: [(&str, Spoil); 13] = [
        ("steerable_wheel_radius is 0 m", |p| {
            p.steerable_wheel_radius = 0.0
        }),
        ("wheel_base is NaN m", |p| p.wheel_base = f64::NAN),
        ("track_width is -1 m", |p| p.track_width = -1.0),
        ("non_steerable_wheel_radius is 0 m", |p| {
            p.non_steerable_wheel_radius = Some(0.0)
        }),
        ("non_steerable_track_width is inf m", |p| {
            p.non_steerable_track_width = Some(f64::INFINITY)
        }),
        ("max_linear_speed is 0,", |p| p.max_linear_speed = Some(0.0)),
        ("max_linear_speed is NaN,", |p| {
            p.max_linear_speed = Some(f64::NAN)
        }),
        ("max_turning_angle is 0 rad", |p| {
            p.max_turning_angle = Some(0.0)
        }),
        ("max_turning_angle is 1.6 rad", |p| {
            p.max_turning_angle = Some(1.6)
        }),
        ("max_turning_angle is NaN rad", |p| {
            p.max_turning_angle = Some(f64::NAN)
        }),
        ("forward_direction is [0.0, 0.0, 0.0]", |p| {
            p.forward_direction = [0.0; 3]
        }),
        ("rotation_direction is [NaN, 0.0, 0.0]", |p| {
            p.rotation_direction = [f64::NAN, 0.0, 0.0]
        }),
        ("forward_direction is 45", |p| {
            p.forward_direction = [1.0, 0.0, 1.0]
        }),
    ];
    for (expected, spoil) in cases {
        let mut spoiled = car();
        spoil(&mut spoiled);
        let error = Ackermann::new(&spoiled).unwrap_err().to_string();
        assert!(error.contains(expected), "{expected:?} in {error:?}");
        assert!(error.contains("it must be"), "{error}");
    }
    let largest = AckermannParameters {
        max_turning_angle: Some(FRAC_PI_2),
        ..car()
    };
    assert!(Ackermann::new(&largest).is_ok());
}

#[test]
fn a_direct_command_that_is_not_finite_is_refused() {
    let wheels = Ackermann::new(&car()).unwrap();
    let error = wheels.forward_direct(f64::NAN, 0.0).unwrap_err();
    assert_eq!(error.parameter(), "linear_speed");
    let error = wheels.forward_direct(0.0, f64::INFINITY).unwrap_err();
    assert_eq!(error.to_string(), "turning_angle is inf, it must be finite");
}

proptest! {
    #[test]
    fn the_inverse_finds_the_motion_again(
        base in 0.2..3.0, track in 0.1..2.0, rear in any::<bool>(),
        speed in -3.0..3.0, angle in -FRAC_PI_2..FRAC_PI_2,
    ) {
        let wheels = Ackermann::new(&AckermannParameters {
            wheel_base: base,
            track_width: track,
            steerable_wheels_at_rear: rear,
            ..car()
        }).unwrap();
        let driven = wheels.forward_direct(speed, angle).unwrap();
        let twist = wheels.twist_from(driven.steerable, driven.steering);
        let (linear, angular) = (speed * angle.cos(), speed * angle.sin() / base);
        prop_assert!((twist.x - linear).abs() < 1e-9, "{} for {linear}", twist.x);
        prop_assert!((twist.angular - angular).abs() < 1e-9, "{} for {angular}", twist.angular);
    }

    #[test]
    fn no_steered_wheel_slips_sideways(
        track in 0.1..2.0, rear in any::<bool>(), speed in -3.0..3.0, angle in -1.5..1.5,
    ) {
        let wheels = Ackermann::new(&AckermannParameters {
            track_width: track,
            steerable_wheels_at_rear: rear,
            ..car()
        }).unwrap();
        let driven = wheels.forward_direct(speed, angle).unwrap();
        let (linear, angular) = (speed * angle.cos(), speed * angle.sin() / 0.5);
        let x = if rear { -0.5 } else { 0.5 };
        for (y, (turned, rolling)) in [0.5 * track, -0.5 * track]
            .into_iter()
            .zip(driven.steering.into_iter().zip(driven.steerable))
        {
            let (vx, vy) = (linear - angular * y, angular * x);
            let across = vy * turned.cos() - vx * turned.sin();
            prop_assert!(across.abs() < 1e-9, "slips at {across} m/s");
            let along = vx * turned.cos() + vy * turned.sin();
            prop_assert!((along - 0.05 * rolling).abs() < 1e-9, "{along} at {rolling} rad/s");
        }
    }
}
