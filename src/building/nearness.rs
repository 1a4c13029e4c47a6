//! Plain geometry: who is in a panel, and what a straight line crosses.

use super::Kind;
use crate::world::{Part, PlanarShape, Pose2, World, ZExtent};

/// The panel of a door where it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Panel {
    pub(super) pose: Pose2,
    /// Half its lengths along its own x and y, m.
    pub(super) half: [f64; 2],
    /// Its heights in the world, m.
    pub(super) z: ZExtent,
}

impl Panel {
    /// How deep a disc is in it, m; 0 = not at all.
    pub(super) fn depth_of_disc(&self, center: [f64; 2], radius: f64) -> f64 {
        let reach = radius + self.half[0] + self.half[1];
        let away = [center[0] - self.pose.x, center[1] - self.pose.y];
        if away[0].abs() > reach || away[1].abs() > reach {
            return 0.0;
        }
        let local = self.pose.inverse_transform_point(center);
        let out = [0, 1].map(|axis| local[axis].abs() - self.half[axis]);
        let distance = if out[0] <= 0.0 && out[1] <= 0.0 {
            // Inside: the way to the nearest side.
            out[0].max(out[1])
        } else {
            libm::hypot(out[0].max(0.0), out[1].max(0.0))
        };
        (radius - distance).max(0.0)
    }
}

/// The first by name of what stands at some heights and that a straight line crosses: walls,
/// boxes and fixed things.
pub(super) fn wall_between(world: &World, z: ZExtent, a: [f64; 2], b: [f64; 2]) -> Option<String> {
    let standing = world.entities().filter(|entity| {
        entity.shape().stands() && entity.kind() != Kind::Drop && entity.z().overlaps(&z)
    });
    let mut crossed = standing.filter(|entity| {
        let parts = entity.parts();
        let mut met = parts.iter().filter(|part| part.z.overlaps(&z));
        met.any(|part| crosses(part, &entity.pose(), a, b))
    });
    crossed.next().map(|entity| entity.name().to_owned())
}

/// Whether a straight line meets a part of a thing.
pub(super) fn crosses(part: &Part, thing: &Pose2, a: [f64; 2], b: [f64; 2]) -> bool {
    let frame = part.placed(thing);
    let [a, b] = [a, b].map(|point| frame.inverse_transform_point(point));
    match &part.shape {
        PlanarShape::Disc(radius) => distance_to_line([0.0, 0.0], a, b) < *radius,
        PlanarShape::Convex(points) => crosses_convex(points, a, b),
        PlanarShape::Ring(points) => {
            let edges = points.iter().zip(points.iter().cycle().skip(1));
            edges.into_iter().any(|(p, q)| lines_meet(*p, *q, a, b))
        }
    }
}

/// Distance of a point from a straight line between two others.
fn distance_to_line(point: [f64; 2], a: [f64; 2], b: [f64; 2]) -> f64 {
    let (along, to) = (minus(b, a), minus(point, a));
    let length = along[0] * along[0] + along[1] * along[1];
    let share = match length > 0.0 {
        true => ((to[0] * along[0] + to[1] * along[1]) / length).clamp(0.0, 1.0),
        false => 0.0,
    };
    libm::hypot(to[0] - share * along[0], to[1] - share * along[1])
}

/// Whether some of a straight line is inside a convex polygon with counter-clockwise corners.
fn crosses_convex(points: &[[f64; 2]], a: [f64; 2], b: [f64; 2]) -> bool {
    let (mut enters, mut leaves) = (0.0_f64, 1.0_f64);
    for (p, q) in points.iter().zip(points.iter().cycle().skip(1)) {
        let edge = minus(*q, *p);
        // Above 0 = inside of this edge, at either end of the line.
        let [at_a, at_b] = [a, b].map(|end| cross(edge, minus(end, *p)));
        if at_a <= 0.0 && at_b <= 0.0 {
            return false;
        }
        if at_a < 0.0 {
            enters = enters.max(at_a / (at_a - at_b));
        } else if at_b < 0.0 {
            leaves = leaves.min(at_a / (at_a - at_b));
        }
    }
    enters < leaves
}

/// Whether two straight lines have a point in common.
fn lines_meet(p: [f64; 2], q: [f64; 2], a: [f64; 2], b: [f64; 2]) -> bool {
    let side =
        |from: [f64; 2], to: [f64; 2], point: [f64; 2]| cross(minus(to, from), minus(point, from));
    side(p, q, a) * side(p, q, b) <= 0.0 && side(a, b, p) * side(a, b, q) <= 0.0 && {
        // On one line they may still be apart.
        let apart = |axis: usize| {
            p[axis].max(q[axis]) < a[axis].min(b[axis])
                || a[axis].max(b[axis]) < p[axis].min(q[axis])
        };
        !apart(0) && !apart(1)
    }
}

fn minus(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    [a[0] - b[0], a[1] - b[1]]
}

fn cross(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[1] - a[1] * b[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disc_is_as_deep_in_a_panel_as_it_reaches_into_it() {
        // A panel along y of the world, 1 m by 4 cm, with its middle at (2, 0).
        let panel = Panel {
            pose: Pose2::new(2.0, 0.0, std::f64::consts::FRAC_PI_2),
            half: [0.5, 0.02],
            z: ZExtent::new(0.0, 2.0),
        };
        for (center, expected) in [
            ([1.7, 0.0], 0.0),
            ([1.78, 0.0], 0.05),
            ([1.78, 0.49], 0.05),
            ([2.0, 0.0], 0.27),
            ([2.0, 0.7], 0.05),
            // Past the corner at (1.98, 0.5): 3-4-5.
            ([1.95, 0.54], 0.2),
            ([5.0, 0.0], 0.0),
        ] {
            let found = panel.depth_of_disc(center, 0.25);
            assert!(
                (found - expected).abs() < 1e-12,
                "{found}, expected {expected} at {center:?}"
            );
        }
    }

    #[test]
    fn a_line_crosses_what_it_passes_through_and_nothing_beside() {
        let z = ZExtent::new(0.0, 1.0);
        let box_at = |yaw: f64| {
            (
                Part::solid(PlanarShape::rectangle(2.0, 0.2), z),
                Pose2::new(1.0, 1.0, yaw),
            )
        };
        let disc = (
            Part::solid(PlanarShape::Disc(0.5), z),
            Pose2::new(1.0, 1.0, 0.0),
        );
        let ring = PlanarShape::Ring(vec![[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]]);
        let ring = (Part::solid(ring, z), Pose2::default());
        let cases = [
            (&box_at(0.0), [1.0, 0.0], [1.0, 2.0], true),
            (&box_at(0.0), [2.1, 0.0], [2.1, 2.0], false),
            (&box_at(0.0), [1.0, 0.0], [1.0, 0.8], false),
            (&box_at(0.0), [0.5, 1.0], [1.5, 1.0], true),
            (
                &box_at(std::f64::consts::FRAC_PI_2),
                [0.0, 1.8],
                [2.0, 1.8],
                true,
            ),
            (
                &box_at(std::f64::consts::FRAC_PI_2),
                [1.2, 0.0],
                [1.2, 2.0],
                false,
            ),
            (&disc, [0.0, 1.4], [2.0, 1.4], true),
            (&disc, [0.0, 1.6], [2.0, 1.6], false),
            (&disc, [0.0, 1.0], [0.4, 1.0], false),
            // A ring is its walls: what it encloses is free.
            (&ring, [0.5, 0.5], [1.5, 1.5], false),
            (&ring, [0.5, 0.5], [2.5, 0.5], true),
            (&ring, [3.0, 0.0], [4.0, 0.0], false),
            (&ring, [-1.0, -1.0], [3.0, 3.0], true),
        ];
        for ((part, pose), a, b, expected) in cases {
            let found = crosses(part, pose, a, b);
            assert_eq!(found, expected, "{:?} from {a:?} to {b:?}", part.shape);
            assert_eq!(crosses(part, pose, b, a), expected, "the other way");
        }
    }
}
