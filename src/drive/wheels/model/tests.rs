use super::*;

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn differential() -> WheelFields {
    WheelFields {
        kind: "differential".into(),
        wheel_joints: names(&["left", "right"]),
        wheel_radius: vec![0.045],
        wheel_base: 0.2,
        max_wheel_speed: 10.0,
        ..WheelFields::default()
    }
}

fn ackermann() -> WheelFields {
    WheelFields {
        kind: "ackermann".into(),
        wheel_joints: names(&["sl", "sr", "nl", "nr"]),
        steering_joints: names(&["tl", "tr"]),
        wheel_radius: vec![0.255, 0.325],
        wheel_base: 1.652,
        track_width: 1.14,
        non_steerable_track_width: 1.044,
        steerable_wheels_at_rear: true,
        max_linear_speed: 2.0,
        max_turning_angle: 1.2,
        ..WheelFields::default()
    }
}

fn holonomic() -> WheelFields {
    let pose = |x, y| WheelPose {
        position: [x, y, 0.05],
        orientation: [1.0, 0.0, 0.0, 0.0],
    };
    WheelFields {
        kind: "holonomic".into(),
        wheel_joints: names(&["a", "b", "c"]),
        wheel_radius: vec![0.05],
        wheel_poses: vec![pose(0.3, 0.2), pose(0.3, -0.2), pose(-0.3, 0.2)],
        mecanum_angles: vec![45.0, 135.0, 135.0],
        wheel_axis: [0.0, 1.0, 0.0],
        max_angular_speed: 3.0,
        ..WheelFields::default()
    }
}

#[test]
fn fields_and_models_say_the_same() {
    for fields in [
        WheelFields::default(),
        differential(),
        ackermann(),
        holonomic(),
    ] {
        let model = fields.model().unwrap();
        assert_eq!(WheelFields::from(&model), fields);
    }
    let mut two = ackermann();
    two.wheel_joints.truncate(2);
    two.wheel_radius.truncate(1);
    two.non_steerable_track_width = 0.0;
    let model = two.model().unwrap();
    assert_eq!(WheelFields::from(&model), two);
    let WheelModel::Ackermann {
        non_steerable_wheel_joints: None,
        parameters,
        ..
    } = model
    else {
        panic!("{model:?}");
    };
    assert_eq!(parameters.non_steerable_track_width, None);
    // An axis of zeros is y.
    let mut bare = holonomic();
    bare.wheel_axis = [0.0; 3];
    assert_eq!(bare.model(), holonomic().model());
}

#[test]
fn what_is_wrong_is_named_as_in_the_message() {
    type Spoil = fn(&mut WheelFields);
    let cases: [(&str, WheelFields, Spoil); 22] = [
        ("type is \"tracks\"", differential(), |f| {
            f.kind = "tracks".into()
        }),
        ("wheel_joints has 3 entries", differential(), |f| {
            f.wheel_joints.push("third".into());
        }),
        ("wheel_radius has 2 entries", differential(), |f| {
            f.wheel_radius.push(0.1);
        }),
        ("wheel_radius[0] is -1 m", differential(), |f| {
            f.wheel_radius[0] = -1.0;
        }),
        ("wheel_base is 0 m", differential(), |f| f.wheel_base = 0.0),
        ("max_wheel_speed is -10", differential(), |f| {
            f.max_wheel_speed = -10.0
        }),
        ("max_linear_speed is NaN", differential(), |f| {
            f.max_linear_speed = f64::NAN;
        }),
        (
            "wheel_joints[1] is \"left\", which wheel_joints[0] is already",
            differential(),
            |f| f.wheel_joints[1] = "left".into(),
        ),
        ("wheel_joints has 3 entries", ackermann(), |f| {
            f.wheel_joints.truncate(3);
        }),
        ("both or none", ackermann(), |f| f.wheel_joints.truncate(3)),
        ("steering_joints has 1 entries", ackermann(), |f| {
            f.steering_joints.truncate(1);
        }),
        ("wheel_radius has 0 entries", ackermann(), |f| {
            f.wheel_radius.clear()
        }),
        ("wheel_radius[0] is 0 m", ackermann(), |f| {
            f.wheel_radius[0] = 0.0
        }),
        ("wheel_radius[1] is -0.1 m", ackermann(), |f| {
            f.wheel_radius[1] = -0.1
        }),
        ("non_steerable_track_width is -1 m", ackermann(), |f| {
            f.non_steerable_track_width = -1.0;
        }),
        ("max_turning_angle is 1.58 rad", ackermann(), |f| {
            f.max_turning_angle = 1.58;
        }),
        (
            "steering_joints[1] is \"nr\", which wheel_joints[3] is already",
            ackermann(),
            |f| f.steering_joints[1] = "nr".into(),
        ),
        ("wheel_poses has 2 entries", holonomic(), |f| {
            f.wheel_poses.truncate(2);
        }),
        (
            "wheel_poses[1].position is [NaN, -0.2, 0.05]",
            holonomic(),
            |f| f.wheel_poses[1].position[0] = f64::NAN,
        ),
        ("wheel_poses[2].orientation is", holonomic(), |f| {
            f.wheel_poses[2].orientation = [0.0; 4];
        }),
        ("wheel_poses[0].orientation turns", holonomic(), |f| {
            f.wheel_axis = [0.0, 0.0, 1.0];
        }),
        ("mecanum_angles[1] is 180 degrees", holonomic(), |f| {
            f.mecanum_angles[1] = 180.0;
        }),
    ];
    for (expected, mut fields, spoil) in cases {
        spoil(&mut fields);
        let error = fields.model().unwrap_err().to_string();
        assert!(error.contains(expected), "{expected:?} in {error:?}");
        assert!(error.contains("it must"), "{error}");
    }
}

#[test]
fn joints_must_be_of_the_robot() {
    let model = ackermann().model().unwrap();
    let all = ["tr", "tl", "nr", "nl", "sr", "sl", "arm"];
    assert_eq!(model.check_joints(&all), Ok(()));
    let error = model.check_joints(&all[1..]).unwrap_err().to_string();
    assert_eq!(
        error,
        "steering_joints[1] is \"tr\", it must be a joint of the URDF that turns: \
         tl, nr, nl, sr, sl, arm"
    );
    let error = model.check_joints(&[]).unwrap_err().to_string();
    assert!(error.contains("wheel_joints[0] is \"sl\""), "{error}");
    assert!(error.ends_with("it has none"), "{error}");
    assert_eq!(WheelModel::None.check_joints(&[]), Ok(()));
}
