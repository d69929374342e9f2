//! Restores checkpoints of worktrees that were removed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;
use skein_catalog::checkpoint_lookup;
use skein_catalog::deleted_reviews::RemovedFrom;
use skein_catalog::rows::checkpoint::row;
use skein_catalog::thread_names::matching;
use skein_format::checkpoint::{CheckpointFileKind, HandoffDoc, merge};
use skein_format::time::Time;
use skein_model::Kind;
use skein_model::normalize_path::stem;
use skein_model::view::FileDiagnostic;
use skein_store::{
    CreateError, DirLock, Edit, Revision, create_new, ensure_dir, lock, move_to_trash, read, remove,
};
use skein_workspace::Workspace;
use skein_workspace::branch_versions::BranchVersions;
use skein_workspace::update::Document;

use super::error::CheckpointError;
use super::removed::{RemovedCheckpoints, branches_path, removed_checkpoints};
use super::{cleanup, index_files, open, store_lock};

const LOCK_TIMEOUT: Duration = Duration::from_secs(5);

/// A checkpoint of a worktree that was removed.
#[derive(Clone, Debug, Serialize)]
pub struct Restorable {
    /// Its id.
    pub id: String,
    /// The title of the checkpoint.
    pub title: String,
    /// The type: `checkpoint`, `auto-checkpoint` or `handoff`.
    #[serde(rename = "type")]
    pub kind: String,
    /// When it was last changed.
    pub updated_at: Option<Time>,
    /// The worktree that it was in.
    pub removed_worktree: RemovedFrom,
    /// The copy.
    #[serde(serialize_with = "skein_model::view::serialize_path")]
    pub file: PathBuf,
}

/// Which checkpoints to restore or dismiss.
#[derive(Clone, Copy, Debug)]
pub enum RestoreSelection<'a> {
    /// Those with these ids or slugs, or prefixes of them.
    Ids(&'a [String]),
    /// Those of a worktree, given by its branch, its directory name or its path.
    Worktree(&'a str),
}

/// The result of restoring or dismissing checkpoints.
#[derive(Debug, Default, Serialize)]
pub struct Restoration {
    /// The checkpoints.
    pub checkpoints: Vec<Restored>,
    /// Notes for the user, one line each.
    pub notes: Vec<String>,
    /// Problems of files.
    pub diagnostics: Vec<FileDiagnostic>,
}

skein_model::word_enum! {
    /// The change made for the copy of a checkpoint.
    RestoreAction {
        Restored = "restored",
        /// Merged with the checkpoint that exists.
        Merged = "merged",
        Dismissed = "dismissed",
    }
}

/// A checkpoint that was restored or dismissed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Restored {
    /// Its id.
    pub id: String,
    pub action: RestoreAction,
    /// The file that it is in.
    pub file: String,
}

/// Lists the checkpoints of removed worktrees that can be restored, the last changed first.
pub fn restorable(workspace: &Workspace) -> Vec<Restorable> {
    let all = removed_checkpoints(workspace, &|_| true);
    let mut all: Vec<Restorable> = all.iter().flat_map(described).collect();
    all.sort_by(|a, b| (b.updated_at, &a.id).cmp(&(a.updated_at, &b.id)));
    all
}

fn described(removed: &RemovedCheckpoints) -> Vec<Restorable> {
    let describe = |below: &PathBuf| {
        let file = removed.dir.join(below);
        let bytes = read(&file).ok()?.bytes;
        let row = row(&bytes, &file, CheckpointFileKind::Thread);
        let kind = row.checkpoint().map(|detail| detail.kind.clone()).unwrap_or_default();
        let removed_worktree = removed_from(removed);
        let (id, title, updated_at) = (row.id, row.title, row.updated_at);
        Some(Restorable { id, title, kind, updated_at, removed_worktree, file })
    };
    removed.files.iter().filter_map(describe).collect()
}

fn removed_from(removed: &RemovedCheckpoints) -> RemovedFrom {
    let root = removed.from.root.display().to_string();
    RemovedFrom { root, branch: removed.from.branch.clone() }
}

/// Writes checkpoints of removed worktrees to the store; an existing one is merged with the copy.
///
/// A copy is removed once the store has its content, so that a crash leaves the copy, the checkpoint, or both. `done` lists the
/// restored checkpoints even if a later one fails.
pub fn restore(
    workspace: &Workspace,
    meant: RestoreSelection<'_>,
    done: &mut Restoration,
) -> Result<(), CheckpointError> {
    let groups = select(workspace, meant)?;
    let opened = open::ensure(workspace)?;
    done.notes.extend(opened.notes);
    let restored = groups.iter().try_for_each(|group| {
        let copies = lock(&*workspace.env.fs, &group.from.dir, LOCK_TIMEOUT)?;
        let branches = BranchVersions::read(workspace, &group.from.branch);
        Restore { workspace, group, store: &opened.guard, copies: &copies, branches }.run(done)
    });
    drop(opened.guard);
    done.diagnostics.extend(index_files::refresh(workspace));
    restored
}

/// Moves the copies of checkpoints of removed worktrees to the trash, so that they are not offered any more.
pub fn dismiss(
    workspace: &Workspace,
    meant: RestoreSelection<'_>,
    done: &mut Restoration,
) -> Result<(), CheckpointError> {
    let env = &workspace.env;
    let trash = cleanup::trash(workspace);
    let stamp = env.clock.now().compact();
    for group in select(workspace, meant)? {
        let copies = lock(&*env.fs, &group.from.dir, LOCK_TIMEOUT)?;
        for below in &group.files {
            let copy = group.dir.join(below);
            let beside = copy.with_extension(CHANGESET);
            if beside.is_file() {
                move_to_trash(&*env.fs, &copies, &trash, &beside, &stamp)?;
            }
            let file = move_to_trash(&*env.fs, &copies, &trash, &copy, &stamp)?;
            let file = file.display().to_string();
            let action = RestoreAction::Dismissed;
            done.checkpoints.push(Restored { id: stem(&copy), action, file });
        }
    }
    Ok(())
}

/// The extension of the file that accompanies a checkpoint.
const CHANGESET: &str = "changeset.json";

/// Finds the checkpoints; at least one.
fn select(
    workspace: &Workspace,
    meant: RestoreSelection<'_>,
) -> Result<Vec<RemovedCheckpoints>, CheckpointError> {
    let mut all = removed_checkpoints(workspace, &|_| true);
    match meant {
        RestoreSelection::Worktree(name) => {
            all.retain(|one| removed_from(one).is_called(name));
            let roots: BTreeSet<String> = all.iter().map(|one| removed_from(one).root).collect();
            let name = name.to_owned();
            match roots.len() {
                0 => Err(CheckpointError::NoRemovedWorktree { name }),
                1 => Ok(all),
                _ => Err(CheckpointError::ManyRemovedWorktrees {
                    name,
                    roots: roots.into_iter().collect(),
                }),
            }
        }
        RestoreSelection::Ids(texts) => {
            let mut ids: Vec<String> =
                all.iter().flat_map(|one| &one.files).map(|file| stem(file)).collect();
            ids.sort();
            ids.dedup();
            let chosen = texts.iter().map(|text| named(&ids, text));
            let chosen: BTreeSet<String> = chosen.collect::<Result<_, _>>()?;
            for one in &mut all {
                one.files.retain(|file| chosen.contains(&stem(file)));
            }
            all.retain(|one| !one.files.is_empty());
            Ok(all)
        }
    }
}

/// Finds the id that a text identifies.
fn named(ids: &[String], text: &str) -> Result<String, CheckpointError> {
    let id = text.to_owned();
    match matching(text, ids, |id| (Kind::Checkpoint, id)).as_slice() {
        [] => Err(CheckpointError::NoneToRestore { id }),
        [one] => Ok((*one).clone()),
        many => {
            let candidates = many.iter().map(|id| (*id).clone()).collect();
            Err(CheckpointError::ManyToRestore { id, candidates })
        }
    }
}

/// Moves the checkpoints of one worktree to the store.
struct Restore<'a> {
    workspace: &'a Workspace,
    group: &'a RemovedCheckpoints,
    store: &'a DirLock,
    copies: &'a DirLock,
    branches: BranchVersions,
}

impl Restore<'_> {
    fn run(mut self, done: &mut Restoration) -> Result<(), CheckpointError> {
        let mut others = Vec::new();
        let mut failed = Ok(());
        for below in &self.group.files {
            match self.one(below) {
                Ok(restored) => {
                    let path = branches_path(self.workspace, below);
                    others.extend(self.branches.has_other(&path).then(|| restored.id.clone()));
                    done.checkpoints.push(restored);
                }
                // The others are restored anyway.
                Err(error) => failed = failed.and(Err(error)),
            }
        }
        self.pointer(&done.checkpoints)?;
        if !others.is_empty() {
            let store = branches_path(self.workspace, Path::new(""));
            let store = store.trim_end_matches('/');
            done.notes.push(format!(
                "The branch {} has earlier versions of {}: before you merge it, commit these with `git add {store} && git commit`",
                self.group.from.branch,
                others.join(", ")
            ));
        }
        failed
    }

    /// Writes one checkpoint, and removes the copy once that is durable.
    fn one(&mut self, below: &Path) -> Result<Restored, CheckpointError> {
        let from = self.group.dir.join(below);
        let id = stem(&from);
        let copy = read(&from)?;
        let base = self.branches.base(&branches_path(self.workspace, below));
        let to = self.target(below)?;
        let document = Document {
            guard: self.store,
            path: &to,
            mode: 0o666,
            is_complete: &|bytes| open::is_usable(bytes, &id),
            merge: &|ours, theirs| merge(None, ours, theirs, &id),
        };
        let updated = document.update(&self.workspace.env, |there| {
            let Some(there) = there else {
                return Ok(Edit::Write(copy.bytes.clone(), RestoreAction::Restored));
            };
            let merged = merge(base.as_deref(), there, &copy.bytes, &id);
            match merged {
                None => Err(CheckpointError::CannotMerge { path: to.clone(), copy: from.clone() }),
                Some(merged) if merged == there => Ok(Edit::Keep(RestoreAction::Merged)),
                Some(merged) => Ok(Edit::Write(merged, RestoreAction::Merged)),
            }
        })?;
        self.beside(&from, &to)?;
        self.remove_copy(&from, &copy.revision)?;
        Ok(Restored { id, action: updated.value, file: to.display().to_string() })
    }

    /// Returns the file to write: the one with this id, else the same relative path in the store.
    fn target(&self, below: &Path) -> Result<PathBuf, CheckpointError> {
        let checkpoints = &self.workspace.checkpoints;
        let found = checkpoint_lookup::exact(checkpoints, &stem(below));
        let found =
            found.and_then(|(form, path)| (form == CheckpointFileKind::Thread).then_some(path));
        let to = found.unwrap_or_else(|| checkpoints.threads().join(below));
        store_lock::inside(checkpoints, &to)?;
        let to = store_lock::copy_up(self.workspace, self.store, &to)?;
        ensure_dir(&*self.workspace.env.fs, to.parent().unwrap_or(&to), 0o777)?;
        Ok(to)
    }

    /// Creates the changeset file of a checkpoint. If a different one exists, it and the copy are kept.
    fn beside(&self, from: &Path, to: &Path) -> Result<(), CheckpointError> {
        let copy = from.with_extension(CHANGESET);
        let Ok(snapshot) = read(&copy) else { return Ok(()) };
        let to = to.with_extension(CHANGESET);
        match create_new(&*self.workspace.env.fs, self.store, &to, &snapshot.bytes, 0o666) {
            Ok(_) => self.remove_copy(&copy, &snapshot.revision),
            Err(CreateError::Exists { .. }) if read(&to)?.revision == snapshot.revision => {
                self.remove_copy(&copy, &snapshot.revision)
            }
            Err(CreateError::Exists { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Restores the pointer if its target was restored, unless the store has a later pointer.
    fn pointer(&self, restored: &[Restored]) -> Result<(), CheckpointError> {
        let from = self.group.dir.join(HandoffDoc::FILE_NAME);
        let Ok(copy) = read(&from) else { return Ok(()) };
        let pointer = HandoffDoc::parse(copy.bytes.clone()).0;
        let target = pointer.last_thread.as_deref();
        if !restored.iter().any(|one| Some(one.id.as_str()) == target) {
            return Ok(());
        }
        let path = self.workspace.checkpoints.written().join(HandoffDoc::FILE_NAME);
        let parsed = |bytes: &[u8]| HandoffDoc::parse(bytes.to_vec()).0;
        let document = Document {
            is_complete: &|bytes| parsed(bytes).usable,
            ..Document::new(self.store, &path, 0o666)
        };
        document.update(&self.workspace.env, |there| {
            let is_later = there.is_none_or(|there| pointer.created_at > parsed(there).created_at);
            Ok::<_, CheckpointError>(match is_later {
                true => Edit::Write(copy.bytes.clone(), ()),
                false => Edit::Keep(()),
            })
        })?;
        self.remove_copy(&from, &copy.revision)
    }

    fn remove_copy(&self, copy: &Path, revision: &Revision) -> Result<(), CheckpointError> {
        Ok(remove(&*self.workspace.env.fs, self.copies, copy, revision)?)
    }
}
