//! The threads of one directory.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use skein_catalog::review_thread::ReviewThread;
use skein_catalog::rows::unreadable;
use skein_format::diagnostic::Code;
use skein_model::Kind;
use skein_model::view::{FileDiagnostic, ReviewBody, ThreadBody, ThreadView};
use skein_store::{Chunk, ReadError, ScanOptions, Stamp, Visit, scan};
use skein_workspace::settings::Settings;
use skein_workspace::{ReviewStore, Workspace};

use super::placed_thread::PlacedThread;

/// A file that makes no sense may be in the middle of being written, for so long.
const HALF_WRITTEN_GRACE: Duration = Duration::from_millis(250);
/// Most files fit into this, so that one read gets them whole.
const FIRST_READ_BYTES: usize = 64 * 1024;

/// The threads of one directory, by the names of their files.
pub(super) struct ReviewDir {
    dir: PathBuf,
    is_drafts: bool,
    pub(super) cards: BTreeMap<String, PlacedThread>,
    /// The files that made no sense when they were read, and when that began.
    unsettled: BTreeMap<String, Instant>,
    pub(super) diagnostic: Option<FileDiagnostic>,
}

impl ReviewDir {
    /// Reads all threads of a directory.
    pub(super) fn load(dir: PathBuf, is_drafts: bool, workspace: &Workspace) -> Self {
        let mut shelf = Self {
            dir,
            is_drafts,
            cards: BTreeMap::new(),
            unsettled: BTreeMap::new(),
            diagnostic: None,
        };
        // A file that is written meanwhile has a later stamp, and is read again.
        let stamps = stamps(&shelf.dir);
        let options =
            ScanOptions { suffix: ".md", keep: is_name, first: FIRST_READ_BYTES, threads: None };
        let found = scan(&shelf.dir, &options, &|name, chunk: Chunk<'_>| {
            if !chunk.whole {
                return Visit::More;
            }
            let thread = shelf.parse(chunk.bytes.to_vec(), name, workspace);
            match thread.doc.head().usable {
                true => Visit::Done((name.to_owned(), thread)),
                false => Visit::Broken((name.to_owned(), thread)),
            }
        });
        match found {
            Ok(found) => {
                let threads = found.values.into_iter().map(|(name, thread)| {
                    let stamp = stamps.get(&name).copied();
                    (name, PlacedThread::new(thread, stamp))
                });
                shelf.cards = threads.collect();
                for file in found.unreadable {
                    let name = file.name.to_string_lossy().into_owned();
                    let card = shelf.unreadable(&name, &file.source.to_string());
                    shelf.cards.insert(name, card);
                }
            }
            Err(error) => {
                let path = error.dir.display().to_string();
                let message = format!("the directory cannot be listed: {}", error.source);
                shelf.diagnostic =
                    Some(FileDiagnostic::new(Code::StoreUnreadable, &path, None, message));
            }
        }
        shelf
    }

    /// Returns the names of files that may not be as they were read.
    pub(super) fn suspects(&self) -> BTreeSet<String> {
        let found = stamps(&self.dir);
        let is_same = |name: &String, stamp: &Stamp| {
            let known = self.cards.get(name).and_then(|card| card.stamp);
            known.is_some_and(|known| stamp.proves(&known))
        };
        let other = found.iter().filter(|(name, stamp)| !is_same(name, stamp));
        let gone = self.cards.keys().filter(|name| !found.contains_key(*name));
        other.map(|(name, _)| name).chain(gone).cloned().collect()
    }

    /// Reads a file again; returns whether there is something else to place, or nothing any more.
    pub(super) fn read(&mut self, name: &str, workspace: &Workspace) -> bool {
        if !name.ends_with(".md") || !is_name(name) {
            return false;
        }
        let path = self.dir.join(name);
        let stamp = Stamp::from_path(&path);
        let bytes = match skein_store::read(&path) {
            Ok(snapshot) => snapshot.bytes,
            Err(error) => return self.read_failed(name, &path, &error),
        };
        if let Some(card) = self.cards.get_mut(name).filter(|card| card.has_bytes(&bytes)) {
            card.stamp = stamp;
            self.unsettled.remove(name);
            return false;
        }
        let card = PlacedThread::new(self.parse(bytes, name, workspace), stamp);
        if !card.is_usable() && !self.is_patience_over(name) {
            return false;
        }
        self.unsettled.remove(name);
        self.cards.insert(name.to_owned(), card);
        true
    }

    /// Returns the files that should be read again soon.
    pub(super) fn unsettled(&self) -> Vec<String> {
        self.unsettled.keys().cloned().collect()
    }

    fn read_failed(&mut self, name: &str, path: &Path, error: &ReadError) -> bool {
        self.unsettled.remove(name);
        // A file that is there and cannot be read is shown with the reason; one that is gone is not.
        if path.symlink_metadata().is_err() {
            return self.cards.remove(name).is_some();
        }
        let card = self.unreadable(name, &error.reason());
        let same = self.cards.get(name).is_some_and(|old| old.view == card.view);
        self.cards.insert(name.to_owned(), card);
        !same
    }

    fn is_patience_over(&mut self, name: &str) -> bool {
        let since = self.unsettled.entry(name.to_owned()).or_insert_with(Instant::now);
        since.elapsed() >= HALF_WRITTEN_GRACE
    }

    fn parse(&self, bytes: Vec<u8>, name: &str, workspace: &Workspace) -> ReviewThread {
        let (reviews, settings): (&ReviewStore, &Settings) =
            (&workspace.reviews, &workspace.settings);
        let thread = ReviewThread::parse(bytes, &self.dir.join(name), reviews, settings);
        if self.is_drafts { thread.into_draft() } else { thread }
    }

    fn unreadable(&self, name: &str, why: &str) -> PlacedThread {
        let row = unreadable(Kind::Review, &self.dir.join(name), &why);
        PlacedThread::unreadable(ThreadView {
            row,
            body: ThreadBody::Review(ReviewBody::default()),
        })
    }
}

fn is_name(name: &str) -> bool {
    !name.starts_with('.')
}

fn stamps(dir: &Path) -> BTreeMap<String, Stamp> {
    let entries = dir.read_dir().into_iter().flatten().filter_map(Result::ok);
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let names = names.filter(|name| name.ends_with(".md") && is_name(name));
    names
        .filter_map(|name| Some((Stamp::from_path(&dir.join(&name))?, name)))
        .map(|(a, b)| (b, a))
        .collect()
}
