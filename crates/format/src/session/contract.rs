//! The rules for fields, equal to those of the contract's schema library.

use jiff::civil::{Date, Time};

use super::status::SessionStatus;

/// Maximum length of a short id, in UTF-16 units.
const MAX_SHORT_ID_LEN: usize = 10;

/// The rule for the value of a field.
#[derive(Clone, Copy)]
pub(super) enum ContractRule {
    /// A text that is not empty.
    Filled,
    /// A text of 6 to 10 UTF-16 units.
    Short,
    /// Any text; the field may be missing.
    Free,
    /// One of the four states.
    State,
    /// A date-time.
    Time,
    /// A date-time; the field may be missing.
    FreeTime,
}

/// The rules of the fields, in the order of the contract.
pub(super) const RULES: [ContractRule; 12] = [
    ContractRule::Filled,
    ContractRule::Filled,
    ContractRule::Short,
    ContractRule::Filled,
    ContractRule::Filled,
    ContractRule::Filled,
    ContractRule::Filled,
    ContractRule::Free,
    ContractRule::State,
    ContractRule::Time,
    ContractRule::Time,
    ContractRule::FreeTime,
];

impl ContractRule {
    /// Returns whether the field may be missing.
    pub(super) fn is_optional(self) -> bool {
        matches!(self, Self::Free | Self::FreeTime)
    }

    /// Returns whether a text is longer than a short id may be.
    pub(super) fn is_too_long(self, text: &str) -> bool {
        matches!(self, Self::Short) && utf16_len(text) > MAX_SHORT_ID_LEN
    }

    /// Returns how a text violates the rule, if it does.
    pub(super) fn broken_by(self, text: &str) -> Option<&'static str> {
        let (is_valid, problem) = match self {
            Self::Filled => (!text.is_empty(), "is empty"),
            Self::Short => {
                ((6..=MAX_SHORT_ID_LEN).contains(&utf16_len(text)), "must have 6 to 10 characters")
            }
            Self::Free => (true, ""),
            Self::State => {
                let known = !matches!(SessionStatus::parse(text), SessionStatus::Other(_));
                (known, "is not active, ended, disconnected or orphaned")
            }
            Self::Time | Self::FreeTime => {
                let is_time = is_date_time(text.as_bytes());
                (is_time, "is not a time of the form 2026-01-15T14:30:00.000Z")
            }
        };
        (!is_valid).then_some(problem)
    }
}

/// Returns the length of a text in UTF-16 units.
fn utf16_len(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.encode_utf16().count() }
}

/// Returns whether the bytes are a date-time of the contract: `2026-01-15T14:30:00.000Z`.
///
/// The zone must be `Z`; seconds may be missing; a fraction may have any number of digits; the day must exist.
pub(super) fn is_date_time(text: &[u8]) -> bool {
    const FORM: &[u8] = b"0000-00-00T00:00:00";
    const WITHOUT_SECONDS: usize = 16;
    let Some(text) = text.strip_suffix(b"Z") else { return false };
    let len = if text.len() == WITHOUT_SECONDS { WITHOUT_SECONDS } else { FORM.len() };
    let Some((whole, fraction)) = text.split_at_checked(len) else { return false };
    let fits = |(byte, form): (&u8, &u8)| match form {
        b'0' => byte.is_ascii_digit(),
        sign => byte == sign,
    };
    let is_fraction = match fraction {
        [] => true,
        [b'.', digits @ ..] => !digits.is_empty() && digits.iter().all(u8::is_ascii_digit),
        _ => false,
    };
    let number = |at: usize, digits: usize| {
        let digits = whole.iter().skip(at).take(digits);
        digits.fold(0_i16, |value, byte| value * 10 + i16::from(byte & 0xf))
    };
    let small = |at| i8::try_from(number(at, 2)).unwrap_or(-1);
    whole.iter().zip(FORM).all(fits)
        && is_fraction
        && Date::new(number(0, 4), small(5), small(8)).is_ok()
        && Time::new(small(11), small(14), small(17), 0).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_what_the_library_accepts() {
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
