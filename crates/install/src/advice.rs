//! Advice for errors of an installation or a setup.

use skein_model::FailureKind::{Conflict, Forbidden, Invalid, NotFound, System, Unusable};
use skein_model::{Advice, Retype, UserError, nearest};
use skein_workspace::advice::{BARE, CHECK_LINK, GIT_INIT, git_advice};

use crate::setup::{MergeDriverError, SetupError};
use crate::{AGENTS, InstallError, SERVERS, agent, server_name};

impl UserError for InstallError {
    fn advice(&self, retype: Retype<'_>) -> Advice {
        match self {
            Self::UnknownAgent { name } if agent(&server_name(name)).is_some() => {
                Invalid.hint(format!("there are no hooks for it; `skein install {name} --mcp` adds the tools"))
            }
            Self::UnknownAgent { name } if name.ends_with(" --mcp") => {
                let names = SERVERS.iter().filter_map(|server| server.name.strip_suffix(" --mcp"));
                let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
                Invalid.hint(format!("there is a server for {}", names.join(", ")))
            }
            Self::UnknownAgent { name } => {
                let names: Vec<&str> = AGENTS.iter().map(|agent| agent.name).collect();
                let near = nearest(name, &names);
                let near = near.map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
                let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
                Invalid.hint(format!("{near}the agents are {}", names.join(", ")))
            }
            Self::NoScope { agent, .. } => {
                let agent = AGENTS.iter().chain(SERVERS).find(|one| one.title == *agent);
                let scopes = agent.into_iter().flat_map(|agent| agent.scopes);
                let scopes: Vec<String> = scopes.map(|one| format!("`--{}`", one.name())).collect();
                Invalid.hint(format!("use {}, or leave it out", scopes.join(" or ")))
            }
            Self::NoHome => System.hint("set `HOME` and run the command again"),
            Self::NoRepository { .. } => NotFound.hint(GIT_INIT),
            Self::Bare { .. } => Conflict.hint(BARE),
            Self::Settings { path, .. } => Unusable.hint(format!(
                "nothing was changed: fix {}, and run the command again",
                path.display()
            )),
            Self::Tracked { has_user_scope: true, .. } => Forbidden.hint(
                "use `--project` to change it for everyone, or `--user` to leave it unchanged",
            ),
            Self::Tracked { .. } => Forbidden.hint("use `--project` to change it for everyone"),
            Self::Link { .. } => Conflict.hint(CHECK_LINK),
            Self::HooksPath { .. } => Forbidden.hint(
                "`--yes` installs it there; `git config --show-origin core.hooksPath` shows where that is set",
            ),
            Self::TwoHooks { path, aside } => Conflict.hint(format!(
                "keep what you need of both in {}, delete {}, and run the command again",
                path.display(),
                aside.display()
            )),
            Self::Git(error) => git_advice(error),
            Self::Setup(error) => error.advice(retype),
            Self::Work(error) => error.advice(retype),
            Self::File(error) => error.advice(retype),
        }
    }
}

impl UserError for SetupError {
    fn advice(&self, retype: Retype<'_>) -> Advice {
        match self {
            Self::NoRepository { .. } => NotFound.hint(GIT_INIT),
            Self::Bare { .. } => Conflict.hint(BARE),
            Self::Git(error) => git_advice(error),
            Self::Write(error) => error.advice(retype),
        }
    }
}

impl UserError for MergeDriverError {
    fn advice(&self, _: Retype<'_>) -> Advice {
        System.plain()
    }
}
