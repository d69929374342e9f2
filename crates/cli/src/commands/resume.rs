use std::time::Duration;

use clap::Args;
use serde::Serialize;
use skein_engine::work::{self, Brief, Holder, Owner, Session, TakeError, Taken};

use super::Context;
use super::checkpoint::SessionArgs;
use super::review::{AuthorArgs, duration};
use crate::error::CliError;
use crate::terminal::one_line;

/// Says what the next one needs to know to go on with a piece of work.
///
/// Prints what was done, what is left to do, what changed in the repository since, the review threads that are open on the files, and
/// how to go on with the agent's session. Without an ID it follows the handoff, else it takes the newest checkpoint. At most
/// 10,000 characters, so that an agent takes it in whole.
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
    #[arg(long = "for", value_name = "DURATION", requires = "take", value_parser = duration::parse)]
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

/// Work that somebody else has.
#[derive(Serialize)]
struct Refused<'a> {
    id: &'a str,
    action: &'static str,
    holder: &'a Holder,
}

pub(crate) fn run_resume(context: &mut Context<'_>, args: &ResumeArgs) -> Result<u8, CliError> {
    let mut brief = work::brief(&context.workspace, &context.env, args.id.as_deref())?;
    let done = if args.take {
        Some(work::take(
            &context.workspace,
            &context.env,
            &brief.id,
            &args.owner(context),
            args.force,
        ))
    } else if args.release {
        let owner = args.owner(context);
        Some(work::release(&context.workspace, &context.env, &brief.id, &owner, args.force))
    } else {
        None
    };
    match done {
        Some(Err(TakeError::Held { id, holder })) => return refuse(context, &id, &holder),
        Some(Err(TakeError::Free { id })) => {
            context.output.note(&format!("Nobody has taken {id}"))?;
            return Ok(crate::NO);
        }
        Some(Err(error)) => return Err(error.into()),
        Some(Ok(taken)) if args.release => return released(context, &taken),
        Some(Ok(taken)) => brief.taken = taken.holder,
        None => {}
    }
    print(context, brief)
}

fn print(context: &mut Context<'_>, brief: Brief) -> Result<u8, CliError> {
    if context.output.json {
        context.output.document(&brief.fitted(Brief::LIMIT))?;
        return Ok(crate::DONE);
    }
    let text = brief.text(Brief::LIMIT);
    context.output.line(text.trim_end())?;
    Ok(crate::DONE)
}

fn refuse(context: &mut Context<'_>, id: &str, holder: &Holder) -> Result<u8, CliError> {
    if context.output.json {
        context.output.document(&Refused { id, action: "refused", holder })?;
    }
    let text = format!("The work is taken {}: {}", one_line(&holder.to_string()), one_line(id));
    context.output.note(&text)?;
    context.output.note("`--force` takes it all the same")?;
    Ok(crate::NO)
}

fn released(context: &mut Context<'_>, taken: &Taken) -> Result<u8, CliError> {
    if context.output.json {
        context.output.document(taken)?;
    } else {
        context.output.line(&format!("Gave back {}", one_line(&taken.id)))?;
    }
    Ok(crate::DONE)
}

impl ResumeArgs {
    fn owner(&self, context: &Context<'_>) -> Owner {
        const DAY: Duration = Duration::from_secs(24 * 3600);
        let actor = self.author.actor(context);
        let given = self.session.session.as_deref();
        let named = given.is_some() || context.env.variables.contains_key("SKEIN_SESSION");
        // A session that hooks recorded is an agent's; a person beside it is somebody else.
        let session = (named || actor.agent)
            .then(|| Session::resolve(&context.workspace, &context.env, given).id)
            .flatten();
        Owner { name: actor.name, agent: actor.agent, session, lasts: self.lasts.unwrap_or(DAY) }
    }
}
