//! Which files an installation is made of.

use std::path::{Path, PathBuf};

use skein_git::Repo;
use skein_workspace::{Env, Workspace};

use super::agent::{Agent, Base, Content, Scope, Syntax};
use super::error::InstallError;
use super::toml_hooks;

/// A file of an agent in its place.
#[derive(Debug)]
pub(super) struct PlannedFile {
    pub(super) agent: &'static Agent,
    pub(super) scope: Scope,
    pub(super) base: Base,
    pub(super) path: PathBuf,
    pub(super) content: Content,
}

/// Returns the files of an agent in one scope, of which an installation is made.
///
/// Hooks go where hooks are already; an agent that finds them in two files of one scope complains.
pub(super) fn tasks(
    workspace: &Workspace,
    env: &Env,
    agent: &'static Agent,
    scope: Scope,
) -> Result<Vec<PlannedFile>, InstallError> {
    let mut tasks = all_tasks(workspace, env, agent, scope)?;
    let of = |task: &PlannedFile, wanted: Syntax| matches!(task.content, Content::Hooks(it, _) if it == wanted);
    let json_exists = tasks.iter().any(|task| of(task, Syntax::Json) && task.path.exists());
    let toml_has = tasks.iter().filter(|task| of(task, Syntax::Toml)).any(|task| {
        let bytes = skein_store::read(&task.path);
        bytes.is_ok_and(|snapshot| toml_hooks::has_hooks(&snapshot.bytes))
    });
    let unused = if toml_has && !json_exists { Syntax::Json } else { Syntax::Toml };
    tasks.retain(|task| !of(task, unused));
    Ok(tasks)
}

/// Returns every file in which an agent may have something of ours in one scope.
pub(super) fn all_tasks(
    workspace: &Workspace,
    env: &Env,
    agent: &'static Agent,
    scope: Scope,
) -> Result<Vec<PlannedFile>, InstallError> {
    if !agent.scopes.contains(&scope) {
        return Err(InstallError::NoScope { agent: agent.title, scope });
    }
    let files = agent.files.iter().filter(|file| file.scopes.contains(&scope));
    let task = |file: &super::agent::File| {
        let path = base(workspace, env, agent, file.base)?.join(file.path);
        Ok(PlannedFile { agent, scope, base: file.base, path, content: file.content })
    };
    files.map(task).collect()
}

/// Returns the directory that the files of the repository are below.
pub(super) fn top(workspace: &Workspace) -> PathBuf {
    let top = workspace.git.as_ref().and_then(|git| git.top.clone());
    top.unwrap_or_else(|| workspace.reviews.root.clone())
}

/// Returns where an agent keeps the user's settings.
pub(super) fn home(env: &Env, agent: &Agent) -> Option<PathBuf> {
    let home = agent.home.as_ref()?;
    let set = home.variable.and_then(|name| env.variables.get(name));
    if let Some(set) = set.map(PathBuf::from).filter(|path| path.is_absolute()) {
        return Some(set);
    }
    let base = if home.in_config { env.config_home.as_ref() } else { env.home.as_ref() };
    base.map(|base| base.join(home.name))
}

fn base(
    workspace: &Workspace,
    env: &Env,
    agent: &Agent,
    base: Base,
) -> Result<PathBuf, InstallError> {
    match base {
        Base::Top if workspace.git.as_ref().is_some_and(|git| git.top.is_none()) => {
            Err(InstallError::Bare { dir: workspace.reviews.root.clone() })
        }
        Base::Top => Ok(top(workspace)),
        Base::Agent => home(env, agent).ok_or(InstallError::NoHome),
        Base::Home => env.home.clone().ok_or(InstallError::NoHome),
        Base::GitHooks => Ok(repo(workspace)?.hooks_dir()?),
    }
}

/// Returns the repository of the worktree that the user stands in.
pub(super) fn repo(workspace: &Workspace) -> Result<Repo, InstallError> {
    let dir = workspace.reviews.root.clone();
    let Some(git) = &workspace.git else { return Err(InstallError::NoRepository { dir }) };
    Repo::new(git).ok_or(InstallError::Bare { dir })
}

impl PlannedFile {
    /// Checks that a file is what its path says.
    ///
    /// A repository may come from a stranger: a link of its must not have a file elsewhere changed. The user's own
    /// links are followed.
    pub(super) fn check_links(&self, workspace: &Workspace) -> Result<(), InstallError> {
        let link = |path: &Path| InstallError::Link { path: path.to_owned() };
        if self.base == Base::GitHooks {
            return Ok(());
        }
        if self.path.is_symlink() && !self.path.exists() {
            return Err(link(&self.path));
        }
        if self.base != Base::Top {
            return Ok(());
        }
        let top = top(workspace);
        let top = top.canonicalize().map_err(|_| link(&top))?;
        let there = self.path.ancestors().find(|path| path.symlink_metadata().is_ok());
        let there = there.unwrap_or(&self.path);
        match there.canonicalize() {
            Ok(real) if real.starts_with(&top) => Ok(()),
            _ => Err(link(there)),
        }
    }

    /// Returns the path of the file below the top of the worktree, where it is there.
    pub(super) fn in_top(&self, workspace: &Workspace) -> Option<String> {
        if self.base != Base::Top {
            return None;
        }
        self.path.strip_prefix(top(workspace)).ok()?.to_str().map(str::to_owned)
    }
}
