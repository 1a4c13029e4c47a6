//! What stands in gazebo's sensor blocks.

#![expect(
    clippy::approx_constant,
    reason = "angles as a description writes them"
)]

use nalgebra::Vector3;

use super::{ROBOT, error_of, parsed, with_sensor};
use crate::description::{DescriptionError, RobotDescription, ScanAxis, SensorKind};
use crate::sensors::{Gaussian, ImuNoise, SensorError};

#[test]
fn a_lidar_block_is_read_with_its_numbers() {
    let robot = parsed(ROBOT);
    let sensor = robot.sensor("scan").unwrap();
    assert_eq!(sensor.kind, SensorKind::Lidar);
    assert_eq!(sensor.topic.as_deref(), Some("scan"));
    assert_eq!(sensor.frame.as_deref(), Some("laser"));
    assert_eq!(sensor.update_rate, 10.0);
    let lidar = sensor.lidar.unwrap();
    assert_eq!(lidar.horizontal.ranges(), 400);
    assert_eq!(lidar.horizontal.min_angle, -3.66519);
    assert_eq!(lidar.horizontal.max_angle, 0.523599);
    assert_eq!(lidar.vertical.ranges(), 1);
    assert_eq!((lidar.range.min, lidar.range.max), (0.1, 10.0));
    assert_eq!((lidar.noise.mean, lidar.noise.stddev), (0.0, 0.03));
}

#[test]
fn what_a_block_leaves_out_takes_the_default_of_sdf() {
    let ray = r#"<sensor name="s" type="ray"><ray>
        <scan><horizontal><max_angle>1</max_angle></horizontal><vertical/></scan>
        <range><max>3</max></range></ray></sensor>"#;
    let robot = parsed(&with_sensor(ray));
    let block = &robot.sensors()[0];
    assert_eq!(block.update_rate, 0.0);
    assert_eq!((&block.topic, &block.frame), (&None, &None));
    let lidar = block.lidar.unwrap();
    assert_eq!(lidar.horizontal.ranges(), 640);
    assert_eq!(lidar.horizontal.min_angle, 0.0);
    assert_eq!(lidar.vertical.ranges(), 1);
    assert_eq!(lidar.range.min, 0.0);
    assert_eq!(lidar.noise, Gaussian::default());

    let camera = r#"<sensor name="s" type="camera"><camera/></sensor>"#;
    let camera = parsed(&with_sensor(camera)).sensors()[0].camera.unwrap();
    assert_eq!((camera.width, camera.height), (320, 240));
    assert_eq!(camera.horizontal_fov, 1.047);
    assert_eq!((camera.clip_near, camera.clip_far), (0.1, 100.0));

    let depth = r#"<sensor name="s" type="depth"><camera>
        <optical_frame_id>eye</optical_frame_id>
        <depth_camera><clip><near>0.01</near></clip></depth_camera></camera></sensor>"#;
    let robot = parsed(&with_sensor(depth));
    let block = &robot.sensors()[0];
    assert_eq!(block.frame.as_deref(), Some("eye"));
    let clip = block.camera.map(|c| (c.clip_near, c.clip_far));
    assert_eq!(clip, Some((0.01, 10.0)));

    let imu = r#"<sensor name="s" type="imu"/>"#;
    assert_eq!(
        parsed(&with_sensor(imu)).sensors()[0].imu,
        Some(ImuNoise::default())
    );
}

#[test]
fn resolution_multiplies_the_samples() {
    let lidar = r#"<sensor name="s" type="lidar"><lidar><scan><horizontal><samples>100</samples>
        <resolution>0.29</resolution><max_angle>1</max_angle></horizontal></scan>
        <range><max>3</max></range></lidar></sensor>"#;
    let block = parsed(&with_sensor(lidar)).sensors()[0].lidar.unwrap();
    // 100 times the double nearest 0.29 is a bit less than 29.
    assert_eq!(block.horizontal.ranges(), 29);
}

#[test]
fn a_block_gives_the_numbers_of_its_sensor() {
    let lidar = parsed(ROBOT).sensor("scan").unwrap().lidar.unwrap();
    let spec = lidar.spec().unwrap();
    assert_eq!((spec.beams.beams, spec.beams.min), (400, -3.66519));
    let increment = spec.beams.increment;
    assert!((increment - 4.188789 / 399.0).abs() < 1e-15, "{increment}");
    assert_eq!(spec.elevations, [0.0]);
    assert_eq!(
        (spec.range_min, spec.range_max, spec.noise.stddev),
        (0.1, 10.0, 0.03)
    );

    let mut rings = lidar;
    rings.vertical = ScanAxis {
        samples: 2,
        resolution: 2.0,
        min_angle: -0.3,
        max_angle: 0.3,
    };
    let elevations = rings.spec().unwrap().elevations;
    assert_eq!(elevations.len(), 4);
    for (found, expected) in elevations.iter().zip([-0.3, -0.1, 0.1, 0.3]) {
        assert!((found - expected).abs() < 1e-15, "{elevations:?}");
    }
    rings.vertical.samples = u32::MAX / 2;
    let rays = 400 * (u32::MAX as usize - 1);
    assert_eq!(rings.spec(), Err(SensorError::TooManyRays(rays)));

    let depth = r#"<sensor name="s" type="depth"><camera><image><width>160</width>
        <height>120</height></image><clip><far>5</far></clip></camera></sensor>"#;
    let spec = parsed(&with_sensor(depth)).sensors()[0]
        .camera
        .unwrap()
        .depth_spec();
    assert_eq!(
        (spec.width, spec.height, spec.horizontal_fov),
        (160, 120, 1.047)
    );
    assert_eq!((spec.near, spec.far), (0.1, 5.0));
}

#[test]
fn imu_noise_is_read_per_axis() {
    let imu = r#"<sensor name="s" type="imu"><imu>
        <angular_velocity><z><noise type="gaussian"><stddev>0.02</stddev><bias_mean>1</bias_mean></noise></z></angular_velocity>
        <linear_acceleration><x><noise type="none"><stddev>9</stddev></noise></x>
        <y><noise type="gaussian"><mean>0.1</mean><stddev>0.3</stddev></noise></y></linear_acceleration>
        </imu></sensor>"#;
    let (robot, remarks) = RobotDescription::parse(&with_sensor(imu)).unwrap();
    let block = robot.sensors()[0].imu.unwrap();
    assert_eq!(block.angular_velocity.map(|n| n.stddev), [0.0, 0.0, 0.02]);
    assert_eq!(block.linear_acceleration.map(|n| n.stddev), [0.0, 0.3, 0.0]);
    assert_eq!(block.linear_acceleration[1].mean, 0.1);
    assert_eq!(remarks.len(), 1, "{remarks:?}");
    assert!(remarks[0].contains("bias_mean"), "{remarks:?}");
}

#[test]
fn a_pose_may_be_in_degrees() {
    let imu = r#"<sensor name="s" type="imu"><pose degrees="true">1 2 3 0 0 90</pose></sensor>"#;
    let pose = parsed(&with_sensor(imu)).sensors()[0].pose;
    let turned = pose.rotation * Vector3::x();
    assert!((turned - Vector3::y()).norm() < 1e-12, "{turned:?}");
}

#[test]
fn a_sensor_is_found_by_its_name_or_the_names_are_listed() {
    let two = r#"<sensor name="s" type="imu"/><sensor name="s" type="imu"/>"#;
    let robot = parsed(&with_sensor(two));
    let ambiguous = DescriptionError::AmbiguousSensor("s".to_owned());
    assert_eq!(robot.sensor("s"), Err(ambiguous));
    let error = parsed(ROBOT).sensor("lidar").unwrap_err().to_string();
    assert_eq!(error, r#"the URDF has no sensor "lidar"; it has "scan""#);
}

#[test]
fn a_sensor_that_lacks_what_it_needs_is_an_error_that_names_it() {
    let scan = "<scan><horizontal><max_angle>1</max_angle></horizontal></scan>";
    let range = "<range><max>3</max></range>";
    let lidar =
        |inner: &str| format!(r#"<sensor name="s" type="lidar"><lidar>{inner}</lidar></sensor>"#);
    let cases = [
        (lidar(scan), "needs a <range>"),
        (lidar(range), "needs a <scan>"),
        (lidar(&format!("<scan/>{range}")), "needs a <scan><horizontal>"),
        (lidar(&format!("{scan}<range/>")), "needs a <range><max>"),
        (lidar(&format!("{scan}<range><min>3</min><max>2</max></range>")), "<range> is 3 to 2"),
        (lidar(&format!("<scan><horizontal/></scan>{range}")), "<max_angle> must be above"),
        (
            lidar(&format!("<scan><horizontal><samples>1</samples><resolution>-1</resolution></horizontal></scan>{range}")),
            "resolution must be above 0",
        ),
        (lidar(&format!("{scan}{range}<noise><stddev>-1</stddev></noise>")), "<stddev> must be 0"),
        (r#"<sensor name="s" type="gpu_lidar"/>"#.to_owned(), "needs a <lidar> (or <ray>)"),
        (r#"<sensor name="s" type="depth"/>"#.to_owned(), "needs a <camera>"),
        (
            r#"<sensor name="s" type="camera"><camera><clip><near>5</near><far>1</far></clip></camera></sensor>"#.to_owned(),
            "<clip> is 5 to 1",
        ),
        (
            r#"<sensor name="s" type="camera"><camera><horizontal_fov>0</horizontal_fov></camera></sensor>"#.to_owned(),
            "<horizontal_fov> is 0",
        ),
        (r#"<sensor name="s" type="imu"><update_rate>-1</update_rate></sensor>"#.to_owned(), "<update_rate>"),
        (r#"<sensor name="s" type="imu"><pose relative_to="x">0 0 0 0 0 0</pose></sensor>"#.to_owned(), "<pose>"),
    ];
    for (sensor, expected) in cases {
        let error = error_of(&with_sensor(&sensor));
        assert!(error.starts_with("sensor \"s\": "), "{error}");
        assert!(error.contains(expected), "{expected:?} in {error:?}");
    }
    let nowhere =
        r#"<robot name="r"><link name="l"/><gazebo><sensor name="s" type="imu"/></gazebo></robot>"#;
    assert!(
        error_of(nowhere).contains("must stand in a <gazebo reference"),
        "{}",
        error_of(nowhere)
    );
    let lost = nowhere.replace("<gazebo>", "<gazebo reference=\"x\">");
    assert!(
        error_of(&lost).contains("reference=\"x\""),
        "{}",
        error_of(&lost)
    );
}
