//! Where and along which direction two convex shapes that move for a short while could meet.

use rapier2d::math::Vector;

use super::convex::Convex;

/// Two shapes count as apart along an axis down to this overlap, in metres: above what a
/// step leaves behind, below what anybody measures.
const APART: f64 = 1e-4;
/// Points closer than this have no direction between them.
const SAME_POINT: f64 = 1e-9;
/// Sides that slant by no more than this count as flat on each other, metres.
const SLANT: f64 = 1e-6;

/// A shape at the start of a short motion and where it would be at its end if nothing were
/// in its way.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moving<'a> {
    pub(super) start: &'a Convex,
    pub(super) end: &'a Convex,
}

impl<'a> Moving<'a> {
    /// A shape that stands still.
    pub(super) fn still(shape: &'a Convex) -> Self {
        Self {
            start: shape,
            end: shape,
        }
    }
}

/// A direction from B to A with the gap between the two along it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Axis {
    /// Unit vector from B towards A.
    pub(super) normal: Vector,
    /// Gap at the start, metres; negative when they overlap.
    pub(super) start: f64,
    /// Gap after the free motion; that at the start where it is of no interest.
    pub(super) end: f64,
}

/// A point of A that may not move past a point of B.
#[derive(Debug, Clone, Copy)]
pub(super) struct ContactPoint {
    /// Of A's core, in the world: the radius beyond it adds no lever arm.
    pub(super) on_a: Vector,
    /// Of B's core, in the world.
    pub(super) on_b: Vector,
    /// Metres between the surfaces along the axis.
    pub(super) gap: f64,
}

fn gap_along(a: &Convex, b: &Convex, normal: Vector) -> f64 {
    -a.extent(-normal) - b.extent(normal) - a.radius - b.radius
}

/// The direction between the closest corners.
fn corner_axis(a: &Convex, b: &Convex) -> Option<Vector> {
    let mut best = Vector::ZERO;
    let mut squared = f64::INFINITY;
    for pa in a.points() {
        for pb in b.points() {
            let between = *pa - *pb;
            if between.length_squared() < squared {
                squared = between.length_squared();
                best = between;
            }
        }
    }
    (squared > SAME_POINT * SAME_POINT).then(|| best.normalize_or_zero())
}

/// Collects the directions along which the two could be apart, with the gaps at the start:
/// the normals of both and the lines between their closest corners. `false` once they are
/// known to be farther apart than `limit`.
fn axes(a: Moving<'_>, b: Moving<'_>, limit: f64, out: &mut Vec<Axis>) -> bool {
    out.clear();
    let radii = a.start.radius + b.start.radius;
    let mut widest = f64::NEG_INFINITY;
    let mut add = |normal: Vector, start: f64| {
        widest = widest.max(start);
        let end = start;
        out.push(Axis { normal, start, end });
        start <= limit
    };
    for (corner, normal) in b.start.faces() {
        let start = -a.start.extent(-normal) - normal.dot(corner) - radii;
        if !add(normal, start) {
            return false;
        }
    }
    for (corner, normal) in a.start.faces() {
        let start = -normal.dot(corner) - b.start.extent(-normal) - radii;
        if !add(-normal, start) {
            return false;
        }
    }
    // Corners matter only while the cores are apart.
    if widest + radii > 0.0 || out.is_empty() {
        let corners = [corner_axis(a.start, b.start), corner_axis(a.end, b.end)];
        for normal in corners.into_iter().flatten() {
            let start = gap_along(a.start, b.start, normal);
            out.push(Axis {
                normal,
                start,
                end: start,
            });
        }
    }
    if out.is_empty() {
        // Two discs on the same spot: any direction serves, as long as it is always the same.
        out.push(Axis {
            normal: Vector::X,
            start: -radii,
            end: -radii,
        });
    }
    out.iter().all(|axis| axis.start <= limit)
}

/// The axes along which a contact may act, the best one first; none when the shapes are
/// farther apart than `limit`.
///
/// While there are axes that keep the shapes apart at the start, only those count, and the
/// best is the one that still does so best after the free motion: so a shape that passes a
/// corner is not held up by the plane in front of it. (Judging by the end alone would let
/// small shapes jump through walls.) Else it is the axis of least overlap.
pub(super) fn contact_axes(a: Moving<'_>, b: Moving<'_>, limit: f64, out: &mut Vec<Axis>) {
    if !axes(a, b, limit, out) {
        out.clear();
    } else if out.iter().any(|axis| axis.start >= -APART) {
        out.retain(|axis| axis.start >= -APART);
        for axis in out.iter_mut() {
            axis.end = gap_along(a.end, b.end, axis.normal);
        }
        out.sort_by(|p, q| q.end.total_cmp(&p.end));
    } else {
        out.sort_by(|p, q| q.start.total_cmp(&p.start));
    }
}

/// The signed distance of two shapes that stand still (negative is the least overlap) and
/// its direction; `None` when it is above `limit`.
pub(super) fn distance(
    a: &Convex,
    b: &Convex,
    limit: f64,
    scratch: &mut Vec<Axis>,
) -> Option<Axis> {
    axes(Moving::still(a), Moving::still(b), limit, scratch)
        .then(|| {
            scratch
                .iter()
                .copied()
                .reduce(|best, axis| if axis.start > best.start { axis } else { best })
        })
        .flatten()
}

/// Where the sides that face each other along an axis lie opposite each other: one or two
/// points.
pub(super) fn contact_points(a: &Convex, b: &Convex, axis: &Axis) -> ([ContactPoint; 2], usize) {
    let normal = axis.normal;
    let tangent = normal.perp();
    let edge_a = a.edge_towards(-normal);
    let edge_b = b.edge_towards(normal);
    let range = |edge: &[Vector; 2]| {
        let (p, q) = (tangent.dot(edge[0]), tangent.dot(edge[1]));
        (p.min(q), p.max(q))
    };
    let (low_a, high_a) = range(&edge_a);
    let (low_b, high_b) = range(&edge_b);
    let (low, high) = (low_a.max(low_b), high_a.min(high_b));
    let pair = |on_a: Vector, on_b: Vector| ContactPoint {
        on_a,
        on_b,
        gap: normal.dot(on_a - on_b) - a.radius - b.radius,
    };
    if low > high {
        let nearest = pair(edge_a[0], edge_b[0]);
        return ([nearest; 2], 1);
    }
    let at = |edge: &[Vector; 2], t: f64| {
        let (from, to) = (tangent.dot(edge[0]), tangent.dot(edge[1]));
        let length = to - from;
        if length.abs() < SAME_POINT {
            edge[0]
        } else {
            edge[0] + (edge[1] - edge[0]) * ((t - from) / length).clamp(0.0, 1.0)
        }
    };
    let points = [low, high].map(|t| pair(at(&edge_a, t), at(&edge_b, t)));
    let count = if high - low < SAME_POINT { 1 } else { 2 };
    (points, count)
}

/// The points that reach farthest towards each other along an axis, unless the contact points
/// are those already.
///
/// Along a line between corners, sides slant: where they lie opposite each other the gap is
/// wider. A small shape that turns past a corner needs both.
pub(super) fn foremost(
    a: &Convex,
    b: &Convex,
    axis: &Axis,
    points: &[ContactPoint],
) -> Option<ContactPoint> {
    let (on_a, on_b) = (
        a.edge_towards(-axis.normal)[0],
        b.edge_towards(axis.normal)[0],
    );
    let gap = axis.normal.dot(on_a - on_b) - a.radius - b.radius;
    let covered = |point: &ContactPoint| point.gap <= gap + SLANT;
    (!points.iter().any(covered)).then_some(ContactPoint { on_a, on_b, gap })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::Pose2;

    fn square(x: f64, y: f64, yaw: f64) -> Convex {
        let corners = [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]].map(Vector::from);
        let square = Convex::from_corners(&corners).unwrap();
        square.placed(&Pose2::new(x, y, yaw))
    }

    #[test]
    fn distances_are_those_of_faces_corners_and_discs() {
        let mut scratch = Vec::new();
        let mut between = |a: &Convex, b: &Convex| distance(a, b, 1.0, &mut scratch).unwrap().start;
        let here = square(0.0, 0.0, 0.0);
        let face = between(&square(1.3, 0.2, 0.0), &here);
        assert!((face - 0.3).abs() < 1e-12, "{face}");
        let corner = between(&square(1.3, 1.4, 0.0), &here);
        assert!((corner - 0.5).abs() < 1e-12, "{corner}");
        let overlap = between(&square(0.9, 0.2, 0.0), &here);
        assert!((overlap + 0.1).abs() < 1e-12, "{overlap}");
        let disc = Convex::disc(Vector::new(0.8, 0.9), 0.1);
        let round = between(&disc, &here);
        assert!((round - 0.4).abs() < 1e-12, "{round}");
    }

    #[test]
    fn flat_on_each_other_meets_at_both_ends_of_what_is_shared() {
        let (a, b) = (square(0.4, 1.1, 0.0), square(0.0, 0.0, 0.0));
        let mut found = Vec::new();
        contact_axes(Moving::still(&a), Moving::still(&b), 1.0, &mut found);
        let (points, count) = contact_points(&a, &b, &found[0]);
        assert_eq!(count, 2);
        let mut xs = points.map(|p| p.on_a.x);
        xs.sort_by(f64::total_cmp);
        assert!(
            (xs[0] + 0.1).abs() < 1e-12 && (xs[1] - 0.5).abs() < 1e-12,
            "{xs:?}"
        );
        assert!((points[0].gap - 0.1).abs() < 1e-12, "{points:?}");
    }

    #[test]
    fn what_passes_a_corner_is_judged_by_where_it_ends_up() {
        // 0.02 m to the left of the other and 0.01 m above it, moving right: it passes above.
        let (a, end) = (square(-1.02, 1.01, 0.0), square(-0.92, 1.01, 0.0));
        let b = square(0.0, 0.0, 0.0);
        let mut found = Vec::new();
        let moving = Moving {
            start: &a,
            end: &end,
        };
        contact_axes(moving, Moving::still(&b), 1.0, &mut found);
        assert!(found[0].normal.distance(Vector::Y) < 1e-12, "{found:?}");
    }
}
