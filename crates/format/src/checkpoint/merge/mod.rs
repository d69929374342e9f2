//! The three-way merge of a checkpoint.

mod list;
mod object;
mod shape;

use super::{CheckpointFileKind, CheckpointRef};
use crate::json::{self, Dialect, JsonKind, Reader, compact};
use crate::span::Span;

/// Objects and lists nested deeper than this are taken from one side unmerged.
const MAX_DEPTH: usize = 32;

/// Merges two versions of a checkpoint field by field; none if one of them cannot be used or has a newer version.
///
/// A value that one side changed is taken from that side; one that both changed, from the side with the later
/// `updated_at`. Lists are merged: the entries of the base in its order, then those of ours, then those of theirs; an
/// entry that one side removed and the other did not change is removed. All bytes not taken from theirs are those of ours.
///
/// Without a base nothing counts as removed.
pub fn merge(base: Option<&[u8]>, ours: &[u8], theirs: &[u8], stem: &str) -> Option<Vec<u8>> {
    if ours == theirs || base == Some(theirs) {
        return Some(ours.to_vec());
    }
    if base == Some(ours) {
        return Some(theirs.to_vec());
    }
    let (mine, other) = (Side::read(ours, stem)?, Side::read(theirs, stem)?);
    let old = base.and_then(|base| Some(Value::new(base, Side::read(base, stem)?.root)));
    let merge = Merge { theirs_is_later: other.updated_at > mine.updated_at };
    let (a, b) = (Value::new(ours, mine.root), Value::new(theirs, other.root));
    let merged = match merge.value(old.as_ref(), &a, &b, 0) {
        Outcome::Ours => return Some(ours.to_vec()),
        // Ours differs from the base only in white space.
        Outcome::Theirs => return Some(theirs.to_vec()),
        Outcome::Made(merged) => merged,
    };
    let lead = ours.get(..mine.root.start).unwrap_or_default();
    let rest = ours.get(mine.root.end..).unwrap_or_default();
    let bytes = [lead, &merged, rest].concat();
    // The merged fields should be a valid checkpoint; if not, the result is discarded.
    Side::read(&bytes, stem)?;
    Some(bytes)
}

/// The facts about a version that a merge needs.
struct Side {
    root: Span,
    updated_at: Option<crate::time::Time>,
}

impl Side {
    fn read(bytes: &[u8], stem: &str) -> Option<Self> {
        let head = CheckpointRef::parse(bytes, stem, CheckpointFileKind::Thread).0.into_head();
        let known = head.usable && head.version.is_none_or(|version| version <= 1);
        let all = json::content(bytes);
        let root = Reader::new(bytes, all, Dialect::Json).skip().ok().filter(|_| known)?;
        Some(Self { root, updated_at: head.updated_at })
    }
}

/// A value of one version, and its text without white space.
struct Value<'a> {
    bytes: &'a [u8],
    span: Span,
    plain: Vec<u8>,
}

impl<'a> Value<'a> {
    fn new(bytes: &'a [u8], span: Span) -> Self {
        Self { bytes, span, plain: compact(span.of(bytes)) }
    }

    fn kind(&self) -> Option<JsonKind> {
        Reader::new(self.bytes, self.span, Dialect::Json).peek().ok()
    }

    fn reads_as(&self, other: &Self) -> bool {
        self.plain == other.plain
    }
}

/// Where a merged value comes from.
enum Outcome {
    Ours,
    Theirs,
    /// Merged from both, indented as ours.
    Made(Vec<u8>),
}

struct Merge {
    theirs_is_later: bool,
}

impl Merge {
    /// Merges a value that both sides have.
    fn value(
        &self,
        base: Option<&Value<'_>>,
        ours: &Value<'_>,
        theirs: &Value<'_>,
        depth: usize,
    ) -> Outcome {
        let is_old = |value: &Value<'_>| base.is_some_and(|base| base.reads_as(value));
        if ours.reads_as(theirs) || is_old(theirs) {
            return Outcome::Ours;
        }
        if is_old(ours) {
            return Outcome::Theirs;
        }
        let kinds = [ours.kind(), theirs.kind()];
        let base = |kind: JsonKind| base.filter(|base| base.kind() == Some(kind));
        match kinds {
            [Some(JsonKind::Object), Some(JsonKind::Object)] if depth < MAX_DEPTH => {
                Outcome::Made(object::merge(self, base(JsonKind::Object), ours, theirs, depth))
            }
            [Some(JsonKind::Array), Some(JsonKind::Array)] if depth < MAX_DEPTH => {
                Outcome::Made(list::merge(self, base(JsonKind::Array), ours, theirs, depth))
            }
            _ => self.later(),
        }
    }

    fn later(&self) -> Outcome {
        if self.theirs_is_later { Outcome::Theirs } else { Outcome::Ours }
    }
}

/// Returns the bytes of a merged value, indented by `indent`, to write to ours.
fn placed(outcome: Outcome, ours: &Value<'_>, theirs: &Value<'_>, indent: &[u8]) -> Vec<u8> {
    match outcome {
        Outcome::Ours => ours.span.of(ours.bytes).to_vec(),
        Outcome::Theirs => moved(theirs, indent, json::eol_of(ours.bytes)),
        Outcome::Made(bytes) => bytes,
    }
}

/// Returns a value of theirs with this indent and line ending.
fn moved(theirs: &Value<'_>, indent: &[u8], eol: &[u8]) -> Vec<u8> {
    json::fit(&json::outdented(theirs.bytes, theirs.span), indent, eol)
}
