use crate::agents::{around, is_agent};
use crate::discover::Workspace;
use crate::env::{Env, USER};

/// Who writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Actor {
    /// The name to sign with.
    pub name: String,
    /// Whether that is an agent.
    pub agent: bool,
}

impl Actor {
    /// Finds out who writes: the name given, else `SKEIN_AUTHOR`, the agent around, git's `user.name`,
    /// the login name.
    pub fn find(workspace: &Workspace, env: &Env, given: Option<&str>) -> Self {
        let named = |text: Option<&str>| {
            let name = text.map(one_line)?;
            (!name.is_empty()).then_some(name)
        };
        let variable = |name: &str| env.variables.get(name).map(String::as_str);
        let name = named(given)
            .or_else(|| named(variable("SKEIN_AUTHOR")))
            .or_else(|| around(&env.variables).map(str::to_owned))
            .or_else(|| named(skein_git::user_name(&env.dir).as_deref()))
            .or_else(|| USER.iter().find_map(|name| named(variable(name))))
            .unwrap_or_else(|| "You".to_owned());
        let agent = is_agent(&name, &workspace.settings);
        Self { name, agent }
    }
}

/// A name stands on the line of a marker.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
