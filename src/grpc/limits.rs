//! What one client and all together may occupy.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tonic::Status;

/// Largest message that is taken or sent, bytes: the bound that clients have by default.
pub(super) const MESSAGE_BYTES: usize = 4 * 1024 * 1024;
/// Calls that one connection may have open at a time.
pub(super) const STREAMS_PER_CONNECTION: u32 = 4096;
/// Calls of one connection that their client has given up and that have not been looked at: a
/// client that ends with all its polls under way gives them up at once.
pub(super) const GIVEN_UP_PER_CONNECTION: usize = STREAMS_PER_CONNECTION as usize;
/// What one connection may send before any of it was looked at, bytes. The library takes half of
/// it as the bound of small messages, which count 256 each: with less, a client that makes all
/// its calls at once loses its connection.
pub(super) const WINDOW_PER_CONNECTION: u32 = 2 * 256 * STREAMS_PER_CONNECTION;
/// Calls of one connection that may wait for a value.
pub(super) const WAITING_PER_CONNECTION: usize = 512;
/// Calls of all connections that may wait for a value.
pub(super) const WAITING: usize = 8192;
/// Calls of one connection that may wait for a value however many others there are: a few
/// connections of one client can't take all places from everybody.
pub(super) const WAITING_ALWAYS: usize = 16;
/// Uploads of all connections at a time, until the robot has taken what they bring.
const UPLOADS: usize = 4;
/// Largest upload, bytes.
pub(super) const UPLOAD_BYTES: usize = 64 * 1024 * 1024;
/// Largest of all uploads at a time, together, bytes.
const ALL_UPLOAD_BYTES: usize = 128 * 1024 * 1024;
/// Longest text or id in a request, bytes. The robot has bounds of its own below it.
const TEXT_BYTES: usize = 16 * 1024;

/// Counts the calls that wait and the uploads.
#[derive(Debug, Default)]
pub(super) struct Limits {
    waiting: Mutex<Waiting>,
    uploads: Mutex<Uploads>,
}

#[derive(Debug, Default)]
struct Uploads {
    count: usize,
    bytes: usize,
}

#[derive(Debug, Default)]
struct Waiting {
    all: usize,
    by_connection: HashMap<Option<SocketAddr>, usize>,
}

/// The place of one call that waits. Given back when the call ends, however it ends.
#[derive(Debug)]
pub(super) struct Place {
    limits: Arc<Limits>,
    connection: Option<SocketAddr>,
}

/// What one client uploads. Its room is given back when the call ends, however it ends.
#[derive(Debug)]
pub(super) struct Upload {
    limits: Arc<Limits>,
    bytes: Vec<u8>,
}

impl Upload {
    /// Takes the next part.
    ///
    /// # Errors
    /// `RESOURCE_EXHAUSTED` when this upload or all together are too large.
    pub(super) fn append(&mut self, part: &[u8]) -> Result<(), Status> {
        if self.bytes.len() + part.len() > UPLOAD_BYTES {
            return Err(Status::resource_exhausted(format!(
                "the upload has more than {UPLOAD_BYTES} bytes"
            )));
        }
        let mut uploads = self.limits.uploads();
        if uploads.bytes + part.len() > ALL_UPLOAD_BYTES {
            return Err(Status::resource_exhausted(format!(
                "the uploads of all clients have more than {ALL_UPLOAD_BYTES} bytes: try again \
                 when the others have ended"
            )));
        }
        uploads.bytes += part.len();
        drop(uploads);
        self.bytes.extend_from_slice(part);
        Ok(())
    }

    /// All that has come.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        let mut uploads = self.limits.uploads();
        uploads.count -= 1;
        uploads.bytes -= self.bytes.len();
    }
}

impl Limits {
    /// Room for an upload.
    ///
    /// # Errors
    /// `RESOURCE_EXHAUSTED` when too many are under way.
    pub(super) fn upload(self: &Arc<Self>) -> Result<Upload, Status> {
        let mut uploads = self.uploads();
        if uploads.count >= UPLOADS {
            return Err(Status::resource_exhausted(format!(
                "{UPLOADS} uploads are under way, more are not taken"
            )));
        }
        uploads.count += 1;
        drop(uploads);
        Ok(Upload {
            limits: Arc::clone(self),
            bytes: Vec::new(),
        })
    }

    fn uploads(&self) -> MutexGuard<'_, Uploads> {
        self.uploads.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place for a call of a client at this address.
    ///
    /// # Errors
    /// `RESOURCE_EXHAUSTED` when its connection or all together have taken too many.
    pub(super) fn wait(self: &Arc<Self>, connection: Option<SocketAddr>) -> Result<Place, Status> {
        let mut waiting = self.lock();
        let own = waiting.by_connection.get(&connection).copied().unwrap_or(0);
        if own >= WAITING_PER_CONNECTION {
            return Err(Status::resource_exhausted(format!(
                "this connection has {own} calls that wait for a value, more are not taken"
            )));
        }
        if waiting.all >= WAITING && own >= WAITING_ALWAYS {
            return Err(Status::resource_exhausted(format!(
                "{WAITING} calls of all clients wait for a value, more than {WAITING_ALWAYS} of this \
                 connection are not taken"
            )));
        }
        waiting.all += 1;
        waiting.by_connection.insert(connection, own + 1);
        Ok(Place {
            limits: Arc::clone(self),
            connection,
        })
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut waiting = self.limits.lock();
        waiting.all -= 1;
        if let Some(own) = waiting.by_connection.get_mut(&self.connection) {
            *own -= 1;
            if *own == 0 {
                waiting.by_connection.remove(&self.connection);
            }
        }
    }
}

/// Whether texts of a request, each with its field's name, can be given on to ROS.
///
/// # Errors
/// `INVALID_ARGUMENT` for one that is far too long or holds a NUL, which ROS strings end at.
pub(super) fn check_texts(texts: &[(&str, &str)]) -> Result<(), Status> {
    for (field, text) in texts {
        if text.len() > TEXT_BYTES {
            return Err(Status::invalid_argument(format!(
                "{field} has {} bytes, at most {TEXT_BYTES} are taken",
                text.len()
            )));
        }
        if text.contains('\0') {
            return Err(Status::invalid_argument(format!("{field} holds a NUL")));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use tonic::Code;

    use super::*;

    fn address(port: u16) -> Option<SocketAddr> {
        Some(SocketAddr::from(([127, 0, 0, 1], port)))
    }

    #[test]
    fn one_connection_can_not_take_all_places() {
        let limits = Arc::new(Limits::default());
        let mut places = Vec::new();
        for _ in 0..WAITING_PER_CONNECTION {
            places.push(limits.wait(address(1)).unwrap());
        }
        let refused = limits.wait(address(1)).unwrap_err();
        assert_eq!(refused.code(), Code::ResourceExhausted);
        assert!(refused.message().contains("512"), "{refused}");
        assert!(limits.wait(address(2)).is_ok());
        places.pop();
        assert!(limits.wait(address(1)).is_ok());
    }

    #[test]
    fn all_together_have_a_bound_and_nothing_is_left_behind() {
        let limits = Arc::new(Limits::default());
        let taken: Result<Vec<_>, _> = (0..WAITING)
            .map(|index| limits.wait(address((index % 64) as u16)))
            .collect();
        assert!(taken.is_ok());
        // A few are left for everybody else.
        let few: Result<Vec<_>, _> = (0..16).map(|_| limits.wait(address(99))).collect();
        assert!(few.is_ok());
        for port in [1, 99] {
            let refused = limits.wait(address(port)).unwrap_err();
            assert_eq!(refused.code(), Code::ResourceExhausted);
            assert!(refused.message().contains("8192"), "{refused}");
        }
        drop((taken, few));
        let waiting = limits.lock();
        assert_eq!((waiting.all, waiting.by_connection.len()), (0, 0));
    }

    #[test]
    fn uploads_have_a_bound_each_and_together() {
        let limits = Arc::new(Limits::default());
        let part = vec![0; UPLOAD_BYTES / 2];
        let mut uploads: Vec<_> = (0..4).map(|_| limits.upload().unwrap()).collect();
        let refused = limits.upload().unwrap_err();
        assert_eq!(refused.code(), Code::ResourceExhausted);
        assert!(refused.message().starts_with("4 uploads"), "{refused}");
        for upload in &mut uploads {
            upload.append(&part).unwrap();
        }
        // 128 MiB are there.
        let refused = uploads[0].append(&[0]).unwrap_err();
        assert_eq!(refused.code(), Code::ResourceExhausted);
        assert!(refused.message().contains("134217728"), "{refused}");
        uploads.pop();
        uploads[0].append(&part).unwrap();
        let refused = uploads[0].append(&[0]).unwrap_err();
        assert!(refused.message().contains("67108864"), "{refused}");
        drop(uploads);
        let left = limits.uploads();
        assert_eq!((left.count, left.bytes), (0, 0));
    }

    #[test]
    fn texts_that_ros_can_not_take_are_refused_by_name() {
        assert!(check_texts(&[("title", "soup"), ("text", "")]).is_ok());
        let long = "x".repeat(1_000_000);
        for (text, wanted) in [(long.as_str(), "1000000 bytes"), ("a\0b", "a NUL")] {
            let refused = check_texts(&[("title", "soup"), ("shelf_id", text)]).unwrap_err();
            assert_eq!(refused.code(), Code::InvalidArgument);
            let message = refused.message();
            assert!(
                message.contains("shelf_id") && message.contains(wanted),
                "{message}"
            );
        }
    }
}
