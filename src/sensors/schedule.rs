//! When a sensor measures.

use super::SensorError;
use super::error::check;
use crate::shown::Shown;
use crate::world::{PhysicsDt, StepIndex};

/// The steps at which a sensor of some rate is due: for each multiple of its period the
/// nearest step, the later one of two that are equally near.
///
/// All in integers: the rate is taken as the exact fraction its `f64` is. So the schedule
/// does not drift, up to 2^43 steps (139 years of the shortest step).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Schedule {
    /// Measurements per half a step, as a fraction; `None` for one every step.
    per_half_step: Option<Fraction>,
    period: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Fraction {
    numerator: u128,
    denominator: u128,
}

impl Schedule {
    /// Lowest rate but 0, Hz: once in 32 years.
    pub const MIN_RATE: f64 = 1e-9;

    /// The schedule of a rate in Hz of sim time; 0 is every step. A rate above that of the
    /// steps gives one measurement every step and a warning.
    ///
    /// # Errors
    /// When the rate is negative, not finite or above 0 and below [`Self::MIN_RATE`].
    pub fn new(rate: f64, dt: PhysicsDt) -> Result<(Self, Option<String>), SensorError> {
        let allowed = rate == 0.0 || rate >= Self::MIN_RATE;
        check("rate", rate, allowed, "0 (every step) or at least 1e-9 Hz")?;
        let every_step = Self {
            per_half_step: None,
            period: dt.seconds(),
        };
        if rate == 0.0 {
            return Ok((every_step, None));
        }
        let step = dt.nanoseconds() as f64;
        if rate * step >= 1e9 {
            // The step was rounded to nanoseconds, so 60 Hz may come out above 1 / dt.
            let is_rounding = rate * (step - 0.5) <= 1e9;
            let warning = (!is_rounding).then(|| {
                format!(
                    "a rate of {} Hz is above one per step of {} s: measuring every step",
                    Shown(rate),
                    dt.seconds()
                )
            });
            return Ok((every_step, warning));
        }
        let (mantissa, negative_exponent) = exact_fraction(rate);
        let schedule = Self {
            per_half_step: Some(Fraction {
                numerator: mantissa * u128::from(dt.nanoseconds()),
                denominator: 2_000_000_000 << negative_exponent,
            }),
            period: 1.0 / rate,
        };
        Ok((schedule, None))
    }

    /// Whether the sensor measures at this step. Never at step 0, the state before all steps.
    #[must_use]
    pub fn is_due(&self, step: StepIndex) -> bool {
        let Some(fraction) = self.per_half_step else {
            return step > 0;
        };
        if step == 0 {
            return false;
        }
        // Multiples of the period in [step - 1/2, step + 1/2).
        let before = |half_steps: u128| {
            (half_steps.saturating_mul(fraction.numerator)).div_ceil(fraction.denominator)
        };
        let twice = 2 * u128::from(step);
        before(twice + 1) > before(twice - 1)
    }

    /// Sim time between two measurements, s.
    #[must_use]
    pub fn period(&self) -> f64 {
        self.period
    }
}

/// A rate from [`Schedule::MIN_RATE`] to 2000 Hz as `mantissa / 2^negative_exponent`.
fn exact_fraction(rate: f64) -> (u128, u32) {
    let bits = rate.to_bits();
    // A normal number: 52 bits after the implied one, exponent biased by 1023.
    let mantissa = (bits & ((1 << 52) - 1)) | (1 << 52);
    let exponent = (bits >> 52) as u32;
    // At most 82 for the lowest rate, 42 for the highest.
    let negative_exponent = 1023 + 52 - exponent;
    let common = mantissa.trailing_zeros().min(negative_exponent);
    (u128::from(mantissa >> common), negative_exponent - common)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn schedule(rate: f64, seconds: f64) -> Schedule {
        let dt = PhysicsDt::from_seconds(seconds).unwrap();
        let (schedule, warning) = Schedule::new(rate, dt).unwrap();
        assert_eq!(warning, None, "{rate} Hz at {seconds} s");
        schedule
    }

    fn due(schedule: &Schedule, steps: std::ops::RangeInclusive<u64>) -> Vec<u64> {
        steps.filter(|&step| schedule.is_due(step)).collect()
    }

    #[test]
    fn ten_hertz_at_thirty_steps_a_second_is_every_third_step() {
        let schedule = schedule(10.0, 1.0 / 30.0);
        assert_eq!(due(&schedule, 1..=12), [3, 6, 9, 12]);
        // A step of 33 333 333 ns is 1e-8 short of 1/30 s: a billion steps on that shows.
        let multiple = 333_333_330_u64;
        let step = (2 * multiple * 100_000_000 + 33_333_333) / (2 * 33_333_333);
        assert_eq!(step, 3 * multiple + 10);
        assert_eq!(due(&schedule, step - 2..=step + 2), [step]);
        assert!((schedule.period() - 0.1).abs() < 1e-15);
    }

    #[test]
    fn a_period_between_steps_takes_the_nearest() {
        // Multiples of 2.5 steps: 2.5, 5, 7.5, 10. Halves go to the later step.
        assert_eq!(due(&schedule(40.0, 0.01), 1..=10), [3, 5, 8, 10]);
        // Multiples of 1.25 steps: 1.25, 2.5, 3.75, 5.
        assert_eq!(due(&schedule(80.0, 0.01), 1..=5), [1, 3, 4, 5]);
        // 30.03 steps of 33.3 ms are a second.
        let once_a_second = due(&schedule(1.0, 0.0333), 1..=100);
        assert_eq!(once_a_second, [30, 60, 90]);
    }

    #[test]
    fn rate_zero_and_rates_above_that_of_the_steps_are_every_step() {
        let every = schedule(0.0, 0.1);
        assert_eq!(due(&every, 0..=4), [1, 2, 3, 4]);
        assert_eq!(every.period(), 0.1);
        let dt = PhysicsDt::from_seconds(0.1).unwrap();
        let (fast, warning) = Schedule::new(11.0, dt).unwrap();
        assert_eq!(fast, every);
        let warning = warning.unwrap();
        assert!(
            warning.contains("11 Hz") && warning.contains("0.1 s"),
            "{warning}"
        );
        // 1/60 s is rounded up to 16 666 667 ns: not worth a warning.
        assert_eq!(due(&schedule(60.0, 1.0 / 60.0), 1..=3), [1, 2, 3]);
        assert_eq!(due(&schedule(10.0, 0.1), 1..=3), [1, 2, 3]);
    }

    #[test]
    fn a_rate_that_is_none_is_refused() {
        let dt = PhysicsDt::from_seconds(0.1).unwrap();
        for rate in [-1.0, f64::NAN, f64::INFINITY, 1e-300, f64::MIN_POSITIVE] {
            let error = Schedule::new(rate, dt).unwrap_err().to_string();
            assert!(error.starts_with("rate is "), "{error}");
        }
        let (rare, _) = Schedule::new(1e-9, dt).unwrap();
        assert_eq!(due(&rare, 9_999_999_999..=10_000_000_001), [10_000_000_000]);
    }

    proptest! {
        #[test]
        fn each_multiple_of_the_period_has_one_step_and_no_step_is_extra(
            rate in 0.001..2000.0_f64, seconds in 0.0005..0.5_f64, start in 0..1_000_000_000_000_u64,
        ) {
            let dt = PhysicsDt::from_seconds(seconds).unwrap();
            let (schedule, _) = Schedule::new(rate, dt).unwrap();
            let steps = 3000;
            let found = due(&schedule, start + 1..=start + steps).len() as f64;
            let rate = rate.min(1e9 / dt.nanoseconds() as f64);
            let expected = steps as f64 * dt.seconds() * rate;
            prop_assert!((found - expected).abs() <= 1.0 + 1e-6, "{found} for {expected}");
        }

        #[test]
        fn due_steps_are_the_rounded_multiples(rate in 1_u32..200, nanos in 500_000_u64..4_000_000) {
            // Whole rates and short steps: the multiples m * 1e9 / (rate * nanos) in integers.
            let dt = PhysicsDt::from_seconds(nanos as f64 * 1e-9).unwrap();
            prop_assert_eq!(dt.nanoseconds(), nanos);
            let (schedule, _) = Schedule::new(f64::from(rate), dt).unwrap();
            let step = u128::from(rate) * u128::from(nanos);
            let expected: Vec<u64> = (1..=50_u128)
                .map(|m| ((m * 2_000_000_000 + step) / (2 * step)) as u64)
                .collect();
            prop_assert_eq!(due(&schedule, 1..=expected[49]), expected);
        }
    }
}
