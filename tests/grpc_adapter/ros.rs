//! What all tests share of ROS: their turns, one context, a domain of its own.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

#[path = "../support_ros/context.rs"]
mod context;

pub(crate) use context::context;

/// Far above what anything takes on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

static TURN: Mutex<()> = Mutex::new(());

/// The tests of this process take turns: they all have a robot called kachaka.
pub(crate) fn turn() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}
