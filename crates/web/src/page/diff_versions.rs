//! Numbers by which changes of files are told apart.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{Arc, Mutex, PoisonError};

use skein_model::view::{Diff, DiffFile};

/// The numbers of so many comparisons are kept.
const CAPACITY: usize = 4;

/// The numbers of the files of comparisons that were shown last.
#[derive(Default)]
pub(crate) struct DiffVersions(Mutex<VecDeque<Marked>>);

/// A comparison with the numbers of its files.
type Marked = (Arc<Diff>, Arc<[u64]>);

impl DiffVersions {
    /// Returns a number for each file of a comparison.
    pub(crate) fn file_versions(&self, diff: &Arc<Diff>) -> Arc<[u64]> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, marks)) = kept.iter().find(|(known, _)| Arc::ptr_eq(known, diff)) {
            return marks.clone();
        }
        let marks: Arc<[u64]> = diff.files.iter().map(mark).collect();
        kept.push_front((diff.clone(), marks.clone()));
        kept.truncate(CAPACITY);
        marks
    }
}

/// Returns a number that is another one as soon as a file differs in another way.
pub(crate) fn mark(file: &DiffFile) -> u64 {
    let mut hasher = DefaultHasher::new();
    (&file.path, &file.old_path, file.status, file.binary).hash(&mut hasher);
    for hunk in &file.hunks {
        // The numbers of the lines follow from those of the heading.
        hunk.header.hash(&mut hasher);
        for line in &hunk.lines {
            hasher.write(line.kind.as_bytes());
            line.text.hash(&mut hasher);
        }
    }
    hasher.finish()
}
