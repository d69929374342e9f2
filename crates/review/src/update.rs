//! Applies an operation to the current content of a thread file.

use std::path::{Path, PathBuf};

use skein_catalog::ThreadRef;
use skein_format::review::{ReviewDoc, ReviewEditError, ReviewRef, merge};
use skein_model::view::FileDiagnostic;
use skein_store::{DirLock, Edit, RealFs, Revision, read_written};
use skein_workspace::update::{Document, report_displaced};
use skein_workspace::{Env, FileError};

use super::write_error::WriteError;

/// A document that was written, and diagnostics about concurrent versions that could not be merged.
pub(crate) type UpdatedThread = (ReviewDoc, Vec<FileDiagnostic>);

/// Reads the thread, applies `operation`, and replaces the file.
///
/// If another program wrote the file in between, the operation is applied again to the new content, so it must be idempotent.
pub(crate) fn update(
    env: &Env,
    thread: &ThreadRef,
    guard: &DirLock,
    operation: &dyn Fn(&mut ReviewDoc) -> Result<(), ReviewEditError>,
) -> Result<UpdatedThread, WriteError> {
    rewrite(env, thread, guard, &|bytes| {
        let mut doc = parse(bytes.to_vec(), thread)?;
        operation(&mut doc)?;
        Ok(doc)
    })
}

/// Merges another version into a thread, if the two [can be merged](merged).
pub(super) fn merge_into(
    env: &Env,
    thread: &ThreadRef,
    guard: &DirLock,
    other: &[u8],
) -> Result<UpdatedThread, WriteError> {
    rewrite(env, thread, guard, &|bytes| {
        let conflict = || {
            let reason = "its two versions cannot be merged".to_owned();
            WriteError::Unusable { path: thread.path.clone(), reason }
        };
        parse(merged(thread, bytes, other).ok_or_else(conflict)?, thread)
    })
}

/// Merges two versions of a thread; none if there is a conflict.
pub(super) fn merged(thread: &ThreadRef, ours: &[u8], theirs: &[u8]) -> Option<Vec<u8>> {
    let labels = ("thread", "displaced");
    let merged = merge(None, ours, theirs, &thread.id(), &thread.reviews.store_path, labels);
    (!merged.conflicted).then_some(merged.bytes)
}

/// Reads the thread, and replaces it with the result of `operation`.
fn rewrite(
    env: &Env,
    thread: &ThreadRef,
    guard: &DirLock,
    operation: &dyn Fn(&[u8]) -> Result<ReviewDoc, WriteError>,
) -> Result<UpdatedThread, WriteError> {
    check_link(thread)?;
    let path = &thread.path;
    let document = Document {
        guard,
        path,
        mode: 0o666,
        is_complete: &|bytes| is_complete(bytes, thread),
        merge: &|ours, theirs| merged(thread, ours, theirs),
    };
    let updated = document.update(env, |bytes| {
        let doc = operation(bytes.ok_or_else(|| missing(path))?)?;
        Ok::<_, WriteError>(Edit::Write(doc.to_bytes().to_vec(), doc))
    })?;
    Ok((updated.value, report_displaced(path, &updated.displaced)))
}

/// Loads a thread that can be written, once no other program is writing it.
pub(crate) fn load(thread: &ThreadRef) -> Result<(ReviewDoc, Revision), WriteError> {
    check_link(thread)?;
    let is_complete = |bytes: &[u8]| is_complete(bytes, thread);
    let bytes = read_written::<WriteError>(&RealFs, &thread.path, &is_complete)?;
    let bytes = bytes.ok_or_else(|| missing(&thread.path))?;
    let revision = Revision::from_bytes(&bytes);
    Ok((parse(bytes, thread)?, revision))
}

pub(crate) fn is_complete(bytes: &[u8], thread: &ThreadRef) -> bool {
    let summary = || ReviewRef::parse_summary(bytes, &thread.id(), &thread.reviews.store_path).0;
    bytes.ends_with(b"\n") && summary().head().usable
}

fn parse(bytes: Vec<u8>, thread: &ThreadRef) -> Result<ReviewDoc, WriteError> {
    let (doc, found) = thread.parse(bytes);
    if doc.head().usable {
        return Ok(doc);
    }
    let reason = found.first().map_or("", |first| first.message.as_str()).to_owned();
    Err(WriteError::Unusable { path: thread.path.clone(), reason })
}

fn missing(path: &Path) -> WriteError {
    let source = std::io::ErrorKind::NotFound.into();
    skein_store::ReadError::NotFound { path: path.to_owned(), source }.into()
}

/// Refuses a thread file that is a link outside the root: an untrusted repository must not change other files.
fn check_link(thread: &ThreadRef) -> Result<(), WriteError> {
    let ThreadRef { reviews, path } = thread;
    let is_link = path.symlink_metadata().is_ok_and(|meta| meta.is_symlink());
    let inside = |root: PathBuf| path.canonicalize().is_ok_and(|path| path.starts_with(root));
    if is_link && !reviews.root.canonicalize().is_ok_and(inside) {
        return Err(FileError::Link { path: path.to_owned() }.into());
    }
    Ok(())
}
