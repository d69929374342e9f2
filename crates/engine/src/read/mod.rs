//! Reads the files of each kind into rows.

pub(crate) mod checkpoint;
pub(crate) mod review;
pub(crate) mod session;

use std::fmt::Display;
use std::path::Path;

use skein_format::diagnostic::Code;
use skein_store::{Scan, ScanError};

use crate::kind::Kind;
use crate::lexical::stem;
use crate::view::{Detail, Diag, ReviewRow, Row};

/// How much of a file is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Depth {
    /// What a list shows.
    Gist,
    /// Everything, for every finding.
    Whole,
}

/// What reading stores gave, in no particular order.
#[derive(Default)]
pub(crate) struct Rows {
    #[expect(
        clippy::vec_box,
        reason = "rows are handed on and sorted, and each has some hundred bytes"
    )]
    pub(crate) rows: Vec<Box<Row>>,
    pub(crate) diagnostics: Vec<Diag>,
}

impl Rows {
    /// Adds the rows of another store.
    pub(crate) fn add(&mut self, mut more: Self) {
        self.rows.append(&mut more.rows);
        self.diagnostics.append(&mut more.diagnostics);
    }

    /// Takes the rows of a scan; a file that cannot be read is a row that cannot be used.
    fn take(&mut self, dir: &Path, scan: Result<Scan<Option<Box<Row>>>, ScanError>, kind: Kind) {
        let mut found = self.take_found(dir, scan, kind);
        self.rows.append(&mut found);
    }

    /// Takes what is odd about a scan, and returns what it found.
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

/// Says that a directory cannot be listed.
pub(crate) fn unlisted(error: &ScanError) -> Diag {
    let path = error.dir.display().to_string();
    let message = format!("the directory cannot be listed: {}", error.source);
    Diag::new(Code::StoreUnreadable, &path, None, message)
}

/// Returns the row of a file that cannot be read.
pub(crate) fn unreadable(kind: Kind, path: &Path, why: &dyn Display) -> Row {
    let file = path.display().to_string();
    let message = format!("the file cannot be read: {why}");
    let why = Diag::new(Code::FileUnreadable, &file, None, message);
    Row {
        kind,
        id: stem(path),
        title: format!("(cannot be read: {})", why.code),
        file,
        status: None,
        created_at: None,
        updated_at: None,
        usable: false,
        diagnostics: vec![why],
        branch: None,
        detail: match kind {
            Kind::Review => Detail::Review(ReviewRow::default()),
            Kind::Session => Detail::Session(Box::default()),
            Kind::Checkpoint => Detail::Checkpoint(Box::default()),
        },
    }
}
