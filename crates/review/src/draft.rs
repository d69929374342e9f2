//! Writes threads that are kept until they are submitted together.

use std::time::Duration;

use skein_catalog::drafts::dir;
use skein_format::review::NewReview;
use skein_store::{CreateError, DirLock, create_new, ensure_dir, lock};
use skein_workspace::update::clear_leftovers;
use skein_workspace::{Env, Workspace};

use super::add::{AddError, Added, added};
use super::open::may_create;
use super::write_error::WriteError;

const LOCK_TIMEOUT: Duration = Duration::from_secs(10);

/// Takes the lock of the drafts, making their directory where it is missing.
pub(crate) fn open(workspace: &Workspace, env: &Env) -> Result<DirLock, WriteError> {
    let dir = dir(workspace, env);
    ensure_dir(&*env.fs, &dir, 0o700)?;
    let guard = lock(&*env.fs, &dir, LOCK_TIMEOUT)?;
    clear_leftovers(env, &guard);
    Ok(guard)
}

/// Keeps threads aside.
pub(super) fn keep(
    workspace: &Workspace,
    env: &Env,
    threads: Vec<NewReview>,
) -> Result<Added, AddError> {
    may_create(workspace)?;
    let guard = open(workspace, env)?;
    let mut written = Vec::new();
    for mut thread in threads {
        loop {
            let path = dir(workspace, env).join(format!("{}.md", thread.id));
            let doc = thread.clone().into_doc(&workspace.reviews.store_path);
            match create_new(&*env.fs, &guard, &path, doc.to_bytes(), 0o600) {
                Ok(_) => {
                    written.push(added((workspace, env), &path, &doc, "drafted"));
                    break;
                }
                Err(CreateError::Exists { .. }) => thread.id = env.ids.next(),
                Err(error) => return Err(WriteError::from(error).into()),
            }
        }
    }
    let mut added = Added { threads: written, notes: Vec::new() };
    added.remember_branch(workspace, env);
    Ok(added)
}
