//! Every way in which a layout can be wrong, with the text that its author reads.

use std::path::PathBuf;

use super::*;
use crate::drive::wheels::WheelFields;
use crate::world::Footprint;
use crate::yaml::YamlError;

mod onboard;
mod wheels;

const BOT: &str = r#"<robot name="bot">
  <link name="base_link"/>
  <link name="eye"/>
  <joint name="eye_joint" type="fixed"><parent link="base_link"/><child link="eye"/></joint>
</robot>"#;

/// A folder of its own with a description in it, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder =
            std::env::temp_dir().join(format!("tatami-layout-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("bot.urdf"), BOT).unwrap();
        Self(folder)
    }

    fn layout(&self) -> PathBuf {
        self.0.join("room.yaml")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn checkout() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn reader() -> LayoutReader {
    LayoutReader::new(Packages::of_sources(&[checkout()]))
}

fn parse(text: &str) -> Layout {
    match reader().parse(text, Path::new("room.yaml")) {
        Ok(layout) => layout,
        Err(error) => panic!("{error}"),
    }
}

#[track_caller]
fn assert_refused(text: &str, expected: &str) {
    let found = match reader().parse(text, Path::new("room.yaml")) {
        Ok(layout) => format!("accepted: {layout:?}"),
        Err(error) => error.to_string(),
    };
    assert_eq!(found, expected, "\nfor:\n{text}");
}

/// The error of a robot with these lines, which starts in line 2 of a layout beside `bot.urdf`.
#[track_caller]
fn assert_robot_refused(name: &str, lines: &str, expected: &str) {
    let folder = Folder::new(name);
    let text = format!("robots:\n  - name: bot\n    urdf: bot.urdf\n{lines}");
    let found = match reader().parse(&text, &folder.layout()) {
        Ok(layout) => format!("accepted: {layout:?}"),
        Err(error) => error.to_string(),
    };
    let start = format!("{}/", folder.0.display());
    assert_eq!(found.replace(&start, ""), expected, "\nfor:\n{text}");
}

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
            "--set k.1.x=left: robots[0].x is \"left\", it must be a number of metres from -1e6 to 1e6",
        ),
    ] {
        let found =
            set(argument).map_or_else(|error| error.to_string(), |layout| format!("{layout:?}"));
        assert_eq!(found, expected);
    }
}

#[test]
fn unknown_keys_are_refused_with_a_suggestion() {
    assert_refused(
        "boxes:\n  - {name: a, size_x: 1, size_y: 1, z_mex: 1}\n",
        "room.yaml:2:37: unknown key \"z_mex\" in boxes[0]; did you mean \"z_max\"?",
    );
    assert_refused(
        "robts: []\n",
        "room.yaml:1:1: unknown key \"robts\" in the layout; did you mean \"robots\"?",
    );
    assert_refused(
        "floors:\n  - name: ground\n    elevation: 1\n",
        "room.yaml:3:5: unknown key \"elevation\" in floors[0]; known are: name, z",
    );
    assert_refused(
        "robots:\n  - name: k\n    model: kachaka\n    sensors:\n      - {name: l, type: imu, lidr: x}\n",
        "room.yaml:5:30: unknown key \"lidr\" in robots[0].sensors[0]; \
         known are: name, type, topic, frame, sensor, rate, fan",
    );
}

#[test]
fn names_that_the_server_refuses_are_refused_before() {
    let long = "n".repeat(256);
    for (text, shown) in [
        ("\"a\\x07b\"", "\"a\\u{7}b\""),
        ("\"\"", "\"\""),
        ("\"a\\tb\"", "\"a\\tb\""),
    ] {
        assert_refused(
            &format!("floors:\n  - {{name: {text}, z: 0}}\n"),
            &format!(
                "room.yaml:2:12: floors[0].name is {shown}, \
                 it must be a unique name of 1 to 255 bytes without control characters"
            ),
        );
    }
    let error = Layout::parse(
        &format!("floors:\n  - {{name: {long}, z: 0}}\n"),
        Path::new("room.yaml"),
    );
    assert!(error.unwrap_err().to_string().contains("1 to 255 bytes"));
}

#[test]
fn a_robot_that_the_server_could_not_make_is_refused_before() {
    let kachaka = |rest: &str| format!("robots:\n  - name: k\n    model: kachaka\n{rest}");
    for (rest, expected) in [
        (
            "    sensors: [{name: s, type: laserscan, sensor: imu}]\n",
            "sensors[0] 's': the URDF's sensor 'imu' is an imu, a laserscan needs a lidar",
        ),
        (
            "    sensors: [{name: s, type: laserscan}]\n",
            "sensors[0] 's': a laserscan takes its beams either from a sensor of the URDF or from one fan, neither is given",
        ),
        (
            "    sensors: [{name: s, type: imu}, {name: s, type: imu}]\n",
            "s",
        ),
    ] {
        let found = reader().parse(&kachaka(rest), Path::new("room.yaml"));
        let error = found.unwrap_err().to_string();
        assert!(error.starts_with("room.yaml:"), "{error}");
        assert!(error.contains(expected), "{error}");
    }
    assert_refused(
        &kachaka("    base_frame: docking_link\n"),
        "room.yaml:4:17: robots[0].base_frame is \"docking_link\", \
         it must be the root \"base_footprint\" or a link that is fixed to it",
    );
}

#[test]
fn a_file_holds_one_document_and_each_key_once() {
    assert_refused(
        "boxes: []\n---\nboxes: []\n",
        "room.yaml:3:1: a file holds one YAML document, there must be no second one behind ---",
    );
    let twice = Layout::parse("boxes: []\nboxes: []\n", Path::new("room.yaml"));
    let error = twice.unwrap_err().to_string();
    assert!(error.ends_with("duplicate mapping key: boxes"), "{error}");
}

#[test]
fn missing_keys_are_named() {
    assert_refused(
        "boxes:\n  - name: a\n    size_x: 1\n    z_max: 1\n",
        "room.yaml:2:5: boxes[0] has no \"size_y\", it needs a length in m",
    );
    assert_refused(
        "outlines:\n  - {z_max: 1}\n",
        "room.yaml:2:5: outlines[0] has no \"name\", it needs a unique name",
    );
    assert_refused(
        "robots:\n  - {name: bot, radius: 0.2}\n",
        "room.yaml:2:5: robots[0] has no \"urdf\", it needs the path of a URDF file, or a model that has one",
    );
    assert_robot_refused(
        "no-body",
        "    x: 1\n",
        "room.yaml:2:5: robots[0] has no \"radius\", it needs a radius in m, \
         or a footprint, a list of points [x, y] in m",
    );
}

#[test]
fn wrong_types_are_refused() {
    assert_refused(
        "- a\n- b\n",
        "room.yaml:1:1: the layout is a list, it must be a mapping with the keys floors, outlines, boxes, robots, locations, default_location",
    );
    assert_refused(
        "boxes: {name: a}\n",
        "room.yaml:1:8: boxes is a mapping, it must be a list",
    );
    assert_refused(
        "boxes: [12]\n",
        "room.yaml:1:9: boxes[0] is 12, it must be a mapping with the keys \
         name, size_x, size_y, x, y, yaw, z_min, z_max",
    );
    assert_refused(
        "boxes:\n  - {name: a, size_x: wide, size_y: 1, z_max: 1}\n",
        "room.yaml:2:23: boxes[0].size_x is \"wide\", it must be a length above 0 m, at most 1e6 m",
    );
    assert_refused(
        "floors:\n  - {name: 12, z: 0}\n",
        "room.yaml:2:12: floors[0].name is 12, it must be text: put it in quotes, \"12\"",
    );
    assert_refused(
        "floors:\n  - {name: , z: 0}\n",
        "room.yaml:2:10: floors[0].name is empty, it must be text",
    );
    assert_robot_refused(
        "flag",
        "    radius: 0.2\n    reliable: 1\n",
        "room.yaml:5:15: robots[0].reliable is 1, it must be true or false",
    );
    assert_robot_refused(
        "gain",
        "    radius: 0.2\n    drive: {gain: [1, 1]}\n",
        "room.yaml:5:19: robots[0].drive.gain is a list of 2, it must be 3 numbers, for linear, lateral and angular",
    );
    assert_robot_refused(
        "beams",
        "    radius: 0.2\n    sensors:\n      - {name: s, type: laserscan, fan: [{angle_min: 0, angle_increment: 0.1, beams: 1.5}]}\n",
        "room.yaml:6:86: robots[0].sensors[0].fan[0].beams is 1.5, it must be a whole number from 1 to 4294967295",
    );
}

#[test]
fn numbers_that_make_no_sense_are_refused() {
    for (value, shown) in [
        (".nan", "NaN"),
        (".inf", "inf"),
        ("-.inf", "-inf"),
        ("1e7", "10000000.0"),
        ("1e999", "inf"),
    ] {
        assert_refused(
            &format!("floors:\n  - {{name: ground, z: {value}}}\n"),
            &format!(
                "room.yaml:2:23: floors[0].z is {shown}, it must be a number of metres from -1e6 to 1e6"
            ),
        );
    }
    assert_refused(
        "boxes:\n  - {name: a, size_x: 0, size_y: 1, z_max: 1}\n",
        "room.yaml:2:23: boxes[0].size_x is 0, it must be a length above 0 m, at most 1e6 m",
    );
    assert_refused(
        "boxes:\n  - {name: a, size_x: 1, size_y: 1, z_min: 1, z_max: 1.0}\n",
        "room.yaml:2:54: boxes[0].z_max is 1.0, it must be a height above z_min, which is 1 m",
    );
    assert_refused(
        "outlines:\n  - {name: a, points: [[0, 0], [1, .nan], [1, 1]], z_max: 1}\n",
        "room.yaml:2:32: outlines[0].points[1] is [1.0, NaN], it must be a point [x, y], each from -1e6 to 1e6 m",
    );
    assert_refused(
        "outlines:\n  - {name: a, points: [[0, 0], [1, 1], [2, 2]], z_max: 1}\n",
        "room.yaml:2:23: outlines[0].points is a list, it must be \
         a list of at least 3 points [x, y] in m that are not on one line",
    );
    assert_robot_refused(
        "radius",
        "    radius: -1\n",
        "room.yaml:4:13: robots[0].radius is -1, it must be a radius above 0 m, at most 100 m",
    );
    assert_robot_refused(
        "arrow",
        "    footprint: [[0, 0], [2, 1], [0, 2], [1, 1]]\n",
        "room.yaml:4:16: robots[0].footprint is no body, it must be a convex polygon \
         (footprint is not a convex polygon with an area: list its corners in order)",
    );
    assert_robot_refused(
        "both",
        "    radius: 1\n    footprint: []\n",
        "room.yaml:5:16: robots[0].footprint is given beside radius, \
         it must be left out, or radius: a body is a disc or a polygon",
    );
    assert_robot_refused(
        "low",
        "    radius: 1\n    drive:\n      linear: {low: 0.1, high: 1}\n",
        "room.yaml:6:21: robots[0].drive.linear.low is 0.1, it must be -1000 to 0",
    );
    assert_robot_refused(
        "lag",
        "    radius: 1\n    drive: {lag: [0, 0, -1]}\n",
        "room.yaml:5:25: robots[0].drive.lag[2] is -1, it must be finite and 0 or more",
    );
    assert_robot_refused(
        "timeout",
        "    radius: 1\n    drive: {timeout: .nan}\n",
        "room.yaml:5:22: robots[0].drive.timeout is NaN, it must be finite and 0 or more (0 = never)",
    );
}

#[test]
fn names_are_unique_across_kinds() {
    assert_refused(
        "floors:\n  - {name: a, z: 0}\nboxes:\n  - {name: a, size_x: 1, size_y: 1, z_max: 1}\n",
        "room.yaml:4:12: boxes[0].name is \"a\", which is already the name of floors[0] (room.yaml:2:12)",
    );
    assert_robot_refused(
        "sensors",
        "    radius: 1\n    sensors:\n      - {name: s, type: imu}\n      - {name: s, type: contact}\n",
        "room.yaml:7:16: robots[0].sensors[1].name is \"s\", \
         which is already the name of robots[0].sensors[0] (room.yaml:6:16)",
    );
    assert_refused(
        "floors:\n  - {name: \"\", z: 0}\n",
        "room.yaml:2:12: floors[0].name is \"\", it must be a unique name of 1 to 255 bytes without control characters",
    );
}

#[test]
fn sensors_are_compared_with_the_description() {
    assert_robot_refused(
        "type",
        "    radius: 1\n    sensors: [{name: s, type: lasrscan}]\n",
        "room.yaml:5:31: robots[0].sensors[0].type is \"lasrscan\", \
         it must be a type of sensor; did you mean \"laserscan\"?",
    );
    assert_robot_refused(
        "frame",
        "    radius: 1\n    sensors: [{name: s, type: imu, frame: eve}]\n",
        "room.yaml:5:43: robots[0].sensors[0].frame is \"eve\", it must be a link of the description",
    );
    assert_robot_refused(
        "fans",
        "    radius: 1\n    sensors:\n      - {name: s, type: laserscan, fan: [{angle_min: 0, angle_increment: 0.1, beams: 1, range_max: 1}, {}]}\n",
        "room.yaml:6:104: robots[0].sensors[0].fan[1] is a mapping, it must be left out: a sensor has at most one fan",
    );
    let missing = "robots:\n  - name: k\n    model: kachaka\n    sensors: [{name: s, type: imu, sensor: gyro}]\n";
    let error = reader()
        .parse(missing, Path::new("room.yaml"))
        .unwrap_err()
        .to_string();
    let start = "room.yaml:4:44: robots[0].sensors[0].sensor is \"gyro\", it must be a sensor of the description (";
    assert!(error.starts_with(start), "{error}");
}

#[test]
fn files_that_a_layout_names_are_looked_for() {
    assert_refused(
        "robots:\n  - {name: bot, urdf: nowhere/bot.urdf, radius: 0.2}\n",
        "room.yaml:2:23: robots[0].urdf is \"nowhere/bot.urdf\": nowhere/bot.urdf: No such file or directory (os error 2)",
    );
    assert_refused(
        "robots:\n  - {name: bot, urdf: package://tatami/urdf/bot.urdf, radius: 0.2}\n",
        &format!(
            "room.yaml:2:23: robots[0].urdf is \"package://tatami/urdf/bot.urdf\": there is no urdf/bot.urdf in {}",
            checkout().display()
        ),
    );
    assert_refused(
        "robots:\n  - {name: bot, urdf: package://tatami, radius: 0.2}\n",
        "room.yaml:2:23: robots[0].urdf is \"package://tatami\": \
         a package path looks like package://tatami/urdf/kachaka.urdf",
    );
    assert_refused(
        "robots:\n  - name: k\n    model: kachak\n",
        "room.yaml:3:12: robots[0].model is \"kachak\", it must be a model; did you mean \"kachaka\"?",
    );
    let nowhere = LayoutReader::new(Packages::default());
    let error = nowhere.parse(
        "robots: [{name: k, model: kachaka}]",
        Path::new("room.yaml"),
    );
    assert_eq!(
        error.unwrap_err().to_string(),
        "room.yaml:1:27: robots[0].model is \"kachaka\": there is no package tatami \
         in AMENT_PREFIX_PATH or in the folders above this program or file"
    );
}

#[test]
fn a_description_that_is_none_is_refused() {
    let folder = Folder::new("description");
    std::fs::write(folder.0.join("bad.urdf"), "<robot name=\"bot\"><link").unwrap();
    let text = "robots: [{name: bot, urdf: bad.urdf, radius: 0.2}]";
    let error = reader()
        .parse(text, &folder.layout())
        .unwrap_err()
        .to_string();
    let start = format!(
        "{}:1:28: robots[0].urdf is \"bad.urdf\": ",
        folder.layout().display()
    );
    assert!(error.starts_with(&start), "{error}");
}

#[test]
fn errors_in_a_model_name_the_model_file() {
    let folder = Folder::new("model");
    let manifest = "<package format=\"3\"><name>tatami</name></package>";
    std::fs::write(folder.0.join("package.xml"), manifest).unwrap();
    std::fs::create_dir(folder.0.join("config")).unwrap();
    let model = folder.0.join("config/kachaka.yaml");
    let reader = LayoutReader::new(Packages::of_sources(&[&folder.0]));
    for (text, expected) in [
        (
            "radius: 0.2\nheigth: 1\n",
            ":2:1: unknown key \"heigth\" in model kachaka; did you mean \"height\"?",
        ),
        (
            "urdf: ../bot.urdf\nradius: 0\n",
            ":2:9: robots[0].radius is 0, it must be a radius above 0 m, at most 100 m",
        ),
    ] {
        std::fs::write(&model, text).unwrap();
        let error = reader.parse("robots: [{name: k, model: kachaka}]", &folder.layout());
        assert_eq!(
            error.unwrap_err().to_string(),
            format!("{}{expected}", model.display())
        );
    }
}

#[test]
fn files_that_hold_no_layout_are_refused() {
    let folder = Folder::new("files");
    let path = folder.layout();
    let shown = path.display();
    let load = || reader().load(&path).unwrap_err().to_string();
    assert_eq!(
        load(),
        format!("{shown}: No such file or directory (os error 2)")
    );
    std::fs::write(&path, "").unwrap();
    let empty = format!(
        "{shown}: the file is empty, a layout has at least one of: floors, outlines, boxes, robots, locations, default_location"
    );
    assert_eq!(load(), empty);
    std::fs::write(&path, "# only a comment\n").unwrap();
    assert_eq!(load(), empty);
    std::fs::write(&path, [0xff, 0xfe, 0x00]).unwrap();
    assert_eq!(
        load(),
        format!("{shown}: stream did not contain valid UTF-8")
    );
    let error = reader().load(&folder.0).unwrap_err().to_string();
    assert_eq!(
        error,
        format!("{}: it is not a regular file", folder.0.display())
    );
}

#[test]
fn broken_yaml_is_refused_with_its_place() {
    assert_refused(
        "boxes:\n  - {name: a\nfloors: []\n",
        "room.yaml:2:5: unclosed bracket '{'",
    );
    let places = [
        ("boxes: []\nfloors: []\nboxes: []\n", "room.yaml:3:1: "),
        ("boxes: *nothing\n", "room.yaml:1:8: "),
        ("boxes: []\n---\nboxes: []\n", "room.yaml:3:1: "),
        ("boxes: [\tx: ]: y\n", "room.yaml:1:"),
    ];
    for (text, start) in places {
        let error = reader()
            .parse(text, Path::new("room.yaml"))
            .unwrap_err()
            .to_string();
        assert!(error.starts_with(start), "{error}");
        assert!(
            !error.contains(" at line "),
            "the place stands there twice: {error}"
        );
    }
}

#[test]
fn a_yaml_bomb_is_refused_at_once() {
    let mut text = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for level in 1..12 {
        let below = format!("*a{}, ", level - 1).repeat(10);
        text.push_str(&format!("a{level}: &a{level} [{below}]\n"));
    }
    let error = reader().parse(&text, Path::new("room.yaml")).unwrap_err();
    assert!(
        matches!(error, LayoutError::Yaml(YamlError::Syntax { .. })),
        "{error}"
    );
    let deep = "[".repeat(100_000);
    let error = reader().parse(&deep, Path::new("room.yaml")).unwrap_err();
    assert!(
        matches!(error, LayoutError::Yaml(YamlError::Syntax { .. })),
        "{error}"
    );
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
