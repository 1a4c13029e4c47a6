//! What values of the configuration may be.

use std::collections::BTreeMap;

use super::KachakaConfig;
use crate::world::Pose2;
use crate::yaml::{Field, Fields, Place, Value, YamlError};

/// What a number may be.
#[derive(Debug, Clone, Copy)]
pub(super) struct Number {
    pub(super) low: f64,
    pub(super) high: f64,
    /// Whether `low` itself is out.
    pub(super) open: bool,
    pub(super) unit: &'static str,
}

pub(super) const fn above(low: f64, high: f64, unit: &'static str) -> Number {
    Number {
        low,
        high,
        open: true,
        unit,
    }
}

pub(super) const fn from(low: f64, high: f64, unit: &'static str) -> Number {
    Number {
        low,
        high,
        open: false,
        unit,
    }
}

/// Slower is as good as never there.
pub(super) const SPEED: Number = from(0.01, 100.0, "m/s");
pub(super) const YAW_RATE: Number = from(0.01, 100.0, "rad/s");
pub(super) const LENGTH: Number = from(0.0, 100.0, "m");
pub(super) const DISTANCE: Number = from(-100.0, 100.0, "m");
/// As far as a command turns.
pub(super) const ANGLE: Number = from(-100.0, 100.0, "rad");
/// A day.
pub(super) const DURATION: Number = from(0.0, 86_400.0, "s");
pub(super) const PERIOD: Number = above(0.0, 86_400.0, "s");
pub(super) const SHARE: Number = from(0.0, 1.0, "");
pub(super) const POWER: Number = from(0.0, 10_000.0, "W");
pub(super) const SHORT_TEXT: &str = "text of 1 to 1000 letters";
pub(super) const SHORT_ID: &str = "an id of 1 to 100 letters";

impl Number {
    fn of(&self, field: &Field<'_>) -> Result<f64, YamlError> {
        let Self {
            low,
            high,
            open,
            unit,
        } = *self;
        let bounds = if open {
            format!("a number above {low}, at most {high} {unit}")
        } else {
            format!("a number from {low} to {high} {unit}")
        };
        let fits = |value: f64| value <= high && (value > low || (value == low && !open));
        field.number_where(fits, bounds.trim_end())
    }

    /// Reads a key into its place if it is there.
    pub(super) fn take(
        &self,
        fields: &Fields<'_>,
        key: &'static str,
        to: &mut f64,
    ) -> Result<(), YamlError> {
        *to = self.or(fields, key, *to)?;
        Ok(())
    }

    /// The number of a key, or the default when it is not there.
    pub(super) fn or(
        &self,
        fields: &Fields<'_>,
        key: &'static str,
        default: f64,
    ) -> Result<f64, YamlError> {
        fields.get(key).map_or(Ok(default), |field| self.of(&field))
    }

    /// The number of a key that must be there.
    pub(super) fn needed(&self, fields: &Fields<'_>, key: &'static str) -> Result<f64, YamlError> {
        self.of(&fields.need(key, "a number")?)
    }
}

/// A whole number that a key holds, read into its place if it is there.
pub(super) fn whole(
    fields: &Fields<'_>,
    key: &'static str,
    low: u32,
    high: u32,
    to: &mut u32,
) -> Result<(), YamlError> {
    let Some(field) = fields.get(key) else {
        return Ok(());
    };
    let number = match field.node.value {
        Value::Integer(value) => u32::try_from(value).ok(),
        _ => None,
    };
    *to = number
        .filter(|value| (low..=high).contains(value))
        .ok_or_else(|| field.wrong(format!("a whole number from {low} to {high}")))?;
    Ok(())
}

pub(super) fn flag(fields: &Fields<'_>, key: &'static str, to: &mut bool) -> Result<(), YamlError> {
    *to = fields.flag(key, *to)?;
    Ok(())
}

/// Text with at least one letter and not too many.
pub(super) fn text(field: &Field<'_>) -> Result<String, YamlError> {
    within(field, KachakaConfig::MAX_TEXT, SHORT_TEXT)
}

/// An id, which is shorter than other texts.
pub(super) fn id(field: &Field<'_>) -> Result<String, YamlError> {
    within(field, KachakaConfig::MAX_ID, SHORT_ID)
}

fn within(field: &Field<'_>, limit: usize, expected: &str) -> Result<String, YamlError> {
    let value = field.text()?;
    if value.is_empty() || value.chars().count() > limit {
        return Err(field.wrong(expected));
    }
    Ok(value)
}

/// The id that a key must hold.
pub(super) fn needed_id(fields: &Fields<'_>, key: &'static str) -> Result<String, YamlError> {
    id(&fields.need(key, SHORT_ID)?)
}

/// An id, or "" for none, which is also what a key that is not there means.
pub(super) fn id_or_none(fields: &Fields<'_>, key: &'static str) -> Result<String, YamlError> {
    match fields.get(key) {
        Some(field) if !field.text()?.is_empty() => id(&field),
        _ => Ok(String::new()),
    }
}

pub(super) fn pose(fields: &Fields<'_>) -> Result<Pose2, YamlError> {
    let yaw = fields.get("yaw").map_or(Ok(0.0), |field| field.angle())?;
    Ok(Pose2::new(
        fields.coordinate("x")?,
        fields.coordinate("y")?,
        yaw,
    ))
}

/// The value with the name that a field holds.
pub(super) fn choice<T: Copy>(field: &Field<'_>, known: &[(&str, T)]) -> Result<T, YamlError> {
    let word = field.text()?;
    let named = known.iter().find(|(name, _)| *name == word);
    named.map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        field.wrong(format!("one of {}", names.join(", ")))
    })
}

/// A list of so many things at most that are told apart by their ids.
pub(super) fn read_unique<T>(
    fields: &Fields<'_>,
    key: &'static str,
    limit: usize,
    read: fn(Field<'_>) -> Result<T, YamlError>,
    id: fn(&T) -> &String,
) -> Result<Vec<T>, YamlError> {
    let mut taken: BTreeMap<String, (String, Place)> = BTreeMap::new();
    let mut things = Vec::new();
    let list = fields.list(key)?;
    if let Some(surplus) = list.get(limit) {
        return Err(surplus.wrong(format!("left out: at most {limit} {key} are kept")));
    }
    for field in list {
        let thing = read(field.clone())?;
        let own = (field.path.clone(), field.node.at.clone());
        if let Some((path, at)) = taken.insert(id(&thing).clone(), own) {
            let expected = format!("an id of its own: {path} has it ({at})");
            return Err(field.below("id").wrong(expected));
        }
        things.push(thing);
    }
    Ok(things)
}
