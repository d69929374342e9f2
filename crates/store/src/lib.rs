//! The only writer of thread files: reads, scans, locks, replaces and watches them.
//!
//! The content of a document is opaque: a document is bytes, and its [`Revision`] is their hash. A
//! writer replaces *the bytes it has read*; if the file has changed in the meantime it gets a
//! conflict instead of overwriting it. [`Update`] does all of this for a document that other
//! programs write too: it reads, applies an operation, writes, and retries after a conflict.
//!
//! ```
//! use std::time::Duration;
//! use skein_store::{RealFs, create_new, lock, read, replace};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let dir = tempfile::tempdir()?;
//! # let dir = dir.path();
//! let path = dir.join("a.md");
//! let guard = lock(&RealFs, dir, Duration::from_secs(2))?;
//! create_new(&RealFs, &guard, &path, b"one\n", 0o644)?;
//!
//! let old = read(&path)?;
//! let mut bytes = old.bytes;
//! bytes.extend_from_slice(b"two\n");
//! replace(&RealFs, &guard, &path, &old.revision, &bytes)?;
//! assert_eq!(read(&path)?.bytes, bytes);
//! # Ok(())
//! # }
//! ```
//!
//! Every write path uses the [`Fs`] trait, one method per step, so that a simulation can cut the
//! power between any two steps.
//!
//! # Guarantees
//!
//! - After [`replace`], [`create_new`] and [`remove`] return `Ok`, the change survives a power cut.
//!   A crash at any other time leaves the old or the new document, complete, and at most a temp
//!   file whose name [`is_temp_name`] recognizes and [`leftovers`] finds.
//! - Every function that changes a store requires a [`DirLock`]. Writers that take the lock never
//!   lose each other's updates.
//! - After an error the old document is unchanged, unless the error states otherwise.
//!
//! # Limits
//!
//! - Another program that takes no lock can still lose its own bytes if it opened the file before
//!   the names were exchanged and writes *after* the displaced file was compared: the displaced
//!   file is then deleted. Anything written before the comparison is restored, and the writer gets
//!   a conflict. Such a program may also overwrite newer content with a document that it read
//!   earlier; that cannot be prevented.
//! - If the system cannot exchange two names (NFS, some FUSE file systems, BSD), bytes written
//!   between the last comparison and the rename are lost.
//! - While a conflict is being undone, readers may see the document that is being withdrawn. A
//!   program that reads it then, and writes it back, undoes its own last write.
//! - Locks are `flock` on directories. They do not work across machines, and locking fails on a
//!   network file system without such locks.
//! - Access control lists and extended attributes do not survive a replacement, and other hard
//!   links to a document keep its old content until [`relink`] sets them again.
//! - [`ensure_dir`] assumes that an existing directory is durable.
//! - A watch on a directory does not notice that a parent was renamed, and a watch on a
//!   symlinked file does not notice writes to its target.

mod append_log;
mod claim;
mod create;
mod dirs;
mod ensure;
mod fs;
mod journal;
mod limit;
mod lock;
mod mirror;
mod open_dir;
mod platform;
mod read;
mod real;
mod relink;
mod relocate;
mod remove;
mod remove_dir;
mod rename;
mod replace;
mod retry;
mod revision;
mod safe_open;
mod scan;
mod stage;
mod stamp;
mod tail;
mod temp;
mod trash;
mod unsynced;
mod update;
mod walk;
mod watch;

pub use append_log::{append_line, append_line_synced};
pub use claim::{create_marker, remove_marker};
pub use create::{CreateError, create_new};
pub use dirs::{Dirs, RootDirs};
pub use ensure::{EnsureDirError, ensure_dir, ensure_dir_in};
pub use fs::{EntryKind, Fs, LockHandle, Meta, NewFile};
pub use journal::{Journal, JournalError};
pub use limit::{MAX_DOCUMENT_BYTES, check_len};
pub use lock::{DirLock, LockError, lock};
pub use mirror::copy_document;
pub use open_dir::OpenDir;
pub use platform::{
    change_time, current_user, file_id, is_executable, is_output_closed, link_count, owner,
    path_bytes, path_from_bytes,
};
pub use read::{ReadError, Snapshot, read, read_settled, read_stable};
pub use real::RealFs;
pub use relink::{RelinkError, relink};
pub use relocate::{RelocateError, relocate};
pub use remove::{RemoveError, remove};
pub use remove_dir::remove_empty_dir;
pub use rename::{RenameError, exchange, rename_new};
pub use replace::{ReplaceError, replace, replace_exact, replace_from};
pub use revision::Revision;
pub use safe_open::{SafeOpenError, open_inside, read_inside};
pub use scan::{Chunk, Scan, ScanError, ScanOptions, Unreadable, Visit, Visitor, scan};
pub use stamp::Stamp;
pub use tail::read_tail;
pub use temp::{LeftoversError, TEMP_PREFIX, is_temp_name, leftovers};
pub use trash::{TrashError, copy_to_trash, move_to_trash};
pub use unsynced::{DerivedError, write_private, write_unsynced};
pub use update::{
    Busy, Edit, Merge, Update, UpdateFailure, Updated, lock_written, read_written,
    was_written_in_place,
};
pub use walk::{DirListing, Trace, list_files};
pub use watch::{Change, ChangeCounter, ChangeKind, DirWatcher, Target, WaitOutcome, Waker};
