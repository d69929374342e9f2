//! The agents to which the user lets Skein deliver threads, for each repository.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use skein_store::RootDirs;
use skein_workspace::{Env, FileError, Workspace, state_file, trust};

/// The file in the state directory of the user.
const FILE: &str = "deliver.json";

/// The consent for one agent in one repository.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Consent {
    /// The arguments for the agent, instead of the usual ones.
    pub args: Option<Vec<String>>,
}

#[derive(Default, Serialize, Deserialize)]
struct Consents {
    /// By the root of the repository, then by agent.
    repositories: BTreeMap<String, BTreeMap<String, Consent>>,
}

/// Lets Skein start an agent in this repository.
pub fn allow(workspace: &Workspace, agent: &str, consent: &Consent) -> Result<(), FileError> {
    change(workspace, &|agents| drop(agents.insert(agent.to_owned(), consent.clone())))
}

/// Revokes the consent.
pub fn deny(workspace: &Workspace, agent: &str) -> Result<(), FileError> {
    change(workspace, &|agents| drop(agents.remove(agent)))
}

/// Returns the agents that may be started in this repository.
pub fn allowed(workspace: &Workspace) -> BTreeMap<String, Consent> {
    let Some(key) = key(workspace) else { return BTreeMap::new() };
    let consents: Option<Consents> = state_file::read(&dirs(&workspace.env), FILE);
    consents.and_then(|mut all| all.repositories.remove(&key)).unwrap_or_default()
}

fn change(
    workspace: &Workspace,
    edit: &dyn Fn(&mut BTreeMap<String, Consent>),
) -> Result<(), FileError> {
    let Some(key) = key(workspace) else { return Ok(()) };
    state_file::update(&workspace.env, &dirs(&workspace.env), FILE, &|known: Option<Consents>| {
        let mut all = known.unwrap_or_default();
        edit(all.repositories.entry(key.clone()).or_default());
        all.repositories.retain(|_, agents| !agents.is_empty());
        Some(all)
    })
}

/// Returns the root of the repository; all worktrees have that of the main checkout.
fn key(workspace: &Workspace) -> Option<String> {
    trust::roots(workspace).first()?.to_str().map(str::to_owned)
}

fn dirs(env: &Env) -> RootDirs {
    RootDirs { state: env.dirs.user_state().to_owned(), cache: env.dirs.cache.clone() }
}
