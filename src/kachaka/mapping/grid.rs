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
    /// Corner of the first cell in the map frame, with x along the columns. Only maps that
    /// were added are turned.
    pub origin: Pose2,
    /// Row by row from the origin on, each from its lowest column on: [`FREE`], [`OCCUPIED`] or
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
    pub fn value_at(&self, point: [f64; 2]) -> Option<i8> {
        let from_corner = self.origin.inverse_transform_point(point);
        let [column, row] = from_corner.map(|along| along / self.resolution);
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
        let from_corner = [column, row].map(|cell| (f64::from(cell) + 0.5) * self.resolution);
        self.origin.transform_point(from_corner)
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use super::*;

    #[test]
    fn a_map_that_is_turned_has_its_cells_there() {
        let grid = OccupancyGrid {
            resolution: 0.5,
            width: 3,
            height: 2,
            origin: Pose2::new(1.0, -2.0, FRAC_PI_2),
            cells: vec![0, 1, 2, 3, 4, 5],
            cropped: false,
        };
        // Columns lead along y, rows against x.
        for (column, row, expected) in [(0, 0, [0.75, -1.75]), (2, 1, [0.25, -0.75])] {
            let centre = grid.centre(column, row);
            let off = (centre[0] - expected[0]).hypot(centre[1] - expected[1]);
            assert!(off < 1e-12, "{centre:?}, expected {expected:?}");
            assert_eq!(grid.value_at(expected), grid.value(column, row));
        }
        for outside in [[1.1, -1.75], [0.75, -2.1], [-0.1, -1.75], [0.75, -0.4]] {
            assert_eq!(grid.value_at(outside), None, "{outside:?}");
        }
    }
}
