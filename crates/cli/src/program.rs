//! Starts an editor, a pager, a browser, an agent, and the command of `watch --exec`.
//!
//! What runs is a [`ShellCommand`] of the user or an `AgentCommand`, and what is opened is an [`EditableFile`] or the address of a server
//! that was started here: no function takes a text that could be of others.

use std::convert::Infallible;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::str::FromStr;
use std::time::{Duration, Instant};

use skein_catalog::ThreadRef;
use skein_delivery::AgentCommand;
use skein_model::PromptText;
use skein_review::CodeFile;
use skein_workspace::env::DELIVERED_ROOT;
use skein_workspace::{EditorFile, search_path};

use crate::error::{CliError, CliResult};
use crate::machine::ProcessEnv;
use crate::servers::Serving;

/// A command that the user wrote, in an argument or a variable; a shell runs it.
#[derive(Clone, Debug)]
pub(crate) struct ShellCommand(String);

/// Only for arguments.
impl FromStr for ShellCommand {
    type Err = Infallible;

    fn from_str(argument: &str) -> Result<Self, Infallible> {
        Ok(Self(argument.to_owned()))
    }
}

impl ShellCommand {
    /// Returns the command in the first of some variables that is set and not blank.
    fn from_variables(machine: &ProcessEnv, names: &[&str]) -> Option<Self> {
        let values = names.iter().filter_map(|name| machine.variables.get(*name));
        let set = values.map(String::as_str).find(|value| !value.trim().is_empty());
        set.map(|value| Self(value.to_owned()))
    }
}

/// A file that an editor may open: a text of Skein's own, a thread file, or code that is inside of the workspace.
///
/// An editor follows links, and its command line takes the path as it is. It is absolute, so that it cannot be an option.
pub(crate) struct EditableFile<'a>(&'a Path);

impl<'a> From<&'a EditorFile> for EditableFile<'a> {
    fn from(file: &'a EditorFile) -> Self {
        Self(&file.path)
    }
}

impl<'a> From<&'a ThreadRef> for EditableFile<'a> {
    fn from(thread: &'a ThreadRef) -> Self {
        Self(&thread.path)
    }
}

impl<'a> From<&'a CodeFile> for EditableFile<'a> {
    fn from(file: &'a CodeFile) -> Self {
        Self(file.path())
    }
}

/// Opens a file in the user's editor and waits until it is closed.
///
/// The variable may contain arguments, as in `code --wait`: a shell splits it, as git does.
pub(crate) fn edit<'a>(
    machine: &ProcessEnv,
    editor: &ShellCommand,
    file: impl Into<EditableFile<'a>>,
    line: Option<u32>,
) -> CliResult {
    let EditableFile(path) = file.into();
    let reason = match shell(editor).args(at_line(editor, path, line)).status() {
        Ok(status) if status.success() => return Ok(()),
        Ok(status) => status.to_string(),
        Err(error) => error.to_string(),
    };
    let ShellCommand(editor) = editor;
    Err(CliError::new(
        format!("the editor `{editor}` failed: {reason}"),
        format!("set `EDITOR` to one that works{}", alternative(machine)),
    ))
}

/// Returns the alternative to an editor for the current command.
fn alternative(machine: &ProcessEnv) -> &'static str {
    let is = |command: &str| machine.args.iter().any(|arg| arg == command);
    match () {
        () if is("write") => ", or comment with `skein review add FILE:LINE -m TEXT`",
        () if is("open") => "",
        () => ", or use `-m TEXT`",
    }
}

/// Finds the user's editor.
pub(crate) fn editor(machine: &ProcessEnv) -> CliResult<ShellCommand> {
    match ShellCommand::from_variables(machine, &["SKEIN_EDITOR", "VISUAL", "EDITOR"]) {
        Some(editor) => Ok(editor),
        None if machine.stdin_is_terminal && machine.stdout_is_terminal => {
            Ok(ShellCommand("vi".to_owned()))
        }
        None => Err(CliError::new(
            "no editor is configured and stdin is not a terminal",
            format!("set `EDITOR`{}", alternative(machine)),
        )),
    }
}

/// Returns the arguments with which the editor opens a file at a line.
fn at_line(
    ShellCommand(editor): &ShellCommand,
    path: &Path,
    line: Option<u32>,
) -> Vec<std::ffi::OsString> {
    let plain = vec![path.as_os_str().to_owned()];
    let Some(line) = line else { return plain };
    let program = editor.split_whitespace().next().unwrap_or_default();
    let name = Path::new(program).file_stem().and_then(OsStr::to_str).unwrap_or_default();
    let with_line = || {
        let mut text = path.as_os_str().to_owned();
        text.push(format!(":{line}"));
        text
    };
    match name {
        "code" | "code-insiders" | "codium" | "cursor" | "windsurf" => {
            vec!["--goto".into(), with_line()]
        }
        "hx" | "helix" | "zed" | "subl" => vec![with_line()],
        "vi" | "vim" | "nvim" | "view" | "nano" | "emacs" | "emacsclient" | "micro" | "kak"
        | "joe" | "ne" | "jed" => {
            let mut args = plain;
            args.insert(0, format!("+{line}").into());
            args
        }
        _ => plain,
    }
}

/// Shows a text in the user's pager; false if there is none, or no terminal.
pub(crate) fn page(machine: &ProcessEnv, text: &str) -> bool {
    if !machine.stdout_is_terminal {
        return false;
    }
    let set = |name: &&str| machine.variables.get(*name).cloned();
    let pager = ["SKEIN_PAGER", "PAGER"].iter().find_map(set);
    // Without cursor control, `less` warns and asks for a key.
    let is_dumb = machine.variables.get("TERM").is_some_and(|term| term == "dumb");
    let default = || if is_dumb { String::new() } else { "less".to_owned() };
    let pager = pager.unwrap_or_else(default);
    if matches!(pager.trim(), "" | "cat") {
        return false;
    }
    let mut command = shell(&ShellCommand(pager));
    if !machine.variables.contains_key("LESS") {
        command.env("LESS", "FRX");
    }
    let Ok(mut child) = command.stdin(Stdio::piped()).spawn() else { return false };
    // The user may quit the pager before the end.
    let written = child.stdin.take().map(|mut input| input.write_all(text.as_bytes()));
    drop(written);
    // A shell that does not find the program exits with 127.
    child.wait().is_ok_and(|status| status.code() != Some(127))
}

/// Opens the page of a server in the user's browser, without waiting for it; false if there is no desktop.
pub(crate) fn browse(machine: &ProcessEnv, serving: &Serving) -> bool {
    let Some(browser) = browser(machine) else { return false };
    // `%s` is replaced by the address.
    let mut command = if browser.0.contains("%s") {
        shell_line(&ShellCommand(browser.0.replace("%s", "\"$1\"")))
    } else {
        shell(&browser)
    };
    command.arg(&serving.opening).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let Ok(mut child) = command.spawn() else { return false };
    // Waiting for it prevents a zombie process.
    std::thread::spawn(move || drop(child.wait()));
    true
}

/// How the command of `watch --exec` ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum CommandOutcome {
    Done,
    /// It failed, or could not be started.
    Failed(String),
    /// It exceeded the timeout and was stopped.
    Stopped,
}

/// Runs a shell command in a directory and waits until it ends, or until the timeout.
///
/// It gets `input` on its stdin and `text` in the variable `SKEIN_EVENT`. Its output goes to our stderr, because our stdout is
/// for data.
pub(crate) fn run_for_event(
    line: &ShellCommand,
    dir: &Path,
    input: Vec<u8>,
    text: &str,
    timeout: Duration,
) -> CommandOutcome {
    let mut command = shell_line(line);
    command.current_dir(dir).env("SKEIN_EVENT", text);
    command.stdin(Stdio::piped()).stdout(io::stderr());
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => return CommandOutcome::Failed(error.to_string()),
    };
    // A command may read only a part of its input.
    let writing = child.stdin.take();
    std::thread::spawn(move || writing.map(|mut stdin| drop(stdin.write_all(&input))));
    let deadline = Instant::now() + timeout;
    let mut nap = Duration::from_millis(1);
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return CommandOutcome::Done,
            Ok(Some(status)) => return CommandOutcome::Failed(status.to_string()),
            Err(error) => return CommandOutcome::Failed(error.to_string()),
            Ok(None) if Instant::now() >= deadline => break,
            Ok(None) => {}
        }
        std::thread::sleep(nap);
        nap = (nap * 2).min(Duration::from_millis(50));
    }
    // The command may have ended since.
    drop(child.kill().and_then(|()| child.wait()));
    CommandOutcome::Stopped
}

/// Starts an agent in the directory of its session, with a prompt about threads of `root` on its standard input. Its output goes to a file.
pub(crate) fn start_agent(
    agent: &AgentCommand,
    root: &Path,
    prompt: &PromptText,
    log: &Path,
) -> io::Result<Child> {
    let log = File::create_new(log)?;
    let mut command = user_program(agent.program());
    command
        .args(agent.args())
        .current_dir(agent.dir())
        .env(DELIVERED_ROOT, root)
        .stdin(Stdio::piped());
    // Claude Code then replaces no mention of a file by its content.
    command.env("CLAUDE_CODE_DISABLE_ATTACHMENTS", "1");
    // Otherwise the agent would answer in the name of the reviewer.
    command.env_remove("SKEIN_AUTHOR").stdout(log.try_clone()?).stderr(log);
    let mut child = command.spawn()?;
    let (input, prompt) = (child.stdin.take(), prompt.to_string());
    // An agent that ends early does not read all of it.
    std::thread::spawn(move || input.map(|mut input| drop(input.write_all(prompt.as_bytes()))));
    Ok(child)
}

/// Finds the program that opens an address.
fn browser(machine: &ProcessEnv) -> Option<ShellCommand> {
    let is_set = |name: &str| ShellCommand::from_variables(machine, &[name]).is_some();
    if let Some(ShellCommand(list)) = ShellCommand::from_variables(machine, &["BROWSER"]) {
        let first = list.split(':').find(|one| !one.trim().is_empty())?;
        return Some(ShellCommand(first.to_owned()));
    }
    if is_set("SSH_CONNECTION") {
        return None;
    }
    if cfg!(target_os = "macos") {
        return Some(ShellCommand("open".to_owned()));
    }
    let has_desktop = is_set("DISPLAY") || is_set("WAYLAND_DISPLAY");
    has_desktop.then(|| ShellCommand("xdg-open".to_owned()))
}

fn shell(ShellCommand(program): &ShellCommand) -> Command {
    shell_line(&ShellCommand(format!("{program} \"$@\"")))
}

/// Returns a command that a shell runs; arguments can be added.
fn shell_line(ShellCommand(line): &ShellCommand) -> Command {
    let mut command = user_program("sh");
    command.arg("-c").arg(line).arg("sh");
    command
}

/// Starts a process of Skein that finishes what hooks left in the worktree of a directory, and does not wait for it.
///
/// It is in a process group of its own and holds no stream of this process: an agent that ends its hooks, or waits until their streams
/// are closed, neither ends it nor waits for it. If it cannot be started, the next call tries again.
pub(crate) fn finish_in_background(machine: &ProcessEnv, dir: &Path) {
    let Some(program) = &machine.program else { return };
    #[expect(clippy::disallowed_methods, reason = "the program itself, by its own path")]
    let mut command = Command::new(program);
    command.arg("-C").arg(dir).args(["hook", "skein", "finish"]).process_group(0);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if let Ok(mut child) = command.spawn() {
        // A command that runs for long, such as `serve`, leaves no zombie.
        std::thread::spawn(move || child.wait());
    }
}

#[expect(clippy::disallowed_methods, reason = "the only place that starts programs of the user")]
fn user_program(program: &str) -> Command {
    let mut command = Command::new(program);
    if let Some(path) = search_path() {
        command.env("PATH", path);
    }
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(editor: &str, expected: &[&str]) {
        let editor = editor.parse().unwrap();
        let args = at_line(&editor, Path::new("a.rs"), Some(7));
        let args: Vec<&str> = args.iter().filter_map(|arg| arg.to_str()).collect();
        assert_eq!(args, expected, "{editor:?}");
    }

    #[test]
    fn each_editor_opens_a_file_at_a_line() {
        check("/usr/bin/nvim -u NONE", &["+7", "a.rs"]);
        check("code --wait", &["--goto", "a.rs:7"]);
        check("hx", &["a.rs:7"]);
        check("unheard-of", &["a.rs"]);
    }

    fn run_it(line: &str, timeout: Duration) -> CommandOutcome {
        let input = vec![b'x'; 1_000_000];
        run_for_event(&line.parse().unwrap(), Path::new("/"), input, "an event", timeout)
    }

    #[test]
    fn a_command_gets_the_event_and_its_exit_is_reported() {
        let long = Duration::from_secs(60);
        assert_eq!(run_it("test $(wc -c) -eq 1000000", long), CommandOutcome::Done);
        assert_eq!(
            run_it("test \"$SKEIN_EVENT\" = 'an event' -a $PWD = /", long),
            CommandOutcome::Done
        );
        assert_eq!(run_it("exit 3", long), CommandOutcome::Failed("exit status: 3".to_owned()));
        assert_eq!(
            run_it("kill -9 $$", long),
            CommandOutcome::Failed("signal: 9 (SIGKILL)".to_owned())
        );
    }

    #[test]
    fn a_command_that_hangs_is_stopped() {
        assert_eq!(run_it("exec sleep 3600", Duration::from_millis(20)), CommandOutcome::Stopped);
    }
}
