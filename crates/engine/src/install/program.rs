//! How settings of other programs call Skein.

use std::path::PathBuf;

/// The program, as a hook calls it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Program {
    /// By its name.
    OnPath,
    /// By the path of the file.
    At(PathBuf),
}

impl Program {
    /// Returns the program as a word of shell.
    pub(super) fn word(&self) -> String {
        match self {
            Self::OnPath => "skein".to_owned(),
            Self::At(path) => {
                format!("'{}'", path.display().to_string().replace('\'', "'\\''"))
            }
        }
    }

    /// Returns the program as a string of JavaScript.
    pub(super) fn quoted(&self) -> String {
        let text = match self {
            Self::OnPath => "skein".to_owned(),
            Self::At(path) => path.display().to_string(),
        };
        serde_json::Value::from(text).to_string()
    }

    /// Returns a command line that tells Skein of an event, and does nothing where Skein is gone.
    ///
    /// It always succeeds, and it means the same to `sh`, `bash`, `zsh` and `fish`.
    pub(super) fn hook(&self, agent: &str, event: &str) -> String {
        let word = self.word();
        format!("command -v {word} >/dev/null 2>&1 && {word} hook {agent} {event} || exit 0")
    }
}

/// Returns whether a command line is one that Skein was installed with, in any version.
pub(super) fn is_ours(command: &str, agent: &str) -> bool {
    command.contains(&format!(" hook {agent} "))
        && (command.contains("skein") || command.starts_with("command -v "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hook_is_known_by_its_command() {
        let at = Program::At(PathBuf::from("/opt/it's/tool"));
        assert_eq!(at.word(), "'/opt/it'\\''s/tool'");
        assert_eq!(at.quoted(), "\"/opt/it's/tool\"");
        for program in [Program::OnPath, at] {
            assert!(is_ours(&program.hook("codex", "stop"), "codex"));
            assert!(!is_ours(&program.hook("codex", "stop"), "claude-code"));
        }
        assert!(is_ours("skein hook codex stop", "codex"));
        assert!(!is_ours("echo hook codex stop", "codex"));
    }
}
