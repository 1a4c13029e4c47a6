//! Warnings about messages on topics, which may come a hundred times a second.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::time::Duration;

use super::words::shortened;

/// How long a warning keeps those of its kind quiet.
const QUIET: Duration = Duration::from_secs(1);

/// Warnings of one kind, that is from one source and for one reason, are written once a second
/// of wall time.
#[derive(Debug, Default)]
pub(super) struct Warnings {
    written: BTreeMap<(String, i32), Duration>,
}

impl Warnings {
    /// Writes a warning unless one of its kind was just written.
    pub(super) fn warn(&mut self, now: Duration, source: &str, reason: i32, message: impl Display) {
        if self.is_due(now, source, reason) {
            tracing::warn!("{}", shortened(format!("{source}: {message}")));
        }
    }

    fn is_due(&mut self, now: Duration, source: &str, reason: i32) -> bool {
        // Sources come and go with robots.
        self.written.retain(|_, at| now < *at + QUIET);
        let kind = (source.to_owned(), reason);
        let is_due = !self.written.contains_key(&kind);
        if is_due {
            self.written.insert(kind, now);
        }
        is_due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    #[test]
    fn a_kind_is_written_once_a_second() {
        let mut warnings = Warnings::default();
        let due: Vec<u64> = (0..3000)
            .step_by(50)
            .filter(|at| warnings.is_due(ms(*at), "kachaka", 1))
            .collect();
        assert_eq!(due, [0, 1000, 2000]);
    }

    #[test]
    fn another_source_or_reason_is_another_kind() {
        let mut warnings = Warnings::default();
        for (source, reason) in [("a", 1), ("a", 2), ("b", 1)] {
            assert!(warnings.is_due(ms(0), source, reason), "{source} {reason}");
            assert!(!warnings.is_due(ms(1), source, reason), "{source} {reason}");
        }
    }

    #[test]
    fn what_was_written_long_ago_is_forgotten() {
        let mut warnings = Warnings::default();
        for robot in 0..1000 {
            warnings.is_due(ms(0), &format!("robot {robot}"), 0);
        }
        warnings.is_due(ms(1000), "another", 0);
        assert_eq!(warnings.written.len(), 1, "{warnings:?}");
    }
}
