use std::collections::BTreeSet;

use clap::Args;
use serde::Serialize;
use skein_engine::review::{self, Deleted};

use super::report;
use crate::commands::Context;
use crate::error::CliError;
use crate::render::style;
use crate::terminal::one_line;

/// Brings deleted threads back; without an ID, lists what was deleted.
#[derive(Args, Debug)]
pub(crate) struct RestoreArgs {
    /// The threads.
    #[arg(value_name = "ID")]
    ids: Vec<String>,

    /// Everything that the last `delete` or `clear` took.
    #[arg(long, conflicts_with = "ids")]
    last: bool,
}

#[derive(Serialize)]
struct Document<'a> {
    deleted: &'a [Deleted],
}

pub(super) fn run_restore(context: &mut Context<'_>, args: &RestoreArgs) -> Result<u8, CliError> {
    let all = review::deleted(&context.workspace, &context.env);
    let mut ids = args.ids.clone();
    if args.last {
        let stamp = all.first().map(|one| one.deleted.clone());
        let last = all.iter().filter(|one| Some(&one.deleted) == stamp.as_ref());
        ids = last.map(|one| one.id.clone()).collect();
        // What went twice at the same time comes back once: the later one.
        let mut seen = BTreeSet::new();
        ids.retain(|id| seen.insert(id.clone()));
    }
    if ids.is_empty() {
        return list(context, &all);
    }
    let mut written = Vec::new();
    for id in &ids {
        match review::restore(&context.workspace, &context.env, id) {
            Ok(one) => written.push(one),
            Err(error) => {
                report::print_until(context, &written)?;
                return Err(error.into());
            }
        }
    }
    report::print(context, &written, &[])
}

fn list(context: &mut Context<'_>, all: &[Deleted]) -> Result<u8, CliError> {
    let output = &mut context.output;
    if output.json {
        output.document(&Document { deleted: all })?;
        return Ok(crate::DONE);
    }
    for one in all {
        let id = output.paint(style::HANDLE, &report::short(&one.id));
        let (when, at, title) = (&one.deleted, one_line(&one.at), one_line(&one.title));
        let draft = if one.draft { "draft  " } else { "" };
        output.line(&format!("{id}  {when}  {draft}{at}  {title}"))?;
    }
    if all.is_empty() {
        output.note("Nothing was deleted here.")?;
    }
    Ok(crate::DONE)
}
