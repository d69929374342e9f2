//! Which agents and editors are here, and what is installed for them.

use serde::Serialize;
use skein_workspace::{Env, Workspace};

use super::agent::{AGENTS, Agent, Scope};
use super::task::{PlannedFile, home, tasks};
use super::tools::DetectedPrograms;
use super::write::{self, EditOutcome};

/// What is known of an agent here.
#[derive(Clone, Debug, Serialize)]
pub struct AgentState {
    /// The name, as commands take it.
    pub agent: &'static str,
    /// The name, as people write it.
    pub title: &'static str,
    /// What shows that it is used; empty where nothing does.
    pub detected: Vec<String>,
    /// The scopes that it can be installed in; the first one is the usual one.
    pub scopes: &'static [Scope],
    /// Where Skein is installed for it.
    pub installed: Vec<Installed>,
}

/// An installation.
#[derive(Clone, Debug, Serialize)]
pub struct Installed {
    /// Whom it serves.
    pub scope: Scope,
    /// Whether installing again would change nothing.
    pub current: bool,
    /// The files that hold something of it.
    pub files: Vec<String>,
}

/// An editor that is used here.
#[derive(Clone, Debug, Serialize)]
pub struct Editor {
    /// Its name.
    pub name: &'static str,
    /// What Skein has for it.
    pub note: &'static str,
}

/// Returns what is known of every agent.
pub fn states(workspace: &Workspace, env: &Env, tools: &DetectedPrograms<'_>) -> Vec<AgentState> {
    let state = |agent: &'static Agent| AgentState {
        agent: agent.name,
        title: agent.title,
        detected: detected(workspace, env, tools, agent),
        scopes: agent.scopes,
        installed: agent
            .scopes
            .iter()
            .filter_map(|scope| installed(workspace, env, tools, agent, *scope))
            .collect(),
    };
    AGENTS.iter().map(state).collect()
}

/// Returns the editors that are used here and that Skein has something for.
pub fn editors(workspace: &Workspace, tools: &DetectedPrograms<'_>) -> Vec<Editor> {
    let any = |programs: &[&str]| programs.iter().any(|program| (tools.has)(program));
    let mut found = Vec::new();
    if workspace.top().join(".vscode").is_dir() || any(&["code", "codium", "cursor"]) {
        let note = "the extension Local Code Review shares the review threads of this folder";
        found.push(Editor { name: "VS Code", note });
    }
    if any(&["nvim", "vim"]) {
        let note = "`:cexpr system('skein list --vimgrep')` fills the quickfix list";
        found.push(Editor { name: "Vim", note });
    }
    found
}

fn detected(
    workspace: &Workspace,
    env: &Env,
    tools: &DetectedPrograms<'_>,
    agent: &'static Agent,
) -> Vec<String> {
    let programs = agent.programs.iter().filter(|program| (tools.has)(program));
    let mut signs: Vec<String> =
        programs.map(|program| format!("the program `{program}`")).collect();
    let top = workspace.top();
    let folders = agent.folders.iter().map(|folder| top.join(folder));
    let dirs = folders.chain(home(env, agent));
    signs.extend(dirs.filter(|dir| dir.is_dir()).map(|dir| dir.display().to_string()));
    signs.dedup();
    signs
}

fn installed(
    workspace: &Workspace,
    env: &Env,
    tools: &DetectedPrograms<'_>,
    agent: &'static Agent,
    scope: Scope,
) -> Option<Installed> {
    let program = tools.program(scope);
    let tasks = tasks(workspace, env, agent, scope).ok()?;
    let is_here = |task: &&PlannedFile| task.holds_ours() && task.serves_its_scope(workspace, env);
    let files: Vec<&PlannedFile> = tasks.iter().filter(is_here).collect();
    if files.is_empty() {
        return None;
    }
    let is_same = |task: &PlannedFile| {
        let plan = write::plan(&task.path, &task.edit(&program));
        plan.is_ok_and(|plan| matches!(plan.outcome, EditOutcome::Same | EditOutcome::Keep(_)))
    };
    let name = |task: &&PlannedFile| task.path.display().to_string();
    Some(Installed {
        scope,
        current: tasks.iter().all(is_same),
        files: files.iter().map(name).collect(),
    })
}
