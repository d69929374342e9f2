//! Threads in the text of an editor, which is not in the file yet.

use std::sync::Arc;

use skein_anchor::{Comparison, State};
use skein_catalog::ThreadRef;
use skein_catalog::placed::place_file;
use skein_catalog::placement::Placer;
use skein_catalog::source_text::{self, MAX_SOURCE_LEN, without_bom};
use skein_model::view::{ExcerptView, PlacementState, ThreadBody, ThreadView};

use super::LiveWorkspace;

/// Returns the threads and drafts of a file, placed in another text of it.
///
/// Their lines in the file are known; one comparison of the two texts moves them all.
pub(super) fn threads(live: &LiveWorkspace, path: &str, text: &str) -> Vec<Arc<ThreadView>> {
    let snapshot = live.threads();
    let views = snapshot.views.iter().chain(&snapshot.drafts);
    let views = views.filter(|view| view.path() == Some(path)).cloned();
    let mut views: Vec<Arc<ThreadView>> = views.collect();
    let file = skein_store::read_inside(&live.workspace().reviews.root, path, MAX_SOURCE_LEN);
    let Ok(file) = file.as_deref().map(without_bom) else { return views };
    let text = without_bom(text.as_bytes());
    if views.is_empty() || file == text {
        return views;
    }
    let comparison = Comparison::new(file, text);
    let lines = source_text::lines(text);
    for view in &mut views {
        move_thread(view, &comparison, &lines);
    }
    find_again(live, path, text, &mut views);
    views
}

/// Maximum number of threads that are looked for in the text because their code is not in the file.
const MAX_GONE: usize = 10;

/// Finds code in the text that is no longer in the file, for example after an undo.
fn find_again(live: &LiveWorkspace, path: &str, text: &[u8], views: &mut [Arc<ThreadView>]) {
    let is_lost =
        |view: &&mut Arc<ThreadView>| view.placement().is_some_and(|at| at.state.is_unrecognised());
    let mut gone = views.iter_mut().filter(is_lost).take(MAX_GONE).peekable();
    if gone.peek().is_none() {
        return;
    }
    let workspace = live.workspace();
    let mut placer = Placer::new(&workspace, &workspace.reviews);
    placer.set_text(path, &String::from_utf8_lossy(text));
    for view in gone {
        let thread = ThreadRef { reviews: workspace.reviews.clone(), path: view.row.file.clone() };
        let Some(found) = place_file(&mut placer, &thread) else { continue };
        if found.state == PlacementState::Gone || found.path != path {
            continue;
        }
        let code = found.start_line.zip(found.end_line).and_then(|(first, last)| {
            let lines = placer.source(path)?.lines.get(first as usize..=last as usize)?.to_vec();
            Some(ExcerptView { path: path.to_owned(), start_line: first, lines })
        });
        if let ThreadBody::Review(body) = &mut Arc::make_mut(view).body {
            (body.placement, body.code) = (Some(found), code);
        }
    }
}

fn move_thread(view: &mut Arc<ThreadView>, comparison: &Comparison<'_>, text: &[String]) {
    let Some((start, end)) = view.placement().and_then(|at| Some((at.start_line?, at.end_line?)))
    else {
        return;
    };
    let found = comparison.place(start, end);
    let ThreadBody::Review(body) = &mut Arc::make_mut(view).body else { return };
    let Some(at) = &mut body.placement else { return };
    at.confidence = at.confidence.min(found.confidence);
    at.state = match (found.state, at.state) {
        (State::Exact, state) => state,
        (State::Shifted, PlacementState::Exact) => PlacementState::Shifted,
        (State::Shifted, state) => state,
        (State::Edited | State::Moved, PlacementState::Replaced) | (State::Replaced, _) => {
            PlacementState::Replaced
        }
        (State::Edited, _) => PlacementState::Edited,
        (State::Moved, _) => PlacementState::Moved,
        (State::Gone | State::Unverified, _) => PlacementState::Gone,
    };
    (at.start_line, at.end_line) = found.lines.unzip();
    body.code = found.lines.map(|(first, last)| ExcerptView {
        path: at.path.clone(),
        start_line: first,
        lines: text.get(first as usize..=last as usize).unwrap_or_default().to_vec(),
    });
}
