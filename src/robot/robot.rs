//! The robot itself.

use std::collections::BTreeMap;

use super::sensor::{Moment, Sample, Selection, Sensor, Suite};
use super::{RobotError, RobotFault, RobotSpec};
use crate::description::RobotDescription;
use crate::drive::wheels::JointMotion;
use crate::drive::{Drive, DriveError, DriveModel};
use crate::sensors::{Odometry, OdometrySample, Surroundings};
use crate::world::{BodyKey, Footprint, PhysicsDt, RobotBody, SimTime, Twist2, World};

/// Mass of a body whose description gives none, kg.
const DEFAULT_MASS: f64 = 10.0;

/// What is worth saying about a robot that was made.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Remarks {
    /// For whoever asked for it.
    pub notes: Vec<String>,
    /// For the log: what of the description was skipped.
    pub skipped: Vec<String>,
}

/// One robot: what it was made from and the state it keeps outside the world.
#[derive(Debug, Clone)]
pub struct Robot {
    spec: RobotSpec,
    key: Option<BodyKey>,
    description: RobotDescription,
    movable_joints: Vec<String>,
    /// One for each of the movable joints.
    joint_motions: Vec<JointMotion>,
    /// Where among them the joints of the drive are, in its order.
    wheel_places: Vec<usize>,
    footprint: Footprint,
    drive: Drive,
    odometry: Odometry,
    suite: Suite,
}

impl Robot {
    /// Makes a robot; it is in no world yet.
    ///
    /// # Errors
    /// Whatever is wrong with its description, drive, body or sensors.
    pub fn build(spec: RobotSpec, dt: PhysicsDt) -> Result<(Self, Remarks), RobotError> {
        let robot = spec.name.clone();
        Self::assemble(spec, dt).map_err(|reason| RobotError {
            robot,
            reason: Box::new(reason),
        })
    }

    fn assemble(spec: RobotSpec, dt: PhysicsDt) -> Result<(Self, Remarks), RobotFault> {
        let mut remarks = Remarks::default();
        let (description, skipped) = RobotDescription::parse(&spec.urdf)?;
        remarks.skipped = skipped;
        if let Some(note) = check_base(&description, &spec.base_frame)? {
            remarks.notes.push(note);
        }
        let footprint = footprint_of(&spec)?;
        let model = match &spec.onboard {
            None => spec.drive.clone(),
            Some(config) => config.drive_model(spec.drive.clone()),
        };
        let drive = Drive::new(model)?;
        let wheels = &spec.drive.wheels;
        (wheels.check_joints(&description.turning_joints())).map_err(DriveError::from)?;
        let suite = Suite::build(&spec, &description, dt, &mut remarks.notes)?;
        let movable_joints: Vec<String> = description
            .movable_joints()
            .map(|joint| joint.name.clone())
            .collect();
        let place_of: BTreeMap<&str, usize> = (movable_joints.iter().enumerate())
            .map(|(place, joint)| (joint.as_str(), place))
            .collect();
        let wheel_places = (drive.joints())
            .filter_map(|(joint, _)| place_of.get(joint).copied())
            .collect();
        let robot = Self {
            spec,
            key: None,
            description,
            wheel_places,
            joint_motions: vec![JointMotion::default(); movable_joints.len()],
            movable_joints,
            footprint,
            drive,
            odometry: Odometry::new(),
            suite,
        };
        Ok((robot, remarks))
    }

    /// The same robot once its body is in a world.
    #[must_use]
    pub fn placed_as(self, key: BodyKey) -> Self {
        Self {
            key: Some(key),
            ..self
        }
    }

    /// The body to put into a world.
    #[must_use]
    pub fn body(&self) -> RobotBody {
        let mass = self.description.total_mass();
        RobotBody {
            name: self.spec.name.clone(),
            footprint: self.footprint.clone(),
            pose: self.spec.pose,
            floor: self.spec.floor.clone(),
            z_min: self.spec.z_min,
            height: self.spec.height,
            mass: if mass > 0.0 { mass } else { DEFAULT_MASS },
        }
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.spec.name
    }

    /// What it was made from.
    #[must_use]
    pub fn spec(&self) -> &RobotSpec {
        &self.spec
    }

    /// Its description.
    #[must_use]
    pub fn description(&self) -> &RobotDescription {
        &self.description
    }

    /// The link in which body, twists and sensors are measured.
    #[must_use]
    pub fn base_frame(&self) -> &str {
        &self.spec.base_frame
    }

    /// Joints that can move, in the order of the description.
    #[must_use]
    pub fn movable_joints(&self) -> &[String] {
        &self.movable_joints
    }

    /// Where each of the movable joints stands. Those that are not of wheels stand at zero.
    #[must_use]
    pub fn joint_motions(&self) -> &[JointMotion] {
        &self.joint_motions
    }

    /// Outline in the base frame.
    #[must_use]
    pub fn footprint(&self) -> &Footprint {
        &self.footprint
    }

    /// What the wheels have counted.
    #[must_use]
    pub fn odometry(&self) -> OdometrySample {
        OdometrySample {
            pose: self.odometry.pose(),
            twist: self.odometry.twist(),
        }
    }

    /// How its body follows commands, as its own software lets it.
    #[must_use]
    pub fn drive_model(&self) -> &DriveModel {
        self.drive.model()
    }

    /// What its wheels are told at present, a twist of the pivot.
    #[must_use]
    pub fn setpoint(&self) -> Twist2 {
        self.drive.setpoint()
    }

    /// What its wheels would be told after a step with a command, a twist of the pivot.
    #[must_use]
    pub fn setpoint_after(&self, command: Twist2, dt: PhysicsDt) -> Twist2 {
        self.drive.setpoint_after(command, dt)
    }

    /// Its sensors, in the order of the request.
    #[must_use]
    pub fn sensors(&self) -> &[Sensor] {
        self.suite.sensors()
    }

    /// Latches a command.
    ///
    /// # Errors
    /// A twist that is not finite.
    pub(crate) fn command(&mut self, twist: Twist2, now: SimTime) -> Result<(), RobotError> {
        self.drive.command(twist, now).map_err(|reason| RobotError {
            robot: self.spec.name.clone(),
            reason: Box::new(reason.into()),
        })
    }

    /// Latches a twist of its own software, which is finite.
    pub(crate) fn follow_order(&mut self, twist: Twist2, now: SimTime) {
        if self.drive.command(twist, now).is_err() {
            self.drive.halt();
        }
    }

    /// Tells the wheels to stop at once.
    pub(crate) fn halt(&mut self) {
        self.drive.halt();
    }

    /// Before a step: gives the body the twist that the drive wants from it.
    pub(crate) fn drive(&mut self, world: &mut World, now: SimTime) {
        let Some((key, body)) = self.in_world(world) else {
            return;
        };
        let wanted = self.drive.update(now, world.dt(), body);
        world.drive(key, wanted);
    }

    /// After a step: counts what the wheels did.
    pub(crate) fn follow(&mut self, world: &World) {
        if let Some((_, body)) = self.in_world(world) {
            let counted = self.drive.encoded(body);
            self.odometry.integrate(counted, world.dt().seconds());
            self.drive.follow(world.dt(), body);
            self.show_joints();
        }
    }

    /// Copies the motions of the wheels to their places among the joints.
    fn show_joints(&mut self) {
        for ((_, motion), &place) in self.drive.joints().zip(&self.wheel_places) {
            if let Some(shown) = self.joint_motions.get_mut(place) {
                *shown = motion;
            }
        }
    }

    /// Its body in the world, once it is in one.
    pub(crate) fn key(&self) -> Option<BodyKey> {
        self.key
    }

    fn in_world(&self, world: &World) -> Option<(BodyKey, Twist2)> {
        let key = self.key?;
        Some((key, world.state_of(key)?.twist))
    }

    /// Stands still, as after a teleport; odometry keeps its pose.
    pub(crate) fn stop(&mut self) {
        self.drive.stop();
        self.odometry.stop();
        self.show_joints();
    }

    /// As freshly spawned.
    pub(crate) fn reset(&mut self) {
        self.drive.reset();
        self.odometry = Odometry::new();
        self.show_joints();
    }

    /// What its sensors read now, each with its place among them. Lidars that rest read
    /// nothing.
    pub(crate) fn sample(
        &self,
        world: &World,
        seed: i64,
        which: Selection,
        lidars_rest: bool,
    ) -> Vec<(usize, Sample)> {
        let Some((key, state)) = self.key.and_then(|key| Some((key, world.state_of(key)?))) else {
            return Vec::new();
        };
        let surroundings = Surroundings {
            rays: world.rays(),
            base: state.pose,
            level: state.level,
            own: Some(key),
        };
        let moment = Moment {
            robot: &self.spec.name,
            seed,
            step: world.step_index(),
            dt: world.dt().seconds(),
            state,
            surroundings,
            world,
            lidars_rest,
        };
        self.suite.sample(&moment, which)
    }
}

/// Odometry needs a base that is the root of the transforms, or fixed to it. What to say
/// about the latter.
fn check_base(description: &RobotDescription, base: &str) -> Result<Option<String>, RobotFault> {
    let root = description.root();
    let in_root = description.frame_in(root, base)?;
    if base == root {
        return Ok(None);
    }
    let (base, root) = (base.to_owned(), root.to_owned());
    if !description.is_fixed_to(&root, &base)? {
        return Err(RobotFault::BaseFrame { base, root });
    }
    let up = in_root.rotation * nalgebra::Vector3::z();
    if up.z < 1.0 - 1e-9 {
        return Err(RobotFault::LeaningBase { base, root });
    }
    Ok(Some(format!(
        "base_frame '{base}' is fixed to the root '{root}' of the URDF, which is the child of the odometry"
    )))
}

fn footprint_of(spec: &RobotSpec) -> Result<Footprint, RobotFault> {
    match (spec.footprint.is_empty(), spec.radius == 0.0) {
        (true, true) => Err(RobotFault::Body("none was")),
        (false, false) => Err(RobotFault::Body("both were")),
        (true, false) => Ok(Footprint::disc(spec.radius)?),
        (false, true) => Ok(Footprint::polygon(&spec.footprint)?),
    }
}
