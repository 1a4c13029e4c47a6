//! What browsers ask before they let a page of another origin call the service by gRPC-Web.

use std::time::Duration;

use tonic::codegen::http::{HeaderName, Method};
use tower_http::cors::{Any, CorsLayer};

/// What pages may send along.
const REQUEST_HEADERS: [HeaderName; 4] = [
    HeaderName::from_static("content-type"),
    HeaderName::from_static("grpc-timeout"),
    HeaderName::from_static("x-grpc-web"),
    HeaderName::from_static("x-user-agent"),
];
/// What pages may read of answers.
const RESPONSE_HEADERS: [HeaderName; 3] = [
    HeaderName::from_static("grpc-status"),
    HeaderName::from_static("grpc-message"),
    HeaderName::from_static("grpc-status-details-bin"),
];
/// How long a browser need not ask again.
const MAX_AGE: Duration = Duration::from_secs(24 * 60 * 60);

/// Lets pages of any origin call the service within: it has no authentication that a page could
/// abuse, and it listens on this machine alone unless told otherwise.
pub(super) fn any_origin() -> CorsLayer {
    CorsLayer::new()
        .allow_origin(Any)
        .allow_methods([Method::POST])
        .allow_headers(REQUEST_HEADERS)
        .expose_headers(RESPONSE_HEADERS)
        .max_age(MAX_AGE)
}
