//! Where things stand: given in the file, or drawn at random where there is room for them.
//!
//! Draws are keyed by the seed and the name of the thing, so that one more thing in a file does
//! not shift the draws of the others.

use super::error::LayoutError;
use super::ground::{Circle, Ground, Outline};
use crate::sensors::{NoiseKey, StepNoise};
use crate::world::{MAX_COORDINATE, Pose2};
use crate::yaml::{Field, Fields, Place, Value, YamlError};

/// How often a thing is drawn before there is said to be no room for it.
const TRIES: u64 = 200;

/// What a pose number may be, beside one number.
const COORDINATE: &str = "a number of metres from -1e6 to 1e6, or a range [low, high] of them";
const ANGLE: &str = "an angle in rad from -1e6 to 1e6, or a range [low, high] of them";

/// A number, or a range to draw it from.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Span {
    low: f64,
    high: f64,
}

impl Span {
    /// 0 when the key is not there.
    fn read(fields: &Fields<'_>, key: &'static str, expected: &str) -> Result<Self, YamlError> {
        let Some(field) = fields.get(key) else {
            return Ok(Self::default());
        };
        let (low, high) = match field.node.value {
            Value::List(_) => field.numbers::<2>(expected)?.into(),
            _ => {
                let value = field.any_number().map_err(|_| field.wrong(expected))?;
                (value, value)
            }
        };
        // NaN fails the comparison, too.
        let within = |value: f64| value.abs() <= MAX_COORDINATE;
        if !(within(low) && within(high)) {
            return Err(match field.node.value {
                Value::List(_) => range_error(&field, low, high, expected),
                _ => field.wrong(expected),
            });
        }
        if low > high {
            let ordered = "a range [low, high] whose first number is not above the second";
            return Err(range_error(&field, low, high, ordered));
        }
        Ok(Self { low, high })
    }

    fn at(self, share: f64) -> f64 {
        // Exactly the only number there is.
        if self.low == self.high {
            return self.low;
        }
        self.low + (self.high - self.low) * share
    }
}

fn range_error(field: &Field<'_>, low: f64, high: f64, expected: &str) -> YamlError {
    YamlError::Value {
        at: field.node.at.clone(),
        key: field.path.clone(),
        found: format!("[{low}, {high}]"),
        expected: expected.to_owned(),
    }
}

/// A pose of which each number is given or drawn.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Placement {
    x: Span,
    y: Span,
    yaw: Span,
}

impl Placement {
    /// `x`, `y` and `yaw`, each 0 when it is left out.
    pub(super) fn read(fields: &Fields<'_>) -> Result<Self, YamlError> {
        Ok(Self {
            x: Span::read(fields, "x", COORDINATE)?,
            y: Span::read(fields, "y", COORDINATE)?,
            yaw: Span::read(fields, "yaw", ANGLE)?,
        })
    }

    /// Whether there is nothing to draw.
    pub(super) fn is_fixed(&self) -> bool {
        [self.x, self.y, self.yaw]
            .iter()
            .all(|span| span.low == span.high)
    }

    /// The pose of the lowest numbers: the only one of a placement that is fixed.
    pub(super) fn first(&self) -> Pose2 {
        Pose2::new(self.x.low, self.y.low, self.yaw.low)
    }

    fn draw(&self, noise: StepNoise) -> Pose2 {
        let [x, y, yaw] = [self.x, self.y, self.yaw];
        Pose2::new(
            x.at(noise.uniform(0)),
            y.at(noise.uniform(1)),
            yaw.at(noise.uniform(2)),
        )
    }
}

/// Something whose pose is to be drawn.
#[derive(Debug, Clone)]
struct Loose<T> {
    /// What it is, for whoever takes the pose.
    thing: T,
    name: String,
    /// Its path in the file, and where it stands there.
    key: String,
    at: Place,
    placement: Placement,
    /// The circle around it at the origin.
    circle: Circle,
}

/// What stands where it is given, and what is loose.
#[derive(Debug, Clone)]
pub(super) struct Site<T> {
    ground: Ground,
    loose: Vec<Loose<T>>,
}

impl<T> Default for Site<T> {
    fn default() -> Self {
        Self {
            ground: Ground::default(),
            loose: Vec::new(),
        }
    }
}

impl<T> Site<T> {
    /// Something stands at a given pose.
    pub(super) fn stand(&mut self, outline: Outline, pose: Pose2) {
        self.ground.stand(outline, pose);
    }

    /// Takes a thing with its form at the origin.
    pub(super) fn take(
        &mut self,
        thing: T,
        item: &Field<'_>,
        name: &str,
        placement: Placement,
        outline: Outline,
    ) {
        if placement.is_fixed() {
            self.ground.stand(outline, placement.first());
            return;
        }
        self.loose.push(Loose {
            thing,
            name: name.to_owned(),
            key: item.path.clone(),
            at: item.node.at.clone(),
            placement,
            circle: outline.circle(),
        });
    }

    /// Whether anything is to be drawn.
    pub(super) fn is_random(&self) -> bool {
        !self.loose.is_empty()
    }

    /// Draws the poses of all that is loose, in the order of the file, each with so much
    /// clearance in m from what stands already.
    ///
    /// # Errors
    /// The first thing for which no room is found.
    pub(super) fn settle(
        mut self,
        clearance: f64,
        seed: i64,
    ) -> Result<Vec<(T, Pose2)>, LayoutError> {
        self.loose.sort_by_key(|item| item.at.order());
        let mut settled = Vec::with_capacity(self.loose.len());
        for item in self.loose {
            let key = NoiseKey::new(seed, &item.name, "placement");
            let found = (0..TRIES)
                .map(|attempt| item.placement.draw(key.at(attempt)))
                .find(|pose| self.ground.is_free(&item.circle.moved(pose), clearance));
            let Some(pose) = found else {
                return Err(LayoutError::NoRoom {
                    at: item.at,
                    key: item.key,
                    name: item.name,
                    tries: TRIES,
                    radius: item.circle.radius(),
                    clearance,
                    seed,
                });
            };
            self.ground.put(item.circle.moved(&pose));
            settled.push((item.thing, pose));
        }
        Ok(settled)
    }
}
