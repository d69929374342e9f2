//! New thread files, written like the example in the format's documentation.

use serde_json::{Map, json};

use super::ReviewDoc;
use super::comment::NewComment;
use super::head::{Anchor, GitAnchor, Range, Status};
use super::heading::heading;
use super::marker;
use super::patch::fenced;
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
    /// Data for finding them again.
    pub anchor: Anchor,
    /// The current time.
    pub created_at: Time,
    /// The hunk of the diff that was commented on.
    pub patch: Option<String>,
    /// The comments, usually one.
    pub comments: Vec<NewComment>,
}

impl NewReview {
    /// Returns the thread as a document; a patch with a line that would be parsed as a marker is left out.
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
            text.push_str(&comment.to_text());
        }
        ReviewDoc::parse(text.into_bytes(), &self.id, store).0
    }

    fn metadata(&self) -> String {
        let Anchor { context, git } = &self.anchor;
        let mut anchor = Map::from_iter([("kind".to_owned(), json!("lineRange"))]);
        if let Some(context) = context {
            anchor.insert("context".to_owned(), json!(context));
        }
        if *git != GitAnchor::default() {
            anchor.insert("git".to_owned(), json!(git));
        }
        let metadata = json!({
            "schemaVersion": 1,
            "id": self.id,
            "target": {
                "workspaceRelativePath": self.path.as_str(),
                "range": self.range,
                "anchor": anchor,
            },
            "status": Status::Open.as_str(),
            "createdAt": self.created_at,
            "updatedAt": self.updated_at(),
        });
        format!("{metadata:#}")
    }

    fn updated_at(&self) -> Time {
        self.comments.iter().map(|comment| comment.created_at).fold(self.created_at, Time::max)
    }
}
