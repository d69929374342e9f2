//! Lines above the code of threads, with what can be done.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::json;
use skein_model::view::ThreadView;

use crate::command_names::{OPEN, REPLY, RESOLVE};
use crate::folder::LoadedFolder;
use crate::protocol::{CodeLens, Command, Position, Range};
use crate::thread_line;

/// Maximum number of threads of a line that have lenses of their own.
const MAX_THREADS: usize = 3;

/// Returns the lenses of the open threads of a file: what it says, and two commands.
pub(crate) fn lenses(folder: &LoadedFolder, views: &[Arc<ThreadView>]) -> Vec<CodeLens> {
    let mut lines: BTreeMap<u32, Vec<&Arc<ThreadView>>> = BTreeMap::new();
    for view in views.iter().filter(|view| thread_line::is_open(view)) {
        lines.entry(thread_line::lines(view).0).or_default().push(view);
    }
    let mut lenses = Vec::new();
    for (line, views) in lines {
        for view in views.iter().take(MAX_THREADS) {
            lenses.extend(of_thread(folder, line, view));
        }
        if let Some(more) = views.len().checked_sub(MAX_THREADS).filter(|more| *more > 0)
            && let Some(next) = views.get(MAX_THREADS)
        {
            lenses.push(lens(line, format!("{more} more"), OPEN, next));
        }
    }
    lenses
}

fn of_thread(folder: &LoadedFolder, line: u32, view: &ThreadView) -> Vec<CodeLens> {
    let count = view.review_body().map_or(0, |body| body.comments.len());
    let comments = if count == 1 { "1 comment".to_owned() } else { format!("{count} comments") };
    let turn = thread_line::turn(folder, view).map(|turn| format!(", {turn}"));
    let title = format!("{comments}{}", turn.unwrap_or_default());
    let mut lenses = vec![lens(line, title, OPEN, view)];
    if !thread_line::is_draft(view) {
        lenses.push(lens(line, "Reply".to_owned(), REPLY, view));
        lenses.push(lens(line, "Resolve".to_owned(), RESOLVE, view));
    }
    lenses
}

fn lens(line: u32, title: String, command: &'static str, view: &ThreadView) -> CodeLens {
    let at = Position { line, character: 0 };
    let command = Command { title, command, arguments: vec![json!(view.row.file)] };
    CodeLens { range: Range { start: at, end: at }, command }
}
