//! Collects data for a bug report about the machine and the stores, without the text of threads.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::Serialize;
use skein_format::redact::redact;
use skein_install::AgentState;
use skein_store::Revision;
use skein_workspace::settings::{KEYS, SettingOrigin};
use skein_workspace::{Env, Workspace};

use crate::CheckReport;

/// Maximum number of lines from the end of the hooks' log.
const MAX_LOG_LINES: usize = 50;

/// Data for a bug report.
///
/// Secrets are redacted. The home directory, the workspace and the files of threads are renamed.
#[derive(Debug, Serialize)]
pub struct BugReport {
    pub skein: &'static str,
    pub system: String,
    pub git: String,
    /// Each directory with the number and the size of its files.
    pub stores: Vec<String>,
    /// The settings that differ from the defaults.
    pub settings: Vec<String>,
    /// The agents that are detected or have hooks.
    pub agents: Vec<String>,
    /// The findings without their messages, which may contain text of a thread.
    pub diagnostics: Vec<String>,
    pub hook_log: Vec<String>,
}

impl BugReport {
    /// Makes a report from the findings, the states of the agents, and the name of the hooks' log.
    pub fn new(
        workspace: &Workspace,
        report: &CheckReport,
        agents: &[AgentState],
        hook_log: &str,
    ) -> Self {
        let dirs = store_dirs(workspace);
        let names = Names::new(workspace, &dirs);
        let hide = |lines: Vec<String>| lines.iter().map(|line| names.hide(line)).collect();
        Self {
            skein: env!("CARGO_PKG_VERSION"),
            system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            git: git_version(&workspace.env),
            stores: hide(dirs.iter().map(|path| describe_path(path)).collect()),
            settings: hide(settings(workspace)),
            agents: hide(agents.iter().filter_map(describe_agent).collect()),
            diagnostics: hide(report.diagnostics.iter().map(describe_diagnostic).collect()),
            hook_log: hide(log_lines(&workspace.env.dirs.state.join(hook_log))),
        }
    }
}

fn store_dirs(workspace: &Workspace) -> Vec<PathBuf> {
    let mut dirs = vec![workspace.reviews.threads()];
    dirs.extend(workspace.checkpoints.thread_dirs());
    dirs.push(workspace.checkpoints.legacy());
    dirs.extend(paths_in(&workspace.checkpoints.archive()));
    dirs.extend(workspace.sessions.file().map(Path::to_owned));
    dirs
}

fn paths_in(dir: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(dir) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    paths
}

fn git_version(env: &Env) -> String {
    match skein_git::version(&env.dir) {
        Ok(version) => version,
        Err(error) => format!("cannot run git: {error}"),
    }
}

fn describe_path(path: &Path) -> String {
    let description = match fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => "does not exist".to_owned(),
        Err(error) => error.to_string(),
        Ok(file) if file.is_file() => format!("{} bytes", file.len()),
        Ok(_) => {
            let files: Vec<_> =
                paths_in(path).iter().filter_map(|file| file.metadata().ok()).collect();
            let bytes: u64 =
                files.iter().filter(|file| file.is_file()).map(fs::Metadata::len).sum();
            format!("{} files, {bytes} bytes", files.len())
        }
    };
    format!("{}: {description}", path.display())
}

fn settings(workspace: &Workspace) -> Vec<String> {
    let set = KEYS.iter().filter_map(|key| {
        let (value, origin) = workspace.settings.get(key);
        let origin = match origin {
            SettingOrigin::BuiltIn => return None,
            SettingOrigin::File(path) => path.display().to_string(),
            SettingOrigin::Variable(name) => name,
            SettingOrigin::Flag => "flag".to_owned(),
        };
        Some(format!("{} = {} ({origin})", key.name, value?))
    });
    set.collect()
}

fn describe_agent(agent: &AgentState) -> Option<String> {
    if agent.detected.is_empty() && agent.installed.is_empty() {
        return None;
    }
    let installed: Vec<String> = agent
        .installed
        .iter()
        .map(|one| {
            let state = if one.current { "" } else { ", outdated" };
            format!("hooks installed for {}{state}", one.scope.name())
        })
        .collect();
    let installed = if installed.is_empty() { "no hooks".to_owned() } else { installed.join("; ") };
    Some(format!("{}: {installed}", agent.agent))
}

fn describe_diagnostic(diagnostic: &skein_model::view::FileDiagnostic) -> String {
    let line = diagnostic.line.map_or(String::new(), |line| format!(":{line}"));
    format!("{} [{}] {}{line}", diagnostic.severity, diagnostic.code, diagnostic.path)
}

fn log_lines(path: &Path) -> Vec<String> {
    let text = fs::read(path).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text.lines().collect();
    let first = lines.len().saturating_sub(MAX_LOG_LINES);
    lines.into_iter().skip(first).map(str::to_owned).collect()
}

/// Returns whether a file is a table of checkpoints, whose name need not be replaced.
fn is_table(file: &Path) -> bool {
    file.file_name().is_some_and(|name| name == "INDEX.md" || name == "recent.md")
}

/// The names that are replaced in a report.
struct Names {
    /// Each name with its replacement. Longer names come first, because they may contain shorter ones.
    replaced: Vec<(String, String)>,
}

impl Names {
    fn new(workspace: &Workspace, dirs: &[PathBuf]) -> Self {
        let home =
            workspace.env.home.iter().map(|home| (home.display().to_string(), "~".to_owned()));
        let roots = [&workspace.reviews.root, &workspace.checkpoints.root]
            .map(|root| (root.display().to_string(), "WORKSPACE".to_owned()));
        // The file name of a checkpoint contains its topic.
        let threads = dirs.iter().flat_map(|dir| paths_in(dir)).filter(|file| !is_table(file));
        // The state directory of a workspace has the name of the workspace.
        let states = paths_in(&workspace.env.dirs.state).into_iter().filter(|path| path.is_dir());
        let named = threads.map(|path| ("thread", path)).chain(states.map(|path| ("state", path)));
        let named = named.filter_map(|(kind, path)| {
            let name = path.file_stem()?.to_str()?.to_owned();
            let digest = Revision::from_bytes(name.as_bytes()).to_string();
            let number: String = digest.chars().take(8).collect();
            Some((name, format!("{kind}-{number}")))
        });
        let mut replaced: Vec<_> = home.chain(roots).chain(named).collect();
        replaced.retain(|(name, _)| name.len() > 3);
        replaced.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
        Self { replaced }
    }

    fn hide(&self, line: &str) -> String {
        let line = self
            .replaced
            .iter()
            .fold(line.to_owned(), |line, (name, other)| line.replace(name, other));
        redact(&line).into_owned()
    }
}
