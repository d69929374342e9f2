//! The advice for errors of checkpoints.

use skein_format::checkpoint::{CheckpointEditError, IllegalMove, RecordError, WorkerState};
use skein_model::FailureKind::{Conflict, Invalid, NotFound, System, Unusable};
use skein_model::advice::choices;
use skein_model::{Advice, Retype, UserError};
use skein_workspace::advice::{DOCTOR, RELOAD, not_owned};

use crate::{CheckpointError, ResumeLockError};

const FIRST: &str = "`skein checkpoint save -m SUMMARY` writes the first one";
const STATES: &str =
    "the states are `idle`, `loading`, `executing`, `verifying`, `completed` and `error`";

impl UserError for CheckpointError {
    fn advice(&self, retype: Retype<'_>) -> Advice {
        match self {
            Self::Find(error) => error.advice(retype).page(RELOAD),
            Self::File(error) => error.advice(retype),
            Self::Unusable { .. } => Unusable.hint(DOCTOR),
            Self::NotOwned { root } => not_owned(root),
            Self::NotAFile { .. } => Conflict.hint("move it elsewhere, and run the command again"),
            Self::Empty => Invalid
                .hint("say what was done with `-m TEXT`")
                .page("say what was done, or what is next")
                .field("summary"),
            Self::Slug { .. } => Invalid
                .hint("a slug has letters, digits, `-` and `_`, as in `parser-rewrite`; without one it is made from the summary")
                .field("slug"),
            Self::WorkerState { .. } => Invalid.hint(STATES).field("worker"),
            Self::Record(error) => Invalid.hint(record(error)),
            Self::Edit(CheckpointEditError::Newer { .. }) => {
                Unusable.hint("a newer version of Skein can change it")
            }
            Self::Edit(CheckpointEditError::Legacy) => Unusable
                .hint("`skein checkpoint save -m SUMMARY` writes one that can be changed")
                .page("a checkpoint of the old format can only be read"),
            Self::Edit(_) => Conflict.plain().page(RELOAD),
            Self::Move(error) => Conflict.hint(next_states(error)),
            Self::NoWorker { .. } => Conflict.hint("`skein checkpoint save -m SUMMARY --worker ID --skill SKILL --state STATE` writes one that has a worker"),
            Self::NotAHandoff { .. } => {
                NotFound.hint("`skein list type:handoff` lists the handoffs").page(RELOAD)
            }
            Self::NoHandoff { elsewhere } => NotFound
                .hint(match elsewhere.as_slice() {
                    [] => "`skein list type:handoff` lists the handoffs that have ended".to_owned(),
                    ids => format!("name one that is open elsewhere: {}", ids.join(", ")),
                })
                .page(RELOAD),
            Self::NoStep { .. } => {
                NotFound.hint("`skein steps list --all` lists every step").page(RELOAD)
            }
            Self::NoStore { .. } => NotFound.hint(FIRST).page(RELOAD),
            Self::StepChanged { now, .. } => Advice {
                now: Some(now.clone()),
                ..Conflict
                    .hint(format!("nothing was changed; look at the step as it is now: {now}"))
                    .page("nothing was changed; look at the current state")
            },
            Self::OtherCleanup => {
                Conflict.plain().page("nothing was changed; look at the current list")
            }
            Self::NoneToRestore { .. } | Self::NoRemovedWorktree { .. } => NotFound
                .hint("`skein checkpoint restore` lists the checkpoints of removed worktrees"),
            Self::ManyToRestore { candidates, .. } => {
                NotFound.hint(choices("skein checkpoint restore", candidates))
            }
            Self::ManyRemovedWorktrees { roots, .. } => {
                NotFound.hint(choices("skein checkpoint restore --worktree", roots))
            }
            Self::CannotMerge { .. } => Conflict.hint(
                "repair the file that is there or move it elsewhere, and run the command again",
            ),
            Self::Taken { id, .. } => {
                Conflict.hint(format!("`skein resume {id} --take --force` takes it over"))
            }
            Self::GivenUp { .. } => {
                System.hint("run `git status` in the repository: it should end within five minutes")
            }
            Self::Mirror(_) | Self::Local(_) | Self::StillTaken(_) => System.plain(),
        }
    }
}

fn record(error: &RecordError) -> &'static str {
    match error {
        RecordError::WorkerState { .. } => STATES,
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

/// Returns the hint that lists the states allowed after the current one.
fn next_states(error: &IllegalMove) -> String {
    let from = &error.from;
    let next = WorkerState::parse(from).next();
    let next: Vec<String> = next.iter().map(|state| format!("`{}`", state.as_str())).collect();
    match next.as_slice() {
        [] => format!("`{from}` has no next state; use `--force` to override"),
        next => format!("after `{from}` comes {}; use `--force` to override", next.join(" or ")),
    }
}

impl UserError for ResumeLockError {
    fn advice(&self, retype: Retype<'_>) -> Advice {
        match self {
            Self::Find(error) => error.advice(retype),
            Self::File(error) => error.advice(retype),
            Self::Open(error) => error.advice(retype),
            Self::Ended { id, .. } => Conflict.hint(format!(
                "`skein handoff reopen {id}` opens it again; use `--force` to take it over"
            )),
            Self::Held { .. } => Conflict.hint("use `--force` to take it over"),
            Self::Free { .. } => Conflict.plain(),
            Self::NoStore { .. } => NotFound.hint(FIRST),
        }
    }
}
