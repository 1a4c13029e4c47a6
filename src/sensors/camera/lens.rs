//! From directions to pixels and back.

use super::spec::{Distortion, Intrinsics};

/// The least growth of the distorted radius with the ideal one up to which the model is
/// taken at its word. Distortion polynomials are fitted to the part of a picture that the
/// calibration board has covered; farther out they turn round, and one pixel would have
/// two directions.
const MIN_GROWTH: f64 = 0.4;

/// Largest ideal radius that is looked at: 89.4 degrees off the axis.
const MAX_RADIUS: f64 = 100.0;

/// Projection by a pinhole and Brown's distortion.
///
/// Directions are ideal coordinates: x to the right and y down at a depth of 1. Where the
/// distortion polynomial comes near its turning point, the lens goes on with equal pixels
/// per angle from there, so that each pixel of the picture has one direction (pixels beyond
/// 89.4 degrees off the axis, if there are any, all have that angle). Up to that radius, [`Lens::limit`], projection and CameraInfo agree exactly.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lens {
    intrinsics: Intrinsics,
    distortion: Distortion,
    limit: Limit,
}

/// Where the polynomial ends.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Limit {
    /// Ideal radius.
    radius: f64,
    /// Its distorted radius.
    distorted: f64,
    /// Its angle off the axis, rad.
    angle: f64,
    /// Growth of the distorted radius per angle there.
    per_angle: f64,
    /// Angle off the axis of [`MAX_RADIUS`], rad.
    largest_angle: f64,
}

impl Lens {
    /// A lens of checked numbers.
    #[must_use]
    pub fn new(intrinsics: Intrinsics, distortion: Distortion) -> Self {
        let mut lens = Self {
            intrinsics,
            distortion,
            limit: Limit {
                radius: f64::INFINITY,
                distorted: f64::INFINITY,
                angle: 0.0,
                per_angle: 0.0,
                largest_angle: libm::atan(MAX_RADIUS),
            },
        };
        if let Some(radius) = lens.last_radius() {
            lens.limit = Limit {
                radius,
                distorted: lens.polynomial(radius),
                angle: libm::atan(radius),
                per_angle: lens.growth(radius) * (1.0 + radius * radius),
                ..lens.limit
            };
        }
        lens
    }

    /// Whether straight lines stay straight.
    #[must_use]
    pub fn is_pinhole(&self) -> bool {
        self.distortion.is_none()
    }

    /// Ideal radius up to which the projection is that of CameraInfo; infinite for most.
    #[must_use]
    pub fn limit(&self) -> f64 {
        self.limit.radius
    }

    /// The pixel coordinates of an ideal direction.
    #[must_use]
    pub fn project(&self, x: f64, y: f64) -> [f64; 2] {
        let [x, y] = if self.is_pinhole() {
            [x, y]
        } else {
            self.distort(x, y)
        };
        let Intrinsics { fx, fy, cx, cy } = self.intrinsics;
        [fx * x + cx, fy * y + cy]
    }

    /// The ideal direction of pixel coordinates, near `guess` if that is known.
    #[must_use]
    pub fn direction(&self, u: f64, v: f64, guess: Option<[f64; 2]>) -> [f64; 2] {
        let Intrinsics { fx, fy, cx, cy } = self.intrinsics;
        let distorted = [(u - cx) / fx, (v - cy) / fy];
        if self.is_pinhole() {
            return distorted;
        }
        let [mut x, mut y] = guess.unwrap_or(distorted);
        // The tangential part is small: each round leaves a small part of the error.
        for _ in 0..30 {
            let [dx, dy] = self.tangential(x, y);
            let [tx, ty] = [distorted[0] - dx, distorted[1] - dy];
            let radius = libm::sqrt(tx * tx + ty * ty);
            let ideal = self.undistorted_radius(radius, libm::sqrt(x * x + y * y));
            let scale = if radius > 0.0 { ideal / radius } else { 1.0 };
            let (next_x, next_y) = (tx * scale, ty * scale);
            let change = (next_x - x).abs() + (next_y - y).abs();
            (x, y) = (next_x, next_y);
            // The next one would change a hundredth of that: far below a pixel.
            if change < 1e-7 {
                break;
            }
        }
        [x, y]
    }

    fn distort(&self, x: f64, y: f64) -> [f64; 2] {
        let radius = libm::sqrt(x * x + y * y);
        let scale = if radius > 0.0 {
            self.distorted_radius(radius) / radius
        } else {
            1.0
        };
        let [dx, dy] = self.tangential(x, y);
        [x * scale + dx, y * scale + dy]
    }

    /// The tangential shift; beyond the limit that at the limit in the same direction.
    fn tangential(&self, x: f64, y: f64) -> [f64; 2] {
        let Distortion { p1, p2, .. } = self.distortion;
        if p1 == 0.0 && p2 == 0.0 {
            return [0.0, 0.0];
        }
        let square = x * x + y * y;
        let bound = self.limit.radius.min(MAX_RADIUS);
        let scale = if square > bound * bound {
            bound * bound / square
        } else {
            1.0
        };
        let (xx, yy, xy, rr) = (x * x * scale, y * y * scale, x * y * scale, square * scale);
        [
            2.0 * p1 * xy + p2 * (rr + 2.0 * xx),
            p1 * (rr + 2.0 * yy) + 2.0 * p2 * xy,
        ]
    }

    /// Distorted radius of an ideal one by the polynomial.
    fn polynomial(&self, r: f64) -> f64 {
        let Distortion { k1, k2, k3, .. } = self.distortion;
        let rr = r * r;
        r * (1.0 + rr * (k1 + rr * (k2 + rr * k3)))
    }

    /// Its derivative.
    fn growth(&self, r: f64) -> f64 {
        let Distortion { k1, k2, k3, .. } = self.distortion;
        let rr = r * r;
        1.0 + rr * (3.0 * k1 + rr * (5.0 * k2 + rr * 7.0 * k3))
    }

    fn distorted_radius(&self, r: f64) -> f64 {
        let limit = &self.limit;
        if r <= limit.radius {
            self.polynomial(r)
        } else {
            limit.distorted + limit.per_angle * (libm::atan(r) - limit.angle)
        }
    }

    fn undistorted_radius(&self, distorted: f64, guess: f64) -> f64 {
        let limit = &self.limit;
        if distorted >= limit.distorted {
            let angle = limit.angle + (distorted - limit.distorted) / limit.per_angle;
            return if angle < limit.largest_angle {
                libm::tan(angle)
            } else {
                MAX_RADIUS
            };
        }
        // The polynomial grows all the way to the limit: Newton, kept in bounds.
        let (mut low, mut high) = (0.0, limit.radius.min(MAX_RADIUS));
        let mut r = guess.clamp(low, high);
        for _ in 0..60 {
            let error = self.polynomial(r) - distorted;
            if error > 0.0 {
                high = r;
            } else {
                low = r;
            }
            let newton = r - error / self.growth(r).max(MIN_GROWTH);
            let next = if newton > low && newton < high {
                newton
            } else {
                0.5 * (low + high)
            };
            // Newton squares the error of the next one.
            if (next - r).abs() < 1e-7 {
                return next;
            }
            r = next;
        }
        r
    }

    /// The first radius at which the polynomial grows too little; `None` if it never does.
    fn last_radius(&self) -> Option<f64> {
        const STEPS: u32 = 2000;
        // Steps that grow with the radius: a thousandth at 0.5.
        let radius = |step: u32| {
            let part = f64::from(step) / f64::from(STEPS);
            MAX_RADIUS * part * part * part
        };
        let first = (1..=STEPS).find(|&step| self.growth(radius(step)) < MIN_GROWTH)?;
        let (mut low, mut high) = (radius(first - 1), radius(first));
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if self.growth(middle) < MIN_GROWTH {
                high = middle;
            } else {
                low = middle;
            }
        }
        Some(low)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sensors::camera::CameraSpec;

    fn lens(distortion: Distortion) -> Lens {
        Lens::new(CameraSpec::kachaka_front().intrinsics(), distortion)
    }

    /// Brown's formula as the documentation of OpenCV has it.
    fn brown(d: &Distortion, x: f64, y: f64) -> [f64; 2] {
        let r2 = x * x + y * y;
        let radial = 1.0 + d.k1 * r2 + d.k2 * r2 * r2 + d.k3 * r2 * r2 * r2;
        [
            x * radial + 2.0 * d.p1 * x * y + d.p2 * (r2 + 2.0 * x * x),
            y * radial + d.p1 * (r2 + 2.0 * y * y) + 2.0 * d.p2 * x * y,
        ]
    }

    #[test]
    fn within_its_limit_it_is_the_published_formula() {
        let d = CameraSpec::KACHAKA_DISTORTION;
        let lens = lens(d);
        assert!((1.2..1.3).contains(&lens.limit()), "limit {}", lens.limit());
        for (x, y) in [(0.0, 0.0), (0.3, -0.2), (-0.9, 0.5), (1.1, 0.4)] {
            let [bx, by] = brown(&d, x, y);
            let expected = [507.2 * bx + 627.9, 503.6 * by + 322.0];
            let found = lens.project(x, y);
            for (a, b) in found.iter().zip(expected) {
                assert!((a - b).abs() < 1e-9, "{found:?} for {expected:?}");
            }
        }
    }

    #[test]
    fn every_pixel_has_one_direction_and_comes_back_from_it() {
        for distortion in [
            Distortion::default(),
            CameraSpec::KACHAKA_DISTORTION,
            Distortion {
                k1: 0.2,
                p1: -0.002,
                p2: 0.003,
                ..Distortion::default()
            },
            Distortion {
                k1: -0.1,
                ..Distortion::default()
            },
        ] {
            let lens = lens(distortion);
            for u in (0..1280).step_by(40) {
                for v in (0..720).step_by(40) {
                    let (u, v) = (f64::from(u), f64::from(v));
                    let [x, y] = lens.direction(u, v, None);
                    let [back_u, back_v] = lens.project(x, y);
                    let apart = (back_u - u).abs() + (back_v - v).abs();
                    assert!(
                        apart < 1e-4,
                        "{distortion:?}: ({u}, {v}) -> ({x}, {y}) -> ({back_u}, {back_v})"
                    );
                }
            }
        }
    }

    #[test]
    fn beyond_the_limit_it_goes_on_without_a_step_or_a_turn() {
        let lens = lens(CameraSpec::KACHAKA_DISTORTION);
        let mut before = lens.distorted_radius(0.0);
        for i in 1..5000 {
            let r = f64::from(i) * 1e-3;
            let now = lens.distorted_radius(r);
            assert!(
                now > before && now - before < 1.1e-3,
                "at {r}: {before} {now}"
            );
            before = now;
        }
    }
}
