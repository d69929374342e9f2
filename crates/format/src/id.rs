//! Names that are safe as file names, and the ids of checkpoints.

use std::fmt;

use crate::slug::slug;
use crate::time::{self, Time};

/// Returns whether `text` is a plain name: letters, digits, `.`, `_`, `-`, not starting with a dot.
pub fn is_plain_name(text: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-');
    let fits = !text.is_empty() && text.len() <= 200 && !text.starts_with('.');
    fits && text.chars().all(plain)
}

/// Returns whether `text` can name a file in a directory and be shown in one line.
///
/// The name must not contain a separator or a control character or start with a dot, and must leave room for an
/// extension. Spaces, punctuation and all scripts are allowed, as in names that people choose.
pub fn is_file_stem(text: &str) -> bool {
    const MAX_STEM_LEN: usize = 250;
    let fits = !text.is_empty() && text.len() <= MAX_STEM_LEN && !text.starts_with('.');
    let unsafe_char = |c: char| c.is_control() || matches!(c, '/' | '\\');
    fits && !text.chars().any(unsafe_char)
}

/// The id of a checkpoint: `T-20260123-143052-mrr-report`.
///
/// Ids by other programs may lack the time or write the date with dashes; any file stem that starts with `T-` is an id.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CheckpointId(String);

/// How a checkpoint was requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// By a person or an agent.
    Manual,
    /// By a hook.
    Auto,
}

impl CheckpointId {
    /// Maximum length of a generated id, including the number that is added if the id is taken.
    pub const MAX: usize = 60;

    /// Parses an id.
    pub fn parse(text: &str) -> Option<Self> {
        Self::is_one(text).then(|| Self(text.to_owned()))
    }

    /// Returns whether the text is an id.
    pub fn is_one(text: &str) -> bool {
        text.len() > 2 && text.starts_with("T-") && is_file_stem(text)
    }

    /// Makes an id from a time and any text.
    ///
    /// `-auto-` is reserved for auto-checkpoints, because other programs delete old files by that part of the name. In
    /// a manual id the word `auto` is joined with the next word, or with the previous one.
    pub fn make(at: Time, text: &str, origin: Origin) -> Self {
        let stem = format!("T-{}", at.compact());
        let (lead, fallback) = match origin {
            Origin::Auto => ("auto-", "checkpoint"),
            Origin::Manual => ("", "checkpoint"),
        };
        // Leaves room for the separator and for a number up to 9999 after a taken id.
        let room = Self::MAX - stem.len() - lead.len() - 1 - 5;
        let mut words = slug(text, room).unwrap_or_else(|| fallback.to_owned());
        if origin == Origin::Manual && words.starts_with("auto") {
            words = slug(&format!("manual {text}"), room).unwrap_or(words);
        }
        if origin == Origin::Manual {
            words = words.replace("-auto-", "-auto");
            if let Some(before) = words.strip_suffix("-auto") {
                words = format!("{before}auto");
            }
        }
        Self(format!("{stem}-{lead}{words}"))
    }

    /// Returns the id to try when this one is taken for the `count`th time.
    pub fn numbered(&self, count: u32) -> Self {
        Self(format!("{}-{}", self.0, count.saturating_add(1)))
    }

    /// Returns the id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns what follows the date and time, or the whole id without `T-` if there is no date.
    pub fn slug(&self) -> &str {
        let rest = self.0.strip_prefix("T-").unwrap_or_default();
        let date = digits(rest, 8).or_else(|| dashed_date(rest)).unwrap_or(rest);
        digits(date, 6).or_else(|| digits(date, 4)).unwrap_or(date)
    }

    /// Returns the time in the id, as UTC; midnight if there is only a date.
    pub fn time(&self) -> Option<Time> {
        let rest = self.0.strip_prefix("T-")?;
        let head = rest.strip_suffix(self.slug())?.trim_end_matches('-');
        let digits: String = head.chars().filter(char::is_ascii_digit).collect();
        let (date, clock) = digits.split_at_checked(8)?;
        let clock = if clock.is_empty() { "000000" } else { clock };
        time::parse(&format!("{date}T{clock}Z")).map(|parsed| parsed.time)
    }

    /// Returns whether the id contains `-auto-`, or would if a number followed.
    pub fn is_reserved_for_auto(&self) -> bool {
        self.0.contains("-auto-") || self.0.ends_with("-auto")
    }

    /// Returns whether the id begins with a date or time that does not exist.
    pub fn has_bad_time(&self) -> bool {
        self.slug().len() + 2 < self.0.len() && self.time().is_none()
    }

    /// Returns whether `auto` follows the date and time directly.
    pub fn looks_automatic(&self) -> bool {
        self.0.len() > self.slug().len() + 2 && self.slug().starts_with("auto-")
    }
}

impl fmt::Display for CheckpointId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Skips `count` digits and the dash after them.
fn digits(text: &str, count: usize) -> Option<&str> {
    let (head, rest) = text.split_at_checked(count)?;
    let all = head.bytes().all(|byte| byte.is_ascii_digit());
    rest.strip_prefix('-').filter(|rest| all && !rest.is_empty())
}

fn dashed_date(text: &str) -> Option<&str> {
    digits(text, 4).and_then(|rest| digits(rest, 2)).and_then(|rest| digits(rest, 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at() -> Time {
        time::parse("2026-01-23T14:30:52Z").unwrap().time
    }

    #[test]
    fn makes_ids_from_any_text() {
        let check = |text, origin, expected: &str| {
            let id = CheckpointId::make(at(), text, origin);
            assert_eq!(id.as_str(), expected);
            assert_eq!(CheckpointId::parse(id.as_str()), Some(id));
        };
        check("MRR report", Origin::Manual, "T-20260123-143052-mrr-report");
        check("MRR commit", Origin::Auto, "T-20260123-143052-auto-mrr-commit");
        check("auto-scroll", Origin::Manual, "T-20260123-143052-manual-autoscroll");
        check("fix auto scroll", Origin::Manual, "T-20260123-143052-fix-autoscroll");
        check("auto", Origin::Manual, "T-20260123-143052-manualauto");
        check("a auto auto b", Origin::Manual, "T-20260123-143052-a-autoauto-b");
        check("../../etc/passwd", Origin::Manual, "T-20260123-143052-etc-passwd");
        check("\u{ff01}\u{200b}", Origin::Auto, "T-20260123-143052-auto-checkpoint");
        check("", Origin::Manual, "T-20260123-143052-checkpoint");
    }

    #[test]
    fn ids_are_short_for_any_text() {
        for text in ["word ".repeat(50), "x".repeat(500), "\u{4fee}\u{590d}".repeat(80)] {
            for origin in [Origin::Auto, Origin::Manual] {
                let id = CheckpointId::make(at(), &text, origin).numbered(9998);
                assert!(id.as_str().len() <= CheckpointId::MAX, "{id}");
                assert!(id.as_str().is_ascii());
            }
        }
    }

    #[test]
    fn reads_ids_of_other_programs() {
        let check = |text: &str, slug: &str, automatic| {
            let id = CheckpointId::parse(text).unwrap();
            assert_eq!((id.slug(), id.looks_automatic()), (slug, automatic), "{text}");
        };
        check("T-20260317-arcade-removal", "arcade-removal", false);
        check("T-2026-09-01-1100-x", "x", false);
        check("T-20260123-143052-auto-mrr-commit", "auto-mrr-commit", true);
        check("T-20260123-143052-fix-auto-scroll", "fix-auto-scroll", false);
        check("T-auto-x", "auto-x", false);
        let time = |text: &str| CheckpointId::parse(text).unwrap().time().map(|at| at.to_string());
        assert_eq!(time("T-20260317-arcade").as_deref(), Some("2026-03-17T00:00:00.000Z"));
        assert_eq!(time("T-2026-09-01-1100-x").as_deref(), Some("2026-09-01T11:00:00.000Z"));
        assert_eq!(time("T-auto-x"), None);
        for bad in ["T-", "t-1", "X", "T-../x", "T-a/b", "T-a\\b", "T-a\0", "T-a\n", ".T-x"] {
            assert_eq!(CheckpointId::parse(bad), None, "{bad}");
        }
        assert_eq!(CheckpointId::parse(&format!("T-{}", "x".repeat(249))), None);
    }

    #[test]
    fn any_file_name_that_a_person_chose_is_an_id() {
        let long = "x".repeat(190);
        for slug in
            ["two words", "Ada's", "a (2)", "cafe\u{301}", "पुष्टि", "🚀 launch", "x#2", &long]
        {
            let id = CheckpointId::parse(&format!("T-20260123-143052-{slug}")).unwrap();
            assert_eq!((id.slug(), id.time()), (slug, Some(at())), "{slug}");
        }
    }

    #[test]
    fn finds_dates_that_do_not_exist() {
        let bad = |text: &str| CheckpointId::parse(text).unwrap().has_bad_time();
        assert!(bad("T-20261399-143052-x") && bad("T-20260123-256199-x") && bad("T-2026-02-30-x"));
        assert!(!bad("T-20260123-143052-x") && !bad("T-plain") && !bad("T-20260123-x"));
    }
}
