//! How the adapter begins to follow a robot that has told much before.
//!
//! Late readers get the last ten states and results at once, old ones among them, and the old are
//! not to be told as what is now.

use std::time::{Duration, Instant};

use r2r::tatami_msgs::msg::{CommandHistory, OnboardState};

/// How long no state has to come until the last one that came is the present one: those that
/// were kept for late readers come in one go.
const QUIET: Duration = Duration::from_millis(100);
/// How long that is waited for: a robot may change all the time.
const PATIENCE: Duration = Duration::from_secs(1);

/// Holds what a robot has told until its present state is known.
#[derive(Debug, Default)]
pub(super) struct Joining {
    history: Option<CommandHistory>,
    state: Option<Held>,
}

#[derive(Debug)]
struct Held {
    state: OnboardState,
    /// When the first one came.
    since: Instant,
    /// When this one came.
    at: Instant,
}

impl Joining {
    /// Takes what has arrived of a robot of which no state is known. Returns what is to be taken
    /// in of it, nothing as long as its present state is not known.
    pub(super) fn take(
        &mut self,
        histories: Vec<CommandHistory>,
        states: Vec<OnboardState>,
        now: Instant,
    ) -> (Option<CommandHistory>, Option<OnboardState>) {
        self.history = histories.into_iter().next_back().or(self.history.take());
        if let Some(state) = states.into_iter().next_back() {
            let since = self.state.as_ref().map_or(now, |held| held.since);
            let at = now;
            self.state = Some(Held { state, since, at });
        }
        let is_present = |held: &mut Held| {
            now.saturating_duration_since(held.at) >= QUIET
                || now.saturating_duration_since(held.since) >= PATIENCE
        };
        match self.state.take_if(is_present) {
            Some(held) => (self.history.take(), Some(held.state)),
            None => (None, None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is to be taken in, by its numbers, of what has come after ms.
    fn take(
        joining: &mut Joining,
        (begun, after): (Instant, u64),
        histories: &[u64],
        states: &[u64],
    ) -> (Option<u64>, Option<u64>) {
        let histories = histories.iter().map(|sequence| CommandHistory {
            sequence: *sequence,
            ..Default::default()
        });
        let states = states.iter().map(|sequence| OnboardState {
            sequence: *sequence,
            ..Default::default()
        });
        let now = begun + Duration::from_millis(after);
        let (history, state) = joining.take(histories.collect(), states.collect(), now);
        (
            history.map(|history| history.sequence),
            state.map(|state| state.sequence),
        )
    }

    #[test]
    fn what_was_told_long_ago_is_left_out() {
        let (mut joining, begun) = (Joining::default(), Instant::now());
        let mut at = |after, histories: &[u64], states: &[u64]| {
            take(&mut joining, (begun, after), histories, states)
        };
        assert_eq!(at(0, &[], &[]), (None, None));
        assert_eq!(at(5000, &[2, 5], &[3, 4]), (None, None));
        assert_eq!(at(5050, &[6], &[5, 5, 6]), (None, None));
        assert_eq!(at(5149, &[], &[]), (None, None));
        assert_eq!(at(5150, &[], &[]), (Some(6), Some(6)));
        // The next robot is joined alike.
        assert_eq!(at(9000, &[], &[1]), (None, None));
        assert_eq!(at(9100, &[], &[]), (None, Some(1)));
    }

    #[test]
    fn a_robot_that_always_changes_is_not_waited_for_long() {
        let (mut joining, begun) = (Joining::default(), Instant::now());
        for step in 0..20 {
            let nothing = take(&mut joining, (begun, 50 * step), &[step], &[step]);
            assert_eq!(nothing, (None, None), "{step}");
        }
        let all = (Some(20), Some(20));
        assert_eq!(take(&mut joining, (begun, 1000), &[20], &[20]), all);
    }
}
