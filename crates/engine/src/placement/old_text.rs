//! The text that a comment was written on.

use skein_format::review::{Context, Range, ReviewDoc};

use crate::review::source::{cut, lines, without_bom};

/// What is known of the code as it was.
#[derive(Debug)]
pub(super) enum OldText {
    /// The whole file, and the commented lines in it.
    Whole { text: Vec<u8>, start: u32, end: u32 },
    /// What the thread itself keeps.
    Excerpt { before: Vec<String>, selection: String, after: Vec<String>, start: u32 },
}

impl OldText {
    /// Takes `base`, the file at the stored commit, if the comment fits it, else that file with the stored patch, else the
    /// stored lines alone.
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

/// Returns the commented lines in a text that holds them: at their range, else where all that is known of them
/// stands exactly once.
fn verified(text: &[u8], range: Range, context: Option<&Context>) -> Option<(u32, u32)> {
    let context = context?;
    let lines = lines(text);
    let (start, end) = (range.start_line as usize, range.end_line as usize);
    let count = end.checked_sub(start)? + 1;
    let fits = |start: usize| {
        let there = lines.get(start..start + count)?;
        let same = there.join("\n") == context.selection || cut(there, range) == context.selection;
        same.then_some(start)
    };
    let around = |start: usize| {
        let before =
            start.checked_sub(context.before.len()).and_then(|from| lines.get(from..start));
        let after = lines.get(start + count..).unwrap_or_default();
        before.is_some_and(|before| before == context.before) && after.starts_with(&context.after)
    };
    let whole = |start: usize| fits(start).filter(|start| around(*start));
    if let Some(start) = whole(start) {
        return numbers(start, count);
    }
    let mut all = (0..lines.len()).filter_map(whole);
    match (all.next(), all.next()) {
        (Some(only), None) => numbers(only, count),
        _ => fits(start).and_then(|start| numbers(start, count)),
    }
}

fn numbers(start: usize, count: usize) -> Option<(u32, u32)> {
    Some((u32::try_from(start).ok()?, u32::try_from(start + count - 1).ok()?))
}
