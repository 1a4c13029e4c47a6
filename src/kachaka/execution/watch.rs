//! Notices that a drive gets nowhere.

use super::View;
use crate::kachaka::seconds;
use crate::world::{SimTime, Twist2};

/// How much nearer to its end a drive must come to get on, m and rad; half of what is left
/// where that is less.
const NEARER: f64 = 1e-3;

/// Speed up to which a body that is to go faster is held, m/s and rad/s.
const CREEP: f64 = 1e-3;

/// What is left of the motion that is under way.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Left {
    /// Of a way, m, and how near to its end it counts as gone.
    Way(f64, f64),
    /// Of a turn, rad, and how near to its end it counts as made.
    Turn(f64, f64),
}

/// For how long something has held a drive that wants to move.
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
    /// What was left when it last got on, m or rad.
    nearest: f64,
    /// What was left after the step before, m or rad.
    last: f64,
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

    /// Takes in a step; whether the drive was held for the whole timeout. A motion with an
    /// end is held when it comes no nearer to it, one without when the body does not move.
    pub(super) fn is_over(&mut self, wanted: Twist2, left: Option<Left>, view: &View) -> bool {
        let wants_motion = wanted.x != 0.0 || wanted.angular != 0.0;
        let stopped = wanted.x > 0.0 && view.front_blocked;
        let gets_on = match left {
            Some(left) => self.comes_nearer(left, view),
            None => moves(wanted.x, view.twist.x) || moves(wanted.angular, view.twist.angular),
        };
        if !wants_motion || (gets_on && !stopped) {
            self.since = None;
            return false;
        }
        let since = *self.since.get_or_insert(view.now);
        view.now.0 - since.0 >= self.timeout
    }

    fn comes_nearer(&mut self, left: Left, view: &View) -> bool {
        let (turns, left, tolerance, speed) = match left {
            Left::Way(left, tolerance) => (false, left.abs(), tolerance, view.twist.x),
            Left::Turn(left, tolerance) => (true, left.abs(), tolerance, view.twist.angular),
        };
        // The body can't have done that by itself: the estimate was set.
        let most = NEARER + 2.0 * speed.abs() * view.dt.seconds();
        match &mut self.leg {
            Some(leg) if leg.turns == turns && left <= leg.last + most => {
                leg.last = left;
                let gets_on = left <= leg.nearest - NEARER.min(0.5 * leg.nearest);
                if gets_on {
                    leg.nearest = left;
                }
                gets_on || left <= tolerance
            }
            leg => {
                *leg = Some(Leg {
                    turns,
                    nearest: left,
                    last: left,
                });
                true
            }
        }
    }
}

/// Whether an axis moves at all when it is to: a body that is pressed against a wall creeps.
fn moves(wanted: f64, actual: f64) -> bool {
    wanted != 0.0 && actual.abs() > CREEP.min(0.1 * wanted.abs())
}

#[cfg(test)]
mod tests {
    use super::super::Ramp;
    use super::*;
    use crate::world::{PhysicsDt, Pose2};

    const WANTED: Twist2 = Twist2 {
        x: 0.3,
        y: 0.0,
        angular: 0.0,
    };

    /// A body that moves at 0.3 m/s, after so many steps of 0.01 s.
    fn moving(step: u64) -> View {
        let ramp = Ramp {
            decel: 2.0,
            coast: 0.0,
        };
        View {
            now: SimTime(step * 10_000_000),
            dt: PhysicsDt::from_seconds(0.01).unwrap(),
            wheels: Pose2::default(),
            twist: WANTED,
            estimate: Pose2::default(),
            front_blocked: false,
            speed_cap: 0.8,
            turn_cap: 1.57,
            linear: ramp,
            angular: ramp,
        }
    }

    /// The seconds after which a watch of 1 s gives up, in 10 s at most.
    fn gives_up(left: impl Fn(f64) -> Option<Left>) -> Option<f64> {
        let mut watch = Watch::new(1.0);
        (0..1000_u64)
            .find(|step| watch.is_over(WANTED, left(*step as f64 * 0.01), &moving(*step)))
            .map(|step| step as f64 * 0.01)
    }

    #[test]
    fn what_moves_but_comes_no_nearer_gets_nowhere() {
        // The first step counts as getting on, the next begins the second.
        let way = |left: f64| Some(Left::Way(left, 1e-3));
        let turn = |left: f64| Some(Left::Turn(left, 1e-3));
        assert_eq!(gives_up(|_| way(0.5)), Some(1.01));
        assert_eq!(gives_up(|_| turn(-0.5)), Some(1.01));
        assert_eq!(gives_up(|t| way(0.5 + 0.1 * t)), Some(1.01), "away");
        assert_eq!(gives_up(|t| way(0.5 - 0.0009 * t)), Some(1.01), "0.9 mm/s");
        assert_eq!(gives_up(|t| turn(0.5 - 0.0011 * t)), None, "1.1 mrad/s");
        let to_and_fro = |t: f64| way(0.3 + 0.1 * (2.0 * t).sin());
        assert!(gives_up(to_and_fro).is_some_and(|t| t < 5.0), "to and fro");
    }

    #[test]
    fn the_last_bit_and_another_motion_and_a_set_estimate_are_no_standstill() {
        // Halves each 0.35 s, as a body with a lag of 0.5 s does.
        let fades = |t: f64| Some(Left::Way(0.1 * (-2.0 * t).exp(), 1e-6));
        assert_eq!(gives_up(fades), None);
        assert_eq!(gives_up(|_| Some(Left::Way(-0.9e-3, 1e-3))), None, "there");
        let legs = |t: f64| match (t / 0.9) as u32 % 2 {
            0 => Some(Left::Way(0.5, 1e-3)),
            _ => Some(Left::Turn(0.5, 1e-3)),
        };
        assert_eq!(gives_up(legs), None);
        let shifts = |t: f64| Some(Left::Way((t / 0.9).floor(), 1e-3));
        assert_eq!(gives_up(shifts), None);
        assert_eq!(gives_up(|_| None), None, "moves without an end");
    }
}
