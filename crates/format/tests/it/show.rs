//! The content of a document as text, to be compared and read.

use std::fmt::Write as _;

use skein_format::Diagnostic;
use skein_format::checkpoint::{CheckpointDoc, HandoffDoc};
use skein_format::review::{Context, ReviewDoc, suggestions};
use skein_format::session::{Mapping, Mode, SessionMapDoc};
use skein_format::time::Time;

/// Shows a text on one line; a long one by its start and its length.
pub(crate) fn text(text: &str) -> String {
    const MAX_SHOWN: usize = 120;
    match text.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{:?}\u{2026} {} bytes", &text[..end], text.len()),
        None => format!("{text:?}"),
    }
}

/// Shows bytes on one line, escaped if they are not UTF-8.
pub(crate) fn bytes(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(whole) => text(whole),
        Err(_) => format!("b\"{}\"", bytes.escape_ascii()),
    }
}

fn optional(found: Option<&str>) -> String {
    found.map_or_else(|| "-".to_owned(), text)
}

fn time(time: Option<Time>) -> String {
    time.map_or_else(|| "-".to_owned(), |time| time.to_string())
}

fn list(texts: &[String]) -> String {
    let shown: Vec<String> = texts.iter().map(|one| text(one)).collect();
    format!("[{}]", shown.join(", "))
}

fn line(out: &mut String, name: &str, value: &str) {
    writeln!(out, "{name}: {value}").unwrap();
}

/// Shows diagnostics.
pub(crate) fn findings(found: &[Diagnostic]) -> String {
    let mut out = String::new();
    for one in found {
        let at = one.line.map_or_else(String::new, |line| format!(" line {line}"));
        let severity = one.code.severity().as_str();
        writeln!(out, "{severity} {}{at}: {}", one.code, text(&one.message)).unwrap();
    }
    out
}

/// Shows a review thread.
pub(crate) fn review(doc: &ReviewDoc) -> String {
    let head = doc.head();
    let mut out = String::new();
    line(&mut out, "usable", &head.usable.to_string());
    line(&mut out, "id", &optional(head.id.as_deref()));
    line(&mut out, "path as written", &optional(head.path_text.as_deref()));
    let path = head.path.as_ref().map(ToString::to_string);
    line(&mut out, "path", &optional(path.as_deref()));
    let range = head.range.map(|range| {
        let (line, character) = (range.start_line, range.start_character);
        format!("{line}:{character}-{}:{}", range.end_line, range.end_character)
    });
    line(&mut out, "range", range.as_deref().unwrap_or("-"));
    line(&mut out, "status", head.status.as_str());
    line(&mut out, "created", &time(head.created_at));
    line(&mut out, "updated", &time(head.updated_at));
    line(&mut out, "base", &optional(head.git.base_ref.as_deref()));
    line(&mut out, "hunk", &optional(head.git.hunk_header.as_deref()));
    if let Some(Context { before, selection, after }) = doc.context() {
        line(&mut out, "before", &list(&before));
        line(&mut out, "selection", &text(&selection));
        line(&mut out, "after", &list(&after));
    }
    line(&mut out, "patch", &optional(doc.patch().as_deref()));
    for comment in doc.comments() {
        line(&mut out, "comment", &text(&comment.id));
        line(&mut out, "  by", &text(&comment.author));
        line(&mut out, "  at", &time(comment.created_at));
        line(&mut out, "  body", &text(&comment.body));
        for one in suggestions(&comment.body) {
            let open = if one.closed { "" } else { " (open)" };
            line(&mut out, "  suggestion", &format!("{}{open}", list(&one.lines)));
        }
    }
    out
}

/// Shows a session map, read in one mode.
pub(crate) fn session_map(doc: &SessionMapDoc, mode: Mode) -> String {
    let mut out = String::new();
    line(&mut out, "soundness", &format!("{:?}", doc.soundness()));
    for mapping in &doc.load(mode).mappings {
        out.push_str(&session(mapping));
    }
    out
}

fn session(mapping: &Mapping<'_>) -> String {
    let mut out = String::new();
    line(&mut out, "session", &text(&mapping.session_id));
    let fields = [
        ("  root", &mapping.thread_root_post_id),
        ("  short", &mapping.short_id),
        ("  user", &mapping.mattermost_user_id),
        ("  channel", &mapping.dm_channel_id),
        ("  project", &mapping.project_name),
        ("  directory", &mapping.directory),
        ("  created", &mapping.created_at),
        ("  active", &mapping.last_activity_at),
    ];
    for (name, value) in fields {
        line(&mut out, name, &text(value));
    }
    line(&mut out, "  title", &optional(mapping.session_title.as_deref()));
    line(&mut out, "  status", mapping.status.as_str());
    line(&mut out, "  ended", &optional(mapping.ended_at.as_deref()));
    out
}

/// Shows a checkpoint.
pub(crate) fn checkpoint(doc: &CheckpointDoc) -> String {
    let head = doc.head();
    let mut out = String::new();
    line(&mut out, "usable", &head.usable.to_string());
    line(&mut out, "id", &optional(head.id.as_deref()));
    line(&mut out, "version", &format!("{:?}", head.version));
    line(&mut out, "type", head.kind.as_str());
    line(&mut out, "created", &time(head.created_at));
    line(&mut out, "updated", &time(head.updated_at));
    let texts = [
        ("root", &head.workspace_root),
        ("cwd", &head.cwd),
        ("summary", &head.summary),
        ("title", &head.title),
        ("status", &head.status),
        ("trigger", &head.trigger),
        ("session", &head.session_id),
    ];
    for (name, value) in texts {
        line(&mut out, name, &optional(value.as_deref()));
    }
    line(&mut out, "tags", &list(&head.tags));
    if let Some(git) = &head.git {
        line(&mut out, "branch", &optional(git.branch.as_deref()));
        line(&mut out, "remote", &optional(git.remote_url.as_deref()));
        line(&mut out, "initial", &optional(git.initial_commit.as_deref()));
        line(&mut out, "current", &optional(git.current_commit.as_deref()));
        line(&mut out, "dirty", &format!("{:?}", git.dirty));
    }
    if let Some(worker) = &head.worker {
        line(&mut out, "worker", &optional(worker.id.as_deref()));
        line(&mut out, "  skill", &optional(worker.skill.as_deref()));
        let state = worker.state.as_ref().map(|state| state.as_str());
        line(&mut out, "  state", &optional(state));
        line(&mut out, "  started", &time(worker.started_at));
        line(&mut out, "  completed", &time(worker.completed_at));
    }
    line(&mut out, "commits", &list(&doc.commits()));
    line(&mut out, "files", &head.file_count.to_string());
    for file in doc.files() {
        let gone = if file.deleted { " deleted" } else { "" };
        let reason = optional(file.reason.as_deref());
        line(&mut out, "  file", &format!("{}{gone} {reason}", text(&file.path)));
    }
    line(&mut out, "open steps", &head.open_steps.to_string());
    for step in doc.steps() {
        let (id, status) = (text(&step.id), step.status.as_str());
        line(&mut out, "  step", &format!("{id} {} {status}", text(&step.step)));
    }
    out
}

/// Shows a pointer.
pub(crate) fn handoff(doc: &HandoffDoc) -> String {
    let mut out = String::new();
    line(&mut out, "usable", &doc.usable.to_string());
    line(&mut out, "created", &time(doc.created_at));
    line(&mut out, "message", &optional(doc.message.as_deref()));
    line(&mut out, "thread", &optional(doc.last_thread.as_deref()));
    line(&mut out, "path", &optional(doc.thread_path.as_deref()));
    line(&mut out, "notes", &optional(doc.context_notes.as_deref()));
    out
}
