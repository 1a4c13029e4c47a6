//! Planar dynamics of robots that follow velocity commands among walls, boxes and each other.
//!
//! A robot here is held by its wheels: what it does in a step depends on the command and
//! on what is in the way, not on a momentum from before. So a step does not integrate
//! forces. It takes the motion the command asks for, which in the open is made exactly, and
//! bends it as little as possible (weighed by mass and moment of inertia, without friction)
//! until nothing is run into. See `motion`.
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

mod convex;
mod exposure;
mod islands;
mod motion;
mod obstacles;
mod projection;
mod redundancy;
mod robot;
mod separation;
mod touches;

use crate::world::{BodyKey, Dynamics, Footprint, PlanarShape, Pose2, Twist2, ZExtent};
use islands::Room;
use obstacles::Obstacles;
use robot::Robot;
pub use touches::{CONTACT_MARGIN, Touch};

/// An obstacle moved by [`Physics::set_pose`] at up to this speed, in m/s, carries robots
/// in its way along at once; what is moved faster has jumped, and they are pushed out
/// of it slowly. No door or elevator is faster.
const CARRY_SPEED: f64 = 2.0;

/// Robots and obstacles of one world, stepped with a fixed time step.
///
/// Keys name bodies; calls for a key that is not held change nothing. Numbers are expected
/// to be finite. Whatever the input, poses and twists stay finite.
pub struct Physics {
    dt: f64,
    dynamics: Dynamics,
    obstacles: Obstacles,
    /// Ordered by key.
    robots: Vec<Robot>,
}

impl Physics {
    /// An empty world whose steps last `dt` seconds.
    #[must_use]
    pub fn new(dt: f64, dynamics: Dynamics) -> Self {
        Self {
            dt,
            dynamics,
            obstacles: Obstacles::default(),
            robots: Vec::new(),
        }
    }

    /// Adds or replaces something that stops and pushes robots. It never moves by contact.
    pub fn insert_obstacle(&mut self, key: BodyKey, shape: PlanarShape, pose: Pose2, z: ZExtent) {
        self.remove(key);
        self.obstacles.insert(key, shape, pose, z, false);
    }

    /// Adds or replaces something that can be touched, but neither stops nor pushes.
    pub fn insert_touchable(&mut self, key: BodyKey, shape: PlanarShape, pose: Pose2, z: ZExtent) {
        self.remove(key);
        self.obstacles.insert(key, shape, pose, z, true);
    }

    /// Moves what was added by the two above; whether there is such a thing. A robot that
    /// ends up in its way is pushed out over the next steps, as fast as a thing at up to
    /// 2 m/s moves, else at 0.2 m/s.
    pub fn set_pose(&mut self, key: BodyKey, pose: Pose2) -> bool {
        self.obstacles.set_pose(key, pose, CARRY_SPEED * self.dt)
    }

    /// Removes an obstacle or a robot; whether there was one.
    pub fn remove(&mut self, key: BodyKey) -> bool {
        match self.index(key) {
            Ok(index) => {
                self.robots.remove(index);
                true
            }
            Err(_) => self.obstacles.remove(key),
        }
    }

    /// Adds or replaces a robot at rest. Its mass, in kg, counts against other robots; its
    /// centre of mass is the origin of its base frame.
    pub fn insert_robot(
        &mut self,
        key: BodyKey,
        footprint: &Footprint,
        pose: Pose2,
        z: ZExtent,
        mass: f64,
    ) {
        self.remove(key);
        let at = self.robots.partition_point(|robot| robot.key < key);
        self.robots
            .insert(at, Robot::new(key, footprint, pose, z, mass));
    }

    /// Gives a robot other heights; whether there is such a robot.
    pub fn set_extent(&mut self, key: BodyKey, z: ZExtent) -> bool {
        self.robot_mut(key).map(|robot| robot.z = z).is_some()
    }

    /// Puts a robot at rest somewhere else; whether there is such a robot.
    pub fn set_robot(&mut self, key: BodyKey, pose: Pose2, z: ZExtent) -> bool {
        self.robot_mut(key)
            .map(|robot| robot.place(pose, z))
            .is_some()
    }

    /// Sets the twist a robot wants in its base frame, until the next command; whether
    /// there is such a robot.
    pub fn command(&mut self, key: BodyKey, twist: Twist2) -> bool {
        self.robot_mut(key)
            .map(|robot| robot.command = twist)
            .is_some()
    }

    /// Moves the world on by one time step.
    pub fn step(&mut self) {
        match self.dynamics {
            Dynamics::Kinematic => {
                for robot in &mut self.robots {
                    robot.move_freely(self.dt);
                }
            }
            Dynamics::Rigid => self.step_islands(),
        }
        self.obstacles.settle();
    }

    /// Where a robot's base frame is.
    #[must_use]
    pub fn pose(&self, key: BodyKey) -> Option<Pose2> {
        self.robot(key).map(|robot| robot.pose)
    }

    /// The twist a robot had over the last step, in its base frame: what contacts left of
    /// the command. Being pushed out of something counts as no motion.
    #[must_use]
    pub fn twist(&self, key: BodyKey) -> Option<Twist2> {
        self.robot(key).map(|robot| robot.twist)
    }

    /// Everything that touches a robot now, ordered by key: what is within
    /// [`CONTACT_MARGIN`] of it or overlaps it, and whose height overlaps its own. Empty for
    /// an unknown key.
    #[must_use]
    pub fn contacts(&self, key: BodyKey) -> Vec<Touch> {
        self.robot(key).map_or_else(Vec::new, |robot| {
            touches::of(robot, &self.robots, &self.obstacles)
        })
    }

    fn step_islands(&mut self) {
        let rooms: Vec<Room> = self
            .robots
            .iter()
            .map(|robot| Room {
                center: robot.position(),
                reach: robot.reach,
                travel: motion::travel(robot, &self.obstacles, self.dt),
                z: robot.z,
            })
            .collect();
        for island in islands::split(&rooms) {
            motion::move_island(
                &mut self.robots,
                &island.members,
                island.travel,
                &self.obstacles,
                self.dt,
            );
        }
    }

    fn index(&self, key: BodyKey) -> Result<usize, usize> {
        self.robots.binary_search_by_key(&key, |robot| robot.key)
    }

    fn robot(&self, key: BodyKey) -> Option<&Robot> {
        self.index(key).ok().map(|index| &self.robots[index])
    }

    fn robot_mut(&mut self, key: BodyKey) -> Option<&mut Robot> {
        self.index(key).ok().map(|index| &mut self.robots[index])
    }
}
