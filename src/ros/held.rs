//! Messages that wait to be applied, in the order in which they came.

use std::collections::{BTreeMap, VecDeque};

/// Messages of one source that wait at most; beyond that its oldest go.
const MOST: usize = 10_000;

/// What waits, by its source: one that floods pushes out nothing of another.
#[derive(Debug)]
pub(super) struct Held<S, M> {
    sources: BTreeMap<S, VecDeque<(u64, M)>>,
    /// How many have come: the number of the next.
    come: u64,
}

impl<S: Ord, M> Default for Held<S, M> {
    fn default() -> Self {
        Self {
            sources: BTreeMap::new(),
            come: 0,
        }
    }
}

impl<S: Ord, M> Held<S, M> {
    /// Holds a message. Whether the oldest of its source went for it.
    pub(super) fn hold(&mut self, source: S, message: M) -> bool {
        let waiting = self.sources.entry(source).or_default();
        let is_full = waiting.len() >= MOST;
        if is_full {
            waiting.pop_front();
        }
        waiting.push_back((self.come, message));
        self.come += 1;
        is_full
    }

    /// Takes all out, in the order in which they came.
    pub(super) fn take(&mut self) -> impl Iterator<Item = M> + use<S, M> {
        let sources = std::mem::take(&mut self.sources);
        let mut all: Vec<_> = sources.into_values().flatten().collect();
        all.sort_unstable_by_key(|(number, _)| *number);
        all.into_iter().map(|(_, message)| message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_come_out_in_order_across_sources_and_once() {
        let mut held = Held::default();
        for (number, source) in ["b", "a", "b", "c", "a"].into_iter().enumerate() {
            assert!(!held.hold(source, number));
        }
        assert_eq!(held.take().collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
        assert_eq!(held.take().count(), 0);
    }

    #[test]
    fn a_flood_pushes_out_its_own_oldest_alone() {
        let mut held = Held::default();
        held.hold("goals", usize::MAX);
        let dropped = (0..MOST + 2).filter(|number| held.hold("velocities", *number));
        assert_eq!(dropped.collect::<Vec<_>>(), [MOST, MOST + 1]);
        let left: Vec<_> = held.take().collect();
        assert_eq!(left.len(), 1 + MOST);
        assert_eq!(left[..2], [usize::MAX, 2]);
        assert_eq!(left.last(), Some(&(MOST + 1)));
    }
}
