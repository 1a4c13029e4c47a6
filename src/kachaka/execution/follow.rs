//! To a pose on the map: turn towards it, drive straight, turn. It never reverses.
//!
//! An estimate that jumps to and fro by more than the tolerances would have it turn for ever.
//! So the last bit of each turn goes by the wheels, and after [`EXACT_TRIES`] that ended
//! somewhere else than meant, less is enough.

use super::{Left, View, is_still};
use crate::kachaka::CommandConfig;
use crate::world::{Pose2, Twist2, normalize_angle};

/// How near to the goal the way ends, m; what is promised is 0.01.
const REACHED: f64 = 0.005;
/// How many rad of a turn go by the wheels at its end, and how near to its end a turn counts
/// as made when the exact tries are used up.
const LAST_BIT: f64 = 0.05;
/// How often it tries to end exactly where it should.
const EXACT_TRIES: u32 = 3;
/// How often it may come to rest beside the goal, beside its way or at another yaw, and try
/// again.
const MAX_TRIES: u32 = 20;
/// Who has come so much nearer to the goal, m, may try as often again.
const NEARER: f64 = 0.5;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Phase {
    /// Turns towards the goal.
    Bearing,
    /// Drives on the line from here to the goal.
    Way { from: Pose2 },
    /// Comes to rest to turn towards the goal again.
    Astray,
    /// Turns to the goal's yaw.
    Heading,
}

/// A way to a pose on the map.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Follow {
    goal: Pose2,
    phase: Phase,
    tries: u32,
    /// From where it has tried so often: its distance from the goal, m.
    tried_from: f64,
    /// The yaw of the wheel odometry at which the turn ends, once it is near.
    aim: Option<f64>,
    turn_speed: f64,
    distance_tolerance: f64,
    angle_tolerance: f64,
    path_tolerance: f64,
}

impl Follow {
    /// The way to a pose in the map frame.
    pub(super) fn new(goal: Pose2, config: &CommandConfig) -> Self {
        Self {
            goal: Pose2::new(goal.x, goal.y, normalize_angle(goal.yaw)),
            phase: Phase::Bearing,
            tries: 0,
            tried_from: f64::INFINITY,
            aim: None,
            turn_speed: config.turn_speed,
            distance_tolerance: config.distance_tolerance,
            angle_tolerance: config.angle_tolerance,
            path_tolerance: config.path_tolerance,
        }
    }

    /// Whether it has tried often enough.
    pub(super) fn gave_up(&self) -> bool {
        self.tries > MAX_TRIES
    }

    pub(super) fn twist(&mut self, view: &View) -> Twist2 {
        self.go_on(view);
        let [along, aside] = self.goal_in_base(view);
        match self.phase {
            Phase::Bearing => self.turning(libm::atan2(aside, along), view),
            Phase::Heading => self.turning(self.yaw_error(view), view),
            Phase::Way { .. } => {
                let (cap, dt) = (view.speed_cap, view.dt.seconds());
                let speed = view.linear.speed(along, view.twist.x, cap, dt);
                Twist2::new(speed.max(0.0), 0.0, 0.0)
            }
            Phase::Astray => Twist2::ZERO,
        }
    }

    pub(super) fn is_over(&mut self, view: &View) -> bool {
        self.go_on(view);
        self.phase == Phase::Heading && self.has_turned(self.yaw_error(view), view)
    }

    /// What is left of the phase that it is in.
    pub(super) fn left(&self, view: &View) -> Left {
        let [along, aside] = self.goal_in_base(view);
        match self.phase {
            Phase::Way { .. } | Phase::Astray => Left::Way(along),
            Phase::Bearing => Left::Turn(self.left_of(libm::atan2(aside, along), view)),
            Phase::Heading => Left::Turn(self.left_of(self.yaw_error(view), view)),
        }
    }

    /// What is left of a turn of which the estimate says how much it is.
    fn left_of(&self, turn: f64, view: &View) -> f64 {
        (self.aim).map_or(turn, |aim| normalize_angle(aim - view.wheels.yaw))
    }

    /// Goes over to the next phase when this one has done its part.
    fn go_on(&mut self, view: &View) {
        let [along, aside] = self.goal_in_base(view);
        let distance = libm::hypot(along, aside);
        let is_there = distance <= self.enough(REACHED, self.path_tolerance);
        match self.phase {
            Phase::Bearing if is_there && is_still(view) => self.turn_in(Phase::Heading),
            Phase::Bearing => {
                if self.has_turned(libm::atan2(aside, along), view) {
                    self.phase = Phase::Way {
                        from: view.estimate,
                    };
                }
            }
            Phase::Way { from } => {
                let ahead = view.linear.ahead(along, view.twist.x);
                if ahead <= self.distance_tolerance && is_still(view) {
                    if is_there {
                        self.turn_in(Phase::Heading);
                    } else {
                        self.try_again(distance);
                    }
                } else if self.is_beside(from, view) {
                    self.phase = Phase::Astray;
                }
            }
            Phase::Astray if is_still(view) => self.try_again(distance),
            Phase::Astray | Phase::Heading => {}
        }
    }

    fn try_again(&mut self, distance: f64) {
        if distance < self.tried_from - NEARER {
            self.tried_from = distance;
            self.tries = 0;
        }
        self.tries += 1;
        self.turn_in(Phase::Bearing);
    }

    fn turn_in(&mut self, phase: Phase) {
        self.phase = phase;
        self.aim = None;
    }

    /// How near is near enough: less is, when the exact tries are used up.
    fn enough(&self, exact: f64, rough: f64) -> f64 {
        if self.tries < EXACT_TRIES {
            exact
        } else {
            exact.max(rough)
        }
    }

    /// Whether a turn is made of which the estimate says how much is left. One that is over by
    /// the wheels, but not by the estimate, was a try, and the next one begins.
    fn has_turned(&mut self, left: f64, view: &View) -> bool {
        if !is_still(view) {
            return false;
        }
        let ahead = |left: f64| view.angular.ahead(left, view.twist.angular).abs();
        if self.aim.is_none() {
            return ahead(left) <= self.angle_tolerance;
        }
        if ahead(self.left_of(left, view)) > self.angle_tolerance {
            return false;
        }
        self.aim = None;
        let has_turned = ahead(left) <= self.enough(self.angle_tolerance, LAST_BIT);
        self.tries += u32::from(!has_turned);
        has_turned
    }

    /// Whether it has left the line from where it began to the goal.
    fn is_beside(&self, from: Pose2, view: &View) -> bool {
        let bearing = libm::atan2(self.goal.y - from.y, self.goal.x - from.x);
        let line = Pose2::new(from.x, from.y, bearing);
        let [_, aside] = line.inverse_transform_point([view.estimate.x, view.estimate.y]);
        aside.abs() > self.path_tolerance
    }

    fn turning(&mut self, turn: f64, view: &View) -> Twist2 {
        if self.aim.is_none() && turn.abs() <= LAST_BIT {
            self.aim = Some(view.wheels.yaw + turn);
        }
        let remaining = self.left_of(turn, view);
        let cap = self.turn_speed.min(view.turn_cap);
        let dt = view.dt.seconds();
        let rate = (view.angular).speed(remaining, view.twist.angular, cap, dt);
        Twist2::new(0.0, 0.0, rate)
    }

    fn goal_in_base(&self, view: &View) -> [f64; 2] {
        (view.estimate).inverse_transform_point([self.goal.x, self.goal.y])
    }

    fn yaw_error(&self, view: &View) -> f64 {
        normalize_angle(self.goal.yaw - view.estimate.yaw)
    }
}
