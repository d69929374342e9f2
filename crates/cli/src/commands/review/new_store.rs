//! Consent to a store outside of a repository.

use clap::Args;

use crate::commands::{Context, ask};
use crate::error::CliError;

/// Whether a store may be made.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct NewStoreArgs {
    /// Outside of a git repository: makes the store in the current directory without asking.
    #[arg(long)]
    new_store: bool,
}

impl NewStoreArgs {
    /// Returns whether the command may go on: there is a store, or one may be made.
    ///
    /// A store outside of a repository holds the threads of every directory below it that is in no repository, so
    /// none is made by mistake.
    pub(super) fn consent(&self, context: &mut Context<'_>) -> Result<bool, CliError> {
        let reviews = &context.workspace.reviews;
        if self.new_store || reviews.exists || context.workspace.git.is_some() {
            return Ok(true);
        }
        let root = reviews.root.clone();
        if !context.can_ask {
            return Err(CliError::StoreOutside { root });
        }
        let root = root.display();
        let question =
            format!("{root} is in no git repository. Make a store of review threads there?");
        let agreed = ask(context, &question)?;
        if !agreed {
            context.output.note("Nothing was written.")?;
        }
        Ok(agreed)
    }
}
