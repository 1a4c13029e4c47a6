//! Whether the robot is there.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use tokio::sync::watch;
use tonic::Status;

/// How long a call that changes something waits for a robot that is coming.
const COMING_PATIENCE: Duration = Duration::from_secs(2);

/// What can be asked of the robot now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Presence {
    /// It is waited for: it was never there, or is found and has not told all that is needed.
    Coming,
    /// Everything.
    Here,
    /// It was lost a moment ago: its last values are still told, nothing can be changed.
    Away,
    /// It has been lost for longer.
    Gone,
    /// The adapter itself is ending.
    Ending,
}

/// What was seen of the robot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    /// It was never there, or is about to be.
    Coming,
    /// It is there.
    Here,
    /// It is not there since then.
    Lost(Instant),
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
    /// Of a robot by its namespace, which is waited for; its last values are told for `grace`
    /// after it was lost.
    pub(super) fn new(robot: &str, grace: Duration) -> Self {
        Self {
            robot: robot.to_owned(),
            grace,
            lost: Mutex::default(),
            presence: watch::Sender::new(Presence::Coming),
        }
    }

    /// Takes in what was seen of the robot.
    pub(super) fn note(&self, sign: Sign, now: Instant) {
        let mut lost = match self.lost.lock() {
            Ok(lost) => lost,
            Err(poisoned) => poisoned.into_inner(),
        };
        *lost = match sign {
            Sign::Coming | Sign::Here => None,
            // Seen again, it is lost since the first time.
            Sign::Lost(since) => lost.or(Some(since)),
        };
        let presence = match *lost {
            Some(since) if now.saturating_duration_since(since) < self.grace => Presence::Away,
            Some(_) => Presence::Gone,
            None if sign == Sign::Here => Presence::Here,
            None => Presence::Coming,
        };
        drop(lost);
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

    /// Whether its last values can be told, or its first waited for.
    ///
    /// # Errors
    /// `UNAVAILABLE` when not.
    pub(super) fn check_read(&self) -> Result<(), Status> {
        match self.now() {
            Presence::Coming | Presence::Here | Presence::Away => Ok(()),
            other => Err(self.status(other)),
        }
    }

    /// Whether something can be asked of it. One that is coming is waited for, but not for long.
    ///
    /// # Errors
    /// `UNAVAILABLE` when not.
    pub(super) async fn check_write(&self) -> Result<(), Status> {
        let mut receiver = self.presence.subscribe();
        let settled = receiver.wait_for(|presence| *presence != Presence::Coming);
        // When it has not come by then, it is not there.
        let _ = tokio::time::timeout(COMING_PATIENCE, settled).await;
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

    #[tokio::test]
    async fn reads_are_refused_after_the_grace_and_writes_at_once() {
        let begun = Instant::now();
        let after = |seconds| begun + Duration::from_secs(seconds);
        let lost = |seconds| Sign::Lost(after(seconds));
        let watch = Watch::new("/kachaka", Duration::from_secs(3));
        watch.note(Sign::Here, after(1));
        assert!(watch.check_write().await.is_ok());
        watch.note(lost(10), after(10));
        assert!(watch.check_read().is_ok() && watch.check_write().await.is_err());
        // Noticed again, it is still lost since the first time.
        watch.note(lost(13), after(13));
        let refused = watch.check_read().unwrap_err();
        assert_eq!(refused.code(), tonic::Code::Unavailable);
        assert!(refused.message().contains("/kachaka"), "{refused}");
        watch.note(Sign::Here, after(20));
        assert!(watch.check_read().is_ok() && watch.check_write().await.is_ok());
        watch.end();
        watch.note(Sign::Here, after(21));
        assert_eq!(watch.now(), Presence::Ending);
    }

    #[tokio::test]
    async fn a_robot_that_is_coming_is_waited_for() {
        let begun = Instant::now();
        let watch = Watch::new("/kachaka", Duration::from_secs(3));
        // Reads wait as long as their client likes.
        watch.note(Sign::Coming, begun + Duration::from_secs(1000));
        assert!(watch.check_read().is_ok());
        let (ready, ()) = tokio::join!(watch.check_write(), async {
            tokio::task::yield_now().await;
            watch.note(Sign::Here, begun);
        });
        assert!(ready.is_ok(), "{ready:?}");
        watch.note(Sign::Coming, begun);
        let refused = watch.check_write().await.unwrap_err();
        assert_eq!(refused.code(), tonic::Code::Unavailable);
        assert!(begun.elapsed() >= COMING_PATIENCE, "{:?}", begun.elapsed());
    }

    #[tokio::test]
    async fn who_waits_is_told() {
        let begun = Instant::now();
        let watch = Watch::new("/kachaka", Duration::from_secs(3));
        watch.note(Sign::Here, begun);
        let (status, ()) = tokio::join!(watch.write_refused(), async {
            watch.note(Sign::Lost(begun), begun);
        });
        assert_eq!(status.code(), tonic::Code::Unavailable);
        let (status, ()) = tokio::join!(watch.read_refused(), async {
            watch.end();
        });
        assert_eq!(status.message(), "the adapter is ending");
    }
}
