//! What to do when a checkpoint could not be written.

use skein_checkpoints::{CheckpointError, ResumeLockError};
use skein_format::checkpoint::{EditError, IllegalMove, RecordError, WorkerState};
use skein_summary::BriefError;

pub(super) fn hint(error: &CheckpointError) -> Option<String> {
    let hint = match error {
        CheckpointError::Unusable { .. } => {
            "`skein doctor` says what is wrong with the file, and mends what it can"
        }
        CheckpointError::NotOwned { root } => return Some(super::not_owned(root)),
        CheckpointError::NotAFile { .. } => "move it elsewhere, and run the command again",
        CheckpointError::Empty => "say what was done with `-m TEXT`",
        CheckpointError::Slug { .. } => {
            "letters, digits, `-` and `_` make a slug, as in `parser-rewrite`; without one it is made of the summary"
        }
        CheckpointError::WorkerState { .. }
        | CheckpointError::Record(RecordError::WorkerState { .. }) => {
            "the states are `idle`, `loading`, `executing`, `verifying`, `completed` and `error`"
        }
        CheckpointError::Record(error) => record(error),
        CheckpointError::Edit(EditError::Newer { .. }) => "a newer version of Skein can write it",
        CheckpointError::Edit(EditError::Legacy) => {
            "`skein checkpoint save -m SUMMARY` writes one that can be changed"
        }
        CheckpointError::Move(error) => return Some(moves(error)),
        CheckpointError::NoWorker { .. } => {
            "`skein checkpoint save -m SUMMARY --worker ID --skill SKILL --state STATE` writes one that has a worker"
        }
        CheckpointError::NotAHandoff { .. } => "`skein list type:handoff` lists the handoffs",
        CheckpointError::NoHandoff { elsewhere } if elsewhere.is_empty() => {
            "`skein list type:handoff` lists those that were ended"
        }
        CheckpointError::NoHandoff { elsewhere } => {
            return Some(format!("name one that is open elsewhere: {}", elsewhere.join(", ")));
        }
        CheckpointError::NoStep { .. } => "`skein steps list --all` names every step",
        CheckpointError::NoneToRestore { .. } | CheckpointError::NoRemovedWorktree { .. } => {
            "`skein checkpoint restore` lists the checkpoints of removed worktrees"
        }
        CheckpointError::ManyToRestore { candidates, .. } => {
            return Some(choices("skein checkpoint restore", candidates));
        }
        CheckpointError::ManyRemovedWorktrees { roots, .. } => {
            return Some(choices("skein checkpoint restore --worktree", roots));
        }
        CheckpointError::CannotMerge { .. } => {
            "repair the file that is there or move it elsewhere, and run the command again"
        }
        CheckpointError::NoStore { .. } => {
            "`skein checkpoint save -m SUMMARY` writes the first one"
        }
        CheckpointError::File(error) => return super::file_hint(error),
        _ => return None,
    };
    Some(hint.to_owned())
}

/// Names a command for each of several things that may be meant.
fn choices(command: &str, names: &[String]) -> String {
    let lines = names.iter().map(|name| format!("\n  {command} {name}"));
    format!("name one of them:{}", lines.collect::<String>())
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

/// Says which moves there are.
fn moves(error: &IllegalMove) -> String {
    let from = &error.from;
    let next: Vec<String> = WorkerState::parse(from)
        .next()
        .iter()
        .map(|state| format!("`{}`", state.as_str()))
        .collect();
    match next.as_slice() {
        [] => format!("nothing follows `{from}`; `--force` moves it anyway"),
        next => {
            format!("from `{from}` it goes to {}; `--force` moves it anyway", next.join(" or "))
        }
    }
}

pub(super) fn brief_hint(error: &BriefError) -> Option<String> {
    match error {
        BriefError::Nothing { .. } => {
            Some("`skein checkpoint save -m SUMMARY` writes the first one".to_owned())
        }
        BriefError::AllDone { last } => Some(format!(
            "`skein resume {last}` still shows the last checkpoint; `skein list checkpoint` lists all"
        )),
        BriefError::Unusable { .. } => {
            Some("`skein doctor` says what is wrong with the file".to_owned())
        }
        BriefError::Find(_) | BriefError::Read(_) => None,
    }
}

pub(super) fn take_hint(error: &ResumeLockError) -> Option<String> {
    match error {
        ResumeLockError::Ended { id, .. } => Some(format!(
            "`skein handoff reopen {id}` opens it again; use `--force` to take it over"
        )),
        ResumeLockError::Held { .. } => Some("`--force` takes it anyway".to_owned()),
        ResumeLockError::NoStore { .. } => {
            Some("`skein checkpoint save -m SUMMARY` writes the first one".to_owned())
        }
        ResumeLockError::File(error) => super::file_hint(error),
        _ => None,
    }
}
