use clap::Args;
use skein_model::bridge::post_address;
use skein_model::view::{RowDetail, SessionRow, ThreadView};
use skein_sessions::{SessionError, session_show};

use super::id_hints::{invalid_entry, with_hint};
use super::{CliContext, MapArgs};
use crate::error::CliResult;
use crate::render::view;

/// Maximum number of posts of the thread that are shown.
const MAX_POSTS: usize = 5;

/// Shows one session, and the chat thread that it is bound to.
///
/// A session is named by its id or the start of it, by its short id, or by the id of its thread, as long as that refers to one session.
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

pub(super) fn run_session_show(context: &mut CliContext<'_>, args: &SessionShowArgs) -> CliResult {
    let file = args.map.file(context);
    let mut found = session_show(&context.workspace, &args.id, file.as_deref(), args.map.lenient)
        .map_err(|error| with_hint(context, &args.map, error))?;
    if let RowDetail::Session(session) = &mut found.row.detail {
        add_chat(context, session);
    }
    view::print_or_json(&mut context.output, &found)
}

/// Adds the address of the chat thread, and its last posts if a bridge runs.
fn add_chat(context: &CliContext<'_>, session: &mut SessionRow) {
    let (bridge, env) = (&context.servers.bridge, &context.workspace.env);
    let Some(server) = (bridge.server)(env) else { return };
    session.chat_address = post_address(&server, &session.thread_root_post_id);
    // Without a bridge, or without its server, there are none.
    session.last_posts = (bridge.last_posts)(env, &session.session_id, MAX_POSTS).ok();
}

/// Finds the session with this short id or thread; an error if its entry is invalid, or if several sessions have it.
pub(crate) fn session_named(context: &CliContext<'_>, id: &str) -> CliResult<Option<ThreadView>> {
    if !context.workspace.sessions.exists {
        return Ok(None);
    }
    let map = MapArgs::default();
    match session_show(&context.workspace, id, None, false) {
        Ok(found) => Ok(Some(found)),
        Err(error @ SessionError::Ambiguous { .. }) => Err(with_hint(context, &map, error)),
        Err(SessionError::NoSession { .. }) => {
            invalid_entry(context, &map, id).map_or(Ok(None), Err)
        }
        // In a map that cannot be read, no session is found.
        Err(_) => Ok(None),
    }
}
