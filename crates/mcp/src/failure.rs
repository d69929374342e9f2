//! Errors that the agent can do something about.

use skein_model::UserError;
use skein_model::advice::with_causes;
use skein_model::truncate::truncate_line;
use skein_workspace::Workspace;

use crate::relative_paths::relative_paths;

/// Maximum length of an error.
const MAX_CHARS: usize = 4_000;

/// Why a tool could not do what it was asked.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    message: String,
    hint: Option<String>,
}

/// The result of a tool: the text for the agent.
pub(crate) type ToolResult = Result<String, Failure>;

impl Failure {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None }
    }

    pub(crate) fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// Returns one line of limited length, with paths relative to the workspace.
    pub(crate) fn line(&self, workspace: Option<&Workspace>) -> String {
        let hint = self.hint.as_ref().map(|hint| format!(". Hint: {hint}")).unwrap_or_default();
        let text = format!("{}{hint}", self.message);
        let text = workspace.map_or_else(|| text.clone(), |known| relative_paths(&text, known));
        truncate_line(&text, MAX_CHARS)
    }
}

impl<E: UserError> From<E> for Failure {
    fn from(error: E) -> Self {
        // The id that was given is replaced in a hint by the one that may be meant.
        let hint = error.advice(&|_, id| id.to_owned()).hint;
        Self { message: with_causes(&error), hint }
    }
}
