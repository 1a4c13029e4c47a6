//! What browsers ask before they let a page of another origin call the service by gRPC-Web.

use std::task::{Context, Poll};

use tonic::body::Body;
use tonic::codegen::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_METHOD, ORIGIN,
};
use tonic::codegen::http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode};
use tonic::codegen::{BoxFuture, Service};
use tonic::server::NamedService;

/// Lets pages of any origin call the service within: it has no authentication that a page could
/// abuse, and it listens on this machine alone unless told otherwise.
#[derive(Debug, Clone)]
pub(super) struct Cors<S>(pub(super) S);

impl<S: NamedService> NamedService for Cors<S> {
    const NAME: &'static str = S::NAME;
}

impl<S> Service<Request<Body>> for Cors<S>
where
    S: Service<Request<Body>, Response = Response<Body>>,
    S::Future: Send + 'static,
    S::Error: Send + 'static,
{
    type Response = Response<Body>;
    type Error = S::Error;
    type Future = BoxFuture<Response<Body>, S::Error>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let headers = request.headers();
        let from_page = headers.contains_key(ORIGIN);
        let is_question = headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD);
        if from_page && is_question && request.method() == Method::OPTIONS {
            let mut response = Response::new(Body::empty());
            *response.status_mut() = StatusCode::NO_CONTENT;
            allow(response.headers_mut());
            return Box::pin(async { Ok(response) });
        }
        let answered = self.0.call(request);
        Box::pin(async move {
            let mut response = answered.await?;
            if from_page {
                allow(response.headers_mut());
            }
            Ok(response)
        })
    }
}

fn allow(headers: &mut HeaderMap) {
    for (name, value) in [
        (ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
        (ACCESS_CONTROL_ALLOW_METHODS, "POST, OPTIONS"),
        (
            ACCESS_CONTROL_ALLOW_HEADERS,
            "content-type, grpc-timeout, x-grpc-web, x-user-agent",
        ),
        (
            ACCESS_CONTROL_EXPOSE_HEADERS,
            "grpc-status, grpc-message, grpc-status-details-bin",
        ),
        (ACCESS_CONTROL_MAX_AGE, "86400"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
}
