//! To a pose on the map: turn towards it, drive straight, turn. It never reverses.

use super::{Left, View, is_still};
use crate::kachaka::CommandConfig;
use crate::world::{Pose2, Twist2, normalize_angle};

/// How near to the goal the way ends, m; what is promised is 0.01.
const REACHED: f64 = 0.005;
/// How often it may come to rest beside the goal, or beside its way, and try again.
const MAX_TRIES: u32 = 20;

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
        let ahead = view.angular.ahead(self.yaw_error(view), view.twist.angular);
        self.phase == Phase::Heading && ahead.abs() <= self.angle_tolerance && is_still(view)
    }

    /// What is left of the phase that it is in.
    pub(super) fn left(&self, view: &View) -> Left {
        let [along, aside] = self.goal_in_base(view);
        match self.phase {
            Phase::Way { .. } | Phase::Astray => Left::Way(along, self.distance_tolerance),
            Phase::Bearing => Left::Turn(libm::atan2(aside, along), self.angle_tolerance),
            Phase::Heading => Left::Turn(self.yaw_error(view), self.angle_tolerance),
        }
    }

    /// Goes over to the next phase when this one has done its part.
    fn go_on(&mut self, view: &View) {
        let [along, aside] = self.goal_in_base(view);
        let is_there = libm::hypot(along, aside) <= REACHED;
        match self.phase {
            Phase::Bearing if is_there && is_still(view) => self.phase = Phase::Heading,
            Phase::Bearing => {
                let bearing = libm::atan2(aside, along);
                let ahead = view.angular.ahead(bearing, view.twist.angular);
                if ahead.abs() <= self.angle_tolerance && is_still(view) {
                    self.phase = Phase::Way {
                        from: view.estimate,
                    };
                }
            }
            Phase::Way { from } => {
                let ahead = view.linear.ahead(along, view.twist.x);
                if ahead <= self.distance_tolerance && is_still(view) {
                    self.phase = Phase::Heading;
                    self.try_again_unless(is_there);
                } else if self.is_beside(from, view) {
                    self.phase = Phase::Astray;
                }
            }
            Phase::Astray if is_still(view) => self.try_again_unless(false),
            Phase::Astray | Phase::Heading => {}
        }
    }

    fn try_again_unless(&mut self, is_there: bool) {
        if !is_there {
            self.tries += 1;
            self.phase = Phase::Bearing;
        }
    }

    /// Whether it has left the line from where it began to the goal.
    fn is_beside(&self, from: Pose2, view: &View) -> bool {
        let bearing = libm::atan2(self.goal.y - from.y, self.goal.x - from.x);
        let line = Pose2::new(from.x, from.y, bearing);
        let [_, aside] = line.inverse_transform_point([view.estimate.x, view.estimate.y]);
        aside.abs() > self.path_tolerance
    }

    fn turning(&self, remaining: f64, view: &View) -> Twist2 {
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
