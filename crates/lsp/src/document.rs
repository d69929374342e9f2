//! The files that are open in the editor.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use skein_model::view::{ExcerptView, PlacementState, PlacementView, ThreadBody, ThreadView};
use skein_workspace::env::canonical;

use crate::buffer::{Buffer, Change};
use crate::position::Encoding;
use crate::tracked_lines::{Lines, follow};
use crate::uri;

/// Time without typing after which threads are placed again.
const PLACING_DEBOUNCE: Duration = Duration::from_millis(150);

/// A file that is open in the editor.
#[derive(Debug)]
pub(crate) struct Document {
    /// Its address as the client names it.
    pub(crate) uri: String,
    pub(crate) file: PathBuf,
    pub(crate) version: i64,
    pub(crate) buffer: Buffer,
    /// When the threads are to be placed again.
    pub(crate) due: Option<Instant>,
    /// Whether the whole text was replaced since the threads were placed, so that their lines are not known.
    pub(crate) is_replaced: bool,
    /// The threads, placed in the text of the editor.
    pub(crate) views: Vec<Arc<ThreadView>>,
    /// The lines of threads by id, moved by each edit since they were placed.
    lines: BTreeMap<String, Lines>,
}

/// The open files by their addresses.
#[derive(Debug, Default)]
pub(crate) struct Documents(BTreeMap<String, Document>);

impl Documents {
    pub(crate) fn open(&mut self, address: &str, version: i64, text: String) {
        let Some(file) = file_of(address) else { return };
        let (uri, buffer) = (address.to_owned(), Buffer::new(text));
        let due = Some(Instant::now());
        let is_replaced = false;
        let (views, lines) = (Vec::new(), BTreeMap::new());
        let document = Document { uri, file, version, buffer, due, is_replaced, views, lines };
        self.0.insert(address.to_owned(), document);
    }

    pub(crate) fn close(&mut self, address: &str) {
        self.0.remove(address);
    }

    pub(crate) fn get(&self, address: &str) -> Option<&Document> {
        self.0.get(address)
    }

    pub(crate) fn get_mut(&mut self, address: &str) -> Option<&mut Document> {
        self.0.get_mut(address)
    }

    /// Returns an open file by its path.
    pub(crate) fn at(&self, file: &Path) -> Option<&Document> {
        self.0.values().find(|document| document.file == file)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Document> {
        self.0.values()
    }

    /// Returns when the next threads are to be placed.
    pub(crate) fn next_due(&self) -> Option<Instant> {
        self.0.values().filter_map(|document| document.due).min()
    }

    /// Returns the addresses of the files whose threads are to be placed by `now`; without it, of all that are to be placed.
    pub(crate) fn due(&self, now: Option<Instant>) -> Vec<String> {
        let is_due = |due: Instant| now.is_none_or(|now| due <= now);
        let due = self.0.values().filter(|document| document.due.is_some_and(is_due));
        due.map(|document| document.uri.clone()).collect()
    }
}

impl Document {
    /// Applies edits. The threads are placed again when the user pauses.
    pub(crate) fn apply(&mut self, changes: &[Change], encoding: Encoding) {
        for change in changes {
            let followed =
                |lines: Lines| follow(lines, &self.buffer, (change.range?, &change.text), encoding);
            let lines = std::mem::take(&mut self.lines).into_iter();
            self.lines = lines.filter_map(|(id, lines)| Some((id, followed(lines)?))).collect();
            self.buffer.apply(change, encoding);
            self.is_replaced |= change.range.is_none();
        }
        self.due = Some(Instant::now() + PLACING_DEBOUNCE);
    }

    /// Takes the threads as they were placed. One that is gone because its lines were edited keeps them.
    pub(crate) fn set_views(&mut self, mut views: Vec<Arc<ThreadView>>) {
        for view in &mut views {
            if let Some(lines) = self.lines.get(&view.row.id).copied() {
                self.keep(view, lines);
            }
        }
        let placed = views.iter().filter_map(|view| {
            let at = view.placement()?;
            Some((view.row.id.clone(), (at.start_line?, at.end_line?)))
        });
        self.lines = placed.collect();
        (self.views, self.is_replaced) = (views, false);
    }

    /// Returns a thread at the lines that it has after the last edit, before it is placed again.
    pub(crate) fn current(&self, view: &Arc<ThreadView>) -> Arc<ThreadView> {
        let placed = self.views.iter().find(|placed| placed.row.id == view.row.id);
        let Some(mut view) = placed.cloned() else { return view.clone() };
        let lines = self.lines.get(&view.row.id).copied();
        let before = view.placement().and_then(|at| at.start_line.zip(at.end_line));
        if lines != before
            && let ThreadBody::Review(body) = &mut Arc::make_mut(&mut view).body
            && let Some(at) = &mut body.placement
        {
            (at.start_line, at.end_line) = lines.unzip();
            if lines.is_none() {
                at.state = PlacementState::Gone;
            }
        }
        view
    }

    fn keep(&self, view: &mut Arc<ThreadView>, (first, last): Lines) {
        let is_gone = |at: &PlacementView| at.state == PlacementState::Gone;
        if !view.placement().is_some_and(is_gone) {
            return;
        }
        if let ThreadBody::Review(body) = &mut Arc::make_mut(view).body
            && let Some(at) = &mut body.placement
        {
            let lines = (first..=last).filter_map(|line| self.buffer.line(line));
            let lines = lines.map(str::to_owned).collect();
            (at.state, at.start_line, at.end_line) =
                (PlacementState::Edited, Some(first), Some(last));
            body.code = Some(ExcerptView { path: at.path.clone(), start_line: first, lines });
        }
    }
}

/// Returns the path of a file below its canonical directory. A link keeps its name, as in the paths of threads.
pub(crate) fn file_of(address: &str) -> Option<PathBuf> {
    let path = uri::to_path(address)?;
    let (dir, name) = (path.parent()?, path.file_name()?);
    Some(canonical(dir).join(name))
}
