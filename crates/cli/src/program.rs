//! Starts an editor, a pager, a browser, an agent, and the command of `watch --exec`.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use skein_model::PromptText;
use skein_workspace::env::DELIVERED_ROOT;
use skein_workspace::search_path;

use crate::error::{CliError, CliResult};
use crate::machine::ProcessEnv;

/// Opens a file in the user's editor and waits until it is closed.
///
/// The variable may contain arguments, as in `code --wait`: a shell splits it, as git does.
pub(crate) fn edit(
    machine: &ProcessEnv,
    editor: &str,
    path: &Path,
    line: Option<u32>,
) -> CliResult {
    let reason = match shell(editor).args(at_line(editor, path, line)).status() {
        Ok(status) if status.success() => return Ok(()),
        Ok(status) => status.to_string(),
        Err(error) => error.to_string(),
    };
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
pub(crate) fn editor(machine: &ProcessEnv) -> CliResult<String> {
    let set = |name: &&str| machine.variables.get(*name).filter(|value| !value.trim().is_empty());
    let found = ["SKEIN_EDITOR", "VISUAL", "EDITOR"].iter().find_map(|name| set(name).cloned());
    match found {
        Some(editor) => Ok(editor),
        None if machine.stdin_is_terminal && machine.stdout_is_terminal => Ok("vi".to_owned()),
        None => Err(CliError::new(
            "no editor is configured and stdin is not a terminal",
            format!("set `EDITOR`{}", alternative(machine)),
        )),
    }
}

/// Returns the arguments with which the editor opens a file at a line.
fn at_line(editor: &str, path: &Path, line: Option<u32>) -> Vec<std::ffi::OsString> {
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
    let mut command = shell(&pager);
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

/// Opens an address in the user's browser, without waiting for it; false if there is no desktop.
pub(crate) fn browse(machine: &ProcessEnv, address: &str) -> bool {
    let Some(browser) = browser(machine) else { return false };
    // `%s` is replaced by the address.
    let mut command = match browser.contains("%s") {
        true => shell_line(&browser.replace("%s", "\"$1\"")),
        false => shell(&browser),
    };
    command.arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
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
    line: &str,
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

/// Starts an agent in a directory, with a prompt about threads of `root` on its standard input. Its output goes to a file.
pub(crate) fn start_agent(
    (program, args): (&str, &[String]),
    (dir, root): (&Path, &Path),
    prompt: &PromptText,
    log: &Path,
) -> io::Result<Child> {
    let log = File::create_new(log)?;
    let mut command = user_program(program);
    command.args(args).current_dir(dir).env(DELIVERED_ROOT, root).stdin(Stdio::piped());
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
fn browser(machine: &ProcessEnv) -> Option<String> {
    let set = |name: &str| machine.variables.get(name).filter(|value| !value.trim().is_empty());
    if let Some(list) = set("BROWSER") {
        return list.split(':').find(|one| !one.trim().is_empty()).map(str::to_owned);
    }
    if set("SSH_CONNECTION").is_some() {
        return None;
    }
    if cfg!(target_os = "macos") {
        return Some("open".to_owned());
    }
    set("DISPLAY").or_else(|| set("WAYLAND_DISPLAY")).map(|_| "xdg-open".to_owned())
}

fn shell(program: &str) -> Command {
    shell_line(&format!("{program} \"$@\""))
}

/// Returns a command that a shell runs; arguments can be added.
fn shell_line(line: &str) -> Command {
    let mut command = user_program("sh");
    command.arg("-c").arg(line).arg("sh");
    command
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
        let args = at_line(editor, Path::new("a.rs"), Some(7));
        let args: Vec<&str> = args.iter().filter_map(|arg| arg.to_str()).collect();
        assert_eq!(args, expected, "{editor}");
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
        run_for_event(line, Path::new("/"), input, "an event", timeout)
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
