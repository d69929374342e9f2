//! Checks the names of checkpoint files, and values that readers ignore.

use std::path::Path;

use skein_catalog::rows::checkpoint::scanning;
use skein_format::checkpoint::{
    CheckpointFileKind, HandoffDoc, examine as examine_file, is_thread_file,
};
use skein_format::diagnostic::{Code, Diagnostic};
use skein_model::view::FileDiagnostic;
use skein_store::{Chunk, Visit, scan};
use skein_workspace::{CheckpointStore, Env};

use super::CheckReport;

/// Checks every file in the directory of threads.
pub(super) fn examine(checkpoints: &CheckpointStore, env: &Env, report: &mut CheckReport) {
    let (dir, options) = scanning(checkpoints, CheckpointFileKind::Thread);
    names(&dir, report);
    let now = env.clock.now();
    let visit = |name: &str, chunk: Chunk<'_>| {
        if !chunk.whole {
            return Visit::More;
        }
        let stem = name.strip_suffix(".json").unwrap_or(name);
        Visit::Done((name.to_owned(), examine_file(chunk.bytes, stem, now)))
    };
    // A directory that cannot be listed is already reported with the threads.
    let mut found: Vec<(String, Vec<Diagnostic>)> =
        scan(&dir, &options, &visit).map(|scan| scan.values).unwrap_or_default();
    found.sort_by(|(a, _), (b, _)| a.cmp(b));
    for (name, found) in found {
        report.diagnostics.extend(FileDiagnostic::all(found, dir.join(name).display().to_string()));
    }
}

/// Reports files that are not listed because of their names.
fn names(dir: &Path, report: &mut CheckReport) {
    let entries = dir.read_dir().into_iter().flatten().filter_map(Result::ok);
    for entry in entries.filter(|entry| entry.path().is_file()) {
        // A name that is not UTF-8 is already reported with the threads.
        let Ok(name) = entry.file_name().into_string() else { continue };
        let others = name.starts_with('.') || name.ends_with(".changeset.json");
        let is_known = is_thread_file(&name) || name == HandoffDoc::FILE_NAME;
        if name.ends_with(".json") && !others && !is_known {
            let message = "the file is not listed, because its name is not that of a checkpoint";
            report.find(Code::CheckpointName, &entry.path(), message.to_owned());
        }
    }
}
