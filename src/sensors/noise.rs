//! Gaussian noise that is looked up, not drawn: each number has an address.
//!
//! The address is (seed, robot, sensor, step, index). A running generator would shift all
//! later numbers when one more is drawn; here no sensor, robot or beam knows of another.
//!
//! The numbers are those of splitmix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom
//! Number Generators, 2014), whose n-th output is a mix of `seed + n * GAMMA` and so can be
//! had without the ones before. Each step of a sensor has a stream of its own, seeded by
//! mixing the parts of the address in turn. It passes BigCrush, takes a few
//! multiplications and is ten lines; a crate with a counter-based generator (Philox) would
//! bring the `rand` traits for no better noise. One output makes one normal number by the
//! inverse distribution; Box and Muller's transform makes pairs of two, so that a number
//! would not stand alone, and is no faster.

use super::normal;
use crate::hash::fnv1a;
use crate::world::StepIndex;

/// Mean and standard deviation of a measurement's noise, in the unit of the measurement.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Gaussian {
    /// Mean.
    pub mean: f64,
    /// Standard deviation, 0 or more.
    pub stddev: f64,
}

impl Gaussian {
    /// Whether it adds nothing.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.mean == 0.0 && self.stddev == 0.0
    }
}

/// The noise of one sensor of one robot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoiseKey(u64);

/// The noise of one sensor at one step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StepNoise(u64);

impl NoiseKey {
    /// The noise of a sensor by the world's seed and the names of robot and sensor.
    /// Sensors that share a name share their noise, as a scan and a point cloud of one
    /// lidar should.
    #[must_use]
    pub fn new(seed: i64, robot: &str, sensor: &str) -> Self {
        let parts = [seed as u64, fnv1a(robot.bytes()), fnv1a(sensor.bytes())];
        Self(
            parts
                .into_iter()
                .fold(0, |key, part| mix(key ^ part).wrapping_add(GAMMA)),
        )
    }

    /// The noise at a step.
    #[must_use]
    pub fn at(&self, step: StepIndex) -> StepNoise {
        StepNoise(mix(self.0 ^ step))
    }
}

impl StepNoise {
    /// A standard normal number by its index: a beam, pixel or axis.
    #[inline]
    #[must_use]
    pub fn normal(&self, index: u64) -> f64 {
        normal::quantile(self.uniform(index))
    }

    /// A number between 0 and 1, without its ends, by its index; all are as likely.
    #[inline]
    #[must_use]
    pub fn uniform(&self, index: u64) -> f64 {
        // Exact: 52 bits and a half.
        ((self.bits(index) >> 12) as f64 + 0.5) * SCALE
    }

    /// A number of this distribution by its index.
    #[inline]
    #[must_use]
    pub fn gaussian(&self, index: u64, noise: &Gaussian) -> f64 {
        if noise.stddev == 0.0 {
            noise.mean
        } else {
            noise.mean + noise.stddev * self.normal(index)
        }
    }

    /// The output of splitmix64 by its index.
    #[inline]
    fn bits(&self, index: u64) -> u64 {
        mix(self
            .0
            .wrapping_add(GAMMA.wrapping_mul(index.wrapping_add(1))))
    }
}

/// 2^64 over the golden ratio, odd.
const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;
const SCALE: f64 = 1.0 / (1_u64 << 52) as f64;

/// The output function of splitmix64: Stafford's mix 13.
#[inline]
pub(super) fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bits_are_those_of_splitmix64() {
        // The published first outputs for seed 1234567, here with a running state.
        let expected = [
            6_457_827_717_110_365_317_u64,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ];
        let found: Vec<u64> = (0..5).map(|i| StepNoise(1_234_567).bits(i)).collect();
        assert_eq!(found, expected);
    }

    /// Computed outside this program: with integers of any size and the inverse of the
    /// normal distribution in Python's `statistics`.
    #[test]
    fn numbers_stay_the_same_from_build_to_build() {
        for (seed, robot, sensor, step, index, expected) in GOLDEN {
            let found = NoiseKey::new(seed, robot, sensor).at(step).normal(index);
            assert!((found - expected).abs() < 1e-12, "{found} for {expected}");
        }
    }

    const GOLDEN: [(i64, &str, &str, u64, u64, f64); 4] = [
        (0, "kachaka", "lasor_sensor", 3, 0, 1.5581513388313177),
        (0, "kachaka", "lasor_sensor", 3, 399, 0.03405944471650722),
        (42, "env0/robot", "scan", 1000000, 12, 1.2744398151407994),
        (-7, "", "imu", 1, 5, -0.9638451063206346),
    ];

    #[test]
    fn every_part_of_the_address_counts() {
        let number = |seed, robot, sensor, step, index| {
            NoiseKey::new(seed, robot, sensor).at(step).normal(index)
        };
        let found = number(0, "a", "b", 1, 0);
        assert_eq!(found, number(0, "a", "b", 1, 0));
        for other in [
            number(1, "a", "b", 1, 0),
            number(-1, "a", "b", 1, 0),
            number(0, "c", "b", 1, 0),
            number(0, "a", "c", 1, 0),
            number(0, "b", "a", 1, 0),
            number(0, "a", "b", 2, 0),
            number(0, "a", "b", 1, 1),
        ] {
            assert_ne!(found, other);
        }
    }

    /// Mean, variance and kurtosis of a million numbers, and their correlation with those
    /// of the neighbour index, step and seed. Four standard errors each.
    #[test]
    fn a_million_numbers_are_normal_and_independent() {
        let number = |seed, step, index| NoiseKey::new(seed, "r", "s").at(step).normal(index);
        let count = 1_000_000.0_f64;
        let (mut sum, mut square, mut fourth) = (0.0, 0.0, 0.0);
        let mut products = [0.0; 3];
        for step in 0..1000 {
            for index in 0..1000 {
                let x = number(0, step, index);
                sum += x;
                square += x * x;
                fourth += x * x * x * x;
                products[0] += x * number(0, step, index + 1);
                products[1] += x * number(0, step + 1, index);
                products[2] += x * number(1, step, index);
            }
        }
        let error = 4.0 / count.sqrt();
        assert!((sum / count).abs() < error, "mean {}", sum / count);
        let variance = square / count;
        assert!(
            (variance - 1.0).abs() < error * 2.0_f64.sqrt(),
            "variance {variance}"
        );
        let kurtosis = fourth / count;
        assert!(
            (kurtosis - 3.0).abs() < error * 96.0_f64.sqrt(),
            "kurtosis {kurtosis}"
        );
        for product in products {
            assert!(
                (product / count).abs() < error,
                "correlation {}",
                product / count
            );
        }
    }
}
