//! Consent to a store outside of a repository.

use clap::Args;

use super::{Context, ask};
use crate::error::CliError;

/// The stores that a command can make.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NewStore {
    /// That of review threads.
    Reviews,
    /// That of checkpoints.
    Checkpoints,
}

impl NewStore {
    /// Returns what the store is called.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Reviews => "store of review threads",
            Self::Checkpoints => "store of checkpoints",
        }
    }
}

/// Whether a store may be made.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct NewStoreArgs {
    /// Outside of a git repository: makes the store in the current directory without asking.
    #[arg(long)]
    new_store: bool,
}

impl NewStoreArgs {
    /// Returns whether the command may go on: there is a store, or one may be made.
    ///
    /// A store outside of a repository holds the threads of every directory below it, the checkpoints of repositories
    /// included, so none is made by mistake.
    pub(crate) fn consent(
        &self,
        context: &mut Context<'_>,
        store: NewStore,
    ) -> Result<bool, CliError> {
        let workspace = &context.workspace;
        let reviews = (&workspace.reviews.root, workspace.reviews.exists);
        let checkpoints = (&workspace.checkpoints.root, workspace.checkpoints.exists);
        let ((root, exists), other) = match store {
            NewStore::Reviews => (reviews, checkpoints),
            NewStore::Checkpoints => (checkpoints, reviews),
        };
        // A directory that has one of the stores was meant to be a workspace.
        if self.new_store || exists || other == (root, true) || workspace.git.is_some() {
            return Ok(true);
        }
        let root = root.clone();
        if !context.can_ask {
            return Err(CliError::StoreOutside { root, store });
        }
        let (root, name) = (root.display(), store.name());
        let question = format!("{root} is in no git repository. Make a {name} there?");
        let agreed = ask(context, &question)?;
        if !agreed {
            context.output.note("Nothing was written.")?;
        }
        Ok(agreed)
    }
}
