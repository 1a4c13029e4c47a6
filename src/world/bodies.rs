//! The bodies of robots in a world.

use super::entity::Check;
use super::physics::Touch;
use super::tow::Tow;
use super::world::{World, unknown};
use super::{
    BodyKey, Footprint, Kind, Level, MAX_COORDINATE, PlanarShape, Pose2, Twist2, WorldError,
    ZExtent,
};

/// The body of a robot to add.
#[derive(Debug, Clone, PartialEq)]
pub struct RobotBody {
    /// Unique name.
    pub name: String,
    /// Outline in the base frame.
    pub footprint: Footprint,
    /// Pose of the base frame.
    pub pose: Pose2,
    /// Floor it stands on; "" = the level at z 0.
    pub floor: String,
    /// Underside above the floor, m.
    pub z_min: f64,
    /// Height from there, m; 0 = up to the top of the level.
    pub height: f64,
    /// Kilograms.
    pub mass: f64,
}

/// The true state of a robot's body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BodyState {
    /// Pose of the base frame.
    pub pose: Pose2,
    /// Twist over the last step, in the base frame.
    pub twist: Twist2,
    /// Twist over the step before, in the base frame: what an acceleration is taken from.
    pub previous_twist: Twist2,
    /// The level it stands on.
    pub level: Level,
    /// Heights its body takes up.
    pub z: ZExtent,
}

/// A touch between a robot's body and something else.
#[derive(Debug, Clone, PartialEq)]
pub struct Contact {
    /// Name of what is touched; what a robot carries goes by the robot.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// Where, in the world frame, m; the height is the middle of what both parts share.
    pub position: [f64; 3],
    /// Unit vector in the world frame, from what is touched towards the robot.
    pub normal: [f64; 3],
    /// Overlap, m; 0 when the shapes only touch.
    pub depth: f64,
}

#[derive(Debug, Clone)]
pub(super) struct Robot {
    pub(super) body: RobotBody,
    /// Where it stands now; [`RobotBody::floor`] is where it was spawned.
    pub(super) floor: String,
    pub(super) previous_twist: Twist2,
    pub(super) tow: Option<Tow>,
}

impl World {
    /// Adds or replaces the body of a robot.
    ///
    /// # Errors
    /// A bad value, an unknown floor, or a name that another kind has.
    pub fn add_robot(&mut self, body: RobotBody) -> Result<BodyKey, WorldError> {
        let level = self.check_robot(&body)?;
        self.forget(&body.name);
        let key = self.take_key(&body.name);
        let floor = self.floor_name(&body.floor);
        self.place_robot(key, &body, level);
        let robot = Robot {
            body,
            floor,
            previous_twist: Twist2::ZERO,
            tow: None,
        };
        self.robots.insert(key, robot);
        Ok(key)
    }

    /// The level on which [`Self::add_robot`] would put it.
    ///
    /// # Errors
    /// As there.
    pub fn check_robot(&self, body: &RobotBody) -> Result<Level, WorldError> {
        let check = Check::name(Kind::Robot, &body.name)?;
        self.check_free(&body.name, Kind::Robot)?;
        check.pose(&body.pose)?;
        let not_negative = |value: f64| (0.0..=MAX_COORDINATE).contains(&value);
        let expected = "0 or above and at most 1e6 m";
        check.value("z_min", body.z_min, not_negative(body.z_min), expected)?;
        check.value("height", body.height, not_negative(body.height), expected)?;
        check.size("mass", body.mass)?;
        let level = self.check_level(Kind::Robot, &body.name, &body.floor)?;
        let below_ceiling = level.floor + body.z_min < level.ceiling;
        check.value("z_min", body.z_min, below_ceiling, "below the next floor")?;
        Ok(level)
    }

    pub(super) fn check_level(
        &self,
        kind: Kind,
        name: &str,
        floor: &str,
    ) -> Result<Level, WorldError> {
        self.floors.level(floor).ok_or_else(|| {
            let names: Vec<&str> = self.floors.iter().map(|(name, _)| name).collect();
            WorldError::UnknownFloor {
                kind,
                name: name.to_owned(),
                floor: floor.to_owned(),
                known: if names.is_empty() {
                    "none".to_owned()
                } else {
                    names.join(", ")
                },
            }
        })
    }

    /// The name of the floor that "" stands for, else the same name.
    pub(super) fn floor_name(&self, floor: &str) -> String {
        if floor.is_empty() {
            self.floors.at_zero().0.to_owned()
        } else {
            floor.to_owned()
        }
    }

    pub(super) fn place_robot(&mut self, key: BodyKey, body: &RobotBody, level: Level) {
        let z = extent_of(body, level);
        self.physics
            .insert_robot(key, &body.footprint, body.pose, z, body.mass);
        let shape = PlanarShape::from(&body.footprint);
        self.rays.insert(key, shape, body.pose, z);
    }

    /// Removes the body of a robot. What it carries stays where it is.
    ///
    /// # Errors
    /// An unknown name.
    pub fn remove_robot(&mut self, name: &str) -> Result<(), WorldError> {
        self.robot_key(name)?;
        self.forget(name);
        Ok(())
    }

    /// Sets the body twist that a robot takes on in the coming steps, until the next command.
    ///
    /// # Errors
    /// An unknown name, or a twist that is not finite or beyond 1e6.
    pub fn command(&mut self, name: &str, twist: Twist2) -> Result<(), WorldError> {
        let key = self.check_command(name, twist)?;
        self.drive(key, twist);
        Ok(())
    }

    /// The robot that [`Self::command`] would drive.
    pub(crate) fn check_command(&self, name: &str, twist: Twist2) -> Result<BodyKey, WorldError> {
        let key = self.robot_key(name)?;
        let check = Check::name(Kind::Robot, name)?;
        check.coordinate("twist.linear.x", twist.x)?;
        check.coordinate("twist.linear.y", twist.y)?;
        check.coordinate("twist.angular.z", twist.angular)?;
        Ok(key)
    }

    /// [`Self::command`] for a twist that is known to be sane.
    pub(crate) fn drive(&mut self, key: BodyKey, twist: Twist2) {
        self.physics.command(key, twist);
    }

    /// Teleports a robot to rest, with what it carries; floor "" = it stays on the present one.
    ///
    /// # Errors
    /// An unknown robot or floor, or a pose that is not finite.
    pub fn set_robot_pose(
        &mut self,
        name: &str,
        pose: Pose2,
        floor: &str,
    ) -> Result<(), WorldError> {
        let key = self.robot_key(name)?;
        Check::name(Kind::Robot, name)?.pose(&pose)?;
        let floor = if floor.is_empty() {
            self.robots[&key].floor.clone()
        } else {
            floor.to_owned()
        };
        let level = self.check_level(Kind::Robot, name, &floor)?;
        self.put_robot(key, pose, floor, level);
        Ok(())
    }

    /// Puts a robot at rest back to the pose and the floor with which it was spawned. What it
    /// carries stays where it is.
    ///
    /// # Errors
    /// An unknown robot.
    pub fn respawn_robot(&mut self, name: &str) -> Result<(), WorldError> {
        let key = self.robot_key(name)?;
        let body = &self.robots[&key].body;
        let (pose, floor) = (body.pose, self.floor_name(&body.floor));
        // "" is the ground here, where no floor has a name.
        let level = self.check_level(Kind::Robot, name, &floor)?;
        self.let_go(key);
        self.put_robot(key, pose, floor, level);
        Ok(())
    }

    fn put_robot(&mut self, key: BodyKey, pose: Pose2, floor: String, level: Level) {
        if let Some(robot) = self.robots.get_mut(&key) {
            robot.floor = floor;
            robot.previous_twist = Twist2::ZERO;
            let floor = robot.floor.clone();
            self.physics.put(key, pose);
            self.rays.set_pose(key, pose);
            self.take_along(key, &pose, floor, level);
            self.lift_robot(key);
        }
    }

    /// Gives a robot the heights that its level has now.
    pub(super) fn lift_robot(&mut self, key: BodyKey) {
        let Some(robot) = self.robots.get(&key) else {
            return;
        };
        if robot.tow.is_some() {
            self.put_together(key);
            return;
        }
        let z = extent_of(&robot.body, self.level_of(robot));
        self.physics.set_extent(key, z);
        self.rays.set_extent(key, z);
    }

    /// The true state of a robot.
    #[must_use]
    pub fn robot_state(&self, name: &str) -> Option<BodyState> {
        self.state_of(self.robot_key(name).ok()?)
    }

    pub(crate) fn state_of(&self, key: BodyKey) -> Option<BodyState> {
        let robot = self.robots.get(&key)?;
        let level = self.level_of(robot);
        Some(BodyState {
            pose: self.physics.pose(key)?,
            twist: self.physics.twist(key)?,
            previous_twist: robot.previous_twist,
            level,
            z: extent_of(&robot.body, level),
        })
    }

    /// The bodies of all robots with their outlines, in the order in which they were added.
    pub fn robot_bodies(&self) -> impl Iterator<Item = (BodyKey, &Footprint, BodyState)> {
        (self.robots.iter()).filter_map(|(key, robot)| {
            let state = self.state_of(*key)?;
            Some((*key, &robot.body.footprint, state))
        })
    }

    /// The floor a robot stands on; "" for the ground that is there without any floor.
    #[must_use]
    pub fn robot_floor(&self, name: &str) -> Option<&str> {
        let key = self.robot_key(name).ok()?;
        let floor = self.robots[&key].floor.as_str();
        Some(if floor.is_empty() {
            self.floors.at_zero().0
        } else {
            floor
        })
    }

    /// What a robot's body touches now, in the order in which those things were added.
    ///
    /// # Errors
    /// An unknown name.
    pub fn contacts(&self, name: &str) -> Result<Vec<Contact>, WorldError> {
        let key = self.robot_key(name)?;
        let touches = self.physics.contacts(key);
        let contacts = touches.iter().filter_map(|touch| self.contact(touch));
        Ok(contacts.collect())
    }

    fn contact(&self, touch: &Touch) -> Option<Contact> {
        let (name, kind) = self.name_of(touch.other)?;
        let ZExtent {
            min: low,
            max: high,
        } = touch.z;
        // Two bodies that both fill a level without a ceiling overlap without an upper end.
        let height = if high.is_finite() {
            0.5 * (low + high)
        } else {
            low
        };
        Some(Contact {
            name: name.to_owned(),
            kind,
            position: [touch.position[0], touch.position[1], height],
            normal: [touch.normal[0], touch.normal[1], 0.0],
            depth: touch.depth,
        })
    }

    pub(crate) fn robot_key(&self, name: &str) -> Result<BodyKey, WorldError> {
        self.names
            .get(name)
            .copied()
            .filter(|key| self.robots.contains_key(key))
            .ok_or_else(|| unknown("robot", name))
    }
}

/// Heights of a robot's body on a level.
pub(super) fn extent_of(body: &RobotBody, level: Level) -> ZExtent {
    let min = level.floor + body.z_min;
    let max = if body.height > 0.0 {
        level.ceiling.min(min + body.height)
    } else {
        level.ceiling
    };
    ZExtent::new(min, max)
}
