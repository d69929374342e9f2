//! Times as people and programs really write them.

use std::fmt;

use jiff::Timestamp;
use jiff::civil::{Date, DateTime, Time as Clock};
use jiff::tz::Offset;

/// An instant, to the millisecond.
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
        // The millisecond constructor refuses the last second that there is.
        let (second, millis) = (self.0.div_euclid(1000), self.0.rem_euclid(1000));
        let nanos = i32::try_from(millis * 1_000_000).unwrap_or_default();
        Timestamp::new(second, nanos).unwrap_or_default()
    }

    fn utc(self) -> DateTime {
        Offset::UTC.to_datetime(self.timestamp())
    }

    /// Writes the time as ids of checkpoints do: `20260123-143052`.
    pub fn compact(self) -> String {
        self.utc().strftime("%Y%m%d-%H%M%S").to_string()
    }
}

/// Writes the time as JavaScript's `toISOString` does: `2026-01-23T14:30:52.000Z`.
impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = self.utc();
        write!(
            f,
            "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z",
            at.year(),
            at.month(),
            at.day(),
            at.hour(),
            at.minute(),
            at.second(),
            at.millisecond()
        )
    }
}

impl serde::Serialize for Time {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A time that was read, and whether it had to be guessed that it is UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parsed {
    /// The instant.
    pub time: Time,
    /// Whether the text named no zone, so that UTC was assumed.
    pub naive: bool,
}

/// Reads RFC 3339, ISO 8601 in its extended and basic form, with offset or naive, and plain dates.
///
/// A second of 60 is read as 59, as clocks without leap seconds do.
pub fn parse(text: &str) -> Option<Parsed> {
    if let Some(time) = usual(text.as_bytes()) {
        return Some(Parsed { time, naive: false });
    }
    let mut input = Input { rest: text.trim().as_bytes() };
    let year = input.number(4)?;
    let dashed = input.eat(b"-");
    let month = input.number(2)?;
    if dashed && !input.eat(b"-") {
        return None;
    }
    let day = input.number(2)?;
    let date = Date::new(small(year)?, small(month)?, small(day)?).ok()?;
    if input.rest.is_empty() {
        return instant(date.at(0, 0, 0, 0), None);
    }
    if !input.eat(b"T") && !input.eat(b"t") && !input.eat(b" ") {
        return None;
    }
    let clock = input.clock()?;
    let offset = input.offset()?;
    if !input.rest.is_empty() {
        return None;
    }
    instant(date.to_datetime(clock), offset)
}

/// Reads the form that [`Time`] is written in, which nearly all times have, without a calendar.
///
/// What is none may still be a time of another form, or one at the ends of the calendar.
pub(crate) fn usual(text: &[u8]) -> Option<Time> {
    let [date @ .., b'T', h, hh, b':', m, mm, b':', s, ss, b'.', f, ff, fff, b'Z'] = text else {
        return None;
    };
    let [y, yy, yyy, yyyy, b'-', o, oo, b'-', d, dd] = date else {
        return None;
    };
    let year = digits(&[*y, *yy, *yyy, *yyyy]).filter(|year| (1..9999).contains(year))?;
    let month = digits(&[*o, *oo]).filter(|month| (1..=12).contains(month))?;
    let day = digits(&[*d, *dd]).filter(|day| (1..=days_of(year, month)).contains(day))?;
    let hour = digits(&[*h, *hh]).filter(|hour| *hour < 24)?;
    let minute = digits(&[*m, *mm]).filter(|minute| *minute < 60)?;
    let second = digits(&[*s, *ss]).filter(|second| *second < 60)?;
    let millis = digits(&[*f, *ff, *fff])?;
    let minutes = (days_since_1970(year, month, day) * 24 + hour) * 60 + minute;
    Some(Time((minutes * 60 + second) * 1000 + millis))
}

fn digits(text: &[u8]) -> Option<i64> {
    text.iter().try_fold(0, |value, byte| {
        byte.is_ascii_digit().then(|| value * 10 + i64::from(byte - b'0'))
    })
}

/// Returns the number of days of a month from 1 to 12.
pub(crate) fn days_of(year: i64, month: i64) -> i64 {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Counts days in years that start in March, so that a leap day comes last.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leap_days = year / 4 - year / 100 + year / 400;
    365 * year + leap_days + (153 * month + 2) / 5 + day - 719_469
}

/// Reads a number as seconds or, where it is too large for those, milliseconds since 1970.
pub fn from_epoch(number: u64) -> Option<Time> {
    let number = i64::try_from(number).ok()?;
    let millis = if number < 100_000_000_000 { number.checked_mul(1000)? } else { number };
    let top = Timestamp::MAX.as_millisecond();
    (millis <= top).then(|| Time::from_millis(millis))
}

fn instant(at: DateTime, offset: Option<i32>) -> Option<Parsed> {
    let zone = Offset::from_seconds(offset.unwrap_or(0)).ok()?;
    let time = Time::from_millis(zone.to_timestamp(at).ok()?.as_millisecond());
    Some(Parsed { time, naive: offset.is_none() })
}

fn small<T: TryFrom<u32>>(number: u32) -> Option<T> {
    T::try_from(number).ok()
}

struct Input<'a> {
    rest: &'a [u8],
}

impl Input<'_> {
    fn eat(&mut self, word: &[u8]) -> bool {
        match self.rest.strip_prefix(word) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn number(&mut self, digits: usize) -> Option<u32> {
        let (head, rest) = self.rest.split_at_checked(digits)?;
        let value = head.iter().try_fold(0_u32, |value, byte| {
            byte.is_ascii_digit().then(|| value * 10 + u32::from(byte - b'0'))
        })?;
        self.rest = rest;
        Some(value)
    }

    fn clock(&mut self) -> Option<Clock> {
        let hour = self.number(2)?;
        let colon = self.eat(b":");
        let minute = self.number(2)?;
        let more = if colon { self.eat(b":") } else { self.starts_with_digit() };
        let second = if more { self.number(2)? } else { 0 };
        let nanos = if more && (self.eat(b".") || self.eat(b",")) { self.fraction()? } else { 0 };
        let second = if second == 60 { 59 } else { second };
        Clock::new(small(hour)?, small(minute)?, small(second)?, nanos).ok()
    }

    fn starts_with_digit(&self) -> bool {
        self.rest.first().is_some_and(u8::is_ascii_digit)
    }

    fn fraction(&mut self) -> Option<i32> {
        let digits = self.rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (head, rest) = self.rest.split_at_checked(digits).filter(|_| digits > 0)?;
        let padded = head.iter().copied().chain(std::iter::repeat(b'0')).take(9);
        let nanos = padded.fold(0_i32, |value, byte| value * 10 + i32::from(byte - b'0'));
        self.rest = rest;
        Some(nanos)
    }

    /// Reads a zone; the outer option is failure, the inner one its absence.
    fn offset(&mut self) -> Option<Option<i32>> {
        if self.rest.is_empty() {
            return Some(None);
        }
        if self.eat(b"Z") || self.eat(b"z") {
            return Some(Some(0));
        }
        let sign = if self.eat(b"+") { 1 } else { -1 };
        if sign < 0 && !self.eat(b"-") {
            return None;
        }
        let hours = self.number(2)?;
        let minutes = if self.eat(b":") || self.starts_with_digit() { self.number(2)? } else { 0 };
        if hours > 23 || minutes > 59 {
            return None;
        }
        Some(Some(sign * small::<i32>(hours * 3600 + minutes * 60)?))
    }
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
    fn reads_every_form_that_was_met() {
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
    fn the_usual_form_is_read_as_the_calendar_reads_it() {
        let years = [1, 4, 100, 1582, 1899, 1969, 1970, 2000, 2024, 2026, 2100, 2400, 9998, 9999];
        for (year, month, day) in years.into_iter().flat_map(|year| {
            (0..=13).flat_map(move |month| (0..=32).map(move |day| (year, month, day)))
        }) {
            let text = format!("{year:04}-{month:02}-{day:02}T23:59:01.007");
            let calendar = parse(&format!("{text}+00:00"));
            assert_eq!(parse(&format!("{text}Z")), calendar, "{text}");
        }
    }

    #[test]
    fn refuses_what_is_no_time() {
        for text in ["", "yesterday", "2026-02-29", "2026-1-2", "2026-01-23T", "2026-01-23T25:00Z"]
        {
            check(text, "none");
        }
        for text in ["2026-01-23T14:30:61Z", "2026-01-23T14:30:52.Z", "2026-01-23T14:30:52Q", "9"] {
            check(text, "none");
        }
    }

    #[test]
    fn tells_seconds_from_milliseconds() {
        assert_eq!(from_epoch(1_769_178_652).unwrap(), from_epoch(1_769_178_652_000).unwrap());
        assert_eq!(from_epoch(u64::MAX), None);
    }
}
