//! What the contract's schema library accepts, counted as it counts.

use super::status::SessionStatus;
use crate::time::days_of;

/// How many characters a short id has at most.
const MAX_SHORT_ID_LEN: usize = 10;

/// What a field may say.
#[derive(Clone, Copy)]
pub(super) enum Rule {
    /// A text that is not empty.
    Filled,
    /// A text of 6 to 10 characters.
    Short,
    /// Any text; it may be left out.
    Free,
    /// One of the four states.
    State,
    /// A date-time.
    Time,
    /// A date-time; it may be left out.
    FreeTime,
}

/// The rules of the fields, in the order of the contract.
pub(super) const RULES: [Rule; 12] = [
    Rule::Filled,
    Rule::Filled,
    Rule::Short,
    Rule::Filled,
    Rule::Filled,
    Rule::Filled,
    Rule::Filled,
    Rule::Free,
    Rule::State,
    Rule::Time,
    Rule::Time,
    Rule::FreeTime,
];

impl Rule {
    /// Returns whether the field may be left out.
    pub(super) fn is_optional(self) -> bool {
        matches!(self, Self::Free | Self::FreeTime)
    }

    /// Returns whether a text is longer than a short id may be.
    pub(super) fn is_too_long(self, text: &str) -> bool {
        matches!(self, Self::Short) && utf16_len(text) > MAX_SHORT_ID_LEN
    }

    /// Returns what is wrong with a text.
    pub(super) fn broken_by(self, text: &str) -> Option<&'static str> {
        let (kept, said) = match self {
            Self::Filled => (!text.is_empty(), "is empty"),
            Self::Short => {
                ((6..=MAX_SHORT_ID_LEN).contains(&utf16_len(text)), "must have 6 to 10 characters")
            }
            Self::Free => (true, ""),
            Self::State => {
                let known = !matches!(SessionStatus::parse(text), SessionStatus::Other(_));
                (known, "is none of active, ended, disconnected, orphaned")
            }
            Self::Time | Self::FreeTime => {
                let dated = is_date_time(text.as_bytes());
                (dated, "is not a time of the form 2026-01-15T14:30:00.000Z")
            }
        };
        (!kept).then_some(said)
    }
}

/// Returns the length of a text in UTF-16 units.
fn utf16_len(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.encode_utf16().count() }
}

/// Returns whether the bytes are a date-time of the contract: `2026-01-15T14:30:00.000Z`.
///
/// Only `Z` is a zone; seconds and any number of fraction digits may be left out; the day must exist.
pub(super) fn is_date_time(text: &[u8]) -> bool {
    let Some((date, rest)) = text.split_at_checked(10) else {
        return false;
    };
    let Some(clock) = rest.strip_prefix(b"T").and_then(|rest| rest.strip_suffix(b"Z")) else {
        return false;
    };
    is_date(date) && is_clock(clock)
}

fn is_date(text: &[u8]) -> bool {
    let (Some(year), Some(month), Some(day)) =
        (number(text, 0, 4), number(text, 5, 2), number(text, 8, 2))
    else {
        return false;
    };
    let dashes = text.get(4) == Some(&b'-') && text.get(7) == Some(&b'-');
    let days = if (1..=12).contains(&month) { days_of(year.into(), month.into()) } else { 0 };
    dashes && (1..=days).contains(&i64::from(day))
}

fn is_clock(text: &[u8]) -> bool {
    let hour = number(text, 0, 2).is_some_and(|hour| hour < 24);
    let minute = number(text, 3, 2).is_some_and(|minute| minute < 60);
    if !hour || !minute || text.get(2) != Some(&b':') {
        return false;
    }
    let Some(seconds) = text.get(5..).filter(|rest| !rest.is_empty()) else {
        return true;
    };
    let second = number(seconds, 1, 2).is_some_and(|second| second < 60);
    if !second || seconds.first() != Some(&b':') {
        return false;
    }
    match seconds.get(3..) {
        None | Some([]) => true,
        Some([b'.', digits @ ..]) => !digits.is_empty() && digits.iter().all(u8::is_ascii_digit),
        Some(_) => false,
    }
}

fn number(text: &[u8], at: usize, digits: usize) -> Option<u32> {
    text.get(at..at + digits)?.iter().try_fold(0, |value, byte| {
        byte.is_ascii_digit().then(|| value * 10 + u32::from(byte - b'0'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_what_the_library_takes() {
        for good in [
            "2026-01-15T14:30:00.000Z",
            "2026-01-15T14:30:00Z",
            "2026-01-15T14:30:00.123456789Z",
            "2026-01-15T14:30Z",
            "2028-02-29T00:00:00Z",
            "2000-02-29T23:59:59Z",
        ] {
            assert!(is_date_time(good.as_bytes()), "{good}");
        }
        for bad in [
            "2026-01-15T14:30:00+00:00",
            "2026-01-15 14:30:00Z",
            "2026-01-15t14:30:00z",
            "2026-02-29T00:00:00Z",
            "1900-02-29T00:00:00Z",
            "2026-01-15T24:00:00Z",
            "2026-01-15T14:30:60Z",
            "2026-01-15T14:30:00.Z",
            "2026-04-31T00:00:00Z",
            "2026-13-01T00:00:00Z",
            "2026-01-00T00:00:00Z",
            "2026-01-15T14:30:0Z",
            "2026-01-15T14:3Z",
            "yesterday",
            "",
        ] {
            assert!(!is_date_time(bad.as_bytes()), "{bad}");
        }
    }

    #[test]
    fn counts_in_utf16() {
        assert_eq!(utf16_len("ses_a1b2"), 8);
        assert_eq!(utf16_len("\u{1f600}\u{e9}"), 3);
    }
}
