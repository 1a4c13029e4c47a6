//! What all tests share of ROS: their turns, one context, a domain of its own.

use std::sync::{Mutex, MutexGuard, PoisonError};

#[path = "../support_ros/context.rs"]
mod context;

pub(crate) use super::process::PATIENCE;
pub(crate) use context::context;

static TURN: Mutex<()> = Mutex::new(());

/// The tests of this process take turns: they all have a robot called kachaka.
pub(crate) fn turn() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}
