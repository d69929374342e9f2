//! Applies a suggestion only as it was shown.

use serde::Serialize;
use skein_catalog::ThreadRef;
use skein_catalog::placement::Placer;
use skein_store::Revision;
use skein_workspace::{Actor, Env, Workspace};

use super::change::{SuggestedChange, change};
use super::write::{revision, write};
use super::{Applied, ApplyError, ApplyOptions, applied, check};

/// What a suggestion would do to a file.
#[derive(Clone, Debug, Serialize)]
pub struct Preview {
    /// The change; nothing was written.
    #[serde(flatten)]
    pub applied: Applied,
    /// Names all that was shown, and the file that it is about.
    pub token: String,
}

/// Why a suggestion that was shown was not applied.
#[derive(Debug, thiserror::Error)]
pub enum StalePreview {
    /// It would do something else by now.
    #[error("the file or the suggestion in thread {} was changed in the meantime", shown.applied.id)]
    Changed { shown: Box<Preview> },
    /// It cannot be applied.
    #[error(transparent)]
    Apply(#[from] ApplyError),
}

/// Shows what the suggestion of a thread would do.
pub fn preview(
    workspace: &Workspace,
    env: &Env,
    thread: &ThreadRef,
) -> Result<Preview, ApplyError> {
    Ok(look(workspace, env, thread, false)?.0)
}

/// Applies the suggestion of a thread if it still does what a preview showed, to the very file that it was shown for.
pub fn apply_previewed(
    workspace: &Workspace,
    env: &Env,
    actor: &Actor,
    thread: &ThreadRef,
    token: &str,
    resolve: bool,
) -> Result<Applied, StalePreview> {
    let (shown, change, revision) = look(workspace, env, thread, resolve)?;
    if shown.token != token {
        return Err(StalePreview::Changed { shown: Box::new(shown) });
    }
    let options = ApplyOptions { dry_run: false, resolve };
    let done = write(workspace, env, actor, &[change], options, Some(&revision))?;
    Ok(done.into_iter().next().ok_or(ApplyError::Nothing)?)
}

fn look(
    workspace: &Workspace,
    env: &Env,
    thread: &ThreadRef,
    resolve: bool,
) -> Result<(Preview, SuggestedChange, Revision), ApplyError> {
    check(workspace, thread, resolve)?;
    let mut placer = Placer::new(workspace, &workspace.reviews, env);
    let found = change(&mut placer, thread);
    placer.finish();
    let change = found?;
    let revision = revision(&workspace.reviews, &change.path)?;
    let outcome = if change.old == change.new { "there already" } else { "would apply" };
    let applied = applied(&change, outcome, None);
    let all = (&applied.id, &applied.at, &applied.removed, &applied.added, revision.to_string());
    let token = Revision::from_bytes(format!("{all:?}").as_bytes()).to_string();
    Ok((Preview { applied, token }, change, revision))
}
