//! `INDEX.md` and `recent.md`: tables of the checkpoints for people and for programs that grep.

use std::fmt::Write as _;
use std::time::Duration;

use skein_format::checkpoint::{CheckpointFileKind, CheckpointRef, is_thread_file};
use skein_format::diagnostic::Code;
use skein_format::json::{self, Dialect};
use skein_format::redact::redact;
use skein_format::span::Span;
use skein_format::time::Time;
use skein_model::view::FileDiagnostic;
use skein_store::{Chunk, ScanOptions, Visit, lock, scan, write_unsynced};
use skein_workspace::{CheckpointStore, Env};

use super::recent_names::looks_automatic;
use super::share;

/// How many rows `recent.md` has.
const RECENT: usize = 15;
/// Many writers may stand in line, each for as long as it takes to read all checkpoints.
const LOCK_TIMEOUT: Duration = Duration::from_secs(60);
const FIRST_READ_BYTES: usize = 64 * 1024;

/// The two tables.
struct Tables {
    index: String,
    recent: String,
}

struct Row {
    /// In milliseconds.
    at: i64,
    id: String,
    kind: Option<String>,
    updated: Option<String>,
    title: Option<String>,
}

/// Writes both tables anew from the checkpoints that are there, and says what went wrong.
///
/// They have a lock of their own, that of the directory above the threads, so that nobody who writes a thread waits
/// until all were read. Whoever writes a thread comes here afterwards: the last one has seen them all.
pub fn refresh(checkpoints: &CheckpointStore, env: &Env) -> Option<FileDiagnostic> {
    let dir = checkpoints.threads();
    if checkpoints.local.is_some() {
        // They are written when what waits in the worktree gets to the store.
        return None;
    }
    let above = dir.parent().unwrap_or(&dir);
    let failed = |why: &dyn std::fmt::Display| {
        let message = format!("the tables of the checkpoints are not up to date: {why}");
        FileDiagnostic::new(Code::StoreUnreadable, &dir, None, message)
    };
    let guard = match lock(&*env.fs, above, LOCK_TIMEOUT) {
        Ok(guard) => guard,
        Err(error) => return Some(failed(&error)),
    };
    let now = env.clock.now();
    let rows = match rows(checkpoints, now) {
        Ok(rows) => rows,
        Err(error) => return Some(failed(&error)),
    };
    let Tables { index, recent } = tables(&rows, now);
    let write =
        |name, text: &str| write_unsynced(&*env.fs, &guard, &dir.join(name), text.as_bytes());
    let written = write("INDEX.md", &index).and_then(|()| write("recent.md", &recent));
    written.err().map(|error| failed(&error))
}

/// Writes both tables again where there are tables, and reports what went wrong.
pub(crate) fn refresh_existing(checkpoints: &CheckpointStore, env: &Env) -> Option<FileDiagnostic> {
    checkpoints.threads().join("INDEX.md").exists().then(|| refresh(checkpoints, env))?
}

/// Reads all checkpoints, the last changed first; one that makes no sense is a row that says little.
fn rows(checkpoints: &CheckpointStore, now: Time) -> Result<Vec<Row>, skein_store::ScanError> {
    let options = ScanOptions {
        suffix: ".json",
        keep: is_thread_file,
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
        // The tables are committed, and the auto-checkpoints are on this machine alone.
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

/// Returns a text as the file has it.
fn text_at(bytes: &[u8], key: &str) -> Option<String> {
    let all = Span::new(json::bom_len(bytes), bytes.len());
    let found = json::member(bytes, all, Dialect::Json, key).ok()??;
    let mut reader = json::Reader::new(bytes, found.value, Dialect::Json);
    let text = reader.string_or_skip().ok()??.to_text(bytes);
    (!text.trim().is_empty()).then_some(text)
}

fn tables(rows: &[Row], now: Time) -> Tables {
    let lines: Vec<String> = rows.iter().map(line).collect();
    let recent = lines.get(..RECENT).unwrap_or(&lines).concat();
    Tables {
        index: format!("# Threads INDEX\n\n{}{}", head(rows.len(), now), lines.concat()),
        recent: format!("# Recent Threads\n\n{}{recent}", head(rows.len(), now)),
    }
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
    let mut line = String::new();
    let cells = [Some(&row.id), row.kind.as_ref(), row.updated.as_ref(), row.title.as_ref()];
    for text in cells {
        let text = text.map(|text| cell(text)).filter(|text| !text.is_empty());
        // A text takes what is written into it.
        let written = write!(line, "| {} ", text.as_deref().unwrap_or("-"));
        debug_assert!(written.is_ok());
    }
    line.push_str("|\n");
    line
}

/// Returns a text that stays in its cell, without secrets.
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
        assert_eq!(tables(&rows, now).index, expected);
    }

    #[test]
    fn the_table_has_the_form_that_others_write() {
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
