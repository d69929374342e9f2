//! Prints a checkpoint that was written.

use skein_checkpoints::SaveResult;
use skein_model::sanitize::one_line;
use skein_model::view::GitSummary;

use super::CliContext;
use crate::error::CliResult;

/// Prints a checkpoint that was written, the state of git, and how to continue.
pub(crate) fn print(context: &mut CliContext<'_>, saved: &SaveResult, hint: &str) -> CliResult {
    let output = &mut context.output;
    if output.print_json(saved)? {
        return notes(context, saved);
    }
    let what = match (saved.action, saved.kind.as_str()) {
        ("upgraded", _) => "Made a full checkpoint of ",
        (_, "handoff") => "Handed over in ",
        _ => "Saved ",
    };
    output.line_with_id(what, &saved.id, "")?;
    if let Some(git) = saved.git.as_ref().and_then(git_state) {
        output.line(&format!("Git: {}", one_line(&git)))?;
    }
    notes(context, saved)?;
    context.output.note(hint)
}

/// Prints notes and warnings.
pub(crate) fn notes(context: &mut CliContext<'_>, saved: &SaveResult) -> CliResult {
    context.output.notes(&saved.notes)?;
    context.output.warnings(&saved.diagnostics)
}

/// Returns `main @ def5678 (dirty)`, as far as it is known.
fn git_state(git: &GitSummary) -> Option<String> {
    let branch = git.branch.as_ref().map(|branch| branch.redacted().into_owned());
    let commit = git.current_commit.clone();
    let place = match (branch, commit) {
        (Some(branch), Some(commit)) => format!("{branch} @ {commit}"),
        (Some(branch), None) => format!("{branch}, without a commit"),
        (None, Some(commit)) => format!("no branch @ {commit}"),
        (None, None) => return None,
    };
    Some(match git.dirty {
        Some(true) => format!("{place} (dirty)"),
        Some(false) => format!("{place} (clean)"),
        None => place,
    })
}
