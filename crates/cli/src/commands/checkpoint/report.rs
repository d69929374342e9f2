//! Prints a checkpoint that was written.

use skein_checkpoints::{SaveAction, SaveResult};
use skein_model::sanitize::one_line;
use skein_workspace::repository_summary;

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
    if let Some(git) = saved.git.as_ref().and_then(repository_summary::of_git) {
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
