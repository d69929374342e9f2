//! The agents and editors that can start the MCP server, and where each has its entry.

use super::agent::BaseDir::{self, Home as UserHome, Top};
use super::agent::Scope::{Local, Project, User};
use super::agent::{
    Agent, EntryForm, FileContent, Home, IN_REPOSITORY, RootArgument, ServerFormat, SettingsPart,
    Syntax, file,
};

/// The entries of the MCP server. Their names are how they are given on the command line.
pub static SERVERS: &[Agent] = &[CLAUDE_CODE, CODEX, OPENCODE, CURSOR, VSCODE, ZED, GEMINI_CLI];

const RESTART: Option<&str> = Some("The client reads its settings when it starts");

const CLAUDE_CODE: Agent = Agent {
    name: "claude-code --mcp",
    title: "Claude Code (tools)",
    scopes: &[Local, Project],
    programs: &["claude"],
    folders: &[".claude"],
    home: None,
    files: &[file(IN_REPOSITORY, Top, ".mcp.json", server(&MCP_SERVERS))],
    commands: &[],
    hint: Some("Claude Code asks whether to use the servers of `.mcp.json` when you start it"),
};

const CODEX: Agent = Agent {
    name: "codex --mcp",
    title: "Codex (tools)",
    scopes: &[Local, Project, User],
    programs: &["codex"],
    folders: &[".codex"],
    home: Some(Home { variable: Some("CODEX_HOME"), in_config: false, name: ".codex" }),
    files: &[
        file(IN_REPOSITORY, Top, ".codex/config.toml", server(&CODEX_SERVERS)),
        file(&[User], BaseDir::Agent, "config.toml", server(&CODEX_SERVERS)),
    ],
    commands: &[],
    hint: Some("Codex reads the settings of a repository only if you trust it"),
};

const OPENCODE: Agent = Agent {
    name: "opencode --mcp",
    title: "OpenCode (tools)",
    scopes: &[Local, Project, User],
    programs: &["opencode"],
    folders: &[".opencode"],
    home: Some(Home { variable: None, in_config: true, name: "opencode" }),
    files: &[
        file(IN_REPOSITORY, Top, ".opencode/opencode.json", server(&OPENCODE_SERVERS)),
        file(&[User], BaseDir::Agent, "opencode.json", server(&OPENCODE_SERVERS)),
    ],
    commands: &[],
    hint: RESTART,
};

const CURSOR: Agent = Agent {
    name: "cursor --mcp",
    title: "Cursor (tools)",
    scopes: IN_REPOSITORY,
    programs: &["cursor", "cursor-agent"],
    folders: &[".cursor"],
    home: None,
    files: &[file(IN_REPOSITORY, Top, ".cursor/mcp.json", server(&CURSOR_SERVERS))],
    commands: &[],
    hint: RESTART,
};

const VSCODE: Agent = Agent {
    name: "vscode --mcp",
    title: "VS Code (tools)",
    scopes: IN_REPOSITORY,
    programs: &["code", "codium"],
    folders: &[".vscode"],
    home: None,
    files: &[file(IN_REPOSITORY, Top, ".vscode/mcp.json", server(&VSCODE_SERVERS))],
    commands: &[],
    hint: RESTART,
};

// Zed starts a server neither in the directory of the project nor tells it which one that is.
const ZED: Agent = Agent {
    name: "zed --mcp",
    title: "Zed (tools)",
    scopes: &[Local],
    programs: &["zed", "zeditor"],
    folders: &[".zed"],
    home: None,
    files: &[file(&[Local], Top, ".zed/settings.json", server(&ZED_SERVERS))],
    commands: &[],
    hint: RESTART,
};

const GEMINI_CLI: Agent = Agent {
    name: "gemini-cli --mcp",
    title: "Gemini CLI (tools)",
    scopes: &[Local, Project, User],
    programs: &["gemini"],
    folders: &[".gemini"],
    home: None,
    files: &[
        file(IN_REPOSITORY, Top, ".gemini/settings.json", server(&MCP_SERVERS)),
        file(&[User], UserHome, ".gemini/settings.json", server(&MCP_SERVERS)),
    ],
    commands: &[],
    hint: RESTART,
};

const fn server(format: &'static ServerFormat) -> FileContent {
    FileContent::Settings(SettingsPart::Server(format))
}

const fn json(keys: &'static [&'static str], form: EntryForm, root: RootArgument) -> ServerFormat {
    ServerFormat { syntax: Syntax::Json, keys, form, root }
}

static MCP_SERVERS: ServerFormat =
    json(&["mcpServers", "skein"], EntryForm::Plain, RootArgument::None);
static CODEX_SERVERS: ServerFormat = ServerFormat {
    syntax: Syntax::Toml,
    keys: &["mcp_servers", "skein"],
    form: EntryForm::Plain,
    root: RootArgument::None,
};
static OPENCODE_SERVERS: ServerFormat =
    json(&["mcp", "skein"], EntryForm::List, RootArgument::None);
static CURSOR_SERVERS: ServerFormat =
    json(&["mcpServers", "skein"], EntryForm::Plain, RootArgument::Variable);
static VSCODE_SERVERS: ServerFormat =
    json(&["servers", "skein"], EntryForm::Stdio, RootArgument::Variable);
static ZED_SERVERS: ServerFormat =
    json(&["context_servers", "skein"], EntryForm::Plain, RootArgument::Path);
