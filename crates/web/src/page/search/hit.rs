//! A thread that was found, as a line of the list.

use std::ops::Range;
use std::path::Path;

use skein_model::sanitize::one_line;
use skein_model::view::RowDetail;
use skein_search::Hit;

use super::super::at::at_html;
use super::super::board::ThreadIndex;
use super::super::state_tag::StateTag;
use super::super::whose::Whose;
use super::readable::readable;
use crate::encode::encode;
use crate::escape::escape_code;
use crate::markdown::plain;
use crate::site::AppState;

/// How many characters of a title are shown.
const TITLE: usize = 160;

/// A thread that was found.
pub(super) struct HitLine {
    pub(super) key: String,
    pub(super) kind: &'static str,
    /// Where to look at it; none where that is another workspace's page.
    pub(super) href: Option<String>,
    /// The path of its page, which is the same in every workspace.
    pub(super) page: String,
    /// What it is about, as HTML, with what matches in it.
    pub(super) title: String,
    /// Where it is, as HTML.
    pub(super) place: String,
    pub(super) status: String,
    pub(super) whose: Whose,
    pub(super) state_tag: StateTag,
    /// Who says it, or which part of the thread it is.
    pub(super) label: Option<String>,
    /// The text around the match, as HTML; none where the title says it already.
    pub(super) snippet: Option<String>,
    pub(super) updated: String,
    /// The workspace, where it is another one, and its name.
    pub(super) root: Option<(String, String)>,
    pub(super) id: String,
}

impl HitLine {
    pub(super) fn new(hit: &Hit, site: &AppState, board: &ThreadIndex) -> Self {
        let elsewhere = hit.workspace.as_ref().filter(|root| !is_here(site, root)).cloned();
        let kind = hit.row.kind.as_str();
        let page = page(hit);
        let label = label(hit);
        let (snippet, marks) = readable(hit);
        let text = marked(&snippet, &marks);
        let in_title = hit.part == "title";
        let mut line = Self {
            key: format!("{kind}-{}-{}", hit.row.id, elsewhere.as_deref().unwrap_or_default()),
            kind,
            href: elsewhere.is_none().then(|| page.clone()),
            page,
            title: marked(&plain(&hit.row.title, TITLE), &[]),
            place: at_html(&place(hit)),
            status: hit.row.status.as_deref().unwrap_or_default().to_owned(),
            whose: Whose::new(&hit.row, &site.actor.name),
            state_tag: StateTag::default(),
            label,
            snippet: None,
            updated: hit
                .row
                .updated_at
                .or(hit.row.created_at)
                .map(|at| at.to_string())
                .unwrap_or_default(),
            root: elsewhere.map(|root| {
                let name = Path::new(&root).file_name().unwrap_or_default();
                (root.clone(), name.to_string_lossy().into_owned())
            }),
            id: hit.row.id.clone(),
        };
        if in_title || hit.snippet.trim() == hit.row.title.trim() {
            line.title = text;
        } else {
            line.snippet = Some(text);
        }
        line.place_now(hit, site, board);
        line
    }

    /// Adds where the code of a thread of this workspace is, and who works on it.
    fn place_now(&mut self, hit: &Hit, site: &AppState, board: &ThreadIndex) {
        if self.root.is_some() || !matches!(hit.row.detail, RowDetail::Review(_)) {
            return;
        }
        let Some(note) = board.get(&hit.row.id) else { return };
        self.whose = Whose::new(&note.row, &site.actor.name);
        if let Some(at) = note.placement() {
            self.place = at_html(&at.at());
            self.state_tag = StateTag::new(&note.row, at.state);
        }
    }
}

/// Returns whether the pages of this server show the threads of a workspace.
fn is_here(site: &AppState, root: &str) -> bool {
    let workspace = site.desk.workspace();
    let own = [&workspace.reviews.root, &workspace.checkpoints.root];
    own.contains(&&Path::new(root).to_owned())
}

fn page(hit: &Hit) -> String {
    let id = encode(&hit.row.id);
    match &hit.row.detail {
        RowDetail::Review(_) => format!("/thread/{id}"),
        RowDetail::Checkpoint(_) => format!("/work/{id}"),
        RowDetail::Session(_) => format!("/sessions#s-{id}"),
    }
}

fn place(hit: &Hit) -> String {
    match &hit.row.detail {
        RowDetail::Review(detail) => detail.at.clone().unwrap_or_default(),
        RowDetail::Checkpoint(detail) => {
            let branch = detail.git.as_ref().and_then(|git| git.branch.as_ref());
            branch.map(|branch| branch.redacted().into_owned()).unwrap_or_default()
        }
        RowDetail::Session(detail) => detail.project_name.clone(),
    }
}

/// Says what the text is, where it is not plain.
fn label(hit: &Hit) -> Option<String> {
    match (hit.part, &hit.by, hit.at.as_str()) {
        ("comment", Some(author), _) => Some(one_line(author)),
        ("step", _, Some(step)) => Some(step.to_owned()),
        ("title" | "summary" | "other", ..) => None,
        (part, ..) => Some(part.to_owned()),
    }
}

/// Writes a text as HTML, with what matches marked.
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
    fn only_what_matches_is_marked_and_all_of_it_is_text() {
        let marks = [1..2, 4..5];
        assert_eq!(marked("<a><b", &marks), "&lt;<mark>a</mark>&gt;&lt;<mark>b</mark>");
        assert_eq!(marked("a\u{202e}b", &[]), "a<u>\\u{202e}</u>b");
        // Marks that make no sense mark nothing.
        assert_eq!(marked("äb", &[1..2, 9..12]), "äb");
    }
}
