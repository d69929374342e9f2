//! Updates documents that other programs also write.

use std::path::{Path, PathBuf};

use skein_format::diagnostic::Code;
use skein_model::view::FileDiagnostic;
use skein_store::{
    DirLock, Edit, Merge, TrashError, Update, UpdateFailure, Updated, copy_to_trash, leftovers,
    move_to_trash,
};

use crate::env::Env;

/// A locked store, ready for writing.
pub struct LockedStore {
    pub guard: DirLock,
    /// Notes for the user, one line each.
    pub notes: Vec<String>,
}

/// A document, and properties of its format.
pub struct Document<'a> {
    /// The lock under which it is written.
    pub guard: &'a DirLock,
    /// The file.
    pub path: &'a Path,
    /// The mode of a new file, before the umask.
    pub mode: u32,
    /// Returns whether these bytes are a complete document.
    pub is_complete: &'a dyn Fn(&[u8]) -> bool,
    /// Merges the versions of two programs; none if they cannot be merged.
    pub merge: Merge<'a>,
}

impl<'a> Document<'a> {
    /// Returns a document for which any content is complete and versions cannot be merged.
    pub fn new(guard: &'a DirLock, path: &'a Path, mode: u32) -> Self {
        Self { guard, path, mode, is_complete: &|_| true, merge: NEVER_MERGE }
    }

    /// Applies `operation` as [`Update::run`] does; versions that cannot be merged are copied to the trash.
    pub fn update<T, E: UpdateFailure + From<TrashError>>(
        &self,
        env: &Env,
        operation: impl FnMut(Option<&[u8]>) -> Result<Edit<T>, E>,
    ) -> Result<Updated<T>, E> {
        let update = Update {
            fs: &*env.fs,
            guard: self.guard,
            path: self.path,
            mode: self.mode,
            is_complete: self.is_complete,
            merge: self.merge,
            keep: &|bytes| {
                let stamp = env.clock.now().compact();
                Ok(copy_to_trash(&*env.fs, &displaced_dir(env), self.path, bytes, &stamp)?)
            },
        };
        update.run(operation)
    }
}

/// Moves temporary files of a killed process in a state directory to the trash.
pub fn clear_leftovers(env: &Env, guard: &DirLock) {
    let found = leftovers(&*env.fs, guard.dir()).unwrap_or_default();
    let stamp = env.clock.now().compact();
    for path in found {
        // If a file cannot be moved, the next write tries again, and `doctor` reports it.
        drop(move_to_trash(&*env.fs, guard, &displaced_dir(env), &path, &stamp));
    }
}

/// Never merges, for formats without a merge.
pub const NEVER_MERGE: Merge<'static> = &|_, _| None;

/// Returns the directory for versions of other programs that could not be merged.
pub fn displaced_dir(env: &Env) -> PathBuf {
    env.dirs.state.join("trash").join("displaced")
}

/// Returns diagnostics about versions of other programs in the trash.
pub fn report_displaced(document: &Path, displaced: &[PathBuf]) -> Vec<FileDiagnostic> {
    let report = |kept: &PathBuf| {
        let what = "another program wrote the file at the same time; its version is in";
        let message = format!("{what} {}", kept.display());
        FileDiagnostic::new(Code::FileDisplaced, document.display().to_string(), None, message)
    };
    displaced.iter().map(report).collect()
}
