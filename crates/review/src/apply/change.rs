//! The change that a thread suggests, at the current location of its code.

use skein_catalog::ThreadRef;
use skein_catalog::placement::Placer;
use skein_catalog::source_text::cut;
use skein_format::review::{Context, Range, ReviewDoc, Suggestion, suggestions};
use skein_model::view::{PlacementState, PlacementView};

use super::ApplyError;
use crate::update::load;

/// Minimum confidence in a location to apply a suggestion.
const CERTAIN: f32 = 0.9;

/// A suggestion with its location.
pub(super) struct SuggestedChange {
    pub(super) id: String,
    pub(super) thread: ThreadRef,
    pub(super) path: String,
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) old: Vec<String>,
    pub(super) new: Vec<String>,
    /// Whether a comment follows the suggestion.
    pub(super) answered: bool,
}

/// Returns the suggestion of a thread; an error if the code is not the commented code.
pub(super) fn change(
    placer: &mut Placer<'_>,
    thread: &ThreadRef,
) -> Result<SuggestedChange, ApplyError> {
    let id = thread.id();
    let doc = load(thread)?.0;
    let latest = latest(&doc).ok_or_else(|| ApplyError::NoSuggestion { id: id.clone() })?;
    let (suggestion, answered) = latest;
    if !suggestion.closed {
        return Err(ApplyError::Unclosed { id });
    }
    let Some(range) = doc.head().range else { return Err(ApplyError::NoLines { id }) };
    let was = doc.context().map(|context| context.selection).unwrap_or_default();
    let placement = placer.place(&doc);
    let there = placement.as_ref().and_then(|at| lines_at(placer, at));
    let build = |path: &str, start: usize, old: Vec<String>, new: Vec<String>| SuggestedChange {
        id: id.clone(),
        thread: thread.clone(),
        path: path.to_owned(),
        start,
        end: start + old.len().max(1) - 1,
        old,
        new,
        answered,
    };
    let made = made(placer, &doc, placement.as_ref(), &suggestion.lines);
    // Commented lines that the suggestion keeps are still there after it was applied.
    let may_apply = made.is_none() || !keeps(&suggestion.lines, &was);
    let mut is_same = false;
    if let (Some(at), Some((start, old))) = (&placement, &there) {
        let range = shifted(range, *start);
        let is_whole = old.join("\n") == was;
        let is_part = matches!(at.state, PlacementState::Exact | PlacementState::Shifted)
            && cut(old, range) == was;
        let is_here = !matches!(at.state, PlacementState::NotCheckedOut | PlacementState::Replaced);
        is_same = is_here && (is_whole || is_part) && doc.context().is_some();
        if is_same && at.confidence >= CERTAIN && may_apply {
            let new =
                if is_whole { suggestion.lines } else { within(old, range, &suggestion.lines) };
            return Ok(build(&at.path, *start, old.clone(), new));
        }
    }
    if let Some((path, start)) = made {
        return Ok(build(&path, start, suggestion.lines.clone(), suggestion.lines));
    }
    let (at, state) =
        placement.map_or((String::new(), PlacementState::Unverified), |at| (at.at(), at.state));
    if is_same {
        return Err(ApplyError::Uncertain { id, at, answered });
    }
    let now = there.map(|(_, lines)| lines.join("\n"));
    Err(ApplyError::Changed { id, at, state, was, now, answered })
}

/// Returns whether a suggestion has all commented lines and more.
fn keeps(suggestion: &[String], commented: &str) -> bool {
    let commented: Vec<&str> = commented.split('\n').collect();
    suggestion.len() > commented.len()
        && suggestion.windows(commented.len()).any(|lines| *lines == commented[..])
}

/// Returns the first line number of a location, and its lines.
fn lines_at(placer: &mut Placer<'_>, at: &PlacementView) -> Option<(usize, Vec<String>)> {
    let (start, end) = (at.start_line? as usize, at.end_line? as usize);
    let source = placer.source(&at.path)?;
    Some((start, source.lines.get(start..=end)?.to_vec()))
}

/// Finds the only position where the suggestion is already present between the lines around the commented ones.
///
/// The change was made by hand, or a run ended before the reply was written. The adjacent lines are enough: others may have been
/// changed by other suggestions.
fn made(
    placer: &mut Placer<'_>,
    doc: &ReviewDoc,
    placement: Option<&PlacementView>,
    new: &[String],
) -> Option<(String, usize)> {
    let context = doc.context()?;
    let path = placement?.path.clone();
    let source = placer.source(&path)?;
    let Context { before, selection, after } = &context;
    if new.join("\n") == *selection {
        return None;
    }
    let near = (before.last().map(std::slice::from_ref), after.first().map(std::slice::from_ref));
    let near = (near.0.unwrap_or_default(), near.1.unwrap_or_default());
    let mut lines = source.lines.clone();
    // An editor may have stored the empty line that it shows after the last line end.
    lines.extend(source.has_empty_end().then(String::new));
    let start =
        between(&lines, before, new, after).or_else(|| between(&lines, near.0, new, near.1))?;
    Some((path, start))
}

fn between(
    source: &[String],
    before: &[String],
    new: &[String],
    after: &[String],
) -> Option<usize> {
    if before.is_empty() && after.is_empty() {
        return None;
    }
    let parts = [before, new, after].concat();
    let mut all = source.windows(parts.len()).enumerate().filter(|(_, there)| *there == parts);
    match (all.next(), all.next()) {
        (Some((at, _)), None) => Some(at + before.len()),
        _ => None,
    }
}

fn shifted(range: Range, start: usize) -> Range {
    let start_line = u32::try_from(start).unwrap_or(u32::MAX);
    Range { start_line, end_line: start_line + (range.end_line - range.start_line), ..range }
}

/// Replaces the commented part of the lines by a suggestion.
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
