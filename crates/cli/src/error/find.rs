//! What to do when an id means no thread, or several.

use std::ffi::OsString;

use skein_catalog::{FindError, ShowError};
use skein_checkpoints::{CheckpointError, ResumeLockError};
use skein_review::{ApplyError, CommentError, RestoreError, SubmitError, WriteError};
use skein_summary::BriefError;

use super::{CliError, ReviewError};

/// The number of threads that are listed.
const MAX_LISTED: usize = 10;

/// Returns why no thread was found, where that is what went wrong.
pub(super) fn in_error(error: &CliError) -> Option<&FindError> {
    match error {
        CliError::Show(ShowError::Find(error)) | CliError::Brief(BriefError::Find(error)) => {
            Some(error)
        }
        CliError::Work(error) => match &**error {
            CheckpointError::Find(error) => Some(error),
            _ => None,
        },
        CliError::Take(error) => match &**error {
            ResumeLockError::Find(error) => Some(error),
            _ => None,
        },
        CliError::Review(error) => match &**error {
            ReviewError::Write(error)
            | ReviewError::Submit(SubmitError::Write(error))
            | ReviewError::Comment(CommentError::Write(error))
            | ReviewError::Restore(RestoreError::Write(error))
            | ReviewError::Apply(ApplyError::Write(error)) => in_write(error),
            _ => None,
        },
        _ => None,
    }
}

fn in_write(error: &WriteError) -> Option<&FindError> {
    match error {
        WriteError::Find(error) => Some(error),
        _ => None,
    }
}

/// Says what to type instead: the same command with the id of a thread.
pub(super) fn hint(error: &FindError, args: &[OsString]) -> String {
    match error {
        FindError::None { near, .. } if near.is_empty() => {
            "run `skein list` to see every thread".to_owned()
        }
        FindError::None { text, near } => {
            let near: Vec<String> =
                near.iter().map(|id| format!("`{}`", typed(args, text, id))).collect();
            format!("did you mean {}?", near.join(" or "))
        }
        FindError::Ambiguous { text, candidates } => {
            let line = |(id, about): &(String, String)| {
                let command = typed(args, text, id);
                if about.is_empty() {
                    format!("\n  {command}")
                } else {
                    format!("\n  {command}  ({about})")
                }
            };
            let lines: String = candidates.iter().take(MAX_LISTED).map(line).collect();
            let more = candidates.len().saturating_sub(MAX_LISTED);
            let rest = if more > 0 { format!("\n  and {more} more") } else { String::new() };
            format!("name one of them:{lines}{rest}")
        }
        FindError::Deleted { id, .. } => format!("`skein review restore {id}` brings it back"),
        FindError::OtherWorktree { text, id, root } => {
            let command = typed(args, text, id);
            let rest = command.strip_prefix("skein ").unwrap_or(&command);
            format!("`skein -C {} {rest}` runs the command there", root.display())
        }
        FindError::Nothing => "run `skein` to see where threads are looked for".to_owned(),
        FindError::NoCheckpoint { text } => format!("`skein show {text}` says what it is"),
    }
}

/// Returns the command that was typed, with another id in the place of the one that was not understood.
fn typed(args: &[OsString], text: &str, id: &str) -> String {
    // A step is named by its checkpoint, `#` and a number.
    let rest = |arg: &OsString| {
        let rest = arg.to_str()?.strip_prefix(text)?;
        (rest.is_empty() || rest.starts_with('#')).then(|| rest.to_owned())
    };
    let found = args.iter().enumerate().skip(1).find_map(|(n, arg)| Some((n, rest(arg)?)));
    let Some((at, rest)) = found else { return format!("skein show {}", quoted(id)) };
    let words = args.iter().enumerate().skip(1).map(|(n, arg)| match n == at {
        true => quoted(&format!("{id}{rest}")),
        false => quoted(&arg.to_string_lossy()),
    });
    words.fold("skein".to_owned(), |line, word| format!("{line} {word}"))
}

/// Returns a word as a shell wants it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "@%_+=:,./-".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_that_was_typed_is_named() {
        let args: Vec<OsString> =
            ["/usr/bin/skein", "review", "reply", "ab", "-m", "it's so"].map(Into::into).into();
        assert_eq!(typed(&args, "ab", "abcd"), r"skein review reply abcd -m 'it'\''s so'");
        assert_eq!(typed(&args, "@last", "abcd"), "skein show abcd");
        let args: Vec<OsString> = ["skein", "steps", "done", "daily#1"].map(Into::into).into();
        assert_eq!(typed(&args, "daily", "T-1-daily"), "skein steps done 'T-1-daily#1'");
    }
}
