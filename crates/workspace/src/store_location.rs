//! Finds the store of review threads.

use std::path::{Path, PathBuf};

use skein_format::diagnostic::Code;
use skein_format::json::{self, Dialect};
use skein_format::path::WorkspacePath;
use skein_format::review::ReviewRef;
use skein_format::span::Span;
use skein_model::normalize_path::stem;
use skein_model::view::FileDiagnostic;

use crate::layout::ReviewStore;
use crate::owners::Owners;
use crate::settings::Settings;

/// The default name of the store.
pub const DEFAULT_STORE: &str = ".code-review";

/// Maximum number of files that are read to check whether an unused directory has threads.
const MAX_READ: usize = 20;

/// A directory with the name of the store.
enum StoreCandidate {
    Ours,
    /// Not to be used, with the reason.
    Foreign(&'static str),
    Missing,
}

/// The limits of the search for a store.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds<'a> {
    /// The top of the worktree, where a new store is created.
    pub(crate) top: Option<&'a Path>,
    /// The last directory that is searched; none outside a repository.
    pub(crate) last: Option<&'a Path>,
}

/// Finds the reviews of a directory: the nearest ancestor with a store, else the top of the worktree.
///
/// Directories above `bounds.last` are not searched, so that threads of a repository are never stored outside it. A store of another
/// user is skipped and reported, and so is one with threads that the settings exclude.
pub(crate) fn reviews(
    dir: &Path,
    bounds: Bounds<'_>,
    settings: &Settings,
    owners: &Owners,
) -> (ReviewStore, Vec<FileDiagnostic>) {
    let (mut foreign, mut not_owned, mut unused) = (None, None, None);
    for root in dir.ancestors() {
        let store_path = store_path(root, settings);
        let store = root.join(&store_path);
        unused = unused.or_else(|| unused_store(root, &store_path, settings, owners));
        match judge(root, &store) {
            StoreCandidate::Missing => {}
            _ if !is_own(owners, root, &store) => {
                not_owned = not_owned.or_else(|| Some(not_owned_by_user(&store)));
            }
            StoreCandidate::Ours => {
                let found =
                    ReviewStore { root: root.to_owned(), store_path, exists: true, branch: None };
                return (found, not_owned.into_iter().chain(unused).collect());
            }
            StoreCandidate::Foreign(message) => {
                let path = store.display().to_string();
                foreign = foreign.or_else(|| {
                    Some(FileDiagnostic::new(Code::StoreForeign, &path, None, message))
                });
            }
        }
        if bounds.last == Some(root) {
            break;
        }
    }
    let root = bounds.top.unwrap_or(dir).to_owned();
    let store_path = store_path(&root, settings);
    let found = ReviewStore { root, store_path, exists: false, branch: None };
    (found, not_owned.into_iter().chain(foreign).chain(unused).collect())
}

fn is_own(owners: &Owners, root: &Path, store: &Path) -> bool {
    owners.own(root, &[store.to_owned(), store.join("threads")])
}

/// Reports threads in a directory that would be the store without the settings.
fn unused_store(
    root: &Path,
    used: &str,
    settings: &Settings,
    owners: &Owners,
) -> Option<FileDiagnostic> {
    let is_set = settings.storage_path().is_some();
    let editor = is_set.then(|| from_editor(root)).flatten().and_then(|path| safe(&path));
    let candidates = editor.into_iter().chain([DEFAULT_STORE.to_owned()]);
    candidates.filter(|path| path != used).find_map(|path| {
        let store = root.join(&path);
        let is_other = || store.canonicalize().ok() != root.join(used).canonicalize().ok();
        let is_ours = matches!(judge(root, &store), StoreCandidate::Ours);
        if !is_ours || !is_own(owners, root, &store) || !is_other() || !has_threads(&store, &path) {
            return None;
        }
        let setting =
            if is_set { "`review.storage_path`" } else { "`localCodeReview.storagePath`" };
        let message =
            format!("its threads are not shown, because {setting} names the store {used}");
        Some(FileDiagnostic::new(Code::StoreUnused, store.display().to_string(), None, message))
    })
}

/// Returns whether there is a thread among the first files of a store.
fn has_threads(store: &Path, store_path: &str) -> bool {
    let is_thread = |path: PathBuf| {
        skein_store::read(&path).is_ok_and(|file| {
            ReviewRef::parse_summary(&file.bytes, &stem(&path), store_path).0.head().usable
        })
    };
    let entries = store.join("threads").read_dir().into_iter().flatten().filter_map(Result::ok);
    let files = entries.map(|entry| entry.path());
    let files = files.filter(|path| path.extension().is_some_and(|end| end == "md"));
    files.take(MAX_READ).any(is_thread)
}

/// Returns the diagnostic for a store of another user.
pub(crate) fn not_owned_by_user(store: &Path) -> FileDiagnostic {
    let message = "another user owns the store, so it is not used";
    FileDiagnostic::new(Code::StoreNotOwned, store.display().to_string(), None, message)
}

/// Distinguishes a store from another directory of the same name.
fn judge(root: &Path, store: &Path) -> StoreCandidate {
    let threads = store.join("threads");
    if leads_out(root, store) || leads_out(root, &threads) {
        return StoreCandidate::Foreign("a symlink points outside the workspace");
    }
    if threads.is_dir() {
        return StoreCandidate::Ours;
    }
    if store.is_file() {
        return StoreCandidate::Foreign("expected a directory but found a file");
    }
    let Ok(entries) = store.read_dir() else { return StoreCandidate::Missing };
    let names: Vec<String> = entries
        .filter_map(Result::ok)
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| !name.starts_with('.'))
        .collect();
    let is_known = |name: &String| match name.as_str() {
        "AGENTS.md" => true,
        "comments" => holds_json(&store.join("comments")),
        _ => false,
    };
    if names.iter().all(is_known) || is_our_index(&store.join("index.json")) {
        return StoreCandidate::Ours;
    }
    StoreCandidate::Foreign("the directory holds files of another tool and no threads")
}

/// Returns whether a directory contains threads in the format of an older program.
fn holds_json(dir: &Path) -> bool {
    let entries = dir.read_dir().into_iter().flatten().filter_map(Result::ok);
    entries.map(|entry| entry.path()).any(|path| path.extension().is_some_and(|end| end == "json"))
}

/// Returns whether a path is outside the root: the store of an untrusted repository must not be another directory.
fn leads_out(root: &Path, path: &Path) -> bool {
    path.canonicalize().is_ok_and(|path| !path.starts_with(root))
}

fn is_our_index(path: &Path) -> bool {
    let Ok(snapshot) = skein_store::read(path) else { return false };
    let bytes = &snapshot.bytes;
    let root = Span::new(json::bom_len(bytes), bytes.len());
    let version = json::member(bytes, root, Dialect::Json, "schemaVersion");
    matches!(version, Ok(Some(member)) if json::is_one(member.value.of(bytes)))
}

/// Returns the path of the store: from the settings, else from the editor's settings, else the default.
fn store_path(root: &Path, settings: &Settings) -> String {
    let set = settings.storage_path().map(str::to_owned).or_else(|| from_editor(root));
    set.and_then(|path| safe(&path)).unwrap_or_else(|| DEFAULT_STORE.to_owned())
}

/// Returns the path from a setting, if it is inside the workspace.
fn safe(path: &str) -> Option<String> {
    WorkspacePath::parse(path, "").ok().map(|path| path.to_string())
}

fn from_editor(root: &Path) -> Option<String> {
    let (bytes, value) = editor_setting(root, "localCodeReview.storagePath")?;
    let mut reader = json::Reader::new(&bytes, value, Dialect::Jsonc);
    let text = reader.string_or_skip().ok()??;
    Some(text.to_text(&bytes))
}

/// Returns whether the editor's settings restrict comments to changed lines, if set.
pub fn only_changes(root: &Path) -> Option<bool> {
    let (bytes, value) = editor_setting(root, "localCodeReview.onlyCommentOnChanges")?;
    match value.of(&bytes) {
        b"true" => Some(true),
        b"false" => Some(false),
        _ => None,
    }
}

/// Finds a value in the editor's settings of a workspace.
fn editor_setting(root: &Path, name: &str) -> Option<(Vec<u8>, Span)> {
    let path = root.join(".vscode").join("settings.json");
    let bytes = skein_store::read(&path).ok()?.bytes;
    let all = Span::new(json::bom_len(&bytes), bytes.len());
    let found = json::member(&bytes, all, Dialect::Jsonc, name).ok()??;
    Some((bytes, found.value))
}
