use std::ops::ControlFlow;

use clap::Args;
use serde::Serialize;
use skein_catalog::{ShortIds, names};
use skein_live::events;
use skein_live::events::{DirectoryGone, EventSink, ThreadEvent, WatchSummary};
use skein_model::Kind;
use skein_model::sanitize::to_json;
use skein_workspace::Workspace;

use super::Context;
use super::list::filter;
use crate::error::CliError;
use crate::event_commands::{CommandQueue, EventCommand};
use crate::render::table::marked_place;
use crate::render::{style, text};
use crate::terminal::one_line;

/// Tells what happens to threads, as it happens.
///
/// One line for each event: a thread was created, replied to, resolved, reopened, edited or deleted, a checkpoint saved, a step
/// done, a session ended. Words narrow it as they do in `skein list`: a kind, or `key:value` as in `waiting:reviewer`. The keys are
/// `kind`, `status`, `file`, `author`, `since`, `until`, `tag`, `type`, `branch`, `commit` and `waiting`. With `--json` each line is an object. Ends with Ctrl-C, or when its output is closed, and with exit code 1 when the workspace was moved or removed.
#[derive(Args, Debug)]
pub(crate) struct WatchArgs {
    /// A kind, or key:value.
    #[arg(value_name = "FILTER")]
    words: Vec<String>,

    /// Runs a command of the shell for each event.
    ///
    /// It gets the event as JSON on its stdin and as a line in the variable `SKEIN_EVENT`. One command runs at a time, for 30 seconds
    /// at most; when it fails that is said, and the watch goes on. What it prints goes to stderr.
    #[arg(long, value_name = "CMD")]
    exec: Option<String>,
}

pub(crate) fn run_watch(context: &mut Context<'_>, args: &WatchArgs) -> Result<u8, CliError> {
    let filter = filter(context, &args.words, &[], None)?;
    // The teller has the other one.
    let env = context.machine.env(Some(&context.env.dir))?;
    let exec = args.exec.clone().map(|command| CommandQueue::new(command, env.dir.clone()));
    let mut teller = EventPrinter { context, exec, done: Ok(crate::EXIT_OK) };
    events::watch(&env, &filter, &mut teller);
    let EventPrinter { context, exec, done } = teller;
    for failure in exec.map(CommandQueue::finish).unwrap_or_default() {
        context.output.note(&failure)?;
    }
    done
}

/// Prints events and tells a command of them.
struct EventPrinter<'a, 'b> {
    context: &'a mut Context<'b>,
    exec: Option<CommandQueue>,
    done: Result<u8, CliError>,
}

impl EventSink for EventPrinter<'_, '_> {
    fn begun(&mut self, watched: &WatchSummary<'_>) -> ControlFlow<()> {
        let begun = begun(self.context, watched);
        self.go_on(begun)
    }

    fn events(&mut self, workspace: &Workspace, events: Vec<ThreadEvent>) -> ControlFlow<()> {
        let told = self.tell_all(workspace, &events);
        self.go_on(told)
    }

    fn idle(&mut self) -> ControlFlow<()> {
        let is_closed = (self.context.machine.is_output_closed)();
        let done = if is_closed { Err(CliError::Closed) } else { self.own_up() };
        self.go_on(done)
    }

    fn store_gone(&mut self, gone: &DirectoryGone) -> ControlFlow<()> {
        let threads = text::count(gone.threads.unwrap_or_default(), "thread");
        let told = self.tell_gone(gone, &format!("It was moved or removed, with {threads}."));
        self.go_on(told)
    }

    fn gone(&mut self, gone: &DirectoryGone) {
        let told = self.tell_gone(gone, "It was moved or removed; the watch ends.");
        self.done = told.map(|()| crate::EXIT_NEGATIVE);
    }
}

impl EventPrinter<'_, '_> {
    fn go_on(&mut self, done: Result<(), CliError>) -> ControlFlow<()> {
        self.done = done.map(|()| crate::EXIT_OK);
        if self.done.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    fn tell_all(&mut self, workspace: &Workspace, events: &[ThreadEvent]) -> Result<(), CliError> {
        // Names of all threads are listed for the sake of people and commands only.
        let is_named = !self.context.output.json || self.exec.is_some();
        let names = if is_named { names(workspace) } else { Vec::new() };
        let handles = ShortIds::new(&names);
        for event in events {
            self.tell(event, &handles)?;
        }
        // What a command prints comes after the lines of all events that happened at the same time.
        if let Some(errands) = &self.exec {
            for event in events {
                errands.send(errand(event, &handle(event, &handles))?);
            }
        }
        self.own_up()
    }

    fn tell_gone(&mut self, gone: &DirectoryGone, what: &str) -> Result<(), CliError> {
        let path = one_line(&gone.id);
        let text = format!("{} gone  {path}  {what}", gone.kind);
        if let Some(errands) = &self.exec {
            let input = json_line(gone)?;
            errands.send(EventCommand {
                input,
                text: text.clone(),
                name: format!("gone of {path}"),
            });
        }
        let output = &mut self.context.output;
        if output.json {
            output.document(gone)?;
        } else {
            let time = output.clock.time_of_day(gone.at);
            output.line(&format!("{time} {text}"))?;
        }
        output.finish()
    }

    /// Says which commands failed meanwhile.
    fn own_up(&mut self) -> Result<(), CliError> {
        let failures = self.exec.as_ref().map(CommandQueue::failures).unwrap_or_default();
        failures.iter().try_for_each(|failure| self.context.output.note(failure))
    }

    fn tell(&mut self, event: &ThreadEvent, handles: &ShortIds) -> Result<(), CliError> {
        let output = &mut self.context.output;
        if output.json {
            output.document(event)?;
        } else {
            let time = output.clock.time_of_day(event.at);
            let handle = handle(event, handles);
            let line = text::cut(&format!("{time} {}", line(event, &handle)), output.width);
            let start = format!("{time} {} ", event.kind.as_str());
            let line = match line.strip_prefix(&format!("{start}{handle}")) {
                Some(rest) => format!("{start}{}{rest}", output.paint(style::HANDLE, &handle)),
                None => line,
            };
            output.line(&line)?;
        }
        output.finish()
    }
}

fn errand(event: &ThreadEvent, handle: &str) -> Result<EventCommand, CliError> {
    let input = json_line(event)?;
    let name = format!("{} of {}", event.event, one_line(&event.id));
    Ok(EventCommand { input, text: line(event, handle), name })
}

fn json_line(event: &impl Serialize) -> Result<Vec<u8>, CliError> {
    let mut input = to_json(event).map_err(|error| CliError::from_output(error.into()))?;
    input.push(b'\n');
    Ok(input)
}

/// Says what is watched.
fn begun(context: &mut Context<'_>, watched: &WatchSummary<'_>) -> Result<(), CliError> {
    let count = |(kind, count): (&Kind, &usize)| {
        let what = match (kind, count) {
            (Kind::Review, 1) => "review thread",
            (Kind::Review, _) => "review threads",
            (Kind::Checkpoint, 1) => "checkpoint",
            (Kind::Checkpoint, _) => "checkpoints",
            (Kind::Session, 1) => "session",
            (Kind::Session, _) => "sessions",
        };
        format!("{count} {what}")
    };
    let order = |kind: &Kind| Kind::ALL.iter().position(|one| one == kind);
    let mut counts: Vec<_> = watched.counts.iter().collect();
    counts.sort_by_key(|(kind, _)| order(kind));
    let counts: Vec<String> = counts.into_iter().map(count).collect();
    let root = watched.workspace.reviews.root.display();
    let text = format!("Watching {root}: {}. Ctrl-C ends it.", counts.join(", "));
    context.output.note(&text)?;
    if !watched.is_notified {
        let text = "The system does not tell of all changes, so that some are seen late.";
        context.output.note(text)?;
    }
    Ok(())
}

fn handle(event: &ThreadEvent, handles: &ShortIds) -> String {
    let handle = match &event.short_id {
        Some(short) => handles.of_session(&event.id, short),
        None => handles.of_file(event.kind, &event.id),
    };
    one_line(&handle)
}

/// Writes an event for a person: `review 3f2a  replied by Codex  src/a.rs:12  Because. (Why twice?)`
fn line(event: &ThreadEvent, handle: &str) -> String {
    let status = event.status.as_deref().filter(|_| matches!(event.event, "step" | "status"));
    let by = event.by.as_ref().map(|by| format!("by {by}"));
    let what = [Some(event.event), status, by.as_deref()];
    let what = what.into_iter().flatten().collect::<Vec<_>>().join(" ");
    // What was said comes first: it is what a narrow terminal has room for.
    let title = text::title(&event.title);
    let about = match &event.text {
        Some(text) => format!("{text} ({title})"),
        None => title,
    };
    // A step is named after its thread, which people know by a shorter name.
    let place = event.place.as_ref().map(|place| match place.strip_prefix(&event.id) {
        Some(number) => format!("{handle}{number}"),
        None if event.kind == Kind::Review => marked_place(place, event.state),
        None => place.clone(),
    });
    let rest = [Some(&what), place.as_ref(), Some(&about)];
    let rest: Vec<String> = rest.into_iter().flatten().map(|part| one_line(part)).collect();
    format!("{} {handle}  {}", event.kind.as_str(), rest.join("  "))
}
