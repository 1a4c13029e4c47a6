//! Named heights and the levels between them.

use std::collections::BTreeMap;

use super::ZExtent;

/// One storey: from a floor up to the next one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Level {
    /// Height of the floor, m.
    pub floor: f64,
    /// Height of the next floor, m; infinite for the topmost level.
    pub ceiling: f64,
}

impl Level {
    /// Whether something with this extent reaches into the level, boundaries not counted.
    #[must_use]
    pub fn reached_by(&self, z: &ZExtent) -> bool {
        z.overlaps(&ZExtent::new(self.floor, self.ceiling))
    }
}

/// All floors of a world. Together they split z into levels.
///
/// Where no floor covers z = 0, the ground does: a floor of height 0 without a name.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Floors {
    heights: BTreeMap<String, f64>,
}

impl Floors {
    /// Adds a floor or moves the one of that name.
    pub(super) fn insert(&mut self, name: &str, z: f64) {
        self.heights.insert(name.to_owned(), z);
    }

    /// Takes a floor out. Whether there was one.
    pub(super) fn remove(&mut self, name: &str) -> bool {
        self.heights.remove(name).is_some()
    }

    /// Whether there is a floor of that name.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.heights.contains_key(name)
    }

    /// Names and heights, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, f64)> {
        self.heights.iter().map(|(name, z)| (name.as_str(), *z))
    }

    /// The level that stands on a floor; "" means the level at z 0.
    #[must_use]
    pub fn level(&self, name: &str) -> Option<Level> {
        let floor = if name.is_empty() {
            self.at_zero().1
        } else {
            *self.heights.get(name)?
        };
        let ceiling = self
            .heights
            .values()
            .copied()
            .filter(|z| *z > floor)
            .fold(f64::INFINITY, f64::min);
        Some(Level { floor, ceiling })
    }

    /// Name and height of the floor of the level at z 0: the highest one that is not above
    /// it, or the nameless ground.
    #[must_use]
    pub fn at_zero(&self) -> (&str, f64) {
        self.heights
            .iter()
            .filter(|(_, z)| **z <= 0.0)
            // The last of equal heights wins, in the order of names: the same in every run.
            .max_by(|a, b| a.1.total_cmp(b.1))
            .map_or(("", 0.0), |(name, z)| (name.as_str(), *z))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_floors_the_ground_is_the_only_level() {
        let level = Floors::default().level("").unwrap();
        assert_eq!((level.floor, level.ceiling), (0.0, f64::INFINITY));
        assert!(level.reached_by(&ZExtent::new(5.0, 6.0)));
        assert!(!level.reached_by(&ZExtent::new(-1.0, 0.0)));
    }

    #[test]
    fn floors_split_z_into_levels() {
        let mut floors = Floors::default();
        for (name, z) in [("2F", 3.0), ("1F", 0.0), ("B1", -3.0), ("3F", 6.5)] {
            floors.insert(name, z);
        }
        assert_eq!(floors.at_zero(), ("1F", 0.0));
        assert_eq!(floors.level(""), floors.level("1F"));
        let cases = [("B1", -3.0, 0.0), ("1F", 0.0, 3.0), ("2F", 3.0, 6.5)];
        for (name, floor, ceiling) in cases {
            assert_eq!(floors.level(name), Some(Level { floor, ceiling }), "{name}");
        }
        assert_eq!(floors.level("3F").unwrap().ceiling, f64::INFINITY);
        assert_eq!(floors.level("9F"), None);
    }

    #[test]
    fn floors_above_zero_leave_the_ground_below_them() {
        let mut floors = Floors::default();
        floors.insert("upstairs", 2.5);
        let ground = floors.level("").unwrap();
        assert_eq!((ground.floor, ground.ceiling), (0.0, 2.5));
        assert_eq!(floors.at_zero().0, "");
    }
}
