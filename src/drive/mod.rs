//! How a body follows velocity commands.
//!
//! A command is bounded and ramped to a setpoint: what the wheels are told. The body then
//! answers with gain, first-order lag, what its wheels can do, limited traction and a
//! pivot. Setpoints are twists of the pivot, a point on x of the base frame; everything
//! else is a twist of the base.
//!
//! A step moves the body with one twist, the one at its end. So the way of braking from v
//! with a deceleration a is v² / 2a less v dt / 2, up to a dt² / 8 more when v is no whole
//! number of steps; the way of speeding up is as much longer.

mod error;
mod model;
mod ramp;
pub mod wheels;

use crate::world::{PhysicsDt, SimTime, Twist2};

pub use error::DriveError;
pub use model::{AxisLimits, DriveModel};
use wheels::{JointMotion, WheelSet};

/// A drive: its model, the command it follows, the setpoint it has reached and its wheels.
#[derive(Debug, Clone, PartialEq)]
pub struct Drive {
    model: DriveModel,
    command: Option<Command>,
    setpoint: Twist2,
    wheels: WheelSet,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Command {
    twist: Twist2,
    given: SimTime,
}

impl Drive {
    /// A drive at rest without a command.
    ///
    /// # Errors
    /// When the model cannot be driven; see [`DriveModel::validate`].
    pub fn new(model: DriveModel) -> Result<Self, DriveError> {
        model.validate()?;
        Ok(Self {
            wheels: WheelSet::new(&model.wheels, model.pivot_x)?,
            model,
            command: None,
            setpoint: Twist2::ZERO,
        })
    }

    /// The model it was made from.
    #[must_use]
    pub fn model(&self) -> &DriveModel {
        &self.model
    }

    /// What the wheels are told at present, of the pivot.
    #[must_use]
    pub fn setpoint(&self) -> Twist2 {
        self.setpoint
    }

    /// Takes a command at a sim time. It replaces the one before and holds until the
    /// model's timeout.
    ///
    /// # Errors
    /// When a number of it is not finite; the command before then stays.
    pub fn command(&mut self, twist: Twist2, now: SimTime) -> Result<(), DriveError> {
        if !twist.is_finite() {
            return Err(DriveError::Command(twist));
        }
        self.command = Some(Command { twist, given: now });
        Ok(())
    }

    /// Tells the wheels to stop at once: without a ramp, so that only lag and traction take
    /// the body time to brake. The command is forgotten.
    pub fn halt(&mut self) {
        self.command = None;
        self.setpoint = Twist2::ZERO;
    }

    /// Forgets the command and stands still, as after a teleport. The wheels stay turned
    /// as they are.
    pub fn stop(&mut self) {
        self.command = None;
        self.setpoint = Twist2::ZERO;
        self.wheels.stop();
    }

    /// As new: stands still, with its wheels at zero and straight ahead.
    pub fn reset(&mut self) {
        self.stop();
        self.wheels.reset();
    }

    /// The body twist wanted in the step that begins at `now` and takes `dt`. `body` is the
    /// twist that the body really has at `now`, so that lag and traction start from it also
    /// after a collision.
    pub fn update(&mut self, now: SimTime, dt: PhysicsDt, body: Twist2) -> Twist2 {
        let target = self.reachable(self.commanded(now, dt));
        self.setpoint = self.ramped(target, dt);
        let seconds = dt.seconds();
        let pivot = self.at_pivot(body);
        let wanted = self.model.response(self.setpoint, pivot, seconds);
        let driven = self.through_wheels(wanted, target.x == 0.0);
        let answer = self.model.within_traction(driven, pivot, seconds);
        Twist2::new(
            answer.x,
            answer.y - answer.angular * self.model.pivot_x,
            answer.angular,
        )
    }

    /// What the wheels would be told after a step of `dt` with a command: as near to it as
    /// bounds, ramps and wheels let the setpoint come.
    #[must_use]
    pub fn setpoint_after(&self, command: Twist2, dt: PhysicsDt) -> Twist2 {
        self.ramped(self.reachable(command), dt)
    }

    /// Turns the wheels through a step in which the body really had this twist. They roll
    /// with what [`Self::encoded`] reads: without gain, as the ground passes below them.
    pub fn follow(&mut self, dt: PhysicsDt, body: Twist2) {
        let counted = self.encoded(body);
        self.wheels.roll(counted, dt.seconds());
    }

    /// Joints of the wheels with their motions, as far as the model has wheels: wheels in
    /// the order of its fields, then what steers them.
    pub fn joints(&self) -> impl Iterator<Item = (&str, JointMotion)> {
        self.wheels.joints()
    }

    /// The setpoint that a body twist answers to, the twist that wheel encoders read: taken
    /// at the pivot and divided by the gain. An axis of gain 0 reads 0.
    #[must_use]
    pub fn encoded(&self, body: Twist2) -> Twist2 {
        self.counted(self.at_pivot(body))
    }

    /// What of a command the setpoint may ever come to. One out of reach of the wheels would
    /// have to come back before the body brakes.
    fn reachable(&self, command: Twist2) -> Twist2 {
        self.wheels.feasible(self.model.bounded(command))
    }

    /// The setpoint after a step on the way to a target.
    fn ramped(&self, target: Twist2, dt: PhysicsDt) -> Twist2 {
        let [linear, lateral, angular] = self.model.axes();
        let (from, dt) = (self.setpoint, dt.seconds());
        Twist2::new(
            ramp::towards(from.x, target.x, linear, dt),
            ramp::towards(from.y, target.y, lateral, dt),
            ramp::towards(from.angular, target.angular, angular, dt),
        )
    }

    /// What the pivot takes on of a twist that it should have. The wheels have their part in
    /// what they count, which the gain is not in.
    fn through_wheels(&mut self, wanted: Twist2, is_stopping: bool) -> Twist2 {
        let counted = self.counted(wanted);
        let driven = self.wheels.steer(counted, is_stopping, self.model.angular);
        if driven == counted {
            return wanted;
        }
        let [linear, lateral, angular] = self.model.gain;
        Twist2::new(
            driven.x * linear,
            driven.y * lateral,
            driven.angular * angular,
        )
    }

    /// What the wheels count when the pivot has this twist.
    fn counted(&self, pivot: Twist2) -> Twist2 {
        let [linear, lateral, angular] = self.model.gain;
        let axis = |twist: f64, gain: f64| if gain == 0.0 { 0.0 } else { twist / gain };
        Twist2::new(
            axis(pivot.x, linear),
            axis(pivot.y, lateral),
            axis(pivot.angular, angular),
        )
    }

    /// The command that counts in the step from `now` on; zero without one.
    ///
    /// A command drives the steps whose middle is not later than its timeout: as many as
    /// fit best. So one of 0.2 m/s with a timeout of 0.5 s drives 0.1 m, give or take half
    /// a step, and the way of braking comes on top.
    fn commanded(&self, now: SimTime, dt: PhysicsDt) -> Twist2 {
        let Some(command) = self.command else {
            return Twist2::ZERO;
        };
        let age = now.0.saturating_sub(command.given.0);
        let timeout = self.model.timeout_nanoseconds();
        let middle_in_time = age
            .saturating_mul(2)
            .saturating_add(dt.nanoseconds())
            .le(&timeout.saturating_mul(2));
        if timeout == 0 || middle_in_time {
            command.twist
        } else {
            Twist2::ZERO
        }
    }

    /// The twist of the pivot of a body with this twist.
    fn at_pivot(&self, body: Twist2) -> Twist2 {
        Twist2::new(
            body.x,
            body.y + body.angular * self.model.pivot_x,
            body.angular,
        )
    }
}

#[cfg(test)]
mod tests;
