//! The inverse of the normal distribution.
//!
//! Rational approximations from M. J. Wichura, Algorithm AS 241, Applied Statistics 37
//! (1988), good to about 1e-16 of the result. Coefficients from the highest power down.

#![expect(clippy::excessive_precision, reason = "coefficients as published")]

type Polynomial = [f64; 8];

/// Around the median: in `0.425^2 - q^2`.
const CENTRE: [Polynomial; 2] = [
    [
        2.509_080_928_730_122_672_7e3,
        3.343_057_558_358_812_810_5e4,
        6.726_577_092_700_870_085_3e4,
        4.592_195_393_154_987_145_7e4,
        1.373_169_376_550_946_112_5e4,
        1.971_590_950_306_551_442_7e3,
        1.331_416_678_917_843_774_5e2,
        3.387_132_872_796_366_608,
    ],
    [
        5.226_495_278_852_854_561e3,
        2.872_908_573_572_194_267_4e4,
        3.930_789_580_009_271_061e4,
        2.121_379_430_158_659_586_7e4,
        5.394_196_021_424_751_107_7e3,
        6.871_870_074_920_579_083e2,
        4.231_333_070_160_091_125_2e1,
        1.0,
    ],
];

/// Towards the ends: in `sqrt(-ln r) - 1.6`.
const TAIL: [Polynomial; 2] = [
    [
        7.745_450_142_783_414_076_4e-4,
        2.272_384_498_926_918_458_33e-2,
        2.417_807_251_774_506_117_7e-1,
        1.270_458_252_452_368_382_58,
        3.647_848_324_763_204_605_04,
        5.769_497_221_460_691_405_5,
        4.630_337_846_156_545_295_9,
        1.423_437_110_749_683_577_34,
    ],
    [
        1.050_750_071_644_416_843_24e-9,
        5.475_938_084_995_344_946e-4,
        1.519_866_656_361_645_719_66e-2,
        1.481_039_764_274_800_745_9e-1,
        6.897_673_349_851_000_045_5e-1,
        1.676_384_830_183_803_849_4,
        2.053_191_626_637_758_821_87,
        1.0,
    ],
];

/// Within 1.4e-11 of the ends: in `sqrt(-ln r) - 5`.
const FAR_TAIL: [Polynomial; 2] = [
    [
        2.010_334_399_292_288_132_65e-7,
        2.711_555_568_743_487_578_15e-5,
        1.242_660_947_388_078_438_6e-3,
        2.653_218_952_657_612_309_3e-2,
        2.965_605_718_285_048_912_3e-1,
        1.784_826_539_917_291_335_8,
        5.463_784_911_164_114_369_9,
        6.657_904_643_501_103_777_2,
    ],
    [
        2.044_263_103_389_939_785_64e-15,
        1.421_511_758_316_445_888_7e-7,
        1.846_318_317_510_054_681_8e-5,
        7.868_691_311_456_132_591e-4,
        1.487_536_129_085_061_485_25e-2,
        1.369_298_809_227_358_053_1e-1,
        5.998_322_065_558_879_376_9e-1,
        1.0,
    ],
];

/// The standard normal number below which this share of all lies; `share` must be above 0
/// and below 1.
#[inline]
pub(super) fn quantile(share: f64) -> f64 {
    let q = share - 0.5;
    if q.abs() <= 0.425 {
        return q * ratio(&CENTRE, 0.180_625 - q * q);
    }
    let r = if q < 0.0 { share } else { 1.0 - share };
    let r = libm::sqrt(-libm::log(r));
    let size = if r <= 5.0 {
        ratio(&TAIL, r - 1.6)
    } else {
        ratio(&FAR_TAIL, r - 5.0)
    };
    size.copysign(q)
}

#[inline]
fn ratio([numerator, denominator]: &[Polynomial; 2], x: f64) -> f64 {
    horner(numerator, x) / horner(denominator, x)
}

#[inline]
fn horner(polynomial: &Polynomial, x: f64) -> f64 {
    polynomial.iter().fold(0.0, |sum, c| sum * x + c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coefficients_have_the_sums_that_their_author_gives() {
        for (set, expected) in [
            (CENTRE, 55.883_192_880_614_9),
            (TAIL, 49.332_065_033_016_1),
            (FAR_TAIL, 47.525_833_175_492_9),
        ] {
            // Of the digits: all coefficients scaled to between 1 and 10, the leading 1 of
            // each denominator left out.
            let [numerator, denominator] = set;
            let sum: f64 = (numerator.iter().chain(&denominator[..7]))
                .map(|c| c / 10.0_f64.powf(c.log10().floor()))
                .sum();
            assert!((sum - expected).abs() < 1e-11, "{sum} for {expected}");
        }
    }

    #[test]
    fn it_undoes_the_normal_distribution() {
        let below = |x: f64| 0.5 * libm::erfc(-x / std::f64::consts::SQRT_2);
        for i in 1..8200 {
            let x = -f64::from(i) * 1e-3;
            let found = quantile(below(x));
            assert!((found - x).abs() < 1e-12, "{found} for {x}");
            // Near 1 a share has few digits: 1 in 2^53 of it over the density is the step.
            let (share, density) = (1.0 - below(x), (-0.5 * x * x).exp() / 2.5066);
            if x > -5.0 {
                let found = quantile(share);
                assert!(
                    (found + x).abs() < 1e-14 + 2.3e-16 / density,
                    "{found} for {x}"
                );
            }
        }
    }

    #[test]
    fn its_values_are_those_of_another_program() {
        // From Python's statistics.NormalDist().inv_cdf.
        for (share, expected) in [
            (0.5_f64.powi(53), -8.209536151601386),
            (1e-12, -7.034483825301132),
            (1e-5, -4.2648907939228256),
            (0.07, -1.4757910281791702),
            (0.0750001, -1.4395307645017297),
            (0.2, -0.8416212335729142),
            (0.5, 0.0),
            (0.99, 2.3263478740408408),
        ] {
            let found = quantile(share);
            assert!((found - expected).abs() < 1e-14, "{found} for {expected}");
        }
    }
}
