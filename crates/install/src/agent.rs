//! What Skein writes for each agent, and where: one row per file.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// Whom an installation serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// This checkout alone; git does not see it.
    Local,
    /// Everybody who works on the repository, once it is committed.
    Project,
    /// The user, in every directory.
    User,
}

impl Scope {
    /// Returns the name, as in the option of the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::Project => "project",
            Self::User => "user",
        }
    }
}

/// A program that Skein can be installed for.
#[derive(Debug)]
pub struct Agent {
    /// The name, as commands take it.
    pub name: &'static str,
    /// The name, as people write it.
    pub title: &'static str,
    /// The scopes that it has; the first one is the usual one.
    pub scopes: &'static [Scope],
    /// The programs that show that it is there.
    pub(super) programs: &'static [&'static str],
    /// The folders in a repository that show that it is used there.
    pub(super) folders: &'static [&'static str],
    /// Where it keeps the user's settings.
    pub(super) home: Option<Home>,
    pub(super) files: &'static [AgentFile],
    /// Where its commands are.
    pub(super) commands: &'static [CommandFile],
    /// What the user should know after installing.
    pub(super) hint: Option<&'static str>,
}

/// The directory of an agent's own settings.
#[derive(Debug)]
pub(super) struct Home {
    /// The variable that moves it, where there is one.
    pub(super) variable: Option<&'static str>,
    /// Whether it is below the directory of settings, and not directly below the home directory.
    pub(super) in_config: bool,
    pub(super) name: &'static str,
}

/// A file of an agent.
#[derive(Clone, Debug)]
pub(super) struct AgentFile {
    pub(super) scopes: &'static [Scope],
    pub(super) base: BaseDir,
    pub(super) path: Cow<'static, str>,
    pub(super) content: FileContent,
}

/// A file for each command.
#[derive(Debug)]
pub(super) struct CommandFile {
    scopes: &'static [Scope],
    base: BaseDir,
    /// The path, with `NAME` in the place of the command's name.
    path: &'static str,
    form: Form,
}

impl Agent {
    /// Returns all files that Skein writes for the agent.
    pub(super) fn files(&self) -> impl Iterator<Item = AgentFile> {
        let command = |row: &'static CommandFile| {
            COMMANDS.iter().map(|command| AgentFile {
                scopes: row.scopes,
                base: row.base,
                path: row.path.replace("NAME", command.name).into(),
                content: FileContent::Command(row.form, command),
            })
        };
        self.files.iter().cloned().chain(self.commands.iter().flat_map(command))
    }
}

/// The directory that a file is below.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BaseDir {
    /// The top of the worktree.
    Top,
    /// The agent's own settings.
    Agent,
    /// The user's home.
    Home,
    /// The hooks of git.
    GitHooks,
}

/// What a file is to hold.
#[derive(Clone, Copy, Debug)]
pub(super) enum FileContent {
    /// A settings file with hooks among other things.
    Hooks(Syntax, &'static [AgentEvent]),
    /// A command that the user can give to the agent.
    Command(Form, &'static Command),
    /// A plugin of our own.
    Plugin(&'static str),
    /// A hook of git.
    GitHook(&'static str),
}

/// How a settings file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Syntax {
    /// In JSON.
    Json,
    /// In TOML, which is used only where hooks stand in such a file already.
    Toml,
}

/// An event of an agent that Skein hears of.
#[derive(Debug)]
pub(super) struct AgentEvent {
    /// The agent's name for it.
    pub(super) key: &'static str,
    /// Skein's name for it.
    pub(super) name: &'static str,
    /// The tools whose use counts.
    pub(super) matcher: Option<&'static str>,
    /// After how many seconds the agent gives up.
    pub(super) timeout: u32,
}

/// How an agent wants a command written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// A file of Claude Code, which may name the tools that need no question.
    Claude,
    /// A folder with `SKILL.md`.
    Skill,
    /// A file of OpenCode.
    OpenCode,
}

/// A command that the user can give to an agent.
#[derive(Debug)]
pub(super) struct Command {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    /// What may follow the command.
    pub(super) takes: &'static str,
    pub(super) text: &'static str,
}

/// Every agent.
pub static AGENTS: &[Agent] = &[CLAUDE_CODE, CODEX, OPENCODE, GIT];

/// The hook that sets up new worktrees; it comes and goes with the agents of the clone.
pub(super) static WORKTREES: Agent = Agent {
    name: "worktrees",
    title: "new worktrees",
    scopes: &[Local],
    programs: &[],
    folders: &[],
    home: None,
    files: &[git_hook("post-checkout", include_str!("text/post-checkout.sh"))],
    commands: &[],
    hint: None,
};

/// Returns the agent of that name.
#[must_use]
pub fn agent(name: &str) -> Option<&'static Agent> {
    AGENTS.iter().chain([&WORKTREES]).find(|agent| agent.name == name)
}

static COMMANDS: [Command; 3] = [
    Command {
        name: "checkpoint",
        about: "Saves a checkpoint of the work at hand with Skein, so that another session can go on from it.",
        takes: "[what to call it]",
        text: include_str!("text/checkpoint.md"),
    },
    Command {
        name: "handoff",
        about: "Hands the work at hand over to the next session with Skein.",
        takes: "[a message for the next session]",
        text: include_str!("text/handoff.md"),
    },
    Command {
        name: "review",
        about: "Works on the review threads that wait on the agent, one after another, with Skein.",
        takes: "[the thread to begin with]",
        text: include_str!("text/review.md"),
    },
];

use Scope::{Local, Project, User};

const BOTH: &[Scope] = &[Local, Project];

const CLAUDE_CODE: Agent = Agent {
    name: "claude-code",
    title: "Claude Code",
    scopes: &[Local, Project, User],
    programs: &["claude"],
    folders: &[".claude"],
    home: Some(Home { variable: Some("CLAUDE_CONFIG_DIR"), in_config: false, name: ".claude" }),
    files: &[
        file(
            &[Local],
            BaseDir::Top,
            ".claude/settings.local.json",
            FileContent::Hooks(Syntax::Json, CLAUDE_EVENTS),
        ),
        file(
            &[Project],
            BaseDir::Top,
            ".claude/settings.json",
            FileContent::Hooks(Syntax::Json, CLAUDE_EVENTS),
        ),
        file(
            &[User],
            BaseDir::Agent,
            "settings.json",
            FileContent::Hooks(Syntax::Json, CLAUDE_EVENTS),
        ),
    ],
    commands: &[
        commands(BOTH, BaseDir::Top, ".claude/commands/NAME.md", Form::Claude),
        commands(&[User], BaseDir::Agent, "commands/NAME.md", Form::Claude),
    ],
    hint: None,
};

const CLAUDE_EVENTS: &[AgentEvent] = &[
    event("SessionStart", "session-start", None),
    event("UserPromptSubmit", "user-prompt-submit", None),
    event(
        "PostToolUse",
        "post-tool-use",
        Some("Bash|Write|Edit|MultiEdit|NotebookEdit|Agent|Task"),
    ),
    event("PostToolUseFailure", "post-tool-use-failure", Some("Bash")),
    event("PreCompact", "pre-compact", None),
    event("SubagentStop", "subagent-stop", None),
    event("Stop", "stop", None),
    event("SessionEnd", "session-end", None),
];

const CODEX: Agent = Agent {
    name: "codex",
    title: "Codex",
    scopes: &[Local, Project, User],
    programs: &["codex"],
    folders: &[".codex"],
    home: Some(Home { variable: Some("CODEX_HOME"), in_config: false, name: ".codex" }),
    files: &[
        file(
            BOTH,
            BaseDir::Top,
            ".codex/hooks.json",
            FileContent::Hooks(Syntax::Json, CODEX_EVENTS),
        ),
        file(
            BOTH,
            BaseDir::Top,
            ".codex/config.toml",
            FileContent::Hooks(Syntax::Toml, CODEX_EVENTS),
        ),
        file(&[User], BaseDir::Agent, "hooks.json", FileContent::Hooks(Syntax::Json, CODEX_EVENTS)),
        file(
            &[User],
            BaseDir::Agent,
            "config.toml",
            FileContent::Hooks(Syntax::Toml, CODEX_EVENTS),
        ),
    ],
    commands: &[
        commands(BOTH, BaseDir::Top, ".agents/skills/NAME/SKILL.md", Form::Skill),
        commands(&[User], BaseDir::Home, ".agents/skills/NAME/SKILL.md", Form::Skill),
    ],
    hint: Some(
        "Codex asks whether to trust the hooks when you open it; until then they do nothing. Its commands are `$checkpoint`, `$handoff` and `$review`",
    ),
};

const CODEX_EVENTS: &[AgentEvent] = &[
    event("SessionStart", "session-start", None),
    event("UserPromptSubmit", "user-prompt-submit", None),
    event("PostToolUse", "post-tool-use", Some("Bash|apply_patch")),
    event("PreCompact", "pre-compact", None),
    event("SubagentStop", "subagent-stop", None),
    event("Stop", "stop", None),
    event("SessionEnd", "session-end", None),
];

const OPENCODE_PLUGIN: FileContent = FileContent::Plugin(include_str!("text/opencode.js"));

const OPENCODE: Agent = Agent {
    name: "opencode",
    title: "OpenCode",
    scopes: &[Local, Project, User],
    programs: &["opencode"],
    folders: &[".opencode"],
    home: Some(Home { variable: None, in_config: true, name: "opencode" }),
    files: &[
        file(BOTH, BaseDir::Top, ".opencode/plugins/skein.js", OPENCODE_PLUGIN),
        file(&[User], BaseDir::Agent, "plugins/skein.js", OPENCODE_PLUGIN),
    ],
    commands: &[
        commands(BOTH, BaseDir::Top, ".opencode/commands/NAME.md", Form::OpenCode),
        commands(&[User], BaseDir::Agent, "commands/NAME.md", Form::OpenCode),
    ],
    hint: Some("OpenCode reads plugins and commands when it starts"),
};

const GIT: Agent = Agent {
    name: "git",
    title: "git",
    scopes: &[Local],
    programs: &["git"],
    folders: &[],
    home: None,
    files: &[
        git_hook("post-commit", include_str!("text/post-commit.sh")),
        // Git runs it instead of the other one where `git merge` or `git pull` makes a commit by itself.
        git_hook("post-merge", include_str!("text/post-merge.sh")),
    ],
    commands: &[],
    hint: None,
};

const fn event(key: &'static str, name: &'static str, matcher: Option<&'static str>) -> AgentEvent {
    AgentEvent { key, name, matcher, timeout: 10 }
}

const fn file(
    scopes: &'static [Scope],
    base: BaseDir,
    path: &'static str,
    content: FileContent,
) -> AgentFile {
    AgentFile { scopes, base, path: Cow::Borrowed(path), content }
}

const fn commands(
    scopes: &'static [Scope],
    base: BaseDir,
    path: &'static str,
    form: Form,
) -> CommandFile {
    CommandFile { scopes, base, path, form }
}

const fn git_hook(path: &'static str, text: &'static str) -> AgentFile {
    file(&[Local], BaseDir::GitHooks, path, FileContent::GitHook(text))
}

/// Returns whether what is installed for this agent in one worktree is installed in the others too.
pub(super) fn is_for_all_worktrees(name: &str) -> bool {
    AGENTS.iter().any(|agent| agent.name == name && agent.name != "git")
}
