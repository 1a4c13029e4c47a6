use std::f64::consts::{FRAC_1_SQRT_2, PI};

use proptest::prelude::*;

use super::*;

/// About z, as w, x, y, z.
fn yaw(angle: f64) -> [f64; 4] {
    [(0.5 * angle).cos(), 0.0, 0.0, (0.5 * angle).sin()]
}

/// Three omni wheels of 40 mm around the middle, 0.125 m from it, their axles outwards.
fn kiwi() -> HolonomicParameters {
    let around = [0.0, 2.0, 4.0].map(|thirds| thirds * PI / 3.0);
    HolonomicParameters {
        wheel_radius: vec![0.04],
        wheel_positions: (around.iter())
            .map(|at| [0.125 * at.cos(), 0.125 * at.sin(), 0.04])
            .collect(),
        // The axle is y of the wheel, which a quarter turn back brings outwards.
        wheel_orientations: around.iter().map(|at| yaw(at - 0.5 * PI)).collect(),
        mecanum_angles: vec![90.0],
        ..HolonomicParameters::default()
    }
}

/// Front left, front right, rear left, rear right at (+-0.3, +-0.2) m.
fn mecanum() -> HolonomicParameters {
    HolonomicParameters {
        wheel_radius: vec![0.05; 4],
        wheel_positions: vec![
            [0.3, 0.2, 0.0],
            [0.3, -0.2, 0.0],
            [-0.3, 0.2, 0.0],
            [-0.3, -0.2, 0.0],
        ],
        wheel_orientations: vec![yaw(0.0); 4],
        mecanum_angles: vec![45.0, 135.0, 135.0, 45.0],
        ..HolonomicParameters::default()
    }
}

#[track_caller]
fn assert_speeds(actual: &[f64], expected: &[f64]) {
    assert_eq!(actual.len(), expected.len());
    for (a, e) in actual.iter().zip(expected) {
        assert!((a - e).abs() < 1e-12, "{actual:?} is not {expected:?}");
    }
}

fn forward(parameters: &HolonomicParameters, twist: Twist2) -> Vec<f64> {
    let wheels = Holonomic::new(parameters).unwrap();
    wheels.forward(&twist.into()).unwrap()
}

#[test]
fn three_omni_wheels_drive_along_their_tangents() {
    // A wheel at the angle a, turning by the right hand about its axle outwards, drives
    // clockwise, along (sin a, -cos a): speed sin(a) vx - cos(a) vy - 0.125 w. The sines of
    // 0, 120 and 240 degrees are 0 and +-sqrt(3)/2, the cosines 1, -1/2 and -1/2.
    let twist = Twist2::new(0.3, -0.2, 0.8);
    let root = 0.5 * 3.0_f64.sqrt();
    let expected = [
        (0.2 - 0.1) / 0.04,
        (root * 0.3 - 0.1 - 0.1) / 0.04,
        (-root * 0.3 - 0.1 - 0.1) / 0.04,
    ];
    assert_speeds(&forward(&kiwi(), twist), &expected);
}

#[test]
fn four_mecanum_wheels_drive_as_in_the_textbook() {
    // vx -+ vy -+ (0.3 + 0.2) w, over the radius.
    let twist = Twist2::new(0.4, 0.1, 0.6);
    let expected = [
        (0.4 - 0.1 - 0.3) / 0.05,
        (0.4 + 0.1 + 0.3) / 0.05,
        (0.4 + 0.1 - 0.3) / 0.05,
        (0.4 - 0.1 + 0.3) / 0.05,
    ];
    assert_speeds(&forward(&mecanum(), twist), &expected);
}

#[test]
fn radii_and_angles_may_differ_from_wheel_to_wheel() {
    let parameters = HolonomicParameters {
        wheel_radius: vec![0.05, 0.1, 0.05, 0.2],
        mecanum_angles: vec![45.0, 135.0, 90.0, 60.0],
        ..mecanum()
    };
    // The third has no rollers: vx - w y. The fourth grips along the way turned by -30
    // degrees: vx + tan(-30) vy, with the wheel's own vx = 0.4 + 0.6 * 0.2 and
    // vy = 0.1 - 0.6 * 0.3.
    let expected = [
        0.0,
        0.8 / 0.1,
        (0.4 - 0.6 * 0.2) / 0.05,
        (0.52 - (-0.08) / 3.0_f64.sqrt()) / 0.2,
    ];
    let twist = Twist2::new(0.4, 0.1, 0.6);
    assert_speeds(&forward(&parameters, twist), &expected);
}

#[test]
fn the_axle_is_where_axis_and_orientation_bring_it() {
    let twist = Twist2::new(0.4, 0.1, 0.6);
    let expected = forward(&mecanum(), twist);
    // An axle along x of wheels that are turned to the left by a quarter.
    let turned = HolonomicParameters {
        wheel_axis: [2.0, 0.0, 0.0],
        wheel_orientations: vec![yaw(0.5 * PI).map(|q| 3.0 * q); 4],
        ..mecanum()
    };
    assert_speeds(&forward(&turned, twist), &expected);
    // An axle along z of wheels that are rolled onto their side: z becomes y.
    let rolled = HolonomicParameters {
        wheel_axis: [0.0, 0.0, 1.0],
        wheel_orientations: vec![[FRAC_1_SQRT_2, -FRAC_1_SQRT_2, 0.0, 0.0]; 4],
        ..mecanum()
    };
    assert_speeds(&forward(&rolled, twist), &expected);
    // The other way round, plain wheels turn the other way.
    let plain = HolonomicParameters {
        mecanum_angles: vec![90.0],
        ..mecanum()
    };
    let back = HolonomicParameters {
        wheel_axis: [0.0, -1.0, 0.0],
        ..plain.clone()
    };
    let negated: Vec<f64> = forward(&plain, twist).iter().map(|speed| -speed).collect();
    assert_speeds(&forward(&back, twist), &negated);
}

#[test]
fn the_control_point_may_be_anywhere_and_turned() {
    // 0.1 m ahead and 0.05 m to the left of the middle, its x to the left: what it calls
    // (vx, vy) is (-vy, vx) there, and the middle moves with the turn about it.
    let moved = HolonomicParameters {
        command_site_position: [0.1, 0.05, 0.7],
        command_site_quaternion: yaw(0.5 * PI),
        ..mecanum()
    };
    let (vx, vy, w) = (0.3, -0.2, 0.8);
    let middle = Twist2::new(-vy + w * 0.05, vx - w * 0.1, w);
    assert_speeds(
        &forward(&moved, Twist2::new(vx, vy, w)),
        &forward(&mecanum(), middle),
    );
}

#[test]
fn the_axis_of_turning_is_of_the_control_points_frame() {
    // A robot on a wall: up is x, so that y and z span the plane; axles along z drive
    // along z cross x = y.
    let wall = HolonomicParameters {
        wheel_radius: vec![0.05],
        wheel_positions: vec![[0.0, 0.3, 0.2], [0.0, 0.3, -0.2]],
        wheel_orientations: vec![yaw(0.0); 2],
        mecanum_angles: vec![90.0],
        wheel_axis: [0.0, 0.0, 1.0],
        rotation_direction: [4.0, 0.0, 0.0],
        ..HolonomicParameters::default()
    };
    let wheels = Holonomic::new(&wall).unwrap();
    let speeds = wheels.forward(&SiteVelocity {
        linear: [9.0, 0.4, 0.0],
        angular: [0.5, 9.0, 9.0],
    });
    // About x a point at z moves along y by -w z.
    assert_speeds(&speeds.unwrap(), &[(0.4 - 0.1) / 0.05, (0.4 + 0.1) / 0.05]);
}

#[test]
fn speed_keeps_its_direction_within_its_limit_and_wheels_do_not() {
    let limited = HolonomicParameters {
        max_linear_speed: Some(0.25),
        max_angular_speed: Some(0.5),
        ..mecanum()
    };
    // (0.3, 0.4) m/s is twice the limit.
    let expected = forward(&mecanum(), Twist2::new(0.15, 0.2, -0.5));
    assert_speeds(&forward(&limited, Twist2::new(0.3, 0.4, -2.0)), &expected);
    let held = HolonomicParameters {
        max_wheel_speed: Some(4.0),
        ..mecanum()
    };
    // Wheels at 2, 6, 6, 2 rad/s: two are held at 4, so that the body, by the mean of what
    // is gripped, goes (2 + 4 + 4 + 2) / 4 * 0.05 = 0.15 m/s ahead instead of 0.2 and
    // (-2 + 4 + 4 - 2) / 4 * 0.05 = 0.05 m/s to the left instead of 0.1.
    let twist = Twist2::new(0.2, 0.1, 0.0);
    assert_speeds(&forward(&held, twist), &[2.0, 4.0, 4.0, 2.0]);
    let body = Holonomic::new(&held).unwrap().feasible(twist);
    assert!((body.x - 0.15).abs() < 1e-12, "{body:?}");
    assert!((body.y - 0.05).abs() < 1e-12, "{body:?}");
    assert!(body.angular.abs() < 1e-12, "{body:?}");
    let within = Twist2::new(0.1, 0.05, 0.1);
    let free = Holonomic::new(&held).unwrap().feasible(within);
    assert_eq!(free, within, "to the bit");
}

#[test]
fn a_motion_that_no_wheel_feels_is_not_driven() {
    // Two plain wheels on one axle drive and turn, and nothing drives them sideways.
    let plain = HolonomicParameters {
        wheel_radius: vec![0.05],
        wheel_positions: vec![[0.0, 0.2, 0.0], [0.0, -0.2, 0.0]],
        wheel_orientations: vec![yaw(0.0); 2],
        mecanum_angles: vec![90.0],
        ..HolonomicParameters::default()
    };
    let body = Holonomic::new(&plain)
        .unwrap()
        .feasible(Twist2::new(0.3, 0.4, 0.5));
    assert!((body.x - 0.3).abs() < 1e-12, "{body:?}");
    assert!(body.y.abs() < 1e-12, "{body:?}");
    assert!((body.angular - 0.5).abs() < 1e-12, "{body:?}");
}

#[test]
fn speeds_that_contradict_each_other_are_fitted_best() {
    // One wheel of the four turns alone: by the mean of the textbook formulas a quarter of
    // it ahead, a quarter to the right and a quarter over the lever to the right.
    let wheels = Holonomic::new(&mecanum()).unwrap();
    let twist = wheels.twist_from(&[4.0, 0.0, 0.0, 0.0]).unwrap();
    assert!((twist.x - 0.05).abs() < 1e-12, "{twist:?}");
    assert!((twist.y + 0.05).abs() < 1e-12, "{twist:?}");
    assert!((twist.angular + 0.05 / 0.5).abs() < 1e-12, "{twist:?}");
    let error = wheels.twist_from(&[1.0]).unwrap_err().to_string();
    assert_eq!(error, "speeds has 1 entries, it must have 4, one per wheel");
}

#[test]
fn what_it_can_not_be_made_from_is_named() {
    type Spoil = fn(&mut HolonomicParameters);
    let cases: [(&str, Spoil); 21] = [
        ("wheel_positions has 0 entries", |p| {
            p.wheel_positions.clear();
            p.wheel_orientations.clear();
        }),
        ("wheel_orientations has 3 entries", |p| {
            p.wheel_orientations.truncate(3);
        }),
        ("wheel_radius has 0 entries", |p| p.wheel_radius.clear()),
        ("wheel_radius has 3 entries", |p| p.wheel_radius.truncate(3)),
        ("mecanum_angles has 2 entries", |p| {
            p.mecanum_angles.truncate(2)
        }),
        ("wheel_radius[2] is 0 m", |p| p.wheel_radius[2] = 0.0),
        ("wheel_radius[0] is NaN m", |p| {
            p.wheel_radius = vec![f64::NAN]
        }),
        ("wheel_positions[1] is [0.3, inf, 0.0]", |p| {
            p.wheel_positions[1][1] = f64::INFINITY
        }),
        ("wheel_orientations[3] is [0.0, 0.0, 0.0, 0.0]", |p| {
            p.wheel_orientations[3] = [0.0; 4]
        }),
        ("wheel_orientations[3] is [NaN,", |p| {
            p.wheel_orientations[3][0] = f64::NAN
        }),
        ("mecanum_angles[0] is 0 degrees", |p| {
            p.mecanum_angles[0] = 0.0
        }),
        ("mecanum_angles[1] is 180 degrees", |p| {
            p.mecanum_angles[1] = 180.0
        }),
        ("mecanum_angles[1] is inf degrees", |p| {
            p.mecanum_angles[1] = f64::INFINITY
        }),
        ("wheel_axis is [0.0, 0.0, 0.0]", |p| p.wheel_axis = [0.0; 3]),
        ("wheel_orientations[0] turns the wheel's axle", |p| {
            p.wheel_axis = [0.0, 0.0, -1.0]
        }),
        ("command_site_position is [NaN,", |p| {
            p.command_site_position[0] = f64::NAN
        }),
        ("command_site_quaternion is [0.0,", |p| {
            p.command_site_quaternion = [0.0; 4]
        }),
        ("rotation_direction is [0.0, 0.0, 0.0]", |p| {
            p.rotation_direction = [0.0; 3]
        }),
        ("max_linear_speed is 0,", |p| p.max_linear_speed = Some(0.0)),
        ("max_angular_speed is NaN,", |p| {
            p.max_angular_speed = Some(f64::NAN)
        }),
        ("max_wheel_speed is -2,", |p| p.max_wheel_speed = Some(-2.0)),
    ];
    for (expected, spoil) in cases {
        let mut spoiled = mecanum();
        spoil(&mut spoiled);
        let error = Holonomic::new(&spoiled).unwrap_err().to_string();
        assert!(error.contains(expected), "{expected:?} in {error:?}");
        assert!(error.contains("it must"), "{error}");
    }
    let bad = SiteVelocity {
        linear: [0.0; 3],
        angular: [0.0, f64::NAN, 0.0],
    };
    let error = Holonomic::new(&kiwi()).unwrap().forward(&bad).unwrap_err();
    assert_eq!(error.parameter(), "angular_velocity[1]");
}

proptest! {
    #[test]
    fn the_inverse_finds_the_motion_again(
        x in -2.0..2.0, y in -2.0..2.0, angular in -3.0..3.0,
        radii in prop::collection::vec(0.02..0.3, 4),
        angles in prop::collection::vec(prop_oneof![20.0..70.0, 110.0..160.0], 4),
        turned in prop::collection::vec(-3.0..3.0, 4),
    ) {
        let parameters = HolonomicParameters {
            wheel_radius: radii,
            mecanum_angles: angles,
            wheel_orientations: turned.iter().map(|angle| yaw(*angle)).collect(),
            ..mecanum()
        };
        let wheels = Holonomic::new(&parameters).unwrap();
        let speeds = wheels.forward(&Twist2::new(x, y, angular).into()).unwrap();
        let twist = wheels.twist_from(&speeds).unwrap();
        // Wheels at random may hardly feel one direction; then the fit is as loose.
        let again = wheels.rolling(twist);
        for (a, b) in again.iter().zip(&speeds) {
            prop_assert!((a - b).abs() < 1e-4, "{again:?} for {speeds:?}");
        }
    }

    #[test]
    fn the_usual_wheels_find_every_motion_again(
        x in -2.0..2.0, y in -2.0..2.0, angular in -3.0..3.0, three in any::<bool>(),
    ) {
        let parameters = if three { kiwi() } else { mecanum() };
        let wheels = Holonomic::new(&parameters).unwrap();
        let speeds = wheels.forward(&Twist2::new(x, y, angular).into()).unwrap();
        let twist = wheels.twist_from(&speeds).unwrap();
        prop_assert!((twist.x - x).abs() < 1e-9, "{twist:?} for {x}");
        prop_assert!((twist.y - y).abs() < 1e-9, "{twist:?} for {y}");
        prop_assert!((twist.angular - angular).abs() < 1e-9, "{twist:?} for {angular}");
    }
}
