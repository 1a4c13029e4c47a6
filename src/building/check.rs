//! Checks of one named thing, so that each error names thing and field.

use super::{BuildingError, Kind};
use crate::shown::Shown;
use crate::world::{MAX_COORDINATE, Pose2, is_name};

/// Largest length of a part of a building, m.
pub(super) const MAX_LENGTH: f64 = 1000.0;
/// Longest time that anything in a building takes, s: a day.
pub(super) const MAX_TIME: f64 = 86_400.0;
/// Slowest and fastest that anything in a building moves, m/s or rad/s.
pub(super) const SPEEDS: [f64; 2] = [0.001, 100.0];

/// The thing that is checked.
#[derive(Clone, Copy)]
pub(super) struct Check<'a> {
    kind: Kind,
    name: &'a str,
}

impl<'a> Check<'a> {
    /// Starts with the name itself.
    pub(super) fn name(kind: Kind, name: &'a str) -> Result<Self, BuildingError> {
        if is_name(name) {
            return Ok(Self { kind, name });
        }
        let name = name.chars().take(80).collect();
        Err(BuildingError::Name { kind, name })
    }

    pub(super) fn pose(&self, field: &str, pose: &Pose2) -> Result<(), BuildingError> {
        let joined = |part: &str| match field {
            "" => part.to_owned(),
            field => format!("{field}.{part}"),
        };
        self.coordinate(&joined("x"), pose.x)?;
        self.coordinate(&joined("y"), pose.y)?;
        self.coordinate(&joined("yaw"), pose.yaw)
    }

    pub(super) fn point(&self, field: &str, point: [f64; 2]) -> Result<(), BuildingError> {
        self.coordinate(&format!("{field}.x"), point[0])?;
        self.coordinate(&format!("{field}.y"), point[1])
    }

    fn coordinate(&self, field: &str, value: f64) -> Result<(), BuildingError> {
        let fits = value.abs() <= MAX_COORDINATE;
        self.value(field, value, fits, "finite and within 1e6")
    }

    /// A length that something must have.
    pub(super) fn length(&self, field: &str, value: f64) -> Result<(), BuildingError> {
        let fits = value > 0.0 && value <= MAX_LENGTH;
        self.value(field, value, fits, "above 0 and at most 1000 m")
    }

    pub(super) fn speed(&self, field: &str, value: f64, unit: &str) -> Result<(), BuildingError> {
        let [low, high] = SPEEDS;
        self.within(field, value, SPEEDS, &format!("{low} to {high} {unit}"))
    }

    /// A time that may be none.
    pub(super) fn time(&self, field: &str, value: f64) -> Result<(), BuildingError> {
        self.within(field, value, [0.0, MAX_TIME], "0 to 86400 s (a day)")
    }

    pub(super) fn within(
        &self,
        field: &str,
        value: f64,
        [low, high]: [f64; 2],
        expected: &str,
    ) -> Result<(), BuildingError> {
        self.value(field, value, (low..=high).contains(&value), expected)
    }

    /// A number with a largest value that another number of the thing gives.
    pub(super) fn at_most(
        &self,
        field: &str,
        value: f64,
        limit: f64,
        whose: &str,
    ) -> Result<(), BuildingError> {
        let expected = format!("at most {} m, {whose}", Shown(limit));
        self.value(field, value, value <= limit, &expected)
    }

    /// A number with a smallest value that another number of the thing gives.
    pub(super) fn at_least(
        &self,
        field: &str,
        value: f64,
        limit: f64,
        whose: &str,
    ) -> Result<(), BuildingError> {
        let expected = format!("at least {} m, {whose}", Shown(limit));
        self.value(field, value, value >= limit, &expected)
    }

    pub(super) fn value(
        &self,
        field: &str,
        value: f64,
        fits: bool,
        expected: &str,
    ) -> Result<(), BuildingError> {
        if fits {
            return Ok(());
        }
        Err(BuildingError::Value {
            kind: self.kind,
            name: self.name.to_owned(),
            field: field.to_owned(),
            value,
            expected: expected.to_owned(),
        })
    }

    /// What does not fit for another reason than a number's range.
    pub(super) fn unfit(
        &self,
        field: impl Into<String>,
        problem: impl Into<String>,
    ) -> BuildingError {
        BuildingError::Unfit {
            kind: self.kind,
            name: self.name.to_owned(),
            field: field.into(),
            problem: problem.into(),
        }
    }
}
