//! Thread files that can be mended: conflicts that git left, and what was forgotten by hand.

use std::path::{Path, PathBuf};

use skein_format::diagnostic::Code;
use skein_format::review::{ReviewDoc, conflict_count, unite};
use skein_format::time::Time;
use skein_model::normalize_path::stem;
use skein_model::view::{FileDiagnostic, ThreadRow};
use skein_workspace::{Env, ReviewStore};

use super::{CheckReport, Repair};

/// A thread file as it should be.
pub(super) struct RepairedThread {
    pub(super) bytes: Vec<u8>,
    /// What is to be done, a few words each.
    pub(super) said: Vec<String>,
}

/// Takes over the findings of a thread, and plans the repair where there is one.
pub(super) fn examine(stores: &[ReviewStore], row: ThreadRow, env: &Env, report: &mut CheckReport) {
    let file = PathBuf::from(&row.file);
    let mut found = row.diagnostics;
    let reviews = stores.iter().find(|reviews| file.parent() == Some(&reviews.threads()));
    if let Some(reviews) = reviews.filter(|_| found.iter().any(|diag| diag.fixable)) {
        let mended = repaired_file(reviews, &file, env.clock.now());
        settle(&mut found, mended.as_ref(), &row.id, reviews);
        if let Some(mended) = mended {
            let what = mended.said.join("; ");
            report.repairs.push(Repair::Mend { reviews: reviews.clone(), file, what });
        }
    }
    report.diagnostics.extend(found);
}

fn repaired_file(reviews: &ReviewStore, file: &Path, now: Time) -> Option<RepairedThread> {
    // A symlink may lead anywhere: what stands outside of the workspace is not ours to write.
    let root = reviews.root.canonicalize().ok()?;
    let inside = file.canonicalize().is_ok_and(|file| file.starts_with(root));
    let bytes = skein_store::read(file).ok().filter(|_| inside)?.bytes;
    repaired(&bytes, &stem(file), &reviews.store_path, now)
}

/// Mends a thread file; none where nothing would become better.
pub(super) fn repaired(bytes: &[u8], stem: &str, store: &str, now: Time) -> Option<RepairedThread> {
    let conflicts = conflict_count(bytes);
    let mut said = Vec::new();
    let mut current = bytes.to_vec();
    if conflicts > 0 {
        let united = unite(bytes, stem, store)?;
        let left = conflict_count(&united.bytes);
        let usable = |bytes: &[u8]| ReviewDoc::parse(bytes.to_vec(), stem, store).0.head().usable;
        let better = left < conflicts || !usable(bytes);
        if !usable(&united.bytes) || !better {
            return None;
        }
        said.push("unite both sides of the conflict".to_owned());
        if united.conflicted {
            said.push("leave the prose to you".to_owned());
        }
        said.extend(united.notes);
        current = united.bytes;
    }
    let (mut doc, _) = ReviewDoc::parse(current, stem, store);
    said.extend(doc.repair(now).into_iter().map(|one| one.message));
    let bytes = Some(doc.into_bytes()).filter(|mended| mended != bytes)?;
    Some(RepairedThread { bytes, said })
}

/// Says of each finding whether the repair mends it.
fn settle(
    found: &mut [FileDiagnostic],
    mended: Option<&RepairedThread>,
    stem: &str,
    reviews: &ReviewStore,
) {
    let left = mended.map(|mended| {
        let (_, left) = ReviewDoc::parse(mended.bytes.clone(), stem, &reviews.store_path);
        left.into_iter().map(|one| one.code.as_str()).collect::<Vec<_>>()
    });
    let conflicts = [Code::ReviewConflict, Code::ReviewConflictText].map(Code::as_str);
    for diag in found.iter_mut().filter(|diag| diag.fixable) {
        diag.fixable = left.as_ref().is_some_and(|left| !left.contains(&diag.code));
        if !diag.fixable && conflicts.contains(&diag.code) {
            diag.message.push_str("; it takes a person to decide");
        }
    }
}
