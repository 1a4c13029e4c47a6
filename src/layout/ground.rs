//! What stands on the ground of a layout, and where there is room beside it.

use crate::building::DropSpec;
use crate::world::{BoxSpec, OutlineSpec, PlanarShape, Pose2, ZExtent};

/// Above a drop nothing stands up to here, m: higher than a person.
const HEADROOM: f64 = 2.0;

/// The form of a thing at the origin.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Outline {
    pub(super) shape: PlanarShape,
    pub(super) z: ZExtent,
}

/// A circle that holds the form of a thing, whichever way it is turned.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Circle {
    center: [f64; 2],
    radius: f64,
    z: ZExtent,
}

impl Outline {
    /// Of a ring of walls, which stands where its corners are.
    pub(super) fn of_ring(ring: &OutlineSpec) -> Self {
        Self {
            shape: PlanarShape::Ring(ring.points.clone()),
            z: ZExtent::new(ring.z_min, ring.z_max),
        }
    }

    /// Of a region without floor, which nothing is to stand in.
    pub(super) fn of_drop(region: &DropSpec, floor: f64) -> Self {
        let corners = region.region().unwrap_or_else(|_| region.points.clone());
        Self {
            shape: PlanarShape::Convex(corners),
            z: ZExtent::new(floor, floor + HEADROOM),
        }
    }

    pub(super) fn of_box(item: &BoxSpec) -> Self {
        let [x, y] = item.size;
        Self {
            shape: PlanarShape::rectangle(x, y),
            z: ZExtent::new(item.z_min, item.z_max),
        }
    }

    /// The circle around it: coarse, and the same for every heading.
    pub(super) fn circle(&self) -> Circle {
        let (center, radius) = match &self.shape {
            PlanarShape::Disc(radius) => ([0.0, 0.0], *radius),
            PlanarShape::Ring(points) | PlanarShape::Convex(points) => around(points),
        };
        Circle {
            center,
            radius,
            z: self.z,
        }
    }
}

impl Circle {
    /// The same of a thing at a pose.
    pub(super) fn moved(&self, pose: &Pose2) -> Self {
        Self {
            center: pose.transform_point(self.center),
            ..*self
        }
    }

    /// In m.
    pub(super) fn radius(&self) -> f64 {
        self.radius
    }
}

/// What stands already.
#[derive(Debug, Clone, Default)]
pub(super) struct Ground {
    /// Given in the file, in their exact form.
    standing: Vec<(Outline, Pose2)>,
    /// Drawn.
    drawn: Vec<Circle>,
}

impl Ground {
    /// Something stands at a given pose.
    pub(super) fn stand(&mut self, outline: Outline, pose: Pose2) {
        self.standing.push((outline, pose));
    }

    /// Something was put here.
    pub(super) fn put(&mut self, circle: Circle) {
        self.drawn.push(circle);
    }

    /// Whether a circle keeps so much clearance in m from everything on its heights.
    pub(super) fn is_free(&self, circle: &Circle, clearance: f64) -> bool {
        let needed = circle.radius + clearance;
        let from_drawn = (self.drawn.iter())
            .filter(|other| other.z.overlaps(&circle.z))
            .all(|other| distance(other.center, circle.center) >= needed + other.radius);
        from_drawn
            && (self.standing.iter())
                .filter(|(outline, _)| outline.z.overlaps(&circle.z))
                .all(|(outline, pose)| {
                    let center = pose.inverse_transform_point(circle.center);
                    distance_to(&outline.shape, center) >= needed
                })
    }
}

/// Centre and radius of the circle around the box that holds the points.
fn around(points: &[[f64; 2]]) -> ([f64; 2], f64) {
    let ends = |axis: usize| {
        let values = points.iter().map(|point| point[axis]);
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
            (low.min(value), high.max(value))
        })
    };
    let ((x_low, x_high), (y_low, y_high)) = (ends(0), ends(1));
    let center = [0.5 * (x_low + x_high), 0.5 * (y_low + y_high)];
    (center, 0.5 * libm::hypot(x_high - x_low, y_high - y_low))
}

fn distance(a: [f64; 2], b: [f64; 2]) -> f64 {
    libm::hypot(a[0] - b[0], a[1] - b[1])
}

/// From a point in the frame of a shape; 0 inside of a solid one.
fn distance_to(shape: &PlanarShape, point: [f64; 2]) -> f64 {
    match shape {
        PlanarShape::Disc(radius) => (distance([0.0, 0.0], point) - radius).max(0.0),
        PlanarShape::Convex(corners) if is_inside(corners, point) => 0.0,
        PlanarShape::Convex(corners) | PlanarShape::Ring(corners) => edges(corners)
            .map(|(from, to)| distance_to_edge(from, to, point))
            .fold(f64::INFINITY, f64::min),
    }
}

fn edges(corners: &[[f64; 2]]) -> impl Iterator<Item = ([f64; 2], [f64; 2])> + '_ {
    let next = corners.iter().cycle().skip(1);
    corners.iter().zip(next).map(|(from, to)| (*from, *to))
}

fn distance_to_edge(from: [f64; 2], to: [f64; 2], point: [f64; 2]) -> f64 {
    let along = [to[0] - from[0], to[1] - from[1]];
    let off = [point[0] - from[0], point[1] - from[1]];
    let square = along[0] * along[0] + along[1] * along[1];
    let share = if square > 0.0 {
        ((off[0] * along[0] + off[1] * along[1]) / square).clamp(0.0, 1.0)
    } else {
        0.0
    };
    distance(off, [share * along[0], share * along[1]])
}

/// Whether a point is inside of a convex polygon whose corners go counter-clockwise.
fn is_inside(corners: &[[f64; 2]], point: [f64; 2]) -> bool {
    edges(corners).all(|(from, to)| {
        let along = [to[0] - from[0], to[1] - from[1]];
        let off = [point[0] - from[0], point[1] - from[1]];
        along[0] * off[1] - along[1] * off[0] >= 0.0
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOW: ZExtent = ZExtent::new(0.0, 0.3);

    fn outline(shape: PlanarShape) -> Outline {
        Outline { shape, z: LOW }
    }

    #[test]
    fn a_circle_holds_its_outline() {
        let corners = vec![[-0.1, -0.2], [0.3, -0.2], [0.3, 0.1], [-0.1, 0.1]];
        let circle = outline(PlanarShape::Convex(corners)).circle();
        // A rectangle of 0.4 m by 0.3 m: half its diagonal around its middle.
        assert!((circle.radius - 0.25).abs() < 1e-12, "{circle:?}");
        let moved = circle.moved(&Pose2::new(1.0, 2.0, std::f64::consts::FRAC_PI_2));
        assert!((moved.center[0] - 1.05).abs() < 1e-12, "{moved:?}");
        assert!((moved.center[1] - 2.1).abs() < 1e-12, "{moved:?}");
    }

    #[test]
    fn room_is_measured_to_the_exact_form_of_what_stands() {
        let mut ground = Ground::default();
        let square = outline(PlanarShape::rectangle(1.0, 1.0));
        ground.stand(square, Pose2::new(0.0, 0.0, std::f64::consts::FRAC_PI_4));
        let room = vec![[-3.0, -3.0], [3.0, -3.0], [3.0, 3.0], [-3.0, 3.0]];
        ground.stand(outline(PlanarShape::Ring(room)), Pose2::default());
        let bot = outline(PlanarShape::Disc(0.2)).circle();
        let free = |x: f64, y: f64, clearance: f64| {
            ground.is_free(&bot.moved(&Pose2::new(x, y, 0.0)), clearance)
        };
        // Its corner points along x, 0.7071 m out.
        assert!(!free(0.95, 0.0, 0.05) && free(0.96, 0.0, 0.05));
        // Its side is 0.5 m out on the diagonal: 0.75 m for the centre.
        assert!(!free(0.52, 0.52, 0.05) && free(0.54, 0.54, 0.05));
        assert!(!free(0.0, 0.0, 0.0), "inside of the square");
        assert!(!free(2.76, 0.0, 0.05) && free(2.74, 0.0, 0.05), "the wall");
    }

    #[test]
    fn other_heights_are_not_in_the_way() {
        let mut ground = Ground::default();
        let disc = outline(PlanarShape::Disc(0.5));
        ground.put(disc.circle());
        let above = Outline {
            z: ZExtent::new(0.3, 0.5),
            ..disc.clone()
        };
        assert!(!ground.is_free(&disc.circle(), 0.0));
        assert!(ground.is_free(&above.circle(), 0.0));
    }
}
