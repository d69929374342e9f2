//! Formats the time since an event.

use skein_format::time::Time;

const UNITS: [(i64, &str); 6] = [
    (365 * 86_400_000, "y"),
    (30 * 86_400_000, "mo"),
    (7 * 86_400_000, "w"),
    (86_400_000, "d"),
    (3_600_000, "h"),
    (60_000, "m"),
];

/// Formats the time since `at` in the largest unit that fits: `3h`.
pub fn short(at: Option<Time>, now: Time) -> String {
    let Some(at) = at else { return "-".to_owned() };
    let millis = now.as_millis().saturating_sub(at.as_millis());
    let unit = UNITS.iter().find(|(length, _)| millis >= *length);
    unit.map_or_else(|| "now".to_owned(), |(length, name)| format!("{}{name}", millis / length))
}

/// Formats the time since `at` as part of a sentence.
pub fn long(at: Option<Time>, now: Time) -> String {
    match short(at, now).as_str() {
        "-" => "at an unknown time".to_owned(),
        "now" => "just now".to_owned(),
        age => format!("{age} ago"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_the_largest_unit() {
        let now = Time::from_millis(1_000_000_000_000);
        let check = |seconds: i64, expected: &str| {
            let at = Time::from_millis(now.as_millis() - seconds * 1000);
            assert_eq!(short(Some(at), now), expected);
        };
        check(-50, "now");
        check(59, "now");
        check(60, "1m");
        check(3 * 3600 + 1, "3h");
        check(13 * 86400, "1w");
        check(400 * 86400, "1y");
    }
}
