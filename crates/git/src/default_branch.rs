//! The branch that work starts from.

use crate::object_id::CommitId;
use crate::refs::Ref;
use crate::repo::Repo;
use crate::run::RunError;

/// Where a clone keeps the answer of the repository that it comes from.
const ORIGIN: &str = "refs/remotes/origin/HEAD";

/// A branch with its latest commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    /// The name as people write it: `main`, `origin/main`.
    pub name: String,
    /// The commit.
    pub commit: CommitId,
}

impl Repo {
    /// Returns the branch that the others are measured against.
    ///
    /// It is the one that `origin/HEAD` points to, else the first that exists of the user's
    /// `init.defaultBranch`, `main` and `master`.
    pub fn default_branch(&self) -> Result<Option<Branch>, RunError> {
        let configured = self.config_get("init.defaultBranch")?;
        let local = configured.as_deref().into_iter().chain(["main", "master"]);
        let names: Vec<_> = std::iter::once(ORIGIN.to_owned())
            .chain(local.map(|name| format!("refs/heads/{name}")))
            .collect();
        let patterns: Vec<_> = names.iter().map(String::as_str).collect();
        let refs = self.list_refs(&patterns)?;
        let found = names.iter().find_map(|name| refs.iter().find(|found| found.name == *name));
        Ok(found.and_then(branch))
    }
}

fn branch(found: &Ref) -> Option<Branch> {
    let full = found.symbolic.as_ref().unwrap_or(&found.name);
    let name = ["refs/heads/", "refs/remotes/"].iter().find_map(|kind| full.strip_prefix(kind));
    let commit = CommitId::parse(found.id.as_str())?;
    Some(Branch { name: name.unwrap_or(full).to_owned(), commit })
}
