//! The page of changes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use askama::Template;
use axum::extract::{Request, State};
use axum::response::Html;
use skein_engine::review::{self, ChangesQuery};
use skein_engine::view::{Diff, View};
use skein_engine::{Threads, Workspace};

use super::card::{Card, path_of};
use super::frame::Frame;
use super::line::Line;
use super::section::{Material, Section, Wanted};
use super::tree::Tree;
use super::visit::Visit;
use crate::ask::Pairs;
use crate::error::{WebError, sentence, ticked};
use crate::site::Site;

/// How many changed lines come with the page; the others come when they are scrolled to.
const FIRST: usize = 1_200;
/// How many threads apart from the changes are shown; the page of threads has all.
const MOST: usize = 40;

#[derive(Template)]
#[template(path = "review.html")]
struct ReviewPage {
    frame: Frame,
    title: String,
    base: String,
    /// What went wrong, and what to do about it as HTML.
    trouble: Option<(String, String)>,
    tree: Tree,
    sections: Vec<Section>,
    lost: Vec<Card>,
    others: Vec<Line>,
    more: usize,
    added: usize,
    removed: usize,
    viewed: usize,
    split: bool,
}

/// Shows the changes, with the threads on them.
pub(super) async fn page(
    State(site): State<Arc<Site>>,
    request: Request,
) -> Result<Html<String>, WebError> {
    let (parts, _) = request.into_parts();
    let (visit, pairs) = (Visit::of(&site, &parts), Pairs::of(&parts.uri));
    site.run(move |site| super::render(&build(site, &visit, &pairs))).await
}

fn build(site: &Site, visit: &Visit, pairs: &Pairs) -> ReviewPage {
    let query = pairs.changes();
    let threads = site.desk.threads();
    let workspace = site.desk.workspace();
    let (diff, trouble) = match site.desk.changes(&query) {
        Ok(diff) => (diff, None),
        Err(error) => (Arc::new(nothing()), Some(words(&error.into()))),
    };
    let viewer = site.viewer();
    let on = Places::new(&threads);
    let sections = sections(site, &workspace, &Asked { query: &query, diff: &diff, visit }, &on);
    let shown: BTreeSet<&str> = diff.files.iter().map(|file| file.path.as_str()).collect();
    let (mut lost, mut others) = rest(&threads, &shown);
    let more = lost.len().saturating_sub(MOST) + others.len().saturating_sub(MOST);
    lost.truncate(MOST);
    others.truncate(MOST);
    let tree = Tree::new(&sections);
    let sections: Vec<Section> = sections.into_iter().map(|(section, _)| section).collect();
    ReviewPage {
        frame: Frame::new(site, visit, "changes", "Changes"),
        title: if trouble.is_some() { "Compare".to_owned() } else { diff.title.clone() },
        base: query.base.unwrap_or_default(),
        trouble,
        tree,
        added: sections.iter().map(|section| section.added).sum(),
        removed: sections.iter().map(|section| section.removed).sum(),
        viewed: sections.iter().filter(|section| section.viewed).count(),
        split: visit.layout == crate::code::Layout::Split,
        sections,
        lost: lost.into_iter().map(|view| Card::new(view, viewer)).collect(),
        others: others.into_iter().map(|view| Line::new(view, viewer)).collect(),
        more,
    }
}

fn words(error: &WebError) -> (String, String) {
    (sentence(&error.message), ticked(error.hint.as_deref().unwrap_or_default()))
}

fn nothing() -> Diff {
    Diff { title: String::new(), files: Vec::new(), threads: Vec::new(), is_worktree: true }
}

struct Asked<'a> {
    query: &'a ChangesQuery,
    diff: &'a Diff,
    visit: &'a Visit,
}

/// Makes the sections of the changed files, each with the number of its open threads.
fn sections(
    site: &Site,
    workspace: &Workspace,
    asked: &Asked<'_>,
    on: &Places<'_>,
) -> Vec<(Section, usize)> {
    let marks = review::viewed(workspace, &site.env);
    let mut room = FIRST;
    let one = |file| {
        let file: &skein_engine::view::DiffFile = file;
        let views = on.views(&file.path);
        let open =
            views.iter().filter(|view| view.row.status.as_deref() != Some("resolved")).count();
        let lines = file.added + file.removed;
        let fits = !asked.visit.live && lines <= room;
        let mark = marks.get(&file.path);
        let text =
            (fits || mark.is_some()).then(|| site.desk.text(asked.query, &file.path)).flatten();
        let content = text.as_ref().map_or("", |text| text.content.as_str());
        let viewed = mark.is_some_and(|mark| mark == content);
        let wanted = if fits && !viewed { Wanted::Usual } else { Wanted::Head };
        if matches!(wanted, Wanted::Usual) {
            room -= lines;
        }
        let material = Material {
            file,
            text: text.as_ref().map(|text| text.lines.as_slice()),
            content,
            views,
            viewed,
            is_worktree: asked.diff.is_worktree,
            layout: asked.visit.layout,
            viewer: site.viewer(),
        };
        (Section::new(&material, &wanted), open)
    };
    asked.diff.files.iter().map(one).collect()
}

/// Makes the section of one file, with what was unfolded in it.
pub(super) fn section(
    site: &Site,
    visit: &Visit,
    pairs: &Pairs,
    name: &str,
) -> Result<Section, WebError> {
    let query = pairs.changes();
    let diff = site.desk.changes(&query)?;
    let file = diff.files.iter().find(|file| file.path == name);
    let file = file.ok_or_else(|| WebError::not_changed(name))?;
    let threads = site.desk.threads();
    let text = site.desk.text(&query, name);
    let content = text.as_ref().map_or("", |text| text.content.as_str());
    let marks = review::viewed(&site.desk.workspace(), &site.env);
    let open = super::visit::open(pairs);
    let wanted = if pairs.get("all").is_some() { Wanted::All(&open) } else { Wanted::Usual };
    let material = Material {
        file,
        text: text.as_ref().map(|text| text.lines.as_slice()),
        content,
        views: Places::new(&threads).views(name),
        viewed: marks.get(name).is_some_and(|mark| mark == content),
        is_worktree: diff.is_worktree,
        layout: visit.layout,
        viewer: site.viewer(),
    };
    Ok(Section::new(&material, &wanted))
}

/// Threads by the file that their code is in.
pub(super) struct Places<'a>(BTreeMap<&'a str, Vec<&'a View>>);

impl<'a> Places<'a> {
    pub(super) fn new(threads: &'a Threads) -> Self {
        let mut places: BTreeMap<&str, Vec<&View>> = BTreeMap::new();
        for view in threads.views.iter().chain(&threads.drafts) {
            if let Some(path) = path_of(view) {
                places.entry(path).or_default().push(view);
            }
        }
        Self(places)
    }

    /// Returns the threads on a file whose code has a place.
    pub(super) fn views(&self, path: &str) -> Vec<&'a View> {
        self.0.get(path).cloned().unwrap_or_default()
    }
}

/// Returns open threads whose code is gone, and those on files that are not shown.
fn rest<'a>(threads: &'a Threads, shown: &BTreeSet<&str>) -> (Vec<&'a View>, Vec<&'a View>) {
    let mut lost = Vec::new();
    let mut others = Vec::new();
    for view in threads.views.iter().chain(&threads.drafts) {
        if !view.row.usable || view.row.status.as_deref() == Some("resolved") {
            continue;
        }
        let on_page = path_of(view).is_some_and(|path| shown.contains(path));
        let state = super::card::state_of(view);
        match (on_page, state) {
            (true, _) => {}
            (false, "gone" | "unverified") => lost.push(view.as_ref()),
            (false, _) => others.push(view.as_ref()),
        }
    }
    (lost, others)
}
