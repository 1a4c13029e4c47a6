//! Robots on wheels in a scene: joints that turn as the body moves.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod common;

use common::{assert_near, block, robot, scene};
use tatami::drive::wheels::WheelFields;
use tatami::robot::RobotSpec;
use tatami::scene::Scene;
use tatami::world::{Pose2, Twist2};

/// A cart with four wheels, two of which can be steered, and an arm between them.
const CART: &str = r#"<robot name="cart">
  <link name="base_link"><inertial><mass value="12"/>
    <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <link name="a"/><link name="b"/><link name="c"/><link name="d"/>
  <link name="e"/><link name="f"/><link name="g"/>
  <joint name="rear_right" type="continuous"><parent link="base_link"/><child link="a"/></joint>
  <joint name="rear_left" type="continuous"><parent link="base_link"/><child link="b"/></joint>
  <joint name="arm" type="revolute"><parent link="base_link"/><child link="c"/></joint>
  <joint name="steer_left" type="revolute"><parent link="base_link"/><child link="d"/></joint>
  <joint name="steer_right" type="revolute"><parent link="base_link"/><child link="e"/></joint>
  <joint name="front_left" type="continuous"><parent link="d"/><child link="f"/></joint>
  <joint name="front_right" type="continuous"><parent link="e"/><child link="g"/></joint>
</robot>"#;

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// Two driven wheels of 50 mm, 0.3 m apart.
fn differential() -> WheelFields {
    WheelFields {
        kind: "differential".into(),
        wheel_joints: owned(&["rear_left", "rear_right"]),
        wheel_radius: vec![0.05],
        wheel_base: 0.3,
        ..WheelFields::default()
    }
}

/// Steered wheels of 60 mm 0.5 m ahead of the base, wheels of 50 mm beside it.
fn ackermann() -> WheelFields {
    WheelFields {
        kind: "ackermann".into(),
        wheel_joints: owned(&["front_left", "front_right", "rear_left", "rear_right"]),
        steering_joints: owned(&["steer_left", "steer_right"]),
        wheel_radius: vec![0.06, 0.05],
        wheel_base: 0.5,
        track_width: 0.4,
        non_steerable_track_width: 0.3,
        max_turning_angle: 0.6,
        ..WheelFields::default()
    }
}

fn cart(pose: Pose2, wheels: &WheelFields) -> RobotSpec {
    let mut spec = robot("bot", pose);
    spec.urdf = CART.into();
    spec.drive.wheels = wheels.model().unwrap();
    spec
}

/// Position and velocity of a joint.
fn joint(scene: &Scene, name: &str) -> (f64, f64) {
    let robot = scene.robot("bot").unwrap();
    let names = robot.movable_joints().iter();
    let mut joints = names.zip(robot.joint_motions());
    let (_, motion) = joints.find(|(joint, _)| *joint == name).unwrap();
    (motion.position, motion.velocity)
}

/// Drives for some steps and adds up the way of a point of the base along a direction of
/// the base, taken from the true poses alone: the chord of each step as its arc.
fn way(scene: &mut Scene, steps: usize, point: [f64; 2], direction: f64) -> f64 {
    let mut way = 0.0;
    for _ in 0..steps {
        let before = scene.state("bot").unwrap().pose;
        scene.step();
        let after = scene.state("bot").unwrap().pose;
        let (from, to) = (before.transform_point(point), after.transform_point(point));
        let turned = (after.yaw - before.yaw).sin().asin();
        let heading = before.yaw + 0.5 * turned + direction;
        let chord = (to[0] - from[0]) * heading.cos() + (to[1] - from[1]) * heading.sin();
        let half = 0.5 * turned;
        way += chord * if half == 0.0 { 1.0 } else { half / half.sin() };
    }
    way
}

#[test]
fn wheel_angles_are_the_way_of_the_contact_points_over_the_radius() {
    let start = Pose2::new(1.0, -2.0, 0.8);
    for (name, y) in [("rear_left", 0.15), ("rear_right", -0.15)] {
        let mut scene = scene(0.02, 0);
        scene.spawn_robot(cart(start, &differential())).unwrap();
        let mut total = 0.0;
        for (x, angular) in [(0.5, 0.0), (0.4, 0.9), (-0.3, 0.5), (0.0, -2.0)] {
            scene.command("bot", Twist2::new(x, 0.0, angular)).unwrap();
            total += way(&mut scene, 60, [0.0, y], 0.0);
        }
        let (position, _) = joint(&scene, name);
        assert_near(position, total / 0.05, 1e-6);
        assert!(total.abs() > 0.1, "{total}");
        assert_eq!(joint(&scene, "arm"), (0.0, 0.0));
    }
}

#[test]
fn a_car_steers_and_rolls_along_its_wheels() {
    let start = Pose2::new(-1.0, 3.0, -2.0);
    // A circle of 1.25 m to the left: the wheels at (0.5, +-0.2) m stand across the lines
    // to (0, 1.25) m.
    let steering = |y: f64| (0.5 / (1.25 - y)).atan();
    let wheels = [
        ("front_left", [0.5, 0.2], steering(0.2), 0.06),
        ("front_right", [0.5, -0.2], steering(-0.2), 0.06),
        ("rear_left", [0.0, 0.15], 0.0, 0.05),
        ("rear_right", [0.0, -0.15], 0.0, 0.05),
    ];
    for (name, point, direction, radius) in wheels {
        let mut scene = scene(0.02, 0);
        scene.spawn_robot(cart(start, &ackermann())).unwrap();
        scene.command("bot", Twist2::new(0.5, 0.0, 0.4)).unwrap();
        let total = way(&mut scene, 150, point, direction);
        let (position, velocity) = joint(&scene, name);
        assert_near(position, total / radius, 1e-6);
        // 3 s at 0.4 rad/s round the centre.
        let distance = (point[0].powi(2) + (1.25 - point[1]).powi(2)).sqrt();
        assert_near(velocity, 0.4 * distance / radius, 1e-9);
        assert_near(position, 1.2 * distance / radius, 1e-6);
        let (left, right) = (joint(&scene, "steer_left"), joint(&scene, "steer_right"));
        assert_near(left.0, steering(0.2), 1e-12);
        assert_near(right.0, steering(-0.2), 1e-12);
        assert_eq!((left.1, right.1), (0.0, 0.0));
    }
}

#[test]
fn blocked_wheels_stand() {
    let mut scene = scene(0.02, 0);
    scene
        .spawn_boxes(&[block("wall", 1.0, 0.0, [1.0, 4.0])])
        .unwrap();
    scene
        .spawn_robot(cart(Pose2::default(), &differential()))
        .unwrap();
    scene.command("bot", Twist2::new(0.5, 0.0, 0.0)).unwrap();
    for _ in 0..500 {
        scene.step();
    }
    // The wall's face is at 0.5 m, the radius of the body 0.2 m.
    let (position, velocity) = joint(&scene, "rear_left");
    assert_near(position, 0.3 / 0.05, 0.1);
    assert_near(velocity, 0.0, 1e-3);
}

#[test]
fn a_teleport_stops_wheels_and_a_reset_turns_them_back() {
    let mut scene = scene(0.02, 0);
    scene
        .spawn_robot(cart(Pose2::default(), &ackermann()))
        .unwrap();
    scene.command("bot", Twist2::new(0.5, 0.0, 0.4)).unwrap();
    for _ in 0..50 {
        scene.step();
    }
    let (position, velocity) = joint(&scene, "rear_left");
    assert!(position > 1.0 && velocity > 1.0, "{position} {velocity}");
    scene
        .set_robot_pose("bot", Pose2::new(9.0, 9.0, 1.0), "")
        .unwrap();
    assert_eq!(joint(&scene, "rear_left"), (position, 0.0));
    scene.step();
    assert_eq!(joint(&scene, "rear_left"), (position, 0.0));
    scene.reset(false, None);
    for name in ["rear_left", "front_right", "steer_left", "steer_right"] {
        assert_eq!(joint(&scene, name), (0.0, 0.0), "{name}");
    }
    scene.step();
    assert_eq!(joint(&scene, "steer_left"), (0.0, 0.0));
}

#[test]
fn joints_that_the_robot_does_not_have_are_refused() {
    let mut scene = scene(0.02, 0);
    let mut wheels = differential();
    wheels.wheel_joints[1] = "rear_rigth".into();
    let spec = cart(Pose2::default(), &wheels);
    let error = scene.spawn_robot(spec).unwrap_err().to_string();
    assert_eq!(
        error,
        "robot 'bot': drive.wheels.wheel_joints[1] is \"rear_rigth\", it must be a joint of \
         the URDF that turns: rear_right, rear_left, arm, steer_left, steer_right, front_left, \
         front_right"
    );
    assert!(scene.robot("bot").is_none());
}
