//! What a list shows of a thread, read in a fraction of the time that the whole takes.

use std::borrow::Cow;

use super::comment::{self, CommentSpan};
use super::exchange::Exchange;
use super::head::{Range, Status};
use super::judge::MetadataSummary;
use super::metadata;
use crate::diagnostic::{Diagnostic, DiagnosticList};
use crate::json::Str;
use crate::path::WorkspacePath;
use crate::time::Time;

/// The gist of a thread, over bytes that stay with the caller.
///
/// Comments are counted, and only the first and the last one are looked at; the patch is not read.
#[derive(Debug)]
pub struct ReviewSummary<'a> {
    bytes: &'a [u8],
    written_path: Option<Str>,
    base_ref: Option<Str>,
    gist: Option<MetadataSummary>,
    /// Where the metadata block ends.
    end: usize,
    count: usize,
    first: Option<CommentSpan>,
    last: Option<CommentSpan>,
}

impl<'a> ReviewSummary<'a> {
    /// Reads a thread; the findings are those of the metadata block.
    pub fn parse(bytes: &'a [u8], stem: &str, store: &str) -> (Self, Vec<Diagnostic>) {
        let mut findings = DiagnosticList::default();
        let (block, end) = metadata::read(bytes, &mut findings);
        let (written_path, base_ref, gist) = match block {
            Some((reading, _)) => {
                let gist = reading.gist(stem, store, &mut findings);
                (reading.path, reading.git.base_ref, Some(gist))
            }
            None => (None, None, None),
        };
        let (count, first, last) = comment::ends(bytes, end);
        (
            Self { bytes, written_path, base_ref, gist, end, count, first, last },
            findings.into_list(),
        )
    }

    /// Returns whether everything is there that a thread needs.
    pub fn usable(&self) -> bool {
        self.gist.as_ref().is_some_and(|gist| gist.usable)
    }

    /// Returns the path of the file under review, if it is safe.
    pub fn path(&self) -> Option<&WorkspacePath> {
        self.gist.as_ref()?.path.as_ref()
    }

    /// Takes the path of the file under review, if it is safe.
    pub fn take_path(&mut self) -> Option<WorkspacePath> {
        self.gist.as_mut()?.path.take()
    }

    /// Returns the path as written, if it is a string.
    pub fn path_text(&self) -> Option<String> {
        self.written_path.map(|path| path.to_text(self.bytes))
    }

    /// Returns the commit or the branch that was checked out when the thread was started.
    pub fn base_ref(&self) -> Option<String> {
        self.base_ref.map(|base| base.to_text(self.bytes))
    }

    /// Returns the range; none for a thread on the whole file.
    pub fn range(&self) -> Option<Range> {
        self.gist.as_ref()?.range
    }

    /// Returns the status; open, unless it says `resolved`.
    pub fn status(&self) -> Status {
        self.gist.as_ref().map_or(Status::Open, |gist| gist.status)
    }

    /// Returns when the thread was started.
    pub fn created_at(&self) -> Option<Time> {
        self.gist.as_ref()?.created_at
    }

    /// Returns when it was last changed.
    pub fn updated_at(&self) -> Option<Time> {
        self.gist.as_ref()?.updated_at
    }

    /// Returns the number of comments.
    pub fn comment_count(&self) -> usize {
        self.count
    }

    /// Returns the first line of the first comment that says something.
    pub fn first_line(&self) -> Option<String> {
        let first = self.first.as_ref()?;
        first.first_line(self.bytes).map(Cow::into_owned)
    }

    /// Returns the author of the last comment.
    pub fn last_author(&self) -> Option<String> {
        self.last.as_ref().map(|comment| comment.author(self.bytes).into_owned())
    }

    /// Returns who wrote last, and to whom; all comments are looked at for that.
    pub fn exchange(&self) -> Exchange<'a> {
        match &self.first {
            Some(only) if self.count == 1 => Exchange::new(self.bytes, std::slice::from_ref(only)),
            _ => Exchange::new(self.bytes, &comment::spans(self.bytes, self.end)),
        }
    }

    /// Returns when the last comment was written, if it says so.
    pub fn last_created_at(&self) -> Option<Time> {
        self.last.as_ref().and_then(|comment| comment.time(self.bytes))
    }
}
