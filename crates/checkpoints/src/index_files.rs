//! `INDEX.md` and `recent.md`: tables of the checkpoints for people and for programs that grep.

use std::time::Duration;

use skein_format::checkpoint::{CheckpointFileKind, CheckpointRef, is_thread_file};
use skein_format::diagnostic::Code;
use skein_format::json::{self, Dialect};
use skein_format::redact::redact;
use skein_format::span::Span;
use skein_format::time::Time;
use skein_model::view::FileDiagnostic;
use skein_store::{Chunk, ScanOptions, Visit, lock, scan, write_unsynced};
use skein_workspace::{CheckpointStore, Workspace};

use super::recent_names::looks_automatic;
use super::share;

/// Maximum number of rows in `recent.md`.
const RECENT: usize = 15;
/// Many writers may wait, each for as long as it takes to read all checkpoints.
const LOCK_TIMEOUT: Duration = Duration::from_secs(60);
const FIRST_READ_BYTES: usize = 64 * 1024;

struct Row {
    /// In milliseconds.
    at: i64,
    id: String,
    kind: Option<String>,
    updated: Option<String>,
    title: Option<String>,
}

/// Writes both tables from the existing checkpoints, and returns the problem if that fails.
///
/// They have their own lock, on the directory above the threads, so that a writer of a thread does not wait until all are read. Each
/// writer calls this afterwards, so the last call sees all threads.
pub fn refresh(workspace: &Workspace) -> Option<FileDiagnostic> {
    let Workspace { env, checkpoints, .. } = workspace;
    let dir = checkpoints.threads();
    if checkpoints.local.is_some() {
        // They are written when the pending files of the worktree are moved to the store.
        return None;
    }
    let above = dir.parent().unwrap_or(&dir);
    let write = || -> Result<(), Box<dyn std::error::Error>> {
        let guard = lock(&*env.fs, above, LOCK_TIMEOUT)?;
        let now = env.clock.now();
        let tables = tables(&rows(checkpoints, now)?, now);
        for (name, text) in ["INDEX.md", "recent.md"].into_iter().zip(tables) {
            write_unsynced(&*env.fs, &guard, &dir.join(name), text.as_bytes())?;
        }
        Ok(())
    };
    write().err().map(|error| {
        let message = format!("the tables of the checkpoints are not up to date: {error}");
        FileDiagnostic::new(Code::StoreUnreadable, &dir, None, message)
    })
}

/// Updates both tables if they exist, and returns the problem if that fails.
pub(crate) fn refresh_existing(workspace: &Workspace) -> Option<FileDiagnostic> {
    let table = workspace.checkpoints.threads().join("INDEX.md");
    table.exists().then(|| refresh(workspace))?
}

/// Reads all checkpoints, the last changed first; an unusable one becomes a row with few values.
fn rows(checkpoints: &CheckpointStore, now: Time) -> Result<Vec<Row>, skein_store::ScanError> {
    let options = ScanOptions {
        suffix: ".json",
        keep: &is_thread_file,
        first: FIRST_READ_BYTES,
        threads: None,
    };
    let visit = |name: &str, chunk: Chunk<'_>| {
        if !chunk.whole {
            return Visit::More;
        }
        let stem = name.strip_suffix(".json").unwrap_or(name);
        let (row, usable) = row(chunk.bytes, stem, now);
        if usable { Visit::Done(row) } else { Visit::Broken(row) }
    };
    let scan = scan(&checkpoints.threads(), &options, &visit)?;
    let mut rows = scan.values;
    rows.extend(scan.unreadable.iter().filter_map(|file| {
        let id = file.name.to_str()?.strip_suffix(".json")?.to_owned();
        Some(Row { at: i64::MIN, id, kind: None, updated: None, title: None })
    }));
    if share::ignores_autos(checkpoints) {
        // The tables are committed, but ignored auto-checkpoints exist only on this machine.
        rows.retain(|row| !looks_automatic(&row.id));
    }
    rows.sort_unstable_by(|a, b| b.at.cmp(&a.at).then_with(|| a.id.cmp(&b.id)));
    Ok(rows)
}

fn row(bytes: &[u8], stem: &str, now: Time) -> (Row, bool) {
    let head = CheckpointRef::parse(bytes, stem, CheckpointFileKind::Thread).0.into_head();
    let at = head.updated_at.map_or(i64::MIN, |at| at.min(now).as_millis());
    let kind = head.usable.then(|| head.kind.as_str().to_owned());
    let updated = ["updated_at", "created_at"].iter().find_map(|key| text_at(bytes, key));
    let updated = updated.or_else(|| head.updated_at.map(|at| at.to_string()));
    (Row { at, id: stem.to_owned(), kind, updated, title: head.title }, head.usable)
}

/// Returns a string member exactly as it is in the file.
fn text_at(bytes: &[u8], key: &str) -> Option<String> {
    let all = Span::new(json::bom_len(bytes), bytes.len());
    let found = json::member(bytes, all, Dialect::Json, key).ok()??;
    let mut reader = json::Reader::new(bytes, found.value, Dialect::Json);
    let text = reader.string_or_skip().ok()??.to_text(bytes);
    (!text.trim().is_empty()).then_some(text)
}

/// Returns the text of `INDEX.md` and `recent.md`.
fn tables(rows: &[Row], now: Time) -> [String; 2] {
    let lines: Vec<String> = rows.iter().map(line).collect();
    let recent = lines.get(..RECENT).unwrap_or(&lines).concat();
    let head = head(rows.len(), now);
    [
        format!("# Threads INDEX\n\n{head}{}", lines.concat()),
        format!("# Recent Threads\n\n{head}{recent}"),
    ]
}

fn head(count: usize, now: Time) -> String {
    let now = now.to_string();
    let seconds = now.split('.').next().unwrap_or(&now);
    format!(
        "Generated: {seconds}Z\nActive threads: {count} (archive/ excluded)\n\n\
         | Thread | Type | Updated | Title |\n|--------|------|---------|-------|\n"
    )
}

fn line(row: &Row) -> String {
    let cells = [Some(&row.id), row.kind.as_ref(), row.updated.as_ref(), row.title.as_ref()];
    let cells = cells.map(|text| {
        let text = text.map(|text| cell(text)).filter(|text| !text.is_empty());
        format!("| {} ", text.as_deref().unwrap_or("-"))
    });
    cells.concat() + "|\n"
}

/// Returns a text without secrets and without characters that would break the table.
fn cell(text: &str) -> String {
    let plain: String = redact(text)
        .chars()
        .map(|c| match c {
            '|' => '/',
            c if c.is_control() => ' ',
            c => c,
        })
        .collect();
    plain.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use skein_format::time;

    fn check(files: &[(&str, &str)], expected: &str) {
        let now = time::parse("2026-08-22T17:07:17.250Z").unwrap().time;
        let mut rows: Vec<Row> =
            files.iter().map(|(stem, text)| row(text.as_bytes(), stem, now).0).collect();
        rows.sort_unstable_by(|a, b| b.at.cmp(&a.at).then_with(|| a.id.cmp(&b.id)));
        assert_eq!(tables(&rows, now)[0], expected);
    }

    #[test]
    fn the_table_has_the_format_that_other_programs_write() {
        check(
            &[
                (
                    "T-2",
                    r#"{"type":"auto-checkpoint","created_at":"2026-08-17T21:20:12.666Z","metadata":{"title":"Auto: a|b\nc"}}"#,
                ),
                (
                    "T-1",
                    r#"{"type":"handoff","created_at":"20260822T170711Z","metadata":{"title":"Handoff: x"}}"#,
                ),
                ("T-3", "{\"type\":"),
                ("T-4", "{}"),
            ],
            "# Threads INDEX\n\nGenerated: 2026-08-22T17:07:17Z\nActive threads: 4 (archive/ excluded)\n\n\
             | Thread | Type | Updated | Title |\n|--------|------|---------|-------|\n\
             | T-1 | handoff | 20260822T170711Z | Handoff: x |\n\
             | T-2 | auto-checkpoint | 2026-08-17T21:20:12.666Z | Auto: a/b c |\n\
             | T-3 | - | - | - |\n\
             | T-4 | checkpoint | - | - |\n",
        );
    }
}
