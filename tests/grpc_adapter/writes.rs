//! Every write calls its service, and reads show what it did when it returns.

use std::time::{Duration, Instant};

use tatami::grpc::proto::*;
use tonic::Code;

use super::client::{newest, set_up, told};
use super::ros::turn;

fn yes(result: Option<Result>) {
    let result = result.expect("a result");
    assert!(result.success && result.error_code == 0, "{result:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn switches_are_set_and_read() {
    let _turn = turn();
    let (fake, _adapter, mut client) = set_up(&[]).await;
    for volume in [0, 10, 3] {
        let reply = client
            .set_speaker_volume(SetSpeakerVolumeRequest { volume })
            .await
            .unwrap();
        yes(reply.into_inner().result);
        let read = told!(client.get_speaker_volume(newest()));
        assert_eq!(read.volume, volume);
    }
    let request = SetSpeakerVolumeRequest { volume: 11 };
    let refused = told!(client.set_speaker_volume(request)).result.unwrap();
    assert_eq!((refused.success, refused.error_code), (false, 90004));
    for enable in [false, true] {
        let request = SetAutoHomingEnabledRequest { enable };
        yes(told!(client.set_auto_homing_enabled(request)).result);
        let read = told!(client.get_auto_homing_enabled(newest()));
        assert_eq!(read.enabled, enable);
    }
    yes(told!(client.set_emergency_stop(EmptyRequest {})).result);
    let errors = told!(client.get_error(newest()));
    assert_eq!(errors.error_codes, [21051]);
    yes(told!(client.restart_robot(EmptyRequest {})).result);
    assert!(!told!(client.is_ready(EmptyRequest {})).ready);
    let request = SetFrontTorchIntensityRequest { intensity: 255 };
    yes(told!(client.set_front_torch_intensity(request)).result);
    assert_eq!(
        fake.asked("sim/torch/front").unwrap(),
        "Request { data: 255.0 }"
    );
    let request = SetBackTorchIntensityRequest { intensity: 300 };
    yes(told!(client.set_back_torch_intensity(request)).result);
    assert_eq!(
        fake.asked("sim/torch/back").unwrap(),
        "Request { data: 300.0 }"
    );
    let request = ActivateLaserScanRequest { duration_sec: 2.5 };
    yes(told!(client.activate_laser_scan(request)).result);
    assert_eq!(
        fake.asked("sim/laser_scan/activate").unwrap(),
        "Request { data: 2.5 }"
    );
    let request = ResetShelfPoseRequest {
        shelf_id: "S01".to_owned(),
    };
    yes(told!(client.reset_shelf_pose(request)).result);
    assert_eq!(
        fake.asked("sim/shelf/reset_pose").unwrap(),
        "Request { data: \"S01\" }"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn manual_control_drives_in_parts_of_the_published_speeds() {
    let _turn = turn();
    let (fake, _adapter, mut client) = set_up(&[]).await;
    let velocity = |linear, angular| SetRobotVelocityRequest { linear, angular };
    let refused = told!(client.set_robot_velocity(velocity(1.0, 0.0)));
    let refused = refused.result.unwrap();
    assert_eq!((refused.success, refused.error_code), (false, 13151));
    let request = SetManualControlEnabledRequest {
        enable: true,
        use_shelf_registration: true,
    };
    yes(told!(client.set_manual_control_enabled(request)).result);
    let read = told!(client.get_manual_control_enabled(newest()));
    assert!(read.enabled);
    let asked = fake.asked("sim/manual_control").unwrap();
    assert!(asked.contains("use_shelf_registration: true"), "{asked}");
    for (linear, angular, expected) in [
        (1.0, 1.0, "Request { linear: 0.3, angular: 1.57 }"),
        (-0.5, 0.0, "Request { linear: -0.15, angular: 0.0 }"),
        (1.67, -1e308, "Request { linear: 0.3, angular: -1.57 }"),
    ] {
        yes(told!(client.set_robot_velocity(velocity(linear, angular))).result);
        assert_eq!(fake.asked("sim/velocity").unwrap(), expected);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_pose_is_read_at_once() {
    let _turn = turn();
    let (_fake, _adapter, mut client) = set_up(&[]).await;
    for step in 0..20 {
        let pose = Pose {
            x: f64::from(step),
            y: -2.0,
            theta: 0.5,
        };
        let request = SetRobotPoseRequest { pose: Some(pose) };
        yes(told!(client.set_robot_pose(request)).result);
        let read = told!(client.get_robot_pose(newest())).pose.unwrap();
        assert_eq!((read.x, read.y), (pose.x, pose.y));
    }
    // The same again has nothing to wait for.
    let begun = Instant::now();
    for _ in 0..10 {
        let request = SetRobotPoseRequest {
            pose: Some(Pose {
                x: 19.0,
                y: -2.0,
                theta: 0.5,
            }),
        };
        yes(told!(client.set_robot_pose(request)).result);
    }
    let took = begun.elapsed();
    assert!(took < Duration::from_secs(9), "it took {took:?}");
    let missing = SetRobotPoseRequest { pose: None };
    let status = client.set_robot_pose(missing).await.unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument, "{status}");
}

#[tokio::test(flavor = "multi_thread")]
async fn sounds_come_and_go() {
    let _turn = turn();
    let (fake, _adapter, mut client) = set_up(&[]).await;
    let request = AddSoundRequest {
        name: "bell".to_owned(),
        data: vec![1; 3_000_000],
    };
    let added = told!(client.add_sound(request));
    yes(added.result);
    assert_eq!(added.sound_id, "SO1");
    let sounds = told!(client.get_sound_list(newest())).sounds;
    assert_eq!(
        (sounds[0].id.as_str(), sounds[0].name.as_str()),
        ("SO1", "bell")
    );
    let request = PlaySoundRequest {
        sound_id: "SO1".to_owned(),
        r#loop: true,
    };
    yes(told!(client.play_sound(request)).result);
    let asked = fake.asked("sim/sound/play").unwrap();
    assert!(
        asked.contains("\"SO1\"") && asked.contains("true"),
        "{asked}"
    );
    yes(told!(client.stop_sound(StopSoundRequest {})).result);
    let request = DeleteSoundRequest {
        sound_id: "SO1".to_owned(),
    };
    yes(told!(client.delete_sound(request)).result);
    let sounds = told!(client.get_sound_list(newest())).sounds;
    assert!(sounds.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn rubbish_in_requests_is_named() {
    let _turn = turn();
    let (fake, _adapter, mut client) = set_up(&[]).await;
    for (id, wanted) in [
        ("x".repeat(1_000_000), "1000000 bytes"),
        ("a\0b".to_owned(), "a NUL"),
    ] {
        let request = ResetShelfPoseRequest { shelf_id: id };
        let status = client.reset_shelf_pose(request).await.unwrap_err();
        assert_eq!(status.code(), Code::InvalidArgument, "{status}");
        let said = status.message();
        assert!(said.contains("shelf_id") && said.contains(wanted), "{said}");
    }
    assert_eq!(fake.asked("sim/shelf/reset_pose"), None);
    // What is not finite goes to the robot, which has the words for it.
    let request = SetRobotVelocityRequest {
        linear: f64::NAN,
        angular: f64::INFINITY,
    };
    client.set_robot_velocity(request).await.unwrap();
    let asked = fake.asked("sim/velocity").unwrap();
    assert_eq!(asked, "Request { linear: NaN, angular: inf }");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_error_table_is_told() {
    let _turn = turn();
    let (_fake, _adapter, mut client) = set_up(&[]).await;
    let answer = told!(client.get_robot_error_code_json(EmptyRequest {}));
    yes(answer.result);
    assert!(answer.json.starts_with("[{\"code\":"), "{}", answer.json);
    for code in [10001, 10107, 12401, 13151, 21051] {
        assert!(
            answer.json.contains(&format!("{{\"code\":{code},")),
            "{code} is missing"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_state_that_does_not_come_is_asked_for() {
    let _turn = turn();
    let (fake, _adapter, mut client) = set_up(&[]).await;
    fake.does(|robot| robot.loses_states = true);
    let request = SetSpeakerVolumeRequest { volume: 9 };
    let reply = client.set_speaker_volume(request).await.unwrap();
    yes(reply.into_inner().result);
    let read = client.get_speaker_volume(newest()).await.unwrap();
    assert_eq!(read.into_inner().volume, 9);
}
