//! One entry of the map, read from its own slice of the file.

use std::borrow::Cow;

use super::contract;
use crate::diagnostic::{Code, Findings};
use crate::json::{Dialect, Kind, Reader, Str, SyntaxError};
use crate::span::{Span, line_of};
use crate::time::{self, Time};

/// How strictly entries are judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// By the contract: an entry that breaks it is left out.
    Strict,
    /// An entry that names its session and its thread is used, with a warning.
    Lenient,
}

/// What became of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionStatus {
    /// It is running.
    Active,
    /// It is over, for good.
    Ended,
    /// Its program is gone for now.
    Disconnected,
    /// Nobody knows it any more.
    Orphaned,
    /// Something else, which only a lenient reading lets through.
    Other(String),
}

impl SessionStatus {
    /// Reads the word of the format.
    pub fn parse(word: &str) -> Self {
        match word {
            "active" => Self::Active,
            "ended" => Self::Ended,
            "disconnected" => Self::Disconnected,
            "orphaned" => Self::Orphaned,
            other => Self::Other(other.to_owned()),
        }
    }

    /// Returns the word of the format.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Active => "active",
            Self::Ended => "ended",
            Self::Disconnected => "disconnected",
            Self::Orphaned => "orphaned",
            Self::Other(word) => word,
        }
    }
}

/// A session and the thread it is bound to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapping<'a> {
    /// The session.
    pub session_id: Cow<'a, str>,
    /// The first post of the thread.
    pub thread_root_post_id: Cow<'a, str>,
    /// A short name for people; never a key.
    pub short_id: Cow<'a, str>,
    /// The user.
    pub mattermost_user_id: Cow<'a, str>,
    /// The channel of direct messages.
    pub dm_channel_id: Cow<'a, str>,
    /// The project.
    pub project_name: Cow<'a, str>,
    /// Its directory.
    pub directory: Cow<'a, str>,
    /// A title, where there is one.
    pub session_title: Option<Cow<'a, str>>,
    /// What became of the session.
    pub status: SessionStatus,
    /// When the binding was made, as written.
    pub created_at: Cow<'a, str>,
    /// When something last happened, as written.
    pub last_activity_at: Cow<'a, str>,
    /// When the session ended, as written.
    pub ended_at: Option<Cow<'a, str>>,
    /// Where the entry stands in the file.
    pub span: Span,
}

impl Mapping<'_> {
    /// Returns the last activity as an instant.
    pub fn last_activity(&self) -> Option<Time> {
        time::parse(&self.last_activity_at).map(|parsed| parsed.time)
    }
}

const FIELDS: [&str; 12] = [
    "sessionId",
    "threadRootPostId",
    "shortId",
    "mattermostUserId",
    "dmChannelId",
    "projectName",
    "directory",
    "sessionTitle",
    "status",
    "createdAt",
    "lastActivityAt",
    "endedAt",
];

/// The fields that may be left out.
const OPTIONAL: [&str; 2] = ["sessionTitle", "endedAt"];

/// Reads every entry of the array at `span`.
pub(super) fn read_all<'a>(
    bytes: &'a [u8],
    span: Span,
    mode: Mode,
    findings: &mut Findings,
) -> Vec<Mapping<'a>> {
    let mut mappings = Vec::new();
    let mut number = 0_usize;
    let read = Reader::new(bytes, span, Dialect::Json).array(|reader| {
        number += 1;
        let entry = Entry::read(reader)?;
        mappings.extend(entry.judge(bytes, number, mode, findings));
        Ok(())
    });
    // The whole file was checked when its outline was read.
    debug_assert!(read.is_ok());
    mappings
}

/// The fields of an entry, before anything is decoded.
struct Entry {
    span: Span,
    object: bool,
    fields: [Slot; 12],
}

#[derive(Clone, Copy)]
enum Slot {
    Missing,
    Wrong,
    Text(Str),
}

impl Entry {
    fn read(reader: &mut Reader<'_>) -> Result<Self, SyntaxError> {
        let mut fields = [Slot::Missing; 12];
        if reader.peek()? != Kind::Object {
            return Ok(Self { span: reader.skip()?, object: false, fields });
        }
        let bytes = reader.bytes();
        let mut next = 0;
        let span = reader.object(|reader, key| {
            let name = key.name(bytes);
            // Programs write the fields in the order of the contract: try the one that is due first.
            let known =
                |n: &usize| FIELDS.get(*n).is_some_and(|field| field.as_bytes() == name.as_ref());
            let Some(n) = Some(next).filter(known).or_else(|| (0..FIELDS.len()).find(known)) else {
                return Ok(());
            };
            next = n + 1;
            if let Some(slot) = fields.get_mut(n) {
                *slot = reader.string_or_skip()?.map_or(Slot::Wrong, Slot::Text);
            }
            Ok(())
        })?;
        Ok(Self { span, object: true, fields })
    }

    fn judge<'a>(
        &self,
        bytes: &'a [u8],
        number: usize,
        mode: Mode,
        findings: &mut Findings,
    ) -> Option<Mapping<'a>> {
        let problem = self.problem(bytes);
        let keep = match (&problem, mode) {
            (None, _) => true,
            (Some(_), Mode::Strict) => false,
            (Some(_), Mode::Lenient) => self.names_itself(bytes),
        };
        if let Some(problem) = problem {
            let code = if keep { Code::SessionLenient } else { Code::SessionEntry };
            let line = (!findings.is_full()).then(|| line_of(bytes, self.span.start));
            findings.push(code, line, format!("entry {number}: {problem}"));
        }
        keep.then(|| self.mapping(bytes))
    }

    /// Returns the first rule of the contract that the entry breaks.
    fn problem(&self, bytes: &[u8]) -> Option<String> {
        if !self.object {
            return Some("it is not an object".to_owned());
        }
        self.fields.iter().zip(FIELDS).find_map(|(slot, name)| {
            let text = match slot {
                Slot::Missing if OPTIONAL.contains(&name) => return None,
                Slot::Missing => return Some(format!("`{name}` is missing")),
                Slot::Wrong => return Some(format!("`{name}` is not a string")),
                Slot::Text(text) => text.decode(bytes),
            };
            if text.lossy {
                return Some(format!("`{name}` holds a broken character"));
            }
            breaks(name, &text.text).map(|rule| format!("`{name}` {rule}"))
        })
    }

    fn names_itself(&self, bytes: &[u8]) -> bool {
        let said = |n| self.text(bytes, n).is_some_and(|text| !text.is_empty());
        said(0) && said(1)
    }

    fn text<'a>(&self, bytes: &'a [u8], n: usize) -> Option<Cow<'a, str>> {
        match self.fields.get(n) {
            Some(Slot::Text(text)) => Some(text.decode(bytes).text),
            _ => None,
        }
    }

    fn mapping<'a>(&self, bytes: &'a [u8]) -> Mapping<'a> {
        let text = |n| self.text(bytes, n).unwrap_or_default();
        Mapping {
            session_id: text(0),
            thread_root_post_id: text(1),
            short_id: text(2),
            mattermost_user_id: text(3),
            dm_channel_id: text(4),
            project_name: text(5),
            directory: text(6),
            session_title: self.text(bytes, 7),
            status: SessionStatus::parse(&text(8)),
            created_at: text(9),
            last_activity_at: text(10),
            ended_at: self.text(bytes, 11),
            span: self.span,
        }
    }
}

/// Returns the rule of the contract that the value of a field breaks.
fn breaks(name: &str, text: &str) -> Option<&'static str> {
    match name {
        "sessionTitle" => None,
        "shortId" => {
            let fits = (6..=10).contains(&contract::utf16_len(text));
            (!fits).then_some("must have 6 to 10 characters")
        }
        "status" => {
            let known = !matches!(SessionStatus::parse(text), SessionStatus::Other(_));
            (!known).then_some("is none of active, ended, disconnected, orphaned")
        }
        "createdAt" | "lastActivityAt" | "endedAt" => {
            let dated = contract::is_date_time(text.as_bytes());
            (!dated).then_some("is not a time of the form 2026-01-15T14:30:00.000Z")
        }
        _ => text.is_empty().then_some("is empty"),
    }
}
