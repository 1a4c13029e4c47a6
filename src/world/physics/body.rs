//! A body that moves, as physics sees it: a robot, or a thing that robots push.

use std::sync::Arc;

use rapier2d::math::Vector;

use super::convex::Convex;
use super::pieces::pieces_of;
use super::projection::Mobility;
use crate::world::part::extent_of_parts;
use crate::world::{BodyKey, Part, Pose2, Solidity, Twist2, ZExtent};

/// Mass taken when the given one is none, kg.
const FALLBACK_MASS: f64 = 1.0;

/// Least moment of inertia per mass, m2: that of a grain of sand.
const LEAST_INERTIA: f64 = 1e-9;

/// Parts of a body that weigh something together: the robot, or what it carries.
#[derive(Debug, Clone, Copy)]
pub struct Load<'a> {
    /// In the frame of the body; heights in the world.
    pub parts: &'a [Part],
    /// Kilograms.
    pub mass: f64,
}

/// One convex piece of a body.
#[derive(Debug, Clone)]
pub(super) struct BodyPiece {
    /// In the frame of the body.
    pub(super) shape: Convex,
    pub(super) z: ZExtent,
    /// Touching it is reported, but it neither stops nor pushes anybody.
    pub(super) touch_only: bool,
}

/// What a body that nobody drives is beyond the others.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pushed {
    /// Its place in the tree of those.
    pub(super) slot: u32,
    /// It was moved in the last step or since, so it may go on without a robot.
    pub(super) restless: bool,
    /// Where that tree has it.
    pub(super) settled: Pose2,
}

/// A body that follows its commanded twist as far as contacts let it.
#[derive(Debug, Clone)]
pub(super) struct Body {
    pub(super) key: BodyKey,
    pub(super) pose: Pose2,
    /// From the lowest to the highest point of its pieces.
    pub(super) z: ZExtent,
    /// Wanted in the base frame; nothing for what is pushed.
    pub(super) command: Twist2,
    /// What contacts left of it over the last step.
    pub(super) twist: Twist2,
    /// At least one. Shared by the copies that a step works with.
    pub(super) pieces: Arc<Vec<BodyPiece>>,
    /// Largest distance of a piece from the base frame's origin, metres.
    pub(super) reach: f64,
    pub(super) mobility: Mobility,
    pub(super) pushed: Option<Pushed>,
}

impl Body {
    pub(super) fn new(key: BodyKey, loads: &[Load<'_>], pose: Pose2) -> Self {
        let mut body = Self {
            key,
            pose,
            z: ZExtent::ALL,
            command: Twist2::ZERO,
            twist: Twist2::ZERO,
            pieces: Arc::default(),
            reach: 0.0,
            mobility: Mobility {
                inverse_mass: 1.0,
                inverse_inertia: 1.0,
            },
            pushed: None,
        };
        body.set_loads(loads);
        body
    }

    /// Makes it consist of other parts, where it is.
    pub(super) fn set_loads(&mut self, loads: &[Load<'_>]) {
        let (mut mass, mut inertia) = (0.0, 0.0);
        let mut all = Vec::new();
        for load in loads {
            let weight = if load.mass > 0.0 && load.mass.is_finite() {
                load.mass
            } else {
                FALLBACK_MASS
            };
            let pieces = pieces_of_body(load.parts);
            mass += weight;
            inertia += weight * inertia_per_mass(&pieces).max(LEAST_INERTIA);
            all.extend(pieces);
        }
        self.mobility = Mobility {
            inverse_mass: 1.0 / mass,
            inverse_inertia: 1.0 / inertia,
        };
        self.reach = all.iter().map(|p| p.shape.reach()).fold(0.0, f64::max);
        self.z = extent_of_parts(loads.iter().flat_map(|load| load.parts));
        self.pieces = Arc::new(all);
    }

    /// Gives all its pieces the same heights.
    pub(super) fn set_extent(&mut self, z: ZExtent) {
        self.z = z;
        for piece in Arc::make_mut(&mut self.pieces) {
            piece.z = z;
        }
    }

    /// Puts it at rest somewhere.
    pub(super) fn place(&mut self, pose: Pose2) {
        self.pose = pose;
        self.command = Twist2::ZERO;
        self.twist = Twist2::ZERO;
    }

    /// Origin of the base frame.
    pub(super) fn position(&self) -> Vector {
        Vector::new(self.pose.x, self.pose.y)
    }

    /// Lower and upper corner of a box it stays in whatever it turns.
    pub(super) fn bounds(&self) -> (Vector, Vector) {
        (self.position() - self.reach, self.position() + self.reach)
    }

    /// The most any point of it moves in `dt` seconds by its own command, metres.
    pub(super) fn travel(&self, dt: f64) -> f64 {
        let Twist2 { x, y, angular } = self.command;
        (libm::hypot(x, y) + angular.abs() * self.reach) * dt
    }

    /// Follows the command for `dt` seconds with nothing in the way. A motion that leaves
    /// the range of numbers is not made. What is pushed stays, to the last bit.
    pub(super) fn move_freely(&mut self, dt: f64) {
        if self.pushed.is_some() {
            self.twist = Twist2::ZERO;
            return;
        }
        let pose = self.pose.advance(&self.command, dt);
        if pose.is_finite() {
            self.pose = pose;
            self.twist = self.command;
        } else {
            self.twist = Twist2::ZERO;
        }
    }
}

/// The pieces of what moves together; a point where the parts have none that contact knows.
fn pieces_of_body(parts: &[Part]) -> Vec<BodyPiece> {
    let mut pieces = Vec::with_capacity(parts.len());
    for part in parts.iter().filter(|p| p.solidity != Solidity::Seen) {
        for shape in pieces_of(&part.shape, &part.pose) {
            pieces.push(BodyPiece {
                shape,
                z: part.z,
                touch_only: part.solidity == Solidity::Touched,
            });
        }
    }
    if pieces.is_empty() {
        pieces.push(BodyPiece {
            shape: Convex::disc(Vector::ZERO, 0.0),
            z: extent_of_parts(parts.iter()),
            touch_only: true,
        });
    }
    pieces
}

/// Moment of inertia about the base frame's origin per mass, m2: of plates that weigh by
/// their areas.
fn inertia_per_mass(pieces: &[BodyPiece]) -> f64 {
    if let [piece] = pieces {
        return piece.shape.inertia_per_mass();
    }
    let total: f64 = pieces.iter().map(|p| p.shape.area()).sum();
    let moment: f64 = pieces
        .iter()
        .map(|p| p.shape.area() * p.shape.inertia_per_mass())
        .sum();
    if total > 0.0 { moment / total } else { 0.0 }
}
