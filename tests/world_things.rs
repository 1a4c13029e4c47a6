//! Things of several parts: what of them stops, is touched and seen at which height, what is
//! refused, and where they stand. Expected values come from the geometry of each scene.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod common;

use common::assert_near;
use common::things::{LEG, LEGS, LIDAR, kachaka, plate, range, shelf, shelf_parts, thing, world};
use tatami::world::rays::{Lane, RayOrigin};
use tatami::world::{
    BoxSpec, FloorSpec, Kind, Part, PlanarShape, Pose2, RobotBody, Solidity, ThingMotion,
    ThingSpec, Twist2, World, WorldError, ZExtent,
};

/// A shelf that nothing moves.
fn fixed(name: &str, pose: Pose2) -> ThingSpec {
    thing(name, Kind::Shelf, shelf_parts(), pose, ThingMotion::Fixed)
}

fn driven(name: &str, kind: Kind, parts: Vec<Part>, pose: Pose2) -> ThingSpec {
    thing(name, kind, parts, pose, ThingMotion::Driven)
}

fn person(name: &str, pose: Pose2) -> ThingSpec {
    let part = Part::solid(PlanarShape::Disc(0.25), ZExtent::new(0.0, 1.7));
    let part = part.with_solidity(Solidity::Touched);
    driven(name, Kind::Person, vec![part], pose)
}

#[test]
fn a_contact_is_at_the_height_of_the_part_that_is_touched() {
    let mut world = world();
    // The front of the robot is 0.237 m ahead of its base; the legs begin at -0.136 m.
    let low = kachaka("low", Pose2::new(-0.136 - 0.237, 0.196, 0.0));
    world.add_robot(low).unwrap();
    let high = RobotBody {
        z_min: 0.4,
        height: 0.2,
        ..kachaka("high", Pose2::new(0.164 + 0.237, 0.0, std::f64::consts::PI))
    };
    world.add_robot(high).unwrap();
    world.add_thing(&fixed("shelf", Pose2::default())).unwrap();
    // Legs reach over all of the low robot's 0.113 m. Of the plates only the middle one,
    // 0.486 to 0.511 m, is as high as the other robot.
    let at = [("low", -0.136, 0.113 / 2.0), ("high", 0.164, 0.4985)];
    for (robot, x, height) in at {
        let contacts = world.contacts(robot).unwrap();
        assert_eq!(contacts.len(), 1, "{contacts:?}");
        assert_eq!(
            (&*contacts[0].name, contacts[0].kind),
            ("shelf", Kind::Shelf)
        );
        assert_near(contacts[0].position[0], x, 1e-9);
        assert_near(contacts[0].position[2], height, 1e-12);
    }
}

/// Where a ray from the origin first meets one of some circles of a leg's radius.
fn first_leg(bearing: f64, centers: &[[f64; 2]]) -> f64 {
    let (uy, ux) = bearing.sin_cos();
    let enter = |[x, y]: &[f64; 2]| {
        let (along, aside) = (ux * x + uy * y, ux * y - uy * x);
        if along > 0.0 && aside.abs() < LEG {
            along - (LEG * LEG - aside * aside).sqrt()
        } else {
            f64::INFINITY
        }
    };
    centers.iter().map(enter).fold(f64::INFINITY, f64::min)
}

/// Level rays at three heights towards each leg of a shelf and its middle.
fn assert_seen(world: &World, robot: Pose2, at: Pose2) {
    let legs = LEGS.map(|leg| robot.inverse_transform_point(at.transform_point(leg)));
    let middle = robot.inverse_transform_point([at.x, at.y]);
    for [x, y] in legs.iter().chain([&middle]) {
        let bearing = y.atan2(*x);
        let (seen, expected) = (
            range(world, "bot", bearing, LIDAR),
            first_leg(bearing, &legs),
        );
        let same = seen == expected || (seen - expected).abs() < 1e-9;
        assert!(same, "{bearing}: {seen}, expected {expected}");
    }
    let bearing = middle[1].atan2(middle[0]);
    let plates = range(world, "bot", bearing, 0.5);
    let distance = middle[0].hypot(middle[1]);
    // Half the width of a plate, or half its diagonal.
    assert!(
        (distance - 0.294..=distance - 0.164 + 1e-9).contains(&plates),
        "{plates} of {distance}"
    );
    assert_eq!(range(world, "bot", bearing, 0.3), f64::INFINITY, "no plate");
}

#[test]
fn a_lidar_sees_the_legs_and_between_them_and_a_higher_one_the_plates() {
    let mut world = world();
    let robot = Pose2::new(-1.5, 0.0, 0.0);
    world.add_robot(kachaka("bot", robot)).unwrap();
    let key = world.add_thing(&fixed("shelf", Pose2::default())).unwrap();
    assert_seen(&world, robot, Pose2::default());
    assert_near(range(&world, "bot", 0.0, 0.5), 1.5 - 0.164, 1e-12);
    // Whether it counts as standing or moving in the search makes no difference.
    for (x, y, yaw) in [(0.0, 0.0, 0.1), (0.3, -0.2, 1.7), (0.0, 0.0, 0.0)] {
        let at = Pose2::new(x, y, yaw);
        world.place_thing(key, at, "").unwrap();
        assert_seen(&world, robot, at);
    }
}

#[test]
fn lanes_and_pitched_rays_meet_each_part_at_its_heights() {
    let mut world = world();
    world.add_robot(kachaka("bot", Pose2::default())).unwrap();
    let at = Pose2::new(2.0, 0.0, 0.0);
    let key = world.add_thing(&fixed("shelf", at)).unwrap();
    let level = world.robot_state("bot").unwrap().level;
    let ahead = |world: &World, half_width: f64, z: f64| {
        let pose = Pose2::default();
        let lane = Lane {
            half_width,
            length: 9.0,
        };
        let origin = RayOrigin { pose, z, level };
        let own = world.thing_key("bot");
        world.rays().nearest_ahead(&origin, &lane, own)
    };
    let fan = tatami::world::rays::Fan::uniform(0.0, 0.1, 1).unwrap();
    for placed in [false, true] {
        if placed {
            world.place_thing(key, at, "").unwrap();
        }
        world.remove_robot("bot").ok();
        // A lane as wide as the robot goes between the legs, one of 0.2 m to each side does not.
        assert_eq!(ahead(&world, 0.12, LIDAR), None);
        assert_near(ahead(&world, 0.2, LIDAR).unwrap(), 2.0 - 0.136, 1e-12);
        assert_near(ahead(&world, 0.12, 0.17).unwrap(), 2.0 - 0.164, 1e-12);
        // From 1 m up: onto the top at 0.742 m after 2 m, and over it onto the floor.
        let origin = RayOrigin {
            pose: Pose2::default(),
            z: 1.0,
            level,
        };
        let hits = world.rays().cast(&origin, &fan, 30.0, None);
        assert_near(hits.first_of(0, -0.129), 2.0, 1e-12);
        assert_near(hits.first_of(0, -0.1), 10.0, 1e-12);
        // Between two plates, 0.633 m high at the near edges and 0.567 m at the far ones.
        assert_near(hits.first_of(0, -0.2), 5.0, 1e-12);
    }
}

#[test]
fn parts_do_to_robots_what_their_solidity_says() {
    let mut world = world();
    let parts = |solidity| vec![plate([0.1, 1.0], 0.0, 0.1).with_solidity(solidity)];
    let fixed = |name: &str, x: f64, solidity| {
        let pose = Pose2::new(x, 0.0, 0.0);
        thing(
            name,
            Kind::Charger,
            parts(solidity),
            pose,
            ThingMotion::Fixed,
        )
    };
    world
        .add_thing(&fixed("seen", 1.0, Solidity::Seen))
        .unwrap();
    world
        .add_thing(&fixed("touched", 2.0, Solidity::Touched))
        .unwrap();
    world
        .add_thing(&fixed("stops", 3.0, Solidity::Stops))
        .unwrap();
    world.add_robot(kachaka("bot", Pose2::default())).unwrap();
    assert_near(range(&world, "bot", 0.0, 0.05), 0.95, 1e-12);
    world.command("bot", Twist2::new(0.6, 0.0, 0.0)).unwrap();
    let mut touched = Vec::new();
    for _ in 0..180 {
        world.step();
        for contact in world.contacts("bot").unwrap() {
            if touched.last() != Some(&contact.name) {
                touched.push(contact.name);
            }
        }
    }
    assert_eq!(touched, ["touched", "stops"]);
    let x = world.robot_state("bot").unwrap().pose.x;
    assert_near(x, 3.0 - 0.05 - 0.237, 1e-4);
}

#[test]
fn what_is_driven_takes_robots_along_and_a_person_does_not() {
    let mut world = world();
    world
        .add_robot(kachaka("bot", Pose2::new(0.4, 0.0, 0.0)))
        .unwrap();
    let panel = vec![plate([0.04, 2.0], 0.0, 2.0)];
    let door = driven("door", Kind::Door, panel, Pose2::default());
    let door = world.add_thing(&door).unwrap();
    let someone = person("someone", Pose2::new(0.4, 1.0, 0.0));
    let someone = world.add_thing(&someone).unwrap();
    for step in 1..=60 {
        let moved = f64::from(step) / 60.0;
        world
            .drive_thing(door, Pose2::new(moved, 0.0, 0.0))
            .unwrap();
        world
            .drive_thing(someone, Pose2::new(0.4, 1.0 - moved, 0.0))
            .unwrap();
        world.step();
    }
    let bot = world.robot_state("bot").unwrap().pose;
    // Its back is 0.15 m behind its base, the door 0.02 m thick to each side.
    assert_near(bot.x, 1.0 + 0.02 + 0.15, 2e-3);
    assert_near(bot.y, 0.0, 1e-9);
    assert_eq!(world.thing_pose(door), Some(Pose2::new(1.0, 0.0, 0.0)));
}

#[test]
fn things_are_listed_replaced_removed_and_put_back() {
    let mut world = world();
    let at = Pose2::new(1.0, 2.0, 0.5);
    let key = world.add_thing(&shelf("a", at)).unwrap();
    assert_eq!(world.kind_of("a"), Some(Kind::Shelf));
    assert_eq!(world.thing_key("a"), Some(key));
    assert_eq!(world.name_of(key), Some(("a", Kind::Shelf)));
    let listed: Vec<_> = world.entities().map(|e| (e.name(), e.kind())).collect();
    assert_eq!(listed, [("a", Kind::Shelf)]);
    assert_eq!(world.entities().next().unwrap().parts(), shelf_parts());
    assert_eq!(
        world.entities().next().unwrap().z(),
        ZExtent::new(0.0, 0.742)
    );
    world
        .place_thing(key, Pose2::new(5.0, 0.0, 0.0), "")
        .unwrap();
    world.step();
    assert_eq!(world.thing_pose(key), Some(Pose2::new(5.0, 0.0, 0.0)));
    world.reset(true);
    assert_eq!(world.thing_pose(key), Some(at));
    let again = world.add_thing(&shelf("a", Pose2::default())).unwrap();
    assert_eq!((world.thing(key), world.entities().count()), (None, 1));
    let crate_at_a = BoxSpec {
        name: "a".into(),
        size: [1.0, 1.0],
        pose: Pose2::default(),
        z_min: 0.0,
        z_max: 1.0,
    };
    let error = world.add_box(&crate_at_a).unwrap_err().to_string();
    assert_eq!(
        error,
        "box 'a': the name is taken by a shelf, names are unique across all kinds"
    );
    world.remove("a").unwrap();
    assert_eq!((world.kind_of("a"), world.thing(again)), (None, None));
    assert_eq!(world.rays().len(), 0);
    let error = world
        .place_thing(again, Pose2::default(), "")
        .unwrap_err()
        .to_string();
    assert_eq!(error, format!("there is no thing with the key {}", again.0));
}

#[test]
fn only_what_is_fixed_changes_what_stands() {
    let mut world = world();
    let revision = world.standing_revision();
    let shelf = world.add_thing(&shelf("shelf", Pose2::default())).unwrap();
    let door = vec![plate([0.04, 1.0], 0.0, 2.0)];
    let door = driven("door", Kind::Door, door, Pose2::new(4.0, 0.0, 0.0));
    let door = world.add_thing(&door).unwrap();
    let moved = Pose2::new(0.0, 3.0, 0.0);
    world.drive_thing(door, moved).unwrap();
    world.place_thing(shelf, moved, "").unwrap();
    world.remove("shelf").unwrap();
    assert_eq!(world.standing_revision(), revision);
    let back = vec![plate([0.1, 0.3], 0.0, 0.2)];
    let charger = thing(
        "charger",
        Kind::Charger,
        back,
        Pose2::default(),
        ThingMotion::Fixed,
    );
    let key = world.add_thing(&charger).unwrap();
    assert_eq!(world.standing_revision(), revision + 1);
    world.add_thing(&charger).unwrap();
    assert_eq!(world.standing_revision(), revision + 1, "as it was");
    let key = world.thing_key("charger").unwrap_or(key);
    world.place_thing(key, moved, "").unwrap();
    assert_eq!(world.standing_revision(), revision + 2);
    world.place_thing(key, moved, "").unwrap();
    assert_eq!(world.standing_revision(), revision + 2);
    world.remove("charger").unwrap();
    assert_eq!(world.standing_revision(), revision + 3);
}

fn floors(world: &mut World, all: &[(&str, f64)]) {
    let spec = |(name, z): &(&str, f64)| FloorSpec {
        name: (*name).into(),
        z: *z,
    };
    let specs: Vec<_> = all.iter().map(spec).collect();
    world.add_floors(&specs).unwrap();
}

#[test]
fn a_thing_stands_on_its_floor_and_goes_with_it() {
    let mut world = world();
    floors(&mut world, &[("1F", 0.0), ("2F", 3.0)]);
    let upstairs = RobotBody {
        floor: "2F".into(),
        ..kachaka("bot", Pose2::new(-1.0, 0.196, 0.0))
    };
    world.add_robot(upstairs).unwrap();
    world
        .add_robot(kachaka("below", Pose2::new(-1.0, 0.196, 0.0)))
        .unwrap();
    let spec = ThingSpec {
        floor: "2F".into(),
        ..shelf("shelf", Pose2::default())
    };
    let key = world.add_thing(&spec).unwrap();
    let seen = |world: &World, robot: &str| range(world, robot, 0.0, LIDAR);
    assert_near(seen(&world, "bot"), 1.0 - 0.136, 1e-9);
    assert_eq!(seen(&world, "below"), f64::INFINITY);
    assert_eq!(world.thing_level(key), world.floors().level("2F"));
    floors(&mut world, &[("2F", 4.0)]);
    assert_near(seen(&world, "bot"), 1.0 - 0.136, 1e-9);
    assert_eq!(world.thing(key).unwrap().z(), ZExtent::new(4.0, 4.742));
    world.remove_robot("bot").unwrap();
    let error = world.remove("2F").unwrap_err();
    assert_eq!(
        error.to_string(),
        "floor '2F' can't be deleted, shelf 'shelf' stands on it"
    );
    world.place_thing(key, Pose2::default(), "1F").unwrap();
    assert_near(seen(&world, "below"), 1.0 - 0.136, 1e-9);
    world.remove("2F").unwrap_err();
    let both = ["2F".to_owned(), "shelf".to_owned()];
    world.remove_all(&both).unwrap();
    assert_eq!(world.kind_of("2F"), None);
}

/// Something that makes a good thing a bad one.
type Change<'a> = &'a dyn Fn(&mut ThingSpec);

#[track_caller]
fn assert_refused(world: &World, spec: &ThingSpec, expected: &str) {
    let error = world.check_thing(spec).unwrap_err().to_string();
    assert!(error.contains(expected), "{error}, expected {expected}");
}

#[test]
fn bad_values_are_refused_with_the_field() {
    let mut world = world();
    let good = shelf("s", Pose2::default());
    let with = |change: Change<'_>| {
        let mut spec = good.clone();
        change(&mut spec);
        spec
    };
    let nan = f64::NAN;
    let cases: [(Change<'_>, &str); 17] = [
        (
            &|s| s.name = String::new(),
            "shelf name '' must have 1 to 255",
        ),
        (
            &|s| s.kind = Kind::Box,
            "box 's': kind must be shelf, door, person",
        ),
        (
            &|s| s.pose.x = nan,
            "shelf 's': x is NaN, it must be finite",
        ),
        (&|s| s.pose.yaw = f64::INFINITY, "shelf 's': yaw is inf"),
        (
            &|s| s.motion = ThingMotion::Pushed { mass: 0.0 },
            "shelf 's': mass is 0.0, it must be above 0",
        ),
        (
            &|s| s.motion = ThingMotion::Pushed { mass: nan },
            "mass is NaN",
        ),
        (
            &|s| s.floor = "9F".into(),
            "shelf 's': there is no floor '9F', floors are: none",
        ),
        (&|s| s.parts.clear(), "parts has 0 items, it must have 1"),
        (
            &|s| s.parts = vec![s.parts[0].clone(); 257],
            "parts has 257 items",
        ),
        (
            &|s| s.parts[2].pose.y = nan,
            "shelf 's': parts[2].pose.y is NaN, it must be finite and within 100 m",
        ),
        (&|s| s.parts[0].pose.yaw = nan, "parts[0].pose.yaw is NaN"),
        (&|s| s.parts[1].z.min = nan, "parts[1].z.min is NaN"),
        (
            &|s| s.parts[1].z = ZExtent::new(0.5, 0.5),
            "parts[1].z.max is 0.5, it must be above z.min",
        ),
        (
            &|s| s.parts[0].shape = PlanarShape::Disc(-1.0),
            "parts[0].shape: radius is -1 m",
        ),
        (
            &|s| s.parts[0].shape = PlanarShape::Convex(vec![[0.0, 0.0], [1.0, nan], [0.0, 1.0]]),
            "parts[0].shape: footprint[1] is not finite",
        ),
        (
            &|s| s.parts[4].shape = PlanarShape::Ring(vec![[0.0; 2], [1.0, 0.0], [1.0; 2]]),
            "parts[4].shape is a ring, it must be a convex polygon or a disc for what is pushed",
        ),
        (
            &|s| {
                s.motion = ThingMotion::Fixed;
                s.parts[0].shape = PlanarShape::Ring(vec![[0.0; 2], [1.0, 0.0], [1.0, 0.0]]);
            },
            "parts[0].shape: its 3 points make no ring",
        ),
    ];
    for (change, expected) in cases {
        assert_refused(&world, &with(change), expected);
        assert!(world.add_thing(&with(change)).is_err(), "{expected}");
    }
    assert_eq!(world.entities().count(), 0);
    let key = world.add_thing(&good).unwrap();
    let nowhere = Pose2::new(nan, 0.0, 0.0);
    let error = world.place_thing(key, nowhere, "").unwrap_err();
    assert_eq!(
        error.to_string(),
        "shelf 's': x is NaN, it must be finite and within 1e6"
    );
    assert!(world.place_thing(key, Pose2::default(), "9F").is_err());
    let error = world.drive_thing(key, Pose2::default()).unwrap_err();
    assert!(
        matches!(error, WorldError::NotDriven { .. }),
        "{error}, expected that it can't be driven"
    );
    let door = driven("d", Kind::Door, shelf_parts(), Pose2::new(3.0, 0.0, 0.0));
    let door = world.add_thing(&door).unwrap();
    assert!(world.drive_thing(door, nowhere).is_err());
    assert_eq!(world.thing_pose(door), Some(Pose2::new(3.0, 0.0, 0.0)));
}

#[test]
fn overlaps_are_those_with_who_can_move() {
    let mut world = world();
    let panel = vec![plate([0.04, 1.0], 0.0, 2.0)];
    let door = driven("door", Kind::Door, panel.clone(), Pose2::default());
    let door = world.add_thing(&door).unwrap();
    let leaf = driven("leaf", Kind::Door, panel, Pose2::new(0.0, 0.9, 0.0));
    world.add_thing(&leaf).unwrap();
    let bot = world
        .add_robot(kachaka("bot", Pose2::new(0.6, 0.0, 0.0)))
        .unwrap();
    let someone = world
        .add_thing(&person("someone", Pose2::new(1.0, 0.3, 0.0)))
        .unwrap();
    let shelf = world
        .add_thing(&shelf("shelf", Pose2::new(1.6, 0.0, 0.0)))
        .unwrap();
    let at = |x: f64| world.overlap_of(door, Pose2::new(x, 0.0, 0.0));
    assert_eq!(at(0.0), []);
    // The robot's back is at 0.45 m, the front of the panel 0.02 m ahead.
    assert_eq!(at(0.429), []);
    let found = at(0.435);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].0, bot);
    assert_near(found[0].1, 0.005, 1e-12);
    // At 0.8 m: 0.057 m of the robot's front are before it, 0.07 m of the person.
    let found = at(0.8);
    let keys: Vec<_> = found.iter().map(|(key, _)| *key).collect();
    assert_eq!(keys, [bot, someone]);
    assert_near(found[0].1, 0.837 - 0.78, 1e-12);
    assert_near(found[1].1, 0.82 - 0.75, 1e-12);
    // The nearest plate of the shelf begins at 1.436 m.
    let found = at(1.42);
    assert_eq!(found, [(shelf, found[0].1)]);
    assert_near(found[0].1, 1.44 - 1.436, 1e-12);
    // A rectangle that senses who stands before the door, up to knee height.
    let area = [plate([1.0, 1.0], 0.0, 0.5)];
    let near = world.overlap_of_parts(&area, Pose2::new(0.5, 0.0, 0.0), Some(door));
    let keys: Vec<_> = near.iter().map(|(key, _)| *key).collect();
    assert_eq!(keys, [bot, someone]);
    let above = [plate([1.0, 1.0], 1.9, 2.5)];
    assert_eq!(
        world.overlap_of_parts(&above, Pose2::new(0.5, 0.0, 0.0), None),
        []
    );
}
