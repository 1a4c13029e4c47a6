use std::f64::consts::FRAC_PI_2;

use nalgebra::{Point3, Vector3};
use proptest::prelude::*;

use super::*;

mod sensor_blocks;

/// A robot with all that other people's descriptions bring along.
const ROBOT: &str = r#"<?xml version="1.0"?>
<!-- made from ${a_template}, which a comment may say -->
<robot name="bot" xmlns:xacro="http://ros.org/wiki/xacro">
  <material name="grey"><color rgba="0.5 0.5 0.5 1"/></material>
  <link name="base">
    <inertial><mass value="10.5"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
    <collision><geometry><sphere radius="1"/></geometry><surface/></collision>
  </link>
  <link name="wheel"><inertial><mass value="0.5"/></inertial></link>
  <link name="mast"/><link name="laser"/><link name="tip"/>
  <joint name="wheel_joint" type="continuous">
    <parent link="base"/><child link="wheel"/><origin xyz="0 0.1 0.05"/><axis xyz="0 2 0"/>
  </joint>
  <joint name="mast_joint" type="fixed">
    <parent link="base"/><child link="mast"/><origin xyz="0.156 0 0" rpy="0 0 0"/>
  </joint>
  <joint name="laser_joint" type="fixed">
    <parent link="mast"/><child link="laser"/><origin xyz="0 0 0.105" rpy="0 0 1.5707963267948966"/>
  </joint>
  <joint name="tip_joint" type="prismatic">
    <parent link="mast"/><child link="tip"/><origin xyz="0 0 1"/>
    <limit lower="0" upper="0.012" effort="1" velocity="2"/>
    <mimic joint="wheel_joint" multiplier="-0.5"/>
  </joint>
  <transmission name="t"/>
  <gazebo reference="laser">
    <mu1>0</mu1>
    <sensor name="scan" type="gpu_lidar">
      <pose>0.1 0 0 0 0 0</pose>
      <topic> scan </topic>
      <update_rate><!-- Hz -->10</update_rate>
      <gz_frame_id>laser</gz_frame_id>
      <lidar>
        <scan><horizontal><samples>400</samples><min_angle>-3.66519</min_angle><max_angle>0.523599</max_angle></horizontal></scan>
        <range><min>0.1</min><max>10.0</max><resolution>0.001</resolution></range>
        <noise><type>gaussian</type><stddev>0.03</stddev></noise>
      </lidar>
      <plugin name="inner" filename="p.so"/>
    </sensor>
  </gazebo>
  <gazebo><plugin name="drive" filename="d.so"><speed>1</speed></plugin></gazebo>
  <gazebo reference="mast_joint"><preserveFixedJoint>true</preserveFixedJoint></gazebo>
</robot>"#;

fn parsed(urdf: &str) -> RobotDescription {
    RobotDescription::parse(urdf)
        .unwrap_or_else(|error| panic!("{error}"))
        .0
}

fn error_of(urdf: &str) -> String {
    match RobotDescription::parse(urdf) {
        Ok((description, _)) => panic!("accepted as {description:?}"),
        Err(error) => error.to_string(),
    }
}

/// A robot of one link with one sensor block.
fn with_sensor(sensor: &str) -> String {
    format!(r#"<robot name="r"><link name="l"/><gazebo reference="l">{sensor}</gazebo></robot>"#)
}

/// Links `a`, `b`, ... and joints `parent child` between them.
fn with_joints(links: &str, joints: &[(&str, &str)]) -> String {
    let mut urdf = "<robot name=\"r\">".to_owned();
    for link in links.split(' ') {
        urdf += &format!("<link name=\"{link}\"/>");
    }
    for (i, (parent, child)) in joints.iter().enumerate() {
        urdf += &format!(
            "<joint name=\"j{i}\" type=\"fixed\"><parent link=\"{parent}\"/><child link=\"{child}\"/></joint>"
        );
    }
    urdf + "</robot>"
}

#[test]
fn links_joints_and_masses_are_read() {
    let robot = parsed(ROBOT);
    assert_eq!(robot.name(), "bot");
    assert_eq!(robot.root(), "base");
    assert_eq!(robot.links().len(), 5);
    assert_eq!(robot.total_mass(), 11.0);
    let movable: Vec<&str> = robot.movable_joints().map(|j| j.name.as_str()).collect();
    assert_eq!(movable, ["wheel_joint", "tip_joint"]);
    let fixed: Vec<&str> = robot.fixed_joints().map(|j| j.name.as_str()).collect();
    assert_eq!(fixed, ["mast_joint", "laser_joint"]);
    let [wheel, _, _, tip] = robot.joints() else {
        panic!("{:?}", robot.joints());
    };
    assert_eq!(wheel.axis.into_inner(), Vector3::y(), "made a unit vector");
    assert_eq!(wheel.limits, None);
    assert_eq!(tip.axis.into_inner(), Vector3::x(), "URDF's default");
    let limits = JointLimits {
        lower: 0.0,
        upper: 0.012,
        effort: Some(1.0),
        velocity: Some(2.0),
    };
    assert_eq!(tip.limits, Some(limits));
    let mimic = Mimic {
        joint: "wheel_joint".to_owned(),
        multiplier: -0.5,
        offset: 0.0,
    };
    assert_eq!(tip.mimic, Some(mimic));
}

#[test]
fn every_skipped_tag_and_plugin_gets_one_remark() {
    let (_, remarks) = RobotDescription::parse(ROBOT).unwrap();
    let expected = [
        "surface",
        "transmission",
        "mu1",
        "inner",
        "drive",
        "preserveFixedJoint",
    ];
    assert_eq!(remarks.len(), expected.len(), "{remarks:#?}");
    for (remark, tag) in remarks.iter().zip(expected) {
        assert!(remark.contains(tag), "{tag} in {remark:?}");
    }
    assert!(remarks[0].starts_with("line 7:"), "{}", remarks[0]);
}

#[test]
fn the_number_of_remarks_is_bounded() {
    let urdf = format!(
        "<robot name=\"r\"><link name=\"l\"/>{}</robot>",
        "<x/>".repeat(5000)
    );
    let (_, remarks) = RobotDescription::parse(&urdf).unwrap();
    assert_eq!(remarks.len(), 201);
    assert_eq!(remarks[200], "4800 more skipped");
}

#[test]
fn a_sensor_is_placed_by_the_whole_chain_and_its_own_pose() {
    // Two fixed joints and the sensor's <pose>: 0.1 m along x of a laser that is turned
    // left by a quarter stands 0.1 m to the left of the link.
    let robot = parsed(ROBOT);
    let sensor = robot.sensor("scan").unwrap();
    let mount = robot.frame_in("base", &sensor.link).unwrap() * sensor.pose;
    let position = mount.translation.vector;
    let expected = Vector3::new(0.156, 0.1, 0.105);
    assert!((position - expected).norm() < 1e-12, "{position:?}");
    // What lies 2 m ahead of the base lies to the right of the sensor, so that its own
    // angle is -90 degrees and it is 2 - 0.156 m away.
    let ahead = mount.inverse_transform_point(&Point3::new(2.0, 0.1, 0.105));
    assert!(
        (ahead.coords - Vector3::new(0.0, -1.844, 0.0)).norm() < 1e-12,
        "{ahead:?}"
    );
}

#[test]
fn frames_are_found_up_down_and_across_the_tree() {
    let robot = parsed(ROBOT);
    let laser_in_base = robot.frame_in("base", "laser").unwrap();
    let base_in_laser = robot.frame_in("laser", "base").unwrap();
    let back = (laser_in_base * base_in_laser).translation.vector.norm();
    assert!(back < 1e-12, "{back}");
    // From the laser the wheel is at base (0, 0.1, 0.05) - (0.156, 0, 0.105), and x of the
    // laser is y of the base.
    let wheel = robot.frame_in("laser", "wheel").unwrap().translation.vector;
    assert!(
        (wheel - Vector3::new(0.1, 0.156, -0.055)).norm() < 1e-12,
        "{wheel:?}"
    );
    let yaw = laser_in_base.rotation.euler_angles().2;
    assert!((yaw - FRAC_PI_2).abs() < 1e-12, "{yaw}");
    let mast = robot.frame_in("base", "mast").unwrap().translation.vector;
    assert_eq!(
        mast,
        Vector3::new(0.156, 0.0, 0.0),
        "one joint, its exact numbers"
    );
    assert_eq!(
        robot.frame_in("base", "roof"),
        Err(DescriptionError::NoSuchLink("roof".to_owned()))
    );
    assert_eq!(robot.is_fixed_to("laser", "base"), Ok(true));
    assert_eq!(robot.is_fixed_to("laser", "tip"), Ok(false));
    assert_eq!(robot.is_fixed_to("wheel", "wheel"), Ok(true));
}

#[test]
fn numbers_that_are_none_are_errors_that_name_the_place() {
    let joint = |inner: &str| {
        format!(
            r#"<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="revolute">
            <parent link="a"/><child link="b"/>{inner}</joint></robot>"#
        )
    };
    let cases = [
        (joint(r#"<origin xyz="0 nan 0"/>"#), r#"<origin xyz> is "0 nan 0", it must be 3 finite numbers"#),
        (joint(r#"<origin rpy="0 inf 0"/>"#), "<origin rpy>"),
        (joint(r#"<origin xyz="0 0"/>"#), "<origin xyz>"),
        (joint(r#"<origin xyz="0 0 0 0"/>"#), "<origin xyz>"),
        (joint(r#"<axis xyz="0 0 0"/>"#), "<axis xyz>"),
        (joint(r#"<limit lower="low"/>"#), "<limit lower>"),
        (r#"<robot name="r"><link name="a"><inertial><mass value="-1"/></inertial></link></robot>"#.to_owned(), "<mass value>"),
        (with_sensor(r#"<sensor name="s" type="imu"><update_rate>fast</update_rate></sensor>"#), "<update_rate> is \"fast\""),
        (with_sensor(r#"<sensor name="s" type="imu"><pose>1 2 3</pose></sensor>"#), "<pose> is \"1 2 3\", it must be 6"),
        (
            with_sensor(r#"<sensor name="s" type="lidar"><lidar><scan><horizontal><samples>0</samples></horizontal></scan></lidar></sensor>"#),
            "<samples> is \"0\", it must be a whole number of at least 1",
        ),
    ];
    for (urdf, expected) in cases {
        let error = error_of(&urdf);
        assert!(
            error.contains(expected) && error.starts_with("line "),
            "{expected:?} in {error:?}"
        );
    }
}

#[test]
fn links_that_are_no_tree_are_refused() {
    let cases = [
        (
            with_joints("a b", &[("a", "c")]),
            "\"j0\" names the child link \"c\"",
        ),
        (
            with_joints("a b", &[("c", "b")]),
            "\"j0\" names the parent link \"c\"",
        ),
        (with_joints("a b", &[("a", "b"), ("b", "a")]), "loop"),
        (with_joints("a", &[("a", "a")]), "loop"),
        (with_joints("a b c", &[("b", "c"), ("c", "b")]), "loop"),
        (
            with_joints("a b c", &[("a", "c"), ("b", "c")]),
            "\"c\" is the child of two joints, \"j0\" and \"j1\"",
        ),
        (
            with_joints("a b c d e f g", &[]),
            "\"e\", 2 more have no parent joint",
        ),
        (with_joints("a a", &[]), "second link of the name \"a\""),
        ("<robot name=\"r\"/>".to_owned(), "no <link>"),
        (
            with_joints("a b", &[("a", "b")]).replace("fixed", "welded"),
            "\"welded\"",
        ),
        (
            with_joints("a b c", &[("a", "b"), ("a", "c")]).replace("j1", "j0"),
            "second joint of the name \"j0\"",
        ),
        (
            "<robot name=\"r\"><link/></robot>".to_owned(),
            "<link> needs the attribute name",
        ),
        (
            "<robot name=\"r\"><link name=\"a\"/><joint name=\"j\" type=\"fixed\"/></robot>"
                .to_owned(),
            "needs a <parent>",
        ),
    ];
    for (urdf, expected) in cases {
        let error = error_of(&urdf);
        assert!(error.contains(expected), "{expected:?} in {error:?}");
    }
}

#[test]
fn text_that_is_no_urdf_is_refused() {
    let cases = [
        ("", "not well-formed XML, line 1"),
        (
            "<robot name=\"r\">\n  <link name=\"a\">\n</robot>",
            "line 3, column",
        ),
        ("<sdf><model/></sdf>", "outermost element is <sdf>"),
        (
            "<robot><link name=\"a\"/></robot>",
            "<robot> needs the attribute name",
        ),
        ("<robot name=\"r\0\"/>", "NUL byte at offset 14"),
        (
            "<!DOCTYPE r [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;&a;\">]><robot name=\"&b;\"/>",
            "not well-formed XML",
        ),
        (
            r#"<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:macro name="m"/></robot>"#,
            "<xacro:macro> belongs to xacro: expand the file",
        ),
        (
            r#"<robot name="r"><link name="${prefix}a"/></robot>"#,
            "expand the file",
        ),
        (
            r#"<robot name="r"><link name="a"/><gazebo><topic>${t}</topic></gazebo></robot>"#,
            "the text of <topic> belongs to xacro",
        ),
    ];
    for (urdf, expected) in cases {
        let error = error_of(urdf);
        assert!(error.contains(expected), "{expected:?} in {error:?}");
    }
}

#[test]
fn huge_and_deep_texts_end_in_an_answer() {
    let long = format!("<robot name=\"r\">{}</robot>", " ".repeat(MAX_URDF_BYTES));
    assert_eq!(
        error_of(&long),
        format!(
            "the URDF has {} bytes, at most 4194304 are read",
            long.len()
        )
    );
    let depth = 500_000;
    let deep = format!(
        "<robot name=\"r\"><link name=\"l\"/>{}{}</robot>",
        "<a>".repeat(depth),
        "</a>".repeat(depth)
    );
    let (_, remarks) = RobotDescription::parse(&deep).unwrap();
    assert_eq!(remarks.len(), 1, "{remarks:?}");
    // A chain of links is walked without recursion, too.
    let mut urdf = "<robot name=\"r\"><link name=\"0\"/>".to_owned();
    for i in 1..30_000 {
        urdf += &format!(
            "<link name=\"{i}\"/><joint name=\"{i}\" type=\"fixed\"><parent link=\"{}\"/>\
             <child link=\"{i}\"/><origin xyz=\"1 0 0\"/></joint>",
            i - 1
        );
    }
    let robot = parsed(&(urdf + "</robot>"));
    let end = robot.frame_in("0", "29999").unwrap().translation.vector;
    assert_eq!(end, Vector3::new(29_999.0, 0.0, 0.0));
}

proptest! {
    #[test]
    fn damaged_texts_end_in_an_answer(
        start in 0..ROBOT.len(), length in 0..200_usize, put in "[-<>\"'=/&;a-z0-9. ]{0,12}",
    ) {
        // The text is ASCII, so any cut is one between characters.
        let end = (start + length).min(ROBOT.len());
        let damaged = format!("{}{put}{}", &ROBOT[..start], &ROBOT[end..]);
        if let Ok((robot, _)) = RobotDescription::parse(&damaged) {
            // What is accepted can be used.
            for link in robot.links() {
                let pose = robot.frame_in(robot.root(), &link.name).unwrap();
                prop_assert!(pose.translation.vector.iter().all(|x| x.is_finite()));
            }
            for sensor in robot.sensors() {
                prop_assert!(robot.has_link(&sensor.link));
                prop_assert_eq!(sensor.lidar.is_some(), sensor.kind == SensorKind::Lidar);
            }
        }
    }
}
