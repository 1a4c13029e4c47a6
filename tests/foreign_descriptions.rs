//! Robot descriptions as other people ship them, accepted as they are.
//!
//! The files are not part of this repository: they are looked for where
//! `TATAMI_FOREIGN_URDFS` says, else in `../shared/data`. Without them these tests say so
//! and pass; the same features are tested with texts of our own next to the parser.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]
#![expect(
    clippy::approx_constant,
    reason = "angles as a description writes them"
)]

use std::collections::BTreeMap;
use std::path::PathBuf;

use tatami::description::{RobotDescription, SensorKind};

fn read(file: &str) -> Option<String> {
    let folder = std::env::var_os("TATAMI_FOREIGN_URDFS").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/data"),
        PathBuf::from,
    );
    let path = folder.join(file);
    if !path.exists() {
        eprintln!("skipped: there is no {}", path.display());
        return None;
    }
    Some(std::fs::read_to_string(path).expect("a file that exists can be read"))
}

#[test]
fn the_official_description_is_accepted() {
    let Some(urdf) = read("kachaka_official.urdf") else {
        return;
    };
    let (robot, remarks) = RobotDescription::parse(&urdf).unwrap();
    assert_eq!(remarks, Vec::<String>::new());
    assert_eq!(robot.root(), "base_footprint");
    assert!(
        (robot.total_mass() - 10.6).abs() < 1e-12,
        "{}",
        robot.total_mass()
    );
    let movable: Vec<&str> = robot.movable_joints().map(|j| j.name.as_str()).collect();
    assert_eq!(
        movable,
        [
            "base_r_drive_wheel_joint",
            "base_l_drive_wheel_joint",
            "docking_joint"
        ]
    );
    let laser = robot.frame_in("base_footprint", "laser_frame").unwrap();
    assert_eq!(laser.translation.vector.as_slice(), [0.156, 0.0, 0.1049]);
    assert!(robot.sensors().is_empty(), "{:?}", robot.sensors());
}

#[test]
fn the_description_with_gazebo_blocks_is_accepted() {
    let Some(urdf) = read("kachaka_dev_kit.urdf") else {
        return;
    };
    let (robot, remarks) = RobotDescription::parse(&urdf).unwrap();
    assert_eq!(robot.root(), "base_link");
    // Two <surface>, two plugins, <gravity>, and for each of two casters one
    // <preserveFixedJoint> and four tags of friction.
    assert_eq!(remarks.len(), 2 + 2 + 1 + 2 * 5, "{remarks:#?}");
    let plugins = remarks.iter().filter(|r| r.contains("plugin of another"));
    assert_eq!(plugins.count(), 2, "{remarks:#?}");
    let kinds: Vec<(&str, &SensorKind)> = (robot.sensors().iter())
        .map(|s| (s.name.as_str(), &s.kind))
        .collect();
    assert_eq!(
        kinds,
        [
            ("lasor_sensor", &SensorKind::Lidar),
            ("front_rgb_camera_sensor", &SensorKind::Camera),
            ("back_rgb_camera_sensor", &SensorKind::Camera),
            ("tof_sensor", &SensorKind::Depth),
            ("imu_sensor", &SensorKind::Imu),
        ]
    );
    let lidar = robot.sensor("lasor_sensor").unwrap();
    assert_eq!(lidar.frame.as_deref(), Some("laser_frame"));
    assert_eq!(lidar.link, "laser_frame");
    assert_eq!(lidar.update_rate, 10.0);
    let block = lidar.lidar.unwrap();
    let beams = block.spec().unwrap().beams;
    assert_eq!((beams.beams, beams.min), (400, -3.66519));
    let increment = beams.increment;
    assert!(
        (increment - (0.523599 + 3.66519) / 399.0).abs() < 1e-15,
        "{increment}"
    );
    assert!((beams.angle(399) - 0.523599).abs() < 1e-12, "{beams:?}");
    assert_eq!((block.range.min, block.range.max), (0.1, 10.0));
    assert_eq!(block.noise.stddev, 0.03);
    let tof = robot.sensor("tof_sensor").unwrap();
    assert_eq!(tof.frame.as_deref(), Some("tof_optical_link"));
    let camera = tof.camera.unwrap();
    assert_eq!((camera.width, camera.height), (160, 120));
    assert_eq!((camera.clip_near, camera.clip_far), (0.01, 5.0));
    assert_eq!(camera.horizontal_fov, 1.047);
}

#[test]
fn links_and_joints_are_those_that_urdf_rs_reads() {
    for file in ["kachaka_official.urdf", "kachaka_dev_kit.urdf"] {
        let Some(urdf) = read(file) else {
            return;
        };
        let (ours, _) = RobotDescription::parse(&urdf).unwrap();
        let theirs = urdf_rs::read_from_string(&urdf).unwrap();
        assert_eq!(ours.name(), theirs.name);
        let links: Vec<(&str, f64)> = (ours.links().iter())
            .map(|l| (l.name.as_str(), l.mass))
            .collect();
        let expected: Vec<(&str, f64)> = (theirs.links.iter())
            .map(|l| (l.name.as_str(), l.inertial.mass.value))
            .collect();
        assert_eq!(links, expected, "{file}");
        let by_name: BTreeMap<&str, &urdf_rs::Joint> =
            theirs.joints.iter().map(|j| (j.name.as_str(), j)).collect();
        assert_eq!(ours.joints().len(), by_name.len(), "{file}");
        for joint in ours.joints() {
            let other = by_name[joint.name.as_str()];
            assert_eq!(joint.parent, other.parent.link, "{}", joint.name);
            assert_eq!(joint.child, other.child.link, "{}", joint.name);
            let kind = format!("{:?}", joint.kind);
            assert_eq!(kind, format!("{:?}", other.joint_type), "{}", joint.name);
            let xyz = joint.origin.translation.vector;
            assert_eq!(
                xyz.as_slice(),
                other.origin.xyz.as_slice(),
                "{}",
                joint.name
            );
            let rpy = other.origin.rpy;
            let turn = nalgebra::UnitQuaternion::from_euler_angles(rpy[0], rpy[1], rpy[2]);
            let apart = joint.origin.rotation.angle_to(&turn);
            assert!(apart < 1e-7, "{}: {apart} rad apart", joint.name);
        }
    }
}
