//! What robots use of what they share: topics, services and frames, each with what it is
//! for, so that two that can't stand beside each other are told by name.

use std::collections::BTreeMap;

use super::building::BuildingTopics;
use super::plan::PlanError;
use super::services;

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
        let own = |name| format!("{node}/{name}");
        Self {
            topics: global
                .into_iter()
                .chain(["discs", "poses"].into_iter().map(own))
                .chain(BuildingTopics::NAMES.into_iter().map(own))
                .collect(),
            services: services::names().map(own).collect(),
        }
    }
}

/// Names in the order in which they were added. Of one that was added twice the first is found.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct UseList {
    uses: Vec<Use>,
    positions: BTreeMap<String, usize>,
}

impl UseList {
    /// Adds a name.
    pub(super) fn push(&mut self, new: Use) {
        let position = self.uses.len();
        self.positions.entry(new.name.clone()).or_insert(position);
        self.uses.push(new);
    }

    /// What has a name.
    pub(super) fn find(&self, name: &str) -> Option<&Use> {
        self.positions.get(name).map(|at| &self.uses[*at])
    }

    /// All of them.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Use> {
        self.uses.iter()
    }
}

/// Everything that one robot uses.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Uses {
    /// Topics but for those of transforms.
    pub(super) topics: UseList,
    /// Services and actions.
    pub(super) services: UseList,
    /// Frames that it places.
    pub(super) frames: UseList,
    /// Frames of places on its map, which can be added and removed.
    pub(super) places: UseList,
    /// Frames that it tells of and does not place, such as that of its map: what it hangs under,
    /// which robots may share.
    pub(super) above: UseList,
}

impl Uses {
    /// Adds a topic or service to a list of the robot's own.
    ///
    /// # Errors
    /// When it is a name of the server or stands in the list already.
    pub(super) fn add(
        list: &mut UseList,
        transforms: &[Use],
        reserved: &[String],
        new: Use,
    ) -> Result<(), PlanError> {
        let Use { what, name: topic } = new;
        if reserved.contains(&topic) {
            return Err(PlanError::ServersTopic { what, topic });
        }
        let of_transforms = || transforms.iter().find(|used| used.name == topic);
        if let Some(used) = list.find(&topic).or_else(of_transforms) {
            let other = used.what.clone();
            return Err(PlanError::OwnTopicTwice { what, other, topic });
        }
        list.push(Use { what, name: topic });
        Ok(())
    }

    /// Adds a frame that the robot places.
    ///
    /// # Errors
    /// When it has one of that name already.
    pub(super) fn add_frame(&mut self, new: Use) -> Result<(), PlanError> {
        self.check_frame_is_new(&new)?;
        self.frames.push(new);
        Ok(())
    }

    /// Adds a frame that the robot hangs under.
    ///
    /// # Errors
    /// When it has one of that name already.
    pub(super) fn add_above(&mut self, new: Use) -> Result<(), PlanError> {
        self.check_frame_is_new(&new)?;
        self.above.push(new);
        Ok(())
    }

    /// Checks that the robot has no frame of that name, those of places aside.
    ///
    /// # Errors
    /// When it has one.
    pub(super) fn check_frame_is_new(&self, new: &Use) -> Result<(), PlanError> {
        let used = self.frames.find(&new.name).or(self.above.find(&new.name));
        used.map_or(Ok(()), |used| Err(own_frame_twice(new, used)))
    }

    /// A frame that it places, those of places included.
    pub(super) fn find_frame(&self, name: &str) -> Option<&Use> {
        self.frames.find(name).or_else(|| self.places.find(name))
    }

    /// All frames that it places, those of places included.
    pub(super) fn all_frames(&self) -> impl Iterator<Item = &Use> {
        self.frames.iter().chain(self.places.iter())
    }
}

/// Two frames of one robot with one name.
pub(super) fn own_frame_twice(new: &Use, used: &Use) -> PlanError {
    PlanError::OwnFrameTwice {
        what: new.what.clone(),
        other: used.what.clone(),
        frame: new.name.clone(),
    }
}
