//! What the robot does by itself, step by step.

use super::execution::{Execution, Motion, View};
use super::kachaka::Seen;
use super::order::Order;
use super::queue::Outcome;
use super::{Command, Event, Kachaka, Source};
use crate::world::Twist2;

impl Kachaka {
    /// Before a step: what the drive is to do.
    pub(crate) fn decide(&mut self) -> Order {
        if self.paused {
            return Order::Halt;
        }
        let twist = self.wanted();
        Order::Drive(twist)
    }

    /// Who drives, and where to.
    fn wanted(&mut self) -> Twist2 {
        if self.starting_until.is_some() {
            return Twist2::ZERO;
        }
        let view = self.view();
        let active = self.queue.running_mut();
        if let Some(Motion::Drive(twist)) = active.map(|active| active.execution.motion(&view)) {
            return self.clamped(Source::Command, twist);
        }
        let Seen { now, dt, .. } = self.seen;
        if let Some(twist) = self.manual.velocity_at(now, dt) {
            return self.clamped(Source::Manual, twist);
        }
        if let Some(twist) = self.autonomous.at(now, dt) {
            return self.clamped(Source::Autonomous, twist);
        }
        Twist2::ZERO
    }

    fn clamped(&self, source: Source, twist: Twist2) -> Twist2 {
        let (linear, angular) = self.limits.clamped(source, false, twist.x, twist.angular);
        Twist2::new(linear, 0.0, angular)
    }

    /// After a step: what came of it.
    pub(crate) fn observe(&mut self, seen: Seen) {
        self.seen = seen;
    }
}
