//! People: bodies, ways, and how they get round each other.

use super::*;

const OWN: BodyKey = BodyKey(100);

fn disc_at(name: &str, x: f64, y: f64) -> PersonSpec {
    PersonSpec {
        shape: PersonShape::DISC,
        ..PersonSpec::new(name, Pose2::new(x, y, 0.0))
    }
}

/// Somebody who walks from the origin to (4, 0) at 1 m/s.
fn walker(repeat: Repeat) -> PersonSpec {
    PersonSpec {
        walk: Some(Walk {
            repeat,
            ..Walk::through(vec![Waypoint::new(4.0, 0.0)])
        }),
        ..disc_at("walker", 0.0, 0.0)
    }
}

fn actor_of(person: &Person, key: BodyKey) -> Actor {
    let pose = person.state().pose;
    Actor {
        key,
        at: [pose.x, pose.y],
        radius: person.spec().shape.reach(),
        z: ZExtent::new(0.0, person.spec().height),
    }
}

fn step_among(person: &mut Person, others: &[Actor]) {
    let mut actors = others.to_vec();
    actors.push(actor_of(person, OWN));
    let senses = PersonSenses {
        actors: &actors,
        door_depth: &|_| 0.0,
        wall_beside: &|_, _| false,
    };
    person.step(dt(), OWN, &senses);
}

fn run(person: &mut Person, seconds: f64) {
    for _ in 0..steps(seconds) {
        step_among(person, &[]);
    }
}

#[test]
fn two_legs_stand_beside_the_middle_below_a_body() {
    let spec = PersonSpec::new("anna", Pose2::default());
    let parts = spec.parts();
    let expected = [
        (0.06, 0.1, 0.0, 0.901),
        (0.06, -0.1, 0.0, 0.901),
        (0.2, 0.0, 0.901, 1.7),
    ];
    assert_eq!(parts.len(), expected.len());
    for (part, (radius, y, low, high)) in parts.iter().zip(expected) {
        assert_eq!(part.shape, PlanarShape::Disc(radius));
        assert_pose(part.pose, Pose2::new(0.0, y, 0.0), 1e-12);
        assert_near(part.z.min, low, 1e-12);
        assert_near(part.z.max, high, 1e-12);
    }
    assert_near(spec.shape.reach(), 0.2, 0.0);
    let disc = disc_at("bert", 0.0, 0.0).parts();
    assert_eq!(disc.len(), 1);
    assert_eq!(disc[0].z, ZExtent::new(0.0, 1.7));
}

#[test]
fn who_has_no_way_stands() {
    let mut person = Person::new(disc_at("anna", 1.0, 2.0), 0).unwrap();
    run(&mut person, 10.0);
    assert_eq!(person.state().pose, Pose2::new(1.0, 2.0, 0.0));
    assert!(!person.state().is_walking);
}

#[test]
fn a_loop_goes_round_at_its_speed_with_its_pauses() {
    // A square of 2 m: 2 s at the start, 1 s at the second corner, 1 m/s.
    let mut corners = [[2.0, 0.0], [2.0, 2.0], [0.0, 2.0]].map(|[x, y]| Waypoint::new(x, y));
    corners[1].pause = 1.0;
    let mut person = Person::new(
        PersonSpec {
            walk: Some(Walk {
                pause: 2.0,
                ..Walk::through(corners.to_vec())
            }),
            ..disc_at("anna", 0.0, 0.0)
        },
        0,
    )
    .unwrap();
    let expected = [
        (1.9, 0.0, 0.0, 0, false),
        (1.1, 1.0, 0.0, 1, true),
        (2.0, 2.0, 1.0, 2, true),
        (1.5, 2.0, 2.0, 2, false),
        (1.5, 1.0, 2.0, 3, true),
        (2.0, 0.0, 1.0, 0, true),
        (1.5, 0.0, 0.0, 0, false),
    ];
    for round in 0..3 {
        for (seconds, x, y, waypoint, is_walking) in expected {
            run(&mut person, seconds);
            let state = person.state();
            assert_near(state.pose.x, x, 1e-9);
            assert_near(state.pose.y, y, 1e-9);
            assert_eq!(
                (state.waypoint, state.is_walking),
                (waypoint, is_walking),
                "round {round} at ({x}, {y})"
            );
        }
        // The stand at the start goes on for 1.5 s.
        run(&mut person, 0.5);
        if round == 1 {
            person.reset(0);
        }
        if round == 0 {
            // 12 s: a whole round of 8 m and 3 s, and 1 s of the next; to where it began.
            run(&mut person, 10.0);
        }
    }
}

#[test]
fn there_and_back_returns_the_same_way_and_once_ends() {
    let mut person = Person::new(walker(Repeat::ThereAndBack), 0).unwrap();
    for (seconds, x) in [(3.0, 3.0), (2.0, 3.0), (3.0, 0.0), (1.0, 1.0)] {
        run(&mut person, seconds);
        assert_near(person.state().pose.x, x, 1e-9);
    }
    let mut person = Person::new(walker(Repeat::Once), 0).unwrap();
    run(&mut person, 4.5);
    assert_near(person.state().pose.x, 4.0, 1e-9);
    run(&mut person, 10.0);
    assert_near(person.state().pose.x, 4.0, 1e-9);
    assert!(!person.state().is_walking);
    person.reset(0);
    assert_eq!(person.state().pose, Pose2::default());
    run(&mut person, 1.0);
    assert_near(person.state().pose.x, 1.0, 1e-9);
}

#[test]
fn who_turns_looks_ahead_after_a_moment() {
    let mut person = Person::new(walker(Repeat::ThereAndBack), 0).unwrap();
    run(&mut person, 3.9);
    assert_near(person.state().pose.yaw, 0.0, 0.0);
    // Half a turn at 4 rad/s takes 0.79 s.
    run(&mut person, 0.5);
    let yaw = person.state().pose.yaw.abs();
    assert!(yaw > 1.2 && yaw < 2.0, "{yaw}");
    run(&mut person, 0.5);
    assert_near(person.state().pose.yaw.abs(), std::f64::consts::PI, 1e-9);
}

#[test]
fn who_does_not_avoid_walks_on_into_others() {
    let spec = PersonSpec {
        avoids: false,
        ..walker(Repeat::Once)
    };
    let mut person = Person::new(spec, 0).unwrap();
    for _ in 0..steps(2.0) {
        step_among(&mut person, &[robot(1, 2.0, 0.0)]);
    }
    assert_near(person.state().pose.x, 2.0, 1e-9);
    assert_near(person.state().pose.y, 0.0, 0.0);
}

#[test]
fn who_avoids_passes_a_robot_that_stands_in_the_way_and_comes_back_to_it() {
    for (y, side) in [(0.1, -1.0), (-0.1, 1.0)] {
        let mut person = Person::new(walker(Repeat::Once), 0).unwrap();
        let obstacle = robot(1, 2.0, y);
        let (mut nearest, mut farthest) = (f64::INFINITY, 0.0_f64);
        for _ in 0..steps(6.0) {
            step_among(&mut person, &[obstacle]);
            let at = person.state().pose;
            nearest = nearest.min(libm::hypot(at.x - 2.0, at.y - y));
            farthest = farthest.max(side * at.y);
        }
        // 0.25 m and 0.266 m of bodies, and 5 cm to stop in.
        assert!(nearest >= 0.25 + 0.266 + 0.05 - 1e-9, "{nearest}");
        assert!(farthest > 0.4, "to side {side}: {farthest}");
        assert_near(person.state().pose.x, 4.0, 1e-9);
        assert_near(person.state().pose.y, 0.0, 1e-9);
    }
}

/// Everybody of a seed passes on the same side, so two who meet head on do not dance.
#[test]
fn two_who_meet_head_on_pass_each_other_in_every_seed() {
    let mut sides = [false; 2];
    for seed in 0..16 {
        let back = PersonSpec {
            walk: Some(Walk {
                repeat: Repeat::Once,
                ..Walk::through(vec![Waypoint::new(0.0, 0.0)])
            }),
            ..disc_at("other", 4.0, 0.0)
        };
        let mut people = [
            Person::new(walker(Repeat::Once), seed).unwrap(),
            Person::new(back, seed).unwrap(),
        ];
        let keys = [BodyKey(1), BodyKey(2)];
        let mut nearest = f64::INFINITY;
        for _ in 0..steps(8.0) {
            let actors = [0, 1].map(|i| actor_of(&people[i], keys[i]));
            for (person, key) in people.iter_mut().zip(keys) {
                let senses = PersonSenses {
                    actors: &actors,
                    door_depth: &|_| 0.0,
                    wall_beside: &|_, _| false,
                };
                person.step(dt(), key, &senses);
            }
            let [a, b] = [0, 1].map(|i| people[i].state().pose);
            nearest = nearest.min(libm::hypot(a.x - b.x, a.y - b.y));
            if a.y != 0.0 {
                sides[usize::from(a.y > 0.0)] = true;
            }
        }
        assert!(nearest >= 0.5 - 1e-9, "seed {seed}: {nearest}");
        assert_near(people[0].state().pose.x, 4.0, 1e-9);
        assert_near(people[1].state().pose.x, 0.0, 1e-9);
    }
    assert_eq!(sides, [true, true], "some seeds pass left, some right");
}

#[test]
fn who_cannot_step_aside_stops_and_goes_on_when_the_way_is_free() {
    let mut person = Person::new(walker(Repeat::Once), 0).unwrap();
    let mut blocked = [robot(1, 2.0, 0.0), actor_of(&person, OWN)];
    for _ in 0..steps(5.0) {
        blocked[1] = actor_of(&person, OWN);
        let senses = PersonSenses {
            actors: &blocked,
            door_depth: &|_| 0.0,
            wall_beside: &|_, to| to[1].abs() > 0.001,
        };
        person.step(dt(), OWN, &senses);
    }
    // 0.516 m of bodies and 5 cm before the robot, to a step.
    assert_near(person.state().pose.x, 2.0 - 0.566, 0.011);
    assert!(!person.state().is_walking);
    run(&mut person, 3.0);
    assert_near(person.state().pose.x, 4.0, 1e-9);
}

#[test]
fn everybody_waits_for_a_door() {
    for avoids in [false, true] {
        let spec = PersonSpec {
            avoids,
            ..walker(Repeat::Once)
        };
        let mut person = Person::new(spec, 0).unwrap();
        for _ in 0..steps(4.0) {
            let actors = [actor_of(&person, OWN)];
            let senses = PersonSenses {
                actors: &actors,
                door_depth: &|pose| (pose.x + 0.25 - 2.0).max(0.0),
                wall_beside: &|_, _| false,
            };
            person.step(dt(), OWN, &senses);
        }
        assert_near(person.state().pose.x, 1.75, 0.0011);
        run(&mut person, 3.0);
        assert_near(person.state().pose.x, 4.0, 1e-9);
    }
}

#[test]
fn a_way_through_a_wall_is_refused_with_the_wall_and_the_point() {
    // A wall along y at x = 3.
    let wall = |a: [f64; 2], b: [f64; 2]| {
        ((a[0] - 3.0) * (b[0] - 3.0) < 0.0).then(|| "east wall".to_owned())
    };
    let through = |points: &[[f64; 2]]| PersonSpec {
        walk: Some(Walk::through(
            points.iter().map(|[x, y]| Waypoint::new(*x, *y)).collect(),
        )),
        ..disc_at("anna", 0.0, 0.0)
    };
    let words = ["person 'anna'", "waypoints[1]", "'east wall'", "doorway"];
    assert_refused(through(&[[1.0, 0.0], [4.0, 0.0]]).check_way(&wall), &words);
    assert_eq!(through(&[[1.0, 0.0], [2.0, 5.0]]).check_way(&wall), Ok(()));
    assert_eq!(disc_at("bert", 0.0, 0.0).check_way(&wall), Ok(()));
    // Only the way back to the start is blocked.
    let only_back = |a: [f64; 2], b: [f64; 2]| {
        (a == [1.0, 1.0] && b == [0.0, 0.0]).then(|| "column".to_owned())
    };
    let spec = through(&[[1.0, 0.0], [1.0, 1.0]]);
    assert_refused(
        spec.check_way(&only_back),
        &["way back to the start", "'column'"],
    );
}

#[test]
fn what_cannot_be_is_refused_with_what_would_be_right() {
    let walk = |walk: Walk| PersonSpec {
        walk: Some(walk),
        ..disc_at("anna", 0.0, 0.0)
    };
    let to = |x: f64, pause: f64| Walk {
        waypoints: vec![Waypoint {
            at: [x, 0.0],
            pause,
        }],
        ..Walk::through(Vec::new())
    };
    let legs = |leg_radius, leg_distance| PersonSpec {
        shape: PersonShape::Legs {
            leg_radius,
            leg_distance,
            radius: 0.2,
        },
        ..disc_at("anna", 0.0, 0.0)
    };
    let cases: Vec<(PersonSpec, &[&str])> = vec![
        (disc_at("", 0.0, 0.0), &["person name ''"]),
        (
            disc_at("anna", f64::NAN, 0.0),
            &["person 'anna'", "x is NaN"],
        ),
        (
            PersonSpec {
                height: 0.0,
                ..disc_at("anna", 0.0, 0.0)
            },
            &["height is 0"],
        ),
        (
            PersonSpec {
                shape: PersonShape::Disc { radius: -0.2 },
                ..disc_at("anna", 0.0, 0.0)
            },
            &["radius is -0.2"],
        ),
        (legs(0.06, 0.1), &["leg_distance is 0.1", "at least 0.12 m"]),
        (legs(f64::NAN, 0.1), &["leg_radius is NaN"]),
        (
            walk(Walk::through(Vec::new())),
            &["waypoints has 0 points", "1 to 1000"],
        ),
        (walk(to(0.0, 1.0)), &["waypoints' way is 0,", "elsewhere"]),
        (
            walk(to(1.0, -1.0)),
            &["waypoints[0].pause is -1", "0 to 86400 s"],
        ),
        (walk(to(f64::INFINITY, 0.0)), &["waypoints[0].x is inf"]),
        (
            walk(Walk {
                speed: -1.0,
                ..to(1.0, 0.0)
            }),
            &["speed is -1,", "0.01 to 12 m/s"],
        ),
        (
            walk(Walk {
                speed: f64::NAN,
                ..to(1.0, 0.0)
            }),
            &["speed is NaN"],
        ),
        (
            walk(Walk {
                pause: f64::NAN,
                ..to(1.0, 0.0)
            }),
            &["pause is NaN"],
        ),
    ];
    for (spec, words) in cases {
        assert_refused(spec.check(), words);
        assert!(Person::new(spec, 0).is_err());
    }
    assert_eq!(walker(Repeat::Loop).check(), Ok(()));
}
