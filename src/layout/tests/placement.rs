//! Things that are placed at random.

use super::*;
use crate::world::normalize_angle;

const ROOM: &str = "outlines:
  - {name: room, points: [[-3, -2], [3, -2], [3, 2], [-3, 2]], z_max: 2.4}
";

/// A room with a pillar and so many crates anywhere in it.
fn crates(count: usize) -> String {
    let mut text =
        format!("{ROOM}boxes:\n  - {{name: pillar, size_x: 1.0, size_y: 1.0, z_max: 2.4}}\n");
    for index in 0..count {
        text += &format!(
            "  - {{name: crate{index}, size_x: 0.3, size_y: 0.4, x: [-3, 3], y: [-2, 2], \
             yaw: [-3.1, 3.1], z_max: 0.5}}\n"
        );
    }
    text
}

fn seeded(text: &str, seed: i64) -> Layout {
    match reader().seed(seed).parse(text, Path::new("room.yaml")) {
        Ok(layout) => layout,
        Err(error) => panic!("{error}"),
    }
}

/// The pose of a box.
fn pose_of(layout: &Layout, name: &str) -> Pose2 {
    layout
        .boxes
        .iter()
        .find(|item| item.name == name)
        .unwrap()
        .pose
}

#[test]
fn one_seed_gives_one_layout_and_another_one_another() {
    let text = crates(6);
    assert_eq!(seeded(&text, 7), seeded(&text, 7));
    assert_ne!(seeded(&text, 7).boxes, seeded(&text, 8).boxes);
    assert_eq!(seeded(&text, 7).seed, Some(7));
    let in_file = format!("seed: 7\n{text}");
    assert_eq!(parse(&in_file), seeded(&text, 7));
    assert_eq!(seeded(&in_file, 8), seeded(&text, 8), "the argument wins");
}

#[test]
fn the_seed_of_a_run_that_was_given_none_gives_it_again() {
    let layout = parse(&crates(6));
    let seed = layout.seed.expect("something was drawn");
    assert_eq!(seeded(&crates(6), seed), layout);
    assert_eq!(parse(ROOM).seed, None, "nothing was drawn");
}

#[test]
fn what_is_drawn_keeps_its_clearance_from_everything() {
    // Half the diagonal of 0.3 m by 0.4 m.
    let (radius, clearance) = (0.25, 0.1);
    for seed in 0..20 {
        let layout = seeded(&crates(6), seed);
        let crates: Vec<Pose2> = layout.boxes[1..].iter().map(|item| item.pose).collect();
        for (index, pose) in crates.iter().enumerate() {
            let Pose2 { x, y, yaw } = *pose;
            assert!(x.abs() <= 3.0 - radius - clearance, "{pose:?}");
            assert!(y.abs() <= 2.0 - radius - clearance, "{pose:?}");
            assert!(yaw.abs() <= 3.1, "{pose:?}");
            let out = [(x.abs() - 0.5).max(0.0), (y.abs() - 0.5).max(0.0)];
            assert!(
                out[0].hypot(out[1]) >= radius + clearance,
                "the pillar: {pose:?}"
            );
            for other in &crates[..index] {
                let apart = (x - other.x).hypot(y - other.y);
                assert!(apart >= 2.0 * radius + clearance, "{pose:?} and {other:?}");
            }
        }
    }
}

#[test]
fn one_more_thing_at_the_end_moves_nothing_before_it() {
    let (few, more) = (seeded(&crates(4), 3), seeded(&crates(5), 3));
    assert_eq!(few.boxes[..], more.boxes[..5]);
}

#[test]
fn draws_fill_their_ranges() {
    let text =
        "boxes:\n  - {name: a, size_x: 1, size_y: 1, x: [2, 4], y: 1.5, yaw: [0, 0.5], z_max: 1}\n";
    let poses: Vec<Pose2> = (0..200)
        .map(|seed| pose_of(&seeded(text, seed), "a"))
        .collect();
    let mean = poses.iter().map(|pose| pose.x).sum::<f64>() / 200.0;
    // The mean of 200 uniform draws of [2, 4] lies within 4 deviations of 3.
    assert!(
        (mean - 3.0).abs() < 4.0 * 2.0 / 12.0_f64.sqrt() / 200.0_f64.sqrt(),
        "{mean}"
    );
    assert!(poses.iter().any(|pose| pose.x < 2.1) && poses.iter().any(|pose| pose.x > 3.9));
    for pose in poses {
        assert_eq!(pose.y, 1.5);
        assert!((0.0..=0.5).contains(&pose.yaw) && normalize_angle(pose.yaw) == pose.yaw);
    }
}

#[test]
fn robots_are_placed_too_and_after_what_is_given() {
    let text = "robots:
  - {name: k, model: kachaka, x: [0, 2], y: 0.0}
boxes:
  - {name: a, size_x: 1.0, size_y: 1.0, x: 0.5, z_max: 1}
";
    for seed in 0..10 {
        let pose = seeded(text, seed).robots[0].pose;
        // Its circle: half the diagonal of the box around its footprint, beside its origin.
        assert!(pose.x > 1.0 + 0.1, "{pose:?}");
    }
    // On a floor above it nothing is in the way.
    let upstairs = "floors:\n  - {name: up, z: 3.0}\n".to_owned()
        + &text.replace("y: 0.0", "y: 0.0, floor: up");
    assert!((0..10).any(|seed| seeded(&upstairs, seed).robots[0].pose.x < 1.0));
}

#[test]
fn what_finds_no_room_is_named() {
    assert_refused(
        "seed: 1
clearance: 0.5
outlines:
  - {name: room, points: [[-1, -1], [1, -1], [1, 1], [-1, 1]], z_max: 2.4}
boxes:
  - {name: crate, size_x: 0.6, size_y: 0.8, x: [-1, 1], y: [-1, 1], z_max: 1}
  - {name: other, size_x: 0.6, size_y: 0.8, x: [-1, 1], y: [-1, 1], z_max: 1}
",
        "room.yaml:6:5: boxes[0]: no room for \"crate\" in 200 tries with seed 1: its circle of \
         0.500 m needs 0.5 m of clearance; widen its range or set a smaller clearance",
    );
}

#[test]
fn ranges_that_are_none_are_refused() {
    let with =
        |x: &str| format!("boxes:\n  - {{name: a, size_x: 1, size_y: 1, x: {x}, z_max: 1}}\n");
    let range = "a number of metres from -1e6 to 1e6, or a range [low, high] of them";
    assert_refused(
        &with("[2, 1]"),
        "room.yaml:2:40: boxes[0].x is [2, 1], it must be a range [low, high] whose first number \
         is not above the second",
    );
    for (x, found) in [
        ("[1]", "a list of 1"),
        ("[.nan, 1]", "[NaN, 1]"),
        ("[0, .inf]", "[0, inf]"),
        ("[0, 2e6]", "[0, 2000000]"),
        ("wide", "\"wide\""),
    ] {
        assert_refused(
            &with(x),
            &format!("room.yaml:2:40: boxes[0].x is {found}, it must be {range}"),
        );
    }
    assert_refused(
        "seed: 1.5\n",
        "room.yaml:1:7: seed is 1.5, it must be a whole number",
    );
    assert_refused(
        "clearance: -1\n",
        "room.yaml:1:12: clearance is -1, it must be a finite number that is not below 0",
    );
}

#[test]
fn a_layout_moves_as_a_whole() {
    let text = format!(
        "{}locations:\n  - {{id: L1, x: 1.0, y: 0.5, yaw: 0.3}}\n",
        crates(2)
    );
    let (here, there) = (seeded(&text, 5), seeded(&text, 5).moved_by([10.0, -4.0]));
    let moved = |pose: Pose2| Pose2::new(pose.x + 10.0, pose.y - 4.0, pose.yaw);
    for (before, after) in here.boxes.iter().zip(&there.boxes) {
        assert_eq!(moved(before.pose), after.pose);
    }
    assert_eq!(there.outlines[0].points[0], [7.0, -6.0]);
    assert_eq!(there.places.locations[0].pose, Pose2::new(11.0, -3.5, 0.3));
}
