//! How replies go out, also to clients that the middleware has not found the way back to yet.
//!
//! A client asks as soon as it has found the service. The middleware waits up to 0.1 s for the
//! way back to it to be found, too, which took more than 1 s where a server was started in place
//! of one that was killed. A client whose reply is lost waits for ever, so a reply that can't be
//! sent yet waits in line and is tried again, while the world goes on.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

use r2r::{ServiceRequest, WrappedServiceTypeSupport};

/// How often late replies are tried. Each time costs the loop 0.1 s, which is how long the
/// middleware waits.
const RETRY_PERIOD: Duration = Duration::from_millis(400);
/// After which time a reply is given up: its client is gone or can't be reached.
const PATIENCE: Duration = Duration::from_secs(10);

thread_local! {
    /// The loop of the server is one thread, which all replies come from.
    static LINE: RefCell<Line> = RefCell::default();
}

/// Sends a reply. One that can't be sent yet is kept for [`retry`]; one that can't be sent at
/// all is logged.
pub(super) fn respond<T: WrappedServiceTypeSupport + 'static>(
    mut request: ServiceRequest<T>,
    response: T::Response,
) {
    // It may be large, and is copied for each try.
    request.message = T::Request::default();
    let send = move || request.clone().respond(response.clone());
    LINE.with_borrow_mut(|line| line.send(std::any::type_name::<T>(), Instant::now(), send));
}

/// Tries the replies again that could not be sent yet, once in a while.
pub(super) fn retry() {
    LINE.with_borrow_mut(|line| line.retry(Instant::now()));
}

/// Replies that could not be sent yet, in order.
#[derive(Default)]
struct Line {
    late: VecDeque<Late>,
    next: Option<Instant>,
}

struct Late {
    service: &'static str,
    since: Instant,
    send: Box<dyn Fn() -> r2r::Result<()>>,
}

impl Line {
    /// Sends a reply of a service, behind those of the service that wait.
    fn send(
        &mut self,
        service: &'static str,
        now: Instant,
        send: impl Fn() -> r2r::Result<()> + 'static,
    ) {
        let must_wait = self.late.iter().any(|late| late.service == service);
        match if must_wait { None } else { Some(send()) } {
            Some(Ok(())) => return,
            Some(Err(error)) if !is_early(&error) => return warn(service, &error),
            _ => {}
        }
        self.next.get_or_insert(now + RETRY_PERIOD);
        self.late.push_back(Late {
            service,
            since: now,
            send: Box::new(send),
        });
    }

    /// Tries those that wait until one has to wait on, if it is time.
    fn retry(&mut self, now: Instant) {
        if self.next.is_none_or(|next| now < next) {
            return;
        }
        self.next = Some(now + RETRY_PERIOD);
        while let Some(late) = self.late.pop_front() {
            match (late.send)() {
                Ok(()) => {}
                Err(error) if is_early(&error) && now < late.since + PATIENCE => {
                    // Those of other clients have their turn before it is tried again.
                    self.late.push_back(late);
                    return;
                }
                Err(error) => warn(late.service, &error),
            }
        }
        self.next = None;
    }
}

/// Whether the way back to the client may still be found.
fn is_early(error: &r2r::Error) -> bool {
    matches!(error, r2r::Error::RCL_RET_TIMEOUT)
}

fn warn(service: &str, error: &r2r::Error) {
    tracing::warn!("can't reply to {service}: {error}");
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::rc::Rc;

    use super::*;

    /// A client that is found after so many tries, and what it has heard.
    #[derive(Clone, Default)]
    struct Client {
        unfound: Rc<Cell<u32>>,
        heard: Rc<RefCell<Vec<u32>>>,
    }

    impl Client {
        fn found_after(tries: u32) -> Self {
            let client = Self::default();
            client.unfound.set(tries);
            client
        }

        fn reply(&self, number: u32) -> impl Fn() -> r2r::Result<()> + 'static {
            let client = self.clone();
            move || match client.unfound.get() {
                0 => {
                    client.heard.borrow_mut().push(number);
                    Ok(())
                }
                left => {
                    client.unfound.set(left - 1);
                    Err(r2r::Error::RCL_RET_TIMEOUT)
                }
            }
        }

        fn heard(&self) -> Vec<u32> {
            self.heard.borrow().clone()
        }
    }

    #[test]
    fn a_reply_waits_for_its_client_and_keeps_its_place() {
        let (mut line, now) = (Line::default(), Instant::now());
        let (late, early) = (Client::found_after(3), Client::default());
        line.send("a", now, late.reply(1));
        line.send("b", now, early.reply(1));
        assert_eq!((late.heard(), early.heard()), (vec![], vec![1]));
        // Those behind it are not tried, which would take as long again.
        line.send("a", now, late.reply(2));
        assert_eq!(late.unfound.get(), 2);
        line.retry(now + RETRY_PERIOD / 2);
        assert_eq!(late.unfound.get(), 2, "not yet time");
        for turn in 1..=4 {
            line.retry(now + RETRY_PERIOD * turn);
        }
        late.heard.borrow_mut().sort_unstable();
        assert_eq!(late.heard(), [1, 2]);
        assert!(line.late.is_empty() && line.next.is_none());
    }

    #[test]
    fn another_client_is_not_kept_waiting_by_one_that_is_never_found() {
        let (mut line, now) = (Line::default(), Instant::now());
        let (gone, early) = (Client::found_after(u32::MAX), Client::default());
        line.send("a", now, gone.reply(1));
        line.send("a", now, early.reply(1));
        line.retry(now + RETRY_PERIOD);
        line.retry(now + RETRY_PERIOD * 2);
        assert_eq!(early.heard(), [1]);
        line.retry(now + PATIENCE + RETRY_PERIOD);
        assert!(line.late.is_empty(), "it is given up");
    }

    #[test]
    fn what_can_not_be_sent_at_all_is_not_kept() {
        let mut line = Line::default();
        line.send("a", Instant::now(), || Err(r2r::Error::RCL_RET_ERROR));
        assert!(line.late.is_empty());
    }
}
