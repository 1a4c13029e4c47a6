//! How commands are carried out.
//!
//! Before a step an [`Execution`] says how the robot is to move; after it, whether the
//! command has ended. It sees what the robot itself could know: wheel odometry, the
//! estimated pose and whether the front stop holds it.

mod approach;
mod follow;
mod straight;
mod turn;
mod watch;

use super::error_codes::code;
use super::queue::Outcome;
use super::{Command, CommandConfig, Location, LocationKind, later};
use crate::world::{PhysicsDt, Pose2, SimTime, Twist2};

pub(super) use approach::Ramp;
use follow::Follow;
use straight::Straight;
use turn::Turn;
use watch::{Left, Watch};

/// What a command in execution can know.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct View {
    pub(super) now: SimTime,
    pub(super) dt: PhysicsDt,
    /// Wheel odometry.
    pub(super) wheels: Pose2,
    /// What the wheels do, base frame.
    pub(super) twist: Twist2,
    /// What the wheels are told, a twist of the pivot.
    pub(super) setpoint: Twist2,
    /// Pose in the map frame.
    pub(super) estimate: Pose2,
    /// Whether the front stop lets no forward motion through.
    pub(super) front_blocked: bool,
    /// Highest speed, m/s.
    pub(super) speed_cap: f64,
    /// Highest yaw rate, rad/s.
    pub(super) turn_cap: f64,
    /// How the drive ramps along x.
    pub(super) linear: Ramp,
    /// How the drive ramps about z.
    pub(super) angular: Ramp,
}

impl View {
    /// As it was before the step that led here, by the wheels alone: had the estimate not
    /// jumped.
    fn before(&self) -> Self {
        let back = Twist2::new(-self.twist.x, -self.twist.y, -self.twist.angular);
        let step = Pose2::default().advance(&back, self.dt.seconds());
        Self {
            wheels: self.wheels.compose(&step),
            estimate: self.estimate.compose(&step),
            ..self.clone()
        }
    }
}

/// What a command wants of the drive.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Motion {
    /// This twist, base frame.
    Drive(Twist2),
    /// Nothing: manual or autonomous velocities may drive.
    Leave,
}

/// A command in execution.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Execution {
    task: Task,
    watch: Watch,
    /// The motion that was wanted for the last step.
    wanted: Twist2,
}

#[derive(Debug, Clone, PartialEq)]
enum Task {
    /// Talks; others may drive.
    Speak(SimTime),
    /// Holds still.
    Lock(SimTime),
    /// Drives at a velocity.
    Velocity {
        speed: f64,
        until: SimTime,
    },
    Straight(Straight),
    Turn(Turn),
    Follow(Follow),
    /// Drives to a place and finds no shelf there.
    FollowToShelf(Follow),
    /// Can't be done.
    Fail(i32),
}

impl Execution {
    /// Begins a command; `place` is the location that it names.
    pub(super) fn begin(
        command: &Command,
        place: Option<&Location>,
        config: &CommandConfig,
        now: SimTime,
    ) -> Self {
        let follow = |place: &Location| Follow::new(place.pose, config);
        let task = match command {
            Command::Speak { text } => Task::Speak(later(now, speech_seconds(text, config))),
            Command::Lock { duration } => Task::Lock(later(now, *duration)),
            Command::MoveForward {
                distance, speed, ..
            } => Task::Straight(Straight::new(*distance, *speed, config)),
            Command::RotateInPlace { angle } => Task::Turn(Turn::new(*angle, config)),
            Command::Localize => Task::Turn(Turn::new(std::f64::consts::TAU, config)),
            Command::MoveByVelocityWithMutedSensors { speed, duration } => Task::Velocity {
                speed: speed.clamp(-config.muted_speed, config.muted_speed),
                until: later(now, duration.min(config.muted_duration)),
            },
            Command::MoveToPose { pose } => Task::Follow(Follow::new(*pose, config)),
            Command::MoveToLocation { .. } => match place {
                None => Task::Fail(code::UNKNOWN_LOCATION),
                // Going to the charger is going home.
                Some(place) if place.kind == LocationKind::Charger => {
                    Task::Fail(code::DOCK_NOT_FOUND)
                }
                Some(place) => Task::Follow(follow(place)),
            },
            Command::DockAnyShelfWithRegistration { .. } => match place {
                None => Task::Fail(code::UNKNOWN_LOCATION),
                Some(place) => Task::FollowToShelf(follow(place)),
            },
            Command::ReturnHome => Task::Fail(code::DOCK_NOT_FOUND),
            Command::DockShelf => Task::Fail(code::NO_SHELF_FOUND),
            Command::MoveShelf { .. } => Task::Fail(code::UNKNOWN_SHELF),
            Command::ReturnShelf { .. } => Task::Fail(code::UNKNOWN_SHELF_TO_RETURN),
            Command::UndockShelf { .. } => Task::Fail(code::NO_SHELF_CARRIED),
        };
        Self::of(task, config)
    }

    /// Holds still for a time, in s.
    pub(super) fn lock(duration: f64, config: &CommandConfig, now: SimTime) -> Self {
        Self::of(Task::Lock(later(now, duration)), config)
    }

    fn of(task: Task, config: &CommandConfig) -> Self {
        Self {
            task,
            watch: Watch::new(config.blocked_timeout),
            wanted: Twist2::ZERO,
        }
    }

    /// Whether it only holds still and can be told to proceed.
    pub(super) fn is_lock(&self) -> bool {
        matches!(self.task, Task::Lock(_))
    }

    /// How the robot is to move in the step that begins.
    pub(super) fn motion(&mut self, view: &View) -> Motion {
        let twist = match &mut self.task {
            Task::Speak(_) => return Motion::Leave,
            Task::Lock(_) | Task::Fail(_) => Twist2::ZERO,
            Task::Velocity { speed, until } => {
                let speed = if view.now < *until { *speed } else { 0.0 };
                Twist2::new(speed, 0.0, 0.0)
            }
            Task::Straight(straight) => straight.twist(view),
            Task::Turn(turn) => turn.twist(view),
            Task::Follow(follow) | Task::FollowToShelf(follow) => follow.twist(view),
        };
        self.wanted = twist;
        Motion::Drive(twist)
    }

    /// How the command ended, if it did with the step that was taken.
    pub(super) fn outcome(&mut self, view: &View) -> Option<Outcome> {
        let is_over = match &mut self.task {
            Task::Fail(code) => return Some(Outcome::failure(*code)),
            Task::Speak(until) | Task::Lock(until) => *until <= view.now,
            Task::Velocity { until, .. } => *until <= view.now && is_still(view),
            Task::Straight(straight) => straight.is_over(view),
            Task::Turn(turn) => turn.is_over(view),
            Task::Follow(follow) | Task::FollowToShelf(follow) => follow.is_over(view),
        };
        if is_over {
            return Some(match self.task {
                Task::FollowToShelf(_) => Outcome::failure(code::NO_SHELF_FOUND),
                _ => Outcome::Success,
            });
        }
        self.is_stuck(view)
            .then(|| Outcome::failure(code::NOT_REACHED))
    }

    /// Whether it can't come to its end any more.
    fn is_stuck(&mut self, view: &View) -> bool {
        match &self.task {
            Task::Follow(follow) | Task::FollowToShelf(follow) if follow.gave_up() => true,
            _ => {
                let left = self.left(&view.before()).zip(self.left(view));
                self.watch.is_over(self.wanted, left, view)
            }
        }
    }

    /// What is left of a motion that has an end.
    fn left(&mut self, view: &View) -> Option<Left> {
        match &mut self.task {
            Task::Straight(straight) => Some(Left::Way(straight.remaining(view))),
            Task::Turn(turn) => Some(Left::Turn(turn.left(view))),
            Task::Follow(follow) | Task::FollowToShelf(follow) => Some(follow.left(view)),
            Task::Speak(_) | Task::Lock(_) | Task::Velocity { .. } | Task::Fail(_) => None,
        }
    }
}

/// Speed below which the robot stands, m/s and rad/s: a body that lags never stands quite.
const STILL: f64 = 1e-5;

fn is_still(view: &View) -> bool {
    view.twist.x.abs() < STILL && view.twist.angular.abs() < STILL
}

/// How long a text takes to say, s.
fn speech_seconds(text: &str, config: &CommandConfig) -> f64 {
    let letters = text.chars().count() as f64;
    (letters * config.speech_per_letter).max(config.speech_min)
}
