//! Robots that don't fit their description.

use super::*;

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
