//! Prints the whole content of a thread.

use skein_catalog::origins::session_name;
use skein_model::bridge::ChatPost;
use skein_model::sanitize::{escape_control, one_line};
use skein_model::view::{
    CheckpointBody, CheckpointRow, ExcerptView, PlacementState, PlacementView, ReviewBody,
    ReviewRow, RowDetail, SessionRow, StepView, ThreadBody, ThreadRow, ThreadView, UnknownField,
    UnknownValue,
};
use skein_model::{Kind, LocalClock, Turn};
use skein_workspace::repository_state;

use skein_format::redact::redact;
use skein_format::time::{self, Time};

use super::{age, style};
use crate::error::CliResult;
use crate::output::Output;

/// Maximum number of lines of each part of a checkpoint.
const MAX_LINES: usize = 200;
/// Maximum number of lines of a chat post.
const MAX_POST_LINES: usize = 5;

/// Prints a thread, as JSON if `--json` is given.
pub(crate) fn print_or_json(output: &mut Output<'_>, view: &ThreadView) -> CliResult {
    if output.print_json(view)? { Ok(()) } else { print(output, view) }
}

/// Prints a thread.
pub(crate) fn print(output: &mut Output<'_>, view: &ThreadView) -> CliResult {
    let row = &view.row;
    let location = row.review().and_then(|review| review.at.clone());
    let title = match location {
        Some(location) => location,
        None if !row.usable => redact(&row.id).into_owned(),
        None => row.title.clone(),
    };
    let title = output.paint(style::TITLE, &one_line(&title));
    let id = output.paint(style::HANDLE, &one_line(&redact(&row.id)));
    output.prose(&format!("{title}  {}", state(view)))?;
    output.prose(&format!("{} {id}", row.kind.as_str()))?;
    let times = times(row, output.now);
    output.styled(style::DIM, &times)?;
    for diag in &row.diagnostics {
        let mark = if diag.is_error() { style::ERROR } else { style::WARNING };
        let severity = output.paint(mark, diag.severity.as_str());
        let line = diag.line.map_or(String::new(), |line| format!(" in line {line}"));
        output.prose(&format!("{severity}{line}: {} [{}]", one_line(&diag.message), diag.code))?;
        let advice = diag.code().map_or("", |code| code.advice());
        let advice = output.paint(style::HINT, advice);
        output.prose(&format!("  {advice}"))?;
    }
    match (&view.body, &row.detail) {
        (ThreadBody::Review(body), RowDetail::Review(detail)) => review(output, body, detail),
        (ThreadBody::Checkpoint(body), RowDetail::Checkpoint(detail)) => {
            checkpoint(output, row, body, detail)
        }
        (_, RowDetail::Session(detail)) => session(output, detail),
        _ => Ok(()),
    }
}

/// Returns a review thread as plain text, for the editor in which a reply is written.
pub(crate) fn plain(view: &ThreadView, clock: LocalClock) -> String {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut output = Output {
        out: &mut out,
        err: &mut err,
        color: false,
        width: None,
        is_json: false,
        now: clock.now,
        clock,
    };
    // Writing to a vector does not fail.
    drop(print(&mut output, view));
    String::from_utf8_lossy(&out).into_owned()
}

fn times(row: &ThreadRow, now: Time) -> String {
    let file = one_line(&row.file.display().to_string());
    if row.created_at.or(row.updated_at).is_none() {
        return format!("in {file}");
    }
    let (created, updated) = (age::long(row.created_at, now), age::long(row.updated_at, now));
    let changed = if row.kind == Kind::Session { "last active" } else { "changed" };
    format!("started {created}, {changed} {updated}, in {file}")
}

fn state(view: &ThreadView) -> String {
    let status = view.row.status.as_deref().unwrap_or_default();
    match &view.row.detail {
        _ if !view.row.usable => "cannot be used".to_owned(),
        RowDetail::Review(detail) => match detail.waiting_on {
            Some(_) => format!("{status}, {}", turn(detail)),
            None if detail.resolved_by_agent => format!("{status} by an agent"),
            None => status.to_owned(),
        },
        RowDetail::Checkpoint(detail) => match status {
            "" | "open" => one_line(&detail.kind),
            status if detail.kind == "handoff" || status == "taken" => {
                format!("{}, {}", one_line(&detail.kind), one_line(status))
            }
            _ => one_line(&detail.kind),
        },
        RowDetail::Session(_) => one_line(status),
    }
}

/// Returns whose turn it is, the proposal, and who has claimed the thread.
pub(super) fn turn(detail: &ReviewRow) -> String {
    let person = match (&detail.waiting_on_name, detail.waiting_on, &detail.origin) {
        (Some(name), ..) => one_line(name),
        (None, Some(Turn::Reviewer), _) => "the reviewer".to_owned(),
        (None, _, Some(origin)) => session_name(origin),
        (None, _, None) => "an agent".to_owned(),
    };
    let claim = detail.claim.as_ref();
    let claim = claim.map(|claim| format!(", claimed by {}", one_line(&claim.claimant())));
    let proposed = if detail.proposed_resolved { ", resolve proposed" } else { "" };
    format!("waiting on {person}{proposed}{}", claim.unwrap_or_default())
}

fn review(output: &mut Output<'_>, body: &ReviewBody, detail: &ReviewRow) -> CliResult {
    if let Some(placement) = &body.placement
        && let Some(mut text) = placement_words(placement)
    {
        if let Some(branch) = detail.other_branch() {
            let branch = one_line(branch);
            text = format!(
                "{}: the code is not in the working tree; the thread was started on the branch {branch}",
                placement.state
            );
        }
        output.styled(style::WARNING, &text)?;
    }
    let state = body.placement.as_ref().map(|placement| placement.state);
    if let Some(selection) = body
        .selection
        .as_ref()
        .filter(|_| state.is_some_and(|state| state.is_changed() || state == PlacementState::Gone))
    {
        output.line("")?;
        output.line("The commented text was:")?;
        block(output, selection)?;
    }
    match (&body.code, &body.patch) {
        (Some(code), _) => self::code(output, code, body.placement.as_ref())?,
        (None, Some(patch)) => {
            output.line("")?;
            block(output, patch)?;
        }
        (None, None) => {}
    }
    for comment in &body.comments {
        let author = output.paint(style::TITLE, &one_line(&comment.author));
        let agent = if comment.agent { " (agent)" } else { "" };
        let when = output.paint(style::DIM, &age::long(comment.created_at, output.now));
        output.line("")?;
        output.prose(&format!("{author}{agent}, {when}"))?;
        block(output, &comment.body)?;
    }
    Ok(())
}

/// Returns the state of the code, unless it is unchanged.
fn placement_words(placement: &PlacementView) -> Option<String> {
    let what = match placement.state {
        PlacementState::Exact => return None,
        PlacementState::Shifted => "the line numbers have changed since the comment",
        PlacementState::Edited => "the code has changed since the comment",
        PlacementState::Replaced => "the code was rewritten; this replaced it",
        PlacementState::Moved => "the code was moved here",
        PlacementState::Gone => "the code was not found in the files that git tracks",
        PlacementState::NotCheckedOut => {
            return Some("not checked out: the code is in the index".to_owned());
        }
        PlacementState::Unverified => "the location cannot be verified",
    };
    let certainty = placement.certainty().map(|certainty| format!(" ({certainty})"));
    Some(format!("{}: {what}{}", placement.state, certainty.unwrap_or_default()))
}

/// Prints the current code, with the commented lines marked.
fn code(
    output: &mut Output<'_>,
    code: &ExcerptView,
    placement: Option<&PlacementView>,
) -> CliResult {
    output.line("")?;
    let marked = placement.and_then(|at| Some(at.start_line?..=at.end_line?));
    for (number, line) in (code.start_line..).zip(&code.lines) {
        let mark =
            if marked.as_ref().is_some_and(|lines| lines.contains(&number)) { ">" } else { " " };
        let gutter = output.paint(style::DIM, &format!("{mark}{:>5}", number + 1));
        let line = line.trim_end();
        let line =
            if line.is_empty() { String::new() } else { format!("  {}", escape_control(line)) };
        output.line(&format!("{gutter}{line}"))?;
    }
    Ok(())
}

fn checkpoint(
    output: &mut Output<'_>,
    row: &ThreadRow,
    body: &CheckpointBody,
    detail: &CheckpointRow,
) -> CliResult {
    let summary = detail.summary.as_ref().map(|summary| summary.redacted());
    if let Some(summary) = summary.filter(|summary| *summary != row.title) {
        output.line("")?;
        let lines = summary.lines().count();
        let start: Vec<&str> = summary.lines().take(MAX_LINES).collect();
        block(output, &start.join("\n"))?;
        rest(output, lines.saturating_sub(MAX_LINES))?;
    }
    let known = fields(body, detail, output.clock)
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value));
    let fields: Vec<(String, String)> = known.chain(body.other.iter().filter_map(short)).collect();
    if !fields.is_empty() {
        output.line("")?;
    }
    let width = fields.iter().map(|(name, _)| name.chars().count()).max().unwrap_or_default();
    for (name, value) in &fields {
        wide_field(output, name, width.clamp(10, 30), value)?;
    }
    section(output, "Commits", body.commits_made.iter().cloned())?;
    let files = body.files.iter().map(|file| {
        let reason = file.reason.as_ref().map_or(String::new(), |reason| format!(": {reason}"));
        let gone = if file.deleted { " (deleted)" } else { "" };
        format!("{}{gone}{reason}", file.path)
    });
    section(output, "Files", files)?;
    section(output, "Next steps", body.next_steps.iter().map(step))?;
    for other in body.other.iter().filter(|other| short(other).is_none()) {
        match &other.value {
            UnknownValue::List(list) => {
                section(output, &one_line(&other.name), list.iter().cloned())?;
            }
            UnknownValue::Text(text) => {
                let name = output.paint(style::TITLE, &one_line(&other.name));
                output.line("")?;
                output.prose(&name)?;
                block(output, text)?;
            }
        }
    }
    Ok(())
}

/// Returns the name and the value of a field that fits on one line.
fn short(other: &UnknownField) -> Option<(String, String)> {
    match &other.value {
        UnknownValue::Text(text) if text.len() <= 100 && !text.contains('\n') => {
            Some((one_line(&other.name), text.clone()))
        }
        _ => None,
    }
}

/// Returns a step, with who closed it and when.
fn step(step: &StepView) -> String {
    let mark = match step.status.as_str() {
        "done" => "[x]",
        "dropped" => "[-]",
        _ => "[ ]",
    };
    let by = step.closed_by.as_ref().map(|by| format!("by {by}"));
    let closed: Vec<String> = by.into_iter().chain(step.closed_at.clone()).collect();
    let closed = Some(closed.join(", ")).filter(|closed| !closed.is_empty());
    let remarks: Vec<String> = closed.into_iter().chain(step.note.clone()).collect();
    match remarks.as_slice() {
        [] => format!("{mark} {}", step.step),
        remarks => format!("{mark} {} ({})", step.step, remarks.join(": ")),
    }
}

/// Returns the fields of a checkpoint.
fn fields(
    body: &CheckpointBody,
    detail: &CheckpointRow,
    clock: LocalClock,
) -> Vec<(&'static str, String)> {
    let git = detail.git.as_ref().map(|git| {
        let branch = git.branch.as_ref().map(|branch| branch.redacted());
        repository_state(branch.as_deref(), git.current_commit.as_deref(), git.dirty)
    });
    let remote = detail.git.as_ref().and_then(|git| git.remote_url.clone());
    let worker = detail.worker.as_ref().map(|worker| {
        let parts = [&worker.id, &worker.skill, &worker.state];
        parts.iter().filter_map(|part| part.as_deref()).collect::<Vec<_>>().join(", ")
    });
    let tags: Vec<String> = detail.tags.iter().map(ToString::to_string).collect();
    let fields = [
        ("taken", detail.taken.as_ref().map(|holder| holder.text(clock))),
        ("git", git),
        ("remote", remote),
        ("worker", worker),
        ("directory", detail.cwd.as_ref().map(ToString::to_string)),
        ("session", body.session_id.clone()),
        ("trigger", body.trigger.clone()),
        ("tags", Some(tags.join(", "))),
    ];
    let known = |(name, value): (_, Option<String>)| Some((name, value?));
    fields.into_iter().filter_map(known).filter(|(_, value)| !value.is_empty()).collect()
}

fn session(output: &mut Output<'_>, detail: &SessionRow) -> CliResult {
    output.line("")?;
    let gone = if detail.directory_exists == Some(false) { " (gone)" } else { "" };
    field(output, "short id", Some(&detail.short_id))?;
    field(output, "project", Some(&detail.project_name))?;
    field(output, "directory", Some(&format!("{}{gone}", detail.directory)))?;
    field(output, "thread", Some(&detail.thread_root_post_id))?;
    field(output, "address", detail.chat_address.as_deref())?;
    field(output, "channel", Some(&detail.dm_channel_id))?;
    field(output, "user", Some(&detail.mattermost_user_id))?;
    // A time that cannot be parsed is shown unchanged.
    let local = |text: &str| time::parse(text).map(|parsed| output.clock.date_time(parsed.time));
    let ended = detail.ended_at.as_deref().map(|text| local(text).unwrap_or(text.to_owned()));
    field(output, "ended", ended.as_deref())?;
    let invalid = detail.breach.as_ref().map(ToString::to_string);
    field(output, "invalid", invalid.as_deref())?;
    last_posts(output, detail.last_posts.as_deref().unwrap_or_default())
}

/// Prints the end of each post, with its author.
fn last_posts(output: &mut Output<'_>, posts: &[ChatPost]) -> CliResult {
    if !posts.is_empty() {
        let name = output.paint(style::TITLE, "last posts");
        output.line("")?;
        output.prose(&name)?;
    }
    for post in posts {
        let lines: Vec<&str> = post.text.trim().lines().collect();
        let skip = lines.len().saturating_sub(MAX_POST_LINES);
        let after = match skip {
            0 => String::new(),
            1 => " (after 1 more line)".to_owned(),
            _ => format!(" (after {skip} more lines)"),
        };
        output.prose(&format!("  {}{after}:", one_line(&post.user)))?;
        for line in lines.into_iter().skip(skip) {
            output.prose(&format!("    {}", escape_control(line.trim_end())))?;
        }
    }
    Ok(())
}

fn field(output: &mut Output<'_>, name: &str, value: Option<&str>) -> CliResult {
    value.map_or(Ok(()), |value| wide_field(output, name, 10, value))
}

fn wide_field(output: &mut Output<'_>, name: &str, width: usize, value: &str) -> CliResult {
    let name = output.paint(style::DIM, &format!("{name:<width$}"));
    output.prose(&format!("{name} {}", one_line(value)))
}

fn section(output: &mut Output<'_>, name: &str, lines: impl Iterator<Item = String>) -> CliResult {
    let mut lines = lines.peekable();
    if lines.peek().is_none() {
        return Ok(());
    }
    let name = output.paint(style::TITLE, name);
    output.line("")?;
    output.prose(&name)?;
    for line in lines.by_ref().take(MAX_LINES) {
        output.prose(&format!("  {}", one_line(&line)))?;
    }
    rest(output, lines.count())
}

/// Prints how many lines are not shown.
fn rest(output: &mut Output<'_>, count: usize) -> CliResult {
    match count {
        0 => Ok(()),
        count => output.prose(&format!("  {count} more; `--json` prints all")),
    }
}

/// Prints text line by line, indented.
fn block(output: &mut Output<'_>, text: &str) -> CliResult {
    for line in text.lines() {
        output.prose(format!("  {}", escape_control(line)).trim_end())?;
    }
    Ok(())
}
