//! Registered places.

use std::collections::{BTreeMap, BTreeSet};

use super::command::{check_id, check_pose, check_text};
use super::error_codes::code;
use super::{LocationKind, Refusal};
use crate::world::Pose2;

/// A registered place.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Location {
    /// What it is known by, such as `L01`; unique.
    pub id: String,
    /// For people.
    pub name: String,
    /// What it is for.
    pub kind: LocationKind,
    /// Map frame.
    pub pose: Pose2,
    /// Kept for clients.
    pub undock_shelf_aligning_to_wall: bool,
    /// Kept for clients.
    pub undock_shelf_avoiding_obstacles: bool,
    /// Kept for clients.
    pub ignore_voice_recognition: bool,
}

/// All registered places of a robot, in the order in which they were registered.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Locations {
    places: Vec<Location>,
    default_id: String,
    revision: u64,
}

/// Places to add, replace or remove, together or not at all.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LocationChange {
    /// Add, or replace by id.
    pub add: Vec<Location>,
    /// Ids to remove; done first.
    pub remove: Vec<String>,
    /// The default afterwards; "" = it stays.
    pub default_id: String,
}

/// Most places of a robot: all go into one reply of gRPC, of 4 MiB at most.
pub(super) const MAX_LOCATIONS: usize = 2_000;
/// Most bytes of their ids and names together, for the same reason.
pub(super) const MAX_TEXT_BYTES: usize = 2 << 20;

impl Locations {
    /// The places of a configuration and the id of the default one, "" for none.
    #[must_use]
    pub fn new(places: &[Location], default_id: &str) -> Self {
        Self {
            places: places.to_vec(),
            default_id: default_id.to_owned(),
            revision: 0,
        }
    }

    /// All places.
    #[must_use]
    pub fn all(&self) -> &[Location] {
        &self.places
    }

    /// Id of the default place; "" for none.
    #[must_use]
    pub fn default_id(&self) -> &str {
        &self.default_id
    }

    /// Grows with every change.
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// A place by its id.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<&Location> {
        self.places.iter().find(|place| place.id == id)
    }

    /// The charger's place.
    #[must_use]
    pub fn charger(&self) -> Option<&Location> {
        let is_charger = |place: &&Location| place.kind == LocationKind::Charger;
        self.places.iter().find(is_charger)
    }

    /// Applies a change as a whole.
    ///
    /// # Errors
    /// The first place that is wrong, an id to remove or a default that is not there, or too
    /// many places; then nothing is changed.
    pub fn apply(&mut self, change: &LocationChange) -> Result<(), Refusal> {
        self.check(change)?;
        let removed: BTreeSet<&String> = change.remove.iter().collect();
        self.places.retain(|place| !removed.contains(&place.id));
        let mut new: BTreeMap<&str, &Location> = BTreeMap::new();
        new.extend(change.add.iter().map(|place| (place.id.as_str(), place)));
        for place in &mut self.places {
            if let Some(other) = new.remove(place.id.as_str()) {
                place.clone_from(other);
            }
        }
        let added = (change.add.iter()).filter(|place| new.contains_key(place.id.as_str()));
        self.places.extend(added.cloned());
        if !change.default_id.is_empty() {
            self.default_id.clone_from(&change.default_id);
        } else if self.find(&self.default_id).is_none() {
            self.default_id.clear();
        }
        self.revision += 1;
        Ok(())
    }

    /// Whether [`Self::apply`] would take it.
    ///
    /// # Errors
    /// As there.
    pub fn check(&self, change: &LocationChange) -> Result<(), Refusal> {
        let (added, removed) = (change.add.len(), change.remove.len());
        if added > MAX_LOCATIONS || removed > MAX_LOCATIONS {
            return Err(too_many());
        }
        let mut ids = BTreeSet::new();
        for (index, new) in change.add.iter().enumerate() {
            check_location(new).map_err(|refusal| at("locations", index, &refusal))?;
            if !ids.insert(&new.id) {
                return Err(bad(format!(
                    "locations[{index}]: the id '{}' stands in this request already",
                    new.id
                )));
            }
        }
        let present = self.places.iter();
        let mut kept: BTreeMap<&String, usize> = present
            .map(|place| (&place.id, text_bytes(place)))
            .collect();
        let mut removed = BTreeSet::new();
        for (index, id) in change.remove.iter().enumerate() {
            check_id("id", id).map_err(|refusal| at("removed", index, &refusal))?;
            if removed.insert(id) && kept.remove(id).is_none() {
                return Err(bad(format!(
                    "removed[{index}]: there is no location '{id}'"
                )));
            }
        }
        let default = &change.default_id;
        check_id("default_location_id", default)?;
        if !default.is_empty() && !ids.contains(default) && !kept.contains_key(default) {
            return Err(bad(format!(
                "default_location_id: there is no location '{default}'"
            )));
        }
        let mut all = kept;
        all.extend(change.add.iter().map(|new| (&new.id, text_bytes(new))));
        if all.len() > MAX_LOCATIONS {
            return Err(too_many());
        }
        let bytes: usize = all.values().sum();
        if bytes > MAX_TEXT_BYTES {
            let message = format!(
                "ids and names of all locations would have {bytes} bytes, at most \
                 {MAX_TEXT_BYTES} are kept"
            );
            return Err(Refusal::new(code::TOO_MANY, message));
        }
        Ok(())
    }
}

fn at(list: &str, index: usize, refusal: &Refusal) -> Refusal {
    Refusal::new(
        refusal.code,
        format!("{list}[{index}]: {}", refusal.message),
    )
}

fn too_many() -> Refusal {
    Refusal::new(
        code::TOO_MANY,
        format!("a robot keeps at most {MAX_LOCATIONS} locations"),
    )
}

fn text_bytes(place: &Location) -> usize {
    place.id.len() + place.name.len()
}

fn check_location(place: &Location) -> Result<(), Refusal> {
    if place.id.is_empty() {
        return Err(bad("id is empty, a location needs one".into()));
    }
    check_id("id", &place.id)?;
    check_text("name", &place.name)?;
    check_pose(&place.pose)
}

fn bad(message: String) -> Refusal {
    Refusal::new(code::BAD_VALUE, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(id: &str, x: f64) -> Location {
        Location {
            id: id.into(),
            name: format!("place {id}"),
            pose: Pose2::new(x, 0.0, 0.0),
            ..Location::default()
        }
    }

    fn change(add: &[Location], remove: &[&str], default_id: &str) -> LocationChange {
        LocationChange {
            add: add.to_vec(),
            remove: remove.iter().map(|id| (*id).to_owned()).collect(),
            default_id: default_id.into(),
        }
    }

    #[test]
    fn places_are_added_replaced_and_removed_in_their_order() {
        let mut places = Locations::default();
        let both = [place("L01", 1.0), place("L02", 2.0)];
        places.apply(&change(&both, &[], "L02")).unwrap();
        places
            .apply(&change(&[place("L01", 5.0)], &[], ""))
            .unwrap();
        let xs: Vec<f64> = places.all().iter().map(|place| place.pose.x).collect();
        assert_eq!(xs, [5.0, 2.0]);
        assert_eq!(places.default_id(), "L02");
        places.apply(&change(&[], &["L02"], "")).unwrap();
        assert_eq!(places.default_id(), "", "the default was removed");
        assert_eq!(places.revision(), 3);
    }

    #[test]
    fn there_is_a_bound_on_places_and_replacing_does_not_count() {
        let many: Vec<Location> = (0..MAX_LOCATIONS)
            .map(|index| place(&index.to_string(), 0.0))
            .collect();
        let mut places = Locations::default();
        places.apply(&change(&many, &[], "")).unwrap();
        places.apply(&change(&many[..10], &[], "")).unwrap();
        let one_more = change(&[place("more", 0.0)], &[], "");
        let refusal = places.apply(&one_more).unwrap_err();
        assert_eq!(refusal.code, code::TOO_MANY, "{refusal}");
    }

    #[test]
    fn what_is_too_many_is_not_looked_at() {
        // Whatever else is wrong with them: their number is said, which costs nothing to see.
        let add = vec![place("", f64::NAN); MAX_LOCATIONS + 1];
        let refusal = Locations::default().check(&change(&add, &[], ""));
        assert_eq!(refusal, Err(too_many()));
        let remove = vec![""; MAX_LOCATIONS + 1];
        let refusal = Locations::default().check(&change(&[], &remove, ""));
        assert_eq!(refusal, Err(too_many()));
    }

    #[test]
    fn one_change_removes_replaces_and_adds() {
        let mut places = Locations::default();
        let first = [place("a", 1.0), place("b", 2.0), place("c", 3.0)];
        places.apply(&change(&first, &[], "")).unwrap();
        // One that is removed and added again stands at the end.
        let add = [place("d", 4.0), place("b", 5.0), place("a", 6.0)];
        places.apply(&change(&add, &["a", "a"], "")).unwrap();
        let all = places.all().iter().map(|place| (&*place.id, place.pose.x));
        let all: Vec<(&str, f64)> = all.collect();
        assert_eq!(all, [("b", 5.0), ("c", 3.0), ("d", 4.0), ("a", 6.0)]);
    }

    #[test]
    fn there_is_a_bound_on_all_ids_and_names_together() {
        // Names of 3,000 bytes: 699 and no more fit into 2 MiB, their ids counted.
        let long = |index: usize| Location {
            name: "棚".repeat(1_000),
            ..place(&index.to_string(), 0.0)
        };
        let many = |count: usize| (0..count).map(long).collect::<Vec<_>>();
        let ids: usize = (0..698).map(|index| index.to_string().len()).sum();
        assert!(698 * 3_000 + ids <= 2 << 20 && 699 * 3_000 + ids + 3 > 2 << 20);
        let mut places = Locations::default();
        places.apply(&change(&many(698), &[], "")).unwrap();
        let before = places.clone();
        let refusal = places.apply(&change(&[long(698)], &[], "")).unwrap_err();
        assert_eq!(refusal.code, code::TOO_MANY, "{refusal}");
        assert_eq!(places, before);
        // In the place of another one it fits.
        let in_place = change(&[long(698)], &["7"], "");
        assert_eq!(places.check(&in_place), Ok(()));
    }

    #[test]
    fn a_bad_change_changes_nothing() {
        let mut places = Locations::default();
        places
            .apply(&change(&[place("L01", 1.0)], &[], "L01"))
            .unwrap();
        let before = places.clone();
        let bad = [
            (
                change(&[place("L02", f64::NAN)], &[], ""),
                "locations[0]: x is NaN",
            ),
            (change(&[place("", 0.0)], &[], ""), "id is empty"),
            (
                change(&[place("a", 0.0), place("a", 1.0)], &[], ""),
                "locations[1]",
            ),
            (change(&[place("L02", 0.0)], &["L03"], ""), "removed[0]"),
            (change(&[], &["L01"], "L01"), "default_location_id"),
            (
                change(&[], &[&"x".repeat(2_000)], ""),
                "removed[0]: id is longer",
            ),
            (
                change(&[], &[], &"x".repeat(2_000)),
                "default_location_id is longer",
            ),
        ];
        for (change, expected) in bad {
            let refusal = places.apply(&change).unwrap_err();
            assert!(refusal.message.contains(expected), "{refusal}");
            assert_eq!(places, before);
        }
    }
}
