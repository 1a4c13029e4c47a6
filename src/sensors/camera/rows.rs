//! What is nearest in each pixel of a row.

use super::faces::{Face, FaceKind};
use super::outline::Span;

/// The ideal coordinates of the pixels of a row.
#[derive(Debug, Clone, Copy)]
pub(super) struct RowRays<'a> {
    pub(super) x: &'a [f32],
    pub(super) y: RowY<'a>,
}

/// Those along the column.
#[derive(Debug, Clone, Copy)]
pub(super) enum RowY<'a> {
    /// The same for all pixels: without distortion.
    Same(f32),
    Each(&'a [f32]),
}

impl RowRays<'_> {
    #[inline]
    pub(super) fn at(&self, pixel: usize) -> [f32; 2] {
        let y = match self.y {
            RowY::Same(y) => y,
            RowY::Each(y) => y[pixel],
        };
        [self.x[pixel], y]
    }
}

/// The index of the face that stands for nothing at all.
pub(super) const SKY: u32 = 0;

/// Nearest faces of one row: the inverse of the depth and the index of the face.
#[derive(Debug, Default)]
pub(super) struct NearestRow {
    pub(super) inverse: Vec<f32>,
    pub(super) face: Vec<u32>,
}

impl NearestRow {
    /// Finds what each pixel of a row shows. `floors` are faces that may fill all of it.
    pub(super) fn find(
        &mut self,
        rays: &RowRays<'_>,
        spans: &[Span],
        faces: &[Face],
        floors: std::ops::Range<u32>,
        far: f32,
    ) {
        let width = rays.x.len();
        let nothing = 1.0 / far;
        self.inverse.clear();
        self.inverse.resize(width, nothing);
        self.face.clear();
        self.face.resize(width, SKY);
        for face in floors {
            let plane = &faces[face as usize].inverse_depth;
            if may_show(plane, rays, nothing) {
                self.cover(plane, rays, 0, width, face);
            }
        }
        for span in spans {
            let (start, end) = (usize::from(span.start), usize::from(span.end));
            let face = &faces[span.face as usize];
            match face.kind {
                FaceKind::Surface => {
                    self.cover(&face.inverse_depth, rays, start, end, span.face);
                }
                FaceKind::Opening => {
                    self.inverse[start..end].fill(nothing);
                    self.face[start..end].fill(SKY);
                }
            }
        }
    }

    /// Takes over the pixels in which a plane is nearer than what is there.
    fn cover(
        &mut self,
        &[a, b, c]: &[f32; 3],
        rays: &RowRays<'_>,
        start: usize,
        end: usize,
        index: u32,
    ) {
        let x = &rays.x[start..end];
        let inverse = &mut self.inverse[start..end];
        let face = &mut self.face[start..end];
        // Selections in place of branches: the compiler makes vectors of them.
        match rays.y {
            RowY::Same(y) => {
                let rest = b * y + c;
                for ((x, inverse), face) in x.iter().zip(inverse).zip(face) {
                    let here = a * x + rest;
                    let nearer = here > *inverse;
                    *inverse = if nearer { here } else { *inverse };
                    *face = if nearer { index } else { *face };
                }
            }
            RowY::Each(y) => {
                let y = &y[start..end];
                for (((x, y), inverse), face) in x.iter().zip(y).zip(inverse).zip(face) {
                    let here = a * x + (b * y + c);
                    let nearer = here > *inverse;
                    *inverse = if nearer { here } else { *inverse };
                    *face = if nearer { index } else { *face };
                }
            }
        }
    }
}

/// Whether an endless plane can be nearer than the far plane somewhere in a row.
fn may_show(&[a, b, c]: &[f32; 3], rays: &RowRays<'_>, nothing: f32) -> bool {
    match (rays.y, rays.x) {
        // It changes evenly along the row.
        (RowY::Same(y), [first, .., last]) => {
            let rest = b * y + c;
            (a * first + rest).max(a * last + rest) > nothing
        }
        _ => true,
    }
}
