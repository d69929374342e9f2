mod find;
mod install;
mod review;
mod search;
mod session;
mod work;

pub(crate) use session::{OTHER_VERSION, SessionCliError};

use std::error::Error;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use skein_catalog::{ShowError, UnknownPath};
use skein_checkpoints::{CheckpointError, ResumeLockError};
use skein_demo::DemoError;
use skein_doctor::RepairError;
use skein_import::ImportError;
use skein_install::InstallError;
use skein_install::setup::{MergeDriverError, SetupError};
use skein_model::{FilterError, Kind};
use skein_review::{
    AddError, ApplyError, ChangesError, CommentError, ItemsError, LocationError, NextError,
    RestoreError, SubmitError, WriteError,
};
use skein_search::QueryError;
use skein_sessions::SessionError;
use skein_summary::BriefError;
use skein_workspace::settings::SetError;
use skein_workspace::{FileError, GitError};

use crate::commands::new_store::NewStore;
use crate::faces::ServeError;
use crate::output::paint;
use crate::render::style;

/// What went wrong, with what the user can do about it.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CliError {
    /// Whoever read the output has gone; that is no error.
    #[error("the output was closed")]
    Closed,
    #[error("cannot write the output")]
    Output(#[source] io::Error),
    #[error("there is no such directory: {}", dir.display())]
    NoDirectory { dir: PathBuf },
    #[error("the current directory does not exist any more")]
    NoCurrentDirectory,
    #[error("`SKEIN_NOW` is not a time: {text}")]
    BadNow { text: String },
    #[error(transparent)]
    Filter(#[from] FilterError),
    #[error(transparent)]
    Path(#[from] UnknownPath),
    #[error("there is no store of review threads: {}", root.display())]
    NoReviews { root: PathBuf },
    #[error("{error}")]
    Query { text: String, error: QueryError },
    #[error("there is nothing to look for")]
    NoQuery,
    #[error("the id of a thread is no filter: {id}")]
    ThreadAsFilter { id: String },
    #[error("threads of another kind are not listed here: {}", asked.as_str())]
    OtherKind { asked: Kind },
    #[error(transparent)]
    Show(#[from] ShowError),
    #[error("there is no setting `{name}`")]
    NoSetting { name: String, nearest: Option<&'static str> },
    #[error("`{name}` takes {takes}, not `{value}`")]
    BadSetting { name: &'static str, takes: &'static str, value: String },
    #[error("the setting could not be written")]
    Set(#[source] Box<SetError>),
    #[error("the demo could not be written")]
    Demo { dir: PathBuf, source: Box<DemoError> },
    #[error("{failed} of {all} repairs failed; the first one")]
    Repair { failed: usize, all: usize, source: Box<RepairError> },
    #[error("there is no command `{name}`")]
    NoCommand { name: String },
    #[error("the comment is empty, so nothing was written")]
    EmptyMessage,
    #[error("what you wrote stands below the line, where nothing counts")]
    BelowLine,
    #[error("no editor is configured and stdin is not a terminal")]
    NoEditor,
    #[error("the editor `{editor}` failed: {why}")]
    Editor { editor: String, why: String },
    #[error("cannot read {}", path.display())]
    Input { path: PathBuf, source: io::Error },
    #[error("what you wrote is kept in {}", path.display())]
    Kept { path: PathBuf, source: Box<Self> },
    #[error("all that you wrote is kept in {}", path.display())]
    KeptSheet { path: PathBuf, source: Box<Self> },
    #[error("{source}")]
    KeptPiped { path: PathBuf, source: Box<Self> },
    #[error("{by} has claimed this thread: {id}")]
    NotYourClaim { id: String, by: String },
    #[error("an agent cannot change `{name}`")]
    AgentSetting { name: &'static str },
    #[error("{what} asks first, and nobody can answer here")]
    CannotAsk { what: &'static str },
    #[error("not a git repository, and there is no {}: {}", store.name(), root.display())]
    StoreOutside { root: PathBuf, store: NewStore },
    #[error(transparent)]
    File(#[from] FileError),
    #[error("the page cannot be served")]
    Serve(#[source] ServeError),
    #[error("no such workspace is known: {}", root.display())]
    UnknownWorkspace { root: PathBuf },
    #[error("stdin can be read for one thing only")]
    StdinTwice,
    #[error(transparent)]
    Work(Box<CheckpointError>),
    #[error(transparent)]
    Brief(#[from] BriefError),
    #[error(transparent)]
    Take(Box<ResumeLockError>),
    #[error(transparent)]
    Review(Box<ReviewError>),
    #[error(transparent)]
    Install(Box<InstallError>),
    #[error(transparent)]
    Session(Box<SessionCliError>),
}

/// What went wrong with a review thread.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReviewError {
    #[error(transparent)]
    Place(#[from] LocationError),
    #[error(transparent)]
    Add(#[from] AddError),
    #[error(transparent)]
    Write(#[from] WriteError),
    #[error(transparent)]
    Comment(#[from] CommentError),
    #[error(transparent)]
    Restore(#[from] RestoreError),
    #[error(transparent)]
    Submit(#[from] SubmitError),
    #[error(transparent)]
    Changes(#[from] ChangesError),
    #[error(transparent)]
    Apply(#[from] ApplyError),
    #[error(transparent)]
    Setup(#[from] SetupError),
    #[error(transparent)]
    Merge(#[from] MergeDriverError),
    #[error("comments belong to the files as they are, not to a commit")]
    NotTheFiles,
    #[error("there is nothing to comment on: {title}")]
    NoChanges { title: String },
    #[error("not a review thread: {id}")]
    NotAReview { id: String },
    #[error("the code of this thread is not there any more: {id}")]
    NoCode { id: String },
    #[error("cannot understand the comments")]
    Items(#[from] ItemsError),
    #[error(transparent)]
    Next(#[from] NextError),
    #[error("nothing was imported")]
    Import(#[from] ImportError),
}

impl From<CheckpointError> for CliError {
    fn from(error: CheckpointError) -> Self {
        Self::Work(Box::new(error))
    }
}

impl From<ResumeLockError> for CliError {
    fn from(error: ResumeLockError) -> Self {
        Self::Take(Box::new(error))
    }
}

impl From<ServeError> for CliError {
    fn from(error: ServeError) -> Self {
        Self::Serve(error)
    }
}

impl From<InstallError> for CliError {
    fn from(error: InstallError) -> Self {
        Self::Install(Box::new(error))
    }
}

impl From<SessionCliError> for CliError {
    fn from(error: SessionCliError) -> Self {
        Self::Session(Box::new(error))
    }
}

impl From<SessionError> for CliError {
    fn from(error: SessionError) -> Self {
        SessionCliError::from(error).into()
    }
}

impl<E: Into<ReviewError>> From<E> for CliError {
    fn from(error: E) -> Self {
        Self::Review(Box::new(error.into()))
    }
}

impl CliError {
    pub(crate) fn from_output(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe { Self::Closed } else { Self::Output(error) }
    }

    /// Adds where the text is that the user wrote for nothing.
    pub(crate) fn keeping(self, path: &Path) -> Self {
        Self::Kept { path: path.to_owned(), source: Box::new(self) }
    }

    /// Adds where the text is that was piped into the command.
    pub(crate) fn keeping_piped(self, path: &Path) -> Self {
        Self::KeptPiped { path: path.to_owned(), source: Box::new(self) }
    }

    /// Adds where the sheet is that the user wrote comments into.
    pub(crate) fn keeping_sheet(self, path: &Path) -> Self {
        Self::KeptSheet { path: path.to_owned(), source: Box::new(self) }
    }

    /// Returns which flag or person lifts a refusal.
    fn refusal_hint(&self) -> Option<&'static str> {
        match self {
            Self::NoReviews { .. } => Some(
                "`skein init` makes one; add `--allow-missing` where none is as good as one without open threads",
            ),
            Self::NotYourClaim { .. } => Some(
                "add `--force` to free it anyway; a claimant is named by `--claimant` or in `SKEIN_SESSION`",
            ),
            Self::AgentSetting { .. } => {
                Some("ask the user to run this command in a terminal of their own")
            }
            Self::StoreOutside { .. } => {
                Some("add `--new-store` to make one here, or name a repository with `-C DIR`")
            }
            _ => None,
        }
    }

    /// Returns what to do next; `args` are those that the program was started with.
    fn hint(&self, args: &[OsString]) -> Option<String> {
        if let Some(error) = find::in_error(self) {
            return Some(find::hint(error, args));
        }
        if let Some(hint) = self.refusal_hint() {
            return Some(hint.to_owned());
        }
        match self {
            Self::Closed => None,
            Self::NoDirectory { .. } | Self::NoCurrentDirectory => {
                Some("run `skein` in a directory that exists, or name one with `-C DIR`".to_owned())
            }
            Self::BadNow { .. } => Some("write it as `2026-01-23T14:30:52Z`".to_owned()),
            Self::Filter(error) => Some(error.hint()),
            Self::Path(error) => Some(near_path(error)),
            Self::Query { text, error } => Some(search::hint(text, error)),
            Self::NoQuery => Some("run `skein search WORD`, or `skein search --help`".to_owned()),
            Self::ThreadAsFilter { id } => Some(format!("run `skein show {id}`")),
            Self::OtherKind { asked } => {
                Some(format!("`skein list {}` lists them", asked.as_str()))
            }
            Self::NoSetting { nearest: Some(name), .. } => {
                Some(format!("did you mean `{name}`? `skein config list` shows every setting"))
            }
            Self::NoSetting { nearest: None, .. } => {
                Some("run `skein config list` to see every setting".to_owned())
            }
            Self::BadSetting { .. } => {
                Some("run `skein config list` to see what it is now".to_owned())
            }
            Self::Set(error) => set_hint(error).or_else(|| io_hint(self)),
            Self::Demo { dir, source } => demo_hint(dir, source).or_else(|| io_hint(self)),
            Self::NoCommand { .. } => Some("run `skein --help` to see every command".to_owned()),
            Self::EmptyMessage => Some("say something with `-m TEXT`".to_owned()),
            Self::NoEditor => Some(format!("set `EDITOR`{}", without_editor(args))),
            Self::Editor { .. } => {
                Some(format!("set `EDITOR` to one that works{}", without_editor(args)))
            }
            Self::Kept { path, source } if matches!(**source, Self::BelowLine) => Some(format!(
                "move it above the line, and use the text with `-F {}`",
                path.display()
            )),
            Self::Kept { path, .. } => {
                Some(format!("mend the cause, and use the text with `-F {}`", path.display()))
            }
            Self::KeptPiped { path, source } => {
                let kept = format!("what was piped in is kept; add `< {}`", path.display());
                Some(source.hint(args).map_or(kept.clone(), |hint| format!("{hint}\n{kept}")))
            }
            Self::KeptSheet { path, source } if matches!(**source, Self::Editor { .. }) => {
                Some(format!(
                    "mend the cause, run `skein review write` again, and copy your lines from {}",
                    path.display()
                ))
            }
            Self::KeptSheet { .. } => Some(
                "mend the cause; `skein review list --drafts` shows which comments are drafts already, and `skein review submit` publishes them"
                    .to_owned(),
            ),
            Self::CannotAsk { .. } => Some("add `--yes` to do it without asking".to_owned()),
            Self::Serve(error) => error.hint.clone().or_else(|| io_hint(self)),
            Self::UnknownWorkspace { .. } => {
                Some("run `skein workspaces list` to see every workspace that is known".to_owned())
            }
            Self::StdinTwice => Some("put one of them into a file, and name it".to_owned()),
            Self::Work(error) => work::hint(error).or_else(|| io_hint(self)),
            Self::Brief(error) => work::brief_hint(error).or_else(|| io_hint(self)),
            Self::Take(error) => work::take_hint(error).or_else(|| io_hint(self)),
            Self::Install(error) => install::hint(error).or_else(|| io_hint(self)),
            Self::Session(error) => session::hint(error).or_else(|| io_hint(self)),
            Self::Review(error) => review::hint(error).or_else(|| io_hint(self)),
            _ => io_hint(self),
        }
    }
}

/// Says what else can be done where there is no editor: not every command takes a text.
fn without_editor(args: &[OsString]) -> &'static str {
    let is = |command: &str| args.iter().any(|arg| arg == command);
    match () {
        () if is("write") => ", or comment with `skein review add FILE:LINE -m TEXT`",
        () if is("open") => "",
        () => ", or use `-m TEXT`",
    }
}

fn set_hint(error: &SetError) -> Option<String> {
    let hint = match error {
        SetError::Edit { .. } | SetError::NotText { .. } => {
            "nothing was changed: mend the file in an editor; `skein config path` prints its path"
        }
        SetError::NoHome => "set `HOME`, and run the command again",
        _ => return None,
    };
    Some(hint.to_owned())
}

/// Names the path that may have been meant.
fn near_path(error: &UnknownPath) -> String {
    match &error.near {
        Some(near) => format!("did you mean `{near}`?"),
        None => "paths are relative to the current directory".to_owned(),
    }
}

/// Says how a store of another user can be used.
fn not_owned(root: &Path) -> String {
    let root = root.display();
    format!("where you trust that user: `skein config set store.safe_directories {root}`")
}

/// Says what to do when a file cannot be read or written.
fn file_hint(error: &FileError) -> Option<String> {
    let hint = match error {
        FileError::Link { .. } => {
            "see where it leads (`ls -l`), and delete the link if it is not yours"
        }
        error if error.is_busy() => "wait a moment and run the command again",
        _ => return None,
    };
    Some(hint.to_owned())
}

/// What to do in a repository without files.
const BARE: &str = "go to a clone or a worktree of it; `git worktree add ../work` makes one";

/// Says what to do when git gave no answer.
fn git_hint(error: &GitError) -> Option<String> {
    match error {
        GitError::Missing { .. } => {
            Some("install git or add it to `PATH`, and run the command again".to_owned())
        }
        GitError::Failed { .. } => Some("run `git status` there and mend what it says".to_owned()),
        _ => None,
    }
}

fn demo_hint(dir: &Path, error: &DemoError) -> Option<String> {
    match error {
        DemoError::NotEmpty { .. } => {
            let free = free_name(dir);
            Some(format!("name a directory that does not exist yet: `skein demo {free}`"))
        }
        DemoError::Git(GitError::Missing { .. }) => {
            Some("install git, and run the command again".to_owned())
        }
        _ if dir.exists() => {
            let dir = dir.display();
            Some(format!(
                "mend the cause, delete what was written (`rm -r {dir}`), and run the command again"
            ))
        }
        _ => None,
    }
}

/// Returns the first of `demo-2`, `demo-3` and so on that is not there.
fn free_name(dir: &Path) -> String {
    let names = (2..).map(|number| format!("{}-{number}", dir.display()));
    names.into_iter().find(|name| !Path::new(name).exists()).unwrap_or_default()
}

/// Finds the system's answer below an error and says what to do about it.
fn io_hint(error: &CliError) -> Option<String> {
    let mut cause: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(error) = cause {
        if let Some(io) = error.downcast_ref::<io::Error>() {
            return by_kind(io.kind());
        }
        cause = error.source();
    }
    None
}

fn by_kind(kind: io::ErrorKind) -> Option<String> {
    let hint = match kind {
        io::ErrorKind::PermissionDenied => "check who may read and write there: `ls -ld` shows it",
        io::ErrorKind::ReadOnlyFilesystem => {
            "the disk is read-only; nothing was changed: mount it writable, or work on a copy"
        }
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "the disk is full; nothing was changed: free some space (`df -h` shows where) and run the command again"
        }
        io::ErrorKind::NotADirectory => "a file is where a directory should be; move it away",
        _ => return None,
    };
    Some(hint.to_owned())
}

/// Prints an error with its causes and a hint.
pub(crate) fn print(
    error: &CliError,
    args: &[OsString],
    color: bool,
    err: &mut dyn Write,
) -> io::Result<()> {
    let safe = crate::terminal::escape_control;
    writeln!(err, "{} {}", paint(color, style::ERROR, "Error:"), safe(&error.to_string()))?;
    let mut cause = error.source();
    let mut said = error.to_string();
    while let Some(error) = cause {
        let text = error.to_string();
        if text != said {
            writeln!(err, "{} {}", paint(color, style::ERROR, "Caused by:"), safe(&text))?;
        }
        said = text;
        cause = error.source();
    }
    if let Some(hint) = error.hint(args) {
        writeln!(err, "{} {}", paint(color, style::HINT, "Hint:"), safe(&hint))?;
    }
    err.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_without_git_is_told_to_get_one() {
        let missing = || GitError::Missing { source: io::ErrorKind::NotFound.into() };
        let errors: [CliError; 2] =
            [InstallError::from(missing()).into(), SetupError::from(missing()).into()];
        for error in errors {
            let hint = error.hint(&[]).unwrap_or_default();
            assert_eq!(hint, "install git or add it to `PATH`, and run the command again");
        }
    }

    #[test]
    fn what_the_system_refuses_has_a_hint_of_its_own() {
        let hint = |kind: io::ErrorKind| CliError::Output(kind.into()).hint(&[]);
        let kinds = [
            io::ErrorKind::PermissionDenied,
            io::ErrorKind::ReadOnlyFilesystem,
            io::ErrorKind::StorageFull,
            io::ErrorKind::NotADirectory,
        ];
        let mut hints: Vec<String> = kinds.into_iter().filter_map(hint).collect();
        hints.dedup();
        assert_eq!(hints.len(), kinds.len());
        assert_eq!(hint(io::ErrorKind::Other), None);
    }
}
