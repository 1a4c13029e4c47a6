//! Convex shapes as contact sees them: a core of points, and a radius around it.

use rapier2d::math::Vector;

use super::super::shape::ring_edges;
use crate::world::Pose2;

/// Edges up to this length have no direction worth anything, metres.
const SHORTEST_EDGE: f64 = 1e-9;

/// A convex core with a radius: one point is a disc, two are a wall segment, more are a
/// polygon (counter-clockwise).
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Convex {
    points: Vec<Vector>,
    /// Outward normal of the edge from each point to the next; a segment has both of its.
    normals: Vec<Vector>,
    /// Metres around the core.
    pub(super) radius: f64,
}

impl Convex {
    /// A disc of this radius around a point.
    pub(super) fn disc(center: Vector, radius: f64) -> Self {
        Self {
            points: vec![center],
            normals: Vec::new(),
            radius,
        }
    }

    /// A segment or polygon from its corners in order. Edges shorter than [`SHORTEST_EDGE`]
    /// are left out; `None` when fewer than two corners are left.
    pub(super) fn from_corners(corners: &[Vector]) -> Option<Self> {
        let mut points: Vec<Vector> = Vec::with_capacity(corners.len());
        for corner in corners {
            if points.last().is_none_or(|last| distinct(last, corner)) {
                points.push(*corner);
            }
        }
        while points.len() > 1 && !distinct(&points[0], &points[points.len() - 1]) {
            points.pop();
        }
        if points.len() < 2 {
            return None;
        }
        let twice_area: f64 = ring_edges(&points).map(|(a, b)| a.perp_dot(*b)).sum();
        if twice_area < 0.0 {
            points.reverse();
        }
        let normals = ring_edges(&points)
            .map(|(a, b)| -(*b - *a).perp().normalize_or_zero())
            .collect();
        Some(Self {
            points,
            normals,
            radius: 0.0,
        })
    }

    /// The same shape with its frame at a pose of the world.
    pub(super) fn placed(&self, pose: &Pose2) -> Self {
        let mut placed = self.clone();
        placed.place(self, pose);
        placed
    }

    /// Becomes `local` at a pose of the world, reusing what is allocated.
    pub(super) fn place(&mut self, local: &Self, pose: &Pose2) {
        let (sin, cos) = libm::sincos(pose.yaw);
        let axis = Vector::new(cos, sin);
        let origin = Vector::new(pose.x, pose.y);
        self.points.clear();
        self.points
            .extend(local.points.iter().map(|p| origin + axis.rotate(*p)));
        self.normals.clear();
        self.normals
            .extend(local.normals.iter().map(|n| axis.rotate(*n)));
        self.radius = local.radius;
    }

    /// The points of the core.
    pub(super) fn points(&self) -> &[Vector] {
        &self.points
    }

    /// A point and the outward unit normal of each edge.
    pub(super) fn faces(&self) -> impl Iterator<Item = (Vector, Vector)> {
        self.points
            .iter()
            .copied()
            .zip(self.normals.iter().copied())
    }

    /// How far the core reaches along a direction.
    pub(super) fn extent(&self, direction: Vector) -> f64 {
        self.points
            .iter()
            .fold(f64::NEG_INFINITY, |far, p| far.max(direction.dot(*p)))
    }

    /// The two neighbouring points that reach farthest along a direction, the farther one
    /// first; twice the same for a disc.
    pub(super) fn edge_towards(&self, direction: Vector) -> [Vector; 2] {
        let n = self.points.len();
        let mut best = 0;
        for i in 1..n {
            if direction.dot(self.points[i]) > direction.dot(self.points[best]) {
                best = i;
            }
        }
        let next = self.points[(best + 1) % n];
        let previous = self.points[(best + n - 1) % n];
        let neighbour = if direction.dot(next) >= direction.dot(previous) {
            next
        } else {
            previous
        };
        [self.points[best], neighbour]
    }

    /// Whether a point lies inside a polygon, at least `margin` metres from its edges.
    /// Segments and discs have no inside.
    pub(super) fn holds(&self, point: Vector, margin: f64) -> bool {
        self.points.len() > 2
            && self
                .faces()
                .all(|(corner, normal)| normal.dot(point - corner) <= -margin)
    }

    /// Lower and upper corner of the box around the shape.
    pub(super) fn bounds(&self) -> (Vector, Vector) {
        let (low, high) = self.points.iter().fold(
            (Vector::INFINITY, Vector::NEG_INFINITY),
            |(low, high), p| (low.min(*p), high.max(*p)),
        );
        let radius = Vector::splat(self.radius);
        (low - radius, high + radius)
    }

    /// Largest distance of a point of the shape from the frame's origin, metres.
    pub(super) fn reach(&self) -> f64 {
        self.radius
            + self
                .points
                .iter()
                .fold(0.0_f64, |far, p| far.max(p.length()))
    }

    /// Area of the shape, m2; none of a segment.
    pub(super) fn area(&self) -> f64 {
        if self.points.len() < 3 {
            return std::f64::consts::PI * self.radius * self.radius;
        }
        let twice: f64 = ring_edges(&self.points).map(|(a, b)| a.perp_dot(*b)).sum();
        0.5 * twice
    }

    /// Second moment of the shape's area about the frame's origin per area, m2: the moment
    /// of inertia per mass of a plate that turns about the origin.
    pub(super) fn inertia_per_mass(&self) -> f64 {
        if self.points.len() < 3 {
            let center = self.points.first().map_or(0.0, |p| p.length_squared());
            return 0.5 * self.radius * self.radius + center;
        }
        let (mut twice_area, mut moment) = (0.0, 0.0);
        for (a, b) in ring_edges(&self.points) {
            let cross = a.perp_dot(*b);
            twice_area += cross;
            moment += cross * (a.dot(*a) + a.dot(*b) + b.dot(*b));
        }
        moment / (6.0 * twice_area)
    }
}

fn distinct(a: &Vector, b: &Vector) -> bool {
    a.distance(*b) > SHORTEST_EDGE
}

/// The distance of a point from a segment.
pub(super) fn distance_to_segment(point: Vector, a: Vector, b: Vector) -> f64 {
    let along = b - a;
    let squared = along.length_squared();
    let t = if squared > 0.0 {
        ((point - a).dot(along) / squared).clamp(0.0, 1.0)
    } else {
        0.0
    };
    point.distance(a + along * t)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rectangle_has_the_inertia_of_a_plate_about_its_base() {
        // (a^2 + b^2) / 12 about the centre, plus the centre's offset squared.
        let corners = [[-0.1, -0.2], [0.5, -0.2], [0.5, 0.2], [-0.1, 0.2]].map(Vector::from);
        let plate = Convex::from_corners(&corners).unwrap();
        let expected = (0.6 * 0.6 + 0.4 * 0.4) / 12.0 + 0.2 * 0.2;
        let got = plate.inertia_per_mass();
        assert!((got - expected).abs() < 1e-12, "{got} for {expected}");
    }

    #[test]
    fn clockwise_corners_get_outward_normals_too() {
        let corners = [[0.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 0.0]].map(Vector::from);
        let square = Convex::from_corners(&corners).unwrap();
        assert!(square.holds(Vector::new(0.5, 0.5), 0.4), "{square:?}");
        assert!(!square.holds(Vector::new(1.5, 0.5), 0.0), "{square:?}");
    }

    #[test]
    fn the_edge_towards_a_direction_is_the_one_that_faces_it() {
        let corners = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]].map(Vector::from);
        let square = Convex::from_corners(&corners).unwrap();
        let [first, second] = square.edge_towards(Vector::new(0.1, -1.0));
        assert_eq!(first, Vector::new(1.0, 0.0));
        assert_eq!(second, Vector::new(0.0, 0.0));
    }
}
