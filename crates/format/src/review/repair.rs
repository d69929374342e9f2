//! Repairs of threads edited by hand: missing values are added, no text is removed.

use std::collections::BTreeSet;

use super::ReviewDoc;
use super::comment::CommentSpan;
use super::marker::COMMENT;
use super::quoted::quoted;
use super::unique_ids::Ids;
use crate::diagnostic::Code;
use crate::line::Eol;
use crate::span::Span;
use crate::splices::Splices;
use crate::time::Time;

/// A repair that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repaired {
    /// The code of the diagnostic that it resolves.
    pub code: Code,
    /// What the repair does, in a few words: `end the last line`.
    pub message: String,
}

impl ReviewDoc {
    /// Makes and returns the safe repairs; a thread that cannot be used is not changed.
    ///
    /// The later of two comments with the same id gets a new id, a comment without an id or a time gets
    /// one, a missing final line end is added, and `updatedAt` is set to the time of the latest comment.
    /// `now` is used as the time of a comment if the thread has no time. A marker inside of a fenced block
    /// is treated as quoted text and stays.
    pub fn repair(&mut self, now: Time) -> Vec<Repaired> {
        if !self.layout.head.usable {
            return Vec::new();
        }
        let mut done = Vec::new();
        let splices = self.plan(now, &mut done);
        self.bytes = splices.apply(&self.bytes);
        if self.layout.lacks_final_newline(&self.bytes) {
            let eol = Eol::from_bytes(&self.bytes);
            self.bytes.extend_from_slice(eol.as_bytes());
            done.push(repaired(Code::ReviewNoFinalNewline, "end the last line".to_owned()));
        }
        self.reload();
        if let Some(latest) = self.layout.newer_comment(&self.bytes) {
            // This cannot fail: the document is usable.
            if self.touch(latest).is_ok() {
                let message = format!("set `updatedAt` to {latest}");
                done.push(repaired(Code::ReviewUpdatedAtBehind, message));
            }
        }
        done
    }

    /// Returns the splices that add missing ids and times and replace duplicate ids, in the order of the file.
    fn plan(&self, now: Time, done: &mut Vec<Repaired>) -> Splices {
        let bytes = &self.bytes;
        let owned = |comment: &CommentSpan| comment.id(bytes).map(<[u8]>::to_vec);
        let mut ids = Ids::new(self.layout.comments.iter().filter_map(owned));
        let mut seen = BTreeSet::new();
        let mut time = self.layout.head.updated_at;
        let mut splices = Splices::default();
        let quoted = quoted(bytes, &self.layout);
        for (n, (comment, quoted)) in self.layout.comments.iter().zip(quoted).enumerate() {
            let fresh = seen.insert(comment.id(bytes)) || comment.id(bytes).is_none();
            time = time.max(comment.time(bytes));
            if quoted || !is_tag(bytes, comment) {
                continue;
            }
            let number = n + 1;
            match comment.id_span() {
                Some(at) if !fresh => {
                    let with = ids.next(at.of(bytes));
                    let id = String::from_utf8_lossy(&with);
                    let message = format!("give comment {number} the id `{id}`");
                    done.push(repaired(Code::ReviewCommentDuplicateId, message));
                    splices.replace(at, &with);
                }
                None => {
                    let id = ids.take(format!("c{number}").into_bytes());
                    let id = String::from_utf8_lossy(&id);
                    let message = format!("give comment {number} the id `{id}`");
                    done.push(repaired(Code::ReviewCommentNoId, message));
                    add(&mut splices, comment, (comment.attributes.id, "id"), &id);
                }
                Some(_) => {}
            }
            if comment.attributes.created_at.is_none_or(|at| at.is_empty()) {
                let at = time.unwrap_or(now).to_string();
                let message = format!("give comment {number} the time {at}");
                done.push(repaired(Code::ReviewCommentNoTime, message));
                add(&mut splices, comment, (comment.attributes.created_at, "createdAt"), &at);
            }
        }
        splices
    }
}

fn repaired(code: Code, message: String) -> Repaired {
    Repaired { code, message }
}

/// Returns whether the marker is a complete tag, and its name is not longer.
fn is_tag(bytes: &[u8], comment: &CommentSpan) -> bool {
    let next = bytes.get(comment.marker.start + COMMENT.len());
    comment.attributes.end.is_some() && next.is_some_and(|byte| b" \t/>".contains(byte))
}

/// Fills an attribute that is empty, or adds it after the tag's name.
fn add(
    splices: &mut Splices,
    comment: &CommentSpan,
    (empty, name): (Option<Span>, &str),
    value: &str,
) {
    match empty {
        Some(at) => splices.replace(at, value.as_bytes()),
        None => {
            let at = comment.marker.start + COMMENT.len();
            splices.replace(Span::new(at, at), format!(" {name}=\"{value}\"").as_bytes());
        }
    }
}
