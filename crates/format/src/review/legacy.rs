//! Threads of older programs: JSON, in one of two forms.
//!
//! The later form, in `threads/`, has the keys of the metadata block and a list of comments; its first version
//! has `state` instead of `status`. The earlier form, in `comments/`, has `file` and a range of two positions.

use std::collections::BTreeSet;

use super::comment::NewComment;
use super::create::NewReview;
use super::head::{Anchor, Context, GitAnchor, Range, Status};
use super::metadata::range_of;
use super::unique_ids::Ids;
use super::{ReviewDoc, marker};
use crate::diagnostic::{Code, Diagnostic, DiagnosticList, brief};
use crate::id::is_plain_name;
use crate::json::{self, Dialect, JsonKind, Reader};
use crate::path::WorkspacePath;
use crate::span::Span;
use crate::time::{self, Time};

/// Converts a legacy thread to a thread file, or returns why that is impossible.
///
/// Texts are kept, and so are ids that are plain names. A comment without a time gets the time of the
/// previous comment, else of the thread, else `now`.
pub fn read(
    bytes: &[u8],
    stem: &str,
    store: &str,
    now: Time,
) -> Result<ReviewDoc, Vec<Diagnostic>> {
    let mut findings = DiagnosticList::default();
    let Some(review) = review(bytes, stem, store, now, &mut findings) else {
        return Err(findings.into_list());
    };
    let Legacy { new, status, updated_at } = review;
    let mut doc = new.into_doc(store);
    let done = match status {
        Status::Resolved => doc.set_status(status, updated_at),
        Status::Open => doc.touch(updated_at),
    };
    // This cannot fail: a new thread can be edited.
    debug_assert!(done.is_ok());
    Ok(doc)
}

struct Legacy {
    new: NewReview,
    status: Status,
    updated_at: Time,
}

fn review(
    bytes: &[u8],
    stem: &str,
    store: &str,
    now: Time,
    findings: &mut DiagnosticList,
) -> Option<Legacy> {
    let top = root(bytes, findings)?;
    let target = top.object("target").unwrap_or(top);
    let version = top.get("schemaVersion").is_some_and(|(_, span)| json::is_one(span.of(bytes)));
    if !version {
        findings.push(Code::ReviewSchemaVersion, None, "`schemaVersion` is not 1");
    }
    let id = top.text("id").filter(|id| is_plain_name(id));
    if id.is_none() {
        let message = format!("the id of `{}` is missing or no plain name", brief(stem));
        findings.push(Code::ReviewNoId, None, message);
    }
    let path = path(top, target, store, findings);
    let created_at = top.time("createdAt").or_else(|| top.time("updatedAt"));
    let comments = comments(top, created_at.unwrap_or(now));
    let latest = comments.iter().map(|comment| comment.created_at).max();
    let first = comments.first().map(|comment| comment.created_at);
    let created_at = created_at.or(first).unwrap_or(now);
    let updated_at = top.time("updatedAt").max(latest).unwrap_or(created_at);
    let (anchor, patch) = anchor(target);
    let new = NewReview {
        id: id?,
        path: path.filter(|_| version)?,
        range: range(target),
        anchor,
        created_at,
        patch: patch.filter(|patch| !patch.trim().is_empty() && !marker::has_suspect(patch)),
        comments,
    };
    Some(Legacy { new, status: status(top), updated_at })
}

fn root<'a>(bytes: &'a [u8], findings: &mut DiagnosticList) -> Option<Object<'a>> {
    let mut reader = Reader::new(bytes, json::content(bytes), Dialect::Json);
    let read = reader.peek().and_then(|kind| {
        let span = reader.skip()?;
        reader.finish()?;
        Ok((kind, span))
    });
    match read {
        Ok((JsonKind::Object, span)) => return Some(Object { bytes, span }),
        Ok(_) => findings.push(Code::ReviewBadJson, None, "the file is not a JSON object"),
        Err(error) => findings.push_syntax(Code::ReviewBadJson, bytes, error),
    }
    None
}

fn path(
    top: Object<'_>,
    target: Object<'_>,
    store: &str,
    findings: &mut DiagnosticList,
) -> Option<WorkspacePath> {
    let Some(text) = target.text("workspaceRelativePath").or_else(|| top.text("file")) else {
        findings.push(Code::ReviewNoPath, None, "the path of the file under review is missing");
        return None;
    };
    let path = WorkspacePath::parse(&text, store);
    if let Err(problem) = &path {
        let message = format!("the path `{}` {problem}", brief(&text));
        findings.push(Code::ReviewUnsafePath, None, message);
    }
    path.ok()
}

fn status(top: Object<'_>) -> Status {
    let known = |word: &String| ["open", "resolved"].contains(&word.as_str());
    let word = top.text("status").filter(known).or_else(|| top.text("state"));
    if word.as_deref() == Some("resolved") { Status::Resolved } else { Status::Open }
}

fn range(target: Object<'_>) -> Option<Range> {
    let range = target.object("range")?;
    let four = match (range.object("start"), range.object("end")) {
        (Some(start), Some(end)) => {
            let number = |at: Object<'_>, name| at.number(name).or(Some(0));
            [
                number(start, "line"),
                number(start, "character"),
                number(end, "line"),
                number(end, "character"),
            ]
        }
        _ => ["startLine", "startCharacter", "endLine", "endCharacter"]
            .map(|name| range.number(name)),
    };
    range_of(four)
}

/// Returns the anchor and the patch, which is part of the anchor in this format.
fn anchor(target: Object<'_>) -> (Anchor, Option<String>) {
    let Some(anchor) = target.object("anchor") else {
        return (Anchor::default(), None);
    };
    let context = anchor.object("context").and_then(|context| {
        Some(Context {
            before: context.texts("before")?,
            selection: context.text("selection")?,
            after: context.texts("after")?,
        })
    });
    let git = anchor.object("git");
    let of = |name| git.and_then(|git| git.text(name)).filter(|text| !text.is_empty());
    let git = GitAnchor { base_ref: of("baseRef"), hunk_header: of("hunkHeader") };
    (Anchor { context, git }, of("hunkPatch"))
}

fn comments(top: Object<'_>, started: Time) -> Vec<NewComment> {
    let all = top.objects("comments");
    let plain = |one: &Object<'_>| one.text("id").filter(|id| is_plain_name(id));
    let mut ids = Ids::new(all.iter().filter_map(plain).map(String::into_bytes));
    let mut used = BTreeSet::new();
    let mut time = started;
    let mut found = Vec::with_capacity(all.len());
    for (n, one) in all.iter().enumerate() {
        time = one.time("createdAt").unwrap_or(time);
        let id = plain(one).filter(|id| used.insert(id.clone())).unwrap_or_else(|| {
            let wanted = plain(one).unwrap_or_else(|| format!("c{}", n + 1));
            let id = ids.take(wanted.into_bytes());
            String::from_utf8_lossy(&id).into_owned()
        });
        let author = one.text("author").filter(|author| !author.trim().is_empty());
        found.push(NewComment {
            id,
            author: author.unwrap_or_else(|| "unknown".to_owned()),
            created_at: time,
            body: one.text("bodyMarkdown").or_else(|| one.text("body")).unwrap_or_default(),
        });
    }
    found
}

/// A JSON object that was parsed before, so that lookups cannot fail.
#[derive(Clone, Copy)]
struct Object<'a> {
    bytes: &'a [u8],
    span: Span,
}

impl Object<'_> {
    fn get(self, name: &str) -> Option<(JsonKind, Span)> {
        let member = json::member(self.bytes, self.span, Dialect::Json, name).ok()??;
        Some((member.kind, member.value))
    }

    fn object(self, name: &str) -> Option<Self> {
        let (kind, span) = self.get(name)?;
        (kind == JsonKind::Object).then_some(Self { span, ..self })
    }

    fn text(self, name: &str) -> Option<String> {
        let (_, span) = self.get(name)?;
        string(self.bytes, span)
    }

    fn time(self, name: &str) -> Option<Time> {
        time::parse(&self.text(name)?).map(|parsed| parsed.time)
    }

    fn number(self, name: &str) -> Option<u32> {
        json::as_u32(self.get(name)?.1.of(self.bytes))
    }

    /// Returns the texts of a list; none if it is not a list of texts.
    fn texts(self, name: &str) -> Option<Vec<String>> {
        let items = self.items(name)?;
        items.into_iter().map(|(_, span)| string(self.bytes, span)).collect()
    }

    fn objects(self, name: &str) -> Vec<Self> {
        let items = self.items(name).unwrap_or_default().into_iter();
        let objects = items.filter(|(kind, _)| *kind == JsonKind::Object);
        objects.map(|(_, span)| Self { span, ..self }).collect()
    }

    fn items(self, name: &str) -> Option<Vec<(JsonKind, Span)>> {
        let (_, span) = self.get(name).filter(|(kind, _)| *kind == JsonKind::Array)?;
        let mut found = Vec::new();
        json::for_each_element(self.bytes, span, |reader| {
            found.push((reader.peek()?, reader.skip()?));
            Ok(())
        });
        Some(found)
    }
}

fn string(bytes: &[u8], span: Span) -> Option<String> {
    let text = Reader::new(bytes, span, Dialect::Json).string_or_skip().ok()??;
    Some(text.to_text(bytes))
}
