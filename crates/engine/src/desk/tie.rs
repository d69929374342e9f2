use skein_format::checkpoint::CheckpointDoc;
use skein_format::redact::redacted;

/// More files of one checkpoint than this lead nowhere.
const MOST_FILES: usize = 300;

/// What sets off the checkpoint of a commit, which names the commit as the one that is checked out.
const BY_COMMIT: &str = "git-commit";

/// What connects a checkpoint to other things.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tie {
    /// The files that it touched, as written and without secrets.
    pub files: Vec<String>,
    /// The commits that were made, as written: the digits, and what the commit says.
    pub commits: Vec<String>,
    /// The agent's session.
    pub session: Option<String>,
}

impl Tie {
    /// Reads what a checkpoint says.
    pub(crate) fn of(doc: &CheckpointDoc) -> Self {
        let files = doc.files().into_iter().take(MOST_FILES);
        let mut commits: Vec<String> = doc.commits().into_iter().map(redacted).collect();
        if doc.head().trigger.as_deref() == Some(BY_COMMIT) {
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
