use std::time::Duration;

use clap::Args;
use serde::Serialize;
use skein_checkpoints::{ResumeLockChange, ResumeLockError, ResumeLockRequest, Session};
use skein_model::view::ResumeLockHolder;
use skein_summary::Brief;

use super::Context;
use super::checkpoint::SessionArgs;
use super::list::work_elsewhere;
use super::review::{AuthorArgs, duration};
use crate::error::CliError;
use crate::terminal::one_line;

/// Says what the next one needs to know to go on with a piece of work.
///
/// Prints what was done, what is left to do, what changed in the repository since, the review threads that are open on the files, and
/// how to go on with the agent's session. Without an ID it takes what is open: the handoff of this worktree, else its newest
/// checkpoint, then the same of this branch, then of others, and says which. At most 10,000 characters, so that an agent takes it in whole.
///
/// Example: skein resume --take
#[derive(Args, Debug)]
pub(crate) struct ResumeArgs {
    /// The checkpoint: an id, the start of one, a slug, or the path of its file.
    #[arg(value_name = "ID")]
    id: Option<String>,

    /// Takes the work, so that a second one knows that somebody is at it; ends with 1 where somebody else is.
    #[arg(long, conflicts_with = "release")]
    take: bool,

    /// With --take: for how long; 24h unless said otherwise.
    #[arg(long = "for", value_name = "DURATION", requires = "take", value_parser = some_time)]
    lasts: Option<Duration>,

    /// Gives the work back.
    #[arg(long)]
    release: bool,

    /// With --take or --release: also where somebody else has it.
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    session: SessionArgs,

    #[command(flatten)]
    author: AuthorArgs,
}

/// Work that somebody else has, or nobody.
#[derive(Serialize)]
struct Refused<'a> {
    id: &'a str,
    action: &'static str,
    holder: Option<&'a ResumeLockHolder>,
}

impl<'a> Refused<'a> {
    fn held(id: &'a str, holder: &'a ResumeLockHolder) -> Self {
        Self { id, action: "refused", holder: Some(holder) }
    }
}

/// Reads a span of time in which something can be done.
fn some_time(text: &str) -> Result<Duration, String> {
    let lasts = duration::parse(text)?;
    if lasts.is_zero() {
        return Err("work cannot be taken for no time; `--release` gives it back".to_owned());
    }
    Ok(lasts)
}

pub(crate) fn run_resume(context: &mut Context<'_>, args: &ResumeArgs) -> Result<u8, CliError> {
    let brief = skein_summary::brief(&context.workspace, &context.env, args.id.as_deref());
    if args.id.is_none() && !context.output.json {
        work_elsewhere(context)?;
    }
    let mut brief = brief?;
    if args.take || args.release {
        let owner = args.owner(context);
        let act = if args.take { skein_checkpoints::acquire } else { skein_checkpoints::release };
        match act(&context.workspace, &context.env, &brief.id, &owner, args.force) {
            Err(ResumeLockError::Held { id, holder }) => {
                return refuse(context, args, &owner, &Refused::held(&id, &holder));
            }
            Err(ResumeLockError::Free { id }) => return free(context, &id),
            Err(error) => return Err(error.into()),
            Ok(taken) if args.release => return released(context, &taken),
            Ok(taken) => brief.taken = taken.holder,
        }
    }
    print(context, brief)
}

fn print(context: &mut Context<'_>, brief: Brief) -> Result<u8, CliError> {
    if context.output.json {
        context.output.document(&brief.fitted(Brief::LIMIT))?;
        return Ok(crate::EXIT_OK);
    }
    let text = brief.text(Brief::LIMIT);
    context.output.line(text.trim_end())?;
    Ok(crate::EXIT_OK)
}

fn refuse(
    context: &mut Context<'_>,
    args: &ResumeArgs,
    owner: &ResumeLockRequest,
    refused: &Refused<'_>,
) -> Result<u8, CliError> {
    if context.output.json {
        context.output.document(refused)?;
    }
    let clock = context.output.clock;
    let holder = refused.holder.map(|holder| one_line(&holder.text(clock))).unwrap_or_default();
    context.output.note(&format!("The work is taken {holder}: {}", one_line(refused.id)))?;
    if owner.agent && owner.session.is_none() {
        let hint =
            "If that is you, say which session you are with `--session ID` or `SKEIN_SESSION`";
        context.output.note(hint)?;
    }
    let verb = if args.release { "gives it back" } else { "takes it" };
    context.output.note(&format!("`--force` {verb} anyway"))?;
    Ok(crate::EXIT_NEGATIVE)
}

/// Says that there is nothing to give back.
fn free(context: &mut Context<'_>, id: &str) -> Result<u8, CliError> {
    if context.output.json {
        context.output.document(&Refused { id, action: "free", holder: None })?;
    }
    context.output.note(&format!("Nobody has taken {}", one_line(id)))?;
    Ok(crate::EXIT_NEGATIVE)
}

fn released(context: &mut Context<'_>, taken: &ResumeLockChange) -> Result<u8, CliError> {
    if context.output.json {
        context.output.document(taken)?;
    } else {
        context.output.line(&format!("Gave back {}", one_line(&taken.id)))?;
    }
    Ok(crate::EXIT_OK)
}

impl ResumeArgs {
    fn owner(&self, context: &Context<'_>) -> ResumeLockRequest {
        const DAY: Duration = Duration::from_secs(24 * 3600);
        let actor = self.author.actor(context);
        let given = self.session.session.as_deref();
        let named = given.is_some() || context.env.variables.contains_key("SKEIN_SESSION");
        // A session that hooks recorded is an agent's; a person beside it is somebody else.
        let session = (named || actor.agent)
            .then(|| Session::resolve(&context.workspace, &context.env, given).id)
            .flatten();
        ResumeLockRequest {
            name: actor.name,
            agent: actor.agent,
            session,
            lasts: self.lasts.unwrap_or(DAY),
        }
    }
}
