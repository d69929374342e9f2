//! Filters on the command line: words such as `status:open`, and flags.

use clap::Args;
use skein_catalog::{occurs, resolve_file, show};
use skein_model::{Filter, FilterError, Kind};

use super::context::CliContext;
use crate::error::{CliError, CliResult};

/// Selects threads.
#[derive(Args, Debug)]
pub(crate) struct FilterArgs {
    /// Threads of this kind: review, checkpoint or session.
    #[arg(long)]
    kind: Option<String>,

    /// Threads with this status: open, resolved, active, ended, ..., or all
    #[arg(long)]
    status: Option<String>,

    /// Threads on this file, or below this directory.
    #[arg(long, value_name = "PATH")]
    file: Option<String>,

    /// Threads with a comment by this author; part of the name is enough.
    #[arg(long, value_name = "NAME")]
    author: Option<String>,

    /// Threads changed since: 2w, yesterday, 2026-01-23.
    #[arg(long, value_name = "DATE", visible_alias = "after")]
    since: Option<String>,

    /// Threads last changed before: 2w, yesterday, 2026-01-23.
    #[arg(long, value_name = "DATE", visible_alias = "before")]
    until: Option<String>,

    /// Checkpoints with this tag.
    #[arg(long)]
    tag: Option<String>,

    /// Checkpoints of this type: checkpoint, auto, handoff, ...
    #[arg(long = "type", value_name = "TYPE")]
    type_name: Option<String>,

    /// Checkpoints and review threads started on this branch, or on one with this word between its slashes.
    #[arg(long)]
    branch: Option<String>,

    /// Checkpoints of a commit whose id starts with this.
    #[arg(long)]
    commit: Option<String>,

    /// Review threads that wait on the reviewer or the agent.
    #[arg(long, value_name = "WHOM")]
    waiting: Option<String>,
}

impl FilterArgs {
    pub(super) fn flags(&self) -> [(&'static str, &Option<String>); 11] {
        [
            ("kind", &self.kind),
            ("status", &self.status),
            ("file", &self.file),
            ("author", &self.author),
            ("since", &self.since),
            ("until", &self.until),
            ("tag", &self.tag),
            ("type", &self.type_name),
            ("branch", &self.branch),
            ("commit", &self.commit),
            ("waiting", &self.waiting),
        ]
    }

    /// Adds the flags to a filter that was made from words.
    pub(super) fn add_to(
        &self,
        context: &CliContext<'_>,
        filter: &mut Filter,
        everywhere: bool,
    ) -> CliResult {
        add_flags(context, filter, &self.flags(), true)?;
        filter.check_kind()?;
        match resolve_file(&context.workspace, filter) {
            // The path may belong to another workspace.
            Err(_) if everywhere => Ok(()),
            done => Ok(done?),
        }
    }
}

/// Makes a filter from words and flags; `kind` restricts it to threads of one kind.
///
/// A value that the formats do not define is accepted if a thread has it. `status:draft` is accepted where drafts are listed.
pub(super) fn filter(
    context: &CliContext<'_>,
    words: &[String],
    flags: &[(&str, &Option<String>)],
    kind: Option<Kind>,
    with_drafts: bool,
) -> CliResult<Filter> {
    let mut filter = Filter::default();
    for word in words {
        let accepts = |key: &str, value: &str| accepts(context, key, value, with_drafts);
        filter.word_or(word, context.output.now, &accepts).map_err(|error| match error {
            FilterError::Word { word } if show(&context.workspace, &word).is_ok() => CliError::new(
                format!("a thread id is not a filter: {word}"),
                format!("run `skein show {word}`"),
            ),
            error => error.into(),
        })?;
    }
    add_flags(context, &mut filter, flags, with_drafts)?;
    match (filter.kind, kind) {
        (Some(asked), Some(kind)) if asked != kind => {
            let asked = asked.as_str();
            return Err(CliError::new(
                format!("this command does not list threads of kind: {asked}"),
                format!("run `skein list {asked}`"),
            ));
        }
        (asked, kind) => filter.kind = kind.or(asked),
    }
    filter.check_kind()?;
    resolve_file(&context.workspace, &mut filter)?;
    Ok(filter)
}

fn add_flags(
    context: &CliContext<'_>,
    filter: &mut Filter,
    flags: &[(&str, &Option<String>)],
    with_drafts: bool,
) -> CliResult {
    let accepts = |key: &str, value: &str| accepts(context, key, value, with_drafts);
    for (key, value) in flags {
        if let Some(value) = value {
            filter.set_or(key, value, context.output.now, &accepts)?;
        }
    }
    Ok(())
}

pub(super) fn is_draft(status: &str) -> bool {
    status.eq_ignore_ascii_case("draft")
}

/// Returns whether a filter accepts a value that the formats do not define.
pub(super) fn accepts(context: &CliContext<'_>, key: &str, value: &str, with_drafts: bool) -> bool {
    with_drafts && key == "status" && is_draft(value) || occurs(&context.workspace, key, value)
}
