//! Drops: regions without floor.

use super::*;
use crate::building::drop::is_inside;

fn hole() -> DropSpec {
    DropSpec::rectangle("stairs", [1.0, -1.0], [3.0, 1.0])
}

#[test]
fn a_point_is_in_a_drop_up_to_its_edge_which_bears() {
    let region = hole().region().unwrap();
    for (x, y, expected) in [
        (2.0, 0.0, true),
        (1.0001, 0.0, true),
        (1.0, 0.0, false),
        (0.9999, 0.0, false),
        (3.0, 1.0, false),
        (2.9999, 0.9999, true),
        (2.0, -1.0001, false),
    ] {
        assert_eq!(is_inside(&region, [x, y]), expected, "({x}, {y})");
    }
    assert!(!is_inside(&[], [0.0, 0.0]));
}

#[test]
fn either_winding_is_one_region_wherever_it_is() {
    for offset in [0.0, 5000.0] {
        let clockwise = DropSpec {
            points: [[0.0, 0.0], [0.0, 2.0], [1.0, 0.0]]
                .map(|[x, y]| [x + offset, y])
                .to_vec(),
            ..hole()
        };
        let region = clockwise.region().unwrap();
        assert!(is_inside(&region, [offset + 0.3, 0.5]));
        assert!(!is_inside(&region, [offset + 0.7, 1.0]));
    }
}

#[test]
fn what_cannot_be_is_refused_with_what_would_be_right() {
    let corners = |points: &[[f64; 2]]| DropSpec {
        points: points.to_vec(),
        ..hole()
    };
    let cases: Vec<(DropSpec, &[&str])> = vec![
        (
            DropSpec {
                name: String::new(),
                ..hole()
            },
            &["drop name ''"],
        ),
        (
            DropSpec {
                depth: 0.0,
                ..hole()
            },
            &["drop 'stairs'", "depth is 0"],
        ),
        (
            DropSpec {
                depth: f64::NAN,
                ..hole()
            },
            &["depth is NaN"],
        ),
        (corners(&[]), &["points are 0 corners", "3 or more"]),
        (
            corners(&[[0.0, 0.0], [1.0, 0.0]]),
            &["points are 2 corners"],
        ),
        (corners(&[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]]), &["convex"]),
        (
            corners(&[[0.0, 0.0], [2.0, 0.0], [0.5, 0.5], [0.0, 2.0]]),
            &["convex"],
        ),
        (
            corners(&[[0.0, 0.0], [f64::NAN, 0.0], [0.0, 1.0]]),
            &["points[1].x is NaN"],
        ),
    ];
    for (spec, words) in cases {
        assert_refused(spec.check(), words);
    }
    assert_eq!(hole().check(), Ok(()));
}
