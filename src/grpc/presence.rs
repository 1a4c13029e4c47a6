//! Whether the robot is there.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use tokio::sync::watch;
use tonic::Status;

/// What can be asked of the robot now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Presence {
    /// Everything.
    Here,
    /// It was lost a moment ago: its last values are still told, nothing can be changed.
    Away,
    /// It has been lost for longer.
    Gone,
    /// The adapter itself is ending.
    Ending,
}

/// Follows whether the robot is there, and tells all who wait when it is not.
#[derive(Debug)]
pub(super) struct Watch {
    robot: String,
    grace: Duration,
    lost: Mutex<Option<Instant>>,
    presence: watch::Sender<Presence>,
}

impl Watch {
    /// Of a robot by its namespace, lost at `now`; its last values are told for `grace`.
    pub(super) fn new(robot: &str, grace: Duration, now: Instant) -> Self {
        Self {
            robot: robot.to_owned(),
            grace,
            lost: Mutex::new(Some(now)),
            presence: watch::Sender::new(Presence::Away),
        }
    }

    /// Takes in whether the robot is there, and if not since when.
    pub(super) fn note(&self, lost: Option<Instant>, now: Instant) {
        let mut since = match self.lost.lock() {
            Ok(since) => since,
            Err(poisoned) => poisoned.into_inner(),
        };
        *since = match (*since, lost) {
            (_, None) => None,
            (Some(since), Some(_)) => Some(since),
            (None, lost) => lost,
        };
        let presence = match *since {
            None => Presence::Here,
            Some(since) if now.saturating_duration_since(since) < self.grace => Presence::Away,
            Some(_) => Presence::Gone,
        };
        drop(since);
        self.presence.send_if_modified(|old| {
            let changed = *old != presence && *old != Presence::Ending;
            if changed {
                *old = presence;
            }
            changed
        });
    }

    /// Ends everything that waits.
    pub(super) fn end(&self) {
        self.presence.send_replace(Presence::Ending);
    }

    /// What is the case now.
    pub(super) fn now(&self) -> Presence {
        *self.presence.borrow()
    }

    /// A receiver of every change.
    pub(super) fn subscribe(&self) -> watch::Receiver<Presence> {
        self.presence.subscribe()
    }

    /// Whether its last values can be told.
    ///
    /// # Errors
    /// `UNAVAILABLE` when not.
    pub(super) fn check_read(&self) -> Result<(), Status> {
        match self.now() {
            Presence::Here | Presence::Away => Ok(()),
            other => Err(self.status(other)),
        }
    }

    /// Whether something can be asked of it.
    ///
    /// # Errors
    /// `UNAVAILABLE` when not.
    pub(super) fn check_write(&self) -> Result<(), Status> {
        match self.now() {
            Presence::Here => Ok(()),
            other => Err(self.status(other)),
        }
    }

    /// Waits until reads are refused, and says why.
    pub(super) async fn read_refused(&self) -> Status {
        self.refused(|presence| matches!(presence, Presence::Gone | Presence::Ending))
            .await
    }

    /// Waits until writes are refused, and says why.
    pub(super) async fn write_refused(&self) -> Status {
        self.refused(|presence| presence != Presence::Here).await
    }

    async fn refused(&self, refuses: impl Fn(Presence) -> bool) -> Status {
        let mut receiver = self.presence.subscribe();
        let presence = match receiver.wait_for(|presence| refuses(*presence)).await {
            Ok(presence) => *presence,
            // The sender lives as long as this.
            Err(_) => Presence::Ending,
        };
        self.status(presence)
    }

    fn status(&self, presence: Presence) -> Status {
        Status::unavailable(match presence {
            Presence::Ending => "the adapter is ending".to_owned(),
            _ => format!(
                "no Kachaka in the namespace {}: is the simulator running, with this robot in it?",
                self.robot
            ),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_are_refused_after_the_grace_and_writes_at_once() {
        let begun = Instant::now();
        let after = |seconds| begun + Duration::from_secs(seconds);
        let watch = Watch::new("/kachaka", Duration::from_secs(3), begun);
        watch.note(None, after(1));
        assert!(watch.check_write().is_ok());
        watch.note(Some(after(10)), after(10));
        assert!(watch.check_read().is_ok() && watch.check_write().is_err());
        // Noticed again, it is still lost since the first time.
        watch.note(Some(after(13)), after(13));
        let refused = watch.check_read().unwrap_err();
        assert_eq!(refused.code(), tonic::Code::Unavailable);
        assert!(refused.message().contains("/kachaka"), "{refused}");
        watch.note(None, after(20));
        assert!(watch.check_read().is_ok() && watch.check_write().is_ok());
        watch.end();
        watch.note(None, after(21));
        assert_eq!(watch.now(), Presence::Ending);
    }

    #[tokio::test]
    async fn who_waits_is_told() {
        let begun = Instant::now();
        let watch = Watch::new("/kachaka", Duration::from_secs(3), begun);
        watch.note(None, begun);
        let (status, ()) = tokio::join!(watch.write_refused(), async {
            watch.note(Some(begun), begun);
        });
        assert_eq!(status.code(), tonic::Code::Unavailable);
        let (status, ()) = tokio::join!(watch.read_refused(), async {
            watch.end();
        });
        assert_eq!(status.message(), "the adapter is ending");
    }
}
