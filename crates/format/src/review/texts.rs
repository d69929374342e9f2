//! What a search looks at in a thread, read in a fraction of the time that the whole takes.

use std::borrow::Cow;

use super::comment::{self, CommentSpan};
use super::exchange::Exchange;
use super::head::Status;
use super::judge::MetadataSummary;
use super::metadata;
use super::patch::{self, PatchSpan};
use crate::diagnostic::DiagnosticList;
use crate::json::Str;
use crate::span::Span;
use crate::time::Time;

/// The texts of a thread, over bytes that stay with the caller.
#[derive(Debug)]
pub struct ReviewTexts<'a> {
    bytes: &'a [u8],
    gist: Option<MetadataSummary>,
    path: Option<Str>,
    base_ref: Option<Str>,
    comments: Vec<CommentSpan>,
    patch: Option<PatchSpan>,
}

impl<'a> ReviewTexts<'a> {
    /// Reads a thread as [`ReviewDoc::parse`](super::ReviewDoc::parse) does; what is wrong with it nobody asks.
    pub fn parse(bytes: &'a [u8], stem: &str, store: &str) -> Self {
        let mut findings = DiagnosticList::default();
        let (block, end) = metadata::read(bytes, &mut findings);
        let reading = block.map(|(reading, _)| reading);
        let comments = comment::spans(bytes, end);
        let first = comments.first().map_or(bytes.len(), |comment| comment.marker.start);
        Self {
            bytes,
            gist: reading.as_ref().map(|reading| reading.gist(stem, store, &mut findings)),
            path: reading.as_ref().and_then(|reading| reading.path),
            base_ref: reading.and_then(|reading| reading.git.base_ref),
            comments,
            patch: patch::read(bytes, Span::new(end, first), &mut findings),
        }
    }

    /// Returns whether everything is there that a thread needs.
    pub fn usable(&self) -> bool {
        self.gist.as_ref().is_some_and(|gist| gist.usable)
    }

    /// Returns the status; none where the thread cannot be used.
    pub fn status(&self) -> Option<Status> {
        self.gist.as_ref().filter(|gist| gist.usable).map(|gist| gist.status)
    }

    /// Returns when the thread was last changed.
    pub fn updated_at(&self) -> Option<Time> {
        self.gist.as_ref()?.updated_at
    }

    /// Returns the path of the file under review, as written if it is not safe.
    pub fn path(&self) -> Option<Cow<'_, str>> {
        let safe = self.gist.as_ref().and_then(|gist| gist.path.as_ref());
        match safe {
            Some(path) => Some(path.as_str().into()),
            None => self.path.map(|path| path.decode(self.bytes).text),
        }
    }

    /// Returns the first line of the first comment that says something.
    pub fn first_line(&self) -> Option<Cow<'a, str>> {
        self.comments.first().and_then(|comment| comment.first_line(self.bytes))
    }

    /// Returns the commit that was checked out when the thread was started.
    pub fn base_ref(&self) -> Option<Cow<'a, str>> {
        self.base_ref.map(|commit| commit.decode(self.bytes).text)
    }

    /// Returns the author of every comment.
    pub fn authors(&self) -> impl DoubleEndedIterator<Item = Cow<'a, str>> + '_ {
        self.comments.iter().map(|comment| comment.author(self.bytes))
    }

    /// Returns who wrote last, and to whom.
    pub fn exchange(&self) -> Exchange<'a> {
        Exchange::new(self.bytes, &self.comments)
    }

    /// Returns the Markdown of every comment.
    pub fn bodies(&self) -> impl Iterator<Item = Cow<'a, str>> + '_ {
        self.comments.iter().map(|comment| comment.text(self.bytes))
    }

    /// Returns the commented lines, where the thread has them.
    pub fn selection(&self) -> Option<Cow<'a, str>> {
        let context = self.gist.as_ref()?.context?;
        Some(context.selection.decode(self.bytes).text)
    }

    /// Returns the patch snapshot, where the thread has one.
    pub fn patch(&self) -> Option<Cow<'a, str>> {
        self.patch.as_ref().and_then(|patch| patch.text(self.bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review::ReviewDoc;

    const THREAD: &str = r#"<local-code-review-thread>
{
  "schemaVersion": 1,
  "id": "a",
  "target": {
    "workspaceRelativePath": "src/a.rs",
    "range": { "startLine": 1, "startCharacter": 0, "endLine": 1, "endCharacter": 4 },
    "anchor": {
      "kind": "lineRange",
      "context": { "before": [], "selection": "let \u0061;", "after": [] },
      "git": { "baseRef": "0123456789" }
    }
  },
  "status": "resolved",
  "createdAt": "2026-01-01T00:00:00.000Z",
  "updatedAt": "2026-01-02T00:00:00.000Z"
}
</local-code-review-thread>

<local-code-review-patch/>

```diff
-let b;
+let a;
```

<local-code-review-comment id="1" author="Ola &amp; Per" createdAt="2026-01-01T00:00:00.000Z"/>

One.

Two.

<local-code-review-comment id="2" createdAt="2026-01-02T00:00:00.000Z"/>

Three.
"#;

    /// Holds what was read against what the whole document says.
    fn check(thread: &str) {
        let texts = ReviewTexts::parse(thread.as_bytes(), "a", ".code-review");
        let (doc, _) = ReviewDoc::parse(thread.as_bytes().to_vec(), "a", ".code-review");
        let comments = doc.comments();
        assert_eq!(texts.usable(), doc.head().usable);
        assert_eq!(texts.status(), doc.head().usable.then_some(doc.head().status));
        assert_eq!(texts.updated_at(), doc.head().updated_at);
        assert_eq!(texts.path().as_deref(), doc.head().path_text.as_deref());
        assert_eq!(texts.base_ref().as_deref(), doc.head().git.base_ref.as_deref());
        assert!(texts.authors().eq(comments.iter().map(|comment| comment.author.as_str())));
        assert!(texts.bodies().eq(comments.iter().map(|comment| comment.body.as_str())));
        assert_eq!(texts.selection(), doc.context().map(|context| context.selection.into()));
        assert_eq!(texts.patch(), doc.patch().map(Cow::Owned));
    }

    #[test]
    fn says_what_the_whole_document_says() {
        check(THREAD);
        check(&THREAD.replace('\n', "\r\n"));
        check(&THREAD.replace("src/a.rs", "../a.rs"));
        check(&THREAD.replace("\"status\"", "status"));
        for cut in (0..THREAD.len()).step_by(7) {
            check(THREAD.get(..cut).unwrap());
        }
        let texts = ReviewTexts::parse(THREAD.as_bytes(), "a", ".code-review");
        assert_eq!(texts.first_line().as_deref(), Some("One."));
        assert_eq!(texts.patch().as_deref(), Some("-let b;\n+let a;"));
    }
}
