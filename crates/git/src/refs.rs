//! Lists and removes references.

use std::collections::BTreeSet;
use std::path::Path;

use crate::command::GitCommand;
use crate::object_id::{CommitId, ObjectId};
use crate::repo::Repo;
use crate::run::{RunError, finish, text};

/// A reference and its target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ref {
    /// The full name, such as `refs/heads/main`.
    pub name: String,
    /// The object: a commit, but also a tree or a tag.
    pub id: ObjectId,
    /// The reference that this one points to, if it is symbolic.
    pub symbolic: Option<String>,
}

impl Repo {
    /// Removes the reference `name`; a missing one is not an error.
    pub fn delete_ref(&self, name: &str) -> Result<(), RunError> {
        // git would also accept names such as `HEAD`.
        if !name.starts_with("refs/") {
            return Err(RunError::RefName { name: name.to_owned() });
        }
        let mut command = self.git_with(["update-ref", "--no-deref", "-d"]);
        command.names([name]);
        self.finish(command).map(drop)
    }

    /// Returns the references below `prefix`, such as `refs/skein/submit`, sorted by name.
    pub fn refs(&self, prefix: &str) -> Result<Vec<Ref>, RunError> {
        self.list_refs(&[prefix])
    }

    /// Returns those of `names` that are branches with commits that are not in `HEAD`.
    pub fn unmerged_branches(&self, names: &[&str]) -> Result<BTreeSet<String>, RunError> {
        const PREFIX: &str = "refs/heads/";
        let mut command =
            self.git_with(["for-each-ref", "--no-merged=HEAD", "--format=%(refname)"]);
        command.names(names.iter().map(|name| format!("{PREFIX}{name}")));
        let listed = text(&self.finish(command)?);
        let found = listed.lines().filter_map(|line| line.strip_prefix(PREFIX));
        // A pattern also matches the branches below it.
        Ok(found.filter(|name| names.contains(name)).map(str::to_owned).collect())
    }

    pub(crate) fn list_refs(&self, patterns: &[&str]) -> Result<Vec<Ref>, RunError> {
        list(self.git(), self.top(), patterns)
    }
}

/// Lists the references of the repository of `command`.
pub(crate) fn list(
    mut command: GitCommand,
    dir: &Path,
    patterns: &[&str],
) -> Result<Vec<Ref>, RunError> {
    command.args(["for-each-ref", "--format=%(objectname) %(refname) %(symref)"]).names(patterns);
    Ok(text(&finish(command, dir)?).lines().filter_map(parse).collect())
}

fn parse(line: &str) -> Option<Ref> {
    let mut words = line.split(' ');
    let id = ObjectId::parse(words.next()?)?;
    let name = words.next()?.to_owned();
    let symbolic = words.next().filter(|name| !name.is_empty()).map(str::to_owned);
    Some(Ref { name, id, symbolic })
}

/// The reference in which a clone stores the default branch of its origin.
const ORIGIN: &str = "refs/remotes/origin/HEAD";

/// A branch and its latest commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    /// The short name: `main`, `origin/main`.
    pub name: String,
    /// Its latest commit.
    pub commit: CommitId,
}

impl Repo {
    /// Returns the default branch.
    ///
    /// This is the target of `origin/HEAD`, else the first that exists of the user's
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
