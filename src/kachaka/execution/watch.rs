//! Notices that a drive gets nowhere.

use super::View;
use crate::kachaka::seconds;
use crate::world::{SimTime, Twist2};

/// Speed up to which a body that is to go faster is held, m/s and rad/s.
const CREEP: f64 = 1e-3;

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
        let moves = gets_on(wanted.x, view.twist.x) || gets_on(wanted.angular, view.twist.angular);
        if !wants_motion || (moves && !stopped) {
            self.since = None;
            return false;
        }
        let since = *self.since.get_or_insert(view.now);
        view.now.0 - since.0 >= self.timeout
    }
}

/// Whether an axis moves at all when it is to: a body that is pressed against a wall creeps.
fn gets_on(wanted: f64, actual: f64) -> bool {
    wanted != 0.0 && actual.abs() > CREEP.min(0.1 * wanted.abs())
}
