//! Turning on the spot by wheel odometry.

use super::{View, is_still};
use crate::kachaka::CommandConfig;
use crate::world::{Twist2, normalize_angle};

/// A turn, also by more than once around.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Turn {
    remaining: f64,
    rate: f64,
    tolerance: f64,
    /// Yaw of the wheel odometry when it was looked at last.
    last_yaw: Option<f64>,
}

impl Turn {
    /// An angle in rad, counter-clockwise.
    pub(super) fn new(angle: f64, config: &CommandConfig) -> Self {
        Self {
            remaining: angle,
            rate: config.turn_speed,
            tolerance: config.angle_tolerance,
            last_yaw: None,
        }
    }

    pub(super) fn twist(&mut self, view: &View) -> Twist2 {
        self.look(view);
        let cap = self.rate.min(view.turn_cap);
        let dt = view.dt.seconds();
        let rate = (view.angular).speed(self.remaining, view.twist.angular, cap, dt);
        Twist2::new(0.0, 0.0, rate)
    }

    pub(super) fn is_over(&mut self, view: &View) -> bool {
        self.look(view);
        let ahead = view.angular.ahead(self.remaining, view.twist.angular);
        ahead.abs() <= self.tolerance && is_still(view)
    }

    /// What is left, rad, for wheels that stand no half turn away from the last look.
    pub(super) fn left(&self, view: &View) -> f64 {
        let last = self.last_yaw.unwrap_or(view.wheels.yaw);
        self.remaining - normalize_angle(view.wheels.yaw - last)
    }

    fn look(&mut self, view: &View) {
        let yaw = view.wheels.yaw;
        let last = self.last_yaw.replace(yaw).unwrap_or(yaw);
        self.remaining -= normalize_angle(yaw - last);
    }
}
