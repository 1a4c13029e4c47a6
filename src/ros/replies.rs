//! Replies that wait until what they tell of is published.

use r2r::{ServiceRequest, WrappedServiceTypeSupport};

use super::respond::respond;

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
