//! A robot as physics sees it.

use rapier2d::math::Vector;

use super::convex::Convex;
use super::projection::Mobility;
use crate::world::{BodyKey, Footprint, Pose2, Twist2, ZExtent};

/// Mass taken when the given one is none, kg.
const FALLBACK_MASS: f64 = 1.0;

/// Least moment of inertia per mass, m2: that of a grain of sand.
const LEAST_INERTIA: f64 = 1e-9;

/// A body that follows its commanded twist as far as contacts let it.
#[derive(Debug, Clone)]
pub(super) struct Robot {
    pub(super) key: BodyKey,
    pub(super) pose: Pose2,
    pub(super) z: ZExtent,
    /// Wanted in the base frame.
    pub(super) command: Twist2,
    /// What contacts left of it over the last step.
    pub(super) twist: Twist2,
    /// In the base frame.
    pub(super) footprint: Convex,
    /// Largest distance of the footprint from the base frame's origin, metres.
    pub(super) reach: f64,
    pub(super) mobility: Mobility,
}

impl Robot {
    pub(super) fn new(
        key: BodyKey,
        footprint: &Footprint,
        pose: Pose2,
        z: ZExtent,
        mass: f64,
    ) -> Self {
        let footprint = Convex::from_footprint(footprint);
        let mass = if mass > 0.0 && mass.is_finite() {
            mass
        } else {
            FALLBACK_MASS
        };
        let mobility = Mobility {
            inverse_mass: 1.0 / mass,
            inverse_inertia: 1.0 / (mass * footprint.inertia_per_mass().max(LEAST_INERTIA)),
        };
        Self {
            key,
            pose,
            z,
            command: Twist2::ZERO,
            twist: Twist2::ZERO,
            reach: footprint.reach(),
            footprint,
            mobility,
        }
    }

    /// Puts it at rest somewhere.
    pub(super) fn place(&mut self, pose: Pose2, z: ZExtent) {
        self.pose = pose;
        self.z = z;
        self.command = Twist2::ZERO;
        self.twist = Twist2::ZERO;
    }

    /// Origin of the base frame.
    pub(super) fn position(&self) -> Vector {
        Vector::new(self.pose.x, self.pose.y)
    }

    /// Lower and upper corner of a box it stays in whatever it turns.
    pub(super) fn bounds(&self) -> (Vector, Vector) {
        (self.position() - self.reach, self.position() + self.reach)
    }

    /// The most any point of it moves in `dt` seconds by its own command, metres.
    pub(super) fn travel(&self, dt: f64) -> f64 {
        let Twist2 { x, y, angular } = self.command;
        (libm::hypot(x, y) + angular.abs() * self.reach) * dt
    }

    /// Follows the command for `dt` seconds with nothing in the way. A motion that leaves
    /// the range of numbers is not made.
    pub(super) fn move_freely(&mut self, dt: f64) {
        let pose = self.pose.advance(&self.command, dt);
        if pose.is_finite() {
            self.pose = pose;
            self.twist = self.command;
        } else {
            self.twist = Twist2::ZERO;
        }
    }
}
