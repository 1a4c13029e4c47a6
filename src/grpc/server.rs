//! The adapter from its start to its end.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tonic::service::{InterceptorLayer, LayerExt};
use tonic::transport::Server;
use tonic_health::ServingStatus;
use tonic_health::server::HealthReporter;
use tonic_web::GrpcWebLayer;

use super::api::Api;
use super::connections::incoming;
use super::cors::any_origin;
use super::limits::{
    GIVEN_UP_PER_CONNECTION, MESSAGE_BYTES, STREAMS_PER_CONNECTION, WINDOW_PER_CONNECTION,
};
use super::link::{self, Link};
use super::presence::{Presence, Watch};
use super::proto::DESCRIPTORS;
use super::proto::kachaka_api_server::KachakaApiServer;
use super::settings::{SettingError, Settings};
use super::statuses::{Statuses, note_deadline};
use super::view::View;
use crate::ros::{ServerError, create_context, overrides};

/// Threads that serve calls.
const WORKERS: usize = 2;
/// Threads that draw and read maps.
const DRAWERS: usize = 4;
/// After which silence of a connection it is asked whether somebody is there, and how long for
/// an answer, so that vanished clients leave nothing behind.
const KEEPALIVE: Duration = Duration::from_secs(30);
/// How long calls have to end at the end.
const FAREWELL: Duration = Duration::from_secs(2);

/// Why the adapter can't run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AdapterError {
    /// A parameter that can't be taken.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// ROS does not start.
    #[error(transparent)]
    Start(#[from] ServerError),
    /// The middleware refused.
    #[error("ROS: {0}")]
    Ros(#[from] r2r::Error),
    /// The port is taken, or the address is none of this machine.
    #[error("can't listen on {address}: {error}")]
    Listen {
        /// Host and port.
        address: String,
        /// Why.
        error: io::Error,
    },
    /// The machine does not give what the adapter needs.
    #[error(transparent)]
    System(#[from] io::Error),
    /// The server of gRPC.
    #[error("gRPC: {0}")]
    Serve(#[from] tonic::transport::Error),
    /// The descriptors for reflection.
    #[error("reflection: {0}")]
    Reflection(#[from] tonic_reflection::server::Error),
}

/// Serves as node `kachaka_grpc` until SIGINT or SIGTERM. Prints one line when it listens.
///
/// # Errors
/// When it can't start or go on: see [`AdapterError`].
pub fn serve() -> Result<(), AdapterError> {
    let node = link::node(create_context()?)?;
    let settings = Settings::new(overrides(&node))?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(WORKERS)
        .max_blocking_threads(DRAWERS)
        .enable_all()
        .build()?;
    let outcome = runtime.block_on(run(node, &settings));
    // Nothing is left that is worth waiting for.
    runtime.shutdown_background();
    outcome
}

async fn run(node: r2r::Node, settings: &Settings) -> Result<(), AdapterError> {
    let listener = listen(settings).await?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let grace = Duration::from_secs_f64(settings.grace);
    let watch = Arc::new(Watch::new(&settings.robot, grace));
    let view = Arc::new(View::new(settings.stamps(), settings.dwell()));
    let (link, services) = Link::open(node, &settings.robot, &view, &watch)?;
    let shown = Arc::clone(&view);
    tokio::spawn(async move { shown.keep_showing().await });
    let drawn = Arc::clone(&view);
    tokio::spawn(async move { drawn.keep_drawing().await });
    println!("listening on {}", listener.local_addr()?);
    let api = Api::new(&view, &watch, &services, settings.give_up());
    let served = serve_calls(listener, api, &watch);
    let ended = async {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        watch.end();
        // Calls that wait end now; a client that does not read its answers is left.
        tokio::time::sleep(FAREWELL).await;
    };
    let outcome = tokio::select! {
        outcome = served => outcome,
        () = ended => Ok(()),
    };
    drop(link);
    tracing::info!("ended");
    outcome
}

async fn listen(settings: &Settings) -> Result<TcpListener, AdapterError> {
    let bound = TcpListener::bind((settings.host.as_str(), settings.port)).await;
    bound.map_err(|error| AdapterError::Listen {
        address: format!("{}:{}", settings.host, settings.port),
        error,
    })
}

/// Serves until the adapter is ending and the last call has ended.
async fn serve_calls(
    listener: TcpListener,
    api: Api,
    watch: &Arc<Watch>,
) -> Result<(), AdapterError> {
    let kachaka = KachakaApiServer::new(api).max_decoding_message_size(MESSAGE_BYTES);
    let kachaka = GrpcWebLayer::new().named_layer(Statuses(kachaka));
    let kachaka = any_origin().named_layer(kachaka);
    let (reporter, health) = tonic_health::server::health_reporter();
    tokio::spawn(report_health(reporter, Arc::clone(watch)));
    let reflection = || {
        tonic_reflection::server::Builder::configure()
            .register_encoded_file_descriptor_set(DESCRIPTORS)
            .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
    };
    let mut presence = watch.subscribe();
    let ending = async move {
        // The sender lives as long as the server.
        let _ = presence
            .wait_for(|presence| *presence == Presence::Ending)
            .await;
    };
    Server::builder()
        .layer(InterceptorLayer::new(note_deadline))
        .accept_http1(true)
        .max_concurrent_streams(STREAMS_PER_CONNECTION)
        .initial_connection_window_size(WINDOW_PER_CONNECTION)
        .http2_max_pending_accept_reset_streams(Some(GIVEN_UP_PER_CONNECTION))
        .http2_keepalive_interval(Some(KEEPALIVE))
        .http2_keepalive_timeout(Some(KEEPALIVE))
        .add_service(kachaka)
        .add_service(health)
        .add_service(reflection().build_v1()?)
        .add_service(reflection().build_v1alpha()?)
        .serve_with_incoming_shutdown(incoming(listener, KEEPALIVE), ending)
        .await?;
    Ok(())
}

/// Tells by the health service whether the robot is there.
async fn report_health(reporter: HealthReporter, watch: Arc<Watch>) {
    let mut presence = watch.subscribe();
    loop {
        let status = match *presence.borrow_and_update() {
            Presence::Here => ServingStatus::Serving,
            _ => ServingStatus::NotServing,
        };
        for service in ["", "kachaka_api.KachakaApi"] {
            reporter.set_service_status(service, status).await;
        }
        if presence.changed().await.is_err() {
            return;
        }
    }
}
