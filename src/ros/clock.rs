//! Wall time against sim time: pacing, the rates of `/clock`, the measured factor.
//!
//! Nothing here reads a clock: the wall time, since any fixed moment, is handed in.

use std::collections::VecDeque;
use std::time::Duration;

use crate::world::{PhysicsDt, SimTime};

/// Lateness up to which steps catch up instead of being rescheduled, at least one step.
/// Shorter steps than this would otherwise lose time with every hiccup of the machine.
const CATCH_UP: Duration = Duration::from_millis(10);
/// How often the server says at most that it runs late.
const LATE_REPORT_PERIOD: Duration = Duration::from_secs(10);
/// Lost wall time that is worth telling: one twentieth of the period above, by which the
/// world then visibly runs slower than asked for. A robot that spawns and a short hiccup of
/// the machine mostly cost less, and users can do nothing about them.
const LOSS_WORTH_TELLING: Duration = Duration::from_millis(500);

/// Decides when the next step of the running world is due.
///
/// Steps follow an absolute schedule, so that a late step does not shift those after it.
/// What is later than [`CATCH_UP`] and one step moves the whole schedule: the world then
/// runs late, it does not burst.
#[derive(Debug)]
pub(super) struct Pacer {
    dt: PhysicsDt,
    factor: f64,
    /// When the schedule began and how many of its steps were taken since.
    start: Duration,
    taken: u64,
    losses: Losses,
}

impl Pacer {
    /// A schedule that begins now, `factor` sim seconds per wall second; 0 is as fast as
    /// the machine can.
    pub(super) fn new(dt: PhysicsDt, factor: f64, now: Duration) -> Self {
        Self {
            dt,
            factor,
            start: now,
            taken: 0,
            losses: Losses::default(),
        }
    }

    /// Begins a new schedule now, for when the world starts running.
    pub(super) fn restart(&mut self, now: Duration) {
        self.start = now;
        self.taken = 0;
    }

    /// Changes the factor from now on.
    pub(super) fn set_factor(&mut self, factor: f64, now: Duration) {
        self.factor = factor;
        self.restart(now);
    }

    /// Whether steps are taken without waiting.
    pub(super) fn unbounded(&self) -> bool {
        self.factor == 0.0
    }

    /// Wall time of a step.
    fn period(&self) -> f64 {
        self.dt.seconds() / self.factor
    }

    fn due_at(&self) -> Duration {
        if self.unbounded() {
            return Duration::ZERO;
        }
        let offset = self.period() * (self.taken + 1) as f64;
        // Tiny factors give times that no Duration holds: never, then.
        Duration::try_from_secs_f64(offset)
            .ok()
            .and_then(|offset| self.start.checked_add(offset))
            .unwrap_or(Duration::MAX)
    }

    /// How long until the next step is due; zero when it is.
    pub(super) fn wait(&self, now: Duration) -> Duration {
        self.due_at().saturating_sub(now)
    }

    /// Counts a step that was begun at `now`. When the machine can't keep up, returns
    /// once in a while what is worth telling about that.
    pub(super) fn stepped(&mut self, now: Duration) -> Option<Delay> {
        if self.unbounded() {
            return None;
        }
        let late = now.saturating_sub(self.due_at());
        let step = Duration::try_from_secs_f64(self.period()).unwrap_or(Duration::MAX);
        if late <= step.max(CATCH_UP) {
            self.taken += 1;
            return None;
        }
        self.restart(now);
        self.losses.add(late, now)
    }
}

/// Wall time that the running world has lost, to be told to the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Delay {
    /// How much, at least [`LOSS_WORTH_TELLING`].
    pub(super) lost: Duration,
    /// Within how much wall time.
    pub(super) within: Duration,
}

/// Adds up wall time that was lost, and decides when that is worth telling.
#[derive(Debug, Default)]
struct Losses {
    lost: Duration,
    /// When the first of these losses began, or when losses were told last.
    since: Duration,
    told: Option<Duration>,
}

impl Losses {
    /// Adds a loss that ends now. Returns all that was not told yet when it is worth it.
    fn add(&mut self, late: Duration, now: Duration) -> Option<Delay> {
        // Hiccups of long ago are forgotten, lest they add up over hours.
        if self.lost < LOSS_WORTH_TELLING && now >= self.since + LATE_REPORT_PERIOD {
            self.lost = Duration::ZERO;
            self.since = now.saturating_sub(late);
        }
        self.lost += late;
        let silent = self.told.is_some_and(|at| now < at + LATE_REPORT_PERIOD);
        if silent || self.lost < LOSS_WORTH_TELLING {
            return None;
        }
        let within = now.saturating_sub(self.since);
        self.since = now;
        self.told = Some(now);
        let lost = std::mem::take(&mut self.lost);
        Some(Delay { lost, within })
    }
}

/// Whether `/clock` is due at a step, for a rate in Hz of sim time; 0 is every step.
///
/// Like a sensor it is due at the first step at or after each multiple of its period.
pub(super) fn clock_due(rate: f64, before: SimTime, now: SimTime) -> bool {
    if rate <= 0.0 {
        return true;
    }
    // Whole periods that have passed; exact where they are.
    let periods = |time: SimTime| (time.0 as f64 * rate / 1e9).floor();
    // A clock that was set back is always due.
    now < before || periods(now) > periods(before)
}

/// Something that repeats in wall time.
#[derive(Debug)]
pub(super) struct Repeat {
    next: Duration,
}

impl Repeat {
    /// Due at once.
    pub(super) fn new(now: Duration) -> Self {
        Self { next: now }
    }

    /// Puts it off by a whole period, as if it had just happened.
    pub(super) fn put_off(&mut self, now: Duration, period: Duration) {
        self.next = now + period;
    }

    /// Has it due within a period, for when that has become shorter.
    pub(super) fn bring_forward(&mut self, now: Duration, period: Duration) {
        self.next = self.next.min(now + period);
    }

    /// How long until it is due; zero when it is.
    pub(super) fn wait(&self, now: Duration) -> Duration {
        self.next.saturating_sub(now)
    }

    /// Whether it is due; if so, the next one comes a period later.
    pub(super) fn take(&mut self, now: Duration, period: Duration) -> bool {
        if now < self.next {
            return false;
        }
        // Missed ones are not made up for.
        self.next = (self.next + period).max(now);
        true
    }
}

/// Measures sim seconds per wall second over the last second.
#[derive(Debug, Default)]
pub(super) struct RateMeter {
    samples: VecDeque<(Duration, SimTime)>,
}

impl RateMeter {
    const WINDOW: Duration = Duration::from_secs(1);
    const SPACING: Duration = Duration::from_millis(20);

    /// Forgets everything, for when time stops or starts.
    pub(super) fn clear(&mut self) {
        self.samples.clear();
    }

    /// Notes the sim time at a wall time. One that goes back begins anew.
    pub(super) fn note(&mut self, now: Duration, sim: SimTime) {
        if self.samples.back().is_some_and(|last| sim < last.1) {
            self.samples.clear();
        }
        let fresh = |last: &(Duration, SimTime)| now < last.0 + Self::SPACING;
        if self.samples.back().is_some_and(fresh) {
            return;
        }
        self.samples.push_back((now, sim));
        while self.samples.len() > 2 && self.samples[1].0 + Self::WINDOW <= now {
            self.samples.pop_front();
        }
    }

    /// The factor; 0 as long as there is nothing to measure.
    pub(super) fn factor(&self, now: Duration, sim: SimTime) -> f64 {
        let Some((wall, from)) = self.samples.front() else {
            return 0.0;
        };
        let passed = now.saturating_sub(*wall).as_secs_f64();
        if passed > 0.0 {
            SimTime(sim.0.saturating_sub(from.0)).seconds() / passed
        } else {
            0.0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    fn dt(seconds: f64) -> PhysicsDt {
        PhysicsDt::from_seconds(seconds).unwrap()
    }

    /// Steps whenever a step is due, the clock moving on by `tick`; returns the wall
    /// times of all steps until `end`.
    fn step_times(pacer: &mut Pacer, from: Duration, end: Duration, tick: Duration) -> Vec<f64> {
        let mut now = from;
        let mut times = Vec::new();
        while now <= end {
            if pacer.wait(now).is_zero() {
                pacer.stepped(now);
                times.push(now.as_secs_f64());
            }
            now += tick;
        }
        times
    }

    #[test]
    fn the_schedule_is_absolute() {
        // Looked at every 3 ms, a 10 ms step is up to 3 ms late, but never drifts.
        let mut pacer = Pacer::new(dt(0.01), 1.0, ms(500));
        let times = step_times(&mut pacer, ms(500), ms(10_503), ms(3));
        assert_eq!(times.len(), 1000);
        for (i, time) in times.iter().enumerate() {
            let due = 0.5 + 0.01 * (i + 1) as f64;
            let late = time - due;
            assert!((-1e-9..0.003).contains(&late), "step {i}: {late} s late");
        }
    }

    #[test]
    fn the_factor_stretches_wall_time() {
        for (factor, expected) in [(2.0, 200), (0.5, 50)] {
            let mut pacer = Pacer::new(dt(0.01), factor, ms(0));
            let times = step_times(&mut pacer, ms(0), ms(1000), ms(1));
            assert_eq!(times.len(), expected, "factor {factor}");
        }
        let pacer = Pacer::new(dt(0.01), 0.0, ms(0));
        assert_eq!(pacer.wait(ms(0)), ms(0));
        let pacer = Pacer::new(dt(0.5), 1e-300, ms(0));
        assert!(pacer.wait(ms(0)) > Duration::from_secs(1_000_000));
    }

    #[test]
    fn a_long_stall_is_not_followed_by_a_burst() {
        let mut pacer = Pacer::new(dt(0.01), 1.0, ms(0));
        assert_eq!(step_times(&mut pacer, ms(0), ms(100), ms(1)).len(), 10);
        // Two seconds away: one step at once, then the old rhythm again.
        let times = step_times(&mut pacer, ms(2100), ms(2200), ms(1));
        assert_eq!(times.len(), 11, "{times:?}");
        assert_eq!(times[0], 2.1);
        assert!(times[1] >= 2.11, "{times:?}");
    }

    #[test]
    fn a_short_hiccup_is_caught_up_with() {
        let mut pacer = Pacer::new(dt(0.001), 1.0, ms(0));
        assert_eq!(step_times(&mut pacer, ms(0), ms(50), ms(1)).len(), 50);
        let mut taken = 0;
        while pacer.wait(ms(58)).is_zero() {
            assert_eq!(pacer.stepped(ms(58)), None);
            taken += 1;
        }
        assert_eq!(taken, 8);
    }

    #[test]
    fn running_late_is_said_every_ten_seconds_at_most() {
        let mut pacer = Pacer::new(dt(0.01), 1.0, ms(0));
        let mut reports = Vec::new();
        // Every step takes 30 ms for 25 s.
        for k in 1..=833 {
            let now = ms(30 * k);
            assert!(pacer.wait(now).is_zero());
            if let Some(delay) = pacer.stepped(now) {
                reports.push((now, delay));
            }
        }
        assert_eq!(reports.len(), 3, "{reports:?}");
        // 20 of every 30 ms are lost, 10 s apart.
        let Delay { lost, within } = reports[1].1;
        assert!(lost > ms(6500) && lost < ms(6800), "{reports:?}");
        assert!(within >= ms(10_000) && within < ms(10_050), "{reports:?}");
    }

    #[test]
    fn small_losses_are_told_only_when_they_come_together() {
        let mut losses = Losses::default();
        // 0.1 s every 5 s: two of them within the period, for an hour.
        for k in 1..=720 {
            assert_eq!(losses.add(ms(100), ms(5000 * k)), None, "after {k}");
        }
        // 0.1 s every second: five of them are worth it.
        let start = 4_000_000;
        let told: Vec<_> = (1..=5)
            .map(|k| losses.add(ms(100), ms(start + 1000 * k)))
            .collect();
        let expected = Delay {
            lost: ms(500),
            within: ms(4100),
        };
        assert_eq!(told, [None, None, None, None, Some(expected)]);
    }

    #[test]
    fn a_long_stall_is_told_at_once() {
        let mut losses = Losses::default();
        let stall = Delay {
            lost: ms(2000),
            within: ms(2000),
        };
        assert_eq!(losses.add(ms(499), ms(30_000)), None);
        assert_eq!(losses.add(ms(2000), ms(50_000)), Some(stall));
        assert_eq!(losses.add(ms(2000), ms(55_000)), None, "told just before");
    }

    #[test]
    fn the_clock_divides_by_sim_time() {
        let dt = dt(0.001);
        let due = |rate| {
            (1..=1000)
                .filter(|&k| clock_due(rate, dt.stamp(k - 1), dt.stamp(k)))
                .count()
        };
        assert_eq!(due(0.0), 1000);
        assert_eq!(due(100.0), 100);
        assert_eq!(due(60.0), 60);
        assert_eq!(due(1e9), 1000, "a rate above 1/dt is every step");
        assert!(clock_due(1.0, dt.stamp(900), dt.stamp(1)), "set back");
    }

    #[test]
    fn the_paused_clock_keeps_its_period_without_making_up() {
        let mut repeat = Repeat::new(ms(0));
        let taken = (0..1000).filter(|&k| repeat.take(ms(k), ms(10))).count();
        assert_eq!(taken, 100);
        assert!(repeat.take(ms(5000), ms(10)));
        let more = (5001..5010).filter(|&k| repeat.take(ms(k), ms(10))).count();
        assert!(more <= 1, "{more}");
    }

    #[test]
    fn a_period_that_has_become_shorter_holds_at_once() {
        let mut repeat = Repeat::new(ms(0));
        assert!(repeat.take(ms(0), ms(10_000)));
        repeat.bring_forward(ms(100), ms(10));
        assert_eq!(repeat.wait(ms(100)), ms(10));
        assert!(repeat.take(ms(110), ms(10)));
        repeat.bring_forward(ms(111), ms(10_000));
        assert_eq!(repeat.wait(ms(111)), ms(9));
    }

    #[test]
    fn the_measured_factor_is_that_of_the_last_second() {
        let mut meter = RateMeter::default();
        assert_eq!(meter.factor(ms(0), SimTime(0)), 0.0);
        // A second at factor 1, then two at factor 4.
        let mut sim = 0;
        for k in 0..3000 {
            sim += if k < 1000 { 1_000_000 } else { 4_000_000 };
            meter.note(ms(k), SimTime(sim));
        }
        let factor = meter.factor(ms(3000), SimTime(sim));
        assert!((factor - 4.0).abs() < 0.1, "{factor}");
        // Time begins anew, and goes on at factor 2.
        for k in 3000..3100 {
            meter.note(ms(k), SimTime(2_000_000 * (k - 3000)));
        }
        let factor = meter.factor(ms(3100), SimTime(200_000_000));
        assert!((factor - 2.0).abs() < 0.1, "{factor}");
    }
}
