//! Shapes, heights and what bodies are told apart by.

/// Names one entity or robot inside the world. Keys are given out in order and never again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BodyKey(
    /// Position in the order of creation.
    pub u32,
);

/// What happens when a robot meets walls, boxes and other robots.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dynamics {
    /// They stop or push it.
    #[default]
    Rigid,
    /// It passes through; contacts are still reported.
    Kinematic,
}

/// A closed interval of heights, in metres above z = 0 of the world.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ZExtent {
    /// Lower end.
    pub min: f64,
    /// Upper end.
    pub max: f64,
}

impl ZExtent {
    /// Every height.
    pub const ALL: Self = Self {
        min: f64::NEG_INFINITY,
        max: f64::INFINITY,
    };

    /// An interval from its ends.
    #[must_use]
    pub const fn new(min: f64, max: f64) -> Self {
        Self { min, max }
    }

    /// Whether the two share more than a boundary: what contact needs.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.min < other.max && other.min < self.max
    }

    /// The smallest interval that holds both.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        Self::new(self.min.min(other.min), self.max.max(other.max))
    }

    /// Whether a height lies in the interval, its ends included: what a ray needs.
    #[must_use]
    pub fn contains(&self, z: f64) -> bool {
        self.min <= z && z <= self.max
    }
}

/// A shape in the plane, in the frame of what has it. Contact and rays share it.
#[derive(Debug, Clone, PartialEq)]
pub enum PlanarShape {
    /// A closed ring of two-sided wall segments of no thickness; what it encloses is free.
    Ring(Vec<[f64; 2]>),
    /// A solid convex polygon, counter-clockwise.
    Convex(Vec<[f64; 2]>),
    /// A solid circle around the frame's origin; radius in metres.
    Disc(f64),
}

impl PlanarShape {
    /// A solid rectangle around the frame's origin from its full lengths in metres.
    #[must_use]
    pub fn rectangle(size_x: f64, size_y: f64) -> Self {
        let (x, y) = (0.5 * size_x, 0.5 * size_y);
        Self::Convex(vec![[-x, -y], [x, -y], [x, y], [-x, y]])
    }
}

impl From<&Footprint> for PlanarShape {
    fn from(footprint: &Footprint) -> Self {
        match footprint {
            Footprint::Disc(radius) => Self::Disc(*radius),
            Footprint::Polygon(points) => Self::Convex(points.clone()),
        }
    }
}

/// The outline of a robot in its base frame.
#[derive(Debug, Clone, PartialEq)]
pub enum Footprint {
    /// A circle around the base frame's origin; radius in metres.
    Disc(f64),
    /// A convex polygon, counter-clockwise, in metres.
    Polygon(Vec<[f64; 2]>),
}

/// A footprint that is no convex body.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum FootprintError {
    /// A radius that is not a positive, finite length.
    #[error("radius is {0} m, it must be above 0 and finite")]
    Radius(f64),
    /// A polygon with fewer than three points.
    #[error("footprint has {0} points, it needs at least 3")]
    TooFewPoints(usize),
    /// A point that is not finite or farther out than [`Footprint::MAX_REACH`].
    #[error("footprint[{0}] is not finite or farther than 100 m from the base frame")]
    Point(usize),
    /// Collinear points, or points that do not go round a convex shape.
    #[error("footprint is not a convex polygon with an area: list its corners in order")]
    NotConvex,
}

impl Footprint {
    /// Farthest allowed distance of a point from the base frame, in metres.
    pub const MAX_REACH: f64 = 100.0;
    /// Smallest allowed area, in square metres: below a square millimetre there is no body.
    const MIN_AREA: f64 = 1e-6;

    /// A circle around the base frame's origin.
    ///
    /// # Errors
    /// When the radius is not positive and at most [`Self::MAX_REACH`].
    pub fn disc(radius: f64) -> Result<Self, FootprintError> {
        if radius > 0.0 && radius <= Self::MAX_REACH {
            Ok(Self::Disc(radius))
        } else {
            Err(FootprintError::Radius(radius))
        }
    }

    /// A convex polygon from its corners in either winding. Corners that lie on a
    /// straight edge are kept out.
    ///
    /// # Errors
    /// When there are fewer than three points, a point is not finite, or the polygon is
    /// not convex or has no area.
    pub fn polygon(points: &[[f64; 2]]) -> Result<Self, FootprintError> {
        if points.len() < 3 {
            return Err(FootprintError::TooFewPoints(points.len()));
        }
        if let Some(bad) = points.iter().position(|p| {
            // NaN fails the comparison, too.
            !(p[0].abs() <= Self::MAX_REACH && p[1].abs() <= Self::MAX_REACH)
        }) {
            return Err(FootprintError::Point(bad));
        }
        let twice_area: f64 = ring_edges(points).map(|(a, b)| cross(*a, *b)).sum();
        if twice_area.abs() < 2.0 * Self::MIN_AREA {
            return Err(FootprintError::NotConvex);
        }
        let mut ring: Vec<[f64; 2]> = points.to_vec();
        if twice_area < 0.0 {
            ring.reverse();
        }
        let corners = corners_of(&ring);
        if corners.len() < 3 || !turns_left_once(&corners) {
            return Err(FootprintError::NotConvex);
        }
        Ok(Self::Polygon(corners))
    }

    /// Largest distance of a point of the footprint from the base frame's origin, metres.
    #[must_use]
    pub fn reach(&self) -> f64 {
        match self {
            Self::Disc(radius) => *radius,
            Self::Polygon(points) => points
                .iter()
                .map(|p| libm::hypot(p[0], p[1]))
                .fold(0.0, f64::max),
        }
    }
}

/// The edges of a closed ring, each as its two ends.
pub(crate) fn ring_edges<T>(ring: &[T]) -> impl Iterator<Item = (&T, &T)> {
    ring.iter().zip(ring.iter().cycle().skip(1))
}

fn cross(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[1] - a[1] * b[0]
}

fn minus(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    [a[0] - b[0], a[1] - b[1]]
}

/// The ring without doubled points and without points on a straight edge.
fn corners_of(ring: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let mut distinct: Vec<[f64; 2]> = Vec::with_capacity(ring.len());
    for point in ring {
        if distinct.last() != Some(point) {
            distinct.push(*point);
        }
    }
    while distinct.len() > 1 && distinct.first() == distinct.last() {
        distinct.pop();
    }
    let n = distinct.len();
    (0..n)
        .filter(|&i| {
            let before = minus(distinct[i], distinct[(i + n - 1) % n]);
            let after = minus(distinct[(i + 1) % n], distinct[i]);
            let scale = libm::hypot(before[0], before[1]) * libm::hypot(after[0], after[1]);
            let straight_on = before[0] * after[0] + before[1] * after[1] > 0.0;
            cross(before, after).abs() > 1e-9 * scale || !straight_on
        })
        .map(|i| distinct[i])
        .collect()
}

/// Whether every corner turns left and the ring goes round exactly once.
fn turns_left_once(ring: &[[f64; 2]]) -> bool {
    let n = ring.len();
    let mut turned = 0.0;
    for i in 0..n {
        let before = minus(ring[i], ring[(i + n - 1) % n]);
        let after = minus(ring[(i + 1) % n], ring[i]);
        let turn = libm::atan2(
            cross(before, after),
            before[0] * after[0] + before[1] * after[1],
        );
        if turn <= 0.0 {
            return false;
        }
        turned += turn;
    }
    (turned - std::f64::consts::TAU).abs() < 1e-6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_polygon_is_normalised_to_counter_clockwise_corners() {
        let clockwise = [[0.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 0.5], [1.0, 0.0]];
        let Footprint::Polygon(points) = Footprint::polygon(&clockwise).unwrap() else {
            panic!("a polygon became a disc");
        };
        assert_eq!(points.len(), 4, "the point on the edge goes: {points:?}");
        let area: f64 = ring_edges(&points).map(|(a, b)| cross(*a, *b)).sum();
        assert_eq!(area, 2.0);
    }

    #[test]
    fn what_is_no_convex_body_is_refused() {
        let nan = [[0.0, 0.0], [1.0, f64::NAN], [1.0, 1.0]];
        assert_eq!(Footprint::polygon(&nan), Err(FootprintError::Point(1)));
        let line = [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]];
        assert_eq!(Footprint::polygon(&line), Err(FootprintError::NotConvex));
        let arrow = [[0.0, 0.0], [2.0, 1.0], [0.0, 2.0], [1.0, 1.0]];
        assert_eq!(Footprint::polygon(&arrow), Err(FootprintError::NotConvex));
        let bow_tie = [[0.0, 0.0], [2.0, 2.0], [2.0, 0.0], [0.0, 1.0]];
        assert_eq!(Footprint::polygon(&bow_tie), Err(FootprintError::NotConvex));
        let two = [[0.0, 0.0], [1.0, 0.0]];
        assert_eq!(
            Footprint::polygon(&two),
            Err(FootprintError::TooFewPoints(2))
        );
        for radius in [0.0, -0.1, f64::NAN, f64::INFINITY] {
            assert!(Footprint::disc(radius).is_err(), "{radius}");
        }
    }

    #[test]
    fn pentagram_goes_round_twice_and_is_refused() {
        let star: Vec<[f64; 2]> = (0..5)
            .map(|i| {
                let angle = f64::from(i) * 2.0 * std::f64::consts::TAU / 5.0;
                [angle.cos(), angle.sin()]
            })
            .collect();
        assert_eq!(Footprint::polygon(&star), Err(FootprintError::NotConvex));
    }
}
