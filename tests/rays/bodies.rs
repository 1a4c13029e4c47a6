//! Bodies come, move and go.

use proptest::prelude::*;
use tatami::world::rays::Lane;
use tatami::world::rays::{Fan, RayIndex};
use tatami::world::{BodyKey, Part, PlanarShape, Pose2, ZExtent};

use crate::scene::{self, Thing, index_of, nearest, origin};

#[derive(Debug, Clone)]
enum Change {
    Insert(u32, PlanarShape, Pose2),
    Move(u32, Pose2),
    Stretch(u32, f64),
    Remove(u32),
}

fn changes() -> impl Strategy<Value = Change> {
    let key = || 0_u32..12;
    prop_oneof![
        (key(), scene::shapes(), scene::poses(8.0))
            .prop_map(|(key, shape, pose)| Change::Insert(key, shape, pose)),
        (key(), scene::poses(8.0)).prop_map(|(key, pose)| Change::Move(key, pose)),
        (key(), 0.1..1.0).prop_map(|(key, top)| Change::Stretch(key, top)),
        key().prop_map(Change::Remove),
    ]
}

/// The same change to the index and to a plain list; both must agree on what was there.
fn apply(change: &Change, index: &mut RayIndex, things: &mut Vec<Thing>) {
    let find = |things: &[Thing], key: u32| things.iter().position(|t| t.key == BodyKey(key));
    match change {
        Change::Insert(key, shape, pose) => {
            let thing = Thing {
                key: BodyKey(*key),
                shape: shape.clone(),
                pose: *pose,
                z: ZExtent::new(0.0, 1.0),
            };
            index.insert(thing.key, thing.shape.clone(), thing.pose, thing.z);
            match find(things, *key) {
                Some(i) => things[i] = thing,
                None => things.push(thing),
            }
        }
        Change::Move(key, pose) => {
            let found = find(things, *key);
            assert_eq!(index.set_pose(BodyKey(*key), *pose), found.is_some());
            if let Some(i) = found {
                things[i].pose = *pose;
            }
        }
        Change::Stretch(key, top) => {
            let z = ZExtent::new(0.0, *top);
            let found = find(things, *key);
            assert_eq!(index.set_extent(BodyKey(*key), z), found.is_some());
            if let Some(i) = found {
                things[i].z = z;
            }
        }
        Change::Remove(key) => {
            let found = find(things, *key);
            assert_eq!(index.remove(BodyKey(*key)), found.is_some());
            if let Some(i) = found {
                things.remove(i);
            }
        }
    }
}

fn bits(distances: &[f64]) -> Vec<u64> {
    distances.iter().map(|d| d.to_bits()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    /// After every change, a cast equals that of a new index, to the bit.
    #[test]
    fn history_leaves_no_trace(history in prop::collection::vec(changes(), 1..40)) {
        let fan = Fan::uniform(-3.0, 0.05, 120).unwrap();
        let from = origin(0.2, 0.1, 0.4, 0.5);
        let (mut index, mut things) = (RayIndex::new(), Vec::new());
        for change in &history {
            apply(change, &mut index, &mut things);
            prop_assert_eq!(index.len(), things.len());
            let fresh = index_of(&things);
            prop_assert_eq!(
                bits(&nearest(&index, &from, &fan, 12.0)),
                bits(&nearest(&fresh, &from, &fan, 12.0))
            );
            prop_assert_eq!(
                index.cast(&from, &fan, 12.0, None),
                fresh.cast(&from, &fan, 12.0, None)
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    /// Parts of one body are met as they would be as bodies of their own, standing or moving.
    #[test]
    fn parts_are_seen_as_bodies_of_their_own(
        parts in scene::things(12),
        others in scene::things(6),
        body in scene::poses(3.0),
        moved in scene::poses(3.0),
        fan in scene::fans(),
    ) {
        let from = origin(0.2, 0.1, 0.4, 0.6);
        let own = BodyKey(100);
        let part = |thing: &Thing| Part::solid(thing.shape.clone(), thing.z).at(thing.pose);
        let mut whole = index_of(&others);
        whole.insert_parts(own, parts.iter().map(part).collect(), body);
        for at in [body, moved] {
            if at == moved {
                prop_assert!(whole.set_pose(own, at));
            }
            let mut apart = index_of(&others);
            for (thing, key) in parts.iter().zip(101..) {
                let pose = part(thing).placed(&at);
                apart.insert(BodyKey(key), thing.shape.clone(), pose, thing.z);
            }
            prop_assert_eq!(whole.len(), others.len() + 1);
            prop_assert_eq!(
                bits(&nearest(&whole, &from, &fan, 12.0)),
                bits(&nearest(&apart, &from, &fan, 12.0))
            );
            prop_assert_eq!(
                whole.cast(&from, &fan, 12.0, None),
                apart.cast(&from, &fan, 12.0, None)
            );
            let lane = Lane { half_width: 0.3, length: 9.0 };
            prop_assert_eq!(
                whole.nearest_ahead(&from, &lane, None),
                apart.nearest_ahead(&from, &lane, None)
            );
            let without = index_of(&others);
            prop_assert_eq!(
                whole.cast(&from, &fan, 12.0, Some(own)),
                without.cast(&from, &fan, 12.0, None)
            );
        }
    }
}

/// A crowded room that was rearranged once while one thing keeps moving: whether the rest
/// counts as moving or as still does not show.
#[test]
fn coming_to_rest_does_not_show() {
    let fan = Fan::uniform(-3.0, 0.02, 300).unwrap();
    let from = origin(0.2, 0.1, 0.4, 0.5);
    let place = |i: u32| {
        let angle = 2.4 * f64::from(i);
        let radius = 1.0 + 0.1 * f64::from(i);
        Pose2::new(radius * angle.cos(), radius * angle.sin(), angle)
    };
    let mut index = RayIndex::new();
    for i in 0..100 {
        let shape = PlanarShape::rectangle(0.3, 0.5);
        index.insert(BodyKey(i), shape, Pose2::default(), ZExtent::ALL);
    }
    for i in 0..100 {
        index.set_pose(BodyKey(i), place(i));
    }
    let expected = bits(&nearest(&index, &from, &fan, 20.0));
    for step in 0..30_000 {
        index.set_pose(BodyKey(7), Pose2::new(0.001 * f64::from(step), 0.0, 0.0));
        if step % 1000 == 0 {
            index.set_pose(BodyKey(7), place(7));
            assert_eq!(
                bits(&nearest(&index, &from, &fan, 20.0)),
                expected,
                "{step}"
            );
        }
    }
}

#[test]
fn excluded_body_is_looked_through() {
    let mut index = RayIndex::new();
    for (key, x) in [(0, 0.0), (1, 3.0)] {
        index.insert(
            BodyKey(key),
            PlanarShape::Disc(0.5),
            Pose2::new(x, 0.0, 0.0),
            ZExtent::ALL,
        );
    }
    let fan = Fan::uniform(0.0, 0.1, 1).unwrap();
    let from = origin(0.2, 0.0, 0.0, 0.0);
    let cast = |exclude| {
        let mut out = vec![7.0; 5];
        index.nearest(&from, &fan, 10.0, exclude, &mut out);
        assert_eq!(out, index.cast(&from, &fan, 10.0, exclude).first(0.0));
        out
    };
    let expect = |exclude, expected: f64| {
        let got = cast(exclude);
        assert!(
            got.len() == 1 && (got[0] - expected).abs() < 1e-12,
            "{exclude:?}: {got:?}"
        );
    };
    expect(None, 0.3);
    expect(Some(BodyKey(0)), 2.3);
    expect(Some(BodyKey(1)), 0.3);
    expect(Some(BodyKey(9)), 0.3);
}
