//! What a shell completes beside commands and options: threads, steps, sessions, agents, statuses and settings.

use clap::{Arg, Command};
use clap_complete::engine::{ArgValueCandidates, CompletionCandidate};
use skein_catalog::{ShortIds, WorktreeScope, list, names};
use skein_checkpoints::StepsQuery;
use skein_model::sanitize::one_line;
use skein_model::{Filter, Kind};
use skein_workspace::Workspace;
use skein_workspace::settings::KEYS;

use crate::render::text;

/// Maximum number of threads that a shell offers, the most recently changed.
const MAX_THREADS: usize = 200;
/// The statuses of threads of all kinds.
const STATUSES: [&str; 8] =
    ["open", "resolved", "draft", "active", "ended", "orphaned", "disconnected", "all"];

/// What an argument takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Completed {
    Threads(Option<Kind>),
    Steps,
    /// The agents for which Skein can be installed.
    Agents,
    /// The agents whose sessions Skein can resume.
    ResumedAgents,
    Statuses,
    Kinds,
    Waiting,
    Settings,
}

/// Adds the candidates of a workspace to the arguments of all commands.
pub(super) fn add(command: Command, workspace: &Workspace) -> Command {
    add_below(command, &mut Vec::new(), workspace)
}

fn add_below(command: Command, path: &mut Vec<String>, workspace: &Workspace) -> Command {
    let names: Vec<String> =
        command.get_subcommands().map(|one| one.get_name().to_owned()).collect();
    let mut command = command.mut_args(|arg| {
        let Some(completed) = completed(path, &arg) else { return arg };
        let workspace = workspace.clone();
        arg.add(ArgValueCandidates::new(move || candidates(&workspace, completed)))
    });
    for name in names {
        path.push(name.clone());
        command = command.mut_subcommand(name, |one| add_below(one, path, workspace));
        path.pop();
    }
    command
}

/// Returns what an argument of a command takes, if it is one of these things.
fn completed(path: &[String], arg: &Arg) -> Option<Completed> {
    let group = path.first().map_or("", String::as_str);
    match (group, arg.get_id().as_str()) {
        // They name what is not in the list, or what does not exist yet.
        ("worker", _) => None,
        (_, "ids") if path.last().is_some_and(|name| name == "restore") => None,
        ("config", "key") => Some(Completed::Settings),
        ("deliver", "agent") => Some(Completed::ResumedAgents),
        ("hook" | "install" | "uninstall", "agent") => Some(Completed::Agents),
        ("session", "id") | ("review", "send") | ("handoff", "post") => {
            Some(Completed::Threads(Some(Kind::Session)))
        }
        ("review", "id" | "ids" | "release") => Some(Completed::Threads(Some(Kind::Review))),
        ("checkpoint" | "handoff" | "resume", "id") | ("steps", "thread") => {
            Some(Completed::Threads(Some(Kind::Checkpoint)))
        }
        ("show", "id") => Some(Completed::Threads(None)),
        ("steps", "steps") => Some(Completed::Steps),
        (_, "status") => Some(Completed::Statuses),
        (_, "kind") => Some(Completed::Kinds),
        (_, "waiting") => Some(Completed::Waiting),
        _ => None,
    }
}

fn candidates(workspace: &Workspace, completed: Completed) -> Vec<CompletionCandidate> {
    let constant = |words: &[&str]| words.iter().map(|word| candidate(word, "")).collect();
    match completed {
        Completed::Threads(kind) => threads(workspace, kind),
        Completed::Steps => steps(workspace),
        Completed::Agents => {
            skein_install::AGENTS.iter().map(|agent| candidate(agent.name, agent.title)).collect()
        }
        Completed::ResumedAgents => constant(&skein_delivery::AGENTS),
        Completed::Statuses => constant(&STATUSES),
        Completed::Kinds => Kind::ALL.iter().map(|kind| candidate(kind.as_str(), "")).collect(),
        Completed::Waiting => constant(&["reviewer", "agent"]),
        Completed::Settings => KEYS.iter().map(|key| candidate(key.name, key.help)).collect(),
    }
}

fn threads(workspace: &Workspace, kind: Option<Kind>) -> Vec<CompletionCandidate> {
    let filter = Filter { kind, ..Filter::default() };
    let rows = list(workspace, &filter, WorktreeScope::ThisWorktree).threads;
    let handles = ShortIds::new(&names(workspace));
    let usable = rows.iter().filter(|row| row.usable);
    let rows = usable.map(|row| (handles.short_id(row), &row.title));
    let rows = rows.filter(|(id, _)| is_plain(id)).take(MAX_THREADS);
    rows.map(|(id, title)| candidate(&id, title)).collect()
}

fn steps(workspace: &Workspace) -> Vec<CompletionCandidate> {
    let query = StepsQuery { filter: Filter::default(), thread: None, all: false };
    let Ok(found) = skein_checkpoints::steps(workspace, &query) else { return Vec::new() };
    let steps = found.steps.iter().filter(|step| is_plain(&step.handle)).take(MAX_THREADS);
    steps.map(|step| candidate(&step.handle, &step.step)).collect()
}

/// Returns whether a shell reads a name as it is. It puts the name into a command line, and other people choose names.
fn is_plain(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.#/".contains(&byte);
    !name.starts_with('-') && name.bytes().all(is_plain)
}

fn candidate(value: &str, help: &str) -> CompletionCandidate {
    const MAX_HELP: usize = 60;
    let help = text::cut(&one_line(help), Some(MAX_HELP));
    CompletionCandidate::new(value).help((!help.is_empty()).then(|| help.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Arguments that name something, and that are not completed.
    const NOT_COMPLETED: &[&str] =
        &["review restore ids", "checkpoint restore ids", "worker id", "deliver allow session"];

    #[test]
    fn every_argument_for_a_thread_or_step_is_completed() {
        fn visit(command: &Command, path: &mut Vec<String>) {
            for arg in command.get_arguments() {
                let names = arg.get_value_names().unwrap_or_default();
                let name = format!("{} {}", path.join(" "), arg.get_id());
                let is_own = matches!(arg.get_id().as_str(), "session" | "worker" | "claimant");
                let is_meant = names.iter().any(|name| ["ID", "STEP"].contains(&name.as_str()));
                if is_meant && !is_own && !NOT_COMPLETED.contains(&name.as_str()) {
                    assert!(completed(path, arg).is_some(), "{name}");
                }
            }
            for one in command.get_subcommands() {
                path.push(one.get_name().to_owned());
                visit(one, path);
                path.pop();
            }
        }
        visit(&crate::commands::command(), &mut Vec::new());
    }

    #[test]
    fn a_name_that_a_shell_would_change_is_not_offered() {
        for name in ["cache-eviction#2", "85f2", "T-1_a.b"] {
            assert!(is_plain(name), "{name}");
        }
        for name in ["$(id)", "a b", "a;b", "`id`", "-rf", "a'b", "\u{202e}x", "*"] {
            assert!(!is_plain(name), "{name}");
        }
    }
}
