//! The input of a hook, in the formats of all agents.

use skein_format::json::{self, Dialect, JsonKind, Reader, SyntaxError};
use skein_format::span::Span;

use super::outcome;
use super::shell::script_of;

/// Maximum size of the input: agents send less, and a hook has little time.
pub(super) const MAX_BYTES: usize = 8 * 1024 * 1024;

/// Maximum length of a text.
const MAX_TEXT_LEN: usize = 64 * 1024;

/// The conversation that started a worker of Cursor, which has one of its own.
const PARENT: &str = "parent_conversation_id";

/// The keys of the session id, by priority.
const SESSION: &[&str] = &[
    PARENT,
    "session_id",
    "sessionId",
    "sessionID",
    "conversation_id",
    "conversationId",
    "thread_id",
    "threadId",
    "thread-id",
];

/// The input for one event; every field may be missing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Payload {
    /// The session id of the agent.
    pub(super) session: Option<String>,
    /// The path of the transcript.
    pub(super) transcript: Option<String>,
    /// The directory of the agent.
    pub(super) cwd: Option<String>,
    /// The process of the agent.
    pub(super) process: Option<u32>,
    /// The address of the server of the agent.
    pub(super) server: Option<String>,
    /// Why a session starts.
    pub(super) source: Option<String>,
    /// The prompt of the user.
    pub(super) prompt: Option<String>,
    /// The last message of the agent.
    pub(super) last_message: Option<String>,
    /// The type of the worker that ended; empty for an internal one.
    pub(super) worker: Option<String>,
    /// Whether a subagent calls the hook.
    pub(super) is_subagent: bool,
    /// Whether the agent must not be prevented from stopping: it continues only because a hook prevented that before, or it was
    /// interrupted.
    pub(super) may_stop: bool,
    /// Whether Cursor calls the hook. It also calls the hooks of Claude Code.
    pub(super) is_from_cursor: bool,
    /// The tool that ran.
    pub(super) tool: Option<String>,
    /// The input of the tool.
    pub(super) input: Input,
    /// Whether the tool failed, if known.
    pub(super) failed: Option<bool>,
    /// Whether it failed, if it is a command that Gemini CLI ran.
    shell_failed: bool,
    /// Whether the tool continues in the background.
    pub(super) in_background: bool,
}

/// The input of a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Input {
    /// The script that it ran.
    pub(super) command: Option<String>,
    /// The file that it read or wrote.
    pub(super) file: Option<String>,
    /// The patch that it applied.
    pub(super) patch: Option<String>,
    /// The directory of the script, if it differs from that of the agent.
    pub(super) dir: Option<String>,
    /// The worker that did the work.
    pub(super) worker: Option<String>,
    session: Option<String>,
}

type Read<T> = Result<T, SyntaxError>;

impl Payload {
    /// Parses the input; none if it is not a JSON object, or too large.
    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        if bytes.len() > MAX_BYTES {
            return None;
        }
        let mut payload = Self::default();
        let mut rank = usize::MAX;
        let mut root = None;
        let all = Span::new(json::bom_len(bytes), bytes.len());
        let mut reader = Reader::new(bytes, all, Dialect::Json);
        let read = reader.object(|reader, key| {
            let key = key.to_text(bytes);
            match SESSION.iter().position(|name| *name == key) {
                Some(at) if at < rank => {
                    let session = text(reader)?.filter(|id| !id.trim().is_empty());
                    if session.is_some() {
                        payload.is_subagent |= key == PARENT;
                        (payload.session, rank) = (session, at);
                    }
                    Ok(())
                }
                None if key == "workspace_roots" => {
                    root = texts(reader)?.into_iter().next();
                    Ok(())
                }
                _ => payload.member(reader, &key),
            }
        });
        read.and_then(|_| reader.finish()).ok()?;
        payload.session = payload.session.or(payload.input.session.take());
        if payload.shell_failed && payload.tool.as_deref() == Some("run_shell_command") {
            payload.failed = Some(true);
        }
        payload.cwd = payload.cwd.filter(|cwd| !cwd.is_empty()).or(root);
        Some(payload)
    }

    fn member(&mut self, reader: &mut Reader<'_>, key: &str) -> Read<()> {
        match key {
            "transcript_path" | "transcriptPath" => self.transcript = text(reader)?,
            "cwd" => self.cwd = text(reader)?,
            "pid" => self.process = number(reader)?,
            "server" => self.server = text(reader)?,
            "source" => self.source = text(reader)?,
            "prompt" => self.prompt = text(reader)?,
            "last_assistant_message"
            | "last-assistant-message"
            | "last_message"
            | "prompt_response" => self.last_message = text(reader)?,
            "input-messages" => self.prompt = texts(reader)?.pop(),
            "agent_type" | "subagent_type" => self.worker = text(reader)?,
            "agent_id" => self.is_subagent |= text(reader)?.is_some_and(|id| !id.trim().is_empty()),
            "stop_hook_active" => self.may_stop |= is_true(reader)?,
            "loop_count" => self.may_stop |= number(reader)?.is_some_and(|count| count > 0),
            "status" => self.may_stop |= text(reader)?.is_some_and(|status| status != "completed"),
            "cursor_version" => self.is_from_cursor = text(reader)?.is_some(),
            "tool_name" | "toolName" | "tool" => self.tool = text(reader)?,
            "tool_input" | "toolInput" | "args" => self.input = Input::read(reader)?,
            // Cursor reports what its tools did without their input.
            "command" => self.input.command = command(reader)?,
            "file_path" => self.input.file = text(reader)?,
            "edits" => self.tool = Some(edit_tool(reader)?.to_owned()),
            "tool_response" | "toolResponse" => {
                let outcome = outcome::read(reader)?;
                self.failed = outcome.failed.or(self.failed);
                self.shell_failed = outcome.shell_failed;
                self.in_background |= outcome.in_background;
            }
            "exit_code" | "exitCode" => {
                self.failed = outcome::exit_code(reader)?.map(|code| code != 0).or(self.failed);
            }
            _ => {}
        }
        Ok(())
    }

    /// Returns the files that the tool created.
    pub(super) fn created(&self) -> Vec<String> {
        const MAKERS: &[&str] = &["write", "write_file", "create", "create_file"];
        if let Some(patch) = &self.input.patch {
            return added(patch);
        }
        let tool = self.tool.as_deref().unwrap_or_default().to_ascii_lowercase();
        let is_maker = MAKERS.contains(&tool.as_str());
        self.input.file.iter().filter(|_| is_maker).cloned().collect()
    }

    /// Returns the files that the tool changed, created or deleted.
    pub(super) fn edited(&self) -> Vec<String> {
        const EDITORS: &[&str] =
            &["edit", "multiedit", "notebookedit", "edit_file", "str_replace", "replace"];
        let tool = self.tool.as_deref().unwrap_or_default().to_ascii_lowercase();
        match &self.input.patch {
            Some(patch) => touched(patch),
            None if EDITORS.contains(&tool.as_str()) => self.input.file.iter().cloned().collect(),
            None => self.created(),
        }
    }

    /// Returns whether the tool runs a worker.
    ///
    /// The tool of a skill does not: it ends when the skill is loaded, before it is used.
    pub(super) fn is_worker(&self) -> bool {
        let tool = self.tool.as_deref().unwrap_or_default().to_ascii_lowercase();
        ["task", "agent", "invoke_agent"].contains(&tool.as_str())
    }
}

impl Input {
    fn read(reader: &mut Reader<'_>) -> Read<Self> {
        let mut input = Self::default();
        if reader.peek()? != JsonKind::Object {
            return Ok(input);
        }
        let bytes = reader.bytes();
        reader.object(|reader, key| {
            match key.name(bytes).as_ref() {
                b"command" | b"cmd" => input.command = command(reader)?,
                b"file_path" | b"filePath" | b"path" | b"notebook_path" => {
                    input.file = text(reader)?;
                }
                b"input" | b"patch" | b"patchText" => input.patch = whole_text(reader)?,
                b"subagent_type" | b"name" | b"agent_name" => input.worker = text(reader)?,
                b"workdir" | b"cwd" | b"dir_path" => input.dir = text(reader)?,
                b"session_id" => input.session = text(reader)?,
                _ => {}
            }
            Ok(())
        })?;
        let is_patch = |text: &String| text.contains("*** Begin Patch");
        input.patch =
            input.patch.filter(is_patch).or_else(|| input.command.clone().filter(is_patch));
        Ok(input)
    }
}

/// Returns the files that a patch of Codex adds.
fn added(patch: &str) -> Vec<String> {
    let names = patch.lines().filter_map(|line| line.trim_end().strip_prefix("*** Add File: "));
    names.map(|name| name.trim().to_owned()).collect()
}

/// Returns the files that a patch of Codex adds, changes, moves or deletes.
fn touched(patch: &str) -> Vec<String> {
    const HEADS: [&str; 4] =
        ["*** Add File: ", "*** Update File: ", "*** Move to: ", "*** Delete File: "];
    let name =
        |line: &str| HEADS.iter().find_map(|head| line.strip_prefix(head)).map(str::to_owned);
    patch.lines().filter_map(|line| name(line.trim_end())).collect()
}

/// Reads a script, or a list of arguments as a script.
fn command(reader: &mut Reader<'_>) -> Read<Option<String>> {
    if reader.peek()? != JsonKind::Array {
        return whole_text(reader);
    }
    let mut args = Vec::new();
    reader.array(|reader| {
        args.extend(whole_text(reader)?);
        Ok(())
    })?;
    Ok(Some(script_of(&args)))
}

/// Returns the tool that makes such edits: one that replaces nothing writes a whole file.
fn edit_tool(reader: &mut Reader<'_>) -> Read<&'static str> {
    let bytes = reader.bytes();
    let mut replaces = false;
    if reader.peek()? != JsonKind::Array {
        reader.skip()?;
        return Ok("edit");
    }
    reader.array(|reader| {
        if reader.peek()? != JsonKind::Object {
            return reader.skip().map(drop);
        }
        reader.object(|reader, key| {
            let value = text(reader)?;
            replaces |= key.is(bytes, "old_string") && value.is_some_and(|old| !old.is_empty());
            Ok(())
        })?;
        Ok(())
    })?;
    Ok(if replaces { "edit" } else { "write" })
}

/// Reads the texts of a list.
fn texts(reader: &mut Reader<'_>) -> Read<Vec<String>> {
    let mut all = Vec::new();
    if reader.peek()? == JsonKind::Array {
        reader.array(|reader| {
            all.extend(text(reader)?);
            Ok(())
        })?;
    }
    Ok(all)
}

fn whole_text(reader: &mut Reader<'_>) -> Read<Option<String>> {
    let bytes = reader.bytes();
    Ok(reader.string_or_skip()?.map(|text| text.to_text(bytes)))
}

/// Reads a text, truncated to the maximum length; `None` for other values.
fn text(reader: &mut Reader<'_>) -> Read<Option<String>> {
    Ok(whole_text(reader)?.map(|text| match text.char_indices().nth(MAX_TEXT_LEN) {
        Some((end, _)) => text.get(..end).unwrap_or_default().to_owned(),
        None => text,
    }))
}

fn number(reader: &mut Reader<'_>) -> Read<Option<u32>> {
    let bytes = reader.bytes();
    Ok(str::from_utf8(reader.skip()?.of(bytes)).ok().and_then(|digits| digits.parse().ok()))
}

fn is_true(reader: &mut Reader<'_>) -> Read<bool> {
    let bytes = reader.bytes();
    Ok(reader.skip()?.of(bytes) == b"true")
}
