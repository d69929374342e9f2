use clap::Args;
use skein_model::view::ThreadView;
use skein_sessions::{SessionError, session_show};

use super::MapArgs;
use super::explain::explain;
use crate::commands::Context;
use crate::error::{CliError, SessionCliError};
use crate::render::view;

/// Shows one session, and the chat thread that it is bound to.
///
/// A session is named by its id or the start of it, by its short id, or by the id of its thread, where these mean one session.
///
/// Example: skein session show ses_4f1c
#[derive(Args, Debug)]
pub(crate) struct SessionShowArgs {
    /// The session.
    #[arg(value_name = "ID")]
    id: String,

    #[command(flatten)]
    map: MapArgs,
}

pub(super) fn run_session_show(
    context: &mut Context<'_>,
    args: &SessionShowArgs,
) -> Result<u8, CliError> {
    let file = args.map.file(context);
    let found = session_show(&context.workspace, &args.id, file.as_deref(), args.map.lenient)
        .map_err(|error| explain(context, &args.map, error))?;
    if context.output.json {
        context.output.document(&found)?;
    } else {
        view::print(&mut context.output, &found)?;
    }
    Ok(crate::EXIT_OK)
}

/// Shows the session that has this short id, this thread or an entry that is left out; none where no session is meant.
pub(crate) fn session_named(
    context: &Context<'_>,
    id: &str,
) -> Result<Option<ThreadView>, CliError> {
    if !context.workspace.sessions.exists {
        return Ok(None);
    }
    let map = MapArgs::default();
    match session_show(&context.workspace, id, None, false) {
        Ok(found) => Ok(Some(found)),
        Err(error @ (SessionError::NoSession { .. } | SessionError::Ambiguous { .. })) => {
            match explain(context, &map, error) {
                CliError::Session(fault) if matches!(*fault, SessionCliError::Unknown { .. }) => {
                    Ok(None)
                }
                error => Err(error),
            }
        }
        // A map that cannot be read says nothing about an id.
        Err(_) => Ok(None),
    }
}
