//! What can be found of a thread, and where it says it.

use std::borrow::Cow;

use skein_format::redact::redact;
use skein_index::Field;

use super::folder::ReadThread;
use crate::view::{Body, CheckpointBody, Detail, OtherValue, ReviewBody, Row};

/// More of a file that makes no sense is not looked at.
const RAW: usize = 256 * 1024;

/// A text of a thread.
#[derive(Debug)]
pub(super) struct Value<'a> {
    pub(super) field: Field,
    pub(super) part: Part,
    pub(super) text: Cow<'a, str>,
}

/// The part of a thread that a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
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

impl Part {
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
/// Each text stands in the file, but for the id, so that a look at the bytes tells what cannot match. Texts of
/// checkpoints and sessions have no secrets in them.
pub(super) fn values<'a>(read: &'a ReadThread, bytes: &'a [u8]) -> Vec<Value<'a>> {
    let view = &read.view;
    let mut all = Values(Vec::new());
    all.add(Field::Label, Part::Id, &view.row.id);
    if !view.row.usable {
        all.raw(&view.row, bytes);
        return all.0;
    }
    all.add(Field::Title, Part::Title, &view.row.title);
    match (&view.row.detail, &view.body) {
        (Detail::Review(detail), Body::Review(body)) => {
            let path = detail.target.as_ref().map(|target| target.path.as_str());
            all.add(Field::Label, Part::Path, path.unwrap_or_default());
            all.add(Field::Label, Part::Commit, read.commit.as_deref().unwrap_or_default());
            all.review(body);
        }
        (Detail::Checkpoint(_), Body::Checkpoint(body)) => all.checkpoint(&view.row, body),
        (Detail::Session(_), _) => all.session(&view.row),
        _ => {}
    }
    all.0
}

struct Values<'a>(Vec<Value<'a>>);

impl<'a> Values<'a> {
    fn add(&mut self, field: Field, part: Part, text: impl Into<Cow<'a, str>>) {
        let text = text.into();
        if !text.is_empty() {
            self.0.push(Value { field, part, text });
        }
    }

    /// Takes a file that makes no sense as the text that it may be.
    fn raw(&mut self, row: &Row, bytes: &'a [u8]) {
        let text = String::from_utf8_lossy(bytes.get(..RAW).unwrap_or(bytes));
        let text = match row.detail {
            Detail::Review(_) => text,
            _ => Cow::Owned(redact(&text).into_owned()),
        };
        self.add(Field::Body, Part::Other, text);
    }

    fn review(&mut self, body: &'a ReviewBody) {
        let mut authors: Vec<&str> = Vec::new();
        for (number, comment) in body.comments.iter().enumerate() {
            if !authors.contains(&comment.author.as_str()) && comment.author != NOBODY {
                authors.push(&comment.author);
                self.add(Field::Label, Part::Author, &comment.author);
            }
            self.add(Field::Body, Part::Comment(number), &comment.body);
        }
        self.add(Field::Body, Part::Code, body.selection.as_deref().unwrap_or_default());
        self.add(Field::Body, Part::Patch, body.patch.as_deref().unwrap_or_default());
    }

    fn checkpoint(&mut self, row: &'a Row, body: &'a CheckpointBody) {
        let Detail::Checkpoint(detail) = &row.detail else { return };
        for tag in &detail.tags {
            self.add(Field::Label, Part::Tag, tag.shown());
        }
        if let Some(git) = &detail.git {
            if let Some(branch) = &git.branch {
                self.add(Field::Label, Part::Branch, branch.shown());
            }
            for commit in [&git.current_commit, &git.initial_commit].into_iter().flatten() {
                self.add(Field::Label, Part::Commit, redact(commit));
            }
            self.add(Field::Body, Part::Other, git.remote_url.as_deref().unwrap_or_default());
        }
        if let Some(worker) = &detail.worker {
            for text in [&worker.id, &worker.skill].into_iter().flatten() {
                self.add(Field::Label, Part::Worker, redact(text));
            }
        }
        if let Some(summary) = &detail.summary {
            self.add(Field::Body, Part::Summary, summary.shown());
        }
        for (number, step) in body.next_steps.iter().enumerate() {
            self.add(Field::Body, Part::Step(number), &step.step);
            self.add(Field::Body, Part::Step(number), step.note.as_deref().unwrap_or_default());
        }
        for commit in &body.commits_made {
            self.add(Field::Body, Part::Commit, commit);
        }
        for file in &body.files {
            self.add(Field::Label, Part::File, &file.path);
            self.add(Field::Body, Part::File, file.reason.as_deref().unwrap_or_default());
        }
        if let Some(cwd) = &detail.cwd {
            self.add(Field::Body, Part::Directory, cwd.shown());
        }
        self.rest(body);
    }

    fn rest(&mut self, body: &'a CheckpointBody) {
        let session = body.session_id.as_deref().unwrap_or_default();
        self.add(Field::Label, Part::Session, redact(session));
        self.add(Field::Body, Part::Other, body.trigger.as_deref().unwrap_or_default());
        self.add(Field::Body, Part::Directory, body.workspace_root.as_deref().unwrap_or_default());
        for other in &body.other {
            match &other.value {
                OtherValue::Text(text) => self.add(Field::Body, Part::Other, text),
                OtherValue::List(list) => {
                    for text in list {
                        self.add(Field::Body, Part::Other, text);
                    }
                }
            }
        }
    }

    fn session(&mut self, row: &'a Row) {
        let Detail::Session(detail) = &row.detail else { return };
        self.add(Field::Label, Part::Project, &detail.project_name);
        self.add(Field::Label, Part::Directory, &detail.directory);
        let ids = [
            &detail.session_id,
            &detail.short_id,
            &detail.thread_root_post_id,
            &detail.mattermost_user_id,
            &detail.dm_channel_id,
        ];
        for id in ids {
            self.add(Field::Label, Part::Session, id);
        }
    }
}

/// Who wrote a comment that does not say so; the name is in no file.
const NOBODY: &str = "unknown";
