//! The things of a world that are no robots.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry as MapEntry;

use super::error::LayoutError;
use super::placement::Placement;
use crate::world::{BoxSpec, FloorSpec, MAX_COORDINATE, OutlineSpec, is_name};
use crate::yaml::{Field, Fields, Place, YamlError};

/// What an outline's points must be.
const RING: &str = "a list of at least 3 points [x, y] in m that are not on one line";

pub(super) fn read_floor(field: Field<'_>) -> Result<FloorSpec, YamlError> {
    let fields = Fields::new(field, &["name", "z"])?;
    Ok(FloorSpec {
        name: name(&fields)?,
        z: fields.need("z", "a height in m")?.coordinate()?,
    })
}

pub(super) fn read_outline(field: Field<'_>) -> Result<OutlineSpec, YamlError> {
    let fields = Fields::new(field, &["name", "points", "z_min", "z_max"])?;
    let name = name(&fields)?;
    let list = fields.need("points", RING)?;
    let points = list.points()?;
    if !encloses_something(&points) {
        return Err(list.wrong(RING));
    }
    let (z_min, z_max) = z_extent(&fields)?;
    Ok(OutlineSpec {
        name,
        points,
        z_min,
        z_max,
    })
}

pub(super) fn read_box(field: Field<'_>) -> Result<(BoxSpec, Placement), YamlError> {
    const KEYS: [&str; 8] = [
        "name", "size_x", "size_y", "x", "y", "yaw", "z_min", "z_max",
    ];
    let fields = Fields::new(field, &KEYS)?;
    let name = name(&fields)?;
    let length = |key| fields.need(key, "a length in m")?.length();
    let size = [length("size_x")?, length("size_y")?];
    let (z_min, z_max) = z_extent(&fields)?;
    let placement = Placement::read(&fields)?;
    let item = BoxSpec {
        name,
        size,
        pose: placement.first(),
        z_min,
        z_max,
    };
    Ok((item, placement))
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
pub(super) fn name(fields: &Fields<'_>) -> Result<String, YamlError> {
    let field = fields.need("name", "a unique name")?;
    let name = field.text()?;
    if !is_name(&name) {
        return Err(field.wrong("a unique name of 1 to 255 bytes without control characters"));
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

fn z_extent(fields: &Fields<'_>) -> Result<(f64, f64), YamlError> {
    let z_min = fields.coordinate("z_min")?;
    let above = format!("a height above z_min, which is {z_min} m");
    let z_max = fields
        .need("z_max", "the height of its top in m")?
        .number_where(|value| value > z_min && value <= MAX_COORDINATE, &above)?;
    Ok((z_min, z_max))
}
