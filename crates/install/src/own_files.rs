//! Files that Skein owns: their content and their checksum.

use std::path::Path;

use skein_store::Revision;
use toml_edit::{DocumentMut, value};

use super::agent::{Agent, FileContent, Form};
use super::agent_commands::Command;
use super::program::HookProgram;

/// The start of the mark in each file of ours. A checksum of the rest of the file and a closing parenthesis follow.
const MARK: &str = "Written by `skein install` (";
const DIGITS: usize = 12;

/// The owner of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ownership {
    /// Another program or the user.
    Foreign,
    /// Skein; the file is unchanged.
    Ours,
    /// Skein; the file was changed.
    Changed,
}

/// Returns the content of a file that Skein owns; `None` for files that Skein only edits.
pub(super) fn text(agent: &Agent, content: &FileContent, program: &HookProgram) -> Option<String> {
    let mark = format!("{MARK}). `skein uninstall {}` removes it.", agent.name);
    let text = match content {
        FileContent::Settings(_) => return None,
        FileContent::Command(form, command) => command_text(*form, command, &mark),
        FileContent::Plugin(text) => {
            text.replace("PROGRAM", &program.quoted()).replace("MARK", &mark)
        }
        FileContent::GitHook(text) => {
            text.replace("PROGRAM", &program.word()).replace("MARK", &mark)
        }
    };
    Some(text.replacen(MARK, &format!("{MARK}{}", checksum(&text)), 1))
}

/// Returns the owner of a file, by its mark and its checksum.
pub(super) fn owner(bytes: &[u8]) -> Ownership {
    let text = String::from_utf8_lossy(bytes);
    let Some((before, rest)) = text.split_once(MARK) else { return Ownership::Foreign };
    let Some((digits, after)) = rest.split_once(')') else { return Ownership::Foreign };
    match checksum(&format!("{before}{MARK}){after}")) == digits {
        true => Ownership::Ours,
        false => Ownership::Changed,
    }
}

/// Returns a checksum that does not depend on line endings, because git may change them in a committed file.
fn checksum(text: &str) -> String {
    let hash = Revision::from_bytes(text.replace("\r\n", "\n").as_bytes()).to_string();
    hash.chars().take(DIGITS).collect()
}

fn command_text(form: Form, command: &Command, mark: &str) -> String {
    const ADDED: &str = "\nWhat the user added to the command: $ARGUMENTS\n";
    let Command { name, about, takes, runs, text } = command;
    let (head, added) = match form {
        Form::Claude => {
            let rules: Vec<String> =
                runs.iter().map(|words| format!("Bash(skein {words}:*)")).collect();
            let rules = rules.join(", ");
            (
                format!(
                    "description: {about}\nargument-hint: \"{takes}\"\nallowed-tools: {rules}\n"
                ),
                ADDED,
            )
        }
        Form::Skill => (format!("name: {name}\ndescription: {about}\n"), ""),
        Form::OpenCode => (format!("description: {about}\n"), ADDED),
        Form::Gemini => return gemini_text(command, mark),
        Form::Cursor => return format!("<!-- {mark} -->\n\n{text}"),
    };
    format!("---\n{head}---\n<!-- {mark} -->\n\n{text}{added}")
}

fn gemini_text(command: &Command, mark: &str) -> String {
    let Command { about, text, .. } = command;
    let prompt = format!("{text}\nWhat the user added to the command: {{{{args}}}}\n");
    let mut document = DocumentMut::new();
    document.insert("description", value(*about));
    document.insert("prompt", value(prompt));
    format!("# {mark}\n\n{document}")
}

/// Returns whether a file may have a part of ours; others may be invalid.
pub(super) fn may_name_skein(path: &Path) -> bool {
    const NAME: &[u8] = b"skein";
    let file = skein_store::read(path);
    // One that is missing or cannot be read is reported elsewhere.
    file.is_err() || file.is_ok_and(|file| file.bytes.windows(NAME.len()).any(|part| part == NAME))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::AGENTS;

    #[test]
    fn every_installed_file_is_recognised_until_it_is_changed() {
        let program = HookProgram::OnPath;
        for agent in AGENTS {
            for file in agent.files() {
                let Some(text) = text(agent, &file.content, &program) else { continue };
                assert_eq!(owner(text.as_bytes()), Ownership::Ours, "{text}");
                assert_eq!(owner(text.replace('\n', "\r\n").as_bytes()), Ownership::Ours);
                assert_eq!(owner(format!("{text}mine\n").as_bytes()), Ownership::Changed);
                assert!(!text.contains("MARK") && !text.contains("PROGRAM"), "{text}");
            }
        }
        assert_eq!(owner(b"# mine"), Ownership::Foreign);
        assert_eq!(owner(b"\xff Written by `skein install` ("), Ownership::Foreign);
    }

    #[test]
    fn a_handoff_command_names_the_open_steps() {
        let is_handoff = |content: &FileContent| matches!(content, FileContent::Command(_, command) if command.name == "handoff");
        let files = AGENTS.iter().flat_map(|agent| agent.files().map(move |file| (agent, file)));
        let texts: Vec<String> = files
            .filter(|(_, file)| is_handoff(&file.content))
            .filter_map(|(agent, file)| text(agent, &file.content, &HookProgram::OnPath))
            .collect();
        assert_eq!(texts.len(), 10);
        assert!(texts.iter().all(|text| text.contains("--step \"FIRST STEP\"")), "{texts:?}");
    }

    #[test]
    fn a_file_of_an_earlier_version_is_ours_and_is_replaced() {
        use crate::task::PlannedFile;
        use crate::write::EditOutcome;
        let earlier_text = "What an earlier version said.\n";
        let old = Command {
            name: "handoff",
            about: "It hands over.",
            takes: "",
            runs: &[],
            text: earlier_text,
        };
        let agent = &AGENTS[0];
        let mark = format!("{MARK}). `skein uninstall {}` removes it.", agent.name);
        let earlier = command_text(Form::Claude, &old, &mark);
        let earlier = earlier.replacen(MARK, &format!("{MARK}{}", checksum(&earlier)), 1);
        let file = agent.files().find(|file| file.path.ends_with("handoff.md")).unwrap();
        let current = text(agent, &file.content, &HookProgram::OnPath).unwrap().into_bytes();
        let task =
            PlannedFile { agent, scope: crate::Scope::Local, path: "handoff.md".into(), file };
        let outcome = task.edit(&HookProgram::OnPath)(Some(earlier.as_bytes())).unwrap();
        assert_eq!(outcome, EditOutcome::Write(current));
    }
}
