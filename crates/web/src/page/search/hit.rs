//! A search hit as a line of the result.

use std::ops::Range;
use std::path::Path;

use skein_model::sanitize::one_line;
use skein_model::view::RowDetail;
use skein_search::{FieldKind, SearchHit};

use super::readable::readable;
use crate::app_state::AppState;
use crate::encode::encode;
use crate::escape::escape_code;
use crate::markdown::plain;
use crate::page::location::location_html;
use crate::page::row_line::{MAX_TITLE_LEN, RowLine};
use crate::page::state_tag::StateTag;
use crate::page::turn_label::TurnLabel;
use crate::thread_index::ThreadIndex;

pub(super) struct HitLine {
    pub(super) line: RowLine,
    /// The page of the thread; none if it is in another workspace.
    pub(super) href: Option<String>,
    /// The path of the page, which is the same in every workspace.
    pub(super) page: String,
    /// The title as HTML, with the match marked.
    pub(super) title: String,
    pub(super) state_tag: StateTag,
    /// The author, or the name of the part of the thread.
    pub(super) label: Option<String>,
    /// The snippet as HTML; none if the title is the snippet.
    pub(super) snippet: Option<String>,
    /// The root and the name of the workspace, if it is another one.
    pub(super) root: Option<(String, String)>,
    pub(super) id: String,
}

impl HitLine {
    pub(super) fn new(hit: &SearchHit, app: &AppState, index: &ThreadIndex) -> Self {
        let elsewhere = hit.workspace.as_ref().filter(|root| !is_here(app, root)).cloned();
        let mut line = RowLine::new(&hit.row, app.viewer());
        line.key = format!("{}-{}", line.key, elsewhere.as_deref().unwrap_or_default());
        let page = match &hit.row.detail {
            RowDetail::Session(_) => format!("/sessions#s-{}", encode(&hit.row.id)),
            _ => line.href.clone(),
        };
        let (snippet, marks) = readable(hit);
        let snippet = marked(&snippet, &marks);
        let is_title = hit.part == FieldKind::Title || hit.snippet.trim() == hit.row.title.trim();
        let title_text = plain(&hit.row.title, MAX_TITLE_LEN);
        let (title, snippet) =
            if is_title { (snippet, None) } else { (marked(&title_text, &[]), Some(snippet)) };
        let mut hit_line = Self {
            href: elsewhere.is_none().then(|| page.clone()),
            page,
            title,
            state_tag: StateTag::default(),
            label: hit.label().map(|label| one_line(&label)),
            snippet,
            root: elsewhere.map(|root| {
                let name = Path::new(&root).file_name().unwrap_or_default();
                (root.clone(), name.to_string_lossy().into_owned())
            }),
            id: hit.row.id.clone(),
            line,
        };
        hit_line.add_location(app, index);
        hit_line
    }

    /// Adds the current location of the code of a thread of this workspace, and who works on it.
    fn add_location(&mut self, app: &AppState, index: &ThreadIndex) {
        if self.root.is_some() || self.line.thread.is_none() {
            return;
        }
        let Some(thread) = index.get(&self.id) else { return };
        self.line.turn = TurnLabel::new(&thread.row, &app.actor.name);
        if let Some(at) = thread.placement() {
            self.line.at = location_html(&at.at());
            self.state_tag = StateTag::new(&thread.row, Some(at));
        }
    }
}

/// Returns whether this server shows the threads of a workspace.
fn is_here(app: &AppState, root: &str) -> bool {
    let workspace = app.live.workspace();
    let own = [&workspace.reviews.root, &workspace.checkpoints.root];
    own.contains(&&Path::new(root).to_owned())
}

/// Returns a text as HTML, with the matches marked.
fn marked(text: &str, marks: &[Range<usize>]) -> String {
    let mut html = String::new();
    let mut from = 0;
    for mark in marks {
        let (before, matching) = (text.get(from..mark.start), text.get(mark.clone()));
        let (Some(before), Some(matching)) = (before, matching) else { continue };
        escape_code(before, &mut html);
        html.push_str("<mark>");
        escape_code(matching, &mut html);
        html.push_str("</mark>");
        from = mark.end;
    }
    escape_code(text.get(from..).unwrap_or_default(), &mut html);
    html
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_matches_are_marked_and_all_text_is_escaped() {
        let marks = [1..2, 4..5];
        assert_eq!(marked("<a><b", &marks), "&lt;<mark>a</mark>&gt;&lt;<mark>b</mark>");
        assert_eq!(marked("a\u{202e}b", &[]), "a<u>\\u{202e}</u>b");
        // Invalid ranges are ignored.
        assert_eq!(marked("äb", &[1..2, 9..12]), "äb");
    }
}
