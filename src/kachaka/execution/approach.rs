//! Coming to rest exactly at a place.

/// Share of the drive's deceleration that an approach plans with: the rest lets the last
/// step, which lands exactly, brake a little harder (an eighth at most).
const PLANNED: f64 = 0.8;

/// How the drive changes its speed on one axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in super::super) struct Ramp {
    /// m/s² or rad/s².
    pub(in super::super) decel: f64,
    /// Sim time for which it coasts on at its speed once the wheels are told to stop, s: the
    /// lag of the body.
    pub(in super::super) coast: f64,
    /// Which share of the way to the speed that the wheels are told it comes in a step; 1
    /// without a lag.
    pub(in super::super) taken_on: f64,
}

impl Ramp {
    /// The speed for a step of `dt` seconds on the way to a place `remaining` ahead: as fast
    /// as it may be to come to rest there, and at most `cap`.
    ///
    /// In continuous time that is the root of 2 a d. With steps, a speed v, then v - a dt,
    /// v - 2 a dt and so on, reaches v² / 2a + v dt / 2.
    pub(super) fn speed(&self, remaining: f64, present: f64, cap: f64, dt: f64) -> f64 {
        let ahead = self.ahead(remaining, present);
        let distance = ahead.abs();
        let decel = PLANNED * self.decel;
        let half_step = 0.5 * decel * dt;
        let braking = (half_step * half_step + 2.0 * decel * distance).sqrt() - half_step;
        braking.min(distance / dt).min(cap).copysign(ahead)
    }

    /// What is left to drive beyond what the body coasts anyway.
    pub(super) fn ahead(&self, remaining: f64, present: f64) -> f64 {
        remaining - self.coast * present
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A drive that changes its speed by at most `decel` a second, and a body that follows it.
    fn drive_to(distance: f64, cap: f64, dt: f64) -> (f64, f64, f64) {
        let ramp = Ramp {
            decel: 2.0,
            coast: 0.0,
            taken_on: 1.0,
        };
        let (mut place, mut speed, mut farthest) = (0.0_f64, 0.0_f64, 0.0_f64);
        for _ in 0..100_000 {
            let wanted = ramp.speed(distance - place, speed, cap, dt);
            speed += (wanted - speed).clamp(-2.0 * dt, 2.0 * dt);
            place += speed * dt;
            farthest = farthest.max(place.abs());
        }
        (place, speed, farthest)
    }

    #[test]
    fn it_comes_to_rest_exactly_and_never_passes_the_place() {
        for dt in [1.0 / 120.0, 0.0333, 0.5] {
            for distance in [0.0, 0.0004, 0.013, 0.3, 1.0, 7.77, -2.5] {
                for cap in [0.05, 0.3, 0.8] {
                    let (place, speed, farthest) = drive_to(distance, cap, dt);
                    let at = format!("dt {dt}, distance {distance}, cap {cap}");
                    assert!((place - distance).abs() < 1e-9, "{at}: {place}");
                    assert!(speed.abs() < 1e-9, "{at}: {speed}");
                    assert!(farthest <= distance.abs() + 1e-9, "{at}: {farthest}");
                }
            }
        }
    }
}
