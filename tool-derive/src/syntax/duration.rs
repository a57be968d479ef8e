//! Reads `"250ms"`, `"5s"`, `"2m"`, `"1h"` and `"2d"`.

use syn::LitStr;

use crate::errors::Errors;

/// The milliseconds of a day.
pub(crate) const DAY: u64 = 86_400_000;

const UNITS: [(&str, u64); 5] =
    [("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("d", DAY)];

/// Parses a duration to milliseconds, more than zero.
pub(crate) fn milliseconds(text: &LitStr, errors: &Errors) -> Option<u64> {
    let duration_ms = parse(&text.value());
    if duration_ms.is_none() {
        errors.at(
            text,
            "a time is a whole number above zero with a unit: `\"250ms\"`, `\"5s\"`, `\"2m\"`, \
             `\"1h\"` or `\"2d\"`",
        );
    }
    duration_ms
}

fn parse(text: &str) -> Option<u64> {
    let digits = text.find(|letter: char| !letter.is_ascii_digit())?;
    let (number, unit) = text.split_at(digits);
    let (_, factor) = UNITS.into_iter().find(|(name, _)| *name == unit)?;
    number.parse::<u64>().ok()?.checked_mul(factor).filter(|found| *found > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_and_a_unit_make_a_time() {
        assert_eq!(parse("250ms"), Some(250));
        assert_eq!(parse("5s"), Some(5_000));
        assert_eq!(parse("2m"), Some(120_000));
        assert_eq!(parse("1h"), Some(3_600_000));
        assert_eq!(parse("2d"), Some(172_800_000));
        for bad in ["", "5", "s", "0s", "-1s", "1.5s", "5 s", "5w", "99999999999999999999s"] {
            assert_eq!(parse(bad), None, "{bad}");
        }
    }
}
