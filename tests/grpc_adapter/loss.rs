//! The robot goes and comes back; the adapter ends.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use r2r::tatami_msgs::msg::OnboardCommand;
use tatami::grpc::proto::*;
use tonic::Code;

use super::adapter::Adapter;
use super::client::{
    Client, connect, newer, newest, set_up, soon, told, unanswered, until_writable,
};
use super::fake::Fake;
use super::ros::{PATIENCE, turn};

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_robot_is_told_for_a_while_and_comes_back_by_itself() {
    let _turn = turn();
    let (fake, adapter, mut client) = set_up(&["grace:=3.0"]).await;
    for _ in 0..5 {
        fake.does(|robot| robot.change(|state| state.speaker_volume = 7));
    }
    let begun = Instant::now();
    let before = loop {
        let answer = told!(client.get_speaker_volume(newest()));
        if answer.volume == 7 {
            break answer;
        }
        assert!(begun.elapsed() < PATIENCE, "{answer:?}");
    };
    let open = localize(&mut client).await;
    let mut waiting = connect(&adapter).await;
    let request = newer(before.metadata);
    let waits = tokio::spawn(async move { waiting.get_speaker_volume(request).await });
    drop(fake);
    let lost = Instant::now();
    let refused = loop {
        match client.stop_sound(StopSoundRequest {}).await {
            Ok(_) => assert!(lost.elapsed() < PATIENCE, "writes go on"),
            Err(status) => break status,
        }
    };
    assert_eq!(refused.code(), Code::Unavailable, "{refused}");
    // The last values are still told.
    let kept = told!(client.get_speaker_volume(newest()));
    assert_eq!(kept, before);
    let refused = soon(waits).await.unwrap().unwrap_err();
    assert_eq!(refused.code(), Code::Unavailable, "{refused}");
    assert!(
        lost.elapsed() >= Duration::from_secs(3),
        "after {:?}",
        lost.elapsed()
    );
    let refused = client.get_speaker_volume(newest()).await.unwrap_err();
    assert_eq!(refused.code(), Code::Unavailable, "{refused}");
    assert!(refused.message().contains("/kachaka"), "{refused}");
    let refused = client.is_ready(EmptyRequest {}).await.unwrap_err();
    assert_eq!(refused.code(), Code::Unavailable, "{refused}");
    // Another one, which counts its states and commands from 1.
    let fake = Fake::start_as("second-", 0);
    until_writable(&mut client).await;
    let now = told!(client.get_speaker_volume(newest()));
    assert_eq!(now.volume, 5);
    assert_ne!(now.metadata, before.metadata);
    // The command of the one that is gone has ended, too.
    assert_eq!(result_of(&mut client, &open).await, (false, 10002));
    let id = localize(&mut client).await;
    fake.does(|robot| robot.finish(0));
    assert_eq!(result_of(&mut client, &id).await, (true, 0));
}

/// Starts a command and returns its id.
async fn localize(client: &mut Client) -> String {
    let command = Command {
        command: Some(command::Command::LocalizeCommand(LocalizeCommand {})),
    };
    let request = StartCommandRequest {
        command: Some(command),
        ..Default::default()
    };
    let reply = told!(client.start_command(request));
    assert!(reply.result.unwrap().success);
    reply.command_id
}

/// Waits for the result of a command as `start_command` of the Python client does.
async fn result_of(client: &mut Client, id: &str) -> (bool, i32) {
    let mut cursor = None;
    loop {
        let request = GetRequest { metadata: cursor };
        let last = soon(client.get_last_command_result(request)).await.unwrap();
        let last = last.into_inner();
        if last.command_id == id {
            let result = last.result.unwrap();
            return (result.success, result.error_code);
        }
        cursor = last.metadata;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_robot_that_is_replaced_at_once_is_followed() {
    let _turn = turn();
    // The numbers of the second one go back, those of the third do not.
    let (mut fake, adapter, mut client) = set_up(&[]).await;
    for _ in 0..30 {
        fake.does(|robot| robot.change(|state| state.speaker_volume = 7));
    }
    for (run, counted) in [("second-", 0), ("third-", 1000)] {
        let ids = [localize(&mut client).await, localize(&mut client).await];
        let mut waiting = connect(&adapter).await;
        let waits = tokio::spawn(async move {
            let mut results = Vec::new();
            for id in ids {
                results.push(result_of(&mut waiting, &id).await);
            }
            results
        });
        drop(fake);
        fake = Fake::start_as(run, counted);
        let results = soon(waits).await.unwrap();
        assert_eq!(results, [(false, 10002), (false, 10002)], "{run}");
        until_writable(&mut client).await;
        // It is idle, and has told all anew.
        let state = soon(client.get_command_state(newest())).await.unwrap();
        assert_eq!(state.into_inner().state(), CommandState::Pending, "{run}");
        let volume = soon(client.get_speaker_volume(newest())).await.unwrap();
        assert_eq!(volume.into_inner().volume, 5, "{run}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_was_only_seen_to_run_ends_with_its_robot_too() {
    let _turn = turn();
    let (fake, _adapter, mut client) = set_up(&[]).await;
    // As one of a shortcut, whose reply has no id.
    let command = ("of-a-shortcut".to_owned(), OnboardCommand::default());
    fake.does(move |robot| robot.run(Some(command)));
    let mut cursor = None;
    let id = loop {
        let request = GetRequest { metadata: cursor };
        let state = told!(soon(client.get_command_state(request)));
        if !state.command_id.is_empty() {
            break state.command_id;
        }
        cursor = state.metadata;
    };
    drop(fake);
    let _fake = Fake::start_as("second-", 0);
    assert_eq!(result_of(&mut client, &id).await, (false, 10002));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_robot_that_hangs_is_noticed_though_it_is_on_the_graph() {
    let _turn = turn();
    let (fake, _adapter, mut client) = set_up(&["grace:=0.5"]).await;
    fake.does(|robot| robot.mute = true);
    let begun = Instant::now();
    let refused = soon(client.stop_sound(StopSoundRequest {}))
        .await
        .unwrap_err();
    assert_eq!(refused.code(), Code::Unavailable, "{refused}");
    assert!(
        begun.elapsed() < Duration::from_secs(20),
        "after {:?}",
        begun.elapsed()
    );
    fake.does(|robot| {
        robot.mute = false;
        robot.change(|_| {});
    });
    until_writable(&mut client).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_hangs_as_soon_as_it_is_replaced_is_noticed() {
    let _turn = turn();
    let (fake, _adapter, mut client) = set_up(&["grace:=0.5"]).await;
    drop(fake);
    let fake = Fake::start_mute();
    // Of the one that hangs nothing is known, so that a read waits, but not for ever.
    let refused = loop {
        match soon(client.get_robot_version(newest())).await {
            // The grace after the one before.
            Ok(_) => {}
            Err(status) => break status,
        }
    };
    assert_eq!(refused.code(), Code::Unavailable, "{refused}");
    fake.does(|robot| {
        robot.mute = false;
        robot.change(|_| {});
    });
    until_writable(&mut client).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn reads_wait_for_the_first_robot_and_writes_do_not() {
    let _turn = turn();
    let adapter = Adapter::start(&["grace:=0.1"]);
    let mut client = connect(&adapter).await;
    let mut waiting = connect(&adapter).await;
    let waits = tokio::spawn(async move { waiting.get_robot_version(newest()).await });
    let refused = soon(client.stop_sound(StopSoundRequest {}))
        .await
        .unwrap_err();
    assert_eq!(refused.code(), Code::Unavailable, "{refused}");
    let answer = client.get_robot_error_code_json(EmptyRequest {}).await;
    assert!(answer.is_ok(), "{answer:?}");
    let ready = client.is_ready(EmptyRequest {}).await.unwrap();
    assert!(!ready.into_inner().ready);
    assert!(!waits.is_finished(), "{:?}", waits.await);
    // The adapter was there first, and finds the robot.
    let _fake = Fake::start();
    let version = soon(waits).await.unwrap().unwrap().into_inner();
    assert_eq!(version.version, "3.17.5");
    until_writable(&mut client).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_adapter_that_comes_late_tells_only_what_is_now() {
    let _turn = turn();
    let (fake, _first, mut client) = set_up(&[]).await;
    // Less than what late readers get of it.
    for volume in 1..=4 {
        localize(&mut client).await;
        fake.does(move |robot| {
            robot.finish(0);
            robot.change(|state| state.speaker_volume = volume);
        });
    }
    let running = localize(&mut client).await;
    let last = fake.does(|robot| robot.history[0].id.clone());
    let second = Adapter::start(&[]);
    let mut late = connect(&second).await;
    let state = soon(late.get_command_state(newest())).await.unwrap();
    let state = state.into_inner();
    assert_eq!(
        (state.state(), &state.command_id),
        (CommandState::Running, &running)
    );
    let result = told!(late.get_last_command_result(newest()));
    assert_eq!(result.command_id, last);
    assert_eq!(told!(late.get_speaker_volume(newest())).volume, 4);
    let histories = told!(late.get_history_list(newest())).histories;
    assert_eq!(histories.len(), 4, "{histories:?}");
    let more = unanswered(late.get_last_command_result(newer(result.metadata))).await;
    assert!(more.is_none(), "{more:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn signals_end_it_with_success_and_all_who_wait_are_told() {
    let _turn = turn();
    for signal in ["INT", "TERM"] {
        let (_fake, mut adapter, mut client) = set_up(&[]).await;
        let first = told!(client.get_speaker_volume(newest()));
        let mut waiting = connect(&adapter).await;
        let request = newer(first.metadata);
        let waits = tokio::spawn(async move { waiting.get_speaker_volume(request).await });
        let stream = client.get_dynamic_transform(EmptyRequest {}).await.unwrap();
        let mut stream = stream.into_inner();
        let status = adapter.end_by(signal);
        assert!(status.success(), "{signal}: {status}");
        let refused = soon(waits).await.unwrap().unwrap_err();
        assert_eq!(refused.code(), Code::Unavailable, "{signal}: {refused}");
        let end = soon(stream.message()).await;
        assert!(matches!(end, Ok(None)), "{signal}: {end:?}");
    }
}

#[test]
fn a_start_that_can_not_be_says_why() {
    let _turn = turn();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = format!("port:={}", taken.local_addr().unwrap().port());
    for (parameter, wanted) in [
        (port.as_str(), "in use"),
        ("host:='300.1.1.1'", "can't listen on 300.1.1.1"),
        ("prot:=1", "did you mean \"port\"?"),
        ("port:=70000", "0 to 65535"),
        ("robot_namespace:='2nd one'", "such as kachaka"),
    ] {
        let (status, said) = Adapter::run_to_end(&[parameter]);
        assert_eq!(status.code(), Some(1), "{parameter}: {said}");
        assert!(said.contains(wanted), "{parameter}: {said}");
    }
}
