//! Durations: `100s`, `5m`, `2h`, or seconds.

use std::time::Duration;

/// The maximum duration.
const MAX_MILLISECONDS: u64 = 366 * 24 * 3600 * 1000;

pub(crate) fn parse(text: &str) -> Result<Duration, String> {
    let bad = || "write it as `100s`, `5m` or `2h`".to_owned();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at_checked(digits).ok_or_else(bad)?;
    let number: u64 = number.parse().map_err(|_| bad())?;
    let unit = match unit.trim() {
        "ms" => 1,
        "" | "s" | "sec" => 1000,
        "m" | "min" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return Err(bad()),
    };
    let millis = number.checked_mul(unit).filter(|millis| *millis <= MAX_MILLISECONDS);
    millis.map(Duration::from_millis).ok_or_else(|| "that is longer than a year".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_durations() {
        let check = |text: &str, millis: Option<u64>| {
            assert_eq!(parse(text).ok(), millis.map(Duration::from_millis), "{text}");
        };
        check("100s", Some(100_000));
        check("100", Some(100_000));
        check("5m", Some(300_000));
        check("2h", Some(7_200_000));
        check("0", Some(0));
        check("250ms", Some(250));
        check("", None);
        check("s", None);
        check("-5s", None);
        check("5 parsecs", None);
        check("99999999999999999999s", None);
        check("400d", None);
        check("9223372036854775807h", None);
    }
}
