//! Cursors: what a client sends back to wait for a newer value.

use std::ffi::{c_int, c_long};
use std::sync::atomic::{AtomicI64, Ordering};

/// The one source of cursors of an adapter: nanoseconds since the machine was started, strictly
/// increasing and never 0. Clients feed the cursor of one call into another, so no two values
/// of any kind may share one.
#[derive(Debug, Default)]
pub(super) struct Cursors {
    last: AtomicI64,
}

impl Cursors {
    /// A cursor that was never given out before.
    pub(super) fn next(&self) -> i64 {
        self.after(nanoseconds_since_boot())
    }

    fn after(&self, now: i64) -> i64 {
        let mut last = self.last.load(Ordering::Relaxed);
        loop {
            let next = now.max(last + 1);
            match (self.last).compare_exchange_weak(
                last,
                next,
                Ordering::Relaxed,
                Ordering::Relaxed,
            ) {
                Ok(_) => return next,
                Err(other) => last = other,
            }
        }
    }
}

/// `CLOCK_BOOTTIME`, which the standard library does not offer. It goes on over a restart of
/// the adapter, so that a client's old cursor is never a new value's.
fn nanoseconds_since_boot() -> i64 {
    #[repr(C)]
    struct Timespec {
        seconds: c_long,
        nanoseconds: c_long,
    }
    unsafe extern "C" {
        fn clock_gettime(clock: c_int, time: *mut Timespec) -> c_int;
    }
    const CLOCK_BOOTTIME: c_int = 7;
    let mut time = Timespec {
        seconds: 0,
        nanoseconds: 0,
    };
    // SAFETY: the pointer is valid for the call; the struct is that of 64-bit Linux. Should the
    // call fail, the time stays 0 and the cursors count from 1.
    unsafe { clock_gettime(CLOCK_BOOTTIME, &raw mut time) };
    time.seconds * 1_000_000_000 + time.nanoseconds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors_grow_also_when_the_clock_stands_or_goes_back() {
        let cursors = Cursors::default();
        let given: Vec<i64> = [0, 5, 5, 3, 9].map(|now| cursors.after(now)).to_vec();
        assert_eq!(given, [1, 5, 6, 7, 9]);
    }

    #[test]
    fn cursors_are_nanoseconds_since_boot() {
        let uptime = std::fs::read_to_string("/proc/uptime").unwrap();
        let seconds: f64 = uptime.split(' ').next().unwrap().parse().unwrap();
        let cursor = Cursors::default().next() as f64 * 1e-9;
        assert!(
            cursor >= seconds - 0.02 && cursor < seconds + 60.0,
            "{cursor} s, the machine says {seconds} s"
        );
    }

    #[test]
    fn threads_never_get_the_same_cursor() {
        let cursors = Cursors::default();
        let mut all: Vec<i64> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4)
                .map(|_| scope.spawn(|| (0..10_000).map(|_| cursors.next()).collect::<Vec<_>>()))
                .collect();
            threads
                .into_iter()
                .flat_map(|thread| thread.join().unwrap())
                .collect()
        });
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 40_000);
    }
}
