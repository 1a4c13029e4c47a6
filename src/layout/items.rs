//! The things of a world that are no robots.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry as MapEntry;

use super::error::{LayoutError, Place};
use super::fields::{Field, Fields, MAX_COORDINATE};

/// What an outline's points must be.
const RING: &str = "a list of at least 3 points [x, y] in m that are not on one line";

/// A named height.
#[derive(Debug, Clone, PartialEq)]
pub struct Floor {
    /// Unique name.
    pub name: String,
    /// Metres, absolute.
    pub z: f64,
}

/// A closed ring of wall segments.
#[derive(Debug, Clone, PartialEq)]
pub struct Outline {
    /// Unique name.
    pub name: String,
    /// Corners in metres, world frame; the last is joined to the first.
    pub points: Vec<[f64; 2]>,
    /// Metres, absolute.
    pub z_min: f64,
    /// Metres, absolute, above `z_min`.
    pub z_max: f64,
}

/// A rectangle with a height, placed by its centre.
#[derive(Debug, Clone, PartialEq)]
pub struct BoxItem {
    /// Unique name.
    pub name: String,
    /// Full length along its own x, metres.
    pub size_x: f64,
    /// Full length along its own y, metres.
    pub size_y: f64,
    /// Metres, world frame.
    pub x: f64,
    /// Metres, world frame.
    pub y: f64,
    /// Radians.
    pub yaw: f64,
    /// Metres, absolute.
    pub z_min: f64,
    /// Metres, absolute, above `z_min`.
    pub z_max: f64,
}

impl Floor {
    pub(super) fn read(field: Field<'_>) -> Result<Self, LayoutError> {
        let fields = Fields::new(field, &["name", "z"])?;
        Ok(Self {
            name: name(&fields)?,
            z: fields.need("z", "a height in m")?.coordinate()?,
        })
    }
}

impl Outline {
    pub(super) fn read(field: Field<'_>) -> Result<Self, LayoutError> {
        let fields = Fields::new(field, &["name", "points", "z_min", "z_max"])?;
        let name = name(&fields)?;
        let list = fields.need("points", RING)?;
        let points = list.points()?;
        if !encloses_something(&points) {
            return Err(list.wrong(RING));
        }
        let (z_min, z_max) = z_extent(&fields)?;
        Ok(Self {
            name,
            points,
            z_min,
            z_max,
        })
    }
}

impl BoxItem {
    pub(super) fn read(field: Field<'_>) -> Result<Self, LayoutError> {
        const KEYS: [&str; 8] = [
            "name", "size_x", "size_y", "x", "y", "yaw", "z_min", "z_max",
        ];
        let fields = Fields::new(field, &KEYS)?;
        let name = name(&fields)?;
        let size_x = fields.need("size_x", "a length in m")?.length()?;
        let size_y = fields.need("size_y", "a length in m")?.length()?;
        let (z_min, z_max) = z_extent(&fields)?;
        Ok(Self {
            name,
            size_x,
            size_y,
            x: fields.coordinate("x")?,
            y: fields.coordinate("y")?,
            yaw: fields.number("yaw", 0.0)?,
            z_min,
            z_max,
        })
    }
}

/// The names given so far.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// By name: the path of what has it, and where the name stands.
    taken: BTreeMap<String, (String, Place)>,
}

impl Names {
    /// Gives a name to an item.
    ///
    /// # Errors
    /// When another item has it.
    pub(super) fn take(&mut self, item: &Field<'_>, name: &str) -> Result<(), LayoutError> {
        let at = item.node.get("name").map_or(&item.node.at, |node| &node.at);
        match self.taken.entry(name.to_owned()) {
            MapEntry::Vacant(free) => {
                free.insert((item.path.clone(), at.clone()));
                Ok(())
            }
            MapEntry::Occupied(taken) => {
                let (other, other_at) = taken.get().clone();
                Err(LayoutError::DuplicateName {
                    at: at.clone(),
                    key: format!("{}.name", item.path),
                    name: name.to_owned(),
                    other,
                    other_at,
                })
            }
        }
    }
}

/// The `name` that every item has.
pub(super) fn name(fields: &Fields<'_>) -> Result<String, LayoutError> {
    let field = fields.need("name", "a unique name")?;
    let name = field.text()?;
    if name.is_empty() {
        return Err(field.wrong("a unique name"));
    }
    Ok(name)
}

/// Whether three of the points are the corners of a triangle.
fn encloses_something(points: &[[f64; 2]]) -> bool {
    let Some(first) = points.first() else {
        return false;
    };
    let from_first = |point: &[f64; 2]| [point[0] - first[0], point[1] - first[1]];
    let Some(along) = points.iter().map(from_first).find(|d| *d != [0.0, 0.0]) else {
        return false;
    };
    points
        .iter()
        .map(from_first)
        .any(|d| along[0] * d[1] - along[1] * d[0] != 0.0)
}

fn z_extent(fields: &Fields<'_>) -> Result<(f64, f64), LayoutError> {
    let z_min = fields.coordinate("z_min")?;
    let above = format!("a height above z_min, which is {z_min} m");
    let z_max = fields
        .need("z_max", "the height of its top in m")?
        .number_where(|value| value > z_min && value <= MAX_COORDINATE, &above)?;
    Ok((z_min, z_max))
}
