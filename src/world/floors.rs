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
    /// From the lowest one up; those of equal height in the order of names.
    upwards: Vec<(f64, String)>,
}

impl Floors {
    /// Takes floors out, then adds floors or moves those of their names. Whether that made a
    /// difference.
    pub(super) fn change<'a>(
        &mut self,
        removed: impl Iterator<Item = &'a str>,
        added: impl Iterator<Item = (&'a str, f64)>,
    ) -> bool {
        let mut is_other = false;
        for name in removed {
            is_other |= self.heights.remove(name).is_some();
        }
        for (name, z) in added {
            is_other |= self.heights.insert(name.to_owned(), z) != Some(z);
        }
        if is_other {
            let by_name = self.heights.iter();
            self.upwards = by_name.map(|(name, z)| (*z, name.clone())).collect();
            self.upwards.sort_by(|a, b| a.0.total_cmp(&b.0));
        }
        is_other
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
        let above = self.upwards.get(self.up_to(floor));
        let ceiling = above.map_or(f64::INFINITY, |(z, _)| *z);
        Some(Level { floor, ceiling })
    }

    /// Name and height of the floor of the level at z 0: the highest one that is not above
    /// it, or the nameless ground.
    #[must_use]
    pub fn at_zero(&self) -> (&str, f64) {
        // The last of equal heights wins, in the order of names: the same in every run.
        let highest = self.upwards[..self.up_to(0.0)].last();
        highest.map_or(("", 0.0), |(z, name)| (name.as_str(), *z))
    }

    /// How many floors are not above a height.
    fn up_to(&self, height: f64) -> usize {
        self.upwards.partition_point(|(z, _)| *z <= height)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn floors(all: &[(&'static str, f64)]) -> Floors {
        let mut floors = Floors::default();
        floors.change(std::iter::empty(), all.iter().copied());
        floors
    }

    #[test]
    fn without_floors_the_ground_is_the_only_level() {
        let level = Floors::default().level("").unwrap();
        assert_eq!((level.floor, level.ceiling), (0.0, f64::INFINITY));
        assert!(level.reached_by(&ZExtent::new(5.0, 6.0)));
        assert!(!level.reached_by(&ZExtent::new(-1.0, 0.0)));
    }

    #[test]
    fn floors_split_z_into_levels() {
        let floors = floors(&[("2F", 3.0), ("1F", 0.0), ("B1", -3.0), ("3F", 6.5)]);
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
        let floors = floors(&[("upstairs", 2.5)]);
        let ground = floors.level("").unwrap();
        assert_eq!((ground.floor, ground.ceiling), (0.0, 2.5));
        assert_eq!(floors.at_zero().0, "");
    }

    #[test]
    fn floors_of_one_height_are_one_level_and_the_last_name_stands_for_it() {
        let floors = floors(&[("b", 0.0), ("a", 0.0), ("c", -0.0), ("top", 2.0)]);
        assert_eq!(floors.at_zero(), ("b", 0.0));
        for name in ["a", "b", "c"] {
            let level = floors.level(name).unwrap();
            assert_eq!((level.floor, level.ceiling), (0.0, 2.0), "{name}");
        }
    }

    #[test]
    fn what_changes_nothing_is_no_change() {
        let mut floors = floors(&[("1F", 0.0), ("2F", 3.0)]);
        let none = || std::iter::empty::<&str>();
        let nothing = std::iter::empty();
        assert!(!floors.change(none(), [("2F", 3.0)].into_iter()));
        assert!(!floors.change(["9F"].into_iter(), nothing.clone()));
        assert!(floors.change(none(), [("2F", 4.0)].into_iter()), "moved");
        assert_eq!(floors.level("1F").unwrap().ceiling, 4.0);
        assert!(floors.change(["2F"].into_iter(), nothing), "removed");
        assert_eq!(floors.level("1F").unwrap().ceiling, f64::INFINITY);
    }
}
