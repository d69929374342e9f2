//! The threads of a line, whole.

use std::fmt::Write as _;
use std::sync::Arc;

use skein_model::sanitize::{one_line, visible};
use skein_model::truncate::truncate;
use skein_model::view::{PlacementView, ThreadView};
use skein_review::quote::{fenced, inline};

use crate::folder::LoadedFolder;
use crate::markdown::{is_safe, safe};
use crate::thread_line::{code_note, turn};

/// Maximum length of a hover.
const MAX_CHARS: usize = 4_000;
/// Maximum length of the text that was commented on.
const MAX_CODE_CHARS: usize = 800;

/// Returns the threads as Markdown.
pub(crate) fn hover(folder: &LoadedFolder, views: &[&Arc<ThreadView>]) -> String {
    let max_chars = MAX_CHARS / views.len().max(1);
    let texts = views.iter().map(|view| truncate(&thread(folder, view), max_chars));
    let text = texts.collect::<Vec<_>>().join("\n\n---\n\n");
    // Texts that are safe alone can be something else together, for example after a block that is not closed.
    if is_safe(&text) { text } else { fenced("markdown", &text) }
}

fn thread(folder: &LoadedFolder, view: &ThreadView) -> String {
    let Some(body) = view.review_body() else { return String::new() };
    let state = view.row.status.as_deref().unwrap_or("open");
    let certainty = view.placement().and_then(PlacementView::certainty);
    let notes = turn(folder, view).into_iter();
    let notes = notes.chain(code_note(view).map(str::to_owned)).chain(certainty);
    let notes: String =
        notes.filter(|note| note != state).map(|note| format!(", {note}")).collect();
    let mut text = format!("Skein {}: {state}{notes}\n", inline(&folder.short_id(view)));
    if code_note(view).is_some()
        && let Some(old) = &body.selection
    {
        let _infallible = write!(
            text,
            "\nThe comment is about:\n\n{}",
            fenced("", &truncate(old, MAX_CODE_CHARS))
        );
    }
    let clock = folder.live.workspace().env.clock.local();
    for comment in &body.comments {
        let agent = if comment.agent { " (agent)" } else { "" };
        let when = comment.created_at.map(|time| format!(", {}", clock.date_time(time)));
        let _infallible = write!(
            text,
            "\n**{}**{agent}{}\n\n{}\n",
            escape(&one_line(&comment.author)),
            when.unwrap_or_default(),
            safe(&visible(&comment.body)).trim_end()
        );
    }
    text
}

/// Returns a name without characters that Markdown gives a meaning.
fn escape(name: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '.' | '\'');
    name.chars().flat_map(|c| (!is_plain(c)).then_some('\\').into_iter().chain([c])).collect()
}
