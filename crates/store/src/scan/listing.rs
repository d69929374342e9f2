use std::ffi::{CStr, OsString};
use std::io;
use std::os::unix::ffi::OsStringExt as _;

use rustix::fs::{Dir, FileType};

use super::files::Files;
use super::{ScanOptions, Unreadable};

/// A file to be read.
#[derive(Clone, Copy)]
pub(crate) struct Entry<'a> {
    pub(crate) name: &'a str,
    pub(crate) sort: Sort,
}

/// Files that are handed on together; their names stand in one text, one behind the other.
#[derive(Default)]
pub(crate) struct Batch {
    names: String,
    /// Where each name ends.
    files: Vec<(usize, Sort)>,
}

impl Batch {
    fn push(&mut self, name: &str, sort: Sort) {
        self.names.push_str(name);
        self.files.push((self.names.len(), sort));
    }

    pub(crate) fn entries(&self) -> impl Iterator<Item = Entry<'_>> {
        let mut start = 0;
        self.files.iter().map(move |&(end, sort)| {
            let name = self.names.get(start..end).unwrap_or_default();
            start = end;
            Entry { name, sort }
        })
    }
}

/// What the listing alone tells about an entry.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sort {
    Regular,
    /// A directory, device, pipe or socket.
    Special,
    /// A symlink, or a file system that does not say.
    Unknown,
}

/// How many files are handed on at a time.
pub(crate) const BATCH: usize = 256;

/// Hands on the files that a scan is to read, in the order of the directory.
///
/// Returns the names with the right ending that are not UTF-8.
pub(crate) fn list(
    files: &Files,
    options: &ScanOptions<'_>,
    mut hand_on: impl FnMut(Batch),
) -> io::Result<Vec<Unreadable>> {
    let mut odd = Vec::new();
    let mut batch = Batch::default();
    for found in Dir::read_from(files.fd())? {
        let found = found?;
        if !has_ending(found.file_name(), options) {
            continue;
        }
        match found.file_name().to_str() {
            Ok(name) if (options.keep)(name) => batch.push(name, sort(found.file_type())),
            Ok(_) => {}
            Err(_) => odd.push(Unreadable {
                name: OsString::from_vec(found.file_name().to_bytes().to_vec()),
                source: io::ErrorKind::InvalidFilename.into(),
            }),
        }
        if batch.files.len() == BATCH {
            hand_on(std::mem::take(&mut batch));
        }
    }
    hand_on(batch);
    Ok(odd)
}

fn has_ending(name: &CStr, options: &ScanOptions<'_>) -> bool {
    name.to_bytes().ends_with(options.suffix.as_bytes()) && !matches!(name.to_bytes(), b"." | b"..")
}

fn sort(kind: FileType) -> Sort {
    match kind {
        FileType::RegularFile => Sort::Regular,
        FileType::Symlink | FileType::Unknown => Sort::Unknown,
        _ => Sort::Special,
    }
}
