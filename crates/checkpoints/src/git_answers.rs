//! What git says about an auto-checkpoint. A hook may have to leave a question to a later process.

use std::path::Path;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use skein_format::checkpoint::{CheckpointDoc, CheckpointEditError, NewCheckpoint};
use skein_git::{CommitId, Repo, RunError};
use skein_workspace::Workspace;

use super::git_facts::own_paths;

/// How long a process waits for git that no caller waits for: on a cold cache, `git status` of a repository with a million files takes
/// one to two minutes.
pub(super) const GIT_LIMIT: Duration = Duration::from_secs(5 * 60);
/// Maximum number of files from git that are listed.
const MAX_FILES: usize = 500;

/// What is not known yet of a checkpoint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct MissingFacts {
    /// Whether there are uncommitted changes.
    pub(super) dirty: bool,
    /// The uncommitted files.
    pub(super) changed_files: bool,
    /// The files of its commit.
    pub(super) commit_files: bool,
}

impl MissingFacts {
    pub(super) fn is_any(self) -> bool {
        self.dirty || self.changed_files || self.commit_files
    }
}

/// The answers of git within a time limit.
#[derive(Debug, Default)]
pub(super) struct GitAnswers {
    pub(super) dirty: Option<bool>,
    /// The uncommitted files, or those of the commit.
    pub(super) files: Vec<String>,
    /// The questions to which there was no answer in time.
    pub(super) missing: MissingFacts,
}

impl GitAnswers {
    /// Asks git what is missing. A question that git cannot answer at all is not asked again.
    pub(super) fn ask(
        workspace: &Workspace,
        missing: MissingFacts,
        commit: Option<&CommitId>,
        limit: Duration,
    ) -> Self {
        let mut answers = Self::default();
        let Some(repo) = workspace.git.as_ref().and_then(Repo::new) else { return answers };
        let repo = repo.until(Instant::now() + limit);
        let own = own_paths(workspace);
        if missing.commit_files
            && let Some(commit) = commit
        {
            match repo.commit_summary(commit) {
                Ok(summary) => answers.files = summary.files,
                Err(error) => answers.missing.commit_files = is_late(&error),
            }
            let is_own = |path: &String| own.iter().any(|own| Path::new(path).starts_with(own));
            answers.files.retain(|path| !is_own(path));
        }
        if missing.changed_files {
            match repo.status_paths(&own) {
                Ok(changed) => {
                    answers.dirty = Some(!changed.is_empty());
                    answers.files.extend(changed);
                }
                Err(error) => {
                    answers.missing.changed_files = is_late(&error);
                    answers.missing.dirty = missing.dirty && is_late(&error);
                }
            }
        } else if missing.dirty {
            match repo.is_dirty(&own) {
                Ok(dirty) => answers.dirty = Some(dirty),
                Err(error) => answers.missing.dirty = is_late(&error),
            }
        }
        answers.files.truncate(MAX_FILES);
        answers
    }

    /// Adds the answers to a checkpoint that has no file yet.
    pub(super) fn add_to_draft(&self, new: &mut NewCheckpoint) {
        if self.dirty.is_some() {
            new.git.get_or_insert_default().dirty = self.dirty;
        }
        let mut files = self.files.clone();
        for file in &new.files {
            if !files.contains(file) {
                files.push(file.clone());
            }
        }
        files.truncate(MAX_FILES);
        new.files = files;
    }

    /// Adds the answers to a checkpoint that has been saved or written down; it may have them already.
    pub(super) fn add_to(&self, doc: &mut CheckpointDoc) -> Result<(), CheckpointEditError> {
        doc.add_git_facts(self.dirty, &self.files)
    }
}

fn is_late(error: &RunError) -> bool {
    matches!(error, RunError::Late { .. })
}
