//! How often the robot has run into something.

use std::collections::BTreeMap;

use super::{CollisionConfig, seconds};
use crate::world::{Contact, Kind, SimTime};

/// Counts collisions. A push against a thing is one, however its contact comes and goes:
/// a contact counts when it starts some time after the last one with the same thing.
#[derive(Debug, Clone, PartialEq)]
pub struct Collisions {
    gap: u64,
    /// What was touched within the gap, by name.
    touched: BTreeMap<String, Touch>,
    towed: Option<String>,
    count: u32,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Touch {
    last: SimTime,
    /// Whether it was there at the last update.
    goes_on: bool,
}

impl Collisions {
    /// None so far.
    #[must_use]
    pub fn new(config: &CollisionConfig) -> Self {
        Self {
            gap: seconds(config.gap),
            touched: BTreeMap::new(),
            towed: None,
            count: 0,
        }
    }

    /// Names the shelf that the robot carries, which never counts.
    pub fn set_towed(&mut self, name: Option<String>) {
        self.towed = name;
    }

    /// Takes in what the robot touches at a sim time and says how many collisions that adds.
    pub fn update(&mut self, contacts: &[Contact], now: SimTime) -> u32 {
        if contacts.is_empty() && self.touched.is_empty() {
            return 0;
        }
        let (before, gap) = (self.count, self.gap);
        let is_recent = |last: &SimTime| now.0.saturating_sub(last.0) < gap;
        let mut touched = BTreeMap::new();
        for contact in contacts {
            if contact.kind == Kind::Floor || self.towed.as_ref() == Some(&contact.name) {
                continue;
            }
            let goes_on = self.touched.get(&contact.name).is_some_and(|touch| {
                // Whatever the gap: a contact that never ended does not start.
                touch.goes_on || is_recent(&touch.last)
            });
            let touch = Touch {
                last: now,
                goes_on: true,
            };
            let is_first = touched.insert(contact.name.clone(), touch).is_none();
            if is_first && !goes_on {
                self.count = self.count.saturating_add(1);
            }
        }
        for (name, touch) in std::mem::take(&mut self.touched) {
            // What was not touched for the gap starts anew.
            if is_recent(&touch.last) {
                touched.entry(name).or_insert(Touch {
                    goes_on: false,
                    ..touch
                });
            }
        }
        self.touched = touched;
        self.count - before
    }

    /// Collisions since the start or the last [`Self::reset`].
    #[must_use]
    pub fn count(&self) -> u32 {
        self.count
    }

    /// As at the start.
    pub fn reset(&mut self) {
        self.touched.clear();
        self.count = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contact(name: &str, kind: Kind) -> Contact {
        Contact {
            name: name.to_owned(),
            kind,
            position: [0.0; 3],
            normal: [1.0, 0.0, 0.0],
            depth: 0.0,
        }
    }

    /// Counts over updates, each at a time in ms with what is touched then.
    fn counted(collisions: &mut Collisions, updates: &[(u64, &[&str])]) -> Vec<u32> {
        let mut counts = Vec::new();
        for (milliseconds, names) in updates {
            let contacts: Vec<_> = names.iter().map(|name| contact(name, Kind::Box)).collect();
            collisions.update(&contacts, SimTime(milliseconds * 1_000_000));
            counts.push(collisions.count());
        }
        counts
    }

    fn none_yet() -> Collisions {
        Collisions::new(&CollisionConfig::default())
    }

    #[test]
    fn one_push_is_one_collision_however_long_and_shaky() {
        let wall: &[&str] = &["wall"];
        let updates = [
            (0, &[][..]),
            (10, wall),
            (20, wall),
            (5000, wall),
            (5010, &[][..]),
            (5499, wall),
            (5509, &[][..]),
            (5998, wall),
        ];
        let found = counted(&mut none_yet(), &updates);
        assert_eq!(found, [0, 1, 1, 1, 1, 1, 1, 1]);
    }

    #[test]
    fn a_contact_counts_again_half_a_second_after_the_last() {
        let wall: &[&str] = &["wall"];
        // The last touch is that of the update at 20 ms.
        let updates = [(10, wall), (20, wall), (30, &[][..]), (519, &[][..])];
        let mut collisions = none_yet();
        counted(&mut collisions, &updates);
        let mut early = collisions.clone();
        assert_eq!(counted(&mut early, &[(519, wall)]), [1]);
        assert_eq!(counted(&mut collisions, &[(520, wall)]), [2]);
    }

    #[test]
    fn each_thing_counts_by_itself() {
        let updates: [(u64, &[&str]); 4] = [
            (0, &["a"]),
            (100, &["a", "b"]),
            (200, &["b", "c", "d"]),
            (300, &["a"]),
        ];
        assert_eq!(counted(&mut none_yet(), &updates), [1, 2, 4, 4]);
    }

    #[test]
    fn the_floor_and_the_towed_shelf_never_count() {
        let mut collisions = none_yet();
        collisions.set_towed(Some("shelf".to_owned()));
        let contacts = [
            contact("1F", Kind::Floor),
            contact("shelf", Kind::Box),
            contact("other robot", Kind::Robot),
        ];
        assert_eq!(collisions.update(&contacts, SimTime(0)), 1);
        assert_eq!(collisions.count(), 1);
        // Let go of, it is a thing like others.
        collisions.set_towed(None);
        assert_eq!(collisions.update(&contacts, SimTime(1)), 1);
    }

    #[test]
    fn a_thing_touched_at_two_places_counts_once() {
        let updates: [(u64, &[&str]); 1] = [(0, &["wall", "wall"])];
        assert_eq!(counted(&mut none_yet(), &updates), [1]);
    }

    #[test]
    fn without_a_gap_a_lasting_contact_is_still_one() {
        let mut collisions = Collisions::new(&CollisionConfig {
            gap: 0.0,
            stop: false,
        });
        let wall: &[&str] = &["wall"];
        let updates = [(0, wall), (10, wall), (20, &[][..]), (30, wall)];
        assert_eq!(counted(&mut collisions, &updates), [1, 1, 1, 2]);
    }

    #[test]
    fn a_reset_starts_from_zero() {
        let mut collisions = none_yet();
        let wall: &[&str] = &["wall"];
        counted(&mut collisions, &[(0, wall)]);
        collisions.reset();
        assert_eq!(collisions.count(), 0);
        assert_eq!(counted(&mut collisions, &[(10, wall)]), [1]);
    }
}
