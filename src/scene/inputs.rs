//! What moves a scene from outside: commands, poses and discs.

use std::collections::BTreeSet;

use super::batches::{ensure_distinct, item};
use super::{Scene, SceneError};
use crate::world::{DiscSpec, Kind, MoveSpec, Twist2, WorldError};

/// A body twist for one robot.
#[derive(Debug, Clone, PartialEq)]
pub struct CommandSpec {
    /// Name of the robot.
    pub robot: String,
    /// Wanted twist in the base frame.
    pub twist: Twist2,
}

/// Inputs that a step request brings along; applied together or not at all.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Inputs {
    /// Commands for robots.
    pub commands: Vec<CommandSpec>,
    /// New poses of boxes and discs; here an unknown name is an error.
    pub poses: Vec<MoveSpec>,
    /// Discs to create or move.
    pub discs: Vec<DiscSpec>,
}

impl Inputs {
    /// Whether there is nothing to apply.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.commands.is_empty() && self.poses.is_empty() && self.discs.is_empty()
    }
}

impl Scene {
    /// Applies the inputs of a step request: discs first, so that a pose may name a new one.
    ///
    /// # Errors
    /// The first item that is wrong; then nothing of the inputs is applied.
    pub fn apply(&mut self, inputs: &Inputs) -> Result<(), SceneError> {
        for (index, command) in inputs.commands.iter().enumerate() {
            self.check_command(&command.robot, command.twist)
                .map_err(|reason| item("commands", index, reason))?;
        }
        ensure_distinct("discs", inputs.discs.iter().map(|disc| disc.name.as_str()))?;
        for (index, disc) in inputs.discs.iter().enumerate() {
            self.world
                .check_disc(disc)
                .map_err(|reason| item("discs", index, reason))?;
        }
        let discs: BTreeSet<&str> = inputs.discs.iter().map(|disc| disc.name.as_str()).collect();
        ensure_distinct("poses", inputs.poses.iter().map(|pose| pose.name.as_str()))?;
        for (index, pose) in inputs.poses.iter().enumerate() {
            let checked = if discs.contains(pose.name.as_str()) {
                pose.check(Kind::Disc)
            } else {
                self.world.check_move(pose).map(|_| ())
            };
            checked.map_err(|reason| item("poses", index, reason))?;
        }
        for disc in &inputs.discs {
            self.world.add_disc(disc)?;
        }
        for pose in &inputs.poses {
            self.world.move_entity(pose)?;
        }
        for command in &inputs.commands {
            self.command(&command.robot, command.twist)?;
        }
        Ok(())
    }

    fn check_command(&self, robot: &str, twist: Twist2) -> Result<(), WorldError> {
        self.world.check_command(robot, twist).map(|_| ())
    }

    /// Gives a robot a body twist, as its command topic does: latched until the next one or
    /// the timeout of its drive.
    ///
    /// # Errors
    /// An unknown robot or a twist that is not finite.
    pub fn command(&mut self, robot: &str, twist: Twist2) -> Result<(), SceneError> {
        self.check_command(robot, twist)?;
        if let Some(kachaka) = self.kachakas.get_mut(robot) {
            let taken = kachaka.autonomous_velocity(twist.x, twist.angular);
            return taken.map_err(|reason| SceneError::Kachaka {
                name: robot.to_owned(),
                reason,
            });
        }
        let now = self.world.time();
        if let Some(robot) = self.robots.get_mut(robot) {
            robot.command(twist, now)?;
        }
        Ok(())
    }

    /// Creates or moves discs, then removes some; what is not there is not removed.
    ///
    /// # Errors
    /// The first disc that is wrong, or a name to remove that is no disc's; then nothing of
    /// the message is applied.
    pub fn update_discs(
        &mut self,
        discs: &[DiscSpec],
        removed: &[String],
    ) -> Result<(), SceneError> {
        for (index, disc) in discs.iter().enumerate() {
            self.world
                .check_disc(disc)
                .map_err(|reason| item("discs", index, reason))?;
        }
        for (index, name) in removed.iter().enumerate() {
            if let Some(holder) = self.world.kind_of(name).filter(|kind| *kind != Kind::Disc) {
                let reason = WorldError::NameTaken {
                    name: name.clone(),
                    wanted: Kind::Disc,
                    holder,
                };
                return Err(item("removed", index, reason));
            }
        }
        for disc in discs {
            self.world.add_disc(disc)?;
        }
        for name in removed {
            if self.world.kind_of(name).is_some() {
                self.world.remove(name)?;
            }
        }
        Ok(())
    }

    /// Moves boxes and discs; unknown names are ignored.
    ///
    /// # Errors
    /// The first pose that is wrong; then nothing of the message is applied.
    pub fn move_entities(&mut self, poses: &[MoveSpec]) -> Result<(), SceneError> {
        let known = |pose: &&MoveSpec| self.world.kind_of(&pose.name).is_some();
        for (index, pose) in poses.iter().enumerate() {
            if known(&pose) {
                self.world
                    .check_move(pose)
                    .map_err(|reason| item("poses", index, reason))?;
            }
        }
        for pose in poses {
            if self.world.kind_of(&pose.name).is_some() {
                self.world.move_entity(pose)?;
            }
        }
        Ok(())
    }
}
