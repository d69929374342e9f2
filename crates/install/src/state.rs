//! The detected agents and editors, and their installations.

use serde::Serialize;
use skein_workspace::Workspace;

use super::agent::{AGENTS, Agent, Scope};
use super::program::DetectedPrograms;
use super::server_agents::SERVERS;
use super::task::{PlannedFile, home, tasks};
use super::write::{self, EditOutcome};

/// The state of an agent.
#[derive(Clone, Debug, Serialize)]
pub struct AgentState {
    /// The name on the command line.
    pub agent: &'static str,
    /// The name in messages.
    pub title: &'static str,
    /// The programs and directories by which it was detected; empty if it was not.
    pub detected: Vec<String>,
    /// Its scopes; the first one is the default.
    pub scopes: &'static [Scope],
    pub installed: Vec<Installed>,
}

/// An installation.
#[derive(Clone, Debug, Serialize)]
pub struct Installed {
    pub scope: Scope,
    /// Whether it is up to date.
    pub current: bool,
    /// The files that contain hooks or commands of ours.
    pub files: Vec<String>,
}

/// A detected editor.
#[derive(Clone, Debug, Serialize)]
pub struct Editor {
    pub name: &'static str,
    pub note: &'static str,
}

pub fn states(workspace: &Workspace, tools: &DetectedPrograms<'_>) -> Vec<AgentState> {
    let state = |agent: &'static Agent| AgentState {
        agent: agent.name,
        title: agent.title,
        detected: detected(workspace, tools, agent),
        scopes: agent.scopes,
        installed: agent
            .scopes
            .iter()
            .filter_map(|scope| installed(workspace, tools, agent, *scope))
            .collect(),
    };
    let servers = SERVERS.iter().map(state).filter(|state| !state.installed.is_empty());
    AGENTS.iter().map(state).chain(servers).collect()
}

/// Returns the detected editors that work with Skein.
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
    tools: &DetectedPrograms<'_>,
    agent: &'static Agent,
) -> Vec<String> {
    let programs = agent.programs.iter().filter(|program| (tools.has)(program));
    let mut signs: Vec<String> =
        programs.map(|program| format!("the program `{program}`")).collect();
    let top = workspace.top();
    let folders = agent.folders.iter().map(|folder| top.join(folder));
    let dirs = folders.chain(home(&workspace.env, agent));
    signs.extend(dirs.filter(|dir| dir.is_dir()).map(|dir| dir.display().to_string()));
    signs.dedup();
    signs
}

fn installed(
    workspace: &Workspace,
    tools: &DetectedPrograms<'_>,
    agent: &'static Agent,
    scope: Scope,
) -> Option<Installed> {
    let program = tools.program_for(agent, scope);
    let tasks = tasks(workspace, agent, scope).ok()?;
    let is_here = |task: &&PlannedFile| task.has_ours() && task.belongs_to_scope(workspace);
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
