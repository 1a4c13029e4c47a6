//! The stream of moving transforms.

use std::pin::Pin;
use std::time::Duration;

use futures::{Stream, stream};
use tonic::{Request, Response, Status};

use super::super::presence::Presence;
use super::super::proto::{EmptyRequest, GetDynamicTransformResponse};
use super::{Answer, Api, client};

/// How often the set is sent when nothing changes, of wall time.
const PERIOD: Duration = Duration::from_secs(1);

/// A stream of responses.
pub(super) type Responses<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

impl Api {
    /// The complete set of moving transforms at each change, and at least once a second; ends
    /// only with the adapter. While the robot is gone nothing is sent.
    pub(super) fn moving_transforms(
        &self,
        request: &Request<EmptyRequest>,
    ) -> Answer<Responses<GetDynamicTransformResponse>> {
        let place = self.limits.wait(client(request))?;
        let mut latest = self.view.follow_moving_transforms();
        latest.mark_changed();
        let state = (latest, self.watch.subscribe(), place);
        let sets = stream::unfold(state, |(mut latest, mut presence, place)| async move {
            loop {
                let ending = |presence: &Presence| *presence == Presence::Ending;
                let changed = tokio::select! {
                    changed = tokio::time::timeout(PERIOD, latest.changed()) => changed,
                    _ = presence.wait_for(ending) => return None,
                };
                if let Ok(Err(_)) = changed {
                    return None;
                }
                let gone = *presence.borrow() == Presence::Gone;
                let set = latest.borrow_and_update().clone().filter(|_| !gone);
                if let Some(set) = set {
                    return Some((Ok((*set).clone()), (latest, presence, place)));
                }
            }
        });
        Ok(Response::new(Box::pin(sets)))
    }
}
