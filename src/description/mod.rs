//! Robot descriptions: URDF text and its gazebo sensor blocks as plain data.
//!
//! The text is read with roxmltree alone. urdf-rs reads links and joints as well, but
//! drops `<gazebo>` blocks, so the text would be read twice; it says neither line nor
//! attribute when a number is wrong, lets infinities and loops through, and insists on
//! geometry and materials that a 2.5D world does not use. The tests compare with it.

mod error;
mod gazebo;
mod kinematics;
mod sensor;
mod xml;

use std::collections::BTreeSet;

use nalgebra::Isometry3;
use roxmltree::{Document, Node};

use kinematics::Tree;
use xml::Remarks;

pub use error::DescriptionError;
pub use kinematics::{Joint, JointKind, JointLimits, Link, Mimic};
pub use sensor::{CameraBlock, LidarBlock, RangeBlock, ScanAxis, SensorBlock, SensorKind};

/// Longest URDF text that is read, in bytes.
pub const MAX_URDF_BYTES: usize = 4 * 1024 * 1024;

/// A robot as its URDF describes it.
#[derive(Debug, Clone, PartialEq)]
pub struct RobotDescription {
    name: String,
    tree: Tree,
    sensors: Vec<SensorBlock>,
}

impl RobotDescription {
    /// Reads a URDF. Next to it comes one line for every tag and plugin that was skipped
    /// because nothing here knows it.
    ///
    /// # Errors
    /// When the text is no URDF, is not expanded by xacro, its links are not one tree, or
    /// a sensor lacks what it needs; see [`DescriptionError`].
    pub fn parse(urdf: &str) -> Result<(Self, Vec<String>), DescriptionError> {
        if urdf.len() > MAX_URDF_BYTES {
            return Err(DescriptionError::TooLong(urdf.len()));
        }
        if let Some(offset) = urdf.bytes().position(|byte| byte == 0) {
            return Err(DescriptionError::NulByte(offset));
        }
        // Document types stay refused, roxmltree's default: no entities, no bombs.
        let document = Document::parse(urdf).map_err(|error| DescriptionError::Xml {
            line: error.pos().row,
            column: error.pos().col,
            message: error.to_string(),
        })?;
        let robot = document.root_element();
        refuse_xacro(robot)?;
        if robot.tag_name().name() != "robot" {
            let found = robot.tag_name().name().to_owned();
            return Err(DescriptionError::NotARobot(found));
        }
        let name = xml::required_attribute(robot, "name")?.to_owned();
        let mut remarks = Remarks::default();
        let tree = parse_tree(robot, &mut remarks)?;
        let mut sensors = Vec::new();
        for block in xml::elements(robot).filter(|n| n.tag_name().name() == "gazebo") {
            let is_link = |link: &str| tree.index(link).is_ok();
            gazebo::parse_block(block, is_link, &mut sensors, &mut remarks)?;
        }
        let description = Self {
            name,
            tree,
            sensors,
        };
        Ok((description, remarks.into_lines()))
    }

    /// The robot's name in the URDF.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Name of the link that all others hang under.
    #[must_use]
    pub fn root(&self) -> &str {
        &self.tree.links[self.tree.root].name
    }

    /// All links, in the order of the document.
    #[must_use]
    pub fn links(&self) -> &[Link] {
        &self.tree.links
    }

    /// All joints, in the order of the document.
    #[must_use]
    pub fn joints(&self) -> &[Joint] {
        &self.tree.joints
    }

    /// The joints that a joint state names, in the order of the document: all whose
    /// position is one number, those that mimic another included.
    pub fn movable_joints(&self) -> impl Iterator<Item = &Joint> {
        self.joints().iter().filter(|j| j.kind.has_position())
    }

    /// Names of the joints that turn, in the order of the document: those a wheel can have.
    #[must_use]
    pub fn turning_joints(&self) -> Vec<&str> {
        let turns =
            |joint: &&Joint| matches!(joint.kind, JointKind::Revolute | JointKind::Continuous);
        (self.joints().iter().filter(turns))
            .map(|joint| joint.name.as_str())
            .collect()
    }

    /// The fixed joints, in the order of the document: what `/tf_static` holds.
    pub fn fixed_joints(&self) -> impl Iterator<Item = &Joint> {
        (self.joints().iter()).filter(|j| j.kind == JointKind::Fixed)
    }

    /// Mass of all links together, kg.
    #[must_use]
    pub fn total_mass(&self) -> f64 {
        self.links().iter().map(|link| link.mass).sum()
    }

    /// All sensor blocks, in the order of the document.
    #[must_use]
    pub fn sensors(&self) -> &[SensorBlock] {
        &self.sensors
    }

    /// The sensor block of this name.
    ///
    /// # Errors
    /// When no block has the name (the error lists those that exist) or several have.
    pub fn sensor(&self, name: &str) -> Result<&SensorBlock, DescriptionError> {
        let mut found = self.sensors.iter().filter(|s| s.name == name);
        match (found.next(), found.next()) {
            (Some(sensor), None) => Ok(sensor),
            (Some(_), Some(_)) => Err(DescriptionError::AmbiguousSensor(name.to_owned())),
            (None, _) => {
                let known: Vec<String> = (self.sensors.iter())
                    .map(|s| format!("{:?}", s.name))
                    .collect();
                Err(DescriptionError::NoSuchSensor {
                    name: name.to_owned(),
                    known: match known.is_empty() {
                        true => "none".to_owned(),
                        false => known.join(", "),
                    },
                })
            }
        }
    }

    /// Whether a link of this name exists.
    #[must_use]
    pub fn has_link(&self, name: &str) -> bool {
        self.tree.index(name).is_ok()
    }

    /// The pose of a link in the frame of another, through the whole chain of joints
    /// between them, movable ones at zero.
    ///
    /// # Errors
    /// When one of the links does not exist.
    pub fn frame_in(&self, base: &str, link: &str) -> Result<Isometry3<f64>, DescriptionError> {
        Ok(self
            .tree
            .frame_in(self.tree.index(base)?, self.tree.index(link)?))
    }

    /// Whether two links are connected by fixed joints alone. A link is so with itself.
    ///
    /// # Errors
    /// When one of the links does not exist.
    pub fn is_fixed_to(&self, a: &str, b: &str) -> Result<bool, DescriptionError> {
        let a = self.tree.rigid_root(self.tree.index(a)?);
        let b = self.tree.rigid_root(self.tree.index(b)?);
        Ok(a == b)
    }
}

/// Reads links and joints and notes what else stands in the robot.
fn parse_tree(robot: Node<'_, '_>, remarks: &mut Remarks) -> Result<Tree, DescriptionError> {
    let mut links = Vec::new();
    let mut joints = Vec::new();
    let (mut link_names, mut joint_names) = (BTreeSet::new(), BTreeSet::new());
    let duplicate = |kind, name: &str, node| DescriptionError::Duplicate {
        kind,
        name: name.to_owned(),
        line: xml::line_of(node),
    };
    for node in xml::elements(robot) {
        match node.tag_name().name() {
            "link" => {
                let link = kinematics::parse_link(node, remarks)?;
                if !link_names.insert(link.name.clone()) {
                    return Err(duplicate("link", &link.name, node));
                }
                links.push(link);
            }
            "joint" => {
                let joint = kinematics::parse_joint(node, remarks)?;
                if !joint_names.insert(joint.name.clone()) {
                    return Err(duplicate("joint", &joint.name, node));
                }
                joints.push(joint);
            }
            // Colours are for viewers; sensor blocks are read once the links are known.
            "material" | "gazebo" => {}
            _ => remarks.skipped(node, "unknown in <robot>"),
        }
    }
    if links.is_empty() {
        return Err(DescriptionError::NoLinks);
    }
    Tree::new(links, joints)
}

/// An error for the first thing that xacro would have replaced.
fn refuse_xacro(robot: Node<'_, '_>) -> Result<(), DescriptionError> {
    for node in robot.descendants().filter(Node::is_element) {
        let is_xacro = (node.tag_name().namespace()).is_some_and(|uri| uri.contains("xacro"));
        let what = if is_xacro {
            format!("<xacro:{}>", node.tag_name().name())
        } else if let Some(attribute) = node.attributes().find(|a| a.value().contains("${")) {
            format!("{}={:?}", attribute.name(), attribute.value())
        } else if node.text().is_some_and(|text| text.contains("${")) {
            format!("the text of <{}>", node.tag_name().name())
        } else {
            continue;
        };
        let line = xml::line_of(node);
        return Err(DescriptionError::Unexpanded { what, line });
    }
    Ok(())
}

#[cfg(test)]
mod tests;
