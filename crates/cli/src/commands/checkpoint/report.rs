//! Says what became of a checkpoint.

use skein_checkpoints::SaveResult;
use skein_model::view::GitSummary;

use crate::commands::Context;
use crate::error::CliError;
use crate::render::style;
use crate::terminal::one_line;

/// Prints a checkpoint that was written, what git said, and how to go on from it.
pub(crate) fn print(
    context: &mut Context<'_>,
    saved: &SaveResult,
    hint: &str,
) -> Result<u8, CliError> {
    let output = &mut context.output;
    let id = output.paint(style::HANDLE, &one_line(&saved.id));
    let what = match (saved.action, saved.kind.as_str()) {
        ("upgraded", _) => "Made a full checkpoint of",
        (_, "handoff") => "Handed over in",
        _ => "Saved",
    };
    output.line(&format!("{what} {id}"))?;
    if let Some(git) = saved.git.as_ref().and_then(words) {
        output.line(&format!("Git: {}", one_line(&git)))?;
    }
    notes(context, saved)?;
    context.output.note(hint)?;
    Ok(crate::EXIT_OK)
}

/// Prints what was done besides, and what is odd.
pub(crate) fn notes(context: &mut Context<'_>, saved: &SaveResult) -> Result<(), CliError> {
    for note in &saved.notes {
        context.output.note(note)?;
    }
    for diag in &saved.diagnostics {
        context.output.note(&format!("Warning: {} [{}]", diag.message, diag.code))?;
    }
    Ok(())
}

/// Returns `main @ def5678 (dirty)`, as far as it is known.
fn words(git: &GitSummary) -> Option<String> {
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
