//! Streams of what has arrived: polled, never awaited.
//!
//! The loop takes what has arrived whenever it comes round. A stream that was found empty tells
//! when something comes, as to anybody who awaits it; here that is noted for all of them
//! together, so that the loop need not look into a hundred streams to find that all are empty.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};
use std::task::{Context, Poll, Wake, Waker};

use futures::{Stream, StreamExt};

/// A stream of messages or requests.
pub(super) type Inbox<T> = Box<dyn Stream<Item = T> + Unpin>;

/// Whether something has come into a stream that was found empty. At first nobody has looked.
static ARRIVED: AtomicBool = AtomicBool::new(true);

struct Note;

impl Wake for Note {
    fn wake(self: Arc<Self>) {
        ARRIVED.store(true, Ordering::Relaxed);
    }
}

/// The next message that has arrived already.
pub(super) fn poll<T>(inbox: &mut Inbox<T>) -> Option<T> {
    static WAKER: LazyLock<Waker> = LazyLock::new(|| Waker::from(Arc::new(Note)));
    match inbox.poll_next_unpin(&mut Context::from_waker(&WAKER)) {
        Poll::Ready(message) => message,
        Poll::Pending => None,
    }
}

/// Whether anything can have arrived that was not polled, since this was asked last. A stream
/// that was never polled tells nothing.
pub(super) fn take_arrival() -> bool {
    ARRIVED.swap(false, Ordering::Relaxed)
}

#[cfg(test)]
mod tests {
    use futures::channel::mpsc;

    use super::*;

    #[test]
    fn what_comes_into_an_empty_stream_is_noted_until_it_is_asked_for() {
        let (mut sender, receiver) = mpsc::channel(10);
        let mut inbox: Inbox<u32> = Box::new(receiver);
        assert_eq!(poll(&mut inbox), None);
        take_arrival();
        assert!(!take_arrival(), "nothing has come");
        sender.try_send(1).unwrap();
        sender.try_send(2).unwrap();
        assert!(take_arrival(), "something has come");
        assert!(!take_arrival(), "it was asked for");
        let taken: Vec<u32> = std::iter::from_fn(|| poll(&mut inbox)).collect();
        assert_eq!(taken, [1, 2]);
        assert!(!take_arrival(), "nothing has come since");
        sender.try_send(3).unwrap();
        assert!(take_arrival(), "the stream was found empty again");
    }
}
