//! A thread that was found, as it is shown.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;

use serde::Serialize;
use skein_catalog::drafts;
use skein_catalog::placed::place_rows;
use skein_model::view::{FileDiagnostic, RowDetail, ThreadBody, ThreadRow, ThreadView};
use skein_query::snippet;
use skein_workspace::{Env, Workspace};

use super::scan::ThreadMatcher;
use super::thread::Thread;
use super::values::{FieldKind, TextField, values};

/// What was found.
#[derive(Debug, Default, Serialize)]
pub struct Hits {
    /// The threads, the best one first.
    pub hits: Vec<Hit>,
    /// How many match, whether they are among the hits or not.
    pub total: usize,
    /// What went wrong.
    pub diagnostics: Vec<FileDiagnostic>,
}

impl Hits {
    /// Sets the place of each review thread of this workspace to where its code is now.
    pub fn place(&mut self, workspace: &Workspace, env: &Env) {
        let dirs = [workspace.reviews.threads(), drafts::dir(workspace, env)];
        let rows = self.hits.iter_mut().map(|hit| &mut hit.row);
        let is_own = |row: &&mut ThreadRow| {
            let parent = row.file.parent();
            dirs.iter().any(|dir| parent == Some(dir.as_path()))
        };
        place_rows(workspace, env, rows.filter(is_own));
    }
}

/// A thread that was found.
#[derive(Debug, Serialize)]
pub struct Hit {
    /// What the list shows of it.
    #[serde(flatten)]
    pub row: ThreadRow,
    /// Where it is, if that is not a place in code: the step, the directory.
    #[serde(skip_serializing_if = "Place::is_in_code")]
    pub at: Place,
    /// How well it matches.
    pub score: f32,
    /// The text around the match, cut from the file.
    pub snippet: String,
    /// What of the snippet matches, in bytes from its start.
    pub marks: Vec<Range<usize>>,
    /// The part of the thread that the snippet is from: `title`, `comment`, `step`, ...
    #[serde(rename = "in")]
    pub part: &'static str,
    /// Who wrote the comment that the snippet is from.
    pub by: Option<String>,
    /// The root of the workspace that the thread belongs to; a session of the user's own map belongs to none.
    pub workspace: Option<String>,
}

/// Where a thread that is not pinned to code says what was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Place {
    /// The row has it.
    InCode,
    /// Somewhere else.
    Elsewhere(Option<String>),
}

impl Place {
    /// Returns the place as a text; none where the row has it.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::InCode => None,
            Self::Elsewhere(place) => place.as_deref(),
        }
    }

    fn is_in_code(&self) -> bool {
        *self == Self::InCode
    }
}

/// Shows a thread that was read; none where it does not match any more.
pub(super) fn show(
    thread: &Thread<'_>,
    view: ThreadView,
    root: Option<&Path>,
    judge: &ThreadMatcher<'_>,
    (score, width): (f32, usize),
) -> Option<Hit> {
    let values = values(thread);
    judge.judge_texts(&values)?;
    let best = best(&values, judge)?;
    let cut = snippet(&best.text, &best.spans, width);
    Some(Hit {
        at: place(&view, best.part),
        by: author(&view, best.part),
        row: view.row,
        score,
        snippet: cut.text,
        marks: cut.marks,
        part: best.part.as_str(),
        workspace: root.map(|root| root.display().to_string()),
    })
}

/// A text to show, and what of it matches.
struct TopHits<'a> {
    part: FieldKind,
    text: Cow<'a, str>,
    spans: Vec<Range<usize>>,
}

/// Returns the text with the most words that were asked for.
fn best<'a>(values: &'a [TextField<'_>], judge: &ThreadMatcher<'_>) -> Option<TopHits<'a>> {
    let matcher = judge.matcher();
    let mut best: Option<(_, TopHits<'a>)> = None;
    for value in values {
        let part = value.part;
        let is_better = |worth| best.as_ref().is_none_or(|(most, _)| worth > *most);
        // Most texts have none of the words, and are not made ready to be shown.
        if matcher.is_clear(&value.text()) && !is_better((0, weight(part, true))) {
            continue;
        }
        let text = value.shown();
        let spans = matcher.spans(&text);
        let worth = (words(&text, &spans), weight(part, spans.is_empty()));
        if is_better(worth) {
            best = Some((worth, TopHits { part, text, spans }));
        }
    }
    best.map(|(_, best)| best)
}

/// Counts the different words that match: one that is repeated tells no more.
fn words(text: &str, spans: &[Range<usize>]) -> usize {
    let word = |span: &Range<usize>| text.get(span.clone()).map(str::to_lowercase);
    spans.iter().filter_map(word).collect::<BTreeSet<_>>().len()
}

/// Returns how much a part tells a reader, who sees the title anyway.
///
/// Where nothing in particular was asked for, what the thread is about is shown.
fn weight(part: FieldKind, is_unmarked: bool) -> u8 {
    match part {
        FieldKind::Comment(0) | FieldKind::Summary => 4,
        FieldKind::Comment(_) | FieldKind::Step(_) if !is_unmarked => 3,
        FieldKind::Title | FieldKind::Id => u8::from(part == FieldKind::Title),
        _ if is_unmarked => 0,
        _ => 2,
    }
}

fn place(view: &ThreadView, part: FieldKind) -> Place {
    match (&view.row.detail, part) {
        (RowDetail::Review(_), _) => Place::InCode,
        (RowDetail::Checkpoint(_), FieldKind::Step(number)) => {
            Place::Elsewhere(Some(format!("step {}", number + 1)))
        }
        (RowDetail::Checkpoint(_), _) => Place::Elsewhere(None),
        (RowDetail::Session(detail), _) => Place::Elsewhere(Some(detail.directory.clone())),
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
