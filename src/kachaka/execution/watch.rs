//! Notices that a drive gets nowhere.

use super::{View, is_still};
use crate::kachaka::seconds;
use crate::world::{SimTime, Twist2};

/// For how long something has held a drive that wants to move.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Watch {
    /// Nanoseconds.
    timeout: u64,
    since: Option<SimTime>,
}

impl Watch {
    /// A drive may be held for a timeout in s of sim time.
    pub(super) fn new(timeout: f64) -> Self {
        Self {
            timeout: seconds(timeout),
            since: None,
        }
    }

    /// Takes in a step; whether the drive was held for the whole timeout.
    pub(super) fn is_over(&mut self, wanted: Twist2, view: &View) -> bool {
        let wants_motion = wanted.x != 0.0 || wanted.angular != 0.0;
        let stopped = wanted.x > 0.0 && view.front_blocked;
        if !wants_motion || !(stopped || is_still(view)) {
            self.since = None;
            return false;
        }
        let since = *self.since.get_or_insert(view.now);
        view.now.0 - since.0 >= self.timeout
    }
}
