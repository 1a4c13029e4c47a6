//! What all tests share of ROS: their turns, one context, a domain of its own.

use std::fs::File;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use r2r::Context;

/// Far above what anything takes on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

static TURN: Mutex<()> = Mutex::new(());

/// The tests of this process take turns: they all have a robot called kachaka.
pub(crate) fn turn() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The one context of this process, in a domain that no other test process has.
pub(crate) fn context() -> Context {
    static CONTEXT: OnceLock<(Context, File)> = OnceLock::new();
    let made = CONTEXT.get_or_init(|| {
        let (domain, lock) = free_domain();
        // SAFETY: only one test at a time gets here, before it starts a thread.
        unsafe {
            std::env::set_var("ROS_DOMAIN_ID", domain.to_string());
            std::env::set_var("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST");
        }
        (Context::create().expect("a ROS context"), lock)
    });
    made.0.clone()
}

fn free_domain() -> (u32, File) {
    for offset in 0..101 {
        let domain = 1 + (std::process::id() + offset) % 101;
        let path = std::env::temp_dir().join(format!("tatami-test-domain-{domain}.lock"));
        let Ok(file) = File::options().create(true).append(true).open(path) else {
            continue;
        };
        if file.try_lock().is_ok() {
            return (domain, file);
        }
    }
    panic!("all ROS domains from 1 to 101 are taken by other tests");
}
