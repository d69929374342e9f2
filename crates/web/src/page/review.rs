//! The page of changes.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use askama::Template;
use skein_live::FileText;
use skein_model::sanitize::one_line;
use skein_model::view::{Diff, DiffFile, DiffStatus, PlacementState};
use skein_review::ChangesQuery;

use super::card::ThreadCard;
use super::damaged::{DamagedFile, damaged_files};
use super::frame::PageFrame;
use super::section::{FileSource, Section, SectionDetail};
use super::thread_line::ThreadLine;
use super::tree::FileTree;
use super::view_options::ViewOptions;
use super::{PageRequest, PageResult};
use crate::app_state::AppState;
use crate::code::CodeLayout;
use crate::error::{WebError, sentence, ticked};
use crate::request::QueryParams;
use crate::thread_index::{IndexedThread, ThreadIndex};

/// Files are sent with the page until they have this many rows, about three screens; the others are fetched when they are scrolled to. Half of
/// the time until the first paint is the browser's for the elements of the page, and a row has about ten.
const FIRST_ROWS: usize = 150;
/// A file with more changed lines is always fetched.
const MAX_FIRST_LINES: usize = 1_200;
/// The maximum number of threads outside of the changes that are shown.
const MAX_OTHER_THREADS: usize = 40;
/// The maximum number of ranges of lines that a request can unfold.
const MAX_OPEN_RANGES: usize = 1_000;

#[derive(Template)]
#[template(path = "review.html")]
struct ReviewPage {
    frame: PageFrame,
    title: String,
    base: String,
    /// An error, and its hint as HTML.
    trouble: Option<(String, String)>,
    tree: FileTree,
    sections: Vec<Section>,
    lost: Vec<ThreadCard>,
    others: Vec<ThreadLine>,
    damaged: Vec<DamagedFile>,
    more: usize,
    added: usize,
    removed: usize,
    viewed: usize,
    split: bool,
}

/// Shows the changes, with the threads on them.
pub(super) fn page(app: &AppState, (view, params): PageRequest) -> PageResult {
    let query = params.changes();
    let index = app.thread_index();
    let (diff, trouble) = match app.live.changes(&query) {
        Ok(diff) => (diff, None),
        Err(error) => {
            let error = WebError::from(error);
            let hint = ticked(error.hint.as_deref().unwrap_or_default());
            (Arc::new(empty_diff()), Some((sentence(&error.message), hint)))
        }
    };
    let viewer = app.viewer();
    let sections = sections(app, (&query, &diff, &view), &index)?;
    let (mut lost, mut others) = threads_elsewhere(&index, &diff);
    let more = lost.len().saturating_sub(MAX_OTHER_THREADS)
        + others.len().saturating_sub(MAX_OTHER_THREADS);
    lost.truncate(MAX_OTHER_THREADS);
    others.truncate(MAX_OTHER_THREADS);
    super::render(&ReviewPage {
        frame: PageFrame::new(app, &view, "changes", "Changes"),
        title: if trouble.is_some() { "Compare".to_owned() } else { one_line(&diff.title) },
        base: query.base.unwrap_or_default(),
        trouble,
        tree: FileTree::new(&sections, &index),
        added: sections.iter().map(|section| section.added).sum(),
        removed: sections.iter().map(|section| section.removed).sum(),
        viewed: sections.iter().filter(|section| section.viewed).count(),
        split: view.layout == CodeLayout::Split,
        sections,
        lost: lost.into_iter().map(|thread| ThreadCard::new(thread, viewer)).collect(),
        others: others.into_iter().map(|thread| ThreadLine::new(thread, viewer)).collect(),
        damaged: damaged_files(app, &index),
        more,
    })
}

fn empty_diff() -> Diff {
    Diff {
        title: String::new(),
        files: Vec::new(),
        threads: Vec::new(),
        submodules: Vec::new(),
        is_worktree: true,
    }
}

/// Returns the sections of the changed files.
fn sections(
    app: &AppState,
    (query, diff, view): (&ChangesQuery, &Diff, &ViewOptions),
    index: &ThreadIndex,
) -> Result<Vec<Section>, WebError> {
    let viewed = skein_review::viewed(&app.live.workspace());
    let mut rows_left = FIRST_ROWS;
    let section = |file: &DiffFile| {
        let lines = file.added + file.removed;
        let fits = !view.live && rows_left > 0 && lines <= MAX_FIRST_LINES;
        let viewed = viewed.get(&file.path);
        let is_needed = fits || viewed.is_some() || file.binary;
        let text = is_needed.then(|| app.live.text(query, &file.path)).flatten();
        let content = if is_needed { content(app, file, text.as_deref()) } else { String::new() };
        let is_viewed = viewed.is_some_and(|viewed| *viewed == content);
        let is_sent = fits && !is_viewed;
        let detail = if is_sent { SectionDetail::Normal } else { SectionDetail::Head };
        let source = FileSource {
            file,
            text: text.as_ref().map(|text| text.lines.as_slice()),
            content: &content,
            byte_len: byte_len(app, diff, file),
            threads: index.on(&file.path),
            viewed: is_viewed,
            is_worktree: diff.is_worktree,
            layout: view.layout,
            viewer: app.viewer(),
        };
        let section = Section::cached(&source, &detail, &app.html_cache)?;
        if is_sent {
            rows_left = rows_left.saturating_sub(section.row_count(&source));
        }
        Ok(section)
    };
    diff.files.iter().map(section).collect()
}

/// Returns the size of a file without text, if the new side is the worktree.
fn byte_len(app: &AppState, diff: &Diff, file: &DiffFile) -> Option<u64> {
    if !file.binary || !diff.is_worktree {
        return None;
    }
    let path = app.live.workspace().reviews.root.join(&file.path);
    path.symlink_metadata().ok().map(|metadata| metadata.len())
}

/// Returns the hash of a file, which shows whether it has changed since it was viewed; empty for a deleted file.
fn content(app: &AppState, file: &DiffFile, text: Option<&FileText>) -> String {
    let other = || app.live.content(&file.path).filter(|_| file.status != DiffStatus::Deleted);
    text.map(|text| text.content.clone()).or_else(other).unwrap_or_default()
}

/// Returns the section of one file, with the lines that were unfolded; `None` if the file does not differ (any more).
pub(super) fn section(
    app: &AppState,
    view: &ViewOptions,
    params: &QueryParams,
    path: &str,
) -> Result<Option<Section>, WebError> {
    let query = params.changes();
    let diff = app.live.changes(&query)?;
    let Some(file) = diff.files.iter().find(|file| file.path == path) else { return Ok(None) };
    let index = app.thread_index();
    let text = app.live.text(&query, path);
    let content = content(app, file, text.as_deref());
    let viewed = skein_review::viewed(&app.live.workspace());
    let open = open_ranges(params);
    let all = params.get("all").is_some();
    let detail = if all { SectionDetail::All(&open) } else { SectionDetail::Normal };
    let source = FileSource {
        file,
        text: text.as_ref().map(|text| text.lines.as_slice()),
        content: &content,
        byte_len: byte_len(app, &diff, file),
        threads: index.on(path),
        viewed: viewed.get(path).is_some_and(|viewed| *viewed == content),
        is_worktree: diff.is_worktree,
        layout: view.layout,
        viewer: app.viewer(),
    };
    Section::cached(&source, &detail, &app.html_cache).map(Some)
}

/// Returns the lines that a request unfolds, counted from 0. In the request they are ranges such as `12-40`, counted from 1.
pub(super) fn open_ranges(params: &QueryParams) -> Vec<Range<u32>> {
    let range = |text: &str| {
        let (from, to) = text.split_once('-')?;
        let (from, to): (u32, u32) = (from.parse().ok()?, to.parse().ok()?);
        Some(from.checked_sub(1)?..to)
    };
    params.all("open").take(MAX_OPEN_RANGES).filter_map(range).collect()
}

/// Returns open threads whose code was not found, and those on files that did not change.
fn threads_elsewhere<'a>(
    index: &'a ThreadIndex,
    diff: &Diff,
) -> (Vec<&'a IndexedThread>, Vec<&'a IndexedThread>) {
    let changed: BTreeSet<&str> = diff.files.iter().map(|file| file.path.as_str()).collect();
    let is_elsewhere = |thread: &&IndexedThread| {
        thread.row.usable
            && thread.row.status.as_deref() != Some("resolved")
            && !thread.path().is_some_and(|path| changed.contains(path))
    };
    let is_lost = |thread: &&IndexedThread| {
        thread.placement().is_some_and(|place| {
            matches!(place.state, PlacementState::Gone | PlacementState::Unverified)
        })
    };
    index.threads.iter().map(AsRef::as_ref).filter(is_elsewhere).partition(is_lost)
}
