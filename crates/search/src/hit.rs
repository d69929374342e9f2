//! Search results.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;

use serde::Serialize;
use skein_catalog::drafts;
use skein_catalog::placed::place_rows;
use skein_model::view::{FileDiagnostic, RowDetail, ThreadBody, ThreadRow, ThreadView};
use skein_query::snippet;
use skein_workspace::Workspace;

use super::scan::ThreadMatcher;
use super::thread::Thread;
use super::values::{FieldKind, TextField, values};

/// The result of a search.
#[derive(Debug, Default, Serialize)]
pub struct Hits {
    /// The threads, best match first.
    pub hits: Vec<SearchHit>,
    /// The number of threads that match, including those that are not among the hits.
    pub total: usize,
    pub diagnostics: Vec<FileDiagnostic>,
}

impl Hits {
    /// Sets the location of each review thread of this workspace to the current location of its code.
    pub fn place(&mut self, workspace: &Workspace) {
        let dirs = [workspace.reviews.threads(), drafts::dir(workspace)];
        let rows = self.hits.iter_mut().map(|hit| &mut hit.row);
        let is_own = |row: &&mut ThreadRow| {
            let parent = row.file.parent();
            dirs.iter().any(|dir| parent == Some(dir.as_path()))
        };
        place_rows(workspace, rows.filter(is_own));
    }
}

/// A thread that matches.
#[derive(Debug, Serialize)]
pub struct SearchHit {
    #[serde(flatten)]
    pub row: ThreadRow,
    /// The location, if it is not in code: the step, the directory.
    #[serde(skip_serializing_if = "HitLocation::is_in_code")]
    pub at: HitLocation,
    /// The score; higher is better.
    pub score: f32,
    /// The text around the match, cut from the file.
    pub snippet: String,
    /// The matches in the snippet, as byte ranges.
    pub marks: Vec<Range<usize>>,
    /// The part of the thread that the snippet is from.
    #[serde(rename = "in")]
    pub part: FieldKind,
    /// The author of the comment that the snippet is from.
    pub by: Option<String>,
    /// The root of the workspace of the thread; `None` for a session of the user's own map.
    pub workspace: Option<String>,
}

impl SearchHit {
    /// Returns the author of the snippet, or the part of the thread that it is from; `None` for the
    /// main text.
    pub fn label(&self) -> Option<String> {
        match self.part {
            FieldKind::Comment(_) if self.by.is_some() => self.by.clone(),
            FieldKind::Step(number) => Some(step_label(number)),
            FieldKind::Title | FieldKind::Summary | FieldKind::Other => None,
            part => Some(part.as_str().to_owned()),
        }
    }
}

fn step_label(number: usize) -> String {
    format!("step {}", number + 1)
}

/// The location of a match in a thread that is not on code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum HitLocation {
    /// The row contains it.
    InCode,
    Elsewhere(Option<String>),
}

impl HitLocation {
    fn is_in_code(&self) -> bool {
        *self == Self::InCode
    }
}

/// Returns the hit of a thread; `None` if it no longer matches.
pub(super) fn show(
    thread: &Thread<'_>,
    view: ThreadView,
    root: Option<&Path>,
    judge: &ThreadMatcher<'_>,
    (score, width): (f32, usize),
) -> Option<SearchHit> {
    let values = values(thread);
    judge.judge_texts(&values)?;
    let best = best(&values, judge)?;
    let cut = snippet(&best.text, &best.spans, width);
    Some(SearchHit {
        at: location(&view, best.part),
        by: author(&view, best.part),
        row: view.row,
        score,
        snippet: cut.text,
        marks: cut.marks,
        part: best.part,
        workspace: root.map(|root| root.display().to_string()),
    })
}

/// A text to show, and its matches.
struct BestText<'a> {
    part: FieldKind,
    text: Cow<'a, str>,
    spans: Vec<Range<usize>>,
}

/// Returns the text with the most words of the query.
fn best<'a>(values: &'a [TextField<'_>], judge: &ThreadMatcher<'_>) -> Option<BestText<'a>> {
    let matcher = judge.matcher();
    let mut best: Option<(_, BestText<'a>)> = None;
    for value in values {
        let part = value.part;
        let is_better = |rank| best.as_ref().is_none_or(|(most, _)| rank > *most);
        // Most texts have none of the words; they are not redacted.
        if matcher.is_clear(&value.text()) && !is_better((0, weight(part, true))) {
            continue;
        }
        let text = value.shown();
        let spans = matcher.spans(&text);
        let rank = (words(&text, &spans), weight(part, spans.is_empty()));
        if is_better(rank) {
            best = Some((rank, BestText { part, text, spans }));
        }
    }
    best.map(|(_, best)| best)
}

/// Counts the different words that match.
fn words(text: &str, spans: &[Range<usize>]) -> usize {
    let word = |span: &Range<usize>| text.get(span.clone()).map(str::to_lowercase);
    spans.iter().filter_map(word).collect::<BTreeSet<_>>().len()
}

/// Returns how useful a part is as a snippet; the title is shown anyway.
///
/// Without matches, the main text is preferred.
fn weight(part: FieldKind, is_unmarked: bool) -> u8 {
    match part {
        FieldKind::Comment(0) | FieldKind::Summary => 4,
        FieldKind::Comment(_) | FieldKind::Step(_) if !is_unmarked => 3,
        FieldKind::Title | FieldKind::Id => u8::from(part == FieldKind::Title),
        _ if is_unmarked => 0,
        _ => 2,
    }
}

fn location(view: &ThreadView, part: FieldKind) -> HitLocation {
    match (&view.row.detail, part) {
        (RowDetail::Review(_), _) => HitLocation::InCode,
        (RowDetail::Checkpoint(_), FieldKind::Step(number)) => {
            HitLocation::Elsewhere(Some(step_label(number)))
        }
        (RowDetail::Checkpoint(_), _) => HitLocation::Elsewhere(None),
        (RowDetail::Session(detail), _) => HitLocation::Elsewhere(Some(detail.directory.clone())),
    }
}

fn author(view: &ThreadView, part: FieldKind) -> Option<String> {
    match (&view.body, part) {
        (ThreadBody::Review(body), FieldKind::Comment(number)) => {
            body.comments.get(number).map(|comment| comment.author.clone())
        }
        _ => None,
    }
}
