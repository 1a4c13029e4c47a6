//! The one ROS context of a test process, in a domain that no other test process has: a lock
//! file holds it until the process ends, by the same locks as `scripts/test`.

use std::fs::File;
use std::sync::OnceLock;

use r2r::Context;

/// The context. Whoever asks first makes it, and must be the only one who runs then.
pub(crate) fn context() -> Context {
    static CONTEXT: OnceLock<(Context, File)> = OnceLock::new();
    let made = CONTEXT.get_or_init(|| {
        let (domain, lock) = free_domain();
        // SAFETY: only one test at a time gets here, before it starts a thread, and nothing else
        // reads the environment.
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
