//! Commands.

use r2r::tatami_msgs::srv::{CancelCommand, OnboardTrigger, StartCommand, StartShortcut};
use tonic::{Request, Response};

use super::super::commands::{from_ros, to_ros};
use super::super::limits::check_texts;
use super::super::link::Reply;
use super::super::proto::*;
use super::{Answer, Api};

impl Api {
    /// Has the robot accept a command.
    pub(super) async fn start(
        &self,
        request: Request<StartCommandRequest>,
    ) -> Answer<StartCommandResponse> {
        let asked = request.into_inner();
        let command = to_ros(asked.command);
        check_texts(&[
            ("target_shelf_id", &command.target_shelf_id),
            ("location_id", &command.location_id),
            ("source_location_id", &command.source_location_id),
            ("text", &command.text),
            ("tts_on_success", &asked.tts_on_success),
            ("title", &asked.title),
        ])?;
        let ros = StartCommand::Request {
            command,
            cancel_all: asked.cancel_all,
            tts_on_success: asked.tts_on_success,
            title: asked.title,
            deferrable: asked.deferrable,
            lock_on_end: asked.lock_on_end.map_or(0.0, |lock| lock.duration_sec),
        };
        // One that is coming is waited for first: it is its command then.
        self.watch.check_write().await?;
        let robot = self.view.robot_number();
        let reply = self.ask(&self.services.start, &ros).await?;
        if reply.success {
            self.view.accept(robot, &reply.command_id, &ros.command);
        }
        Ok(Response::new(StartCommandResponse {
            result: reply.result(),
            command_id: reply.command_id,
        }))
    }

    /// Ends the command that runs.
    pub(super) async fn cancel(&self) -> Answer<CancelCommandResponse> {
        let ros = CancelCommand::Request { queued: false };
        let reply = self.ask(&self.services.cancel, &ros).await?;
        self.view.hurry().await;
        Ok(Response::new(CancelCommandResponse {
            result: reply.result(),
            command: from_ros(&reply.command),
        }))
    }

    /// Ends a lock.
    pub(super) async fn go_on(&self) -> Answer<ProceedResponse> {
        let ros = OnboardTrigger::Request {};
        let reply = self.ask(&self.services.proceed, &ros).await?;
        self.view.hurry().await;
        Ok(Response::new(ProceedResponse {
            result: reply.result(),
        }))
    }

    /// Starts the commands of a shortcut.
    pub(super) async fn shortcut(
        &self,
        request: Request<StartShortcutCommandRequest>,
    ) -> Answer<StartShortcutCommandResponse> {
        let asked = request.into_inner();
        check_texts(&[("target_shortcut_id", &asked.target_shortcut_id)])?;
        let ros = StartShortcut::Request {
            shortcut_id: asked.target_shortcut_id,
            cancel_all: asked.cancel_all,
        };
        let reply = self.ask(&self.services.shortcut, &ros).await?;
        Ok(Response::new(StartShortcutCommandResponse {
            result: reply.result(),
        }))
    }
}
