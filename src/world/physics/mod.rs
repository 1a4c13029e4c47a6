//! Planar dynamics of robots that follow velocity commands among walls, boxes, things they
//! push and each other.
//!
//! A robot here is held by its wheels: what it does in a step depends on the command and
//! on what is in the way, not on a momentum from before. So a step does not integrate
//! forces. It takes the motion the command asks for, which in the open is made exactly, and
//! bends it as little as possible (weighed by mass and moment of inertia, without friction)
//! until nothing is run into. See `motion`. A thing that is pushed is a body that wants to
//! stay: friction with the floor stops it at once when nobody pushes.
//!
//! The search tree and the vector maths are rapier's and its collision library's. The
//! solver is not rapier's (0.36, f64), whose soft contacts are made for piles of free
//! bodies. Measured with a robot that drives at 20 degrees into a wall of 5 cm pieces: on
//! polylines and boxes a disc bounced 6 to 8 mm and lost 5 % of its way; a 0.38 x 0.24 m
//! body on boxes caught a joint, turned by 90 degrees and stuck; one-sided polylines let
//! it through from their other side; a step took 12 to 30 us. Here the same runs stay within
//! 1e-4 m of the wall and lose nothing.
//!
//! Everything is a function of the calls made so far: two of these that get the same calls
//! agree bit for bit, and what happens out of a robot's reach has no influence on it.

mod body;
mod convex;
mod exposure;
mod islands;
mod motion;
mod obstacles;
mod pieces;
mod places;
mod projection;
mod redundancy;
mod separation;
mod stepping;
mod touches;

use crate::world::{
    BodyKey, Dynamics, Footprint, Part, PlanarShape, Pose2, Solidity, Twist2, ZExtent,
};
pub use body::Load;
use body::{Body, Pushed};
use obstacles::{Obstacles, Piece};
use places::Places;
pub use touches::{CONTACT_MARGIN, Touch};

/// An obstacle moved by [`Physics::set_pose`] at up to this speed, in m/s, carries robots
/// in its way along at once; what is moved faster has jumped, and they are pushed out
/// of it slowly. No door or elevator is faster.
const CARRY_SPEED: f64 = 2.0;

/// Robots, pushed things and obstacles of one world, stepped with a fixed time step.
///
/// Keys name bodies; calls for a key that is not held change nothing. Numbers are expected
/// to be finite. Whatever the input, poses and twists stay finite.
pub struct Physics {
    dt: f64,
    dynamics: Dynamics,
    obstacles: Obstacles,
    /// Robots and pushed things, ordered by key.
    bodies: Vec<Body>,
    /// Of the pushed things among them.
    places: Places,
    /// The pushed things that the last step moved, ordered by key.
    moved: Vec<BodyKey>,
}

impl Physics {
    /// An empty world whose steps last `dt` seconds.
    #[must_use]
    pub fn new(dt: f64, dynamics: Dynamics) -> Self {
        Self {
            dt,
            dynamics,
            obstacles: Obstacles::default(),
            bodies: Vec::new(),
            places: Places::default(),
            moved: Vec::new(),
        }
    }

    /// Adds or replaces something that stops and pushes robots. It never moves by contact.
    pub fn insert_obstacle(&mut self, key: BodyKey, shape: PlanarShape, pose: Pose2, z: ZExtent) {
        self.insert_parts(key, vec![Part::solid(shape, z)], pose);
    }

    /// Adds or replaces something that can be touched, but neither stops nor pushes.
    pub fn insert_touchable(&mut self, key: BodyKey, shape: PlanarShape, pose: Pose2, z: ZExtent) {
        let part = Part::solid(shape, z).with_solidity(Solidity::Touched);
        self.insert_parts(key, vec![part], pose);
    }

    /// Adds or replaces something of several parts that never moves by contact. What each
    /// part does to robots is its own; heights are those in the world.
    pub fn insert_parts(&mut self, key: BodyKey, parts: Vec<Part>, pose: Pose2) {
        self.remove(key);
        self.obstacles.insert(key, parts, pose);
    }

    /// Moves what was added by the three above; whether there is such a thing. A robot that
    /// ends up in its way is pushed out over the next steps, as fast as a thing at up to
    /// 2 m/s moves, else at 0.2 m/s.
    pub fn set_pose(&mut self, key: BodyKey, pose: Pose2) -> bool {
        self.obstacles.set_pose(key, pose, CARRY_SPEED * self.dt)
    }

    /// Removes an obstacle or a body; whether there was one.
    pub fn remove(&mut self, key: BodyKey) -> bool {
        match self.index(key) {
            Ok(index) => {
                if let Some(pushed) = self.bodies.remove(index).pushed {
                    self.places.remove(pushed.slot);
                }
                true
            }
            Err(_) => self.obstacles.remove(key),
        }
    }

    /// Adds or replaces a robot at rest. Its mass, in kg, counts against other bodies; its
    /// centre of mass is the origin of its base frame.
    pub fn insert_robot(
        &mut self,
        key: BodyKey,
        footprint: &Footprint,
        pose: Pose2,
        z: ZExtent,
        mass: f64,
    ) {
        let parts = &[Part::solid(footprint.into(), z)];
        self.insert_body(key, &[Load { parts, mass }], pose);
    }

    /// Adds or replaces a robot at rest that has several parts.
    pub fn insert_body(&mut self, key: BodyKey, loads: &[Load<'_>], pose: Pose2) {
        self.remove(key);
        let at = self.bodies.partition_point(|body| body.key < key);
        self.bodies.insert(at, Body::new(key, loads, pose));
    }

    /// Adds or replaces a thing at rest that stops robots until they push it. It turns about
    /// the origin of its frame; rings among its parts are the walls alone.
    pub fn insert_pushed(&mut self, key: BodyKey, load: Load<'_>, pose: Pose2) {
        self.insert_body(key, &[load], pose);
        if let Ok(index) = self.index(key) {
            let body = &mut self.bodies[index];
            body.pushed = Some(Pushed {
                slot: self.places.insert(key, body.bounds()),
                restless: true,
                settled: pose,
            });
        }
    }

    /// Makes a robot consist of other parts, where it is and with the motion it has; whether
    /// there is such a robot.
    pub fn set_loads(&mut self, key: BodyKey, loads: &[Load<'_>]) -> bool {
        let body = self.body_mut(key);
        body.map(|body| body.set_loads(loads)).is_some()
    }

    /// Gives all parts of a robot the same other heights; whether there is such a robot.
    pub fn set_extent(&mut self, key: BodyKey, z: ZExtent) -> bool {
        self.body_mut(key).map(|body| body.set_extent(z)).is_some()
    }

    /// Puts a robot at rest somewhere else, with all its parts at the same heights; whether
    /// there is such a robot.
    pub fn set_robot(&mut self, key: BodyKey, pose: Pose2, z: ZExtent) -> bool {
        self.set_extent(key, z) && self.put(key, pose)
    }

    /// Puts a robot or a pushed thing at rest somewhere else; whether there is such a body.
    pub fn put(&mut self, key: BodyKey, pose: Pose2) -> bool {
        let Ok(index) = self.index(key) else {
            return false;
        };
        let body = &mut self.bodies[index];
        body.place(pose);
        let bounds = body.bounds();
        if let Some(pushed) = &mut body.pushed {
            pushed.restless = true;
            pushed.settled = pose;
            self.places.update(pushed.slot, bounds);
        }
        true
    }

    /// Sets the twist a robot wants in its base frame, until the next command; whether
    /// there is such a robot.
    pub fn command(&mut self, key: BodyKey, twist: Twist2) -> bool {
        let robot = self.body_mut(key).filter(|body| body.pushed.is_none());
        robot.map(|robot| robot.command = twist).is_some()
    }

    /// Moves the world on by one time step.
    pub fn step(&mut self) {
        self.moved.clear();
        match self.dynamics {
            Dynamics::Kinematic => {
                for body in &mut self.bodies {
                    body.move_freely(self.dt);
                }
            }
            Dynamics::Rigid => self.step_islands(),
        }
        self.obstacles.settle();
    }

    /// The pushed things that the last step moved, ordered by key.
    #[must_use]
    pub fn moved(&self) -> &[BodyKey] {
        &self.moved
    }

    /// Where the frame of a robot or of a pushed thing is.
    #[must_use]
    pub fn pose(&self, key: BodyKey) -> Option<Pose2> {
        self.body(key).map(|body| body.pose)
    }

    /// The twist a body had over the last step, in its own frame: what contacts left of
    /// the command. Being pushed out of something counts as no motion.
    #[must_use]
    pub fn twist(&self, key: BodyKey) -> Option<Twist2> {
        self.body(key).map(|body| body.twist)
    }

    /// Everything that touches a robot or a pushed thing now, ordered by key: what is within
    /// [`CONTACT_MARGIN`] of it or overlaps it, part by part at heights that overlap. Empty
    /// for an unknown key.
    #[must_use]
    pub fn contacts(&self, key: BodyKey) -> Vec<Touch> {
        self.body(key).map_or_else(Vec::new, |body| {
            let near = self.pushed_near(body.bounds(), CONTACT_MARGIN);
            touches::of(body, self.driven().chain(near), &self.obstacles)
        })
    }

    /// What some parts would overlap if their frame was at a pose, each with the depth in
    /// metres, ordered by key: robots, pushed things and what can only be touched, but not
    /// what stands or is driven.
    #[must_use]
    pub fn overlaps(
        &self,
        parts: &[Part],
        pose: Pose2,
        except: Option<BodyKey>,
    ) -> Vec<(BodyKey, f64)> {
        // No body has the last key.
        let pieces = Piece::of(except.unwrap_or(BodyKey(u32::MAX)), parts, &pose);
        let bounds = pieces.iter().map(Piece::bounds);
        let Some(bounds) = bounds.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))) else {
            return Vec::new();
        };
        let near: Vec<&Body> = self.pushed_near(bounds, 0.0).collect();
        let bodies = self.driven().chain(near.iter().copied());
        touches::overlaps(&pieces, bodies, &self.obstacles)
    }

    /// All robots.
    fn driven(&self) -> impl Iterator<Item = &Body> + Clone {
        self.bodies.iter().filter(|body| body.pushed.is_none())
    }

    fn index(&self, key: BodyKey) -> Result<usize, usize> {
        self.bodies.binary_search_by_key(&key, |body| body.key)
    }

    fn body(&self, key: BodyKey) -> Option<&Body> {
        self.index(key).ok().map(|index| &self.bodies[index])
    }

    fn body_mut(&mut self, key: BodyKey) -> Option<&mut Body> {
        self.index(key).ok().map(|index| &mut self.bodies[index])
    }
}
