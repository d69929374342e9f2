//! What can be found of a thread, and where it says it.

use std::borrow::Cow;

use skein_catalog::unknown_fields::{cut_json, without_json};
use skein_format::checkpoint::{CheckpointTexts, Role};
use skein_format::redact::redact_url;
use skein_format::review::ReviewTexts;
use skein_model::Kind;
use skein_model::view::{RowDetail, ThreadRow};
use skein_query::{Field, Text};

use super::thread::{Content, Thread};

/// More of a file that makes no sense is not looked at.
const RAW: usize = 256 * 1024;

/// A text of a thread.
#[derive(Debug)]
pub(super) struct TextField<'a> {
    pub(super) field: Field,
    pub(super) part: FieldKind,
    /// What it says; secrets are in it where it is guarded.
    text: Cow<'a, str>,
    guarded: bool,
}

impl TextField<'_> {
    /// Returns the text as it is looked at.
    pub(super) fn text(&self) -> Text<'_> {
        Text { field: self.field, text: &self.text, guarded: self.guarded }
    }

    /// Returns the text without its secrets, independent of the file.
    pub(super) fn redacted(&self) -> TextField<'static> {
        let text = Cow::Owned(self.shown().into_owned());
        TextField { field: self.field, part: self.part, text, guarded: false }
    }

    /// Returns what may be seen of the text.
    pub(super) fn shown(&self) -> Cow<'_, str> {
        self.text().shown()
    }
}

/// The part of a thread that a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FieldKind {
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
    /// Something that the format does not know, or a file that makes no sense.
    Other,
}

impl FieldKind {
    /// Returns the word used in JSON.
    pub(super) fn as_str(self) -> &'static str {
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

/// Lists what can be found of a thread.
///
/// Each text stands in the file, but for the id, so that a look at the bytes tells what cannot match.
pub(super) fn values<'a>(thread: &'a Thread<'a>) -> Vec<TextField<'a>> {
    let mut all = Values { list: Vec::with_capacity(32), guarded: false };
    all.add(Field::Label, FieldKind::Id, thread.id);
    match &thread.content {
        Content::Unknown(_) => {}
        _ if !thread.is_usable() => all.raw(thread),
        Content::Review(texts) | Content::Draft(texts) => all.review(texts),
        Content::Checkpoint(texts, _) => {
            all.guarded = true;
            texts.iter().for_each(|texts| all.checkpoint(texts));
        }
        Content::Session(row) => all.session(row),
    }
    all.list
}

struct Values<'a> {
    list: Vec<TextField<'a>>,
    /// Whether there may be secrets in the texts.
    guarded: bool,
}

impl<'a> Values<'a> {
    fn add(&mut self, field: Field, part: FieldKind, text: impl Into<Cow<'a, str>>) {
        let (text, guarded) = (text.into(), self.guarded);
        if !text.is_empty() {
            self.list.push(TextField { field, part, text, guarded });
        }
    }

    fn add_some(&mut self, field: Field, part: FieldKind, text: Option<impl Into<Cow<'a, str>>>) {
        if let Some(text) = text {
            self.add(field, part, text);
        }
    }

    /// Takes a file that makes no sense as the text that it may be.
    fn raw(&mut self, thread: &Thread<'a>) {
        let bytes = thread.bytes;
        let text = String::from_utf8_lossy(bytes.get(..RAW).unwrap_or(bytes));
        self.guarded = thread.kind() != Kind::Review;
        match self.guarded {
            true => self.add(Field::Body, FieldKind::Other, without_json(&text)),
            false => self.add(Field::Body, FieldKind::Other, text),
        }
    }

    fn review(&mut self, texts: &'a ReviewTexts<'a>) {
        self.add_some(Field::Title, FieldKind::Title, texts.first_line().or_else(|| texts.path()));
        self.add_some(Field::Label, FieldKind::Path, texts.path());
        self.add_some(Field::Label, FieldKind::Commit, texts.base_ref());
        let mut authors: Vec<Cow<'_, str>> = Vec::new();
        for (number, (author, body)) in texts.authors().zip(texts.bodies()).enumerate() {
            if !authors.contains(&author) && author != NOBODY {
                authors.push(author.clone());
                self.add(Field::Label, FieldKind::Author, author);
            }
            self.add(Field::Body, FieldKind::Comment(number), body);
        }
        self.add_some(Field::Body, FieldKind::Code, texts.selection());
        self.add_some(Field::Body, FieldKind::Patch, texts.patch());
    }

    fn checkpoint(&mut self, texts: &CheckpointTexts<'a>) {
        let mut title = None;
        let mut summary = None;
        for (role, text) in texts.each() {
            let (field, part) = place_of(role);
            match role {
                Role::Title => title = Some(text).filter(|title| !title.trim().is_empty()),
                Role::Remote => self.add(field, part, redact_url(&text)),
                // Cut only where no secret is cut in two.
                Role::Json => self.add(field, part, without_json(&cut_json(text.into_owned()))),
                Role::Summary => {
                    summary = Some(text.clone());
                    self.add(field, part, text);
                }
                _ => self.add(field, part, text),
            }
        }
        self.add_some(Field::Title, FieldKind::Title, title.or(summary));
    }

    fn session(&mut self, row: &'a ThreadRow) {
        self.add(Field::Title, FieldKind::Title, &row.title);
        let RowDetail::Session(detail) = &row.detail else { return };
        self.add(Field::Label, FieldKind::Project, &detail.project_name);
        self.add(Field::Label, FieldKind::Directory, &detail.directory);
        let ids = [
            &detail.session_id,
            &detail.short_id,
            &detail.thread_root_post_id,
            &detail.mattermost_user_id,
            &detail.dm_channel_id,
        ];
        for id in ids {
            self.add(Field::Label, FieldKind::Session, id);
        }
    }
}

/// Returns what a text of a checkpoint is to a search.
fn place_of(role: Role) -> (Field, FieldKind) {
    match role {
        Role::Title => (Field::Title, FieldKind::Title),
        Role::Tag => (Field::Label, FieldKind::Tag),
        Role::Branch => (Field::Label, FieldKind::Branch),
        Role::Commit => (Field::Label, FieldKind::Commit),
        Role::Worker => (Field::Label, FieldKind::Worker),
        Role::Session => (Field::Label, FieldKind::Session),
        Role::File => (Field::Label, FieldKind::File),
        Role::Summary => (Field::Body, FieldKind::Summary),
        Role::CommitMade => (Field::Body, FieldKind::Commit),
        Role::Directory => (Field::Body, FieldKind::Directory),
        Role::Step(number) => (Field::Body, FieldKind::Step(number)),
        Role::Reason => (Field::Body, FieldKind::File),
        Role::Remote | Role::Trigger | Role::Other | Role::Json => (Field::Body, FieldKind::Other),
    }
}

/// Who wrote a comment that does not say so; the name is in no file.
const NOBODY: &str = "unknown";
