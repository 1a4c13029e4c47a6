//! Geometry into cells.

use super::grid::{FREE, OCCUPIED, OccupancyGrid, UNKNOWN};
use crate::kachaka::MappingConfig;
use crate::world::{Entity, Level, Part, PlanarShape, Pose2, World};

/// Most cells of a map: 102 m by 102 m at 25 mm.
pub const MAX_CELLS: u64 = 1 << 24;

/// Side of the largest square map.
const MAX_SIDE: i64 = 1 << 12;

/// The map of a storey: what a lidar could see of all that stands on it.
///
/// - Occupied are the cells that outlines go through and boxes and fixed things lie in, at
///   [`MappingConfig::height`] above the floor. Discs, robots and what is driven or pushed are
///   left out.
/// - Free are the cells to which the robot could get from where it is, through sides of
///   cells; unknown are all others. A robot that stands in something starts from the free
///   cell that is nearest.
/// - It reaches from all of that and the robot on by [`MappingConfig::margin`]. With more
///   than [`MAX_CELLS`] it is cut to a window around the robot; cells keep their size.
/// - Cells have their middles at multiples of the resolution, so that walls at such places
///   are one cell thick, and no cell changes its place when something is added.
#[must_use]
pub fn raster(world: &World, level: Level, robot: Pose2, config: &MappingConfig) -> OccupancyGrid {
    let z = level.floor + config.height;
    let stands = |entity: &&Entity| {
        entity.shape().stands() && entity.z().contains(z) && level.reached_by(&entity.z())
    };
    let convex = |entity: &Entity| convex_parts(entity, &level, z);
    let things: Vec<Vec<Vec<[f64; 2]>>> = world.entities().filter(stands).map(convex).collect();
    let corners = || things.iter().flatten().flatten().copied();
    let place = [robot.x, robot.y];
    let [columns, rows] = [0, 1].map(|axis| {
        let all = || corners().map(move |corner| corner[axis]);
        let low = all().fold(place[axis], f64::min) - config.margin;
        let high = all().fold(place[axis], f64::max) + config.margin;
        Span {
            first: lattice(low, config.resolution),
            last: lattice(high, config.resolution),
        }
    });
    let middle = place.map(|value| lattice(value, config.resolution));
    let (columns, rows, cropped) = within_bounds(columns, rows, middle);
    let mut canvas = Canvas::new(columns, rows, config.resolution);
    for part in things.iter().flatten() {
        canvas.mark(part);
    }
    if let Some(start) = canvas.free_cell_near(middle) {
        canvas.flood(start);
    }
    OccupancyGrid {
        resolution: config.resolution,
        width: canvas.width as u32,
        height: canvas.height as u32,
        origin: Pose2::new(
            (columns.first as f64 - 0.5) * config.resolution,
            (rows.first as f64 - 0.5) * config.resolution,
            0.0,
        ),
        cells: canvas.cells,
        cropped,
    }
}

/// Corners of a round part in a map: then its edge is no more than 1 % of the radius off.
const CIRCLE_CORNERS: u32 = 24;

/// Corners of what a lidar at a height could see of a thing, in the world and cut into convex
/// pieces: walls one by one, all else whole.
fn convex_parts(entity: &Entity, level: &Level, z: f64) -> Vec<Vec<[f64; 2]>> {
    let seen = |part: &Part| part.z.contains(z) && level.reached_by(&part.z);
    let mut pieces = Vec::new();
    for part in entity.parts().into_iter().filter(seen) {
        let pose = part.placed(&entity.pose());
        let in_world = |p: &[f64; 2]| pose.transform_point(*p);
        match &part.shape {
            PlanarShape::Ring(points) => {
                let corners: Vec<[f64; 2]> = points.iter().map(in_world).collect();
                let next = corners.iter().cycle().skip(1);
                pieces.extend(corners.iter().zip(next).map(|(a, b)| vec![*a, *b]));
            }
            PlanarShape::Convex(points) => pieces.push(points.iter().map(in_world).collect()),
            PlanarShape::Disc(radius) => {
                let corner = |i| {
                    let angle = std::f64::consts::TAU * f64::from(i) / f64::from(CIRCLE_CORNERS);
                    let (sin, cos) = libm::sincos(angle);
                    in_world(&[radius * cos, radius * sin])
                };
                pieces.push((0..CIRCLE_CORNERS).map(corner).collect());
            }
        }
    }
    pieces
}

/// The cell of a coordinate on the lattice of all cells.
fn lattice(value: f64, resolution: f64) -> i64 {
    (value / resolution + 0.5).floor() as i64
}

/// Cells of the lattice from the first to the last one.
#[derive(Debug, Clone, Copy)]
struct Span {
    first: i64,
    last: i64,
}

impl Span {
    fn len(&self) -> i64 {
        self.last - self.first + 1
    }

    /// As many cells as are allowed, around a cell as far as the span goes.
    fn cut(&self, most: i64, middle: i64) -> Self {
        if self.len() <= most {
            return *self;
        }
        let first = (middle - most / 2).clamp(self.first, self.last - most + 1);
        Self {
            first,
            last: first + most - 1,
        }
    }
}

/// Columns and rows of a map that is not too large, and whether something was cut.
fn within_bounds(columns: Span, rows: Span, middle: [i64; 2]) -> (Span, Span, bool) {
    let most = MAX_CELLS as i64;
    if columns.len().saturating_mul(rows.len()) <= most {
        return (columns, rows, false);
    }
    // A long and narrow map is cut in its length alone.
    let (wide, high) = if columns.len() <= MAX_SIDE {
        (columns.len(), most / columns.len())
    } else if rows.len() <= MAX_SIDE {
        (most / rows.len(), rows.len())
    } else {
        (MAX_SIDE, MAX_SIDE)
    };
    (
        columns.cut(wide, middle[0]),
        rows.cut(high, middle[1]),
        true,
    )
}

/// A map under way.
struct Canvas {
    columns: Span,
    rows: Span,
    width: usize,
    height: usize,
    resolution: f64,
    cells: Vec<i8>,
}

impl Canvas {
    fn new(columns: Span, rows: Span, resolution: f64) -> Self {
        let (width, height) = (columns.len() as usize, rows.len() as usize);
        Self {
            columns,
            rows,
            width,
            height,
            resolution,
            cells: vec![UNKNOWN; width * height],
        }
    }

    /// A point in cells from the corner of the map.
    fn in_cells(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        [
            x / self.resolution + 0.5 - self.columns.first as f64,
            y / self.resolution + 0.5 - self.rows.first as f64,
        ]
    }

    /// Occupies every cell that a convex polygon, or a line of two points, has a part in.
    fn mark(&mut self, corners: &[[f64; 2]]) {
        let points: Vec<[f64; 2]> = corners.iter().map(|c| self.in_cells(*c)).collect();
        let low = points.iter().fold(f64::INFINITY, |low, p| low.min(p[1]));
        let high = points
            .iter()
            .fold(f64::NEG_INFINITY, |high, p| high.max(p[1]));
        if high < 0.0 || low >= self.height as f64 {
            return;
        }
        let first = low.max(0.0) as usize;
        let last = (high as usize).min(self.height - 1);
        // What a row of cells cuts out of it is convex: all cells between its ends belong.
        let mut ends = vec![[f64::INFINITY, f64::NEG_INFINITY]; last - first + 1];
        let next = points.iter().cycle().skip(1);
        for (a, b) in points.iter().zip(next) {
            stretch_rows(&mut ends, first, *a, *b);
        }
        for (row, [left, right]) in (first..).zip(ends) {
            if right < 0.0 || left >= self.width as f64 {
                continue;
            }
            let from = left.max(0.0) as usize;
            let to = (right as usize).min(self.width - 1);
            let start = row * self.width;
            self.cells[start + from..=start + to].fill(OCCUPIED);
        }
    }

    /// Index of the cell of the lattice, or of the nearest one that is not occupied.
    fn free_cell_near(&self, [column, row]: [i64; 2]) -> Option<usize> {
        let (column, row) = (column - self.columns.first, row - self.rows.first);
        let own = row as usize * self.width + column as usize;
        if self.cells.get(own) == Some(&UNKNOWN) {
            return Some(own);
        }
        let distance = |index: &usize| {
            let x = (index % self.width) as i64 - column;
            let y = (index / self.width) as i64 - row;
            x * x + y * y
        };
        (0..self.cells.len())
            .filter(|index| self.cells[*index] == UNKNOWN)
            .min_by_key(distance)
    }

    /// Frees a cell and all that are joined to it by sides, run by run.
    fn flood(&mut self, start: usize) {
        let mut seeds = vec![start];
        while let Some(seed) = seeds.pop() {
            if self.cells[seed] != UNKNOWN {
                continue;
            }
            let row_start = seed - seed % self.width;
            let row_end = row_start + self.width;
            let is_open = |index: &usize| self.cells[*index] == UNKNOWN;
            let from = (row_start..seed).rev().take_while(is_open).last();
            let from = from.unwrap_or(seed);
            let to = (seed..row_end).take_while(is_open).last();
            let to = to.unwrap_or(seed);
            self.cells[from..=to].fill(FREE);
            if row_start >= self.width {
                self.add_seeds(from - self.width, to - self.width, &mut seeds);
            }
            if row_end < self.cells.len() {
                self.add_seeds(from + self.width, to + self.width, &mut seeds);
            }
        }
    }

    /// One cell of each open run between two cells of a row.
    fn add_seeds(&self, from: usize, to: usize, seeds: &mut Vec<usize>) {
        let mut was_open = false;
        for index in from..=to {
            let is_open = self.cells[index] == UNKNOWN;
            if is_open && !was_open {
                seeds.push(index);
            }
            was_open = is_open;
        }
    }
}

/// Takes an edge into the ends of each row, the first of which has a number.
fn stretch_rows(ends: &mut [[f64; 2]], first: usize, a: [f64; 2], b: [f64; 2]) {
    let (low, high) = if a[1] <= b[1] { (a, b) } else { (b, a) };
    let slope = (high[0] - low[0]) / (high[1] - low[1]);
    for (row, [left, right]) in (first..).zip(ends) {
        let (bottom, top) = (row as f64, (row + 1) as f64);
        if high[1] < bottom || low[1] > top {
            continue;
        }
        // Its ends as they are, so that nothing is lost on a level edge.
        let start = match low[1] >= bottom {
            true => low[0],
            false => low[0] + slope * (bottom - low[1]),
        };
        let end = match high[1] <= top {
            true => high[0],
            false => low[0] + slope * (top - low[1]),
        };
        *left = left.min(start).min(end);
        *right = right.max(start).max(end);
    }
}
