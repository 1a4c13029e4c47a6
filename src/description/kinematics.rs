//! Links and joints, and the tree they form.

use std::collections::BTreeMap;

use nalgebra::{Isometry3, Unit, Vector3};
use roxmltree::Node;

use super::DescriptionError;
use super::xml::{self, Remarks};

/// A rigid part of the robot.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    /// Its name, which is also that of its frame.
    pub name: String,
    /// Mass of its `<inertial>` in kg; 0 without one.
    pub mass: f64,
}

/// How the two links of a joint move against each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JointKind {
    /// Not at all.
    Fixed,
    /// They turn within limits.
    Revolute,
    /// They turn without limits.
    Continuous,
    /// They slide within limits.
    Prismatic,
    /// Freely in all six directions.
    Floating,
    /// In a plane.
    Planar,
}

impl JointKind {
    /// Whether one number says where the joint stands, as a joint state has it.
    #[must_use]
    pub fn has_position(self) -> bool {
        matches!(self, Self::Revolute | Self::Continuous | Self::Prismatic)
    }

    fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "fixed" => Self::Fixed,
            "revolute" => Self::Revolute,
            "continuous" => Self::Continuous,
            "prismatic" => Self::Prismatic,
            "floating" => Self::Floating,
            "planar" => Self::Planar,
            _ => return None,
        })
    }
}

/// The `<limit>` of a joint. Radians for turning joints, metres for sliding ones.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointLimits {
    /// Lowest position; URDF's default is 0.
    pub lower: f64,
    /// Highest position; URDF's default is 0.
    pub upper: f64,
    /// Largest force in N or torque in Nm, if given.
    pub effort: Option<f64>,
    /// Largest speed, if given.
    pub velocity: Option<f64>,
}

/// The `<mimic>` of a joint: its position is `multiplier` times another's plus `offset`.
#[derive(Debug, Clone, PartialEq)]
pub struct Mimic {
    /// Name of the joint that is followed.
    pub joint: String,
    /// URDF's default is 1.
    pub multiplier: f64,
    /// URDF's default is 0.
    pub offset: f64,
}

/// A joint between two links.
#[derive(Debug, Clone, PartialEq)]
pub struct Joint {
    /// Its name.
    pub name: String,
    /// How it moves.
    pub kind: JointKind,
    /// Name of the link nearer the root.
    pub parent: String,
    /// Name of the link farther from the root.
    pub child: String,
    /// Pose of the child's frame in the parent's with the joint at zero.
    pub origin: Isometry3<f64>,
    /// Axis of motion in the child's frame; URDF's default is x.
    pub axis: Unit<Vector3<f64>>,
    /// Its limits, if given.
    pub limits: Option<JointLimits>,
    /// The joint it follows, if it does.
    pub mimic: Option<Mimic>,
}

/// Links and joints that form one tree.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tree {
    pub(super) links: Vec<Link>,
    pub(super) joints: Vec<Joint>,
    pub(super) root: usize,
    by_name: BTreeMap<String, usize>,
    /// For each link the joint above it and the link above that; `None` for the root.
    above: Vec<Option<(usize, usize)>>,
}

impl Tree {
    pub(super) fn new(links: Vec<Link>, joints: Vec<Joint>) -> Result<Self, DescriptionError> {
        let by_name: BTreeMap<String, usize> = (links.iter().enumerate())
            .map(|(i, link)| (link.name.clone(), i))
            .collect();
        let mut above: Vec<Option<(usize, usize)>> = vec![None; links.len()];
        for (index, joint) in joints.iter().enumerate() {
            let find = |role, link: &String| {
                (by_name.get(link).copied()).ok_or_else(|| DescriptionError::UnknownLink {
                    joint: joint.name.clone(),
                    role,
                    link: link.clone(),
                })
            };
            let parent = find("parent", &joint.parent)?;
            let child = find("child", &joint.child)?;
            if let Some((first, _)) = above[child] {
                return Err(DescriptionError::TwoParents {
                    link: joint.child.clone(),
                    first: joints[first].name.clone(),
                    second: joint.name.clone(),
                });
            }
            above[child] = Some((index, parent));
        }
        let root = single_root(&links, &joints, &above)?;
        Ok(Self {
            links,
            joints,
            root,
            by_name,
            above,
        })
    }

    pub(super) fn index(&self, link: &str) -> Result<usize, DescriptionError> {
        (self.by_name.get(link).copied())
            .ok_or_else(|| DescriptionError::NoSuchLink(link.to_owned()))
    }

    /// Pose of a link in the frame of another, all joints at zero.
    pub(super) fn frame_in(&self, base: usize, link: usize) -> Isometry3<f64> {
        let to_root =
            |from: usize| std::iter::successors(Some(from), |&l| self.above[l].map(|a| a.1));
        let mut meets = vec![false; self.links.len()];
        for l in to_root(base) {
            meets[l] = true;
        }
        // Only the way to where both chains meet: a frame that hangs below the base by
        // one joint has exactly the numbers of that joint's origin.
        let meeting = to_root(link).find(|&l| meets[l]).unwrap_or(self.root);
        let base_in_meeting = self.below(meeting, base);
        base_in_meeting.inverse() * self.below(meeting, link)
    }

    /// Pose of a link in the frame of one of its ancestors.
    fn below(&self, ancestor: usize, link: usize) -> Isometry3<f64> {
        let mut pose = Isometry3::identity();
        let mut at = link;
        while at != ancestor
            && let Some((joint, parent)) = self.above[at]
        {
            pose = self.joints[joint].origin * pose;
            at = parent;
        }
        pose
    }

    /// The topmost link that a link hangs under by fixed joints alone.
    pub(super) fn rigid_root(&self, link: usize) -> usize {
        let mut at = link;
        while let Some((joint, parent)) = self.above[at]
            && self.joints[joint].kind == JointKind::Fixed
        {
            at = parent;
        }
        at
    }
}

/// The one link without a joint above it, from which all others can be reached.
fn single_root(
    links: &[Link],
    joints: &[Joint],
    above: &[Option<(usize, usize)>],
) -> Result<usize, DescriptionError> {
    let roots: Vec<usize> = (0..links.len()).filter(|&l| above[l].is_none()).collect();
    if roots.len() > 1 {
        let mut names: Vec<String> = (roots.iter().take(5))
            .map(|&l| format!("{:?}", links[l].name))
            .collect();
        if roots.len() > names.len() {
            names.push(format!("{} more", roots.len() - names.len()));
        }
        return Err(DescriptionError::SeveralRoots(names.join(", ")));
    }
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); links.len()];
    for (link, joint) in above.iter().enumerate() {
        if let Some((_, parent)) = joint {
            below[*parent].push(link);
        }
    }
    let mut reached = vec![false; links.len()];
    let mut open = roots.clone();
    while let Some(link) = open.pop() {
        reached[link] = true;
        open.extend(&below[link]);
    }
    let looped = (0..links.len()).find_map(|l| above[l].filter(|_| !reached[l]));
    match (looped, roots.first()) {
        (Some((joint, _)), _) => Err(DescriptionError::Loop(joints[joint].name.clone())),
        (None, Some(root)) => Ok(*root),
        // Without a root every link has a joint above it, so there was a loop; only a
        // description without links comes here.
        (None, None) => Err(DescriptionError::NoLinks),
    }
}

pub(super) fn parse_link(
    node: Node<'_, '_>,
    remarks: &mut Remarks,
) -> Result<Link, DescriptionError> {
    let name = xml::required_attribute(node, "name")?.to_owned();
    let mut mass = 0.0;
    for part in xml::elements(node) {
        match part.tag_name().name() {
            "inertial" => mass = parse_mass(part)?,
            // What it looks like is for viewers; the body comes with the spawn request.
            "visual" | "collision" => {
                for inner in xml::elements(part) {
                    if !matches!(
                        inner.tag_name().name(),
                        "origin" | "geometry" | "material" | "verbose"
                    ) {
                        remarks.skipped(inner, &format!("unknown in {}", xml::label(node)));
                    }
                }
            }
            _ => remarks.skipped(part, &format!("unknown in {}", xml::label(node))),
        }
    }
    Ok(Link { name, mass })
}

fn parse_mass(inertial: Node<'_, '_>) -> Result<f64, DescriptionError> {
    let node = xml::required_child(inertial, "mass")?;
    let written = xml::required_attribute(node, "value")?;
    let [mass] = xml::numbers(node, " value", written)?;
    if mass < 0.0 {
        return Err(DescriptionError::Number {
            place: "<mass value>".to_owned(),
            text: written.to_owned(),
            expected: "0 or more".to_owned(),
            line: xml::line_of(node),
        });
    }
    Ok(mass)
}

pub(super) fn parse_joint(
    node: Node<'_, '_>,
    remarks: &mut Remarks,
) -> Result<Joint, DescriptionError> {
    let name = xml::required_attribute(node, "name")?.to_owned();
    let kind = xml::required_attribute(node, "type")?;
    let kind = JointKind::from_name(kind).ok_or_else(|| DescriptionError::JointKind {
        joint: name.clone(),
        kind: kind.to_owned(),
    })?;
    let link_of = |role| -> Result<String, DescriptionError> {
        let element = xml::required_child(node, role)?;
        Ok(xml::required_attribute(element, "link")?.to_owned())
    };
    let (parent, child) = (link_of("parent")?, link_of("child")?);
    for part in xml::elements(node) {
        if !matches!(
            part.tag_name().name(),
            "parent"
                | "child"
                | "origin"
                | "axis"
                | "limit"
                | "mimic"
                | "dynamics"
                | "calibration"
                | "safety_controller"
        ) {
            remarks.skipped(part, &format!("unknown in {}", xml::label(node)));
        }
    }
    Ok(Joint {
        kind,
        parent,
        child,
        origin: xml::origin(node)?,
        axis: parse_axis(node)?,
        limits: parse_limits(node)?,
        mimic: parse_mimic(node)?,
        name,
    })
}

fn parse_axis(joint: Node<'_, '_>) -> Result<Unit<Vector3<f64>>, DescriptionError> {
    let Some(axis) = xml::child(joint, "axis") else {
        return Ok(Vector3::x_axis());
    };
    let Some(direction) = xml::attribute_vector(axis, "xyz")? else {
        return Ok(Vector3::x_axis());
    };
    Unit::try_new(direction, 1e-9).ok_or_else(|| DescriptionError::Number {
        place: "<axis xyz>".to_owned(),
        text: axis.attribute("xyz").unwrap_or_default().to_owned(),
        expected: "a direction of some length".to_owned(),
        line: xml::line_of(axis),
    })
}

fn parse_limits(joint: Node<'_, '_>) -> Result<Option<JointLimits>, DescriptionError> {
    let Some(limit) = xml::child(joint, "limit") else {
        return Ok(None);
    };
    Ok(Some(JointLimits {
        lower: xml::attribute_f64(limit, "lower")?.unwrap_or(0.0),
        upper: xml::attribute_f64(limit, "upper")?.unwrap_or(0.0),
        effort: xml::attribute_f64(limit, "effort")?,
        velocity: xml::attribute_f64(limit, "velocity")?,
    }))
}

fn parse_mimic(joint: Node<'_, '_>) -> Result<Option<Mimic>, DescriptionError> {
    let Some(mimic) = xml::child(joint, "mimic") else {
        return Ok(None);
    };
    Ok(Some(Mimic {
        joint: xml::required_attribute(mimic, "joint")?.to_owned(),
        multiplier: xml::attribute_f64(mimic, "multiplier")?.unwrap_or(1.0),
        offset: xml::attribute_f64(mimic, "offset")?.unwrap_or(0.0),
    }))
}
