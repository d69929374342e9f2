//! What to do when a review thread could not be written.

use std::error::Error as _;

use skein_import::ImportError;
use skein_install::setup::SetupError;
use skein_review::{
    AddError, ApplyError, ChangesError, CommentError, LocationError, NextError, RestoreError,
    SubmitError, WriteError,
};

use super::{BARE, ReviewError, git_hint};

pub(super) fn hint(error: &ReviewError) -> Option<String> {
    match error {
        ReviewError::Place(error) => place(error),
        ReviewError::Add(error) => add(error),
        ReviewError::Write(error) => write(error),
        ReviewError::Comment(error) => comment(error),
        ReviewError::Restore(error) => restore(error),
        ReviewError::Submit(SubmitError::Write(error)) => write(error),
        ReviewError::Submit(SubmitError::Git(_)) => {
            Some("run `git status` there and mend what it says".to_owned())
        }
        ReviewError::Changes(error) => changes(error),
        ReviewError::Apply(error) => apply(error),
        ReviewError::Setup(error) => setup(error),
        ReviewError::Merge(_) => None,
        ReviewError::NotTheFiles => Some("name one commit to compare the files with".to_owned()),
        ReviewError::NoChanges { .. } => {
            Some("compare with an older commit: `skein review write HEAD~1`".to_owned())
        }
        ReviewError::NotAReview { id } => Some(format!("`skein show {id}` says what it is")),
        ReviewError::NoCode { id } => {
            Some(format!("`skein review show {id}` shows the text that was commented on"))
        }
        ReviewError::Items(_) => Some(ITEMS.to_owned()),
        ReviewError::Next(NextError::Claim(error)) => super::file_hint(error),
        ReviewError::Next(NextError::Read(_)) => {
            Some("the thread went away meanwhile; run the command again".to_owned())
        }
        ReviewError::Import(error) => import(error),
    }
}

pub(super) fn setup(error: &SetupError) -> Option<String> {
    match error {
        SetupError::NoRepository { .. } => {
            Some("run `git init` there first, or name a repository with `-C DIR`".to_owned())
        }
        SetupError::Bare { .. } => Some(BARE.to_owned()),
        SetupError::Git(error) => git_hint(error),
        SetupError::Write(error) => write(error),
    }
}

const ITEMS: &str =
    "give a list such as `[{\"file\": \"src/a.rs\", \"line\": 12, \"body\": \"Why?\"}]`";

fn import(error: &ImportError) -> Option<String> {
    match error {
        ImportError::Json { .. } => {
            Some("give a SARIF document, or a list of comments as JSON".to_owned())
        }
        ImportError::Sarif { .. } => Some(
            "most analysers write SARIF 2.1 on request; for a plain list use `--format json`"
                .to_owned(),
        ),
        ImportError::Items(_) => Some(ITEMS.to_owned()),
        ImportError::Write(error) => write(error),
    }
}

fn add(error: &AddError) -> Option<String> {
    match error {
        AddError::Place(error) => place(error),
        AddError::Write(error) => write(error),
        AddError::Empty => Some("say something with `-m TEXT`".to_owned()),
        AddError::Unexpected { path, lines, .. } => Some(match lines.as_slice() {
            [] => "no line of the file contains it; look at the file again".to_owned(),
            lines => {
                let places: Vec<String> =
                    lines.iter().map(|line| format!("{path}:{line}")).collect();
                format!("it is in {}", places.join(", "))
            }
        }),
        AddError::NeedsLine { path, .. } => Some(format!("name a line: `{path}:12`")),
        AddError::Unchanged { .. } => {
            Some("`skein review diff` shows the changed lines".to_owned())
        }
        AddError::Field { .. } => Some(ITEMS.to_owned()),
        AddError::Many { .. } => Some("mend these and give all of them again".to_owned()),
        AddError::Git(_) => None,
    }
}

fn place(error: &LocationError) -> Option<String> {
    let hint = match error {
        LocationError::Path { .. } => "name a file of the workspace, by a plain relative path",
        LocationError::Outside { root, .. } => {
            return Some(format!("name a file below {}", root.display()));
        }
        LocationError::Missing { near: Some(near), .. } => {
            return Some(format!("did you mean `{near}`?"));
        }
        LocationError::Missing { .. } => "paths count from the directory that you stand in",
        LocationError::Directory { text } => {
            return Some(format!("name a file in it: `{}/FILE:LINE`", text.trim_end_matches('/')));
        }
        LocationError::Binary { .. } => "only text can be commented on",
        LocationError::PastEnd { path, lines, .. } if *lines > 0 => {
            return Some(format!("the last line is `{path}:{lines}`"));
        }
        LocationError::PastEnd { path, .. } => {
            return Some(format!("comment on the whole file: `{path}`"));
        }
        LocationError::Lines { .. } => "write it as `src/a.rs:12` or `src/a.rs:12-14`",
        LocationError::PastLine { .. } | LocationError::Read(_) => return None,
    };
    Some(hint.to_owned())
}

pub(super) fn write(error: &WriteError) -> Option<String> {
    match error {
        WriteError::OtherKind { id } => Some(format!("`skein show {id}` says what it is")),
        WriteError::Draft { .. } => {
            Some("`skein review submit` publishes your drafts; `review edit` and `review delete` change them".to_owned())
        }
        WriteError::Unusable { .. } => Some(
            "`skein doctor` says what is wrong with the file, and mends what it can".to_owned(),
        ),
        WriteError::ForeignStore { .. } => Some("keep the threads of this repository elsewhere: `skein config set --repository review.storage_path .skein-review`".to_owned()),
        WriteError::Bare { .. } => Some(BARE.to_owned()),
        WriteError::NotOwned { root, .. } => Some(super::not_owned(root)),
        WriteError::File(error) => super::file_hint(error),
        _ => None,
    }
}

fn comment(error: &CommentError) -> Option<String> {
    let list = |have: &[(String, String)]| {
        let lines = have.iter().map(|(id, author)| format!("\n  {id}  ({author})"));
        format!("the comments are:{}", lines.collect::<String>())
    };
    match error {
        CommentError::None { have, .. } => Some(list(have)),
        CommentError::NothingOwn { have, signed, thread, .. } if signed.is_empty() => {
            Some(format!("{}\n{}", list(have), reply_instead(thread)))
        }
        CommentError::NothingOwn { have, signed, .. } => {
            let names: Vec<String> =
                signed.iter().map(|name| format!("`--author \"{name}\"`")).collect();
            let names = names.join(" or ");
            Some(format!("{}\nif one of them is yours, sign as you did then: {names}", list(have)))
        }
        CommentError::NotYours { author, may_be_own, thread, .. } => {
            let then = format!("; if it is yours, sign as you did then: `--author \"{author}\"`");
            let then = if *may_be_own { then } else { String::new() };
            Some(format!("{}{then}", reply_instead(thread)))
        }
        CommentError::Changed { .. } => {
            Some("nothing was changed; look at what it says, and edit it again".to_owned())
        }
        CommentError::Write(error) => write(error),
    }
}

fn reply_instead(thread: &str) -> String {
    format!("reply instead: `skein review reply {thread} -m TEXT`")
}

fn restore(error: &RestoreError) -> Option<String> {
    match error {
        RestoreError::None { .. } => {
            Some("`skein review restore` lists what was deleted".to_owned())
        }
        RestoreError::Ambiguous { candidates, .. } => {
            let lines = candidates.iter().map(|id| format!("\n  skein review restore {id}"));
            Some(format!("name one of them:{}", lines.collect::<String>()))
        }
        RestoreError::NoWorktree { .. } => {
            Some("`skein review restore` lists the threads of removed worktrees".to_owned())
        }
        RestoreError::ManyWorktrees { roots, .. } => {
            let line = |root: &String| format!("\n  skein review restore --worktree {root}");
            Some(format!("name one of them:{}", roots.iter().map(line).collect::<String>()))
        }
        RestoreError::Exists { id } => Some(format!("`skein review show {id}` shows it")),
        RestoreError::Write(error) => write(error),
    }
}

fn changes(error: &ChangesError) -> Option<String> {
    let hint = match error {
        ChangesError::NoRepository { .. } => {
            "run `git init` there first, or name a repository with `-C DIR`"
        }
        ChangesError::Bare { .. } => BARE,
        ChangesError::NoCommit { .. } => {
            "`git branch -a` and `git log --oneline` show what there is"
        }
        ChangesError::NoRound => "`skein review submit` marks the point to compare with",
        ChangesError::Outside { .. } => "name a file or directory of the workspace",
        ChangesError::Unknown(error) => return Some(super::near_path(error)),
        ChangesError::NoMergeBase { .. } | ChangesError::Git(_) => return None,
    };
    Some(hint.to_owned())
}

fn apply(error: &ApplyError) -> Option<String> {
    let hint = match error {
        ApplyError::NoSuggestion { id } => {
            return Some(format!("`skein review show {id}` shows what it says"));
        }
        ApplyError::Elsewhere { id, root } => {
            return Some(format!("run `skein -C {} review apply {id}`", root.display()));
        }
        ApplyError::Nothing => "`skein review list status:open` lists the open threads",
        ApplyError::Unclosed { .. } => {
            "close the block in the thread file with a line of backticks"
        }
        ApplyError::NoLines { .. } | ApplyError::Outside { .. } => return None,
        ApplyError::Changed { id, .. } => {
            return Some(format!(
                "nothing was changed; `skein review show {id}` shows both texts: change the code by hand"
            ));
        }
        ApplyError::Uncertain { id, .. } => {
            return Some(format!(
                "nothing was changed; `skein review show {id}` shows the place: change the code by hand"
            ));
        }
        ApplyError::Overlap { .. } => {
            "nothing was changed; apply one of them, then look at the other"
        }
        ApplyError::File { source, .. } if source.source().is_some() => return None,
        ApplyError::File { .. } => "another program changed the file; run the command again",
        ApplyError::Write(error) => return write(error),
    };
    Some(hint.to_owned())
}
