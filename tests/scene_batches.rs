//! Requests with lists: all of a list is applied or nothing, and the message names the item.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod common;

use common::{block, robot, room, scene};
use tatami::scene::{CommandSpec, Inputs, Scene};
use tatami::world::{DiscSpec, FloorSpec, Kind, MoveSpec, Pose2, Twist2};

fn disc(name: &str, x: f64) -> DiscSpec {
    DiscSpec {
        name: name.into(),
        radius: 0.3,
        center: [x, 0.0],
        velocity: [0.0, 0.0],
        z_min: 0.0,
        z_max: 1.8,
    }
}

fn names(scene: &Scene) -> Vec<String> {
    let entities = scene.world().entities().map(|e| e.name().to_owned());
    entities.collect()
}

#[test]
fn one_bad_item_and_nothing_is_applied() {
    let mut scene = scene(0.02, 0);
    let list = [
        block("a", 1.0, 0.0, [1.0, 1.0]),
        block("b", 2.0, 0.0, [1.0, -1.0]),
    ];
    let error = scene.spawn_boxes(&list).unwrap_err().to_string();
    assert_eq!(
        error,
        "boxes[1]: box 'b': size_y is -1.0, it must be above 0 and at most 1e6 m"
    );
    assert!(names(&scene).is_empty(), "{:?}", names(&scene));
    let floor = |name: &str, z: f64| FloorSpec {
        name: name.into(),
        z,
    };
    let error = scene.add_floors(&[floor("1F", 0.0), floor("2F", f64::NAN)]);
    assert!(
        error
            .unwrap_err()
            .to_string()
            .starts_with("floors[1]: floor '2F': z")
    );
    assert_eq!(scene.world().floors().iter().count(), 0);
    let error = scene.add_outlines(&[room(2.0), room(3.0)]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "outlines[1]: the name 'room' stands in this request already"
    );
    assert!(names(&scene).is_empty(), "{:?}", names(&scene));
}

#[test]
fn floors_of_one_request_change_the_world_once() {
    let mut scene = scene(0.02, 0);
    scene.spawn_robot(robot("bot", Pose2::default())).unwrap();
    let floors: Vec<FloorSpec> = (0..50)
        .map(|storey| FloorSpec {
            name: format!("{storey}F"),
            z: 3.0 * f64::from(storey),
        })
        .collect();
    let revision = |scene: &Scene| scene.world().standing_revision();
    let before = revision(&scene);
    scene.add_floors(&floors).unwrap();
    assert_eq!(revision(&scene), before + 1, "added");
    let level = scene.world().robot_state("bot").unwrap().level;
    assert_eq!((level.floor, level.ceiling), (0.0, 3.0));
    scene.add_floors(&floors).unwrap();
    assert_eq!(revision(&scene), before + 1, "they were there");
    let names: Vec<String> = floors[1..10]
        .iter()
        .map(|floor| floor.name.clone())
        .collect();
    scene.delete_entities(&names).unwrap();
    assert_eq!(revision(&scene), before + 2, "deleted by name");
    let level = scene.world().robot_state("bot").unwrap().level;
    assert_eq!((level.floor, level.ceiling), (0.0, 30.0));
    let deleted = scene.delete_prefix("4").unwrap();
    assert_eq!(deleted.count, 10, "40F to 49F, for 4F is gone");
    assert_eq!(revision(&scene), before + 3, "deleted by prefix");
    // "bot" was spawned on "", which is where 0F is now.
    let left = scene.world().floors().iter().count();
    assert_eq!(left, 50 - 9 - 10);
}

#[test]
fn deleting_is_all_or_nothing() {
    let mut scene = scene(0.02, 0);
    scene
        .spawn_boxes(&[block("a", 1.0, 0.0, [1.0, 1.0])])
        .unwrap();
    scene.spawn_robot(robot("bot", Pose2::default())).unwrap();
    let list = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
    let error = scene.delete_entities(&list(&["a", "zzz"])).unwrap_err();
    assert_eq!(
        error.to_string(),
        "names[1]: there is no entity named 'zzz'"
    );
    let error = scene.delete_entities(&list(&["a", "bot"])).unwrap_err();
    assert_eq!(
        error.to_string(),
        "names[1]: 'bot' is a robot, delete_robot removes it"
    );
    assert_eq!(names(&scene), ["a"]);
    scene.delete_entities(&list(&["a", "a"])).unwrap();
    assert!(names(&scene).is_empty());
    assert!(scene.delete_robot("nobody").is_err());
    scene.delete_robot("bot").unwrap();
    assert_eq!(scene.robots().count(), 0);
}

#[test]
fn a_prefix_removes_one_setup_whole() {
    let mut scene = scene(0.02, 0);
    for env in ["env0/", "env1/"] {
        let named = |name: &str| format!("{env}{name}");
        let floor = FloorSpec {
            name: named("1F"),
            z: 0.0,
        };
        scene.add_floors(&[floor]).unwrap();
        scene
            .spawn_boxes(&[block(&named("a"), 1.0, 0.0, [1.0, 1.0])])
            .unwrap();
        scene
            .update_discs(&[disc(&named("walker"), 3.0)], &[])
            .unwrap();
        let mut bot = robot(&named("bot"), Pose2::default());
        bot.floor = named("1F");
        scene.spawn_robot(bot).unwrap();
    }
    let deleted = scene.delete_prefix("env0/").unwrap();
    assert_eq!(
        (deleted.count, deleted.robots),
        (4, vec!["env0/bot".to_owned()])
    );
    assert_eq!(names(&scene), ["env1/a", "env1/walker"]);
    assert_eq!(scene.world().floors().iter().count(), 1);
    assert_eq!(scene.delete_prefix("env0/").unwrap().count, 0);
    assert!(scene.delete_prefix("").is_err(), "that would be everything");
    // The floor goes and the robot would stay: refused, and nothing is removed.
    let error = scene.delete_prefix("env1/1").unwrap_err().to_string();
    assert_eq!(
        error,
        "floor 'env1/1F' can't be deleted, robot 'env1/bot' stands on it"
    );
    assert_eq!(scene.robots().count(), 1);
}

#[test]
fn inputs_of_a_step_are_applied_together_or_not_at_all() {
    let mut scene = scene(0.02, 0);
    scene
        .spawn_boxes(&[block("crate", 3.0, 0.0, [1.0, 1.0])])
        .unwrap();
    scene.spawn_robot(robot("bot", Pose2::default())).unwrap();
    let command = |robot: &str| CommandSpec {
        robot: robot.into(),
        twist: Twist2::new(1.0, 0.0, 0.0),
    };
    let to = |name: &str, x: f64| MoveSpec {
        name: name.into(),
        pose: Pose2::new(x, 0.0, 0.0),
    };
    let bad = Inputs {
        commands: vec![command("bot")],
        poses: vec![to("crate", 5.0), to("nothing", 1.0)],
        discs: vec![disc("walker", 2.0)],
    };
    let error = scene.apply(&bad).unwrap_err().to_string();
    assert_eq!(error, "poses[1]: there is no box or disc named 'nothing'");
    assert_eq!(
        names(&scene),
        ["crate"],
        "the disc of a refused request is not there"
    );
    scene.step();
    assert_eq!(
        scene.state("bot").unwrap().pose.x,
        0.0,
        "nor is its command"
    );
    let good = Inputs {
        // A pose may name a disc of the same request.
        poses: vec![to("crate", 5.0), to("walker", -4.0)],
        ..bad
    };
    scene.apply(&good).unwrap();
    scene.step();
    assert_eq!(scene.state("bot").unwrap().pose.x, 0.02);
    let walker = scene
        .world()
        .entities()
        .find(|e| e.name() == "walker")
        .unwrap();
    assert_eq!(walker.pose().x, -4.0);
    assert_eq!(scene.world().kind_of("walker"), Some(Kind::Disc));
}

#[test]
fn topics_create_move_and_remove_discs_and_ignore_strangers() {
    let mut scene = scene(0.02, 0);
    scene
        .spawn_boxes(&[block("crate", 3.0, 0.0, [1.0, 1.0])])
        .unwrap();
    scene
        .update_discs(&[disc("a", 1.0), disc("b", 2.0)], &["ghost".into()])
        .unwrap();
    assert_eq!(names(&scene), ["a", "b", "crate"]);
    scene
        .update_discs(&[disc("a", 7.0)], &["b".into()])
        .unwrap();
    assert_eq!(names(&scene), ["a", "crate"]);
    assert!(
        scene.update_discs(&[], &["crate".into()]).is_err(),
        "a box is no disc"
    );
    let to = |name: &str, x: f64| MoveSpec {
        name: name.into(),
        pose: Pose2::new(x, 0.0, 0.5),
    };
    scene
        .move_entities(&[to("crate", 9.0), to("ghost", 1.0)])
        .unwrap();
    let crate_pose = |scene: &Scene| {
        let found = scene.world().entities().find(|e| e.name() == "crate");
        found.unwrap().pose()
    };
    assert_eq!(crate_pose(&scene), Pose2::new(9.0, 0.0, 0.5));
    assert!(
        scene
            .move_entities(&[to("crate", 8.0), to("a", f64::NAN)])
            .is_err()
    );
    assert_eq!(
        crate_pose(&scene).x,
        9.0,
        "one bad pose and none is applied"
    );
}
