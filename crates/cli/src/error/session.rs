//! What to do when a session map could not be read or written.

use std::error::Error;
use std::io;
use std::path::PathBuf;

use skein_sessions::SessionError;
use skein_workspace::FileError;

/// What went wrong with sessions.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SessionCliError {
    #[error(transparent)]
    Map(#[from] SessionError),
    #[error("no such session: {id}")]
    Unknown { id: String, near: Vec<String>, list: String },
    #[error("the session has ended, which is final: {session_id}")]
    Ended { session_id: String, show: String },
    #[error("the entry of this session breaks the contract of the map, and is left out: {id}")]
    LeftOut { id: String, why: String },
    #[error("more than one session is meant by: {id}")]
    Ambiguous { id: String, candidates: Vec<(String, String)> },
    #[error("there is no such file: {}", path.display())]
    NoFile { path: PathBuf },
    #[error("`{name}` must not be empty")]
    Empty { name: &'static str },
    #[error("not a field with its value: {word}")]
    NoValue { word: String },
    #[error("a session has no field `{name}`")]
    NoField { name: String, nearest: Option<&'static str> },
    #[error("`{name}` tells the session from others, and stays as it is")]
    Fixed { name: &'static str },
    #[error("`{name}` is given twice")]
    Twice { name: &'static str },
    #[error("a session cannot be `{word}`")]
    NoStatus { word: String, nearest: Option<&'static str> },
}

/// What to do about a map of another version.
pub(crate) const OTHER_VERSION: &str =
    "nothing was changed: use the program that wrote the file, or a newer version of Skein";
const FIELDS: &str = "fields are `status`, `title`, `project`, `directory` and `thread`";
const STATUSES: &str = "it is `active`, `disconnected`, `orphaned` or `ended`";

pub(super) fn hint(error: &SessionCliError) -> Option<String> {
    Some(match error {
        SessionCliError::Map(error) => return map_hint(error),
        SessionCliError::Unknown { near, list, .. } if near.is_empty() => {
            format!("`skein session list{list}` shows every session")
        }
        SessionCliError::Unknown { near, .. } => {
            let near: Vec<String> = near.iter().map(|id| format!("`{id}`")).collect();
            format!("did you mean {}?", near.join(" or "))
        }
        SessionCliError::Ended { show, .. } => {
            format!("nothing leads out of `ended`; `skein session show {show}` says since when")
        }
        SessionCliError::LeftOut { why, .. } => {
            format!("`--lenient` takes it anyway; {why} says what is wrong with it")
        }
        SessionCliError::Ambiguous { candidates, .. } => one_of(candidates),
        SessionCliError::NoFile { path } => {
            let dir = path.parent().unwrap_or(path).display();
            format!("check the path: `ls {dir}` shows what is there")
        }
        SessionCliError::Empty { name } => format!("give it a value: `{name}=VALUE`"),
        SessionCliError::NoValue { word } if is_status(word) => {
            format!("write it as `status={word}`")
        }
        SessionCliError::NoValue { .. } => format!("write it as `status=ended`; {FIELDS}"),
        SessionCliError::NoField { nearest: Some(name), .. } => {
            format!("did you mean `{name}=`? {FIELDS}")
        }
        SessionCliError::NoField { nearest: None, .. } | SessionCliError::Fixed { .. } => {
            FIELDS.to_owned()
        }
        SessionCliError::Twice { name } => format!("give `{name}` once"),
        SessionCliError::NoStatus { nearest: Some(status), .. } => {
            format!("did you mean `{status}`? {STATUSES}")
        }
        SessionCliError::NoStatus { nearest: None, .. } => STATUSES.to_owned(),
    })
}

fn is_status(word: &str) -> bool {
    ["active", "ended", "disconnected", "orphaned"].contains(&word)
}

fn map_hint(error: &SessionError) -> Option<String> {
    let hint = match error {
        SessionError::NoHome => "set `HOME`, or name a map with `--file MAP`",
        SessionError::NoMap { .. } => {
            "an agent's chat plugin writes the map when it binds its first session; `--file MAP` names another one"
        }
        SessionError::NotAFile { .. } => {
            "nothing was changed: move it elsewhere, or name a regular file"
        }
        SessionError::Dangling { path } => {
            let path = path.display();
            return Some(format!(
                "`ls -l {path}` shows where it leads: mend the link or delete it"
            ));
        }
        SessionError::Link { .. } => {
            "nothing was changed: a repository may be a stranger's; `--file MAP` names a map of your own"
        }
        SessionError::UnknownVersion { .. } => OTHER_VERSION,
        SessionError::Corrupt { path, .. } => {
            let path = path.display();
            return Some(format!(
                "`skein session repair --file {path}` shows what can be saved of it"
            ));
        }
        SessionError::BadValue { field, .. } if field.ends_with("At") => {
            return Some(format!("write it as `{field}=2026-01-15T14:30:00Z`"));
        }
        SessionError::BadValue { .. } => "nothing was changed: give it another value",
        SessionError::Exists { .. } => {
            "nothing was written: name a file that does not exist, or one of those that are merged"
        }
        SessionError::File(FileError::Lock(error)) if is_missing(error.source()) => {
            "make the directory first: `mkdir -p` does"
        }
        SessionError::File(error) => return super::file_hint(error),
        _ => return None,
    };
    Some(hint.to_owned())
}

fn is_missing(cause: Option<&(dyn Error + 'static)>) -> bool {
    let io = cause.and_then(|cause| cause.downcast_ref::<io::Error>());
    io.is_some_and(|io| io.kind() == io::ErrorKind::NotFound)
}

/// Lists the sessions that may be meant.
fn one_of(candidates: &[(String, String)]) -> String {
    const MAX_NAMED: usize = 10;
    let line = |(id, about): &(String, String)| format!("\n  {id}  ({about})");
    let lines: String = candidates.iter().take(MAX_NAMED).map(line).collect();
    match candidates.len().saturating_sub(MAX_NAMED) {
        0 => format!("name one of them:{lines}"),
        more => format!("name one of them:{lines}\n  and {more} more"),
    }
}
