//! The short brief for an agent at the start of its session.

use skein_catalog::checkpoint_lookup::CheckpointFile;
use skein_catalog::handoff_pointer;
use skein_catalog::resume_lock::holder;
use skein_checkpoints::recent_names::RecentNames;
use skein_checkpoints::select::{Offers, OtherWork, WorkChoice, WorkPlace, WorkViewer};
use skein_format::checkpoint::{Checkpoint, CheckpointDoc, CheckpointType};
use skein_format::redact::redacted;
use skein_model::LocalClock;
use skein_model::date_filter::clock_tolerance;
use skein_model::normalize_path::stem;
use skein_model::truncate::{truncate, truncate_line};
use skein_workspace::Workspace;

use super::before::{self, PreviousCheckpoint};
use super::text::quotation;

/// Maximum number of characters.
pub const MAX_SHORT_BRIEF: usize = 1500;
const WEEK: i64 = 7 * 24 * 3_600_000;
/// Maximum number of steps listed.
const STEPS: usize = 8;
/// Maximum number of other handoffs listed.
const OTHERS: usize = 3;

/// Returns a short brief of the open work; none if there is none.
///
/// It has at most `limit` characters. It describes the nearest handoff or checkpoint among the latest names, by listing one directory
/// and reading a few files. For another worktree or branch, or after a week, it is one line.
pub fn short_brief(workspace: &Workspace, session: Option<&str>, limit: usize) -> Option<String> {
    let clock = workspace.env.clock.local();
    let pointer = handoff_pointer::pointer(&workspace.checkpoints);
    let offers = Offers::latest(workspace, pointer.as_ref());
    let choice = offers.choose(&WorkViewer::new(workspace, session), clock.now, true)?;
    let place = (choice.offer.form, choice.offer.path.clone());
    let target = pointer
        .as_ref()
        .and_then(|pointer| handoff_pointer::target(&workspace.checkpoints, pointer));
    let message = pointer.as_ref().filter(|_| target.as_ref() == Some(&place));
    let message = message.and_then(|pointer| pointer.message.as_deref());
    let other = |other: &OtherWork| {
        let place = other.origin.name().unwrap_or_else(|| "this worktree".to_owned());
        format!(
            "\u{201c}{}\u{201d} ({})",
            truncate_line(&other.title, 60),
            truncate_line(&place, 60)
        )
    };
    let others: Vec<String> = choice.others.iter().take(OTHERS).map(other).collect();
    let others = match others.is_empty() {
        true => String::new(),
        false => format!("\nOther open handoffs: {}", others.join(", ")),
    };
    let limit = limit.saturating_sub(others.chars().count());
    Some(describe(workspace, &place, message, &choice, (clock, limit))? + &others)
}

fn describe(
    workspace: &Workspace,
    (form, path): &CheckpointFile,
    message: Option<&str>,
    choice: &WorkChoice,
    (clock, limit): (LocalClock, usize),
) -> Option<String> {
    let (now, id) = (clock.now, stem(path));
    let bytes = skein_store::read(path).ok()?.bytes;
    let doc = Some(CheckpointDoc::parse(bytes, &id, *form).0).filter(|doc| doc.head().usable)?;
    let head = doc.head();
    let at = head.updated_at.or(head.created_at);
    let age = skein_model::relative_time::long(at, now);
    let branch = head.git.as_ref().and_then(|git| git.branch.as_deref());
    let on = match choice.origin.name() {
        Some(name) => format!(", {}", truncate_line(&name, 150)),
        None => branch.map_or(String::new(), |branch| {
            format!(", branch {}", truncate_line(&redacted(branch.to_owned()), 100))
        }),
    };
    let title = title(head, &id);
    let fresh = at.is_some_and(|at| {
        at <= clock_tolerance(now) && now.as_millis().saturating_sub(at.as_millis()) < WEEK
    });
    if !fresh || choice.origin.place == WorkPlace::Elsewhere || !is_here(workspace, branch) {
        let line = format!(
            "Earlier work is recorded here: \u{201c}{title}\u{201d} ({age}{on}). `skein resume {}` prints the summary.",
            truncate_line(&id, 200)
        );
        return Some(truncate(&line, limit));
    }
    let mut lines = vec![
        format!(
            "Record of earlier work, as data: \u{201c}{title}\u{201d} ({}, {age}{on})",
            truncate_line(head.kind.as_str(), 40)
        ),
        format!("Checkpoint {}", truncate_line(&id, 200)),
    ];
    if let Some(taken) = holder(&workspace.checkpoints, &id, now) {
        lines.push(format!("Taken: {}", truncate_line(&taken.text(clock), 200)));
    }
    let said = |text: Option<&str>, most: usize| {
        let text =
            text.map(|text| redacted(text.to_owned())).filter(|text| !text.trim().is_empty());
        text.map(|text| quotation(&truncate(&text, most))).unwrap_or_default()
    };
    let summary = head.summary.as_deref();
    lines.extend(said(message.filter(|message| Some(*message) != summary), 300));
    let is_light = head.kind == CheckpointType::Auto;
    let full = is_light.then(|| RecentNames::read(&workspace.checkpoints, Some(&id), now));
    let full = full.and_then(|latest| latest.full(&workspace.checkpoints, &id, head));
    // A full checkpoint has more content than an auto-checkpoint, so it gets more room.
    let room = if full.is_some() { 200 } else { 500 };
    lines.extend(said(summary.filter(|summary| **summary != *title), room));
    lines.extend(
        full.into_iter().flat_map(|full| last_full(&before::previous_from_doc(&full, now))),
    );
    let open = doc.steps().into_iter().filter(|step| step.status.is_open());
    let steps: Vec<String> =
        open.map(|step| format!("- {}", truncate_line(&redacted(step.step), 160))).collect();
    if !steps.is_empty() {
        lines.push(format!("Open steps ({}):", steps.len()));
        lines.extend(steps.into_iter().take(STEPS));
    }
    let end = format!(
        "`skein resume {}` prints the summary, and what changed since.",
        truncate_line(&id, 200)
    );
    let text = truncate(&lines.join("\n"), limit.saturating_sub(end.chars().count() + 1));
    Some(format!("{text}\n{end}"))
}

/// Summarizes the last full checkpoint in a few lines.
fn last_full(before: &PreviousCheckpoint) -> Vec<String> {
    let mut lines = vec![
        format!(
            "The last full checkpoint before it: \u{201c}{}\u{201d} ({}, {})",
            truncate_line(&before.title, 120),
            truncate_line(&before.kind, 40),
            before.age
        ),
        format!("Checkpoint {}", truncate_line(&before.id, 200)),
    ];
    let summary = before.summary.as_deref().filter(|summary| *summary != before.title);
    lines.extend(summary.map(|text| quotation(&truncate(text, 250))).unwrap_or_default());
    if before.open_step_count > 0 {
        lines.push(format!("Its open steps ({}):", before.open_step_count));
        let steps = before.open_steps.iter().take(STEPS);
        lines.extend(steps.map(|step| format!("- {}", truncate_line(&step.step, 100))));
    }
    lines
}

fn title(head: &Checkpoint, id: &str) -> String {
    let title = head.title.as_deref().filter(|title| !title.trim().is_empty());
    let title = title.or(head.summary.as_deref()).unwrap_or(id);
    truncate_line(&redacted(title.to_owned()), 160)
}

/// Returns whether the branch of the checkpoint is checked out; also true if neither is known.
fn is_here(workspace: &Workspace, branch: Option<&str>) -> bool {
    let here = workspace.git.as_ref().map(|git| git.head().label());
    match (here, branch) {
        (Some(here), Some(branch)) => here == branch,
        (None, None) => true,
        (Some(_), None) | (None, Some(_)) => false,
    }
}
