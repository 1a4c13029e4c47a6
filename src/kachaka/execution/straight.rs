//! Straight on by wheel odometry.

use super::{View, is_still};
use crate::kachaka::CommandConfig;
use crate::world::{Pose2, Twist2};

/// A way along the heading with which it begins.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Straight {
    distance: f64,
    speed: f64,
    tolerance: f64,
    /// Wheel odometry at the first step.
    start: Option<Pose2>,
}

impl Straight {
    /// A distance in m, negative = backwards; speed in m/s, 0 = the robot's own.
    pub(super) fn new(distance: f64, speed: f64, config: &CommandConfig) -> Self {
        Self {
            distance,
            speed: if speed == 0.0 {
                config.forward_speed
            } else {
                speed
            },
            tolerance: config.distance_tolerance,
            start: None,
        }
    }

    pub(super) fn twist(&mut self, view: &View) -> Twist2 {
        let remaining = self.remaining(view);
        let cap = self.speed.min(view.speed_cap);
        let dt = view.dt.seconds();
        let speed = view.linear.speed(remaining, view.twist.x, cap, dt);
        Twist2::new(speed, 0.0, 0.0)
    }

    pub(super) fn is_over(&mut self, view: &View) -> bool {
        let ahead = view.linear.ahead(self.remaining(view), view.twist.x);
        ahead.abs() <= self.tolerance && is_still(view)
    }

    /// What is left, m; negative = backwards.
    pub(super) fn remaining(&mut self, view: &View) -> f64 {
        let start = *self.start.get_or_insert(view.wheels);
        let [along, _] = start.inverse_transform_point([view.wheels.x, view.wheels.y]);
        self.distance - along
    }
}
