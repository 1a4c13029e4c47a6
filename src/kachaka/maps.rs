//! The maps that the robot keeps, and the one it is on.

use super::command::{check_pose, check_text};
use super::error_codes::code;
use super::{NamedId, Refusal};
use crate::world::Pose2;

/// A map of cells.
#[derive(Debug, Clone, PartialEq)]
pub struct OccupancyGrid {
    /// Side of a cell, m.
    pub resolution: f64,
    /// Cells along x.
    pub width: u32,
    /// Cells along y.
    pub height: u32,
    /// Pose of the corner of cell 0 in the map frame.
    pub origin: Pose2,
    /// Row by row from the lowest y: 0 free, 100 occupied, -1 unknown.
    pub cells: Vec<i8>,
}

/// Most maps that are kept.
const MAX_MAPS: usize = 20;
/// Most cells of a map that is added.
const MAX_CELLS: usize = 16_000_000;

/// A map to keep.
#[derive(Debug, Clone, PartialEq)]
pub struct NewMap {
    /// For people.
    pub name: String,
    /// What is on it.
    pub grid: OccupancyGrid,
    /// Where its charger is, frame of that map.
    pub charger: Option<Pose2>,
}

/// A map that is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptMap {
    /// Its id and its name.
    pub entry: NamedId,
    /// What is on it.
    pub grid: OccupancyGrid,
    /// Where its charger is, frame of that map.
    pub charger: Option<Pose2>,
}

/// All maps of a robot. The first may be the one that is made from the geometry.
#[derive(Debug, Clone, Default)]
pub(super) struct Maps {
    maps: Vec<KeptMap>,
    current: String,
    revision: u64,
}

impl Maps {
    pub(super) fn entries(&self) -> impl Iterator<Item = &NamedId> {
        self.maps.iter().map(|map| &map.entry)
    }

    /// Id of the map it is on; "" = none.
    pub(super) fn current_id(&self) -> &str {
        &self.current
    }

    pub(super) fn current(&self) -> Option<&OccupancyGrid> {
        self.find(&self.current).ok().map(|map| &map.grid)
    }

    /// Grows with every change.
    pub(super) fn revision(&self) -> u64 {
        self.revision
    }

    pub(super) fn find(&self, id: &str) -> Result<&KeptMap, Refusal> {
        let found = self.maps.iter().find(|map| map.entry.id == id);
        found.ok_or_else(|| {
            check_text("map_id", id).err().unwrap_or_else(|| {
                Refusal::new(code::UNKNOWN_MAP, format!("there is no map '{id}'"))
            })
        })
    }

    /// Whether a map would be taken.
    pub(super) fn check(&self, map: &NewMap) -> Result<(), Refusal> {
        check_text("name", &map.name)?;
        if let Some(charger) = &map.charger {
            check_pose(charger).map_err(|refusal| {
                Refusal::new(refusal.code, format!("charger_{}", refusal.message))
            })?;
        }
        let bad = |message: String| Err(Refusal::new(code::BAD_VALUE, message));
        let grid = &map.grid;
        if !(grid.resolution > 0.0 && grid.resolution.is_finite()) {
            return bad(format!(
                "map.info.resolution is {}, it must be above 0 m",
                grid.resolution
            ));
        }
        check_pose(&grid.origin).map_err(|refusal| {
            Refusal::new(refusal.code, format!("map.info.origin.{}", refusal.message))
        })?;
        let cells = u64::from(grid.width) * u64::from(grid.height);
        if cells == 0 || cells > MAX_CELLS as u64 {
            return bad(format!(
                "map.info is {} by {} cells, it must be 1 to {MAX_CELLS} cells",
                grid.width, grid.height
            ));
        }
        if grid.cells.len() as u64 != cells {
            return bad(format!(
                "map.data has {} cells, width and height say {cells}",
                grid.cells.len()
            ));
        }
        if self.maps.len() >= MAX_MAPS {
            let message = format!("a robot keeps at most {MAX_MAPS} maps");
            return Err(Refusal::new(code::TOO_MANY, message));
        }
        Ok(())
    }

    /// Keeps a map that was checked.
    pub(super) fn add(&mut self, id: String, map: NewMap) {
        let NewMap {
            name,
            grid,
            charger,
        } = map;
        let entry = NamedId { id, name };
        self.maps.push(KeptMap {
            entry,
            grid,
            charger,
        });
        self.revision += 1;
    }

    /// Goes over to a map that is there.
    pub(super) fn switch(&mut self, id: &str) {
        if self.current != id {
            self.current = id.to_owned();
            self.revision += 1;
        }
    }
}
