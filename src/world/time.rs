//! Integer simulation time: nothing here accumulates floating-point seconds.

use std::fmt;

/// Index of a physics step. The first step is 1; 0 is the state before it.
pub type StepIndex = u64;

/// A point in sim time, in nanoseconds since the start of the simulation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct SimTime(
    /// Nanoseconds since the start.
    pub u64,
);

impl SimTime {
    /// The time in seconds, rounded to the nearest `f64`.
    #[must_use]
    pub fn seconds(self) -> f64 {
        self.0 as f64 * 1e-9
    }

    /// Whole seconds and the nanoseconds beyond them, as ROS stamps hold them.
    #[must_use]
    pub fn sec_nanosec(self) -> (u64, u32) {
        (self.0 / 1_000_000_000, (self.0 % 1_000_000_000) as u32)
    }
}

impl fmt::Display for SimTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sec, nanosec) = self.sec_nanosec();
        write!(f, "{sec}.{nanosec:09}")
    }
}

/// The physics step, rounded to whole nanoseconds once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PhysicsDt(u64);

impl Default for PhysicsDt {
    /// 0.0333 s, the server's default.
    fn default() -> Self {
        Self(33_300_000)
    }
}

/// A physics step outside the allowed range.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("physics_dt is {0} s, allowed is {min} s to {max} s", min = PhysicsDt::MIN_SECONDS, max = PhysicsDt::MAX_SECONDS)]
pub struct TimeStepError(pub f64);

impl PhysicsDt {
    /// Shortest step, in seconds.
    pub const MIN_SECONDS: f64 = 0.0005;
    /// Longest step, in seconds.
    pub const MAX_SECONDS: f64 = 0.5;

    /// Takes a step in seconds and rounds it to the nearest nanosecond.
    ///
    /// # Errors
    /// [`TimeStepError`] for anything outside [`Self::MIN_SECONDS`]..=[`Self::MAX_SECONDS`],
    /// NaN included.
    pub fn from_seconds(seconds: f64) -> Result<Self, TimeStepError> {
        if (Self::MIN_SECONDS..=Self::MAX_SECONDS).contains(&seconds) {
            Ok(Self((seconds * 1e9).round() as u64))
        } else {
            Err(TimeStepError(seconds))
        }
    }

    /// The step in nanoseconds.
    #[must_use]
    pub fn nanoseconds(self) -> u64 {
        self.0
    }

    /// The step in seconds, for physics.
    #[must_use]
    pub fn seconds(self) -> f64 {
        self.0 as f64 * 1e-9
    }

    /// The stamp of a step: its index times the step.
    #[must_use]
    pub fn stamp(self, step: StepIndex) -> SimTime {
        SimTime(step * self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_step_is_rounded_to_nanoseconds_once() {
        let dt = PhysicsDt::from_seconds(1.0 / 30.0).unwrap();
        assert_eq!(dt.nanoseconds(), 33_333_333);
        assert_eq!(dt.stamp(30), SimTime(999_999_990));
        assert_eq!(dt.stamp(30).to_string(), "0.999999990");
    }

    #[test]
    fn a_step_out_of_range_is_refused() {
        for bad in [0.0, -1.0, 0.000_499, 0.500_001, f64::NAN, f64::INFINITY] {
            let error = PhysicsDt::from_seconds(bad).unwrap_err();
            assert!(error.to_string().contains("0.0005 s to 0.5 s"), "{error}");
        }
        assert_eq!(
            PhysicsDt::from_seconds(0.0005).unwrap().nanoseconds(),
            500_000
        );
        assert_eq!(
            PhysicsDt::from_seconds(0.5).unwrap().nanoseconds(),
            500_000_000
        );
    }
}
