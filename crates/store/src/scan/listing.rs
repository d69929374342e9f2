use std::ffi::{CStr, OsString};
use std::io;
use std::os::unix::ffi::OsStringExt as _;

use rustix::fs::{Dir, FileType};

use super::files::{EntryType, ScanDir, ScanEntry};
use super::{ScanOptions, Unreadable};

/// Files that are processed together; their names are in one text, one after the other.
#[derive(Default)]
pub(crate) struct ScanBatch {
    names: String,
    /// Where each name ends.
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

/// How many files are handed on at a time.
pub(crate) const BATCH: usize = 256;

/// Hands on the files that a scan is to read, in the order of the directory.
///
/// Returns the names with the right ending that are not UTF-8.
pub(crate) fn list(
    files: &ScanDir,
    options: &ScanOptions<'_>,
    mut hand_on: impl FnMut(ScanBatch),
) -> io::Result<Vec<Unreadable>> {
    let mut unreadable = Vec::new();
    let mut batch = ScanBatch::default();
    for found in Dir::read_from(files.fd())? {
        let found = found?;
        if !has_ending(found.file_name(), options) {
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
            hand_on(std::mem::take(&mut batch));
        }
    }
    hand_on(batch);
    Ok(unreadable)
}

fn has_ending(name: &CStr, options: &ScanOptions<'_>) -> bool {
    name.to_bytes().ends_with(options.suffix.as_bytes()) && !matches!(name.to_bytes(), b"." | b"..")
}

fn entry_type(kind: FileType) -> EntryType {
    match kind {
        FileType::RegularFile => EntryType::Regular,
        FileType::Symlink | FileType::Unknown => EntryType::Unknown,
        _ => EntryType::Special,
    }
}
