//! Things of several parts, and what makes one valid.

use super::entity::{Check, all_on_one_line, distinct_ring};
use super::part::extent_of_parts;
use super::{
    EntityShape, Footprint, FootprintError, Kind, MAX_COORDINATE, Part, PlanarShape, Pose2,
    WorldError, ZExtent,
};

/// Most parts of one thing.
pub const MAX_PARTS: usize = 256;

/// How a thing moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ThingMotion {
    /// It stands. Maps show it.
    Fixed,
    /// [`super::World::drive_thing`] moves it, and nothing else does.
    Driven,
    /// Robots that run into it push it; when nobody does, friction with the floor holds it.
    /// A robot can be made to carry it.
    Pushed {
        /// Kilograms.
        mass: f64,
    },
}

/// A thing of several parts that move as one.
#[derive(Debug, Clone, PartialEq)]
pub struct ThingSpec {
    /// Unique name.
    pub name: String,
    /// What it is: a shelf, door, person, charger, drop or elevator.
    pub kind: Kind,
    /// What it consists of, in its frame; heights above the floor it stands on. A part may
    /// reach 100 m from its own frame. For a drop, each part is a convex region without floor
    /// from its depth, below 0, up to the floor at 0.
    pub parts: Vec<Part>,
    /// Pose of its frame.
    pub pose: Pose2,
    /// Floor it stands on; "" = the level at z 0.
    pub floor: String,
    /// How it moves.
    pub motion: ThingMotion,
}

/// What is wrong with a part of a thing.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PartError {
    /// A number out of its range.
    #[error("{field} is {value:?}, it must be {expected}")]
    Value {
        /// The field of the part.
        field: &'static str,
        /// What was given.
        value: f64,
        /// What would be right.
        expected: &'static str,
    },
    /// A disc or polygon that is no convex body.
    #[error("shape: {0}")]
    Shape(FootprintError),
    /// A ring that encloses nothing.
    #[error(
        "shape: its {0} points make no ring, it needs at least 3 different ones that are not on one line"
    )]
    DegenerateRing(usize),
    /// A shape that this thing can't have.
    #[error("shape is a {found}, it must be a {expected}")]
    WrongShape {
        /// What was given.
        found: &'static str,
        /// What would be right.
        expected: &'static str,
    },
}

impl ThingSpec {
    /// Its form with polygons put right, and its heights above the floor.
    pub(super) fn check(&self) -> Result<(EntityShape, ZExtent), WorldError> {
        let check = Check::name(self.kind, &self.name)?;
        if !self.kind.is_thing() {
            return Err(WorldError::NotAThing {
                kind: self.kind,
                name: self.name.clone(),
            });
        }
        check.pose(&self.pose)?;
        if let ThingMotion::Pushed { mass } = self.motion {
            check.size("mass", mass)?;
        }
        if self.kind == Kind::Drop && self.motion != ThingMotion::Fixed {
            return Err(WorldError::DropMoves {
                name: self.name.clone(),
            });
        }
        if !(1..=MAX_PARTS).contains(&self.parts.len()) {
            return Err(WorldError::PartCount {
                kind: self.kind,
                name: self.name.clone(),
                count: self.parts.len(),
            });
        }
        let mut parts = Vec::with_capacity(self.parts.len());
        for (index, part) in self.parts.iter().enumerate() {
            let checked = self.check_part(part);
            parts.push(checked.map_err(|reason| WorldError::Part {
                kind: self.kind,
                name: self.name.clone(),
                index,
                reason,
            })?);
        }
        let z = extent_of_parts(parts.iter());
        let shape = EntityShape::Parts {
            kind: self.kind,
            parts,
            motion: self.motion,
        };
        Ok((shape, z))
    }

    fn check_part(&self, part: &Part) -> Result<Part, PartError> {
        let within = |field, value: f64, most: f64, expected| {
            let fits = value.abs() <= most;
            ensure(field, value, fits, expected)
        };
        let reach = Footprint::MAX_REACH;
        within("pose.x", part.pose.x, reach, "finite and within 100 m")?;
        within("pose.y", part.pose.y, reach, "finite and within 100 m")?;
        let far = MAX_COORDINATE;
        within("pose.yaw", part.pose.yaw, far, "finite and within 1e6")?;
        within("z.min", part.z.min, far, "finite and within 1e6")?;
        within("z.max", part.z.max, far, "finite and within 1e6")?;
        let is_up = part.z.min < part.z.max;
        ensure("z.max", part.z.max, is_up, "above z.min")?;
        if self.kind == Kind::Drop {
            let at_floor = part.z.max == 0.0;
            ensure("z.max", part.z.max, at_floor, "0, the floor, for a drop")?;
        }
        self.check_form(&part.shape)?;
        Ok(Part {
            shape: checked_shape(&part.shape)?,
            ..part.clone()
        })
    }

    /// Whether its parts may have this form.
    fn check_form(&self, shape: &PlanarShape) -> Result<(), PartError> {
        let found = match shape {
            PlanarShape::Convex(_) => return Ok(()),
            PlanarShape::Ring(_) => "ring",
            PlanarShape::Disc(_) => "disc",
        };
        let expected = if self.kind == Kind::Drop {
            "convex polygon for a drop"
        } else if found == "ring" && matches!(self.motion, ThingMotion::Pushed { .. }) {
            "convex polygon or a disc for what is pushed"
        } else {
            return Ok(());
        };
        Err(PartError::WrongShape { found, expected })
    }
}

fn ensure(
    field: &'static str,
    value: f64,
    fits: bool,
    expected: &'static str,
) -> Result<(), PartError> {
    if fits {
        return Ok(());
    }
    Err(PartError::Value {
        field,
        value,
        expected,
    })
}

/// The same shape with the corners of a polygon in order.
fn checked_shape(shape: &PlanarShape) -> Result<PlanarShape, PartError> {
    match shape {
        PlanarShape::Disc(radius) => {
            let disc = Footprint::disc(*radius).map_err(PartError::Shape)?;
            Ok((&disc).into())
        }
        PlanarShape::Convex(points) => {
            let polygon = Footprint::polygon(points).map_err(PartError::Shape)?;
            Ok((&polygon).into())
        }
        PlanarShape::Ring(points) => {
            let reach = Footprint::MAX_REACH;
            let fits = |p: &[f64; 2]| p[0].abs() <= reach && p[1].abs() <= reach;
            if let Some(bad) = points.iter().position(|p| !fits(p)) {
                return Err(PartError::Shape(FootprintError::Point(bad)));
            }
            let ring = distinct_ring(points);
            if ring.len() < 3 || all_on_one_line(&ring) {
                return Err(PartError::DegenerateRing(points.len()));
            }
            Ok(PlanarShape::Ring(ring))
        }
    }
}
