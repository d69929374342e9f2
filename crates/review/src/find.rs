//! Finds the review threads that a user names.

use std::path::PathBuf;

use skein_catalog::find::find_review;
use skein_catalog::source_text::leads_to_source;
use skein_catalog::{ThreadLocation, ThreadRef};
use skein_format::review::Status;
use skein_store::open_inside;
use skein_workspace::{Env, Workspace};

use super::update::load;
use super::write_error::WriteError;

/// Finds the review thread that `text` means: of several at a location the only open one.
pub fn find(workspace: &Workspace, env: &Env, text: &str) -> Result<ThreadRef, WriteError> {
    find_preferring(workspace, env, text, Some(Status::Open))
}

/// Finds review threads, each once: of several at a location the only one with the preferred status.
pub fn find_all(
    workspace: &Workspace,
    env: &Env,
    texts: &[String],
    preferred: Option<Status>,
) -> Result<Vec<ThreadRef>, WriteError> {
    each_once(texts, |text| find_preferring(workspace, env, text, preferred))
}

/// Finds the threads that are to get a status, each once, and makes sure that all of them can be written.
///
/// Of several threads at a location the only one that has the other status is meant.
pub fn find_to_settle(
    workspace: &Workspace,
    env: &Env,
    texts: &[String],
    status: Status,
) -> Result<Vec<ThreadRef>, WriteError> {
    let before = match status {
        Status::Open => Status::Resolved,
        Status::Resolved => Status::Open,
    };
    each_once(texts, |text| {
        let thread = find_preferring(workspace, env, text, Some(before))?;
        check_published(&thread)?;
        load(&thread).map(|_| thread)
    })
}

/// Finds threads, each once.
fn each_once(
    texts: &[String],
    find: impl Fn(&str) -> Result<ThreadRef, WriteError>,
) -> Result<Vec<ThreadRef>, WriteError> {
    let mut threads: Vec<ThreadRef> = Vec::new();
    for text in texts {
        let found = find(text)?;
        if !threads.iter().any(|other| other.path == found.path) {
            threads.push(found);
        }
    }
    Ok(threads)
}

fn find_preferring(
    workspace: &Workspace,
    env: &Env,
    text: &str,
    preferred: Option<Status>,
) -> Result<ThreadRef, WriteError> {
    match find_review(workspace, env, text, preferred)? {
        ThreadLocation::Review(thread) => Ok(thread),
        _ => Err(WriteError::OtherKind { id: text.to_owned() }),
    }
}

/// Refuses a draft: others cannot see it.
pub(crate) fn check_published(thread: &ThreadRef) -> Result<(), WriteError> {
    match thread.is_published() {
        true => Ok(()),
        false => Err(WriteError::Draft { id: thread.id() }),
    }
}

/// Returns the file with the code of a thread; none if there is none, or a link leads out of the workspace.
///
/// An editor follows links, so they are checked before it gets the file.
pub fn code_file(thread: &ThreadRef, path: &str) -> Option<PathBuf> {
    let root = &thread.reviews.root;
    let opens = open_inside(root, path).is_ok() && leads_to_source(&thread.reviews, path);
    opens.then(|| root.join(path))
}
