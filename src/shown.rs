//! Numbers in texts for people.

use std::fmt;

/// A number as an error shows it: `0.25` and `100`, but `1e308` in place of 309 digits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Shown(pub(crate) f64);

/// As [`Shown`], for the attribute of an error, which has its fields by reference.
pub(crate) fn shown(value: &f64) -> Shown {
    Shown(*value)
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = self.0.abs();
        if size.is_finite() && size != 0.0 && !(1e-5..1e16).contains(&size) {
            write!(f, "{:e}", self.0)
        } else {
            write!(f, "{}", self.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_whatever_their_size() {
        for (value, expected) in [
            (0.0, "0"),
            (-1.0, "-1"),
            (0.25, "0.25"),
            (86_400.1, "86400.1"),
            (1e-5, "0.00001"),
            (9.5e-6, "9.5e-6"),
            (-5e-324, "-5e-324"),
            (1e15, "1000000000000000"),
            (1e16, "1e16"),
            (1e308, "1e308"),
            (-1.5e300, "-1.5e300"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-inf"),
        ] {
            assert_eq!(Shown(value).to_string(), expected);
        }
    }
}
