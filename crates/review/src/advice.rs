//! The advice for errors of review threads.

use std::error::Error as _;

use skein_model::FailureKind::{Conflict, Forbidden, Invalid, NotFound, NotText, System, Unusable};
use skein_model::advice::{choices, did_you_mean};
use skein_model::sanitize::shell_word;
use skein_model::{Advice, Retype, UserError};
use skein_workspace::advice::{BARE, DOCTOR, GIT_INIT, RELOAD, git_advice, not_owned};

use crate::{
    AddError, ApplyError, ChangesError, CommentError, ItemsError, LocationError, NextError,
    RestoreError, StalePreview, SubmitError, WriteError,
};

const CHANGE_BY_HAND: &str = "nothing was changed; change the code by hand";

impl UserError for LocationError {
    fn advice(&self, _: Retype<'_>) -> Advice {
        match self {
            Self::Path { .. } => {
                Invalid.hint("name a file of the workspace, by a plain relative path")
            }
            Self::Outside { root, .. } => Forbidden
                .hint(format!("name a file below {}", root.display()))
                .page("only files of the workspace are shown"),
            Self::Missing { near, .. } => NotFound
                .hint(match near {
                    Some(near) => did_you_mean([near.clone()]),
                    None => "paths are relative to the current directory".to_owned(),
                })
                .page("it may have been deleted or renamed; load the page again"),
            Self::Directory { text } => Invalid
                .hint(format!("name a file in it: `{}/FILE:LINE`", text.trim_end_matches('/')))
                .page("name a file in it"),
            Self::Binary { .. } => NotText
                .hint("only text can be commented on")
                .page("only text can be shown and commented on"),
            Self::PastEnd { path, lines, .. } => Conflict
                .hint(match lines {
                    0 => format!("comment on the whole file: `{path}`"),
                    lines => format!("the last line is `{path}:{lines}`"),
                })
                .page(RELOAD),
            Self::PastLine { .. } => Conflict.plain().page(RELOAD),
            Self::Lines { .. } => Invalid
                .hint("write it as `src/a.rs:12` or `src/a.rs:12-14`")
                .page("give the first and the last line, counted from 1"),
            Self::Read(_) => Unusable
                .plain()
                .page("it may be too large, or you may not read it; check with `ls -l`"),
        }
    }
}

impl UserError for WriteError {
    fn advice(&self, retype: Retype<'_>) -> Advice {
        match self {
            Self::Find(error) => error.advice(retype),
            Self::OtherKind { id } => NotFound
                .hint(format!("`skein show {id}` shows what it is"))
                .page("only review threads can be changed here"),
            Self::Draft { .. } => Conflict
                .hint("`skein review submit` publishes your drafts; `review edit` and `review delete` change them")
                .page("submit the review first, or delete the draft"),
            Self::OthersWrote { id } => Forbidden
                .hint(format!("propose to resolve it: `skein review resolve {id} -m TEXT`")),
            Self::Unusable { .. } => Unusable.hint(DOCTOR),
            Self::ForeignStore { .. } => Conflict.hint("keep the threads of this repository elsewhere: `skein config set --repository review.storage_path .skein-review`"),
            Self::NotOwned { root, .. } => not_owned(root),
            Self::Bare { .. } => Conflict.hint(BARE),
            Self::Edit(_) => Conflict.plain().page(RELOAD),
            Self::File(error) => error.advice(retype),
        }
    }
}

impl UserError for AddError {
    fn advice(&self, retype: Retype<'_>) -> Advice {
        match self {
            Self::Place(error) => error.advice(retype),
            Self::Write(error) => error.advice(retype),
            Self::Git(error) => git_advice(error),
            Self::Empty => Invalid
                .hint("enter a text with `-m TEXT`")
                .page("enter a text, or suggest a change"),
            Self::Unexpected { path, lines, .. } => Conflict
                .hint(found_in(path, lines))
                .page("look at the current lines, and comment on those"),
            Self::NeedsLine { path, .. } => {
                Invalid.hint(format!("name a line: `{path}:12`")).page("select lines to comment on")
            }
            Self::Unchanged { .. } => {
                Unusable.hint("`skein review diff` shows the changed lines").page(
                    "only changed lines can be commented on: see `review.changed_only` in `skein config list`",
                )
            }
            Self::Field { .. } => ItemsError::Shape.advice(retype),
            Self::Many { .. } => Invalid.hint("fix these and submit the whole list again"),
        }
    }
}

fn found_in(path: &str, lines: &[u32]) -> String {
    let places: Vec<String> = lines.iter().map(|line| format!("{path}:{line}")).collect();
    match places.as_slice() {
        [] => "no line of the file contains it; look at the file again".to_owned(),
        places => format!("it is in {}", places.join(", ")),
    }
}

impl UserError for ItemsError {
    fn advice(&self, _: Retype<'_>) -> Advice {
        Invalid
            .hint("give a list such as `[{\"file\": \"src/a.rs\", \"line\": 12, \"body\": \"Why?\"}]`")
            .page("`docs/api.md` lists the fields")
    }
}

impl UserError for CommentError {
    fn advice(&self, retype: Retype<'_>) -> Advice {
        match self {
            Self::Write(error) => error.advice(retype),
            Self::None { have, .. } => NotFound.hint(listed(have)).page(RELOAD),
            Self::NothingOwn { have, signed, thread, .. } => Forbidden
                .hint(match signed.as_slice() {
                    [] => format!("{}\n{}", listed(have), reply_instead(thread)),
                    names => {
                        format!("{}\nif one of them is yours, {}", listed(have), sign_as(names))
                    }
                })
                .page(OWN_COMMENTS),
            Self::NotYours { author, may_be_own, thread, .. } => {
                let own = format!("; if it is yours, {}", sign_as(std::slice::from_ref(author)));
                let own = if *may_be_own { own } else { String::new() };
                Forbidden.hint(format!("{}{own}", reply_instead(thread))).page(OWN_COMMENTS)
            }
            Self::Changed { thread, .. } => Conflict
                .hint(format!("nothing was changed; `skein review show {thread}` shows the current text: edit that"))
                .page("nothing was changed; read the current text, and edit it again"),
        }
    }
}

const OWN_COMMENTS: &str = "reply instead: you can edit only your own comments";

fn listed(comments: &[(String, String)]) -> String {
    let lines = comments.iter().map(|(id, author)| format!("\n  {id}  ({author})"));
    format!("the comments are:{}", lines.collect::<String>())
}

fn sign_as(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`--author \"{name}\"`")).collect();
    format!("sign with the same name: {}", names.join(" or "))
}

fn reply_instead(thread: &str) -> String {
    format!("reply instead: `skein review reply {thread} -m TEXT`")
}

impl UserError for RestoreError {
    fn advice(&self, retype: Retype<'_>) -> Advice {
        const LIST: &str = "`skein review restore` lists what was deleted";
        match self {
            Self::Write(error) => error.advice(retype),
            Self::File(error) => error.advice(retype),
            Self::None { .. } => NotFound.hint(LIST),
            Self::Ambiguous { candidates, .. } => {
                NotFound.hint(choices("skein review restore", candidates)).page(LIST)
            }
            Self::NoWorktree { .. } => {
                NotFound.hint("`skein review restore` lists the threads of removed worktrees")
            }
            Self::ManyWorktrees { roots, .. } => {
                NotFound.hint(choices("skein review restore --worktree", roots)).page(LIST)
            }
            Self::Exists { id } => Conflict.hint(format!("`skein review show {id}` shows it")),
        }
    }
}

impl UserError for SubmitError {
    fn advice(&self, retype: Retype<'_>) -> Advice {
        match self {
            Self::Write(error) => error.advice(retype),
            Self::File(error) => error.advice(retype),
            Self::Git(_) => {
                System.hint("the drafts are kept; run `git status` there and fix what it reports")
            }
        }
    }
}

impl UserError for ChangesError {
    fn advice(&self, retype: Retype<'_>) -> Advice {
        const NOTHING: &str = "there is nothing to compare with; to look at a file and comment on it, type its path into the field on the left";
        match self {
            Self::NoRepository { .. } => NotFound.hint(GIT_INIT).page(NOTHING),
            Self::Bare { .. } => NotFound.hint(BARE).page(NOTHING),
            Self::FileAsBase { path } => {
                let file = shell_word(path);
                let hint = format!("put `--` before files, as in `skein review diff -- {file}`");
                NotFound.hint(hint).page(NOTHING)
            }
            Self::NoCommit { .. } => {
                NotFound.hint("`git branch -a` and `git log --oneline` list what is available")
            }
            Self::NoRound => NotFound
                .hint("`skein review submit` marks the point to compare with")
                .page("submitting a review marks the point to compare with"),
            Self::NoMergeBase { .. } => {
                Unusable.hint("compare the two commits with `..` between them")
            }
            Self::Outside { .. } => Invalid.hint("name a file or directory of the workspace"),
            Self::Unknown(error) => error.advice(retype),
            Self::Git(error) => git_advice(error),
        }
    }
}

impl UserError for ApplyError {
    fn advice(&self, retype: Retype<'_>) -> Advice {
        let shows = |id: &str, what: &str| {
            format!(
                "nothing was changed; `skein review show {id}` shows {what}: change the code by hand"
            )
        };
        const SUGGESTION: &str = "only a comment with a `suggestion` block can be applied";
        match self {
            Self::Write(error) => error.advice(retype),
            Self::NoSuggestion { id } => {
                NotFound.hint(format!("`skein review show {id}` shows the thread")).page(SUGGESTION)
            }
            Self::Nothing => NotFound
                .hint("`skein review list status:open` lists the open threads")
                .page(SUGGESTION),
            Self::Unclosed { .. } => {
                Unusable.hint("close the block in the thread file with a line of backticks")
            }
            Self::Elsewhere { id, root } => Conflict
                .hint(format!("run `skein -C {} review apply {id}`", root.display()))
                .page("open the page of that worktree: `skein serve` there"),
            Self::NoLines { .. } => Unusable.plain().page("change the file by hand"),
            Self::Changed { id, .. } => Conflict.hint(shows(id, "both texts")).page(CHANGE_BY_HAND),
            Self::Uncertain { id, .. } => {
                Conflict.hint(shows(id, "the place")).page(CHANGE_BY_HAND)
            }
            Self::Overlap { .. } => {
                Conflict.hint("nothing was changed; apply one of them, then look at the other")
            }
            Self::File { source, .. } => match source.source() {
                Some(_) => Conflict.plain().page(CHANGE_BY_HAND),
                None => Conflict
                    .hint("another program changed the file; run the command again")
                    .page("another program changed the file; look at it again"),
            },
            Self::Outside { .. } => Forbidden.plain().page("change the file by hand"),
        }
    }
}

impl UserError for StalePreview {
    fn advice(&self, retype: Retype<'_>) -> Advice {
        match self {
            Self::Apply(error) => error.advice(retype),
            Self::Changed { shown } => Conflict
                .hint(format!("nothing was changed; `skein review apply {} --dry-run` shows what would change now", shown.id))
                .page("nothing was changed; look at the current suggestion, and apply that"),
        }
    }
}

impl UserError for NextError {
    fn advice(&self, retype: Retype<'_>) -> Advice {
        match self {
            Self::Claim(error) => error.advice(retype),
            Self::Read(_) => {
                Conflict.hint("the thread was deleted in the meantime; run the command again")
            }
        }
    }
}
