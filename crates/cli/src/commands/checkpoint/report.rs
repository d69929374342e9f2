//! Prints a checkpoint that was written.

use skein_checkpoints::{SaveAction, SaveResult};
use skein_model::Sensitive;
use skein_model::sanitize::one_line;
use skein_model::view::GitSummary;
use skein_workspace::repository_state;

use super::CliContext;
use crate::error::CliResult;

/// Prints a checkpoint that was written, the state of git, and how to continue.
pub(crate) fn print(context: &mut CliContext<'_>, saved: &SaveResult, hint: &str) -> CliResult {
    let output = &mut context.output;
    if output.print_json(saved)? {
        return notes(context, saved);
    }
    let what = match (saved.action, saved.kind.as_str()) {
        (SaveAction::Upgraded, _) => "Made a full checkpoint of ",
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

/// Returns the state of a repository, if the branch or the commit is known.
fn git_state(git: &GitSummary) -> Option<String> {
    let branch = git.branch.as_ref().map(Sensitive::redacted);
    let commit = git.current_commit.as_deref();
    let is_known = branch.is_some() || commit.is_some();
    is_known.then(|| repository_state(branch.as_deref(), commit, git.dirty))
}
