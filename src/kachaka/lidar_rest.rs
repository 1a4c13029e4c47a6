//! When the lidar turns, and when it rests to last longer.

use super::{LidarConfig, seconds};
use crate::world::SimTime;

/// Whether the lidar measures: while the robot moves, for a while after, and as long as
/// somebody asked for it.
#[derive(Debug, Clone, PartialEq)]
pub struct LidarRest {
    /// Nanoseconds; `None` = it never rests.
    rest_after: Option<u64>,
    /// Until when standing still leaves it awake.
    awake_until: SimTime,
    /// Until when somebody wants it.
    wanted_until: SimTime,
    active: bool,
}

impl LidarRest {
    /// A lidar that has just been switched on at a sim time.
    #[must_use]
    pub fn new(config: &LidarConfig, now: SimTime) -> Self {
        let rest_after = (config.rest_after > 0.0).then(|| seconds(config.rest_after));
        Self {
            rest_after,
            awake_until: nanoseconds_later(now, rest_after.unwrap_or(0)),
            wanted_until: now,
            active: true,
        }
    }

    /// Takes in whether the robot moves at a sim time; manual control counts as moving.
    pub fn update(&mut self, moving: bool, now: SimTime) {
        let Some(rest_after) = self.rest_after else {
            return;
        };
        if moving {
            self.awake_until = nanoseconds_later(now, rest_after);
        }
        self.active = now < self.awake_until || now < self.wanted_until;
    }

    /// Keeps it awake for `duration` seconds of sim time from now on; what was asked for
    /// before holds if it lasts longer.
    pub fn activate(&mut self, duration: f64, now: SimTime) {
        self.wanted_until = self
            .wanted_until
            .max(nanoseconds_later(now, seconds(duration)));
        self.active |= now < self.wanted_until;
    }

    /// Whether it measures.
    #[must_use]
    pub fn is_active(&self) -> bool {
        self.active
    }
}

fn nanoseconds_later(now: SimTime, nanoseconds: u64) -> SimTime {
    SimTime(now.0.saturating_add(nanoseconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    fn resting_after(rest_after: f64) -> LidarRest {
        LidarRest::new(&LidarConfig { rest_after }, SimTime(0))
    }

    #[test]
    fn it_rests_after_standing_still_and_wakes_with_the_first_move() {
        let mut lidar = resting_after(5.0);
        let found = [
            (false, 4.9, true),
            (false, 5.0, false),
            (true, 6.0, true),
            (false, 10.9, true),
            (false, 11.0, false),
        ]
        .map(|(moving, now, expected)| {
            lidar.update(moving, SimTime(seconds(now)));
            (now, lidar.is_active(), expected)
        });
        for (now, found, expected) in found {
            assert_eq!(found, expected, "at {now} s");
        }
    }

    #[test]
    fn without_a_time_it_never_rests() {
        let mut lidar = resting_after(0.0);
        lidar.update(false, SimTime(100_000 * SECOND));
        assert!(lidar.is_active());
    }

    #[test]
    fn it_stays_awake_as_long_as_it_was_asked_to() {
        let mut lidar = resting_after(1.0);
        lidar.update(false, SimTime(2 * SECOND));
        assert!(!lidar.is_active(), "rests before it is asked");
        lidar.activate(5.0, SimTime(2 * SECOND));
        assert!(lidar.is_active(), "at once");
        // A shorter wish does not end a longer one.
        lidar.activate(1.0, SimTime(3 * SECOND));
        lidar.update(false, SimTime(7 * SECOND - 1));
        assert!(lidar.is_active(), "until the end of the longest wish");
        lidar.update(false, SimTime(7 * SECOND));
        assert!(!lidar.is_active(), "no longer");
    }

    #[test]
    fn a_wish_that_is_no_time_wakes_nothing() {
        for bad in [f64::NAN, -1.0, 0.0] {
            let mut lidar = resting_after(1.0);
            lidar.update(false, SimTime(2 * SECOND));
            lidar.activate(bad, SimTime(2 * SECOND));
            assert!(!lidar.is_active(), "{bad}");
        }
        let mut lidar = resting_after(1.0);
        lidar.activate(f64::INFINITY, SimTime(2 * SECOND));
        lidar.update(false, SimTime(u64::MAX - 1));
        assert!(lidar.is_active(), "infinite");
    }
}
