use std::path::Path;

use clap::Args;
use skein_format::redact::redact;
use skein_format::session::Field;
use skein_model::view::{RowDetail, ThreadRow};
use skein_sessions::{SessionWritten, SetRequest, check_directories, set_session};

use super::explain::explain;
use super::{MapArgs, fields};
use crate::commands::Context;
use crate::error::CliError;
use crate::render::style;
use crate::terminal::one_line;

/// Sets fields of a session; every other byte of the map stays.
///
/// A session can be active, disconnected, orphaned or ended. Ended is final, and says when. A change counts as activity, so that it
/// outlives a merge with what another program remembers. A chat plugin that runs does not merge, and its next save undoes the change:
/// stop it first.
///
/// Example: skein session set ses_4f1c status=ended
///
/// Example: skein session set ses_4f1c title="Glaze batches" directory=.
#[derive(Args, Debug)]
pub(crate) struct SetArgs {
    /// The session: its id, the start of it, its short id or its thread.
    #[arg(value_name = "ID")]
    id: String,

    /// What becomes of it: status, title, project, directory or thread, `=`, and the value.
    #[arg(value_name = "FIELD=VALUE", required = true)]
    fields: Vec<String>,

    #[command(flatten)]
    map: MapArgs,
}

pub(super) fn run_set(context: &mut Context<'_>, args: &SetArgs) -> Result<u8, CliError> {
    let mut fields = fields::parse(&args.fields)?;
    for (field, value) in &mut fields {
        if *field == Field::Directory {
            *value = absolute(context, value);
        }
    }
    let request = SetRequest {
        file: args.map.file(context),
        lenient: args.map.lenient,
        expect: None,
        fields: fields.clone(),
    };
    let mut written = set_session(&context.workspace, &context.env, &args.id, &request)
        .map_err(|error| explain(context, &args.map, error))?;
    check_directories([&mut written.row]);
    if context.output.json {
        context.output.document(&written)?;
        return Ok(crate::EXIT_OK);
    }
    print(context, &written, &fields)
}

/// Returns a directory as the map has it: whole, whatever directory the next reader stands in.
fn absolute(context: &Context<'_>, value: &str) -> String {
    if value.is_empty() {
        return String::new();
    }
    let home = context.env.home.as_deref();
    let path = match (value.strip_prefix("~/").or((value == "~").then_some("")), home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ if Path::new(value).is_absolute() => return value.to_owned(),
        _ => context.env.dir.join(value),
    };
    path.canonicalize().unwrap_or(path).display().to_string()
}

fn print(
    context: &mut Context<'_>,
    written: &SessionWritten,
    asked: &[(Field, String)],
) -> Result<u8, CliError> {
    let row = &written.row;
    let id = context.output.paint(style::HANDLE, &one_line(&redact(&row.id)));
    // That a change counts as activity needs no saying, unless the time was given.
    let is_told = |key: &&&str| {
        **key != Field::LastActivityAt.as_str()
            || asked.iter().any(|(field, _)| *field == Field::LastActivityAt)
    };
    let told: Vec<String> = written
        .changed
        .iter()
        .filter(is_told)
        .map(|key| format!("{} is {}", fields::word_of(key), one_line(&value(row, key))))
        .collect();
    let text = match told.as_slice() {
        [] => format!("As it was: {id}"),
        told => format!("Changed {id}: {}", told.join(", ")),
    };
    context.output.line(&text)?;
    if let RowDetail::Session(detail) = &row.detail
        && written.changed.contains(&Field::Directory.as_str())
        && detail.directory_exists == Some(false)
    {
        let text = format!("Warning: there is no such directory: {}", detail.directory);
        context.output.note(&text)?;
    }
    Ok(crate::EXIT_OK)
}

/// Returns a value of a session as it is shown.
fn value(row: &ThreadRow, key: &str) -> String {
    let RowDetail::Session(detail) = &row.detail else { return String::new() };
    let value = match fields::by_key(key) {
        Some(Field::Status) => row.status.as_deref(),
        Some(Field::SessionTitle) => detail.session_title.as_deref(),
        Some(Field::ProjectName) => Some(detail.project_name.as_str()),
        Some(Field::Directory) => Some(detail.directory.as_str()),
        Some(Field::ThreadRootPostId) => Some(detail.thread_root_post_id.as_str()),
        Some(Field::LastActivityAt) => Some(detail.last_activity_at.as_str()),
        Some(Field::EndedAt) => detail.ended_at.as_deref(),
        None => None,
    };
    value.filter(|value| !value.is_empty()).unwrap_or("empty").to_owned()
}
