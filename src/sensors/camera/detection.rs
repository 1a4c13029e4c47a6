//! What a detector would find in a picture, from what the picture really shows.
//!
//! The real robot has a neural network whose rates nobody has published: every number of
//! [`DetectionConfig`] is an estimate.

use super::super::error::check;
use super::super::normal;
use super::super::{Gaussian, SensorError, StepNoise};
use super::frame::Frame;
use super::renderer::Camera;

/// What can be detected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Label {
    /// A person.
    Person,
    /// A shelf.
    Shelf,
    /// A charger.
    Charger,
    /// A door.
    Door,
}

impl Label {
    /// Its number in kachaka_interfaces/ObjectDetection, as the real ROS 2 bridge has it.
    #[must_use]
    pub fn ros_number(self) -> u8 {
        match self {
            Self::Person => 0,
            Self::Shelf => 1,
            Self::Charger => 2,
            Self::Door => 3,
        }
    }

    /// Its number in kachaka-api, where 0 is an unspecified label.
    #[must_use]
    pub fn api_number(self) -> u32 {
        u32::from(self.ros_number()) + 1
    }
}

/// A thing of a scene that can be detected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target {
    /// Its id in the scene.
    pub id: u32,
    /// What it is.
    pub label: Label,
}

/// A box in a picture, pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Roi {
    /// Left edge.
    pub x: u32,
    /// Upper edge.
    pub y: u32,
    /// From the left edge to the right one.
    pub width: u32,
    /// From the upper edge to the lower one.
    pub height: u32,
}

/// Something that was detected.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Detection {
    /// The id of the thing.
    pub id: u32,
    /// What it is.
    pub label: Label,
    /// Where it is in the picture.
    pub roi: Roi,
    /// 0 to 1.
    pub score: f32,
    /// Median distance of its visible pixels from the camera, m.
    pub distance_median: f64,
}

/// How a detector behaves. All defaults are estimates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DetectionConfig {
    /// Largest median distance at which something is found, m.
    pub range_max: f64,
    /// Smallest width and height of the visible part, pixels.
    pub size_min: u32,
    /// Smallest number of visible pixels.
    pub pixels_min: u32,
    /// Smallest visible share of what would be in the picture if nothing stood before it.
    pub share_min: f64,
    /// Score of what is near and wholly visible.
    pub score_near: f64,
    /// Score of what is at `range_max` and wholly visible; in between it falls evenly.
    pub score_far: f64,
    /// Visible share from which on hiding does not lower the score; below it the score falls
    /// evenly, to half at 0.
    pub share_full: f64,
    /// Standard deviation of a score.
    pub score_noise: f64,
    /// Smallest score that is reported.
    pub score_min: f64,
    /// Standard deviation of each edge of a box, as a share of the box's side.
    pub box_noise: f64,
    /// Chance that something is not found in a picture, 0 to 1.
    pub miss_rate: f64,
}

impl Default for DetectionConfig {
    fn default() -> Self {
        Self {
            range_max: 6.0,
            size_min: 12,
            pixels_min: 200,
            share_min: 0.15,
            score_near: 0.95,
            score_far: 0.55,
            share_full: 0.7,
            score_noise: 0.02,
            score_min: 0.3,
            box_noise: 0.01,
            miss_rate: 0.02,
        }
    }
}

impl DetectionConfig {
    /// Without any randomness.
    #[must_use]
    pub fn exact(self) -> Self {
        Self {
            score_noise: 0.0,
            box_noise: 0.0,
            miss_rate: 0.0,
            ..self
        }
    }

    /// Score of something at a distance of which a share is visible, without noise.
    fn score(&self, distance: f64, share: f64) -> f64 {
        let nearness = 1.0 - distance / self.range_max;
        let by_range = self.score_far + (self.score_near - self.score_far) * nearness;
        let visible = if share < self.share_full {
            share / self.share_full
        } else {
            1.0
        };
        by_range * (0.5 + 0.5 * visible)
    }

    /// Checks every number.
    ///
    /// # Errors
    /// The first field that is not finite or out of its range.
    pub fn check(&self) -> Result<(), SensorError> {
        let range = self.range_max;
        check("range_max", range, range > 0.0, "finite and above 0")?;
        for (field, value) in [
            ("share_min", self.share_min),
            ("score_near", self.score_near),
            ("score_far", self.score_far),
            ("share_full", self.share_full),
            ("score_noise", self.score_noise),
            ("score_min", self.score_min),
            ("box_noise", self.box_noise),
            ("miss_rate", self.miss_rate),
        ] {
            check(field, value, (0.0..=1.0).contains(&value), "0 to 1")?;
        }
        Ok(())
    }
}

/// What is visible of one target.
#[derive(Debug, Clone, Default)]
struct Seen {
    /// Edges: first and last column and row.
    left: usize,
    right: usize,
    top: usize,
    bottom: usize,
    ranges: Vec<f32>,
}

/// Finds targets in a frame that has depth and ids. In the order of ids; an id that is
/// there twice counts once.
///
/// A target's noise depends on its id and on `noise`, not on other targets.
#[must_use]
pub fn detect(
    frame: &Frame,
    camera: &Camera,
    targets: &[Target],
    config: &DetectionConfig,
    noise: &StepNoise,
) -> Vec<Detection> {
    let mut targets = targets.to_vec();
    targets.sort_unstable_by_key(|target| target.id);
    targets.dedup_by_key(|target| target.id);
    let seen = look(frame, camera, &targets);
    (targets.iter().zip(seen))
        .filter_map(|(target, seen)| report(frame, target, seen, config, noise))
        .collect()
}

/// Gathers the visible pixels of each target.
fn look(frame: &Frame, camera: &Camera, targets: &[Target]) -> Vec<Seen> {
    let mut all = vec![Seen::default(); targets.len()];
    if frame.ids.len() != frame.depth.len() || frame.width == 0 {
        return all;
    }
    let rows = frame.ids.chunks_exact(frame.width);
    let depths = frame.depth.chunks_exact(frame.width);
    for (row, (ids, depths)) in rows.zip(depths).enumerate() {
        let rays = camera.row(row);
        let mut column = 0;
        while column < ids.len() {
            let id = ids[column];
            let same = ids[column..].iter().position(|&other| other != id);
            let end = same.map_or(ids.len(), |length| column + length);
            if let Ok(at) = targets.binary_search_by_key(&id, |target| target.id) {
                let seen = &mut all[at];
                seen.include(row, column, end - 1);
                seen.ranges.extend((column..end).map(|pixel| {
                    let [x, y] = rays.at(pixel);
                    depths[pixel] * (x * x + y * y + 1.0).sqrt()
                }));
            }
            column = end;
        }
    }
    all
}

impl Seen {
    fn include(&mut self, row: usize, first: usize, last: usize) {
        if self.ranges.is_empty() {
            (self.left, self.right, self.top) = (first, last, row);
        }
        self.left = self.left.min(first);
        self.right = self.right.max(last);
        self.bottom = row;
    }

    /// Width and height of what is visible, pixels.
    fn size(&self) -> (usize, usize) {
        (self.right - self.left + 1, self.bottom - self.top + 1)
    }

    /// The box around it, its edges off by a share of its sides.
    fn roi(&self, frame: &Frame, stddev: f64, errors: &Errors<'_>) -> Roi {
        let (width, height) = self.size();
        let edge = |at: usize, which: u64, side: usize, bound: usize| {
            let moved = at as f64 + errors.normal(which, stddev * side as f64);
            // Whole pixels within the picture.
            (moved + 0.5).clamp(0.0, bound as f64) as u32
        };
        let left = edge(self.left, 1, width, frame.width - 1);
        let top = edge(self.top, 2, height, frame.height - 1);
        let right = edge(self.right + 1, 3, width, frame.width).max(left + 1);
        let bottom = edge(self.bottom + 1, 4, height, frame.height).max(top + 1);
        Roi {
            x: left,
            y: top,
            width: right - left,
            height: bottom - top,
        }
    }

    fn median(&mut self) -> f64 {
        let middle = self.ranges.len() / 2;
        let (_, median, _) = self.ranges.select_nth_unstable_by(middle, f32::total_cmp);
        f64::from(*median)
    }
}

fn report(
    frame: &Frame,
    target: &Target,
    mut seen: Seen,
    config: &DetectionConfig,
    noise: &StepNoise,
) -> Option<Detection> {
    let pixels = seen.ranges.len();
    if pixels == 0 || pixels < config.pixels_min as usize {
        return None;
    }
    let (width, height) = seen.size();
    let share = pixels as f64 / f64::from(frame.covered(target.id)).max(pixels as f64);
    let distance = seen.median();
    let is_small = width.min(height) < config.size_min as usize;
    if is_small || share < config.share_min || distance > config.range_max {
        return None;
    }
    let errors = Errors {
        noise,
        first: u64::from(target.id) * 8,
    };
    let score = config.score(distance, share) + errors.normal(0, config.score_noise);
    if score < config.score_min || errors.is_missed(config.miss_rate) {
        return None;
    }
    Some(Detection {
        id: target.id,
        label: target.label,
        roi: seen.roi(frame, config.box_noise, &errors),
        score: score.clamp(0.0, 1.0) as f32,
        distance_median: distance,
    })
}

/// The noise of one target: eight numbers for each id.
struct Errors<'a> {
    noise: &'a StepNoise,
    first: u64,
}

impl Errors<'_> {
    fn normal(&self, which: u64, stddev: f64) -> f64 {
        let spread = Gaussian { mean: 0.0, stddev };
        self.noise.gaussian(self.first + which, &spread)
    }

    /// True with a chance.
    fn is_missed(&self, chance: f64) -> bool {
        // The normal numbers below its quantile are that share of all.
        chance >= 1.0 || (chance > 0.0 && self.normal(7, 1.0) < normal::quantile(chance))
    }
}
