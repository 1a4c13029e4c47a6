//! Shelves that robots carry: they move, stop and are seen as part of the robot, and stand
//! where they are when it lets go. Expected values come from the geometry.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod common;

use common::assert_near;
use common::things::{
    DT, LEG, LEGS, LIDAR, ROBOT_MASS, SHELF_MASS, kachaka, plate, polar, range, shelf, thing, world,
};
use tatami::world::{
    BodyKey, BoxSpec, FloorSpec, Kind, Pose2, ThingMotion, Twist2, World, WorldError, ZExtent,
};

/// Where the shelf is in the base frame: not quite where it should be.
const AT: Pose2 = Pose2::new(0.02, -0.01, 0.05);

/// A world with a robot that carries a shelf, and the key of the shelf.
fn carrying(robot: Pose2, at: Pose2) -> (World, BodyKey) {
    let mut world = world();
    world.add_robot(kachaka("bot", robot)).unwrap();
    let spec = shelf("shelf", robot.compose(&at));
    let key = world.add_thing(&spec).unwrap();
    world.attach("bot", "shelf").unwrap();
    (world, key)
}

fn bot(world: &World) -> Pose2 {
    world.robot_state("bot").unwrap().pose
}

fn pose(world: &World, key: BodyKey) -> Pose2 {
    world.thing_pose(key).unwrap()
}

#[track_caller]
fn assert_at(world: &World, key: BodyKey, at: Pose2) {
    let found = bot(world).inverse().compose(&pose(world, key));
    assert_near(found.x, at.x, 1e-9);
    assert_near(found.y, at.y, 1e-9);
    assert_near(found.yaw, at.yaw, 1e-9);
}

fn post(name: &str, x: f64, y: f64, height: f64) -> BoxSpec {
    BoxSpec {
        name: name.into(),
        size: [0.04, 0.04],
        pose: Pose2::new(x, y, 0.0),
        z_min: 0.0,
        z_max: height,
    }
}

#[test]
fn carried_round_a_corner_it_keeps_its_place_on_the_robot() {
    let (mut world, key) = carrying(Pose2::new(1.0, 2.0, 0.3), AT);
    for step in 0..300 {
        let turn = if step < 100 { 0.0 } else { 0.8 };
        world.command("bot", Twist2::new(0.4, 0.0, turn)).unwrap();
        world.step();
        assert_at(&world, key, AT);
    }
    // Straight on, then 200 steps of a turn.
    let turned = bot(&world).yaw - 0.3 - 200.0 * 0.8 * DT;
    assert_near((0.5 * turned).sin(), 0.0, 1e-9);
    let listed = world.entities().next().unwrap().pose();
    assert_eq!(Some(listed), world.thing_pose(key));
    assert_eq!(world.carried_by("bot"), Some("shelf"));
    assert_eq!(world.carrier_of("shelf"), Some("bot"));
}

#[test]
fn its_legs_stop_the_robot_between_posts_that_it_would_pass_alone() {
    for carries in [false, true] {
        let (mut world, key) = carrying(Pose2::default(), Pose2::default());
        if !carries {
            world.remove("shelf").unwrap();
        }
        // As high as the legs, so that the plates pass over them.
        for (name, y) in [("left", 0.2), ("right", -0.2)] {
            world.add_box(&post(name, 1.0, y, 0.15)).unwrap();
        }
        world.command("bot", Twist2::new(0.5, 0.0, 0.0)).unwrap();
        for _ in 0..180 {
            world.step();
        }
        let x = bot(&world).x;
        if !carries {
            assert_near(x, 180.0 * 0.5 * DT, 1e-9);
            continue;
        }
        // A leg reaches 0.136 m ahead, a post 0.02 m back.
        assert_near(x, 0.98 - 0.136, 1e-4);
        assert_at(&world, key, Pose2::default());
        let contacts = world.contacts("bot").unwrap();
        let names: Vec<_> = contacts.iter().map(|c| &*c.name).collect();
        assert_eq!(names, ["left", "right"]);
        for contact in contacts {
            assert_near(contact.position[0], 0.98, 1e-4);
            assert_near(contact.position[2], 0.075, 1e-12);
        }
    }
}

#[test]
fn one_post_beside_the_lane_turns_the_robot_and_no_leg_goes_through_it() {
    let (mut world, key) = carrying(Pose2::default(), Pose2::default());
    world.add_box(&post("post", 1.0, 0.2, 0.15)).unwrap();
    world.command("bot", Twist2::new(0.5, 0.0, 0.0)).unwrap();
    let mut turned = 0.0_f64;
    for step in 0..300 {
        world.step();
        for contact in world.contacts("bot").unwrap() {
            assert!(contact.depth < 1e-4, "step {step}: {contact:?}");
        }
        turned = turned.max(bot(&world).yaw.abs());
        assert_at(&world, key, Pose2::default());
    }
    assert!(turned > 0.1, "it turned by {turned} rad");
}

#[test]
fn the_robot_does_not_see_it_and_another_one_does() {
    let (mut world, key) = carrying(Pose2::new(0.0, 0.0, 0.4), AT);
    let other = Pose2::new(-2.0, 0.3, -0.1);
    world.add_robot(kachaka("other", other)).unwrap();
    world.command("bot", Twist2::new(0.2, 0.0, 0.5)).unwrap();
    for _ in 0..30 {
        world.step();
        // Its own beams to the legs go on to infinity, but for those to the other robot.
        for leg in LEGS {
            let (bearing, _) = polar(Pose2::default(), AT.transform_point(leg));
            let seen = range(&world, "bot", bearing, LIDAR);
            assert!(seen > 1.0, "a leg at {seen} m");
        }
        let nearest = LEGS
            .map(|leg| polar(other, pose(&world, key).transform_point(leg)))
            .into_iter()
            .min_by(|a, b| a.1.total_cmp(&b.1))
            .unwrap();
        let seen = range(&world, "other", nearest.0, LIDAR);
        assert_near(seen, nearest.1 - LEG, 1e-9);
    }
    let plates = range(&world, "bot", 0.0, 0.5);
    assert_eq!(plates, f64::INFINITY, "its own plates");
}

#[test]
fn let_go_it_stands_where_it_is_and_the_robot_drives_out() {
    let (mut world, key) = carrying(Pose2::default(), Pose2::default());
    world.command("bot", Twist2::new(0.3, 0.0, 0.0)).unwrap();
    for _ in 0..30 {
        world.step();
    }
    let at = pose(&world, key);
    assert_eq!(world.detach("bot").unwrap(), Some("shelf".to_owned()));
    assert_eq!(world.detach("bot").unwrap(), None);
    assert_eq!(pose(&world, key), at);
    assert_eq!(world.carrier_of("shelf"), None);
    // Under it the robot sees the legs again.
    let (bearing, distance) = polar(bot(&world), at.transform_point(LEGS[0]));
    assert_near(range(&world, "bot", bearing, LIDAR), distance - LEG, 1e-9);
    for _ in 0..60 {
        world.step();
        assert_eq!(world.contacts("bot").unwrap(), []);
    }
    assert_near(bot(&world).x, 90.0 * 0.3 * DT, 1e-9);
    assert_eq!(pose(&world, key), at);
    // And pushes it, seen from the side, as before.
    let beside = Pose2::new(at.x, at.y - 0.8, std::f64::consts::FRAC_PI_2);
    world.set_robot_pose("bot", beside, "").unwrap();
    world.command("bot", Twist2::new(0.3, 0.0, 0.0)).unwrap();
    for _ in 0..90 {
        world.step();
    }
    let gap = pose(&world, key).y - 0.216 - bot(&world).y - 0.237;
    assert_near(gap, 0.0, 1e-4);
    assert!(pose(&world, key).y > at.y + 0.1, "{:?}", pose(&world, key));
}

#[test]
fn it_weighs_on_the_robot() {
    let (mut world, _) = carrying(Pose2::default(), Pose2::default());
    let wide = vec![plate([0.2, 1.0], 0.0, 0.1)];
    let motion = ThingMotion::Pushed { mass: 8.0 };
    let at = Pose2::new(0.5, 0.0, 0.0);
    world
        .add_thing(&thing("crate", Kind::Shelf, wide, at, motion))
        .unwrap();
    world.command("bot", Twist2::new(0.3, 0.0, 0.0)).unwrap();
    for _ in 0..60 {
        world.step();
    }
    let pushing = ROBOT_MASS + SHELF_MASS;
    let shared = 0.3 * pushing / (pushing + 8.0);
    assert_near(world.robot_state("bot").unwrap().twist.x, shared, 1e-6);
}

#[test]
fn others_touch_the_robot_by_what_it_carries() {
    let (mut world, _) = carrying(Pose2::default(), Pose2::default());
    let beside = Pose2::new(0.0, -0.196 - LEG - 0.237, std::f64::consts::FRAC_PI_2);
    world.add_robot(kachaka("other", beside)).unwrap();
    let contacts = world.contacts("other").unwrap();
    assert_eq!(contacts.len(), 1, "{contacts:?}");
    assert_eq!((&*contacts[0].name, contacts[0].kind), ("bot", Kind::Robot));
    assert_near(contacts[0].position[1], -0.216, 1e-9);
    let contacts = world.contacts("bot").unwrap();
    assert_eq!((contacts.len(), &*contacts[0].name), (1, "other"));
}

#[test]
fn a_teleport_takes_it_along_also_to_another_floor() {
    let (mut world, key) = carrying(Pose2::default(), AT);
    let floors = [("1F", 0.0), ("2F", 3.0)].map(|(name, z)| FloorSpec {
        name: name.into(),
        z,
    });
    world.add_floors(&floors).unwrap();
    let there = Pose2::new(-3.0, 4.0, 2.0);
    world.set_robot_pose("bot", there, "2F").unwrap();
    assert_at(&world, key, AT);
    assert_eq!(world.thing(key).unwrap().z(), ZExtent::new(3.0, 3.742));
    let upstairs = Pose2::new(-3.0, 1.0, std::f64::consts::FRAC_PI_2);
    world.add_robot(kachaka("other", upstairs)).unwrap();
    world.set_robot_pose("other", upstairs, "2F").unwrap();
    let seen = |world: &World, leg: [f64; 2]| {
        let (bearing, distance) = polar(upstairs, pose(world, key).transform_point(leg));
        (range(world, "other", bearing, LIDAR), distance - LEG)
    };
    let nearest = |world: &World| {
        let all = LEGS.map(|leg| seen(world, leg));
        let first = all.into_iter().min_by(|a, b| a.1.total_cmp(&b.1));
        first.unwrap()
    };
    let (range, expected) = nearest(&world);
    assert_near(range, expected, 1e-9);
    // The floor goes up, and all on it.
    let higher = FloorSpec {
        name: "2F".into(),
        z: 4.0,
    };
    world.add_floor(&higher).unwrap();
    let (range, expected) = nearest(&world);
    assert_near(range, expected, 1e-9);
    world.detach("bot").unwrap();
    assert_eq!(world.thing(key).unwrap().z(), ZExtent::new(4.0, 4.742));
    assert_eq!(world.thing_level(key), world.floors().level("2F"));
}

#[test]
fn reset_and_removal_let_go_first() {
    let start = Pose2::new(0.0, 0.0, 0.0);
    let drive = |world: &mut World| {
        world.command("bot", Twist2::new(0.3, 0.0, 0.2)).unwrap();
        for _ in 0..30 {
            world.step();
        }
    };
    let (mut world, key) = carrying(start, AT);
    drive(&mut world);
    world.reset(true);
    assert_eq!((world.carried_by("bot"), bot(&world)), (None, start));
    assert_eq!(pose(&world, key), AT);
    drive(&mut world);
    assert_eq!(pose(&world, key), AT, "the robot drives out alone");

    let (mut world, key) = carrying(start, AT);
    drive(&mut world);
    let at = pose(&world, key);
    world.remove_robot("bot").unwrap();
    assert_eq!((world.carrier_of("shelf"), pose(&world, key)), (None, at));
    world.step();
    assert_eq!((pose(&world, key), world.rays().len()), (at, 1));

    let (mut world, _) = carrying(start, AT);
    drive(&mut world);
    world.remove("shelf").unwrap();
    assert_eq!(world.carried_by("bot"), None);
    drive(&mut world);
    assert_eq!(world.rays().len(), 1);

    let (mut world, key) = carrying(start, AT);
    drive(&mut world);
    let at = pose(&world, key);
    world.respawn_robot("bot").unwrap();
    assert_eq!((bot(&world), pose(&world, key)), (start, at));

    let (mut world, key) = carrying(start, AT);
    world
        .place_thing(key, Pose2::new(5.0, 5.0, 0.0), "")
        .unwrap();
    drive(&mut world);
    assert_eq!(pose(&world, key), Pose2::new(5.0, 5.0, 0.0));
    assert_eq!(world.carried_by("bot"), None);

    let (mut world, _) = carrying(start, AT);
    world.add_thing(&shelf("shelf", start)).unwrap();
    assert_eq!(world.carried_by("bot"), None, "replaced");
    let (mut world, key) = carrying(start, AT);
    world.add_robot(kachaka("bot", start)).unwrap();
    assert_eq!((world.carried_by("bot"), pose(&world, key)), (None, AT));
}

#[test]
fn what_can_not_be_carried_is_refused() {
    let (mut world, _) = carrying(Pose2::default(), AT);
    world
        .add_robot(kachaka("other", Pose2::new(5.0, 0.0, 0.0)))
        .unwrap();
    let back = vec![plate([0.1, 0.3], 0.0, 0.2)];
    let at = Pose2::new(2.0, 0.0, 0.0);
    let charger = thing("charger", Kind::Charger, back, at, ThingMotion::Fixed);
    world.add_thing(&charger).unwrap();
    world.add_thing(&shelf("second", at)).unwrap();
    world.add_box(&post("post", 9.0, 0.0, 1.0)).unwrap();
    let mut refusal = |robot: &str, thing: &str| {
        let error: WorldError = world.attach(robot, thing).unwrap_err();
        error.to_string()
    };
    let cases = [
        ("nobody", "shelf", "there is no robot named 'nobody'"),
        ("other", "nothing", "there is no thing named 'nothing'"),
        ("other", "post", "there is no thing named 'post'"),
        (
            "other",
            "charger",
            "charger 'charger' can't be carried, only things that can be pushed can",
        ),
        (
            "other",
            "shelf",
            "'shelf' is carried by robot 'bot' already, which must let go of it first",
        ),
        (
            "bot",
            "second",
            "robot 'bot' carries 'shelf' already, it must let go of it first",
        ),
    ];
    for (robot, thing, expected) in cases {
        assert_eq!(refusal(robot, thing), expected);
    }
    let error = world.detach("nobody").unwrap_err().to_string();
    assert_eq!(error, "there is no robot named 'nobody'");
    let floor = FloorSpec {
        name: "2F".into(),
        z: 3.0,
    };
    world.add_floor(&floor).unwrap();
    world
        .set_robot_pose("other", Pose2::default(), "2F")
        .unwrap();
    let error = world.attach("other", "second").unwrap_err().to_string();
    assert_eq!(
        error,
        "robot 'other' can't carry 'second', which stands on another floor"
    );
}
