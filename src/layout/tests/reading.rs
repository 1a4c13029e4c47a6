//! What a layout that is right is read as.

use super::*;
use crate::drive::wheels::WheelFields;
use crate::world::Footprint;

#[test]
fn everything_is_read_in_the_order_of_the_file() {
    let layout = parse(
        "floors:
  - {name: ground, z: 0}
  - {name: upper, z: 3.0}
outlines:
  - name: room
    points: [[0, 0], [5, 0], [5, 4]]
    z_max: 2.4
boxes:
  - {name: b, size_x: 1, size_y: 0.5, x: 2, y: -1, yaw: 0.5, z_min: 0.1, z_max: 0.2}
  - {name: a, size_x: 1, size_y: 0.5, z_max: 0.2}
",
    );
    let names: Vec<&str> = layout.boxes.iter().map(|item| item.name.as_str()).collect();
    assert_eq!(names, ["b", "a"]);
    assert_eq!(layout.floors[1].z, 3.0);
    let outline = &layout.outlines[0];
    assert_eq!(outline.points, [[0.0, 0.0], [5.0, 0.0], [5.0, 4.0]]);
    assert_eq!((outline.z_min, outline.z_max), (0.0, 2.4));
    let item = &layout.boxes[0];
    assert_eq!(item.size, [1.0, 0.5]);
    assert_eq!((item.pose.x, item.pose.y, item.pose.yaw), (2.0, -1.0, 0.5));
    assert_eq!((item.z_min, item.z_max), (0.1, 0.2));
}

#[test]
fn what_a_robot_leaves_out_has_the_default_of_the_message() {
    let folder = Folder::new("defaults");
    let text = "robots: [{name: bot, urdf: bot.urdf, radius: 0.2}]";
    let layout = reader().parse(text, &folder.layout()).unwrap();
    let robot = &layout.robots[0];
    assert_eq!(robot.urdf, BOT);
    assert_eq!(robot.footprint, Footprint::Disc(0.2));
    assert_eq!(
        (robot.odom_frame.as_str(), robot.base_frame.as_str()),
        ("odom", "base_link")
    );
    assert_eq!(robot.drive, crate::drive::DriveModel::default());
    assert!(robot.reliable);
    assert!(!robot.stamped && !robot.publish_description);
    assert_eq!(robot.sensors, []);
    assert_eq!(
        (robot.onboard.as_str(), robot.onboard_config.as_str()),
        ("", "")
    );
}

#[test]
fn a_robot_is_read_whole() {
    let folder = Folder::new("whole");
    let text = "robots:
  - name: bot
    urdf: bot.urdf
    robot_namespace: /b
    frame_prefix: b/
    world_frame: world
    tf_topic: /b/tf
    x: 1
    yaw: 0.5
    floor: upper
    footprint: [[0.1, 0.1], [0.1, -0.1], [-0.1, -0.1]]
    z_min: 0.05
    height: 0.3
    stamped: true
    reliable: false
    drive:
      linear: {low: -0.5, high: 1.0, accel: 2.0, decel: 4}
      gain: [1.1, 1.0, 0.9]
      timeout: 0.5
    sensors:
      - {name: scan, type: laserscan, topic: scan, frame: eye, rate: 5,
         fan: [{angle_min: -1, angle_increment: 0.01, beams: 200, range_max: 8}]}
";
    let layout = reader().parse(text, &folder.layout()).unwrap();
    let robot = &layout.robots[0];
    assert_eq!(robot.robot_namespace, "/b");
    assert_eq!(
        (robot.pose.x, robot.pose.y, robot.pose.yaw),
        (1.0, 0.0, 0.5)
    );
    let Footprint::Polygon(points) = &robot.footprint else {
        panic!("{:?}", robot.footprint);
    };
    assert_eq!(points.len(), 3);
    assert_eq!(robot.drive.linear.decel, 4.0);
    assert_eq!(robot.drive.gain, [1.1, 1.0, 0.9]);
    assert_eq!(robot.drive.angular.high, 0.0);
    let sensor = &robot.sensors[0];
    assert_eq!(
        (sensor.kind.as_str(), sensor.frame.as_str()),
        ("laserscan", "eye")
    );
    let fan = sensor.fan.unwrap();
    assert_eq!((fan.beams, fan.range_min, fan.range_max), (200, 0.0, 8.0));
    assert!(robot.stamped && !robot.reliable);
}

#[test]
fn a_model_gives_what_the_layout_does_not() {
    let layout = parse(
        "robots:
  - name: k1
    model: kachaka
    x: 1.5
    drive: {linear: {high: 0.2}}
  - {name: k2, model: kachaka, radius: 0.3}
",
    );
    let [first, second] = layout.robots.as_slice() else {
        panic!("{:?}", layout.robots);
    };
    assert!(first.urdf.contains("laser_frame"));
    assert_eq!(first.base_frame, "base_footprint");
    assert_eq!(first.pose.x, 1.5);
    let linear = first.drive.linear;
    assert_eq!((linear.low, linear.high, linear.accel), (-0.8, 0.2, 2.0));
    assert_eq!((first.drive.angular.high, first.drive.timeout), (1.57, 0.0));
    let wheels = WheelFields::from(&first.drive.wheels);
    let joints = ["base_l_drive_wheel_joint", "base_r_drive_wheel_joint"];
    assert_eq!(wheels.wheel_joints, joints);
    assert_eq!((wheels.wheel_radius[0], wheels.wheel_base), (0.045, 0.2));
    assert_eq!(
        wheels.max_wheel_speed, 0.0,
        "0.8 m/s are 17.8 rad/s, beyond the description's 10"
    );
    assert_eq!(first.height, 0.113);
    let topics: Vec<&str> = first.sensors.iter().map(|s| s.topic.as_str()).collect();
    assert_eq!(topics, ["lidar/scan", "imu/imu"]);
    assert_eq!(second.footprint, Footprint::Disc(0.3));
}

#[test]
fn the_default_room_holds_a_kachaka_with_free_space_ahead() {
    let path = checkout().join("config/layouts/default_room.yaml");
    let layout = reader().load(&path).unwrap();
    let room = &layout.outlines[0];
    let span = |axis: usize| {
        let values = room.points.iter().map(|point| point[axis]);
        values.clone().fold(f64::MIN, f64::max) - values.fold(f64::MAX, f64::min)
    };
    assert_eq!((span(0), span(1), room.z_max), (5.0, 4.0, 2.4));
    let robot = &layout.robots[0];
    assert_eq!(
        (robot.name.as_str(), robot.pose.x, robot.pose.y),
        ("kachaka", 0.0, 0.0)
    );
    // The lane that the body sweeps on its way to x = 2, with 10 cm to either side.
    for item in layout.boxes.iter().filter(|item| item.z_min < robot.height) {
        let reach = 0.5 * libm::hypot(item.size[0], item.size[1]);
        let beside = (item.pose.y).abs() - reach > 0.22 || item.pose.x + reach < -0.25;
        assert!(beside, "{} stands in the way: {item:?}", item.name);
    }
}

#[test]
fn a_prefix_tells_copies_apart() {
    let folder = Folder::new("prefix");
    let text = "floors: [{name: ground, z: 0}]
boxes: [{name: b, size_x: 1, size_y: 1, z_max: 1}]
robots:
  - {name: one, urdf: bot.urdf, radius: 0.2, floor: ground, frame_prefix: one/}
  - {name: two, urdf: bot.urdf, radius: 0.2, robot_namespace: /deep/two}
";
    let layout = reader().parse(text, &folder.layout()).unwrap();
    assert_eq!(layout.clone().with_prefix(""), layout);
    let layout = layout.with_prefix("env0/");
    assert_eq!(layout.floors[0].name, "env0/ground");
    assert_eq!(layout.boxes[0].name, "env0/b");
    let [one, two] = layout.robots.as_slice() else {
        panic!("{:?}", layout.robots);
    };
    assert_eq!(
        (one.name.as_str(), one.floor.as_str()),
        ("env0/one", "env0/ground")
    );
    assert_eq!(
        (one.robot_namespace.as_str(), one.frame_prefix.as_str()),
        ("", "env0/one/")
    );
    assert_eq!(
        (two.robot_namespace.as_str(), two.frame_prefix.as_str()),
        ("/env0/deep/two", "env0/")
    );
    assert_eq!(two.floor, "");
}

#[test]
fn values_can_be_set_from_outside() {
    let text = "robots:\n  - {name: k.1, model: kachaka}\n";
    let set = |argument: &str| reader().set(argument).parse(text, Path::new("room.yaml"));
    let layout = reader()
        .set("k.1.x=1.5")
        .set("k.1.drive.angular.high=0.5")
        .set("k.1.frame_prefix=")
        .set("k.1.robot_namespace=/k")
        .parse(text, Path::new("room.yaml"))
        .unwrap();
    let robot = &layout.robots[0];
    assert_eq!(robot.pose.x, 1.5);
    assert_eq!(
        (robot.drive.angular.low, robot.drive.angular.high),
        (-1.57, 0.5)
    );
    assert_eq!(
        (robot.frame_prefix.as_str(), robot.robot_namespace.as_str()),
        ("", "/k")
    );
    for (argument, expected) in [
        ("k.1.x", "--set k.1.x: it must look like robot.key=value"),
        (
            "k.2.x=1",
            "--set k.2.x=1: it must start with the name of a robot and a dot; robots are: k.1",
        ),
        (
            "k.1.yav=1",
            "--set k.1.yav=1: unknown key \"yav\" in robots[0]; did you mean \"yaw\"?",
        ),
        (
            "k.1.x=left",
            "--set k.1.x=left: robots[0].x is \"left\", it must be a number of metres from -1e6 to 1e6, \
             or a range [low, high] of them",
        ),
    ] {
        let found =
            set(argument).map_or_else(|error| error.to_string(), |layout| format!("{layout:?}"));
        assert_eq!(found, expected);
    }
}

#[test]
fn ten_thousand_boxes_are_within_the_budget() {
    let mut text = String::from("boxes:\n");
    for index in 0..10_000 {
        text.push_str(&format!(
            "  - {{name: b{index}, size_x: 1, size_y: 1, x: {index}, y: 0, z_max: 1}}\n"
        ));
    }
    assert_eq!(parse(&text).boxes.len(), 10_000);
}
