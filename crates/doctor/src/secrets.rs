//! Finds secrets in thread files. They are reported, and never removed.

use std::path::Path;

use skein_format::checkpoint::{is_legacy_file, is_thread_file};
use skein_format::diagnostic::Code;
use skein_format::redact;
use skein_format::span::line_of;
use skein_model::view::FileDiagnostic;
use skein_store::{Chunk, ScanOptions, Visit, scan};
use skein_workspace::{ReviewStore, Workspace};

use super::CheckReport;

const FIRST_READ_BYTES: usize = 64 * 1024;

/// Checks every thread file.
pub(super) fn examine(workspace: &Workspace, stores: &[ReviewStore], report: &mut CheckReport) {
    let checkpoints = &workspace.checkpoints;
    for reviews in stores {
        look(&reviews.threads(), ".md", |name| !name.starts_with('.'), report);
    }
    look(&checkpoints.threads(), ".json", is_thread_file, report);
    look(&checkpoints.legacy(), ".json", is_legacy_file, report);
    if let Some(file) = workspace.sessions.file() {
        let found = skein_store::read(file).ok().and_then(|snapshot| first(&snapshot.bytes));
        add(report, file, found);
    }
}

type Hit = Option<(&'static str, u32)>;

fn look(dir: &Path, suffix: &str, keep: fn(&str) -> bool, report: &mut CheckReport) {
    let options = ScanOptions { suffix, keep: &keep, first: FIRST_READ_BYTES, threads: None };
    let visit = |name: &str, chunk: Chunk<'_>| {
        let found = |bytes| first(bytes).map(|hit| (name.to_owned(), hit));
        if chunk.whole { Visit::Done(found(chunk.bytes)) } else { Visit::More }
    };
    let Ok(scan) = scan(dir, &options, &visit) else {
        return;
    };
    for (name, hit) in scan.values.into_iter().flatten() {
        add(report, &dir.join(name), Some(hit));
    }
}

/// Returns the first secret in a file, with its line.
fn first(bytes: &[u8]) -> Hit {
    let text = String::from_utf8_lossy(bytes);
    let found = redact::find(&text).into_iter().next()?;
    Some((found.rule, line_of(text.as_bytes(), found.span.start)))
}

fn add(report: &mut CheckReport, path: &Path, hit: Hit) {
    let Some((rule, line)) = hit else { return };
    let message = format!("the line seems to contain a secret (rule `{rule}`)");
    let path = path.display().to_string();
    report.diagnostics.push(FileDiagnostic::new(Code::Secret, &path, Some(line), message));
}
