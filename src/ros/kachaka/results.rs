//! The topic of the results of commands, which goes on from one robot to the next in its place:
//! each command that was accepted has a result, and somebody who waits for it. A publisher that
//! goes with its robot would take along what a busy reader has not got yet.

use std::time::Duration;

use r2r::Node;
use r2r::tatami_msgs::msg::CommandHistory;

use super::outputs::KEPT;
use super::plan::KachakaPlan;
use super::{convert, names};
use crate::kachaka::Kachaka;
use crate::ros::output::{Output, latched};

/// The publisher, on the server's node.
pub(super) struct Results {
    robot: String,
    history: Output<CommandHistory>,
    /// How many results there were, and the number of the newest, when they were published
    /// last; none = not yet by this robot.
    told: Option<(usize, u64)>,
    /// Whether a robot before this one has published, and since when that is known.
    inherited: Option<Option<Duration>>,
}

impl Results {
    /// So long readers can get what the robot before has published.
    const OVERLAP: Duration = Duration::from_secs(2);

    /// Opens the topic.
    ///
    /// # Errors
    /// When the middleware does not let it.
    pub(super) fn open(server: &mut Node, plan: &KachakaPlan, robot: &str) -> r2r::Result<Self> {
        Ok(Self {
            robot: robot.to_owned(),
            history: open(server, plan)?,
            told: None,
            inherited: None,
        })
    }

    /// The topic of the robot in the place of this one. It has the same publisher if it has the
    /// same name, under which numbers go on.
    ///
    /// # Errors
    /// When the middleware does not let another one be opened.
    pub(super) fn hand_over(
        self,
        server: &mut Node,
        plan: &KachakaPlan,
        robot: &str,
    ) -> r2r::Result<Self> {
        if self.robot != robot {
            self.close(server);
            return Self::open(server, plan, robot);
        }
        Ok(Self {
            told: None,
            inherited: Some(None),
            ..self
        })
    }

    /// Publishes the last results if there are others than those that were published last.
    pub(super) fn publish(&mut self, kachaka: &Kachaka) {
        let history = (kachaka.history().len(), newest(kachaka));
        if self.told != Some(history) {
            self.told = Some(history);
            self.history.message = convert::history(kachaka.sequence(), kachaka.history());
            self.history.publish();
        }
    }

    /// Has the next publication tell them, whether they have changed or not.
    pub(super) fn tell_again(&mut self) {
        self.told = None;
    }

    /// Whether results could be missed that were not published, if many more came to it.
    pub(super) fn has_much_to_tell(&self, kachaka: &Kachaka) -> bool {
        let told = self.told.map_or(0, |(_, newest)| newest);
        newest(kachaka).saturating_sub(told)
            > u64::from(kachaka.config().commands.history_limit / 2)
    }

    /// Opens the topic anew when readers have had the time to get what the robot before has
    /// published, which later ones are not to get. What this one has published last holds all
    /// that it has to tell.
    ///
    /// # Errors
    /// When the middleware does not let it; then the present publisher stays.
    pub(super) fn renew(
        &mut self,
        server: &mut Node,
        plan: &KachakaPlan,
        now: Duration,
    ) -> r2r::Result<()> {
        let Some(since) = &mut self.inherited else {
            return Ok(());
        };
        if now <= *since.get_or_insert(now) + Self::OVERLAP {
            return Ok(());
        }
        let mut anew = open(server, plan)?;
        std::mem::swap(&mut anew.message, &mut self.history.message);
        std::mem::replace(&mut self.history, anew).close(server);
        self.history.publish();
        self.inherited = None;
        Ok(())
    }

    /// Closes the topic.
    pub(super) fn close(self, server: &mut Node) {
        self.history.close(server);
    }
}

fn open(server: &mut Node, plan: &KachakaPlan) -> r2r::Result<Output<CommandHistory>> {
    let topic = plan.absolute(names::HISTORY);
    Output::open(server, &topic, latched(KEPT), CommandHistory::default())
}

/// Number of the newest result that is kept, 0 = none.
fn newest(kachaka: &Kachaka) -> u64 {
    kachaka.history().next().map_or(0, |result| result.number)
}
