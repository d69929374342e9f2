//! Asks before a store is created outside of a repository.

use clap::Args;

use super::context::CliContext;
use crate::error::{CliError, CliResult};

/// A store that a command can create.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NewStore {
    Reviews,
    Checkpoints,
}

impl NewStore {
    fn name(self) -> &'static str {
        match self {
            Self::Reviews => "store of review threads",
            Self::Checkpoints => "store of checkpoints",
        }
    }
}

/// Whether a store may be created.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct NewStoreArgs {
    /// Outside of a git repository: creates the store in the current directory without asking.
    #[arg(long)]
    new_store: bool,
}

impl NewStoreArgs {
    /// Returns whether the command may continue: there is a store, or one may be created.
    ///
    /// A store outside of a repository also gets the checkpoints of all repositories below it, so none is created by mistake.
    pub(crate) fn consent(&self, context: &mut CliContext<'_>, store: NewStore) -> CliResult<bool> {
        let workspace = &context.workspace;
        let reviews = (&workspace.reviews.root, workspace.reviews.exists);
        let checkpoints = (&workspace.checkpoints.root, workspace.checkpoints.exists);
        let ((root, exists), other) = match store {
            NewStore::Reviews => (reviews, checkpoints),
            NewStore::Checkpoints => (checkpoints, reviews),
        };
        // A directory that has one of the stores is a workspace.
        if self.new_store || exists || other == (root, true) || workspace.git.is_some() {
            return Ok(true);
        }
        let root = root.clone();
        if !context.can_ask {
            let (root, name) = (root.display(), store.name());
            return Err(CliError::new(
                format!("not a git repository, and there is no {name}: {root}"),
                "add `--new-store` to create one here, or name a repository with `-C DIR`",
            ));
        }
        let (root, name) = (root.display(), store.name());
        let question = format!("{root} is not in a git repository. Create a {name} there?");
        let agreed = context.ask(&question)?;
        if !agreed {
            context.decline("Nothing was written.")?;
        }
        Ok(agreed)
    }
}
