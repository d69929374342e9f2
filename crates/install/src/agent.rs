//! The files that Skein writes for each agent.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// The users and directories that an installation applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// This checkout; git ignores the files.
    Local,
    /// Everyone who works on the repository, once the files are committed.
    Project,
    /// The user, in every directory.
    User,
}

impl Scope {
    /// Returns the name of its option on the command line.
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
    /// The name on the command line.
    pub name: &'static str,
    /// The name in messages.
    pub title: &'static str,
    /// The supported scopes; the first one is the default.
    pub scopes: &'static [Scope],
    /// The programs by which it is detected.
    pub(super) programs: &'static [&'static str],
    /// The directories in a repository by which it is detected.
    pub(super) folders: &'static [&'static str],
    /// The directory of the user's settings.
    pub(super) home: Option<Home>,
    pub(super) files: &'static [AgentFile],
    pub(super) commands: &'static [CommandFile],
    /// A note for the user after installing.
    pub(super) hint: Option<&'static str>,
}

/// The directory of an agent's own settings.
#[derive(Debug)]
pub(super) struct Home {
    /// The environment variable that contains another directory.
    pub(super) variable: Option<&'static str>,
    /// Whether it is below `~/.config` instead of directly below the home directory.
    pub(super) in_config: bool,
    pub(super) name: &'static str,
}

/// A file that Skein writes for an agent.
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
    /// The path, with `NAME` in place of the command's name.
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

/// The directory to which the path of a file is relative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BaseDir {
    /// The root directory of the worktree.
    Top,
    /// The directory of the agent's settings.
    Agent,
    /// The user's home directory.
    Home,
    /// The directory of git's hooks.
    GitHooks,
}

/// The content of a file.
#[derive(Clone, Copy, Debug)]
pub(super) enum FileContent {
    /// A settings file that contains hooks among other settings.
    Hooks(Syntax, &'static [AgentEvent]),
    /// A file for a command that the user can give to the agent.
    Command(Form, &'static Command),
    /// A plugin that Skein writes.
    Plugin(&'static str),
    /// A hook of git.
    GitHook(&'static str),
}

/// The syntax of a settings file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Syntax {
    Json,
    /// Used only if the file already has hooks.
    Toml,
}

/// An event of an agent for which a hook is installed.
#[derive(Debug)]
pub(super) struct AgentEvent {
    /// The agent's name for it.
    pub(super) key: &'static str,
    /// Skein's name for it.
    pub(super) name: &'static str,
    /// The tools for which the hook is called.
    pub(super) matcher: Option<&'static str>,
    /// The agent stops the hook after this number of seconds.
    pub(super) timeout: u32,
}

/// The format of a command file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// A file of Claude Code, which can list tools that need no permission.
    Claude,
    /// A directory with `SKILL.md`.
    Skill,
    /// A file of OpenCode.
    OpenCode,
}

/// A command that the user can give to an agent.
#[derive(Debug)]
pub(super) struct Command {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    /// The arguments of the command.
    pub(super) takes: &'static str,
    pub(super) text: &'static str,
}

pub static AGENTS: &[Agent] = &[CLAUDE_CODE, CODEX, OPENCODE, GIT];

/// The hook that sets up new worktrees; it is installed and removed with the agents of the clone.
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

pub fn agent(name: &str) -> Option<&'static Agent> {
    AGENTS.iter().chain([&WORKTREES]).find(|agent| agent.name == name)
}

static COMMANDS: [Command; 3] = [
    Command {
        name: "checkpoint",
        about: "Saves a checkpoint of the work at hand with Skein, so that another session can continue it.",
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
        about: "Works on the review threads that wait on the agent, one after the other, with Skein.",
        takes: "[the thread to start with]",
        text: include_str!("text/review.md"),
    },
];

use BaseDir::{Home as UserHome, Top};
use Scope::{Local, Project, User};

const IN_REPOSITORY: &[Scope] = &[Local, Project];

const CLAUDE_CODE: Agent = Agent {
    name: "claude-code",
    title: "Claude Code",
    scopes: &[Local, Project, User],
    programs: &["claude"],
    folders: &[".claude"],
    home: Some(Home { variable: Some("CLAUDE_CONFIG_DIR"), in_config: false, name: ".claude" }),
    files: &[
        file(&[Local], Top, ".claude/settings.local.json", CLAUDE_HOOKS),
        file(&[Project], Top, ".claude/settings.json", CLAUDE_HOOKS),
        file(&[User], BaseDir::Agent, "settings.json", CLAUDE_HOOKS),
    ],
    commands: &[
        commands(IN_REPOSITORY, Top, ".claude/commands/NAME.md", Form::Claude),
        commands(&[User], BaseDir::Agent, "commands/NAME.md", Form::Claude),
    ],
    hint: None,
};

const CLAUDE_HOOKS: FileContent = FileContent::Hooks(Syntax::Json, CLAUDE_EVENTS);

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
        file(IN_REPOSITORY, Top, ".codex/hooks.json", CODEX_JSON),
        file(IN_REPOSITORY, Top, ".codex/config.toml", CODEX_TOML),
        file(&[User], BaseDir::Agent, "hooks.json", CODEX_JSON),
        file(&[User], BaseDir::Agent, "config.toml", CODEX_TOML),
    ],
    commands: &[
        commands(IN_REPOSITORY, Top, ".agents/skills/NAME/SKILL.md", Form::Skill),
        commands(&[User], UserHome, ".agents/skills/NAME/SKILL.md", Form::Skill),
    ],
    hint: Some(
        "Codex asks whether to trust the hooks when you open it; until then they do nothing. Its commands are `$checkpoint`, `$handoff` and `$review`",
    ),
};

const CODEX_JSON: FileContent = FileContent::Hooks(Syntax::Json, CODEX_EVENTS);
const CODEX_TOML: FileContent = FileContent::Hooks(Syntax::Toml, CODEX_EVENTS);

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
        file(IN_REPOSITORY, Top, ".opencode/plugins/skein.js", OPENCODE_PLUGIN),
        file(&[User], BaseDir::Agent, "plugins/skein.js", OPENCODE_PLUGIN),
    ],
    commands: &[
        commands(IN_REPOSITORY, Top, ".opencode/commands/NAME.md", Form::OpenCode),
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
        // Git runs this hook instead of `post-commit` if `git merge` or `git pull` makes a commit.
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

/// Returns whether an installation for this agent covers all worktrees of a clone.
pub(super) fn is_for_all_worktrees(name: &str) -> bool {
    AGENTS.iter().any(|agent| agent.name == name && agent.name != "git")
}
