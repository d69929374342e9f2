//! The texts of a thread that are searched.

use std::borrow::Cow;

use serde::{Serialize, Serializer};
use skein_catalog::unknown_fields::{cut_json, without_json};
use skein_format::checkpoint::{CheckpointDoc, OtherValue};
use skein_format::redact::redact_url;
use skein_format::review::ReviewRef;
use skein_model::Kind;
use skein_model::view::{RowDetail, ThreadRow};
use skein_query::{SearchText, TextRole};

use super::thread::{Content, Thread};

/// Maximum number of bytes of an unusable file that are searched.
const MAX_RAW_LEN: usize = 256 * 1024;

/// A text of a thread.
#[derive(Debug)]
pub(super) struct TextField<'a> {
    pub(super) role: TextRole,
    pub(super) part: FieldKind,
    /// The text, with secrets if it is guarded.
    text: Cow<'a, str>,
    guarded: bool,
}

impl TextField<'_> {
    pub(super) fn text(&self) -> SearchText<'_> {
        SearchText { role: self.role, text: &self.text, guarded: self.guarded }
    }

    /// Returns the text without its secrets.
    pub(super) fn shown(&self) -> Cow<'_, str> {
        self.text().shown()
    }
}

/// The part of a thread that a text is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    Title,
    Id,
    Path,
    Author,
    /// A comment, counted from 0.
    Comment(usize),
    Code,
    Patch,
    Summary,
    /// A step, counted from 0.
    Step(usize),
    File,
    Tag,
    Branch,
    Commit,
    Worker,
    Session,
    Project,
    Directory,
    /// An unknown field, or an unusable file.
    Other,
}

impl FieldKind {
    /// Returns the name used in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Title => "title",
            Self::Id => "id",
            Self::Path => "path",
            Self::Author => "author",
            Self::Comment(_) => "comment",
            Self::Code => "code",
            Self::Patch => "patch",
            Self::Summary => "summary",
            Self::Step(_) => "step",
            Self::File => "file",
            Self::Tag => "tag",
            Self::Branch => "branch",
            Self::Commit => "commit",
            Self::Worker => "worker",
            Self::Session => "session",
            Self::Project => "project",
            Self::Directory => "directory",
            Self::Other => "other",
        }
    }
}

impl Serialize for FieldKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// Lists the texts of a thread.
///
/// Every text except the id is in the file, so a check of its bytes can rule out a match.
pub(super) fn values<'a>(thread: &'a Thread<'a>) -> Vec<TextField<'a>> {
    let mut all = Values { list: Vec::with_capacity(32), guarded: false };
    all.add(TextRole::Label, FieldKind::Id, thread.id);
    match &thread.content {
        Content::Unknown(_) => {}
        _ if !thread.is_usable() => all.raw(thread),
        Content::Review { review, .. } => all.review(review),
        Content::Checkpoint(doc) => {
            all.guarded = true;
            all.checkpoint(doc);
        }
        Content::Session(row) => all.session(row),
    }
    all.list
}

struct Values<'a> {
    list: Vec<TextField<'a>>,
    /// Whether the texts may contain secrets.
    guarded: bool,
}

impl<'a> Values<'a> {
    fn add(&mut self, role: TextRole, part: FieldKind, text: impl Into<Cow<'a, str>>) {
        let (text, guarded) = (text.into(), self.guarded);
        if !text.is_empty() {
            self.list.push(TextField { role, part, text, guarded });
        }
    }

    fn add_some(&mut self, role: TextRole, part: FieldKind, text: Option<impl Into<Cow<'a, str>>>) {
        if let Some(text) = text {
            self.add(role, part, text);
        }
    }

    /// Adds the content of an unusable file.
    fn raw(&mut self, thread: &Thread<'a>) {
        let bytes = thread.bytes;
        let text = String::from_utf8_lossy(bytes.get(..MAX_RAW_LEN).unwrap_or(bytes));
        self.guarded = thread.kind() != Kind::Review;
        match self.guarded {
            true => self.add(TextRole::Body, FieldKind::Other, without_json(&text)),
            false => self.add(TextRole::Body, FieldKind::Other, text),
        }
    }

    fn review(&mut self, review: &'a ReviewRef<'a>) {
        let head = review.head();
        let safe = head.path.as_ref().map(|path| path.as_str());
        let path = safe.or(head.path_text.as_deref()).map(Cow::Borrowed);
        self.add_some(
            TextRole::Title,
            FieldKind::Title,
            review.first_line().or_else(|| path.clone()),
        );
        self.add_some(TextRole::Label, FieldKind::Path, path);
        self.add_some(TextRole::Label, FieldKind::Commit, head.git.base_ref.as_deref());
        let mut authors: Vec<Cow<'_, str>> = Vec::new();
        for (number, (author, body)) in review.authors().zip(review.bodies()).enumerate() {
            if !authors.contains(&author) && author != UNKNOWN_AUTHOR {
                authors.push(author.clone());
                self.add(TextRole::Label, FieldKind::Author, author);
            }
            self.add(TextRole::Body, FieldKind::Comment(number), body);
        }
        self.add_some(TextRole::Body, FieldKind::Code, review.selection());
        self.add_some(TextRole::Body, FieldKind::Patch, review.patch());
    }

    fn checkpoint(&mut self, doc: &'a CheckpointDoc) {
        let head = doc.head();
        self.add_some(TextRole::Body, FieldKind::Directory, head.workspace_root.as_deref());
        self.add_some(TextRole::Body, FieldKind::Directory, head.cwd.as_deref());
        if let Some(git) = &head.git {
            self.add_some(TextRole::Label, FieldKind::Branch, git.branch.as_deref());
            self.add_some(
                TextRole::Body,
                FieldKind::Other,
                git.remote_url.as_deref().map(redact_url),
            );
            self.add_some(TextRole::Label, FieldKind::Commit, git.initial_commit.as_deref());
            self.add_some(TextRole::Label, FieldKind::Commit, git.current_commit.as_deref());
        }
        for commit in doc.commits() {
            self.add(TextRole::Body, FieldKind::Commit, commit);
        }
        if let Some(worker) = &head.worker {
            self.add_some(TextRole::Label, FieldKind::Worker, worker.id.as_deref());
            self.add_some(TextRole::Label, FieldKind::Worker, worker.skill.as_deref());
        }
        for file in doc.files() {
            self.add(TextRole::Label, FieldKind::File, file.path);
            self.add_some(TextRole::Body, FieldKind::File, file.reason);
        }
        for (number, step) in doc.steps().into_iter().enumerate() {
            self.add(TextRole::Body, FieldKind::Step(number), step.step);
            self.add_some(TextRole::Body, FieldKind::Step(number), step.note);
        }
        self.add_some(TextRole::Body, FieldKind::Other, head.trigger.as_deref());
        for tag in &head.tags {
            self.add(TextRole::Label, FieldKind::Tag, tag);
        }
        for other in doc.others() {
            match other.value {
                OtherValue::Text(text) => self.add(TextRole::Body, FieldKind::Other, text),
                OtherValue::List(texts) => {
                    texts
                        .into_iter()
                        .for_each(|text| self.add(TextRole::Body, FieldKind::Other, text));
                }
                // Cut so that no secret is split.
                OtherValue::Json(json) => {
                    self.add(TextRole::Body, FieldKind::Other, without_json(&cut_json(json)));
                }
            }
        }
        self.add_some(TextRole::Body, FieldKind::Summary, head.summary.as_deref());
        self.add_some(TextRole::Label, FieldKind::Session, head.session_id.as_deref());
        let title = head.title.as_deref().filter(|title| !title.trim().is_empty());
        self.add_some(TextRole::Title, FieldKind::Title, title.or(head.summary.as_deref()));
    }

    fn session(&mut self, row: &'a ThreadRow) {
        self.add(TextRole::Title, FieldKind::Title, &row.title);
        let RowDetail::Session(detail) = &row.detail else { return };
        self.add(TextRole::Label, FieldKind::Project, &detail.project_name);
        self.add(TextRole::Label, FieldKind::Directory, &detail.directory);
        let ids = [
            &detail.session_id,
            &detail.short_id,
            &detail.thread_root_post_id,
            &detail.mattermost_user_id,
            &detail.dm_channel_id,
        ];
        for id in ids {
            self.add(TextRole::Label, FieldKind::Session, id);
        }
    }
}

/// The name of an unknown author, which is not in the file.
const UNKNOWN_AUTHOR: &str = "unknown";
