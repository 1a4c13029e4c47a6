//! What is left of a robot that is gone until it has had a last message.

use std::time::Duration;

use r2r::Node;

use super::command_input::{ClosingInput, CommandInput};
use super::kachaka::{ClosingServices, Surface};

/// What is left of a robot whose outputs are closed.
pub(super) enum Left {
    /// The subscription to commands, which a successor may take over.
    Commands(CommandInput),
    /// The surface of a Kachaka.
    Surface(Box<Surface>),
}

impl Left {
    /// Ends it; it is gone soon after.
    pub(super) fn close(self, node: &mut Node, now: Duration) -> Option<Closing> {
        match self {
            Self::Commands(commands) => commands.close(node, now).map(Closing::Input),
            Self::Surface(surface) => surface.close(now).map(Closing::Services),
        }
    }
}

/// What waits for a last message.
pub(super) enum Closing {
    /// A subscription to commands.
    Input(ClosingInput),
    /// The services of a Kachaka.
    Services(ClosingServices),
}

impl Closing {
    /// Whether it is the subscription to a topic.
    pub(super) fn is_of(&self, topic: &str) -> bool {
        match self {
            Self::Input(input) => input.topic() == topic,
            Self::Services(_) => false,
        }
    }

    /// Whether it is gone, or nothing more can be done about it.
    pub(super) fn done(&self, now: Duration) -> bool {
        match self {
            Self::Input(input) => input.done(now),
            Self::Services(services) => services.done(now),
        }
    }

    /// Closes what is behind it.
    pub(super) fn finish(self, node: &mut Node) {
        match self {
            Self::Input(input) => input.finish(node),
            Self::Services(services) => drop(services),
        }
    }
}
