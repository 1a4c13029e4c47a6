//! What several tests of the library share: a small robot and shorthands.

#![allow(dead_code, reason = "each test uses its own part of it")]

pub(crate) mod things;

use tatami::drive::{AxisLimits, DriveModel};
use tatami::robot::{RobotSpec, SensorSpec};
use tatami::scene::{Scene, SceneConfig};
use tatami::world::{BoxSpec, Dynamics, OutlineSpec, PhysicsDt, Pose2};

/// A robot with a level lidar, a pitched one, a depth camera, an IMU and two wheels. The
/// lidar is turned by a quarter, so that straight ahead is its -pi/2.
pub(crate) const URDF: &str = r#"<robot name="bot">
  <link name="base_link"><inertial><mass value="12"/>
    <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <link name="laser"/>
  <joint name="laser_joint" type="fixed"><parent link="base_link"/><child link="laser"/>
    <origin xyz="0.1 0 0.1" rpy="0 0 1.5707963267948966"/></joint>
  <link name="tilted"/>
  <joint name="tilted_joint" type="fixed"><parent link="base_link"/><child link="tilted"/>
    <origin xyz="0 0 0.5" rpy="0 0.5 0"/></joint>
  <link name="arm"/>
  <joint name="arm_joint" type="revolute"><parent link="base_link"/><child link="arm"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
  <link name="wheel"/>
  <joint name="wheel_joint" type="continuous"><parent link="base_link"/><child link="wheel"/></joint>
  <gazebo reference="laser"><sensor name="lidar" type="gpu_lidar"><update_rate>10</update_rate>
    <topic>scan_of_block</topic>
    <lidar><scan><horizontal><samples>8</samples><min_angle>-1.5707963267948966</min_angle>
      <max_angle>1.5707963267948966</max_angle></horizontal>
      <vertical><samples>3</samples><min_angle>-0.1</min_angle><max_angle>0.1</max_angle></vertical></scan>
      <range><min>0.05</min><max>20</max></range>
      <noise><type>gaussian</type><mean>0</mean><stddev>0.02</stddev></noise></lidar></sensor></gazebo>
  <gazebo reference="laser"><sensor name="gyro" type="imu"/></gazebo>
  <gazebo reference="laser"><sensor name="eye" type="camera"><camera/></sensor></gazebo>
</robot>"#;

/// Limits of an axis without bounds on its acceleration.
pub(crate) fn limits(reach: f64) -> AxisLimits {
    AxisLimits {
        low: -reach,
        high: reach,
        accel: 0.0,
        decel: 0.0,
    }
}

/// The robot of [`URDF`] without sensors, a disc of 0.2 m.
pub(crate) fn robot(name: &str, pose: Pose2) -> RobotSpec {
    RobotSpec {
        name: name.into(),
        urdf: URDF.into(),
        base_frame: "base_link".into(),
        pose,
        floor: String::new(),
        radius: 0.2,
        footprint: Vec::new(),
        z_min: 0.0,
        height: 0.3,
        drive: DriveModel {
            linear: limits(2.0),
            lateral: limits(0.0),
            angular: limits(3.0),
            ..DriveModel::default()
        },
        sensors: Vec::new(),
        onboard: None,
    }
}

/// A sensor that takes its numbers from a block of [`URDF`].
pub(crate) fn on_block(name: &str, kind: &str, block: &str) -> SensorSpec {
    SensorSpec {
        name: name.into(),
        kind: kind.into(),
        sensor: block.into(),
        ..SensorSpec::default()
    }
}

/// An empty scene.
pub(crate) fn scene(dt: f64, seed: i64) -> Scene {
    Scene::new(SceneConfig {
        dt: PhysicsDt::from_seconds(dt).unwrap(),
        dynamics: Dynamics::Rigid,
        seed,
        run: 0,
    })
}

/// A square room around the origin.
pub(crate) fn room(half: f64) -> OutlineSpec {
    OutlineSpec {
        name: "room".into(),
        points: vec![[-half, -half], [half, -half], [half, half], [-half, half]],
        z_min: 0.0,
        z_max: 2.4,
    }
}

/// A box of 1 m height.
pub(crate) fn block(name: &str, x: f64, y: f64, size: [f64; 2]) -> BoxSpec {
    BoxSpec {
        name: name.into(),
        size,
        pose: Pose2::new(x, y, 0.0),
        z_min: 0.0,
        z_max: 1.0,
    }
}

/// Fails unless two numbers are near each other, and prints both.
#[track_caller]
pub(crate) fn assert_near(actual: f64, expected: f64, tolerance: f64) {
    assert!(
        (actual - expected).abs() <= tolerance,
        "{actual} is not {expected} within {tolerance}"
    );
}
