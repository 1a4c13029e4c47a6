//! Patterns on surfaces, computed once: brightness only, a metre square that repeats.

use std::sync::OnceLock;

use super::super::noise::mix;
use super::scene::Pattern;

/// Texels along a side of the finest level: 3.9 mm each.
const SIZE: usize = 256;
const LEVELS: usize = SIZE.ilog2() as usize + 1;

/// Metres along a side.
pub(super) const PERIOD: f32 = 1.0;

/// A pattern at all resolutions: level k has `SIZE >> k` texels along a side.
#[derive(Debug)]
pub(super) struct Texture {
    levels: Vec<Vec<u8>>,
}

/// One resolution of a pattern.
#[derive(Debug, Clone, Copy)]
pub(super) struct TextureLevel<'a> {
    pub(super) texels: &'a [u8],
    /// Of the number of texels along a side.
    pub(super) log2_side: u32,
}

impl TextureLevel<'_> {
    /// Texels per metre.
    pub(super) fn per_metre(&self) -> f32 {
        (1_u32 << self.log2_side) as f32 / PERIOD
    }
}

/// The textures of all patterns, in the order of [`Pattern::ALL`]: computed when the first
/// picture is drawn, for all cameras.
pub(super) fn textures() -> &'static [Texture; Pattern::ALL.len()] {
    static TEXTURES: OnceLock<[Texture; Pattern::ALL.len()]> = OnceLock::new();
    TEXTURES.get_or_init(|| Pattern::ALL.map(Texture::new))
}

impl Texture {
    fn new(pattern: Pattern) -> Self {
        let mut finest = Vec::with_capacity(SIZE * SIZE);
        for v in 0..SIZE {
            for u in 0..SIZE {
                let at = |texel: usize| (texel as f64 + 0.5) / SIZE as f64;
                let brightness = brightness(pattern, at(u), at(v));
                finest.push((255.0 * brightness.clamp(0.0, 1.0)) as u8);
            }
        }
        let mut levels = vec![finest];
        while levels.len() < LEVELS {
            let side = SIZE >> levels.len();
            let finer = &levels[levels.len() - 1];
            let mut level = Vec::with_capacity(side * side);
            for v in 0..side {
                for u in 0..side {
                    let corner = 2 * v * 2 * side + 2 * u;
                    let of = |at: usize| u32::from(finer[at]);
                    let sum = of(corner) + of(corner + 1);
                    let sum = sum + of(corner + 2 * side) + of(corner + 2 * side + 1);
                    level.push(((sum + 2) / 4) as u8);
                }
            }
            levels.push(level);
        }
        Self { levels }
    }

    /// The resolution for pixels that are this large on the surface, m.
    #[inline]
    pub(super) fn level(&self, pixel: f32) -> TextureLevel<'_> {
        let texels = pixel * (SIZE as f32 / PERIOD);
        // The exponent of a float is the logarithm, rounded down; times 1.4 rounds it.
        let log2 = ((texels * 1.414).to_bits() >> 23) as i32 - 127;
        let level = log2.clamp(0, LEVELS as i32 - 1) as usize;
        TextureLevel {
            texels: &self.levels[level],
            log2_side: (LEVELS - 1 - level) as u32,
        }
    }
}

/// Brightness of a place, 0 to 1, mostly between 0.6 and 1; u and v are 0 to 1.
fn brightness(pattern: Pattern, u: f64, v: f64) -> f64 {
    let seed = pattern as u32;
    let grain = 0.5 * noise(u, v, 128, 128, seed) + 0.5 * noise(u, v, 64, 64, seed + 16);
    let blotches = 0.6 * noise(u, v, 8, 8, seed + 32) + 0.4 * noise(u, v, 24, 24, seed + 48);
    match pattern {
        Pattern::Plain => 0.88 + 0.07 * (grain - 0.5) + 0.06 * (blotches - 0.5),
        Pattern::Plaster => {
            let scratch = noise(u, v, 6, 90, seed + 64);
            let scratch = if scratch > 0.88 { 0.08 } else { 0.0 };
            0.86 + 0.12 * (grain - 0.5) + 0.22 * (blotches - 0.5) - scratch
        }
        Pattern::Bricks => {
            let row = (v * 16.0).floor();
            let shifted = u + if row % 2.0 == 0.0 { 0.0 } else { 0.125 };
            let column = (shifted * 4.0).floor().rem_euclid(4.0);
            let joint = joint(shifted * 4.0, 0.25, 0.008).max(joint(v * 16.0, 0.0625, 0.008));
            let brick = cell(column as u32, row as u32, seed + 64);
            let face = 0.72 + 0.2 * brick + 0.14 * (grain - 0.5);
            face + (0.95 - face) * joint
        }
        Pattern::Tiles => {
            let joint = joint(u * 2.0, 0.5, 0.006).max(joint(v * 2.0, 0.5, 0.006));
            let tile = cell((u * 2.0) as u32, (v * 2.0) as u32, seed + 64);
            0.8 + 0.1 * tile + 0.1 * (grain - 0.5) + 0.14 * (blotches - 0.5) - 0.28 * joint
        }
        Pattern::Wood => {
            let board = (v * 8.0).floor();
            let shade = cell(0, board as u32, seed + 64);
            let fibre = noise(u, v, 4, 128, seed + 80);
            let joint = joint(v * 8.0, 0.125, 0.004);
            0.78 + 0.1 * shade + 0.16 * (fibre - 0.5) + 0.06 * (grain - 0.5) - 0.3 * joint
        }
        Pattern::Cloth => {
            let weave = noise(u, v, 128, 64, seed + 64);
            let folds = noise(u, v, 12, 3, seed + 80);
            0.78 + 0.14 * (weave - 0.5) + 0.3 * (folds - 0.5)
        }
    }
}

/// 1 within a joint of some metres between cells of some metres, else 0.
fn joint(at: f64, cell: f64, width: f64) -> f64 {
    let part = at - at.floor();
    let metres = part.min(1.0 - part) * cell;
    if metres < 0.5 * width { 1.0 } else { 0.0 }
}

/// A number of 0 to 1 for a cell.
fn cell(column: u32, row: u32, seed: u32) -> f64 {
    let address = u64::from(seed) << 40 | u64::from(column) << 20 | u64::from(row);
    (mix(address) >> 40) as f64 / (1_u64 << 24) as f64
}

/// Smooth noise of 0 to 1 between random numbers on a lattice that repeats.
fn noise(u: f64, v: f64, columns: u32, rows: u32, seed: u32) -> f64 {
    let (x, y) = (u * f64::from(columns), v * f64::from(rows));
    let (left, top) = (x.floor(), y.floor());
    let ease = |t: f64| t * t * (3.0 - 2.0 * t);
    let (tx, ty) = (ease(x - left), ease(y - top));
    let (left, top) = (left as u32, top as u32);
    let corner = |dx: u32, dy: u32| cell((left + dx) % columns, (top + dy) % rows, seed);
    let upper = corner(0, 0) + tx * (corner(1, 0) - corner(0, 0));
    let lower = corner(0, 1) + tx * (corner(1, 1) - corner(0, 1));
    upper + ty * (lower - upper)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_level_is_the_mean_of_the_finer_one() {
        for pattern in Pattern::ALL {
            let texture = Texture::new(pattern);
            let mean = |texels: &[u8]| {
                texels.iter().map(|&t| f64::from(t)).sum::<f64>() / texels.len() as f64
            };
            let all = mean(&texture.levels[0]);
            assert!((150.0..240.0).contains(&all), "{pattern:?}: mean {all}");
            for level in &texture.levels {
                let here = mean(level);
                assert!((here - all).abs() < 2.0, "{pattern:?}: {here} for {all}");
            }
            assert_eq!(texture.levels.last().map(Vec::len), Some(1));
        }
    }

    #[test]
    fn larger_pixels_take_coarser_levels() {
        let texture = Texture::new(Pattern::Plain);
        // 256 texels to the metre.
        for (pixel, side) in [
            (1e-6, 256),
            (1.0 / 256.0, 256),
            (1.0 / 128.0, 128),
            (0.25, 4),
        ] {
            assert_eq!(1 << texture.level(pixel).log2_side, side, "{pixel}");
        }
        assert_eq!(texture.level(1e9).log2_side, 0);
    }
}
