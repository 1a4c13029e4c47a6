//! What can be wrong with a robot description.

/// A robot description that cannot be used.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DescriptionError {
    /// More text than [`super::MAX_URDF_BYTES`].
    #[error("the URDF has {0} bytes, at most {max} are read", max = super::MAX_URDF_BYTES)]
    TooLong(usize),
    /// A NUL byte, which neither XML nor a ROS string can hold.
    #[error("the URDF has a NUL byte at offset {0}")]
    NulByte(usize),
    /// Text that is no well-formed XML, or that declares entities.
    #[error("the URDF is not well-formed XML, line {line}, column {column}: {message}")]
    Xml {
        /// Line, from 1.
        line: u32,
        /// Column, from 1.
        column: u32,
        /// What the XML parser says.
        message: String,
    },
    /// The outermost element is not `<robot>`.
    #[error("the URDF's outermost element is <{0}>, it must be <robot>")]
    NotARobot(String),
    /// Text that still has to go through xacro.
    #[error("line {line}: {what} belongs to xacro: expand the file with xacro first")]
    Unexpanded {
        /// The tag or the attribute's text.
        what: String,
        /// Line, from 1.
        line: u32,
    },
    /// A robot without a body.
    #[error("the URDF has no <link>")]
    NoLinks,
    /// A tag that lacks an attribute, or has it empty.
    #[error("line {line}: <{tag}> needs the attribute {attribute}")]
    MissingAttribute {
        /// Name of the tag.
        tag: String,
        /// Name of the attribute.
        attribute: &'static str,
        /// Line, from 1.
        line: u32,
    },
    /// A tag that lacks a child tag.
    #[error("line {line}: {inside} needs a <{element}>")]
    MissingElement {
        /// The tag it belongs into, with its name.
        inside: String,
        /// Name of the child tag.
        element: &'static str,
        /// Line, from 1.
        line: u32,
    },
    /// A number, or a row of numbers, that cannot be read.
    #[error("line {line}: {place} is {text:?}, it must be {expected}")]
    Number {
        /// The tag, and the attribute if it stands in one.
        place: String,
        /// What stands there.
        text: String,
        /// What would be right.
        expected: String,
        /// Line, from 1.
        line: u32,
    },
    /// Two links or two joints of one name.
    #[error("line {line}: there is a second {kind} of the name {name:?}")]
    Duplicate {
        /// `link` or `joint`.
        kind: &'static str,
        /// The name.
        name: String,
        /// Line of the second one, from 1.
        line: u32,
    },
    /// A joint type that URDF does not know.
    #[error(
        "joint {joint:?} has the type {kind:?}, it must be one of \
         fixed, revolute, continuous, prismatic, floating, planar"
    )]
    JointKind {
        /// Name of the joint.
        joint: String,
        /// The type it states.
        kind: String,
    },
    /// A joint between links of which one does not exist.
    #[error("joint {joint:?} names the {role} link {link:?}, which does not exist")]
    UnknownLink {
        /// Name of the joint.
        joint: String,
        /// `parent` or `child`.
        role: &'static str,
        /// The link it names.
        link: String,
    },
    /// A link that is the child of two joints.
    #[error("link {link:?} is the child of two joints, {first:?} and {second:?}")]
    TwoParents {
        /// Name of the link.
        link: String,
        /// One joint.
        first: String,
        /// The other joint.
        second: String,
    },
    /// Links that no joints connect.
    #[error("the links are not one tree: {0} have no parent joint, exactly one link may have none")]
    SeveralRoots(String),
    /// Joints that lead round in a circle.
    #[error("joint {0:?} is part of a loop of joints")]
    Loop(String),
    /// A sensor block that cannot be placed or lacks what it needs.
    #[error("sensor {sensor:?}: {problem}")]
    Sensor {
        /// Name of the sensor.
        sensor: String,
        /// The element at fault and what would be right.
        problem: String,
    },
    /// A look-up of a link that does not exist.
    #[error("the URDF has no link {0:?}")]
    NoSuchLink(String),
    /// A look-up of a sensor that does not exist.
    #[error("the URDF has no sensor {name:?}; it has {known}")]
    NoSuchSensor {
        /// The name that was asked for.
        name: String,
        /// The names that exist.
        known: String,
    },
    /// A look-up of a sensor by a name that several blocks have.
    #[error("the URDF has several sensors of the name {0:?}")]
    AmbiguousSensor(String),
}
