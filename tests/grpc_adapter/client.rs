//! Clients, and waiting for what they should see.

use std::time::{Duration, Instant};

use tatami::grpc::proto::kachaka_api_client::KachakaApiClient;
use tatami::grpc::proto::{GetRequest, Metadata};
use tonic::transport::Channel;
use tonic::{Code, Status};

use super::adapter::Adapter;
use super::fake::Fake;
use super::ros::PATIENCE;

pub(crate) type Client = KachakaApiClient<Channel>;

/// A client on a connection of its own.
pub(crate) async fn connect(adapter: &Adapter) -> Client {
    let address = format!("http://127.0.0.1:{}", adapter.port);
    Client::connect(address).await.expect("it listens")
}

/// A robot, an adapter that has heard it, and a client.
pub(crate) async fn set_up(parameters: &[&str]) -> (Fake, Adapter, Client) {
    let fake = Fake::start();
    let adapter = Adapter::start(parameters);
    let mut client = connect(&adapter).await;
    until_writable(&mut client).await;
    (fake, adapter, client)
}

/// Waits until the robot can be asked something.
pub(crate) async fn until_writable(client: &mut Client) {
    let begun = Instant::now();
    loop {
        match client
            .stop_sound(tatami::grpc::proto::StopSoundRequest {})
            .await
        {
            Ok(_) => return,
            Err(status) => assert!(
                status.code() == Code::Unavailable && begun.elapsed() < PATIENCE,
                "{status}"
            ),
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// A request for whatever is newest.
pub(crate) fn newest() -> GetRequest {
    GetRequest { metadata: None }
}

/// A request for something newer than what had this metadata.
pub(crate) fn newer(metadata: Option<Metadata>) -> GetRequest {
    assert_ne!(metadata.expect("metadata").cursor, 0);
    GetRequest { metadata }
}

/// What a call is answered with.
macro_rules! told {
    ($call:expr) => {
        $call.await.unwrap().into_inner()
    };
}
pub(crate) use told;

/// Bytes without a meaning, the same in each run.
pub(crate) struct Rubbish(u64);

impl Rubbish {
    pub(crate) fn new() -> Self {
        Self(88172645463325252)
    }

    /// The next ones.
    pub(crate) fn bytes(&mut self, count: usize) -> Vec<u8> {
        // Xorshift.
        let next = |_| {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            self.0 as u8
        };
        (0..count).map(next).collect()
    }
}

/// Whether a call is not answered for a while: `None` when it was not.
pub(crate) async fn unanswered<T>(
    call: impl Future<Output = Result<T, Status>>,
) -> Option<Result<T, Status>> {
    tokio::time::timeout(Duration::from_millis(300), call)
        .await
        .ok()
}

/// Waits for an answer that does not come by itself.
pub(crate) async fn soon<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, future)
        .await
        .expect("an answer")
}
