//! Typed reading of a mapping whose keys are known.

use super::error::{Place, YamlError, hint};
use super::tree::{Node, Value};
use crate::world::MAX_COORDINATE;

/// A node with the path of keys that leads to it.
#[derive(Debug, Clone)]
pub(crate) struct Field<'a> {
    pub(crate) path: String,
    pub(crate) node: &'a Node,
}

/// A mapping of which every key is known.
#[derive(Debug)]
pub(crate) struct Fields<'a> {
    path: String,
    node: &'a Node,
}

impl<'a> Fields<'a> {
    /// Takes a node as a mapping.
    ///
    /// # Errors
    /// When it is none, or has a key that is not among the known ones.
    pub(crate) fn new(field: Field<'a>, known: &[&'static str]) -> Result<Self, YamlError> {
        let Value::Map(entries) = &field.node.value else {
            let expected = format!("a mapping with the keys {}", known.join(", "));
            return Err(field.wrong(expected));
        };
        match entries
            .iter()
            .find(|entry| !known.contains(&entry.key.as_str()))
        {
            Some(unknown) => Err(YamlError::UnknownKey {
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

    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    pub(crate) fn at(&self) -> &Place {
        &self.node.at
    }

    /// The value of a key, if the mapping has it.
    pub(crate) fn get(&self, key: &'static str) -> Option<Field<'a>> {
        self.node.get(key).map(|node| Field {
            path: child(&self.path, key),
            node,
        })
    }

    /// The value of a key that must be there.
    pub(crate) fn need(
        &self,
        key: &'static str,
        expected: &'static str,
    ) -> Result<Field<'a>, YamlError> {
        self.get(key).ok_or_else(|| YamlError::MissingKey {
            at: self.node.at.clone(),
            inside: self.path.clone(),
            key,
            expected,
        })
    }

    /// A coordinate in metres, 0 when the key is not there.
    pub(crate) fn coordinate(&self, key: &'static str) -> Result<f64, YamlError> {
        self.get(key).map_or(Ok(0.0), |field| field.coordinate())
    }

    /// Text, or the default when the key is not there.
    pub(crate) fn text(&self, key: &'static str, default: &str) -> Result<String, YamlError> {
        self.get(key)
            .map_or_else(|| Ok(default.to_owned()), |field| field.text())
    }

    /// `true` or `false`, or the default when the key is not there.
    pub(crate) fn flag(&self, key: &'static str, default: bool) -> Result<bool, YamlError> {
        self.get(key).map_or(Ok(default), |field| field.flag())
    }

    /// The items of a list; none when the key is not there or has no value.
    pub(crate) fn list(&self, key: &'static str) -> Result<Vec<Field<'a>>, YamlError> {
        match self.get(key) {
            Some(field) if !matches!(field.node.value, Value::Empty) => field.list(),
            _ => Ok(Vec::new()),
        }
    }
}

impl<'a> Field<'a> {
    /// The error for a value that is not what was expected.
    pub(crate) fn wrong(&self, expected: impl Into<String>) -> YamlError {
        YamlError::Value {
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
    pub(crate) fn any_number(&self) -> Result<f64, YamlError> {
        match self.node.value {
            Value::Integer(value) => Ok(value as f64),
            Value::Real(value) => Ok(value),
            _ => Err(self.wrong("a number")),
        }
    }

    /// An angle in radians.
    pub(crate) fn angle(&self) -> Result<f64, YamlError> {
        let within = |value: f64| value.abs() <= MAX_COORDINATE;
        self.number_where(within, "an angle in rad, from -1e6 to 1e6")
    }

    /// A finite number in a range; `expected` says which.
    pub(crate) fn number_where(
        &self,
        allowed: impl Fn(f64) -> bool,
        expected: &str,
    ) -> Result<f64, YamlError> {
        match self.any_number() {
            Ok(value) if value.is_finite() && allowed(value) => Ok(value),
            _ => Err(self.wrong(expected)),
        }
    }

    /// A coordinate in metres.
    pub(crate) fn coordinate(&self) -> Result<f64, YamlError> {
        let within = |value: f64| value.abs() <= MAX_COORDINATE;
        self.number_where(within, "a number of metres from -1e6 to 1e6")
    }

    /// A length in metres.
    pub(crate) fn length(&self) -> Result<f64, YamlError> {
        let within = |value: f64| value > 0.0 && value <= MAX_COORDINATE;
        self.number_where(within, "a length above 0 m, at most 1e6 m")
    }

    /// A number that is not below zero.
    pub(crate) fn not_negative(&self) -> Result<f64, YamlError> {
        self.number_where(|value| value >= 0.0, "a finite number that is not below 0")
    }

    /// How many, at least one.
    pub(crate) fn count(&self) -> Result<u32, YamlError> {
        match self.node.value {
            Value::Integer(value) if value > 0 => u32::try_from(value).ok(),
            _ => None,
        }
        .ok_or_else(|| self.wrong("a whole number from 1 to 4294967295"))
    }

    /// A whole number, also below zero.
    pub(crate) fn whole_number(&self) -> Result<i64, YamlError> {
        match self.node.value {
            Value::Integer(value) => Ok(value),
            _ => Err(self.wrong("a whole number")),
        }
    }

    /// Text. No message of ROS can hold a NUL character, so no text may.
    pub(crate) fn text(&self) -> Result<String, YamlError> {
        match &self.node.value {
            Value::Text(value) if value.contains('\0') => {
                Err(self.wrong("text without NUL characters"))
            }
            Value::Text(value) => Ok(value.clone()),
            Value::Integer(_) | Value::Real(_) | Value::Bool(_) => {
                Err(self.wrong(format!("text: put it in quotes, \"{}\"", self.node.value)))
            }
            _ => Err(self.wrong("text")),
        }
    }

    pub(crate) fn flag(&self) -> Result<bool, YamlError> {
        match self.node.value {
            Value::Bool(value) => Ok(value),
            _ => Err(self.wrong("true or false")),
        }
    }

    pub(crate) fn list(&self) -> Result<Vec<Field<'a>>, YamlError> {
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
    pub(crate) fn below(&self, path: &str) -> Self {
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
    pub(crate) fn numbers<const N: usize>(&self, expected: &str) -> Result<[f64; N], YamlError> {
        let items = self.list().map_err(|_| self.wrong(expected))?;
        let values = items
            .iter()
            .map(Field::any_number)
            .collect::<Result<Vec<_>, _>>()?;
        <[f64; N]>::try_from(values).map_err(|_| {
            let mut error = self.wrong(expected);
            if let YamlError::Value { found, .. } = &mut error {
                *found = format!("a list of {}", items.len());
            }
            error
        })
    }

    /// A list of `[x, y]` pairs.
    pub(crate) fn points(&self) -> Result<Vec<[f64; 2]>, YamlError> {
        const POINT: &str = "a point [x, y], each from -1e6 to 1e6 m";
        self.list()?
            .iter()
            .map(|field| {
                let point: [f64; 2] = field.numbers(POINT)?;
                // NaN fails the comparison, too.
                if point.iter().all(|value| value.abs() <= MAX_COORDINATE) {
                    Ok(point)
                } else {
                    Err(YamlError::Value {
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
