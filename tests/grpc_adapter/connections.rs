//! Connections that are too many, say nothing or ping all the time.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use tatami::grpc::proto::*;

use super::adapter::Adapter;
use super::client::{connect, newest, set_up, soon, told};
use super::ros::{PATIENCE, turn};

fn dial(adapter: &Adapter) -> TcpStream {
    let stream = TcpStream::connect(("127.0.0.1", adapter.port)).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
}

#[tokio::test(flavor = "multi_thread")]
async fn without_files_for_more_it_rests_and_serves_again_when_there_are() {
    let _turn = turn();
    let (_fake, adapter, mut client) = set_up(&[]).await;
    let most = adapter.files() + 5;
    adapter.limit_files(most);
    let flood: Vec<TcpStream> = (0..50).map(|_| dial(&adapter)).collect();
    let begun = Instant::now();
    while adapter.files() < most {
        assert!(begun.elapsed() < PATIENCE, "{} files", adapter.files());
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    // The others are in the backlog all the time. A loop that tries again at once takes all that
    // it gets of a core.
    let (begun, before) = (Instant::now(), adapter.cpu());
    while begun.elapsed() < Duration::from_secs(1) {
        told!(client.get_speaker_volume(newest()));
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let busy = (adapter.cpu() - before) / begun.elapsed().as_secs_f64();
    assert!(busy < 0.2, "it uses {busy} of a core");
    drop(flood);
    let mut fresh = soon(connect(&adapter)).await;
    told!(soon(fresh.get_speaker_volume(newest())));
    let said = adapter.said();
    let lines = said.matches("no connection can be taken").count();
    // One in 10 s.
    assert!((1..=3).contains(&lines), "{lines} lines: {said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_that_do_not_say_what_they_want_are_closed() {
    let _turn = turn();
    let (_fake, adapter, mut client) = set_up(&[]).await;
    let preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    let mut silent: Vec<TcpStream> = [
        "",
        "P",
        &preface[..20],
        "POST /kachaka_api.KachakaApi/IsReady HTTP/1.1\r\nhost: x\r\nx-half: 1",
    ]
    .into_iter()
    .map(|said| {
        let mut stream = dial(&adapter);
        stream.write_all(said.as_bytes()).unwrap();
        stream
    })
    .collect();
    // It does not ask either, but has said how it will.
    let mut quiet = connect(&adapter).await;
    for (index, stream) in silent.iter_mut().enumerate() {
        let mut rest = Vec::new();
        match stream.read_to_end(&mut rest) {
            Ok(_) => {}
            Err(error) => assert_eq!(error.kind(), ErrorKind::ConnectionReset, "{index}: {error}"),
        }
    }
    told!(quiet.get_speaker_volume(newest()));
    told!(client.is_ready(EmptyRequest {}));
}

/// A frame of HTTP/2 that belongs to no stream.
fn frame(kind: u8, flags: u8, payload: &[u8]) -> Vec<u8> {
    let length = (payload.len() as u32).to_be_bytes();
    let head = [length[1], length[2], length[3], kind, flags, 0, 0, 0, 0];
    [&head, payload].concat()
}

#[tokio::test(flavor = "multi_thread")]
async fn keepalive_pings_are_welcome_at_any_rate() {
    const SETTINGS: u8 = 4;
    const PING: u8 = 6;
    const GO_AWAY: u8 = 7;
    const COUNT: u64 = 1000;
    let _turn = turn();
    let (_fake, adapter, _client) = set_up(&[]).await;
    let mut stream = dial(&adapter);
    stream
        .write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
        .unwrap();
    stream.write_all(&frame(SETTINGS, 0, &[])).unwrap();
    let mut answered = 0;
    // Far more often than any client does, and yet each is answered.
    for number in 0..COUNT {
        let ping = frame(PING, 0, &number.to_be_bytes());
        stream.write_all(&ping).unwrap();
        while answered <= number {
            let mut head = [0; 9];
            stream.read_exact(&mut head).unwrap();
            let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
            let mut payload = vec![0; length as usize];
            stream.read_exact(&mut payload).unwrap();
            assert_ne!(head[3], GO_AWAY, "after {number} pings: {payload:?}");
            if head[3] == PING && head[4] == 1 {
                assert_eq!(payload, answered.to_be_bytes());
                answered += 1;
            }
        }
    }
}
