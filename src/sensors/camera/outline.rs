//! From polygons in front of a camera to spans of pixels, row by row.

use super::lens::Lens;

/// A polygon's corners in the camera's frame, m: x right, y down, z along the view.
pub(super) type Corners = Vec<[f64; 3]>;

/// Pixels of one row that a face covers, whatever stands before it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Span {
    pub(super) face: u32,
    pub(super) start: u16,
    pub(super) end: u16,
}

/// Edges of pictures bend by at most this many pixels between two points of an outline.
const MAX_BEND: f64 = 0.1;

/// More crossings of one row are left out: a straight edge crosses a row at most once, a
/// bent one twice.
const MAX_CROSSINGS: usize = 8;

/// The part of space that a camera can see: what polygons are cut to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Window {
    /// Nearest depth, m.
    pub(super) near: f64,
    /// Farthest depth, m.
    pub(super) far: f64,
    /// Smallest and largest ideal x.
    pub(super) x: [f64; 2],
    /// Smallest and largest ideal y.
    pub(super) y: [f64; 2],
}

impl Window {
    /// The planes that bound it, each as the factors of x, y, z and 1 in a sum that is
    /// positive inside.
    fn planes(&self) -> [[f64; 4]; 5] {
        [
            [0.0, 0.0, 1.0, -self.near],
            [1.0, 0.0, -self.x[0], 0.0],
            [-1.0, 0.0, self.x[1], 0.0],
            [0.0, 1.0, -self.y[0], 0.0],
            [0.0, -1.0, self.y[1], 0.0],
        ]
    }

    /// Whether no part of a ball can be in the picture.
    pub(super) fn misses(&self, centre: [f64; 3], radius: f64) -> bool {
        let [x, y, z] = centre;
        z - radius > self.far
            || self.planes().iter().any(|[a, b, c, d]| {
                let length = libm::sqrt(a * a + b * b + c * c);
                a * x + b * y + c * z + d < -radius * length
            })
    }

    /// Cuts a convex polygon to the window; it is empty afterwards if nothing is left.
    fn cut(&self, corners: &mut Corners, spare: &mut Corners) {
        for plane in self.planes() {
            let side =
                |p: &[f64; 3]| plane[0] * p[0] + plane[1] * p[1] + plane[2] * p[2] + plane[3];
            let inside = corners.iter().filter(|p| side(p) >= 0.0).count();
            if inside == corners.len() {
                continue;
            }
            spare.clear();
            if inside > 0 {
                for (at, a) in corners.iter().enumerate() {
                    let b = &corners[(at + 1) % corners.len()];
                    let (sa, sb) = (side(a), side(b));
                    if sa >= 0.0 {
                        spare.push(*a);
                    }
                    if (sa >= 0.0) != (sb >= 0.0) {
                        let t = sa / (sa - sb);
                        spare.push(std::array::from_fn(|i| a[i] + t * (b[i] - a[i])));
                    }
                }
            }
            std::mem::swap(corners, spare);
            if corners.is_empty() {
                return;
            }
        }
    }
}

/// Turns polygons into spans; keeps its memory from picture to picture.
#[derive(Debug, Default)]
pub(super) struct Outlines {
    width: usize,
    rows: Vec<Vec<Span>>,
    crossings: Vec<Crossings>,
    spare: Corners,
    points: Vec<[f64; 2]>,
}

/// Where an outline crosses the middle of a row.
#[derive(Debug, Clone, Copy)]
struct Crossings {
    count: u32,
    /// Floats of 32 bits: all rows of a picture fit the nearest cache.
    x: [f32; MAX_CROSSINGS],
}

impl Outlines {
    /// Starts a picture.
    pub(super) fn begin(&mut self, width: usize, height: usize) {
        self.width = width;
        self.rows.iter_mut().for_each(Vec::clear);
        self.rows.resize_with(height, Vec::new);
        let none = Crossings {
            count: 0,
            x: [0.0; MAX_CROSSINGS],
        };
        self.crossings.resize(height, none);
    }

    /// The spans of a row, in the order in which faces were added.
    pub(super) fn row(&self, row: usize) -> &[Span] {
        &self.rows[row]
    }

    /// Adds the pixels of a convex polygon and says how many there are. A pixel belongs to
    /// it if the pixel's centre does.
    pub(super) fn add(
        &mut self,
        corners: &mut Corners,
        window: &Window,
        lens: &Lens,
        face: u32,
    ) -> u32 {
        window.cut(corners, &mut self.spare);
        if corners.len() < 3 {
            return 0;
        }
        self.trace(corners, lens);
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for [_, y] in &self.points {
            low = low.min(*y);
            high = high.max(*y);
        }
        let first = first_row(low, self.rows.len());
        let end = first_row(high, self.rows.len());
        for crossing in &mut self.crossings[first..end.max(first)] {
            crossing.count = 0;
        }
        for at in 0..self.points.len() {
            let (a, b) = (self.points[at], self.points[(at + 1) % self.points.len()]);
            self.cross(a, b);
        }
        (first..end).map(|row| self.close(row, face)).sum()
    }

    /// The outline in pixels. Bent edges become several straight ones.
    fn trace(&mut self, corners: &Corners, lens: &Lens) {
        self.points.clear();
        let ideal = |p: &[f64; 3]| [p[0] / p[2], p[1] / p[2]];
        for (at, corner) in corners.iter().enumerate() {
            let a = ideal(corner);
            let pa = lens.project(a[0], a[1]);
            self.points.push(pa);
            if !lens.is_pinhole() {
                let b = ideal(&corners[(at + 1) % corners.len()]);
                let pb = lens.project(b[0], b[1]);
                self.bend(lens, [a, b], [pa, pb], 10);
            }
        }
    }

    /// Adds the points between two of an outline that its bend needs.
    fn bend(&mut self, lens: &Lens, [a, b]: [[f64; 2]; 2], [pa, pb]: [[f64; 2]; 2], depth: u32) {
        let length = (pb[0] - pa[0]).abs() + (pb[1] - pa[1]).abs();
        if depth == 0 || length < 4.0 {
            return;
        }
        let middle = [0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])];
        let at = lens.project(middle[0], middle[1]);
        // Distance of the middle from the chord, times the chord's length.
        let [dx, dy] = [pb[0] - pa[0], pb[1] - pa[1]];
        let off = dx * (at[1] - pa[1]) - dy * (at[0] - pa[0]);
        // An S-shaped edge can meet its chord in the middle: long ones are always split.
        if length < 64.0 && off.abs() < MAX_BEND * libm::sqrt(dx * dx + dy * dy) {
            return;
        }
        self.bend(lens, [a, middle], [pa, at], depth - 1);
        self.points.push(at);
        self.bend(lens, [middle, b], [at, pb], depth - 1);
    }

    /// Notes the rows that an edge crosses.
    fn cross(&mut self, a: [f64; 2], b: [f64; 2]) {
        let (top, bottom) = if a[1] <= b[1] { (a, b) } else { (b, a) };
        let first = first_row(top[1], self.rows.len());
        let end = first_row(bottom[1], self.rows.len());
        if first >= end {
            return;
        }
        let slope = (bottom[0] - top[0]) / (bottom[1] - top[1]);
        for (row, crossings) in (first..end).zip(&mut self.crossings[first..end]) {
            if let Some(x) = crossings.x.get_mut(crossings.count as usize) {
                *x = (top[0] + (row as f64 - top[1]) * slope) as f32;
                crossings.count += 1;
            }
        }
    }

    /// Makes spans of the crossings of a row.
    fn close(&mut self, row: usize, face: u32) -> u32 {
        let crossings = &mut self.crossings[row];
        let x = &mut crossings.x[..crossings.count as usize];
        if let [a, b] = x {
            if *a > *b {
                std::mem::swap(a, b);
            }
        } else {
            x.sort_unstable_by(f32::total_cmp);
        }
        let mut pixels = 0;
        for pair in x.chunks_exact(2) {
            let start = first_row(f64::from(pair[0]), self.width) as u16;
            let end = first_row(f64::from(pair[1]), self.width) as u16;
            if start < end {
                self.rows[row].push(Span { face, start, end });
                pixels += u32::from(end - start);
            }
        }
        pixels
    }
}

/// The first pixel whose centre is at or behind a coordinate, at most `count`.
fn first_row(at: f64, count: usize) -> usize {
    // A centre is a whole number. The cast takes what is below 0 to 0, and rounds down:
    // `ceil` would be a call of a function on plain x86-64.
    let whole = at as usize;
    (whole + usize::from(at > whole as f64)).min(count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sensors::camera::{CameraSpec, FieldOfView};

    fn spec() -> CameraSpec {
        CameraSpec {
            width: 100,
            height: 80,
            view: FieldOfView::Horizontal(std::f64::consts::FRAC_PI_2),
            ..CameraSpec::kachaka_front()
        }
    }

    fn window() -> Window {
        Window {
            near: 0.1,
            far: 100.0,
            x: [-1.0, 1.0],
            y: [-0.8, 0.8],
        }
    }

    #[test]
    fn a_square_covers_the_pixels_whose_centres_are_in_it() {
        // 90 degrees over 100 pixels: 50 pixels per metre at a depth of 1 m, axis at 49.5.
        let lens = spec().lens();
        let mut outlines = Outlines::default();
        outlines.begin(100, 80);
        let mut square: Corners = vec![
            [-0.1, -0.2, 1.0],
            [0.1, -0.2, 1.0],
            [0.1, 0.2, 1.0],
            [-0.1, 0.2, 1.0],
        ];
        // Columns 44.5 to 54.5 and rows 29.5 to 49.5: centres 45 to 54 and 30 to 49.
        let pixels = outlines.add(&mut square, &window(), &lens, 7);
        assert_eq!(pixels, 10 * 20);
        for row in 0..80 {
            let spans = outlines.row(row);
            if (30..50).contains(&row) {
                let [span] = spans else {
                    panic!("row {row}: {spans:?}")
                };
                assert_eq!((span.face, span.start, span.end), (7, 45, 55), "row {row}");
            } else {
                assert!(spans.is_empty(), "row {row}: {spans:?}");
            }
        }
    }

    #[test]
    fn what_is_behind_the_camera_is_cut_away() {
        let lens = spec().lens();
        let mut outlines = Outlines::default();
        outlines.begin(100, 80);
        // A floor 0.5 m below from far behind to far ahead: everything below the horizon
        // that is farther than the near plane, which is below the picture.
        let mut floor: Corners = vec![
            [-900.0, 0.5, -900.0],
            [900.0, 0.5, -900.0],
            [900.0, 0.5, 900.0],
            [-900.0, 0.5, 900.0],
        ];
        let pixels = outlines.add(&mut floor, &window(), &lens, 0);
        assert_eq!(pixels, 100 * 40);
        let mut behind: Corners = vec![[0.0, 0.0, -1.0], [1.0, 0.0, -1.0], [1.0, 1.0, -1.0]];
        assert_eq!(outlines.add(&mut behind, &window(), &lens, 0), 0);
    }
}
