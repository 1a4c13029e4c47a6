//! Sounds that were added, and the one that plays. There is no audio: it is told as events.

use super::command::{check_id, check_text};
use super::error_codes::code;
use super::{NamedId, Refusal};
use crate::world::SimTime;

/// Most bytes of one sound.
const MAX_BYTES: usize = 16 << 20;
/// Most sounds of a robot.
const MAX_SOUNDS: usize = 100;

#[derive(Debug, Clone, PartialEq)]
struct Sound {
    entry: NamedId,
    nanoseconds: u64,
}

/// A sound that has no id yet.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct NewSound {
    name: String,
    nanoseconds: u64,
}

#[derive(Debug, Clone, PartialEq)]
struct Playing {
    id: String,
    /// None = again and again.
    until: Option<SimTime>,
}

/// The sounds of a robot.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Sounds {
    sounds: Vec<Sound>,
    playing: Option<Playing>,
    revision: u64,
}

impl Sounds {
    /// Grows with every change.
    pub(super) fn revision(&self) -> u64 {
        self.revision
    }

    pub(super) fn entries(&self) -> impl Iterator<Item = &NamedId> {
        self.sounds.iter().map(|sound| &sound.entry)
    }

    /// The sound that plays; "" = none.
    pub(super) fn playing(&self) -> &str {
        self.playing.as_ref().map_or("", |playing| &playing.id)
    }

    /// Reads a WAV file that is to be added.
    pub(super) fn check(&self, name: &str, data: &[u8]) -> Result<NewSound, Refusal> {
        check_text("name", name)?;
        if self.sounds.len() >= MAX_SOUNDS {
            let message = format!("a robot keeps at most {MAX_SOUNDS} sounds: delete one first");
            return Err(Refusal::new(code::TOO_MANY, message));
        }
        if data.len() > MAX_BYTES {
            let message = format!(
                "data has {} bytes, at most {MAX_BYTES} are taken",
                data.len()
            );
            return Err(Refusal::new(code::BAD_VALUE, message));
        }
        let nanoseconds = wav_nanoseconds(data).map_err(|reason| {
            Refusal::new(code::BAD_SOUND, format!("data is no WAV file: {reason}"))
        })?;
        Ok(NewSound {
            name: name.to_owned(),
            nanoseconds,
        })
    }

    /// Adds a sound that was read under a new id.
    pub(super) fn add(&mut self, id: String, NewSound { name, nanoseconds }: NewSound) {
        let entry = NamedId { id, name };
        self.sounds.push(Sound { entry, nanoseconds });
        self.revision += 1;
    }

    /// Forgets a sound. Whether it was playing.
    pub(super) fn delete(&mut self, id: &str) -> Result<bool, Refusal> {
        let at = self.position(id)?;
        self.sounds.remove(at);
        self.revision += 1;
        let was_playing = self.playing() == id;
        if was_playing {
            self.playing = None;
        }
        Ok(was_playing)
    }

    /// Plays a sound in place of the one that plays.
    pub(super) fn play(&mut self, id: &str, repeat: bool, now: SimTime) -> Result<(), Refusal> {
        let at = self.position(id)?;
        let end = SimTime(now.0.saturating_add(self.sounds[at].nanoseconds));
        self.playing = Some(Playing {
            id: id.to_owned(),
            until: (!repeat).then_some(end),
        });
        self.revision += 1;
        Ok(())
    }

    /// Forgets all.
    pub(super) fn clear(&mut self) {
        self.stop();
        self.revision += u64::from(!self.sounds.is_empty());
        self.sounds.clear();
    }

    /// Stops what plays. Whether anything did.
    pub(super) fn stop(&mut self) -> bool {
        let was_playing = self.playing.take().is_some();
        self.revision += u64::from(was_playing);
        was_playing
    }

    /// Ends a sound that has played to its end. Whether one did.
    pub(super) fn end_if_over(&mut self, now: SimTime) -> bool {
        let until = self.playing.as_ref().and_then(|playing| playing.until);
        until.is_some_and(|until| until <= now) && self.stop()
    }

    fn position(&self, id: &str) -> Result<usize, Refusal> {
        let found = self.sounds.iter().position(|sound| sound.entry.id == id);
        found.ok_or_else(|| {
            check_id("sound_id", id).err().unwrap_or_else(|| {
                Refusal::new(code::UNKNOWN_SOUND, format!("there is no sound '{id}'"))
            })
        })
    }
}

/// How long a WAV file plays, in nanoseconds: bytes of its samples by bytes a second.
fn wav_nanoseconds(data: &[u8]) -> Result<u64, &'static str> {
    if data.get(..4) != Some(b"RIFF") || data.get(8..12) != Some(b"WAVE") {
        return Err("it does not begin with RIFF and WAVE");
    }
    let number = |at: usize| {
        let bytes = data.get(at..at + 4)?;
        Some(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    };
    let mut bytes_a_second = None;
    let mut at = 12;
    while let (Some(name), Some(length)) = (data.get(at..at + 4), number(at + 4)) {
        let body = at + 8;
        if name == b"fmt " {
            bytes_a_second = number(body + 8).filter(|rate| *rate > 0);
        }
        if name == b"data" {
            let Some(rate) = bytes_a_second else {
                return Err("its samples come before their format");
            };
            let present = data.len().saturating_sub(body) as u64;
            let samples = u64::from(length).min(present);
            return Ok(samples * 1_000_000_000 / u64::from(rate));
        }
        // Chunks begin at even places.
        at = body + length as usize + (length as usize & 1);
    }
    Err("it has no samples")
}
