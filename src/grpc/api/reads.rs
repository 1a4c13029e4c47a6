//! Reads: the latest value at once, or a newer one when it comes.

use tonic::{Request, Response, Status};

use super::super::cell::{Cell, Stamped, cursor_of};
use super::super::proto::GetRequest;
use super::{Answer, Api, client};

impl Api {
    /// Answers at once unless the client has the latest value already; then waits for a newer
    /// one.
    pub(super) async fn read<T: Stamped + Clone>(
        &self,
        cell: &Cell<T>,
        request: &Request<GetRequest>,
    ) -> Answer<T> {
        self.watch.check_read()?;
        let cursor = cursor_of(request.get_ref());
        if let Some(response) = cell.other_than(cursor) {
            return Ok(Response::new((*response).clone()));
        }
        let _place = self.limits.wait(client(request))?;
        tokio::select! {
            response = cell.wait(cursor) => Ok(Response::new((*response).clone())),
            refused = self.watch.read_refused() => Err(refused),
            given_up = self.given_up() => Err(given_up),
        }
    }

    async fn given_up(&self) -> Status {
        match self.give_up {
            Some(time) => tokio::time::sleep(time).await,
            None => std::future::pending().await,
        }
        Status::cancelled("there is no newer value")
    }

    /// What has no source yet: the pictures of the cameras, and what belongs to them.
    pub(super) fn no_camera<T>(&self) -> Answer<T> {
        Err(Status::cancelled("this robot has no cameras yet"))
    }
}
