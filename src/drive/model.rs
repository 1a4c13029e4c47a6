//! The numbers of a drive and how the body answers to a setpoint.

use super::DriveError;
use super::wheels::WheelModel;
use crate::world::Twist2;

/// Velocity bounds and acceleration limits of one axis of a command. Units are m/s and
/// m/s² for linear and lateral, rad/s and rad/s² for angular.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct AxisLimits {
    /// Lowest velocity, -1000 to 0.
    pub low: f64,
    /// Highest velocity, 0 to 1000; `low = high = 0` is an axis that does not move.
    pub high: f64,
    /// Limit while the speed grows; 0 = unlimited.
    pub accel: f64,
    /// Limit while the speed shrinks; 0 = the same as `accel`.
    pub decel: f64,
}

/// How a body follows its velocity commands.
#[derive(Debug, Clone, PartialEq)]
pub struct DriveModel {
    /// Along x of the base frame.
    pub linear: AxisLimits,
    /// Along y of the base frame.
    pub lateral: AxisLimits,
    /// About z.
    pub angular: AxisLimits,
    /// Body velocity per setpoint, for linear, lateral, angular; 0 = the axis does not move.
    pub gain: [f64; 3],
    /// Time constants of a first-order lag in seconds, for linear, lateral, angular; 0 = none.
    pub lag: [f64; 3],
    /// Largest planar acceleration of the pivot, m/s²; 0 or infinite = unlimited. The
    /// acceleration of driving a curve counts: too fast a curve slides outwards.
    pub traction: f64,
    /// The point on x of the base frame about which the body turns, m.
    pub pivot_x: f64,
    /// Sim time in seconds after which a command becomes zero; 0 = never.
    pub timeout: f64,
    /// What it drives on, which can do less than the axes allow.
    pub wheels: WheelModel,
}

impl Default for DriveModel {
    /// A body that answers at once and exactly, with all axes closed.
    fn default() -> Self {
        Self {
            linear: AxisLimits::default(),
            lateral: AxisLimits::default(),
            angular: AxisLimits::default(),
            gain: [1.0; 3],
            lag: [0.0; 3],
            traction: 0.0,
            pivot_x: 0.0,
            timeout: 0.0,
            wheels: WheelModel::None,
        }
    }
}

const AXES: [&str; 3] = ["linear", "lateral", "angular"];

impl DriveModel {
    /// Farthest pivot from the base frame, in metres: as far as a footprint may reach.
    pub const MAX_PIVOT: f64 = 100.0;
    /// Highest velocity bound, m/s or rad/s: far above any robot, far below what would
    /// overflow in physics.
    pub const MAX_SPEED: f64 = 1000.0;
    /// Gains of an axis that moves.
    pub const GAINS: std::ops::RangeInclusive<f64> = 0.001..=1000.0;

    /// Checks every number.
    ///
    /// # Errors
    /// [`DriveError::Field`] for the first one that is not finite or out of its range,
    /// [`DriveError::Wheels`] for wheels that can't be.
    pub fn validate(&self) -> Result<(), DriveError> {
        for (axis, name) in self.axes().into_iter().zip(AXES) {
            let at = |field: &str| format!("{name}.{field}");
            let is_low = (-Self::MAX_SPEED..=0.0).contains(&axis.low);
            check(at("low"), axis.low, is_low, "-1000 to 0")?;
            let is_high = (0.0..=Self::MAX_SPEED).contains(&axis.high);
            check(at("high"), axis.high, is_high, "0 to 1000")?;
            let expected = "finite and 0 or more (0 = unlimited)";
            check(at("accel"), axis.accel, axis.accel >= 0.0, expected)?;
            let expected = "finite and 0 or more (0 = as accel)";
            check(at("decel"), axis.decel, axis.decel >= 0.0, expected)?;
        }
        for (index, (&gain, &lag)) in self.gain.iter().zip(&self.lag).enumerate() {
            let is_gain = gain == 0.0 || Self::GAINS.contains(&gain);
            check(
                format!("gain[{index}]"),
                gain,
                is_gain,
                "0 or 0.001 to 1000",
            )?;
            let expected = "finite and 0 or more";
            check(format!("lag[{index}]"), lag, lag >= 0.0, expected)?;
        }
        // Infinite is a usual way to write unlimited.
        let traction = self.traction;
        if traction != f64::INFINITY {
            let expected = "0 or more (0 = unlimited)";
            check("traction", traction, traction >= 0.0, expected)?;
        }
        let pivot = self.pivot_x;
        let expected = "within 100 m of the base frame";
        check("pivot_x", pivot, pivot.abs() <= Self::MAX_PIVOT, expected)?;
        let expected = "finite and 0 or more (0 = never)";
        check("timeout", self.timeout, self.timeout >= 0.0, expected)?;
        Ok(self.wheels.validate()?)
    }

    pub(super) fn axes(&self) -> [AxisLimits; 3] {
        [self.linear, self.lateral, self.angular]
    }

    pub(super) fn timeout_nanoseconds(&self) -> u64 {
        // Saturates at 584 years.
        (self.timeout * 1e9).round() as u64
    }

    /// A command within the velocity bounds.
    pub(super) fn bounded(&self, command: Twist2) -> Twist2 {
        let axis = |value: f64, limits: AxisLimits| value.clamp(limits.low, limits.high);
        Twist2::new(
            axis(command.x, self.linear),
            axis(command.y, self.lateral),
            axis(command.angular, self.angular),
        )
    }

    /// The twist that the pivot would take on for a setpoint, from the one it has, within
    /// `dt` seconds.
    pub(super) fn response(&self, setpoint: Twist2, pivot: Twist2, dt: f64) -> Twist2 {
        let lagged = |axis: usize, setpoint: f64, from: f64| {
            let wanted = self.gain[axis] * setpoint;
            if self.lag[axis] > 0.0 {
                // 1 - exp(-dt / lag), exact for a setpoint that is constant in the step.
                from - (wanted - from) * libm::expm1(-dt / self.lag[axis])
            } else {
                wanted
            }
        };
        Twist2::new(
            lagged(0, setpoint.x, pivot.x),
            lagged(1, setpoint.y, pivot.y),
            lagged(2, setpoint.angular, pivot.angular),
        )
    }

    /// The wanted twist as far as traction lets the pivot change its velocity in the plane.
    pub(super) fn within_traction(&self, wanted: Twist2, pivot: Twist2, dt: f64) -> Twist2 {
        if self.traction == 0.0 || self.traction.is_infinite() {
            return wanted;
        }
        // In a frame that does not turn, the body frame as the step begins: within the
        // step the wanted velocity turns with the body.
        let (sin, cos) = libm::sincos(wanted.angular * dt);
        let change_x = cos * wanted.x - sin * wanted.y - pivot.x;
        let change_y = sin * wanted.x + cos * wanted.y - pivot.y;
        let change = libm::hypot(change_x, change_y);
        let allowed = self.traction * dt;
        if change <= allowed {
            return wanted;
        }
        let share = allowed / change;
        let x = pivot.x + share * change_x;
        let y = pivot.y + share * change_y;
        Twist2::new(cos * x + sin * y, cos * y - sin * x, wanted.angular)
    }
}

fn check(
    field: impl Into<String>,
    value: f64,
    in_range: bool,
    expected: &'static str,
) -> Result<(), DriveError> {
    if value.is_finite() && in_range {
        Ok(())
    } else {
        Err(DriveError::Field {
            field: field.into(),
            value,
            expected,
        })
    }
}
