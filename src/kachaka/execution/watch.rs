//! Notices that a drive gets nowhere.

use super::View;
use crate::kachaka::seconds;
use crate::world::{SimTime, Twist2};

/// How much nearer to its end a drive must come to get on, m and rad; half of what its wheels
/// are told where that is less.
const NEARER: f64 = 1e-3;

/// What is left of the motion that is under way.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Left {
    /// Of a way, m.
    Way(f64),
    /// Of a turn, rad.
    Turn(f64),
}

/// For how long something has held a drive that wants to move.
///
/// It looks at what the wheels do. An estimate that jumps moves the end of the motion, which
/// brings the drive no nearer to it and takes it no farther away.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Watch {
    /// Nanoseconds.
    timeout: u64,
    since: Option<SimTime>,
    leg: Option<Leg>,
}

/// A motion on its way to its end.
#[derive(Debug, Clone, PartialEq)]
struct Leg {
    turns: bool,
    /// By how much it has come nearer since it last got on, m or rad.
    gained: f64,
    /// By how much it would have with a body that nothing holds, m or rad.
    free: f64,
    /// The speed of such a body now, m/s or rad/s.
    speed: f64,
}

impl Leg {
    /// One that gets on at a speed in m/s or rad/s.
    fn at(speed: f64, turns: bool) -> Self {
        Self {
            turns,
            gained: 0.0,
            free: 0.0,
            speed,
        }
    }
}

impl Watch {
    /// A drive may be held for a timeout in s of sim time.
    pub(super) fn new(timeout: f64) -> Self {
        Self {
            timeout: seconds(timeout),
            since: None,
            leg: None,
        }
    }

    /// Takes in a step, with what was left before and after it by the estimate of now, if the
    /// motion has an end. Whether the drive was held for the whole timeout.
    pub(super) fn is_over(
        &mut self,
        wanted: Twist2,
        left: Option<(Left, Left)>,
        view: &View,
    ) -> bool {
        let wants_motion = wanted.x != 0.0 || wanted.angular != 0.0;
        let stopped = wanted.x > 0.0 && view.front_blocked;
        let gets_on = self.gets_on(wanted.x, left, view);
        if !wants_motion || (gets_on && !stopped) {
            self.since = None;
            return false;
        }
        let since = *self.since.get_or_insert(view.now);
        view.now.0 - since.0 >= self.timeout
    }

    /// Whether the drive does enough of what its wheels are told; a motion without an end is
    /// one along x.
    fn gets_on(&mut self, wanted: f64, left: Option<(Left, Left)>, view: &View) -> bool {
        let turns = matches!(left, Some((_, Left::Turn(_))));
        let (ramp, told, actual) = if turns {
            (view.angular, view.setpoint.angular, view.twist.angular)
        } else {
            (view.linear, view.setpoint.x, view.twist.x)
        };
        let dt = view.dt.seconds();
        let leg = match &mut self.leg {
            Some(leg) if leg.turns == turns => leg,
            leg => {
                *leg = Some(Leg::at(actual, turns));
                return true;
            }
        };
        leg.speed += ramp.taken_on * (told - leg.speed);
        let nearer = |before: f64, now: f64| before.abs() - now.abs();
        let (gained, free) = match left {
            Some((Left::Way(before), Left::Way(now)) | (Left::Turn(before), Left::Turn(now))) => {
                (nearer(before, now), nearer(before, before - leg.speed * dt))
            }
            _ => (
                actual * dt * wanted.signum(),
                leg.speed * dt * wanted.signum(),
            ),
        };
        leg.gained += gained;
        leg.free += free;
        // Less than nothing for a body that has to brake before it comes nearer.
        let enough = (leg.free - 0.5 * leg.free.abs()).min(NEARER);
        let gets_on = leg.free != 0.0 && leg.gained >= enough;
        if gets_on {
            *leg = Leg::at(actual, turns);
        }
        gets_on
    }
}

#[cfg(test)]
mod tests {
    use super::super::Ramp;
    use super::*;
    use crate::world::{PhysicsDt, Pose2};

    const DT: f64 = 0.01;
    const WANTED: Twist2 = Twist2::new(0.3, 0.0, 0.3);

    /// A body that moves at a speed while its wheels are told another, in m/s and rad/s, with
    /// a lag in s.
    fn view(step: u64, actual: f64, told: f64, lag: f64) -> View {
        let ramp = Ramp {
            decel: 2.0,
            coast: 0.0,
            taken_on: if lag > 0.0 {
                -(-DT / lag).exp_m1()
            } else {
                1.0
            },
        };
        View {
            now: SimTime(step * 10_000_000),
            dt: PhysicsDt::from_seconds(DT).unwrap(),
            wheels: Pose2::default(),
            twist: Twist2::new(actual, 0.0, actual),
            setpoint: Twist2::new(told, 0.0, told),
            estimate: Pose2::default(),
            front_blocked: false,
            speed_cap: 0.8,
            turn_cap: 1.57,
            linear: ramp,
            angular: ramp,
        }
    }

    /// The seconds after which a watch of 1 s gives up, in 10 s at most, for a body with a lag
    /// of which so much is left, and that moves and is told to at such speeds.
    fn gives_up(lag: f64, of: impl Fn(f64) -> (Option<(Left, Left)>, f64, f64)) -> Option<f64> {
        let mut watch = Watch::new(1.0);
        (0..1000_u64)
            .find(|step| {
                let (left, actual, told) = of(*step as f64 * DT);
                watch.is_over(WANTED, left, &view(*step, actual, told, lag))
            })
            .map(|step| step as f64 * DT)
    }

    /// So much of a way or a turn, of which the last step has done its part.
    fn both(left: f64, actual: f64) -> [Option<(Left, Left)>; 2] {
        let before = left + actual * DT;
        [
            Some((Left::Way(before), Left::Way(left))),
            Some((Left::Turn(before), Left::Turn(left))),
        ]
    }

    #[test]
    fn a_body_that_does_less_than_a_millimetre_of_what_it_is_told_is_held() {
        for kind in 0..2 {
            let speed = |actual: f64| gives_up(0.0, |_| (both(0.5, actual)[kind], actual, 0.3));
            // The first step counts as getting on, the next begins the second.
            assert_eq!(speed(0.0), Some(1.01), "it stands");
            assert_eq!(speed(0.0009), Some(1.01), "0.9 mm/s");
            assert_eq!(speed(0.0011), None, "1.1 mm/s");
            assert_eq!(speed(-0.1), Some(1.01), "away");
        }
        let endless = |actual: f64| gives_up(0.0, |_| (None, actual, 0.3));
        assert_eq!(endless(0.0009), Some(1.01));
        assert_eq!(endless(0.0011), None);
    }

    #[test]
    fn it_is_not_held_that_the_wheels_are_told_no_more() {
        for kind in 0..2 {
            // 1 mm/s2: it takes 1.4 s to the first millimetre.
            let weak = |t: f64| (both(0.5, 0.001 * t)[kind], 0.001 * t, 0.001 * t);
            assert_eq!(gives_up(0.0, weak), None);
            let held = |t: f64| (both(0.5, 0.0)[kind], 0.0, 0.001 * t);
            assert_eq!(gives_up(0.0, held), Some(1.01));
            // A lag of 5 s: an e-th of the speed is left after 5 s, with nothing told.
            let fades = |t: f64| {
                let speed = 1e-4 * (-t / 5.0).exp();
                (both(5.0 * speed, speed)[kind], speed, 0.0)
            };
            assert_eq!(gives_up(5.0, fades), None);
            // Told the other way, and slow to brake.
            let brakes = |t: f64| (both(0.5, 0.1 * t - 0.8)[kind], 0.1 * t - 0.8, 0.1 * t - 0.8);
            assert_eq!(gives_up(0.0, brakes), None);
        }
    }

    #[test]
    fn a_jump_of_the_estimate_neither_helps_nor_harms() {
        let jitter = |t: f64| [0.51, 0.49][(t / 0.1) as usize % 2];
        let away = |t: f64| 0.5 + (t / 0.5).floor();
        for kind in 0..2 {
            for left in [jitter, away] {
                let held = |t: f64| (both(left(t), 0.0)[kind], 0.0, 0.3);
                assert_eq!(gives_up(0.0, held), Some(1.01));
                let free = |t: f64| (both(left(t), 0.3)[kind], 0.3, 0.3);
                assert_eq!(gives_up(0.0, free), None);
            }
        }
    }

    #[test]
    fn another_motion_begins_anew() {
        let legs = |t: f64| (both(0.5, 0.0)[(t / 0.9) as usize % 2], 0.0, 0.3);
        assert_eq!(gives_up(0.0, legs), None);
    }
}
