//! The agents to which the user lets Skein deliver threads, for each repository.

use std::collections::{BTreeMap, BTreeSet};

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
    /// The sessions that may be resumed although the agent has no record of them, or although they ran in a sandbox.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub sessions: BTreeSet<String>,
}

#[derive(Default, Serialize, Deserialize)]
struct Consents {
    /// By the root of the repository and what distinguishes it from another one at this path, then by agent.
    repositories: BTreeMap<String, BTreeMap<String, Consent>>,
}

/// Lets Skein start an agent in this repository.
pub fn allow(workspace: &Workspace, agent: &str, consent: &Consent) -> Result<(), FileError> {
    change(workspace, &|agents| drop(agents.insert(agent.to_owned(), consent.clone())))
}

/// Lets Skein resume a session of an allowed agent for whose existence there is no other evidence, or that ran in a sandbox.
pub fn allow_session(workspace: &Workspace, agent: &str, id: &str) -> Result<(), FileError> {
    change(workspace, &|agents| {
        if let Some(consent) = agents.get_mut(agent) {
            consent.sessions.insert(id.to_owned());
        }
    })
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
        all.repositories.retain(|known, agents| {
            let is_replaced = *known != key && path_of(known) == path_of(&key);
            !agents.is_empty() && !is_replaced
        });
        Some(all)
    })
}

/// Returns the root of the repository and its identity; all worktrees have those of the main checkout.
fn key(workspace: &Workspace) -> Option<String> {
    trust::bound_path(trust::roots(workspace).first()?)
}

/// Returns the path in a key, whose identity is two words.
fn path_of(key: &str) -> &str {
    key.rsplitn(3, ' ').nth(2).unwrap_or(key)
}

fn dirs(env: &Env) -> RootDirs {
    RootDirs { state: env.dirs.user_state().to_owned(), cache: env.dirs.cache.clone() }
}
