//! Robots in a scene: driving, odometry, sensors on shared blocks, and what is refused.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod common;

use common::{assert_near, block, on_block, robot, room, scene};
use tatami::robot::{BeamFan, RobotSpec, Sample, Selection, SensorSpec};
use tatami::scene::Scene;
use tatami::sensors::LaserSample;
use tatami::world::{Pose2, Twist2};

fn run(scene: &mut Scene, steps: usize) {
    for _ in 0..steps {
        scene.step();
    }
}

fn laser(scene: &Scene, robot: &str, which: Selection) -> Option<LaserSample> {
    let samples = scene.sample(robot, which);
    samples.into_iter().find_map(|(_, sample)| match sample {
        Sample::Laser(laser) => Some(laser),
        _ => None,
    })
}

#[test]
fn wheel_odometry_is_the_truth_along_a_square() {
    let mut scene = scene(0.01, 0);
    scene
        .spawn_robot(robot("bot", Pose2::new(3.0, -2.0, 0.7)))
        .unwrap();
    for _ in 0..4 {
        scene.command("bot", Twist2::new(0.5, 0.0, 0.0)).unwrap();
        run(&mut scene, 200);
        let quarter = std::f64::consts::FRAC_PI_2 / 0.5;
        scene.command("bot", Twist2::new(0.0, 0.0, 0.5)).unwrap();
        run(&mut scene, (quarter / 0.01).round() as usize);
    }
    let truth = scene.state("bot").unwrap().pose;
    let odometry = scene.robot("bot").unwrap().odometry().pose;
    let from_odometry = Pose2::new(3.0, -2.0, 0.7).compose(&odometry);
    assert_near(from_odometry.x, truth.x, 1e-9);
    assert_near(from_odometry.y, truth.y, 1e-9);
    assert_near(odometry.x, 0.0, 0.03);
}

#[test]
fn odometry_goes_on_over_a_teleport_without_a_spike() {
    let mut scene = scene(0.02, 0);
    scene.spawn_robot(robot("bot", Pose2::default())).unwrap();
    scene.command("bot", Twist2::new(0.5, 0.0, 0.0)).unwrap();
    run(&mut scene, 100);
    scene
        .set_robot_pose("bot", Pose2::new(50.0, 20.0, 1.0), "")
        .unwrap();
    let odometry = scene.robot("bot").unwrap().odometry();
    assert_near(odometry.pose.x, 1.0, 1e-9);
    assert_eq!(odometry.twist, Twist2::ZERO, "a teleport is to rest");
    run(&mut scene, 1);
    assert_eq!(
        scene.state("bot").unwrap().pose,
        Pose2::new(50.0, 20.0, 1.0)
    );
    assert_eq!(scene.robot("bot").unwrap().odometry().pose, odometry.pose);
}

#[test]
fn a_blocked_robot_counts_no_way() {
    let mut scene = scene(0.02, 0);
    scene
        .spawn_boxes(&[block("wall", 1.0, 0.0, [1.0, 4.0])])
        .unwrap();
    scene.spawn_robot(robot("bot", Pose2::default())).unwrap();
    scene.command("bot", Twist2::new(0.5, 0.0, 0.0)).unwrap();
    run(&mut scene, 500);
    // The wall's face is at 0.5 m, the radius 0.2 m.
    assert_near(scene.state("bot").unwrap().pose.x, 0.3, 2e-3);
    assert_near(scene.robot("bot").unwrap().odometry().pose.x, 0.3, 5e-3);
}

#[test]
fn scan_and_cloud_of_one_block_share_one_cast() {
    let mut scene = scene(0.05, 7);
    scene.add_outlines(&[room(3.0)]).unwrap();
    let mut spec = robot("bot", Pose2::default());
    spec.sensors = vec![
        on_block("scan", "laserscan", "lidar"),
        on_block("cloud", "pointcloud", "lidar"),
    ];
    scene.spawn_robot(spec).unwrap();
    run(&mut scene, 2);
    let samples = scene.sample("bot", Selection::Due);
    let [(0, Sample::Laser(laser)), (1, Sample::PointCloud(cloud))] = samples.as_slice() else {
        panic!("{samples:?}");
    };
    assert_eq!((cloud.width, cloud.height), (8, 3));
    // The middle ring lies in the plane of the scan: the same ranges, noise included.
    for (range, point) in laser.ranges.iter().zip(&cloud.points[8..16]) {
        let [x, y, z] = point.map(f64::from);
        assert_near(x.hypot(y), f64::from(*range), 1e-5);
        assert_near(z, 0.0, 1e-6);
    }
    // Straight ahead is -pi/2 of the turned lidar, 0.1 m before the base: the wall at 3 m
    // is 2.9 m away, with a noise of 0.02 m.
    assert_near(f64::from(laser.ranges[0]), 2.9, 0.1);
    assert!(laser.ranges[0] != 2.9, "noise is on");
}

#[test]
fn sensors_read_on_whole_multiples_of_their_period() {
    let mut scene = scene(1.0 / 30.0, 0);
    let mut spec = robot("bot", Pose2::default());
    spec.sensors = vec![
        on_block("scan", "laserscan", "lidar"),
        SensorSpec {
            rate: 15.0,
            ..on_block("gyro", "imu", "gyro")
        },
        SensorSpec {
            name: "bumper".into(),
            kind: "contact".into(),
            ..SensorSpec::default()
        },
    ];
    scene.spawn_robot(spec).unwrap();
    let mut due: [Vec<u64>; 3] = Default::default();
    for step in 1..=12 {
        scene.step();
        for (sensor, _) in scene.sample("bot", Selection::Due) {
            due[sensor].push(step);
        }
    }
    assert_eq!(due[0], [3, 6, 9, 12]);
    assert_eq!(due[1], [2, 4, 6, 8, 10, 12]);
    assert_eq!(due[2], (1..=12).collect::<Vec<u64>>());
    assert_eq!(scene.sample("bot", Selection::All).len(), 3);
}

#[test]
fn another_robot_or_a_reread_does_not_shift_the_noise() {
    let read = |others: bool| {
        let mut scene = scene(0.1, 42);
        scene.add_outlines(&[room(9.0)]).unwrap();
        let mut spec = robot("bot", Pose2::default());
        spec.sensors = vec![on_block("scan", "laserscan", "lidar")];
        scene.spawn_robot(spec).unwrap();
        if others {
            // To the right, out of sight: the turned lidar sees the half on the left.
            let mut spec = robot("another", Pose2::new(0.0, -3.0, 0.0));
            spec.sensors = vec![on_block("scan", "laserscan", "lidar")];
            scene.spawn_robot(spec).unwrap();
        }
        (0..50)
            .map(|_| {
                scene.step();
                if others {
                    assert_eq!(scene.sample("another", Selection::All).len(), 1);
                    assert_eq!(scene.sample("bot", Selection::All).len(), 1);
                }
                laser(&scene, "bot", Selection::Due).unwrap().ranges
            })
            .collect::<Vec<_>>()
    };
    assert!(
        read(false) == read(true),
        "the readings of one robot depend on another"
    );
}

#[test]
fn a_reset_with_the_seed_of_a_run_repeats_it() {
    let mut scene = scene(0.1, 1);
    scene.add_outlines(&[room(4.0)]).unwrap();
    let mut spec = robot("bot", Pose2::new(0.5, 0.0, 0.0));
    spec.sensors = vec![on_block("scan", "laserscan", "lidar")];
    scene.spawn_robot(spec).unwrap();
    let play = |scene: &mut Scene| {
        scene.command("bot", Twist2::new(0.4, 0.0, 0.3)).unwrap();
        let scans = (0..30).map(|_| {
            scene.step();
            laser(scene, "bot", Selection::Due).unwrap().ranges
        });
        scans.collect::<Vec<_>>()
    };
    let first = play(&mut scene);
    scene.reset(true, Some(7));
    assert_eq!(scene.seed(), 7);
    let state = scene.state("bot").unwrap();
    assert_eq!(state.pose, Pose2::new(0.5, 0.0, 0.0));
    assert_eq!(
        scene.robot("bot").unwrap().odometry().pose,
        Pose2::default()
    );
    assert!(play(&mut scene) != first, "another seed, another noise");
    scene.reset(true, Some(1));
    assert!(play(&mut scene) == first, "the run differs from the first");
    // The state goes back, the clock goes on.
    scene.reset(false, None);
    assert_eq!(scene.step_index(), 30);
    assert_eq!(scene.state("bot").unwrap().pose.x, 0.5);
}

#[test]
fn a_command_ends_after_its_timeout_of_sim_time() {
    let mut scene = scene(0.02, 0);
    let mut spec = robot("bot", Pose2::default());
    spec.drive.timeout = 0.5;
    scene.spawn_robot(spec).unwrap();
    scene.command("bot", Twist2::new(0.2, 0.0, 0.0)).unwrap();
    run(&mut scene, 500);
    assert_near(scene.state("bot").unwrap().pose.x, 0.1, 0.2 * 0.02);
}

#[test]
fn a_spawn_inside_something_is_allowed_and_said() {
    let mut scene = scene(0.02, 0);
    scene
        .spawn_boxes(&[block("wall", 0.6, 0.0, [1.0, 4.0])])
        .unwrap();
    let spawned = scene.spawn_robot(robot("bot", Pose2::default())).unwrap();
    // The face of the wall at 0.1 m, the radius 0.2 m.
    assert_eq!(spawned.message, "spawned inside box 'wall', 0.100 m deep");
    assert!(!spawned.replaced);
    let again = scene
        .spawn_robot(robot("bot", Pose2::new(-3.0, 0.0, 0.0)))
        .unwrap();
    assert_eq!((again.message.as_str(), again.replaced), ("", true));
}

#[test]
fn a_base_frame_must_carry_the_odometry() {
    let urdf = |kind: &str, rpy: &str| {
        format!(
            r#"<robot name="r"><link name="base_footprint"/><link name="base_link"/>
            <joint name="j" type="{kind}"><parent link="base_footprint"/><child link="base_link"/>
            <origin xyz="0 0 0.05" rpy="{rpy}"/></joint></robot>"#
        )
    };
    let spawn = |urdf: String| {
        let spec = RobotSpec {
            urdf,
            ..robot("bot", Pose2::default())
        };
        scene(0.02, 0).spawn_robot(spec)
    };
    let message = spawn(urdf("fixed", "0 0 0")).unwrap().message;
    assert_eq!(
        message,
        "base_frame 'base_link' is fixed to the root 'base_footprint' of the URDF, which is the child of the odometry"
    );
    let error = spawn(urdf("continuous", "0 0 0")).unwrap_err().to_string();
    assert_eq!(
        error,
        "robot 'bot': base_frame 'base_link' is not the root of the URDF and not fixed to it: the root is 'base_footprint'"
    );
    let error = spawn(urdf("fixed", "0.1 0 0")).unwrap_err().to_string();
    assert!(error.contains("leans"), "{error}");
}

#[test]
fn what_a_sensor_lacks_is_named() {
    let fan = BeamFan {
        angle_min: 0.0,
        angle_increment: 0.1,
        beams: 10,
        range_min: 0.0,
        range_max: 5.0,
        noise_stddev: 0.0,
    };
    let plain = |kind: &str| SensorSpec {
        name: "s".into(),
        kind: kind.into(),
        ..SensorSpec::default()
    };
    let cases = [
        (
            plain("sonar"),
            "type is 'sonar', it must be laserscan, pointcloud, imu or contact",
        ),
        (
            plain("laserscan"),
            "a laserscan takes its beams either from a sensor of the URDF or from one fan, neither is given",
        ),
        (
            SensorSpec {
                fan: vec![fan],
                ..on_block("s", "laserscan", "lidar")
            },
            "a laserscan takes its beams either from a sensor of the URDF or from one fan, both are given",
        ),
        (
            SensorSpec {
                fan: vec![fan],
                ..plain("imu")
            },
            "a sensor of type imu has no beams: leave fan empty",
        ),
        (
            on_block("s", "laserscan", "gyro"),
            "the URDF's sensor 'gyro' is an imu, a laserscan needs a lidar",
        ),
        (
            on_block("s", "pointcloud", "eye"),
            "the URDF's sensor 'eye' is a camera, a pointcloud needs a lidar or a depth camera",
        ),
        (
            SensorSpec {
                frame: "tilted".into(),
                ..on_block("s", "laserscan", "lidar")
            },
            "frame 'tilted' is not where the URDF's sensor 'lidar' is: leave frame empty, or name 'laser'",
        ),
        (
            SensorSpec {
                frame: "arm".into(),
                fan: vec![fan],
                ..plain("laserscan")
            },
            "frame 'arm' hangs on the movable joint of the base 'base_link': sensors sit on links fixed to it",
        ),
        (
            SensorSpec {
                rate: -1.0,
                ..on_block("s", "imu", "gyro")
            },
            "rate is -1, it must be 0 (every step) or at least 1e-9 Hz",
        ),
        (
            SensorSpec {
                fan: vec![BeamFan { beams: 0, ..fan }],
                ..plain("laserscan")
            },
            "beams is 0, it must be at least 1",
        ),
    ];
    for (sensor, expected) in cases {
        let mut spec = robot("bot", Pose2::default());
        spec.sensors = vec![sensor];
        let mut scene = scene(0.02, 0);
        let error = scene.spawn_robot(spec).unwrap_err().to_string();
        assert_eq!(error, format!("robot 'bot': sensors[0] 's': {expected}"));
        assert_eq!(scene.robots().count(), 0, "a refused robot is not there");
    }
    let mut spec = robot("bot", Pose2::default());
    spec.sensors = vec![on_block("s", "laserscan", "nope")];
    let error = scene(0.02, 0).spawn_robot(spec).unwrap_err().to_string();
    assert!(
        error.contains("nope") && error.contains("\"lidar\""),
        "{error}"
    );
}

#[test]
fn a_body_is_round_or_has_corners() {
    let mut spec = robot("bot", Pose2::default());
    spec.radius = 0.0;
    let error = scene(0.02, 0).spawn_robot(spec.clone()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "robot 'bot': the body needs either a radius or a footprint, none was given"
    );
    spec.footprint = vec![[-0.2, -0.1], [0.3, -0.1], [0.3, 0.1], [-0.2, 0.1]];
    scene(0.02, 0).spawn_robot(spec.clone()).unwrap();
    spec.radius = 0.3;
    assert!(scene(0.02, 0).spawn_robot(spec).is_err());
}
