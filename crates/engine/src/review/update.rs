//! Applies an operation to the thread that is on disk at this moment.

use std::path::{Path, PathBuf};

use skein_format::review::{EditError, ReviewDoc, ReviewGist, merge};
use skein_store::{Guard, RealFs, ReplaceError, Revision, read_stable, remove, replace};

use super::write_error::WriteError;
use crate::discover::Reviews;
use crate::ids::stem;

/// How often another program may be faster.
const TRIES: usize = 100;

/// Reads the thread, applies `operation`, and replaces what was read.
///
/// Where another program wrote in between, the operation is applied to what it wrote; so an operation must be
/// content to find itself applied already.
pub(crate) fn update(
    reviews: &Reviews,
    guard: &Guard,
    path: &Path,
    operation: &dyn Fn(&mut ReviewDoc) -> Result<(), EditError>,
) -> Result<ReviewDoc, WriteError> {
    update_loaded(reviews, guard, path, load(reviews, path)?, operation)
}

/// Does the same to a thread that was loaded under the lock already.
pub(crate) fn update_loaded(
    reviews: &Reviews,
    guard: &Guard,
    path: &Path,
    loaded: (ReviewDoc, Revision),
    operation: &dyn Fn(&mut ReviewDoc) -> Result<(), EditError>,
) -> Result<ReviewDoc, WriteError> {
    let mut next = Some(loaded);
    for _ in 0..TRIES {
        let (mut doc, revision) = match next.take() {
            Some(loaded) => loaded,
            None => load(reviews, path)?,
        };
        operation(&mut doc)?;
        match replace(&RealFs, guard, path, &revision, doc.to_bytes()) {
            Ok(_) => return Ok(doc),
            Err(ReplaceError::Conflict { kept: None, .. }) => {}
            Err(ReplaceError::Conflict { kept: Some(kept), .. }) => {
                absorb(reviews, guard, path, &kept)?;
            }
            Err(error) => return Err(error.into()),
        }
    }
    Err(WriteError::Busy { path: path.to_owned() })
}

/// Takes over what another program wrote into a file that lost its name meanwhile.
///
/// The stray file goes only when all that it says is in the thread; otherwise it stays beside it, where
/// `doctor` finds it.
fn absorb(reviews: &Reviews, guard: &Guard, path: &Path, kept: &Path) -> Result<(), WriteError> {
    let stray = skein_store::read(kept)?;
    let thread = skein_store::read(path)?;
    let stem = stem(path);
    let store = &reviews.store_path;
    let united = merge(None, &thread.bytes, &stray.bytes, &stem, store, ("thread", "stray"));
    if united.conflicted {
        return Ok(());
    }
    match replace(&RealFs, guard, path, &thread.revision, &united.bytes) {
        Ok(_) => Ok(remove(&RealFs, guard, kept, &stray.revision)?),
        Err(ReplaceError::Conflict { .. }) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Reads a thread that can be written.
pub(crate) fn load(reviews: &Reviews, path: &Path) -> Result<(ReviewDoc, Revision), WriteError> {
    if leads_out(reviews, path) {
        return Err(WriteError::Link { path: path.to_owned() });
    }
    let stem = stem(path);
    let store = &reviews.store_path;
    let snapshot = read_stable(path, &|bytes| ReviewGist::parse(bytes, &stem, store).0.usable())?;
    let (doc, found) = ReviewDoc::parse(snapshot.bytes, &stem, store);
    if doc.head().usable {
        return Ok((doc, snapshot.revision));
    }
    let why = found.first().map_or("", |first| first.message.as_str()).to_owned();
    Err(WriteError::Unusable { path: path.to_owned(), why })
}

/// A thread file that is a link of a stranger's repository must not be a way to write elsewhere.
fn leads_out(reviews: &Reviews, path: &Path) -> bool {
    let is_link = path.symlink_metadata().is_ok_and(|meta| meta.is_symlink());
    let inside = |root: PathBuf| path.canonicalize().is_ok_and(|path| path.starts_with(root));
    is_link && !reviews.root.canonicalize().is_ok_and(inside)
}
