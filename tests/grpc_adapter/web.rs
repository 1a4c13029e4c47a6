//! Health, reflection and gRPC-Web for browsers.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Instant;

use tonic::transport::Endpoint;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;
use tonic_reflection::pb::v1::ServerReflectionRequest;
use tonic_reflection::pb::v1::server_reflection_client::ServerReflectionClient;
use tonic_reflection::pb::v1::server_reflection_request::MessageRequest;
use tonic_reflection::pb::v1::server_reflection_response::MessageResponse;

use super::adapter::Adapter;
use super::client::{Rubbish, newest, set_up, soon, told};
use super::ros::{PATIENCE, turn};

#[tokio::test(flavor = "multi_thread")]
async fn health_and_reflection_are_served() {
    let _turn = turn();
    let (fake, adapter, mut client) = set_up(&["grace:=1000"]).await;
    let address = format!("http://127.0.0.1:{}", adapter.port);
    let channel = Endpoint::from_shared(address)
        .unwrap()
        .connect()
        .await
        .unwrap();
    let mut health = HealthClient::new(channel.clone());
    for service in ["", "kachaka_api.KachakaApi"] {
        let request = HealthCheckRequest {
            service: service.to_owned(),
        };
        let status = told!(health.check(request)).status;
        assert_eq!(status, ServingStatus::Serving as i32, "{service:?}");
    }
    // Lost, though its last values are still told.
    drop(fake);
    let lost = Instant::now();
    for service in ["", "kachaka_api.KachakaApi"] {
        loop {
            let request = HealthCheckRequest {
                service: service.to_owned(),
            };
            let status = told!(health.check(request)).status;
            if status == ServingStatus::NotServing as i32 {
                break;
            }
            assert!(lost.elapsed() < PATIENCE, "{service:?} is served");
        }
    }
    let told = client.get_speaker_volume(newest()).await;
    assert!(told.is_ok(), "{told:?}");
    let mut reflection = ServerReflectionClient::new(channel);
    let request = ServerReflectionRequest {
        host: String::new(),
        message_request: Some(MessageRequest::ListServices(String::new())),
    };
    let stream = futures::stream::iter([request]);
    let mut answers = told!(reflection.server_reflection_info(stream));
    let answer = soon(answers.message()).await.unwrap().unwrap();
    let Some(MessageResponse::ListServicesResponse(list)) = answer.message_response else {
        panic!("{answer:?}");
    };
    let names: Vec<_> = list
        .service
        .iter()
        .map(|service| service.name.as_str())
        .collect();
    assert!(names.contains(&"kachaka_api.KachakaApi"), "{names:?}");
}

/// Sends a request of HTTP/1.1 and reads its answer to the end.
fn ask(adapter: &Adapter, head: &str, body: &[u8]) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", adapter.port)).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let head = format!("{head}\r\nhost: x\r\nconnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(body).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    String::from_utf8_lossy(&answer).into_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn browsers_of_any_origin_are_answered() {
    let _turn = turn();
    let (_fake, adapter, _client) = set_up(&[]).await;
    let path = "/kachaka_api.KachakaApi/GetRobotVersion";
    let head = format!(
        "OPTIONS {path} HTTP/1.1\r\norigin: http://page\r\naccess-control-request-method: POST\
         \r\naccess-control-request-headers: content-type,x-grpc-web"
    );
    let answer = ask(&adapter, &head, b"").to_lowercase();
    assert!(answer.starts_with("http/1.1 200"), "{answer}");
    assert!(
        answer.contains("access-control-allow-origin: *"),
        "{answer}"
    );
    assert!(answer.contains("x-grpc-web"), "{answer}");
    let head = format!(
        "POST {path} HTTP/1.1\r\norigin: http://page\r\ncontent-type: application/grpc-web+proto\
         \r\nx-grpc-web: 1\r\ncontent-length: 5"
    );
    // One message without a byte.
    let answer = ask(&adapter, &head, &[0, 0, 0, 0, 0]);
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert!(answer.contains("3.17.5"), "{answer}");
    assert!(answer.contains("grpc-status:0"), "{answer}");
    let answer = answer.to_lowercase();
    assert!(
        answer.contains("access-control-allow-origin: *"),
        "{answer}"
    );
    assert!(
        answer.contains("access-control-expose-headers: grpc-status"),
        "{answer}"
    );
}

/// A call of gRPC-Web, whose head has these lines too, with a message that says to have this
/// length.
fn call(adapter: &Adapter, method: &str, head: &str, length: u32, message: &[u8]) -> String {
    let body = [&[0], &length.to_be_bytes()[..], message].concat();
    let head = format!(
        "POST /kachaka_api.KachakaApi/{method} HTTP/1.1\r\ncontent-type: \
         application/grpc-web+proto\r\ncontent-length: {}{head}",
        body.len()
    );
    // The status may be told in the head or at the end.
    ask(adapter, &head, &body).replace("grpc-status: ", "grpc-status:")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deadline_that_passes_is_told_as_such() {
    let _turn = turn();
    let (_fake, adapter, _client) = set_up(&[]).await;
    // No sample has come, so the call waits.
    for timeout in ["1n", "900u", "20m", "20m", "20m", "0S"] {
        let head = format!("\r\ngrpc-timeout: {timeout}");
        let answer = call(&adapter, "GetRosImu", &head, 0, &[]);
        assert!(answer.contains("grpc-status:4"), "{timeout}: {answer}");
    }
    let answer = call(&adapter, "GetRobotVersion", "\r\ngrpc-timeout: 1H", 0, &[]);
    assert!(answer.contains("grpc-status:0"), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_message_has_the_status_of_other_servers() {
    let _turn = turn();
    let (_fake, adapter, _client) = set_up(&[]).await;
    for (length, wanted) in [(1, 13), (4 * 1024 * 1024 + 1, 8)] {
        let answer = call(&adapter, "SetRobotPose", "", length, &[0xff]);
        assert!(
            answer.contains(&format!("grpc-status:{wanted}")),
            "{answer}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn random_and_truncated_messages_are_answered() {
    let _turn = turn();
    let (_fake, adapter, mut client) = set_up(&[]).await;
    let mut rubbish = Rubbish::new();
    let methods = [
        "GetRobotVersion",
        "StartCommand",
        "SetRobotPose",
        "ImportMap",
        "NoSuchCall",
    ];
    for method in methods {
        for length in [0_u32, 1, 2, 7, 40, 300] {
            for missing in [0, 1, 10_000_000] {
                let message = rubbish.bytes(length as usize);
                let answer = call(&adapter, method, "", length + missing, &message);
                let case = format!("{method}, {length} bytes, {missing} missing: {answer}");
                assert!(answer.starts_with("HTTP/1.1 200"), "{case}");
                assert!(answer.contains("grpc-status:"), "{case}");
                // A stream of parts may end anywhere; there the result says that it is no map.
                let ok = answer.contains("grpc-status:0");
                assert!(!ok || missing == 0 || method == "ImportMap", "{case}");
            }
        }
    }
    let version = told!(client.get_robot_version(newest()));
    assert_eq!(version.version, "3.17.5");
}
