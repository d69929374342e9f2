//! Repairs thread files: merge conflicts, and metadata that a manual edit left out.

use std::path::Path;

use skein_format::diagnostic::Code;
use skein_format::review::{ReviewDoc, conflict_count, merge_conflict};
use skein_format::time::Time;
use skein_model::normalize_path::stem;
use skein_model::view::{FileDiagnostic, ThreadRow};
use skein_workspace::{Env, ReviewStore};

use super::{CheckReport, Repair};

/// The repaired content of a thread file.
pub(super) struct RepairedThread {
    pub(super) bytes: Vec<u8>,
    /// The changes, each in a few words.
    pub(super) actions: Vec<String>,
}

/// Adds the findings of a thread, and plans its repair.
pub(super) fn examine(stores: &[ReviewStore], row: ThreadRow, env: &Env, report: &mut CheckReport) {
    let file = row.file;
    let mut found = row.diagnostics;
    let reviews = stores.iter().find(|reviews| file.parent() == Some(&reviews.threads()));
    if let Some(reviews) = reviews.filter(|_| found.iter().any(|diag| diag.fixable)) {
        let repair = repaired_file(reviews, &file, env.clock.now());
        settle(&mut found, repair.as_ref(), &row.id, reviews);
        if let Some(repair) = repair {
            let what = repair.actions.join("; ");
            report.repairs.push(Repair::Thread { reviews: reviews.clone(), file, what });
        }
    }
    report.diagnostics.extend(found);
}

fn repaired_file(reviews: &ReviewStore, file: &Path, now: Time) -> Option<RepairedThread> {
    // A file outside of the workspace, reached through a symbolic link, is not written.
    let root = reviews.root.canonicalize().ok()?;
    let inside = file.canonicalize().is_ok_and(|file| file.starts_with(root));
    let bytes = skein_store::read(file).ok().filter(|_| inside)?.bytes;
    repaired(&bytes, &stem(file), &reviews.store_path, now)
}

/// Returns the repaired thread file; `None` if there is nothing to improve.
pub(super) fn repaired(bytes: &[u8], stem: &str, store: &str, now: Time) -> Option<RepairedThread> {
    let conflicts = conflict_count(bytes);
    let mut actions = Vec::new();
    let mut current = bytes.to_vec();
    if conflicts > 0 {
        let merged = merge_conflict(bytes, stem, store)?;
        let left = conflict_count(&merged.bytes);
        let usable = |bytes: &[u8]| ReviewDoc::parse(bytes.to_vec(), stem, store).0.head().usable;
        let better = left < conflicts || !usable(bytes);
        if !usable(&merged.bytes) || !better {
            return None;
        }
        actions.push("merge both sides of the conflict".to_owned());
        if merged.conflicted {
            actions.push("keep the conflict markers in other text for you to resolve".to_owned());
        }
        actions.extend(merged.notes);
        current = merged.bytes;
    }
    let (mut doc, _) = ReviewDoc::parse(current, stem, store);
    actions.extend(doc.repair(now).into_iter().map(|one| one.message));
    let bytes = Some(doc.into_bytes()).filter(|repair| repair != bytes)?;
    Some(RepairedThread { bytes, actions })
}

/// Marks a finding as fixable only if the repair fixes it.
fn settle(
    found: &mut [FileDiagnostic],
    repair: Option<&RepairedThread>,
    stem: &str,
    reviews: &ReviewStore,
) {
    let left = repair.map(|repair| {
        let (_, left) = ReviewDoc::parse(repair.bytes.clone(), stem, &reviews.store_path);
        left.into_iter().map(|one| one.code.as_str()).collect::<Vec<_>>()
    });
    let conflicts = [Code::ReviewConflict, Code::ReviewConflictText].map(Code::as_str);
    for diag in found.iter_mut().filter(|diag| diag.fixable) {
        diag.fixable = left.as_ref().is_some_and(|left| !left.contains(&diag.code));
        if !diag.fixable && conflicts.contains(&diag.code) {
            diag.message.push_str("; a person must decide");
        }
    }
}
