//! A map in cells.

use crate::world::Pose2;

/// A cell that the robot can get to, as far as its middle goes.
pub const FREE: i8 = 0;
/// A cell in which something stands.
pub const OCCUPIED: i8 = 100;
/// A cell that nothing is known of.
pub const UNKNOWN: i8 = -1;

/// A map in square cells, as `nav_msgs/OccupancyGrid` has it.
#[derive(Debug, Clone, PartialEq)]
pub struct OccupancyGrid {
    /// Side of a cell, m.
    pub resolution: f64,
    /// Cells along x.
    pub width: u32,
    /// Cells along y.
    pub height: u32,
    /// Corner of the first cell in the map frame. It is never turned.
    pub origin: Pose2,
    /// Row by row from the lowest y on, each from the lowest x on: [`FREE`], [`OCCUPIED`] or
    /// [`UNKNOWN`].
    pub cells: Vec<i8>,
    /// Whether the world is larger than the map may be, which is then cut around the robot.
    pub cropped: bool,
}

impl OccupancyGrid {
    /// The value of a cell; `None` outside the map.
    #[must_use]
    pub fn value(&self, column: u32, row: u32) -> Option<i8> {
        if column >= self.width || row >= self.height {
            return None;
        }
        let index = row as usize * self.width as usize + column as usize;
        self.cells.get(index).copied()
    }

    /// The value at a point of the map frame, in metres; `None` outside the map.
    #[must_use]
    pub fn value_at(&self, [x, y]: [f64; 2]) -> Option<i8> {
        let column = (x - self.origin.x) / self.resolution;
        let row = (y - self.origin.y) / self.resolution;
        if column >= 0.0 && row >= 0.0 {
            // The casts saturate, and the map ends far below.
            self.value(column as u32, row as u32)
        } else {
            None
        }
    }

    /// The middle of a cell in the map frame, m.
    #[must_use]
    pub fn centre(&self, column: u32, row: u32) -> [f64; 2] {
        [
            self.origin.x + (f64::from(column) + 0.5) * self.resolution,
            self.origin.y + (f64::from(row) + 0.5) * self.resolution,
        ]
    }
}
