//! Turns what people call a commit into its id.

use crate::commit_id::CommitId;
use crate::object_id::ObjectId;
use crate::repo::Repo;
use crate::run::{RunError, line, shown_args};

impl Repo {
    /// Returns the commit that `text` names: a branch, a tag, an id, `HEAD~2`.
    ///
    /// `None` when there is no such commit, or more than one.
    ///
    /// # Errors
    ///
    /// When git cannot be run, or makes no sense of the text.
    pub fn resolve(&self, text: &str) -> Result<Option<CommitId>, RunError> {
        if text.is_empty() || text.contains('\0') {
            return Ok(None);
        }
        let mut command = self.git();
        command.args(["rev-parse", "--verify", "--quiet", "--end-of-options"]);
        command.arg(format!("{text}^{{commit}}"));
        let stdout = self.answer(command)?;
        Ok(stdout.and_then(|stdout| CommitId::parse(&line(&stdout))))
    }

    /// Returns the commit that is checked out; `None` on a branch that has none yet.
    ///
    /// # Errors
    ///
    /// When git cannot be run.
    pub fn head_commit(&self) -> Result<Option<CommitId>, RunError> {
        self.resolve("HEAD")
    }

    /// Returns the branch that is checked out, as git says; `None` where there is none.
    ///
    /// # Errors
    ///
    /// When git cannot be run.
    pub fn head_branch(&self) -> Result<Option<String>, RunError> {
        let mut command = self.git();
        command.args(["symbolic-ref", "--quiet", "HEAD"]);
        let stdout = self.answer(command)?;
        Ok(stdout.and_then(|stdout| Some(line(&stdout).strip_prefix("refs/heads/")?.to_owned())))
    }

    /// Returns the best commit that both have in their history.
    ///
    /// # Errors
    ///
    /// When git cannot be run, or one of the commits is not there.
    pub fn merge_base(&self, a: &CommitId, b: &CommitId) -> Result<Option<CommitId>, RunError> {
        let mut command = self.git();
        command.args(["merge-base", a.as_str(), b.as_str()]);
        let stdout = self.answer(command)?;
        Ok(stdout.and_then(|stdout| CommitId::parse(&line(&stdout))))
    }

    /// Returns the tree without files, the state before the first commit.
    ///
    /// # Errors
    ///
    /// When git cannot be run.
    pub fn empty_tree(&self) -> Result<ObjectId, RunError> {
        let mut command = self.git();
        command.args(["hash-object", "-t", "tree", "--stdin"]);
        let args = shown_args(&command);
        let stdout = line(&self.finish(command)?);
        ObjectId::parse(&stdout).ok_or(RunError::Output { args, stdout })
    }
}
