//! Edits of a thread: only the given part and `updatedAt` change.

use super::comment::NewComment;
use super::head::{Anchor, Context, Range, Status};
use super::heading::{self, heading};
use super::marker;
use super::patch::{PatchSpan, fenced};
use super::{Layout, ReviewDoc};
use crate::diagnostic::DiagnosticList;
use crate::id::is_plain_name;
use crate::json::{self, Dialect};
use crate::line::Eol;
use crate::path::WorkspacePath;
use crate::span::{Span, splice};
use crate::time::Time;

/// Why an edit was refused; the document is unchanged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReviewEditError {
    /// The file is not a usable thread, so it is not written.
    #[error("the file is not a usable thread")]
    Unusable,
    /// The new id of a comment or of the thread is not a plain name.
    #[error("not an id for a comment: {id}")]
    BadId {
        /// The id.
        id: String,
    },
    /// Another comment has the id.
    #[error("a comment has this id already: {id}")]
    TakenId {
        /// The id.
        id: String,
    },
    /// There is no such comment.
    #[error("no such comment: {index}")]
    NoComment {
        /// Its position, from 0.
        index: usize,
    },
    /// A line of the patch would be parsed as a marker.
    #[error("a line of the patch would read as a marker of the thread file")]
    MarkerInPatch,
}

impl ReviewDoc {
    /// Adds a comment at the end.
    pub fn append_comment(&mut self, comment: &NewComment) -> Result<(), ReviewEditError> {
        self.usable()?;
        if !is_plain_name(&comment.id) {
            return Err(ReviewEditError::BadId { id: comment.id.clone() });
        }
        if self.has_comment(&comment.id) {
            return Err(ReviewEditError::TakenId { id: comment.id.clone() });
        }
        let eol = Eol::from_bytes(&self.bytes);
        // Nothing after this splice uses the layout, so it is reloaded once, at the end.
        if let Some(time) = self.later(comment.created_at) {
            self.splice_json(&["updatedAt"], &json::quote(&time.to_string()))?;
        }
        let gap = blank_line_before_end(&self.bytes, eol);
        self.bytes.extend(gap);
        self.bytes.extend(eol.apply(&comment.to_text()));
        self.reload();
        Ok(())
    }

    /// Replaces the body of the comment at `index`.
    pub fn edit_body(
        &mut self,
        index: usize,
        body: &str,
        now: Time,
    ) -> Result<(), ReviewEditError> {
        self.usable()?;
        self.layout.comments.get(index).ok_or(ReviewEditError::NoComment { index })?;
        self.touch(now)?;
        let Some(comment) = self.layout.comments.get(index) else {
            return Ok(());
        };
        let eol = Eol::from_bytes(&self.bytes);
        let (marker, old) = (comment.marker, comment.body);
        let mut text = eol.apply(&marker::escape_body(body));
        if old.is_empty() && !text.is_empty() {
            // There may be nothing between the marker of an empty body and the next marker or the end.
            let at = marker.end;
            let lead = [eol.as_bytes(), eol.as_bytes()].concat();
            text.splice(0..0, lead);
            splice(&mut self.bytes, Span::new(at, at), &text);
        } else {
            splice(&mut self.bytes, old, &text);
        }
        self.reload();
        Ok(())
    }

    /// Sets the status, also in the generated heading if there is one.
    pub fn set_status(&mut self, status: Status, now: Time) -> Result<(), ReviewEditError> {
        self.usable()?;
        self.set(&["status"], &json::quote(status.as_str()))?;
        self.touch(now)?;
        let path = self.layout.head.path_text.clone().unwrap_or_default();
        if let Some(word) = heading::status_word(&self.bytes, self.title_area(), &path) {
            splice(&mut self.bytes, word, status.as_str().as_bytes());
            self.reload();
        }
        Ok(())
    }

    /// Changes the id of the thread and the file stem of the document.
    ///
    /// Only for a thread that is not in use yet: other programs refer to a thread by its id.
    pub fn set_id(&mut self, id: &str) -> Result<(), ReviewEditError> {
        self.usable()?;
        if !is_plain_name(id) {
            return Err(ReviewEditError::BadId { id: id.to_owned() });
        }
        self.set(&["id"], &json::quote(id))?;
        id.clone_into(&mut self.stem);
        self.reload();
        Ok(())
    }

    /// Sets `updatedAt`, unless it is already later: a clock may have been set back.
    pub fn touch(&mut self, now: Time) -> Result<(), ReviewEditError> {
        self.usable()?;
        match self.later(now) {
            Some(now) => self.set(&["updatedAt"], &json::quote(&now.to_string())),
            None => Ok(()),
        }
    }

    /// Returns `now`, unless `updatedAt` is the same or later.
    fn later(&self, now: Time) -> Option<Time> {
        let head = &self.layout.head;
        let known = head.updated_at.filter(|_| head.has_updated_at);
        Some(now).filter(|now| known.is_none_or(|known| known < *now))
    }

    /// Sets the path of the reviewed file, for example after a rename.
    pub fn set_path(&mut self, path: &WorkspacePath, now: Time) -> Result<(), ReviewEditError> {
        self.usable()?;
        let head = &self.layout.head;
        let (range, status) = (head.range, head.status);
        let old = heading(head.path_text.as_deref().unwrap_or_default(), range, status);
        self.set(&["target", "workspaceRelativePath"], &json::quote(path.as_str()))?;
        self.reload();
        self.touch(now)?;
        if let Some(line) = heading::find_exact(&self.bytes, self.title_area(), &old) {
            splice(&mut self.bytes, line, heading(path.as_str(), range, status).as_bytes());
            self.reload();
        }
        Ok(())
    }

    /// Sets the range and its anchor; unknown keys stay.
    pub fn set_place(
        &mut self,
        range: Option<Range>,
        anchor: &Anchor,
        now: Time,
    ) -> Result<(), ReviewEditError> {
        self.usable()?;
        let head = &self.layout.head;
        let path = head.path_text.clone().unwrap_or_default();
        let (old, status) = (heading(&path, head.range, head.status), head.status);
        self.set_range(range)?;
        if let Some(context) = &anchor.context {
            self.set_context(context)?;
        }
        let git = [("baseRef", &anchor.git.base_ref), ("hunkHeader", &anchor.git.hunk_header)];
        for (key, value) in git {
            if let Some(value) = value {
                self.set(&["target", "anchor", "git", key], &json::quote(value))?;
            }
        }
        self.touch(now)?;
        if let Some(line) = heading::find_exact(&self.bytes, self.title_area(), &old) {
            splice(&mut self.bytes, line, heading(&path, range, status).as_bytes());
            self.reload();
        }
        Ok(())
    }

    /// Sets or removes the patch snapshot.
    pub fn set_patch(&mut self, patch: Option<&str>, now: Time) -> Result<(), ReviewEditError> {
        self.usable()?;
        if patch.is_some_and(marker::has_suspect) {
            return Err(ReviewEditError::MarkerInPatch);
        }
        self.touch(now)?;
        let eol = Eol::from_bytes(&self.bytes);
        let block = patch.map(|patch| eol.apply(&fenced(patch)));
        match (self.layout.patch.clone(), block) {
            (Some(old), Some(new)) if old.block.is_empty() => {
                self.fill_patch(old.marker.end, &new, eol);
            }
            (Some(old), Some(new)) => splice(&mut self.bytes, old.block, &new),
            (Some(old), None) if !old.block.is_empty() => self.remove_patch(&old),
            (None, Some(new)) => self.insert_patch(&new, eol),
            (_, None) => {}
        }
        self.reload();
        Ok(())
    }

    /// Inserts a block after a marker that has none.
    fn fill_patch(&mut self, at: usize, block: &[u8], eol: Eol) {
        let before = self.bytes.get(..at).unwrap_or_default();
        let mut text = blank_line_before_end(before, eol);
        text.extend_from_slice(block);
        if !self.bytes.get(at..).unwrap_or_default().starts_with(eol.as_bytes()) {
            text.extend_from_slice(eol.as_bytes());
        }
        splice(&mut self.bytes, Span::new(at, at), &text);
    }

    /// Removes the block, the marker and its title; text between the marker and the block stays.
    fn remove_patch(&mut self, old: &PatchSpan) {
        const TITLES: [&[u8]; 2] = [b"## Patch\n", b"## Patch\r\n"];
        let between = Span::new(old.marker.end, old.block.start);
        let before = self.bytes.get(..old.marker.start).unwrap_or_default();
        let title = TITLES.iter().find(|title| {
            let rest = before.strip_suffix(**title);
            rest.is_some_and(|rest| rest.ends_with(b"\n"))
        });
        let start = old.marker.start - title.map_or(0, |title| title.len());
        if between.of(&self.bytes).trim_ascii().is_empty() {
            splice(&mut self.bytes, Span::new(start, old.block.end), b"");
        } else {
            splice(&mut self.bytes, old.block, b"");
            splice(&mut self.bytes, Span::new(start, old.marker.end), b"");
        }
    }

    /// Inserts a patch section before the title of the comments, or else before the first comment or the end.
    fn insert_patch(&mut self, block: &[u8], eol: Eol) {
        let preamble = self.layout.preamble;
        let title = crate::line::lines(&self.bytes, preamble)
            .find(|line| line.text.of(&self.bytes).trim_ascii() == b"## Comments");
        let at = title.map_or(preamble.end, |line| line.text.start);
        let before = self.bytes.get(..at).unwrap_or_default();
        let mut text = blank_line_before_end(before, eol);
        text.extend(eol.apply("## Patch\n<local-code-review-patch lang=\"diff\"/>\n\n"));
        text.extend_from_slice(block);
        text.extend_from_slice(eol.as_bytes());
        splice(&mut self.bytes, Span::new(at, at), &text);
    }

    fn set_range(&mut self, range: Option<Range>) -> Result<(), ReviewEditError> {
        let Some(range) = range else {
            return self.set(&["target", "range"], b"null");
        };
        let four = [
            ("startLine", range.start_line),
            ("startCharacter", range.start_character),
            ("endLine", range.end_line),
            ("endCharacter", range.end_character),
        ];
        for (key, number) in four {
            self.set(&["target", "range", key], number.to_string().as_bytes())?;
        }
        Ok(())
    }

    fn set_context(&mut self, context: &Context) -> Result<(), ReviewEditError> {
        self.set(&["target", "anchor", "kind"], b"\"lineRange\"")?;
        let at = |key| ["target", "anchor", "context", key];
        self.set(&at("before"), &string_array(&context.before))?;
        self.set(&at("selection"), &json::quote(&context.selection))?;
        self.set(&at("after"), &string_array(&context.after))
    }

    fn set(&mut self, path: &[&str], value: &[u8]) -> Result<(), ReviewEditError> {
        self.splice_json(path, value)?;
        self.reload();
        Ok(())
    }

    /// Sets a value of the metadata without reloading the layout.
    fn splice_json(&mut self, path: &[&str], value: &[u8]) -> Result<(), ReviewEditError> {
        let root = self.layout.root.ok_or(ReviewEditError::Unusable)?;
        json::set(&mut self.bytes, root, Dialect::Json, path, value)
            .map_err(|_| ReviewEditError::Unusable)
    }

    /// Returns the span to search for the generated heading: it ends before the patch, which may contain a similar line.
    fn title_area(&self) -> Span {
        let preamble = self.layout.preamble;
        let end = self.layout.patch.as_ref().map_or(preamble.end, |patch| patch.marker.start);
        Span::new(preamble.start, end)
    }

    fn usable(&self) -> Result<(), ReviewEditError> {
        if self.layout.head.usable { Ok(()) } else { Err(ReviewEditError::Unusable) }
    }

    pub(super) fn reload(&mut self) {
        let findings = &mut DiagnosticList::default();
        self.layout = Layout::read(&self.bytes, &self.stem, &self.store, findings);
    }
}

/// Returns the line ends to add after `bytes` so that they end with a blank line.
fn blank_line_before_end(bytes: &[u8], eol: Eol) -> Vec<u8> {
    let mut backwards = bytes.rsplit(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let last = backwards.next().unwrap_or_default();
    let before = backwards.next();
    let is_ended = last.is_empty() && bytes.last() == Some(&b'\n');
    let missing = match (is_ended, before) {
        (true, Some([])) => 0,
        (true, _) => 1,
        (false, _) => 2,
    };
    eol.as_bytes().repeat(missing)
}

fn string_array(texts: &[String]) -> Vec<u8> {
    if texts.is_empty() {
        return b"[]".to_vec();
    }
    let quoted: Vec<Vec<u8>> = texts.iter().map(|text| json::quote(text)).collect();
    [b"[\n  ".as_slice(), &quoted.join(b",\n  ".as_slice()), b"\n]"].concat()
}
