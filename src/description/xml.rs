//! Reading names and numbers out of XML, with errors that say where.

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use roxmltree::Node;

use super::DescriptionError;

/// Tags are skipped with a remark; past this many, the rest is only counted.
const MAX_REMARKS: usize = 200;

/// One line for each thing that was skipped.
#[derive(Debug, Default)]
pub(super) struct Remarks {
    lines: Vec<String>,
    beyond: usize,
}

impl Remarks {
    /// Notes that a tag is skipped, and why.
    pub(super) fn skipped(&mut self, node: Node<'_, '_>, why: &str) {
        // Finding the line reads the text from its start, so not without end.
        if self.lines.len() < MAX_REMARKS {
            let line = line_of(node);
            self.lines
                .push(format!("line {line}: {} skipped: {why}", label(node)));
        } else {
            self.beyond += 1;
        }
    }

    pub(super) fn into_lines(mut self) -> Vec<String> {
        if self.beyond > 0 {
            self.lines.push(format!("{} more skipped", self.beyond));
        }
        self.lines
    }
}

/// The line a tag begins on, from 1.
pub(super) fn line_of(node: Node<'_, '_>) -> u32 {
    node.document().text_pos_at(node.range().start).row
}

/// A tag as errors name it: with its name attribute if it has one.
pub(super) fn label(node: Node<'_, '_>) -> String {
    let tag = node.tag_name().name();
    match node.attribute("name") {
        Some(name) => format!("<{tag} name={name:?}>"),
        None => format!("<{tag}>"),
    }
}

/// The child elements of a tag.
pub(super) fn elements<'a, 'input>(
    node: Node<'a, 'input>,
) -> impl Iterator<Item = Node<'a, 'input>> {
    node.children().filter(Node::is_element)
}

/// The first child element of this name.
pub(super) fn child<'a, 'input>(node: Node<'a, 'input>, tag: &str) -> Option<Node<'a, 'input>> {
    elements(node).find(|n| n.tag_name().name() == tag)
}

/// The child element of this name, or an error that names both.
pub(super) fn required_child<'a, 'input>(
    node: Node<'a, 'input>,
    tag: &'static str,
) -> Result<Node<'a, 'input>, DescriptionError> {
    child(node, tag).ok_or_else(|| DescriptionError::MissingElement {
        inside: label(node),
        element: tag,
        line: line_of(node),
    })
}

/// An attribute that must be there and not empty.
pub(super) fn required_attribute<'a>(
    node: Node<'a, '_>,
    attribute: &'static str,
) -> Result<&'a str, DescriptionError> {
    node.attribute(attribute)
        .filter(|text| !text.is_empty())
        .ok_or_else(|| DescriptionError::MissingAttribute {
            tag: node.tag_name().name().to_owned(),
            attribute,
            line: line_of(node),
        })
}

/// The text of an element without surrounding space; comments inside do not cut it.
pub(super) fn text(node: Node<'_, '_>) -> String {
    let whole: String = node
        .children()
        .filter(Node::is_text)
        .filter_map(|n| n.text())
        .collect();
    whole.trim().to_owned()
}

/// The text of a child element; `None` if the element is missing or empty.
pub(super) fn child_text(node: Node<'_, '_>, tag: &str) -> Option<String> {
    child(node, tag).map(text).filter(|t| !t.is_empty())
}

/// A finite number in an attribute, if the attribute is there.
pub(super) fn attribute_f64(
    node: Node<'_, '_>,
    attribute: &str,
) -> Result<Option<f64>, DescriptionError> {
    let Some(written) = node.attribute(attribute) else {
        return Ok(None);
    };
    let [value] = numbers(node, &format!(" {attribute}"), written)?;
    Ok(Some(value))
}

/// Three finite numbers in an attribute, if the attribute is there.
pub(super) fn attribute_vector(
    node: Node<'_, '_>,
    attribute: &str,
) -> Result<Option<Vector3<f64>>, DescriptionError> {
    let Some(written) = node.attribute(attribute) else {
        return Ok(None);
    };
    let values: [f64; 3] = numbers(node, &format!(" {attribute}"), written)?;
    Ok(Some(Vector3::from(values)))
}

/// A finite number in a child element, if the element is there and not empty.
pub(super) fn child_f64(node: Node<'_, '_>, tag: &str) -> Result<Option<f64>, DescriptionError> {
    let Some(element) = child(node, tag) else {
        return Ok(None);
    };
    let written = text(element);
    if written.is_empty() {
        return Ok(None);
    }
    let [value] = numbers(element, "", &written)?;
    Ok(Some(value))
}

/// A whole number of at least 1 in a child element, if the element is there.
pub(super) fn child_count(node: Node<'_, '_>, tag: &str) -> Result<Option<u32>, DescriptionError> {
    let Some(element) = child(node, tag) else {
        return Ok(None);
    };
    let written = text(element);
    match written.parse::<u32>() {
        Ok(count) if count > 0 => Ok(Some(count)),
        _ => Err(bad_number(
            element,
            "",
            &written,
            "a whole number of at least 1",
        )),
    }
}

/// The pose in the `<origin>` of a tag, the identity without one.
pub(super) fn origin(node: Node<'_, '_>) -> Result<Isometry3<f64>, DescriptionError> {
    let Some(origin) = child(node, "origin") else {
        return Ok(Isometry3::identity());
    };
    let xyz = attribute_vector(origin, "xyz")?.unwrap_or_default();
    let rpy = attribute_vector(origin, "rpy")?.unwrap_or_default();
    Ok(isometry(xyz, rpy))
}

/// Exactly `N` finite numbers separated by space.
pub(super) fn numbers<const N: usize>(
    node: Node<'_, '_>,
    attribute: &str,
    written: &str,
) -> Result<[f64; N], DescriptionError> {
    let bad = || {
        let expected = match N {
            1 => "a finite number".to_owned(),
            _ => format!("{N} finite numbers"),
        };
        bad_number(node, attribute, written, &expected)
    };
    let mut values = [0.0_f64; N];
    let mut words = written.split_ascii_whitespace();
    for value in &mut values {
        let word = words.next().ok_or_else(bad)?;
        *value = word.parse().map_err(|_| bad())?;
        if !value.is_finite() {
            return Err(bad());
        }
    }
    if words.next().is_some() {
        return Err(bad());
    }
    Ok(values)
}

fn bad_number(
    node: Node<'_, '_>,
    attribute: &str,
    written: &str,
    expected: &str,
) -> DescriptionError {
    DescriptionError::Number {
        place: format!("<{}{attribute}>", node.tag_name().name()),
        // An error is read by people: not more of it than they need.
        text: written.chars().take(80).collect(),
        expected: expected.to_owned(),
        line: line_of(node),
    }
}

/// A pose from a translation and fixed-axis roll, pitch, yaw, as URDF and SDF write it.
pub(super) fn isometry(xyz: Vector3<f64>, rpy: Vector3<f64>) -> Isometry3<f64> {
    // nalgebra's sine is libm's here: rapier's feature `enhanced-determinism` switches
    // simba to it for the whole build.
    Isometry3::from_parts(
        Translation3::from(xyz),
        UnitQuaternion::from_euler_angles(rpy.x, rpy.y, rpy.z),
    )
}
