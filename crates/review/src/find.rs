//! Finds review threads by id or location.

use std::path::{Path, PathBuf};

use skein_catalog::find::find_review;
use skein_catalog::source_text::leads_to_source;
use skein_catalog::{ThreadLocation, ThreadRef};
use skein_format::review::Status;
use skein_store::open_inside;
use skein_workspace::Workspace;

use super::update::load;
use super::write_error::WriteError;

/// Finds the review thread that `text` identifies; if a location has several, the only open one.
pub fn find(workspace: &Workspace, text: &str) -> Result<ThreadRef, WriteError> {
    find_preferring(workspace, text, Some(Status::Open))
}

/// Finds review threads without duplicates; if a location has several, the only one with the preferred status.
pub fn find_all(
    workspace: &Workspace,
    texts: &[String],
    preferred: Option<Status>,
) -> Result<Vec<ThreadRef>, WriteError> {
    each_once(texts, |text| find_preferring(workspace, text, preferred))
}

/// Finds the threads whose status is to be changed, without duplicates, and checks that all can be written.
///
/// If a location has several threads, the only one with the other status is chosen.
pub fn find_to_settle(
    workspace: &Workspace,
    texts: &[String],
    status: Status,
) -> Result<Vec<ThreadRef>, WriteError> {
    let before = match status {
        Status::Open => Status::Resolved,
        Status::Resolved => Status::Open,
    };
    each_once(texts, |text| {
        let thread = find_preferring(workspace, text, Some(before))?;
        check_published(&thread)?;
        load(&thread).map(|_| thread)
    })
}

/// Finds threads without duplicates.
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
    text: &str,
    preferred: Option<Status>,
) -> Result<ThreadRef, WriteError> {
    match find_review(workspace, text, preferred)? {
        ThreadLocation::Review(thread) => Ok(thread),
        _ => Err(WriteError::OtherKind { id: text.to_owned() }),
    }
}

/// Returns an error for a draft, which others cannot see.
pub(crate) fn check_published(thread: &ThreadRef) -> Result<(), WriteError> {
    match thread.is_published() {
        true => Ok(()),
        false => Err(WriteError::Draft { id: thread.id() }),
    }
}

/// The file with the code of a thread, which is inside of the workspace.
pub struct CodeFile(PathBuf);

impl CodeFile {
    /// Finds the file; none if it does not exist, or a link points outside the workspace.
    ///
    /// A program that opens it follows links, so they are checked first.
    pub fn open(thread: &ThreadRef, path: &str) -> Option<Self> {
        let root = &thread.reviews.root;
        let opens = open_inside(root, path).is_ok() && leads_to_source(&thread.reviews, path);
        opens.then(|| Self(root.join(path)))
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}
