//! The colours of a row whose faces are known.

use super::faces::Face;
use super::lighting::Beam;
use super::rows::{RowRays, SKY};
use super::texture::{Texture, TextureLevel};

/// Pixels between two places that are computed exactly; between them light and place on
/// the face change evenly.
const STRIDE: usize = 16;

/// 1 of light as an integer: texel times light, shifted back, is the colour.
const LIGHT_ONE: f32 = 65_536.0;

/// What is seen where nothing is.
const SKY_COLOUR: [f32; 3] = [0.80, 0.85, 0.90];

/// Faces get darker towards their edges within this distance, m.
const EDGE_WIDTH: f32 = 0.08;
/// By this share.
const EDGE_DARKENING: f32 = 0.3;

/// What all rows of a picture share.
pub(super) struct Shader<'a> {
    pub(super) faces: &'a [Face],
    pub(super) textures: &'a [Texture],
    pub(super) beams: &'a [Beam],
    pub(super) ambient: f32,
    /// Width of a pixel in ideal coordinates.
    pub(super) pixel: f32,
}

/// A place that is computed exactly.
#[derive(Clone, Copy)]
struct Node {
    u: f32,
    v: f32,
    /// Light for each colour.
    light: [f32; 3],
    /// Size of a pixel on the face, m.
    pixel: f32,
}

impl Shader<'_> {
    /// Colours a row by its faces.
    pub(super) fn row(&self, rays: &RowRays<'_>, faces: &[u32], out: &mut [u8]) {
        let mut start = 0;
        while start < faces.len() {
            let face = faces[start];
            let same = faces[start..].iter().position(|&other| other != face);
            let end = same.map_or(faces.len(), |length| start + length);
            let pixels = &mut out[3 * start..3 * end];
            if face == SKY {
                self.sky(pixels);
            } else {
                self.run(&self.faces[face as usize], rays, start, pixels);
            }
            start = end;
        }
    }

    fn sky(&self, out: &mut [u8]) {
        let colour = SKY_COLOUR.map(|c| (255.0 * c * self.ambient).min(255.0) as u8);
        for pixel in out.as_chunks_mut::<3>().0 {
            *pixel = colour;
        }
    }

    /// Pixels of one face from `start` on.
    fn run(&self, face: &Face, rays: &RowRays<'_>, start: usize, out: &mut [u8]) {
        let texture = &self.textures[face.pattern];
        let last = start + out.len() / 3 - 1;
        let mut at = start;
        let mut node = self.node(face, rays.at(at));
        loop {
            let next_at = (at + STRIDE).min(last);
            let next = if next_at == at {
                node
            } else {
                self.node(face, rays.at(next_at))
            };
            let level = texture.level(0.5 * (node.pixel + next.pixel));
            let is_last = next_at == last;
            // The last stretch has its last pixel in it.
            let end = if is_last { last + 1 } else { next_at };
            let pixels = &mut out[3 * (at - start)..3 * (end - start)];
            fill(level, &node, &next, next_at - at, pixels);
            if is_last {
                return;
            }
            (at, node) = (next_at, next);
        }
    }

    #[inline]
    fn node(&self, face: &Face, [x, y]: [f32; 2]) -> Node {
        let linear = |[a, b, c]: [f32; 3]| a * x + b * y + c;
        let inverse = linear(face.inverse_depth);
        let depth = 1.0 / inverse;
        let place = |[a, b, c, d]: [f32; 4]| depth * linear([a, b, c]) + d;
        let (u, v) = (place(face.u), place(face.v));
        let ray = (x * x + y * y + 1.0).sqrt();
        // A pixel is depth * pixel wide across the view and longer by 1 / cos along the
        // face, where cos is distance / (depth * ray); taken is the mean of both.
        let stretch = depth * ray / face.distance;
        let across = depth * self.pixel;
        let mut light = self.ambient * ambient_share(face, u, v, across);
        for beam in self.beams {
            light += beam.on([depth * x, depth * y, depth], face.normal);
        }
        Node {
            u,
            v,
            light: face.colour.map(|c| (c * light).min(1.0) * LIGHT_ONE),
            pixel: across * stretch.sqrt(),
        }
    }
}

/// Share of the ambient light at a place: less towards the edges.
#[inline]
fn ambient_share(face: &Face, u: f32, v: f32, pixel: f32) -> f32 {
    let along = (u - face.u_ends[0]).min(face.u_ends[1] - u);
    let up = (v - face.v_ends[0]).min(face.v_ends[1] - v);
    let edge = along.min(up).max(0.0);
    let length = face.u_ends[1] - face.u_ends[0];
    let part = if length.is_finite() {
        ((u - face.u_ends[0]) / length).clamp(0.0, 1.0)
    } else {
        0.0
    };
    let shade = face.shade[0] + part * (face.shade[1] - face.shade[0]);
    if edge < EDGE_WIDTH {
        // Far away the dark edge would be as wide as the stride: it fades.
        let strength = EDGE_DARKENING * (EDGE_WIDTH / (STRIDE as f32 * pixel)).min(1.0);
        shade * (1.0 - strength * (1.0 - edge / EDGE_WIDTH))
    } else {
        shade
    }
}

/// Fills pixels between two nodes that are `apart` pixels apart.
fn fill(level: TextureLevel<'_>, from: &Node, to: &Node, apart: usize, out: &mut [u8]) {
    let share = 1.0 / apart.max(1) as f32;
    // The pattern repeats with a power of two of texels: all above it may be lost.
    let scale = level.per_metre() * 65_536.0;
    let fixed = |metres: f32| (metres * scale) as i64 as u32;
    let step = |from: f32, to: f32| ((to - from) * scale * share) as i64 as u32;
    let (mut u, mut v) = (fixed(from.u), fixed(from.v));
    let (du, dv) = (step(from.u, to.u), step(from.v, to.v));
    let mut light = from.light.map(|l| l as i32);
    let change: [i32; 3] = std::array::from_fn(|i| ((to.light[i] - from.light[i]) * share) as i32);
    let shift = level.log2_side;
    let mask = (1_u32 << shift) - 1;
    let texels = level.texels;
    for pixel in out.as_chunks_mut::<3>().0 {
        let index = (((v >> 16) & mask) << shift) | ((u >> 16) & mask);
        // Always there: both parts are masked.
        let texel = i32::from(texels.get(index as usize).copied().unwrap_or(0));
        for channel in 0..3 {
            pixel[channel] = ((texel * light[channel]) >> 16) as u8;
            light[channel] += change[channel];
        }
        u = u.wrapping_add(du);
        v = v.wrapping_add(dv);
    }
}
