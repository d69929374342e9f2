//! The page of changes.

use std::collections::BTreeSet;
use std::sync::Arc;

use askama::Template;
use axum::extract::{Request, State};
use axum::response::Html;
use skein_live::FileText;
use skein_model::view::{Diff, DiffFile};
use skein_review::ChangesQuery;
use skein_workspace::Workspace;

use super::board::{IndexedThread, ThreadIndex};
use super::card::ThreadCard;
use super::frame::PageFrame;
use super::line::Line;
use super::section::{Material, Section, Wanted};
use super::tree::{Counts, Tree};
use super::visit::ViewOptions;
use super::which::Which;
use crate::error::{WebError, sentence, ticked};
use crate::request::QueryParams;
use crate::site::AppState;

/// How many changed lines come with the page; the others come when they are scrolled to.
const FIRST: usize = 1_200;
/// How many threads apart from the changes are shown; the page of threads has all.
const MAX_SHOWN: usize = 40;

#[derive(Template)]
#[template(path = "review.html")]
struct ReviewPage {
    frame: PageFrame,
    title: String,
    base: String,
    /// What went wrong, and what to do about it as HTML.
    trouble: Option<(String, String)>,
    tree: Tree,
    sections: Vec<Section>,
    lost: Vec<ThreadCard>,
    others: Vec<Line>,
    more: usize,
    added: usize,
    removed: usize,
    viewed: usize,
    split: bool,
}

/// Shows the changes, with the threads on them.
pub(super) async fn page(
    State(site): State<Arc<AppState>>,
    request: Request,
) -> Result<Html<String>, WebError> {
    super::show(site, request, build).await
}

fn build(
    site: &AppState,
    visit: &ViewOptions,
    pairs: &QueryParams,
) -> Result<ReviewPage, WebError> {
    let query = pairs.changes();
    let board = site.board();
    let workspace = site.desk.workspace();
    let (diff, trouble) = match site.desk.changes(&query) {
        Ok(diff) => (diff, None),
        Err(error) => (Arc::new(nothing()), Some(words(&error.into()))),
    };
    let viewer = site.viewer();
    let asked = Asked { query: &query, diff: &diff, visit };
    let sections = sections(site, &workspace, &asked, &board)?;
    let shown: BTreeSet<&str> = diff.files.iter().map(|file| file.path.as_str()).collect();
    let (mut lost, mut others) = rest(&board, &shown);
    let more = lost.len().saturating_sub(MAX_SHOWN) + others.len().saturating_sub(MAX_SHOWN);
    lost.truncate(MAX_SHOWN);
    others.truncate(MAX_SHOWN);
    let tree = Tree::new(&sections);
    let sections: Vec<Section> = sections.into_iter().map(|(section, _)| section).collect();
    Ok(ReviewPage {
        frame: PageFrame::new(site, visit, "changes", "Changes"),
        title: if trouble.is_some() { "Compare".to_owned() } else { diff.title.clone() },
        base: query.base.unwrap_or_default(),
        trouble,
        tree,
        added: sections.iter().map(|section| section.added).sum(),
        removed: sections.iter().map(|section| section.removed).sum(),
        viewed: sections.iter().filter(|section| section.viewed).count(),
        split: visit.layout == crate::code::Layout::Split,
        sections,
        lost: lost.into_iter().map(|note| ThreadCard::new(note, viewer)).collect(),
        others: others.into_iter().map(|note| Line::new(note, viewer)).collect(),
        more,
    })
}

fn words(error: &WebError) -> (String, String) {
    (sentence(&error.message), ticked(error.hint.as_deref().unwrap_or_default()))
}

fn nothing() -> Diff {
    Diff { title: String::new(), files: Vec::new(), threads: Vec::new(), is_worktree: true }
}

struct Asked<'a> {
    query: &'a ChangesQuery,
    diff: &'a Arc<Diff>,
    visit: &'a ViewOptions,
}

/// Makes the sections of the changed files, each with the numbers of its open threads and of its drafts.
fn sections(
    site: &AppState,
    workspace: &Workspace,
    asked: &Asked<'_>,
    board: &ThreadIndex,
) -> Result<Vec<(Section, Counts)>, WebError> {
    let seen = skein_review::viewed(workspace, &site.env);
    let marks = site.marks.file_versions(asked.diff);
    let mut room = FIRST;
    let one = |(file, mark): (&DiffFile, &u64)| {
        let notes = board.on(&file.path);
        let count = |which: Which| notes.iter().filter(|note| which.takes(note)).count();
        let threads = (count(Which::Open), count(Which::Drafts));
        let lines = file.added + file.removed;
        let fits = !asked.visit.live && lines <= room;
        let seen = seen.get(&file.path);
        let text =
            (fits || seen.is_some()).then(|| site.desk.text(asked.query, &file.path)).flatten();
        let known = fits || seen.is_some();
        let content = if known { content(site, file, text.as_deref()) } else { String::new() };
        let viewed = seen.is_some_and(|seen| *seen == content);
        let wanted = if fits && !viewed { Wanted::Usual } else { Wanted::Head };
        if matches!(wanted, Wanted::Usual) {
            room -= lines;
        }
        let material = Material {
            file,
            mark: *mark,
            text: text.as_ref().map(|text| text.lines.as_slice()),
            content: &content,
            notes,
            viewed,
            is_worktree: asked.diff.is_worktree,
            layout: asked.visit.layout,
            viewer: site.viewer(),
        };
        Ok((Section::kept(&material, &wanted, &site.drawn)?, threads))
    };
    asked.diff.files.iter().zip(marks.iter()).map(one).collect()
}

/// Names what a file holds, so that it is known whether it was viewed as it is; a file that is gone has no content.
fn content(site: &AppState, file: &DiffFile, text: Option<&FileText>) -> String {
    let other = || site.desk.content(&file.path).filter(|_| file.status != "deleted");
    text.map(|text| text.content.clone()).or_else(other).unwrap_or_default()
}

/// Makes the section of one file, with what was unfolded in it.
pub(super) fn section(
    site: &AppState,
    visit: &ViewOptions,
    pairs: &QueryParams,
    name: &str,
) -> Result<Section, WebError> {
    let query = pairs.changes();
    let diff = site.desk.changes(&query)?;
    let marks = site.marks.file_versions(&diff);
    let mut files = diff.files.iter().zip(marks.iter());
    let found = files.find(|(file, _)| file.path == name);
    let (file, mark) = found.ok_or_else(|| WebError::not_changed(name))?;
    let board = site.board();
    let text = site.desk.text(&query, name);
    let content = content(site, file, text.as_deref());
    let viewed = skein_review::viewed(&site.desk.workspace(), &site.env);
    let open = super::visit::open(pairs);
    let wanted = if pairs.get("all").is_some() { Wanted::All(&open) } else { Wanted::Usual };
    let material = Material {
        file,
        mark: *mark,
        text: text.as_ref().map(|text| text.lines.as_slice()),
        content: &content,
        notes: board.on(name),
        viewed: viewed.get(name).is_some_and(|seen| *seen == content),
        is_worktree: diff.is_worktree,
        layout: visit.layout,
        viewer: site.viewer(),
    };
    Section::kept(&material, &wanted, &site.drawn)
}

/// Returns open threads whose code is gone, and those on files that are not shown.
fn rest<'a>(
    board: &'a ThreadIndex,
    shown: &BTreeSet<&str>,
) -> (Vec<&'a IndexedThread>, Vec<&'a IndexedThread>) {
    let mut lost = Vec::new();
    let mut others = Vec::new();
    for note in &board.notes {
        if !note.row.usable || note.row.status.as_deref() == Some("resolved") {
            continue;
        }
        let on_page = note.path().is_some_and(|path| shown.contains(path));
        let state = note.placement().map_or("", |place| place.state);
        match (on_page, state) {
            (true, _) => {}
            (false, "gone" | "unverified") => lost.push(note.as_ref()),
            (false, _) => others.push(note.as_ref()),
        }
    }
    (lost, others)
}
