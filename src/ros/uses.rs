//! What robots use of what they share: topics, services and frames, each with what it is
//! for, so that two that can't stand beside each other are told by name.

use super::plan::PlanError;

/// A name with what it is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Use {
    /// What it is for, as a message names it.
    pub(super) what: String,
    /// The name.
    pub(super) name: String,
}

impl Use {
    /// A name that is used for something.
    pub(super) fn new(what: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            name: name.into(),
        }
    }
}

/// Names of the server itself, which no robot can have.
#[derive(Debug, Clone, Default)]
pub(super) struct Reserved {
    /// One process can't have two types on one topic.
    pub(super) topics: Vec<String>,
    /// Nor can two answer one request.
    pub(super) services: Vec<String>,
}

impl Reserved {
    /// What a server's node of this full name opens.
    pub(super) fn of(node: &str) -> Self {
        let global = ["/clock", "/parameter_events", "/rosout"].map(ToOwned::to_owned);
        let own = |name: &&str| format!("{node}/{name}");
        Self {
            topics: global
                .into_iter()
                .chain(["discs", "poses"].iter().map(own))
                .collect(),
            services: super::SERVICE_NAMES.iter().map(own).collect(),
        }
    }
}

/// Everything that one robot uses.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Uses {
    /// Topics but for those of transforms.
    pub(super) topics: Vec<Use>,
    /// Services and actions.
    pub(super) services: Vec<Use>,
    /// Frames that it places.
    pub(super) frames: Vec<Use>,
    /// Frames of places on its map, which can be added and removed.
    pub(super) places: Vec<Use>,
    /// Frames that it tells of and does not place, such as that of its map: what it hangs under,
    /// which robots may share.
    pub(super) above: Vec<Use>,
}

impl Uses {
    /// Adds a topic or service to a list of the robot's own.
    ///
    /// # Errors
    /// When it is a name of the server or stands in the list already.
    pub(super) fn add(
        list: &mut Vec<Use>,
        transforms: &[Use],
        reserved: &[String],
        new: Use,
    ) -> Result<(), PlanError> {
        let Use { what, name: topic } = new;
        if reserved.contains(&topic) {
            return Err(PlanError::ServersTopic { what, topic });
        }
        if let Some(used) = list.iter().chain(transforms).find(|u| u.name == topic) {
            let other = used.what.clone();
            return Err(PlanError::OwnTopicTwice { what, other, topic });
        }
        list.push(Use { what, name: topic });
        Ok(())
    }

    /// Adds a frame to those that the robot places.
    ///
    /// # Errors
    /// When it places one of that name already.
    pub(super) fn add_frame(frames: &mut Vec<Use>, new: Use) -> Result<(), PlanError> {
        if let Some(used) = frames.iter().find(|used| used.name == new.name) {
            return Err(PlanError::OwnFrameTwice {
                what: new.what,
                other: used.what.clone(),
                frame: new.name,
            });
        }
        frames.push(new);
        Ok(())
    }

    /// All frames, those of places included.
    pub(super) fn all_frames(&self) -> impl Iterator<Item = &Use> {
        self.frames.iter().chain(&self.places)
    }
}
