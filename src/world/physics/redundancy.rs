//! Leaves out contact points that others of the same wall imply.
//!
//! A robot that lies along a wall of many pieces touches every one of them. All these
//! points say the same, and the solver converges the slower the more there are.

use super::projection::Constraint;

/// Normals that differ by less than this count as one, as a length between unit vectors.
const SAME_NORMAL: f64 = 1e-6;
/// Points whose lever arms differ by less than this count as one, metres.
const SAME_ARM: f64 = 1e-6;
/// Points of one wall are left out up to this far below the line between others, metres.
const ON_LINE: f64 = 1e-9;

/// Removes constraints of obstacles that always hold when others with the same normal do.
/// With one normal, a contact says `gap + shift + arm * turn >= 0`: a point whose
/// (arm, gap) lies on or above the line between two others is implied by them. Overlaps
/// are all kept.
pub(super) fn remove(constraints: &mut Vec<Constraint>) {
    let mut kept: Vec<Constraint> = Vec::with_capacity(constraints.len());
    let mut rest: Vec<Constraint> = Vec::new();
    for constraint in constraints.drain(..) {
        if constraint.b.is_some() || constraint.overlaps() {
            kept.push(constraint);
        } else {
            rest.push(constraint);
        }
    }
    while let Some(first) = rest.first().copied() {
        let (mut same, others): (Vec<Constraint>, Vec<Constraint>) =
            rest.into_iter().partition(|c| {
                c.a.body == first.a.body && c.normal.distance(first.normal) < SAME_NORMAL
            });
        same.sort_by(|p, q| p.a.arm.total_cmp(&q.a.arm).then(p.gap.total_cmp(&q.gap)));
        let start = kept.len();
        for constraint in same {
            if let [.., last] = &mut kept[start..]
                && constraint.a.arm - last.a.arm <= SAME_ARM
            {
                if constraint.gap < last.gap {
                    *last = constraint;
                }
                continue;
            }
            while kept.len() >= start + 2
                && implied(&kept[kept.len() - 2], &kept[kept.len() - 1], &constraint)
            {
                kept.pop();
            }
            kept.push(constraint);
        }
        rest = others;
    }
    *constraints = kept;
}

/// Whether the middle one lies on or above the line between the outer two.
fn implied(low: &Constraint, middle: &Constraint, high: &Constraint) -> bool {
    let t = (middle.a.arm - low.a.arm) / (high.a.arm - low.a.arm);
    middle.gap >= low.gap + t * (high.gap - low.gap) - ON_LINE
}

#[cfg(test)]
mod tests {
    use super::super::projection::End;
    use super::*;
    use rapier2d::math::Vector;

    fn remaining(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
        let mut constraints: Vec<Constraint> = points
            .iter()
            .map(|(arm, gap)| Constraint {
                a: End { body: 0, arm: *arm },
                b: None,
                normal: Vector::Y,
                gap: *gap,
                push: 0.0,
            })
            .collect();
        remove(&mut constraints);
        constraints.iter().map(|c| (c.a.arm, c.gap)).collect()
    }

    #[test]
    fn of_a_flat_side_only_the_ends_are_left() {
        let points = [
            (0.1, 0.0),
            (-0.15, 0.0),
            (0.237, 0.0),
            (0.1, 0.0),
            (0.0, 0.0),
        ];
        assert_eq!(remaining(&points), [(-0.15, 0.0), (0.237, 0.0)]);
    }

    #[test]
    fn what_sticks_out_and_what_overlaps_stays() {
        let points = [(-1.0, 0.01), (0.0, 0.002), (0.5, 0.009), (1.0, 0.01)];
        assert_eq!(
            remaining(&points),
            [(-1.0, 0.01), (0.0, 0.002), (1.0, 0.01)]
        );
        let deep = [(-1.0, 0.0), (0.0, -0.01), (0.1, -0.001), (1.0, 0.0)];
        assert_eq!(remaining(&deep).len(), 4);
    }
}
