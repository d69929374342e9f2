//! The names of all threads, without reading them.

use std::path::{Path, PathBuf};

use skein_format::checkpoint::{CheckpointFileKind, is_legacy_file, is_thread_file};
use skein_format::id::CheckpointId;
use skein_format::session::Mode;
use skein_model::Kind;
use skein_workspace::{CheckpointStore, ReviewStore, Workspace};

use crate::rows::session;

/// The name of a thread, for lookup by id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadName {
    pub kind: Kind,
    pub id: String,
    form: Option<CheckpointFileKind>,
    pub path: PathBuf,
}

impl ThreadName {
    /// Returns the kind of file of a checkpoint.
    pub(crate) fn form(&self) -> CheckpointFileKind {
        self.form.unwrap_or(CheckpointFileKind::Thread)
    }

    pub(crate) fn name(&self) -> (Kind, &str) {
        (self.kind, &self.id)
    }
}

/// Returns the names of all threads of the workspace.
pub fn names(workspace: &Workspace) -> Vec<ThreadName> {
    let mut all = match workspace.reviews.exists {
        true => review_names(&workspace.reviews),
        false => Vec::new(),
    };
    all.append(&mut checkpoint_names(&workspace.checkpoints));
    if let Some(file) = workspace.sessions.file() {
        let (kind, form, path) = (Kind::Session, None, file.to_owned());
        let ids = session_ids(file, workspace.settings.session_mode()).into_iter();
        all.extend(ids.map(|id| ThreadName { kind, id, form, path: path.clone() }));
    }
    all
}

/// Returns the names of the checkpoints; a thread hides a legacy one of the same id.
pub fn checkpoint_names(checkpoints: &CheckpointStore) -> Vec<ThreadName> {
    let dirs = checkpoints.thread_dirs();
    let mut all: Vec<ThreadName> =
        dirs.iter().flat_map(|dir| checkpoints_in(dir, CheckpointFileKind::Thread)).collect();
    if checkpoints.local.is_some() {
        all.sort_by(|a, b| a.id.cmp(&b.id));
        all.dedup_by(|a, b| a.id == b.id);
    }
    let legacy = checkpoints_in(&checkpoints.legacy(), CheckpointFileKind::Legacy);
    all.extend(legacy.into_iter().filter(|named| !checkpoints.replaces_legacy(&named.id)));
    all
}

/// Returns the names of the checkpoints of one directory.
pub(crate) fn checkpoints_in(dir: &Path, form: CheckpointFileKind) -> Vec<ThreadName> {
    let is_one = |name: &str| is_checkpoint(name, form);
    names_in(dir, (Kind::Checkpoint, Some(form)), ".json", is_one)
}

pub(crate) fn is_checkpoint(name: &str, form: CheckpointFileKind) -> bool {
    match form {
        CheckpointFileKind::Thread => is_thread_file(name),
        CheckpointFileKind::Legacy => is_legacy_file(name),
    }
}

/// Returns the names of the review threads of one store.
pub fn review_names(reviews: &ReviewStore) -> Vec<ThreadName> {
    let is_one = |name: &str| !name.starts_with('.');
    names_in(&reviews.threads(), (Kind::Review, None), ".md", is_one)
}

/// Returns the names in one directory, sorted by id.
fn names_in(
    dir: &Path,
    (kind, form): (Kind, Option<CheckpointFileKind>),
    suffix: &str,
    is_one: impl Fn(&str) -> bool,
) -> Vec<ThreadName> {
    let entries = dir.read_dir().into_iter().flatten().filter_map(Result::ok);
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let named = names.filter(|name| is_one(name)).filter_map(|name| {
        let id = name.strip_suffix(suffix)?.to_owned();
        Some(ThreadName { kind, id, form, path: dir.join(name) })
    });
    let mut all: Vec<ThreadName> = named.collect();
    all.sort_unstable_by(|a, b| a.id.cmp(&b.id));
    all
}

/// Returns the items that `text` identifies: those with this id, else those with this slug, else those whose id or slug starts with it.
pub fn matching<'a, T>(text: &str, all: &'a [T], name: impl Fn(&T) -> (Kind, &str)) -> Vec<&'a T> {
    let slug = |one: &T| slug_of(name(one).0, name(one).1);
    let tests: [&dyn Fn(&T) -> bool; 3] =
        [&|one| name(one).1 == text, &|one| slug(one).as_deref() == Some(text), &|one| {
            name(one).1.starts_with(text) || slug(one).is_some_and(|slug| slug.starts_with(text))
        }];
    let hits = tests.iter().map(|test| all.iter().filter(|one| test(one)).collect::<Vec<_>>());
    let mut hits = hits.filter(|hits| !hits.is_empty() && !text.is_empty());
    hits.next().unwrap_or_default()
}

/// Returns the slug in the id of a checkpoint: the part after the time.
pub fn slug_of(kind: Kind, id: &str) -> Option<String> {
    let id = CheckpointId::parse(id).filter(|_| kind == Kind::Checkpoint)?;
    Some(id.slug().to_owned())
}

/// Returns the ids of the sessions of a map.
pub fn session_ids(file: &Path, mode: Mode) -> Vec<String> {
    let Ok((doc, _)) = session::map(file) else {
        return Vec::new();
    };
    doc.load(mode).mappings.into_iter().map(|mapping| mapping.session_id.into_owned()).collect()
}
