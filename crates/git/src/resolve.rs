//! Resolves a revision to a commit id.

use crate::command::GitCommand;
use crate::object_id::{CommitId, ObjectId};
use crate::repo::Repo;
use crate::run::{RunError, line};

impl Repo {
    /// Returns the commit that `text` refers to: a branch, a tag, an id, `HEAD~2`.
    ///
    /// `None` if there is no such commit, or more than one.
    pub fn resolve(&self, text: &str) -> Result<Option<CommitId>, RunError> {
        if text.is_empty() || text.contains('\0') {
            return Ok(None);
        }
        let mut command = self.git_with(["rev-parse", "--verify", "--quiet"]);
        command.names([format!("{text}^{{commit}}")]);
        Ok(self.answer(command)?.and_then(|stdout| CommitId::parse(&line(&stdout))))
    }

    /// Returns the commit that is checked out; `None` on a branch that has none yet.
    pub fn head_commit(&self) -> Result<Option<CommitId>, RunError> {
        self.resolve("HEAD")
    }

    /// Returns the branch that is checked out; `None` if `HEAD` is detached.
    pub fn head_branch(&self) -> Result<Option<String>, RunError> {
        let stdout = self.answer(self.git_with(["symbolic-ref", "--quiet", "HEAD"]))?;
        Ok(stdout.and_then(|stdout| Some(line(&stdout).strip_prefix("refs/heads/")?.to_owned())))
    }

    /// Returns the best common ancestor of two commits.
    pub fn merge_base(&self, a: &CommitId, b: &CommitId) -> Result<Option<CommitId>, RunError> {
        let mut command = self.git_with(["merge-base"]);
        command.arg(a).arg(b);
        let stdout = self.answer(command)?;
        Ok(stdout.and_then(|stdout| CommitId::parse(&line(&stdout))))
    }

    /// Returns the id of the empty tree.
    pub fn empty_tree(&self) -> Result<ObjectId, RunError> {
        self.object_id(self.git_with(["hash-object", "-t", "tree", "--stdin"]))
    }

    /// Runs a command that prints the id of an object.
    pub(crate) fn object_id(&self, command: GitCommand) -> Result<ObjectId, RunError> {
        let args = command.shown_args();
        let stdout = line(&self.finish(command)?);
        ObjectId::parse(&stdout).ok_or(RunError::Output { args, stdout })
    }
}
