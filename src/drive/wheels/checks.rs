//! Checks that several kinds of wheels share.

use nalgebra::{Unit, Vector3};

use super::WheelError;

/// Shortest radius or distance, m: far below any wheel, and what is divided by it stays finite.
const MIN_LENGTH: f64 = 1e-6;
/// Longest radius, distance or position, m: far above any robot.
const MAX_LENGTH: f64 = 1000.0;
/// Shortest direction that counts as one.
const MIN_DIRECTION: f64 = 1e-9;
/// Least angle between the axes of driving and turning, degrees.
const MIN_APART: f64 = 89.9;

/// A length above zero.
pub(super) fn length(parameter: &str, value: f64) -> Result<f64, WheelError> {
    if (MIN_LENGTH..=MAX_LENGTH).contains(&value) {
        return Ok(value);
    }
    Err(WheelError::Length {
        parameter: parameter.to_owned(),
        value,
    })
}

/// A limit; infinite when there is none.
pub(super) fn limit(parameter: &str, value: Option<f64>) -> Result<f64, WheelError> {
    match value {
        None => Ok(f64::INFINITY),
        Some(value) if value > 0.0 && value.is_finite() => Ok(value),
        Some(value) => Err(WheelError::Limit {
            parameter: parameter.to_owned(),
            value,
        }),
    }
}

/// A position near the robot.
pub(super) fn position(parameter: &str, value: [f64; 3]) -> Result<Vector3<f64>, WheelError> {
    if value.iter().all(|c| c.abs() <= MAX_LENGTH) {
        return Ok(Vector3::from(value));
    }
    Err(WheelError::Position {
        parameter: parameter.to_owned(),
        value,
    })
}

/// A direction, normalized.
pub(super) fn direction(
    parameter: &str,
    value: [f64; 3],
) -> Result<Unit<Vector3<f64>>, WheelError> {
    let vector = Vector3::from(value);
    let is_finite = value.iter().all(|c| c.is_finite());
    // Scaled first, so that squares of large numbers stay finite.
    Unit::try_new(vector / vector.amax().max(1.0), MIN_DIRECTION)
        .filter(|_| is_finite)
        .ok_or_else(|| WheelError::Direction {
            parameter: parameter.to_owned(),
            value,
        })
}

/// The axes of a body: forwards, to the left, and the one it turns about.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct BodyAxes {
    pub(super) forward: Unit<Vector3<f64>>,
    pub(super) lateral: Unit<Vector3<f64>>,
    pub(super) rotation: Unit<Vector3<f64>>,
}

impl BodyAxes {
    /// Axes from the directions of driving and turning.
    pub(super) fn new(forward: [f64; 3], rotation: [f64; 3]) -> Result<Self, WheelError> {
        let forward = direction("forward_direction", forward)?;
        let rotation = direction("rotation_direction", rotation)?;
        let cross = rotation.cross(&forward);
        // Between the axes, so that 91 degrees are as far from 90 as 89 are.
        let degrees = libm::atan2(cross.norm(), forward.dot(&rotation).abs()).to_degrees();
        match Unit::try_new(cross, MIN_DIRECTION) {
            Some(lateral) if degrees >= MIN_APART => Ok(Self {
                forward,
                lateral,
                rotation,
            }),
            _ => Err(WheelError::Directions {
                parameter: "forward_direction".to_owned(),
                degrees,
            }),
        }
    }
}
