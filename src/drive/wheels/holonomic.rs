//! Omni or mecanum wheels, in any number and any place.

use nalgebra::{Matrix3, Matrix3xX, Quaternion, SymmetricEigen, Unit, UnitQuaternion, Vector3};

use super::checks::{direction, length, limit, position};
use super::{SiteVelocity, WheelError};
use crate::world::Twist2;

/// Least sine of the angle between an axle and the axis of turning, and least cosine of the
/// angle between a roller's grip and the rolling direction, that count as more than zero.
const MIN_ACROSS: f64 = 1e-9;
/// Share of the largest eigenvalue below which one counts as zero: a motion that no wheel
/// feels.
const NO_GRIP: f64 = 1e-12;

/// What a [`Holonomic`] is made from.
#[derive(Debug, Clone, PartialEq)]
pub struct HolonomicParameters {
    /// m; one for all wheels or one for each.
    pub wheel_radius: Vec<f64>,
    /// Where the wheels are, m; their number is the number of wheels.
    pub wheel_positions: Vec<[f64; 3]>,
    /// How the wheels are turned, in the same frame, as w, x, y, z; of any length.
    pub wheel_orientations: Vec<[f64; 4]>,
    /// Angle of the rollers' grip from the axle about the axis of turning, degrees; one for
    /// all wheels or one for each. 90 = omni or plain, 45 or 135 = mecanum.
    pub mecanum_angles: Vec<f64>,
    /// The axle in a wheel's own frame.
    pub wheel_axis: [f64; 3],
    /// Where the control point is, in the frame of the positions, m.
    pub command_site_position: [f64; 3],
    /// How its frame is turned, as w, x, y, z.
    pub command_site_quaternion: [f64; 4],
    /// Axis of turning in the frame of the control point.
    pub rotation_direction: [f64; 3],
    /// m/s in the plane.
    pub max_linear_speed: Option<f64>,
    /// rad/s.
    pub max_angular_speed: Option<f64>,
    /// rad/s of each wheel.
    pub max_wheel_speed: Option<f64>,
}

impl Default for HolonomicParameters {
    /// Without wheels, which are needed; axles along y, the control point in the origin, up
    /// is z, no limits.
    fn default() -> Self {
        Self {
            wheel_radius: Vec::new(),
            wheel_positions: Vec::new(),
            wheel_orientations: Vec::new(),
            mecanum_angles: Vec::new(),
            wheel_axis: [0.0, 1.0, 0.0],
            command_site_position: [0.0; 3],
            command_site_quaternion: [1.0, 0.0, 0.0, 0.0],
            rotation_direction: [0.0, 0.0, 1.0],
            max_linear_speed: None,
            max_angular_speed: None,
            max_wheel_speed: None,
        }
    }
}

/// One wheel: how the motion of the control point turns it.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Wheel {
    /// Speed along its grip per motion, for x, y and turning.
    grip: Vector3<f64>,
    /// rad/s of the wheel per m/s along its grip.
    ratio: f64,
}

/// Kinematics of wheels with rollers. Each is moved along its grip, the line in the ground
/// along which its rollers don't roll; across it they let it slip.
#[derive(Debug, Clone, PartialEq)]
pub struct Holonomic {
    /// Two axes across the axis of turning, and that one: with the default z, they are x
    /// and y of the control point's frame.
    axes: [Unit<Vector3<f64>>; 3],
    wheels: Vec<Wheel>,
    /// From speeds along the grips to the motion, by least squares.
    inverse: Matrix3xX<f64>,
    /// Whether there is no motion that the wheels don't feel.
    grips_all: bool,
    max_linear: f64,
    max_angular: f64,
    max_wheel: f64,
}

impl Holonomic {
    /// Checks the parameters and works out the wheels.
    ///
    /// # Errors
    /// No wheels, lists that don't have one entry per wheel, a length or a limit that is
    /// not finite and above zero, a rotation or direction of no length, a wheel whose axle
    /// is parallel to the axis of turning, or one with a mecanum angle of 0 or 180 degrees.
    pub fn new(parameters: &HolonomicParameters) -> Result<Self, WheelError> {
        let p = parameters;
        let count = p.wheel_positions.len();
        check_counts(p)?;
        let site = position("command_site_position", p.command_site_position)?;
        let turned = rotation("command_site_quaternion", p.command_site_quaternion)?;
        let axes = plane(direction("rotation_direction", p.rotation_direction)?);
        let axle = direction("wheel_axis", p.wheel_axis)?;
        let mut wheels = Vec::with_capacity(count);
        for index in 0..count {
            let name = format!("wheel_positions[{index}]");
            let at = position(&name, p.wheel_positions[index])?;
            let name = format!("wheel_orientations[{index}]");
            let orientation = rotation(&name, p.wheel_orientations[index])?;
            let place = (
                turned.inverse() * (at - site),
                turned.inverse() * orientation * axle,
            );
            wheels.push(wheel(p, index, place, &axes)?);
        }
        let (inverse, grips_all) = least_squares(&wheels);
        Ok(Self {
            axes,
            wheels,
            inverse,
            grips_all,
            max_linear: limit("max_linear_speed", p.max_linear_speed)?,
            max_angular: limit("max_angular_speed", p.max_angular_speed)?,
            max_wheel: limit("max_wheel_speed", p.max_wheel_speed)?,
        })
    }

    /// Speeds of the wheels, rad/s, in their order, for a velocity of the control point in
    /// its own frame. The planar velocity keeps its direction when it is held within its
    /// limit. Then each wheel is held by itself, which can change the direction.
    ///
    /// # Errors
    /// A velocity that is not finite.
    pub fn forward(&self, site: &SiteVelocity) -> Result<Vec<f64>, WheelError> {
        let (linear, angular) = site.vectors()?;
        let [x, y, up] = &self.axes;
        let twist = Twist2::new(x.dot(&linear), y.dot(&linear), up.dot(&angular));
        let mut speeds = self.rolling(self.bounded(twist));
        self.hold(&mut speeds);
        Ok(speeds)
    }

    /// Speeds of the wheels, rad/s, in their order, when the control point moves so,
    /// whatever the limits.
    #[must_use]
    pub fn rolling(&self, twist: Twist2) -> Vec<f64> {
        let motion = Vector3::new(twist.x, twist.y, twist.angular);
        (self.wheels.iter())
            .map(|wheel| wheel.grip.dot(&motion) * wheel.ratio)
            .collect()
    }

    /// The motion of the control point that fits speeds of the wheels best, by least
    /// squares of the speeds along their grips. Of motions that no wheel feels it has
    /// nothing.
    ///
    /// # Errors
    /// When there is not one speed for each wheel.
    pub fn twist_from(&self, speeds: &[f64]) -> Result<Twist2, WheelError> {
        if speeds.len() == self.wheels.len() {
            return Ok(self.best_fit(speeds));
        }
        Err(WheelError::Count {
            parameter: "speeds".to_owned(),
            count: speeds.len(),
            expected: format!("{}, one per wheel", self.wheels.len()),
        })
    }

    /// The part of a motion that the wheels can drive within all limits. What they can
    /// drive as it is comes back bit for bit.
    #[must_use]
    pub(super) fn feasible(&self, twist: Twist2) -> Twist2 {
        let bounded = self.bounded(twist);
        let mut speeds = self.rolling(bounded);
        if !self.hold(&mut speeds) && self.grips_all {
            return bounded;
        }
        self.best_fit(&speeds)
    }

    fn best_fit(&self, speeds: &[f64]) -> Twist2 {
        let pairs = self.inverse.column_iter().zip(&self.wheels).zip(speeds);
        let motion: Vector3<f64> = pairs
            .map(|((column, wheel), speed)| column * (speed / wheel.ratio))
            .sum();
        Twist2::new(motion.x, motion.y, motion.z)
    }

    fn bounded(&self, twist: Twist2) -> Twist2 {
        let speed = libm::hypot(twist.x, twist.y);
        let share = if speed > self.max_linear {
            self.max_linear / speed
        } else {
            1.0
        };
        Twist2::new(
            twist.x * share,
            twist.y * share,
            twist.angular.clamp(-self.max_angular, self.max_angular),
        )
    }

    /// Holds each wheel within its limit; whether one was beyond it.
    fn hold(&self, speeds: &mut [f64]) -> bool {
        let mut held = false;
        for speed in speeds {
            let within = speed.clamp(-self.max_wheel, self.max_wheel);
            held |= within != *speed;
            *speed = within;
        }
        held
    }
}

/// Whether every list has one entry per wheel, or one for all where that is allowed.
fn check_counts(p: &HolonomicParameters) -> Result<(), WheelError> {
    let wheels = p.wheel_positions.len();
    let counted = |parameter: &str, count: usize, one_for_all: bool| {
        if count == wheels && wheels > 0 || one_for_all && count == 1 && wheels > 0 {
            return Ok(());
        }
        Err(WheelError::Count {
            parameter: parameter.to_owned(),
            count,
            expected: match (wheels, one_for_all) {
                (0, _) => "at least one, one per wheel".to_owned(),
                (_, true) => format!("1 or {wheels}, one per wheel"),
                (_, false) => format!("{wheels}, one per wheel"),
            },
        })
    };
    counted("wheel_positions", wheels, false)?;
    counted("wheel_orientations", p.wheel_orientations.len(), false)?;
    counted("wheel_radius", p.wheel_radius.len(), true)?;
    counted("mecanum_angles", p.mecanum_angles.len(), true)
}

fn rotation(parameter: &str, value: [f64; 4]) -> Result<UnitQuaternion<f64>, WheelError> {
    let [w, x, y, z] = value;
    let largest = value.iter().fold(0.0_f64, |most, c| most.max(c.abs()));
    let is_finite = value.iter().all(|c| c.is_finite());
    UnitQuaternion::try_new(Quaternion::new(w, x, y, z) / largest.max(1.0), 1e-9)
        .filter(|_| is_finite)
        .ok_or_else(|| WheelError::Orientation {
            parameter: parameter.to_owned(),
            value,
        })
}

/// Two axes across the axis of turning, and that one.
fn plane(up: Unit<Vector3<f64>>) -> [Unit<Vector3<f64>>; 3] {
    // x, or y where x is nearer to the axis.
    let along = if up.x.abs() < 0.9 {
        Vector3::x()
    } else {
        Vector3::y()
    };
    let x = Unit::new_normalize(along - up.into_inner() * up.dot(&along));
    [x, Unit::new_normalize(up.cross(&x)), up]
}

fn wheel(
    p: &HolonomicParameters,
    index: usize,
    (at, axle): (Vector3<f64>, Unit<Vector3<f64>>),
    [x, y, up]: &[Unit<Vector3<f64>>; 3],
) -> Result<Wheel, WheelError> {
    let each = |values: &[f64]| if values.len() == 1 { 0 } else { index };
    let at_radius = each(&p.wheel_radius);
    let radius = length(
        &format!("wheel_radius[{at_radius}]"),
        p.wheel_radius[at_radius],
    )?;
    // Where a wheel that turns by the right hand about its axle drives to.
    let Some(ahead) = Unit::try_new(axle.cross(up), MIN_ACROSS) else {
        return Err(WheelError::FlatWheel {
            parameter: format!("wheel_orientations[{index}]"),
            axle: axle.into_inner().into(),
        });
    };
    let at_angle = each(&p.mecanum_angles);
    let angle = p.mecanum_angles[at_angle];
    // A plain wheel grips along its way; rollers turn the grip from there.
    let (sin, cos) = libm::sincos((angle - 90.0).to_radians());
    if !angle.is_finite() || cos.abs() < MIN_ACROSS {
        return Err(WheelError::MecanumAngle {
            parameter: format!("mecanum_angles[{at_angle}]"),
            value: angle,
        });
    }
    let grip = ahead.into_inner() * cos + up.cross(&ahead) * sin;
    Ok(Wheel {
        grip: Vector3::new(grip.dot(x), grip.dot(y), up.dot(&at.cross(&grip))),
        ratio: 1.0 / (radius * cos),
    })
}

/// The matrix that finds the motion from speeds along the grips, of which it gives the
/// smallest that fits best, and whether every motion moves a wheel.
fn least_squares(wheels: &[Wheel]) -> (Matrix3xX<f64>, bool) {
    // Turning is measured in m/s at the farthest lever, so that all three are alike.
    let lever = wheels
        .iter()
        .fold(0.0_f64, |most, wheel| most.max(wheel.grip.z.abs()));
    let lever = if lever > 0.0 { lever } else { 1.0 };
    let scale = Vector3::new(1.0, 1.0, 1.0 / lever);
    let grips: Vec<_> = (wheels.iter())
        .map(|wheel| wheel.grip.component_mul(&scale))
        .collect();
    let normal: Matrix3<f64> = grips.iter().map(|grip| grip * grip.transpose()).sum();
    let eigen = SymmetricEigen::new(normal);
    let least = NO_GRIP * eigen.eigenvalues.max();
    let inverted = eigen
        .eigenvalues
        .map(|value| if value > least { 1.0 / value } else { 0.0 });
    let vectors = eigen.eigenvectors;
    let inverse = vectors * Matrix3::from_diagonal(&inverted) * vectors.transpose();
    let columns: Vec<_> = (grips.iter())
        .map(|grip| (inverse * grip).component_mul(&scale))
        .collect();
    let grips_all = inverted.iter().all(|value| *value > 0.0);
    (Matrix3xX::from_columns(&columns), grips_all)
}

#[cfg(test)]
mod tests;
