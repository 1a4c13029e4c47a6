//! The textbook: every ray against every surface, in world coordinates and in 3D.

use tatami::world::rays::{Fan, RayOrigin};
use tatami::world::{BodyKey, PlanarShape};

use crate::scene::Thing;

/// A ray over the plane: per metre along the direction it climbs by the slope.
pub(crate) struct Line {
    pub(crate) start: [f64; 2],
    pub(crate) z: f64,
    pub(crate) direction: [f64; 2],
    pub(crate) slope: f64,
}

/// The first surface on the way of a ray, as a horizontal distance.
pub(crate) fn first(
    things: &[Thing],
    origin: &RayOrigin,
    azimuth: f64,
    slope: f64,
    range_max: f64,
    exclude: Option<BodyKey>,
) -> f64 {
    let heading = origin.pose.yaw + azimuth;
    let line = Line {
        start: [origin.pose.x, origin.pose.y],
        z: origin.z,
        direction: [heading.cos(), heading.sin()],
        slope,
    };
    let seen = |thing: &&Thing| {
        Some(thing.key) != exclude
            && thing.z.min < origin.level.ceiling
            && thing.z.max > origin.level.floor
    };
    let mut nearest = things
        .iter()
        .filter(seen)
        .map(|thing| surface(thing, &line))
        .fold(f64::INFINITY, f64::min);
    for height in [origin.level.floor, origin.level.ceiling] {
        let distance = (height - origin.z) / slope;
        if slope != 0.0 && distance >= 0.0 {
            nearest = nearest.min(distance);
        }
    }
    if nearest <= range_max {
        nearest
    } else {
        f64::INFINITY
    }
}

fn surface(thing: &Thing, line: &Line) -> f64 {
    match &thing.shape {
        PlanarShape::Ring(_) => walls(thing, line),
        PlanarShape::Convex(_) => first_of_interval(prism(thing, line)),
        PlanarShape::Disc(radius) => first_of_interval(cylinder(thing, *radius, line)),
    }
}

/// The first surface of a solid that the line is inside of from one distance to another.
fn first_of_interval((enter, exit): (f64, f64)) -> f64 {
    if enter > exit || exit < 0.0 {
        f64::INFINITY
    } else if enter >= 0.0 {
        enter
    } else {
        exit
    }
}

/// Where offset + rate * t <= 0.
fn half_space(offset: f64, rate: f64) -> (f64, f64) {
    if rate > 0.0 {
        (f64::NEG_INFINITY, -offset / rate)
    } else if rate < 0.0 {
        (-offset / rate, f64::INFINITY)
    } else if offset <= 0.0 {
        (f64::NEG_INFINITY, f64::INFINITY)
    } else {
        (f64::INFINITY, f64::NEG_INFINITY)
    }
}

fn both(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
    (a.0.max(b.0), a.1.min(b.1))
}

fn slab(thing: &Thing, line: &Line) -> (f64, f64) {
    both(
        half_space(line.z - thing.z.max, line.slope),
        half_space(thing.z.min - line.z, -line.slope),
    )
}

/// Cyrus and Beck: the half spaces of the edges and of both faces.
fn prism(thing: &Thing, line: &Line) -> (f64, f64) {
    let mut inside = slab(thing, line);
    for [a, b] in thing.edges() {
        let outward = [b[1] - a[1], a[0] - b[0]];
        let offset = outward[0] * (line.start[0] - a[0]) + outward[1] * (line.start[1] - a[1]);
        let rate = outward[0] * line.direction[0] + outward[1] * line.direction[1];
        inside = both(inside, half_space(offset, rate));
    }
    inside
}

fn cylinder(thing: &Thing, radius: f64, line: &Line) -> (f64, f64) {
    let [x, y] = [line.start[0] - thing.pose.x, line.start[1] - thing.pose.y];
    let middle = -(x * line.direction[0] + y * line.direction[1]);
    let root = middle * middle - (x * x + y * y - radius * radius);
    if root < 0.0 {
        return (f64::INFINITY, f64::NEG_INFINITY);
    }
    let half = root.sqrt();
    both((middle - half, middle + half), slab(thing, line))
}

/// Each wall as a rectangle on edge.
fn walls(thing: &Thing, line: &Line) -> f64 {
    let mut nearest = f64::INFINITY;
    for [a, b] in thing.edges() {
        let along = [b[0] - a[0], b[1] - a[1]];
        let to_a = [a[0] - line.start[0], a[1] - line.start[1]];
        let determinant = line.direction[0] * along[1] - line.direction[1] * along[0];
        let distance = (to_a[0] * along[1] - to_a[1] * along[0]) / determinant;
        let part = (to_a[0] * line.direction[1] - to_a[1] * line.direction[0]) / determinant;
        let z = line.z + line.slope * distance;
        if distance >= 0.0 && (0.0..=1.0).contains(&part) && thing.z.contains(z) {
            nearest = nearest.min(distance);
        }
    }
    nearest
}

/// Fails unless `got` is what the textbook says for this beam, to 1e-9 m. Where the answer
/// jumps within 1e-9 rad or 1e-9 of slope (a corner, a tangent), either side will do.
#[track_caller]
pub(crate) fn assert_is_first(
    got: f64,
    things: &[Thing],
    origin: &RayOrigin,
    fan: &Fan,
    beam: usize,
    (slope, range_max, exclude): (f64, f64, Option<BodyKey>),
) {
    let azimuth = fan.azimuths()[beam];
    let expected = first(things, origin, azimuth, slope, range_max, exclude);
    if got == expected || (got - expected).abs() <= 1e-9 {
        return;
    }
    let mut low = expected;
    let mut high = expected;
    let tilts: &[f64] = if slope == 0.0 {
        &[0.0]
    } else {
        &[-1e-9, 0.0, 1e-9]
    };
    for turned in [-1e-9, 0.0, 1e-9] {
        for tilted in tilts {
            let near = first(
                things,
                origin,
                azimuth + turned,
                slope + tilted,
                range_max,
                exclude,
            );
            low = low.min(near);
            high = high.max(near);
        }
    }
    assert!(
        high - low > 1e-6 && low - 1e-6 <= got && got <= high + 1e-6,
        "beam {beam} at {azimuth}, slope {slope}: got {got}, expected {expected} ({low} to {high})"
    );
}
