//! The files that Skein writes for each agent.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::agent_commands::{COMMANDS, Command};

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

/// The end of the names under which the MCP server is installed for an agent.
pub(super) const SERVER_SUFFIX: &str = " --mcp";

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
    /// Returns whether it is the MCP server of an agent, and not its hooks.
    pub(super) fn is_server(&self) -> bool {
        self.name.ends_with(SERVER_SUFFIX)
    }

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
    /// A settings file that contains a part of ours among other settings.
    Settings(SettingsPart),
    /// A file for a command that the user can give to the agent.
    Command(Form, &'static Command),
    /// A plugin that Skein writes.
    Plugin(&'static str),
    /// A hook of git.
    GitHook(&'static str),
}

/// The part of a settings file that Skein writes.
#[derive(Clone, Copy, Debug)]
pub(super) enum SettingsPart {
    Hooks(HookFormat, &'static [AgentEvent]),
    /// The entry that starts `skein mcp`.
    Server(&'static ServerFormat),
}

/// Where the entry is, and what it looks like.
#[derive(Debug)]
pub(super) struct ServerFormat {
    pub(super) syntax: Syntax,
    /// The keys that lead to the entry.
    pub(super) keys: &'static [&'static str],
    pub(super) form: EntryForm,
    pub(super) root: RootArgument,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EntryForm {
    /// `command` and `args`.
    Plain,
    /// The same, with a `type`.
    Stdio,
    /// One list `command`, as OpenCode has it.
    List,
}

/// How the server learns which directory it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RootArgument {
    /// It is started there.
    None,
    /// The client replaces a variable.
    Variable,
    /// The entry has the path.
    Path,
}

/// The syntax of a settings file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Syntax {
    Json,
    Toml,
}

/// What the hooks in a settings file look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HookFormat {
    /// JSON: each event has a list of groups, and each group a list of hooks.
    Groups,
    /// JSON: each event has a list of hooks, and the file has a version.
    List,
    /// The same groups in TOML, used only if the file already has hooks.
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
    /// The agent stops the hook after this time, in the agent's unit.
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
    /// A file of Gemini CLI, in TOML.
    Gemini,
    /// A file of Cursor, which is sent as it is.
    Cursor,
}

pub static AGENTS: &[Agent] = &[CLAUDE_CODE, CODEX, OPENCODE, GEMINI_CLI, CURSOR, GIT];

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

use BaseDir::{Home as UserHome, Top};
use Scope::{Local, Project, User};

pub(super) const IN_REPOSITORY: &[Scope] = &[Local, Project];

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

const CLAUDE_HOOKS: FileContent = hooks(HookFormat::Groups, CLAUDE_EVENTS);

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

const CODEX_JSON: FileContent = hooks(HookFormat::Groups, CODEX_EVENTS);
const CODEX_TOML: FileContent = hooks(HookFormat::Toml, CODEX_EVENTS);

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

const GEMINI_CLI: Agent = Agent {
    name: "gemini-cli",
    title: "Gemini CLI",
    scopes: &[Local, Project, User],
    programs: &["gemini"],
    folders: &[".gemini"],
    home: None,
    files: &[
        file(IN_REPOSITORY, Top, ".gemini/settings.json", GEMINI_HOOKS),
        file(&[User], UserHome, ".gemini/settings.json", GEMINI_HOOKS),
    ],
    commands: &[
        commands(IN_REPOSITORY, Top, ".gemini/commands/NAME.toml", Form::Gemini),
        commands(&[User], UserHome, ".gemini/commands/NAME.toml", Form::Gemini),
    ],
    hint: Some(
        "Gemini CLI runs the hooks of a repository if you trust the directory, and only if it is started in that directory itself",
    ),
};

const GEMINI_HOOKS: FileContent = hooks(HookFormat::Groups, GEMINI_EVENTS);

const GEMINI_EVENTS: &[AgentEvent] = &[
    gemini_event("SessionStart", "session-start", None),
    gemini_event("BeforeAgent", "user-prompt-submit", None),
    gemini_event(
        "AfterTool",
        "post-tool-use",
        Some("^(run_shell_command|write_file|replace|invoke_agent)$"),
    ),
    // An automatic one is announced before each request to the model, also if nothing is compressed.
    gemini_event("PreCompress", "pre-compact", Some("manual")),
    gemini_event("AfterAgent", "stop", None),
    gemini_event("SessionEnd", "session-end", None),
];

const CURSOR: Agent = Agent {
    name: "cursor",
    title: "Cursor",
    scopes: &[Local, Project, User],
    programs: &["cursor", "cursor-agent"],
    folders: &[".cursor"],
    home: None,
    files: &[
        file(IN_REPOSITORY, Top, ".cursor/hooks.json", CURSOR_HOOKS),
        file(&[User], UserHome, ".cursor/hooks.json", CURSOR_HOOKS),
    ],
    commands: &[
        commands(IN_REPOSITORY, Top, ".cursor/commands/NAME.md", Form::Cursor),
        commands(&[User], UserHome, ".cursor/commands/NAME.md", Form::Cursor),
    ],
    hint: Some("Cursor runs the hooks of a repository only if you trust its directory"),
};

const CURSOR_HOOKS: FileContent = hooks(HookFormat::List, CURSOR_EVENTS);

// Cursor ignores the whole file if it does not know one of the events.
const CURSOR_EVENTS: &[AgentEvent] = &[
    event("sessionStart", "session-start", None),
    event("beforeSubmitPrompt", "user-prompt-submit", None),
    event("afterFileEdit", "post-tool-use", None),
    event("afterShellExecution", "post-tool-use", None),
    event("preCompact", "pre-compact", None),
    event("subagentStop", "subagent-stop", None),
    event("stop", "stop", None),
    event("sessionEnd", "session-end", None),
];

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

const fn hooks(format: HookFormat, events: &'static [AgentEvent]) -> FileContent {
    FileContent::Settings(SettingsPart::Hooks(format, events))
}

const fn event(key: &'static str, name: &'static str, matcher: Option<&'static str>) -> AgentEvent {
    AgentEvent { key, name, matcher, timeout: 10 }
}

/// An event with a timeout in milliseconds.
const fn gemini_event(
    key: &'static str,
    name: &'static str,
    matcher: Option<&'static str>,
) -> AgentEvent {
    AgentEvent { key, name, matcher, timeout: 10_000 }
}

pub(super) const fn file(
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
