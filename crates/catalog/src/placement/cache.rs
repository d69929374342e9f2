//! A cache of placements, by thread and file.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use skein_anchor::{Placement, State};
use skein_format::review::ReviewDoc;
use skein_git::CommitId;
use skein_store::{RealFs, Revision, RootDirs, lock, write_unsynced};

use super::text::SourceText;

/// To be increased when the format or the placement algorithm changes.
const VERSION: u32 = 7;
/// Maximum number of entries; a larger cache is emptied.
const MAX_ENTRIES: usize = 50_000;

/// The hash of everything that a placement depends on.
pub(super) struct PlacementKey(String);

impl PlacementKey {
    /// Returns the key for a thread, its commit, HEAD, and the text that the thread is placed in.
    pub(super) fn of_file(
        doc: &ReviewDoc,
        commit: Option<&CommitId>,
        head: Option<&CommitId>,
        source: &SourceText,
    ) -> Self {
        Self::new(doc, commit, &format!("{head:?}{}", source.revision()))
    }

    /// Returns the key for a thread, its commit, and HEAD.
    pub(super) fn of_trail(doc: &ReviewDoc, commit: &CommitId, head: &CommitId) -> Self {
        Self::new(doc, Some(commit), head.as_str())
    }

    fn new(doc: &ReviewDoc, commit: Option<&CommitId>, rest: &str) -> Self {
        let head = doc.head();
        let parts = (&head.range, commit, doc.context(), doc.patch());
        let anchor = format!("{parts:?}{:?}", head.path);
        let both = format!("{}{rest}", Revision::from_bytes(anchor.as_bytes()));
        Self(Revision::from_bytes(both.as_bytes()).to_string().chars().take(32).collect())
    }
}

/// The state, the lines and the confidence.
type Found = (String, Option<(u32, u32)>, f32);

/// The location of code in HEAD.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) enum CodeTrail {
    At(CodeSpot),
    /// A commit removed the code; `file` is the path of its file in HEAD.
    Removed {
        file: Option<String>,
    },
}

/// A location in HEAD.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct CodeSpot {
    /// The file, relative to the root of the reviews.
    pub(super) path: String,
    /// The first and the last line.
    pub(super) lines: (u32, u32),
    pub(super) confidence: f32,
    /// Whether a commit moved the code to another place.
    pub(super) is_moved: bool,
    /// Whether a commit replaced the code, so that this is what stands in its place.
    pub(super) is_replaced: bool,
}

#[derive(Debug, Default, Deserialize, Serialize)]
struct File {
    version: u32,
    found: BTreeMap<String, Found>,
    /// The location of code in HEAD; none if no commit changed its file.
    followed: BTreeMap<String, Option<CodeTrail>>,
}

impl File {
    fn len(&self) -> usize {
        self.found.len() + self.followed.len()
    }
}

/// The placements of earlier runs and of this one.
#[derive(Debug)]
pub(super) struct PlacementCache {
    dirs: RootDirs,
    file: File,
    changed: bool,
}

impl PlacementCache {
    /// Reads the cache; a cache of another version is ignored.
    pub(super) fn open(dirs: RootDirs) -> Self {
        let read = skein_store::read(&path(&dirs)).ok();
        let file = read.and_then(|snapshot| serde_json::from_slice::<File>(&snapshot.bytes).ok());
        let file = file.filter(|file| file.version == VERSION && file.len() < MAX_ENTRIES);
        let empty = || File { version: VERSION, ..File::default() };
        Self { dirs, file: file.unwrap_or_else(empty), changed: false }
    }

    pub(super) fn get(&self, key: &PlacementKey) -> Option<Placement> {
        let (state, lines, confidence) = self.file.found.get(&key.0)?;
        let state = State::ALL.into_iter().find(|known| known.as_str() == state)?;
        Some(Placement { state, lines: *lines, confidence: *confidence })
    }

    /// Returns the location of code in HEAD, if it is cached.
    pub(super) fn trail(&self, key: &PlacementKey) -> Option<Option<CodeTrail>> {
        self.file.followed.get(&key.0).cloned()
    }

    pub(super) fn put_trail(&mut self, key: PlacementKey, trail: Option<CodeTrail>) {
        self.make_room();
        self.file.followed.insert(key.0, trail);
        self.changed = true;
    }

    fn make_room(&mut self) {
        if self.file.len() >= MAX_ENTRIES {
            self.file = File { version: VERSION, ..File::default() };
        }
    }

    pub(super) fn put(&mut self, key: PlacementKey, found: Placement) {
        self.make_room();
        let value = (found.state.as_str().to_owned(), found.lines, found.confidence);
        self.file.found.insert(key.0, value);
        self.changed = true;
    }

    /// Merges another cache.
    pub(super) fn absorb(&mut self, other: Self) {
        self.changed |= other.changed;
        self.file.found.extend(other.file.found);
        self.file.followed.extend(other.file.followed);
    }

    /// Writes the cache if it has changed.
    pub(super) fn save(&mut self) {
        if !std::mem::take(&mut self.changed) || self.dirs.ensure_cache(&RealFs).is_err() {
            return;
        }
        let Ok(guard) = lock(&RealFs, &self.dirs.cache, Duration::from_millis(100)) else { return };
        let bytes = serde_json::to_vec(&self.file)
            .expect("strings and numbers under string keys always serialise");
        // Placements that are not saved are computed again.
        drop(write_unsynced(&RealFs, &guard, &path(&self.dirs), &bytes));
    }
}

fn path(dirs: &RootDirs) -> PathBuf {
    dirs.cache.join("placements.json")
}
