//! Ids that look like UUIDs: the same in every run that has the same number.

use crate::hash::{fnv1a, fnv1a_from};

/// Gives ids that do not repeat, by the number of the run, the robot's name and a counter.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Ids {
    robot: String,
    run: i64,
    given: u64,
}

impl Ids {
    /// After so many that were given to a robot of that name.
    pub(super) fn new(robot: &str, run: i64, given: u64) -> Self {
        Self {
            robot: robot.to_owned(),
            run,
            given,
        }
    }

    /// The next id.
    pub(super) fn next(&mut self) -> String {
        self.given += 1;
        uuid(&self.robot, &format!("#{}#{}", self.run, self.given))
    }

    /// How many were given.
    pub(super) fn given(&self) -> u64 {
        self.given
    }

    /// The id of something that has a name.
    pub(super) fn of(&self, name: &str) -> String {
        uuid(&self.robot, name)
    }
}

/// A UUID of version 8, the one for what its maker likes (RFC 9562), from two texts.
fn uuid(robot: &str, name: &str) -> String {
    let bytes = || robot.bytes().chain([0xff]).chain(name.bytes());
    let high = fnv1a(bytes());
    let low = fnv1a_from(high, bytes());
    let high = (high & !0xf000) | 0x8000;
    let low = (low & !(0b11 << 62)) | (0b10 << 62);
    format!(
        "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
        high >> 32,
        (high >> 16) & 0xffff,
        high & 0xffff,
        low >> 48,
        low & 0xffff_ffff_ffff
    )
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn ids_look_like_uuids_and_do_not_repeat() {
        let mut seen = BTreeSet::new();
        for robot in ["kachaka", "kachaka2", "a"] {
            let mut ids = Ids::new(robot, 7, 0);
            let same: Vec<String> = std::iter::repeat_with(|| ids.next()).take(1_000).collect();
            let mut again = Ids::new(robot, 7, 0);
            let mut another = Ids::new(robot, 8, 0);
            for id in same {
                assert_eq!(id, again.next());
                assert_ne!(
                    id,
                    another.next(),
                    "a later run must not give ids of an earlier one"
                );
                let lengths: Vec<usize> = id.split('-').map(str::len).collect();
                assert_eq!(lengths, [8, 4, 4, 4, 12], "{id}");
                assert_eq!(&id[14..15], "8", "{id}");
                assert!("89ab".contains(&id[19..20]), "{id}");
                assert!(seen.insert(id.clone()), "{id} came twice");
            }
        }
    }
}
