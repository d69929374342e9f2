//! Finds threads in the locations and formats of older programs.

use std::fs::DirEntry;
use std::path::{Path, PathBuf};

use skein_format::diagnostic::Code;
use skein_format::id::is_plain_name;
use skein_format::review::{ReviewDoc, legacy};
use skein_format::time::Time;
use skein_model::normalize_path::stem;
use skein_workspace::{Env, ReviewStore};

use super::{CheckReport, Repair};

/// The location of the store in the first versions.
const FIRST_STORE: &str = ".vscode/.code-review";

/// The migration of a legacy file.
pub(super) struct Migration {
    /// The thread file in the store.
    pub(super) target: PathBuf,
    /// The new content of the thread file; none if the file already has every comment.
    pub(super) bytes: Option<Vec<u8>>,
}

/// Finds legacy threads in the store and in its old location.
pub(super) fn examine(reviews: &ReviewStore, env: &Env, report: &mut CheckReport) {
    for file in files(reviews) {
        let plan = plan(reviews, &file, env.clock.now());
        let fixable = plan.is_ok();
        let message = match plan {
            Ok(_) => "this thread was written by an older program".to_owned(),
            Err(reason) => {
                format!(
                    "this thread was written by an older program and cannot be migrated: {reason}"
                )
            }
        };
        report.find(Code::ReviewLegacy, &file, message);
        if let Some(diag) = report.diagnostics.last_mut() {
            diag.fixable = fixable;
        }
        if fixable {
            report.repairs.push(Repair::Migrate { reviews: reviews.clone(), file });
        }
    }
}

/// Lists the legacy files, in a fixed order.
fn files(reviews: &ReviewStore) -> Vec<PathBuf> {
    let (store, first) = (reviews.store(), reviews.root.join(FIRST_STORE));
    let mut found = in_dir(reviews, &store.join("threads"), &["json"]);
    found.extend(in_dir(reviews, &store.join("comments"), &["json"]));
    if first != store {
        found.extend(in_dir(reviews, &first.join("threads"), &["md", "json"]));
        found.extend(in_dir(reviews, &first.join("comments"), &["json"]));
    }
    found
}

/// Lists the regular files with one of the endings; empty for a directory outside of the workspace.
fn in_dir(reviews: &ReviewStore, dir: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let root = reviews.root.canonicalize();
    let inside = root.is_ok_and(|root| dir.canonicalize().is_ok_and(|dir| dir.starts_with(root)));
    let Some(entries) = dir.read_dir().ok().filter(|_| inside) else {
        return Vec::new();
    };
    let regular = |entry: &DirEntry| entry.file_type().is_ok_and(|kind| kind.is_file());
    let mut found: Vec<PathBuf> =
        entries.filter_map(Result::ok).filter(regular).map(|entry| entry.path()).collect();
    found.retain(|path| {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        endings.contains(&ending) && is_plain_name(&stem(path))
    });
    found.sort();
    found
}

/// Plans the migration of a legacy file, or returns why it cannot be migrated.
pub(super) fn plan(reviews: &ReviewStore, file: &Path, now: Time) -> Result<Migration, String> {
    if !reviews.exists && reviews.store().symlink_metadata().is_ok() && !reviews.threads().is_dir()
    {
        return Err("the path of the store is not a directory".to_owned());
    }
    let bytes = skein_store::read(file).map_err(|error| error.to_string())?.bytes;
    let json = file.extension().is_some_and(|ending| ending == "json");
    let doc = if !json {
        ReviewDoc::parse(bytes, &stem(file), &reviews.store_path).0
    } else {
        legacy::read(&bytes, &stem(file), &reviews.store_path, now).map_err(|found| {
            let first = found.into_iter().next();
            first.map_or_else(|| "it is not a thread".to_owned(), |first| first.message)
        })?
    };
    let id = doc.head().id.clone().filter(|_| json).unwrap_or_else(|| stem(file));
    let target = reviews.threads().join(format!("{id}.md"));
    if target.symlink_metadata().is_err() {
        return Ok(Migration { target, bytes: Some(doc.into_bytes()) });
    }
    let existing = skein_store::read(&target).map_err(|error| error.to_string())?.bytes;
    let same = existing == doc.to_bytes();
    if same || has_all_comments(&ReviewDoc::parse(existing, &id, &reviews.store_path).0, &doc) {
        return Ok(Migration { target, bytes: None });
    }
    Err(format!("the store has another thread `{id}`, which lacks comments of this one"))
}

/// Returns whether a thread is usable and has all comments of another one.
fn has_all_comments(thread: &ReviewDoc, other: &ReviewDoc) -> bool {
    let comments = |doc: &ReviewDoc| -> Vec<(String, String)> {
        doc.comments().into_iter().map(|one| (one.author, one.body)).collect()
    };
    let present = comments(thread);
    let all = other.head().usable && comments(other).iter().all(|one| present.contains(one));
    all && thread.head().usable
}
