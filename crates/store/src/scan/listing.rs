use std::ffi::{CStr, OsString};
use std::io;
use std::os::unix::ffi::OsStringExt as _;

use rustix::fs::{Dir, FileType};

use super::files::{EntryType, ScanDir, ScanEntry};
use super::{ScanOptions, Unreadable};

/// Files that are processed together; their names are concatenated in one string.
#[derive(Default)]
pub(crate) struct ScanBatch {
    names: String,
    /// The end of each name in `names`, and its type.
    files: Vec<(usize, EntryType)>,
}

impl ScanBatch {
    fn push(&mut self, name: &str, kind: EntryType) {
        self.names.push_str(name);
        self.files.push((self.names.len(), kind));
    }

    pub(crate) fn entries(&self) -> impl Iterator<Item = ScanEntry<'_>> {
        let mut start = 0;
        self.files.iter().map(move |&(end, kind)| {
            let name = self.names.get(start..end).unwrap_or_default();
            start = end;
            ScanEntry { name, kind }
        })
    }
}

/// The number of files in a batch.
pub(crate) const BATCH: usize = 256;

/// Passes the files that a scan must read to `process`, in directory order.
///
/// Returns the names with the required suffix that are not UTF-8.
pub(crate) fn list(
    files: &ScanDir,
    options: &ScanOptions<'_>,
    mut process: impl FnMut(ScanBatch),
) -> io::Result<Vec<Unreadable>> {
    let mut unreadable = Vec::new();
    let mut batch = ScanBatch::default();
    for found in Dir::read_from(files.fd())? {
        let found = found?;
        if !has_suffix(found.file_name(), options) {
            continue;
        }
        match found.file_name().to_str() {
            Ok(name) if (options.keep)(name) => batch.push(name, entry_type(found.file_type())),
            Ok(_) => {}
            Err(_) => unreadable.push(Unreadable {
                name: OsString::from_vec(found.file_name().to_bytes().to_vec()),
                source: io::ErrorKind::InvalidFilename.into(),
            }),
        }
        if batch.files.len() == BATCH {
            process(std::mem::take(&mut batch));
        }
    }
    process(batch);
    Ok(unreadable)
}

fn has_suffix(name: &CStr, options: &ScanOptions<'_>) -> bool {
    name.to_bytes().ends_with(options.suffix.as_bytes()) && !matches!(name.to_bytes(), b"." | b"..")
}

fn entry_type(kind: FileType) -> EntryType {
    match kind {
        FileType::RegularFile => EntryType::Regular,
        FileType::Symlink | FileType::Unknown => EntryType::Unknown,
        _ => EntryType::Special,
    }
}
