//! Planar poses and twists.

use std::f64::consts::{PI, TAU};

/// A planar pose: metres and radians.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Pose2 {
    /// Metres along x of the parent frame.
    pub x: f64,
    /// Metres along y of the parent frame.
    pub y: f64,
    /// Radians, counter-clockwise.
    pub yaw: f64,
}

impl Pose2 {
    /// A pose from its three numbers.
    #[must_use]
    pub const fn new(x: f64, y: f64, yaw: f64) -> Self {
        Self { x, y, yaw }
    }

    /// Whether all three numbers are finite.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        self.x.is_finite() && self.y.is_finite() && self.yaw.is_finite()
    }

    /// A point of this frame in the parent frame.
    #[must_use]
    pub fn transform_point(&self, point: [f64; 2]) -> [f64; 2] {
        let (sin, cos) = libm::sincos(self.yaw);
        [
            self.x + cos * point[0] - sin * point[1],
            self.y + sin * point[0] + cos * point[1],
        ]
    }

    /// A point of the parent frame in this frame.
    #[must_use]
    pub fn inverse_transform_point(&self, point: [f64; 2]) -> [f64; 2] {
        let (sin, cos) = libm::sincos(self.yaw);
        let (dx, dy) = (point[0] - self.x, point[1] - self.y);
        [cos * dx + sin * dy, cos * dy - sin * dx]
    }

    /// The pose of a child frame, given in this frame, in the parent frame.
    #[must_use]
    pub fn compose(&self, child: &Self) -> Self {
        let [x, y] = self.transform_point([child.x, child.y]);
        Self::new(x, y, normalize_angle(self.yaw + child.yaw))
    }

    /// The pose of the parent frame in this frame.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let [x, y] = self.inverse_transform_point([0.0, 0.0]);
        Self::new(x, y, normalize_angle(-self.yaw))
    }

    /// The pose after moving for `dt` seconds with a constant body twist: the exact arc.
    #[must_use]
    pub fn advance(&self, twist: &Twist2, dt: f64) -> Self {
        let half = 0.5 * twist.angular * dt;
        let chord = sinc(half) * dt;
        let (sin, cos) = libm::sincos(self.yaw + half);
        Self::new(
            self.x + chord * (cos * twist.x - sin * twist.y),
            self.y + chord * (sin * twist.x + cos * twist.y),
            normalize_angle(self.yaw + twist.angular * dt),
        )
    }
}

/// A planar velocity of a body, in its own base frame.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Twist2 {
    /// m/s along x of the base frame.
    pub x: f64,
    /// m/s along y of the base frame.
    pub y: f64,
    /// rad/s about z.
    pub angular: f64,
}

impl Twist2 {
    /// Standing still.
    pub const ZERO: Self = Self::new(0.0, 0.0, 0.0);

    /// A twist from its three numbers.
    #[must_use]
    pub const fn new(x: f64, y: f64, angular: f64) -> Self {
        Self { x, y, angular }
    }

    /// Whether all three numbers are finite.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        self.x.is_finite() && self.y.is_finite() && self.angular.is_finite()
    }
}

/// sin(x) / x, 1 at 0: the chord of an arc per its length.
pub(crate) fn sinc(x: f64) -> f64 {
    if x.abs() < 1e-5 {
        // The next term, x^4 / 120, is below the last bit here.
        1.0 - x * x / 6.0
    } else {
        libm::sin(x) / x
    }
}

/// The same angle in [-pi, pi]. Angles already there come back unchanged, bit for bit.
#[must_use]
pub fn normalize_angle(angle: f64) -> f64 {
    if (-PI..=PI).contains(&angle) {
        return angle;
    }
    let wrapped = angle - TAU * libm::floor((angle + PI) / TAU);
    wrapped.clamp(-PI, PI)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arc_is_exact_whatever_the_step() {
        // Radius 0.4 m: after a quarter turn the base stands at (0.4, 0.4).
        let twist = Twist2::new(0.2, 0.0, 0.5);
        let pose = Pose2::default().advance(&twist, PI);
        assert!((pose.x - 0.4).abs() < 1e-12, "{pose:?}");
        assert!((pose.y - 0.4).abs() < 1e-12, "{pose:?}");
        let mut stepped = Pose2::default();
        for _ in 0..1000 {
            stepped = stepped.advance(&twist, PI / 1000.0);
        }
        assert!((stepped.x - pose.x).abs() < 1e-12, "{stepped:?}");
        assert!((stepped.yaw - pose.yaw).abs() < 1e-12, "{stepped:?}");
    }

    #[test]
    fn compose_and_inverse_undo_each_other() {
        let a = Pose2::new(1.0, -2.0, 2.5);
        let b = Pose2::new(0.3, 0.7, -1.1);
        let back = a.inverse().compose(&a.compose(&b));
        assert!((back.x - b.x).abs() < 1e-12, "{back:?}");
        assert!((back.y - b.y).abs() < 1e-12, "{back:?}");
        assert!((back.yaw - b.yaw).abs() < 1e-12, "{back:?}");
    }

    #[test]
    fn angles_are_wrapped_into_half_turns() {
        assert_eq!(normalize_angle(PI), PI);
        assert!((normalize_angle(3.0 * PI + 0.1) - (0.1 - PI)).abs() < 1e-12);
        assert!((normalize_angle(-7.0) - (-7.0 + TAU)).abs() < 1e-12);
    }
}
