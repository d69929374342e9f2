//! The command with which hooks call Skein.

use std::path::PathBuf;

use super::agent::{Agent, Scope};

/// The programs that were found on this machine.
pub struct DetectedPrograms<'a> {
    /// Returns whether a program is on the search path.
    pub has: &'a dyn Fn(&str) -> bool,
    /// The path of the running program.
    pub program: Option<PathBuf>,
}

impl std::fmt::Debug for DetectedPrograms<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DetectedPrograms").field("program", &self.program).finish_non_exhaustive()
    }
}

impl DetectedPrograms<'_> {
    /// Returns the command with which hooks call Skein.
    ///
    /// A committed file is also used on other machines, where the path of the running program is wrong.
    pub(super) fn program(&self, scope: Scope) -> HookProgram {
        match &self.program {
            Some(path) if scope != Scope::Project && !self.is_on_path() => {
                HookProgram::At(path.clone())
            }
            _ => HookProgram::OnPath,
        }
    }

    /// Returns the program for an agent. Editors are started from a desktop with another search path than a shell has, so that an entry for
    /// a server has the whole path.
    pub(super) fn program_for(&self, agent: &Agent, scope: Scope) -> HookProgram {
        match &self.program {
            Some(path) if agent.is_server() && scope != Scope::Project => {
                HookProgram::At(path.clone())
            }
            _ => self.program(scope),
        }
    }

    pub(super) fn is_on_path(&self) -> bool {
        (self.has)("skein")
    }
}

/// The program that a hook calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum HookProgram {
    OnPath,
    At(PathBuf),
}

impl HookProgram {
    /// Returns the program as a word of a shell command; a path is quoted.
    pub(super) fn word(&self) -> String {
        match self {
            Self::OnPath => "skein".to_owned(),
            Self::At(path) => {
                format!("'{}'", path.display().to_string().replace('\'', "'\\''"))
            }
        }
    }

    /// Returns the program without quotes.
    pub(super) fn path(&self) -> String {
        match self {
            Self::OnPath => "skein".to_owned(),
            Self::At(path) => path.display().to_string(),
        }
    }

    /// Returns the program as a string literal of JavaScript.
    pub(super) fn quoted(&self) -> String {
        serde_json::Value::from(self.path()).to_string()
    }

    /// Returns a command line that reports an event to Skein, and does nothing if Skein is not installed.
    ///
    /// It always succeeds, and works in `sh`, `bash`, `zsh` and `fish`. Cursor appends the input as a here-document, which would be the
    /// input of the last command only, and does not use `fish`.
    pub(super) fn hook(&self, agent: &str, event: &str) -> String {
        let word = self.word();
        if agent == "cursor" {
            return format!(
                "{{ command -v {word} >/dev/null 2>&1 || exit 0; {word} hook {agent} {event} || exit 0; }}"
            );
        }
        format!("command -v {word} >/dev/null 2>&1 && {word} hook {agent} {event} || exit 0")
    }
}

/// Returns whether a command line was installed by any version of Skein.
///
/// All others belong to the user, even if they call Skein.
pub(super) fn is_ours(command: &str, agent: &str) -> bool {
    let guarded = [
        ("command -v ", " >/dev/null 2>&1 && ", " || exit 0"),
        ("{ command -v ", " >/dev/null 2>&1 || exit 0; ", " || exit 0; }"),
    ];
    let guarded = guarded.iter().find_map(|(start, middle, end)| {
        let (word, call) = command.strip_prefix(start)?.split_once(middle)?;
        let call = call.strip_prefix(word)?.strip_suffix(end)?;
        (word == "skein" || is_quoted_path(word)).then_some(call)
    });
    let call = guarded.or_else(|| {
        let (word, _) = command.split_once(" hook ")?;
        is_plain_name(word).then(|| command.strip_prefix(word)).flatten()
    });
    let event = call.and_then(|call| call.strip_prefix(&format!(" hook {agent} ")));
    let is_letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    event.is_some_and(|event| !event.is_empty() && event.chars().all(is_letter))
}

/// Returns whether a word is an absolute path, quoted as in [`HookProgram::word`].
fn is_quoted_path(word: &str) -> bool {
    let inside = word.strip_prefix('\'').and_then(|word| word.strip_suffix('\''));
    inside.is_some_and(|path| path.starts_with('/') && !path.replace("'\\''", "").contains('\''))
}

/// Returns whether a word is the program's name, with or without a path that needs no quotes.
fn is_plain_name(word: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+@~".contains(c);
    word.chars().all(is_plain) && word.rsplit('/').next() == Some("skein")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hook_is_recognised_by_its_command() {
        let at = HookProgram::At(PathBuf::from("/opt/it's/tool"));
        assert_eq!(at.word(), "'/opt/it'\\''s/tool'");
        assert_eq!(at.quoted(), "\"/opt/it's/tool\"");
        for program in [HookProgram::OnPath, at] {
            for agent in ["codex", "cursor"] {
                assert!(is_ours(&program.hook(agent, "stop"), agent));
                assert!(!is_ours(&program.hook(agent, "stop"), "claude-code"));
            }
        }
        for ours in ["skein hook codex stop", "/opt/bin/skein hook codex stop"] {
            assert!(is_ours(ours, "codex"), "{ours}");
        }
    }

    #[test]
    fn a_command_of_others_is_not_mistaken_for_ours() {
        let ours = HookProgram::OnPath.hook("codex", "stop");
        for command in [
            "echo hook codex stop",
            "echo skein hook codex stop",
            "othertool hook codex stop",
            "/opt/skein/othertool hook codex stop",
            "skein hook codex stop; ~/bin/cleanup --all",
            "skein hook codex stop | tee log",
            "skein hook codex ",
            "skein hook codex stop now",
            "cd /a && skein hook codex stop",
            "command -v othertool && othertool hook codex stop",
            "command -v othertool >/dev/null 2>&1 && othertool hook codex stop || exit 0",
            "command -v skein >/dev/null 2>&1 && other hook codex stop || exit 0",
            "command -v skein >/dev/null 2>&1 && skein hook codex stop && mine || exit 0",
            "command -v 'a/b' >/dev/null 2>&1 && 'a/b' hook codex stop || exit 0",
            "command -v '/a' '/b' >/dev/null 2>&1 && '/a' '/b' hook codex stop || exit 0",
            "{ command -v skein >/dev/null 2>&1 || exit 0; skein hook codex stop; mine || exit 0; }",
            &format!("{ours}; mine"),
            &format!("mine; {ours}"),
        ] {
            assert!(!is_ours(command, "codex"), "{command}");
        }
    }
}
