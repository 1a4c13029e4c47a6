//! Typed reading of a mapping whose keys are known.

use super::error::{LayoutError, Place, hint};
use super::tree::{Node, Value};
use crate::world::MAX_COORDINATE;

/// A node with the path of keys that leads to it.
#[derive(Debug, Clone)]
pub(super) struct Field<'a> {
    pub(super) path: String,
    pub(super) node: &'a Node,
}

/// A mapping of which every key is known.
#[derive(Debug)]
pub(super) struct Fields<'a> {
    path: String,
    node: &'a Node,
}

impl<'a> Fields<'a> {
    /// Takes a node as a mapping.
    ///
    /// # Errors
    /// When it is none, or has a key that is not among the known ones.
    pub(super) fn new(field: Field<'a>, known: &[&'static str]) -> Result<Self, LayoutError> {
        let Value::Map(entries) = &field.node.value else {
            let expected = format!("a mapping with the keys {}", known.join(", "));
            return Err(field.wrong(expected));
        };
        match entries
            .iter()
            .find(|entry| !known.contains(&entry.key.as_str()))
        {
            Some(unknown) => Err(LayoutError::UnknownKey {
                at: unknown.key_at.clone(),
                key: unknown.key.clone(),
                inside: field.shown(),
                hint: hint(&unknown.key, known),
            }),
            None => Ok(Self {
                path: field.path,
                node: field.node,
            }),
        }
    }

    pub(super) fn path(&self) -> &str {
        &self.path
    }

    pub(super) fn at(&self) -> &Place {
        &self.node.at
    }

    /// The value of a key, if the mapping has it.
    pub(super) fn get(&self, key: &'static str) -> Option<Field<'a>> {
        self.node.get(key).map(|node| Field {
            path: child(&self.path, key),
            node,
        })
    }

    /// The value of a key that must be there.
    pub(super) fn need(
        &self,
        key: &'static str,
        expected: &'static str,
    ) -> Result<Field<'a>, LayoutError> {
        self.get(key).ok_or_else(|| LayoutError::MissingKey {
            at: self.node.at.clone(),
            inside: self.path.clone(),
            key,
            expected,
        })
    }

    /// A coordinate in metres, 0 when the key is not there.
    pub(super) fn coordinate(&self, key: &'static str) -> Result<f64, LayoutError> {
        self.get(key).map_or(Ok(0.0), |field| field.coordinate())
    }

    /// Text, or the default when the key is not there.
    pub(super) fn text(&self, key: &'static str, default: &str) -> Result<String, LayoutError> {
        self.get(key)
            .map_or_else(|| Ok(default.to_owned()), |field| field.text())
    }

    /// `true` or `false`, or the default when the key is not there.
    pub(super) fn flag(&self, key: &'static str, default: bool) -> Result<bool, LayoutError> {
        self.get(key).map_or(Ok(default), |field| field.flag())
    }

    /// The items of a list; none when the key is not there or has no value.
    pub(super) fn list(&self, key: &'static str) -> Result<Vec<Field<'a>>, LayoutError> {
        match self.get(key) {
            Some(field) if !matches!(field.node.value, Value::Empty) => field.list(),
            _ => Ok(Vec::new()),
        }
    }
}

impl<'a> Field<'a> {
    /// The error for a value that is not what was expected.
    pub(super) fn wrong(&self, expected: impl Into<String>) -> LayoutError {
        LayoutError::Value {
            at: self.node.at.clone(),
            key: self.shown(),
            found: self.node.value.to_string(),
            expected: expected.into(),
        }
    }

    /// The path as an error shows it.
    fn shown(&self) -> String {
        match self.path.as_str() {
            "" => "the layout".to_owned(),
            path => path.to_owned(),
        }
    }

    /// A number, also one that is not finite.
    pub(super) fn any_number(&self) -> Result<f64, LayoutError> {
        match self.node.value {
            Value::Integer(value) => Ok(value as f64),
            Value::Real(value) => Ok(value),
            _ => Err(self.wrong("a number")),
        }
    }

    /// An angle in radians.
    pub(super) fn angle(&self) -> Result<f64, LayoutError> {
        let within = |value: f64| value.abs() <= MAX_COORDINATE;
        self.number_where(within, "an angle in rad, from -1e6 to 1e6")
    }

    /// A finite number in a range; `expected` says which.
    pub(super) fn number_where(
        &self,
        allowed: impl Fn(f64) -> bool,
        expected: &str,
    ) -> Result<f64, LayoutError> {
        match self.any_number() {
            Ok(value) if value.is_finite() && allowed(value) => Ok(value),
            _ => Err(self.wrong(expected)),
        }
    }

    /// A coordinate in metres.
    pub(super) fn coordinate(&self) -> Result<f64, LayoutError> {
        let within = |value: f64| value.abs() <= MAX_COORDINATE;
        self.number_where(within, "a number of metres from -1e6 to 1e6")
    }

    /// A length in metres.
    pub(super) fn length(&self) -> Result<f64, LayoutError> {
        let within = |value: f64| value > 0.0 && value <= MAX_COORDINATE;
        self.number_where(within, "a length above 0 m, at most 1e6 m")
    }

    /// A number that is not below zero.
    pub(super) fn not_negative(&self) -> Result<f64, LayoutError> {
        self.number_where(|value| value >= 0.0, "a finite number that is not below 0")
    }

    /// How many, at least one.
    pub(super) fn count(&self) -> Result<u32, LayoutError> {
        match self.node.value {
            Value::Integer(value) if value > 0 => u32::try_from(value).ok(),
            _ => None,
        }
        .ok_or_else(|| self.wrong("a whole number from 1 to 4294967295"))
    }

    pub(super) fn text(&self) -> Result<String, LayoutError> {
        match &self.node.value {
            Value::Text(value) => Ok(value.clone()),
            Value::Integer(_) | Value::Real(_) | Value::Bool(_) => {
                Err(self.wrong(format!("text: put it in quotes, \"{}\"", self.node.value)))
            }
            _ => Err(self.wrong("text")),
        }
    }

    pub(super) fn flag(&self) -> Result<bool, LayoutError> {
        match self.node.value {
            Value::Bool(value) => Ok(value),
            _ => Err(self.wrong("true or false")),
        }
    }

    pub(super) fn list(&self) -> Result<Vec<Field<'a>>, LayoutError> {
        match &self.node.value {
            Value::List(items) => Ok(items
                .iter()
                .enumerate()
                .map(|(index, node)| Field {
                    path: format!("{}[{index}]", self.path),
                    node,
                })
                .collect()),
            _ => Err(self.wrong("a list")),
        }
    }

    /// What lies below this node at a path such as `linear.low` or `gain[0]`, as far as it
    /// is there.
    pub(super) fn below(&self, path: &str) -> Self {
        let mut node = self.node;
        for step in path.split(['.', '[', ']']) {
            let next = match &node.value {
                Value::List(items) => step.parse().ok().and_then(|index: usize| items.get(index)),
                _ => node.get(step),
            };
            node = next.unwrap_or(node);
        }
        Self {
            path: child(&self.path, path),
            node,
        }
    }

    /// A list of exactly `N` numbers, also ones that are not finite; `expected` says which.
    pub(super) fn numbers<const N: usize>(&self, expected: &str) -> Result<[f64; N], LayoutError> {
        let items = self.list().map_err(|_| self.wrong(expected))?;
        let values = items
            .iter()
            .map(Field::any_number)
            .collect::<Result<Vec<_>, _>>()?;
        <[f64; N]>::try_from(values).map_err(|_| {
            let mut error = self.wrong(expected);
            if let LayoutError::Value { found, .. } = &mut error {
                *found = format!("a list of {}", items.len());
            }
            error
        })
    }

    /// A list of `[x, y]` pairs.
    pub(super) fn points(&self) -> Result<Vec<[f64; 2]>, LayoutError> {
        const POINT: &str = "a point [x, y], each from -1e6 to 1e6 m";
        self.list()?
            .iter()
            .map(|field| {
                let point: [f64; 2] = field.numbers(POINT)?;
                // NaN fails the comparison, too.
                if point.iter().all(|value| value.abs() <= MAX_COORDINATE) {
                    Ok(point)
                } else {
                    Err(LayoutError::Value {
                        at: field.node.at.clone(),
                        key: field.path.clone(),
                        found: format!("{point:?}"),
                        expected: POINT.to_owned(),
                    })
                }
            })
            .collect()
    }
}

/// The path of a key inside a mapping.
fn child(path: &str, key: &str) -> String {
    if path.is_empty() {
        key.to_owned()
    } else {
        format!("{path}.{key}")
    }
}
