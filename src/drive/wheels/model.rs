//! The wheels of a robot: a kind of wheels with the joints that turn them.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Ackermann, AckermannParameters, Differential, DifferentialParameters, Holonomic,
    HolonomicParameters, WheelError,
};

/// The wheels of a drive.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum WheelModel {
    /// None: the body follows its setpoint directly.
    #[default]
    None,
    /// Two driven wheels on one axle, which lies at the pivot.
    Differential {
        /// The left and the right wheel.
        wheel_joints: [String; 2],
        /// The kinematics.
        parameters: DifferentialParameters,
    },
    /// A steered axle and a fixed one, which lies at the pivot.
    Ackermann {
        /// The left and the right wheel that steer.
        steerable_wheel_joints: [String; 2],
        /// The left and the right wheel that don't, if they have joints.
        non_steerable_wheel_joints: Option<[String; 2]>,
        /// What turns the steered wheels to the side, left and right.
        steering_joints: [String; 2],
        /// The kinematics.
        parameters: AckermannParameters,
    },
    /// Wheels with rollers, placed in the base frame.
    Holonomic {
        /// One per wheel.
        wheel_joints: Vec<String>,
        /// The kinematics. A drive puts its control point on the pivot.
        parameters: HolonomicParameters,
    },
}

/// A wheel in the base frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WheelPose {
    /// m.
    pub position: [f64; 3],
    /// As w, x, y, z.
    pub orientation: [f64; 4],
}

/// The wheels of a drive as messages and files have them. A limit, width or angle of 0 is
/// none, an axis of zeros is y.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct WheelFields {
    /// `differential`, `ackermann`, `holonomic` or none.
    pub kind: String,
    /// Joints of the wheels.
    pub wheel_joints: Vec<String>,
    /// Joints that turn wheels to the side.
    pub steering_joints: Vec<String>,
    /// m.
    pub wheel_radius: Vec<f64>,
    /// m.
    pub wheel_base: f64,
    /// m.
    pub track_width: f64,
    /// m.
    pub non_steerable_track_width: f64,
    /// Whether the wheels behind steer.
    pub steerable_wheels_at_rear: bool,
    /// Of holonomic wheels.
    pub wheel_poses: Vec<WheelPose>,
    /// Degrees.
    pub mecanum_angles: Vec<f64>,
    /// In the frame of a wheel.
    pub wheel_axis: [f64; 3],
    /// m/s.
    pub max_linear_speed: f64,
    /// rad/s.
    pub max_angular_speed: f64,
    /// rad/s.
    pub max_wheel_speed: f64,
    /// rad.
    pub max_turning_angle: f64,
}

/// The kinematics of a [`WheelModel`].
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kinematics {
    None,
    Differential(Differential),
    Ackermann(Ackermann),
    Holonomic(Holonomic),
}

impl WheelModel {
    /// Checks every number, and that no joint has two tasks.
    ///
    /// # Errors
    /// The first thing that is wrong, under the name of its field in [`WheelFields`].
    pub fn validate(&self) -> Result<(), WheelError> {
        self.kinematics(0.0).map(|_| ())
    }

    /// Checks that every joint is among those of a robot that turn.
    ///
    /// # Errors
    /// The first one that is not, with those that are.
    pub fn check_joints(&self, turning: &[&str]) -> Result<(), WheelError> {
        let known: BTreeSet<&str> = turning.iter().copied().collect();
        let missing = (self.joints().into_iter()).find(|(_, joint)| !known.contains(joint));
        match missing {
            None => Ok(()),
            Some((parameter, joint)) => Err(WheelError::Joint {
                parameter,
                joint: joint.to_owned(),
                known: if turning.is_empty() {
                    "it has none".to_owned()
                } else {
                    turning.join(", ")
                },
            }),
        }
    }

    /// Every joint with the field that names it: those of wheels in the order of the
    /// kinematics, then those that steer.
    pub(super) fn joints(&self) -> Vec<(String, &str)> {
        let (wheels, steering): (Vec<&String>, &[String]) = match self {
            Self::None => (Vec::new(), &[]),
            Self::Differential { wheel_joints, .. } => (wheel_joints.iter().collect(), &[]),
            Self::Ackermann {
                steerable_wheel_joints,
                non_steerable_wheel_joints,
                steering_joints,
                ..
            } => {
                let others = non_steerable_wheel_joints.iter().flatten();
                let wheels = steerable_wheel_joints.iter().chain(others).collect();
                (wheels, steering_joints)
            }
            Self::Holonomic { wheel_joints, .. } => (wheel_joints.iter().collect(), &[]),
        };
        let wheels = (wheels.into_iter().enumerate())
            .map(|(i, joint)| (format!("wheel_joints[{i}]"), joint.as_str()));
        let steering = (steering.iter().enumerate())
            .map(|(i, joint)| (format!("steering_joints[{i}]"), joint.as_str()));
        wheels.chain(steering).collect()
    }

    /// The kinematics about a pivot on x of the base frame, after every check.
    pub(super) fn kinematics(&self, pivot_x: f64) -> Result<Kinematics, WheelError> {
        let kinematics = match self {
            Self::None => Kinematics::None,
            Self::Differential { parameters, .. } => {
                let wheels = Differential::new(parameters);
                Kinematics::Differential(wheels.map_err(|error| {
                    error.renamed(|name| match name {
                        "wheel_radius" => "wheel_radius[0]".to_owned(),
                        other => other.to_owned(),
                    })
                })?)
            }
            Self::Ackermann { parameters, .. } => {
                let wheels = Ackermann::new(parameters);
                Kinematics::Ackermann(wheels.map_err(|error| {
                    error.renamed(|name| match name {
                        "steerable_wheel_radius" => "wheel_radius[0]".to_owned(),
                        "non_steerable_wheel_radius" => "wheel_radius[1]".to_owned(),
                        other => other.to_owned(),
                    })
                })?)
            }
            Self::Holonomic {
                wheel_joints,
                parameters,
            } => {
                one_per_joint(
                    "wheel_poses",
                    parameters.wheel_positions.len(),
                    wheel_joints,
                )?;
                let about_pivot = HolonomicParameters {
                    command_site_position: [pivot_x, 0.0, 0.0],
                    ..parameters.clone()
                };
                let wheels = Holonomic::new(&about_pivot);
                Kinematics::Holonomic(wheels.map_err(|error| error.renamed(name_of_pose))?)
            }
        };
        self.check_unique()?;
        Ok(kinematics)
    }

    fn check_unique(&self) -> Result<(), WheelError> {
        let mut used = BTreeMap::new();
        for (parameter, joint) in self.joints() {
            if let Some(other) = used.insert(joint, parameter.clone()) {
                return Err(WheelError::JointTwice {
                    parameter,
                    other,
                    joint: joint.to_owned(),
                });
            }
        }
        Ok(())
    }
}

/// A parameter of [`HolonomicParameters`] as the field that holds it.
fn name_of_pose(name: &str) -> String {
    let in_pose = |list: &str, part: &str| {
        let index = name.strip_prefix(list)?;
        let part = if index.is_empty() { "" } else { part };
        Some(format!("wheel_poses{index}{part}"))
    };
    in_pose("wheel_positions", ".position")
        .or_else(|| in_pose("wheel_orientations", ".orientation"))
        .unwrap_or_else(|| name.to_owned())
}

fn one_per_joint(parameter: &str, count: usize, joints: &[String]) -> Result<(), WheelError> {
    if count == joints.len() {
        return Ok(());
    }
    Err(WheelError::Count {
        parameter: parameter.to_owned(),
        count,
        expected: format!("{}, one per entry of wheel_joints", joints.len()),
    })
}

impl WheelFields {
    /// The wheels that the fields stand for, every number checked.
    ///
    /// # Errors
    /// The first thing that is wrong, under the name of its field.
    pub fn model(&self) -> Result<WheelModel, WheelError> {
        let model = match self.kind.as_str() {
            "" => WheelModel::None,
            "differential" => self.differential()?,
            "ackermann" => self.ackermann()?,
            "holonomic" => self.holonomic(),
            other => {
                let kind = other.to_owned();
                return Err(WheelError::Type { kind });
            }
        };
        model.validate()?;
        Ok(model)
    }

    fn differential(&self) -> Result<WheelModel, WheelError> {
        let [wheel_radius] = exactly("wheel_radius", &self.wheel_radius, "1")?;
        Ok(WheelModel::Differential {
            wheel_joints: exactly("wheel_joints", &self.wheel_joints, "2, left and right")?,
            parameters: DifferentialParameters {
                wheel_radius,
                wheel_base: self.wheel_base,
                max_linear_speed: limit(self.max_linear_speed),
                max_angular_speed: limit(self.max_angular_speed),
                max_wheel_speed: limit(self.max_wheel_speed),
                ..DifferentialParameters::default()
            },
        })
    }

    fn ackermann(&self) -> Result<WheelModel, WheelError> {
        let (steerable, others) = match self.wheel_joints.as_slice() {
            [a, b] => ([a, b], None),
            [a, b, c, d] => ([a, b], Some([c, d])),
            _ => {
                return Err(WheelError::Count {
                    parameter: "wheel_joints".to_owned(),
                    count: self.wheel_joints.len(),
                    expected: "2 or 4: left and right wheel that steer, then both or none of \
                               the left and right wheel that don't"
                        .to_owned(),
                });
            }
        };
        let (radius, other_radius) = match self.wheel_radius.as_slice() {
            [radius] => (*radius, None),
            [radius, other] => (*radius, Some(*other)),
            _ => {
                return Err(WheelError::Count {
                    parameter: "wheel_radius".to_owned(),
                    count: self.wheel_radius.len(),
                    expected: "1 or 2: of the wheels that steer, then of those that don't"
                        .to_owned(),
                });
            }
        };
        Ok(WheelModel::Ackermann {
            steerable_wheel_joints: steerable.map(Clone::clone),
            non_steerable_wheel_joints: others.map(|joints| joints.map(Clone::clone)),
            steering_joints: exactly(
                "steering_joints",
                &self.steering_joints,
                "2, left and right",
            )?,
            parameters: AckermannParameters {
                steerable_wheel_radius: radius,
                wheel_base: self.wheel_base,
                track_width: self.track_width,
                non_steerable_wheel_radius: other_radius,
                non_steerable_track_width: limit(self.non_steerable_track_width),
                max_linear_speed: limit(self.max_linear_speed),
                max_turning_angle: limit(self.max_turning_angle),
                steerable_wheels_at_rear: self.steerable_wheels_at_rear,
                ..AckermannParameters::default()
            },
        })
    }

    fn holonomic(&self) -> WheelModel {
        let default = HolonomicParameters::default();
        let is_axis_given = self.wheel_axis != [0.0; 3];
        WheelModel::Holonomic {
            wheel_joints: self.wheel_joints.clone(),
            parameters: HolonomicParameters {
                wheel_radius: self.wheel_radius.clone(),
                wheel_positions: self.wheel_poses.iter().map(|pose| pose.position).collect(),
                wheel_orientations: (self.wheel_poses.iter())
                    .map(|pose| pose.orientation)
                    .collect(),
                mecanum_angles: self.mecanum_angles.clone(),
                wheel_axis: if is_axis_given {
                    self.wheel_axis
                } else {
                    default.wheel_axis
                },
                max_linear_speed: limit(self.max_linear_speed),
                max_angular_speed: limit(self.max_angular_speed),
                max_wheel_speed: limit(self.max_wheel_speed),
                ..default
            },
        }
    }
}

impl From<&WheelModel> for WheelFields {
    fn from(model: &WheelModel) -> Self {
        let number = |value: Option<f64>| value.unwrap_or(0.0);
        match model {
            WheelModel::None => Self::default(),
            WheelModel::Differential {
                wheel_joints,
                parameters: p,
            } => Self {
                kind: "differential".to_owned(),
                wheel_joints: wheel_joints.to_vec(),
                wheel_radius: vec![p.wheel_radius],
                wheel_base: p.wheel_base,
                max_linear_speed: number(p.max_linear_speed),
                max_angular_speed: number(p.max_angular_speed),
                max_wheel_speed: number(p.max_wheel_speed),
                ..Self::default()
            },
            WheelModel::Ackermann {
                steerable_wheel_joints,
                non_steerable_wheel_joints,
                steering_joints,
                parameters: p,
            } => Self {
                kind: "ackermann".to_owned(),
                wheel_joints: (steerable_wheel_joints.iter())
                    .chain(non_steerable_wheel_joints.iter().flatten())
                    .cloned()
                    .collect(),
                steering_joints: steering_joints.to_vec(),
                wheel_radius: (std::iter::once(p.steerable_wheel_radius))
                    .chain(p.non_steerable_wheel_radius)
                    .collect(),
                wheel_base: p.wheel_base,
                track_width: p.track_width,
                non_steerable_track_width: number(p.non_steerable_track_width),
                steerable_wheels_at_rear: p.steerable_wheels_at_rear,
                max_linear_speed: number(p.max_linear_speed),
                max_turning_angle: number(p.max_turning_angle),
                ..Self::default()
            },
            WheelModel::Holonomic {
                wheel_joints,
                parameters: p,
            } => Self {
                kind: "holonomic".to_owned(),
                wheel_joints: wheel_joints.clone(),
                wheel_radius: p.wheel_radius.clone(),
                wheel_poses: (p.wheel_positions.iter().zip(&p.wheel_orientations))
                    .map(|(&position, &orientation)| WheelPose {
                        position,
                        orientation,
                    })
                    .collect(),
                mecanum_angles: p.mecanum_angles.clone(),
                wheel_axis: p.wheel_axis,
                max_linear_speed: number(p.max_linear_speed),
                max_angular_speed: number(p.max_angular_speed),
                max_wheel_speed: number(p.max_wheel_speed),
                ..Self::default()
            },
        }
    }
}

/// A field of which 0 is none.
fn limit(value: f64) -> Option<f64> {
    (value != 0.0).then_some(value)
}

/// A list of a fixed length; `expected` says which.
fn exactly<const N: usize, T: Clone>(
    parameter: &str,
    values: &[T],
    expected: &str,
) -> Result<[T; N], WheelError> {
    <[T; N]>::try_from(values.to_vec()).map_err(|_| WheelError::Count {
        parameter: parameter.to_owned(),
        count: values.len(),
        expected: expected.to_owned(),
    })
}

#[cfg(test)]
mod tests;
