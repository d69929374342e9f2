use crate::agent_names::{is_agent, running_agent};
use crate::env::{Env, USER};
use crate::layout::Workspace;

/// The author of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Actor {
    /// The name to sign with.
    pub name: String,
    /// Whether the author is an agent.
    pub agent: bool,
}

impl Actor {
    /// Finds the author: the given name, else `SKEIN_AUTHOR`, the running agent, git's `user.name`, the login name.
    ///
    /// Inside an agent's environment the author is always marked as an agent, whatever the name.
    pub fn find(workspace: &Workspace, given: Option<&str>) -> Self {
        let named = |text: Option<&str>| {
            let name = text.map(one_line)?;
            (!name.is_empty()).then_some(name)
        };
        let variable = |name: &str| workspace.env.variables.get(name).map(String::as_str);
        let given = named(given).or_else(|| named(variable("SKEIN_AUTHOR")));
        if let Some(agent) = running_agent(&workspace.env.variables) {
            let name = given.unwrap_or_else(|| one_line(agent));
            let is_marked = is_agent(&name, &workspace.settings);
            let name = if is_marked { name } else { format!("{name} [agent]") };
            return Self { name, agent: true };
        }
        let name = given
            .or_else(|| named(skein_git::user_name(&workspace.env.dir).as_deref()))
            .or_else(|| USER.iter().find_map(|name| named(variable(name))))
            .unwrap_or_else(|| "You".to_owned());
        let agent = is_agent(&name, &workspace.settings);
        Self { name, agent }
    }

    /// Returns whether the program runs inside an agent's environment.
    pub fn is_in_agent(env: &Env) -> bool {
        running_agent(&env.variables).is_some()
    }
}

/// Joins a name to one line, because markers are lines.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
