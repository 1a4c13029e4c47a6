//! The wheels of one robot as they turn.

use super::model::Kinematics;
use super::{AckermannWheels, WheelError, WheelModel};
use crate::drive::AxisLimits;
use crate::world::Twist2;

/// Where a joint stands and how fast it moves.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct JointMotion {
    /// rad; of a wheel all its turns.
    pub position: f64,
    /// rad/s over the last step.
    pub velocity: f64,
}

/// Wheels with the state of their joints.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::drive) struct WheelSet {
    kinematics: Kinematics,
    names: Vec<String>,
    /// In the order of the names.
    motions: Vec<JointMotion>,
    /// Of an [`Kinematics::Ackermann`], rad.
    turning_angle: f64,
}

impl WheelSet {
    /// Wheels at rest and straight ahead, under a base frame whose pivot is on its x.
    ///
    /// # Errors
    /// When the model can't be.
    pub(in crate::drive) fn new(model: &WheelModel, pivot_x: f64) -> Result<Self, WheelError> {
        let names: Vec<String> = (model.joints().into_iter())
            .map(|(_, joint)| joint.to_owned())
            .collect();
        Ok(Self {
            kinematics: model.kinematics(pivot_x)?,
            motions: vec![JointMotion::default(); names.len()],
            names,
            turning_angle: 0.0,
        })
    }

    /// The joints with their motions: wheels, then what steers them.
    pub(in crate::drive) fn joints(&self) -> impl Iterator<Item = (&str, JointMotion)> {
        (self.names.iter().map(String::as_str)).zip(self.motions.iter().copied())
    }

    /// The part of a twist of the pivot that the wheels can drive within their limits.
    pub(in crate::drive) fn feasible(&self, twist: Twist2) -> Twist2 {
        match &self.kinematics {
            Kinematics::None => twist,
            Kinematics::Differential(wheels) => wheels.feasible(twist),
            Kinematics::Ackermann(wheels) => wheels.feasible(twist).0,
            Kinematics::Holonomic(wheels) => wheels.feasible(twist),
        }
    }

    /// Steers towards a twist of the pivot and gives the part of it that the wheels can
    /// drive. A body that is to stop, and so has nowhere to steer to, keeps its steering
    /// angle and stops on its arc, no faster about z than `angular` allows.
    pub(in crate::drive) fn steer(
        &mut self,
        twist: Twist2,
        is_stopping: bool,
        angular: AxisLimits,
    ) -> Twist2 {
        let Kinematics::Ackermann(wheels) = &self.kinematics else {
            return self.feasible(twist);
        };
        let twist = if is_stopping {
            let turning = wheels.turning(twist.x, self.turning_angle);
            let turning = turning.clamp(angular.low, angular.high);
            Twist2::new(twist.x, 0.0, turning)
        } else {
            twist
        };
        let (feasible, angle) = wheels.feasible(twist);
        self.turning_angle = angle.unwrap_or(self.turning_angle);
        feasible
    }

    /// Turns the wheels as they roll under a body whose pivot had this twist for `dt`
    /// seconds.
    pub(in crate::drive) fn roll(&mut self, twist: Twist2, dt: f64) {
        let speeds = match &self.kinematics {
            Kinematics::None => return,
            Kinematics::Differential(wheels) => wheels.rolling(twist.x, twist.angular).to_vec(),
            Kinematics::Ackermann(wheels) => {
                let wheels = wheels.rolling(twist.x, twist.angular, self.turning_angle);
                return self.turn_steered(&wheels, dt);
            }
            Kinematics::Holonomic(wheels) => wheels.rolling(twist),
        };
        self.turn(&speeds, dt);
    }

    /// Stands still where it is.
    pub(in crate::drive) fn stop(&mut self) {
        for motion in &mut self.motions {
            motion.velocity = 0.0;
        }
    }

    /// At rest and straight ahead, as new.
    pub(in crate::drive) fn reset(&mut self) {
        self.motions.fill(JointMotion::default());
        self.turning_angle = 0.0;
    }

    fn turn(&mut self, speeds: &[f64], dt: f64) {
        for (motion, &speed) in self.motions.iter_mut().zip(speeds) {
            motion.velocity = speed;
            motion.position += speed * dt;
        }
    }

    fn turn_steered(&mut self, wheels: &AckermannWheels, dt: f64) {
        let [a, b] = wheels.steerable;
        let [c, d] = wheels.non_steerable;
        let steering = self.motions.len().saturating_sub(2);
        self.turn(&[a, b, c, d][..steering.min(4)], dt);
        for (motion, angle) in self.motions[steering..].iter_mut().zip(wheels.steering) {
            motion.velocity = (angle - motion.position) / dt;
            motion.position = angle;
        }
    }
}
