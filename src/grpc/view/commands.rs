//! Commands, their results and the history as clients see them.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use r2r::builtin_interfaces::msg::Time;
use r2r::tatami_msgs::msg::{CommandHistory, CommandResult, OnboardCommand, OnboardState};
use tokio::sync::{Notify, watch};

use super::super::commands::from_ros;
use super::super::convert::nanoseconds;
use super::super::proto::*;
use super::cells::Cells;
use super::dwell::{Change, Dwell, DwellTimes, Running};

/// The commands in the adapter's view.
#[derive(Debug)]
pub(in super::super) struct Commands {
    begun: Instant,
    inner: Mutex<Inner>,
    /// Told when there may be something to show earlier than was known.
    changed: Notify,
    /// Whether results wait that a client is to see now.
    behind: watch::Sender<bool>,
    /// How long a client's call waits for them.
    patience: Duration,
}

#[derive(Debug)]
struct Inner {
    dwell: Dwell,
    /// Unix time of sim time 0, ns: the wall clock's when the robot was heard first, or first
    /// after its clock was set back.
    anchor: Option<i128>,
    /// Stamp of the last state, ns.
    stamp: i64,
}

impl Commands {
    pub(super) fn new(times: DwellTimes) -> Self {
        Self {
            begun: Instant::now(),
            inner: Mutex::new(Inner {
                dwell: Dwell::new(times),
                anchor: None,
                stamp: i64::MIN,
            }),
            changed: Notify::new(),
            behind: watch::Sender::new(false),
            // That of the result before, and of one that came with it.
            patience: 2 * times.result,
        }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn since_begun(&self, now: Instant) -> Duration {
        now.saturating_duration_since(self.begun)
    }

    /// Another robot takes the place of the one known, or none: what clients have yet to see
    /// stays, and commands without a result end with 10002.
    pub(super) fn begin_anew(&self, cells: &Cells, now: Instant) {
        let mut inner = self.inner();
        inner.anchor = None;
        inner.stamp = i64::MIN;
        let changes = inner.dwell.begin_anew(self.since_begun(now));
        self.show(cells, &inner.dwell, changes);
        self.changed.notify_one();
    }

    /// Whether a state is of another robot than the last one.
    pub(super) fn is_state_of_another(&self, state: &OnboardState) -> bool {
        self.inner().dwell.is_state_of_another(state)
    }

    /// Whether a history is of another robot than the last one.
    pub(super) fn is_history_of_another(&self, message: &CommandHistory) -> bool {
        self.inner().dwell.is_history_of_another(message)
    }

    /// Which robot it is by now: how many have taken the place of one another.
    pub(super) fn robot(&self) -> u64 {
        self.inner().dwell.robot()
    }

    /// A client's command was accepted under this id, by the robot of this number or the one
    /// that came in its place.
    pub(super) fn accept(&self, cells: &Cells, robot: u64, id: &str, command: &OnboardCommand) {
        self.inner().dwell.accept(robot, id, command);
        self.hurry(cells, Some(id));
    }

    /// A client has done something to what runs, and is to read it: commands that have ended
    /// are shown with their results as soon as those before have stood, except for this one.
    pub(in super::super) fn hurry(&self, cells: &Cells, except: Option<&str>) {
        let mut inner = self.inner();
        let now = self.since_begun(Instant::now());
        let changes = inner.dwell.hurry(now, except);
        self.show(cells, &inner.dwell, changes);
        self.changed.notify_one();
    }

    /// Waits until clients read what was hurried, but not for long: many results at once take
    /// their time.
    pub(super) async fn caught_up(&self) {
        let mut behind = self.behind.subscribe();
        let caught_up = behind.wait_for(|behind| !behind);
        // Whoever does not wait to the end reads it a little later.
        let _ = tokio::time::timeout(self.patience, caught_up).await;
    }

    fn show(&self, cells: &Cells, dwell: &Dwell, changes: Vec<Change>) {
        show(cells, changes);
        self.behind.send_replace(dwell.is_behind());
    }

    pub(super) fn take_state(&self, cells: &Cells, state: &OnboardState, now: Instant) {
        let mut inner = self.inner();
        let stamp = nanoseconds(&state.stamp);
        if inner.anchor.is_none() || stamp < inner.stamp {
            inner.anchor = Some(anchor(&state.stamp));
        }
        inner.stamp = stamp;
        let changes = inner.dwell.state(self.since_begun(now), state);
        self.show(cells, &inner.dwell, changes);
        self.changed.notify_one();
    }

    /// Takes the last results, newest first.
    pub(super) fn take_history(&self, cells: &Cells, message: &CommandHistory, now: Instant) {
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
        self.show(cells, &inner.dwell, changes);
        self.changed.notify_one();
    }

    /// Shows what the time has come for, for as long as it is polled.
    pub(in super::super) async fn keep_showing(&self, cells: &Cells) {
        loop {
            let next = {
                let mut inner = self.inner();
                let changes = inner.dwell.advance(self.since_begun(Instant::now()));
                self.show(cells, &inner.dwell, changes);
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

/// Shows changes in one step: who reads a state reads the results that came with it.
fn show(cells: &Cells, changes: Vec<Change>) {
    let (states, results): (Vec<_>, Vec<_>) =
        (changes.into_iter()).partition(|change| matches!(change, Change::State(_)));
    let show_results = || {
        for change in results {
            if let Change::Result(result) = change {
                cells.last_result.set_changed(last_result(result));
            }
        }
    };
    match states.into_iter().next() {
        Some(Change::State(running)) => {
            let state = command_state(running);
            cells.command_state.set_changed_with(state, show_results);
        }
        _ => show_results(),
    }
}

fn command_state(running: Option<Running>) -> GetCommandStateResponse {
    let (state, command, command_id) = match running {
        Some(running) => (
            CommandState::Running,
            from_ros(&running.command),
            running.id,
        ),
        None => (CommandState::Pending, None, String::new()),
    };
    GetCommandStateResponse {
        metadata: None,
        state: state.into(),
        command,
        command_id,
    }
}

fn last_result(result: Option<Box<CommandResult>>) -> GetLastCommandResultResponse {
    let Some(result) = result else {
        return GetLastCommandResultResponse::default();
    };
    GetLastCommandResultResponse {
        metadata: None,
        result: Some(Result {
            success: result.success,
            error_code: result.error_code,
        }),
        command: from_ros(&result.command),
        command_id: result.id,
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::super::cursor::Cursors;
    use super::*;

    fn commands() -> (Cells, Commands) {
        let cells = Cells::new(&Arc::new(Cursors::default()));
        let times = DwellTimes {
            running: Duration::from_millis(200),
            result: Duration::from_millis(100),
        };
        (cells, Commands::new(times))
    }

    fn at(sec: i32) -> Time {
        Time { sec, nanosec: 0 }
    }

    fn ran(started: i32) -> CommandResult {
        CommandResult {
            number: 1,
            id: "A".to_owned(),
            success: true,
            started: at(started),
            finished: at(started + 1),
            ..Default::default()
        }
    }

    /// When the only command of the history was executed, s after now.
    fn executed(cells: &Cells) -> i64 {
        let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        let histories = &cells.history.latest().unwrap().histories;
        histories[0].command_executed_time - wall.as_secs() as i64
    }

    #[test]
    fn wall_time_is_counted_anew_when_the_clock_was_set_back() {
        let (cells, commands) = commands();
        let now = Instant::now();
        let mut state = OnboardState {
            stamp: at(5000),
            sequence: 1,
            ..Default::default()
        };
        commands.take_state(&cells, &state, now);
        let mut history = CommandHistory {
            sequence: 1,
            results: vec![ran(4000)],
        };
        commands.take_history(&cells, &history, now);
        let told = executed(&cells);
        assert!(
            (-1002..=-999).contains(&told),
            "{told} s, it was 1000 s ago"
        );
        state.stamp = at(0);
        state.sequence = 2;
        commands.take_state(&cells, &state, now);
        history.results[0].started = at(3);
        commands.take_history(&cells, &history, now);
        let told = executed(&cells);
        assert!((1..=4).contains(&told), "{told} s, it is in 3 s");
    }

    #[test]
    fn a_reader_never_sees_the_end_of_a_command_without_its_result() {
        let (cells, commands) = commands();
        let (cells, commands) = (Arc::new(cells), Arc::new(commands));
        let stop = Arc::new(std::sync::atomic::AtomicBool::new(false));
        let reader = std::thread::spawn({
            let (cells, stop) = (Arc::clone(&cells), Arc::clone(&stop));
            move || {
                let mut seen = 0;
                while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                    let state = cells.command_state.latest();
                    let last = cells.last_result.latest();
                    let (Some(state), Some(last)) = (state, last) else {
                        continue;
                    };
                    // The commands are 1, 2, 3 and so on.
                    match state.command_id.parse::<u64>() {
                        Ok(running) => seen = running,
                        Err(_) => {
                            let ended = last.command_id.parse().unwrap_or(0);
                            assert!(ended >= seen, "{seen} is over, the last result is {ended}");
                        }
                    }
                }
            }
        });
        let mut state = OnboardState::default();
        for number in 1..=3000_u64 {
            state.sequence += 1;
            state.command_state = OnboardState::RUNNING as u8;
            state.command_id = number.to_string();
            commands.take_state(&cells, &state, commands.begun + ms(1000 * number));
            state.sequence += 1;
            state.command_state = OnboardState::PENDING as u8;
            state.command_id = String::new();
            let mut ended = ran(0);
            (ended.number, ended.id) = (number, number.to_string());
            state.last_result = vec![ended];
            commands.take_state(&cells, &state, commands.begun + ms(1000 * number + 500));
        }
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        reader.join().unwrap();
    }

    fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }
}
