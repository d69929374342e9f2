//! Parses dates in filters: `2w`, `yesterday`, `2026-01-23`.

use skein_format::time::{self, Time};

const HOUR: i64 = 3_600_000;
const DAY: i64 = 24 * HOUR;

/// Returns the latest time that a slightly wrong clock may have: one day from now.
pub fn clock_tolerance(now: Time) -> Time {
    Time::from_millis(now.as_millis().saturating_add(DAY))
}

/// Parses a date relative to `now`; days start at midnight UTC.
pub(crate) fn parse(text: &str, now: Time) -> Option<Time> {
    let midnight = now.as_millis().div_euclid(DAY) * DAY;
    match text {
        "now" => return Some(now),
        "today" => return Some(Time::from_millis(midnight)),
        "yesterday" => return Some(Time::from_millis(midnight - DAY)),
        _ => {}
    }
    ago(text, now).or_else(|| time::parse(text).map(|parsed| parsed.time))
}

/// Parses a duration before now: `90min`, `6h`, `3d`, `2w`, `4mo`, `1y`.
fn ago(text: &str, now: Time) -> Option<Time> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at_checked(digits)?;
    let number: i64 = number.parse().ok()?;
    let unit = match unit.trim() {
        "s" | "sec" => 1000,
        "m" | "min" => 60_000,
        "h" | "hour" | "hours" => HOUR,
        "d" | "day" | "days" => DAY,
        "w" | "week" | "weeks" => 7 * DAY,
        "mo" | "month" | "months" => 30 * DAY,
        "y" | "year" | "years" => 365 * DAY,
        _ => return None,
    };
    Some(Time::from_millis(now.as_millis().checked_sub(number.checked_mul(unit)?)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_common_notations() {
        let now = time::parse("2026-01-23T14:30:00Z").unwrap().time;
        let check = |text: &str, expected: &str| {
            let got = parse(text, now).map_or("none".to_owned(), |time| time.to_string());
            assert_eq!(got, expected, "{text}");
        };
        check("2w", "2026-01-09T14:30:00.000Z");
        check("90min", "2026-01-23T13:00:00.000Z");
        check("3 days", "2026-01-20T14:30:00.000Z");
        check("yesterday", "2026-01-22T00:00:00.000Z");
        check("today", "2026-01-23T00:00:00.000Z");
        check("2026-01-01", "2026-01-01T00:00:00.000Z");
        check("2026-01-01T10:00:00+02:00", "2026-01-01T08:00:00.000Z");
        check("soon", "none");
        check("9999999999999999999w", "none");
        check("5", "none");
    }
}
