use std::path::Path;

use clap::Args;
use skein_format::redact::redact;
use skein_format::session::MappingField;
use skein_model::sanitize::one_line;
use skein_model::view::{RowDetail, ThreadRow};
use skein_sessions::{SessionWritten, SetRequest, check_directories, set_session};

use super::id_hints::with_hint;
use super::{MapArgs, fields};
use crate::commands::context::CliContext;
use crate::error::CliResult;
use crate::render::style;

/// Sets fields of a session; the rest of the map is not changed.
///
/// A session can be active, disconnected, orphaned or ended. Ended is final and records the time. A change counts as activity, so that it
/// wins a merge with the state of another program. A running chat plugin does not merge, and its next save undoes the change:
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

    /// The new value of a field: status, title, project, directory or thread, `=`, and the value.
    #[arg(value_name = "FIELD=VALUE", required = true)]
    fields: Vec<String>,

    #[command(flatten)]
    map: MapArgs,
}

pub(super) fn run_set(context: &mut CliContext<'_>, args: &SetArgs) -> CliResult {
    let mut fields = fields::parse(&args.fields)?;
    for (field, value) in &mut fields {
        if *field == MappingField::Directory {
            *value = absolute(context, value);
        }
    }
    let request = SetRequest {
        file: args.map.file(context),
        lenient: args.map.lenient,
        expect: None,
        fields: fields.clone(),
    };
    let mut written = set_session(&context.workspace, &args.id, &request)
        .map_err(|error| with_hint(context, &args.map, error))?;
    check_directories([&mut written.row]);
    if context.output.print_json(&written)? {
        return Ok(());
    }
    print(context, &written, &fields)
}

/// Returns the absolute path of a directory.
fn absolute(context: &CliContext<'_>, value: &str) -> String {
    if value.is_empty() {
        return String::new();
    }
    let home = context.workspace.env.home.as_deref();
    let path = match (value.strip_prefix("~/").or((value == "~").then_some("")), home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ if Path::new(value).is_absolute() => return value.to_owned(),
        _ => context.workspace.env.dir.join(value),
    };
    path.canonicalize().unwrap_or(path).display().to_string()
}

fn print(
    context: &mut CliContext<'_>,
    written: &SessionWritten,
    asked: &[(MappingField, String)],
) -> CliResult {
    let row = &written.row;
    let id = context.output.paint(style::HANDLE, &one_line(&redact(&row.id)));
    // The time of the last activity always changes; it is reported only if the user set it.
    let is_reported = |key: &&&str| {
        **key != MappingField::LastActivityAt.as_str()
            || asked.iter().any(|(field, _)| *field == MappingField::LastActivityAt)
    };
    let changes: Vec<String> = written
        .changed
        .iter()
        .filter(is_reported)
        .map(|key| format!("{} is {}", fields::word_for(key), one_line(&value(row, key))))
        .collect();
    let text = match changes.as_slice() {
        [] => format!("Unchanged: {id}"),
        changes => format!("Changed {id}: {}", changes.join(", ")),
    };
    context.output.line(&text)?;
    if let RowDetail::Session(detail) = &row.detail
        && written.changed.contains(&MappingField::Directory.as_str())
        && detail.directory_exists == Some(false)
    {
        let text = format!("Warning: there is no such directory: {}", detail.directory);
        context.output.note(&text)?;
    }
    Ok(())
}

/// Returns the value of a field as it is shown.
fn value(row: &ThreadRow, key: &str) -> String {
    let RowDetail::Session(detail) = &row.detail else { return String::new() };
    let value = match fields::by_key(key) {
        Some(MappingField::Status) => row.status.as_deref(),
        Some(MappingField::SessionTitle) => detail.session_title.as_deref(),
        Some(MappingField::ProjectName) => Some(detail.project_name.as_str()),
        Some(MappingField::Directory) => Some(detail.directory.as_str()),
        Some(MappingField::ThreadRootPostId) => Some(detail.thread_root_post_id.as_str()),
        Some(MappingField::LastActivityAt) => Some(detail.last_activity_at.as_str()),
        Some(MappingField::EndedAt) => detail.ended_at.as_deref(),
        // The others cannot be set.
        Some(_) | None => None,
    };
    value.filter(|value| !value.is_empty()).unwrap_or("empty").to_owned()
}
