//! Commands, their results and the history as clients see them.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use r2r::builtin_interfaces::msg::Time;
use r2r::tatami_msgs::msg::{CommandHistory, CommandResult, OnboardState};
use tokio::sync::Notify;

use super::super::commands::from_ros;
use super::super::convert::nanoseconds;
use super::super::proto::*;
use super::cells::Cells;
use super::dwell::{Change, Dwell, DwellTimes};

/// The commands in the adapter's view.
#[derive(Debug)]
pub(in super::super) struct Commands {
    begun: Instant,
    inner: Mutex<Inner>,
    /// Told when there may be something to show earlier than was known.
    changed: Notify,
}

#[derive(Debug)]
struct Inner {
    dwell: Dwell,
    /// Unix time of sim time 0, ns: the wall clock's when the robot was heard first.
    anchor: Option<i128>,
}

impl Commands {
    pub(super) fn new(times: DwellTimes) -> Self {
        Self {
            begun: Instant::now(),
            inner: Mutex::new(Inner {
                dwell: Dwell::new(times),
                anchor: None,
            }),
            changed: Notify::new(),
        }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn since_begun(&self, now: Instant) -> Duration {
        now.saturating_duration_since(self.begun)
    }

    pub(super) fn begin_anew(&self) {
        let mut inner = self.inner();
        inner.dwell.begin_anew();
        inner.anchor = None;
    }

    pub(super) fn take_state(&self, cells: &Cells, state: &OnboardState, now: Instant) {
        let mut inner = self.inner();
        inner.anchor.get_or_insert_with(|| anchor(&state.stamp));
        let changes = inner.dwell.state(self.since_begun(now), state);
        show(cells, changes);
        self.changed.notify_one();
    }

    /// Takes the last results, newest first.
    pub(in super::super) fn take_history(
        &self,
        cells: &Cells,
        message: &CommandHistory,
        now: Instant,
    ) {
        let mut inner = self.inner();
        let newest = message.results.first().map(|result| &result.finished);
        let anchor = match (inner.anchor, newest) {
            (Some(anchor), _) => anchor,
            // The state with the present time has not come yet; it comes at once.
            (None, newest) => anchor(newest.unwrap_or(&Time::default())),
        };
        let histories = (message.results.iter()).map(|result| history(result, anchor));
        cells.history.set_changed(GetHistoryListResponse {
            metadata: None,
            histories: histories.collect(),
        });
        let changes = inner.dwell.history(self.since_begun(now), message);
        show(cells, changes);
        self.changed.notify_one();
    }

    /// Shows what the time has come for, for as long as it is polled.
    pub(in super::super) async fn keep_showing(&self, cells: &Cells) {
        loop {
            let next = {
                let mut inner = self.inner();
                let changes = inner.dwell.advance(self.since_begun(Instant::now()));
                show(cells, changes);
                inner.dwell.next()
            };
            let changed = self.changed.notified();
            match next {
                Some(next) => {
                    let at = tokio::time::Instant::from_std(self.begun + next);
                    let _ = tokio::time::timeout_at(at, changed).await;
                }
                None => changed.await,
            }
        }
    }
}

fn anchor(stamp: &Time) -> i128 {
    let wall = SystemTime::now().duration_since(UNIX_EPOCH);
    let wall = wall.map_or(0, |wall| wall.as_nanos() as i128);
    wall - i128::from(nanoseconds(stamp))
}

fn show(cells: &Cells, changes: Vec<Change>) {
    for change in changes {
        match change {
            Change::State(running) => {
                let (state, command, command_id) = match running {
                    Some(running) => (
                        CommandState::Running,
                        from_ros(&running.command),
                        running.id,
                    ),
                    None => (CommandState::Pending, None, String::new()),
                };
                cells.command_state.set_changed(GetCommandStateResponse {
                    metadata: None,
                    state: state.into(),
                    command,
                    command_id,
                });
            }
            Change::Result(None) => {
                let none = GetLastCommandResultResponse::default();
                cells.last_result.set_changed(none);
            }
            Change::Result(Some(result)) => {
                cells.last_result.set_changed(GetLastCommandResultResponse {
                    metadata: None,
                    result: Some(Result {
                        success: result.success,
                        error_code: result.error_code,
                    }),
                    command: from_ros(&result.command),
                    command_id: result.id,
                });
            }
        }
    }
}

fn history(result: &CommandResult, anchor: i128) -> History {
    let started = anchor + i128::from(nanoseconds(&result.started));
    History {
        id: result.id.clone(),
        command: from_ros(&result.command),
        success: result.success,
        error_code: result.error_code,
        command_executed_time: started.div_euclid(1_000_000_000) as i64,
    }
}
