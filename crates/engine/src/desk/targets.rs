//! Which directories are watched.

use std::collections::BTreeSet;
use std::fs::{self, Metadata};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use skein_git::Layout;
use skein_store::{Kind, Target};

use crate::discover::Workspace;
use crate::env::Env;
use crate::review::{MARK, claim, draft};
use crate::settings::{self, REPOSITORY_FILE};
use crate::work::LOCKS;

/// References are spread over folders, of which so many are looked into.
const MOST_FOLDERS: usize = 500;

/// Returns the directories that matter whatever is shown.
pub(super) fn core(workspace: &Workspace, env: &Env) -> Vec<Target> {
    let mut all = vec![
        target(workspace.reviews.threads(), Kind::Review, |name| name.ends_with(".md")),
        target(draft::dir(workspace, env), Kind::Review, |name| name.ends_with(".md")),
        target(workspace.dirs(env).state, Kind::Review, |name| name == MARK),
    ];
    let claims = claim::dirs(workspace, env);
    all.extend(claims.map(|dir| target(dir, Kind::Review, |name| name.ends_with(".json"))));
    let checkpoints = &workspace.checkpoints;
    for dir in [checkpoints.threads(), checkpoints.legacy()] {
        all.push(target(dir, Kind::Checkpoint, |name| name.ends_with(".json")));
    }
    // Who takes work makes a directory there; a renewal is seen when everything is looked at again.
    let locks = checkpoints.threads().join(LOCKS);
    all.push(target(locks, Kind::Checkpoint, |name| name.ends_with(".lock")));
    all.extend(workspace.sessions.file().into_iter().flat_map(map));
    all.extend(places(workspace, env));
    if let Some(layout) = &workspace.git {
        all.extend(repository(layout));
    }
    all
}

/// Returns the directories of files under review, for folders from the root of the reviews.
pub(super) fn sources<'a>(
    root: &Path,
    folders: impl IntoIterator<Item = &'a String>,
) -> Vec<Target> {
    let source = |folder: &String| {
        let dir = if folder.is_empty() { root.to_owned() } else { root.join(folder) };
        target(dir, Kind::Source, |name| name != ".git")
    };
    folders.into_iter().map(source).collect()
}

/// What decides where things are: the settings, and stores that are nearer than the one that was found.
pub(crate) fn places(workspace: &Workspace, env: &Env) -> Vec<Target> {
    let reviews = &workspace.reviews;
    let dir = env.dir.canonicalize().unwrap_or_else(|_| env.dir.clone());
    let nearer = dir.ancestors().take_while(|dir| *dir != reviews.root);
    let nearer = nearer.filter(|dir| dir.starts_with(&reviews.root));
    let mut all: Vec<Target> = nearer
        .map(|dir| target(dir.join(&reviews.store_path).join("threads"), Kind::Settings, |_| false))
        .collect();
    let top = workspace.git.as_ref().and_then(|git| git.top.clone()).unwrap_or(dir);
    all.push(target(top, Kind::Settings, |name| name == REPOSITORY_FILE));
    all.push(target(reviews.root.join(".vscode"), Kind::Settings, |name| name == "settings.json"));
    let user = settings::user_file(env);
    if let Some(dir) = user.as_deref().and_then(Path::parent) {
        all.push(target(dir.to_owned(), Kind::Settings, |name| name == "config.toml"));
    }
    all
}

/// Returns the directories in which a session map is written: a link's own one, and that of the file it leads to.
pub(crate) fn map(file: &Path) -> Vec<Target> {
    let real = file.canonicalize().ok();
    let mut dirs: Vec<PathBuf> = [Some(file), real.as_deref()]
        .iter()
        .flatten()
        .filter_map(|path| path.parent())
        .map(Path::to_owned)
        .collect();
    dirs.dedup();
    dirs.into_iter().map(|dir| target(dir, Kind::Session, |_| true)).collect()
}

fn repository(layout: &Layout) -> Vec<Target> {
    let (own, common) = (&layout.git_dir, &layout.common_dir);
    let mut all = vec![
        target(own.clone(), Kind::Repository, |name| matches!(name, "HEAD" | "index")),
        target(common.clone(), Kind::Repository, |name| name == "packed-refs"),
        target(common.join("info"), Kind::Repository, |name| name == "exclude"),
        target(common.join("reftable"), Kind::Repository, |name| !name.ends_with(".lock")),
    ];
    let refs = folders_below(&common.join("refs")).into_iter();
    all.extend(refs.map(|dir| target(dir, Kind::Repository, |name| !name.ends_with(".lock"))));
    all
}

fn folders_below(top: &Path) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::from([top.to_owned()]);
    let mut next = vec![top.to_owned()];
    while let Some(dir) = next.pop().filter(|_| found.len() < MOST_FOLDERS) {
        for entry in dir.read_dir().into_iter().flatten().filter_map(Result::ok) {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) && found.insert(entry.path()) {
                next.push(entry.path());
            }
        }
    }
    found
}

pub(crate) fn target(dir: PathBuf, kind: Kind, accepts: fn(&str) -> bool) -> Target {
    Target { dir, kind, accepts }
}

/// Returns a number that is another one when the repository has something else checked out, staged or named, or a
/// review was submitted: for those who must look because nobody tells them.
pub(super) fn fingerprint(workspace: &Workspace, env: &Env) -> u64 {
    let mut hasher = DefaultHasher::new();
    let mut add = |path: PathBuf, meta: &Metadata| {
        (path, meta.ino(), meta.len(), meta.ctime(), meta.ctime_nsec()).hash(&mut hasher);
    };
    let mut files = vec![workspace.dirs(env).state.join(MARK)];
    if let Some(Layout { git_dir, common_dir, .. }) = &workspace.git {
        let common = ["packed-refs", "info/exclude", "reftable/tables.list"];
        files.extend([git_dir.join("HEAD"), git_dir.join("index")]);
        files.extend(common.map(|name| common_dir.join(name)));
        for dir in folders_below(&common_dir.join("refs")) {
            let entries = dir.read_dir().into_iter().flatten().filter_map(Result::ok);
            let mut entries: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
            entries.sort();
            files.append(&mut entries);
        }
    }
    for path in files {
        if let Ok(meta) = fs::metadata(&path) {
            add(path, &meta);
        }
    }
    hasher.finish()
}
