//! Wheels of robots.

use super::*;
use crate::drive::wheels::{WheelFields, WheelModel};

const CART: &str = r#"<robot name="cart">
  <link name="base_link"/><link name="l"/><link name="r"/><link name="s"/><link name="lift"/>
  <joint name="left" type="continuous"><parent link="base_link"/><child link="l"/></joint>
  <joint name="right" type="continuous"><parent link="base_link"/><child link="r"/></joint>
  <joint name="steer" type="revolute"><parent link="base_link"/><child link="s"/></joint>
  <joint name="lift" type="prismatic"><parent link="base_link"/><child link="lift"/></joint>
</robot>"#;

/// What comes of a robot with these lines below `drive`, which start in line 6.
fn cart(name: &str, wheels: &str) -> Result<WheelModel, String> {
    let folder = Folder::new(name);
    std::fs::write(folder.0.join("cart.urdf"), CART).unwrap();
    let text = format!(
        "robots:\n  - name: bot\n    urdf: cart.urdf\n    radius: 0.2\n    drive:\n{wheels}"
    );
    match reader().parse(&text, &folder.layout()) {
        Ok(layout) => Ok(layout.robots[0].drive.wheels.clone()),
        Err(error) => Err(error
            .to_string()
            .replace(&format!("{}/", folder.0.display()), "")),
    }
}

#[test]
fn every_key_is_read() {
    let read = |name, text| WheelFields::from(&cart(name, text).unwrap());
    let wheels = read(
        "differential",
        "      wheels: {type: differential, wheel_joints: [left, right], wheel_radius: [0.05],
        wheel_base: 0.3, max_linear_speed: 1, max_angular_speed: 2.5, max_wheel_speed: 20}",
    );
    let expected = WheelFields {
        kind: "differential".into(),
        wheel_joints: vec!["left".into(), "right".into()],
        wheel_radius: vec![0.05],
        wheel_base: 0.3,
        max_linear_speed: 1.0,
        max_angular_speed: 2.5,
        max_wheel_speed: 20.0,
        ..WheelFields::default()
    };
    assert_eq!(wheels, expected);
    let wheels = read(
        "holonomic",
        "      wheels:
        type: holonomic
        wheel_joints: [left, right]
        wheel_radius: [0.05, 0.06]
        wheel_poses:
          - {position: {x: 0.1, y: 0.2, z: 0.05}}
          - {orientation: {z: 1, w: 0}}
        mecanum_angles: [45, 90]
        wheel_axis: {x: 1, z: 0.5}",
    );
    assert_eq!(wheels.wheel_radius, [0.05, 0.06]);
    assert_eq!(wheels.wheel_poses[0].position, [0.1, 0.2, 0.05]);
    assert_eq!(wheels.wheel_poses[0].orientation, [1.0, 0.0, 0.0, 0.0]);
    assert_eq!(wheels.wheel_poses[1].position, [0.0; 3]);
    assert_eq!(wheels.wheel_poses[1].orientation, [0.0, 0.0, 0.0, 1.0]);
    assert_eq!(wheels.mecanum_angles, [45.0, 90.0]);
    assert_eq!(wheels.wheel_axis, [1.0, 0.0, 0.5]);
    assert_eq!(
        cart("none", "      wheels: {type: ''}"),
        Ok(WheelModel::None)
    );
}

#[test]
fn what_is_wrong_has_its_line_and_key() {
    let refused = |wheels: &str, expected: &str| {
        let found = cart("wrong", &format!("      wheels:\n{wheels}"));
        assert_eq!(found, Err(expected.to_owned()), "\nfor:\n{wheels}");
    };
    refused(
        "        {type: tracks}",
        "room.yaml:7:16: robots[0].drive.wheels.type is \"tracks\", \
         it must be differential, ackermann or holonomic, or \"\" for none",
    );
    refused(
        "        {type: ackermann, wheel_joints: [left, right], steering_joints: [steer, lift],\n\
         wheel_radius: [0.1, -0.1], wheel_base: 1, track_width: 1}",
        "room.yaml:8:21: robots[0].drive.wheels.wheel_radius[1] is -0.1, \
         it must be above 0, from 1e-6 to 1000 m",
    );
    refused(
        "        {type: differential, wheel_joints: [left, right], wheel_radius: [0.1]}",
        "room.yaml:7:9: robots[0].drive.wheels.wheel_base is left out, \
         it must be above 0, from 1e-6 to 1000 m",
    );
    refused(
        "        {type: differential, wheel_joints: [left, rigth], wheel_radius: [0.1], wheel_base: 1}",
        "room.yaml:7:51: robots[0].drive.wheels.wheel_joints[1] is \"rigth\", \
         it must be a joint of the URDF that turns: left, right, steer",
    );
    refused(
        "        {type: differential, wheel_joints: [left, lift], wheel_radius: [0.1], wheel_base: 1}",
        "room.yaml:7:51: robots[0].drive.wheels.wheel_joints[1] is \"lift\", \
         it must be a joint of the URDF that turns: left, right, steer",
    );
    refused(
        "        {type: differential, wheel_base: 1, wheel_radios: [0.1]}",
        "room.yaml:7:45: unknown key \"wheel_radios\" in robots[0].drive.wheels; \
         did you mean \"wheel_radius\"?",
    );
    refused(
        "        type: holonomic
        wheel_joints: [left]
        wheel_radius: [0.1]
        mecanum_angles: [90]
        wheel_poses: [{orientation: {x: 0.7071, w: 0.7071}}]",
        "room.yaml:11:37: robots[0].drive.wheels.wheel_poses[0].orientation is a mapping, \
         it must be across rotation_direction: a wheel that lies flat does not roll",
    );
}
