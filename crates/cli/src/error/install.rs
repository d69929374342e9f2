//! What to do when Skein could not be installed.

use skein_install::{AGENTS, InstallError, Scope};

use super::{review, work};

pub(super) fn hint(error: &InstallError) -> Option<String> {
    let hint = match error {
        InstallError::UnknownAgent { .. } => {
            let names: Vec<String> =
                AGENTS.iter().map(|agent| format!("`{}`", agent.name)).collect();
            format!("it can be for {}", names.join(", "))
        }
        InstallError::NoScope { agent, .. } => {
            let agent = AGENTS.iter().find(|one| one.title == *agent)?;
            let scopes = agent.scopes.iter().map(|scope: &Scope| format!("`--{}`", scope.name()));
            let scopes: Vec<String> = scopes.collect();
            format!("use {}, or leave it out", scopes.join(" or "))
        }
        InstallError::NoHome => "set `HOME`, and run the command again".to_owned(),
        InstallError::NoRepository { .. } => {
            "run `git init` there first, or name a repository with `-C DIR`".to_owned()
        }
        InstallError::Bare { .. } => super::BARE.to_owned(),
        InstallError::Git(error) => return super::git_hint(error),
        InstallError::Setup(error) => return review::setup(error),
        InstallError::Settings { path, .. } => {
            format!("nothing was changed: mend {}, and run the command again", path.display())
        }
        InstallError::Tracked { .. } => {
            "use `--project` to change it for everybody, or `--user` to leave it alone".to_owned()
        }
        InstallError::Link { .. } => {
            "see where it leads (`ls -l`), and delete the link if it is not yours".to_owned()
        }
        InstallError::HooksPath { .. } => {
            "`--yes` installs it there; `git config --show-origin core.hooksPath` says who set that"
                .to_owned()
        }
        InstallError::TwoHooks { path, aside } => format!(
            "keep what you need of both in {path}, delete {aside}, and run the command again",
            path = path.display(),
            aside = aside.display()
        ),
        InstallError::File(error) => return super::file_hint(error),
        InstallError::Work(error) => return work::hint(error),
    };
    Some(hint)
}
