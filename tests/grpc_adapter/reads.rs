//! Every read tells what the robot has told, once per change.

use std::time::{Duration, Instant};

use r2r::geometry_msgs::msg::{PoseStamped, TransformStamped};
use r2r::nav_msgs::msg::Odometry;
use r2r::sensor_msgs::msg::{BatteryState, Imu, LaserScan};
use r2r::tatami_msgs::msg::{Location, Locations};
use r2r::tf2_msgs::msg::TFMessage;
use tatami::grpc::proto::*;
use tonic::Code;

use super::client::{connect, newer, newest, set_up, soon, told, unanswered};
use super::fake::{Fake, Robot, time};
use super::ros::{PATIENCE, turn};

fn scan(seconds: i32, first: f32) -> LaserScan {
    let mut scan = LaserScan {
        angle_min: -1.0,
        angle_max: 1.0,
        angle_increment: 0.5,
        scan_time: 0.1,
        range_min: 0.1,
        range_max: 10.0,
        ranges: vec![first, 2.0, f32::INFINITY],
        intensities: vec![1.0, 2.0, 3.0],
        ..Default::default()
    };
    scan.header.frame_id = "k/laser_frame".to_owned();
    scan.header.stamp = time(seconds);
    scan
}

fn transform(parent: &str, child: &str, x: f64) -> TransformStamped {
    let mut transform = TransformStamped::default();
    transform.header.frame_id = parent.to_owned();
    transform.header.stamp = time(7);
    transform.child_frame_id = child.to_owned();
    transform.transform.translation.x = x;
    transform.transform.rotation.w = 1.0;
    transform
}

fn frames(transforms: &[RosTransformStamped]) -> Vec<(String, String)> {
    let names = |one: &RosTransformStamped| {
        let parent = one.header.as_ref().unwrap().frame_id.clone();
        (parent, one.child_frame_id.clone())
    };
    transforms.iter().map(names).collect()
}

/// Publishes a sample of every sensor, again and again until the adapter is matched: `told`
/// looks whether it has come.
async fn until<T, F: Future<Output = Option<T>>>(
    fake: &Fake,
    publish: impl Fn(&mut Robot) + Send + Copy + 'static,
    mut told: impl FnMut() -> F,
) -> T {
    let begun = Instant::now();
    loop {
        fake.does(publish);
        if let Ok(Some(found)) = tokio::time::timeout(Duration::from_millis(100), told()).await {
            return found;
        }
        assert!(begun.elapsed() < PATIENCE, "it was never told");
    }
}

fn all_sensors(robot: &mut Robot) {
    let to = robot.to();
    to.scan.publish(&scan(5, 1.5)).unwrap();
    let mut imu = Imu::default();
    imu.header.frame_id = "k/imu_link".to_owned();
    imu.header.stamp = time(6);
    imu.linear_acceleration.z = 9.81;
    imu.orientation.w = 1.0;
    to.imu.publish(&imu).unwrap();
    let mut odometry = Odometry::default();
    odometry.header.frame_id = "k/odom".to_owned();
    odometry.child_frame_id = "k/base_footprint".to_owned();
    odometry.pose.pose.position.x = 1.25;
    odometry.twist.twist.linear.x = 0.3;
    to.odometry.publish(&odometry).unwrap();
    odometry.pose.pose.position.x = 1.5;
    to.wheel_odometry.publish(&odometry).unwrap();
    let battery = BatteryState {
        percentage: 0.5,
        power_supply_status: 2,
        ..Default::default()
    };
    to.battery.publish(&battery).unwrap();
    let mut pose = PoseStamped::default();
    pose.pose.position.x = 3.0;
    pose.pose.position.y = -4.0;
    pose.pose.orientation.z = (0.25_f64).sin();
    pose.pose.orientation.w = (0.25_f64).cos();
    to.pose.publish(&pose).unwrap();
    let moving = TFMessage {
        transforms: vec![
            transform("k/map", "k/odom", 1.0),
            transform("k/odom", "k/base_footprint", 2.0),
            transform("other/odom", "other/base_footprint", 3.0),
        ],
    };
    to.moving.publish(&moving).unwrap();
    let fixed = TFMessage {
        transforms: vec![
            transform("k/base_link", "k/laser_frame", 0.156),
            transform("other/base_link", "other/laser_frame", 9.0),
        ],
    };
    to.fixed.publish(&fixed).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn sensors_are_told_value_by_value_without_the_prefix() {
    let _turn = turn();
    let (fake, adapter, mut client) = set_up(&["epoch_offset:=1000"]).await;
    let probe = connect(&adapter).await;
    let seen = until(&fake, all_sensors, || {
        let mut client = probe.clone();
        async move {
            client.get_ros_imu(newest()).await.ok()?;
            client.get_ros_odometry(newest()).await.ok()?;
            client.get_ros_wheel_odometry(newest()).await.ok()?;
            client.get_robot_pose(newest()).await.ok()?;
            client.get_static_transform(newest()).await.ok()?;
            let battery = client.get_battery_info(newest()).await.ok()?.into_inner();
            (battery.remaining_percentage == 50.0).then_some(())?;
            Some(client.get_ros_laser_scan(newest()).await.ok()?.into_inner())
        }
    })
    .await;
    let scan = seen.scan.unwrap();
    let header = scan.header.unwrap();
    assert_eq!(
        (header.stamp_nsec, header.frame_id.as_str()),
        (1_005_000_000_000, "laser_frame")
    );
    // What was missed is 0, as from the real robot.
    assert_eq!(scan.ranges, [1.5, 2.0, 0.0]);
    assert_eq!(scan.intensities, [1.0, 2.0, 3.0]);
    assert_eq!(
        (scan.angle_min, scan.angle_max, scan.angle_increment),
        (-1.0, 1.0, 0.5)
    );
    assert_eq!((scan.range_min, scan.range_max), (f64::from(0.1_f32), 10.0));
    let imu = told!(client.get_ros_imu(newest())).imu.unwrap();
    assert_eq!(imu.header.unwrap().frame_id, "imu_link");
    assert_eq!(imu.linear_acceleration.unwrap().z, 9.81);
    assert_eq!(imu.orientation_covariance.len(), 9);
    let odometry = told!(client.get_ros_odometry(newest()));
    let odometry = odometry.odometry.unwrap();
    assert_eq!(odometry.header.unwrap().frame_id, "odom");
    assert_eq!(odometry.child_frame_id, "base_footprint");
    let pose = odometry.pose.unwrap();
    assert_eq!(pose.covariance.len(), 36);
    assert_eq!(pose.pose.unwrap().position.unwrap().x, 1.25);
    assert_eq!(
        odometry.twist.unwrap().twist.unwrap().linear.unwrap().x,
        0.3
    );
    let wheels = told!(client.get_ros_wheel_odometry(newest()));
    let wheels = wheels.odometry.unwrap().pose.unwrap().pose.unwrap();
    assert_eq!(wheels.position.unwrap().x, 1.5);
    let battery = told!(client.get_battery_info(newest()));
    assert_eq!(
        battery.power_supply_status(),
        PowerSupplyStatus::Discharging
    );
    let pose = told!(client.get_robot_pose(newest())).pose.unwrap();
    assert_eq!((pose.x, pose.y), (3.0, -4.0));
    assert!((pose.theta - 0.5).abs() < 1e-12, "{}", pose.theta);
    let fixed = told!(client.get_static_transform(newest()));
    let names = [("base_link".to_owned(), "laser_frame".to_owned())];
    assert_eq!(frames(&fixed.transforms), names);
}

#[tokio::test(flavor = "multi_thread")]
async fn moving_transforms_are_complete_in_each_message_and_repeated() {
    let _turn = turn();
    let (fake, adapter, mut client) = set_up(&[]).await;
    let probe = connect(&adapter).await;
    until(&fake, all_sensors, || {
        let mut client = probe.clone();
        async move { client.get_static_transform(newest()).await.ok() }
    })
    .await;
    let stream = client.get_dynamic_transform(EmptyRequest {}).await.unwrap();
    let mut stream = stream.into_inner();
    let expected = [
        ("odom".to_owned(), "base_footprint".to_owned()),
        ("map".to_owned(), "odom".to_owned()),
    ];
    let first = soon(stream.message()).await.unwrap().unwrap();
    assert_eq!(frames(&first.transforms), expected);
    // Nothing changes, and yet it comes again.
    let again = soon(stream.message()).await.unwrap().unwrap();
    assert_eq!(again, first);
    fake.does(|robot| {
        let transforms = vec![transform("k/odom", "k/base_footprint", 5.0)];
        robot
            .to()
            .moving
            .publish(&TFMessage { transforms })
            .unwrap();
    });
    let moved = loop {
        let set = soon(stream.message()).await.unwrap().unwrap();
        assert_eq!(frames(&set.transforms), expected);
        let x = set.transforms[0].translation.unwrap().x;
        if x != 2.0 {
            break x;
        }
    };
    assert_eq!(moved, 5.0);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_robot_is_and_has_is_told_at_once() {
    let _turn = turn();
    let (fake, _adapter, mut client) = set_up(&[]).await;
    let serial = told!(client.get_robot_serial_number(newest()));
    assert_eq!(serial.serial_number, "BKP-0001");
    let version = told!(client.get_robot_version(newest()));
    assert_eq!(version.version, "3.17.5");
    let shortcuts = told!(client.get_shortcuts(newest())).shortcuts;
    assert_eq!(
        (shortcuts[0].id.as_str(), shortcuts[0].name.as_str()),
        ("SC1", "tea")
    );
    let battery = told!(client.get_battery_info(newest()));
    assert_eq!(battery.remaining_percentage, 80.0);
    let maps = told!(client.get_map_list(newest())).map_list_entries;
    assert_eq!((maps[0].id.as_str(), maps[0].name.as_str()), ("M1", "hall"));
    let map = told!(client.get_current_map_id(newest()));
    assert_eq!(map.id, "M1");
    let volume = told!(client.get_speaker_volume(newest()));
    assert_eq!(volume.volume, 5);
    let homing = told!(client.get_auto_homing_enabled(newest()));
    assert!(homing.enabled);
    let manual = told!(client.get_manual_control_enabled(newest()));
    assert!(!manual.enabled);
    let errors = told!(client.get_error(newest()));
    assert!(errors.error_codes.is_empty() && errors.metadata.is_some());
    let state = told!(client.get_command_state(newest()));
    assert_eq!(state.state(), CommandState::Pending);
    assert_eq!((state.command, state.command_id.as_str()), (None, ""));
    let last = told!(client.get_last_command_result(newest()));
    assert_eq!(
        (last.result, last.command, last.command_id.as_str()),
        (None, None, "")
    );
    let history = told!(client.get_history_list(newest()));
    assert!(history.histories.is_empty());
    let shelf = told!(client.get_moving_shelf_id(newest()));
    assert_eq!(shelf.shelf_id, "");
    let sounds = told!(client.get_sound_list(newest()));
    assert!(sounds.sounds.is_empty());
    assert!(told!(client.is_ready(EmptyRequest {})).ready);
    fake.does(|robot| {
        let location = Location {
            id: "L01".to_owned(),
            name: "desk".to_owned(),
            type_: 2,
            x: 1.0,
            y: 2.0,
            yaw: 3.0,
            ..Default::default()
        };
        let message = Locations {
            locations: vec![location],
            default_location_id: "L01".to_owned(),
        };
        robot.to().locations.publish(&message).unwrap();
    });
    let places = told!(soon(client.get_locations(newest())));
    assert_eq!(places.default_location_id, "L01");
    let place = &places.locations[0];
    assert_eq!((place.id.as_str(), place.name.as_str()), ("L01", "desk"));
    assert_eq!(place.r#type(), LocationType::ShelfHome);
    let pose = place.pose.unwrap();
    assert_eq!((pose.x, pose.y, pose.theta), (1.0, 2.0, 3.0));
    let digest = told!(client.get_locations_digest(newest()));
    assert_eq!(digest.locations[0].name, "desk");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_has_no_source_yet_answers_as_documented() {
    let _turn = turn();
    let (_fake, _adapter, mut client) = set_up(&[]).await;
    macro_rules! cancelled {
        ($($call:ident),*) => {$(
            let status = client.$call(newest()).await.unwrap_err();
            assert_eq!(status.code(), Code::Cancelled, "{}: {status}", stringify!($call));
        )*};
    }
    cancelled!(
        get_front_camera_ros_camera_info,
        get_front_camera_ros_image,
        get_front_camera_ros_compressed_image,
        get_back_camera_ros_camera_info,
        get_back_camera_ros_image,
        get_back_camera_ros_compressed_image,
        get_tof_camera_ros_camera_info
    );
    let shelves = told!(client.get_shelves(newest()));
    assert!(shelves.shelves.is_empty() && shelves.metadata.is_some());
    let digest = told!(client.get_shelves_digest(newest()));
    assert!(digest.shelves.is_empty() && digest.metadata.is_some());
    let found = told!(client.get_object_detection(newest()));
    assert!(found.objects.is_empty() && found.header.is_some());
    let again = unanswered(client.get_object_detection(newer(found.metadata))).await;
    assert!(again.is_none(), "an equal cursor was answered: {again:?}");
    let features = told!(client.get_object_detection_features(newest()));
    assert!(features.features.is_empty() && features.metadata.is_some());
    let picture = told!(client.get_tof_camera_ros_image(newest()));
    assert!(!picture.is_available && picture.image.is_some());
    let again = unanswered(client.get_tof_camera_ros_image(newer(picture.metadata))).await;
    assert!(again.is_none(), "an equal cursor was answered: {again:?}");
    let picture = told!(client.get_tof_camera_ros_compressed_image(newest()));
    assert!(!picture.is_available && picture.image.is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn equal_cursors_wait_and_all_others_are_answered() {
    let _turn = turn();
    let (fake, adapter, mut client) = set_up(&[]).await;
    let first = told!(client.get_speaker_volume(newest()));
    let cursor = first.metadata.unwrap().cursor;
    for stale in [0, 1, cursor - 1, cursor + 1, i64::MAX, i64::MIN] {
        let metadata = Some(Metadata { cursor: stale });
        let answer = client
            .get_speaker_volume(GetRequest { metadata })
            .await
            .unwrap();
        assert_eq!(answer.into_inner(), first);
    }
    // A cursor of another call is another value.
    let state = told!(client.get_command_state(newest()));
    let foreign = newer(state.metadata);
    assert_eq!(told!(client.get_speaker_volume(foreign)), first);
    // What was never told waits even for 0.
    let never = unanswered(client.get_ros_laser_scan(newest())).await;
    assert!(never.is_none(), "{never:?}");
    let mut other = connect(&adapter).await;
    let (one, two, ()) = tokio::join!(
        soon(client.get_speaker_volume(newer(first.metadata))),
        soon(other.get_speaker_volume(newer(first.metadata))),
        async {
            tokio::time::sleep(Duration::from_millis(50)).await;
            // What changes elsewhere is no new volume.
            fake.does(|robot| robot.change(|state| state.front_torch = 1));
            fake.does(|robot| robot.change(|state| state.speaker_volume = 6));
        },
    );
    let (one, two) = (one.unwrap().into_inner(), two.unwrap().into_inner());
    assert_eq!(one.volume, 6);
    assert_eq!(one, two);
}

#[tokio::test(flavor = "multi_thread")]
async fn polls_are_given_up_when_the_parameter_says_so() {
    let _turn = turn();
    let (_fake, _adapter, mut client) = set_up(&["poll_timeout:=0.2"]).await;
    let first = told!(client.get_speaker_volume(newest()));
    let status = soon(client.get_speaker_volume(newer(first.metadata)))
        .await
        .unwrap_err();
    assert_eq!(status.code(), Code::Cancelled, "{status}");
    let status = soon(client.get_ros_imu(newest())).await.unwrap_err();
    assert_eq!(status.code(), Code::Cancelled, "{status}");
}
