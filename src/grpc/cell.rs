//! Cells: the latest value of one kind, and a way to wait for a newer one.

use std::sync::Arc;

use tokio::sync::watch;

use super::cursor::Cursors;
use super::proto::{GetRequest, Metadata};

/// A response that carries a cursor.
pub(super) trait Stamped: PartialEq {
    /// Where the cursor is.
    fn metadata(&mut self) -> &mut Option<Metadata>;
}

/// The cursor that a client has: 0 when it has none and wants whatever is newest.
pub(super) fn cursor_of(request: &GetRequest) -> i64 {
    request.metadata.map_or(0, |metadata| metadata.cursor)
}

/// The latest response of one kind. It is made once per change and shared by all readers.
#[derive(Debug)]
pub(super) struct Cell<T> {
    cursors: Arc<Cursors>,
    latest: watch::Sender<Option<Latest<T>>>,
}

#[derive(Debug)]
struct Latest<T> {
    cursor: i64,
    response: Arc<T>,
}

impl<T: Stamped> Cell<T> {
    /// A cell without a value yet.
    pub(super) fn new(cursors: &Arc<Cursors>) -> Self {
        Self {
            cursors: Arc::clone(cursors),
            latest: watch::Sender::new(None),
        }
    }

    /// Takes a new sample, with a new cursor even if it equals the one before.
    pub(super) fn set(&self, mut response: T) {
        let cursor = self.cursors.next();
        *response.metadata() = Some(Metadata { cursor });
        let response = Arc::new(response);
        self.latest.send_replace(Some(Latest { cursor, response }));
    }

    /// Takes a value, with a new cursor only if it differs from the one before.
    pub(super) fn set_changed(&self, response: T) {
        self.set_changed_with(response, || {});
    }

    /// Takes a value like `set_changed` and sets other cells in the same step: nobody can read
    /// this one meanwhile, so who reads the new value reads the new ones of the others.
    pub(super) fn set_changed_with(&self, mut response: T, others: impl FnOnce()) {
        self.latest.send_if_modified(|latest| {
            others();
            if let Some(latest) = latest {
                let cursor = latest.cursor;
                *response.metadata() = Some(Metadata { cursor });
                if *latest.response == response {
                    return false;
                }
            }
            let cursor = self.cursors.next();
            *response.metadata() = Some(Metadata { cursor });
            let response = Arc::new(response);
            *latest = Some(Latest { cursor, response });
            true
        });
    }

    /// Forgets the value: readers wait for the next one.
    pub(super) fn clear(&self) {
        self.latest.send_replace(None);
    }

    /// The latest response if there is one whose cursor is not this one.
    pub(super) fn other_than(&self, cursor: i64) -> Option<Arc<T>> {
        let latest = self.latest.borrow();
        let latest = latest.as_ref().filter(|latest| latest.cursor != cursor);
        latest.map(|latest| Arc::clone(&latest.response))
    }

    /// Waits for a response whose cursor is not this one.
    pub(super) async fn wait(&self, cursor: i64) -> Arc<T> {
        let mut receiver = self.latest.subscribe();
        loop {
            if let Some(response) = self.other_than(cursor) {
                return response;
            }
            // The sender is a field of this cell and outlives the receiver; see the type.
            if receiver.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }

    /// The latest response, whatever its cursor.
    pub(super) fn latest(&self) -> Option<Arc<T>> {
        let latest = self.latest.borrow();
        latest.as_ref().map(|latest| Arc::clone(&latest.response))
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use futures::FutureExt;

    use super::super::proto::GetMovingShelfIdResponse as Response;
    use super::*;

    fn response(id: &str) -> Response {
        Response {
            metadata: None,
            shelf_id: id.to_owned(),
        }
    }

    fn cursor(response: &Response) -> i64 {
        response.metadata.unwrap().cursor
    }

    fn cells() -> (Cell<Response>, Cell<Response>) {
        let cursors = Arc::new(Cursors::default());
        (Cell::new(&cursors), Cell::new(&cursors))
    }

    #[test]
    fn another_cursor_is_answered_at_once_whether_older_or_newer() {
        let (cell, _) = cells();
        assert_eq!(cell.other_than(0), None);
        cell.set(response("S01"));
        let first = cursor(&cell.other_than(0).unwrap());
        for stale in [0, first - 1, first + 1, i64::MAX, i64::MIN] {
            assert_eq!(cursor(&cell.other_than(stale).unwrap()), first);
        }
        assert_eq!(cell.other_than(first), None);
    }

    #[test]
    fn samples_always_get_a_new_cursor_and_values_only_when_they_change() {
        let (cell, other) = cells();
        cell.set(response("S01"));
        let first = cursor(&cell.latest().unwrap());
        cell.set_changed(response("S01"));
        assert_eq!(cursor(&cell.latest().unwrap()), first);
        other.set(response("S01"));
        cell.set(response("S01"));
        let again = cursor(&cell.latest().unwrap());
        let elsewhere = cursor(&other.latest().unwrap());
        assert!(
            first < elsewhere && elsewhere < again,
            "{first} {elsewhere} {again}"
        );
        cell.set_changed(response("S02"));
        assert!(cursor(&cell.latest().unwrap()) > again);
    }

    #[test]
    fn an_equal_cursor_waits_and_an_unset_cell_waits_even_for_0() {
        let (cell, _) = cells();
        let mut unset = pin!(cell.wait(0));
        assert_eq!(unset.as_mut().now_or_never(), None);
        cell.set(response("S01"));
        let first = unset.now_or_never().unwrap();
        let mut equal = pin!(cell.wait(cursor(&first)));
        assert_eq!(equal.as_mut().now_or_never(), None);
        cell.set(response("S02"));
        cell.set(response("S03"));
        // What came between is dropped, never queued.
        assert_eq!(equal.now_or_never().unwrap().shelf_id, "S03");
    }

    #[test]
    fn a_cleared_cell_waits_whatever_the_cursor() {
        let (cell, _) = cells();
        cell.set(response("S01"));
        let first = cursor(&cell.latest().unwrap());
        cell.clear();
        assert_eq!(cell.other_than(0), None);
        // The same value again is a new one.
        cell.set_changed(response("S01"));
        assert!(cursor(&cell.other_than(first).unwrap()) > first);
    }

    #[test]
    fn cells_of_one_step_change_together() {
        let (cell, other) = cells();
        cell.set(response("S01"));
        other.set(response("S01"));
        let waits = std::thread::scope(|scope| {
            let (started, begins) = std::sync::mpsc::channel();
            let read = &cell;
            let reader = scope.spawn(move || {
                let () = begins.recv().unwrap();
                read.latest().unwrap().shelf_id.clone()
            });
            cell.set_changed_with(response("S02"), || {
                started.send(()).unwrap();
                other.set(response("S02"));
            });
            reader.join().unwrap()
        });
        assert_eq!(waits, "S02");
        assert_eq!(other.latest().unwrap().shelf_id, "S02");
    }

    #[test]
    fn who_gives_up_leaves_nothing_behind() {
        let (cell, _) = cells();
        for _ in 0..100 {
            assert_eq!(cell.wait(0).now_or_never(), None);
        }
        assert_eq!(cell.latest.receiver_count(), 0);
    }
}
