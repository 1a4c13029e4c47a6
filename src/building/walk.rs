//! Ways that people walk: straight from point to point, by the clock.

use super::check::Check;
use super::door::nanoseconds;
use super::{BuildingError, check::MAX_TIME};

/// Most points of a way.
const MAX_WAYPOINTS: usize = 1000;
/// Longest way, m.
const MAX_WAY: f64 = 1.0e6;
/// Slowest and fastest walk, m/s: the fastest people sprint at 12 m/s.
const WALKING_SPEEDS: [f64; 2] = [0.01, 12.0];

/// A point to walk to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Waypoint {
    /// In the world frame, m.
    pub at: [f64; 2],
    /// Time to stand there, s.
    pub pause: f64,
}

impl Waypoint {
    /// A point to pass without a stop.
    #[must_use]
    pub const fn new(x: f64, y: f64) -> Self {
        Self {
            at: [x, y],
            pause: 0.0,
        }
    }
}

/// What comes after the last point of a way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Repeat {
    /// The place where the way began, and all over again.
    #[default]
    Loop,
    /// The same way back to where it began, and all over again.
    ThereAndBack,
    /// Nothing.
    Once,
}

/// A way from the place where a person is spawned.
#[derive(Debug, Clone, PartialEq)]
pub struct Walk {
    /// The points to walk to, in turn.
    pub waypoints: Vec<Waypoint>,
    /// m/s.
    pub speed: f64,
    /// Time to stand where the way begins, s: before setting out and whenever it comes back.
    pub pause: f64,
    /// What comes after the last point.
    pub repeat: Repeat,
}

impl Walk {
    /// A comfortable speed, m/s. Bohannon (1997) measured 1.3 to 1.5 outdoors and in halls;
    /// among furniture people are slower (estimate).
    pub const SPEED: f64 = 1.0;

    /// A way that is walked in a loop at a comfortable speed.
    #[must_use]
    pub fn through(waypoints: Vec<Waypoint>) -> Self {
        Self {
            waypoints,
            speed: Self::SPEED,
            pause: 0.0,
            repeat: Repeat::Loop,
        }
    }

    pub(super) fn check(&self, check: &Check<'_>, start: [f64; 2]) -> Result<(), BuildingError> {
        let count = self.waypoints.len();
        if !(1..=MAX_WAYPOINTS).contains(&count) {
            let problem = format!("has {count} points, it must have 1 to {MAX_WAYPOINTS}");
            return Err(check.unfit("waypoints", problem));
        }
        check.within("speed", self.speed, WALKING_SPEEDS, "0.01 to 12 m/s")?;
        check.time("pause", self.pause)?;
        for (index, waypoint) in self.waypoints.iter().enumerate() {
            check.point(&format!("waypoints[{index}]"), waypoint.at)?;
            check.time(&format!("waypoints[{index}].pause"), waypoint.pause)?;
        }
        let way: f64 = self.segments(start).map(|[a, b]| distance(a, b)).sum();
        let expected = "0.01 m to 1e6 m: one of them must be elsewhere";
        check.within("waypoints' way", way, [0.01, MAX_WAY], expected)
    }

    /// The straight pieces of the way, the one back to the start of a loop included.
    pub(super) fn segments(&self, start: [f64; 2]) -> impl Iterator<Item = [[f64; 2]; 2]> {
        let points: Vec<[f64; 2]> = std::iter::once(start)
            .chain(self.waypoints.iter().map(|waypoint| waypoint.at))
            .chain((self.repeat == Repeat::Loop).then_some(start))
            .collect();
        let count = points.len();
        (1..count).map(move |index| [points[index - 1], points[index]])
    }
}

/// Where somebody is on a way.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct OnWay {
    pub(super) at: [f64; 2],
    /// Unit vector of the way there.
    pub(super) ahead: [f64; 2],
    /// Whether the way goes on now.
    pub(super) is_walking: bool,
    /// The point that it goes to or stands at; 0 = where the way began.
    pub(super) waypoint: usize,
}

/// A way with its times.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Timetable {
    legs: Vec<Leg>,
    repeats: bool,
}

/// A straight piece of a way and the stand at its end.
#[derive(Debug, Clone, PartialEq)]
struct Leg {
    from: [f64; 2],
    to: [f64; 2],
    ahead: [f64; 2],
    /// When it begins, is at its end, and goes on from there, ns.
    begins: u64,
    arrives: u64,
    leaves: u64,
    waypoint: usize,
}

impl Timetable {
    /// The times of a checked way from a start.
    pub(super) fn of(walk: &Walk, start: [f64; 2]) -> Self {
        let mut timetable = Self {
            legs: Vec::new(),
            repeats: walk.repeat != Repeat::Once,
        };
        let home = Waypoint {
            at: start,
            pause: walk.pause,
        };
        // The stand before setting out: a leg without length.
        timetable.go_to(start, 0, &home, walk.speed);
        let count = walk.waypoints.len();
        let numbered = || walk.waypoints.iter().enumerate();
        for (index, waypoint) in numbered() {
            timetable.go_to(start, index + 1, waypoint, walk.speed);
        }
        match walk.repeat {
            Repeat::Once => {}
            Repeat::Loop => timetable.go_home(&home, walk.speed),
            Repeat::ThereAndBack => {
                for (index, waypoint) in numbered().rev().skip(1).take(count) {
                    timetable.go_to(start, index + 1, waypoint, walk.speed);
                }
                timetable.go_home(&home, walk.speed);
            }
        }
        timetable
    }

    /// Back to the start, whose stand is at the beginning of the next round.
    fn go_home(&mut self, home: &Waypoint, speed: f64) {
        let passing = Waypoint {
            pause: 0.0,
            ..*home
        };
        self.go_to(home.at, 0, &passing, speed);
    }

    fn go_to(&mut self, start: [f64; 2], waypoint: usize, point: &Waypoint, speed: f64) {
        let (from, begins) = self
            .legs
            .last()
            .map_or((start, 0), |leg| (leg.to, leg.leaves));
        let (to, length) = (point.at, distance(from, point.at));
        let before = self.legs.last().map_or([1.0, 0.0], |leg| leg.ahead);
        let ahead = match length > 0.0 {
            true => [(to[0] - from[0]) / length, (to[1] - from[1]) / length],
            false => before,
        };
        let arrives = begins + nanoseconds(length / speed);
        self.legs.push(Leg {
            from,
            to,
            ahead,
            begins,
            arrives,
            leaves: arrives + nanoseconds(point.pause),
            waypoint,
        });
    }

    /// Where somebody is who has followed it for so long, ns.
    pub(super) fn at(&self, followed: u64) -> Option<OnWay> {
        let end = self.legs.last()?.leaves;
        let time = match self.repeats {
            true => followed % end.max(1),
            false => followed.min(end),
        };
        // The first leg that is not over; of a way that ends, the last one.
        let index = self.legs.partition_point(|leg| leg.leaves <= time);
        let leg = self.legs.get(index).or(self.legs.last())?;
        if time >= leg.arrives {
            return Some(OnWay {
                at: leg.to,
                ahead: leg.ahead,
                is_walking: false,
                waypoint: leg.waypoint,
            });
        }
        let share = (time - leg.begins) as f64 / (leg.arrives - leg.begins) as f64;
        let between = |axis: usize| leg.from[axis] + share * (leg.to[axis] - leg.from[axis]);
        Some(OnWay {
            at: [between(0), between(1)],
            ahead: leg.ahead,
            is_walking: true,
            waypoint: leg.waypoint,
        })
    }
}

pub(super) fn distance(a: [f64; 2], b: [f64; 2]) -> f64 {
    libm::hypot(b[0] - a[0], b[1] - a[1])
}

/// The longest that a way can take fits into its clock, in ns.
const _: () = {
    let points = 2 * (MAX_WAYPOINTS as u64 + 1);
    let walking = 2 * (MAX_WAY / WALKING_SPEEDS[0]) as u64;
    assert!((points * MAX_TIME as u64 + walking) < u64::MAX / 2 / 1_000_000_000);
};
