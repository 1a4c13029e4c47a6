//! Commands as the clients of the real robot follow them.

use std::time::{Duration, Instant};

use tatami::grpc::proto::*;

use super::client::{Client, connect, newer, newest, set_up, soon, told};
use super::fake::time;
use super::ros::{PATIENCE, turn};

fn forward(distance: f64) -> Command {
    let command = MoveForwardCommand {
        distance_meter: distance,
        ..Default::default()
    };
    Command {
        command: Some(command::Command::MoveForwardCommand(command)),
    }
}

async fn start(client: &mut Client, cancel_all: bool) -> String {
    let request = StartCommandRequest {
        command: Some(forward(1.0)),
        cancel_all,
        ..Default::default()
    };
    let reply = told!(client.start_command(request));
    assert!(reply.result.unwrap().success);
    reply.command_id
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_of_a_command_reaches_the_robot() {
    let _turn = turn();
    let (fake, _adapter, mut client) = set_up(&[]).await;
    let request = StartCommandRequest {
        command: Some(forward(0.5)),
        cancel_all: true,
        tts_on_success: "done".to_owned(),
        title: "soup".to_owned(),
        deferrable: true,
        lock_on_end: Some(LockOnEnd { duration_sec: 7.0 }),
    };
    client.start_command(request).await.unwrap();
    let asked = fake.asked("sim/command/start").unwrap();
    for part in [
        "distance: 0.5",
        "type_: 16",
        "cancel_all: true",
        "\"done\"",
        "\"soup\"",
        "deferrable: true",
        "lock_on_end: 7.0",
    ] {
        assert!(asked.contains(part), "{part} in {asked}");
    }
    let state = told!(client.get_command_state(newest()));
    assert_eq!(state.state(), CommandState::Running);
    assert_eq!(state.command, Some(forward(0.5)));
    // A command that this version does not know is the robot's to refuse.
    let reply = told!(client.start_command(StartCommandRequest::default()));
    let result = reply.result.unwrap();
    assert_eq!((result.success, result.error_code), (false, 90001));
    assert_eq!(reply.command_id, "");
    let cancelled = told!(client.cancel_command(EmptyRequest {}));
    assert_eq!(cancelled.command, Some(forward(0.5)));
    let nothing = told!(client.cancel_command(EmptyRequest {}));
    assert_eq!(
        (nothing.result.unwrap().success, nothing.command),
        (false, None)
    );
    let request = StartShortcutCommandRequest {
        target_shortcut_id: "SC1".to_owned(),
        cancel_all: true,
    };
    client.start_shortcut_command(request).await.unwrap();
    let asked = fake.asked("sim/shortcut/start").unwrap();
    assert!(
        asked.contains("\"SC1\"") && asked.contains("cancel_all: true"),
        "{asked}"
    );
    client.proceed(EmptyRequest {}).await.unwrap();
    assert!(fake.asked("sim/command/proceed").is_some());
}

/// As the pip client waits: the cursor of one call goes into another.
#[tokio::test(flavor = "multi_thread")]
async fn the_official_way_to_wait_ends_for_every_command() {
    let _turn = turn();
    let (fake, _adapter, mut client) = set_up(&["min_running:=0.05", "min_result:=0.02"]).await;
    for round in 0..20 {
        let state = told!(client.get_command_state(newest()));
        let mut cursor = state.metadata;
        let id = start(&mut client, true).await;
        // It may be over before the client asks for its result.
        fake.does(move |robot| robot.finish(if round % 2 == 0 { 0 } else { 10253 }));
        let result = loop {
            let answer = soon(client.get_last_command_result(newer(cursor)))
                .await
                .unwrap();
            let answer = answer.into_inner();
            cursor = answer.metadata;
            if answer.command_id == id {
                break answer.result.unwrap();
            }
        };
        let expected = if round % 2 == 0 {
            (true, 0)
        } else {
            (false, 10253)
        };
        assert_eq!(
            (result.success, result.error_code),
            expected,
            "round {round}"
        );
        let state = told!(client.get_command_state(newest()));
        assert_eq!(state.state(), CommandState::Pending, "round {round}");
        assert_eq!((state.command, state.command_id.as_str()), (None, ""));
    }
}

/// As the ROS bridge polls: every 20 ms, and only the latest value is told.
#[tokio::test(flavor = "multi_thread")]
async fn slow_pollers_see_every_command_run_and_every_result() {
    let _turn = turn();
    // Long enough for pollers on a busy machine.
    let times = ["min_running:=1.0", "min_result:=1.0"];
    let (fake, adapter, mut client) = set_up(&times).await;
    let mut poller = connect(&adapter).await;
    let (sender, mut seen) = tokio::sync::watch::channel(Vec::new());
    let states = tokio::spawn(async move {
        let mut cursor = None;
        loop {
            tokio::time::sleep(Duration::from_millis(20)).await;
            let request = GetRequest { metadata: cursor };
            let state = told!(poller.get_command_state(request));
            cursor = state.metadata;
            sender.send_modify(|seen| seen.push(state.command_id));
        }
    });
    let mut poller = connect(&adapter).await;
    let results = tokio::spawn(async move {
        let mut seen: Vec<(String, i32)> = Vec::new();
        let mut cursor = None;
        while seen.len() < 7 {
            tokio::time::sleep(Duration::from_millis(20)).await;
            let request = GetRequest { metadata: cursor };
            let last = told!(soon(poller.get_last_command_result(request)));
            cursor = last.metadata;
            seen.push((
                last.command_id,
                last.result.map_or(-1, |result| result.error_code),
            ));
        }
        seen
    });
    // Three commands that are over in a moment, one after the other.
    let mut expected = vec![String::new()];
    for _ in 0..3 {
        soon(seen.wait_for(|seen| *seen == expected)).await.unwrap();
        expected.push(start(&mut client, true).await);
        expected.push(String::new());
        fake.does(|robot| robot.finish(0));
    }
    soon(seen.wait_for(|seen| *seen == expected)).await.unwrap();
    // One that runs, two that wait, all ended at once by a fourth.
    start(&mut client, true).await;
    start(&mut client, false).await;
    start(&mut client, false).await;
    start(&mut client, true).await;
    let results = soon(results).await.unwrap();
    let ids: Vec<&str> = results.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(ids, ["", "c-1", "c-2", "c-3", "c-4", "c-5", "c-6"]);
    let codes: Vec<i32> = results.iter().map(|(_, code)| *code).collect();
    assert_eq!(codes, [-1, 0, 0, 0, 10001, 10001, 10001]);
    states.abort();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_runs_and_a_result_stands_for_the_least_times() {
    let _turn = turn();
    let (fake, _adapter, mut client) = set_up(&["min_running:=0.5"]).await;
    let idle = told!(client.get_command_state(newest()));
    let begun = Instant::now();
    start(&mut client, true).await;
    fake.does(|robot| robot.finish(0));
    let running = soon(client.get_command_state(newer(idle.metadata)))
        .await
        .unwrap();
    let running = running.into_inner();
    assert_eq!(running.state(), CommandState::Running);
    let over = soon(client.get_command_state(newer(running.metadata)))
        .await
        .unwrap();
    assert_eq!(over.into_inner().state(), CommandState::Pending);
    let took = begun.elapsed();
    assert!(
        took >= Duration::from_millis(500),
        "it was over after {took:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_history_is_newest_first_with_unix_seconds() {
    let _turn = turn();
    let (fake, _adapter, mut client) = set_up(&[]).await;
    let now = || {
        std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .unwrap()
    };
    fake.does(|robot| robot.change(|state| state.stamp = time(100)));
    for code in [0, 11005] {
        start(&mut client, true).await;
        fake.does(move |robot| robot.finish(code));
    }
    let begun = Instant::now();
    let history = loop {
        let history = told!(client.get_history_list(newest())).histories;
        if history.len() == 2 {
            break history;
        }
        assert!(begun.elapsed() < PATIENCE, "{history:?}");
    };
    let codes: Vec<_> = history
        .iter()
        .map(|one| (one.id.as_str(), one.error_code))
        .collect();
    assert_eq!(codes, [("c-2", 11005), ("c-1", 0)]);
    assert_eq!(history[0].command, Some(forward(1.0)));
    // Sim time 100 s, told to have begun then; the anchor is the first state, at sim time 0.
    let executed = history[0].command_executed_time;
    let expected = now().as_secs() as i64 + 100;
    assert!(
        (executed - expected).abs() <= 60,
        "{executed}, expected about {expected}"
    );
}

/// Far longer than the test takes.
const LONG: &str = "min_running:=10";

#[tokio::test(flavor = "multi_thread")]
async fn who_cancels_reads_the_end_at_once() {
    let _turn = turn();
    let (_fake, _adapter, mut client) = set_up(&[LONG]).await;
    for stop in [false, true] {
        let id = start(&mut client, true).await;
        let state = client.get_command_state(newest()).await.unwrap();
        assert_eq!(state.into_inner().command_id, id);
        client.cancel_command(EmptyRequest {}).await.unwrap();
        if stop {
            client.set_emergency_stop(EmptyRequest {}).await.unwrap();
        }
        let state = client.get_command_state(newest()).await.unwrap();
        assert_eq!(state.into_inner().state(), CommandState::Pending);
        let mut cursor = None;
        let last = loop {
            let request = GetRequest { metadata: cursor };
            let last = soon(client.get_last_command_result(request)).await.unwrap();
            let last = last.into_inner();
            if last.command_id == id {
                break last;
            }
            cursor = last.metadata;
        };
        assert_eq!(last.result.unwrap().error_code, 10001);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_command_is_read_at_once_beside_one_that_is_shown_longer() {
    let _turn = turn();
    let (fake, _adapter, mut client) = set_up(&[LONG]).await;
    for _ in 0..3 {
        let id = start(&mut client, true).await;
        let state = client.get_command_state(newest()).await.unwrap();
        assert_eq!(state.into_inner().command_id, id);
        fake.does(|robot| robot.finish(0));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_ends_in_its_start_is_read_as_running_first() {
    let _turn = turn();
    let (fake, _adapter, mut client) = set_up(&["min_running:=1.0"]).await;
    fake.does(|robot| robot.paused = true);
    let id = start(&mut client, true).await;
    let state = client.get_command_state(newest()).await.unwrap();
    let state = state.into_inner();
    assert_eq!(
        (state.state(), &state.command_id),
        (CommandState::Running, &id)
    );
    assert_eq!(state.command, Some(forward(1.0)));
    let over = soon(client.get_command_state(newer(state.metadata)))
        .await
        .unwrap();
    assert_eq!(over.into_inner().state(), CommandState::Pending);
    // In the same step.
    let last = client.get_last_command_result(newest()).await.unwrap();
    let last = last.into_inner();
    assert_eq!(last.command_id, id);
    assert_eq!(last.result.unwrap().error_code, 10107);
}
