//! What is left of a robot that is gone until it has had a last message.

use std::time::Duration;

use r2r::Node;

use super::command_input::{ClosingInput, CommandInput};
use super::kachaka::{ClosingServices, KachakaPlan, Legacy, Retired, Surface};
use super::plan::{Interface, Plan};
use super::robot_topics::qos;

/// What is left of a robot whose outputs are closed.
pub(super) enum Left {
    /// The subscription to commands, which a successor may take over.
    Commands(CommandInput),
    /// The surface of a Kachaka.
    Surface(Box<Surface>),
}

/// What a robot takes over from one before it, so that clients stay connected.
pub(super) enum Kept {
    /// The subscription to commands.
    Commands(CommandInput),
    /// What a Kachaka has left.
    Legacy(Box<Legacy>),
}

impl Left {
    /// Keeps what the next robot would open in the same way; what it can't use is ended, and
    /// gone soon after.
    pub(super) fn keep_for(
        self,
        next: &Plan,
        node: &mut Node,
        now: Duration,
    ) -> (Option<Kept>, Option<Closing>) {
        match (self, &next.interface) {
            (
                Self::Commands(input),
                Interface::Plain {
                    cmd_vel, stamped, ..
                },
            ) if input.fits(cmd_vel, &qos(next), *stamped) => (Some(Kept::Commands(input)), None),
            (Self::Surface(surface), Interface::Kachaka(names)) if surface.fits(names) => {
                (Some(Kept::Legacy(Box::new(surface.into_legacy()))), None)
            }
            (left, _) => (None, left.close(node, now)),
        }
    }

    /// Ends it; it is gone soon after.
    pub(super) fn close(self, node: &mut Node, now: Duration) -> Option<Closing> {
        match self {
            Self::Commands(commands) => commands.close(node, now).map(Closing::Input),
            Self::Surface(surface) => Some(Closing::Retired(Box::new(surface.retire(now)))),
        }
    }
}

/// What waits for a last message.
pub(super) enum Closing {
    /// A subscription to commands.
    Input(ClosingInput),
    /// What is left of a Kachaka that is gone.
    Retired(Box<Retired>),
    /// The services of a Kachaka.
    Services(ClosingServices),
}

impl Closing {
    /// Whether it is the subscription to a topic.
    pub(super) fn is_of(&self, topic: &str) -> bool {
        match self {
            Self::Input(input) => input.topic() == topic,
            Self::Retired(_) | Self::Services(_) => false,
        }
    }

    /// Whether a Kachaka with these names can take it over.
    pub(super) fn fits(&self, next: &KachakaPlan) -> bool {
        match self {
            Self::Retired(retired) => retired.fits(next),
            Self::Input(_) | Self::Services(_) => false,
        }
    }

    /// What another robot takes over of it.
    pub(super) fn keep(self) -> Option<Kept> {
        match self {
            Self::Retired(retired) => Some(Kept::Legacy(Box::new(retired.into_legacy()))),
            Self::Input(_) | Self::Services(_) => None,
        }
    }

    /// Answers who still asks.
    pub(super) fn attend(&mut self, now: Duration) {
        if let Self::Retired(retired) = self {
            retired.attend(now);
        }
    }

    /// Whether it is gone, or nothing more can be done about it.
    pub(super) fn done(&self, now: Duration) -> bool {
        match self {
            Self::Input(input) => input.done(now),
            Self::Retired(retired) => retired.done(now),
            Self::Services(services) => services.done(now),
        }
    }

    /// Closes what is behind it. What is then still to be closed.
    pub(super) fn finish(self, node: &mut Node, now: Duration) -> Option<Self> {
        match self {
            Self::Input(input) => input.finish(node),
            Self::Retired(retired) => return retired.close(node, now).map(Self::Services),
            Self::Services(services) => drop(services),
        }
        None
    }
}
