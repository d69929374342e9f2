//! Applies an operation to the thread that is on disk at this moment.

use std::path::{Path, PathBuf};

use skein_format::review::{EditError, ReviewDoc, ReviewRef, merge};
use skein_model::normalize_path::stem;
use skein_model::view::FileDiagnostic;
use skein_store::{DirLock, Edit, RealFs, Revision, read_written};
use skein_workspace::update::{Document, report_displaced};
use skein_workspace::{Env, FileError, ReviewStore};

use super::write_error::WriteError;

/// A thread that was written.
pub(crate) struct WrittenThread {
    pub(crate) doc: ReviewDoc,
    /// What other programs wrote at the same time and could not be merged.
    pub(crate) diagnostics: Vec<FileDiagnostic>,
}

/// Reads the thread, applies `operation`, and replaces what was read.
///
/// Where another program wrote in between, the operation is applied to what it wrote; so an operation must tolerate to
/// find itself applied already.
pub(crate) fn update(
    env: &Env,
    reviews: &ReviewStore,
    guard: &DirLock,
    path: &Path,
    operation: &dyn Fn(&mut ReviewDoc) -> Result<(), EditError>,
) -> Result<WrittenThread, WriteError> {
    rewrite(env, reviews, guard, path, &|bytes| {
        let mut doc = parse(bytes.to_vec(), path, &reviews.store_path)?;
        operation(&mut doc)?;
        Ok(doc)
    })
}

/// Adds to a thread what another version of it says, where the two [can be merged](merged).
pub(super) fn merge_into(
    env: &Env,
    reviews: &ReviewStore,
    guard: &DirLock,
    path: &Path,
    other: &[u8],
) -> Result<WrittenThread, WriteError> {
    rewrite(env, reviews, guard, path, &|bytes| {
        let conflict = || {
            let why = "its two versions cannot be merged".to_owned();
            WriteError::Unusable { path: path.to_owned(), why }
        };
        let merged = merged(reviews, path, bytes, other).ok_or_else(conflict)?;
        parse(merged, path, &reviews.store_path)
    })
}

/// Merges two versions of a thread; none where a person has to decide.
pub(super) fn merged(
    reviews: &ReviewStore,
    path: &Path,
    ours: &[u8],
    theirs: &[u8],
) -> Option<Vec<u8>> {
    let labels = ("thread", "displaced");
    let merged = merge(None, ours, theirs, &stem(path), &reviews.store_path, labels);
    (!merged.conflicted).then_some(merged.bytes)
}

/// Reads the thread, and replaces what was read with what `operation` makes of it.
fn rewrite(
    env: &Env,
    reviews: &ReviewStore,
    guard: &DirLock,
    path: &Path,
    operation: &dyn Fn(&[u8]) -> Result<ReviewDoc, WriteError>,
) -> Result<WrittenThread, WriteError> {
    check_link(reviews, path)?;
    let (stem, store) = (stem(path), reviews.store_path.as_str());
    let document = Document {
        guard,
        path,
        mode: 0o666,
        is_complete: &|bytes| is_complete(bytes, &stem, store),
        merge: &|ours, theirs| merged(reviews, path, ours, theirs),
    };
    let updated = document.update(env, |bytes| {
        let doc = operation(bytes.ok_or_else(|| missing(path))?)?;
        Ok::<_, WriteError>(Edit::Write(doc.to_bytes().to_vec(), doc))
    })?;
    let diagnostics = report_displaced(path, &updated.displaced);
    Ok(WrittenThread { doc: updated.value, diagnostics })
}

/// Reads a thread that can be written, once no other program is writing it.
pub(crate) fn load(
    reviews: &ReviewStore,
    path: &Path,
) -> Result<(ReviewDoc, Revision), WriteError> {
    check_link(reviews, path)?;
    let (stem, store) = (stem(path), reviews.store_path.as_str());
    let is_complete = |bytes: &[u8]| is_complete(bytes, &stem, store);
    let bytes =
        read_written::<WriteError>(&RealFs, path, &is_complete)?.ok_or_else(|| missing(path))?;
    let revision = Revision::from_bytes(&bytes);
    Ok((parse(bytes, path, store)?, revision))
}

fn is_complete(bytes: &[u8], stem: &str, store: &str) -> bool {
    bytes.ends_with(b"\n") && ReviewRef::parse_summary(bytes, stem, store).0.head().usable
}

fn parse(bytes: Vec<u8>, path: &Path, store: &str) -> Result<ReviewDoc, WriteError> {
    let (doc, found) = ReviewDoc::parse(bytes, &stem(path), store);
    if doc.head().usable {
        return Ok(doc);
    }
    let why = found.first().map_or("", |first| first.message.as_str()).to_owned();
    Err(WriteError::Unusable { path: path.to_owned(), why })
}

fn missing(path: &Path) -> WriteError {
    let source = std::io::ErrorKind::NotFound.into();
    skein_store::ReadError::NotFound { path: path.to_owned(), source }.into()
}

/// Refuses a thread file that is a link out of the root: a stranger's repository must not have other files written.
fn check_link(reviews: &ReviewStore, path: &Path) -> Result<(), WriteError> {
    let is_link = path.symlink_metadata().is_ok_and(|meta| meta.is_symlink());
    let inside = |root: PathBuf| path.canonicalize().is_ok_and(|path| path.starts_with(root));
    if is_link && !reviews.root.canonicalize().is_ok_and(inside) {
        return Err(FileError::Link { path: path.to_owned() }.into());
    }
    Ok(())
}
