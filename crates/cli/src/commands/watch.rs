use clap::Args;
use serde::Serialize;
use skein_catalog::{ShortIds, names, refresh_copies};
use skein_live::events::{
    self, DirectoryGone, ThreadEvent, WatchOptions, WatchReport, WatchSummary,
};
use skein_model::Kind;
use skein_model::sanitize::to_json;
use skein_workspace::Workspace;

use super::context::CliContext;
use super::filter_args::filter;
use crate::error::{CliError, CliResult};
use crate::event_commands::{CommandQueue, EventCommand};
use crate::program::ShellCommand;
use crate::render::table::marked_place;
use crate::render::{style, text};
use skein_model::sanitize::one_line;

/// Prints thread events as they happen.
///
/// One line for each event: a thread was created, replied to, resolved, reopened, edited or deleted, a checkpoint saved, a step
/// done, a session ended. Filters are the same as in `skein list`: a kind, or `key:value` as in `waiting:reviewer`. The keys are
/// `kind`, `status`, `file`, `author`, `since`, `until`, `tag`, `type`, `branch`, `commit` and `waiting`. With `--json` each line is an object. Stops on Ctrl-C, or when its output is closed; exits with 1 if the workspace is moved or removed.
#[derive(Args, Debug)]
pub(crate) struct WatchArgs {
    /// A kind, or key:value.
    #[arg(value_name = "FILTER")]
    words: Vec<String>,

    /// Also watches the code, and reports open review threads whose code is at another location or has changed.
    #[arg(long)]
    code: bool,

    /// Also reports changes of your drafts.
    #[arg(long)]
    drafts: bool,

    /// Runs a shell command for each event.
    ///
    /// It gets the event as JSON on its stdin and as a line in the variable `SKEIN_EVENT`. One command runs at a time, for 30 seconds
    /// at most; failures are reported, and watching continues. Its output goes to stderr.
    #[arg(long, value_name = "CMD")]
    exec: Option<ShellCommand>,
}

pub(crate) fn run_watch(context: &mut CliContext<'_>, args: &WatchArgs) -> CliResult {
    let filter = filter(context, &args.words, &[], None, false)?;
    // The printer borrows the environment of `context`, so this is another one.
    let env = context.machine.env(Some(&context.workspace.env.dir))?;
    let exec = args.exec.clone().map(|command| CommandQueue::new(command, env.dir.clone()));
    let mut printer = EventPrinter { context, exec };
    let options = WatchOptions { code: args.code, drafts: args.drafts };
    let done = events::watch(&env, &filter, options, &mut |report| printer.report(report));
    let EventPrinter { context, exec } = printer;
    context.output.notes(&exec.map(CommandQueue::finish).unwrap_or_default())?;
    done
}

/// Prints events and runs the command for them.
struct EventPrinter<'a, 'b> {
    context: &'a mut CliContext<'b>,
    exec: Option<CommandQueue>,
}

impl EventPrinter<'_, '_> {
    fn report(&mut self, report: WatchReport<'_>) -> CliResult {
        match report {
            WatchReport::Begun(watched) => begun(self.context, &watched),
            WatchReport::Events(workspace, events) => self.print_all(workspace, &events),
            WatchReport::Idle if (self.context.machine.is_output_closed)() => Err(CliError::Closed),
            WatchReport::Idle => self.print_failures(),
            WatchReport::StoreGone(gone) => {
                let threads = text::count(gone.threads.unwrap_or_default(), "thread");
                self.print_gone(&gone, &format!("It was moved or removed, with {threads}."))
            }
            WatchReport::Gone(gone) => self
                .print_gone(&gone, "It was moved or removed; watching stops.")
                .and_then(|()| self.context.answer(false)),
        }
    }

    fn print_all(&mut self, workspace: &Workspace, events: &[ThreadEvent]) -> CliResult {
        // A copy that fails is made by the next event or command.
        drop(refresh_copies(workspace));
        // Short ids are only used in text and by commands.
        let is_named = !self.context.output.is_json || self.exec.is_some();
        let names = if is_named { names(workspace) } else { Vec::new() };
        let handles = ShortIds::new(&names);
        for event in events {
            self.print(event, &handles)?;
        }
        // The output of commands comes after the lines of all simultaneous events.
        if let Some(queue) = &self.exec {
            for event in events {
                queue.send(event_command(event, &handle(event, &handles))?);
            }
        }
        self.print_failures()
    }

    fn print_gone(&mut self, gone: &DirectoryGone, what: &str) -> CliResult {
        let path = one_line(&gone.id);
        let text = format!("{} gone  {path}  {what}", gone.kind);
        if let Some(queue) = &self.exec {
            let input = json_line(gone)?;
            queue.send(EventCommand { input, text: text.clone(), name: format!("gone of {path}") });
        }
        let output = &mut self.context.output;
        if !output.print_json(gone)? {
            let time = output.clock.time_of_day(gone.at);
            output.line(&format!("{time} {text}"))?;
        }
        output.finish()
    }

    /// Reports the commands that have failed.
    fn print_failures(&mut self) -> CliResult {
        let failures = self.exec.as_ref().map(CommandQueue::failures).unwrap_or_default();
        self.context.output.notes(&failures)
    }

    fn print(&mut self, event: &ThreadEvent, handles: &ShortIds) -> CliResult {
        let output = &mut self.context.output;
        if !output.print_json(event)? {
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

fn event_command(event: &ThreadEvent, handle: &str) -> CliResult<EventCommand> {
    let input = json_line(event)?;
    let name = format!("{} of {}", event.event, one_line(&event.id));
    Ok(EventCommand { input, text: line(event, handle), name })
}

fn json_line(event: &impl Serialize) -> CliResult<Vec<u8>> {
    let mut input = to_json(event).map_err(|error| CliError::from_output(error.into()))?;
    input.push(b'\n');
    Ok(input)
}

/// Prints the kinds and numbers of the watched threads.
fn begun(context: &mut CliContext<'_>, watched: &WatchSummary<'_>) -> CliResult {
    let count = |(kind, count): (&Kind, &usize)| {
        let what = if *kind == Kind::Review { "review thread" } else { kind.as_str() };
        text::count(*count, what)
    };
    let order = |kind: &Kind| Kind::ALL.iter().position(|one| one == kind);
    let mut counts: Vec<_> = watched.counts.iter().collect();
    counts.sort_by_key(|(kind, _)| order(kind));
    let counts: Vec<String> = counts.into_iter().map(count).collect();
    let root = watched.workspace.reviews.root.display();
    // The extension for VS Code waits for this line.
    let text = format!("Watching {root}: {}. Press Ctrl-C to stop.", counts.join(", "));
    context.output.note(&text)?;
    if !watched.is_notified {
        let text = "File notifications are incomplete here; some changes are detected by polling, with a delay.";
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

/// Formats an event: `review 3f2a  replied by Codex  src/a.rs:12  Because. (Why twice?)`
fn line(event: &ThreadEvent, handle: &str) -> String {
    let status = event.status.as_deref().filter(|_| matches!(event.event, "step" | "status"));
    let by = event.by.as_ref().map(|by| format!("by {by}"));
    let draft = event.draft.then_some("draft");
    let what = [draft, Some(event.event), status, by.as_deref()];
    let what = what.into_iter().flatten().collect::<Vec<_>>().join(" ");
    // The text comes first, because a narrow terminal cuts the end.
    let title = text::title(&event.title);
    let about = match &event.text {
        Some(text) => format!("{text} ({title})"),
        None => title,
    };
    // The place of a step starts with the id of its thread, which is shown as a short id.
    let place = event.place.as_ref().map(|place| match place.strip_prefix(&event.id) {
        Some(number) => format!("{handle}{number}"),
        None if event.kind == Kind::Review => marked_place(place, event.state),
        None => place.clone(),
    });
    let rest = [Some(&what), place.as_ref(), Some(&about)];
    let rest: Vec<String> = rest.into_iter().flatten().map(|part| one_line(part)).collect();
    format!("{} {handle}  {}", event.kind.as_str(), rest.join("  "))
}
