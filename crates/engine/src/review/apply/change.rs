//! What a thread suggests, at the place where its code is now.

use std::path::{Path, PathBuf};

use skein_format::review::{Range, ReviewDoc, Suggestion, suggestions};

use super::ApplyError;
use crate::discover::Reviews;
use crate::ids::stem;
use crate::placement::Placer;
use crate::review::source::cut;
use crate::review::update::load;

/// Below this confidence a place is only shown.
const CERTAIN: f32 = 0.9;

/// A suggestion at its place.
pub(super) struct Change {
    pub(super) id: String,
    pub(super) file: PathBuf,
    pub(super) path: String,
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) old: Vec<String>,
    pub(super) new: Vec<String>,
    /// Whether something was said after the suggestion.
    pub(super) answered: bool,
}

/// Finds what a thread suggests, and refuses where its code is not what was commented on.
pub(super) fn change(
    placer: &mut Placer<'_>,
    reviews: &Reviews,
    file: &Path,
) -> Result<Change, ApplyError> {
    let id = stem(file);
    let doc = load(reviews, file)?.0;
    let latest = latest(&doc).ok_or_else(|| ApplyError::NoSuggestion { id: id.clone() })?;
    let (suggestion, answered) = latest;
    if !suggestion.closed {
        return Err(ApplyError::Unclosed { id });
    }
    let Some(range) = doc.head().range else { return Err(ApplyError::NoLines { id }) };
    let was = doc.context().map(|context| context.selection).unwrap_or_default();
    let placement = placer.place(&doc);
    let changed = |at: String, state, now| ApplyError::Changed {
        id: id.clone(),
        at,
        state,
        was: was.clone(),
        now,
    };
    let Some(placement) = placement else { return Err(changed(String::new(), "unverified", None)) };
    let (Some(start), Some(end)) = (placement.start_line, placement.end_line) else {
        return Err(changed(placement.at(), placement.state, None));
    };
    let source = placer.source(&placement.path);
    let (start, end) = (start as usize, end as usize);
    let old = source.as_ref().and_then(|source| source.lines.get(start..=end));
    let old = old.unwrap_or_default().to_vec();
    let there = old.join("\n");
    let range = shifted(range, start);
    let same = there == was || cut(&old, range) == was;
    let same = same && doc.context().is_some() && placement.confidence >= CERTAIN;
    let new = if there == was { suggestion.lines } else { within(&old, range, &suggestion.lines) };
    let made = old == new && !new.is_empty();
    if !same && !made {
        return Err(changed(placement.at(), placement.state, Some(there)));
    }
    Ok(Change { id, file: file.to_owned(), path: placement.path, start, end, old, new, answered })
}

fn shifted(range: Range, start: usize) -> Range {
    let start_line = u32::try_from(start).unwrap_or(u32::MAX);
    Range { start_line, end_line: start_line + (range.end_line - range.start_line), ..range }
}

/// Puts a suggestion in the place of some characters of the lines, where no whole lines were commented on.
fn within(old: &[String], range: Range, suggestion: &[String]) -> Vec<String> {
    let units = |line: Option<&String>| -> Vec<u16> {
        line.map(|line| line.encode_utf16().collect()).unwrap_or_default()
    };
    let (first, last) = (units(old.first()), units(old.last()));
    let before = first.get(..range.start_character as usize).unwrap_or(&first);
    let after = last.get(range.end_character as usize..).unwrap_or_default();
    if before.is_empty() && after.is_empty() {
        return suggestion.to_vec();
    }
    let (before, after) = (String::from_utf16_lossy(before), String::from_utf16_lossy(after));
    let text = format!("{before}{}{after}", suggestion.join("\n"));
    text.split('\n').map(str::to_owned).collect()
}

/// Returns the first suggestion of the latest comment that has one, and whether another comment follows.
fn latest(doc: &ReviewDoc) -> Option<(Suggestion, bool)> {
    let comments = doc.comments();
    let mut latest = comments.iter().rev().enumerate();
    latest.find_map(|(after, comment)| {
        let suggestion = suggestions(&comment.body).into_iter().next()?;
        Some((suggestion, after > 0))
    })
}
