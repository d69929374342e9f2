//! Says what became of a thread.

use std::path::Path;

use skein_catalog::rows::review::place;
use skein_format::review::ReviewDoc;
use skein_model::Kind;
use skein_model::normalize_path::stem;
use skein_model::view::WriteResult;

pub(super) fn from_doc(path: &Path, doc: &ReviewDoc, action: &'static str) -> WriteResult {
    let head = doc.head();
    let target = head.path.as_ref().map(ToString::to_string).unwrap_or_default();
    WriteResult {
        kind: Kind::Review,
        id: stem(path),
        file: path.display().to_string(),
        at: place(&target, head.range),
        action,
        status: head.status.as_str(),
        comment: None,
        code: Vec::new(),
        diagnostics: Vec::new(),
    }
}
