//! People: who stands or walks about.

use super::check::Check;
use super::walk::{OnWay, Timetable, distance};
use super::{Actor, BuildingError, Kind, Part, PersonSenses, Ride, TOUCH_DEPTH, Walk};
use crate::hash::{fnv1a, fnv1a_from};
use crate::world::{BodyKey, PhysicsDt, PlanarShape, Pose2, ZExtent, normalize_angle};

/// Height of the hip per height of the body (Drillis and Contini, 1966: 0.530).
const HIP_HEIGHT: f64 = 0.53;
/// How fast a person turns, rad/s (estimate).
const TURN_RATE: f64 = 4.0;
/// How far ahead a person looks out for others, m beyond the touch (estimate).
const LOOK_AHEAD: f64 = 1.5;
/// Distance that a person keeps from others when passing them, m (estimate).
const PASSING_GAP: f64 = 0.15;
/// Distance at which a person stops before somebody, m (estimate).
const STOPPING_GAP: f64 = 0.05;
/// Farthest that a person steps aside from its way, m (estimate).
const MAX_ASIDE: f64 = 1.0;
/// Speed of a step aside per speed of the walk (estimate).
const ASIDE_SPEED: f64 = 0.6;
/// Up to here somebody ahead is in the middle of the way, so that either side is as good, m.
const DEAD_AHEAD: f64 = 0.02;

/// The body of a person.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PersonShape {
    /// A cylinder from the floor up.
    Disc {
        /// Metres.
        radius: f64,
    },
    /// Two legs below a body: what a lidar near the floor sees of somebody in trousers.
    Legs {
        /// Radius of a leg, m.
        leg_radius: f64,
        /// Distance of the middles of the legs, along y, m.
        leg_distance: f64,
        /// Radius of the body above the hip, m.
        radius: f64,
    },
}

impl PersonShape {
    /// A cylinder of 0.25 m (estimate: half the breadth of the shoulders and a little).
    pub const DISC: Self = Self::Disc { radius: 0.25 };
    /// Legs of 6 cm, 20 cm apart, below a body of 0.2 m (estimates; Drillis and Contini have
    /// shoulders of 0.259 of the height, 0.44 m of 1.7 m).
    pub const LEGS: Self = Self::Legs {
        leg_radius: 0.06,
        leg_distance: 0.2,
        radius: 0.2,
    };

    /// Radius of the circle around the middle that holds it, m.
    #[must_use]
    pub fn reach(&self) -> f64 {
        match *self {
            Self::Disc { radius } => radius,
            Self::Legs {
                leg_radius,
                leg_distance,
                radius,
            } => radius.max(0.5 * leg_distance + leg_radius),
        }
    }
}

/// A person.
#[derive(Debug, Clone, PartialEq)]
pub struct PersonSpec {
    /// Unique name.
    pub name: String,
    /// Where the person stands or the walk begins; x is ahead.
    pub pose: Pose2,
    /// Name of the floor; "" = the level at z 0.
    pub floor: String,
    /// The body.
    pub shape: PersonShape,
    /// Metres.
    pub height: f64,
    /// The way to walk; without one the person stands.
    pub walk: Option<Walk>,
    /// Whether the person goes round robots and others and stops before them.
    pub avoids: bool,
}

impl PersonSpec {
    /// Height of a person, m (estimate: near the mean of adults).
    pub const HEIGHT: f64 = 1.7;

    /// Somebody on two legs who stands there.
    #[must_use]
    pub fn new(name: impl Into<String>, pose: Pose2) -> Self {
        Self {
            name: name.into(),
            pose,
            floor: String::new(),
            shape: PersonShape::LEGS,
            height: Self::HEIGHT,
            walk: None,
            avoids: true,
        }
    }

    /// Whether there can be such a person.
    ///
    /// # Errors
    /// The first number that cannot be.
    pub fn check(&self) -> Result<(), BuildingError> {
        let check = Check::name(Kind::Person, &self.name)?;
        check.pose("", &self.pose)?;
        check.length("height", self.height)?;
        match self.shape {
            PersonShape::Disc { radius } => check.length("radius", radius)?,
            PersonShape::Legs {
                leg_radius,
                leg_distance,
                radius,
            } => {
                check.length("leg_radius", leg_radius)?;
                check.length("leg_distance", leg_distance)?;
                check.length("radius", radius)?;
                let whose = "so that the two legs do not overlap";
                check.at_least("leg_distance", leg_distance, 2.0 * leg_radius, whose)?;
            }
        }
        match &self.walk {
            Some(walk) => walk.check(&check, [self.pose.x, self.pose.y]),
            None => Ok(()),
        }
    }

    /// Whether the way is free of walls. `wall_between` names a wall that a straight line
    /// crosses.
    ///
    /// # Errors
    /// The first piece of the way that crosses one.
    pub fn check_way(
        &self,
        wall_between: &dyn Fn([f64; 2], [f64; 2]) -> Option<String>,
    ) -> Result<(), BuildingError> {
        let Some(walk) = &self.walk else {
            return Ok(());
        };
        let check = Check::name(Kind::Person, &self.name)?;
        for (index, [a, b]) in walk.segments([self.pose.x, self.pose.y]).enumerate() {
            let Some(wall) = wall_between(a, b) else {
                continue;
            };
            let field = match index < walk.waypoints.len() {
                true => format!("waypoints[{index}]"),
                false => "the way back to the start".to_owned(),
            };
            let problem = format!(
                "is behind '{wall}': the way from ({}, {}) to ({}, {}) crosses it, lead it through a doorway",
                a[0], a[1], b[0], b[1]
            );
            return Err(check.unfit(field, problem));
        }
        Ok(())
    }

    /// The body, seen from the middle between the legs.
    #[must_use]
    pub fn parts(&self) -> Vec<Part> {
        let disc =
            |radius, y, z| Part::solid(PlanarShape::Disc(radius), z).at(Pose2::new(0.0, y, 0.0));
        match self.shape {
            PersonShape::Disc { radius } => {
                vec![disc(radius, 0.0, ZExtent::new(0.0, self.height))]
            }
            PersonShape::Legs {
                leg_radius,
                leg_distance,
                radius,
            } => {
                let hip = HIP_HEIGHT * self.height;
                let (legs, body) = (ZExtent::new(0.0, hip), ZExtent::new(hip, self.height));
                vec![
                    disc(leg_radius, 0.5 * leg_distance, legs),
                    disc(leg_radius, -0.5 * leg_distance, legs),
                    disc(radius, 0.0, body),
                ]
            }
        }
    }
}

/// What a person is about.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PersonState {
    /// Where the person is.
    pub pose: Pose2,
    /// Whether the last step was a step.
    pub is_walking: bool,
    /// The waypoint that the person goes to or stands at, from 1; 0 = where the way began.
    pub waypoint: usize,
}

/// A person and how far on its way it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Person {
    spec: PersonSpec,
    timetable: Option<Timetable>,
    /// Time that the way was followed, ns: it stands still while the way is blocked.
    followed: u64,
    /// Step aside from the way, in the frame of the way, m.
    aside: [f64; 2],
    /// The frame of the way in the world: that of the world until an elevator takes the
    /// person along.
    frame: Pose2,
    /// On which side of what is dead ahead everybody passes: 1 = left, -1 = right.
    side: f64,
    state: PersonState,
}

impl Person {
    /// A person at the start. Everybody of a seed passes on the same side.
    ///
    /// # Errors
    /// As [`PersonSpec::check`].
    pub fn new(spec: PersonSpec, seed: i64) -> Result<Self, BuildingError> {
        spec.check()?;
        let start = [spec.pose.x, spec.pose.y];
        let mut person = Self {
            timetable: (spec.walk.as_ref()).map(|walk| Timetable::of(walk, start)),
            followed: 0,
            aside: [0.0, 0.0],
            frame: Pose2::default(),
            side: 1.0,
            state: PersonState {
                pose: spec.pose,
                is_walking: false,
                waypoint: 0,
            },
            spec,
        };
        person.reset(seed);
        Ok(person)
    }

    /// What it was made with.
    #[must_use]
    pub fn spec(&self) -> &PersonSpec {
        &self.spec
    }

    /// What the person is about.
    #[must_use]
    pub fn state(&self) -> PersonState {
        self.state
    }

    /// Back at the start.
    pub fn reset(&mut self, seed: i64) {
        self.followed = 0;
        self.aside = [0.0, 0.0];
        self.frame = Pose2::default();
        let hash = fnv1a_from(fnv1a("side".bytes()), seed.to_le_bytes());
        self.side = if (hash >> 32) & 1 == 0 { -1.0 } else { 1.0 };
        self.state = PersonState {
            pose: self.spec.pose,
            is_walking: false,
            waypoint: 0,
        };
    }

    /// Is taken along by an elevator; what is left of the way goes with the person.
    pub fn ride(&mut self, ride: &Ride) {
        self.frame = ride.moved(&self.frame);
        self.state.pose = ride.moved(&self.state.pose);
    }

    /// Takes a step; `own` is the person's body among the actors.
    pub fn step(&mut self, dt: PhysicsDt, own: BodyKey, senses: &PersonSenses<'_>) {
        let Some(timetable) = &self.timetable else {
            return;
        };
        let later = self.followed + dt.nanoseconds();
        let (Some(here), Some(there)) = (timetable.at(self.followed), timetable.at(later)) else {
            return;
        };
        let aside = self.step_aside(&there, dt, own, senses);
        let options = [
            (later, &there, aside),
            (later, &there, self.aside),
            (self.followed, &here, aside),
        ];
        let taken = options
            .into_iter()
            .find(|(_, on_way, aside)| self.is_free(on_way, *aside, dt, own, senses));
        let before = self.state.pose;
        if let Some((followed, on_way, aside)) = taken {
            let pose = self.pose_at(on_way, aside, dt);
            self.state.waypoint = on_way.waypoint;
            (self.followed, self.aside) = (followed, aside);
            self.state.pose = pose;
        }
        let now = self.state.pose;
        self.state.is_walking = (now.x, now.y) != (before.x, before.y);
    }

    /// The pose after a step that ends there: the person turns to where it walks.
    fn pose_at(&self, on_way: &OnWay, aside: [f64; 2], dt: PhysicsDt) -> Pose2 {
        let yaw = self.state.pose.yaw;
        let ahead = self.frame.yaw + libm::atan2(on_way.ahead[1], on_way.ahead[0]);
        let turn = match on_way.is_walking {
            true => normalize_angle(ahead - yaw),
            false => 0.0,
        };
        let most = TURN_RATE * dt.seconds();
        let at = [on_way.at[0] + aside[0], on_way.at[1] + aside[1]];
        let [x, y] = self.frame.transform_point(at);
        Pose2::new(x, y, normalize_angle(yaw + turn.clamp(-most, most)))
    }

    /// The step aside for whoever is in the way, or back when nobody is.
    fn step_aside(
        &self,
        on_way: &OnWay,
        dt: PhysicsDt,
        own: BodyKey,
        senses: &PersonSenses<'_>,
    ) -> [f64; 2] {
        if !on_way.is_walking {
            return self.aside;
        }
        let left = [-on_way.ahead[1], on_way.ahead[0]];
        let wanted = match self.spec.avoids {
            true => self.wanted_aside(on_way, left, own, senses),
            false => 0.0,
        };
        let speed = self.spec.walk.as_ref().map_or(0.0, |walk| walk.speed);
        let most = ASIDE_SPEED * speed * dt.seconds();
        let to = [wanted * left[0], wanted * left[1]];
        let way = distance(self.aside, to);
        if way <= most {
            return to;
        }
        let share = most / way;
        let towards = |axis: usize| self.aside[axis] + share * (to[axis] - self.aside[axis]);
        [towards(0), towards(1)]
    }

    /// How far to the left of the way the nearest one who is in the way is to be passed, m.
    fn wanted_aside(
        &self,
        on_way: &OnWay,
        left: [f64; 2],
        own: BodyKey,
        senses: &PersonSenses<'_>,
    ) -> f64 {
        let ahead = on_way.ahead;
        let met = self.others(own, senses).filter_map(|other| {
            let at = self.frame.inverse_transform_point(other.at);
            let to = [at[0] - on_way.at[0], at[1] - on_way.at[1]];
            let along = to[0] * ahead[0] + to[1] * ahead[1];
            let across = to[0] * left[0] + to[1] * left[1];
            let room = self.spec.shape.reach() + other.radius + PASSING_GAP;
            let is_near = along > -room && along < room + LOOK_AHEAD;
            (is_near && across.abs() < room).then_some((along, across, room))
        });
        let Some((_, across, room)) = met.min_by(|a, b| a.0.total_cmp(&b.0)) else {
            return 0.0;
        };
        let side = match across {
            across if across > DEAD_AHEAD => -1.0,
            across if across < -DEAD_AHEAD => 1.0,
            _ => self.side,
        };
        (across + side * room).clamp(-MAX_ASIDE, MAX_ASIDE)
    }

    fn is_walled(&self, on_way: &OnWay, pose: &Pose2, senses: &PersonSenses<'_>) -> bool {
        let on_line = self.frame.transform_point(on_way.at);
        (senses.wall_beside)(on_line, [pose.x, pose.y])
    }

    fn others<'a>(
        &self,
        own: BodyKey,
        senses: &PersonSenses<'a>,
    ) -> impl Iterator<Item = &'a Actor> + use<'a> {
        let actors = senses.actors;
        let z = actors
            .iter()
            .find(|actor| actor.key == own)
            .map(|own| own.z);
        actors
            .iter()
            .filter(move |actor| actor.key != own && z.is_none_or(|z| z.overlaps(&actor.z)))
    }

    /// Whether the person may be there next: not in a closed door, and, if it avoids, not
    /// nearer to anybody than it likes and not in a wall for a step aside.
    fn is_free(
        &self,
        on_way: &OnWay,
        aside: [f64; 2],
        dt: PhysicsDt,
        own: BodyKey,
        senses: &PersonSenses<'_>,
    ) -> bool {
        let now = self.state.pose;
        let pose = self.pose_at(on_way, aside, dt);
        let in_door = (senses.door_depth)(pose);
        if in_door > TOUCH_DEPTH && in_door > (senses.door_depth)(now) {
            return false;
        }
        if !self.spec.avoids {
            return true;
        }
        let is_near = |other: &Actor| {
            let gap = distance([pose.x, pose.y], other.at);
            let kept = self.spec.shape.reach() + other.radius + STOPPING_GAP;
            gap < kept && gap < distance([now.x, now.y], other.at)
        };
        let farther = distance(aside, [0.0, 0.0]) > distance(self.aside, [0.0, 0.0]);
        if self.others(own, senses).any(is_near) {
            return false;
        }
        !farther || !self.is_walled(on_way, &pose, senses)
    }
}
