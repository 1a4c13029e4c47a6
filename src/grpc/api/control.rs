//! Manual control, the pose estimate and the robot's switches.

use r2r::tatami_msgs::srv::{
    OnboardSetBool, OnboardSetNumber, OnboardSetText, OnboardTrigger, SetManualControl,
    SetPoseEstimate, SetVelocity,
};
use std::time::Duration;
use tonic::{Request, Response, Status};

use super::super::limits::check_texts;
use super::super::link::{Reply, Service};
use super::super::proto::{
    ResetShelfPoseRequest, ResetShelfPoseResponse, RestartRobotResponse, Result as Outcome,
    SetAutoHomingEnabledRequest, SetAutoHomingEnabledResponse, SetEmergencyStopResponse,
    SetManualControlEnabledRequest, SetManualControlEnabledResponse, SetRobotPoseRequest,
    SetRobotPoseResponse, SetRobotVelocityRequest, SetRobotVelocityResponse,
};
use super::{Answer, Api};

/// Speeds that a velocity of 1 stands for: m/s and rad/s, as published for the robot.
const LINEAR: f64 = 0.3;
const ANGULAR: f64 = 1.57;

/// How long the pose is waited for that follows from a new estimate. It is published before
/// the reply, but topics and replies can overtake each other.
const POSE_PATIENCE: Duration = Duration::from_secs(1);

impl Api {
    /// Turns manual control on or off.
    pub(super) async fn manual_control(
        &self,
        request: Request<SetManualControlEnabledRequest>,
    ) -> Answer<SetManualControlEnabledResponse> {
        let asked = request.into_inner();
        let ros = SetManualControl::Request {
            enable: asked.enable,
            use_shelf_registration: asked.use_shelf_registration,
        };
        let reply = self.ask(&self.services.manual_control, &ros).await?;
        let result = reply.result();
        Ok(Response::new(SetManualControlEnabledResponse { result }))
    }

    /// Drives under manual control.
    pub(super) async fn velocity(
        &self,
        request: Request<SetRobotVelocityRequest>,
    ) -> Answer<SetRobotVelocityResponse> {
        let asked = request.into_inner();
        let ros = SetVelocity::Request {
            linear: speed(asked.linear, LINEAR),
            angular: speed(asked.angular, ANGULAR),
        };
        let reply = self.ask(&self.services.velocity, &ros).await?;
        let result = reply.result();
        Ok(Response::new(SetRobotVelocityResponse { result }))
    }

    /// Tells the robot where it is. Reads show it when this returns.
    pub(super) async fn pose_estimate(
        &self,
        request: Request<SetRobotPoseRequest>,
    ) -> Answer<SetRobotPoseResponse> {
        let Some(pose) = request.into_inner().pose else {
            return Err(Status::invalid_argument("pose is missing"));
        };
        let ros = SetPoseEstimate::Request {
            x: pose.x,
            y: pose.y,
            yaw: pose.theta,
        };
        let is_shown = self.view.shows_pose(&pose);
        let reply = self.ask(&self.services.pose_estimate, &ros).await?;
        if reply.success && !is_shown {
            let follows = self.view.follows_pose(&pose);
            let _ = tokio::time::timeout(POSE_PATIENCE, follows).await;
        }
        let result = reply.result();
        Ok(Response::new(SetRobotPoseResponse { result }))
    }

    /// Turns on or off that the robot goes home by itself.
    pub(super) async fn auto_homing(
        &self,
        request: Request<SetAutoHomingEnabledRequest>,
    ) -> Answer<SetAutoHomingEnabledResponse> {
        let data = request.into_inner().enable;
        let ros = OnboardSetBool::Request { data };
        let reply = self.ask(&self.services.auto_homing, &ros).await?;
        let result = reply.result();
        Ok(Response::new(SetAutoHomingEnabledResponse { result }))
    }

    /// Stops at once, until the power button is pressed.
    pub(super) async fn emergency_stop(&self) -> Answer<SetEmergencyStopResponse> {
        let ros = OnboardTrigger::Request {};
        let reply = self.ask(&self.services.emergency_stop, &ros).await?;
        self.view.hurry().await;
        let result = reply.result();
        Ok(Response::new(SetEmergencyStopResponse { result }))
    }

    /// Starts the robot's software again.
    pub(super) async fn restart(&self) -> Answer<RestartRobotResponse> {
        let ros = OnboardTrigger::Request {};
        let reply = self.ask(&self.services.restart, &ros).await?;
        self.view.hurry().await;
        let result = reply.result();
        Ok(Response::new(RestartRobotResponse { result }))
    }

    /// Forgets where a shelf was put, or all when the id is empty.
    pub(super) async fn shelf_pose(
        &self,
        request: Request<ResetShelfPoseRequest>,
    ) -> Answer<ResetShelfPoseResponse> {
        let data = request.into_inner().shelf_id;
        check_texts(&[("shelf_id", &data)])?;
        let ros = OnboardSetText::Request { data };
        let reply = self.ask(&self.services.shelf_pose, &ros).await?;
        let result = reply.result();
        Ok(Response::new(ResetShelfPoseResponse { result }))
    }

    /// Sets a number by a service, which knows what is allowed.
    pub(super) async fn set(
        &self,
        service: &Service<OnboardSetNumber::Service>,
        data: f64,
    ) -> Result<Option<Outcome>, Status> {
        let ros = OnboardSetNumber::Request { data };
        Ok(self.ask(service, &ros).await?.result())
    }
}

/// A part of the full speed. Clients send more than 1 and get what 1 is; what is not finite is
/// left for the robot to refuse.
fn speed(part: f64, full: f64) -> f64 {
    if part.is_finite() {
        part.clamp(-1.0, 1.0) * full
    } else {
        part
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_velocity_of_1_is_the_published_speed_and_more_is_no_faster() {
        assert_eq!(speed(1.0, LINEAR), 0.3);
        assert_eq!(speed(-0.5, ANGULAR), -0.785);
        assert_eq!(speed(1.67, LINEAR), 0.3);
        assert_eq!(speed(-1e308, ANGULAR), -1.57);
        assert!(speed(f64::NAN, LINEAR).is_nan());
        assert_eq!(speed(f64::INFINITY, LINEAR), f64::INFINITY);
    }
}
