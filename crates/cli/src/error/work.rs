//! What to do when a checkpoint could not be written.

use std::error::Error as _;

use skein_engine::work::WorkError;
use skein_format::checkpoint::RecordError;

use super::find_hint;

pub(super) fn hint(error: &WorkError) -> Option<String> {
    let hint = match error {
        WorkError::Find(error) => return Some(find_hint(error)),
        WorkError::Unusable { .. } => {
            "`skein doctor` says what is wrong with the file, and mends what it can"
        }
        WorkError::Link { .. } => {
            "see where it leads (`ls -l`), and delete the link if it is not yours"
        }
        WorkError::Empty => "say what was done with `-m TEXT`",
        WorkError::Slug { .. } => {
            "letters, digits, `-` and `_` make a slug, as in `parser-rewrite`; without one it is made of the summary"
        }
        WorkError::WorkerState { .. } | WorkError::Record(RecordError::WorkerState { .. }) => {
            "the states are `idle`, `loading`, `executing`, `verifying`, `completed` and `error`"
        }
        WorkError::Record(error) => record(error),
        WorkError::NoStore { .. } => "`skein checkpoint save -m SUMMARY` writes the first one",
        // A lock that another program holds has no cause below it.
        WorkError::Lock(error) if error.source().is_some() => return None,
        WorkError::Busy { .. } | WorkError::Lock(_) => "wait a moment and run the command again",
        _ => return None,
    };
    Some(hint.to_owned())
}

fn record(error: &RecordError) -> &'static str {
    match error {
        RecordError::Type { .. } => {
            "the types are `checkpoint`, `auto-checkpoint` and `handoff`; without one it is `checkpoint`"
        }
        RecordError::Version => "write `\"version\": 1`, or leave it out",
        RecordError::NoSummary => "give at least `{\"conversation_summary\": \"What was done\"}`",
        _ => {
            "nothing was written: give one object such as `{\"conversation_summary\": \"What was done\", \"next_steps\": [\"What is next\"]}`"
        }
    }
}
