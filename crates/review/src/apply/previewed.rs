//! Applies a suggestion only if it is still as it was shown.

use skein_catalog::ThreadRef;
use skein_catalog::placement::Placer;
use skein_store::Revision;
use skein_workspace::{Actor, Workspace};

use super::change::{SuggestedChange, change};
use super::write::{revision, write};
use super::{Applied, ApplyError, ApplyOptions, applied, check};

/// Why a previewed suggestion was not applied.
#[derive(Debug, thiserror::Error)]
pub enum StalePreview {
    /// The change differs from the preview; `shown` is the current one.
    #[error("the file or the suggestion in thread {} was changed in the meantime", shown.id)]
    Changed { shown: Box<Applied> },
    /// It cannot be applied.
    #[error(transparent)]
    Apply(#[from] ApplyError),
}

/// Returns the change that the suggestion of a thread would make, with its token.
pub fn preview(workspace: &Workspace, thread: &ThreadRef) -> Result<Applied, ApplyError> {
    Ok(look(workspace, thread, false)?.0)
}

/// Applies the suggestion of a thread if the change and the file are still the same as in the preview.
pub fn apply_previewed(
    workspace: &Workspace,
    actor: &Actor,
    thread: &ThreadRef,
    token: &str,
    resolve: bool,
) -> Result<Applied, StalePreview> {
    let (shown, change, revision) = look(workspace, thread, resolve)?;
    if shown.token.as_deref() != Some(token) {
        return Err(StalePreview::Changed { shown: Box::new(shown) });
    }
    let options = ApplyOptions { dry_run: false, resolve };
    let done = write(workspace, actor, &[change], options, Some(&revision))?;
    Ok(done.into_iter().next().ok_or(ApplyError::Nothing)?)
}

fn look(
    workspace: &Workspace,
    thread: &ThreadRef,
    resolve: bool,
) -> Result<(Applied, SuggestedChange, Revision), ApplyError> {
    check(workspace, thread, resolve)?;
    let mut placer = Placer::new(workspace, &workspace.reviews);
    let found = change(&mut placer, thread);
    placer.finish();
    let change = found?;
    let (shown, revision) = of_change(workspace, &change)?;
    Ok((shown, change, revision))
}

/// Returns the preview of a change, and the revision of the file that it was made from.
pub(super) fn of_change(
    workspace: &Workspace,
    change: &SuggestedChange,
) -> Result<(Applied, Revision), ApplyError> {
    let revision = revision(&workspace.reviews, &change.path)?;
    let outcome = if change.old == change.new { "there already" } else { "would apply" };
    let mut shown = applied(change, outcome, None);
    let all = (&shown.id, &shown.at, &shown.removed, &shown.added, revision.to_string());
    shown.token = Some(Revision::from_bytes(format!("{all:?}").as_bytes()).to_string());
    Ok((shown, revision))
}
