//! Whose turn it is in a thread, by its last comments.

use std::borrow::Cow;

use super::comment::CommentSpan;
use crate::fence::Fence;

/// The last line of a comment in which an agent proposes to resolve the thread.
///
/// It is part of the text, because other programs drop keys and attributes that they do not know.
pub const RESOLVE_PROPOSAL: &str = "Proposes to resolve this thread.";

/// The reply that reports an applied suggestion.
///
/// It is part of the text for the same reason as [`RESOLVE_PROPOSAL`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AppliedNote<'a> {
    /// The file was changed.
    Changed,
    /// The file already had the change, which is not committed.
    There,
    /// The file already had the change, which is in this commit.
    Committed(&'a str),
}

const CHANGED: &str = "Applied; not committed yet.";
const THERE: &str = "Applied already; not committed yet.";
const COMMITTED: &str = "Applied; it is in ";

impl AppliedNote<'_> {
    /// Returns the text of the reply.
    pub fn text(self) -> String {
        match self {
            Self::Changed => CHANGED.to_owned(),
            Self::There => THERE.to_owned(),
            Self::Committed(commit) => format!("{COMMITTED}{commit}."),
        }
    }
}

/// Returns whether a comment only reports that a suggestion was applied.
fn is_applied_note(body: &str) -> bool {
    let body = body.trim();
    let commit = body.strip_prefix(COMMITTED).and_then(|rest| rest.strip_suffix('.'));
    let is_commit = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
    [CHANGED, THERE].contains(&body) || commit.is_some_and(is_commit)
}

/// Maximum number of characters that are kept after an `@`.
const MAX_MENTION: usize = 60;

/// The last author, the addressee, and the purpose of the last comment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exchange<'a> {
    /// The author of the last comment.
    pub last: Option<Cow<'a, str>>,
    /// The author of the latest comment by another author.
    pub other: Option<Cow<'a, str>>,
    /// The first `@` mention in the last comment.
    pub mention: Option<Mention>,
    /// Whether the last comment proposes to resolve the thread.
    pub proposes_resolve: bool,
    /// Whether the last comment only reports that a suggestion was applied.
    pub is_applied: bool,
}

/// An `@` in the text of a comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mention {
    /// The text after the `@`, up to the end of its line or to the maximum length.
    pub text: String,
    /// Whether the line begins with it.
    pub leads: bool,
}

impl<'a> Exchange<'a> {
    pub(super) fn new(bytes: &'a [u8], comments: &[CommentSpan]) -> Self {
        let Some((last, earlier)) = comments.split_last() else { return Self::default() };
        let author = last.author(bytes);
        let others = earlier.iter().rev().map(|comment| comment.author(bytes));
        let body = last.text(bytes);
        Self {
            other: others.into_iter().find(|other| *other != author),
            mention: mention(&body),
            proposes_resolve: body.lines().next_back().map(str::trim) == Some(RESOLVE_PROPOSAL),
            is_applied: is_applied_note(&body),
            last: Some(author),
        }
    }
}

/// Finds the first `@` mention: outside of code and quotes, before a word, and not inside of one.
fn mention(body: &str) -> Option<Mention> {
    if !body.contains('@') {
        return None;
    }
    let mut fence: Option<Fence<'_>> = None;
    for line in body.lines() {
        match &fence {
            Some(open) if open.is_closed_by(line.as_bytes()) => fence = None,
            Some(_) => {}
            None => match Fence::open(line.as_bytes()) {
                Some(open) => fence = Some(open),
                None if line.trim_start().starts_with('>') => {}
                None => {
                    if let Some(found) = mention_in(line) {
                        return Some(found);
                    }
                }
            },
        }
    }
    None
}

fn mention_in(line: &str) -> Option<Mention> {
    let mut in_code = false;
    let mut before = ' ';
    for (at, character) in line.char_indices() {
        if character == '`' {
            in_code = !in_code;
        }
        let opens = before.is_whitespace() || matches!(before, '(' | ',' | ';' | ':');
        if character == '@' && opens && !in_code {
            let (lead, rest) = (line.get(..at)?, line.get(at + 1..)?);
            if addresses(rest) {
                let text = rest.chars().take(MAX_MENTION).collect();
                return Some(Mention { text, leads: lead.trim().is_empty() });
            }
        }
        before = character;
    }
    None
}

/// Returns whether the text after an `@` can be a name rather than a path, address, call or number.
fn addresses(rest: &str) -> bool {
    let word = rest.find(|c: char| !c.is_alphanumeric() && !matches!(c, '-' | '_'));
    let (word, tail) = rest.split_at(word.unwrap_or(rest.len()));
    let mut tail = tail.chars();
    let is_more = match tail.next() {
        Some('/' | '@' | '(' | '=' | '[') => true,
        Some('.' | ':') => tail.next().is_some_and(char::is_alphanumeric),
        _ => false,
    };
    word.starts_with(char::is_alphabetic) && !is_more
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(body: &str, expected: Option<(&str, bool)>) {
        let found = mention(body);
        let found = found.as_ref().map(|found| (found.text.as_str(), found.leads));
        assert_eq!(found, expected, "{body}");
    }

    #[test]
    fn finds_mentions() {
        check("@Mira, why?", Some(("Mira, why?", true)));
        check("Why?\n  @mira-o", Some(("mira-o", true)));
        check("Ask @Claude Code.", Some(("Claude Code.", false)));
        check("(@tom)", Some(("tom)", false)));
    }

    #[test]
    fn code_paths_and_addresses_are_not_mentions() {
        for body in [
            "Use `@Override` here.",
            "```\n@media print\n```",
            "> @Mira why?",
            "mail a@b.org",
            "@types/node is old",
            "@app.route is wrong",
            "@cached(3)",
            "@ 3",
            "@3",
            "",
        ] {
            check(body, None);
        }
    }
}
