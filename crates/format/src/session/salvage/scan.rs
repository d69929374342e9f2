//! Scans a damaged file, object by object.

use super::attempt::Attempt;
use super::damage::Damage;
use crate::json::{self, Str};
use crate::span::Span;

/// The content found in a damaged file.
pub(super) struct SalvageScan<'a> {
    bytes: &'a [u8],
    /// The complete entries, in the order of the file.
    pub(super) entries: Vec<Span>,
    /// The unknown keys of the top level.
    pub(super) top: Vec<(Str, Span)>,
    /// The version, if given: the first that is not 1, or else 1.
    pub(super) version: Option<Span>,
    /// The lines that are truncated or cannot be parsed.
    pub(super) damage: Damage,
}

impl<'a> SalvageScan<'a> {
    /// Scans the file once.
    pub(super) fn run(bytes: &'a [u8]) -> Self {
        let mut scan = Self {
            bytes,
            entries: Vec::new(),
            top: Vec::new(),
            version: None,
            damage: Damage::default(),
        };
        let mut at = json::bom_len(bytes);
        // Text after an incomplete object belongs to it.
        let mut broken = false;
        loop {
            let start = scan.next_object(at);
            if !broken {
                scan.pass_over(Span::new(at, start.unwrap_or(bytes.len())));
            }
            let Some(start) = start else {
                return scan;
            };
            let attempt = Attempt::at(bytes, start);
            broken = attempt.end.is_err();
            at = scan.take(start, attempt);
        }
    }

    fn next_object(&self, from: usize) -> Option<usize> {
        let rest = self.bytes.get(from..)?;
        memchr::memchr(b'{', rest).map(|found| from + found)
    }

    /// Collects the content of an object, and returns the offset to continue at.
    fn take(&mut self, start: usize, mut attempt: Attempt<'a>) -> usize {
        let (end, cut) = (attempt.end, attempt.cut);
        if attempt.is_entry() {
            self.entries.extend(end);
        } else if attempt.is_map() {
            self.take_map(attempt);
        } else if end.is_err() || attempt.value("sessionId").is_some() {
            // A complete object with a session and without a thread may be anything: it is left out, and reported.
            self.damage.note(self.bytes, start);
            self.take_all(attempt.take_inner());
        }
        if let (Err(_), Some(cut)) = (end, cut) {
            self.take_all(Attempt::at(self.bytes, cut).take_inner());
        }
        match end {
            Ok(span) => span.end,
            Err(error) => self.offset_after(start, error.at),
        }
    }

    fn take_map(&mut self, mut attempt: Attempt<'a>) {
        let bytes = self.bytes;
        match (attempt.cut, attempt.end) {
            (Some(cut), _) => self.damage.note(bytes, cut),
            (None, Err(error)) if error.at < bytes.len() => self.damage.note(bytes, error.at),
            (None, _) => {}
        }
        let inner = attempt.take_inner();
        attempt.open_list();
        self.entries.extend(&attempt.elements);
        let known = self.version.is_none_or(|version| json::is_one(version.of(bytes)));
        self.version = attempt.value("version").filter(|_| known).or(self.version);
        let own = ["version", "mappings", "lastModified"];
        let others = attempt.keys.into_iter();
        self.top.extend(others.filter(|(key, _)| !own.iter().any(|name| key.is(bytes, name))));
        self.take_all(inner);
    }

    fn take_all(&mut self, maps: Vec<Attempt<'a>>) {
        maps.into_iter().for_each(|map| self.take_map(map));
    }

    /// Returns the offset to continue at, after an object with an error at `at`.
    ///
    /// Objects that are still open there would fail at the same offset. But a truncated string extends to the next
    /// quote, and an object may start inside of it.
    fn offset_after(&self, start: usize, at: usize) -> usize {
        let read = Span::new(start, at).of(self.bytes).trim_ascii_end();
        let text = read.strip_suffix(b"\"").and_then(|read| memchr::memrchr(b'"', read));
        text.map_or(at, |quote| start + quote).max(start + 1)
    }

    /// Records the text between objects as damage, unless damage was recorded before.
    fn pass_over(&mut self, gap: Span) {
        if !self.damage.is_empty() {
            return;
        }
        let text = gap.of(self.bytes);
        let joint = |byte: &u8| byte.is_ascii_whitespace() || b",}[]".contains(byte);
        let at = text.iter().take_while(|byte| joint(byte)).count();
        if at < text.len() {
            self.damage.note(self.bytes, gap.start + at);
        }
    }
}
