//! Keys, values and names that are refused.

use super::*;

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
        "room.yaml:1:1: the layout is a list, it must be a mapping with the keys floors, outlines, boxes, doors, drops, elevators, chargers, shelves, people, robots, locations, default_location, seed, clearance",
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
