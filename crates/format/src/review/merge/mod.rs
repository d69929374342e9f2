//! The three-way merge of a thread.

mod comments;
mod lines;
mod metadata;
mod parts;
mod prose;

use std::borrow::Cow;

use crate::diagnostic::DiagnosticList;
use crate::json::bom_len;
use crate::line::Eol;
use crate::review::ReviewDoc;
use crate::review::head::ReviewMetadata;
use parts::{Out, Parts};

/// The result of a merge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergedReview {
    /// The merged file.
    pub bytes: Vec<u8>,
    /// Whether a person must resolve conflicts, which have git's conflict markers.
    pub conflicted: bool,
    /// Decisions that may be unexpected, one sentence each.
    pub notes: Vec<String>,
}

/// Merges two versions of a thread; `labels` name ours and theirs in the text of a conflict.
///
/// Comments are merged by id and keep their bytes: those of the base in its order, then added ones by
/// time. Of the metadata, the later status and time are used. Only prose and the patch can be in
/// conflict, which is marked there as git does. Line endings are those of ours. A thread that cannot
/// be used is merged line by line, and always counts as a conflict.
///
/// A comment that is missing on one side is kept, because nothing records whether it was deleted.
pub fn merge(
    base: Option<&[u8]>,
    ours: &[u8],
    theirs: &[u8],
    stem: &str,
    store: &str,
    labels: (&str, &str),
) -> MergedReview {
    let eol = Eol::from_bytes(ours);
    let original = base;
    let other = with_eol(theirs, eol);
    let base = base.map(|base| with_eol(base, eol));
    if let Some(same) =
        unchanged(original, ours, theirs).or_else(|| unchanged(base.as_deref(), ours, &other))
    {
        return MergedReview { bytes: same.to_vec(), conflicted: false, notes: Vec::new() };
    }
    let merge = Merge { base: base.as_deref(), ours, theirs: &other, stem, store, labels, eol };
    merge.by_parts().unwrap_or_else(|| merge.by_lines())
}

/// Returns the result if no merge is needed.
fn unchanged<'a>(base: Option<&[u8]>, ours: &'a [u8], theirs: &'a [u8]) -> Option<&'a [u8]> {
    if ours == theirs || base == Some(theirs) {
        Some(ours)
    } else {
        (base == Some(ours)).then_some(theirs)
    }
}

/// Converts all line endings to `eol`, if the first one differs.
fn with_eol(bytes: &[u8], eol: Eol) -> Cow<'_, [u8]> {
    if memchr::memchr(b'\n', bytes).is_none() || Eol::from_bytes(bytes) == eol {
        return Cow::Borrowed(bytes);
    }
    let mut out = Vec::with_capacity(bytes.len());
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let text = line.strip_suffix(b"\n").map(|text| text.strip_suffix(b"\r").unwrap_or(text));
        out.extend_from_slice(text.unwrap_or(line));
        if text.is_some() {
            out.extend_from_slice(eol.as_bytes());
        }
    }
    Cow::Owned(out)
}

struct Merge<'a> {
    base: Option<&'a [u8]>,
    ours: &'a [u8],
    theirs: &'a [u8],
    stem: &'a str,
    store: &'a str,
    labels: (&'a str, &'a str),
    eol: Eol,
}

impl Merge<'_> {
    /// Merges every part by its own rules; none if a side cannot be used.
    fn by_parts(&self) -> Option<MergedReview> {
        let read = |bytes| Parts::read(without_bom(bytes), self.stem, self.store);
        let (ours, theirs) = (read(self.ours)?, read(self.theirs)?);
        let base = self.base.and_then(read);
        let base = base.as_ref();
        let mut notes = Vec::new();
        let mut out = Out::new(self.eol);
        let lead = |parts: &Parts<'_>| parts.lead.of(parts.bytes).to_vec();
        let old = base.map(lead);
        let (mine, other) = (lead(&ours), lead(&theirs));
        let mut conflicted = prose::text(old.as_deref(), &mine, &other, self.labels, &mut out);
        let block = metadata::merge(base, &ours, &theirs, &mut notes);
        out.part(&block);
        let head = self.head(&block);
        conflicted |= prose::between(base, (&ours, &theirs), self.labels, &head, &mut out);
        let count = put_comments(base, (&ours, &theirs), &mut notes, &mut out);
        let bom = self.ours.get(..bom_len(self.ours)).unwrap_or_default();
        let bytes = [bom, &out.bytes].concat();
        // The merged parts should be a valid thread; if not, the result is discarded.
        let (doc, _) = ReviewDoc::parse(bytes, self.stem, self.store);
        let sound = doc.head().usable && doc.comment_count() == count;
        sound.then(|| MergedReview { bytes: doc.into_bytes(), conflicted, notes })
    }

    fn head(&self, block: &[u8]) -> ReviewMetadata {
        let findings = &mut DiagnosticList::default();
        let (reading, _) = super::metadata::read(block, findings);
        let head = reading.map(|(reading, _)| reading.head(self.stem, self.store, findings));
        head.unwrap_or_else(ReviewMetadata::unusable)
    }

    /// Merges the files as text.
    fn by_lines(&self) -> MergedReview {
        let mut out = Out::new(self.eol);
        prose::text(self.base, self.ours, self.theirs, self.labels, &mut out);
        let note = "a side is not a usable thread; the files were merged line by line";
        MergedReview { bytes: out.bytes, conflicted: true, notes: vec![note.to_owned()] }
    }
}

fn without_bom(bytes: &[u8]) -> &[u8] {
    bytes.get(bom_len(bytes)..).unwrap_or_default()
}

/// Writes the comments with the white space between them, and returns their number.
fn put_comments(
    base: Option<&Parts<'_>>,
    (ours, theirs): (&Parts<'_>, &Parts<'_>),
    notes: &mut Vec<String>,
    out: &mut Out,
) -> usize {
    let comments = comments::merge(base, ours, theirs, notes);
    let count = comments.len();
    let blank = out.eol.as_bytes().repeat(2);
    put_gap([ours, theirs].into_iter().find(|side| side.comments.is_empty() == (count == 0)), out);
    let end = [ours, theirs].into_iter().map(Parts::end).find(|end| !end.is_empty());
    for (n, comment) in comments.iter().enumerate() {
        out.part(&comment.text);
        let between = comment.gap.unwrap_or(&blank);
        let gap = if n + 1 < count { between } else { end.unwrap_or_default() };
        out.bytes.extend_from_slice(gap);
    }
    count
}

/// Adds the white space after the prose of a side; it starts with the end of the last line.
fn put_gap(side: Option<&Parts<'_>>, out: &mut Out) {
    let Some(side) = side else { return out.end_line() };
    let gap = side.gap();
    if side.prose.is_empty() {
        out.end_line();
        out.bytes.extend_from_slice(gap);
        return;
    }
    let ended = out.bytes.last() == Some(&b'\n');
    let rest = [b"\r\n".as_slice(), b"\n"].iter().find_map(|end| gap.strip_prefix(*end));
    out.bytes.extend_from_slice(if ended { rest.unwrap_or(gap) } else { gap });
}
