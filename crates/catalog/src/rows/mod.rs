//! Reads the files of each kind into rows.

pub mod checkpoint;
pub mod review;
pub mod session;

use std::fmt::Display;
use std::path::Path;

use skein_format::diagnostic::Code;
use skein_model::Kind;
use skein_model::normalize_path::stem;
use skein_model::view::{FileDiagnostic, RowDetail, ThreadRow};
use skein_store::{Scan, ScanError};

/// How much of a file is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Only the parts that a list shows.
    Summary,
    /// The whole file, with all diagnostics.
    Full,
}

/// The result of reading stores, in no particular order.
#[derive(Default)]
pub struct Rows {
    pub rows: Vec<Box<ThreadRow>>,
    pub diagnostics: Vec<FileDiagnostic>,
}

impl Rows {
    /// Adds the rows of another store.
    pub(crate) fn add(&mut self, mut more: Self) {
        self.rows.append(&mut more.rows);
        self.diagnostics.append(&mut more.diagnostics);
    }

    /// Adds the errors of a scan, with unreadable files as unusable rows, and returns the values.
    pub(crate) fn take_found<T>(
        &mut self,
        dir: &Path,
        scan: Result<Scan<Option<T>>, ScanError>,
        kind: Kind,
    ) -> Vec<T> {
        let scan = match scan {
            Ok(scan) => scan,
            Err(error) => {
                self.diagnostics.push(unlisted(&error));
                return Vec::new();
            }
        };
        for file in scan.unreadable {
            self.rows.push(Box::new(unreadable(kind, &dir.join(&file.name), &file.source)));
        }
        let mut found = Vec::with_capacity(scan.values.len());
        found.extend(scan.values.into_iter().flatten());
        found
    }
}

/// Returns the diagnostic for a directory that cannot be listed.
pub fn unlisted(error: &ScanError) -> FileDiagnostic {
    let message = format!("the directory cannot be listed: {}", error.source);
    FileDiagnostic::new(Code::StoreUnreadable, &error.dir, None, message)
}

/// Returns the row for a file that cannot be read.
pub fn unreadable(kind: Kind, path: &Path, reason: &dyn Display) -> ThreadRow {
    let message = format!("the file cannot be read: {reason}");
    let diagnostic = FileDiagnostic::new(Code::FileUnreadable, path, None, message);
    ThreadRow {
        kind,
        id: stem(path),
        title: format!("(cannot be read: {})", diagnostic.code),
        file: path.to_owned(),
        status: None,
        created_at: None,
        updated_at: None,
        usable: false,
        diagnostics: vec![diagnostic],
        branch: None,
        detail: match kind {
            Kind::Review => RowDetail::Review(Box::default()),
            Kind::Session => RowDetail::Session(Box::default()),
            Kind::Checkpoint => RowDetail::Checkpoint(Box::default()),
        },
    }
}
