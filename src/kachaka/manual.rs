//! Manual control, and velocities that hold for a while.

use super::seconds;
use crate::world::{PhysicsDt, SimTime, Twist2};

/// A velocity that came in and holds until the next one or for a time.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct HeldVelocity {
    /// Nanoseconds.
    timeout: u64,
    latest: Option<(Twist2, SimTime)>,
}

impl HeldVelocity {
    /// None yet; those to come hold for a timeout in s of sim time.
    pub(super) fn new(timeout: f64) -> Self {
        Self {
            timeout: seconds(timeout),
            latest: None,
        }
    }

    pub(super) fn set(&mut self, linear: f64, angular: f64, now: SimTime) {
        self.latest = Some((Twist2::new(linear, 0.0, angular), now));
    }

    pub(super) fn clear(&mut self) {
        self.latest = None;
    }

    /// The velocity that counts in the step from `now` on. As in [`crate::drive::Drive`] it
    /// drives the steps whose middle is not later than its timeout.
    pub(super) fn at(&self, now: SimTime, dt: PhysicsDt) -> Option<Twist2> {
        let (twist, given) = self.latest?;
        let age = now.0.saturating_sub(given.0);
        let middle = age.saturating_mul(2).saturating_add(dt.nanoseconds());
        (middle <= self.timeout.saturating_mul(2)).then_some(twist)
    }
}

/// Manual control: a mode that ends by itself, and the velocity that it drives.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ManualControl {
    /// Nanoseconds.
    expiry: u64,
    /// None = off.
    until: Option<SimTime>,
    /// Taken and kept; the real meaning is not published.
    use_shelf_registration: bool,
    velocity: HeldVelocity,
}

impl ManualControl {
    pub(super) fn new(config: &super::ManualConfig) -> Self {
        Self {
            expiry: seconds(config.expiry),
            until: None,
            use_shelf_registration: false,
            velocity: HeldVelocity::new(config.velocity_timeout),
        }
    }

    pub(super) fn is_on(&self) -> bool {
        self.until.is_some()
    }

    /// Turns it on, or lets it go on for a whole time again.
    pub(super) fn turn_on(&mut self, use_shelf_registration: bool, now: SimTime) {
        self.until = Some(SimTime(now.0.saturating_add(self.expiry)));
        self.use_shelf_registration = use_shelf_registration;
    }

    /// Turns it off, and the velocity is zero.
    pub(super) fn turn_off(&mut self) {
        self.until = None;
        self.use_shelf_registration = false;
        self.velocity.clear();
    }

    pub(super) fn set_velocity(&mut self, linear: f64, angular: f64, now: SimTime) {
        self.velocity.set(linear, angular, now);
    }

    /// The velocity that counts in the step from `now` on.
    pub(super) fn velocity_at(&self, now: SimTime, dt: PhysicsDt) -> Option<Twist2> {
        self.velocity.at(now, dt)
    }

    /// Turns itself off when its time is over.
    pub(super) fn expire(&mut self, now: SimTime) {
        if self.until.is_some_and(|until| until <= now) {
            self.turn_off();
        }
    }
}
