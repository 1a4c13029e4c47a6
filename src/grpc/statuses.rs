//! Statuses as servers of gRPC give them, where the library gives others.
//!
//! It tells a client whose deadline has passed that its call was cancelled, and one whose
//! message is too large that it is out of range.

use std::future::poll_fn;
use std::pin::pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::Instant;
use tonic::body::Body;
use tonic::codegen::http::{HeaderValue, Request, Response};
use tonic::codegen::{BoxFuture, Service};
use tonic::server::NamedService;
use tonic::{Code, Status};

/// Until when a client waits for its answer.
#[derive(Debug, Clone, Copy)]
struct Deadline(Instant);

/// Notes the deadline of a call, before the library begins to count: so it is noticed here
/// first that it has passed. An interceptor for all services.
///
/// # Errors
/// None; interceptors may have some.
pub(super) fn note_deadline(mut request: tonic::Request<()>) -> Result<tonic::Request<()>, Status> {
    let header = request.metadata().get("grpc-timeout");
    let header = header.and_then(|header| header.to_str().ok());
    if let Some(timeout) = header.and_then(timeout) {
        let deadline = Deadline(Instant::now() + timeout);
        request.extensions_mut().insert(deadline);
    }
    Ok(request)
}

/// What the header `grpc-timeout` says: at most eight digits and a unit.
fn timeout(header: &str) -> Option<Duration> {
    let (digits, unit) = header.split_at_checked(header.len().checked_sub(1)?)?;
    if digits.len() > 8 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let value: u64 = digits.parse().ok()?;
    match unit {
        "H" => Some(Duration::from_secs(value * 3600)),
        "M" => Some(Duration::from_secs(value * 60)),
        "S" => Some(Duration::from_secs(value)),
        "m" => Some(Duration::from_millis(value)),
        "u" => Some(Duration::from_micros(value)),
        "n" => Some(Duration::from_nanos(value)),
        _ => None,
    }
}

/// Ends the calls of the service within that take longer than their client waits, and says of
/// messages that are too large that they are.
#[derive(Debug, Clone)]
pub(super) struct Statuses<S>(pub(super) S);

impl<S: NamedService> NamedService for Statuses<S> {
    const NAME: &'static str = S::NAME;
}

impl<S> Service<Request<Body>> for Statuses<S>
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
        let deadline = request.extensions().get::<Deadline>().copied();
        let answered = self.0.call(request);
        Box::pin(async move {
            let mut response = match deadline {
                None => answered.await?,
                Some(deadline) => in_time(answered, deadline).await?,
            };
            say_too_large(&mut response);
            Ok(response)
        })
    }
}

async fn in_time<E>(
    answered: impl Future<Output = Result<Response<Body>, E>>,
    Deadline(deadline): Deadline,
) -> Result<Response<Body>, E> {
    let mut answered = pin!(answered);
    let mut passes = pin!(tokio::time::sleep_until(deadline));
    poll_fn(|context| {
        let answer = answered.as_mut().poll(context);
        // The library's own timer may wake the call before this one does.
        let has_passed = passes.as_mut().poll(context).is_ready() || Instant::now() >= deadline;
        if answer.is_pending() && has_passed {
            let status = Status::deadline_exceeded("there was no answer within the deadline");
            return Poll::Ready(Ok(status.into_http()));
        }
        answer
    })
    .await
}

/// Nothing else here is out of range.
fn say_too_large(response: &mut Response<Body>) {
    let code = response.headers_mut().get_mut(Status::GRPC_STATUS);
    if let Some(code) = code.filter(|code| **code == as_header(Code::OutOfRange)) {
        *code = as_header(Code::ResourceExhausted);
    }
}

fn as_header(code: Code) -> HeaderValue {
    HeaderValue::from(code as i32)
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    #[test]
    fn timeouts_are_read_as_the_specification_says() {
        for (header, wanted) in [
            ("2H", Some(Duration::from_secs(7200))),
            ("3M", Some(Duration::from_secs(180))),
            ("99999999S", Some(Duration::from_secs(99_999_999))),
            ("250m", Some(Duration::from_millis(250))),
            ("7u", Some(Duration::from_micros(7))),
            ("0n", Some(Duration::ZERO)),
            ("123456789S", None),
            ("+1S", None),
            ("-1S", None),
            ("S", None),
            ("1", None),
            ("1s", None),
            ("1é", None),
            ("", None),
        ] {
            assert_eq!(timeout(header), wanted, "{header:?}");
        }
    }

    /// Answers with a status, or never.
    #[derive(Clone)]
    struct Stub(Option<Code>);

    impl Service<Request<Body>> for Stub {
        type Response = Response<Body>;
        type Error = Infallible;
        type Future = BoxFuture<Response<Body>, Infallible>;

        fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
            Poll::Ready(Ok(()))
        }

        fn call(&mut self, _: Request<Body>) -> Self::Future {
            let code = self.0;
            Box::pin(async move {
                match code {
                    Some(code) => Ok(Status::new(code, "stub").into_http()),
                    None => std::future::pending().await,
                }
            })
        }
    }

    async fn status(stub: Stub, timeout: Option<&'static str>) -> Code {
        let mut asked = tonic::Request::new(());
        if let Some(timeout) = timeout {
            asked
                .metadata_mut()
                .insert("grpc-timeout", timeout.parse().unwrap());
        }
        let (_, extensions, ()) = note_deadline(asked).unwrap().into_parts();
        let mut request = Request::new(Body::empty());
        *request.extensions_mut() = extensions;
        let answer = Statuses(stub).call(request).await.unwrap();
        Status::from_header_map(answer.headers()).unwrap().code()
    }

    #[tokio::test]
    async fn a_call_that_waits_ends_with_its_deadline() {
        for timeout in ["0n", "20m"] {
            let code = status(Stub(None), Some(timeout)).await;
            assert_eq!(code, Code::DeadlineExceeded, "{timeout}");
        }
        // An answer that is there is given, however late.
        let code = status(Stub(Some(Code::Unavailable)), Some("0n")).await;
        assert_eq!(code, Code::Unavailable);
    }

    #[tokio::test]
    async fn too_large_is_said_as_such_and_other_statuses_are_left() {
        for (code, wanted) in [
            (Code::OutOfRange, Code::ResourceExhausted),
            (Code::Internal, Code::Internal),
            (Code::NotFound, Code::NotFound),
        ] {
            assert_eq!(status(Stub(Some(code)), None).await, wanted);
        }
    }
}
