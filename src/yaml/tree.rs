//! A YAML document as a tree whose nodes know where they stand.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde_yaml::options::NonFiniteFloatPolicy;
use serde_yaml::{DefaultMessageFormatter, Localizer, Location, Spanned};

use super::error::{Place, YamlError};

/// Upper bound of nodes in one file, anchors expanded: some 50,000 boxes.
const MAX_NODES: usize = 1_000_000;

/// Upper bound of levels of lists and mappings.
const MAX_DEPTH: usize = 64;

/// Upper bound of parsing events that anchors stand for: more than a layout repeats by hand.
const MAX_REPLAYED: usize = 50_000;

/// Letters of a text that an error shows.
const MAX_SHOWN: usize = 60;

/// A value with its place.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) at: Place,
    pub(crate) value: Value,
}

/// The value of a node.
#[derive(Debug, Clone)]
pub(crate) enum Value {
    Empty,
    Bool(bool),
    Integer(i64),
    Real(f64),
    Text(String),
    List(Vec<Node>),
    Map(Vec<Entry>),
}

/// One key of a mapping and what it holds. Keys of a mapping are unique.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) key_at: Place,
    pub(crate) node: Node,
}

/// The value as an error shows it.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("empty"),
            Self::Bool(value) => write!(f, "{value}"),
            Self::Integer(value) => write!(f, "{value}"),
            Self::Real(value) => write!(f, "{value:?}"),
            Self::Text(value) if value.chars().count() > MAX_SHOWN => {
                let start: String = value.chars().take(MAX_SHOWN).collect();
                write!(f, "{start:?}...")
            }
            Self::Text(value) => write!(f, "{value:?}"),
            Self::List(_) => f.write_str("a list"),
            Self::Map(_) => f.write_str("a mapping"),
        }
    }
}

impl Node {
    /// Reads one YAML document.
    ///
    /// # Errors
    /// When the text is no YAML, uses a key twice or is larger than the budget.
    pub(crate) fn read(text: &str, source: &Arc<str>) -> Result<Self, YamlError> {
        let options = serde_yaml::options! {
            // Reported later, with the key that has it.
            non_finite_float_policy: NonFiniteFloatPolicy::PassThrough,
            strict_booleans: true,
            with_snippet: false,
            alias_limits: serde_yaml::alias_limits! {
                max_total_replayed_events: MAX_REPLAYED,
            },
            budget: serde_yaml::budget! {
                max_depth: MAX_DEPTH,
                max_nodes: MAX_NODES,
                max_events: 2 * MAX_NODES,
            },
        };
        let raw: Raw = serde_yaml::from_str_with_options(text, options)
            .map_err(|error| yaml_error(&error, source))?;
        Ok(raw.placed(source))
    }

    /// The same value as YAML text, on one line.
    pub(crate) fn to_text(&self) -> String {
        let mut text = String::new();
        self.write(&mut text);
        text
    }

    fn write(&self, text: &mut String) {
        match &self.value {
            Value::Empty => text.push_str("null"),
            Value::Bool(value) => text.push_str(if *value { "true" } else { "false" }),
            Value::Integer(value) => text.push_str(&value.to_string()),
            Value::Real(value) if value.is_nan() => text.push_str(".nan"),
            Value::Real(value) if value.is_infinite() => {
                text.push_str(if *value > 0.0 { ".inf" } else { "-.inf" });
            }
            // With all digits, and never as a whole number.
            Value::Real(value) => text.push_str(&format!("{value:?}")),
            Value::Text(value) => write_quoted(value, text),
            Value::List(items) => {
                text.push('[');
                for (index, item) in items.iter().enumerate() {
                    text.push_str(if index == 0 { "" } else { ", " });
                    item.write(text);
                }
                text.push(']');
            }
            Value::Map(entries) => {
                text.push('{');
                for (index, entry) in entries.iter().enumerate() {
                    text.push_str(if index == 0 { "" } else { ", " });
                    write_quoted(&entry.key, text);
                    text.push_str(": ");
                    entry.node.write(text);
                }
                text.push('}');
            }
        }
    }

    /// The mapping's value of a key.
    pub(crate) fn get(&self, key: &str) -> Option<&Self> {
        match &self.value {
            Value::Map(entries) => entries.iter().find(|e| e.key == key).map(|e| &e.node),
            _ => None,
        }
    }

    /// The mapping's value of a key, to be changed.
    pub(crate) fn get_mut(&mut self, key: &str) -> Option<&mut Self> {
        match &mut self.value {
            Value::Map(entries) => entries
                .iter_mut()
                .find(|e| e.key == key)
                .map(|e| &mut e.node),
            _ => None,
        }
    }

    /// Takes a key out of a mapping.
    pub(crate) fn remove(&mut self, key: &str) {
        if let Value::Map(entries) = &mut self.value {
            entries.retain(|entry| entry.key != key);
        }
    }

    /// Puts another mapping over this one: what it has wins, mappings are joined key by
    /// key, everything else is replaced whole. The result stands where `over` stands.
    pub(crate) fn overlay(&mut self, over: Self) {
        match (&mut self.value, over.value) {
            (Value::Map(under), Value::Map(upper)) => {
                self.at = over.at;
                for entry in upper {
                    match under.iter_mut().find(|e| e.key == entry.key) {
                        Some(present) => {
                            present.key_at = entry.key_at;
                            present.node.overlay(entry.node);
                        }
                        None => under.push(entry),
                    }
                }
            }
            (_, value) => *self = Self { at: over.at, value },
        }
    }
}

/// Text in double quotes, with everything escaped that YAML might take for something else.
fn write_quoted(value: &str, text: &mut String) {
    text.push('"');
    for letter in value.chars() {
        match letter {
            '"' | '\\' => text.extend(['\\', letter]),
            ' '..='~' => text.push(letter),
            _ => text.push_str(&format!("\\U{:08x}", u32::from(letter))),
        }
    }
    text.push('"');
}

fn yaml_error(error: &serde_yaml::Error, source: &Arc<str>) -> YamlError {
    let at = match error.location() {
        Some(location) if location != Location::UNKNOWN => {
            Place::at(source, location.line(), location.column())
        }
        _ => Place::whole(source),
    };
    let formatter = DefaultMessageFormatter.with_localizer(&WithoutPlace);
    let said = error.without_snippet().render_with_formatter(&formatter);
    // Behind the comma or semicolon of these two stands advice for whoever calls the reader.
    let reason = if said.starts_with("duplicate mapping key") {
        said.split(", set ").next().unwrap_or(&said).to_owned()
    } else {
        plain(&said).unwrap_or(said)
    };
    // It may quote a key, and no message of ROS can hold a NUL character.
    let reason = reason.replace('\0', "\\0");
    YamlError::Syntax { at, reason }
}

/// In plain words what the reader says in those of its program; `None` where it has good ones.
fn plain(said: &str) -> Option<String> {
    let starts = |words: &str| said.starts_with(words);
    if starts("multiple YAML documents") {
        Some("a file holds one YAML document, there must be no second one behind ---".to_owned())
    } else if starts("cannot deserialize null into string") || starts("expected string scalar") {
        Some("a key must be text".to_owned())
    } else if starts("recursive references") {
        Some("an anchor that contains its own alias is not allowed".to_owned())
    } else if starts("budget breached: Depth") || starts("recursion limit exceeded") {
        Some(format!("nested deeper than {MAX_DEPTH} levels"))
    } else if starts("budget breached: Nodes") || starts("budget breached: Events") {
        Some(format!("more than {MAX_NODES} values"))
    } else if starts("budget breached") {
        Some("too large, or with too many anchors and aliases".to_owned())
    } else {
        None
    }
}

/// The reader's texts without the position, which stands in front of ours already.
struct WithoutPlace;

impl Localizer for WithoutPlace {
    fn attach_location<'a>(&self, base: Cow<'a, str>, _: Location) -> Cow<'a, str> {
        base
    }
}

/// A node as the YAML reader hands it out.
struct Raw(Spanned<RawValue>);

enum RawValue {
    Scalar(Value),
    List(Vec<Raw>),
    Map(Vec<(Spanned<String>, Raw)>),
}

impl Raw {
    fn placed(self, source: &Arc<str>) -> Node {
        let value = match self.0.value {
            RawValue::Scalar(value) => value,
            RawValue::List(items) => {
                Value::List(items.into_iter().map(|item| item.placed(source)).collect())
            }
            RawValue::Map(entries) => Value::Map(
                entries
                    .into_iter()
                    .map(|(key, raw)| Entry {
                        key_at: place_of(key.referenced, source),
                        key: key.value,
                        node: raw.placed(source),
                    })
                    .collect(),
            ),
        };
        Node {
            at: place_of(self.0.referenced, source),
            value,
        }
    }
}

fn place_of(location: Location, source: &Arc<str>) -> Place {
    Place::at(source, location.line(), location.column())
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Spanned::deserialize(deserializer).map(Self)
    }
}

impl<'de> Deserialize<'de> for RawValue {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RawVisitor)
    }
}

struct RawVisitor;

impl<'de> Visitor<'de> for RawVisitor {
    type Value = RawValue;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a YAML value")
    }

    fn visit_unit<E>(self) -> Result<RawValue, E> {
        Ok(RawValue::Scalar(Value::Empty))
    }

    fn visit_none<E>(self) -> Result<RawValue, E> {
        Ok(RawValue::Scalar(Value::Empty))
    }

    fn visit_some<D: serde::Deserializer<'de>>(self, inner: D) -> Result<RawValue, D::Error> {
        inner.deserialize_any(self)
    }

    fn visit_bool<E>(self, value: bool) -> Result<RawValue, E> {
        Ok(RawValue::Scalar(Value::Bool(value)))
    }

    fn visit_i64<E>(self, value: i64) -> Result<RawValue, E> {
        Ok(RawValue::Scalar(Value::Integer(value)))
    }

    fn visit_u64<E>(self, value: u64) -> Result<RawValue, E> {
        // Beyond i64 no key takes a number that needs all digits.
        let scalar = i64::try_from(value).map_or(Value::Real(value as f64), Value::Integer);
        Ok(RawValue::Scalar(scalar))
    }

    fn visit_f64<E>(self, value: f64) -> Result<RawValue, E> {
        Ok(RawValue::Scalar(Value::Real(value)))
    }

    fn visit_str<E>(self, value: &str) -> Result<RawValue, E> {
        Ok(RawValue::Scalar(Value::Text(value.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<RawValue, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(RawValue::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<RawValue, A::Error> {
        let mut map = Vec::new();
        while let Some(entry) = entries.next_entry()? {
            map.push(entry);
        }
        Ok(RawValue::Map(map))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn node(value: Value) -> Node {
        Node {
            at: Place::whole(&Arc::from("test")),
            value,
        }
    }

    fn any_node() -> impl Strategy<Value = Node> {
        let leaf = prop_oneof![
            Just(Value::Empty),
            any::<bool>().prop_map(Value::Bool),
            any::<i64>().prop_map(Value::Integer),
            any::<f64>()
                .prop_filter("one NaN is like another", |value| !value.is_nan())
                .prop_map(Value::Real),
            any::<String>().prop_map(Value::Text),
            // What looks like something else.
            proptest::sample::select(vec![
                "true", "~", "12", "1e3", "# no", "a: b", "- a", "\n \t", "'", "<<",
            ])
            .prop_map(|text| Value::Text(text.to_owned())),
        ];
        leaf.prop_map(node).prop_recursive(4, 32, 5, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..5)
                    .prop_map(|items| node(Value::List(items))),
                proptest::collection::btree_map(any::<String>(), inner, 0..5).prop_map(|map| {
                    let entry = |(key, node): (String, Node)| Entry {
                        key,
                        key_at: node.at.clone(),
                        node,
                    };
                    node(Value::Map(map.into_iter().map(entry).collect()))
                }),
            ]
        })
    }

    /// Without places.
    fn plain(node: &Node) -> String {
        match &node.value {
            Value::Real(value) => format!("{:x}", value.to_bits()),
            Value::List(items) => format!("{:?}", items.iter().map(plain).collect::<Vec<_>>()),
            Value::Map(entries) => {
                let entry = |entry: &Entry| (entry.key.clone(), plain(&entry.node));
                format!("{:?}", entries.iter().map(entry).collect::<Vec<_>>())
            }
            // A text is told from a number by its quotes.
            Value::Text(text) => format!("{text:?}"),
            other => other.to_string(),
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(node in any_node()) {
            let text = node.to_text();
            prop_assert!(!text.contains('\n'), "{text}");
            let back = Node::read(&text, &Arc::from("back"));
            let back = match back {
                Ok(back) => back,
                Err(error) => return Err(TestCaseError::fail(format!("{error}: {text}"))),
            };
            prop_assert_eq!(plain(&back), plain(&node), "{}", text);
        }
    }
}
