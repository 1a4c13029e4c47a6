//! Replies that wait until what they tell of is published.

use r2r::{ServiceRequest, WrappedServiceTypeSupport};

use super::services::respond;
use crate::shown::shortened;

/// The words of a reply. They may quote what a client has sent, whatever that is: a string with
/// a NUL can't be sent, and one of a megabyte is read by nobody.
pub(super) fn message(text: String) -> String {
    shortened(text).replace('\0', "\u{fffd}")
}

/// The replies to the requests of one turn of the server's loop, in order.
#[derive(Default)]
pub(super) struct Replies(Vec<Box<dyn FnOnce()>>);

impl Replies {
    /// Keeps a reply.
    pub(super) fn add<T: WrappedServiceTypeSupport + 'static>(
        &mut self,
        request: ServiceRequest<T>,
        response: T::Response,
    ) {
        self.0.push(Box::new(move || respond(request, response)));
    }

    /// How many wait.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Sends them all.
    pub(super) fn send(self) {
        for reply in self.0 {
            reply();
        }
    }
}
