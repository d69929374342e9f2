//! The files of an installation.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use skein_git::Repo;
use skein_workspace::{Env, Workspace};

use super::agent::{
    AGENTS, Agent, AgentFile, BaseDir, FileContent, HookFormat, Scope, SettingsPart,
};
use super::error::{InstallError, InstallResult};
use super::own_files::{self, Ownership, owner};
use super::program::HookProgram;
use super::server_agents::SERVERS;
use super::write::{self, EditOutcome};
use super::{install_log, toml_hooks};

/// A file of an agent, with its path.
#[derive(Debug)]
pub(super) struct PlannedFile {
    pub(super) agent: &'static Agent,
    pub(super) scope: Scope,
    pub(super) path: PathBuf,
    pub(super) file: AgentFile,
}

/// Returns the files of an installation for an agent in one scope.
///
/// Hooks are added to the file that already has some, because agents warn about hooks in two files of a scope.
pub(super) fn tasks(
    workspace: &Workspace,
    agent: &'static Agent,
    scope: Scope,
) -> InstallResult<Vec<PlannedFile>> {
    let mut tasks = all_tasks(workspace, agent, scope)?;
    let of = |task: &PlannedFile, wanted: HookFormat| matches!(task.file.content, FileContent::Settings(SettingsPart::Hooks(it, _)) if it == wanted);
    let json_exists = tasks.iter().any(|task| of(task, HookFormat::Groups) && task.path.exists());
    let toml_has = tasks.iter().filter(|task| of(task, HookFormat::Toml)).any(|task| {
        let bytes = skein_store::read(&task.path);
        bytes.is_ok_and(|snapshot| toml_hooks::has_hooks(&snapshot.bytes))
    });
    let unused = if toml_has && !json_exists { HookFormat::Groups } else { HookFormat::Toml };
    tasks.retain(|task| !of(task, unused));
    Ok(tasks)
}

/// Returns every file of an agent in one scope that may contain hooks or commands of ours.
pub(super) fn all_tasks(
    workspace: &Workspace,
    agent: &'static Agent,
    scope: Scope,
) -> InstallResult<Vec<PlannedFile>> {
    if !agent.scopes.contains(&scope) {
        return Err(InstallError::NoScope { agent: agent.title, scope });
    }
    let files = agent.files().filter(|file| file.scopes.contains(&scope));
    let task = |file: AgentFile| {
        let path = base(workspace, agent, file.base)?.join(&*file.path);
        Ok(PlannedFile { agent, scope, path, file })
    };
    files.map(task).collect()
}

/// Lists the directories in which an installation for this workspace writes, whether they exist or not.
pub fn written_dirs(workspace: &Workspace) -> BTreeSet<PathBuf> {
    let mut dirs = BTreeSet::new();
    for agent in AGENTS.iter().chain(SERVERS) {
        for scope in agent.scopes {
            // Without a repository or a home directory nothing is written there.
            let tasks = all_tasks(workspace, agent, *scope).unwrap_or_default();
            dirs.extend(tasks.iter().filter_map(|task| task.path.parent()).map(Path::to_owned));
        }
    }
    dirs
}

/// Returns the directory of the user's settings for an agent.
pub(super) fn home(env: &Env, agent: &Agent) -> Option<PathBuf> {
    let home = agent.home.as_ref()?;
    let set = home.variable.and_then(|name| env.variables.get(name));
    if let Some(set) = set.map(PathBuf::from).filter(|path| path.is_absolute()) {
        return Some(set);
    }
    let base = if home.in_config { env.config_home.as_ref() } else { env.home.as_ref() };
    base.map(|base| base.join(home.name))
}

fn base(workspace: &Workspace, agent: &Agent, base: BaseDir) -> InstallResult<PathBuf> {
    match base {
        BaseDir::Top if workspace.git.as_ref().is_some_and(|git| git.top.is_none()) => {
            Err(InstallError::Bare { dir: workspace.reviews.root.clone() })
        }
        BaseDir::Top => Ok(workspace.top()),
        BaseDir::Agent => home(&workspace.env, agent).ok_or(InstallError::NoHome),
        BaseDir::Home => workspace.env.home.clone().ok_or(InstallError::NoHome),
        BaseDir::GitHooks => Ok(repo(workspace)?.hooks_dir()?),
    }
}

/// Returns the repository of the current directory.
pub(super) fn repo(workspace: &Workspace) -> InstallResult<Repo> {
    let dir = workspace.reviews.root.clone();
    let Some(git) = &workspace.git else { return Err(InstallError::NoRepository { dir }) };
    Repo::new(git).ok_or(InstallError::Bare { dir })
}

impl PlannedFile {
    /// Checks the symbolic links in the path of a file.
    ///
    /// A link in an untrusted repository must not redirect a write to another directory. The user's own links are followed.
    pub(super) fn check_links(&self, workspace: &Workspace) -> InstallResult {
        let link = |path: &Path| InstallError::Link { path: path.to_owned() };
        if self.file.base == BaseDir::GitHooks {
            return Ok(());
        }
        if self.path.is_symlink() && !self.path.exists() {
            return Err(link(&self.path));
        }
        if self.file.base != BaseDir::Top {
            return Ok(());
        }
        let top = workspace.top();
        let top = top.canonicalize().map_err(|_| link(&top))?;
        let there = self.path.ancestors().find(|path| path.symlink_metadata().is_ok());
        let there = there.unwrap_or(&self.path);
        match there.canonicalize() {
            Ok(real) if real.starts_with(&top) => Ok(()),
            _ => Err(link(there)),
        }
    }

    /// Returns the path of the file relative to the root of the worktree, if the file is in it.
    pub(super) fn in_top(&self, workspace: &Workspace) -> Option<String> {
        if self.file.base != BaseDir::Top {
            return None;
        }
        self.path.strip_prefix(workspace.top()).ok()?.to_str().map(str::to_owned)
    }

    /// Returns the root directory of the worktree that the file is in.
    fn top(&self) -> PathBuf {
        let depth = Path::new(&*self.file.path).components().count();
        self.path.ancestors().nth(depth).unwrap_or(&self.path).to_owned()
    }

    /// Returns the edit that brings the file up to date.
    pub(super) fn edit<'a>(
        &'a self,
        program: &'a HookProgram,
    ) -> impl Fn(Option<&[u8]>) -> InstallResult<EditOutcome> + 'a {
        move |old| {
            if let FileContent::Settings(part) = self.file.content {
                let before = old.unwrap_or_default();
                let added = part
                    .add(before, self.agent.name, program, &self.top())
                    .map_err(|source| InstallError::Settings { path: self.path.clone(), source })?;
                return Ok(match added {
                    None => EditOutcome::Keep("it has another server named `skein`"),
                    Some(after) if old == Some(&after) => EditOutcome::Same,
                    Some(after) => EditOutcome::Write(after),
                });
            }
            let text = own_files::text(self.agent, &self.file.content, program).unwrap_or_default();
            let Some(old) = old else { return Ok(EditOutcome::Write(text.into_bytes())) };
            let is_same = String::from_utf8_lossy(old).replace("\r\n", "\n") == text;
            Ok(match owner(old) {
                _ if is_same => EditOutcome::Same,
                Ownership::Foreign => {
                    EditOutcome::Keep("a file of that name exists, and it is not Skein's")
                }
                Ownership::Changed => EditOutcome::Keep("it was changed since Skein wrote it"),
                Ownership::Ours => EditOutcome::Write(text.into_bytes()),
            })
        }
    }

    /// Returns whether the file contains hooks or commands of ours.
    pub(super) fn has_ours(&self) -> bool {
        let Ok(Some(bytes)) = write::read(&self.path) else { return false };
        match self.file.content {
            FileContent::Settings(part) => part.has(&bytes, self.agent.name),
            _ => owner(&bytes) != Ownership::Foreign,
        }
    }

    /// Returns whether a file that several scopes share was installed for this one.
    pub(super) fn belongs_to_scope(&self, workspace: &Workspace) -> bool {
        if self.file.scopes.len() < 2 {
            return true;
        }
        if let Some(entry) = install_log::entry(&workspace.env, self.agent.name, &self.path) {
            return entry.scope == self.scope;
        }
        let repo = workspace.git.as_ref().and_then(Repo::new);
        let is_tracked = repo
            .zip(self.in_top(workspace))
            .is_some_and(|(repo, below)| repo.is_tracked(&below).unwrap_or(false));
        is_tracked == (self.scope == Scope::Project)
    }

    /// Returns another scope whose hooks need this file.
    pub(super) fn other_scope(&self, workspace: &Workspace) -> Option<Scope> {
        let mut others = self.agent.scopes.iter().copied().filter(|scope| *scope != self.scope);
        others.find(|other| {
            let tasks = tasks(workspace, self.agent, *other).unwrap_or_default();
            let has = |one: &Self| {
                let is_hooks = matches!(one.file.content, FileContent::Settings(_));
                one.path != self.path
                    && is_hooks
                    && one.has_ours()
                    && one.belongs_to_scope(workspace)
            };
            tasks.iter().any(|one| one.path == self.path) && tasks.iter().any(has)
        })
    }
}
