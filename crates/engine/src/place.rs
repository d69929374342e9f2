//! Finds the store of review threads.

use std::path::Path;

use skein_format::diagnostic::Code;
use skein_format::json::{self, Dialect};
use skein_format::path::WorkspacePath;
use skein_format::span::Span;

use crate::discover::Reviews;
use crate::settings::Settings;
use crate::view::Diag;

/// The store's name where nothing else is set.
pub(crate) const DEFAULT_STORE: &str = ".code-review";

/// A directory under the store's name.
enum Candidate {
    Ours,
    /// Not to be used, and why.
    Foreign(&'static str),
    Missing,
}

/// Finds the reviews of a directory: the nearest ancestor with a store, else the top of the worktree.
///
/// `main` is the top of the main checkout: a linked worktree that lies inside of it has reviews of
/// its own.
pub(crate) fn reviews(
    dir: &Path,
    top: Option<&Path>,
    main: Option<&Path>,
    settings: &Settings,
) -> (Reviews, Option<Diag>) {
    let mut foreign = None;
    for root in dir.ancestors() {
        let above = top.is_some_and(|top| top.starts_with(root) && top != root);
        if above && main.is_some_and(|main| root.starts_with(main) && Some(main) != top) {
            continue;
        }
        let store_path = store_path(root, settings);
        match judge(root, &root.join(&store_path)) {
            Candidate::Ours => {
                let found =
                    Reviews { root: root.to_owned(), store_path, exists: true, branch: None };
                return (found, None);
            }
            Candidate::Foreign(message) if foreign.is_none() => {
                let path = root.join(&store_path).display().to_string();
                foreign = Some(Diag::new(Code::StoreForeign, &path, None, message));
            }
            Candidate::Foreign(_) | Candidate::Missing => {}
        }
    }
    let root = top.unwrap_or(dir).to_owned();
    let store_path = store_path(&root, settings);
    (Reviews { root, store_path, exists: false, branch: None }, foreign)
}

/// Tells our store from somebody else's directory of the same name.
fn judge(root: &Path, store: &Path) -> Candidate {
    let threads = store.join("threads");
    if leads_out(root, store) || leads_out(root, &threads) {
        return Candidate::Foreign("a symlink leads out of the workspace");
    }
    if threads.is_dir() {
        return Candidate::Ours;
    }
    if store.is_file() {
        return Candidate::Foreign("a file stands where the store should be");
    }
    let Ok(entries) = store.read_dir() else {
        return Candidate::Missing;
    };
    let names: Vec<String> = entries
        .filter_map(Result::ok)
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| !name.starts_with('.'))
        .collect();
    if names.iter().all(|name| name == "AGENTS.md") || is_our_index(&store.join("index.json")) {
        return Candidate::Ours;
    }
    Candidate::Foreign("the directory holds files of another tool and no threads")
}

/// A repository may come from a stranger: its store must not be somebody else's directory.
fn leads_out(root: &Path, path: &Path) -> bool {
    path.canonicalize().is_ok_and(|path| !path.starts_with(root))
}

fn is_our_index(path: &Path) -> bool {
    let Ok(snapshot) = skein_store::read(path) else {
        return false;
    };
    let bytes = &snapshot.bytes;
    let root = Span::new(json::bom_len(bytes), bytes.len());
    let version = json::member(bytes, root, Dialect::Json, "schemaVersion");
    matches!(version, Ok(Some(member)) if json::is_one(member.value.of(bytes)))
}

/// Returns the store's path: what is set, else what the editor's settings say, else the default.
fn store_path(root: &Path, settings: &Settings) -> String {
    let set = settings.storage_path().map(str::to_owned).or_else(|| from_editor(root));
    let safe = set.and_then(|path| WorkspacePath::parse(&path, "").ok());
    safe.map_or_else(|| DEFAULT_STORE.to_owned(), |path| path.to_string())
}

fn from_editor(root: &Path) -> Option<String> {
    let (bytes, value) = editor_setting(root, "localCodeReview.storagePath")?;
    let mut reader = json::Reader::new(&bytes, value, Dialect::Jsonc);
    let text = reader.string_or_skip().ok()??;
    Some(text.to_text(&bytes))
}

/// Returns whether the editor's settings restrict comments to changed lines, where they say.
pub(crate) fn only_changes(root: &Path) -> Option<bool> {
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
