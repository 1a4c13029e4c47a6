//! How the adapter begins to follow a robot that has told much before.
//!
//! Late readers get the last ten states and results at once, old ones among them, and the old are
//! not to be told as what is now. Every reply of the robot names its present state, so it is
//! asked for one: what it told before that is old. Results are published when they change alone,
//! so the server is asked to publish them again.

use r2r::tatami_msgs::msg::{CommandHistory, OnboardState};

/// Holds what a robot has told until its present state is known.
#[derive(Debug, Default)]
pub(super) struct Joining {
    /// Number of the state that was present when the robot was asked.
    present: Option<u64>,
    history: Option<CommandHistory>,
    state: Option<OnboardState>,
}

impl Joining {
    /// Takes the number of the present state.
    pub(super) fn know(&mut self, present: u64) {
        self.present = Some(present);
    }

    /// Whether the number of the present state is known.
    pub(super) fn knows(&self) -> bool {
        self.present.is_some()
    }

    /// Takes what has arrived of a robot of which no state is known. Returns what is to be taken
    /// in of it: nothing before its present results have come, or later ones, and the state that
    /// follows from them.
    pub(super) fn take(
        &mut self,
        histories: Vec<CommandHistory>,
        states: Vec<OnboardState>,
    ) -> (Option<CommandHistory>, Option<OnboardState>) {
        self.history = histories.into_iter().next_back().or(self.history.take());
        self.state = states.into_iter().next_back().or(self.state.take());
        if self.has_come() {
            let come = std::mem::take(self);
            (come.history, come.state)
        } else {
            (None, None)
        }
    }

    fn has_come(&self) -> bool {
        let (Some(present), Some(history), Some(state)) =
            (self.present, &self.history, &self.state)
        else {
            return false;
        };
        history.sequence >= present && state.sequence >= history.sequence
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is to be taken in of what has come, by the numbers of history and state.
    fn take(
        joining: &mut Joining,
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
        let (history, state) = joining.take(histories.collect(), states.collect());
        (
            history.map(|history| history.sequence),
            state.map(|state| state.sequence),
        )
    }

    #[test]
    fn nothing_is_told_before_the_present_state_is_known() {
        let mut joining = Joining::default();
        assert_eq!(take(&mut joining, &[], &[]), (None, None));
        assert_eq!(take(&mut joining, &[2, 5], &[3, 4]), (None, None));
        assert_eq!(take(&mut joining, &[6], &[5, 5, 6]), (None, None));
        assert!(!joining.knows());
        joining.know(6);
        assert!(joining.knows());
        assert_eq!(take(&mut joining, &[], &[]), (Some(6), Some(6)));
        // The next one is met alike.
        assert!(!joining.knows());
        assert_eq!(take(&mut joining, &[7], &[7]), (None, None));
    }

    #[test]
    fn what_was_told_before_the_present_state_is_left_out() {
        let mut joining = Joining::default();
        joining.know(9);
        assert_eq!(take(&mut joining, &[4], &[7, 8]), (None, None));
        assert_eq!(take(&mut joining, &[8], &[9]), (None, None), "results");
        assert_eq!(take(&mut joining, &[9], &[]), (Some(9), Some(9)));
        // What came after it tells all that it does.
        joining.know(12);
        assert_eq!(take(&mut joining, &[14], &[13]), (None, None), "the state");
        assert_eq!(take(&mut joining, &[], &[14, 15]), (Some(14), Some(15)));
    }
}
