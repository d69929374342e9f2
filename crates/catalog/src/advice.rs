//! The advice for ids and paths that match no thread, or several.

use skein_model::advice::did_you_mean;
use skein_model::{Advice, FailureKind, Retype, UserError};

use crate::location::FindError;
use crate::show::ShowError;
use crate::typed_path::UnknownPath;

/// Maximum number of threads that a hint lists.
const MAX_LISTED: usize = 10;

impl UserError for FindError {
    fn advice(&self, retype: Retype<'_>) -> Advice {
        let hint = match self {
            Self::None { near, .. } if near.is_empty() => {
                "run `skein list` to see every thread".to_owned()
            }
            Self::None { text, near } => did_you_mean(near.iter().map(|id| retype(text, id))),
            Self::Ambiguous { text, candidates } => {
                let commands = candidates.iter().map(|(id, about)| (retype(text, id), about));
                one_of(commands, candidates.len())
            }
            Self::Deleted { id, .. } => format!("restore it with `skein review restore {id}`"),
            Self::OtherWorktree { text, id, root } => {
                let command = retype(text, id);
                let rest = command.strip_prefix("skein ").unwrap_or(&command);
                format!("run the command there: `skein -C {} {rest}`", root.display())
            }
            Self::Nothing => "run `skein` to see where Skein looks for threads".to_owned(),
            Self::NoCheckpoint { text } => format!("`skein show {text}` shows what it is"),
        };
        FailureKind::NotFound.hint(hint).page("the list of threads shows every thread")
    }
}

impl UserError for ShowError {
    fn advice(&self, retype: Retype<'_>) -> Advice {
        match self {
            Self::Find(error) => error.advice(retype),
            Self::Read(_) => FailureKind::System.plain(),
        }
    }
}

impl UserError for UnknownPath {
    fn advice(&self, _: Retype<'_>) -> Advice {
        FailureKind::Invalid.hint(match &self.near {
            Some(near) => did_you_mean([near.clone()]),
            None => "paths are relative to the current directory".to_owned(),
        })
    }
}

/// Returns a hint that lists the first of several choices, each with a remark.
pub fn one_of<'a>(choices: impl Iterator<Item = (String, &'a String)>, count: usize) -> String {
    let lines = choices.take(MAX_LISTED).map(|(choice, about)| match about.as_str() {
        "" => format!("\n  {choice}"),
        about => format!("\n  {choice}  ({about})"),
    });
    let lines: String = lines.collect();
    match count.saturating_sub(MAX_LISTED) {
        0 => format!("name one of them:{lines}"),
        more => format!("name one of them:{lines}\n  and {more} more"),
    }
}
