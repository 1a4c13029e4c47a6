//! The map of a storey, made from its geometry.

mod grid;
mod raster;

pub use grid::{FREE, OCCUPIED, OccupancyGrid, UNKNOWN};
pub use raster::{MAX_CELLS, raster};

use super::{MappingConfig, seconds};
use crate::world::{Level, Pose2, SimTime, World};

/// Keeps the map of the storey that a robot is on up to date.
#[derive(Debug, Clone)]
pub struct Mapper {
    config: MappingConfig,
    made: Option<Made>,
}

/// A map and what it was made from.
#[derive(Debug, Clone)]
struct Made {
    grid: OccupancyGrid,
    level: Level,
    revision: u64,
    at: SimTime,
}

impl Mapper {
    /// A mapper without a map.
    #[must_use]
    pub fn new(config: &MappingConfig) -> Self {
        Self {
            config: config.clone(),
            made: None,
        }
    }

    /// Makes the map anew if it is out of date, and says whether it has changed by that.
    ///
    /// It is out of date when something that stands has changed, or when the robot is where
    /// the map knows nothing; then it is made at most once per [`MappingConfig::period`]. On
    /// another level it is made at once.
    pub fn update(&mut self, world: &World, level: Level, robot: Pose2, now: SimTime) -> bool {
        if let Some(made) = &self.made
            && made.level == level
        {
            let is_early = now.0.checked_sub(made.at.0);
            // A clock that was set back says nothing about the time since.
            let is_early = is_early.is_some_and(|since| since < seconds(self.config.period));
            let knows_place = made.grid.value_at([robot.x, robot.y]).unwrap_or(UNKNOWN) != UNKNOWN;
            let is_current = made.revision == world.standing_revision() && knows_place;
            if is_early || is_current {
                return false;
            }
        }
        let grid = raster(world, level, robot, &self.config);
        let changed = self.made.as_ref().is_none_or(|made| made.grid != grid);
        self.made = Some(Made {
            grid,
            level,
            revision: world.standing_revision(),
            at: now,
        });
        changed
    }

    /// The map, once there is one.
    #[must_use]
    pub fn map(&self) -> Option<&OccupancyGrid> {
        self.made.as_ref().map(|made| &made.grid)
    }
}

#[cfg(test)]
mod tests;
