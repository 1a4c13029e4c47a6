//! Velocity ramps.

use super::AxisLimits;

/// The velocity after `dt` seconds on the way from `current` to `target`. Towards zero it
/// changes by `decel`, away from zero by `accel`; a change of sign does one after the
/// other, also within one step. A target in reach is reached exactly.
pub(super) fn towards(current: f64, target: f64, limits: AxisLimits, dt: f64) -> f64 {
    let accel = if limits.accel == 0.0 {
        f64::INFINITY
    } else {
        limits.accel
    };
    let decel = if limits.decel == 0.0 {
        accel
    } else {
        limits.decel
    };
    if current * target >= 0.0 {
        let limit = if target.abs() > current.abs() {
            accel
        } else {
            decel
        };
        return step(current, target, limit * dt);
    }
    let braking = current.abs() / decel;
    if braking >= dt {
        step(current, 0.0, decel * dt)
    } else {
        step(0.0, target, accel * (dt - braking))
    }
}

fn step(from: f64, to: f64, reach: f64) -> f64 {
    if (to - from).abs() <= reach {
        to
    } else {
        from + reach.copysign(to - from)
    }
}
