//! Records how to undo an edit.

use skein_store::Revision;
use skein_workspace::{Env, Workspace};

use super::agent::{FileContent, Scope};
use super::error::InstallError;
use super::install_log::{self, LogEntry, ReverseEdit};
use super::task::PlannedFile;
use super::write::{Done, EditOutcome};

/// Keeps what is done to a file in the log, in the place of what was known of it earlier.
pub(super) fn record(
    workspace: &Workspace,
    env: &Env,
    task: &PlannedFile,
    earlier: Option<LogEntry>,
    done: &Done,
    ignored: Option<&String>,
) -> Result<(), InstallError> {
    let is_as_left =
        |bytes: &Vec<u8>| earlier.as_ref().is_some_and(|entry| entry.is_as_left(bytes));
    let created = match &done.before {
        None => true,
        // What others wrote into it since is theirs.
        Some(before) => earlier.as_ref().is_some_and(|entry| entry.created) && is_as_left(before),
    };
    let is_theirs =
        done.outcome == EditOutcome::Same && !done.before.as_ref().is_some_and(is_as_left);
    let after = match (&done.outcome, &done.before) {
        (EditOutcome::Write(after), _) => after,
        // Whom it serves may be another than before.
        (EditOutcome::Same, Some(there)) if earlier.is_some() => there,
        _ => return Ok(()),
    };
    let original = match (&earlier, &done.before) {
        (Some(entry), Some(before)) => original(task, entry, before),
        (_, before) => before.clone(),
    };
    let mut entry = earlier.unwrap_or_else(|| LogEntry {
        agent: task.agent.name.to_owned(),
        scope: task.scope,
        root: None,
        common_dir: None,
        file: task.path.clone(),
        created,
        dirs: Vec::new(),
        revision: String::new(),
        undo: None,
        ignored: None,
    });
    entry.created = created;
    entry.scope = task.scope;
    entry.root = (task.scope != Scope::User).then(|| workspace.top());
    let git = workspace.git.as_ref().filter(|_| task.scope != Scope::User);
    entry.common_dir = git.map(|git| git.common_dir.clone());
    for dir in &done.dirs {
        if !entry.dirs.contains(dir) {
            entry.dirs.push(dir.clone());
        }
    }
    if !is_theirs {
        entry.revision = Revision::from_bytes(after).to_string();
        entry.undo = original.and_then(|original| undo(task, &original, after));
    }
    entry.ignored = match task.scope {
        Scope::Local => ignored.cloned().or(entry.ignored),
        _ => None,
    };
    Ok(install_log::record(env, &entry)?)
}

/// Returns what a file was before Skein changed it for the first time, as far as that is known.
fn original(task: &PlannedFile, entry: &LogEntry, before: &[u8]) -> Option<Vec<u8>> {
    match &entry.undo {
        _ if entry.created && entry.is_as_left(before) => None,
        Some(undo) if entry.is_as_left(before) => Some(undo.apply(before)),
        _ => taken(task, before),
    }
}

/// Returns how to get the original back, where taking the hooks out does not.
///
/// It usually does, so that nothing of what others wrote has to be kept.
fn undo(task: &PlannedFile, original: &[u8], after: &[u8]) -> Option<ReverseEdit> {
    if taken(task, after)? == original { None } else { ReverseEdit::between(original, after) }
}

/// Returns a settings file without our hooks.
fn taken(task: &PlannedFile, bytes: &[u8]) -> Option<Vec<u8>> {
    let FileContent::Hooks(syntax, _) = task.file.content else { return None };
    syntax.take(bytes, task.agent.name).ok()
}
