//! Times in the forms that people and programs write.

use std::borrow::Cow;
use std::fmt;

use jiff::Timestamp;
use jiff::fmt::temporal::{DateTimeParser, DateTimePrinter};
use jiff::tz::Offset;

/// An instant with millisecond precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(i64);

impl Time {
    /// Creates a time from milliseconds since 1970, clamped to the years that can be written.
    pub fn from_millis(millis: i64) -> Self {
        let low = Timestamp::MIN.as_millisecond();
        let high = Timestamp::MAX.as_millisecond();
        Self(millis.clamp(low, high))
    }

    /// Returns the milliseconds since 1970.
    pub fn as_millis(self) -> i64 {
        self.0
    }

    /// Returns the instant for calendar arithmetic.
    pub fn timestamp(self) -> Timestamp {
        // The constructor from milliseconds refuses the last second of the range.
        let (second, millis) = (self.0.div_euclid(1000), self.0.rem_euclid(1000));
        let nanos = i32::try_from(millis * 1_000_000).unwrap_or_default();
        Timestamp::new(second, nanos).unwrap_or_default()
    }

    /// Formats the time as in checkpoint ids: `20260123-143052`.
    pub fn compact(self) -> String {
        self.timestamp().strftime("%Y%m%d-%H%M%S").to_string()
    }
}

/// Writes the time as JavaScript's `toISOString` does: `2026-01-23T14:30:52.000Z`.
impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const PRINTER: DateTimePrinter = DateTimePrinter::new().precision(Some(3));
        f.write_str(&PRINTER.timestamp_to_string(&self.timestamp()))
    }
}

impl serde::Serialize for Time {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A parsed time, and whether UTC was assumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parsed {
    /// The instant.
    pub time: Time,
    /// Whether the text has no time zone, so that UTC was assumed.
    pub naive: bool,
}

/// Parses RFC 3339, extended and basic ISO 8601 with or without an offset, and plain dates.
///
/// A second of 60 is read as 59, as clocks without leap seconds do.
pub fn parse(text: &str) -> Option<Parsed> {
    const PARSER: DateTimeParser = DateTimeParser::new();
    let text = without_excess_digits(text.trim());
    if let Ok(time) = PARSER.parse_timestamp(text.as_bytes()) {
        return Some(Parsed { time: Time::from_millis(time.as_millisecond()), naive: false });
    }
    let at = PARSER.parse_datetime(text.as_bytes()).ok()?;
    let time = Offset::UTC.to_timestamp(at).ok()?;
    Some(Parsed { time: Time::from_millis(time.as_millisecond()), naive: true })
}

/// Removes the digits of a fraction of a second that are beyond nanoseconds.
fn without_excess_digits(text: &str) -> Cow<'_, str> {
    let fraction = text.find(['.', ',']).and_then(|at| text.split_at_checked(at + 1));
    let Some((before, rest)) = fraction else { return text.into() };
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    match (rest.get(..9), rest.get(digits..)) {
        (Some(kept), Some(after)) if digits > 9 => [before, kept, after].concat().into(),
        _ => text.into(),
    }
}

/// Converts a number of seconds since 1970, or of milliseconds if it is too large for seconds.
pub fn from_epoch(number: u64) -> Option<Time> {
    let number = i64::try_from(number).ok()?;
    let millis = if number < 100_000_000_000 { number.checked_mul(1000)? } else { number };
    let top = Timestamp::MAX.as_millisecond();
    (millis <= top).then(|| Time::from_millis(millis))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let got = match parse(text) {
            Some(Parsed { time, naive: false }) => time.to_string(),
            Some(Parsed { time, naive: true }) => format!("{time} naive"),
            None => "none".to_owned(),
        };
        assert_eq!(got, expected, "{text}");
    }

    #[test]
    fn reads_all_known_forms() {
        check("2026-01-23T14:30:52.000Z", "2026-01-23T14:30:52.000Z");
        check("20260822T170711Z", "2026-08-22T17:07:11.000Z");
        check("2026-03-08T03:32:56Z", "2026-03-08T03:32:56.000Z");
        check("2026-03-08T03:32Z", "2026-03-08T03:32:00.000Z");
        check("2026-03-08T03:32:56.1234567891+02:00", "2026-03-08T01:32:56.123Z");
        check("2026-03-08 03:32:56 ", "2026-03-08T03:32:56.000Z naive");
        check("2026-03-08T03:32:56-0530", "2026-03-08T09:02:56.000Z");
        check("2026-03-08T03:32:56+02", "2026-03-08T01:32:56.000Z");
        check("2026-03-08", "2026-03-08T00:00:00.000Z naive");
        check("20260308", "2026-03-08T00:00:00.000Z naive");
        check("2026-06-30T23:59:60Z", "2026-06-30T23:59:59.000Z");
    }

    #[test]
    fn the_ends_of_the_calendar_can_be_written() {
        check("9999-12-30T22:00:00.999Z", "9999-12-30T22:00:00.999Z");
        check("0000-01-01T00:00:00.001Z", "0000-01-01T00:00:00.001Z");
        assert_eq!(Time::from_millis(i64::MAX).to_string(), "9999-12-30T22:00:00.999Z");
        assert_eq!(Time::from_millis(i64::MIN).timestamp(), Timestamp::MIN);
    }

    #[test]
    fn refuses_invalid_times() {
        for text in ["", "yesterday", "2026-02-29", "2026-1-2", "2026-01-23T", "2026-01-23T25:00Z"]
        {
            check(text, "none");
        }
        for text in ["2026-01-23T14:30:61Z", "2026-01-23T14:30:52.Z", "2026-01-23T14:30:52Q", "9"] {
            check(text, "none");
        }
    }

    #[test]
    fn distinguishes_seconds_from_milliseconds() {
        assert_eq!(from_epoch(1_769_178_652).unwrap(), from_epoch(1_769_178_652_000).unwrap());
        assert_eq!(from_epoch(u64::MAX), None);
    }
}
