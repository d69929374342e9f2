//! The text that a comment was written on.

use std::rc::Rc;

use skein_anchor::{OldCode, apply_patch};
use skein_format::review::{Context, Range, ReviewDoc};
use skein_git::{CommitId, Ref, Repo, is_binary};

use super::Placer;
use super::fit::{Lines, count};
use super::text::SourceText;
use crate::rounds::is_since;
use crate::source_text::{lines, without_bom};

/// The commented code, as far as it is known.
#[derive(Debug)]
pub(super) enum OldText {
    /// The whole file, and the commented lines in it.
    Whole { text: Vec<u8>, start: u32, end: u32 },
    /// The excerpt in the thread.
    Excerpt { before: Vec<String>, selection: String, after: Vec<String>, start: u32 },
}

impl OldText {
    /// Returns `base`, the file at the stored commit, if the comment matches it, else that file with the stored patch.
    pub(super) fn in_base(doc: &ReviewDoc, range: Range, base: &[u8]) -> Option<Self> {
        let patched = || Self::whole(doc, range, &apply_patch(base, &doc.patch()?)?);
        Self::whole(doc, range, base).or_else(patched)
    }

    /// Returns a text if the comment matches it.
    pub(super) fn whole(doc: &ReviewDoc, range: Range, text: &[u8]) -> Option<Self> {
        let text = without_bom(text);
        let (start, end) = verified(text, range, doc.context().as_ref())?;
        Some(Self::Whole { text: text.to_vec(), start, end })
    }

    /// Returns the lines stored in the thread.
    pub(super) fn stored(doc: &ReviewDoc, range: Range) -> Self {
        let start = range.start_line;
        match doc.context() {
            Some(Context { before, selection, after }) => {
                Self::Excerpt { before, selection, after, start }
            }
            None => Self::Excerpt {
                before: Vec::new(),
                selection: String::new(),
                after: Vec::new(),
                start,
            },
        }
    }

    /// Returns the commented lines, if the whole file is known.
    pub(super) fn lines(&self) -> Option<(u32, u32)> {
        match self {
            Self::Whole { start, end, .. } => Some((*start, *end)),
            Self::Excerpt { .. } => None,
        }
    }

    /// Returns whether the commented text is at these lines, ignoring indentation if `may_be_indented` is set.
    pub(super) fn is_at(
        &self,
        source: &SourceText,
        (first, last): (u32, u32),
        may_be_indented: bool,
    ) -> bool {
        let Self::Whole { text, start, end } = self else { return false };
        let old = lines(text);
        let (Some(old), Some(new)) = (
            old.get(*start as usize..=*end as usize),
            source.lines.get(first as usize..=last as usize),
        ) else {
            return false;
        };
        let is_same = |old: &String, new: &String| {
            old == new || (may_be_indented && old.trim() == new.trim())
        };
        old.len() == new.len() && old.iter().zip(new).all(|(old, new)| is_same(old, new))
    }

    pub(super) fn as_old(&self) -> OldCode<'_> {
        match self {
            Self::Whole { text, start, end } => OldCode::Whole { text, start: *start, end: *end },
            Self::Excerpt { before, selection, after, start } => {
                OldCode::Excerpt { before, selection, after, start: *start }
            }
        }
    }
}

impl Placer<'_> {
    /// Returns the text that a comment was written on.
    pub(super) fn old_text(
        &mut self,
        doc: &ReviewDoc,
        path: &str,
        range: Range,
        base: Option<&CommitId>,
    ) -> OldText {
        let whole = format!("{}{path}", self.prefix);
        let blob = base.and_then(|base| self.blob(base, &whole));
        OldText::in_base(doc, range, blob.as_deref().unwrap_or_default())
            .or_else(|| self.in_round(doc, range, &whole))
            .unwrap_or_else(|| OldText::stored(doc, range))
    }

    /// Returns the file at the first submission after the comment that has the commented text.
    fn in_round(&mut self, doc: &ReviewDoc, range: Range, path: &str) -> Option<OldText> {
        let written = doc.comments().first()?.created_at?;
        let rounds = self.rounds().clone();
        let mut later = rounds.iter().filter(|round| is_since(round, written));
        later.find_map(|round| {
            let found = self.objects()?.blob_in_tree(&round.id, path);
            let text = self.answered(found).filter(|text| !is_binary(text))?;
            OldText::whole(doc, range, &text)
        })
    }

    /// Returns the submissions of the worktree, oldest first.
    fn rounds(&mut self) -> &Rc<Vec<Ref>> {
        let submissions = self.repo.as_ref().map(Repo::submissions);
        let prefix = self.rounds_prefix.as_ref();
        self.rounds.get_or_insert_with(|| {
            let refs = submissions.zip(prefix).map(|(rounds, prefix)| rounds.refs(prefix));
            Rc::new(refs.and_then(Result::ok).unwrap_or_default())
        })
    }
}

/// Returns the commented lines in a text: at their range, else at the only position with the same text and context.
fn verified(text: &[u8], range: Range, context: Option<&Context>) -> Option<(u32, u32)> {
    let context = context?;
    let lines = lines(text);
    let model = Lines::new(&lines, text.last().is_none_or(|byte| *byte == b'\n'));
    let (start, count) = (range.start_line as usize, count(range)?);
    let fits = model.fit(start, range, context).is_some();
    if fits && model.is_around(start, range, context) {
        return numbers(start, count, lines.len());
    }
    let mut all = model.places(range, context);
    match (all.next(), all.next()) {
        (Some(only), None) => numbers(only, count, lines.len()),
        _ => fits.then_some(()).and_then(|()| numbers(start, count, lines.len())),
    }
}

/// Returns the first and the last line, without the empty one after the last line end.
fn numbers(start: usize, count: usize, lines: usize) -> Option<(u32, u32)> {
    let end = (start + count).min(lines).checked_sub(1).filter(|end| *end >= start)?;
    Some((u32::try_from(start).ok()?, u32::try_from(end).ok()?))
}
