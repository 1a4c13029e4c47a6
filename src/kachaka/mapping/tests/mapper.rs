//! When a map is made anew.

use super::*;
use crate::world::MoveSpec;

fn update(mapper: &mut Mapper, world: &World, robot: Pose2, milliseconds: u64) -> bool {
    mapper.update(
        world,
        ground(world),
        robot,
        SimTime(milliseconds * 1_000_000),
    )
}

#[test]
fn a_map_is_made_anew_only_after_a_change_and_not_too_often() {
    let mut world = empty_world();
    add_outline(
        &mut world,
        "room",
        &[[-2.0, -2.0], [2.0, -2.0], [2.0, 2.0], [-2.0, 2.0]],
    );
    add_box(
        &mut world,
        "crate",
        [0.2, 0.2],
        Pose2::new(1.0, 0.0, 0.0),
        [0.0, 1.0],
    );
    let mut mapper = Mapper::new(&config(0.05));
    assert!(mapper.map().is_none());
    let (here, there) = (Pose2::default(), Pose2::new(-1.0, 1.0, 0.0));
    assert!(update(&mut mapper, &world, here, 0), "the first");
    assert!(!update(&mut mapper, &world, here, 5000), "nothing changed");
    assert!(
        !update(&mut mapper, &world, there, 5010),
        "only the robot moved"
    );
    let crate_at = |x: f64| MoveSpec {
        name: "crate".into(),
        pose: Pose2::new(x, 0.0, 0.0),
    };
    world.move_entity(&crate_at(0.5)).unwrap();
    assert!(
        update(&mut mapper, &world, there, 5020),
        "long after the last"
    );
    let value = |mapper: &Mapper, x: f64| mapper.map().and_then(|map| map.value_at([x, 0.0]));
    let found = [value(&mapper, 0.5), value(&mapper, 1.0)];
    assert_eq!(found, [Some(OCCUPIED), Some(FREE)]);
    world.move_entity(&crate_at(0.0)).unwrap();
    assert!(!update(&mut mapper, &world, there, 6019), "too early");
    assert!(update(&mut mapper, &world, there, 6020), "a second later");
    // Away and back: made anew, but it is the same map.
    world.move_entity(&crate_at(1.0)).unwrap();
    world.move_entity(&crate_at(0.0)).unwrap();
    assert!(!update(&mut mapper, &world, there, 8000), "the same map");
    // With the clock set back nothing is too early.
    world.move_entity(&crate_at(1.5)).unwrap();
    assert!(update(&mut mapper, &world, there, 10), "after a reset");
}

#[test]
fn a_robot_where_nothing_is_known_gets_a_map_of_its_own_place() {
    let mut world = empty_world();
    for (name, x) in [("left", -2.0), ("right", 2.0)] {
        let ring = [
            [x - 1.0, -1.0],
            [x + 1.0, -1.0],
            [x + 1.0, 1.0],
            [x - 1.0, 1.0],
        ];
        add_outline(&mut world, name, &ring);
    }
    let mut mapper = Mapper::new(&config(0.05));
    let (left, right) = (Pose2::new(-2.0, 0.0, 0.0), Pose2::new(2.0, 0.0, 0.0));
    let known = |mapper: &Mapper| {
        let value = |x: f64| mapper.map().and_then(|map| map.value_at([x, 0.0]));
        [value(-2.0), value(2.0)]
    };
    update(&mut mapper, &world, left, 0);
    assert_eq!(known(&mapper), [Some(FREE), Some(UNKNOWN)]);
    assert!(update(&mut mapper, &world, right, 1000));
    assert_eq!(known(&mapper), [Some(UNKNOWN), Some(FREE)]);
    // Beyond the map.
    assert!(update(&mut mapper, &world, Pose2::new(5.0, 5.0, 0.0), 2000));
    assert_eq!(
        mapper.map().and_then(|map| map.value_at([5.0, 5.0])),
        Some(FREE)
    );
}

#[test]
fn the_revision_grows_with_what_stands_alone() {
    let mut world = empty_world();
    let mut last = world.standing_revision();
    let mut grown = |world: &World| {
        let now = world.standing_revision();
        now > std::mem::replace(&mut last, now)
    };
    add_box(&mut world, "box", [1.0, 1.0], Pose2::default(), [0.0, 1.0]);
    assert!(grown(&world), "a box");
    add_outline(&mut world, "room", &[[-2.0, -2.0], [2.0, -2.0], [2.0, 2.0]]);
    assert!(grown(&world), "an outline");
    let disc = |x: f64| DiscSpec {
        name: "person".into(),
        radius: 0.3,
        center: [x, 1.0],
        velocity: [0.1, 0.0],
        z_min: 0.0,
        z_max: 1.8,
    };
    world.add_disc(&disc(0.0)).unwrap();
    world.add_disc(&disc(1.0)).unwrap();
    world.step();
    world.remove("person").unwrap();
    assert!(!grown(&world), "discs and steps");
    let spec = MoveSpec {
        name: "box".into(),
        pose: Pose2::new(1.0, 0.0, 0.0),
    };
    world.move_entity(&spec).unwrap();
    assert!(grown(&world), "a move");
    world.move_entity(&spec).unwrap();
    add_box(&mut world, "box", [1.0, 1.0], spec.pose, [0.0, 1.0]);
    assert!(!grown(&world), "what is there already");
    add_box(&mut world, "box", [1.0, 1.1], spec.pose, [0.0, 1.0]);
    assert!(grown(&world), "another size");
    world.reset(true);
    assert!(grown(&world), "a reset");
    let name = "2F".into();
    let floor = FloorSpec { name, z: 3.0 };
    world.add_floor(&floor).unwrap();
    assert!(grown(&world), "a floor");
    world.add_floor(&floor).unwrap();
    world.set_levels(std::slice::from_ref(&floor)).unwrap();
    assert!(!grown(&world), "the same floor");
    world.remove("room").unwrap();
    assert!(grown(&world), "a removal");
}
