use std::time::Duration;

use clap::Args;
use serde::Serialize;
use skein_checkpoints::{ResumeLockError, ResumeLockRequest, Session};
use skein_model::PromptText;
use skein_model::sanitize::one_line;
use skein_model::view::ResumeLockHolder;
use skein_summary::Brief;

use super::checkpoint::AgentSessionArgs;
use super::context::CliContext;
use super::other_worktrees::note_work;
use super::review::{AuthorArgs, duration};
use crate::error::CliResult;

/// Prints a summary for resuming work.
///
/// Prints what was done, what is left to do, what changed in the repository since, the open review threads on the files, and
/// how to continue the agent's session. Without an ID it selects open work: the handoff of this worktree, else its newest
/// checkpoint, then the same of this branch, then of others, and says which. At most 10,000 characters, so that it fits into an agent's context.
///
/// Example: skein resume --take
#[derive(Args, Debug)]
pub(crate) struct ResumeArgs {
    /// The checkpoint: an id, the start of one, a slug, or the path of its file.
    #[arg(value_name = "ID")]
    id: Option<String>,

    /// Prints the brief as a prompt to paste: what would include files or run commands there is escaped.
    #[arg(long)]
    prompt: bool,

    /// Locks the work, so that others see that it is in progress; exits with 1 if another session holds the lock.
    #[arg(long, conflicts_with = "release")]
    take: bool,

    /// With --take: for how long; 24h by default.
    #[arg(long = "for", value_name = "DURATION", requires = "take", value_parser = positive)]
    lasts: Option<Duration>,

    /// Releases the lock.
    #[arg(long)]
    release: bool,

    /// With --take or --release: even if another session holds the lock.
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    session: AgentSessionArgs,

    #[command(flatten)]
    author: AuthorArgs,
}

/// The result if the work is locked by another session, or is not locked.
#[derive(Serialize)]
struct Refused<'a> {
    id: &'a str,
    action: &'static str,
    holder: Option<&'a ResumeLockHolder>,
}

/// Parses a positive duration.
fn positive(text: &str) -> Result<Duration, String> {
    let lasts = duration::parse(text)?;
    if lasts.is_zero() {
        return Err("the duration must be positive; use `--release` to release the work".to_owned());
    }
    Ok(lasts)
}

pub(crate) fn run_resume(context: &mut CliContext<'_>, args: &ResumeArgs) -> CliResult {
    let brief = skein_summary::brief(&context.workspace, args.id.as_deref());
    if args.id.is_none() && !context.output.is_json {
        note_work(context)?;
    }
    let mut brief = brief?;
    if args.take || args.release {
        let owner = args.owner(context);
        let act = if args.take { skein_checkpoints::acquire } else { skein_checkpoints::release };
        match act(&context.workspace, &brief.id, &owner, args.force) {
            Err(ResumeLockError::Held { id, holder }) => {
                let refused = Refused { id: &id, action: "refused", holder: Some(&holder) };
                return refuse(context, args, &owner, &refused);
            }
            Err(ResumeLockError::Free { id }) => return free(context, &id),
            Err(error) => return Err(error.into()),
            Ok(taken) if args.release => {
                if !context.output.print_json(&taken)? {
                    context.output.line(&format!("Released {}", one_line(&taken.id)))?;
                }
                return Ok(());
            }
            Ok(taken) => brief.taken = taken.holder,
        }
    }
    if context.output.is_json {
        return context.output.document(&brief.fitted(Brief::LIMIT));
    }
    let text = brief.text(Brief::LIMIT);
    if args.prompt {
        let prompt = PromptText::guard(&text);
        return prompt.as_str().lines().try_for_each(|line| context.output.line(line));
    }
    text.trim_end().lines().try_for_each(|line| context.output.prose(line))
}

fn refuse(
    context: &mut CliContext<'_>,
    args: &ResumeArgs,
    owner: &ResumeLockRequest,
    refused: &Refused<'_>,
) -> CliResult {
    context.output.print_json(refused)?;
    let clock = context.output.clock;
    let holder = refused.holder.map(|holder| one_line(&holder.text(clock))).unwrap_or_default();
    context.output.note(&format!("The work is locked {holder}: {}", one_line(refused.id)))?;
    if owner.agent && owner.session.is_none() {
        let hint =
            "If this is your own lock, pass your session with `--session ID` or `SKEIN_SESSION`";
        context.output.note(hint)?;
    }
    let verb = if args.release { "release it" } else { "take it over" };
    context.output.note(&format!("Use `--force` to {verb}"))?;
    context.answer(false)
}

/// Reports that there is no lock to release.
fn free(context: &mut CliContext<'_>, id: &str) -> CliResult {
    context.output.print_json(&Refused { id, action: "free", holder: None })?;
    context.output.note(&format!("Not locked: {}", one_line(id)))?;
    context.answer(false)
}

impl ResumeArgs {
    fn owner(&self, context: &CliContext<'_>) -> ResumeLockRequest {
        const DAY: Duration = Duration::from_secs(24 * 3600);
        let actor = self.author.actor(context);
        let given = self.session.session.as_deref();
        let named =
            given.is_some() || context.workspace.env.variables.contains_key("SKEIN_SESSION");
        // A session that hooks recorded belongs to an agent, not to a person who works at the same time.
        let session = (named || actor.agent)
            .then(|| Session::resolve(&context.workspace, given).id)
            .flatten();
        ResumeLockRequest {
            name: actor.name,
            agent: actor.agent,
            session,
            lasts: self.lasts.unwrap_or(DAY),
        }
    }
}
