//! Clients that flood, vanish or send rubbish harm no other client.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use futures::future::join_all;
use tatami::grpc::proto::{AddSoundRequest, GetRequest, GetSpeakerVolumeResponse};
use tokio::task::JoinHandle;
use tonic::{Code, Response, Status};

use super::adapter::Adapter;
use super::client::{Client, Rubbish, connect, newer, newest, set_up, soon, told, unanswered};
use super::ros::{PATIENCE, turn};

/// A client that takes and sends messages of any size.
async fn unbounded(adapter: &Adapter) -> Client {
    let most = 256 * 1024 * 1024;
    let client = connect(adapter).await;
    client
        .max_encoding_message_size(most)
        .max_decoding_message_size(most)
}

/// Calls of one connection that wait for another volume than this one.
fn polls(
    client: &Client,
    count: usize,
    seen: &GetSpeakerVolumeResponse,
) -> Vec<JoinHandle<Result<Response<GetSpeakerVolumeResponse>, Status>>> {
    let poll = |_| {
        let mut client = client.clone();
        let request = newer(seen.metadata);
        tokio::spawn(async move { client.get_speaker_volume(request).await })
    };
    (0..count).map(poll).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_thousand_polls_of_one_client_leave_the_others_alone() {
    let _turn = turn();
    let (fake, adapter, mut client) = set_up(&[]).await;
    let first = told!(client.get_speaker_volume(newest()));
    let before = adapter.resident();
    let flood = connect(&adapter).await;
    let polls = polls(&flood, 10_000, &first);
    // Most are refused; as many as one connection may have go on waiting.
    let mut other = connect(&adapter).await;
    let begun = Instant::now();
    loop {
        let answer = told!(soon(other.get_speaker_volume(newest())));
        assert_eq!(answer, first);
        let ended = polls.iter().filter(|poll| poll.is_finished()).count();
        if ended >= 10_000 - 512 {
            break;
        }
        assert!(begun.elapsed() < PATIENCE, "{ended} have ended");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    fake.does(|robot| robot.change(|state| state.speaker_volume = 6));
    let (mut answered, mut refused) = (0, 0);
    for poll in join_all(polls).await {
        match poll.unwrap() {
            Ok(answer) => {
                assert_eq!(answer.into_inner().volume, 6);
                answered += 1;
            }
            Err(status) => {
                assert_eq!(status.code(), Code::ResourceExhausted, "{status}");
                refused += 1;
            }
        }
    }
    assert_eq!((answered, refused), (512, 9488));
    let grown = adapter.resident().saturating_sub(before);
    assert!(grown < 100_000, "it grew by {grown} kB");
}

#[tokio::test(flavor = "multi_thread")]
async fn vanished_clients_leave_nothing_behind() {
    let _turn = turn();
    let (fake, adapter, mut client) = set_up(&[]).await;
    let first = told!(client.get_speaker_volume(newest()));
    // Together far more waiting calls than all may have at a time.
    for round in 0..40 {
        let mut gone = connect(&adapter).await;
        let polls = polls(&gone, 400, &first);
        // Its connection works until it goes.
        soon(gone.get_speaker_volume(newest())).await.unwrap();
        for poll in polls {
            assert!(!poll.is_finished(), "round {round}: {:?}", poll.await);
            poll.abort();
        }
    }
    // All places are free again: none of a fresh client's calls is refused.
    let fresh = connect(&adapter).await;
    let mut polls = join_all(polls(&fresh, 500, &first));
    let early = unanswered(async { Ok((&mut polls).await) }).await;
    assert!(early.is_none(), "{early:?}");
    fake.does(|robot| robot.change(|state| state.speaker_volume += 1));
    for answer in soon(polls).await {
        answer.unwrap().unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_gives_up_all_its_polls_at_once_keeps_its_connection() {
    let _turn = turn();
    let (_fake, adapter, mut client) = set_up(&[]).await;
    let first = told!(client.get_speaker_volume(newest()));
    let hasty = connect(&adapter).await;
    for _ in 0..10 {
        let polls = polls(&hasty, 2000, &first);
        tokio::task::yield_now().await;
        for poll in &polls {
            poll.abort();
        }
        for poll in polls {
            // Those that were answered before were refused for being too many.
            if let Ok(Err(status)) = poll.await {
                assert_eq!(status.code(), Code::ResourceExhausted, "{status}");
            }
        }
        let mut hasty = hasty.clone();
        soon(hasty.get_speaker_volume(newest())).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn rubbish_on_the_wire_is_refused() {
    let _turn = turn();
    let (_fake, adapter, mut client) = set_up(&[]).await;
    let huge = AddSoundRequest {
        name: "huge".to_owned(),
        data: vec![0; 100_000_000],
    };
    let status = unbounded(&adapter).await.add_sound(huge).await.unwrap_err();
    assert_eq!(status.code(), Code::ResourceExhausted, "{status}");
    let mut rubbish = Rubbish::new();
    for length in [0, 1, 9, 1000, 100_000] {
        let mut stream = TcpStream::connect(("127.0.0.1", adapter.port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        // It may hang up before all is sent.
        let _ = stream.write_all(&rubbish.bytes(length));
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let _ = stream.read_to_end(&mut Vec::new());
    }
    let alive = told!(client.get_robot_version(newest()));
    assert_eq!(alive.version, "3.17.5");
}

#[tokio::test(flavor = "multi_thread")]
async fn twenty_clients_poll_as_the_bridge_does_and_memory_stays() {
    let _turn = turn();
    let (fake, adapter, _client) = set_up(&[]).await;
    let mut polls = Vec::new();
    for _ in 0..20 {
        let mut client = connect(&adapter).await;
        polls.push(tokio::spawn(async move {
            let mut cursor = None;
            let mut last = 0;
            // The last change of the robot, which no poller may miss.
            while last != 1000 {
                tokio::time::sleep(Duration::from_millis(20)).await;
                let request = GetRequest { metadata: cursor };
                let call = client.get_error(request);
                let answer = match tokio::time::timeout(Duration::from_secs(5), call).await {
                    Ok(answer) => answer.unwrap().into_inner(),
                    Err(_) => continue,
                };
                assert_ne!(cursor, answer.metadata);
                cursor = answer.metadata;
                last = answer.error_codes.first().copied().unwrap_or(0);
            }
        }));
    }
    let mut sizes = Vec::new();
    for code in 1..=1000 {
        fake.does(move |robot| robot.change(|state| state.errors = vec![code]));
        tokio::time::sleep(Duration::from_millis(5)).await;
        if code % 100 == 0 {
            sizes.push(adapter.resident());
        }
    }
    for poll in polls {
        soon(poll).await.unwrap();
    }
    let grown = sizes[9].saturating_sub(sizes[2]);
    assert!(grown < 10_000, "it grew by {grown} kB: {sizes:?}");
}
