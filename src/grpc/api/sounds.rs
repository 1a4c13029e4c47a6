//! Sounds.

use r2r::tatami_msgs::srv::{AddSound, OnboardSetText, OnboardTrigger, PlaySound};
use tonic::{Request, Response};

use super::super::limits::check_texts;
use super::super::link::Reply;
use super::super::proto::*;
use super::{Answer, Api};

impl Api {
    /// Adds a sound.
    pub(super) async fn new_sound(
        &self,
        request: Request<AddSoundRequest>,
    ) -> Answer<AddSoundResponse> {
        let AddSoundRequest { name, data } = request.into_inner();
        check_texts(&[("name", &name)])?;
        let ros = AddSound::Request { name, data };
        let reply = self.ask(&self.services.add_sound, &ros).await?;
        Ok(Response::new(AddSoundResponse {
            result: reply.result(),
            sound_id: reply.sound_id,
        }))
    }

    /// Deletes a sound that was added.
    pub(super) async fn drop_sound(
        &self,
        request: Request<DeleteSoundRequest>,
    ) -> Answer<DeleteSoundResponse> {
        let data = request.into_inner().sound_id;
        check_texts(&[("sound_id", &data)])?;
        let ros = OnboardSetText::Request { data };
        let reply = self.ask(&self.services.delete_sound, &ros).await?;
        let result = reply.result();
        Ok(Response::new(DeleteSoundResponse { result }))
    }

    /// Plays a sound that was added.
    pub(super) async fn play(
        &self,
        request: Request<PlaySoundRequest>,
    ) -> Answer<PlaySoundResponse> {
        let asked = request.into_inner();
        check_texts(&[("sound_id", &asked.sound_id)])?;
        let ros = PlaySound::Request {
            sound_id: asked.sound_id,
            loop_: asked.r#loop,
        };
        let reply = self.ask(&self.services.play_sound, &ros).await?;
        let result = reply.result();
        Ok(Response::new(PlaySoundResponse { result }))
    }

    /// Ends the sound that plays.
    pub(super) async fn silence(&self) -> Answer<StopSoundResponse> {
        let ros = OnboardTrigger::Request {};
        let reply = self.ask(&self.services.stop_sound, &ros).await?;
        let result = reply.result();
        Ok(Response::new(StopSoundResponse { result }))
    }
}
