//! Comments: a marker line, then Markdown up to the next marker or the end of the file.

use std::borrow::Cow;

use super::attribute::{self, Attributes};
use super::marker::{COMMENT, escape_body, places};
use crate::diagnostic::{Code, DiagnosticList, brief};
use crate::fence::Fence;
use crate::line::lines;
use crate::span::Span;
use crate::time::{self, Time};
use crate::utf8::{lossy, lossy_lines};

/// A decoded comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// The id as written, or else one made from its position.
    pub id: String,
    /// The author, unescaped.
    pub author: String,
    /// When it was written; if missing, the time of the thread's last change.
    pub created_at: Option<Time>,
    /// The Markdown, with LF between lines and without trailing white space.
    pub body: String,
}

/// A comment to add.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewComment {
    /// An id that no comment of the thread has.
    pub id: String,
    pub author: String,
    pub created_at: Time,
    /// The text, in Markdown.
    pub body: String,
}

impl NewComment {
    /// Returns the marker and the body.
    pub(super) fn to_text(&self) -> String {
        let author = attribute::escape(&self.author);
        let body = escape_body(&self.body);
        let (id, at) = (&self.id, self.created_at);
        format!(
            "<local-code-review-comment id=\"{id}\" author=\"{author}\" createdAt=\"{at}\"/>\n\n{body}\n"
        )
    }
}

/// The location of a comment.
#[derive(Clone, Debug)]
pub(super) struct CommentSpan {
    /// The marker line, without its end.
    pub(super) marker: Span,
    /// The body, without the blank line before it and trailing white space.
    pub(super) body: Span,
    pub(super) attributes: Attributes,
}

impl CommentSpan {
    pub(super) fn author<'a>(&self, bytes: &'a [u8]) -> Cow<'a, str> {
        match self.written_author(bytes) {
            None => "unknown".into(),
            Some(author) if author.contains('&') => attribute::unescape(&author).into(),
            Some(author) => author,
        }
    }

    /// Returns the author as written, unless it is blank; no entity is decoded to a blank.
    fn written_author<'a>(&self, bytes: &'a [u8]) -> Option<Cow<'a, str>> {
        let written = lossy(self.attributes.author?.of(bytes));
        Some(written).filter(|author| !author.trim().is_empty())
    }

    pub(super) fn id<'a>(&self, bytes: &'a [u8]) -> Option<&'a [u8]> {
        self.id_span().map(|span| span.of(bytes))
    }

    /// Returns the location of the id, if there is one that is not empty.
    pub(super) fn id_span(&self) -> Option<Span> {
        self.attributes.id.filter(|span| !span.is_empty())
    }

    /// Returns the first line that is neither blank nor the fence of a block.
    pub(super) fn first_line<'a>(&self, bytes: &'a [u8]) -> Option<Cow<'a, str>> {
        lines(bytes, self.body)
            .map(|line| line.text.of(bytes).trim_ascii())
            .find(|line| !line.is_empty() && Fence::open(line).is_none())
            .map(lossy)
    }

    pub(super) fn view(&self, bytes: &[u8], n: usize, of: (&str, Option<Time>)) -> Comment {
        let (thread, updated_at) = of;
        let id = self.id(bytes).map(|id| lossy(id).into_owned());
        Comment {
            id: id.unwrap_or_else(|| format!("{thread}:{n}")),
            author: self.author(bytes).into_owned(),
            created_at: self.time(bytes).or(updated_at),
            body: self.text(bytes).into_owned(),
        }
    }

    /// Returns the Markdown, with LF between lines and without trailing ASCII white space.
    ///
    /// Other white space, such as a no-break space, was typed on purpose.
    pub(super) fn text<'a>(&self, bytes: &'a [u8]) -> Cow<'a, str> {
        match lossy_lines(self.body.of(bytes)) {
            Cow::Borrowed(text) => text.trim_ascii_end().into(),
            Cow::Owned(text) => text.trim_ascii_end().to_owned().into(),
        }
    }

    pub(super) fn time(&self, bytes: &[u8]) -> Option<Time> {
        let text = std::str::from_utf8(self.attributes.created_at?.of(bytes)).ok()?;
        time::parse(text).map(|parsed| parsed.time)
    }
}

/// Finds and checks the comments from `from` on; also returns the latest time.
pub(super) fn read(
    bytes: &[u8],
    from: usize,
    findings: &mut DiagnosticList,
) -> (Vec<CommentSpan>, Option<Time>) {
    let comments = spans(bytes, from);
    let mut latest = None;
    for comment in &comments {
        latest = latest.max(check(bytes, comment, findings));
    }
    check_ids(bytes, &comments, findings);
    (comments, latest)
}

/// Finds the comments from `from` on, without checking them.
pub(super) fn spans(bytes: &[u8], from: usize) -> Vec<CommentSpan> {
    let mut starts = markers(bytes, from).peekable();
    let mut comments = Vec::new();
    while let Some(start) = starts.next() {
        let end = starts.peek().copied().unwrap_or(bytes.len());
        comments.push(read_one(bytes, Span::new(start, end)));
    }
    comments
}

/// Returns the offsets of lines that start with the marker; fenced blocks are not skipped.
fn markers(bytes: &[u8], from: usize) -> impl Iterator<Item = usize> + '_ {
    let rest = bytes.get(from..).unwrap_or_default();
    places(rest, COMMENT)
        .map(move |at| from + at)
        .filter(|at| *at == 0 || bytes.get(at - 1) == Some(&b'\n'))
}

fn read_one(bytes: &[u8], span: Span) -> CommentSpan {
    let mut rest = lines(bytes, span);
    let marker = rest.next().map_or(span, |line| line.text);
    let name_end = marker.start + COMMENT.len();
    let attributes = attribute::read(bytes, Span::new(name_end, marker.end));
    let mut body = Span::new(span.end, span.end);
    if let Some(line) = rest.next() {
        let blank = line.text.of(bytes).trim_ascii().is_empty();
        body = Span::new(if blank { line.next } else { line.text.start }, span.end);
    }
    let kept = body.of(bytes).trim_ascii_end().len();
    body.end = body.start + kept;
    CommentSpan { marker, body, attributes }
}

/// Checks a comment, and returns its time.
fn check(bytes: &[u8], comment: &CommentSpan, findings: &mut DiagnosticList) -> Option<Time> {
    let time = comment.time(bytes);
    let after_tag = comment.attributes.end.map(|end| Span::new(end, comment.marker.end));
    let text = after_tag.is_some_and(|span| !span.of(bytes).trim_ascii().is_empty());
    let problems = [
        (comment.id(bytes).is_none(), Code::ReviewCommentNoId, "the comment has no id"),
        (
            comment.written_author(bytes).is_none(),
            Code::ReviewCommentNoAuthor,
            "the comment has no author",
        ),
        (time.is_none(), Code::ReviewCommentNoTime, "the comment has no time that can be read"),
        (text, Code::ReviewCommentText, "there is text after the marker on its line"),
    ];
    for (_, code, message) in problems.into_iter().filter(|(found, ..)| *found) {
        let at = (bytes, comment.marker.start);
        findings.push_at(code, at, message);
    }
    time
}

fn check_ids(bytes: &[u8], comments: &[CommentSpan], findings: &mut DiagnosticList) {
    let mut ids: Vec<(&[u8], usize)> = comments
        .iter()
        .filter_map(|comment| comment.id(bytes).map(|id| (id, comment.marker.start)))
        .collect();
    ids.sort_unstable();
    for pair in ids.windows(2) {
        let [(first, _), (second, at)] = pair else {
            continue;
        };
        if first == second {
            let at = (bytes, *at);
            let id = String::from_utf8_lossy(second);
            findings.push_at(
                Code::ReviewCommentDuplicateId,
                at,
                format!("an earlier comment has the id `{}` too", brief(&id)),
            );
        }
    }
}
