//! The text that a comment was written on.

use skein_format::review::{Context, Range, ReviewDoc};

use super::fit::{Lines, count};
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
    /// Returns `base`, the file at the stored commit, if the comment matches it, else that file with the stored patch, else the stored
    /// lines alone.
    pub(super) fn find(doc: &ReviewDoc, range: Range, base: &[u8]) -> Self {
        let context = doc.context();
        let whole = |text: &[u8]| {
            let text = without_bom(text);
            let (start, end) = verified(text, range, context.as_ref())?;
            Some(Self::Whole { text: text.to_vec(), start, end })
        };
        if let Some(found) = whole(base) {
            return found;
        }
        let patched = doc.patch().and_then(|patch| skein_anchor::apply_patch(base, &patch));
        if let Some(found) = patched.and_then(|text| whole(&text)) {
            return found;
        }
        let start = range.start_line;
        match context {
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
