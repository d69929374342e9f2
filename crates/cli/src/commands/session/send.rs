use clap::Args;
use serde_json::json;
use skein_sessions::session_show;

use super::id_hints::with_hint;
use super::{CliContext, MapArgs};
use crate::commands::message::MessageArgs;
use crate::error::{CliError, CliResult};

/// Prompts a session through the running bridge, as a reply in its chat thread does.
///
/// The thread shows the text, and the answer appears there. While the session is busy, the prompt waits in its queue. The command returns
/// when the bridge has recorded the prompt; if the bridge is stopped after that, it is sent after the next start.
///
/// Example: skein session send ses_4f1c -m "Run the tests again"
///
/// Example: git diff | skein session send ses_4f1c -m -
#[derive(Args, Debug)]
pub(crate) struct SendArgs {
    /// The session: its id, the start of it, its short id or its thread.
    #[arg(value_name = "ID")]
    id: String,

    #[command(flatten)]
    message: MessageArgs,
}

pub(super) fn run_send(context: &mut CliContext<'_>, args: &SendArgs) -> CliResult {
    let Some(text) = args.message.given(context)? else {
        return Err(CliError::new("the prompt is missing", "write it with `-m TEXT`"));
    };
    if text.trim().is_empty() {
        return Err(CliError::new("the prompt is empty", "write it with `-m TEXT`"));
    }
    let session = bound_session(context, &args.id)?;
    (context.servers.bridge.send)(&context.workspace.env, &session, &text)?;
    let sent = json!({ "session_id": session, "action": "sent" });
    if !context.output.print_json(&sent)? {
        context.output.line_with_id("Sent to ", &session, "")?;
    }
    Ok(())
}

/// Returns the whole id of a session of the map.
pub(crate) fn bound_session(context: &CliContext<'_>, id: &str) -> CliResult<String> {
    let found = session_show(&context.workspace, id, None, false)
        .map_err(|error| with_hint(context, &MapArgs::default(), error))?;
    let row = found.row;
    Ok(row.session().map_or_else(|| row.id.clone(), |session| session.session_id.clone()))
}
