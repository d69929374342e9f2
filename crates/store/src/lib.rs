//! The only writer of thread files: reads, scans, locks, replaces and watches them.
//!
//! Nothing here knows what a document means. A document is bytes, and its [`Revision`] is their
//! hash. A writer replaces *the bytes it has read*; if the file holds others by then it gets a
//! conflict instead of overwriting them. [`Update`] is the whole of it for a document that other
//! programs write too: read, apply an operation, write, and apply it again after a conflict.
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
//! Every write path goes through the [`Fs`] trait, one method per step, so that a simulation can
//! cut the power between any two of them.
//!
//! # What is promised
//!
//! - After [`replace`], [`create_new`] and [`remove`] return `Ok`, the change survives a power cut.
//!   At any other moment a crash leaves the old document or the other one, whole, and at most a
//!   temp file whose name [`is_temp_name`] knows and [`leftovers`] finds.
//! - Every function that changes a store demands the [`DirLock`] of a lock. Writers that take the
//!   lock never lose each other's updates.
//! - After an error the old document is in its place, except where the error says otherwise.
//!
//! # What is not
//!
//! - A foreign program that takes no lock can still lose its own bytes in one window: it opened the
//!   file before the names were exchanged, and it writes *after* the displaced file was compared.
//!   Those bytes go into a file that is about to lose its last name. Whatever it wrote before the
//!   comparison is put back, and the writer gets a conflict. Such a program may also overwrite,
//!   with a document that it read earlier, what was written since; no other program can prevent
//!   that.
//! - Where the system cannot exchange two names (NFS, some FUSE file systems, BSD), the window is
//!   wider: from the last comparison to the rename that follows it.
//! - While a conflict is being undone, readers see for a moment the document that is taken back. A
//!   foreign program that reads just then, and writes back what it read, undoes its own last write.
//! - Locks are `flock` on directories. They do not reach other machines, and a network file system
//!   that has no such locks answers with an error.
//! - Access control lists and extended attributes do not survive a replacement, and other hard
//!   links to a document keep its old content until [`relink`] sets them again.
//! - [`ensure_dir`] trusts that a directory that exists is durable.
//! - A watch on a directory does not notice that one above it was renamed, and a watch on a
//!   symlinked file does not notice writes to its target.

mod append_log;
mod claim;
mod create;
mod dirs;
mod ensure;
mod fs;
mod limit;
mod lock;
mod mirror;
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
mod scan;
mod stage;
mod stamp;
mod tail;
mod target;
mod temp;
mod trash;
mod unsynced;
mod update;
mod walk;
mod watch;

pub use append_log::append_line;
pub use claim::{create_marker, remove_marker};
pub use create::{CreateError, create_new};
pub use dirs::{Dirs, RootDirs};
pub use ensure::{EnsureDirError, ensure_dir};
pub use fs::{EntryKind, Fs, Held, Meta, NewFile};
pub use limit::MAX_DOCUMENT_BYTES;
pub use lock::{DirLock, LockError, lock};
pub use mirror::copy_document;
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
pub use scan::{Chunk, Scan, ScanError, ScanOptions, Unreadable, Visit, Visitor, scan};
pub use stamp::Stamp;
pub use tail::read_tail;
pub use target::{SafeOpenError, open_inside, read_inside};
pub use temp::{LeftoversError, is_temp_name, leftovers};
pub use trash::{TrashError, copy_to_trash, move_to_trash};
pub use unsynced::{DerivedError, write_private, write_unsynced};
pub use update::{Busy, Edit, Merge, Update, UpdateFailure, Updated, read_written};
pub use walk::{DirListing, Trace, list_files};
pub use watch::{Change, ChangeKind, DirWatcher, Target, WaitOutcome, Waker};
