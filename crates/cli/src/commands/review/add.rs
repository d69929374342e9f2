use clap::Args;
use skein_review::{
    AddError, AddOptions, CodeLocation, CommentInput, LocationError, NewThread, items,
};

use super::{AuthorArgs, CliContext, report};
use crate::commands::message::MessageArgs;
use crate::commands::new_store::{NewStore, NewStoreArgs};
use crate::commands::stdin::{self, InputFile};
use crate::error::{CliError, CliResult};

/// Comments on lines of a file, or on a whole file.
///
/// Paths are relative to the current directory, lines are counted from 1: `src/a.rs:12`, `src/a.rs:12-14`, `src/a.rs:12:5` from a column.
/// Without `-m` the comment is written in `$EDITOR`. Many at once: `--from FILE` with a JSON list of
/// `{"file", "line", "end_line", "body", "suggestion", "expect"}`; if one of them is invalid, none is added.
#[derive(Args, Debug)]
pub(crate) struct AddArgs {
    /// The code to comment on.
    #[arg(value_name = "FILE[:LINE[-LINE][:COL]]", required_unless_present = "from")]
    place: Option<String>,

    #[command(flatten)]
    message: MessageArgs,

    /// Suggests this text as a replacement of the commented lines; an empty text suggests to delete them. `-` reads it from stdin.
    #[arg(long, value_name = "TEXT")]
    suggest: Option<String>,

    /// Fails unless the first commented line contains this text.
    #[arg(long, value_name = "TEXT")]
    expect: Option<String>,

    /// Adds many comments from JSON; `-` is stdin.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["place", "message", "file", "suggest", "expect"])]
    from: Option<InputFile>,

    /// Keeps the comment as a draft until `review submit`.
    #[arg(long)]
    draft: bool,

    /// Fails for lines that are unchanged since the last commit.
    #[arg(long)]
    changed_only: bool,

    #[command(flatten)]
    new_store: NewStoreArgs,

    #[command(flatten)]
    author: AuthorArgs,
}

pub(super) fn run_add(context: &mut CliContext<'_>, args: &AddArgs) -> CliResult {
    let changed_only = args.changed_only || skein_review::changed_only(&context.workspace);
    let options = AddOptions { draft: args.draft, changed_only };
    let actor = args.author.actor(context);
    let suggestion = suggestion(context, args)?;
    args.message.read_stdin(context)?;
    if args.from.as_ref().is_some_and(InputFile::is_stdin) {
        stdin::read(context)?;
    }
    if !args.draft && !args.new_store.consent(context, NewStore::Reviews)? {
        return Ok(());
    }
    if let Some(from) = &args.from {
        let threads = read_batch(context, from)?;
        let added = skein_review::add(&context.workspace, &actor, &threads, options)?;
        report::print(context, &added.threads, &added.notes)?;
        return if args.draft { Ok(()) } else { report::print_delivery_hint(context, &actor) };
    }
    let text = args.place.as_deref().unwrap_or_default();
    let place = CodeLocation::parse(&context.workspace, text)?;
    let excerpt = skein_review::excerpt(&context.workspace, &place)?;
    let message = match (&suggestion, args.message.given(context)?) {
        (Some(_), None) => crate::commands::message::Message::given(String::new()),
        (_, Some(text)) => crate::commands::message::Message::given(text),
        (None, None) => args.message.text(context, "", &excerpt)?,
    };
    let thread =
        NewThread { place, body: message.text.clone(), suggestion, expect: args.expect.clone() };
    let done = skein_review::add(&context.workspace, &actor, &[thread], options);
    let added = message.settle(done.map_err(CliError::from))?;
    let mut notes = added.notes;
    if args.draft {
        notes.push("`skein review submit` publishes your drafts together".to_owned());
    }
    report::print(context, &added.threads, &notes)?;
    if args.draft { Ok(()) } else { report::print_delivery_hint(context, &actor) }
}

fn suggestion(context: &mut CliContext<'_>, args: &AddArgs) -> CliResult<Option<String>> {
    match args.suggest.as_deref() {
        Some("-") if args.message.is_stdin() => Err(stdin::used_twice()),
        Some("-") => stdin::text(context).map(Some),
        text => Ok(text.map(str::to_owned)),
    }
}

/// Reads comments from a file or from stdin.
fn read_batch(context: &mut CliContext<'_>, from: &InputFile) -> CliResult<Vec<NewThread>> {
    let text = stdin::read_text(context, from)?;
    let items =
        items(&text).map_err(|error| CliError::from(error).context("cannot parse the comments"))?;
    let mut threads = Vec::new();
    let mut errors = Vec::new();
    let all = items.len();
    for (number, item) in items.into_iter().enumerate() {
        match batch_thread(context, item) {
            Ok(thread) => threads.push(thread),
            Err(error) => errors.push((number + 1, error)),
        }
    }
    if errors.is_empty() { Ok(threads) } else { Err(AddError::Many { errors, all }.into()) }
}

fn batch_thread(context: &CliContext<'_>, item: CommentInput) -> Result<NewThread, AddError> {
    if let Some(name) = item.stray() {
        return Err(AddError::Field { name: name.to_owned() });
    }
    if let (None, Some(last)) = (item.line, item.end_line) {
        return Err(LocationError::Lines { text: format!("{}:?-{last}", item.file) }.into());
    }
    let place = CodeLocation::new(&context.workspace, &item.file, item.lines())?;
    let CommentInput { body, suggestion, expect, .. } = item;
    Ok(NewThread { place, body, suggestion, expect })
}
