//! New thread files, written as the format's own example is.

use serde::Serialize;

use super::ReviewDoc;
use super::comment::NewComment;
use super::edit::comment_text;
use super::head::{Anchor, Range, Status};
use super::heading::heading;
use super::marker;
use crate::path::WorkspacePath;
use crate::time::Time;

/// A thread that has no file yet.
#[derive(Clone, Debug)]
pub struct NewReview {
    /// The id, which becomes the file's name.
    pub id: String,
    /// The file under review.
    pub path: WorkspacePath,
    /// The commented characters; none for the whole file.
    pub range: Option<Range>,
    /// What helps to find them again.
    pub anchor: Anchor,
    /// Now.
    pub created_at: Time,
    /// The hunk of the diff that was commented on.
    pub patch: Option<String>,
    /// The comments, usually one.
    pub comments: Vec<NewComment>,
}

impl NewReview {
    /// Writes the thread; a patch with a line that reads as a marker is left out.
    pub fn into_doc(self, store: &str) -> ReviewDoc {
        let head = heading(self.path.as_str(), self.range, Status::Open);
        let mut text = String::from("<local-code-review-thread>\n");
        text.push_str(&self.metadata());
        text.push_str("\n</local-code-review-thread>\n\n");
        text.push_str(&head);
        text.push_str("\n\n");
        if let Some(patch) = self.patch.as_deref().filter(|patch| !marker::has_suspect(patch)) {
            text.push_str("## Patch\n<local-code-review-patch lang=\"diff\"/>\n\n");
            text.push_str(&fenced(patch));
            text.push('\n');
        }
        text.push_str("## Comments\n");
        for comment in &self.comments {
            text.push('\n');
            text.push_str(&comment_text(comment));
        }
        ReviewDoc::parse(text.into_bytes(), &self.id, store).0
    }

    fn metadata(&self) -> String {
        let file = File {
            schema_version: 1,
            id: &self.id,
            target: Target {
                workspace_relative_path: self.path.as_str(),
                range: self.range,
                anchor: AnchorOut::from(&self.anchor),
            },
            status: Status::Open.as_str(),
            created_at: self.created_at.to_string(),
            updated_at: self.updated_at().to_string(),
        };
        serde_json::to_string_pretty(&file)
            .expect("strings and numbers under string keys always serialise")
    }

    fn updated_at(&self) -> Time {
        self.comments.iter().map(|comment| comment.created_at).fold(self.created_at, Time::max)
    }
}

/// Writes a patch as a fenced block, which ends with a line end.
///
/// Three backticks where they do, because other readers know only those; only a line that starts
/// with backticks in the first column asks for more.
pub(super) fn fenced(patch: &str) -> String {
    let patch = patch.replace("\r\n", "\n").replace('\r', "\n");
    let longest = patch
        .split('\n')
        .map(|line| line.bytes().take_while(|byte| *byte == b'`').count())
        .max()
        .unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    let patch = patch.strip_suffix('\n').unwrap_or(&patch);
    format!("{fence}diff\n{patch}\n{fence}\n")
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct File<'a> {
    schema_version: u32,
    id: &'a str,
    target: Target<'a>,
    status: &'a str,
    created_at: String,
    updated_at: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Target<'a> {
    workspace_relative_path: &'a str,
    range: Option<Range>,
    anchor: AnchorOut<'a>,
}

#[derive(Serialize)]
struct AnchorOut<'a> {
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    context: Option<ContextOut<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    git: Option<GitOut<'a>>,
}

#[derive(Serialize)]
struct ContextOut<'a> {
    before: &'a [String],
    selection: &'a str,
    after: &'a [String],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct GitOut<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    base_ref: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hunk_header: Option<&'a str>,
}

impl<'a> From<&'a Anchor> for AnchorOut<'a> {
    fn from(anchor: &'a Anchor) -> Self {
        let context = anchor.context.as_ref().map(|context| ContextOut {
            before: &context.before,
            selection: &context.selection,
            after: &context.after,
        });
        let git = GitOut {
            base_ref: anchor.git.base_ref.as_deref(),
            hunk_header: anchor.git.hunk_header.as_deref(),
        };
        let known = git.base_ref.is_some() || git.hunk_header.is_some();
        Self { kind: "lineRange", context, git: known.then_some(git) }
    }
}
