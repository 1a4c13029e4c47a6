//! Single commands by their ids, as somebody knows them who started only these.

use super::Kachaka;
use super::error_codes::code;
use super::queue::Outcome;

impl Kachaka {
    /// Whether a command runs or waits.
    #[must_use]
    pub fn is_pending(&self, id: &str) -> bool {
        self.queue.holds(id)
    }

    /// Ends one command, whether it runs or waits, and lets the next one run. Whether there
    /// was such a command.
    pub fn cancel_by_id(&mut self, id: &str) -> bool {
        let is_running = self.queue.running().is_some_and(|active| active.id == id);
        if is_running {
            return self.cancel_command(false).is_ok();
        }
        let interrupted = Outcome::failure(code::INTERRUPTED);
        let ended = self.queue.end_waiting(id, &interrupted, self.seen.now);
        self.note();
        ended
    }
}
