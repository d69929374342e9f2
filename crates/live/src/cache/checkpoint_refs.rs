use skein_format::checkpoint::CheckpointDoc;
use skein_format::redact::redacted;

/// Maximum number of files of one checkpoint that are followed.
const MAX_FILES: usize = 300;

/// The trigger of a checkpoint of a commit, which names the commit as the one that is checked out.
const COMMIT_TRIGGER: &str = "git-commit";

/// The files, commits and session that a checkpoint refers to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CheckpointRefs {
    /// The files that it touched, as written and without secrets.
    pub files: Vec<String>,
    /// The commits that were made, as written: the digits and the subject.
    pub commits: Vec<String>,
    /// The agent's session.
    pub session: Option<String>,
}

impl CheckpointRefs {
    /// Collects the references of a checkpoint.
    pub(crate) fn from_doc(doc: &CheckpointDoc) -> Self {
        let files = doc.files().into_iter().take(MAX_FILES);
        let mut commits: Vec<String> = doc.commits().into_iter().map(redacted).collect();
        if doc.head().trigger.as_deref() == Some(COMMIT_TRIGGER) {
            let git = doc.head().git.as_ref();
            commits.extend(git.and_then(|git| git.current_commit.clone()));
        }
        Self {
            files: files.map(|file| redacted(file.path)).collect(),
            commits,
            session: doc.head().session_id.clone().filter(|id| !id.trim().is_empty()),
        }
    }
}
