//! The colours of a row whose faces are known.

use super::faces::Face;
use super::lighting::Beam;
use super::rows::{RowRays, SKY};
use super::texture::{Texture, TextureLevel};

/// Pixels between two places that are computed exactly, on faces that run steeply away from
/// the camera and by the light of torches; in between light and place change evenly.
const STRIDE: usize = 16;
/// As many pixels of a face in a row are coloured by one place.
const SHORT: usize = 4;

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
            let end = start + run_length(&faces[start..]);
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
        let length = out.len() / 3;
        if length <= SHORT {
            // As wide as a texel or so: one place stands for all.
            let node = self.node(face, rays.at(start + length / 2));
            fill(texture.level(node.pixel), &node, &node, 0, out);
            return;
        }
        let last = start + length - 1;
        let stride = self.stride(face, rays.at(start));
        let mut at = start;
        let mut node = self.node(face, rays.at(at));
        loop {
            let next_at = (at + stride).min(last);
            let next = self.node(face, rays.at(next_at));
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

    /// Pixels between two places that are computed exactly: more where depth and light
    /// hardly change.
    fn stride(&self, face: &Face, [x, y]: [f32; 2]) -> usize {
        let [a, b, c] = face.inverse_depth;
        let inverse = a * x + b * y + c;
        let change = (a * self.pixel).abs() * STRIDE as f32;
        let is_endless = face.per_length == 0.0;
        if change > 0.1 * inverse || !self.beams.is_empty() {
            STRIDE
        } else if is_endless && change < 0.02 * inverse {
            4 * STRIDE
        } else {
            2 * STRIDE
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
        // face, where cos is the plane's distance / (depth * ray); taken is the mean.
        let stretch = depth * ray * face.per_distance;
        let across = depth * self.pixel;
        let mut light = self.ambient * ambient_share(face, u, v, across);
        for beam in self.beams {
            light += beam.on([depth * x, depth * y, depth], face.normal);
        }
        // What is overexposed keeps its colour.
        light = light.min(face.light_max);
        Node {
            u,
            v,
            light: face.colour.map(|c| c * light * LIGHT_ONE),
            pixel: across * stretch.sqrt(),
        }
    }
}

/// How many of the first faces are the same; there is at least one.
fn run_length(faces: &[u32]) -> usize {
    let first = faces[0];
    // Eight at a time as long as that goes.
    let is_same = |eight: &&[u32; 8]| eight.iter().fold(0, |all, face| all | (face ^ first)) == 0;
    let whole = 8 * faces.as_chunks().0.iter().take_while(is_same).count();
    let rest = faces[whole..].iter().take_while(|&&face| face == first);
    whole + rest.count()
}

/// Share of the ambient light at a place: less towards the edges.
#[inline]
fn ambient_share(face: &Face, u: f32, v: f32, pixel: f32) -> f32 {
    let [start, end] = face.u_ends;
    let edge = (u - start)
        .min(end - u)
        .min(v - face.v_ends[0])
        .min(face.v_ends[1] - v);
    let shade = if face.per_length > 0.0 {
        let part = ((u - start) * face.per_length).clamp(0.0, 1.0);
        face.shade[0] + part * (face.shade[1] - face.shade[0])
    } else {
        face.shade[0]
    };
    if edge < EDGE_WIDTH {
        // Far away the dark edge would be as wide as the stride: it fades.
        let strength = EDGE_DARKENING * (EDGE_WIDTH / (STRIDE as f32 * pixel)).min(1.0);
        shade * (1.0 - strength * (1.0 - edge.max(0.0) / EDGE_WIDTH))
    } else {
        shade
    }
}

/// Fills pixels between two nodes that are `apart` pixels apart.
///
/// Two numbers share a register: u and v, red and blue. A carry from the lower one adds the
/// least part of a step to the upper one.
fn fill(level: TextureLevel<'_>, from: &Node, to: &Node, apart: usize, out: &mut [u8]) {
    let share = 1.0 / apart.max(1) as f32;
    // The pattern repeats with a power of two of texels: all above it may be lost.
    let scale = level.per_metre() * 65_536.0;
    let fixed = |metres: f32| u64::from((metres * scale) as i64 as u32);
    let step = |from: f32, to: f32| u64::from(((to - from) * scale * share) as i64 as u32);
    let mut place = fixed(from.v) << 32 | fixed(from.u);
    let change = step(from.v, to.v) << 32 | step(from.u, to.u);
    let light = |at: &Node, channel: usize| at.light[channel] as i64;
    let grow = |channel: usize| ((to.light[channel] - from.light[channel]) * share) as i64;
    let mut outer = (light(from, 2) << 32) + light(from, 0);
    let mut green = light(from, 1);
    let (outer_change, green_change) = ((grow(2) << 32) + grow(0), grow(1));
    let shift = level.log2_side;
    let u_mask = (1_usize << shift) - 1;
    let v_mask = u_mask << shift;
    let texels = level.texels;
    for pixel in out.as_chunks_mut::<3>().0 {
        let index = (place >> (48 - shift)) as usize & v_mask | (place >> 16) as usize & u_mask;
        // Always there: both parts are masked.
        let texel = texels.get(index).map_or(0, |&texel| i64::from(texel));
        let both = texel * outer;
        *pixel = [
            (both >> 16) as u8,
            ((texel * green) >> 16) as u8,
            (both >> 48) as u8,
        ];
        place = place.wrapping_add(change);
        outer += outer_change;
        green += green_change;
    }
}
