//! Review threads as rows.

use std::borrow::Cow;
use std::path::Path;

use skein_format::diagnostic::Diagnostic;
use skein_format::path::WorkspacePath;
use skein_format::review::{Range, ReviewRef, Status, has_whole_head};
use skein_model::normalize_path::stem;
use skein_model::view::{FileDiagnostic, ReviewRow, ReviewTarget, RowDetail, ThreadRow};
use skein_model::{Filter, Kind};
use skein_store::{Chunk, ScanOptions, Visit, scan};
use skein_workspace::ReviewStore;
use skein_workspace::agent_names::is_agent;
use skein_workspace::settings::Settings;

use super::{Depth, Rows};
use crate::turn::turn;

/// Number of bytes of the first read; most files are shorter.
const FIRST_READ_BYTES: usize = 64 * 1024;
/// The size of the first read if the metadata block may decide; it usually fits.
const PAGE: usize = 4096;

/// Lists the threads that match.
pub fn rows(reviews: &ReviewStore, filter: &Filter, settings: &Settings, depth: Depth) -> Rows {
    let dir = reviews.threads();
    let head_decides = filter.status.is_some() || filter.since.is_some();
    let options = ScanOptions {
        suffix: ".md",
        keep: &|name| !name.starts_with('.'),
        first: if head_decides { PAGE } else { FIRST_READ_BYTES },
        threads: None,
    };
    let reading = Reading { reviews, filter, settings, depth, dir: &dir };
    let mut rows = Rows::default();
    let scan = scan(&dir, &options, &|name, chunk| reading.visit(name, chunk));
    let mut found = rows.take_found(&dir, scan, Kind::Review);
    rows.rows.append(&mut found);
    rows
}

/// Returns the row of a thread from the bytes of its file, with all diagnostics.
pub fn row(bytes: &[u8], file: &Path, of: (&ReviewStore, &Settings)) -> ThreadRow {
    let (_, found) = ReviewRef::parse(bytes, &stem(file), &of.0.store_path);
    row_with(bytes, found, file, of)
}

/// Returns the row of a thread with the given diagnostics.
pub fn row_with(
    bytes: &[u8],
    found: Vec<Diagnostic>,
    file: &Path,
    of: (&ReviewStore, &Settings),
) -> ThreadRow {
    let stem = stem(file);
    let (summary, _) = ReviewRef::parse_summary(bytes, &stem, &of.0.store_path);
    build(summary, found, (stem, file), of)
}

/// Returns whether a thread matches, as far as its file decides.
pub fn passes(
    bytes: &[u8],
    name: &str,
    filter: &Filter,
    (reviews, settings): (&ReviewStore, &Settings),
) -> bool {
    let (depth, dir) = (Depth::Summary, Path::new(""));
    let reading = Reading { reviews, filter, settings, depth, dir };
    match reading.visit(name, Chunk { bytes, whole: true }) {
        Visit::Done(row) | Visit::Broken(row) => row.is_some(),
        Visit::More => false,
    }
}

/// Returns the row of a thread from the bytes of its file, with the diagnostics of its metadata.
pub fn summary_row(bytes: &[u8], file: &Path, of: (&ReviewStore, &Settings)) -> ThreadRow {
    let stem = stem(file);
    let (summary, found) = ReviewRef::parse_summary(bytes, &stem, &of.0.store_path);
    build(summary, found, (stem, file), of)
}

struct Reading<'a> {
    reviews: &'a ReviewStore,
    filter: &'a Filter,
    settings: &'a Settings,
    depth: Depth,
    dir: &'a Path,
}

impl Reading<'_> {
    fn visit(&self, name: &str, chunk: Chunk<'_>) -> Visit<Option<Box<ThreadRow>>> {
        if !chunk.whole && !has_whole_head(chunk.bytes) {
            return Visit::More;
        }
        let stem = name.strip_suffix(".md").unwrap_or(name);
        let (summary, found) =
            ReviewRef::parse_summary(chunk.bytes, stem, &self.reviews.store_path);
        let usable = summary.head().usable;
        if usable && !self.head_passes(&summary) {
            return Visit::Done(None);
        }
        if !chunk.whole {
            return Visit::More;
        }
        let row = self.judge(summary, found, chunk.bytes, name);
        if usable { Visit::Done(row) } else { Visit::Broken(row) }
    }

    fn head_passes(&self, summary: &ReviewRef<'_>) -> bool {
        let head = summary.head();
        let path = head.path.as_ref().map(|path| path.as_str()).unwrap_or_default();
        self.filter.passes(Some(head.status.as_str()), head.updated_at) && self.filter.is_on(path)
    }

    fn judge(
        &self,
        summary: ReviewRef<'_>,
        mut found: Vec<Diagnostic>,
        bytes: &[u8],
        name: &str,
    ) -> Option<Box<ThreadRow>> {
        let stem = name.strip_suffix(".md").unwrap_or(name);
        if self.depth == Depth::Full || self.filter.author.is_some() {
            let (thread, all) = ReviewRef::parse(bytes, stem, &self.reviews.store_path);
            if !self.author_passes(&thread) {
                return None;
            }
            found = all;
        }
        let file = self.dir.join(name);
        let row = build(summary, found, (stem.to_owned(), &file), (self.reviews, self.settings));
        // An unusable thread has no status, time or turn, so only filters on those hide it.
        let waiting = self.filter.is_turn_in(&row);
        let passes = row.usable || self.filter.passes(None, None) && self.filter.file.is_none();
        (waiting && passes).then(|| Box::new(row))
    }

    fn author_passes(&self, thread: &ReviewRef<'_>) -> bool {
        self.filter.author.as_ref().is_none_or(|author| {
            let wanted = author.to_lowercase();
            thread.authors().any(|author| author.to_lowercase().contains(&wanted))
        })
    }
}

fn build(
    summary: ReviewRef<'_>,
    found: Vec<Diagnostic>,
    (id, file): (String, &Path),
    (reviews, settings): (&ReviewStore, &Settings),
) -> ThreadRow {
    let (usable, status) = (summary.head().usable, summary.head().status);
    let last_author = summary.authors().next_back().map(Cow::into_owned);
    let by_agent = last_author.as_deref().is_some_and(|author| is_agent(author, settings));
    let is_open = usable && status == Status::Open;
    let exchange = is_open.then(|| summary.exchange());
    let turn = exchange.as_ref().map(|exchange| turn(exchange, settings));
    let proposed_resolved = by_agent && exchange.is_some_and(|it| it.proposes_resolve);
    // A comment that resolves the thread has the time of the change; resolving without a comment has a later time.
    let resolved_by_agent = usable
        && by_agent
        && status == Status::Resolved
        && summary.last_created_at().is_some_and(|at| Some(at) == summary.head().updated_at);
    let comment_count = summary.comment_count();
    let first_line = summary.first_line().map(Cow::into_owned);
    let last_line = summary.last_line().map(Cow::into_owned);
    let head = summary.into_head();
    let branch = head.git.base_ref.filter(|name| !is_commit(name));
    let range = head.range;
    let at = head.path.as_ref().map(|path| place(path.as_str(), range));
    let target = head.path.map(WorkspacePath::into_string).or(head.path_text);
    let title = first_line.or_else(|| target.clone());
    let diagnostics = FileDiagnostic::all(found, file);
    let reason = diagnostics.first().map(|first| format!("(cannot be used: {})", first.code));
    ThreadRow {
        kind: Kind::Review,
        id,
        title: title.or(reason).unwrap_or_default(),
        file: file.to_owned(),
        status: usable.then(|| status.as_str().into()),
        created_at: head.created_at,
        updated_at: head.updated_at,
        usable,
        diagnostics,
        branch: reviews.branch.clone(),
        detail: RowDetail::Review(Box::new(ReviewRow {
            target: target.map(|path| ReviewTarget { path, range: range.map(Into::into) }),
            at,
            waiting_on: turn.as_ref().map(|turn| turn.on),
            waiting_on_name: turn.and_then(|turn| turn.name).map(Into::into),
            comment_count,
            last_author,
            last_line,
            resolved_by_agent,
            proposed_resolved,
            claim: None,
            origin: None,
            started_on: branch.map(Into::into),
            worktrees: Vec::new(),
            is_of_other_branch: false,
            state: None,
            confidence: None,
        })),
    }
}

/// Returns whether a base is a commit id, as Skein writes it; the VS Code extension writes the name of the branch.
fn is_commit(base: &str) -> bool {
    base.len() >= 7 && base.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Formats a location, counted from 1: `src/a.rs:12-14`.
pub fn place(path: &str, range: Option<Range>) -> String {
    match range {
        Some(range) if range.start_line == range.end_line => {
            format!("{path}:{}", range.start_line + 1)
        }
        Some(range) => format!("{path}:{}-{}", range.start_line + 1, range.end_line + 1),
        None => path.to_owned(),
    }
}
