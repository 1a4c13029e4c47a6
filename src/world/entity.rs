//! What is in a world: floors, outlines, boxes, discs and things, and what makes one valid.

use std::fmt;

use super::part::extent_of_parts;
use super::{
    BodyKey, Level, Part, PlanarShape, Pose2, Solidity, StepIndex, ThingMotion, WorldError, ZExtent,
};

/// Largest coordinate and size of anything, m. Beyond it doubles lose the micrometres
/// that contact needs.
pub const MAX_COORDINATE: f64 = 1.0e6;

/// Longest name, in bytes.
const MAX_NAME_BYTES: usize = 255;

/// Whether something can have this name: 1 to 255 bytes without control characters.
#[must_use]
pub fn is_name(name: &str) -> bool {
    (1..=MAX_NAME_BYTES).contains(&name.len()) && !name.chars().any(char::is_control)
}

/// What a name stands for. Names are unique across all kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A named height.
    Floor,
    /// A closed ring of walls.
    Outline,
    /// A rectangle.
    Box,
    /// A circle with a velocity.
    Disc,
    /// A robot.
    Robot,
    /// Furniture on legs, pushed and carried by robots.
    Shelf,
    /// A panel that opens and closes.
    Door,
    /// Somebody who stands or walks.
    Person,
    /// Where robots charge.
    Charger,
    /// A region without floor.
    Drop,
    /// A car that goes from floor to floor.
    Elevator,
}

impl Kind {
    /// Whether it is a [`super::ThingSpec`] that describes it.
    #[must_use]
    pub fn is_thing(self) -> bool {
        matches!(
            self,
            Self::Shelf | Self::Door | Self::Person | Self::Charger | Self::Drop | Self::Elevator
        )
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Floor => "floor",
            Self::Outline => "outline",
            Self::Box => "box",
            Self::Disc => "disc",
            Self::Robot => "robot",
            Self::Shelf => "shelf",
            Self::Door => "door",
            Self::Person => "person",
            Self::Charger => "charger",
            Self::Drop => "drop",
            Self::Elevator => "elevator",
        })
    }
}

/// A named height.
#[derive(Debug, Clone, PartialEq)]
pub struct FloorSpec {
    /// Unique name.
    pub name: String,
    /// Height in the world, m.
    pub z: f64,
}

/// A closed ring of wall segments.
#[derive(Debug, Clone, PartialEq)]
pub struct OutlineSpec {
    /// Unique name.
    pub name: String,
    /// Corners in the world frame, m; the last one is joined to the first.
    pub points: Vec<[f64; 2]>,
    /// Lower end in the world, m.
    pub z_min: f64,
    /// Upper end in the world, m.
    pub z_max: f64,
}

/// A rectangle with a height.
#[derive(Debug, Clone, PartialEq)]
pub struct BoxSpec {
    /// Unique name.
    pub name: String,
    /// Full lengths along its own x and y, m.
    pub size: [f64; 2],
    /// Pose of its centre.
    pub pose: Pose2,
    /// Lower end in the world, m.
    pub z_min: f64,
    /// Upper end in the world, m.
    pub z_max: f64,
}

/// A circle with a velocity.
#[derive(Debug, Clone, PartialEq)]
pub struct DiscSpec {
    /// Unique name.
    pub name: String,
    /// Metres.
    pub radius: f64,
    /// Centre in the world frame, m.
    pub center: [f64; 2],
    /// Velocity in the world frame, m/s.
    pub velocity: [f64; 2],
    /// Lower end in the world, m.
    pub z_min: f64,
    /// Upper end in the world, m.
    pub z_max: f64,
}

/// A new pose of a box or a disc.
#[derive(Debug, Clone, PartialEq)]
pub struct MoveSpec {
    /// Name of the box or disc.
    pub name: String,
    /// Pose of its centre.
    pub pose: Pose2,
}

/// The form of an entity.
#[derive(Debug, Clone, PartialEq)]
pub enum EntityShape {
    /// A ring of walls, its corners in the world frame, m.
    Outline {
        /// At least three distinct corners.
        points: Vec<[f64; 2]>,
    },
    /// A rectangle around its pose.
    Box {
        /// Full lengths along its own x and y, m.
        size: [f64; 2],
    },
    /// A circle around its pose.
    Disc {
        /// Metres.
        radius: f64,
    },
    /// Several parts around its pose that move as one.
    Parts {
        /// What it is.
        kind: Kind,
        /// At least one; heights above the floor it stands on.
        parts: Vec<Part>,
        /// How it moves.
        motion: ThingMotion,
    },
}

impl EntityShape {
    /// The kind of thing that has this form.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self {
            Self::Outline { .. } => Kind::Outline,
            Self::Box { .. } => Kind::Box,
            Self::Disc { .. } => Kind::Disc,
            Self::Parts { kind, .. } => *kind,
        }
    }

    /// Whether it belongs to what maps show: outlines, boxes and things that are fixed.
    #[must_use]
    pub fn stands(&self) -> bool {
        match self {
            Self::Outline { .. } | Self::Box { .. } => true,
            Self::Disc { .. } => false,
            Self::Parts { motion, .. } => *motion == ThingMotion::Fixed,
        }
    }

    /// Its parts in its frame, with heights in the world: those of the whole for what has
    /// one part, those above a floor at `base` for things.
    fn parts(&self, z: ZExtent, base: f64) -> Vec<Part> {
        match self {
            Self::Outline { points } => vec![Part::solid(PlanarShape::Ring(points.clone()), z)],
            Self::Box { size } => {
                vec![Part::solid(PlanarShape::rectangle(size[0], size[1]), z)]
            }
            Self::Disc { radius } => {
                let part = Part::solid(PlanarShape::Disc(*radius), z);
                vec![part.with_solidity(Solidity::Touched)]
            }
            Self::Parts { parts, .. } => parts.iter().map(|part| part.lifted(base)).collect(),
        }
    }
}

/// Where a thing stands.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Standing {
    /// The floor; "" for the ground that is there without any floor.
    pub(super) floor: String,
    /// The floor it was spawned on, as it was asked for.
    pub(super) spawned: String,
    /// Height of the floor, m.
    pub(super) base: f64,
}

/// A pose and the velocity with which it goes on, both since some step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Motion {
    pub(super) pose: Pose2,
    pub(super) velocity: [f64; 2],
    pub(super) since: StepIndex,
}

impl Motion {
    /// The pose at a step: from the start and the elapsed time, so that nothing accumulates.
    pub(super) fn at(&self, step: StepIndex, dt: f64) -> Pose2 {
        if self.velocity == [0.0, 0.0] {
            return self.pose;
        }
        let elapsed = step.saturating_sub(self.since) as f64 * dt;
        Pose2 {
            x: self.pose.x + self.velocity[0] * elapsed,
            y: self.pose.y + self.velocity[1] * elapsed,
            ..self.pose
        }
    }
}

/// An outline, box, disc or thing of a world.
#[derive(Debug, Clone, PartialEq)]
pub struct Entity {
    pub(super) name: String,
    pub(super) key: BodyKey,
    pub(super) shape: EntityShape,
    pub(super) z: ZExtent,
    pub(super) motion: Motion,
    /// The motion it was spawned with, counted from step 0.
    pub(super) spawned: Motion,
    pub(super) pose: Pose2,
    /// Of things alone: the heights of all others are those of the world.
    pub(super) standing: Option<Standing>,
    /// The robot that carries it.
    pub(super) carrier: Option<BodyKey>,
}

impl Entity {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it is.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.shape.kind()
    }

    /// Names it in calls about bodies.
    #[must_use]
    pub fn key(&self) -> BodyKey {
        self.key
    }

    /// Its form.
    #[must_use]
    pub fn shape(&self) -> &EntityShape {
        &self.shape
    }

    /// Its present pose: of the centre, or the origin for an outline.
    #[must_use]
    pub fn pose(&self) -> Pose2 {
        self.pose
    }

    /// Its present velocity in the world frame, m/s.
    #[must_use]
    pub fn velocity(&self) -> [f64; 2] {
        self.motion.velocity
    }

    /// The heights it takes up in the world.
    #[must_use]
    pub fn z(&self) -> ZExtent {
        self.z
    }

    /// The parts it consists of, in its frame and with heights in the world: one for an
    /// outline, box or disc. Made anew each time.
    #[must_use]
    pub fn parts(&self) -> Vec<Part> {
        let base = self.standing.as_ref().map_or(0.0, |standing| standing.base);
        self.shape.parts(self.z, base)
    }

    /// How a thing moves.
    pub(super) fn motion_of_thing(&self) -> Option<ThingMotion> {
        match self.shape {
            EntityShape::Parts { motion, .. } => Some(motion),
            _ => None,
        }
    }

    pub(super) fn check_pose(&self, pose: &Pose2) -> Result<(), WorldError> {
        Check::name(self.shape.kind(), &self.name)?.pose(pose)
    }

    /// Takes on a pose at rest, as of a step.
    pub(super) fn rest_at(&mut self, pose: Pose2, since: StepIndex) {
        self.pose = pose;
        self.motion = Motion {
            pose,
            velocity: [0.0, 0.0],
            since,
        };
    }

    /// Puts a thing onto a floor; whether its heights are others now.
    pub(super) fn put_on(&mut self, floor: String, level: Level) -> bool {
        let Some(standing) = &mut self.standing else {
            return false;
        };
        standing.floor = floor;
        let is_other = standing.base != level.floor;
        if is_other {
            standing.base = level.floor;
            self.z = extent_of_parts(self.parts().iter());
        }
        is_other
    }
}

/// Checks values of one named thing, so that each error names thing and field.
#[derive(Clone, Copy)]
pub(super) struct Check<'a> {
    kind: Kind,
    name: &'a str,
}

impl<'a> Check<'a> {
    /// Starts with the name itself.
    pub(super) fn name(kind: Kind, name: &'a str) -> Result<Self, WorldError> {
        let fits =
            !name.is_empty() && name.len() <= MAX_NAME_BYTES && !name.chars().any(char::is_control);
        if fits {
            Ok(Self { kind, name })
        } else {
            Err(WorldError::Name {
                kind,
                name: name.chars().take(80).collect(),
            })
        }
    }

    pub(super) fn coordinate(&self, field: &'static str, value: f64) -> Result<(), WorldError> {
        let fits = value.abs() <= MAX_COORDINATE;
        self.value(field, value, fits, "finite and within 1e6")
    }

    pub(super) fn size(&self, field: &'static str, value: f64) -> Result<(), WorldError> {
        let fits = value > 0.0 && value <= MAX_COORDINATE;
        self.value(field, value, fits, "above 0 and at most 1e6 m")
    }

    pub(super) fn pose(&self, pose: &Pose2) -> Result<(), WorldError> {
        self.coordinate("x", pose.x)?;
        self.coordinate("y", pose.y)?;
        self.coordinate("yaw", pose.yaw)
    }

    pub(super) fn z_extent(&self, z_min: f64, z_max: f64) -> Result<ZExtent, WorldError> {
        self.coordinate("z_min", z_min)?;
        self.coordinate("z_max", z_max)?;
        self.value("z_max", z_max, z_min < z_max, "above z_min")?;
        Ok(ZExtent::new(z_min, z_max))
    }

    pub(super) fn value(
        &self,
        field: &'static str,
        value: f64,
        fits: bool,
        expected: &'static str,
    ) -> Result<(), WorldError> {
        if fits {
            return Ok(());
        }
        Err(WorldError::Value {
            kind: self.kind,
            name: self.name.to_owned(),
            field,
            value,
            expected,
        })
    }
}

impl MoveSpec {
    pub(crate) fn check(&self, kind: Kind) -> Result<(), WorldError> {
        Check::name(kind, &self.name)?.pose(&self.pose)
    }
}

impl FloorSpec {
    pub(super) fn check(&self) -> Result<(), WorldError> {
        Check::name(Kind::Floor, &self.name)?.coordinate("z", self.z)
    }
}

impl OutlineSpec {
    /// The ring without doubled points, and its heights.
    pub(super) fn check(&self) -> Result<(EntityShape, ZExtent), WorldError> {
        let check = Check::name(Kind::Outline, &self.name)?;
        for (index, point) in self.points.iter().enumerate() {
            if !(point[0].abs() <= MAX_COORDINATE && point[1].abs() <= MAX_COORDINATE) {
                return Err(WorldError::OutlinePoint {
                    name: self.name.clone(),
                    index,
                    x: point[0],
                    y: point[1],
                });
            }
        }
        let z = check.z_extent(self.z_min, self.z_max)?;
        let points = distinct_ring(&self.points);
        if points.len() < 3 || all_on_one_line(&points) {
            return Err(WorldError::DegenerateOutline {
                name: self.name.clone(),
                points: self.points.len(),
            });
        }
        Ok((EntityShape::Outline { points }, z))
    }
}

impl BoxSpec {
    pub(super) fn check(&self) -> Result<(EntityShape, ZExtent), WorldError> {
        let check = Check::name(Kind::Box, &self.name)?;
        check.size("size_x", self.size[0])?;
        check.size("size_y", self.size[1])?;
        check.pose(&self.pose)?;
        let z = check.z_extent(self.z_min, self.z_max)?;
        Ok((EntityShape::Box { size: self.size }, z))
    }
}

impl DiscSpec {
    pub(super) fn check(&self) -> Result<(EntityShape, ZExtent), WorldError> {
        let check = Check::name(Kind::Disc, &self.name)?;
        check.size("radius", self.radius)?;
        check.coordinate("x", self.center[0])?;
        check.coordinate("y", self.center[1])?;
        check.coordinate("vx", self.velocity[0])?;
        check.coordinate("vy", self.velocity[1])?;
        let z = check.z_extent(self.z_min, self.z_max)?;
        let radius = self.radius;
        Ok((EntityShape::Disc { radius }, z))
    }
}

/// The ring without points that repeat their predecessor, the closing one included.
pub(super) fn distinct_ring(points: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let mut ring = points.to_vec();
    ring.dedup();
    while ring.len() > 1 && ring.first() == ring.last() {
        ring.pop();
    }
    ring
}

pub(super) fn all_on_one_line(points: &[[f64; 2]]) -> bool {
    let origin = points[0];
    let from_origin = |p: &[f64; 2]| [p[0] - origin[0], p[1] - origin[1]];
    let length = |v: &[f64; 2]| libm::hypot(v[0], v[1]);
    let Some(far) = points
        .iter()
        .map(from_origin)
        .max_by(|a, b| length(a).total_cmp(&length(b)))
    else {
        return true;
    };
    let reach = length(&far);
    points.iter().map(from_origin).all(|v| {
        let off_line = (far[0] * v[1] - far[1] * v[0]).abs() / reach;
        off_line <= 1e-9 * reach
    })
}
